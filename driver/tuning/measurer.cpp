#include "tuning/measurer.h"

#include "support/isolate.h"
#include "tuning/limited_race.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <numeric>
#include <string>

namespace lanewise::driver {

namespace {

/// Pairs within a round allow for clocks that still rise.
constexpr double kWarmupBetweenRaces = 0.1;

/// The programs as one scenario has them: what has other constants than the scenario's, or requires
/// another subgroup size, is a shader of its own.
struct Runnable {
  Scenario scenario;
  std::vector<ProgramVariant> variants;
};

void add(const BuiltProgram& program, size_t number, bool isStandIn, Runnable& to) {
  ProgramVariant variant{fmt::format("{}", number), {}, program.dispatches, true};
  for (ScenarioDispatch& dispatch : variant.dispatches) {
    const ScenarioShader& base = *to.scenario.findShader(dispatch.shader);
    const auto given = program.constants.find(base.name);
    const auto constants =
        given == program.constants.end() ? std::map<uint32_t, uint64_t>() : given->second;
    const Words& words = program.modules.at(base.name);
    const uint32_t subgroupSize = isStandIn ? base.subgroupSize : program.subgroupSizeOf(base.name);
    if (constants == base.specConstants && subgroupSize == base.subgroupSize) {
      variant.modules[base.name] = words;
      continue;
    }
    ScenarioShader own = base;
    own.name = fmt::format("{} ({})", base.name, number);
    own.madeOf = base.name;
    own.specConstants = constants;
    own.written.clear();
    own.subgroupSize = subgroupSize;
    dispatch.shader = own.name;
    variant.modules[own.name] = words;
    if (!to.scenario.findShader(own.name)) to.scenario.shaders.push_back(std::move(own));
  }
  variant.layouts = program.layouts;
  to.variants.push_back(std::move(variant));
}

/// `row` is of `report`. Where all depends on the order of invocations, nothing was compared.
bool isEqual(const VerifyReport& report, const VariantReport& row) {
  return row.state == VerifyState::Equal ||
         (row.state == VerifyState::OrderDependent && report.comparedBytes != 0);
}

} // namespace

Result<Verifier*> DeviceMeasurer::verifier() {
  if (!verifier_) {
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(options_);
    if (!verifier) return verifier.error();
    verifier_ = std::move(*verifier);
  }
  return verifier_.get();
}

Status DeviceMeasurer::open() {
  // What a driver has in this process does not survive a fork.
  if (!defaultIsolation().forksForDrivers) return ok();
  isWarm_ = verifier_ != nullptr; // by another child
  Result<Verifier*> verifier = this->verifier();
  return verifier ? (*verifier)->open(scenario_) : Status(verifier.error());
}

void DeviceMeasurer::close() {
  verifier_.reset();
  isWarm_ = false;
}

Result<VerifyReport> DeviceMeasurer::verify(std::span<const BuiltProgram* const> programs,
                                            Rigour rigour, TimingSchedule* schedule) {
  Runnable runnable{scenario_, {}};
  runnable.scenario.variants.clear();
  for (size_t n = 0; n < programs.size(); ++n) add(*programs[n], n, isStandIn_, runnable);
  VerifyOptions options = options_;
  options.interpreter.checksBesideDevice &=
      rigour != Rigour::Race || dependsOnOrder_.value_or(false);
  options.timing = rigour != Rigour::Outputs;
  options.schedule = schedule;
  if (rigour == Rigour::Race && isWarm_) options.warmupSeconds = kWarmupBetweenRaces;
  isWarm_ = options.timing;
  // Whom a driver fails that has served others is asked of a fresh one, once.
  for (bool isFresh = !verifier_;; isFresh = true) {
    Result<Verifier*> verifier = this->verifier();
    if (!verifier) return verifier.error();
    (*verifier)->options() = options;
    Result<VerifyReport> report = (*verifier)->verifyPrograms(runnable.scenario, runnable.variants);
    const auto isNotRun = [](const VariantReport& v) { return v.state == VerifyState::NotRun; };
    if (isFresh || !report || !std::ranges::all_of(report->variants, isNotRun)) return report;
    close();
  }
}

Result<VerifyReport> DeviceMeasurer::verifyWithItself(const BuiltProgram& original) {
  const std::array<const BuiltProgram*, 2> twice{&original, &original};
  return verify(twice, Rigour::Outputs, nullptr);
}

Result<std::string> DeviceMeasurer::whyNotSound(const BuiltProgram& original) {
  Result<VerifyReport> report = verifyWithItself(original);
  if (!report) return report.error();
  if (isEqual(*report, report->variants[0])) return std::string();
  return report->reason.empty() ? report->variants[0].reason : report->reason;
}

Result<Measurement> DeviceMeasurer::measure(std::span<const BuiltProgram* const> programs,
                                            Rigour rigour, double seconds) {
  Result<Verifier*> opened = this->verifier();
  if (!opened) return opened.error();
  // What is wrong with the device, a verification tells better.
  (void)(*opened)->open(scenario_);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Measurement measured;
  measured.programs.resize(programs.size());
  measured.programs[0].isEqual = true;
  std::vector<size_t> left(programs.size());
  std::iota(left.begin(), left.end(), size_t(0));
  while (left.size() > 1) {
    std::vector<const BuiltProgram*> asked;
    for (size_t n : left) asked.push_back(programs[n]);
    // The best, and the best with the host's help, are what the search is for.
    const bool hasBoth = asked.size() > 2 && !asked[1]->isForHost() && asked[2]->isForHost();
    const size_t forced = rigour == Rigour::Race ? 0 : hasBoth ? 2 : 1;
    RaceOptions options;
    options.mostRounds = options_.repeats;
    options.isFinal = rigour == Rigour::Final;
    LimitedRace race(asked.size(), std::move(options), seconds, forced, spent);
    Result<VerifyReport> report = verify(asked, rigour, &race);
    if (!report) return report.error();
    const auto differs = [](const VariantReport& v) { return v.state == VerifyState::Differs; };
    if (rigour == Rigour::Race && !dependsOnOrder_ &&
        (report->state == VerifyState::OriginalUnsound ||
         std::ranges::any_of(report->variants, differs))) {
      Result<VerifyReport> original = verifyWithItself(*programs[0]);
      if (!original) return original.error();
      dependsOnOrder_ = !original->orderDependences.empty();
      if (*dependsOnOrder_) continue; // from now on by what no order changes
    }
    std::vector<size_t> again{0};
    bool isAnyWrong = false, isAnyLost = false;
    for (size_t n = 1; n < left.size(); ++n) {
      const VariantReport& row = report->variants[n - 1];
      measured.programs[left[n]] = {isEqual(*report, row), row.reason, race.isRefused(n),
                                    race.samples()[n]};
      isAnyWrong |= row.state == VerifyState::Differs;
      isAnyLost |= row.state == VerifyState::NotRun && !race.isRefused(n);
      if (row.state != VerifyState::Differs) again.push_back(left[n]);
    }
    measured.programs[0].samples = race.samples()[0];
    measured.secondsEach = std::max(measured.secondsEach, race.secondsEach());
    if (report->state == VerifyState::OriginalUnsound) measured.failure = report->reason;
    // One that takes the device with it leaves the others without: they have another chance.
    if (!isAnyWrong || !isAnyLost) break;
    left = std::move(again);
  }
  const bool mayBeSound =
      std::any_of(measured.programs.begin() + 1, measured.programs.end(),
                  [](const MeasuredProgram& p) { return p.isEqual || p.isLeftOut; });
  if (!mayBeSound && measured.failure.empty()) {
    Result<std::string> why = whyNotSound(*programs[0]);
    if (!why) return why.error();
    measured.failure = std::move(*why);
  }
  measured.seconds = spent();
  return measured;
}

} // namespace lanewise::driver
