// `lanewise pipelines`: what Fossilize recorded, in the form that `run --record` writes.
#include "commands/commands.h"
#include "options/option_groups.h"
#include "recorded/fossilize.h"
#include "support/files.h"
#include "support/print.h"

#include <fmt/format.h>
#include <map>

namespace lanewise::driver {
namespace {

struct PipelinesArguments {
  std::vector<std::string> inputs;
  std::string output;
};

int writePipelines(const PipelinesArguments& o) {
  std::map<std::string, std::string> modules;
  Result<FossilizePipelines> read =
      readFossilize(o.inputs, [&modules](const std::string& hash, std::string bytes) {
        modules.emplace(hash, std::move(bytes));
      });
  if (!read) return fail(read.error().message);
  for (const std::string& note : read->notes) printError("lanewise: warning: {}\n", note);
  if (read->pipelines.empty())
    return fail(fmt::format("{}: no compute pipeline with its module", fmt::join(o.inputs, ", ")));
  OutputFiles files;
  Status done = addPipelinesFile(files, o.output, "pipelines", std::move(read->pipelines),
                                 std::move(modules));
  if (done) done = files.commit();
  return done ? int(kDone) : fail(done.error().message);
}

class PipelinesCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Writes the compute pipelines of Fossilize databases (.foz) as TOML, and their "
               "modules into a folder beside it, FILE.modules, as 'lanewise run --record' does. "
               "Several databases may have each other's modules.");
    line.example("Take the compute shaders out of what a game recorded.",
                 "lanewise pipelines game.foz -o game.toml");
    line.positionals("DATABASE", "FILE", o_.inputs, "databases of Fossilize").required();
    line.value("-o", "FILE.toml", o_.output, "where to write").output().required();
    line.check([this] { return checkDestination(o_.output, o_.inputs); });
  }
  int run(const CommandLine&) override { return writePipelines(o_); }

private:
  PipelinesArguments o_;
};

} // namespace

std::unique_ptr<Command> makePipelinesCommand() {
  return std::make_unique<PipelinesCommand>();
}

} // namespace lanewise::driver
