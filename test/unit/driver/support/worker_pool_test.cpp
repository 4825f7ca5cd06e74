// Whatever becomes of a worker, each piece of work finishes once, and the others do not notice.
#include "support/worker_pool.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lanewise::driver {
namespace {

using Answers = std::map<uint32_t, std::string>; ///< errors begin with "error: "

Answers runAll(size_t pieces, uint32_t workers,
               const std::function<std::string(const PieceOfWork&)>& work,
               std::chrono::milliseconds limit = {}) {
  std::vector<uint32_t> indices(pieces);
  std::iota(indices.begin(), indices.end(), 0);
  Answers answers;
  PoolOptions options;
  options.workers = workers;
  options.attempts = 3;
  options.limitOf = [&](uint32_t) { return limit; };
  PoolEvents events;
  events.work = work;
  events.finished = [&](uint32_t index, Result<std::string> answer) {
    EXPECT_FALSE(answers.count(index)) << index << " finished twice";
    answers[index] = answer ? *answer : "error: " + answer.error().message;
  };
  Status status = runPool(indices, options, events);
  EXPECT_TRUE(status);
  // Every worker was waited for.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  return answers;
}

TEST(BatchPool, DoesEachPieceOnce) {
  for (uint32_t workers : {1u, 3u, 50u}) {
    const Answers answers =
        runAll(20, workers, [](const PieceOfWork& p) { return std::string(p.index * 10000, 'x'); });
    ASSERT_EQ(answers.size(), 20u);
    for (const auto& [index, answer] : answers) EXPECT_EQ(answer.size(), index * 10000);
  }
}

TEST(BatchPool, NothingToDoIsDone) {
  EXPECT_TRUE(runAll(0, 2, [](const PieceOfWork&) { return std::string(); }).empty());
}

TEST(BatchPool, WorkersKeepTheirState) {
  int done = 0; // each worker's own
  const Answers answers = runAll(6, 1, [&](const PieceOfWork&) { return std::to_string(++done); });
  EXPECT_EQ(answers.at(5), "6");
  EXPECT_EQ(done, 0);
}

TEST(BatchPool, ACrashCostsAnAttempt) {
  const Answers answers = runAll(8, 2, [](const PieceOfWork& p) {
    if (p.index == 3 && p.attempt == 0) ::kill(::getpid(), SIGILL);
    if (p.index == 5 && p.attempt < 2) std::abort();
    return fmt::format("{} {} {}", p.index, p.attempt, p.whyAgain);
  });
  EXPECT_EQ(answers.at(2), "2 0 ");
  EXPECT_EQ(answers.at(3), "3 1 crashed: Illegal instruction (signal 4)");
  EXPECT_EQ(answers.at(5), "5 2 crashed: Aborted (signal 6)");
  EXPECT_EQ(answers.at(7), "7 0 ");
}

TEST(BatchPool, ThePieceThatAlwaysKillsFailsAlone) {
  const Answers answers = runAll(5, 2, [](const PieceOfWork& p) -> std::string {
    if (p.index == 1) {
      std::fputs("first line\nassertion failed\n", stderr);
      ::_exit(7);
    }
    return "fine";
  });
  EXPECT_EQ(answers.at(1), "error: exited with status 7: assertion failed");
  for (uint32_t index : {0u, 2u, 3u, 4u}) EXPECT_EQ(answers.at(index), "fine");
}

TEST(BatchPool, AnEndlessLoopEnds) {
  const Answers answers = runAll(
      3, 1,
      [](const PieceOfWork& p) -> std::string {
        for (volatile bool always = p.index == 0 && p.attempt < 2; always;) {
        }
        return p.whyAgain;
      },
      std::chrono::milliseconds(200));
  EXPECT_EQ(answers.at(0), "timed out after 0.2 s");
  EXPECT_EQ(answers.at(1), "");
}

/// A pipe by which a worker says that it has begun with a piece.
class Signal {
public:
  Signal() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Signal() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void give() const { EXPECT_EQ(::write(ends_[1], "s", 1), 1); }
  /// False where it does not come.
  bool wait() const {
    constexpr int kLong = 10000; // milliseconds
    pollfd end{ends_[0], POLLIN, 0};
    return ::poll(&end, 1, kLong) == 1;
  }

private:
  int ends_[2];
};

// The caller may be slow: a worker that is done goes on meanwhile.
TEST(BatchPool, AWorkerDoesNotWaitForItsNextPiece) {
  const Signal second;
  PoolEvents events;
  events.work = [&](const PieceOfWork& p) {
    if (p.index == 1) second.give();
    return std::string();
  };
  bool hasBegun = false;
  events.finished = [&](uint32_t index, const Result<std::string>&) {
    if (index == 0) hasBegun = second.wait();
  };
  const std::vector<uint32_t> indices{0, 1};
  EXPECT_TRUE(runPool(indices, {}, events));
  EXPECT_TRUE(hasBegun);
}

// Nothing is left to a worker that is busy while another has nothing to do.
TEST(BatchPool, TheLastPieceIsForWhoIsFree) {
  const Signal last;
  const Answers answers = runAll(3, 2, [&](const PieceOfWork& p) -> std::string {
    if (p.index == 2) last.give();
    return p.index == 0 && !last.wait() ? "waited" : "fine";
  });
  for (uint32_t index : {0u, 1u, 2u}) EXPECT_EQ(answers.at(index), "fine");
}

// A crash is counted for the piece that was worked on, not for those that lay before the worker.
TEST(BatchPool, TheNextPieceIsNotBlamed) {
  std::string order;
  std::vector<uint32_t> indices{0, 1, 2, 3};
  PoolOptions options;
  PoolEvents events;
  events.work = [](const PieceOfWork& p) {
    if (p.index == 1 && p.attempt < 2) std::abort();
    return fmt::format("{}.{} ", p.index, p.attempt);
  };
  events.finished = [&](uint32_t, Result<std::string> answer) {
    order += answer ? *answer : "error ";
  };
  EXPECT_TRUE(runPool(indices, options, events));
  EXPECT_EQ(order, "0.0 1.2 2.0 3.0 ");
}

// What a piece wrote is not said of the next one that dies.
TEST(BatchPool, LinesOfEarlierPiecesAreForgotten) {
  const Answers answers = runAll(2, 1, [](const PieceOfWork& p) -> std::string {
    if (p.index == 1) ::_exit(3);
    std::fputs("all is well\n", stderr);
    return "fine";
  });
  EXPECT_EQ(answers.at(1), "error: exited with status 3");
}

// The limit is for each piece from its beginning, however long it lay before its worker.
TEST(BatchPool, WaitingIsNoPartOfTheLimit) {
  const Answers answers = runAll(
      3, 1,
      [](const PieceOfWork& p) {
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        return p.whyAgain;
      },
      std::chrono::milliseconds(1100));
  for (uint32_t index : {0u, 1u, 2u}) EXPECT_EQ(answers.at(index), "");
}

// It ends at its own limit as well.
TEST(BatchPool, APieceThatWasHandedAheadEndsInTime) {
  const Answers answers = runAll(
      3, 1,
      [](const PieceOfWork& p) -> std::string {
        for (volatile bool always = p.index == 1 && p.attempt < 1; always;) {
        }
        return p.whyAgain;
      },
      std::chrono::milliseconds(200));
  EXPECT_EQ(answers.at(1), "timed out after 0.2 s");
  EXPECT_EQ(answers.at(2), "");
}

TEST(BatchPool, WorkersDoNotOutliveACallerThatIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t caller = ::fork();
  if (caller == 0) {
    ::close(ends[0]);
    PoolOptions options;
    options.workers = 2;
    PoolEvents events;
    events.work = [&](const PieceOfWork&) -> std::string {
      (void)!::write(ends[1], "w", 1);
      for (;;) ::pause();
    };
    events.finished = [](uint32_t, Result<std::string>) {};
    const std::vector<uint32_t> indices{0, 1};
    (void)runPool(indices, options, events);
    ::_exit(0);
  }
  ::close(ends[1]);
  char started[2];
  for (char& c : started) ASSERT_EQ(::read(ends[0], &c, 1), 1);
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  // The pipe ends when the last worker has.
  char none;
  EXPECT_EQ(::read(ends[0], &none, 1), 0);
  ::close(ends[0]);
}

} // namespace
} // namespace lanewise::driver
