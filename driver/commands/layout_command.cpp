// `lanewise layout`: the host's side of --aos-to-soa.
#include "commands/commands.h"
#include "layout/layout_files.h"
#include "layout/layout_header.h"
#include "layout/layout_manifest.h"
#include "options/option_values.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/suggest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

struct Options {
  std::string action, manifest, buffer, input = "-", output = "-", space = "lanewise_layout";
  std::optional<uint64_t> count;
};

int fail(std::string_view message) {
  printError("lanewise: {}\n", message);
  return kBadUsageOrInput;
}

const char* const kUsage =
    "Usage: lanewise layout pack|unpack --manifest=FILE [--buffer=NAME] [IN] [-o OUT]\n"
    "       lanewise layout header --manifest=FILE [--buffer=NAME] [-o OUT.h]\n"
    "       lanewise layout pack|unpack|header --help\n\n"
    "  pack    a buffer's data as the host has it -> as the rewritten shaders see it\n"
    "  unpack  the other way\n"
    "  header  write a C++17 header that does both, with accessors for each field\n";

const char* aboutOf(std::string_view action) {
  if (action == "pack")
    return "Converts the data of a buffer from the layout that the host has to the one that the "
           "rewritten shaders see.";
  if (action == "unpack")
    return "Converts the data of a buffer from the layout that the rewritten shaders see to the "
           "one that the host has.";
  return "Writes a C++17 header that packs and unpacks the manifest's buffers, and reads and "
         "writes "
         "single fields of packed ones.";
}

void declare(CLI::App& app, Options& o) {
  app.add_option("--manifest", o.manifest, "the layout manifest that opt --aos-to-soa wrote")
      ->type_name("FILE.json")
      ->required();
  app.add_option("--buffer", o.buffer, "which of the manifest's buffers")->type_name("NAME");
  app.add_option("-o", o.output, "where to write; standard output by default")->type_name("FILE");
  if (o.action == "header") {
    app.add_option("--namespace", o.space, "namespace of the header")->type_name("NAME");
    return;
  }
  app.add_option("IN", o.input, "the data; standard input by default")->type_name("FILE");
  if (o.action == "unpack")
    app.add_option("--count", o.count,
                   "elements, where the data does not tell (see docs/layout.md)")
        ->type_name("N");
}

Result<std::vector<BufferLayout>> chooseBuffers(const LayoutManifest& manifest, const Options& o) {
  std::vector<std::string> names;
  for (const BufferLayout& layout : manifest.buffers) names.push_back(layout.name);
  if (names.empty()) return failure(fmt::format("{}: it has no buffers", o.manifest));
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (o.buffer.empty()) {
    if (o.action == "header" || names.size() == 1) return manifest.buffers;
    return failure(
        fmt::format("{}: it has several buffers; give --buffer=NAME, one of {}", o.manifest, all));
  }
  for (const BufferLayout& layout : manifest.buffers)
    if (layout.name == o.buffer) return std::vector{layout};
  return failure(
      fmt::format("{}: there is no buffer `{}`; its buffers are {}", o.manifest, o.buffer, all));
}

Status checkFiles(const Options& o) {
  const bool readsData = o.action != "header";
  if (readsData && o.manifest == "-" && o.input == "-")
    return failure("standard input can stand for the manifest or the data; give IN");
  if (readsData && o.output == "-" && ::isatty(STDOUT_FILENO))
    return failure("the output is binary; give -o FILE");
  if (o.output == "-") return ok();
  for (const std::string& read : {o.manifest, o.input})
    if (read != "-" && isSameFile(read, o.output))
      return failure(o.output + ": it is an input and would be overwritten; give another name");
  if (Status s = checkWritable(o.output); !s) return failure(o.output + ": " + s.error().message);
  return ok();
}

int writeHeader(const Options& o, const std::vector<BufferLayout>& buffers) {
  Result<std::string> text = layoutHeader(buffers, o.space);
  if (!text) return fail(fmt::format("{}: {}", o.manifest, text.error().message));
  OutputFiles files;
  files.add(o.output, std::move(*text));
  Status written = files.commit();
  return written ? int(kDone) : fail(written.error().message);
}

int run(const Options& o) {
  if (Status s = checkFiles(o); !s) return fail(s.error().message);
  Result<LayoutManifest> manifest = readLayoutManifest(o.manifest);
  if (!manifest) return fail(manifest.error().message);
  Result<std::vector<BufferLayout>> buffers = chooseBuffers(*manifest, o);
  if (!buffers) return fail(buffers.error().message);
  if (o.action == "header") return writeHeader(o, *buffers);
  LayoutConversion conversion{buffers->front(), o.input, o.output, o.count};
  Result<ConversionOutcome> done =
      o.action == "pack" ? packFile(conversion) : unpackFile(conversion);
  if (!done) return fail(done.error().message);
  for (const std::string& note : done->notes) printError("lanewise: note: {}\n", note);
  return kDone;
}

std::vector<std::string> actions() {
  return {"pack", "unpack", "header"};
}

std::vector<CommandExample> examplesOf(std::string_view action) {
  if (action == "pack")
    return {{"Lay out data for the rewritten shaders.",
             "lanewise layout pack --manifest=layout.json cells.bin -o cells.packed"}};
  if (action == "unpack")
    return {{"Take their results apart again.",
             "lanewise layout unpack --manifest=layout.json cells.packed -o cells.bin"}};
  return {{"Write the header that a host program includes.",
           "lanewise layout header --manifest=layout.json -o cells_layout.h"}};
}

Status checkAction(std::string_view action) {
  const std::vector<std::string> known = actions();
  if (std::find(known.begin(), known.end(), action) != known.end()) return ok();
  const std::string near = nearest(action, known);
  return failure(fmt::format("layout: unknown action '{}'; {}", action,
                             near.empty() ? "it is pack, unpack or header"
                                          : fmt::format("did you mean '{}'?", near)));
}

} // namespace

std::vector<CommandDescription> describeLayout() {
  std::vector<CommandDescription> all;
  for (const std::string& action : actions()) {
    Options options;
    options.action = action;
    CLI::App app(aboutOf(action), "lanewise layout " + action);
    declare(app, options);
    all.push_back(describe(app, examplesOf(action)));
  }
  return all;
}

int layoutCommand(std::span<char*> args) {
  if (args.empty())
    return fail("layout: what to do is missing: pack, unpack or header; see 'lanewise layout "
                "--help'");
  Options options;
  options.action = args[0];
  if (options.action == "--help" || options.action == "-h") {
    printOut("{}", kUsage);
    return kDone;
  }
  if (Status s = checkAction(options.action); !s) return fail(s.error().message);
  const std::string name = "layout " + options.action;
  CLI::App app(aboutOf(options.action), "lanewise " + name);
  declare(app, options);
  Result<bool> wantsHelp = parseArguments(app, args.subspan(1), name);
  if (!wantsHelp) return fail(wantsHelp.error().message);
  if (*wantsHelp) {
    printOut("{}", app.help());
    return kDone;
  }
  return run(options);
}

} // namespace lanewise::driver
