// index-out-of-range: an index that leaves its array
//
// What: an access of an array whose length is known, or of a vector or matrix, by an index that is
// beyond the end for some invocation and iteration: in Workgroup memory, in variables of a function
// or of an invocation, in blocks of buffers and push constants, of descriptors.
//
// Decided by: the index at every invocation of the first workgroup and every iteration of the loops
// round it (analysis/values/index_bounds.h), where it and the conditions in front of the access are
// functions of ids and counters.
//
// Example:
//
//     shared float tile[64];                    // local_size_x = 64
//     x = tile[gl_LocalInvocationIndex + 1];    // 64 for the last invocation
//
// Silent: whatever depends on data, later workgroups, lengths and sizes by specialization constants
// that nobody gave, arrays without a length.
//
// Reference: SPIR-V, OpAccessChain: an index out of range is undefined behavior;
// docs/lint/index-out-of-range.md.

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/index_bounds.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// What an index chooses from.
struct Range {
  uint64_t length = 0;
  std::string what; ///< "'tile' has 64 elements"
  Severity severity = Severity::Error;
  std::string_view member = {}; ///< of a struct, that it is; "" for none
};

/// What an access chain, and those that it begins at, choose of a variable, the outermost first.
struct Chain {
  Id variable;
  std::vector<Id> indices;
};

/// glslang's name for the variable that holds an array which is a value in the source.
constexpr std::string_view kOfCompiler = "'indexable'";

class OutOfRange {
public:
  OutOfRange(LintContext& context, Kernel& kernel, LintFindings& findings)
      : context_(context), kernel_(kernel), findings_(findings),
        bounds_(context.analyses(), *kernel.affine, *kernel.entry, context.target().subgroupSize) {}

  void judge(const SharedVariable& variable, const SharedAccess& access) {
    if (!isRun(access.inst)) return;
    const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
    for (size_t n = 0; n < access.indices.size(); ++n)
      if (const auto length = lengthOf(variable.nodes[arrays[n]]))
        look(variable.id, access.inst, access.indices[n],
             {*length,
              formatText("{}{} has {} elements", arrays[n] == 0 ? "" : "a row of ",
                         context_.nameOf(variable.id), *length),
              arrays[n] == 0 ? Severity::Error : Severity::Warning});
    for (const auto& [index, count] : access.components)
      look(variable.id, access.inst, index, componentsOf(context_.nameOf(variable.id), count));
  }

  /// An access of anything but Workgroup memory.
  void judge(InstRef access) {
    const Module& module = context_.module();
    const uint32_t word = pointerWord(module.facts(access));
    if (word == 0 || !isRun(access)) return;
    const Chain chain = chainOf(module.idAt(access, word));
    if (!chain.variable) return;
    const Types& types = context_.analyses().get<Types>();
    const auto storage = types.storageOf(chain.variable);
    if (!storage || storage == spv::StorageClass::Workgroup) return;
    // Robust access, which most programs ask for, goes by the buffer's end.
    const bool isInBuffer =
        *storage == spv::StorageClass::Uniform || *storage == spv::StorageClass::StorageBuffer;
    std::string name = context_.nameOf(chain.variable);
    if (name == kOfCompiler) name = "a constant array";
    std::string_view own;
    bool isRow = false;
    Id type = types.pointee(chain.variable);
    for (const Id index : chain.indices) {
      const TypeInfo& info = types.info(type);
      if (info.kind == TypeInfo::Kind::Struct) {
        const auto member = context_.analyses().get<Constants>().value(index);
        if (!member || member->bits >= info.count) return;
        const auto n = uint32_t(member->bits);
        own = Decorations::memberName(module, type, n);
        if (!own.empty()) name = formatText("'{}'", own);
        isRow = false;
        type = types.member(type, n);
        continue;
      }
      if (info.kind == TypeInfo::Kind::Array) {
        if (const auto length = lengthOf(type))
          look(chain.variable, access, index,
               {*length,
                formatText("{}{} has {} elements", isRow ? "a row of " : "", name, *length),
                isRow || isInBuffer ? Severity::Warning : Severity::Error, own});
        isRow = true;
      } else if (info.kind == TypeInfo::Kind::Vector || info.kind == TypeInfo::Kind::Matrix) {
        look(chain.variable, access, index, componentsOf(name, info.count));
      }
      type = info.element;
    }
  }

private:
  bool isRun(InstRef access) {
    const BlockRef block = context_.module().blockOf(access);
    return std::ranges::binary_search(kernel_.entry->functions,
                                      context_.module().functionOf(block)) &&
           !isNeverRun(context_.analyses(), *kernel_.affine, block);
  }

  /// Nothing where it is for the host to choose.
  std::optional<uint64_t> lengthOf(const LayoutNode& node) const {
    const Constants& constants = context_.analyses().get<Constants>();
    if (constants.isUnassumedSpec(node.length)) return std::nullopt;
    return node.extent;
  }

  std::optional<uint64_t> lengthOf(Id array) const {
    const Types& types = context_.analyses().get<Types>();
    if (context_.analyses().get<Constants>().isUnassumedSpec(types.info(array).length))
      return std::nullopt;
    return types.arrayLength(array);
  }

  static Range componentsOf(const std::string& name, uint64_t count) {
    return {count, formatText("a part of {} has {} components", name, count)};
  }

  Chain chainOf(Id pointer) const {
    const Module& module = context_.module();
    Chain chain;
    InstRef i = module.def(pointer);
    for (; isAccessChain(module.opcode(i)); i = module.def(module.idAt(i, 3)))
      for (uint32_t n = module.wordCount(i); n-- > 4;) chain.indices.push_back(module.idAt(i, n));
    std::ranges::reverse(chain.indices);
    if (module.opcode(i) == spv::Op::OpVariable) chain.variable = module.resultId(i);
    return chain;
  }

  void look(Id variable, InstRef access, Id index, const Range& range) {
    const BlockRef block = context_.module().blockOf(access);
    const auto point = bounds_.pointOutside(index, range.length, block);
    if (!point) return;
    std::string who;
    if (point->invocation) {
      const auto& [x, y, z] = *point->invocation;
      who = formatText(" for invocation ({}, {}, {})", x, y, z);
    }
    LintFinding finding = context_.findingAt(
        access, range.severity,
        formatText("index {} is out of range{}: {}", point->value, who, range.what), variable);
    // In code the members of a block without a name stand for themselves.
    if (finding.subject.empty()) finding.subject = range.member;
    finding.args = {{"variable", context_.nameOf(variable)},
                    {"index", formatText("{}", point->value)},
                    {"length", formatText("{}", range.length)}};
    findings_.push_back(std::move(finding));
  }

  LintContext& context_;
  Kernel& kernel_;
  LintFindings& findings_;
  IndexBounds bounds_;
};

} // namespace

void lintIndexOutOfRange(LintContext& context, LintFindings& findings) {
  const auto variables = collectSharedVariables(context.analyses(), context.target());
  for (Kernel& kernel : context.kernels()) {
    if (!kernel.size) continue;
    OutOfRange rule(context, kernel, findings);
    for (const SharedVariable& variable : variables) {
      for (const SharedAccess& access : variable.accesses) rule.judge(variable, access);
      for (const SharedAccess& access : variable.uncounted) rule.judge(variable, access);
    }
    for (const FunctionRef function : kernel.entry->functions)
      for (const InstRef i : context.module().functionInsts(function)) rule.judge(i);
  }
}

} // namespace lanewise
