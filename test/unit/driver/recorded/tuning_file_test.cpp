// tuning.toml: written and read again, merged, and what it has for a module.
#include "recorded/tuning_file.h"
#include "support/files.h"
#include "support/sha256.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

const std::vector<uint32_t> kTunedWords{1, 2, 3};

TunedChoice tunedOn(const std::string& device) {
  TunedChoice c;
  c.module = hexOf(sha256(driver::bytesOf(kTunedWords)));
  c.output = hexOf(sha256("output"));
  c.file = "a \"b\".comp";
  c.device = device;
  c.driver = "driver 1";
  c.target = "nvidia";
  c.passes = {"-Os", "-O"};
  c.skip = {"pad-shared-memory:tile"};
  c.constants = {{0, 64}};
  c.ratio = 0.5, c.low = 0.4, c.high = 0.6;
  return c;
}

TuningChoice tuningOf(TunedChoices choices) {
  TuningChoice tuning;
  tuning.path = "tuning.toml";
  tuning.choices = std::make_shared<const TunedChoices>(std::move(choices));
  return tuning;
}

TEST(TuningFile, ReadsWhatItWrites) {
  TunedChoice host = tunedOn("GPU");
  host.isForHost = host.freezes = host.isPredicted = true;
  host.shape = "large";
  host.parameters = {{"size", 64}};
  host.groups = {{{16, 1, 1}}};
  const std::string text = asToml({host, tunedOn("GPU")});
  const Result<TunedChoices> read = parseTuning(text, "tuning.toml");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(2u, read->size());
  EXPECT_EQ(text, asToml(*read));
  EXPECT_EQ(0.4, (*read)[0].low);
}

TEST(TuningFile, SaysWhereItIsWrong) {
  const auto message = [](const std::string& text) {
    return parseTuning(text, "t.toml").error().message;
  };
  EXPECT_NE(std::string::npos, message("[[choice]]\nflags = []\n").find("t.toml:2:1: key of a"));
  EXPECT_NE(std::string::npos, message("[[choice]]\nmodule = \"12\"\n").find("64 digits"));
  std::string text = asToml({tunedOn("GPU")});
  text.replace(text.find("{ 0 = 64 }"), 10, "{ x = 64 }");
  EXPECT_NE(std::string::npos, message(text).find("SpecId"));
}

TEST(TuningFile, TheLaterOneStandsForThatOfTheSameDevice) {
  TunedChoices choices{tunedOn("A"), tunedOn("B")};
  TunedChoice better = tunedOn("A");
  better.ratio = 0.3;
  merge(choices, {better});
  ASSERT_EQ(2u, choices.size());
  EXPECT_EQ("B", choices[0].device);
  EXPECT_EQ(0.3, choices[1].ratio);
}

TEST(TuningFile, KnowsNoOtherModule) {
  const std::vector<uint32_t> other{1, 2, 4};
  EXPECT_EQ(nullptr, findTuned(tuningOf({tunedOn("A")}), other).choice);
}

TEST(TuningFile, SeveralDevicesCountWhereTheyAgree) {
  EXPECT_NE(nullptr, findTuned(tuningOf({tunedOn("A"), tunedOn("B")}), kTunedWords).choice);
}

TEST(TuningFile, SeveralDevicesThatDifferAreToldApartByName) {
  TunedChoice other = tunedOn("NVIDIA B");
  other.passes = {"-O"};
  TuningChoice tuning = tuningOf({tunedOn("AMD A"), other});
  EXPECT_EQ(nullptr, findTuned(tuning, kTunedWords).choice);
  tuning.device = "nvidia";
  const TunedMatch match = findTuned(tuning, kTunedWords);
  ASSERT_NE(nullptr, match.choice);
  EXPECT_EQ(1u, match.choice->passes.size());
}

TEST(TuningFile, WhatTheHostMustFollowIsFoundOnlyWhereItIsAskedFor) {
  TunedChoice host = tunedOn("A");
  host.isForHost = true;
  TuningChoice tuning = tuningOf({host});
  const TunedMatch none = findTuned(tuning, kTunedWords);
  EXPECT_EQ(nullptr, none.choice);
  EXPECT_NE(std::string::npos, none.why.find("--tuning-host"));
  tuning.isHostAsked = true;
  EXPECT_NE(nullptr, findTuned(tuning, kTunedWords).choice);
}

TEST(TuningFile, AMeasuredOneGoesBeforeAPrediction) {
  TunedChoice predicted = tunedOn("A");
  predicted.isPredicted = true;
  predicted.passes = {"-O"};
  const auto tuning = tuningOf({predicted, tunedOn("B")}); // holds what is found
  const TunedMatch match = findTuned(tuning, kTunedWords);
  ASSERT_NE(nullptr, match.choice);
  EXPECT_FALSE(match.choice->isPredicted);
}

TEST(TuningFile, ShapesThatDifferAreToldApart) {
  TunedChoice large = tunedOn("A");
  large.shape = "large";
  large.passes = {"-O"};
  TuningChoice tuning = tuningOf({tunedOn("A"), large});
  EXPECT_EQ(nullptr, findTuned(tuning, kTunedWords).choice);
  tuning.shape = "large";
  ASSERT_NE(nullptr, findTuned(tuning, kTunedWords).choice);
}

TEST(TuningFile, DevicesAreThoseOfWhatIsPicked) {
  TunedChoice large = tunedOn("B");
  large.shape = "large", large.shader = "other";
  TuningChoice tuning = tuningOf({tunedOn("A"), large});
  EXPECT_EQ(2u, devicesFor(tuning, kTunedWords).size());
  tuning.shape = "large";
  EXPECT_EQ(std::vector<std::string>{"B"}, devicesFor(tuning, kTunedWords));
  tuning.shader = "none";
  EXPECT_TRUE(devicesFor(tuning, kTunedWords).empty());
}

} // namespace
} // namespace lanewise::driver
