// What `lanewise opt` takes, declared and checked (docs/command-line.md); `batch` takes most of it.
#pragma once

#include "lanewise/result.h"
#include "options/command_line.h"
#include "pipeline/optimize_options.h"

#include <vector>

namespace lanewise::driver {

/// INPUT, -o and what speaks of the one output, then the rest.
void declareOpt(CommandLine& line, OptOptions& options);

/// Everything but INPUT and -o. Passes are options too, in the order in which they stand on the
/// command line: -O, -Os, Lanewise's, and those of spirv-opt that the installed SPIRV-Tools knows.
void declareOptimization(CommandLine& line, OptOptions& options);

/// A layout is changed once, and its manifest is of one program.
Status checkLayouts(const OptOptions& options);

} // namespace lanewise::driver
