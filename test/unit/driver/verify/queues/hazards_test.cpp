// Planted hazards, each of which must be found, and plans in order, of which nothing may be said.
#include "verify/queues/hazards.h"
#include "verify/queues/submission_order.h"

#include <chrono>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

constexpr uint32_t kCells = 0, kTarget = 1, kThird = 2;
const std::vector<std::string> kBuffers{"cells", "target", "third"};

BufferAccesses reads(uint32_t buffer, uint64_t begin = 0, uint64_t end = 1024) {
  return {buffer, {{begin, end}}, {}, {}, kComputeStage};
}
BufferAccesses writes(uint32_t buffer, uint64_t begin = 0, uint64_t end = 1024) {
  return {buffer, {}, {{begin, end}}, {}, kComputeStage};
}
BufferAccesses updates(uint32_t buffer, uint64_t begin, uint64_t end) {
  return {buffer, {}, {}, {{begin, end}}, kComputeStage};
}

// A plan and what its commands access. Lines count up by command, wait and signal.
class Frames {
public:
  explicit Frames(std::vector<QueueKind> kinds = {QueueKind::Compute, QueueKind::Graphics}) {
    for (QueueKind kind : kinds)
      plan.queues.push_back(
          {std::string(1, char('a' + int(plan.queues.size()))), kind, std::nullopt, {}});
    plan.semaphores.push_back({"s", 0, {}});
    plan.semaphores.push_back({"t", 0, {}});
  }
  PlannedSubmission& submit(uint32_t queue, uint32_t frame = 0) {
    PlannedSubmission made;
    made.name = "submission " + std::to_string(plan.submissions.size());
    made.queue = queue, made.frame = frame;
    plan.submissions.push_back(made);
    accesses.emplace_back();
    return plan.submissions.back();
  }
  // A dispatch in the last submission; all but its first have a barrier in front.
  PlannedCommand& dispatch(const std::string& name, CommandAccesses of) {
    PlannedCommand command;
    command.name = name;
    return add(std::move(command), std::move(of));
  }
  PlannedCommand& copy(uint32_t from, uint32_t to, uint64_t at = 0, uint64_t bytes = 1024) {
    PlannedCommand command;
    command.kind = PlannedCommand::Kind::Copy;
    command.name = "copy";
    command.copy = {from, to, at, at, bytes};
    return add(command, accessesOf(command.copy));
  }
  void transfer(bool isRelease, uint32_t buffer, uint32_t other) {
    PlannedCommand command;
    command.kind = PlannedCommand::Kind::Ownership;
    command.name = isRelease ? "release" : "acquire";
    command.ownership = {isRelease, buffer, other};
    add(command, {});
  }
  void wait(uint32_t semaphore, uint64_t value, Stages stages = kAllStages) {
    plan.submissions.back().waits.push_back({semaphore, value, stages, place()});
  }
  void signal(uint32_t semaphore, uint64_t value, Stages stages = kAllStages) {
    plan.submissions.back().signals.push_back({semaphore, value, stages, place()});
  }
  void hostWait(uint32_t submission) {
    plan.submissions.back().hostWaits.push_back({submission, 0, 0, place()});
  }

  std::vector<QueueFinding> find() const { return findHazards(plan, accesses, kBuffers).told; }
  // "hazard FIRST SECOND", one a line.
  std::string found() const {
    static const char* const kNames[] = {"hazard",    "never",     "deadlock",
                                         "backwards", "ownership", "redundant"};
    std::string text;
    for (const QueueFinding& finding : find()) {
      text += kNames[size_t(finding.rule)];
      if (finding.rule == QueueRule::Hazard || finding.rule == QueueRule::Ownership)
        text += " " + commandAt(plan, finding.pairs[0].first).name + " " +
                commandAt(plan, finding.pairs[0].second).name;
      text += "\n";
    }
    return text;
  }
  std::string firstMend() const {
    for (const QueueFinding& finding : find())
      for (const QueueNote& note : finding.notes)
        if (note.text.rfind("mend: ", 0) == 0) return note.text.substr(6);
    return "none";
  }

  QueuePlan plan;
  AccessTable accesses;

private:
  TextPlace place() { return {++line_, 1}; }
  PlannedCommand& add(PlannedCommand command, CommandAccesses of) {
    auto& commands = plan.submissions.back().commands;
    if (!commands.empty()) command.barrier = PlannedBarrier{};
    command.at = place();
    commands.push_back(std::move(command));
    accesses.back().push_back(std::move(of));
    return commands.back();
  }
  uint32_t line_ = 0;
};

// `write` on queue a, then `read` on queue b, with what `between` adds to each.
template <class Behind, class Before>
Frames writeAndRead(Behind&& behind, Before&& before) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  behind(f);
  f.submit(1);
  before(f);
  f.dispatch("read", {reads(kCells)});
  return f;
}
constexpr auto nothing = [](Frames&) {};

// ----- planted -----

TEST(QueueHazards, MissingWait) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); }, nothing);
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(), "let `submission 1` wait for `s` to reach 1 at stage `compute`");
}

TEST(QueueHazards, NeitherSignalNorWait) {
  Frames f = writeAndRead(nothing, nothing);
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(), "let `submission 0` signal a semaphore, and `submission 1` wait for it "
                           "at stage `compute`");
}

TEST(QueueHazards, ValueOfAnEarlierSignal) {
  Frames f;
  f.submit(0);
  f.dispatch("other", {writes(kTarget)});
  f.signal(0, 1);
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 2);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(), "wait for `s` to reach 2, not 1: the signal of 1 does not come behind "
                           "`write`");
}

TEST(QueueHazards, ValueThatTheSemaphoreStartsWith) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 5); }, [](Frames& f) { f.wait(0, 4); });
  f.plan.semaphores[0].initial = 4;
  EXPECT_EQ(f.found(), "hazard write read\n");
}

TEST(QueueHazards, WaitForAnotherSemaphore) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); }, [](Frames& f) { f.wait(1, 1); });
  f.submit(0);
  f.signal(1, 1);
  // What signals `t` comes later on the same queue, but covers `write` as well: no hazard.
  EXPECT_EQ(f.found(), "");
  f.plan.submissions[2].queue = 1;
  EXPECT_EQ(f.found(), "deadlock\nhazard write read\n");
}

TEST(QueueHazards, StageThatTheWaitLeavesOut) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) { f.wait(0, 1, kTransferStage); });
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(),
            "this wait holds back stage `transfer` only; `read` runs in stage `compute`");
}

TEST(QueueHazards, StageOfTheCountsAlone) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) { f.wait(0, 1, kComputeStage); });
  PlannedCommand& read = f.plan.submissions[1].commands[0];
  read.isIndirect = true;
  f.accesses[1][0][0].stage = kIndirectStage;
  EXPECT_EQ(f.found(), "hazard write read\n");
}

TEST(QueueHazards, StageThatTheSignalLeavesOut) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1, kTransferStage); },
                          [](Frames& f) { f.wait(0, 1); });
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(),
            "this signal covers stage `transfer` only; `write` runs in stage `compute`");
}

TEST(QueueHazards, SignalBeforeTheCopy) {
  Frames f({QueueKind::Transfer, QueueKind::Compute});
  f.submit(0);
  f.signal(0, 1);
  f.submit(0);
  f.copy(kTarget, kCells);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "hazard copy read\n");
  EXPECT_EQ(f.firstMend(), "signal `s` in `submission 1`, behind `copy`; here it comes before it");
}

TEST(QueueHazards, CopyOverWhatIsStillRead) {
  Frames f({QueueKind::Compute, QueueKind::Transfer});
  f.submit(0);
  f.dispatch("read", {reads(kCells)});
  f.submit(1);
  f.copy(kTarget, kCells);
  EXPECT_EQ(f.found(), "hazard read copy\n");
}

TEST(QueueHazards, TwoWriters) {
  Frames f;
  f.submit(0);
  f.dispatch("one", {writes(kCells)});
  f.submit(1);
  f.dispatch("other", {writes(kCells)});
  EXPECT_EQ(f.found(), "hazard one other\n");
}

TEST(QueueHazards, RangesThatShareOneByte) {
  Frames f;
  f.submit(0);
  f.dispatch("low", {writes(kCells, 0, 513)});
  f.submit(1);
  f.dispatch("high", {writes(kCells, 512, 1024)});
  ASSERT_EQ(f.found(), "hazard low high\n");
  EXPECT_NE(f.find()[0].message.find("byte 512 of `cells`"), std::string::npos)
      << f.find()[0].message;
}

TEST(QueueHazards, CopiesThatShareOneByte) {
  Frames f({QueueKind::Transfer, QueueKind::Transfer});
  f.submit(0);
  f.copy(kTarget, kCells, 0, 101);
  f.submit(1);
  f.copy(kThird, kCells, 100, 10);
  EXPECT_EQ(f.found(), "hazard copy copy\n");
}

TEST(QueueHazards, SubmissionOrderAlone) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.submit(0);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "hazard write read\n");
  EXPECT_EQ(f.firstMend(), "`barrier = true` for `read`: the order of submission alone orders "
                           "nothing");
}

TEST(QueueHazards, NoBarrierInASubmission) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.dispatch("read", {reads(kCells)}).barrier.reset();
  EXPECT_EQ(f.found(), "hazard write read\n");
}

// A copy, and behind a barrier a dispatch that reads what it wrote.
std::string foundBehindCopy(PlannedBarrier barrier) {
  Frames f;
  f.submit(0);
  f.copy(kTarget, kCells);
  f.dispatch("read", {reads(kCells)}).barrier = barrier;
  return f.found();
}

TEST(QueueHazards, BarrierOfOtherStages) {
  EXPECT_EQ(foundBehindCopy({kComputeStage, kComputeStage}), "hazard copy read\n");
}

TEST(QueueHazards, BarrierForTheCountsShowsTheDispatchNothing) {
  // The dispatch starts behind the barrier, but what the copy wrote is visible to its counts alone.
  EXPECT_EQ(foundBehindCopy({kAllStages, kIndirectStage}), "hazard copy read\n");
}

TEST(QueueHazards, SignalOfTheCountsAlone) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1, kIndirectStage); },
                          [](Frames& f) { f.wait(0, 1); });
  f.plan.submissions[0].commands[0].isIndirect = true;
  EXPECT_EQ(f.found(), "hazard write read\n");
}

TEST(QueueHazards, FiftyAreToldAndTheRestIsCounted) {
  Frames f;
  for (uint32_t n = 0; n < 12; ++n) {
    f.submit(n % 2);
    f.dispatch("write", {writes(kCells)});
  }
  const QueueFindings found = findHazards(f.plan, f.accesses, kBuffers);
  EXPECT_EQ(found.told.size(), 50u);
  EXPECT_EQ(found.hazardsLeftOut, 16u); // of 12 * 11 / 2
  EXPECT_FALSE(found.areMoreLeftOut);
}

TEST(QueueHazards, WaitThatHoldsBackOnlyTheLaterCommand) {
  // The barrier behind the copy orders `last` behind the wait; `first` has begun by then.
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) {
                            f.wait(0, 1, kTransferStage);
                            f.dispatch("first", {reads(kCells)});
                            f.copy(kTarget, kThird);
                          });
  EXPECT_EQ(f.found(), "hazard write first\n");
}

// A frame writes one of `copies` buffers on queue a and reads it on queue b.
Frames framesOf(uint32_t copies, uint32_t inFlight) {
  Frames f;
  f.plan.frames = 4, f.plan.framesInFlight = inFlight;
  for (uint32_t frame = 0; frame < 4; ++frame) {
    f.submit(0, frame);
    f.dispatch("write", {writes(frame % copies)});
    f.signal(0, frame + 1);
    f.submit(1, frame);
    f.wait(0, frame + 1);
    f.dispatch("read", {reads(frame % copies)});
    f.signal(1, frame + 1);
  }
  return f;
}

TEST(QueueHazards, OneFrameTooManyInFlight) {
  EXPECT_NE(framesOf(2, 3).found(), "");
  EXPECT_NE(framesOf(1, 2).found(), "");
  EXPECT_NE(framesOf(3, 4).found(), "");
  const std::vector<QueueFinding> found = framesOf(2, 3).find();
  bool isSaid = false;
  for (const QueueNote& note : found[0].notes)
    isSaid |= note.text.find("or: 2 frames in flight instead of 3") == 0;
  EXPECT_TRUE(isSaid);
}

TEST(QueueHazards, AtomicsBesideAPlainWrite) {
  Frames f;
  f.submit(0);
  f.dispatch("count", {updates(kCells, 0, 4)});
  f.submit(1);
  f.dispatch("reset", {writes(kCells, 0, 4)});
  EXPECT_EQ(f.found(), "hazard count reset\n");
}

TEST(QueueHazards, FenceThatNobodyWaitsFor) {
  Frames f = writeAndRead([](Frames& f) { f.plan.submissions.back().fence = "done"; }, nothing);
  EXPECT_EQ(f.found(), "hazard write read\n");
}

TEST(QueueHazards, HostWaitBehindTheSubmission) {
  Frames f = writeAndRead([](Frames& f) { f.plan.submissions.back().fence = "done"; }, nothing);
  f.submit(1);
  f.hostWait(0);
  EXPECT_EQ(f.found(), "hazard write read\n");
}

TEST(QueueHazards, OwnershipNeverTransferred) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); }, [](Frames& f) { f.wait(0, 1); });
  f.plan.exclusive = {kCells};
  EXPECT_EQ(f.found(), "ownership write read\n");
}

TEST(QueueHazards, OwnershipReleasedButNotAcquired) {
  Frames f = writeAndRead(
      [](Frames& f) {
        f.transfer(true, kCells, 1);
        f.signal(0, 1);
      },
      [](Frames& f) { f.wait(0, 1); });
  f.plan.exclusive = {kCells};
  ASSERT_EQ(f.found(), "ownership write read\n");
  EXPECT_NE(f.find()[0].message.find("never acquired"), std::string::npos);
}

// Queue a fills cells and releases them to b; what a does behind that is up to the test.
Frames released() {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.transfer(true, kCells, 1);
  f.plan.exclusive = {kCells};
  return f;
}

TEST(QueueHazards, OwnershipReadBehindItsOwnRelease) {
  Frames f = released();
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "ownership release read\n");
  EXPECT_NE(f.find()[0].message.find("its own queue family has released to `b` and not acquired"),
            std::string::npos);
}

TEST(QueueHazards, OwnershipTakenByTheOtherAndNotGivenBack) {
  Frames f = released();
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.transfer(false, kCells, 0);
  f.signal(1, 1);
  f.submit(0);
  f.wait(1, 1);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "ownership release read\n");
}

TEST(QueueHazards, OwnershipReleasedToNobody) {
  EXPECT_EQ(released().found(), "ownership release release\n");
}

TEST(QueueHazards, OwnershipAcquiredFromNobody) {
  Frames f;
  f.submit(1);
  f.transfer(false, kCells, 0);
  f.dispatch("read", {reads(kCells)});
  f.plan.exclusive = {kCells};
  EXPECT_EQ(f.found(), "ownership acquire acquire\n");
}

TEST(QueueHazards, OwnershipAcquiredBeforeItIsReleasedForSure) {
  Frames f = released();
  f.submit(1);
  f.transfer(false, kCells, 0);
  EXPECT_EQ(f.found(), "ownership release release\nownership acquire acquire\n");
}

// ----- waits and signals that cannot be right -----

TEST(QueueFaults, ValueThatNeverComes) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); }, [](Frames& f) { f.wait(0, 2); });
  EXPECT_EQ(f.found(), "never\nhazard write read\n");
}

TEST(QueueFaults, ValueThatNeverComesInAnyFrame) {
  Frames f;
  f.plan.frames = 3;
  for (uint32_t frame = 0; frame < 3; ++frame) {
    f.submit(0, frame);
    f.dispatch("one", {reads(kCells)});
    f.plan.submissions.back().waits.push_back({0, 9, kAllStages, {1, 1}});
  }
  ASSERT_EQ(f.found(), "never\n");
  EXPECT_EQ(f.find()[0].notes.back().text, "in 3 frames in all");
}

TEST(QueueFaults, TwoCyclesAreTwoFaults) {
  Frames f;
  for (uint32_t n : {0u, 2u}) {
    f.plan.semaphores.push_back({"u", 0, {}}), f.plan.semaphores.push_back({"v", 0, {}});
    f.plan.queues.push_back({"x", QueueKind::Compute, std::nullopt, {}});
    f.plan.queues.push_back({"y", QueueKind::Compute, std::nullopt, {}});
    f.submit(2 + n);
    f.wait(2 + n, 1);
    f.signal(3 + n, 1);
    f.submit(3 + n);
    f.wait(3 + n, 1);
    f.signal(2 + n, 1);
  }
  const HappensBefore order(f.plan);
  ASSERT_EQ(order.faults().size(), 2u);
  EXPECT_EQ(order.faults()[0].submission, 0u);
  EXPECT_EQ(order.faults()[1].submission, 2u);
}

TEST(QueueFaults, Cycle) {
  Frames f;
  f.submit(0);
  f.wait(1, 1);
  f.dispatch("one", {writes(kCells)});
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("other", {writes(kTarget)});
  f.signal(1, 1);
  ASSERT_EQ(HappensBefore(f.plan).faults().size(), 1u);
  EXPECT_EQ(HappensBefore(f.plan).faults()[0].kind, PlanFault::Kind::Cycle);
}

TEST(QueueFaults, CycleOfThreeQueuesStepByStep) {
  Frames f({QueueKind::Compute, QueueKind::Compute, QueueKind::Compute});
  f.plan.semaphores.push_back({"u", 0, {}});
  for (uint32_t n = 0; n < 3; ++n) {
    f.submit(n);
    f.wait((n + 2) % 3, 1);
    f.dispatch("work", {reads(kCells)});
    f.signal(n, 1);
  }
  ASSERT_EQ(f.found(), "deadlock\n");
  const QueueFinding found = f.find()[0];
  std::string notes;
  for (const QueueNote& note : found.notes) notes += note.text + "\n";
  EXPECT_EQ(notes, "`submission 0` waits for `u` to reach 1, which `submission 2` signals\n"
                   "`submission 2` waits for `t` to reach 1, which `submission 1` signals\n"
                   "`submission 1` waits for `s` to reach 1, which `submission 0` signals\n");
}

// The first submission's wait is for copies, of which it has none, and its signal for what it
// computes.
Frames heldBack(uint32_t value) {
  Frames f;
  f.submit(0);
  f.wait(1, value, kTransferStage);
  f.dispatch("one", {writes(kCells)});
  f.signal(0, 1, kComputeStage);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("other", {reads(kCells)});
  f.signal(1, 1);
  return f;
}

TEST(QueueFaults, CycleOfWholeSubmissionsOnly) {
  Frames f = heldBack(1);
  ASSERT_EQ(f.found(), "deadlock\n");
  const QueueFinding found = f.find()[0];
  EXPECT_TRUE(found.isPossible);
  EXPECT_EQ(found.message.find("`submission 0` and `submission 1` wait for one another"), 0u);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_FALSE(submissionOrder(f.plan));
}

TEST(QueueFaults, WaitForItsOwnSignalInAnotherStage) {
  Frames f;
  f.submit(0);
  f.wait(0, 1, kTransferStage);
  f.dispatch("one", {writes(kCells)});
  f.signal(0, 1, kComputeStage);
  ASSERT_EQ(f.found(), "deadlock\n");
  EXPECT_TRUE(f.find()[0].isPossible);
}

TEST(QueuesInOrder, WholeSubmissionsOneBehindTheOther) {
  EXPECT_EQ(heldBack(0).found(), "");
}

TEST(QueueFaults, WaitForALaterSubmissionOfTheSameQueue) {
  Frames f;
  f.submit(0);
  f.wait(0, 1);
  f.dispatch("one", {writes(kCells)});
  f.submit(0);
  f.signal(0, 1);
  EXPECT_EQ(f.found(), "deadlock\n");
}

TEST(QueueFaults, SignalsThatGoBackwards) {
  Frames f;
  f.submit(0);
  f.signal(0, 2);
  f.submit(0);
  f.signal(0, 1);
  EXPECT_EQ(f.found(), "backwards\n");
}

TEST(QueueFaults, SignalsOfTwoQueuesInNoOrder) {
  Frames f;
  f.submit(0);
  f.signal(0, 1);
  f.submit(1);
  f.signal(0, 2);
  EXPECT_EQ(f.found(), "backwards\n");
}

// ----- in order -----

TEST(QueuesInOrder, SignalAndWait) {
  EXPECT_EQ(
      writeAndRead([](Frames& f) { f.signal(0, 1); }, [](Frames& f) { f.wait(0, 1); }).found(), "");
}

TEST(QueuesInOrder, WaitForLessThanIsSignalled) {
  // The lowest signal that is not below the value is the one that ends the wait.
  EXPECT_EQ(
      writeAndRead([](Frames& f) { f.signal(0, 7); }, [](Frames& f) { f.wait(0, 3); }).found(), "");
}

TEST(QueuesInOrder, DisjointBytesOfOneBuffer) {
  Frames f;
  f.submit(0);
  f.dispatch("low", {writes(kCells, 0, 512)});
  f.submit(1);
  f.dispatch("high", {writes(kCells, 512, 1024), reads(kTarget)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, ReadersBesideOneAnother) {
  Frames f;
  f.submit(0);
  f.dispatch("one", {reads(kCells)});
  f.submit(1);
  f.dispatch("other", {reads(kCells)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, TransitiveWaits) {
  Frames f({QueueKind::Compute, QueueKind::Transfer, QueueKind::Graphics});
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.copy(kTarget, kThird);
  f.signal(1, 1);
  f.submit(2);
  f.wait(1, 1);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, TransitiveThroughASubmissionWithoutCommands) {
  Frames f({QueueKind::Compute, QueueKind::Transfer, QueueKind::Graphics});
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.signal(1, 1);
  f.submit(2);
  f.wait(1, 1);
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, WaitOfAnEarlierSubmissionOfTheQueue) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) {
                            f.wait(0, 1);
                            f.submit(1);
                          });
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, NarrowWaitWidenedByABarrier) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) {
                            f.wait(0, 1, kTransferStage);
                            f.copy(kTarget, kThird);
                          });
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, WaitAtTheCountsHoldsBackTheirDispatch) {
  // The stage of the counts is logically earlier than that of the work.
  EXPECT_EQ(writeAndRead([](Frames& f) { f.signal(0, 1); },
                         [](Frames& f) { f.wait(0, 1, kIndirectStage); })
                .found(),
            "");
}

TEST(QueuesInOrder, SignalOfTheWorkCoversItsCounts) {
  Frames f;
  f.submit(0);
  f.dispatch("indirect", {reads(kCells)}).isIndirect = true;
  f.accesses[0][0][0].stage = kIndirectStage;
  f.signal(0, 1, kComputeStage);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("write", {writes(kCells)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, BarrierBehindTheWorkCoversItsCounts) {
  Frames f;
  f.submit(0);
  f.dispatch("indirect", {reads(kCells)}).isIndirect = true;
  f.accesses[0][0][0].stage = kIndirectStage;
  f.dispatch("write", {writes(kCells)}).barrier = {kComputeStage, kComputeStage};
  EXPECT_EQ(f.found(), "");
}

// `first`, and an indirect dispatch of `second` behind a barrier that names its counts alone.
Frames behindBarrierForCounts(BufferAccesses first, BufferAccesses second) {
  Frames f;
  f.submit(0);
  f.dispatch("first", {std::move(first)});
  PlannedCommand& indirect = f.dispatch("second", {std::move(second)});
  indirect.isIndirect = true;
  indirect.barrier = {kComputeStage, kIndirectStage};
  return f;
}

TEST(QueueHazards, BarrierForTheCountsShowsTheWorkNothing) {
  EXPECT_EQ(behindBarrierForCounts(writes(kCells), reads(kCells)).found(), "hazard first second\n");
  EXPECT_EQ(behindBarrierForCounts(writes(kCells), writes(kCells)).found(),
            "hazard first second\n");
  Frames f = behindBarrierForCounts(writes(kCells), reads(kCells));
  f.plan.submissions[0].commands[1].barrier = {kComputeStage,
                                               Stages(kIndirectStage | kComputeStage)};
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, BarrierForTheCountsHoldsTheWorkBack) {
  // What was only read has nothing to show.
  EXPECT_EQ(behindBarrierForCounts(reads(kCells), writes(kCells)).found(), "");
}

TEST(QueuesInOrder, AsManyCommandsAsAScenarioMayHave) {
  // Each waits for the one before, on the other queue; every wait is judged on its own.
  Frames f;
  for (uint32_t n = 0; n < 4096; ++n) {
    f.submit(n % 2);
    if (n != 0) f.wait(0, n);
    f.dispatch("write", {writes(kCells)});
    f.signal(0, n + 1);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(f.found(), "");
  EXPECT_TRUE(findRedundantWaits(f.plan, f.accesses).empty());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 20); // half a second on a desktop; hours where all is done anew
}

TEST(QueuesInOrder, Fence) {
  Frames f = writeAndRead([](Frames& f) { f.plan.submissions.back().fence = "done"; },
                          [](Frames& f) { f.hostWait(0); });
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, BarrierBetweenSubmissions) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.submit(0);
  f.dispatch("read", {reads(kCells)}).barrier = PlannedBarrier{};
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, AsManyCopiesAsFramesInFlight) {
  EXPECT_EQ(framesOf(1, 1).found(), "");
  EXPECT_EQ(framesOf(2, 2).found(), "");
  EXPECT_EQ(framesOf(3, 3).found(), "");
}

TEST(QueuesInOrder, WaitSubmittedBeforeItsSignal) {
  Frames f;
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("read", {reads(kCells)});
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 1);
  EXPECT_EQ(f.found(), "");
  const std::vector<CommandRef> order = HappensBefore(f.plan).serialOrder();
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(commandAt(f.plan, order[0]).name, "write");
}

TEST(QueuesInOrder, AtomicsOnOneCounter) {
  Frames f;
  f.submit(0);
  f.dispatch("one", {updates(kCells, 0, 4)});
  f.submit(1);
  f.dispatch("other", {updates(kCells, 0, 4)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, OwnershipTransferred) {
  Frames f = writeAndRead(
      [](Frames& f) {
        f.transfer(true, kCells, 1);
        f.signal(0, 1);
      },
      [](Frames& f) {
        f.wait(0, 1);
        f.transfer(false, kCells, 0);
      });
  f.plan.exclusive = {kCells};
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, OwnershipThereAndBackInEachFrame) {
  // The last frame's way back is never acquired, which is no mistake of the loop.
  Frames f;
  f.plan.frames = 3, f.plan.framesInFlight = 3;
  for (uint32_t frame = 0; frame < 3; ++frame) {
    f.submit(0, frame);
    if (frame != 0) f.wait(1, frame), f.transfer(false, kCells, 1);
    f.dispatch("write", {reads(kCells), writes(kCells)});
    f.transfer(true, kCells, 1);
    f.plan.submissions.back().commands.back().at = {900, 1};
    f.signal(0, frame + 1);
    f.submit(1, frame);
    f.wait(0, frame + 1);
    f.transfer(false, kCells, 0);
    f.dispatch("read", {reads(kCells)});
    f.transfer(true, kCells, 0);
    f.plan.submissions.back().commands.back().at = {901, 1};
    f.signal(1, frame + 1);
  }
  f.plan.exclusive = {kCells};
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, OwnershipOfWhatIsWrittenAnewBehindTheRelease) {
  Frames f = released();
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.transfer(false, kCells, 0);
  f.signal(1, 1);
  f.submit(0);
  f.wait(1, 1);
  f.dispatch("overwrite", {writes(kCells)});
  f.dispatch("read", {reads(kCells)});
  EXPECT_EQ(f.found(), "");
}

TEST(QueuesInOrder, OwnershipOfWhatIsWrittenAnew) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1);
  f.dispatch("overwrite", {writes(kCells)});
  f.dispatch("read", {reads(kCells)});
  f.plan.exclusive = {kCells};
  EXPECT_EQ(f.found(), "");
}

// ----- orders -----

TEST(QueueOrders, TheOtherOrderKeepsToWhatIsOrdered) {
  Frames f;
  f.submit(0);
  f.dispatch("one", {writes(kCells)});
  f.submit(1);
  f.dispatch("before", {writes(kTarget)});
  f.dispatch("two", {reads(kCells), reads(kTarget)});
  const HappensBefore order(f.plan);
  std::string names;
  for (CommandRef at : order.serialOrder({{{0, 0}, {1, 1}}}))
    names += commandAt(f.plan, at).name + " ";
  EXPECT_EQ(names, "before two one ");
}

TEST(RedundantWaits, OnlyThoseThatOrderNothing) {
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); }, [](Frames& f) { f.wait(0, 1); });
  EXPECT_TRUE(findRedundantWaits(f.plan, f.accesses).empty());
  f.submit(0);
  f.dispatch("apart", {writes(kThird)});
  f.signal(0, 2);
  f.submit(1);
  f.wait(0, 2);
  f.dispatch("away", {reads(kTarget)});
  const std::vector<RedundantWait> redundant = findRedundantWaits(f.plan, f.accesses);
  ASSERT_EQ(redundant.size(), 1u);
  EXPECT_EQ(redundant[0].submission, 3u);
}

TEST(RedundantWaits, AllOfThemMayGoAtOnce) {
  // Either of two equal waits can go, but not both.
  Frames f = writeAndRead([](Frames& f) { f.signal(0, 1); },
                          [](Frames& f) { f.wait(0, 1), f.wait(0, 1); });
  const std::vector<RedundantWait> redundant = findRedundantWaits(f.plan, f.accesses);
  ASSERT_EQ(redundant.size(), 1u);
  EXPECT_EQ(redundant[0].wait.at, f.plan.submissions[1].waits[0].at);
  f.plan = without(f.plan, redundant[0].wait.at);
  EXPECT_EQ(f.found(), "");
  EXPECT_TRUE(findRedundantWaits(f.plan, f.accesses).empty());
}

TEST(RedundantWaits, TwoThatOrderNothing) {
  Frames f;
  f.submit(0);
  f.dispatch("write", {writes(kCells)});
  f.signal(0, 1);
  f.submit(1);
  f.wait(0, 1), f.wait(0, 1);
  f.dispatch("away", {reads(kTarget)});
  EXPECT_EQ(findRedundantWaits(f.plan, f.accesses).size(), 2u);
}

TEST(ByteRangeSets, AreWhatTheirNamesSay) {
  const ByteRanges a{{0, 4}, {8, 12}}, b{{2, 9}};
  EXPECT_EQ(intersection(a, b), (ByteRanges{{2, 4}, {8, 9}}));
  EXPECT_EQ(unionOf(a, b), (ByteRanges{{0, 12}}));
  EXPECT_EQ(difference(a, b), (ByteRanges{{0, 2}, {9, 12}}));
  EXPECT_EQ(difference(b, a), (ByteRanges{{4, 8}}));
}

} // namespace
} // namespace lanewise::driver
