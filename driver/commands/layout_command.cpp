// `lanewise layout`: the host's side of --aos-to-soa.
#include "commands/commands.h"
#include "layout/layout_files.h"
#include "layout/layout_header.h"
#include "layout/layout_manifest.h"
#include "options/option_groups.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace lanewise::driver {
namespace {

struct LayoutArguments {
  std::string action, manifest, buffer, input = "-", output = "-", space = "lanewise_layout";
  std::optional<uint64_t> count;
};

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

Result<std::vector<BufferLayout>> chooseBuffers(const LayoutManifest& manifest,
                                                const LayoutArguments& o) {
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

Status checkFiles(const LayoutArguments& o) {
  const bool readsData = o.action != "header";
  if (readsData && o.manifest == "-" && o.input == "-")
    return failure("the manifest and the data cannot both come from standard input; give IN");
  if (readsData && o.output == "-" && ::isatty(STDOUT_FILENO))
    return failure("the output is binary; give -o FILE");
  return checkDestination(o.output, {o.manifest, o.input});
}

int writeHeader(const LayoutArguments& o, const std::vector<BufferLayout>& buffers) {
  Result<std::string> text = layoutHeader(buffers, o.space);
  if (!text) return fail(fmt::format("{}: {}", o.manifest, text.error().message));
  OutputFiles files;
  files.add(o.output, std::move(*text));
  Status written = files.commit();
  return written ? int(kDone) : fail(written.error().message);
}

int convert(const LayoutArguments& o) {
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

class LayoutCommand : public Command {
public:
  explicit LayoutCommand(std::string_view action) { o_.action = action; }

  void declare(CommandLine& line) override {
    line.about(aboutOf(o_.action));
    for (const CommandExample& e : examplesOf(o_.action)) line.example(e.text, e.command);
    line.value("--manifest", "FILE.json", o_.manifest,
               "the layout manifest that opt --aos-to-soa wrote")
        .required();
    line.value("--buffer", "NAME", o_.buffer, "which of the manifest's buffers");
    line.value("-o", "FILE", o_.output, "where to write; standard output by default").output();
    if (o_.action == "header") {
      line.value("--namespace", "NAME", o_.space, "namespace of the header");
      return;
    }
    line.positional("IN", "FILE", o_.input, "the data; standard input by default");
    if (o_.action == "unpack")
      line.value("--count", "N", o_.count,
                 "number of elements, where the size of the data does not determine it (see "
                 "docs/layout.md)");
  }

  int run(const CommandLine&) override { return convert(o_); }

private:
  LayoutArguments o_;
};

} // namespace

std::unique_ptr<Command> makeLayoutCommand(std::string_view action) {
  return std::make_unique<LayoutCommand>(action);
}

} // namespace lanewise::driver
