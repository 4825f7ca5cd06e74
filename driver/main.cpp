// `lanewise`: finds the subcommand, parses what stands behind it, and runs it.
#include "commands/commands.h"
#include "options/project_file.h"
#include "options/response_file.h"
#include "report/version.h"
#include "support/print.h"
#include "support/suggest.h"
#include "support/terminal.h"
#include "support/wrapped_text.h"

#include <csignal>
#include <fmt/format.h>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lanewise::driver;

/// The commands whose name begins with this word and a space: "layout" for "layout pack".
std::vector<const CommandEntry*> commandsBelow(std::string_view word) {
  std::vector<const CommandEntry*> below;
  for (const CommandEntry& c : allCommands())
    if (c.name.starts_with(word) && c.name.substr(word.size()).starts_with(' '))
      below.push_back(&c);
  return below;
}

void printHelp(std::string_view text) {
  printOut("{}", wrapped(text, terminalWidth(stdout)));
}

int printUsage() {
  std::string text = "Usage: lanewise COMMAND [ARGUMENTS]\n"
                     "       lanewise COMMAND --help\n"
                     "       lanewise --version\n\nCommands:\n";
  for (const CommandEntry& c : allCommands())
    text += fmt::format("  {:<13} {}\n", c.name, c.summary);
  printHelp(fmt::format("{}\nExit codes: {}.\n", text, kExitCodes));
  return kDone;
}

std::string usageBelow(std::string_view word) {
  std::string text = fmt::format("Usage: lanewise {} COMMAND [ARGUMENTS]\n"
                                 "       lanewise {} COMMAND --help\n\nCommands:\n",
                                 word, word);
  for (const CommandEntry* c : commandsBelow(word))
    text += fmt::format("  lanewise {:<14} {}\n", c->name, c->summary);
  return text;
}

int run(Command& command, std::string_view name, std::span<char*> args) {
  CommandLine line{std::string(name)};
  declare(command, line);
  useProjectFile(line, describeCommands);
  const lanewise::Result<bool> wantsHelp = line.parse(args);
  if (!wantsHelp) return fail(wantsHelp.error().message);
  if (!*wantsHelp) return command.run(line);
  printHelp(line.help());
  return kDone;
}

int unknown(std::string_view what, std::string_view name, std::span<const std::string> known,
            std::string_view help) {
  return fail(fmt::format("unknown {} '{}'{}", what, name,
                          didYouMean(name, known, fmt::format("see '{} --help'", help))));
}

int runBelow(std::string_view word, std::span<char*> args) {
  std::vector<std::string> known;
  for (const CommandEntry* c : commandsBelow(word))
    known.emplace_back(c->name.substr(word.size() + 1));
  const std::string program = fmt::format("lanewise {}", word);
  if (args.empty())
    return fail(
        fmt::format("{}: give one of {}; see '{} --help'", word, fmt::join(known, ", "), program));
  const std::string_view name = args[0];
  if (name == "--help" || name == "-h") {
    printHelp(usageBelow(word));
    return kDone;
  }
  for (const CommandEntry* c : commandsBelow(word))
    if (c->name.substr(word.size() + 1) == name)
      return run(*c->make(describeCommands), c->name, args.subspan(1));
  return unknown(fmt::format("command of {}", word), name, known, program);
}

int runNamed(std::string_view name, std::span<char*> args) {
  std::vector<std::string> known{"help", "--help", "--version"};
  for (const CommandEntry& c : allCommands()) {
    if (c.name == name) return run(*c.make(describeCommands), name, args);
    known.emplace_back(c.name.substr(0, c.name.find(' ')));
  }
  if (!commandsBelow(name).empty()) return runBelow(name, args);
  return unknown("command", name, known, "lanewise");
}

int run(int argc, char** argv) {
  if (argc < 2) return fail("no command; see 'lanewise --help'");
  std::string name = argv[1];
  if (name == "--help" || name == "-h") return printUsage();
  if (name == "--version") {
    printOut("{}", versionText());
    return kDone;
  }
  const std::span<char*> typed(argv + 2, size_t(argc - 2));
  // What is being typed stands for itself.
  if (name == "complete") return completeCommand(typed, describeCommands());
  lanewise::Result<std::vector<std::string>> arguments = expandResponseFiles(typed);
  if (!arguments) return fail(arguments.error().message);
  if (name == "help") { // "help opt" is "opt --help"
    if (arguments->empty() || arguments->front() == "help") return printUsage();
    name = arguments->front();
    arguments->front() = "--help";
  }
  std::vector<char*> args;
  for (std::string& argument : *arguments) args.push_back(argument.data());
  return runNamed(name, args);
}

/// What was asked for may be too large for any machine, such as the buffers of a scenario.
int runInMemory(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: there is not enough for what was asked for");
  }
}

/// A file that may not grow further is an error like others. Programs that are started find the
/// signal as it was.
void takeFileSizeSignal() {
  ::signal(SIGXFSZ, [](int) {});
}

} // namespace

int main(int argc, char** argv) {
  openStandardStreams();
  takeFileSizeSignal();
  return finishOutput(runInMemory(argc, argv));
}
