// `lanewise embed`: shaders that are compiled into a program.
#include "commands/commands.h"
#include "input/front_end.h"
#include "layout/cpp_names.h"
#include "layout/embedded_header.h"
#include "options/option_groups.h"
#include "support/files.h"
#include "support/print.h"

#include <filesystem>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct EmbedArguments {
  std::string input, output = "-", name, space;
  bool writesIfChanged = false;
};

int embed(const EmbedArguments& o) {
  if (Status s = checkDestination(o.output, {o.input}); !s) return fail(s.error().message);
  Result<std::string> bytes = readFile(o.input);
  if (!bytes) return fail(fmt::format("{}: {}", o.input, bytes.error().message));
  fs::path file = fs::path(o.input).filename();
  const bool isModule = file.extension() == ".spv" || (o.input == "-" && isBinaryModule(*bytes));
  EmbedRequest request{*bytes, !isModule, file.string(), o.name, o.space};
  if (request.name.empty())
    request.name = identifierFor(isModule ? file.stem().string() : file.string(), "shader");
  Result<std::string> text = embeddedHeader(request);
  if (!text) return fail(text.error().message);
  OutputFiles files;
  files.add(o.output, std::move(*text));
  if (o.writesIfChanged) files.keepEqualFiles();
  Status written = files.commit();
  return written ? int(kDone) : fail(written.error().message);
}

class EmbedCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Writes a C++17 header that holds a shader: a module as an array of 32-bit words, a "
               "text as a string.");
    line.example("Make a module an array for a C++ program.",
                 "lanewise embed tile.spv --namespace=shaders -o tile.h");
    line.positional("INPUT", "FILE", o_.input,
                    "a module (.spv), or anything else as text; - for either")
        .required();
    line.value("-o", "FILE", o_.output, "where to write; standard output by default").output();
    line.value("--name", "NAME", o_.name,
               "of the variable; by default the file's name without .spv, letters and digits kept "
               "and '_' for the rest");
    line.value("--namespace", "NAME", o_.space, "namespace of the variable; none by default");
    addWriteIfChangedOption(line, o_.writesIfChanged);
  }
  int run(const CommandLine&) override { return embed(o_); }

private:
  EmbedArguments o_;
};

} // namespace

std::unique_ptr<Command> makeEmbedCommand() {
  return std::make_unique<EmbedCommand>();
}

} // namespace lanewise::driver
