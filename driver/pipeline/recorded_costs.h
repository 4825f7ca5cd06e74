// --pipelines: which of the sets of constants that a module is used with its passes count with.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"
#include "pipeline/pipeline.h"
#include "recorded/pipeline_sets.h"

#include <array>
#include <cstdint>
#include <span>

namespace lanewise::driver {

/// What a module costs, in cycles of a subgroup for each run of an entry point: instructions, and
/// waiting for one another at the banks of shared memory. An estimate, for comparing one rewrite of
/// a module with another. Loops count as often as for conflictCycles().
double estimatedCycles(const Module& module, const std::string& entry,
                       const Assumptions& assumptions, const TargetProfile& target);

/// The module in the form in which our models read it best: indices are expressions of built-ins.
Result<Module> canonicalForModels(std::span<const uint32_t> words, const TargetProfile& target,
                                  const Assumptions& assumptions);

/// Of a workgroup. Lanes that stay empty take as long as the others.
double subgroupsOf(const std::array<uint32_t, 3>& workgroupSize, const TargetProfile& target);

/// Lets `options` count with a set: its constants and its subgroup size.
void countWith(const PipelineSet& set, PipelineOptions& options);

/// The set with which the passes make the module that costs least over all sets, by workgroups. All
/// results are right for all constants; they differ in what pays. With one set that is it.
/// `sets` has one at least; of many the heaviest kMostSets are tried and counted.
size_t cheapestSet(const Module& input, std::span<const PipelineStep> steps,
                   const PipelineOptions& options, std::span<const PipelineSet> sets);
inline constexpr size_t kMostSets = 8;

/// What is said of the choice; of a module without a set, that there is none.
Remark recordedRemark(std::span<const PipelineSet> sets, size_t chosen, const std::string& file);

} // namespace lanewise::driver
