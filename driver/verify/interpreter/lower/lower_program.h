// From a module to the interpreter's code.
#pragma once

#include "lanewise/result.h"
#include "verify/interpreter/code/program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lanewise::driver::interpreter {

/// Lowers the entry point. An Error names what the interpreter does not know: opcodes,
/// capabilities, extended instructions, kinds of variables.
Result<std::shared_ptr<const Program>> lowerProgram(std::vector<uint32_t> words,
                                                    const ProgramOptions& options);

} // namespace lanewise::driver::interpreter
