#include "verify/contents.h"

#include "verify/compare.h"
#include "verify/failure.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace lanewise::driver {

std::string suffixOf(const InputSet& set) {
  return set.name.empty() ? ""
                          : fmt::format(" (with {}, made up for want of a scenario)", set.name);
}

ScenarioContents::ScenarioContents(const Scenario& scenario, std::span<const Program> programs,
                                   uint64_t seed)
    : scenario_(scenario), seed_(seed) {
  std::vector<bool> isWritten(scenario_.buffers.size());
  for (const Program& program : programs)
    for (const ProgramDispatch& dispatch : program.dispatches)
      for (const ProgramDispatch::Binding& bound : dispatch.bindings)
        if (!program.shaders[dispatch.shader]
                 .reflection.findBinding(bound.set, bound.binding)
                 ->isReadOnly)
          isWritten[bound.buffer] = true;
  for (uint32_t b = 0; b < scenario_.buffers.size(); ++b) {
    const ScenarioBuffer& buffer = scenario_.buffers[b];
    bool isCompared = isWritten[b] && !std::holds_alternative<CompareNone>(buffer.compare);
    if (isCompared) compared_.push_back(b), comparedBytes_ += buffer.bytes();
    if (isPoisoned(b))
      hasPoison_ = true;
    else if (isWritten[b])
      restored_.push_back(b);
  }
}

Status ScenarioContents::readFiles() {
  files_.resize(scenario_.buffers.size());
  for (size_t b = 0; b < files_.size(); ++b) {
    const auto* fill = std::get_if<FillFile>(&scenario_.buffers[b].fill);
    if (!fill) continue;
    std::ifstream file(fill->path, std::ios::binary);
    files_[b].assign(std::istreambuf_iterator<char>(file), {});
    if (!file || files_[b].size() != scenario_.buffers[b].bytes())
      return failure(fmt::format("{}: buffer `{}` needs {} bytes, {} could be read", fill->path,
                                 scenario_.buffers[b].name, scenario_.buffers[b].bytes(),
                                 files_[b].size()));
  }
  return ok();
}

std::vector<InputSet> ScenarioContents::inputSets() const {
  if (!isMadeUp()) return {{seed_, InputStyle::Seeded, ""}};
  return {{seed_, InputStyle::Seeded, "first random inputs"},
          {seed_ + 1, InputStyle::Seeded, "second random inputs"},
          {seed_ + 2, InputStyle::Boundary, "boundary values"}};
}

void ScenarioContents::fill(const InputSet& set) {
  if (filled_ == std::pair(set.seed, set.style)) return;
  filled_ = std::pair(set.seed, set.style);
  bytes_.resize(scenario_.buffers.size());
  for (size_t b = 0; b < bytes_.size(); ++b)
    if (!isPoisoned(b))
      bytes_[b] =
          initialBytes(scenario_.buffers[b], set.seed, set.style, Poison::Positive, files_[b]);
}

std::vector<BufferInput> ScenarioContents::inputs(Poison poison) {
  std::vector<BufferInput> inputs(scenario_.buffers.size());
  for (size_t b = 0; b < inputs.size(); ++b) {
    const ScenarioBuffer& buffer = scenario_.buffers[b];
    if (isPoisoned(b) && buffer.header.empty()) {
      inputs[b].fill = poisonByte(poison);
      continue;
    }
    if (isPoisoned(b)) bytes_[b] = initialBytes(buffer, 0, InputStyle::Seeded, poison, {});
    inputs[b].bytes = bytes_[b];
  }
  return inputs;
}

std::vector<BufferDifference> ScenarioContents::differences(const Outputs& a, Poison poisonA,
                                                            const Outputs& b,
                                                            Poison poisonB) const {
  std::vector<BufferDifference> all;
  for (uint32_t index : compared_) {
    BufferContents left{a[index], {}}, right{b[index], {}};
    if (isPoisoned(index)) left.poison = poisonByte(poisonA), right.poison = poisonByte(poisonB);
    if (auto difference = compareContents(scenario_.buffers[index], left, right))
      all.push_back(std::move(*difference));
  }
  return all;
}

} // namespace lanewise::driver
