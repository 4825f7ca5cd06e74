// `lanewise embed`: shaders that are compiled into a program.
#include "commands/commands.h"
#include "layout/cpp_names.h"
#include "layout/embedded_header.h"
#include "options/option_values.h"
#include "support/files.h"
#include "support/print.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string input, output = "-", name, space;
  bool writesIfChanged = false;
};

int fail(std::string_view message) {
  printError("lanewise: {}\n", message);
  return kBadUsageOrInput;
}

constexpr const char* kName = "lanewise embed";
constexpr const char* kAbout =
    "Writes a C++17 header that holds a shader: a module as an array of 32-bit words, a text as a "
    "string.";

void declare(CLI::App& app, Options& o) {
  app.add_option("INPUT", o.input, "a module (.spv), or anything else as text")
      ->type_name("FILE")
      ->required();
  app.add_option("-o", o.output, "where to write; standard output by default")->type_name("FILE");
  app.add_option("--name", o.name,
                 "of the variable; by default the file's name without .spv, letters and digits "
                 "kept and '_' for the rest")
      ->type_name("NAME");
  app.add_option("--namespace", o.space, "namespace of the variable; none by default")
      ->type_name("NAME");
  app.add_flag("--write-if-changed", o.writesIfChanged,
               "leave the output alone that would become what it is");
}

int run(const Options& o) {
  if (o.output != "-") {
    if (isSameFile(o.input, o.output))
      return fail(o.output + ": it is an input and would be overwritten; give another name");
    if (Status s = checkWritable(o.output); !s)
      return fail(fmt::format("{}: {}", o.output, s.error().message));
  }
  Result<std::string> bytes = readFile(o.input);
  if (!bytes) return fail(fmt::format("{}: {}", o.input, bytes.error().message));
  fs::path file = fs::path(o.input).filename();
  const bool isModule = file.extension() == ".spv";
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

} // namespace

std::vector<CommandDescription> describeEmbed() {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  return {describe(app, {{"Make a module an array for a C++ program.",
                          "lanewise embed tile.spv --namespace=shaders -o tile.h"}})};
}

int embedCommand(std::span<char*> args) {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  Result<bool> wantsHelp = parseArguments(app, args, "embed");
  if (!wantsHelp) return fail(wantsHelp.error().message);
  if (*wantsHelp) {
    printOut("{}", app.help());
    return kDone;
  }
  return run(options);
}

} // namespace lanewise::driver
