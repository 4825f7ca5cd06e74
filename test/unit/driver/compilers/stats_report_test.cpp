#include "compilers/stats_report.h"
#include "compilers/totals.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {
namespace {

CompilerRow row(const char* compiler, const char* entry, double instructions) {
  CompilerRow r;
  r.compiler = compiler;
  r.driver = "radv 1";
  r.entry = entry;
  r.stage = "compute";
  r.figures[Figure::Instructions] = instructions;
  return r;
}

TEST(StatsReport, PairsRowsByCompilerDriverAndEntryPoint) {
  std::vector<CompilerRow> before = {row("navi21", "a", 1), row("vega10", "a", 2),
                                     row("navi21", "b", 3), row("navi10", "a", 9)};
  std::vector<CompilerRow> after = {row("navi21", "b", 30), row("navi21", "renamed", 10),
                                    row("vega10", "a", 20), row("navi10", "a", 90)};
  after[3].driver = "radv 2"; // of another version: not to be compared
  const std::vector<RowPair> pairs = pairRows(before, after);
  ASSERT_EQ(pairs.size(), 3u);
  // What a compiler died of has no driver, and is a pair all the same.
  CompilerRow dead = row("vega10", "a", 1);
  dead.driver.clear();
  dead.problem = "crashed";
  EXPECT_EQ(pairRows(std::vector{dead}, after).size(), 1u);
  for (const RowPair& pair : pairs) EXPECT_EQ(ratioOf(pair, Figure::Instructions), 10);
}

TEST(StatsReport, RatiosOfNothing) {
  const CompilerRow none = row("navi21", "a", 0), some = row("navi21", "a", 5);
  EXPECT_EQ(ratioOf({&none, &none}, Figure::Instructions), 1);
  EXPECT_TRUE(std::isinf(*ratioOf({&none, &some}, Figure::Instructions)));
  EXPECT_EQ(ratioOf({&some, &none}, Figure::Instructions), 0);
  EXPECT_EQ(ratioOf({&some, &some}, Figure::Latency), std::nullopt);
}

TEST(StatsReport, LessOccupancyIsWorseAndLessOfAllElseBetter) {
  EXPECT_DOUBLE_EQ(worseBy(1.5, Figure::Latency), 0.5);
  EXPECT_EQ(worseBy(0.5, Figure::Latency), 0);
  EXPECT_DOUBLE_EQ(worseBy(0.5, Figure::Occupancy), 1);
  EXPECT_EQ(worseBy(2, Figure::Occupancy), 0);
}

TEST(StatsReport, RowsSurviveTheWayThroughAProcess) {
  CompilerRow r = row("navi21", "main", 12);
  r.workgroupSize = {8, 4, 1};
  r.figures.limits = {"shared memory"};
  r.figures.maxOccupancy = 40;
  r.figures.all = {{"LDS size", "4096"}};
  r.representations = {{"Assembly", "s_endpgm\n"}};
  const auto back = unpackRows(pack({r}));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 1u);
  EXPECT_EQ(rowAsJson(back->front()), rowAsJson(r));
  EXPECT_EQ(back->front().representations[0].text, "s_endpgm\n");
  EXPECT_FALSE(unpackRows("{}x"));
  EXPECT_FALSE(unpackRows(R"([{"compiler":1}])"));
}

// ---- totals ----

std::string facts(double before, double after, const char* driver = "radv 1") {
  const nlohmann::json json = {
      {"compiler-stats",
       {{{"compiler", "navi21"},
         {"driver", driver},
         {"entry", "main"},
         {"stage", "compute"},
         {"before", {{"inverse_throughput", before}, {"instructions", 100}}},
         {"after", {{"inverse_throughput", after}, {"instructions", 50}}}}}}};
  return json.dump();
}

std::string summaryOf(const std::string& input, const std::string& itsFacts) {
  nlohmann::json file = nlohmann::json::parse(itsFacts);
  file["input"] = input;
  return nlohmann::json{{"files", {file}}}.dump();
}

TEST(StatsTotals, SumAndRank) {
  const std::vector<FactsOfInput> inputs = {
      {"a", facts(100, 150)}, {"b", facts(100, 90)}, {"c", facts(10, 10)}, {"d", "{}"}};
  const Result<StatsSummary> sum = summarize(inputs, {}, 20.0);
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->totals.size(), 1u);
  const auto& throughput = sum->totals[0].sums[size_t(Figure::InverseThroughput)];
  EXPECT_EQ(throughput.before, 210);
  EXPECT_EQ(throughput.after, 250);
  EXPECT_EQ(throughput.shaders, 3u);
  ASSERT_EQ(sum->worst.size(), 1u);
  EXPECT_EQ(sum->worst[0].input, "a"); // by inverse throughput, although it has fewer instructions
  ASSERT_EQ(sum->best.size(), 1u);
  EXPECT_EQ(sum->best[0].input, "b");
  ASSERT_EQ(sum->failures.size(), 1u);
  EXPECT_TRUE(summarize(inputs, {}, 60.0)->failures.empty());
}

TEST(StatsTotals, HoldOutputsAgainstABaseline) {
  const StatsBaseline same{"old.json", summaryOf("a", facts(1, 150))};
  const std::vector<FactsOfInput> inputs = {{"a", facts(100, 150)}, {"new", facts(1, 2)}};
  Result<StatsSummary> sum = summarize(inputs, same, 0.0);
  ASSERT_TRUE(sum);
  EXPECT_TRUE(sum->failures.empty()); // as it was, whatever the input is like
  EXPECT_EQ(sum->notInBaseline, 1u);
  const StatsBaseline cheaper{"old.json", summaryOf("a", facts(1, 149))};
  EXPECT_EQ(summarize(inputs, cheaper, 0.0)->failures.size(), 1u);
  EXPECT_TRUE(summarize(inputs, cheaper, 1.0)->failures.empty());
}

TEST(StatsTotals, MissWhatCompiledBefore) {
  const StatsBaseline old{"old.json", summaryOf("a", facts(1, 150))};
  const std::string broken =
      R"({"compiler-stats":[{"compiler":"navi21","driver":"","entry":"main","stage":"compute","problem":"crashed"}]})";
  const std::vector<FactsOfInput> dies = {{"a", broken}}, never = {{"b", broken}};
  Result<StatsSummary> sum = summarize(dies, old, 0.0);
  ASSERT_TRUE(sum);
  ASSERT_EQ(sum->problems.size(), 1u);
  EXPECT_TRUE(sum->problems[0].isNew);
  EXPECT_TRUE(sum->isWorse());
  sum = summarize(never, old, 0.0);
  EXPECT_FALSE(sum->isWorse()); // it never did
  EXPECT_EQ(sum->onlyInBaseline, 1u);
}

TEST(StatsTotals, NeverCompareVersionsOfADriver) {
  const StatsBaseline other{"old.json", summaryOf("a", facts(1, 1, "radv 2"))};
  const std::vector<FactsOfInput> inputs = {{"a", facts(100, 150)}};
  const Result<StatsSummary> sum = summarize(inputs, other, 0.0);
  ASSERT_TRUE(sum);
  EXPECT_TRUE(sum->failures.empty());
  EXPECT_EQ(sum->otherDriver, 1u);
}

TEST(StatsTotals, RefuseWhatIsNoBaseline) {
  for (const char* text : {"", "[]", "{}", R"({"files":[]})", R"({"files":[{"input":"a"}]})"}) {
    const Result<StatsSummary> sum = summarize({}, StatsBaseline{"x.json", text}, {});
    ASSERT_FALSE(sum) << text;
    EXPECT_EQ(sum.error().message.find("x.json: no summary"), 0u);
  }
}

} // namespace
} // namespace lanewise::driver
