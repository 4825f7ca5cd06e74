#include "verify/inputs/dry_run.h"

#include "verify/compare/run_findings.h"
#include "verify/interpreter/choose_workgroups.h"
#include "verify/program/bind_program.h"
#include "verify/program/marshal.h"

#include <algorithm>

namespace lanewise::driver {
namespace {

// Instructions in the loops of one invocation, and in those of a whole workgroup. Beyond that the
// generated counts are too large for a CPU device, and a smaller choice shows as much.
constexpr uint64_t kStepsOfLane = uint64_t(1) << 16, kStepsOfWorkgroup = kMostDryRunCost / 2;
// Only the steps decide, so that the outcome is the same everywhere; this is for a host that is
// next to standing still.
constexpr double kPatienceSeconds = 120;

bool hasChanged(const BufferInput& before, const TouchedPages& after) {
  using interpreter::kDirtyBytes;
  size_t at = 0;
  for (uint32_t page : after.pages) {
    const size_t size = std::min<size_t>(kDirtyBytes, after.bytes.size() - at);
    const uint8_t* now = after.bytes.data() + at;
    const bool isSame =
        before.fill ? std::all_of(now, now + size, [&](uint8_t b) { return b == *before.fill; })
                    : std::equal(now, now + size, before.bytes.data() + size_t(page) * kDirtyBytes);
    if (!isSame) return true;
    at += size;
  }
  return false;
}

class Attempt {
public:
  Attempt(const Scenario& scenario, const Words& module, RunCaches& caches,
          const DryRunExtent& extent)
      : scenario_(scenario), extent_(extent), caches_(caches),
        runner_(kPatienceSeconds, kDefaultSubgroupSize, &caches.code) {
    variant_.name = "original";
    variant_.modules[scenario.shaders[0].name] = module;
  }

  DryRun run(uint64_t seed, InputStyle style) {
    Result<Marshalling> marshalling = marshal(scenario_, {&variant_, 1});
    if (!marshalling) return notRun(marshalling.error().str());
    Result<Program> program = bindProgram(scenario_, variant_, notes_, caches_.reflections);
    if (!program) return notRun(program.error().str());
    ScenarioContents contents(*marshalling, {&*program, 1}, seed, caches_);
    (void)runner_.makeResources(contents.shapes());
    if (RunStatus failed = runner_.addProgram(*program)) return notRun(failed->message);
    if (Status read = contents.readFiles(); !read) return notRun(read.error().str());
    contents.fill({seed, style, ""});
    const std::vector<BufferInput> inputs = contents.inputs(Poison::Positive);
    const RunStatus failed = execute(*program, inputs);
    result_.ends = !failed;
    // Of what was ended, the host's threads decide how much had run.
    result_.cost = failed ? kMostDryRunCost : std::min(runner_.instructions()[0], kMostDryRunCost);
    if (failed && failed->kind != RunFailure::Kind::Timeout) return notRun(failed->message);
    for (uint32_t buffer : contents.compared())
      result_.writes |= hasChanged(inputs[buffer], runner_.touched(buffer));
    sortFindings();
    return std::move(result_);
  }

private:
  DryRun notRun(std::string why) {
    result_.notRun = std::move(why);
    return std::move(result_);
  }

  RunStatus execute(const Program& program, std::span<const BufferInput> inputs) {
    const ProgramDispatch& dispatch = program.dispatches[0];
    // Who speaks through atomics may wait for those before it.
    const bool isPrefix = runner_.hasStorageAtomics(0, 0);
    const std::vector<uint32_t> parts =
        chooseWorkgroups(dispatch.groups, extent_.workgroups, isPrefix);
    const uint64_t lanes = program.shaders[0].reflection.invocations();
    InterpreterPlan plan;
    plan.workgroups = {&parts, 1};
    plan.keepsWorkgroupOrder = {isPrefix};
    plan.timeoutSeconds = kPatienceSeconds;
    plan.stepLimit =
        extent_.patience * std::min(kStepsOfLane, kStepsOfWorkgroup / std::max<uint64_t>(lanes, 1));
    return runner_.execute(0, inputs, plan);
  }

  void sortFindings() {
    for (RunFinding& found : runner_.takeFindings()) {
      if (found.kind == "out-of-range")
        result_.outOfRange.push_back(std::move(found));
      else if (found.dependsOnInputs)
        result_.undefined.push_back(std::move(found));
      else if (found.decides && isUnpredictable(found))
        result_.races.push_back(std::move(found));
    }
  }

  const Scenario& scenario_;
  const DryRunExtent extent_;
  RunCaches& caches_;
  ProgramVariant variant_;
  InterpreterRunner runner_;
  std::vector<std::string> notes_;
  DryRun result_;
};

} // namespace

DryRun dryRunScenario(const Scenario& scenario, const Words& module, uint64_t seed,
                      InputStyle style, RunCaches& caches, const DryRunExtent& extent) {
  return Attempt(scenario, module, caches, extent).run(seed, style);
}

} // namespace lanewise::driver
