#include "options/batch_options.h"

#include "options/opt_options.h"
#include "options/option_groups.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// -o must be given, and what speaks of one output is refused.
Status checkFolders(const OptOptions& o, const BatchOptions& batch) {
  if (Status s = checkLayouts(o); !s) return s;
  if (o.html == "-") return failure("--html needs a file");
  if (o.inputs.size() != 1 || o.inputs.front().empty())
    return failure(fmt::format(
        "{} input; give one: a folder, a file with one path a line, or - for such a list",
        o.inputs.empty() ? "no" : "more than one"));
  if (o.output.empty() || o.output == "-") return failure("no output; give -o FOLDER");
  if (!o.depfile.path.empty() || !o.depfile.target.empty())
    return failure("-MF and -MT name a single depfile; leave them out: each output gets OUT.d");
  if (!o.layoutManifest.empty())
    return failure("--layout-manifest names one file, for one program; use 'lanewise opt'");
  if (!batch.root.empty() && isFolder(o.inputs.front()))
    return failure("--root is for lists; outputs of a folder keep their paths relative to it");
  return ok();
}

Status setLimit(const std::string& text, std::optional<double>& percent) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0 && value <= 1e9))
    return failure(fmt::format("--fail-if-worse={} must be a number of percent from 0", text));
  percent = value;
  return ok();
}

} // namespace

void declareBatch(CommandLine& line, OptOptions& o, BatchOptions& batch) {
  line.about("Optimizes all shaders of a folder or a list, as `lanewise opt` does each.");
  line.example("Optimize all shaders of a folder, and do again only what changed.",
               "lanewise batch -O shaders -o optimized --cache=cache");
  line.example("The same for a list, with a summary.",
               "lanewise batch -O list.txt -o optimized --json=summary.json");
  line.group("Input and output");
  line.positionals("INPUT", "FOLDER|FILE", o.inputs,
                   "a folder, a file with one path a line, or - for such a list");
  line.value("-o,--output", "FOLDER", o.output,
             "folder for the outputs, which keep their relative paths")
      .output();
  line.group("Batch");
  addJobsOption(line, batch.jobs);
  addCacheOptions(line, batch.cache);
  line.value("--json", "FILE.json", batch.json,
             "write a summary: the result for each input, and why")
      .output();
  line.value("--root", "FOLDER", batch.root,
             "with a list: the folder that output paths are relative to (default: the current one)")
      .notInKey();
  line.each("--exclude", "GLOB", batch.exclude, "leave out inputs or folders whose path matches")
      .notInKey();
  line.value("--baseline", "FILE.json", batch.baseline,
             "compare what compilers tell of the outputs with an earlier run's summary")
      .place();
  line.value(
          "--fail-if-worse", "PERCENT",
          [&batch](const std::string& text) { return setLimit(text, batch.failIfWorse); },
          "exit with 2 if a compiler finds a shader more than this dearer than the baseline, or "
          "without one than the input")
      .notInKey();
  declareOptimization(line, o);
  line.check([&o, &batch]() -> Status {
    if ((!batch.baseline.empty() || batch.failIfWorse) && o.compilerStats.empty())
      o.compilerStats = "default";
    if (Status s = checkFolders(o, batch); !s) return s;
    // Remarks on thousands of shaders are for files, or for those who ask; warnings are for all.
    if (o.remarks == RemarkFilter::Summary) o.remarks = RemarkFilter::Warnings;
    return ok();
  });
}

std::vector<std::string> keyOf(const CommandLine& line, const OptOptions& options) {
  std::vector<std::string> key = line.key();
  for (const PipelineStep& step : options.steps)
    key.insert(key.end(), {step.keepInterface ? "pass of -O" : "pass", step.flag});
  return key;
}

} // namespace lanewise::driver
