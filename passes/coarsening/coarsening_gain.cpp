#include "coarsening/coarsening_gain.h"

#include "analysis/branches/register_pressure.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/bank_conflicts.h"
#include "analysis/values/row_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanewise {
namespace {

constexpr uint32_t kScalarBytes = 4;

struct Options {
  /// Invocations that become one, at most.
  uint32_t maxCopies = 8;
  /// What must be gained at least.
  double leastGain = 1.25;
  /// Fewer invocations hide less latency: what twice the copies must gain is 2 to this power.
  double parallelism = 0.05;
  /// Merging along x spreads a subgroup over more rows, which costs coalescing: the same for that.
  double rows = 0.05;
  /// Part of a target's registers that live values may take; the rest is addresses and what is
  /// computed in between.
  double registerShare = 0.75;
};

} // namespace

CoarseningModel::CoarseningModel(Analyses& analyses, const TargetProfile& target,
                                 const EntryPoint& entry, const ConstructNesting& nesting,
                                 const MemoryEffects& effects, const InvocationIds& ids)
    : analyses_(analyses), module_(analyses.module()), target_(target), entry_(entry),
      affine_(analyses, entry.workgroupSize->size, target.subgroupSize) {
  for (uint32_t d = 0; d < 3; ++d) {
    CoarseningFactors factors;
    factors.merged[d] = entry.workgroupSize->size[d];
    if (factors.copies() > 1)
      along_[d].emplace(analyses, nesting, effects, ids, entry.function, factors);
  }
  const Loops& loops = analyses.get<Loops>();
  for (BlockRef b : nesting.order(entry.function)) {
    const double often = blockFrequency(loops, b);
    for (InstRef i : module_.blockInsts(b)) {
      const bool isAccess =
          module_.opcode(i) == spv::Op::OpLoad && !effects.in({i, InstRef(i.value + 1)}).empty();
      if (const double cost = isAccess ? accessCost(i) : arithmeticCost(i); cost > 0)
        work_.push_back({i, often * cost, isAccess, isAccess && loops.innermost(b)});
    }
  }
}

/// What all invocations of a workgroup compute alike, scalar units do beside the rest; what is
/// added to an address goes into the access.
double CoarseningModel::arithmeticCost(InstRef inst) {
  const bool isUniform = std::none_of(along_.begin(), along_.end(), [&](const auto& dimension) {
    return dimension && dimension->isReplicated(inst);
  });
  const spv::Op op = module_.opcode(inst);
  const bool isAddress = op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
  return isUniform || isAddress ? 0 : operationCost(analyses_, target_, inst);
}

/// Lanes that load the same are served by one access, as wide as hardware has them.
double CoarseningModel::accessCost(InstRef load) {
  const double each = operationCost(analyses_, target_, load);
  const double scalars = each / target_.loadCost;
  if (!along_[0] || along_[0]->isReplicated(load) || scalars <= 0) return each;
  return isWide(load) ? each * kScalarBytes / kWidestAccess
                      : each * std::ceil(scalars * kScalarBytes / kWidestAccess) / scalars;
}

/// Whether compilers make one access of several iterations' loads: of arrays of scalars in
/// Workgroup memory whose rows are aligned to that.
bool CoarseningModel::isWide(InstRef load) {
  const InstRef chain = module_.def(module_.idAt(load, 3));
  if (module_.opcode(chain) != spv::Op::OpAccessChain) return false;
  const Types& types = analyses_.get<Types>();
  const Id base = module_.idAt(chain, 3);
  std::vector<Id> indices;
  Id type = types.pointee(base);
  for (uint32_t w = 4; w < module_.wordCount(chain); ++w) {
    if (types.info(type).kind != TypeInfo::Kind::Array) return false;
    type = types.info(type).element;
    indices.push_back(module_.idAt(chain, w));
    const bool isRow = w + 1 < module_.wordCount(chain);
    if (isRow && registersOf(analyses_, type) * kScalarBytes % kWidestAccess != 0) return false;
  }
  return registersOf(analyses_, type) == 1 &&
         walksAlongRow(analyses_, affine_, indices, module_.blockOf(load),
                       kWidestAccess / kScalarBytes);
}

/// How often an instruction stands for all copies together, once --gvn has been there. A construct
/// that stands once for each copy stays so.
uint32_t CoarseningModel::versions(InstRef inst, const CoarseningFactors& factors) const {
  uint32_t count = 1;
  for (uint32_t d = 0; d < 3; ++d) {
    if (!factors.isMerged(d)) continue;
    if (along_[d]->isInSplit(module_.blockOf(inst))) return factors.copies();
    if (along_[d]->isReplicated(inst)) count *= factors.merged[d];
  }
  return count;
}

CoarseningModel::Load CoarseningModel::loadOf(const CoarseningFactors& factors) const {
  Load load;
  for (const Work& w : work_)
    (w.isAccess ? load.accesses : load.arithmetic) +=
        w.cost * versions(w.inst, factors) / factors.copies();
  return load;
}

double CoarseningModel::gain(const CoarseningFactors& factors) const {
  const double before = loadOf({}).time(), after = loadOf(factors).time();
  return after > 0 ? before / after : 1;
}

bool CoarseningModel::sharesLoadsInLoops(const CoarseningFactors& factors) const {
  return std::any_of(work_.begin(), work_.end(), [&](const Work& w) {
    return w.isLoadInLoop && versions(w.inst, factors) < factors.copies();
  });
}

uint32_t CoarseningModel::registers(const CoarseningFactors& factors) const {
  const RegisterPressure pressure(analyses_,
                                  [&](Id value) { return versions(module_.def(value), factors); });
  uint32_t most = 0;
  const uint32_t first = module_.firstBlock(entry_.function).value;
  for (uint32_t n = 0; n < module_.blockCount(entry_.function); ++n)
    most = std::max(most, pressure.atEnd(BlockRef(first + n)));
  return most;
}

/// The factors divide the size, and leave whole subgroups, side by side where they were.
bool CoarseningModel::isWorthALook(const CoarseningFactors& factors) const {
  const std::array<uint32_t, 3>& size = entry_.workgroupSize->size;
  for (uint32_t d = 0; d < 3; ++d)
    if (size[d] % factors.merged[d] != 0) return false;
  if (factors.copies() == 1 || factors.copies() > Options().maxCopies) return false;
  if (entry_.workgroupSize->invocations() / factors.copies() < target_.subgroupSize) return false;
  return size[0] % target_.subgroupSize != 0 ||
         size[0] / factors.merged[0] % target_.subgroupSize == 0;
}

std::vector<CoarseningFactors> CoarseningModel::candidates() const {
  const Options options;
  std::vector<std::pair<double, CoarseningFactors>> rated;
  for (uint32_t x = 1; x <= options.maxCopies; x *= 2)
    for (uint32_t y = 1; x * y <= options.maxCopies; y *= 2)
      for (uint32_t z = 1; x * y * z <= options.maxCopies; z *= 2) {
        const CoarseningFactors factors{{x, y, z}};
        if (!isWorthALook(factors) || !sharesLoadsInLoops(factors)) continue;
        const double now = gain(factors);
        if (now < options.leastGain ||
            registers(factors) > target_.registersPerLane * options.registerShare)
          continue;
        rated.emplace_back(now / std::pow(factors.copies(), options.parallelism) /
                               std::pow(x, options.rows),
                           factors);
      }
  std::stable_sort(rated.begin(), rated.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CoarseningFactors> all;
  for (const auto& [rating, factors] : rated) all.push_back(factors);
  return all;
}

} // namespace lanewise
