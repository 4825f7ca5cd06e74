#include "analysis/buffer_ranges.h"

#include "analysis/affine.h"
#include "analysis/constants.h"
#include "analysis/entry_points.h"
#include "analysis/types.h"

#include <algorithm>
#include <memory>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;

class Prover {
public:
  Prover(Analyses& analyses, const BufferView& view)
      : analyses_(analyses), module_(analyses.module()), types_(analyses.types()), view_(view) {}

  InstRef run() {
    for (const BufferAccess& access : view_.accesses)
      if (!isProved(access)) return access.inst;
    return {};
  }

private:
  bool isProved(const BufferAccess& access) {
    const BufferPointer& pointer = view_.pointers[access.pointer];
    const BlockRef block = module_.blockOf(access.inst);
    Id type = types_.pointee(view_.variable);
    for (size_t n = 0; n < pointer.steps.size(); ++n) {
      const Id index = pointer.steps[n];
      const TypeInfo info = types_.info(type);
      if (info.kind == Kind::Struct) {
        type = types_.member(type, uint32_t(analyses_.constants().literal(index).value_or(0)));
        continue;
      }
      std::optional<uint64_t> count;
      if (info.kind == Kind::Vector || info.kind == Kind::Matrix) count = info.count;
      if (info.kind == Kind::Array) count = analyses_.constants().literal(info.length);
      // Which descriptor is chosen does not change.
      if (n >= view_.descriptorDims && !isBelow(index, count, n == view_.descriptorDims + 1, block))
        return false;
      type = info.element;
    }
    return true;
  }

  /// The forms under each entry point that runs a function, with its size where that is literal.
  std::vector<Affine*> formsFor(FunctionRef function) {
    if (forms_.empty())
      for (const EntryPoint& entry : analyses_.entryPoints().all()) {
        const bool isLiteral = entry.workgroupSize && entry.workgroupSize->isLiteral;
        forms_.emplace_back(
            &entry,
            std::make_unique<Affine>(analyses_, isLiteral ? std::optional(entry.workgroupSize->size)
                                                          : std::nullopt));
      }
    std::vector<Affine*> found;
    for (auto& [entry, affine] : forms_)
      if (std::binary_search(entry->functions.begin(), entry->functions.end(), function))
        found.push_back(affine.get());
    return found;
  }

  bool isBelow(Id index, std::optional<uint64_t> count, bool isElement, BlockRef block) {
    if (const auto value = analyses_.constants().literal(index)) return count && *value < *count;
    if (types_.info(module_.typeOf(index)).width != 32) return false;
    const std::vector<Affine*> forms = formsFor(module_.functionOf(block));
    const bool isInRange =
        !forms.empty() && std::all_of(forms.begin(), forms.end(), [&](Affine* a) {
          const AffineExpr& form = a->of(index);
          return count && form.range && !form.dependsOnSpec && form.range->second < *count;
        });
    if (isInRange) return true;
    const bool isNonNegative =
        !forms.empty() && std::all_of(forms.begin(), forms.end(), [&](Affine* a) {
          const AffineExpr& form = a->of(index);
          return form.range && !form.dependsOnSpec && form.range->second <= INT32_MAX;
        });
    for (const BlockCondition& c : collectConditions(analyses_, block))
      if (isGuard(c, stripped(index), count, isElement, isNonNegative)) return true;
    return false;
  }

  Id stripped(Id id) const {
    while (module_.opcodeOf(id) == spv::Op::OpBitcast ||
           module_.opcodeOf(id) == spv::Op::OpCopyObject)
      id = module_.idAt(module_.def(id), 3);
    return id;
  }

  bool isGuard(const BlockCondition& c, Id index, std::optional<uint64_t> count, bool isElement,
               bool isNonNegative) const {
    const InstRef compare = module_.def(c.condition);
    if (!compare || module_.wordCount(compare) != 5) return false;
    Id low, high; // low < high
    bool isSigned = false;
    switch (module_.opcode(compare)) {
    case spv::Op::OpSLessThan:
    case spv::Op::OpSGreaterThanEqual:
      isSigned = true;
      [[fallthrough]];
    case spv::Op::OpULessThan:
    case spv::Op::OpUGreaterThanEqual:
      low = module_.idAt(compare, 3), high = module_.idAt(compare, 4);
      break;
    case spv::Op::OpSGreaterThan:
    case spv::Op::OpSLessThanEqual:
      isSigned = true;
      [[fallthrough]];
    case spv::Op::OpUGreaterThan:
    case spv::Op::OpULessThanEqual:
      low = module_.idAt(compare, 4), high = module_.idAt(compare, 3);
      break;
    default:
      return false;
    }
    const spv::Op op = module_.opcode(compare);
    const bool isStrict = op == spv::Op::OpSLessThan || op == spv::Op::OpULessThan ||
                          op == spv::Op::OpSGreaterThan || op == spv::Op::OpUGreaterThan;
    // i >= n that is false says the same as i < n that is true.
    if (isStrict == c.negated || stripped(low) != index || (isSigned && !isNonNegative))
      return false;
    high = stripped(high);
    if (const auto limit = analyses_.constants().literal(high))
      return count && *limit <= *count && (!isSigned || *limit <= INT32_MAX);
    if (!isElement || view_.descriptorDims != 0 || count) return false;
    return std::any_of(view_.lengths.begin(), view_.lengths.end(),
                       [&](InstRef length) { return module_.resultId(length) == high; });
  }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  const BufferView& view_;
  std::vector<std::pair<const EntryPoint*, std::unique_ptr<Affine>>> forms_;
};

} // namespace

InstRef findUnprovedIndex(Analyses& analyses, const BufferView& view) {
  return Prover(analyses, view).run();
}

} // namespace lanewise
