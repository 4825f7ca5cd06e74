// The modules that a benchmark runs over.
#pragma once

#include "lanewise/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::bench {

using Words = std::vector<uint32_t>;

struct CorpusModule {
  std::string name;
  Words words;
  size_t bytes() const { return words.size() * sizeof(uint32_t); }
};

/// Reads modules in the order of their names. Each input is a .spv file, a directory (searched for
/// .spv files) or a text file with one path a line, relative paths being relative to that file's
/// folder. Files that are no SPIR-V of this machine's byte order are an error.
Result<std::vector<CorpusModule>> readCorpus(const std::vector<std::string>& inputs);

/// A module with the functions of `base` `copies` times over, ids renumbered, so that only the size
/// changes. An error when `base` has no functions or the ids would pass the limit.
Result<CorpusModule> growModule(const CorpusModule& base, uint32_t copies);

} // namespace lanewise::bench
