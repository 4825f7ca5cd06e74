// Whatever third-party code does, the caller gets its bytes or an Error, and no process stays
// behind.
#include "support/isolate.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lanewise::driver {
namespace {

using Bytes = Result<std::string>;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasAsan = true;
#else
constexpr bool kHasAsan = false;
#endif

/// The message of a failed call.
std::string failure(const std::function<Bytes()>& work, const IsolationLimits& limits = {}) {
  Bytes result = isolate(work, limits);
  if (result) return "no failure";
  return result.error().message;
}

TEST(Isolate, CountsTheCallsThatALimitEnded) {
  const uint64_t before = callsEndedByLimits();
  (void)failure([]() -> Bytes { return Error{"said no", {}, 0, {}}; });
  (void)failure([]() -> Bytes {
    ::kill(::getpid(), SIGSEGV);
    return std::string();
  });
  EXPECT_EQ(callsEndedByLimits(), before);
  (void)failure([]() -> Bytes { throw std::bad_alloc(); });
  EXPECT_EQ(callsEndedByLimits(), before + 1);
  IsolationLimits brief;
  brief.time = std::chrono::milliseconds(50);
  (void)failure(
      []() -> Bytes {
        for (;;) ::pause();
      },
      brief);
  EXPECT_EQ(callsEndedByLimits(), before + 2);
  // As the kernel does it to the largest process when memory runs out.
  (void)failure([]() -> Bytes {
    ::kill(::getpid(), SIGKILL);
    return std::string();
  });
  EXPECT_EQ(callsEndedByLimits(), before + 3);
}

TEST(Isolate, GivesBackTheBytes) {
  Bytes result = isolate([]() -> Bytes { return std::string("a\0b", 3); });
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, std::string("a\0b", 3));
}

TEST(Isolate, GivesBackNothingWhenThereIsNothing) {
  Bytes result = isolate([]() -> Bytes { return std::string(); });
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "");
}

// More than a pipe holds, in both directions at once: neither side may wait for the other.
TEST(Isolate, CarriesMuchMoreThanAPipeHolds) {
  constexpr size_t kSize = 8 << 20;
  Bytes result = isolate([]() -> Bytes {
    std::string noise(1 << 20, 'n');
    std::fwrite(noise.data(), 1, noise.size(), stderr);
    return std::string(kSize, 'x');
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->size(), kSize);
  EXPECT_EQ(result->find_first_not_of('x'), std::string::npos);
}

TEST(Isolate, PassesErrorsOn) {
  EXPECT_EQ(failure([]() -> Bytes {
              return Error{"this is not for me", {}, 0, {}};
            }),
            "this is not for me");
}

TEST(Isolate, TurnsExceptionsIntoErrors) {
  EXPECT_EQ(failure([]() -> Bytes { throw std::runtime_error("no luck"); }), "threw: no luck");
  EXPECT_EQ(failure([]() -> Bytes { throw 1; }), "threw an unknown exception");
}

TEST(Isolate, TurnsAnAbortIntoAnErrorWithTheLastLinePrinted) {
  std::string message = failure([]() -> Bytes {
    std::fputs("first\nassertion `x' failed\n", stderr);
    std::abort();
  });
  EXPECT_TRUE(message.starts_with("crashed: ")) << message;
  if (!kHasAsan) {
    EXPECT_TRUE(message.ends_with(": assertion `x' failed")) << message;
  }
}

TEST(Isolate, TurnsASegmentationFaultIntoAnError) {
  if (kHasAsan) GTEST_SKIP() << "AddressSanitizer catches the signal and exits";
  std::string message = failure([]() -> Bytes {
    std::raise(SIGSEGV);
    return std::string("unreachable");
  });
  EXPECT_TRUE(message.starts_with("crashed: ")) << message;
  EXPECT_NE(message.find("signal 11"), std::string::npos) << message;
}

TEST(Isolate, TurnsAnExitIntoAnError) {
  EXPECT_EQ(failure([]() -> Bytes { ::_exit(7); }), "exited with status 7");
  // Leaving without a result is a failure even when the status says that all is well.
  EXPECT_EQ(failure([]() -> Bytes { ::_exit(0); }), "exited with status 0");
}

TEST(Isolate, StopsAnEndlessLoop) {
  IsolationLimits limits;
  limits.time = std::chrono::milliseconds(200);
  auto start = std::chrono::steady_clock::now();
  std::string message = failure(
      []() -> Bytes {
        std::atomic<int> turns = 0;
        for (;;) ++turns;
      },
      limits);
  EXPECT_EQ(message, "timed out after 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// A child that prints for ever never lets the pipe fall silent.
TEST(Isolate, StopsEndlessPrinting) {
  IsolationLimits limits;
  limits.time = std::chrono::milliseconds(200);
  EXPECT_EQ(failure(
                []() -> Bytes {
                  for (;;) std::fputs("again and again and again\n", stderr);
                },
                limits),
            "timed out after 0.2 s");
}

TEST(Isolate, StopsAtTheMemoryLimit) {
  if (kHasAsan) GTEST_SKIP() << "the limit is not enforced under AddressSanitizer";
  IsolationLimits limits;
  limits.memoryBytes = 256 << 20;
  EXPECT_EQ(failure(
                []() -> Bytes {
                  std::vector<std::string> hoard;
                  for (;;) hoard.emplace_back(16 << 20, 'm');
                },
                limits),
            "threw: out of memory");
}

TEST(Isolate, LeavesNoChildBehind) {
  IsolationLimits limits;
  limits.time = std::chrono::milliseconds(100);
  (void)isolate([]() -> Bytes { return std::string("done"); });
  (void)isolate([]() -> Bytes { std::abort(); });
  (void)isolate(
      []() -> Bytes {
        for (;;) ::pause();
      },
      limits);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Isolate, KeepsMemoryOfTheCallerAsItIs) {
  int value = 1;
  Bytes result = isolate([&]() -> Bytes {
    value = 2;
    return std::string();
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(value, 1);
}

// A child of another thread must not hold this child's pipe open.
TEST(Isolate, WorksFromSeveralThreads) {
  // glibc's allocator gives its locks back to a forked child; AddressSanitizer's of GCC 12 does
  // not.
  if (kHasAsan) GTEST_SKIP() << "AddressSanitizer's allocator may hang after fork in a thread";
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 20; ++i) {
        Bytes result = isolate([&]() -> Bytes {
          if (i % 5 == 4) std::abort();
          return std::string(100000, char('a' + t));
        });
        bool isRight =
            i % 5 == 4 ? !result : result && *result == std::string(100000, char('a' + t));
        good[t] += isRight;
      }
    });
  for (std::thread& t : threads) t.join();
  for (int count : good) EXPECT_EQ(count, 20);
}

TEST(Isolate, WithoutForkRunsHere) {
  IsolationLimits limits;
  limits.fork = false;
  int value = 1;
  Bytes result = isolate(
      [&]() -> Bytes {
        value = 2;
        return std::string("here");
      },
      limits);
  ASSERT_TRUE(result);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(failure([]() -> Bytes { throw std::bad_alloc(); }, limits), "threw: out of memory");
}

TEST(PackStrings, ComesBackAsItWas) {
  std::vector<std::string> strings{"", "one", std::string("\0\1", 2), std::string(70000, 'z')};
  EXPECT_EQ(unpackStrings(packStrings(strings)), strings);
  EXPECT_TRUE(unpackStrings("").empty());
}

} // namespace
} // namespace lanewise::driver
