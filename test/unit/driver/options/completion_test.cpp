// The rules of completion, without a shell. test/install/completion_test.py presses keys in real
// ones.
#include "commands/command.h"
#include "options/completion.h"
#include "options/man_page.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace lanewise::driver;

namespace {

std::vector<CommandDescription> commands() {
  CommandDescription opt{"opt", "optimize", "Optimizes.", "", {}, {}};
  opt.options = {
      {{}, "INPUT", "SHADER", "", "what to read", false, true, false},
      {{"-o", "--output"}, "", "FILE", "", "what to write", false, false, false},
      {{"-I"}, "", "FOLDER", "", "where to look", false, true, false},
      {{"-x"}, "", "spv|glsl", "", "kind", false, false, false},
      {{"--pad"}, "", "auto|aosoa:N", "", "a pass", true, true, false},
      {{"--only"}, "", "PASS:GLOB", "", "which sites", false, true, false},
      {{"--strict"}, "", "", "", "write nothing", false, false, false},
  };
  CommandDescription pack{"layout pack", "convert", "Packs.", "", {}, {}};
  CommandDescription unpack{"layout unpack", "convert", "Unpacks.", "", {}, {}};
  unpack.options = {{{}, "IN", "FILE.bin|FOLDER", "", "data", false, false, false}};
  return {opt, pack, unpack};
}

ValueKinds kinds() {
  return {{"SHADER", {nullptr, {"spv", "comp"}}},
          {"PASS",
           {[] {
              return std::vector<CompletionCandidate>{{"pad", "pads"}, {"merge", ""}};
            },
            {}}}};
}

Completion completeLine(std::vector<std::string> words) {
  return complete(commands(), kinds(), words);
}

std::vector<std::string> wordsOf(const Completion& completion) {
  std::vector<std::string> words;
  for (const CompletionCandidate& c : completion.candidates) words.push_back(c.word);
  return words;
}

using Candidates = std::vector<std::string>;

} // namespace

TEST(Completion, NamesOfCommandsWordByWord) {
  EXPECT_EQ(wordsOf(completeLine({""})), (Candidates{"opt", "layout", "--help", "--version"}));
  EXPECT_EQ(wordsOf(completeLine({"layout", ""})), (Candidates{"pack", "unpack"}));
  EXPECT_EQ(completeLine({"layout", "p"}).candidates,
            (std::vector<CompletionCandidate>{{"pack", "Packs."}}));
  EXPECT_EQ(wordsOf(completeLine({"nothing", ""})), Candidates{});
  EXPECT_EQ(wordsOf(completeLine({})), Candidates{});
}

TEST(Completion, OptionsWithTheirForms) {
  EXPECT_EQ(wordsOf(completeLine({"opt", "-"})),
            (Candidates{"-o", "--output=", "-I", "-x", "--pad", "--pad=", "--only=", "--strict"}));
  // What can stand there once only is not offered twice, under none of its names.
  EXPECT_EQ(wordsOf(completeLine({"opt", "--strict", "--output", "a", "--pad", "--only=x", "-"})),
            (Candidates{"-I", "-x", "--pad", "--pad=", "--only="}));
}

TEST(Completion, ValuesInEachPlace) {
  EXPECT_EQ(wordsOf(completeLine({"opt", "-x", ""})), (Candidates{"spv", "glsl"}));
  const Completion attached = completeLine({"opt", "-xg"});
  EXPECT_EQ(attached.prefix, "-x");
  EXPECT_EQ(wordsOf(attached), Candidates{"glsl"});
  const Completion behind = completeLine({"opt", "--pad="});
  EXPECT_EQ(behind.prefix, "--pad=");
  EXPECT_EQ(wordsOf(behind), (Candidates{"auto", "aosoa:"}));
  EXPECT_EQ(wordsOf(completeLine({"opt", "--only", "p"})), Candidates{"pad:"});
  // An optional value stands behind '=' alone: the next word is an input.
  EXPECT_EQ(completeLine({"opt", "--pad", ""}).files, Completion::Files::BySuffix);
  EXPECT_EQ(wordsOf(completeLine({"opt", "--unknown="})), Candidates{});
}

TEST(Completion, Files) {
  const Completion input = completeLine({"opt", "a.comp", ""});
  EXPECT_EQ(input.files, Completion::Files::BySuffix);
  EXPECT_EQ(input.suffixes, (Candidates{"spv", "comp"}));
  EXPECT_EQ(completeLine({"opt", "-o", ""}).files, Completion::Files::Any);
  EXPECT_EQ(completeLine({"opt", "-I", ""}).files, Completion::Files::Folders);
  EXPECT_EQ(completeLine({"opt", "-Iinc"}).files, Completion::Files::Folders);
  EXPECT_EQ(completeLine({"opt", "-Iinc"}).prefix, "-I");
  // The value of -o is no input, and one input is all that unpack has.
  EXPECT_EQ(completeLine({"layout", "unpack", ""}).files, Completion::Files::BySuffix);
  EXPECT_EQ(completeLine({"layout", "unpack", "a", ""}).files, Completion::Files::None);
  EXPECT_EQ(completeLine({"layout", "pack", ""}).files, Completion::Files::None);
  // Behind "--" a dash begins a name.
  EXPECT_EQ(completeLine({"opt", "--", "-"}).files, Completion::Files::BySuffix);
}

TEST(Completion, TextForTheScripts) {
  Completion completion{"--a=", {{"b", "c"}, {"d:", ""}}, Completion::Files::BySuffix, {"x", "y"}};
  EXPECT_EQ(completionText(completion), "prefix\t--a=\nword\tb\tc\nword\td:\t\nfiles\tx\ty\n");
  EXPECT_EQ(completionText({}), "prefix\t\n");
}

// A metavariable that no kind stands for completes nothing, and nobody would notice.
TEST(Completion, ValuesOfRealOptionsHaveAKind) {
  // Free text; everything else is a literal or one of the kinds of manual_commands.cpp.
  const Candidates known{"NAME",     "NAME[=VALUE]",
                         "ID:VALUE", "X,Y,Z",
                         "N",        "SECONDS",
                         "VALUE",    "VERSION",
                         "BYTES",    "GLOB",
                         "SHADER",   "SET:BINDING=TO",
                         "TARGET",   "BUFFER.FIELD:BITS,...",
                         "ENV",      "DEVICE",
                         "FLAG",     "PASS:GLOB",
                         "RULE",     "COMMAND",
                         "STAGE",    "FOLDER",
                         "COMPILER", "COMPILER,...",
                         "PERCENT",  "FILE",
                         "PASSES",   "EXPR",
                         "TIME",     "PASS,...",
                         "HASH,..."};
  for (const CommandDescription& command : describeCommands())
    for (const OptionDescription& option : command.options) {
      std::string value = option.value;
      while (!value.empty()) {
        const std::string one = value.substr(0, value.find('|'));
        value.erase(0, one.size() + 1);
        const bool isLiteral = !std::isupper(uint8_t(one[0]));
        EXPECT_TRUE(isLiteral || one.starts_with("FILE.") ||
                    std::find(known.begin(), known.end(), one) != known.end())
            << command.name << " " << (option.names.empty() ? option.label : option.names[0])
            << ": " << one;
      }
    }
}

TEST(ManPage, EscapesWhatRoffReads) {
  std::vector<CommandDescription> all{
      {"x", "do it", ".begins with a point\\ and 'quotes'", "", {}, {}}};
  all[0].options = {
      {{"--a-b"}, "", "", "", "a well-known thing, see --a-b and `c-d`", false, false, false}};
  const std::string page = manPage("lanewise-x", all);
  EXPECT_NE(page.find("\n\\&.begins with a point\\e and \\(aqquotes\\(aq\n"), page.npos) << page;
  EXPECT_NE(page.find("\n\\fB\\-\\-a\\-b\\fR\n"), page.npos) << page;
  EXPECT_NE(page.find("\na well-known thing, see \\-\\-a\\-b and \\fBc\\-d\\fR\n"), page.npos)
      << page;
}

TEST(ManPage, OneForTheFirstWord) {
  EXPECT_EQ(manPageNames(commands()), (Candidates{"lanewise", "lanewise-opt", "lanewise-layout"}));
  EXPECT_EQ(manPage("lanewise-pack", commands()), "");
  const std::string page = manPage("lanewise-layout", commands());
  EXPECT_NE(page.find("\\fBlanewise layout pack\\fR"), page.npos);
  EXPECT_NE(page.find("Unpacks."), page.npos);
}
