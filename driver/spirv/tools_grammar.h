// What the tables of the installed SPIRV-Tools have of what a module uses. A stable distribution
// has them of the year in which it was frozen. They are asked with modules that hold what is asked
// about; no message of theirs is read.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The first thing in the module that their parser does not take, by the name of the opcode or
/// enumerant ("OpCooperativeMatrixLoadKHR", "MaximallyReconvergesKHR"); "" where it takes all. By
/// the kept grammar nothing is wrong with a module that was read, and the parser goes by its tables
/// alone, so what it does not take is newer than they are. An Error is a crash.
Result<std::string> unknownToParser(const Module& module);

/// Whether they know a capability.
bool toolsKnow(spv::Capability capability);
/// Whether they know an extension by its name ("SPV_KHR_untyped_pointers").
bool toolsKnowExtension(std::string_view name);
/// The first extension of the module that they do not know; empty where they know all.
std::string firstUnknownExtension(const Module& module);

/// A module without a source language (OpSource) that their tables do not have. It says nothing of
/// what the module does, and without it they read the rest.
struct WithoutLanguage {
  std::vector<uint32_t> words;
  uint32_t language = 0; ///< what stood there; now it is Unknown
  /// Puts it back, in whatever became of the words.
  void restore(std::vector<uint32_t>& words) const;
};
/// Nothing where they know the languages of the module, or it has several.
std::optional<WithoutLanguage> withoutUnknownLanguage(std::span<const uint32_t> words);

} // namespace lanewise::driver
