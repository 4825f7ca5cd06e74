// The search on a device that is made up: what it finds, what it does not take, and that a run that
// was stopped ends where it would have ended.
#include "recorded/tuning_file.h"
#include "support/failure.h"
#include "support/files.h"
#include "targets/target_profiles.h"
#include "tuning/journal.h"
#include "tuning/search.h"
#include "tuning/tuning_report.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lanewise::driver {
namespace {

// Samples by what a candidate is called; `wrong` says whose outputs differ.
class MadeUpDevice : public Measurer {
public:
  using Times = std::function<double(const BuiltProgram&)>;
  explicit MadeUpDevice(Times times) : times_(std::move(times)) {}
  std::function<bool(const Candidate&, Rigour)> isWrong = [](const auto&, Rigour) { return false; };
  size_t asked = 0, fails = SIZE_MAX; ///< after so many questions it is gone
  double seconds = 1;                 ///< of each question

  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double) override {
    if (asked++ >= fails) return failure("stopped");
    RaceOptions options;
    options.isFinal = rigour == Rigour::Final;
    Race race(programs.size(), options);
    std::vector<size_t> equal;
    for (size_t n = 0; n < programs.size(); ++n)
      if (n == 0 || !isWrong(programs[n]->candidate, rigour)) equal.push_back(n);
    for (std::vector<size_t> order = race.next(equal); !order.empty(); order = race.next(equal))
      for (size_t n : order) race.add(n, times_(*programs[n]) * (1 + 0.002 * noise_(random_)));
    Measurement measured;
    measured.seconds = seconds;
    for (size_t n = 0; n < programs.size(); ++n) {
      const bool isEqual = std::ranges::find(equal, n) != equal.end();
      measured.programs.push_back(
          {isEqual, isEqual ? "" : "outputs differ", false, race.samples()[n]});
    }
    return measured;
  }

private:
  Times times_;
  std::mt19937 random_{7};
  std::normal_distribution<double> noise_{0, 1};
};

// Takes its time for each program, and leaves out those that do not fit.
class BusyDevice : public MadeUpDevice {
public:
  using MadeUpDevice::MadeUpDevice;
  double each = 1;              ///< seconds
  double eachForHost = 0;       ///< more seconds, of those with other buffers
  size_t mostOfRace = SIZE_MAX; ///< candidates
  size_t stallsAt = SIZE_MAX;   ///< the question in which one takes `stall` seconds more
  double stall = 0;
  double total = 0;               ///< seconds of all questions
  std::vector<size_t> ofLast;     ///< programs of the last comparison, the original's as well
  std::map<std::string, int> ran; ///< by name

  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double limit) override {
    const bool isLast = rigour == Rigour::Final;
    size_t fit = 0;
    double longest = each;
    seconds = 2 * each; // the original's
    for (size_t n = 1; n < programs.size() && (isLast || fit < mostOfRace); ++n, ++fit) {
      const bool isStalled = n == 1 && asked == stallsAt;
      const double one =
          each + (programs[n]->isForHost() ? eachForHost : 0) + (isStalled ? stall : 0);
      const bool isForced = isLast && (n == 1 || (n == 2 && programs[2]->isForHost()));
      if (seconds + one > limit && !isForced) break;
      seconds += one;
      longest = std::max(longest, one);
    }
    total += seconds;
    if (isLast) ofLast.push_back(fit + 1);
    Result<Measurement> measured = MadeUpDevice::measure(programs.first(fit + 1), rigour, limit);
    if (!measured) return measured;
    for (size_t n = 1; n <= fit; ++n) ++ran[programs[n]->candidate.name()];
    for (size_t n = fit + 1; n < programs.size(); ++n)
      measured->programs.push_back({false, "no time", true, {}});
    measured->secondsEach = longest;
    return measured;
  }
};

class TuningSearch : public testing::Test {
protected:
  TuningSearch() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("search_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "tile.comp") << R"(#version 450
layout(local_size_x = 32, local_size_y = 32) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(constant_id = 3) const uint kSteps = 4u;
shared float tile[32][32];
void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = a[y * 32u + x];
  barrier();
  float sum = 0.0;
  for (uint i = 0u; i < kSteps; ++i) sum += tile[x][i];
  if ((x & 1u) != 0u) sum = sum + 1.0; // is flattened: -O without its pad is not -Os
  a[y * 32u + x] = sum;
}
)";
    std::ofstream(folder_ / "s.toml") << R"([parameters]
steps = 8
[tunable]
steps = [4, 8, 16]
[[shader]]
name = "tile"
file = "tile.comp"
spec_constants = { 3 = "steps" }
[[buffer]]
name = "a"
type = "f32"
count = 1024
init = "iota"
[[dispatch]]
shader = "tile"
groups = [1]
bind = { 0 = "a" }
)";
    open();
  }
  ~TuningSearch() override { std::filesystem::remove_all(folder_); }

  std::string scenarioPath() const { return (folder_ / "s.toml").string(); }
  void open() {
    Result<ProgramBuilder> builder =
        ProgramBuilder::create({scenarioPath(), {}, {}}, {}, *loadTarget("nvidia"));
    ASSERT_TRUE(builder) << builder.error().message;
    builder_.emplace(std::move(*builder));
  }
  TuneResult search(Measurer& device) {
    Result<TuneResult> result = searchByMeasuring(*builder_, device, nullptr, options_);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : TuneResult();
  }
  static std::string nameOf(const TuneResult& result, size_t n) {
    return result.tried[n].program->candidate.name();
  }
  std::string fileOf(const TuneResult& result) {
    return asToml(choicesOf(*builder_, result, {"GPU", "driver", "nvidia", {}, false, false}));
  }
  // A device on which one set of factors is best, and padding pays.
  static double coarsenedTime(const BuiltProgram& program) {
    const std::string name = program.candidate.name();
    double time = program.candidate.passes.empty() || name.starts_with("-Os --branch") ? 100 : 80;
    if (name.find("--coarsen-invocations=2,4,1") != std::string::npos) time = 40;
    if (name.find("--coarsen-invocations=2,2,1") != std::string::npos) time = 50;
    if (name.find("--skip=pad-shared-memory") != std::string::npos) time *= 2;
    return time;
  }

  std::filesystem::path folder_;
  std::optional<ProgramBuilder> builder_;
  TuneOptions options_;
};

TEST_F(TuningSearch, FindsTheBest) {
  options_.mayAskHost = false;
  MadeUpDevice device(coarsenedTime);
  const TuneResult result = search(device);
  EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best));
  EXPECT_FALSE(result.bestForHost);
  EXPECT_NEAR(0.4, result.finalRatio(result.best).median, 0.01);
}

TEST_F(TuningSearch, SaysWhatSingleRewritesAreWorth) {
  options_.mayAskHost = false;
  options_.passes = {"pad-shared-memory"};
  MadeUpDevice device(coarsenedTime);
  const TuneResult result = search(device);
  ASSERT_FALSE(result.sites.empty());
  for (const SiteWorth& site : result.sites) EXPECT_NEAR(2, site.ratio.median, 0.05) << site.site;
}

TEST_F(TuningSearch, StaysWithTheOriginalWhereNothingIsGained) {
  MadeUpDevice device([](const BuiltProgram&) { return 100.0; });
  const TuneResult result = search(device);
  EXPECT_FALSE(result.isNothingMeasured());
  EXPECT_EQ(0u, result.best);
  EXPECT_FALSE(result.bestForHost);
}

TEST_F(TuningSearch, TakesNothingWhoseOutputsDiffer) {
  options_.mayAskHost = false;
  MadeUpDevice device(coarsenedTime);
  device.isWrong = [](const Candidate& c, Rigour) {
    return c.name().find("=2,4,1") != std::string::npos;
  };
  const TuneResult result = search(device);
  EXPECT_EQ("-O --coarsen-invocations=2,2,1", nameOf(result, result.best));
}

TEST_F(TuningSearch, TakesNothingThatTheLastCheckFindsWrong) {
  options_.mayAskHost = false;
  MadeUpDevice device(coarsenedTime);
  device.isWrong = [](const Candidate& c, Rigour rigour) {
    return rigour == Rigour::Final && c.name().find("=2,4,1") != std::string::npos;
  };
  const TuneResult result = search(device);
  EXPECT_EQ(std::string::npos, nameOf(result, result.best).find("=2,4,1"));
}

TEST_F(TuningSearch, KeepsApartWhatTheHostMustFollow) {
  MadeUpDevice device([](const BuiltProgram& program) {
    const auto steps = program.candidate.values.find("steps");
    return steps != program.candidate.values.end() && steps->second == 16 ? 30.0
                                                                          : coarsenedTime(program);
  });
  const TuneResult result = search(device);
  EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best));
  ASSERT_TRUE(result.bestForHost);
  EXPECT_EQ("as it is, steps = 16", nameOf(result, *result.bestForHost));
  const TunedChoices choices =
      choicesOf(*builder_, result, {"GPU", "driver", "nvidia", {}, false, false});
  ASSERT_EQ(2u, choices.size());
  EXPECT_FALSE(choices[0].isForHost);
  EXPECT_TRUE(choices[1].isForHost);
  EXPECT_EQ(16u, choices[1].constants.at(3));
  EXPECT_EQ(16, choices[1].parameters.at("steps"));
}

// What a race found with the host's help is not lost, though comparing it takes longer than all
// else.
TEST_F(TuningSearch, TimeIsLeftToCompareTheBestWithTheHostsHelp) {
  for (double budget : {30.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0}) {
    options_.budgetSeconds = budget;
    BusyDevice device([](const BuiltProgram& program) {
      const auto steps = program.candidate.values.find("steps");
      return steps != program.candidate.values.end() && steps->second == 16
                 ? 30.0
                 : coarsenedTime(program);
    });
    device.eachForHost = 9;
    const TuneResult result = search(device);
    bool isFound = false;
    for (const Tried& tried : result.tried)
      isFound |= tried.isMeasured && tried.program->isForHost() && tried.ratio.median < 0.35;
    EXPECT_EQ(isFound, result.bestForHost.has_value()) << budget;
    EXPECT_LE(device.total, budget + 10) << budget; // the last comparison may take longer
  }
}

TEST_F(TuningSearch, FindsTheBestOfManyValuesWithoutTryingAll) {
  std::string text = *readFile(scenarioPath());
  const std::string three = "steps = [4, 8, 16]";
  text.replace(text.find(three), three.size(), "steps = { from = 1, to = 200, step = 1 }");
  std::ofstream(scenarioPath()) << text;
  open();
  MadeUpDevice device([](const BuiltProgram& program) {
    const auto steps = program.candidate.values.find("steps");
    const int64_t value = steps != program.candidate.values.end() ? steps->second : 8;
    return 50.0 + double(std::abs(value - 137));
  });
  const TuneResult result = search(device);
  ASSERT_TRUE(result.bestForHost);
  EXPECT_EQ(137, result.tried[*result.bestForHost].program->candidate.values.at("steps"));
  ASSERT_FALSE(result.notes.empty());
  EXPECT_TRUE(result.notes[0].ends_with("of 200 combinations of values: some far apart, then those "
                                        "around the best"))
      << result.notes[0];
  EXPECT_LT(result.tried.size(), 100u);
}

TEST_F(TuningSearch, EndsWithItsTimeAndSaysWhatWasLeft) {
  options_.batch = 4;
  options_.budgetSeconds = 10;
  MadeUpDevice device(coarsenedTime);
  device.seconds = 4;
  const TuneResult result = search(device);
  EXPECT_GT(result.leftOut, 0u);
  EXPECT_LE(device.asked, 5u);
}

TEST_F(TuningSearch, TheWholeOfItFitsIntoItsTime) {
  options_.checkSeconds = 2;
  for (const double each : {0.25, 2.5})
    for (const double budget : {20.0, 60.0}) {
      options_.budgetSeconds = budget;
      BusyDevice device(coarsenedTime);
      device.each = each;
      const TuneResult result = search(device);
      const std::string which = fmt::format("{} s each, {} s", each, budget);
      EXPECT_LE(device.total + options_.checkSeconds, budget) << which;
      ASSERT_FALSE(result.finals.empty()) << which;
      EXPECT_EQ(device.ofLast, std::vector<size_t>{result.finals.size()}) << which;
      EXPECT_TRUE(std::ranges::count(result.finals, result.best, &FinalRow::tried)) << which;
      EXPECT_LT(result.finalRatio(result.best).median, 1) << which;
    }
}

TEST_F(TuningSearch, OneStallDoesNotEndIt) {
  options_.mayAskHost = false;
  options_.batch = 4;
  options_.budgetSeconds = 200;
  for (const size_t at : {1, 2, 3}) {
    BusyDevice device(coarsenedTime);
    device.stallsAt = at;
    device.stall = 30;
    const TuneResult result = search(device);
    EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best)) << at;
    EXPECT_EQ(0u, result.leftOut) << at;
    EXPECT_LE(device.total, 200) << at;
  }
}

TEST_F(TuningSearch, WithoutTimeForAnyCandidateTheOriginalStays) {
  options_.budgetSeconds = 10;
  BusyDevice device(coarsenedTime);
  device.each = 4;
  const TuneResult result = search(device);
  EXPECT_EQ(0u, result.best);
  EXPECT_LE(device.total, 10);
  EXPECT_TRUE(device.ran.empty());
  EXPECT_TRUE(result.isNothingMeasured());
  EXPECT_EQ(
      fmt::format("nothing was measured, so that nothing is chosen: the time was up before any "
                  "of {} candidates was compared (4 s for each); give a larger --budget",
                  result.leftOut),
      whyNothingMeasured(result));
  ASSERT_FALSE(result.notes.empty());
  EXPECT_EQ(fmt::format("{} candidates were left untried: the time was up (4 s for each); a longer "
                        "--budget tries more",
                        result.leftOut),
            result.notes[0]);
}

// One candidate that is known to be wrong is a reason to leave the original alone.
TEST_F(TuningSearch, WithTimeForOneThatIsWrongTheOriginalIsChosen) {
  options_.budgetSeconds = 10;
  BusyDevice device(coarsenedTime);
  device.each = 1.5;
  device.mostOfRace = 1;
  device.isWrong = [](const Candidate&, Rigour) { return true; };
  const TuneResult result = search(device);
  EXPECT_GT(result.leftOut, 0u);
  EXPECT_EQ(0u, result.best);
  EXPECT_FALSE(result.isNothingMeasured());
}

TEST_F(TuningSearch, TheOriginalStaysWhereTheLastCheckHasTimeForOneAndFindsThatWrong) {
  options_.budgetSeconds = 20;
  options_.checkSeconds = 2;
  BusyDevice device(coarsenedTime);
  device.each = 2.5;
  device.isWrong = [](const Candidate&, Rigour rigour) { return rigour == Rigour::Final; };
  const TuneResult result = search(device);
  EXPECT_EQ(std::vector<size_t>{2}, device.ofLast);
  EXPECT_EQ("", result.failure);
  EXPECT_EQ(0u, result.best);
}

TEST_F(TuningSearch, ARaceOfWhichAllAreWrongIsFollowedByOthers) {
  options_.mayAskHost = false;
  options_.budgetSeconds = 1000;
  BusyDevice device(coarsenedTime);
  device.mostOfRace = 2;
  device.isWrong = [](const Candidate& c, Rigour) { return c.name() == "-Os" || c.name() == "-O"; };
  const TuneResult result = search(device);
  EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best));
}

TEST_F(TuningSearch, WhatDidNotFitIntoARaceIsInTheNextOne) {
  options_.mayAskHost = false;
  options_.budgetSeconds = 1000;
  BusyDevice device(coarsenedTime);
  device.mostOfRace = 3;
  const TuneResult result = search(device);
  EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best));
  EXPECT_EQ(0u, result.leftOut);
  for (size_t n = 1; n < result.tried.size(); ++n)
    EXPECT_EQ(result.tried[n].problem.empty(), result.tried[n].isMeasured) << nameOf(result, n);
}

TEST_F(TuningSearch, TheTextSaysHowManyWereLeftNotWhich) {
  options_.budgetSeconds = 20;
  BusyDevice device(coarsenedTime);
  device.each = 2;
  const TuneResult result = search(device);
  ASSERT_GT(result.leftOut, 0u);
  const std::string text =
      resultAsText(*builder_, result, {"GPU", "driver", "nvidia", {}, false, false});
  EXPECT_NE(std::string::npos, text.find(" left untried: the time was up")) << text;
  EXPECT_EQ(std::string::npos, text.find("no time was left")) << text;
}

TEST_F(TuningSearch, OneThatWasStoppedEndsWhereItWouldHaveEnded) {
  options_.mayAskHost = false;
  options_.batch = 8;
  options_.passes = {"coarsen-invocations"};
  MadeUpDevice whole(coarsenedTime);
  Journal journal("key");
  const auto keepNothing = [](const Journal&) { return ok(); };
  const auto lend = [](Measurer& device) {
    struct Lent : Measurer {
      Measurer& device;
      explicit Lent(Measurer& d) : device(d) {}
      Result<Measurement> measure(std::span<const BuiltProgram* const> p, Rigour r,
                                  double s) override {
        return device.measure(p, r, s);
      }
    };
    return [&device]() -> Result<std::unique_ptr<Measurer>> {
      return std::unique_ptr<Measurer>(std::make_unique<Lent>(device));
    };
  };
  const auto stopped = [] { return 0.0; };
  KeptMeasurer first(journal, lend(whole), keepNothing, stopped);
  const std::string expected = fileOf(search(first));
  ASSERT_GE(whole.asked, 3u);
  // Killed after any number of lines, or in the middle of one: what follows is measured with other
  // noise, what was kept is not measured again.
  const std::string text = journal.text();
  std::optional<Journal> all = Journal::read(text, "key");
  ASSERT_TRUE(all);
  MadeUpDevice none(coarsenedTime);
  none.fails = 0;
  KeptMeasurer again(*all, lend(none), keepNothing, stopped);
  EXPECT_EQ(expected, fileOf(search(again)));
  EXPECT_EQ(text, all->text());
  for (size_t end = text.find('\n') + 1; end < text.size(); end += text.size() / 4) {
    std::optional<Journal> part = Journal::read(text.substr(0, end), "key");
    ASSERT_TRUE(part);
    MadeUpDevice rest(coarsenedTime);
    KeptMeasurer resumed(*part, lend(rest), keepNothing, stopped);
    const TuneResult result = search(resumed);
    EXPECT_EQ("-O --coarsen-invocations=2,4,1", nameOf(result, result.best));
    const auto kept = size_t(std::count(text.begin(), text.begin() + ptrdiff_t(end), '\n')) - 1;
    EXPECT_EQ(whole.asked - kept, rest.asked);
  }
}

TEST(TuningJournal, IsOfOneKey) {
  Journal journal("key");
  journal.add("question", {});
  EXPECT_TRUE(Journal::read(journal.text(), "key"));
  EXPECT_FALSE(Journal::read(journal.text(), "other"));
  EXPECT_FALSE(Journal::read("", "key"));
  EXPECT_FALSE(Journal::read("nonsense\n", "key"));
}

TEST(TuningJournal, KeepsAllOfAMeasurement) {
  Measurement measured;
  measured.programs = {{true, "", false, {1, 2}}, {false, "no time", true, {}}};
  measured.seconds = 3;
  measured.secondsEach = 0.5;
  const Result<Measurement> kept = unpackMeasurement(pack(measured));
  ASSERT_TRUE(kept);
  EXPECT_EQ(3, kept->seconds);
  EXPECT_EQ(0.5, kept->secondsEach);
  EXPECT_FALSE(kept->programs[0].isLeftOut);
  EXPECT_TRUE(kept->programs[1].isLeftOut);
}

TEST(TuningJournal, WhatTheSearchDoesBetweenQuestionsCountsOnce) {
  double now = 0;
  std::vector<double> limits;
  struct Device : Measurer {
    std::vector<double>& limits;
    explicit Device(std::vector<double>& l) : limits(l) {}
    Result<Measurement> measure(std::span<const BuiltProgram* const>, Rigour, double s) override {
      limits.push_back(s);
      Measurement measured;
      measured.seconds = 3;
      return measured;
    }
  };
  const auto open = [&]() -> Result<std::unique_ptr<Measurer>> {
    return std::unique_ptr<Measurer>(std::make_unique<Device>(limits));
  };
  Journal journal("key");
  KeptMeasurer first(
      journal, open, [](const Journal&) { return ok(); }, [&] { return now; });
  const BuiltProgram program;
  const std::vector<const BuiltProgram*> programs{&program};
  now += 2;
  EXPECT_EQ(5, first.measure(programs, Rigour::Race, 10)->seconds);
  EXPECT_EQ(std::vector<double>{8}, limits);
  // Again, where making takes longer: what is kept counts.
  Journal kept = *Journal::read(journal.text(), "key");
  KeptMeasurer again(
      kept, open, [](const Journal&) { return ok(); }, [&] { return now; });
  now += 7;
  EXPECT_EQ(5, again.measure(programs, Rigour::Race, 10)->seconds);
  now += 1;
  EXPECT_EQ(4, again.measure(programs, Rigour::Final, 10)->seconds);
}

TEST(TuningJournal, AnswersOnlyTheNextQuestion) {
  Journal written("key");
  Measurement measured;
  measured.seconds = 3;
  written.add("a", measured);
  written.add("b", measured);
  Journal journal = *Journal::read(written.text(), "key");
  EXPECT_FALSE(journal.next("b"));
  EXPECT_FALSE(journal.next("a")); // the search went another way
}

} // namespace
} // namespace lanewise::driver
