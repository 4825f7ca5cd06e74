#include "verify/queue_check/footprints.h"

#include "ir/opcode_facts.h"

#include <algorithm>

namespace lanewise::driver {
namespace {

enum Seen : uint8_t { kRead = 1, kWritten = 2, kAtomic = 4 };

constexpr uint64_t kCountsBytes = 12; // of an indirect dispatch: three u32

ByteRanges rangesOf(const std::vector<uint8_t>& seen, uint8_t flag) {
  ByteRanges ranges;
  for (uint64_t at = 0; at < seen.size(); ++at) {
    if (!(seen[at] & flag)) continue;
    if (!ranges.empty() && ranges.back().end == at)
      ++ranges.back().end;
    else
      ranges.push_back({at, at + 1});
  }
  return ranges;
}

} // namespace

FootprintObserver::FootprintObserver(std::vector<uint64_t> bytes) : bytes_(std::move(bytes)) {
  seen_.resize(bytes_.size());
}

void FootprintObserver::atDispatch(uint32_t index) {
  endDispatch();
  dispatch_ = index;
  isOpen_ = true;
}

void FootprintObserver::beginDispatch(uint32_t, const interpreter::Program& code,
                                      const std::array<uint32_t, 3>&) {
  code_ = &code;
}

void FootprintObserver::access(const interpreter::AccessEvent& event) {
  using namespace interpreter;
  const uint32_t object = objectOf(event.address);
  if (event.memoryClass == kWorkgroupClass || object == 0 || object > bytes_.size()) return;
  const uint32_t buffer = object - 1;
  const uint64_t from = offsetOf(event.address);
  const uint64_t to = std::min(from + event.bytes, bytes_[buffer]);
  if (from >= to) return;
  std::vector<uint8_t>& seen = seen_[buffer];
  if (seen.empty()) seen.resize(bytes_[buffer]);
  // An atomic of a narrower scope than Device says nothing to another dispatch: it is a read and a
  // write like any other there.
  const bool isNarrow = code_->sites[event.site].atomicScope != Level::Device;
  const uint8_t flag = !isAtomic(code_->facts(event.site)) ? (event.isWrite ? kWritten : kRead)
                       : isNarrow                          ? kRead | kWritten
                                                           : kAtomic;
  for (uint64_t at = from; at < to; ++at) seen[at] |= flag;
}

void FootprintObserver::endDispatch() {
  if (!isOpen_) return;
  CommandAccesses& accesses = done_[dispatch_];
  for (uint32_t b = 0; b < seen_.size(); ++b) {
    if (seen_[b].empty()) continue;
    accesses.push_back({b, rangesOf(seen_[b], kRead), rangesOf(seen_[b], kWritten),
                        rangesOf(seen_[b], kAtomic), kComputeStage});
    seen_[b].clear();
  }
  isOpen_ = false;
}

std::map<uint32_t, CommandAccesses> FootprintObserver::take() {
  endDispatch();
  return std::move(done_);
}

CommandAccesses declaredAccesses(const Program& program, uint32_t dispatch,
                                 const std::vector<ScenarioBuffer>& buffers) {
  CommandAccesses all;
  const ProgramDispatch& step = program.dispatches[dispatch];
  const Reflection& reflection = program.shaders[step.shader].reflection;
  for (const ProgramDispatch::Binding& bound : step.bindings) {
    const ReflectedBinding* binding = reflection.findBinding(bound.set, bound.binding);
    if (!binding) continue;
    const bool isSampler = binding->kind == ReflectedBinding::Kind::Sampler;
    if (isSampler) continue;
    const ByteRanges whole{{0, buffers[bound.buffer].bytes()}};
    BufferAccesses accesses{bound.buffer, {}, {}, {}, kComputeStage};
    if (!binding->isWriteOnly) accesses.reads = whole;
    if (!binding->isReadOnly) accesses.writes = whole;
    all.push_back(std::move(accesses));
  }
  return all;
}

AccessTable accessesOf(const Program& program, const std::vector<ScenarioBuffer>& buffers,
                       const std::map<uint32_t, CommandAccesses>& seen) {
  AccessTable table;
  for (const PlannedSubmission& submission : program.queues->submissions) {
    auto& row = table.emplace_back();
    for (const PlannedCommand& command : submission.commands) {
      CommandAccesses& accesses = row.emplace_back();
      if (command.kind == PlannedCommand::Kind::Copy) accesses = accessesOf(command.copy);
      if (command.kind != PlannedCommand::Kind::Dispatch) continue;
      const auto known = seen.find(command.dispatch);
      CommandAccesses declared = declaredAccesses(program, command.dispatch, buffers);
      if (known != seen.end()) {
        std::erase_if(declared,
                      [&](const BufferAccesses& one) { return !buffers[one.buffer].image; });
        accesses = known->second;
      }
      accesses.insert(accesses.end(), declared.begin(), declared.end());
      if (const auto& counts = program.dispatches[command.dispatch].indirect)
        accesses.push_back({counts->buffer,
                            {{counts->offset, counts->offset + kCountsBytes}},
                            {},
                            {},
                            kIndirectStage});
    }
  }
  return table;
}

} // namespace lanewise::driver
