// Races that several devices share.
#include "isolation.h"
#include "support/failure.h"
#include "tuning/shared_measurer.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

/// Takes `speed` times as long for everything, and tells by each sample which one it is.
class SlowDevice : public Measurer {
public:
  SlowDevice(double speed, size_t rounds) : speed_(speed), rounds_(rounds) {}
  std::string failure;
  bool dies = false;
  int opened = 0, closed = 0;

  Status open() override { return ++opened, ok(); }
  void close() override { ++closed; }

  Result<Measurement> measure(std::span<const BuiltProgram* const> programs, Rigour rigour,
                              double) override {
    if (dies) ::_exit(7);
    Measurement measured;
    measured.failure = failure;
    measured.seconds = speed_;
    for (const BuiltProgram* program : programs) {
      MeasuredProgram row{program->digest != "wrong", "", false, {}};
      if (!row.isEqual) row.reason = "differs";
      for (size_t round = 0; row.isEqual && round < rounds_; ++round)
        row.samples.push_back(speed_ * double(program->repeat) * double(10 + round));
      measured.programs.push_back(std::move(row));
    }
    if (rigour != Rigour::Race) measured.programs[0].reason = "not shared";
    return measured;
  }

private:
  double speed_;
  size_t rounds_;
};

/// `repeat` is how long a program takes.
std::vector<BuiltProgram> programsThatTake(std::initializer_list<uint32_t> times) {
  std::vector<BuiltProgram> all;
  for (uint32_t time : times) {
    all.emplace_back();
    all.back().repeat = time;
  }
  return all;
}

std::vector<const BuiltProgram*> pointersTo(const std::vector<BuiltProgram>& programs) {
  std::vector<const BuiltProgram*> all;
  for (const BuiltProgram& p : programs) all.push_back(&p);
  return all;
}

SharedMeasurer twoDevices(std::unique_ptr<SlowDevice> a, std::unique_ptr<SlowDevice> b) {
  std::vector<std::unique_ptr<Measurer>> devices;
  devices.push_back(std::move(a));
  devices.push_back(std::move(b));
  return SharedMeasurer(std::move(devices));
}

TEST(SharedMeasurer, RatiosAreThoseOfTheDeviceThatRanTheProgram) {
  const test::WithIsolation isolated;
  SharedMeasurer shared =
      twoDevices(std::make_unique<SlowDevice>(1, 6), std::make_unique<SlowDevice>(3, 8));
  std::vector<BuiltProgram> programs = programsThatTake({4, 2, 8, 1});
  programs[3].digest = "wrong";
  Result<Measurement> measured = shared.measure(pointersTo(programs), Rigour::Race, 0);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(4u, measured->programs.size());
  const auto& original = measured->programs[0].samples;
  ASSERT_EQ(8u, original.size()); // as many as the longest race
  EXPECT_DOUBLE_EQ(original[0], original[7]);
  EXPECT_DOUBLE_EQ(4 * 12.5, original[0]); // the first device's median
  for (size_t round = 0; round < 6; ++round)
    EXPECT_DOUBLE_EQ(0.5, measured->programs[1].samples[round] / original[round]);
  for (size_t round = 0; round < 8; ++round)
    EXPECT_DOUBLE_EQ(2, measured->programs[2].samples[round] / original[round]);
  EXPECT_FALSE(measured->programs[3].isEqual);
  EXPECT_EQ("differs", measured->programs[3].reason);
  EXPECT_DOUBLE_EQ(3, measured->seconds); // they ran at once
}

TEST(SharedMeasurer, TheFirstDeviceAloneHasTheLastWord) {
  const test::WithIsolation isolated;
  SharedMeasurer shared =
      twoDevices(std::make_unique<SlowDevice>(1, 6), std::make_unique<SlowDevice>(3, 6));
  const std::vector<BuiltProgram> programs = programsThatTake({4, 2, 8});
  Result<Measurement> measured = shared.measure(pointersTo(programs), Rigour::Final, 0);
  ASSERT_TRUE(measured);
  EXPECT_EQ("not shared", measured->programs[0].reason);
  EXPECT_DOUBLE_EQ(80, measured->programs[2].samples[0]);
}

TEST(SharedMeasurer, WhatOneDeviceSaysAgainstTheOriginalCounts) {
  const test::WithIsolation isolated;
  auto second = std::make_unique<SlowDevice>(1, 6);
  second->failure = "the original disagrees with itself";
  SharedMeasurer shared = twoDevices(std::make_unique<SlowDevice>(1, 6), std::move(second));
  const std::vector<BuiltProgram> programs = programsThatTake({4, 2, 8});
  Result<Measurement> measured = shared.measure(pointersTo(programs), Rigour::Race, 0);
  ASSERT_TRUE(measured);
  EXPECT_EQ("the original disagrees with itself", measured->failure);
}

TEST(SharedMeasurer, OpensDevicesBeforeItForksAndClosesThoseThatAChildMayHaveBroken) {
  const test::WithIsolation isolated;
  auto first = std::make_unique<SlowDevice>(1, 6), second = std::make_unique<SlowDevice>(1, 6);
  const SlowDevice &a = *first, &b = *second;
  SharedMeasurer shared = twoDevices(std::move(first), std::move(second));
  std::vector<BuiltProgram> programs = programsThatTake({4, 2, 8});
  programs[2].digest = "wrong";
  ASSERT_TRUE(shared.measure(pointersTo(programs), Rigour::Race, 0));
  EXPECT_EQ(1, a.opened);
  EXPECT_EQ(0, a.closed);
  EXPECT_EQ(1, b.opened);
  EXPECT_EQ(1, b.closed);
}

TEST(SharedMeasurer, ADeviceThatDiesIsAnError) {
  const test::WithIsolation isolated;
  auto second = std::make_unique<SlowDevice>(1, 6);
  second->dies = true;
  SharedMeasurer shared = twoDevices(std::make_unique<SlowDevice>(1, 6), std::move(second));
  const std::vector<BuiltProgram> programs = programsThatTake({4, 2, 8});
  Result<Measurement> measured = shared.measure(pointersTo(programs), Rigour::Race, 0);
  ASSERT_FALSE(measured);
  EXPECT_NE(std::string::npos, measured.error().message.find("exited"));
}

} // namespace
} // namespace lanewise::driver
