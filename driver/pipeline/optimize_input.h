// One input of `lanewise opt`, from its file to what is written and said of it. Nothing here writes
// a file or prints: the commands do, each in its way.
#pragma once

#include "input/front_end.h"
#include "lanewise/result.h"
#include "pipeline/opt_verify.h"
#include "pipeline/optimize_options.h"
#include "pipeline/pipeline.h"
#include "support/exit_codes.h"
#include "verify/verify.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

struct FileToWrite {
  std::string path, contents; ///< "-" is standard output
};

/// What a command is going to write and print.
struct CommandOutput {
  std::vector<FileToWrite> files; ///< all or none of them
  std::string standardOutput, standardError;
  std::string remarks; ///< for --remarks-file; without one they stand in standardError
};

struct OptimizedInput {
  /// As documented for the command. With kBadUsageOrInput there are no files to write, and what is
  /// below `output` is as far as the work got.
  int exitCode = kDone;
  std::string failure; ///< of kBadUsageOrInput: the message, for asErrorLines(); else ""
  CommandOutput output;

  // What reports are made of.
  LoadedModule module;     ///< as it was read: compiled source has its lines
  Assumptions given;       ///< the command line's, with constants as this module has them
  PipelineOutcome outcome; ///< its words are those written: source without -g has lost its lines
  std::optional<VerifySummary> verification; ///< with --verify
};

/// Loads `input`, runs the pipeline, verifies when the options ask for it. The module goes to
/// `output` ("-" for standard output, "" for nowhere), a depfile and a layout manifest to where the
/// options say. `options.pipeline.target` must be set. `verifier` is null without --verify. What
/// --print-all and --bisect-limit print goes to `log` as the work goes on. `contents` are the
/// input's where they have been read already, else null.
OptimizedInput optimizeInput(const std::string& input, const std::string& output,
                             const OptOptions& options, Verifier* verifier, std::ostream& log,
                             const std::string* contents = nullptr);

// The parts of it that whole programs (`opt --scenario` without INPUT) use as well.

/// Sets what the pipeline of a module asks SPIRV-Tools, and what is known of the module.
void prepareFor(const LoadedModule& module, std::ostream& log, PipelineOptions& pipeline);

/// Adds the module itself, its depfile, and the text of --diff. Takes the lines out of
/// `outcome.words` when they are not to be kept.
Status addModule(const std::string& input, std::string out, const LoadedModule& module,
                 PipelineOutcome& outcome, const OptOptions& options, CommandOutput& output);

/// Adds remarks, the summary of a verification (null: none was asked for), statistics and times.
/// `module` is null where there is no single one.
void addReport(const std::string& name, const LoadedModule* module, const PipelineOutcome& outcome,
               const VerifySummary* verification, const OptOptions& options, CommandOutput& output);

/// What -MD writes: `out` and the files that it was made from. `includes` are those besides `input`
/// and what the options name.
Result<std::string> depfileText(const std::string& out, const std::string& input,
                                const std::vector<std::string>& includes,
                                const OptOptions& options);

} // namespace lanewise::driver
