// What a recorded module says of the pipeline that was made of it.
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "run/run_data.h"
#include "support/files.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

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

/// The value of a scalar, whose bits are `bits`; nothing for types of which no value is printed.
std::optional<std::string> valueText(const Module& module, InstRef constant, uint64_t bits) {
  const InstRef type = module.def(module.resultType(constant));
  if (!type) return {};
  if (module.opcode(type) == spv::Op::OpTypeBool) return bits != 0 ? "true" : "false";
  const bool isInteger = module.opcode(type) == spv::Op::OpTypeInt;
  const bool isFloat = module.opcode(type) == spv::Op::OpTypeFloat && module.wordCount(type) == 3;
  const uint32_t width = isInteger || isFloat ? module.word(type, 2) : 0;
  if (isFloat && width == 32) return fmt::format("{}", std::bit_cast<float>(uint32_t(bits)));
  if (isFloat && width == 64) return fmt::format("{}", std::bit_cast<double>(bits));
  if (!isInteger || width == 0 || width > 64) return {};
  const uint32_t unused = 64 - width;
  if (module.word(type, 3) != 0) return fmt::format("{}", int64_t(bits << unused) >> unused);
  return fmt::format("{}", bits << unused >> unused);
}

void describeConstants(PipelineTimes& pipeline, const Module& module) {
  for (InstRef inst : module.globals()) {
    if (module.opcode(inst) != spv::Op::OpDecorate || module.wordCount(inst) < 4 ||
        spv::Decoration(module.word(inst, 2)) != spv::Decoration::SpecId)
      continue;
    const auto value = pipeline.constants.find(module.word(inst, 3));
    const InstRef constant = module.def(module.idAt(inst, 1));
    if (value == pipeline.constants.end() || !constant) continue;
    if (std::optional<std::string> text = valueText(module, constant, value->second))
      pipeline.constantTexts[value->first] = std::move(*text);
  }
}

} // namespace

void describe(PipelineTimes& pipeline, const std::string& folder) {
  if (pipeline.module.empty()) return;
  Result<std::string> bytes = readRegularFile(fmt::format("{}/{}.spv", folder, pipeline.module));
  if (!bytes) return; // a full disk
  Result<Module> module = Module::read(wordsOf(*bytes));
  if (!module) return;
  describeConstants(pipeline, *module);
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
