#include "analysis/buffers/buffer_ranges.h"

#include "analysis/module/constants.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/values/affine.h"
#include "analysis/values/index_bounds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;
using PointerKind = BufferPointer::Kind;

/// Looks at every index that leads to an access.
class Indices {
public:
  Indices(Analyses& analyses, const BufferView& view)
      : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()),
        view_(view) {}

  InstRef findUnproved() {
    return find([this](const Step& step, BlockRef block) { return !isProved(step, block); });
  }

  InstRef findLeaving(uint32_t subgroupSize) {
    return find([&](const Step& step, BlockRef block) {
      if (step.isElement || !step.count) return false;
      const auto under = entriesOf(module_.functionOf(block));
      return std::any_of(under.begin(), under.end(), [&](Under* u) {
        if (!u->bounds)
          u->bounds = std::make_unique<IndexBounds>(analyses_, u->affine, *u->entry, subgroupSize);
        return u->bounds->judge(step.index, *step.count, block) >= IndexVerdict::NotKnown;
      });
    });
  }

private:
  /// An index on the way from the variable to what is accessed.
  struct Step {
    Id index;
    std::optional<uint64_t> count; ///< literal number that it chooses from
    bool isElement = false;        ///< it chooses an element of the array of structs
  };
  /// What is known of values under one entry point.
  struct Under {
    Under(Analyses& analyses, const EntryPoint& e, std::optional<std::array<uint32_t, 3>> size)
        : entry(&e), affine(analyses, size) {}
    const EntryPoint* entry;
    Affine affine;
    std::unique_ptr<IndexBounds> bounds;
  };

  template <class Test>
  InstRef find(Test&& isBad) {
    for (const auto* accesses : {&view_.accesses, &view_.outside})
      for (const BufferAccess& access : *accesses)
        for (const Step& step : stepsOf(view_.pointers[access.pointer]))
          if (isBad(step, module_.blockOf(access.inst))) return access.inst;
    return {};
  }

  std::vector<Step> stepsOf(const BufferPointer& pointer) const {
    std::vector<Step> steps;
    Id type = types_.pointee(view_.variable);
    for (size_t n = 0; n < pointer.steps.size(); ++n) {
      const Id index = pointer.steps[n];
      const TypeInfo info = types_.info(type);
      if (info.kind == Kind::Struct) {
        type = types_.member(type, uint32_t(analyses_.get<Constants>().literal(index).value_or(0)));
        continue;
      }
      std::optional<uint64_t> count;
      if (info.kind == Kind::Vector || info.kind == Kind::Matrix) count = info.count;
      if (info.kind == Kind::Array) count = analyses_.get<Constants>().literal(info.length);
      const bool isElement = n == view_.descriptorDims + 1 && pointer.kind != PointerKind::Outside;
      // Which descriptor is chosen does not change.
      if (n >= view_.descriptorDims) steps.push_back({index, count, isElement});
      type = info.element;
    }
    return steps;
  }

  /// The entry points that run a function, each with its size where that is literal.
  std::vector<Under*> entriesOf(FunctionRef function) {
    if (entries_.empty())
      for (const EntryPoint& entry : analyses_.get<EntryPoints>().all()) {
        const bool isLiteral = entry.workgroupSize && entry.workgroupSize->isLiteral;
        entries_.push_back(std::make_unique<Under>(
            analyses_, entry, isLiteral ? std::optional(entry.workgroupSize->size) : std::nullopt));
      }
    std::vector<Under*> found;
    for (const auto& under : entries_)
      if (std::binary_search(under->entry->functions.begin(), under->entry->functions.end(),
                             function))
        found.push_back(under.get());
    return found;
  }

  bool isProved(const Step& step, BlockRef block) {
    const auto& [index, count, isElement] = step;
    if (const auto value = analyses_.get<Constants>().literal(index))
      return count && *value < *count;
    if (types_.info(module_.typeOf(index)).width != 32) return false;
    const std::vector<Under*> under = entriesOf(module_.functionOf(block));
    auto isBelow = [&](uint64_t limit) {
      return !under.empty() && std::all_of(under.begin(), under.end(), [&](Under* u) {
        const AffineExpr& form = u->affine.of(step.index);
        const auto range = u->affine.rangeAt(form, block);
        return range && !form.dependsOnSpec && range->second < limit;
      });
    };
    if (count && isBelow(*count)) return true;
    const bool isNonNegative = isBelow(uint64_t(INT32_MAX) + 1);
    for (const BlockCondition& c : collectConditions(analyses_, block))
      if (isGuard(c, index, count, isElement, isNonNegative)) return true;
    return false;
  }

  bool isGuard(const BlockCondition& c, Id index, std::optional<uint64_t> count, bool isElement,
               bool isNonNegative) const {
    const auto limit = upperLimit(module_, c, index);
    if (!limit || (limit->isSigned && !isNonNegative)) return false;
    if (const auto value = analyses_.get<Constants>().literal(limit->limit))
      return count && *value <= *count && (!limit->isSigned || *value <= INT32_MAX);
    if (!isElement || view_.descriptorDims != 0 || count) return false;
    return std::any_of(view_.lengths.begin(), view_.lengths.end(),
                       [&](InstRef length) { return module_.resultId(length) == limit->limit; });
  }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  const BufferView& view_;
  std::vector<std::unique_ptr<Under>> entries_;
};

} // namespace

InstRef findUnprovedIndex(Analyses& analyses, const BufferView& view) {
  return Indices(analyses, view).findUnproved();
}

InstRef findOutOfRangeIndex(Analyses& analyses, const BufferView& view, uint32_t subgroupSize) {
  return Indices(analyses, view).findLeaving(subgroupSize);
}

} // namespace lanewise
