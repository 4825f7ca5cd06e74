// What a command declares, and all that follows from it: values, errors, key, help.
#include "options/command_line.h"
#include "options/option_groups.h"
#include "support/failure.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

enum class Form { Text, Json };

/// A command with an option of every kind.
struct Declared {
  Declared() {
    line.positionals("INPUT", "SHADER", inputs, "what to read");
    line.value("-o,--output", "FILE", output, "what to write").place();
    line.value("--html", "FILE.html", html, "a page").place();
    line.value("--size", "N", size, "how many");
    line.value("--count", "N", count, "how many, where known");
    line.value("--limit", "N", limit, "or -1");
    line.value("--seconds", "SECONDS", seconds, "how long");
    line.each("-I", "FOLDER", folders, "where to look");
    line.value("--format", "text|json", choice("--format", form, {"text", "json"}), "the form");
    line.value("--jobs", "N", jobs, "processes").notInKey();
    line.flag("--strict", strict, "be strict");
    line.flag("--no-timing", timing, "compare only", false);
    line.flag("-g", lines, "keep lines");
    line.alias("-MF", "--html");
  }

  /// The error, or "help", or "" where all went well.
  std::string parse(std::vector<std::string> words) {
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    const Result<bool> wantsHelp = line.parse(args);
    return !wantsHelp ? wantsHelp.error().message : *wantsHelp ? "help" : "";
  }

  CommandLine line{"try it"};
  std::vector<std::string> inputs, folders;
  std::string output, html;
  uint32_t size = 7, jobs = 0;
  std::optional<uint64_t> count;
  int64_t limit = 0;
  double seconds = 1;
  Form form = Form::Text;
  bool strict = false, timing = true, lines = false;
};

std::string errorOf(std::vector<std::string> words) {
  return Declared().parse(std::move(words));
}

TEST(CommandLine, SetsValuesOfEveryKind) {
  Declared d;
  EXPECT_EQ(d.parse({"a", "-o", "x", "--size=0x10", "--count", "5", "--limit", "-1", "--seconds=.5",
                     "-Iinc", "-I", "more", "--format=json", "--no-timing", "-g", "b", "--", "-c"}),
            "");
  EXPECT_EQ(d.inputs, (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_EQ(d.output, "x");
  EXPECT_EQ(d.size, 16u);
  EXPECT_EQ(d.count, std::optional<uint64_t>(5));
  EXPECT_EQ(d.limit, -1);
  EXPECT_EQ(d.seconds, 0.5);
  EXPECT_EQ(d.folders, (std::vector<std::string>{"inc", "more"}));
  EXPECT_EQ(d.form, Form::Json);
  EXPECT_FALSE(d.strict);
  EXPECT_FALSE(d.timing);
  EXPECT_TRUE(d.lines);
}

TEST(CommandLine, WhatIsNotGivenStaysAsItWas) {
  Declared d;
  EXPECT_EQ(d.parse({}), "");
  EXPECT_EQ(d.size, 7u);
  EXPECT_EQ(d.count, std::nullopt);
  EXPECT_TRUE(d.timing);
  EXPECT_FALSE(d.line.isGiven("--size"));
}

TEST(CommandLine, ErrorsNameTheOption) {
  EXPECT_EQ(errorOf({"--size=x"}), "--size=x must be a non-negative integer");
  EXPECT_EQ(errorOf({"--size=-1"}), "--size=-1 must be a non-negative integer");
  EXPECT_EQ(errorOf({"--size=4294967296"}), "--size=4294967296 is out of range");
  EXPECT_EQ(errorOf({"--strict=maybe"}), "--strict takes no value");
  EXPECT_EQ(errorOf({"--strict=false"}), "");
  EXPECT_EQ(errorOf({"--limit=1.5"}), "--limit=1.5 must be an integer");
  EXPECT_EQ(errorOf({"--seconds=soon"}), "--seconds=soon must be a number");
  EXPECT_EQ(errorOf({"--format=xml"}), "--format=xml: it is text or json");
  EXPECT_EQ(errorOf({"--size=1", "--size=2"}),
            "--size is given 2 times; see 'lanewise try it --help'");
  EXPECT_EQ(errorOf({"--sise=1"}), "unknown option '--sise'; did you mean '--size'?");
  EXPECT_EQ(errorOf({"-q"}), "unknown option '-q'; see 'lanewise try it --help'");
  EXPECT_EQ(errorOf({"--output", "--strict"}), "--output needs a value, but '--strict' follows");
  EXPECT_EQ(errorOf({"--output="}), "--output needs a value");
  EXPECT_EQ(errorOf({"-MF"}), "-MF needs a value");
  EXPECT_EQ(errorOf({"--help", "--size=x"}), "help");
}

TEST(CommandLine, RequiredAndSuperfluous) {
  CommandLine line("embed");
  std::string input, manifest;
  line.positional("IN", "FILE", input, "data");
  line.value("--manifest", "FILE.json", manifest, "how").required();
  std::string a = "a", b = "b", m = "--manifest=m";
  std::vector<char*> none, two{a.data(), b.data(), m.data()};
  EXPECT_EQ(line.parse(none).error().message,
            "--manifest is required; see 'lanewise embed --help'");
  EXPECT_EQ(line.parse(two).error().message,
            "unexpected argument 'b'; see 'lanewise embed --help'");
}

TEST(CommandLine, ChecksRunBehindAllValues) {
  Declared d;
  d.line.check([&]() -> Status { return d.size > 8 ? failure("too large") : ok(); });
  d.line.value(
      "--late", "N", [](const std::string&) { return ok(); }, "");
  EXPECT_EQ(d.parse({"--late=1", "--size=9"}), "too large");
}

TEST(CommandLine, TheKeyHasNoPlacesAndNoOrder) {
  Declared d, e;
  EXPECT_EQ(d.parse({"a", "--strict", "-o", "x", "--html=y", "--jobs=4", "--size=2"}), "");
  EXPECT_EQ(e.parse({"--size", "2", "b", "--strict"}), "");
  EXPECT_EQ(d.line.key(), (std::vector<std::string>{"--size", "2", "--strict", "true"}));
  EXPECT_EQ(d.line.key(), e.line.key());
}

TEST(CommandLine, IsShownWithoutItsPlaces) {
  Declared d;
  EXPECT_EQ(d.parse({"a b.comp", "-o", "out.spv", "-MF", "y", "--jobs=2", "-g"}), "");
  EXPECT_EQ(d.line.shown(), "lanewise try it 'a b.comp' --jobs=2 -g");
}

TEST(CommandLine, FamiliesTakeWhatIsLeft) {
  Declared d;
  std::vector<std::string> taken;
  d.line.family({[&](const std::string& argument) -> Result<bool> {
                   if (argument == "--wrong=1") return failure("no such value");
                   if (!argument.starts_with("--pass")) return false;
                   taken.push_back(argument);
                   return true;
                 },
                 [] {
                   return std::vector<OptionDescription>{{{"--pass"}, "", "", "", ""}};
                 },
                 "'lanewise passes'"});
  EXPECT_EQ(d.parse({"--pass", "-o", "--passing", "x"}),
            "-o needs a value, but '--passing' follows");
  EXPECT_EQ(d.parse({"--pass=2", "x", "--pass"}), "");
  EXPECT_EQ(taken, (std::vector<std::string>{"--pass", "--pass=2", "--pass"}));
  EXPECT_EQ(errorOf({"--pass"}), "unknown option '--pass'; see 'lanewise try it --help'");
  EXPECT_EQ(d.parse({"--wrong=1"}), "no such value");
  EXPECT_EQ(d.parse({"--pas"}), "unknown option '--pas'; did you mean '--pass'?");
}

TEST(CommandLine, DescribesWhatItTakes) {
  Declared d;
  d.line.about("Tries.\nExit codes: 0 done; 5 not.");
  d.line.group("More");
  bool more = false;
  d.line.flag("--more", more, "more of it");
  const CommandDescription described = d.line.describe();
  EXPECT_EQ(described.name, "try it");
  EXPECT_EQ(described.about, "Tries.");
  EXPECT_EQ(described.exitCodes, "0 done; 5 not");
  EXPECT_EQ(described.options.back().group, "More");
  const auto html = std::find_if(described.options.begin(), described.options.end(),
                                 [](const OptionDescription& o) { return o.value == "FILE.html"; });
  ASSERT_NE(html, described.options.end());
  EXPECT_EQ(html->names, (std::vector<std::string>{"-MF", "--html"}));
  const std::string help = d.line.help();
  EXPECT_NE(help.find("Usage: lanewise try it [OPTIONS] [INPUT...]"), help.npos) << help;
  EXPECT_NE(help.find("--no-timing      "), help.npos) << help; // and not {false}
}

/// What the rest of a command line is, and the flag before it.
std::pair<std::vector<std::string>, bool> restOf(std::vector<std::string> words) {
  CommandLine line{"run it"};
  std::vector<std::string> rest;
  bool isQuick = false;
  line.flag("--quick", isQuick, "be quick");
  line.rest("PROGRAM", "FILE", rest, "what to run").required();
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  const Result<bool> wantsHelp = line.parse(args);
  if (!wantsHelp) return {{wantsHelp.error().message}, isQuick};
  EXPECT_TRUE(line.inputs().empty());
  return {rest, isQuick};
}

TEST(CommandLine, LeavesTheRestAsItIs) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(restOf({"--quick", "--", "prog", "--quick", "--", "-x"}),
            (std::pair{Words{"prog", "--quick", "--", "-x"}, true}));
  EXPECT_EQ(restOf({"prog", "--quick", "--unknown"}),
            (std::pair{Words{"prog", "--quick", "--unknown"}, false}));
  EXPECT_EQ(restOf({"--", "-starts-with-a-dash"}),
            (std::pair{Words{"-starts-with-a-dash"}, false}));
  EXPECT_EQ(restOf({"--quick"}).first[0], "PROGRAM is required; see 'lanewise run it --help'");
  EXPECT_NE(restOf({"--slow", "prog"}).first[0].find("unknown option '--slow'"), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
