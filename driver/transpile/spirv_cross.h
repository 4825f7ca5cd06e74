// SPIRV-Cross's part of `lanewise transpile`, through its C API. Every call runs isolated
// (isolate.h): SPIRV-Cross may crash on a module.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "transpile/bindings.h"
#include "transpile/target_language.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What a host must know and the text does not say by itself.
struct TranspileNote {
  std::string name; ///< short and stable: "binding-moved"
  std::string text; ///< one sentence
};

struct CrossRequest {
  TargetLanguage target; ///< not SpvAsm
  std::string entry;     ///< of the module
  std::string newName;   ///< of the entry point in the text; empty: as SPIRV-Cross names it
  std::vector<BindRequest> binds;
  spv::ExecutionModel model = spv::ExecutionModel::GLCompute; ///< of the entry point
  bool movesLoads = false;                                    ///< PreparedModule::movesLoads
  bool hasVolatile = false;                                   ///< PreparedModule::hasVolatile
};

struct CrossText {
  std::string text;
  std::string entry; ///< its name in the text
  spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
  std::vector<PlacedResource> resources;
  std::vector<TranspileNote> notes;
};

/// An Error says what the language cannot express, or that SPIRV-Cross crashed.
Result<CrossText> crossCompile(std::span<const uint32_t> words, const CrossRequest& request);

/// Version of the C API, and the commit where it tells: "0.54".
std::string spirvCrossVersion();

} // namespace lanewise::driver
