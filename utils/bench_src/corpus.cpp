#include "corpus.h"

#include "ir/module.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace lanewise::bench {

namespace fs = std::filesystem;

namespace {

Result<CorpusModule> readModule(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return Error{path.string() + ": cannot be read", {}, 0, {}};
  auto bytes = static_cast<size_t>(file.tellg());
  CorpusModule module{path.string(), Words(bytes / sizeof(uint32_t))};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(module.words.data()),
            static_cast<std::streamsize>(module.bytes()));
  if (!file || bytes % sizeof(uint32_t) != 0 || bytes == 0 || module.words[0] != 0x07230203)
    return Error{path.string() + ": not a SPIR-V module", {}, 0, {}};
  return module;
}

/// The files that one input names.
Result<std::vector<fs::path>> expandInput(const fs::path& input) {
  std::error_code error;
  std::vector<fs::path> paths;
  if (fs::is_directory(input, error)) {
    for (const auto& entry : fs::recursive_directory_iterator(input, error))
      if (entry.is_regular_file() && entry.path().extension() == ".spv")
        paths.push_back(entry.path());
  } else if (input.extension() == ".spv") {
    paths.push_back(input);
  } else {
    std::ifstream list(input);
    if (!list) return Error{input.string() + ": cannot be read", {}, 0, {}};
    for (std::string line; std::getline(list, line);)
      if (!line.empty()) paths.push_back(input.parent_path() / line);
  }
  if (error) return Error{input.string() + ": " + error.message(), {}, 0, {}};
  std::sort(paths.begin(), paths.end());
  return paths;
}

} // namespace

Result<std::vector<CorpusModule>> readCorpus(const std::vector<std::string>& inputs) {
  std::vector<CorpusModule> corpus;
  for (const std::string& input : inputs) {
    auto paths = expandInput(input);
    if (!paths) return paths.error();
    for (const fs::path& path : *paths) {
      auto module = readModule(path);
      if (!module) return module.error();
      corpus.push_back(std::move(*module));
    }
  }
  if (corpus.empty()) return Error{"no .spv files among the inputs", {}, 0, {}};
  return corpus;
}

Result<CorpusModule> growModule(const CorpusModule& base, uint32_t copies) {
  auto read = Module::read(base.words);
  if (!read) return read.error();
  const Module& module = *read;
  if (module.functionCount() == 0) return Error{base.name + ": no functions to repeat", {}, 0, {}};

  // Ids defined in functions get a new range for each copy; all others are shared.
  size_t functionsAt = module.wordOffset(module.globals().last);
  InstRange functions{module.globals().last, module.insts().last};
  std::vector<uint32_t> local(module.idBound(), 0);
  uint32_t localCount = 0;
  for (InstRef i : functions)
    if (Id id = module.resultId(i)) local[id.value] = ++localCount;
  uint64_t bound = uint64_t{module.idBound()} + uint64_t{localCount} * (copies - 1);
  if (bound > Module::kMaxIdBound)
    return Error{base.name + ": too many ids for " + std::to_string(copies) + " copies", {}, 0, {}};

  // The words of the functions that hold a local id.
  std::vector<std::pair<size_t, uint32_t>> places;
  for (InstRef i : functions) {
    size_t start = module.wordOffset(i) - functionsAt;
    module.forEachIdOperand(i, [&](uint32_t word, Id id) {
      if (id.value < local.size() && local[id.value] != 0)
        places.emplace_back(start + word, local[id.value]);
    });
    if (Id id = module.resultId(i))
      places.emplace_back(start + (module.facts(i).hasResultType ? 2 : 1), local[id.value]);
  }

  CorpusModule grown{base.name + " x" + std::to_string(copies), base.words};
  size_t functionWords = base.words.size() - functionsAt;
  grown.words.reserve(functionsAt + functionWords * copies);
  for (uint32_t copy = 1; copy < copies; ++copy) {
    size_t at = grown.words.size();
    grown.words.insert(grown.words.end(), base.words.begin() + static_cast<ptrdiff_t>(functionsAt),
                       base.words.end());
    uint32_t firstId = module.idBound() + localCount * (copy - 1);
    for (auto [offset, number] : places) grown.words[at + offset] = firstId + number - 1;
  }
  grown.words[3] = static_cast<uint32_t>(bound);
  return grown;
}

} // namespace lanewise::bench
