// When findings are the original's own.
#include "verify/compare/run_findings.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

RunFinding race(uint32_t line, uint32_t other) {
  RunFinding finding;
  finding.kind = "race-read-write";
  finding.shader = "main";
  finding.variable = "tile";
  finding.file = finding.otherFile = "a.comp";
  finding.line = line;
  finding.otherLine = other;
  return finding;
}

TEST(SameDefect, RacesOfOneLineInOneVariable) {
  EXPECT_TRUE(isSameDefect(race(29, 36), race(29, 36)));
  // Which access comes second depends on the order, and loads that are merged keep one line.
  EXPECT_TRUE(isSameDefect(race(29, 36), race(36, 29)));
  EXPECT_TRUE(isSameDefect(race(29, 36), race(40, 29)));
}

TEST(SameDefect, NotOfOtherLinesVariablesShadersKinds) {
  EXPECT_FALSE(isSameDefect(race(29, 36), race(30, 37)));
  RunFinding other = race(29, 36);
  other.variable = "sums";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 36);
  other.shader = "apply";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 36);
  other.kind = "out-of-range";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  other = race(29, 29);
  other.kind = "race-write-write";
  EXPECT_FALSE(isSameDefect(race(29, 36), other));
  // Harmless in the original, not any more in what was made of it.
  RunFinding harmless = race(29, 36);
  harmless.kind = "race-same-value";
  EXPECT_FALSE(isSameDefect(harmless, race(29, 36)));
}

RunFinding beyond(uint32_t line, FirstTime first) {
  RunFinding finding = race(line, 0);
  finding.kind = "out-of-range";
  finding.variable = "X";
  finding.memory.resource = "buffer 0";
  finding.first = first;
  return finding;
}

// What a variant that somebody wrote does in other lines than the original.
TEST(SameDefect, SameBytesByTheSameInvocationOnOtherLines) {
  const RunFinding original = beyond(12, {{1, 63}, {}, 256, 512, 4});
  EXPECT_TRUE(isSameDefect(original, beyond(10, {{1, 63}, {}, 256, 512, 4})));
  EXPECT_TRUE(isSameDefect(original, beyond(10, {{1, 63}, {}, 252, 256, 16}))); // of a vector
  EXPECT_FALSE(isSameDefect(original, beyond(10, {{1, 63}, {}, 260, 512, 4})));
  EXPECT_FALSE(isSameDefect(original, beyond(10, {{1, 63}, {}, 252, 512, 4})));
  EXPECT_FALSE(isSameDefect(original, beyond(10, {{1, 62}, {}, 256, 512, 4})));
  EXPECT_FALSE(isSameDefect(original, beyond(10, {{0, 63}, {}, 256, 512, 4})));
  EXPECT_FALSE(isSameDefect(original, beyond(10, {{1, 63}, {}, 256, 516, 4}))); // and further on
  RunFinding other = beyond(10, {{1, 63}, {}, 256, 512, 4});
  other.shader = "fast";
  EXPECT_TRUE(isSameDefect(original, other));
  other.memory.resource = "buffer 1";
  EXPECT_FALSE(isSameDefect(original, other));
  other.memory.resource.clear(); // not known, and the names agree
  EXPECT_TRUE(isSameDefect(original, other));
  other.variable.clear();
  EXPECT_FALSE(isSameDefect(original, other));
  // Padding moves what an access is at: one line is enough.
  EXPECT_TRUE(isSameDefect(original, beyond(12, {{1, 63}, {}, 264, 512, 4})));
}

TEST(SameDefect, RacesOfTheSameInvocationsOnOtherLines) {
  const auto at = [](uint32_t line, uint32_t one, uint32_t two) {
    RunFinding finding = race(line, line + 1);
    finding.memory.resource = "Workgroup";
    finding.first = FirstTime{{0, one}, {0, two}, 4, 0, 4};
    return finding;
  };
  EXPECT_TRUE(isSameDefect(at(13, 1, 0), at(9, 1, 0)));
  EXPECT_TRUE(isSameDefect(at(13, 1, 0), at(9, 0, 1)));
  EXPECT_FALSE(isSameDefect(at(13, 1, 0), at(9, 2, 0)));
}

// Nothing but lines tells two divisions of one shader apart. Those of two shaders have no common
// lines.
TEST(SameDefect, FaultsWithoutMemory) {
  const auto at = [](uint32_t line, uint32_t lane) {
    RunFinding finding = race(line, 0);
    finding.kind = "division-by-zero";
    finding.variable.clear();
    finding.first = FirstTime{{0, lane}, {}, 0, 0, 0};
    return finding;
  };
  EXPECT_FALSE(isSameDefect(at(13, 1), at(9, 1)));
  RunFinding other = at(9, 1);
  other.shader = "fast";
  EXPECT_TRUE(isSameDefect(at(13, 1), other));
  EXPECT_FALSE(isSameDefect(at(13, 2), other));
}

// `s[0] = s[0] + 1` by all: which values are written is a matter of the order.
TEST(SameDefect, CopiesOfAVariable) {
  const auto of = [](const char* variable) {
    RunFinding one;
    one.kind = "uninitialized";
    one.variable = one.memory.resource = variable;
    return one;
  };
  EXPECT_TRUE(isSameDefect(of("tile"), of("tile_1")));
  EXPECT_TRUE(isSameDefect(of("tile"), of("tile_15")));
  for (const char* other : {"tile_", "tile1", "tile_x", "tile_1x", "til", "other_1"})
    EXPECT_FALSE(isSameDefect(of("tile"), of(other))) << other;
  EXPECT_FALSE(isSameDefect(of("tile_1"), of("tile")));
}

TEST(SameDefect, WrittenValuesThatWereReadInARace) {
  RunFinding sameValue = race(29, 29), writes = race(29, 29);
  sameValue.kind = "race-same-value";
  writes.kind = "race-write-write";
  EXPECT_TRUE(hasDefect(std::vector{sameValue, race(29, 29)}, writes));
  EXPECT_FALSE(hasDefect(std::vector{sameValue}, writes));
  EXPECT_FALSE(hasDefect(std::vector{race(29, 29)}, writes));
  EXPECT_FALSE(hasDefect(std::vector{sameValue, race(40, 40)}, writes));
  writes.kind = "out-of-range";
  EXPECT_FALSE(hasDefect(std::vector{sameValue, race(29, 29)}, writes));
}

TEST(SameDefect, NotOfOtherMemory) {
  RunFinding original = race(0, 0), other = race(0, 0);
  original.variable.clear(), other.variable.clear();
  original.memory = {.resource = "buffer 2", .layout = 7, .member = "0.1."};
  EXPECT_TRUE(isSameDefect(original, other)); // nothing is known of it
  EXPECT_TRUE(isSameDefect(other, original));
  other.memory = original.memory;
  EXPECT_TRUE(isSameDefect(original, other));
  other.memory = {.resource = "Workgroup", .layout = 9, .member = ""};
  EXPECT_FALSE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 3", .layout = 7, .member = "0.1."};
  EXPECT_FALSE(isSameDefect(original, other));
  // Members, where both are laid out alike; the whole holds each of them.
  other.memory = {.resource = "buffer 2", .layout = 7, .member = "0.2."};
  EXPECT_FALSE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 2", .layout = 7, .member = "0."};
  EXPECT_TRUE(isSameDefect(original, other));
  EXPECT_TRUE(isSameDefect(other, original));
  other.memory = {.resource = "buffer 2", .layout = 8, .member = "0.2."};
  EXPECT_TRUE(isSameDefect(original, other));
  other.memory = {.resource = "buffer 2", .layout = 7, .member = {}};
  EXPECT_TRUE(isSameDefect(original, other));
}

// What the letter alone is against is new beside nothing, and not beside a race.
TEST(SameDefect, ByTheLetter) {
  RunFinding letter = race(29, 36);
  letter.kind = "race-incomplete";
  EXPECT_TRUE(isSameDefect(letter, letter));
  EXPECT_TRUE(isSameDefect(race(29, 36), letter));
  EXPECT_FALSE(isSameDefect(letter, race(29, 36)));
  RunFinding writes = race(29, 36);
  writes.kind = "race-write-write";
  EXPECT_TRUE(isSameDefect(writes, letter));
}

TEST(SameDefect, UninitializedMayBecomeUndefined) {
  RunFinding original = race(12, 10), other = race(14, 10);
  original.kind = "uninitialized-read";
  other.kind = "undefined-value";
  EXPECT_TRUE(isSameDefect(original, other));
  EXPECT_FALSE(isSameDefect(original, race(12, 10)));
  EXPECT_FALSE(isSameDefect(race(14, 10), other));
}

TEST(RunFindings, WhichOnesDependOnTheDevice) {
  auto kinds = [](bool (*is)(const RunFinding&)) {
    std::string text;
    for (const char* kind :
         {"race-write-write", "race-read-write", "race-same-value", "race-incomplete",
          "uninitialized-read", "undefined-value", "out-of-range", "division-by-zero",
          "divergent-barrier", "endless-loop", "unreachable-reached"}) {
      RunFinding finding;
      finding.kind = kind;
      if (is(finding)) text += std::string(kind) + " ";
    }
    return text;
  };
  EXPECT_EQ(kinds(isUnpredictable), "race-write-write race-read-write uninitialized-read "
                                    "undefined-value divergent-barrier ");
  EXPECT_EQ(kinds(isByTheLetter), "race-incomplete ");
}

TEST(RunFindings, OneOfEachKindAndPlace) {
  RunFinding here = race(29, 36), there = here, other = here;
  here.place = "here", there.place = "there", other.place = "here";
  other.kind = "race-write-write";
  std::vector<RunFinding> all;
  addFindings(all, {here, there, here});
  addFindings(all, {other, there});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].place, "there");
  EXPECT_EQ(all[2].kind, "race-write-write");
}

TEST(SameDefect, WhatIsNotKnownDoesNotTellThemApart) {
  RunFinding stripped = race(0, 0);
  stripped.variable.clear();
  EXPECT_TRUE(isSameDefect(race(29, 36), stripped));
  EXPECT_TRUE(isSameDefect(stripped, race(29, 36)));
  RunFinding otherFile = race(50, 51);
  otherFile.file = otherFile.otherFile = "b.comp";
  EXPECT_TRUE(isSameDefect(race(29, 36), otherFile));
}

} // namespace
} // namespace lanewise::driver
