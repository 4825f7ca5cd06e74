#include "report/html/report.h"
#include "report/html/report_subjects.h"
#include "report/html/subject_section.h"
#include "report/html/text.h"
#include "report/html/timing_plot.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

size_t countOf(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

VerifyReport timedReport(std::vector<double> original, std::vector<double> other) {
  VerifyReport report;
  report.state = VerifyState::Equal;
  report.originalName = "original";
  report.compared = {{"out", "f32", 64, 256, "bitwise", false}};
  VariantReport variant;
  variant.name = "transformed";
  variant.state = VerifyState::Equal;
  variant.timing = TimingResult();
  variant.timing->pairs = uint32_t(original.size());
  variant.timing->originalSamples = std::move(original);
  variant.timing->transformedSamples = std::move(other);
  report.variants.push_back(variant);
  return report;
}

ReportSubject subjectNamed(const std::string& name, ReportState state) {
  ReportSubject subject;
  subject.name = name;
  subject.state = state;
  return subject;
}

TEST(HtmlText, EscapesWhatHtmlReads) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>\n\t"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;\n\t");
}

TEST(HtmlText, ReplacesWhatIsNoUtf8AndControlCharacters) {
  const std::string no = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("\xC3\xA4\xE2\x86\x92\xF0\x9F\x99\x82"),
            "\xC3\xA4\xE2\x86\x92\xF0\x9F\x99\x82");
  EXPECT_EQ(escaped("a\xFF"
                    "b\xC3"),
            "a" + no + "b" + no);
  EXPECT_EQ(escaped("\xC0\xBC"), no + no);          // an overlong '<'
  EXPECT_EQ(escaped("\xED\xA0\x80"), no + no + no); // a surrogate
  EXPECT_EQ(escaped(std::string_view("\0\x1B\x7F", 3)), no + no + no);
}

TEST(HtmlText, NumbersReadWell) {
  EXPECT_EQ(timeText(0.25), "250 ns");
  EXPECT_EQ(timeText(6612.4), "6.61 ms");
  EXPECT_EQ(groupedDigits(9999), "9999");
  EXPECT_EQ(groupedDigits(1234567), "1\xE2\x80\xAF"
                                    "234\xE2\x80\xAF"
                                    "567");
}

TEST(TimingPlot, EverySampleIsAPoint) {
  const std::string plot = timingPlots(timedReport({10, 11, 12, 10}, {5, 6, 5, 7}));
  // Two strips of times and one of ratios.
  EXPECT_EQ(countOf(plot, "<circle class=\"pt"), 12u);
  EXPECT_EQ(countOf(plot, "<svg class=\"strip"), 3u);
  EXPECT_EQ(countOf(plot, "pt out"), 0u);
}

TEST(TimingPlot, FarSamplesStandAtTheEdgeAndAreCounted) {
  std::vector<double> calm(40, 10), hasOutlier(40, 10);
  for (size_t n = 0; n < calm.size(); ++n)
    calm[n] += 0.01 * double(n), hasOutlier[n] += 0.01 * double(n);
  hasOutlier[7] = 5000;
  const std::string plot = timingPlots(timedReport(calm, hasOutlier));
  EXPECT_EQ(countOf(plot, "pt out"), 2u); // the time and the ratio
  EXPECT_TRUE(has(plot, "1 sample at the right edge (hollow) lies beyond the scale, up to 5000"));
}

TEST(TimingPlot, DrawsSomeOfVeryManyAndSurvivesEqualOnes) {
  const std::vector<double> many(20000, 3.5);
  EXPECT_EQ(countOf(timingPlots(timedReport(many, many)), "<circle"), 3 * kMostPoints);
  EXPECT_EQ(countOf(timingPlots(timedReport({4}, {4})), "<circle"), 3u);
  EXPECT_EQ(timingPlots(VerifyReport()), "");
}

TEST(HtmlReport, RemarksStandBelowTheirLines) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Done);
  Remark r;
  r.kind = Remark::Kind::Applied;
  r.pass = "pad-shared-memory", r.name = "padded";
  r.location = {"a.comp", 2, 1};
  r.message = "padded 'tile'";
  r.args = {{"array", "tile"}, {"degree-before", "32"}, {"degree-after", "1"}};
  r.details = {{"line 2", 2, {"Load of 4 bytes", "degree 32 -> 1", "weight 4"}}};
  subject.remarks = {r, r};
  subject.sources = {{"a.comp", {{1, "int a;"}, {2, "load();"}, {3, "if (a < b)"}, {9, "}"}}}};
  const std::string html = entryOf(subject).all;
  const size_t line = html.find("<i>2</i>load();"), remark = html.find("padded &#39;tile&#39;"),
               next = html.find("<i>3</i>if (a &lt; b)");
  EXPECT_LT(line, remark);
  EXPECT_LT(remark, next);
  EXPECT_NE(next, std::string::npos);
  EXPECT_EQ(countOf(html, "padded &#39;tile&#39;"), 1u); // twice the same is one, counted
  EXPECT_TRUE(has(html, "2 times"));
  EXPECT_TRUE(
      has(html, "<td>line 2</td><td>Load of 4 bytes</td><td>degree 32 \xE2\x86\x92 1</td>"));
  EXPECT_TRUE(has(html, "5 lines")); // between 3 and 9
  EXPECT_TRUE(has(html, "conflict degree before, after"));
}

TEST(HtmlReport, NotesNameTheirPlacesAndQuoteThem) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Done);
  Remark r;
  r.kind = Remark::Kind::Missed;
  r.location = {"a.comp", 9, 1};
  r.message = "kept a control barrier";
  r.notes = {{{"a.comp", 2, 0}, "the store before it is here", "tile"},
             {{"b.glsl", 7, 0}, "the load after it is here", "tile"},
             {{"", 0, 0}, "nobody knows where", ""}};
  subject.remarks = {r};
  subject.sources = {{"a.comp", {{2, "  tile[a<b] = 1; // tile"}, {9, "barrier();"}}}};
  const std::string html = entryOf(subject).all;
  EXPECT_TRUE(has(html, "<span class=\"at\">line 2:</span> the store before it is here "
                        "<code><u>tile</u>[a&lt;b] = 1; // tile</code>"));
  // Another file is named; a line that is not known is not quoted.
  EXPECT_TRUE(has(html, "<span class=\"at\">b.glsl:7:</span> the load after it is here</div>"));
  EXPECT_FALSE(has(html, "nobody knows where"));
  EXPECT_LT(html.find("<i>9</i>barrier();"), html.find("the store before it is here"));
  EXPECT_TRUE(has(entryOf(subject).remarks, "line 2:</span> the store before it is here</div>"));
}

TEST(HtmlReport, TheVariableOfARemarkIsUnderlinedInItsLine) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Done);
  Remark r;
  r.location = {"a.comp", 2, 0};
  r.subject = "tile";
  subject.remarks = {r};
  subject.sources = {{"a.comp", {{1, "tile = 2;"}, {2, "x = tile[\"<\"];"}}}};
  const std::string html = entryOf(subject).all;
  EXPECT_TRUE(has(html, "<i>2</i>x = <u>tile</u>[&quot;&lt;&quot;];\n</span>"));
  EXPECT_TRUE(has(html, "<i>1</i>tile = 2;\n"));
}

TEST(HtmlReport, FindingsSayWhereTheOtherAccessIs) {
  ReportSubject subject = subjectNamed("a against b", ReportState::Differs);
  VerifyReport report = timedReport({1}, {1});
  RunFinding race;
  race.kind = "race-read-write", race.text = "data race", race.variable = "tile";
  race.file = race.otherFile = "b.comp", race.line = 4, race.otherLine = 2;
  RunFinding alone = race;
  alone.text = "both on one line", alone.otherLine = 4;
  report.variants[0].findings = {race, alone};
  subject.verification = report;
  subject.sources = {{"b.comp", {{2, "tile[i] = 1;"}, {4, "x = tile[j];"}}}};
  const std::string html = entryOf(subject).all;
  EXPECT_TRUE(has(html, "<span class=\"at\">line 2:</span> the other access is here "
                        "<code><u>tile</u>[i] = 1;</code>"));
  EXPECT_EQ(countOf(html, "the other access is here"), 1u);
  EXPECT_TRUE(has(html, "<i>4</i>x = <u>tile</u>[j];"));
}

TEST(HtmlReport, WhatWasUndoneStandsByItself) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Verified);
  Remark r;
  r.kind = Remark::Kind::Warning;
  r.pass = "pad-shared-memory", r.name = "changed-results", r.message = "it was undone";
  subject.remarks = {r};
  const ReportEntry entry = entryOf(subject);
  EXPECT_EQ(entry.undone, 1u);
  EXPECT_EQ(entry.stateText, "verified, a pass undone");
  EXPECT_EQ(countOf(entry.all, "it was undone"), 1u);
  EXPECT_TRUE(has(entry.brief, "it was undone")); // however large the page is
}

TEST(HtmlReport, WhatNeedsALookComesFirst) {
  ReportPage page;
  page.command = "batch";
  for (auto [name, state] : {std::pair("verified.comp", ReportState::Verified),
                             std::pair("unverified.comp", ReportState::Unverified),
                             std::pair("failed.comp", ReportState::Failed),
                             std::pair("differs.comp", ReportState::Differs)})
    page.entries.push_back(entryOf(subjectNamed(name, state)));
  const std::string html = htmlReport(page);
  EXPECT_LT(html.find(">failed.comp<"), html.find(">differs.comp<"));
  EXPECT_LT(html.find(">differs.comp<"), html.find(">unverified.comp<"));
  EXPECT_LT(html.find(">unverified.comp<"), html.find(">verified.comp<"));
  EXPECT_TRUE(has(html, "1 of 4 failed"));
  EXPECT_TRUE(has(html, "1 of 4 differ"));
}

TEST(HtmlReport, TheHeadlineIsOfTheFastestThatWasCompared) {
  ReportSubject subject = subjectNamed("three programs", ReportState::Verified);
  subject.verification = timedReport({10, 11}, {10, 11});
  VerifyReport& report = *subject.verification;
  report.dispatches = 1;
  report.variants.resize(4, report.variants[0]);
  const double ratios[] = {1.5, 0.5, 0.75, 0.25};
  for (size_t v = 0; v < 4; ++v) {
    report.variants[v].name = "program " + std::to_string(v);
    report.variants[v].timing->ratio = ratios[v];
  }
  report.variants[3].isCompared = false; // a bound
  ASSERT_TRUE(timedVariant(subject));
  EXPECT_EQ(timedVariant(subject)->name, "program 1");
  EXPECT_TRUE(has(entryOf(subject).cards, "<b>program 1</b>: 0.500 of the time of original"));
  report.variants[1].timing.reset(); // it differs
  EXPECT_EQ(timedVariant(subject)->name, "program 2");
}

TEST(HtmlReport, DifferencesSayWhoseTheyAre) {
  VerifyReport report = timedReport({10}, {10});
  BufferDifference difference;
  difference.buffer = "out";
  difference.elements = 64, difference.differing = 1;
  difference.original = "0", difference.transformed = "18";
  report.variants[0].differences = {difference};
  report.variants[0].state = report.state = VerifyState::Differs;
  ReportSubject subject = subjectNamed("original", ReportState::Differs);
  subject.verification = report;
  EXPECT_TRUE(has(answerCards(subject), "<b>out</b>: 1 of 64 elements"));
  subject.verification->variants.push_back(report.variants[0]);
  subject.verification->variants[0].differences.clear();
  subject.verification->variants[1].name = "third";
  EXPECT_TRUE(has(answerCards(subject), "<b>out</b> of <b>third</b>: 1 of 64 elements"));

  subject.verification = timedReport({10}, {10});
  subject.verification->state = VerifyState::OriginalUnsound;
  subject.verification->differences = {difference};
  EXPECT_TRUE(
      has(subjectSections(subject, Detail::All), "<b>out</b>, the original against itself: "));
}

TEST(HtmlReport, ColumnsThatAreComparedStandToTheRight) {
  ReportTable table;
  table.header = {"name", "total", "source"};
  table.rows = {{{"a", "1 ms", "b.comp:1"}, ReportTable::Role::Plain}};
  table.sides = "LRP";
  const std::string html = tableSection(table);
  EXPECT_TRUE(has(html, R"(<th>name</th><th class="num">total</th><th class="place">source</th>)"));
  EXPECT_TRUE(has(html, R"(<td>a</td><td class="num">1 ms</td><td class="place">b.comp:1</td>)"));
}

TEST(HtmlReport, FurtherInputsAreFolded) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Verified);
  subject.verification = timedReport({10}, {10});
  subject.verification->rounds =
      RoundsReport{{"odd counts", "large integers"}, 1, "zeros: a race & more", {}};
  EXPECT_TRUE(has(entryOf(subject).all,
                  "<details class=\"inputs\"><summary>Further inputs: 2 tried</summary>"
                  "<p>odd counts; large integers; 1 more left out"));
  EXPECT_TRUE(has(entryOf(subject).all, "races or takes long (zeros: a race &amp; more).</p>"));
}

TEST(HtmlReport, StaysUsableWithThousandsOfFiles) {
  ReportSubject subject = subjectNamed("x.comp", ReportState::Done);
  for (int n = 0; n < 40; ++n) {
    Remark r;
    r.kind = n % 4 ? Remark::Kind::Missed : Remark::Kind::Applied;
    r.message = "site " + std::to_string(n) + std::string(150, '.');
    r.location = {"x.comp", uint32_t(10 * n + 1), 0};
    subject.remarks.push_back(r);
  }
  ReportSource source{"x.comp", {}};
  for (uint32_t n = 1; n < 400; ++n) source.lines[n] = std::string(60, 'x');
  subject.sources = {source};
  const ReportEntry entry = entryOf(subject);
  ReportPage page;
  page.command = "batch";
  for (int n = 0; n < 2000; ++n) {
    page.entries.push_back(entry);
    page.entries.back().name = "file" + std::to_string(n) + ".comp";
  }
  const std::string html = htmlReport(page);
  EXPECT_LT(html.size(), size_t(12) << 20);
  EXPECT_EQ(countOf(html, "<details class=\"subject\""), 2000u);
  EXPECT_TRUE(has(html, "Source and code diff are omitted"));
  EXPECT_TRUE(has(html, "Remarks and source are omitted"));
}

TEST(HtmlReport, APredictionIsNoMeasurement) {
  ReportSubject subject = subjectNamed("a.comp", ReportState::Verified);
  subject.predictedRatio = 0.5;
  const ReportEntry entry = entryOf(subject);
  EXPECT_EQ(entry.ratio, 0.5);
  EXPECT_FALSE(entry.isFaster);
  EXPECT_TRUE(has(entry.cards, "0.500 of the original&#39;s time, says a compiler"));
  EXPECT_FALSE(has(entry.cards, "The module is unchanged"));
  EXPECT_EQ(unpackEntry(pack(entry)), entry);
  ReportPage page;
  page.entries = {entry, entry};
  const std::string html = htmlReport(page);
  EXPECT_TRUE(has(html, "By compilers; no device has measured any time."));
  EXPECT_FALSE(has(html, "Not timed"));
  EXPECT_FALSE(has(html, "0 slower"));
}

TEST(HtmlReport, EntriesSurvivePacking) {
  ReportSubject subject = subjectNamed("<x>", ReportState::Unverified);
  subject.reason = "no \"inputs\"";
  subject.verification = timedReport({1, 2}, {2, 3});
  subject.verification->variants[0].timing->ratio = 1.5;
  const ReportEntry entry = entryOf(subject);
  EXPECT_EQ(unpackEntry(pack(entry)), entry);
  EXPECT_TRUE(entry.ratio.has_value());
  EXPECT_EQ(unpackEntry(pack(ReportEntry())), ReportEntry());
  EXPECT_FALSE(unpackEntry("[]"));
  EXPECT_FALSE(unpackEntry(pack(entry).substr(1)));
  std::string other = pack(entry);
  other.replace(other.find(",2,"), 3, ",9,"); // no such state
  EXPECT_FALSE(unpackEntry(other));
}

TEST(ReportSubjects, AbsoluteNamesBecomeRelativeEverywhere) {
  ReportSubject subject = subjectNamed("/src/a/x.comp", ReportState::Done);
  Remark r;
  r.location = {"/src/a/x.comp", 1, 0};
  r.message = "as in /src/a/x.comp.inc";
  subject.remarks = {r};
  RelativeNames({"/src/b"}, {"/src/a/x.comp", "/src/a/x.comp.inc", "y.comp"}).apply(subject);
  EXPECT_EQ(subject.name, "../a/x.comp");
  EXPECT_EQ(subject.remarks[0].location.file, "../a/x.comp");
  EXPECT_EQ(subject.remarks[0].message, "as in ../a/x.comp.inc");
}

} // namespace
} // namespace lanewise::driver
