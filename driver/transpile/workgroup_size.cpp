#include "transpile/workgroup_size.h"

#include "analysis/module/decorations.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace lanewise::driver {

namespace {

class SizeConstants {
public:
  SizeConstants(const Module& module, const TargetLanguage& target)
      : module_(module), decorations_(module), target_(target) {}

  /// Metal's function constants cannot be the length of an array. SPIRV-Cross makes macros of those
  /// that are one themselves, but not of those that one is computed from.
  Status checkArrayLengths() const {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpTypeArray) continue;
      const Id length = module_.idAt(i, 3);
      if (module_.opcodeOf(length) != spv::Op::OpSpecConstantOp || sizeComponent(length)) continue;
      std::set<uint32_t> ids;
      collectSpecIds(length, ids);
      if (ids.empty()) continue;
      return failure(fmt::format("MSL cannot express an array length computed from specialization "
                                 "constant {}; set it with --spec-const={}:VALUE",
                                 fmt::join(ids, " and "), *ids.begin()));
    }
    return ok();
  }

  /// The component of the WorkgroupSize constant that `id` takes out, null if it does not.
  Id sizeComponent(Id id) const {
    InstRef d = module_.def(id);
    if (!d || module_.opcode(d) != spv::Op::OpSpecConstantOp || module_.wordCount(d) != 6 ||
        spv::Op(module_.word(d, 3)) != spv::Op::OpCompositeExtract)
      return {};
    InstRef size = module_.def(module_.idAt(d, 4));
    if (!size || module_.opcode(size) != spv::Op::OpSpecConstantComposite ||
        decorations_.builtIn(module_, module_.resultId(size)) != spv::BuiltIn::WorkgroupSize)
      return {};
    const uint32_t index = module_.word(d, 5);
    return 3 + index < module_.wordCount(size) ? module_.idAt(size, 3 + index) : Id();
  }

  /// gl_WorkGroupSize.x in a constant is the constant that it is made of: languages know that one
  /// where the other is not constant enough to be the length of an array. Only in MSL: in GLSL the
  /// constant has no name but gl_WorkGroupSize.x.
  void useSizesDirectly(Rewriter& rewriter) {
    for (InstRef i : module_.insts())
      module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
        const spv::Op op = module_.opcode(i);
        if (op == spv::Op::OpName || op == spv::Op::OpDecorate) return;
        if (Id component = sizeComponent(id)) rewriter.setId(i, n, component);
      });
  }

  /// The reverse for GLSL and ESSL: there the layout declares the constants that are dimensions of
  /// the workgroup, and SPIRV-Cross uses them elsewhere by names that nothing declares. So others
  /// take them out of gl_WorkGroupSize.
  Status nameSizes(Rewriter& rewriter) {
    InstRef size;
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpSpecConstantComposite &&
          decorations_.builtIn(module_, module_.resultId(i)) == spv::BuiltIn::WorkgroupSize)
        size = i;
    if (!size) return ok();
    struct Dimension {
      uint32_t n = 0;
      Id taken; ///< out of the size; null until asked for
    };
    std::map<Id, Dimension> dimensions;
    for (uint32_t n = 3; n < module_.wordCount(size); ++n)
      if (const Id constant = module_.idAt(size, n);
          decorations_.has(constant, spv::Decoration::SpecId))
        dimensions.try_emplace(constant, Dimension{n - 3, {}});
    InstRef early;
    for (InstRef i : module_.insts()) {
      const OpClass opClass = module_.facts(i).opClass;
      const bool isUse =
          module_.blockOf(i) || opClass == OpClass::Type || opClass == OpClass::Constant;
      if (!isUse || i == size) continue;
      module_.forEachIdOperand(i, [&](uint32_t n, Id id) {
        const auto found = dimensions.find(id);
        if (found == dimensions.end()) return;
        if (i < size) early = i;
        Dimension& dimension = found->second;
        if (!dimension.taken) {
          dimension.taken = rewriter.newId();
          rewriter.insertAfter(size, Inst(spv::Op::OpSpecConstantOp)
                                         .id(module_.typeOf(id))
                                         .id(dimension.taken)
                                         .word(uint32_t(spv::Op::OpCompositeExtract))
                                         .id(module_.resultId(size))
                                         .word(dimension.n));
        }
        rewriter.setId(i, n, dimension.taken);
      });
    }
    if (!early) return ok();
    return failure(
        fmt::format("%{} uses a specialization constant of the workgroup's size in front "
                    "of gl_WorkGroupSize, the only name of it in {}; set the constant "
                    "with --spec-const=ID:VALUE",
                    module_.resultId(early).value, nameOf(target_.language)));
  }

private:
  void collectSpecIds(Id constant, std::set<uint32_t>& ids) const {
    if (auto specId = decorations_.operand(module_, constant, spv::Decoration::SpecId))
      ids.insert(*specId);
    InstRef d = module_.def(constant);
    const spv::Op op = module_.opcode(d);
    if (op != spv::Op::OpSpecConstantOp && op != spv::Op::OpSpecConstantComposite) return;
    const uint32_t first = op == spv::Op::OpSpecConstantOp ? 4 : 3;
    for (uint32_t n = first; n < module_.wordCount(d); ++n)
      // Literal indices of a composite operation may look like ids: only constants count.
      if (InstRef o = module_.def(module_.idAt(d, n));
          o && o.value < d.value && isSpecConstant(module_.opcode(o)))
        collectSpecIds(module_.idAt(d, n), ids);
  }
  static bool isSpecConstant(spv::Op op) {
    return op >= spv::Op::OpSpecConstantTrue && op <= spv::Op::OpSpecConstantOp;
  }

  const Module& module_;
  Decorations decorations_;
  const TargetLanguage& target_;
};

} // namespace

Status nameWorkgroupSize(const Module& module, const TargetLanguage& target, Rewriter& rewriter) {
  SizeConstants sizes(module, target);
  if (target.language == Language::Msl) {
    if (Status s = sizes.checkArrayLengths(); !s) return s;
    sizes.useSizesDirectly(rewriter);
  }
  return target.isGlslOrEssl() ? sizes.nameSizes(rewriter) : ok();
}

} // namespace lanewise::driver
