// The keys of scenarios with queues: what they become, and what is said of those that are wrong.
#include "verify/scenario/scenario.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

const char* const kTop = R"(repeat = 3
frames_in_flight = 2
[[shader]]
name = "a"
file = "a.comp"
[[buffer]]
name = "even"
type = "u32"
count = 16
[[buffer]]
name = "odd"
type = "u32"
count = 16
[[queue]]
name = "one"
[[queue]]
name = "two"
kind = "transfer"
[[semaphore]]
name = "s"
)"; // 20 lines

const char* const kSubmissions = R"([[submit]]
queue = "one"
signal = { semaphore = "s", value = "frame + 1" }
[[submit.dispatch]]
shader = "a"
groups = [1]
bind = { 0 = { frames = ["even", "odd"] } }
push_constants = [{ type = "u32", value = "frame" }]
[[submit]]
queue = "two"
wait = { semaphore = "s", value = "frame + 1", stage = "transfer" }
[[submit.copy]]
from = "even"
to = "odd"
bytes = 4
[[submit.copy]]
from = "odd"
to = "even"
from_offset = 8
)";

class QueueScenario : public testing::Test {
protected:
  QueueScenario() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("queues_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "a.comp") << "void main() {}";
  }
  ~QueueScenario() override { std::filesystem::remove_all(folder_); }

  Result<Scenario> parse(const std::string& text) {
    return parseScenario(text, (folder_ / "s.toml").string());
  }
  // Without the path: "LINE:COLUMN: what".
  std::string errorOf(const std::string& text) {
    Result<Scenario> scenario = parse(text);
    if (scenario) return "no error";
    const std::string& message = scenario.error().message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr((folder_ / "s.toml").string().size() + 1);
  }
  // With `from` in the submissions replaced, once.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = std::string(kTop) + kSubmissions;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  std::filesystem::path folder_;
};

TEST_F(QueueScenario, FramesAreWrittenOut) {
  Result<Scenario> scenario = parse(std::string(kTop) + kSubmissions);
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_TRUE(scenario->queues);
  const QueuePlan& plan = *scenario->queues;
  EXPECT_EQ(plan.frames, 3u);
  EXPECT_EQ(plan.framesInFlight, 2u);
  EXPECT_EQ(scenario->repeat, 1u);
  ASSERT_EQ(plan.submissions.size(), 6u);
  EXPECT_EQ(plan.submissions[4].signals[0].value, 3u);
  EXPECT_EQ(plan.submissions[5].waits[0].stages, kTransferStage);
  EXPECT_EQ(plan.submissions[5].waits[0].at.line, 31u);
  ASSERT_EQ(scenario->dispatches.size(), 3u);
  EXPECT_EQ(scenario->dispatches[1].bindings[0].buffer, "odd");
  EXPECT_EQ(scenario->dispatches[2].bindings[0].buffer, "even");
  EXPECT_EQ(scenario->dispatches[2].pushConstants[0], 2);
}

TEST_F(QueueScenario, CommandsKeepTheOrderOfTheFile) {
  Result<Scenario> scenario = parse(std::string(kTop) + kSubmissions);
  ASSERT_TRUE(scenario);
  const std::vector<PlannedCommand>& copies = scenario->queues->submissions[1].commands;
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].copy, (PlannedCopy{0, 1, 0, 0, 4}));
  EXPECT_EQ(copies[1].copy, (PlannedCopy{1, 0, 8, 0, 56}));
  EXPECT_FALSE(copies[0].barrier);
  EXPECT_TRUE(copies[1].barrier);
  ASSERT_EQ(scenario->copies.size(), 6u);
  EXPECT_EQ(scenario->copies[0].before, 1u); // behind the dispatch that it waits for
}

TEST_F(QueueScenario, SubmissionsOfSomeFramesOnly) {
  Result<Scenario> scenario =
      parse(with("queue = \"two\"\n", "queue = \"two\"\nframes = [0, 2]\n"));
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->queues->submissions.size(), 5u);
}

TEST_F(QueueScenario, UnknownNames) {
  EXPECT_EQ(errorOf(with("queue = \"two\"\nwait", "queue = \"too\"\nwait")),
            "30:9: queue `too` is unknown; did you mean `two`?");
  EXPECT_EQ(errorOf(with("wait = { semaphore = \"s\"", "wait = { semaphore = \"x\"")),
            "31:22: semaphore `x` is unknown; it is one of s");
  EXPECT_EQ(errorOf(with("stage = \"transfer\"", "stage = \"copy\"")),
            "31:56: stage `copy` is unknown; it is one of compute, transfer, indirect, all");
}

TEST_F(QueueScenario, ASemaphoreIsNoBinaryOne) {
  EXPECT_EQ(errorOf(with("signal = { semaphore = \"s\", value = \"frame + 1\" }",
                         "signal = { semaphore = \"s\" }")),
            "23:10: `signal` of timeline semaphore `s` needs a `value`: it is no binary one");
  EXPECT_EQ(
      errorOf(with("wait = { semaphore = \"s\", value = \"frame + 1\", stage = \"transfer\" }",
                   "wait = \"s\"")),
      "31:8: `wait` must be a table such as { semaphore = \"done\", value = 1 }, not a string: "
      "a timeline semaphore is no binary one");
}

TEST_F(QueueScenario, ValuesThatNeverCome) {
  EXPECT_EQ(errorOf(with("wait = { semaphore = \"s\", value = \"frame + 1\"",
                         "wait = { semaphore = \"s\", value = \"frame + 2\"")),
            "31:8: `submission 2` (frame 2) waits for `s` to reach 4, which never comes: 3 is the "
            "last that is signalled");
}

TEST_F(QueueScenario, Cycles) {
  EXPECT_EQ(
      errorOf(with("signal = { semaphore = \"s\", value = \"frame + 1\" }",
                   "wait = { semaphore = \"s\", value = \"frame + 1\" }\nsignal = { semaphore "
                   "= \"s\", value = \"frame + 1\" }")),
      "23:8: `submission 1` (frame 0) waits for `s` to reach 1, which is signalled only behind "
      "that wait");
}

TEST_F(QueueScenario, HostWaitsAreForAFenceOrASemaphore) {
  auto waiting = [](const std::string& wait) {
    return with("queue = \"two\"\n", "queue = \"two\"\nhost_wait = { " + wait + " }\n");
  };
  auto fenced = [&](const std::string& wait) {
    std::string text = waiting(wait);
    const std::string from = "queue = \"one\"\nsignal";
    return text.replace(text.find(from), from.size(), "queue = \"one\"\nfence = \"F\"\nsignal");
  };
  const std::string both =
      ": it is for a `fence`, of a `frame`, or for a `semaphore` and its `value`";
  EXPECT_EQ(errorOf(fenced("fence = \"F\", semaphore = \"nope\", value = 1")),
            "32:40: `host_wait` has `fence`, to which `semaphore` does not belong" + both);
  EXPECT_EQ(errorOf(fenced("fence = \"F\", value = 1")),
            "32:36: `host_wait` has `fence`, to which `value` does not belong" + both);
  EXPECT_EQ(errorOf(waiting("semaphore = \"s\", value = 1, frame = 0")),
            "31:51: `host_wait` has `semaphore`, to which `frame` does not belong" + both);
  EXPECT_EQ(errorOf(waiting("frame = 1")),
            "31:13: `host_wait` needs a `fence`, with or without its `frame`, or a `semaphore` and "
            "its `value`");
  EXPECT_EQ(errorOf(fenced("fence = \"F\", frame = \"frame + 1\"")),
            "32:36: `frame` is 1, and the host can wait for frames no later than this frame, 0");
  EXPECT_EQ(errorOf(fenced("fence = \"F\", frame = \"frame - 1\"")), "no error");
  EXPECT_EQ(errorOf(waiting("semaphore = \"s\", value = \"frame\"")), "no error");
}

TEST_F(QueueScenario, MoreQueuesThanADeviceHas) {
  std::string queues;
  for (uint32_t n = 0; n < 63; ++n) queues += "[[queue]]\nname = \"q" + std::to_string(n) + "\"\n";
  EXPECT_EQ(errorOf(with("[[semaphore]]\n", queues + "[[semaphore]]\n")),
            "143:1: more than 64 queues");
}

TEST_F(QueueScenario, WhatDoesNotFitTogether) {
  const std::string all = std::string(kTop) + kSubmissions;
  EXPECT_EQ(errorOf(with("frames_in_flight = 2\n", "")),
            "1:10: `repeat` with a [[queue]] needs `frames_in_flight`: how many frames the host "
            "submits before it waits for the first of them");
  EXPECT_EQ(errorOf(all + "[[dispatch]]\nshader = \"a\"\ngroups = [1]\n").substr(0, 80),
            "40:1: a scenario with a [[queue]] has its dispatches in [[submit]]: write [[subm");
  EXPECT_EQ(errorOf(with("[[submit]]\nqueue = \"one\"", "[[submit]]\nqueue = \"two\"")),
            "24:1: queue `two` is of kind transfer and cannot dispatch");
  EXPECT_EQ(errorOf(with("bytes = 4", "bytes = 65")),
            "35:9: `bytes` is 65; it must be between 1 and 64");
  EXPECT_EQ(errorOf(all + "[[semaphore]]\nname = \"t\"\n"),
            "40:1: semaphore `t` is used by no [[submit]]");
  EXPECT_EQ(errorOf(all + "[[submit]]\nqueue = \"one\"\nhost_wait = \"done\"\n"),
            "42:13: no [[submit]] before this one signals fence `done`");
  EXPECT_EQ(errorOf(all +
                    "[[submit]]\nqueue = \"one\"\n[[submit.release]]\nbuffer = \"even\"\nto = "
                    "\"two\"\n"),
            "42:1: buffer `even` has no owner: give it `sharing = \"exclusive\"`, or leave this "
            "away");
}

} // namespace
} // namespace lanewise::driver
