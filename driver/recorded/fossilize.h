// Databases of Fossilize (FILE.foz): pipelines as programs created them, with their modules, as its
// layer and game platforms record them. Read as its sources describe "StreamArchive", versions 5
// and 6, at https://github.com/ValveSoftware/Fossilize; there is no package of its library.
#pragma once

#include "lanewise/result.h"
#include "recorded/recorded_pipelines.h"

#include <functional>
#include <span>
#include <string>

namespace lanewise::driver {

struct FossilizePipelines {
  /// Those that differ in module, entry point, constants or required subgroup size, in the order of
  /// their hashes; `name` is the hash of the first such pipeline, and `file` is left empty.
  RecordedPipelines pipelines;
  /// What could not be taken, a line each, with the file.
  std::vector<std::string> notes;
};

/// Whether a file begins as a database does.
bool isFossilize(const std::string& path);

/// Takes a module, SHA-256 and bytes.
using TakeModule = std::function<void(const std::string& hash, std::string bytes)>;

/// The compute pipelines of several databases, which may have each other's modules. `takeModule` is
/// called once for each module that they are made of. Entries that are damaged or cut off are left
/// out with a note; a file that is no database is an error of one line.
Result<FossilizePipelines> readFossilize(std::span<const std::string> paths,
                                         const TakeModule& takeModule = {});

} // namespace lanewise::driver
