// Reads SPIR-V assembly, in the form that spirv-as takes.
#pragma once

#include "assembly/tokens.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

struct AssemblyError {
  TextPlace place;
  std::string message; ///< one sentence without a trailing period
};

struct Assembled {
  std::vector<uint32_t> words; ///< empty on an error
  AssemblyError error;
};

/// The module that a text says, of that version (0x00010300). Ids that are numbers keep them, named
/// ones get the lowest that are free, in the order in which they appear. The generator is that of
/// spirv-as: a text gives the same words wherever it is read.
Assembled assembleText(std::string_view text, uint32_t version);

} // namespace lanewise
