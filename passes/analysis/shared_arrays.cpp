#include "analysis/shared_arrays.h"

#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/def_use.h"
#include "analysis/loops.h"
#include "analysis/types.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <set>

namespace lanewise {
namespace {

/// Workgroups larger than any device takes are not counted.
constexpr uint64_t kMaxInvocations = 4096;

/// Follows the pointers derived from one variable.
class UseWalk {
public:
  UseWalk(Analyses& analyses, const TargetProfile& target, SharedArray& array)
      : module_(analyses.module()), types_(analyses.types()), constants_(analyses.constants()),
        uses_(analyses.defUse()), target_(target), array_(array) {}

  void run() {
    std::vector<Pointer> work{{array_.id, {}, array_.dimensions.front().type, 0, {}, true, false}};
    while (!work.empty()) {
      Pointer pointer = std::move(work.back());
      work.pop_back();
      for (Use use : uses_.uses(pointer.id)) visit(pointer, use, work);
    }
    auto byInst = [](const auto& a, const auto& b) { return a.inst < b.inst; };
    std::sort(array_.accesses.begin(), array_.accesses.end(), byInst);
    std::sort(array_.obstacles.begin(), array_.obstacles.end(), byInst);
    std::sort(array_.partialChains.begin(), array_.partialChains.end());
  }

private:
  /// A pointer into the array: the path to what it points at.
  struct Pointer {
    Id id;
    std::vector<Id> indices; ///< of the dimensions consumed so far
    Id pointee;
    uint64_t offset; ///< inside the element
    std::vector<std::pair<Id, uint64_t>> dynamicOffsets;
    bool isOffsetKnown;
    bool isArgument; ///< a function's parameter: the call is the access, what the body does is not
  };

  bool isElement(const Pointer& p) const { return p.indices.size() == array_.dimensions.size(); }

  void obstacle(InstRef inst, std::string_view name, std::string reason) {
    array_.obstacles.push_back({inst, name, std::move(reason)});
  }

  void access(const Pointer& p, InstRef inst, Id type) {
    if (p.isArgument) return;
    auto layout = types_.naturalLayout(type, target_.vec3Stride);
    // Of a struct without members, or one so large that its offsets are not counted.
    if (!p.isOffsetKnown || !layout || layout->size == 0)
      return obstacle(inst, "unknown-element-layout", "the place inside the element is not known");
    array_.accesses.push_back({inst, p.indices, p.offset, p.dynamicOffsets,
                               uint32_t(std::min<uint64_t>(layout->size, 1 << 20))});
  }

  /// An access with memory operands from word `operands` on. One that promises more alignment than
  /// its type has by nature counts on where the rows begin.
  void memoryAccess(const Pointer& p, InstRef inst, uint32_t operands) {
    const auto layout = types_.naturalLayout(p.pointee, target_.vec3Stride);
    for (uint32_t word = operands; word < module_.wordCount(inst);) {
      // OpCopyMemory has two sets from SPIR-V 1.4 on. Behind the mask stand the alignment and
      // scopes.
      using Mask = spv::MemoryAccessMask;
      constexpr auto kAligned = uint32_t(Mask::Aligned);
      const uint32_t mask = module_.word(inst, word++);
      if ((mask & kAligned) != 0 && (!layout || module_.word(inst, word) > layout->align))
        return obstacle(inst, "aligned-access",
                        "an access promises more alignment than its type has");
      word += uint32_t(std::popcount(mask & (kAligned | uint32_t(Mask::MakePointerAvailable) |
                                             uint32_t(Mask::MakePointerVisible) |
                                             uint32_t(Mask::AliasScopeINTELMask) |
                                             uint32_t(Mask::NoAliasINTELMask))));
    }
    access(p, inst, p.pointee);
  }

  void visit(const Pointer& p, Use use, std::vector<Pointer>& work) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    // Not in a module that the validator passed; but whoever uses the library need not have one.
    if (module_.isUnknown(user))
      return obstacle(user, "unknown-instruction", fmt::format("{} is not known", facts.name));
    switch (facts.opcode) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      if (use.word == 3) return follow(p, user, work);
      break;
    case spv::Op::OpCopyObject: // the sub-array case would need its own result type
      if (!isElement(p))
        return obstacle(user, "pointer-copy", "a pointer to a whole row or array is copied");
      work.push_back({module_.resultId(user), p.indices, p.pointee, p.offset, p.dynamicOffsets,
                      p.isOffsetKnown, p.isArgument});
      return;
    case spv::Op::OpEntryPoint:
      return;
    case spv::Op::OpExtInst:
      if (isDebugInfo(user)) return;
      break;
    default:
      if (facts.opClass == OpClass::Debug || facts.opClass == OpClass::Annotation) return;
      break;
    }
    if (isElement(p)) return visitElementUse(p, use, work);
    visitWholeUse(use);
  }

  bool isDebugInfo(InstRef extInst) const {
    ExtInstSet set = module_.extInstSet(module_.idAt(extInst, 3));
    return set == ExtInstSet::NonSemanticShaderDebugInfo100 ||
           set == ExtInstSet::NonSemanticOther || set == ExtInstSet::OpenClDebugInfo100 ||
           set == ExtInstSet::DebugInfo;
  }

  /// Uses of a pointer to an element: anything that reads or writes just there.
  void visitElementUse(const Pointer& p, Use use, std::vector<Pointer>& work) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    switch (facts.opcode) {
    case spv::Op::OpLoad:
      return memoryAccess(p, user, 4);
    case spv::Op::OpStore:
      if (use.word == 1) return memoryAccess(p, user, 3);
      return obstacle(user, "pointer-stored", "a pointer into the array is stored");
    case spv::Op::OpCopyMemory:
      return memoryAccess(p, user, 3);
    case spv::Op::OpFunctionCall:
      access(p, user, p.pointee);
      return followArgument(p, use, work);
    case spv::Op::OpExtInst:
      // modf and frexp store to their pointer; OpenCL's vloadn and the like walk on from theirs.
      if (module_.extInstSet(module_.idAt(user, 3)) == ExtInstSet::GlslStd450)
        return access(p, user, p.pointee);
      return obstacle(user, "unsupported-use",
                      "an extended instruction uses a pointer into the array");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return obstacle(user, "pointer-arithmetic", "pointer arithmetic on an element of the array");
    case spv::Op::OpPtrEqual:
    case spv::Op::OpPtrNotEqual:
      return;
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
      return obstacle(user, "variable-pointer", "a variable pointer into the array");
    default:
      break;
    }
    if (has(facts.effects, Effect::Atomic)) return access(p, user, p.pointee);
    if (facts.name.find("CooperativeMatrix") != std::string_view::npos)
      return obstacle(user, "cooperative-matrix",
                      "a cooperative matrix is loaded or stored with a stride of its own");
    obstacle(user, "unsupported-use", fmt::format("{} uses a pointer into the array", facts.name));
  }

  /// Uses of the array or of one of its rows as a whole.
  void visitWholeUse(Use use) {
    const InstRef user = use.user;
    const OpcodeFacts& facts = module_.facts(user);
    switch (facts.opcode) {
    case spv::Op::OpLoad:
      return obstacle(user, "whole-array-load", "a whole row or array is loaded");
    case spv::Op::OpStore:
      return obstacle(user, "whole-array-store", "a whole row or array is stored");
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return obstacle(user, "whole-array-copy", "a whole row or array is copied");
    case spv::Op::OpFunctionCall:
      return obstacle(
          user, "pointer-argument",
          "a pointer to a whole row or array is passed to a function (run inlining first: "
          "-O does)");
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
      return obstacle(user, "variable-pointer", "a variable pointer to a row of the array");
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpPtrDiff:
      return obstacle(user, "pointer-arithmetic", "pointer arithmetic on rows of the array");
    default:
      return obstacle(user, "unsupported-use",
                      fmt::format("{} uses a pointer to a whole row or array", facts.name));
    }
  }

  /// A pointer to an element that is passed to a function: the body must not walk on from it.
  void followArgument(const Pointer& base, Use use, std::vector<Pointer>& work) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(use.user, 3));
    if (!callee || module_.blockCount(callee) == 0)
      return obstacle(use.user, "element-argument",
                      "a pointer to an element is passed to a function of another module");
    uint32_t argument = use.word - 4; // behind the result and the function
    for (InstRef i : module_.functionInsts(callee)) {
      if (module_.opcode(i) != spv::Op::OpFunctionParameter || argument-- != 0) continue;
      if (!arguments_.insert(module_.resultId(i).value).second) return;
      Pointer p = base;
      p.id = module_.resultId(i);
      p.isArgument = true;
      work.push_back(std::move(p));
      return;
    }
  }

  /// An access chain: first through the array's own dimensions, then into the element.
  void follow(const Pointer& base, InstRef chain, std::vector<Pointer>& work) {
    Pointer p = base;
    p.id = module_.resultId(chain);
    for (uint32_t word = 4; word < module_.wordCount(chain); ++word) {
      const Id index = module_.idAt(chain, word);
      if (!isElement(p)) {
        p.indices.push_back(index);
        p.pointee = types_.info(p.pointee).element;
      } else {
        stepInside(p, index);
      }
    }
    if (!isElement(p)) array_.partialChains.push_back({chain, uint32_t(p.indices.size())});
    work.push_back(std::move(p));
  }

  /// One step into the element: a struct member, array element, matrix column or vector component.
  void stepInside(Pointer& p, Id index) {
    const TypeInfo& type = types_.info(p.pointee);
    const auto constant = constants_.value(index);
    if (type.kind == TypeInfo::Kind::Struct) {
      if (!constant || constant->bits >= type.count) {
        p.isOffsetKnown = false;
        return;
      }
      auto offset =
          types_.naturalMemberOffset(p.pointee, uint32_t(constant->bits), target_.vec3Stride);
      if (offset) p.offset += *offset;
      p.isOffsetKnown &= offset.has_value();
      p.pointee = types_.member(p.pointee, uint32_t(constant->bits));
      return;
    }
    auto layout = types_.naturalLayout(type.element, target_.vec3Stride);
    if (!layout) {
      p.isOffsetKnown = false;
    } else {
      const uint64_t step = (layout->size + layout->align - 1) / layout->align * layout->align;
      if (constant)
        p.offset += uint64_t(constant->asSigned()) * step;
      else
        p.dynamicOffsets.push_back({index, step});
    }
    p.pointee = type.element;
  }

  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const DefUse& uses_;
  const TargetProfile& target_;
  SharedArray& array_;
  std::set<uint32_t> arguments_; ///< parameters that were followed
};

std::array<uint32_t, 3> localIdOf(uint64_t invocation, std::array<uint32_t, 3> size) {
  return {uint32_t(invocation % size[0]), uint32_t(invocation / size[0] % size[1]),
          uint32_t(invocation / (uint64_t(size[0]) * size[1]))};
}

} // namespace

std::vector<uint64_t> SharedArray::extents() const {
  std::vector<uint64_t> result;
  for (const ArrayDimension& d : dimensions) result.push_back(d.extent);
  return result;
}

std::vector<uint64_t> SharedArray::strides(const std::vector<uint64_t>& extents) const {
  std::vector<uint64_t> result(extents.size());
  uint64_t stride = elementBytes;
  for (size_t d = extents.size(); d-- > 0;) {
    result[d] = stride;
    stride *= extents[d];
  }
  return result;
}

std::vector<SharedArray> collectSharedArrays(Analyses& analyses, const TargetProfile& target) {
  const Module& module = analyses.module();
  std::vector<SharedArray> arrays;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpVariable) continue;
    if (spv::StorageClass(module.word(i, 3)) != spv::StorageClass::Workgroup) continue;
    const Types& types = analyses.types();
    SharedArray array;
    array.variable = i;
    array.id = module.resultId(i);
    array.elementType = types.info(module.resultType(i)).element;
    while (types.info(array.elementType).kind == TypeInfo::Kind::Array) {
      const TypeInfo& info = types.info(array.elementType);
      const auto extent = types.arrayLength(array.elementType);
      array.dimensions.push_back({array.elementType, info.length, extent.value_or(0)});
      array.elementType = info.element;
    }
    if (array.dimensions.empty()) continue;
    if (auto layout = types.naturalLayout(array.elementType, target.vec3Stride))
      array.elementBytes = (layout->size + layout->align - 1) / layout->align * layout->align;
    UseWalk(analyses, target, array).run();
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<Id> workgroupVariables(Analyses& analyses, const EntryPoint& entry) {
  const Module& module = analyses.module();
  std::vector<Id> ids = entry.variables;
  // From SPIR-V 1.4 on the interface lists them too, and may list more than what is used.
  const size_t nameWords = entry.name(module).size() / 4 + 1;
  for (uint32_t word = 3 + uint32_t(nameWords); word < module.wordCount(entry.inst); ++word)
    ids.push_back(module.idAt(entry.inst, word));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::erase_if(
      ids, [&](Id id) { return analyses.types().storageOf(id) != spv::StorageClass::Workgroup; });
  return ids;
}

std::optional<uint64_t> sharedMemoryBytes(Analyses& analyses, const EntryPoint& entry,
                                          const TargetProfile& target,
                                          const std::map<Id, uint64_t>& sizes) {
  const Module& module = analyses.module();
  const Types& types = analyses.types();
  uint64_t bytes = 0;
  for (Id id : workgroupVariables(analyses, entry)) {
    auto layout = types.naturalLayout(types.info(module.typeOf(id)).element, target.vec3Stride);
    if (!layout) return std::nullopt;
    bytes = (bytes + layout->align - 1) / layout->align * layout->align;
    const auto size = sizes.find(id);
    bytes += size == sizes.end() ? layout->size : size->second;
  }
  return bytes;
}

double blockFrequency(Analyses& analyses, BlockRef block) {
  const Loops& loops = analyses.loops();
  double frequency = 1;
  for (const Loop* loop = loops.innermost(block); loop; loop = loops.parent(*loop))
    frequency *= loop->tripCount ? double(*loop->tripCount) : kUnknownTripCount;
  return frequency;
}

/// Works out which lanes take part in an access, and with which indices.
class AccessPattern::Builder {
public:
  Builder(Analyses& analyses, Affine& affine, const SharedArray& array, const SharedAccess& access,
          const TargetProfile& target)
      : affine_(affine), array_(array), access_(access), target_(target) {
    for (Id index : access.indices) indices_.push_back(affine.of(index));
    for (const auto& [index, step] : access.dynamicOffsets) offsets_.push_back(affine.of(index));
    const Module& module = analyses.module();
    for (BlockCondition c : collectConditions(analyses, module.blockOf(access.inst))) {
      // What is uniform masks all lanes or none; what cannot be computed is taken to mask none.
      const AffineExpr& e = affine.of(c.condition);
      if (!affine.isWorkgroupUniform(e) && affine.isEvaluable(e))
        conditions_.push_back({e, c.negated});
    }
  }

  bool isEvaluable() const {
    auto evaluable = [&](const AffineExpr& e) { return affine_.isEvaluable(e); };
    return std::all_of(indices_.begin(), indices_.end(), evaluable) &&
           std::all_of(offsets_.begin(), offsets_.end(), evaluable);
  }

  /// How many values of what is uniform are worth looking at.
  uint32_t samples() const {
    uint32_t count = 1;
    for (const AffineExpr& e : indices_) count = std::max(count, affine_.distinctUniformStates(e));
    for (const AffineExpr& e : offsets_) count = std::max(count, affine_.distinctUniformStates(e));
    for (const auto& [e, negated] : conditions_)
      count = std::max(count, affine_.distinctUniformStates(e));
    return count;
  }

  /// True if some lane's index of dimension `d` is sure to leave its extent.
  bool leavesExtent(const Constants& constants, size_t d, std::array<uint32_t, 3> size) {
    const uint64_t extent = array_.dimensions[d].extent;
    if (const auto constant = constants.value(access_.indices[d]))
      return constant->asSigned() < 0 || constant->bits >= extent;
    const AffineExpr& index = indices_[d];
    if (index.range && index.range->second < extent) return false;
    if (index.range && index.range->first >= extent) return true;
    const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
    if (invocations > kMaxInvocations || !affine_.isEvaluable(index) ||
        affine_.distinctUniformStates(index) != 1)
      return false;
    for (uint64_t n = 0; n < invocations; ++n) {
      const uint32_t lanes = target_.subgroupSize;
      const LaneContext context{localIdOf(n, size), uint32_t(n % lanes), uint32_t(n / lanes), 0};
      const auto value = affine_.evaluate(index, context);
      if (value && *value >= extent && takesPart(context)) return true;
    }
    return false;
  }

  /// Fills in `values` (the indices, then the offset inside the element) for one lane; false if the
  /// lane takes no part, because a condition masks it or an index is undefined for it.
  bool lane(const LaneContext& context, uint32_t* values) {
    if (!takesPart(context)) return false;
    for (size_t n = 0; n < indices_.size(); ++n) {
      const auto value = affine_.evaluate(indices_[n], context);
      if (!value) return false;
      values[n] = *value;
    }
    uint64_t inside = access_.offset;
    for (size_t n = 0; n < offsets_.size(); ++n) {
      const auto value = affine_.evaluate(offsets_[n], context);
      if (!value) return false;
      inside += *value * access_.dynamicOffsets[n].second;
    }
    values[indices_.size()] = uint32_t(inside);
    return true;
  }

  /// All lanes of the subgroup that starts at local invocation `first`.
  Subgroup subgroup(uint64_t first, std::array<uint32_t, 3> size, uint32_t seed) {
    const size_t width = indices_.size() + 1;
    const uint32_t lanes = target_.subgroupSize;
    const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
    Subgroup result;
    result.values.resize(lanes * width);
    result.active.resize(lanes);
    for (uint32_t n = 0; n < lanes && first + n < invocations; ++n) {
      const LaneContext context{localIdOf(first + n, size), n, uint32_t(first / lanes), seed};
      uint32_t* values = &result.values[n * width];
      result.active[n] = lane(context, values);
      if (!result.active[n]) std::fill(values, values + width, 0);
    }
    // Moving all lanes by whole words moves all banks alike: write indices relative to the first
    // lane's, so that subgroups which differ in nothing else are counted once.
    const auto origin = std::find(result.active.begin(), result.active.end(), true);
    if (array_.elementBytes % target_.bankBytes != 0 || origin == result.active.end())
      return result;
    const auto at = result.values.begin() + (origin - result.active.begin()) * ptrdiff_t(width);
    const std::vector<uint32_t> base(at, at + ptrdiff_t(width) - 1);
    for (uint32_t n = 0; n < lanes; ++n)
      for (size_t d = 0; result.active[n] && d < base.size(); ++d)
        result.values[n * width + d] -= base[d];
    return result;
  }

private:
  /// False if a condition masks the lane.
  bool takesPart(const LaneContext& context) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& c) {
      const auto value = affine_.evaluate(c.first, context);
      return value && (*value != 0) != c.second;
    });
  }

  Affine& affine_;
  const SharedArray& array_;
  const SharedAccess& access_;
  const TargetProfile& target_;
  std::vector<AffineExpr> indices_, offsets_;
  std::vector<std::pair<AffineExpr, bool>> conditions_; ///< and whether it is negated
};

std::optional<AccessPattern> AccessPattern::build(Analyses& analyses, Affine& affine,
                                                  const SharedArray& array,
                                                  const SharedAccess& access,
                                                  std::array<uint32_t, 3> size,
                                                  const TargetProfile& target) {
  const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
  if (invocations > kMaxInvocations) return std::nullopt;
  Builder builder(analyses, affine, array, access, target);
  if (!builder.isEvaluable()) return std::nullopt;
  AccessPattern pattern;
  pattern.rank_ = uint32_t(access.indices.size());
  pattern.bytes_ = access.bytes;
  const uint32_t samples = builder.samples();
  for (uint32_t seed = 0; seed < samples; ++seed)
    for (uint64_t first = 0; first < invocations; first += target.subgroupSize) {
      Subgroup subgroup = builder.subgroup(first, size, seed);
      if (std::find(subgroup.active.begin(), subgroup.active.end(), true) == subgroup.active.end())
        continue;
      auto same = std::find_if(pattern.subgroups_.begin(), pattern.subgroups_.end(), [&](auto& s) {
        return s.active == subgroup.active && s.values == subgroup.values;
      });
      if (same != pattern.subgroups_.end())
        ++same->weight;
      else
        pattern.subgroups_.push_back(std::move(subgroup));
    }
  return pattern;
}

std::optional<uint32_t> AccessPattern::dimensionOutOfRange(Analyses& analyses, Affine& affine,
                                                           const SharedArray& array,
                                                           const SharedAccess& access,
                                                           std::array<uint32_t, 3> size,
                                                           const TargetProfile& target) {
  Builder builder(analyses, affine, array, access, target);
  for (size_t d = 1; d < access.indices.size(); ++d)
    if (builder.leavesExtent(analyses.constants(), d, size)) return uint32_t(d);
  return std::nullopt;
}

uint64_t AccessPattern::lanes() const {
  uint64_t lanes = 0;
  for (const Subgroup& subgroup : subgroups_) lanes += subgroup.active.size();
  return lanes;
}

AccessCost AccessPattern::cost(const TargetProfile& target,
                               const std::vector<uint64_t>& strides) const {
  AccessCost cost;
  double cycles = 0, weights = 0;
  std::vector<std::optional<uint64_t>> addresses;
  for (const Subgroup& subgroup : subgroups_) {
    addresses.assign(subgroup.active.size(), std::nullopt);
    for (size_t lane = 0; lane < subgroup.active.size(); ++lane) {
      if (!subgroup.active[lane]) continue;
      const uint32_t* values = &subgroup.values[lane * (rank_ + 1)];
      // Differences to the first lane may be negative; keep addresses positive and aligned.
      uint64_t address = (uint64_t(1) << 40) + values[rank_];
      for (uint32_t n = 0; n < rank_; ++n)
        address += uint64_t(int64_t(int32_t(values[n])) * int64_t(strides[n]));
      addresses[lane] = address;
    }
    const BankConflicts conflicts = countBankConflicts(target, addresses, bytes_);
    cost.degree = std::max(cost.degree, conflicts.degree);
    cost.cleanCycles = std::max(cost.cleanCycles, conflicts.phases);
    cycles += double(conflicts.cycles) * subgroup.weight;
    weights += subgroup.weight;
  }
  cost.cycles = weights > 0 ? cycles / weights : 0;
  return cost;
}

} // namespace lanewise
