// What `lanewise run --record` writes, or people by hand: compute pipelines and what is known of
// them (docs/pipelines.md).
#pragma once

#include "lanewise/result.h"
#include "support/files.h"
#include "verify/scenario/spec_value.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

struct RecordedDispatch {
  std::optional<std::array<uint32_t, 3>> groups; ///< nothing: a buffer says it (indirect)
  uint64_t count = 1;
};

/// One [[pipeline]]. `module` says which module it is made of, and `file` where there is none.
struct RecordedPipeline {
  std::string module; ///< the first digits of the module's SHA-256, eight at least; "" for none
  std::string file;   ///< as it can be opened from here; "" for none
  std::string entry;  ///< "" for any
  std::string name;   ///< that the program gave it; "" for none
  std::string source; ///< "FILE:LINE" of the entry point; "" where it is not known
  /// SpecId -> the value's bits. Constants that are not named have their defaults.
  std::map<uint32_t, uint64_t> constants;
  /// The same as a file of pipelines has them, where only a module's types say what their bits are.
  SpecValues written;
  std::string place; ///< "FILE:LINE" in such a file; "" for none
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  uint32_t subgroupSize = 0; ///< that the pipeline requires; 0: none
  std::vector<RecordedDispatch> dispatches;
  std::string optimized; ///< the file of a module made for this pipeline alone; "" for none

  /// Workgroups over all dispatches; an indirect one counts as one.
  double workgroups() const;
};

using RecordedPipelines = std::vector<RecordedPipeline>;

/// The choice of a command line: --pipelines.
struct PipelinesChoice {
  std::string path; ///< "" when not given
  std::shared_ptr<const RecordedPipelines> pipelines;
  bool isGiven() const { return pipelines != nullptr; }
};

/// From TOML, where unknown keys are errors, or from a database of Fossilize. The error is one line
/// with the place in the file.
Result<RecordedPipelines> readPipelines(const std::string& path);

/// The [[pipeline]] of a file; paths stand as they are.
std::string asToml(const RecordedPipeline& pipeline);

/// Adds the file `path` with the pipelines, and in a folder beside it, PATH.modules, `modules`
/// (SHA-256 -> bytes), where those of them find their `file`. `writer` is the command that does it.
Status addPipelinesFile(OutputFiles& files, const std::string& path, std::string_view writer,
                        RecordedPipelines pipelines, std::map<std::string, std::string> modules);

} // namespace lanewise::driver
