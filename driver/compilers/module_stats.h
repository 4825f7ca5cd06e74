// Compilers beside the pipeline: what they make of a module before and after it was optimized
// (`--compiler-stats`).
#pragma once

#include "compilers/stats_report.h"
#include "pipeline/optimize_input.h"
#include "report/html/report.h"

#include <string>
#include <vector>

namespace lanewise::driver {

struct ModuleStats {
  std::vector<CompilerRow> before, after;
};

/// Both forms of the module as they are written: source has lost its lines.
ModuleStats compareByCompilers(const LoadedModule& module, const Words& output,
                               const OptOptions& options, CompilerSet& compilers);

/// A line for each compiler that sees a difference: "tile.comp: navi21: instructions 810 -> 1197
/// (+47.8 %), ..."; and one for what could not be compiled.
std::string linesOf(const std::string& input, const ModuleStats& stats);
/// The same as lines of JSON, an object of the kind "compiler-stats" each.
std::string jsonLinesOf(const std::string& input, const ModuleStats& stats);
/// For the summary of a batch: an array, a compiler and entry point each.
nlohmann::json factsOf(const ModuleStats& stats);
/// For the report page.
ReportTable tableOf(const ModuleStats& stats);

/// Compiles, and says what came of it where remarks are said.
ModuleStats addCompilerStats(const std::string& input, const LoadedModule& module,
                             const Words& written, const OptOptions& options,
                             CompilerSet& compilers, CommandOutput& output);

} // namespace lanewise::driver
