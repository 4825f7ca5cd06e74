#include "lint/context.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/types.h"
#include "text/format_text.h"

namespace lanewise {

LintContext::LintContext(Analyses& analyses, const TargetProfile& target)
    : analyses_(analyses), target_(target) {
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (entry.model != spv::ExecutionModel::GLCompute || !entry.function ||
        module().blockCount(entry.function) == 0)
      continue;
    Kernel kernel;
    kernel.entry = &entry;
    if (entry.workgroupSize) kernel.size = entry.workgroupSize->size;
    kernel.affine = std::make_unique<Affine>(analyses, kernel.size, target.subgroupSize);
    kernels_.push_back(std::move(kernel));
  }
}

LintFinding LintContext::findingAt(InstRef i, Severity severity, std::string message, Id variable) {
  LintFinding f;
  f.subject = sourceNameOf(variable);
  f.severity = severity;
  f.location = locate(i);
  if (const BlockRef block = module().blockOf(i)) {
    const FunctionRef function = module().functionOf(block);
    f.function = analyses_.get<Decorations>().name(module(), module().functionId(function));
  }
  f.message = std::move(message);
  return f;
}

LintFinding LintContext::findingIn(const EntryPoint& entry, Severity severity,
                                   std::string message) {
  const BlockRef first = module().firstBlock(entry.function);
  for (uint32_t n = 0; n < module().blockCount(entry.function); ++n)
    for (InstRef i : module().blockInsts(BlockRef{first.value + n}))
      if (locate(i).line != 0) return findingAt(i, severity, std::move(message));
  return findingAt(module().terminator(first), severity, std::move(message));
}

std::string LintContext::sourceNameOf(Id variable) {
  if (!variable) return {};
  const std::string_view name = analyses_.get<Decorations>().name(module(), variable);
  if (!name.empty()) return std::string(name);
  // Members of a block without a name stand for themselves: "buffer Data { float data[]; };".
  const Id block = blockTypeOf(analyses_, variable);
  const TypeInfo type = block ? analyses_.get<Types>().info(block) : TypeInfo();
  if (type.kind != TypeInfo::Kind::Struct || type.count != 1) return {};
  return std::string(Decorations::memberName(module(), block, 0));
}

std::string LintContext::nameOf(Id variable) {
  std::string_view name = analyses_.get<Decorations>().name(module(), variable);
  if (name.empty())
    name = analyses_.get<Decorations>().name(module(), blockTypeOf(analyses_, variable));
  return name.empty() ? formatText("%{}", variable.value) : formatText("'{}'", name);
}

} // namespace lanewise
