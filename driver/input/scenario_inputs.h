// Modules and a scenario on one command line: what `verify` and `profile` have in common.
#pragma once

#include "input/front_end.h"
#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/scenario/scenario.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// The values of -x (empty: not given) and of each -D.
Status parseLoadOptions(const std::string& kind, const std::vector<std::string>& defines,
                        LoadOptions& options);

/// "ID:VALUE" of --spec-const: bits of the value. Decimal, hexadecimal (0x), negative, true/false,
/// or with a point or an 'f' a 32-bit float.
Result<std::pair<uint32_t, uint64_t>> parseSpecConstant(const std::string& text);
/// The value of --workgroup-size, "X,Y,Z".
Result<std::array<uint32_t, 3>> parseWorkgroupSize(const std::string& text);
/// The values of each --spec-const and of --workgroup-size (empty: not given).
Result<Assumptions> parseAssumptions(const std::vector<std::string>& specConstants,
                                     const std::string& workgroupSize);

/// Whether compiled source keeps the line information that it was compiled with.
enum class Lines { Keep, Strip };
/// Loads a module as the scenario's shader `described` asks for, if there is one. The error is a
/// line to be printed.
Result<Words> loadShader(const std::string& path, LoadOptions options,
                         const ScenarioShader* described, Lines lines);

/// The scenario's shader that `input` stands for: the one called `name` if that is not empty, else
/// the one with that file or a file of that name, else the only one that the scenario's own
/// dispatches use.
Result<const ScenarioShader*> shaderFor(const Scenario& scenario, const std::string& name,
                                        const std::string& input);

} // namespace lanewise::driver
