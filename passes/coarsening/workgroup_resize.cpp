#include "coarsening/workgroup_resize.h"

#include <utility>

namespace lanewise {
namespace {

constexpr uint32_t kVersion14 = 0x00010400;

/// A constant of the new size takes the decoration of the old one.
void resizeConstant(const Module& module, InstRef decoration, const std::array<uint32_t, 3>& size,
                    Rewriter& rewriter) {
  const Id type = module.typeOf(module.idAt(decoration, 1));
  const Id component = module.idAt(module.def(type), 2);
  std::array<Id, 3> parts;
  for (uint32_t d = 0; d < 3; ++d) parts[d] = rewriter.constant(component, size[d]);
  const Id now = rewriter.declare({}, [&](Id id) {
    return Inst(spv::Op::OpConstantComposite)
        .id(type)
        .id(id)
        .id(parts[0])
        .id(parts[1])
        .id(parts[2]);
  });
  rewriter.setId(decoration, 1, now);
}

} // namespace

void resizeWorkgroup(Analyses& analyses, const EntryPoint& entry,
                     const std::array<uint32_t, 3>& size, Rewriter& rewriter) {
  const Module& module = analyses.module();
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if ((op == spv::Op::OpExecutionMode || op == spv::Op::OpExecutionModeId) &&
        module.word(i, 1) == module.word(entry.inst, 2)) {
      const auto mode = spv::ExecutionMode(module.word(i, 2));
      for (uint32_t d = 0; d < 3; ++d) {
        if (mode == spv::ExecutionMode::LocalSize) rewriter.setWord(i, 3 + d, size[d]);
        if (mode == spv::ExecutionMode::LocalSizeId)
          rewriter.setId(i, 3 + d, rewriter.uint32Constant(size[d]));
      }
    }
    if (op == spv::Op::OpDecorate &&
        spv::Decoration(module.word(i, 2)) == spv::Decoration::BuiltIn &&
        spv::BuiltIn(module.word(i, 3)) == spv::BuiltIn::WorkgroupSize)
      resizeConstant(module, i, size, rewriter);
  }
}

void extendInterface(Analyses& analyses, const EntryPoint& entry, std::span<const Id> inputs,
                     std::span<const Id> others, Rewriter& rewriter) {
  const Module& module = analyses.module();
  if (module.version() < kVersion14) others = {};
  if (inputs.empty() && others.empty()) return;
  Inst interface(module.inst(entry.inst));
  for (Id id : inputs) interface.id(id);
  for (Id id : others) interface.id(id);
  rewriter.replace(entry.inst, std::move(interface));
}

} // namespace lanewise
