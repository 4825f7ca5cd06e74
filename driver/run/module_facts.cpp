// What a recorded module says of the pipeline that was made of it.
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "run/run_data.h"
#include "support/files.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// The first place in the function that the module gives, else the file that OpSource names.
std::string sourceOf(const Module& module, FunctionRef function, const SourceLines& lines) {
  for (InstRef inst : module.functionInsts(function))
    if (const SourceLocation at = lines.at(module, inst); at.line != 0)
      return fmt::format("{}:{}", at.file, at.line);
  for (InstRef inst : module.globals()) {
    if (module.opcode(inst) != spv::Op::OpSource || module.wordCount(inst) < 4) continue;
    const InstRef file = module.def(module.idAt(inst, 3));
    if (file && module.opcode(file) == spv::Op::OpString)
      return std::string(module.stringAt(file, 2));
  }
  return {};
}

} // namespace

void describe(PipelineTimes& pipeline, const std::string& folder) {
  if (pipeline.module.empty()) return;
  Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", folder, pipeline.module));
  if (!bytes) return; // a full disk
  Result<Module> module = Module::read(wordsOf(*bytes));
  if (!module) return;
  Assumptions assumptions;
  assumptions.specConstants = pipeline.constants;
  Analyses analyses(*module, assumptions);
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (entry.name(*module) != pipeline.entry || !entry.function) continue;
    if (entry.workgroupSize) pipeline.workgroupSize = entry.workgroupSize->size;
    pipeline.source = sourceOf(*module, entry.function, analyses.get<SourceLines>());
  }
}

} // namespace lanewise::driver
