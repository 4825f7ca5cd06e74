#include "support/stopwatch.h"

#include <gtest/gtest.h>
#include <thread>

namespace lanewise::driver {
namespace {

TEST(Stopwatch, CountsWhatIsComputed) {
  const Stopwatch stopwatch;
  EXPECT_FALSE(stopwatch.isBeyond(1000));
  while (stopwatch.seconds() < 0.01) {
  }
  EXPECT_TRUE(stopwatch.isBeyond(0.01 - 1e-9));
}

TEST(Stopwatch, DoesNotCountWaiting) {
  const Stopwatch stopwatch;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(stopwatch.seconds(), 0.05);
  EXPECT_FALSE(stopwatch.isBeyond(0.05));
}

} // namespace
} // namespace lanewise::driver
