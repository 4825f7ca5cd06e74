// What a module needs before SPIRV-Cross gets it: specialization constants fixed, and what it would
// get wrong without a word taken care of, refused or told.
#pragma once

#include "lanewise/result.h"
#include "support/spirv_tools.h"
#include "transpile/spirv_cross.h"
#include "transpile/target_language.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {

struct PrepareRequest {
  TargetLanguage target;
  std::string entry;                           ///< empty: the only compute entry point
  std::map<uint32_t, uint64_t> fixedConstants; ///< SpecId -> bits
  bool fixesAll = false;                       ///< the others to their defaults
  spv_target_env env = SPV_ENV_UNIVERSAL_1_6;
};

struct PreparedModule {
  Words words;       ///< valid; the same interface but for the constants that were fixed
  std::string entry; ///< the compute entry point that was chosen
  std::map<uint32_t, uint64_t> fixedConstants; ///< all that were fixed
  std::vector<TranspileNote> notes;
};

/// An Error names what the language cannot express, or a constant that the module does not have.
Result<PreparedModule> prepareModule(const Words& words, const PrepareRequest& request);

} // namespace lanewise::driver
