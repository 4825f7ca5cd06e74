#include "analysis/buffers/buffer_traffic.h"

#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/values/affine.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;

/// Of an unrolled kernel with thousands of accesses, the first speak for all.
constexpr size_t kMaxAccesses = 1024;
/// Elements that an index which depends on data may lead to.
constexpr uint64_t kRandomElements = uint64_t(1) << 20;

uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

/// An index times a stride, both of which may be lane by lane.
struct Part {
  const AffineExpr* index = nullptr; ///< null: constant
  uint64_t constant = 0;
  uint64_t stride = 0;
};

class Collector {
public:
  Collector(Analyses& analyses, const BufferView& view, const TargetProfile& target,
            double workgroups)
      : analyses_(analyses), module_(analyses.module()), view_(view), target_(target),
        workgroups_(workgroups) {}

  BufferTraffic run() {
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all()) collectFrom(entry);
    return std::move(traffic_);
  }

private:
  void collectFrom(const EntryPoint& entry) {
    std::map<BlockRef, std::vector<const BufferAccess*>> byBlock;
    size_t count = 0;
    for (const BufferAccess& access : view_.accesses) {
      const BlockRef block = module_.blockOf(access.inst);
      const FunctionRef function = module_.functionOf(block);
      if (std::binary_search(entry.functions.begin(), entry.functions.end(), function) &&
          ++count <= kMaxAccesses)
        byBlock[block].push_back(&access);
    }
    if (byBlock.empty()) return;
    if (!entry.workgroupSize || entry.workgroupSize->invocations() > kMaxCountedInvocations) {
      traffic_.isKnown = false;
      return;
    }
    size_ = entry.workgroupSize->size;
    Affine affine(analyses_, size_, target_.subgroupSize);
    affine_ = &affine;
    const uint64_t invocations = entry.workgroupSize->invocations();
    const uint64_t subgroups = (invocations + target_.subgroupSize - 1) / target_.subgroupSize;
    for (const auto& [block, accesses] : byBlock) {
      if (isNeverRun(analyses_, affine, block)) continue;
      TrafficCluster inOrder, random;
      inOrder.weight = random.weight =
          blockFrequency(analyses_.get<Loops>(), block) * workgroups_ * double(subgroups);
      random.isRandom = true;
      collectLanes(block, invocations, subgroups);
      for (const BufferAccess* access : accesses)
        addSamples(isRandom(*access) ? random : inOrder, *access);
      for (TrafficCluster* cluster : {&inOrder, &random})
        if (!cluster->samples.empty()) traffic_.clusters.push_back(std::move(*cluster));
    }
  }

  /// The lanes of a few subgroups that come by the block.
  void collectLanes(BlockRef block, uint64_t invocations, uint64_t subgroups) {
    executions_.clear();
    const std::vector<BlockCondition> conditions = collectConditions(analyses_, block);
    for (uint64_t subgroup : std::set<uint64_t>{0, subgroups / 2})
      for (uint32_t seed : {0u, 1u}) {
        std::vector<LaneContext> lanes;
        const uint64_t first = subgroup * target_.subgroupSize;
        for (uint64_t n = first; n < std::min(first + target_.subgroupSize, invocations); ++n) {
          const LaneContext lane{localIdOf(n, size_), uint32_t(n - first), uint32_t(subgroup),
                                 seed};
          if (takesPart(conditions, lane)) lanes.push_back(lane);
        }
        if (!lanes.empty()) executions_.push_back(std::move(lanes));
      }
  }

  /// Conditions that cannot be computed are taken to mask none.
  bool takesPart(const std::vector<BlockCondition>& conditions, const LaneContext& lane) {
    for (const BlockCondition& c : conditions) {
      const AffineExpr& form = affine_->of(c.condition);
      if (!affine_->isEvaluable(form) || affine_->isWorkgroupUniform(form)) continue;
      const auto value = affine_->evaluate(form, lane);
      if (!value || (*value != 0) == c.negated) return false;
    }
    return true;
  }

  /// Whether nobody knows which elements the lanes ask for.
  bool isRandom(const BufferAccess& access) {
    const BufferPointer& pointer = view_.pointers[access.pointer];
    const Part element = partOf(pointer.steps[view_.descriptorDims + 1], 1);
    if (!element.index) return false;
    for (const std::vector<LaneContext>& lanes : executions_)
      for (const LaneContext& lane : lanes)
        if (!affine_->evaluate(*element.index, lane)) return true;
    return false;
  }

  uint64_t valueOf(const AffineExpr& form, const LaneContext& lane) {
    if (const auto value = affine_->evaluate(form, lane)) return *value;
    uint64_t sum = int64_t(int32_t(form.constant));
    for (const auto& [term, coefficient] : form.terms) {
      AffineExpr one;
      one.terms.push_back({term, 1});
      uint64_t value = 0;
      if (const auto known = affine_->evaluate(one, lane)) {
        value = *known;
      } else {
        value = mix(uint64_t(term) << 32 ^
                    (uint64_t(lane.localId[2]) << 24 ^ uint64_t(lane.localId[1]) << 12 ^
                     lane.localId[0]) ^
                    uint64_t(lane.seed) << 60) %
                kRandomElements;
      }
      sum += value * uint64_t(int64_t(int32_t(coefficient)));
    }
    return sum;
  }

  Part partOf(Id index, uint64_t stride) {
    if (const auto value = analyses_.get<Constants>().value(index))
      return {nullptr, uint64_t(value->asSigned()), stride};
    if (analyses_.get<Types>().info(module_.typeOf(index)).width > 32) return {nullptr, 0, stride};
    return {&affine_->of(index), 0, stride};
  }

  /// The steps inside a leaf.
  std::vector<Part> innerParts(const BufferPointer& pointer) {
    const Types& types = analyses_.get<Types>();
    const ElementLeaf& leaf = view_.leaves[pointer.leaf];
    std::vector<Part> parts;
    Id type = leaf.typeId, owner = leaf.owner;
    uint32_t member = leaf.member;
    for (size_t n = pointer.leafSteps; n < pointer.steps.size(); ++n) {
      const TypeInfo info = types.info(type);
      const Id index = pointer.steps[n];
      switch (info.kind) {
      case Kind::Struct: {
        const auto m = analyses_.get<Constants>().literal(index);
        owner = type;
        member = uint32_t(m.value_or(0));
        parts.push_back({nullptr, types.offset(type, member).value_or(0), 1});
        type = types.member(type, member);
        continue;
      }
      case Kind::Matrix:
        parts.push_back(partOf(index, types.matrixStride(owner, member).value_or(16)));
        break;
      case Kind::Vector:
        parts.push_back(partOf(index, types.info(info.element).width / 8));
        break;
      default:
        parts.push_back(partOf(index, types.arrayStride(type).value_or(4)));
        break;
      }
      type = info.element;
    }
    return parts;
  }

  void addSamples(TrafficCluster& cluster, const BufferAccess& access) {
    const BufferPointer& pointer = view_.pointers[access.pointer];
    const Part element = partOf(pointer.steps[view_.descriptorDims + 1], 1);
    const std::vector<Part> inner = access.isWhole ? std::vector<Part>() : innerParts(pointer);
    for (uint32_t leaf : access.leaves) {
      TrafficSample sample;
      sample.leaf = leaf;
      sample.bytes = access.isWhole ? view_.leaves[leaf].size : access.bytes;
      sample.isRead = access.isRead;
      sample.isWrite = access.isWrite;
      for (const std::vector<LaneContext>& lanes : executions_) {
        std::vector<LanePlace>& places = sample.executions.emplace_back();
        for (const LaneContext& lane : lanes) places.push_back(placeOf(element, inner, lane, leaf));
      }
      cluster.samples.push_back(std::move(sample));
    }
  }

  LanePlace placeOf(const Part& element, const std::vector<Part>& inner, const LaneContext& lane,
                    uint32_t leaf) {
    LanePlace place;
    place.element = element.index ? valueOf(*element.index, lane) : element.constant;
    // Negative numbers would lie before the buffer: what matters is who shares a sector.
    place.element += kRandomElements;
    place.element &= (uint64_t(1) << 34) - 1;
    for (const Part& part : inner)
      place.inner += (part.index ? valueOf(*part.index, lane) : part.constant) * part.stride;
    place.inner %= view_.leaves[leaf].size;
    return place;
  }

  Analyses& analyses_;
  const Module& module_;
  const BufferView& view_;
  const TargetProfile& target_;
  const double workgroups_;
  std::array<uint32_t, 3> size_{};
  Affine* affine_ = nullptr;
  std::vector<std::vector<LaneContext>> executions_;
  BufferTraffic traffic_;
};

} // namespace

BufferTraffic collectTraffic(Analyses& analyses, const BufferView& view,
                             const TargetProfile& target, double workgroups) {
  return Collector(analyses, view, target, workgroups).run();
}

} // namespace lanewise
