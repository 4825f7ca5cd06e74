// What recorded pipelines say of one module: the different sets of constants that it is used with.
#pragma once

#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "recorded/recorded_pipelines.h"

#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Pipelines of a module that look the same to a compiler.
struct PipelineSet {
  std::string entry; ///< "" for any
  /// With the defaults of the constants that the pipeline leaves alone: their values are known,
  /// too.
  Assumptions assumptions;
  /// SpecId -> bits, those that the pipelines name.
  std::map<uint32_t, uint64_t> constants;
  uint32_t subgroupSize = 0; ///< that the pipelines require; 0: none
  double workgroups = 0;     ///< over all dispatches
  std::vector<std::string> names;

  /// "0=64 1=3 subgroups of 32"; "no constants".
  std::string describe() const;
};

/// The sets of the pipelines that are made of this module, those with most work first, else in the
/// order of the file; without any dispatches all weigh the same. `path` and `bytes` are the file's;
/// with `entry` only pipelines of that one. What `given` says goes before what a set says. An error
/// names the place of a value that its constant cannot have.
Result<std::vector<PipelineSet>> setsOf(const RecordedPipelines& pipelines, const std::string& path,
                                        std::span<const uint32_t> words, const Module& module,
                                        const std::string& entry, const Assumptions& given);

/// The module for one set alone, with its constants fixed. An error where a constant cannot be.
Result<std::vector<uint32_t>> frozenFor(const PipelineSet& set, const Module& module);

} // namespace lanewise::driver
