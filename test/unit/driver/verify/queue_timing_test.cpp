#include "verify/queue_timing.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

// Two queues; `b` of the second waits for `a` of the first, `c` for nobody.
QueuePlan planOfThree() {
  QueuePlan plan;
  plan.queues = {{"one", QueueKind::Compute, std::nullopt, {}},
                 {"two", QueueKind::Graphics, std::nullopt, {}}};
  plan.semaphores = {{"s", 0, {}}};
  plan.submissions.resize(3);
  const char* const names[] = {"a", "c", "b"};
  for (uint32_t s = 0; s < 3; ++s) {
    plan.submissions[s].queue = s == 0 ? 0 : 1;
    plan.submissions[s].commands.resize(1);
    plan.submissions[s].commands[0].name = names[s];
  }
  plan.submissions[0].signals = {{0, 1, kAllStages, {}}};
  plan.submissions[2].waits = {{0, 1, kAllStages, {}}};
  return plan;
}

TEST(QueueTimings, OverlapAndCriticalPath) {
  QueueTrace trace;
  trace.queues = {"family 0, queue 0", "family 2, queue 0"};
  trace.deviceQueues = 2;
  trace.areComparable = true;
  trace.commands = {{0, 0, 0, 10}, {1, 0, 4, 9}, {2, 0, 12, 15}};
  const QueueTiming timing = queueTimingOf(planOfThree(), trace);
  EXPECT_DOUBLE_EQ(timing.span, 15);
  EXPECT_DOUBLE_EQ(timing.overlap, 5);
  EXPECT_DOUBLE_EQ(timing.criticalPath, 13);
  EXPECT_DOUBLE_EQ(timing.queues[1].busy, 8);
  EXPECT_TRUE(timing.commands[0].isCritical);
  EXPECT_FALSE(timing.commands[1].isCritical);
  EXPECT_TRUE(timing.commands[2].isCritical);
}

TEST(QueueTimings, OneQueueOfTheDeviceOverlapsNothing) {
  QueueTrace trace;
  trace.queues = {"family 0, queue 0", "family 0, queue 0"};
  trace.deviceQueues = 1;
  trace.areComparable = true;
  trace.commands = {{0, 0, 0, 10}, {1, 0, 4, 9}};
  EXPECT_DOUBLE_EQ(queueTimingOf(planOfThree(), trace).overlap, 0);
}

TEST(QueueTimings, ClocksThatCannotBeCompared) {
  QueueTrace trace;
  trace.queues = {"family 0, queue 0", "family 2, queue 0"};
  trace.deviceQueues = 2;
  trace.commands = {{0, 0, 0, 10}, {1, 0, 4, 9}};
  EXPECT_DOUBLE_EQ(queueTimingOf(planOfThree(), trace).overlap, 0);
}

} // namespace
} // namespace lanewise::driver
