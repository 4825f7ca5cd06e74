#include "verify/writers.h"

#include "verify/compare/patterns.h"
#include "verify/interpreter/run/findings.h"
#include "verify/interpreter/run/memory.h"
#include "verify/interpreter_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace lanewise::driver {
namespace {

using interpreter::AccessEvent;

// The last store to an element. Numbered by dispatched shaders, so that sites of two are apart.
struct LastStore {
  uint32_t shader = 0, site = 0; ///< site 0: nobody
  Invocation by;
};

// The elements of one buffer that differ.
struct Watched {
  const BufferDifference* difference = nullptr;
  uint64_t first = 0, stride = 0; ///< bytes before element 0 and of an element
  std::vector<LastStore> last;    ///< by place in BufferDifference::listed
  uint32_t shader = 0;            ///< the one that stored to the buffer
  bool hasOneShader = true;
  WriterGrid grid;

  uint64_t beginOf(const DifferingElement& one) const {
    return first + one.index * stride + one.offset;
  }
};

class WriterWatch final : public RunObserver {
public:
  WriterWatch(const Program& program, std::map<uint32_t, Watched>& watched)
      : program_(program), watched_(watched), code_(program.shaders.size()) {}

  void beginDispatch(uint32_t shader, const interpreter::Program& code,
                     const std::array<uint32_t, 3>& groups) override {
    shader_ = shader;
    code_[shader] = &code;
    groups_ = groups;
  }
  void access(const AccessEvent& event) override {
    if (event.isWrite) store(event);
  }
  void texel(const AccessEvent& event) override { store(event); }

  ElementWriters writersOf(const Watched& watched) const {
    ElementWriters writers;
    std::map<std::pair<uint32_t, uint32_t>, ElementWriter> bySite;
    for (const LastStore& last : watched.last) {
      if (last.site == 0) continue;
      auto [at, isNew] = bySite.try_emplace({last.shader, last.site});
      if (isNew) at->second = describeStore(last);
      ++at->second.elements;
    }
    const LastStore& first = watched.last.front();
    if (first.site != 0) {
      const auto at = bySite.find({first.shader, first.site});
      writers.first = at->second;
      bySite.erase(at);
    }
    for (auto& [site, writer] : bySite) writers.others.push_back(std::move(writer));
    std::stable_sort(
        writers.others.begin(), writers.others.end(),
        [](const ElementWriter& a, const ElementWriter& b) { return a.elements > b.elements; });
    return writers;
  }

private:
  void store(const AccessEvent& event) {
    const auto found = watched_.find(interpreter::objectOf(event.address) - 1);
    if (found == watched_.end()) return;
    Watched& watched = found->second;
    note(watched, event);
    const uint64_t from = interpreter::offsetOf(event.address), to = from + event.bytes;
    const std::vector<DifferingElement>& listed = watched.difference->listed;
    const auto isBefore = [&](const DifferingElement& one) {
      return watched.beginOf(one) + one.bytes <= from;
    };
    const auto at = std::partition_point(listed.begin(), listed.end(), isBefore);
    for (size_t n = size_t(at - listed.begin()); n < listed.size(); ++n) {
      if (watched.beginOf(listed[n]) >= to) break;
      watched.last[n] = {shader_, event.site, {event.workgroup, event.lane}};
    }
  }

  void note(Watched& watched, const AccessEvent& event) const {
    WriterGrid& grid = watched.grid;
    if (grid.wrote.empty()) {
      const std::array<uint32_t, 3>& size = code_[shader_]->workgroupSize;
      watched.shader = shader_;
      grid.groups = groups_;
      grid.lanes = size[0] * size[1] * size[2];
      grid.wrote.resize(size_t(groups_[0]) * groups_[1] * groups_[2]);
      grid.laneWrote.resize(grid.lanes);
    }
    watched.hasOneShader &= watched.shader == shader_ && grid.groups == groups_;
    if (!watched.hasOneShader) return;
    grid.wrote[event.workgroup] = true;
    grid.laneWrote[event.lane] = true;
  }

  ElementWriter describeStore(const LastStore& last) const {
    const interpreter::Program& code = *code_[last.shader];
    ElementWriter writer;
    writer.shader = program_.shaders[last.shader].name;
    writer.source = code.location(last.site);
    writer.opcode = code.facts(last.site).name;
    writer.id = interpreter::listedId(code, last.site);
    writer.workgroup = last.by.workgroup;
    writer.invocation = last.by.lane;
    return writer;
  }

  const Program& program_;
  std::map<uint32_t, Watched>& watched_; ///< by buffer
  std::vector<const interpreter::Program*> code_;
  uint32_t shader_ = 0;
  std::array<uint32_t, 3> groups_{1, 1, 1};
};

std::string invocationsOf(const Watched& watched) {
  if (!watched.hasOneShader) return {};
  std::vector<Invocation> writers;
  for (const LastStore& last : watched.last) {
    if (last.site == 0) return {};
    writers.push_back(last.by);
  }
  return invocationPattern(writers, watched.grid);
}

std::map<uint32_t, Watched> watch(const ScenarioContents& contents, size_t program,
                                  const std::vector<BufferDifference>& differences) {
  std::map<uint32_t, Watched> all;
  for (const BufferDifference& difference : differences) {
    const std::optional<uint32_t> buffer = contents.plainBuffer(program, difference.buffer);
    if (!buffer || difference.listed.empty()) continue;
    const ScenarioBuffer& shape = contents.buffer(*buffer);
    Watched watched;
    watched.difference = &difference;
    watched.first = shape.headerBytes();
    watched.stride = shape.elementBytes();
    watched.last.resize(difference.listed.size());
    all[*buffer] = std::move(watched);
  }
  return all;
}

void take(BufferDifference& difference, const Watched& original, const Watched& other) {
  std::string pattern = invocationsOf(original);
  if (pattern.empty()) pattern = invocationsOf(other);
  if (!pattern.empty()) difference.pattern = withInvocations(difference, pattern);
}

} // namespace

void nameWriters(const ScenarioContents& contents, const WriterPair& pair, const RunAgain& run,
                 std::vector<BufferDifference>& differences) {
  std::map<uint32_t, Watched> before = watch(contents, pair.number, differences), after = before;
  if (before.empty()) return;
  WriterWatch original(pair.original, before), other(pair.other, after);
  RunStatus failed = run(0, original);
  if (!failed) failed = run(pair.number, other);
  for (BufferDifference& difference : differences) {
    const std::optional<uint32_t> buffer = contents.plainBuffer(pair.number, difference.buffer);
    if (!buffer || difference.listed.empty()) continue;
    if (failed) {
      if (failed->kind == RunFailure::Kind::Unsupported)
        difference.writersUnknown = failed->message;
      continue;
    }
    ElementWriters writers = original.writersOf(before[*buffer]);
    ElementWriters others = other.writersOf(after[*buffer]);
    take(difference, before[*buffer], after[*buffer]);
    difference.listed = {};
    // What nobody wrote does not differ: here it goes another way than on the device.
    if (!writers.first && !others.first) continue;
    difference.originalWriters = std::move(writers);
    difference.transformedWriters = std::move(others);
  }
}

namespace {

// What one workgroup of each dispatch costs, taken for all.
RunStatus probe(InterpreterRunner& runner, std::span<const BufferInput> inputs,
                const Program& program, uint32_t number, double budget) {
  for (const ProgramDispatch& dispatch : program.dispatches)
    if (dispatch.indirect) return {}; // only a run tells how many there are
  InterpreterPlan plan;
  const std::vector<std::vector<uint32_t>> first(program.dispatches.size(), {0});
  plan.workgroups = first;
  plan.repeat = 1;
  if (RunStatus failed = runner.execute(number, inputs, plan)) return failed;
  double cost = 0;
  for (size_t d = 0; d < first.size(); ++d)
    cost += double(runner.instructions()[d]) * double(runner.workgroups()[d]) * program.repeat;
  if (cost <= budget * kInstructionsPerSecond) return {};
  return RunFailure{RunFailure::Kind::Unsupported,
                    fmt::format("the interpreter would run {:.0f} million instructions; choose a "
                                "smaller size, or a larger --interpreter-budget",
                                cost / 1e6)};
}

} // namespace

void nameWritersOfDevice(ScenarioContents& contents, const WriterPair& pair, Poison poison,
                         const InterpreterOptions& options, uint32_t subgroupSize,
                         std::vector<BufferDifference>& differences) {
  constexpr double kPatienceSeconds = 60;
  uint64_t bytes = 0;
  for (const ResourceShape& shape : contents.shapes()) bytes += shape.bytes;
  if (bytes > kMostBytes) return;
  InterpreterRunner runner(kPatienceSeconds,
                           isSubgroupSize(subgroupSize) ? subgroupSize : options.subgroupSize);
  (void)runner.makeResources(contents.shapes());
  nameWriters(
      contents, pair,
      [&](size_t program, RunObserver& observer) -> RunStatus {
        const Program& what = program == 0 ? pair.original : pair.other;
        const uint32_t number = program == 0 ? 0 : 1;
        if (RunStatus failed = runner.addProgram(what)) return failed;
        const std::vector<BufferInput> inputs = contents.inputs(poison);
        if (RunStatus failed = probe(runner, inputs, what, number, options.budgetSeconds))
          return failed;
        InterpreterPlan plan;
        plan.timeoutSeconds = kPatienceSeconds;
        plan.observer = &observer;
        return runner.execute(number, inputs, plan);
      },
      differences);
}

} // namespace lanewise::driver
