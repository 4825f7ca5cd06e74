// What a module needs before SPIRV-Cross gets it: specialization constants fixed, and what it would
// get wrong without a word taken care of, refused or told.
#pragma once

#include "lanewise/result.h"
#include "spirv/spirv_tools.h"
#include "transpile/spirv_cross.h"
#include "transpile/stage.h"
#include "transpile/target_language.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {

struct PrepareRequest {
  TargetLanguage target;
  std::string entry; ///< empty: the only one, or the only one of compute shaders
  std::map<uint32_t, uint64_t> fixedConstants; ///< SpecId -> bits
  bool fixesAll = false;                       ///< the others to their defaults
  spv_target_env env = SPV_ENV_UNIVERSAL_1_6;
  std::string stage = {}; ///< "frag": of the entry point; empty: whatever it is
};

struct PreparedModule {
  Words words; ///< valid; the same interface but for the constants that were fixed
  ChosenEntry entry;
  std::map<uint32_t, uint64_t> fixedConstants; ///< all that were fixed
  // Not told of what stays SPIR-V:
  bool movesLoads = false;  ///< SPIRV-Cross would write loads behind what changes them
  bool hasVolatile = false; ///< buffers or images
  std::vector<TranspileNote> notes;
};

/// An Error names what the language cannot express, a constant or an entry point that the module
/// does not have, or several of them where none was chosen.
Result<PreparedModule> prepareModule(const Words& words, const PrepareRequest& request);

} // namespace lanewise::driver
