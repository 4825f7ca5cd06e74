#include "analysis/branches/selection_cost.h"

#include "analysis/branches/divergence.h"
#include "analysis/branches/operation_cost.h"
#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace lanewise {
namespace {

/// How likely it is at least that the lanes of a subgroup move together where several of them may
/// have read the same (`group[id / n]`): data often has runs.
constexpr double kTogetherIfShared = 0.5;
/// Of branchCost: where one arm is empty and lanes part, and where they do not part.
constexpr double kOneArm = 0.4, kNoParting = 0.5;
/// Constants from here on say that what is compared with them uses all 32 bits.
constexpr uint32_t kWide = 1u << 24;
constexpr uint32_t kMaxDepth = 8;
/// Values that are looked at in order to see where a condition comes from.
constexpr size_t kMaxValues = 64;

/// That some lane of a subgroup goes where each goes with this probability, when all move together
/// with probability `together`.
double anyLaneOf(double probability, uint32_t lanes, double together) {
  return together * probability + (1 - together) * (1 - std::pow(1 - probability, lanes));
}

/// The same where the probability is not known: every one is as likely, among this many arms.
double anyLaneOfUnknown(size_t arms, uint32_t lanes, double together) {
  if (arms != 2) return anyLaneOf(1.0 / double(std::max<size_t>(arms, 1)), lanes, together);
  return 1 - (together / 2 + (1 - together) / (lanes + 1));
}

/// Probability of the true side by the weights that may stand behind the targets (SPIR-V 3.42.17).
std::optional<double> weightOfTrue(const Module& module, InstRef branch) {
  if (module.opcode(branch) != spv::Op::OpBranchConditional || module.wordCount(branch) < 6)
    return std::nullopt;
  const double yes = module.word(branch, 4), no = module.word(branch, 5);
  if (yes + no == 0) return std::nullopt;
  return yes / (yes + no);
}

} // namespace

SelectionOdds::SelectionOdds(Analyses& analyses, const TargetProfile& target)
    : analyses_(analyses), target_(target) {
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (entry.workgroupSize)
      kernels_.push_back({&entry, std::make_unique<Affine>(analyses, entry.workgroupSize->size,
                                                           target.subgroupSize)});
}

/// The entry point that runs the block, where there is only one.
const SelectionOdds::Kernel* SelectionOdds::kernelOf(BlockRef block) const {
  const FunctionRef function = analyses_.module().functionOf(block);
  const Kernel* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    const auto& runs = kernel.entry->functions;
    if (!std::binary_search(runs.begin(), runs.end(), function)) continue;
    if (found) return nullptr;
    found = &kernel;
  }
  return found;
}

/// By the form of a condition: `(x & 3) == 0`, `x >> 28 < 4`, `x < 0x80000000`, where all values of
/// x are as likely.
std::optional<double> SelectionOdds::probabilityOfTrue(Id condition, const Kernel* kernel,
                                                       uint32_t depth) {
  const Module& module = analyses_.module();
  const InstRef def = module.def(condition);
  if (!def || !module.blockOf(def) || depth > kMaxDepth) return std::nullopt;
  const spv::Op op = module.opcode(def);
  auto operand = [&](uint32_t n) { return module.idAt(def, 3 + n); };
  auto inverse = [](std::optional<double> p) { return p ? std::optional(1 - *p) : p; };
  switch (op) {
  case spv::Op::OpLogicalNot:
    return inverse(probabilityOfTrue(operand(0), kernel, depth + 1));
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr: {
    auto a = probabilityOfTrue(operand(0), kernel, depth + 1);
    auto b = probabilityOfTrue(operand(1), kernel, depth + 1);
    if (!a || !b) return std::nullopt;
    return op == spv::Op::OpLogicalAnd ? *a * *b : 1 - (1 - *a) * (1 - *b);
  }
  default:
    break;
  }
  const TypeInfo& type = analyses_.get<Types>().info(module.typeOf(operand(0)));
  if (type.kind != TypeInfo::Kind::Int || type.width != 32) return std::nullopt;
  const auto bound = analyses_.get<Constants>().value(operand(1));
  if (!bound) return std::nullopt;
  const double c = double(bound->bits);
  // How many values there are, and where they end.
  double values = 0, last = 0;
  const InstRef left = module.def(operand(0));
  const auto mask = left && module.opcode(left) == spv::Op::OpBitwiseAnd
                        ? analyses_.get<Constants>().value(module.idAt(left, 4))
                        : std::nullopt;
  const auto range = kernel ? kernel->affine->of(operand(0)).range : std::nullopt;
  if (mask)
    values = std::exp2(std::popcount(mask->bits)), last = double(mask->bits);
  else if (range)
    values = double(range->second) - range->first + 1, last = range->second;
  else if (bound->bits >= kWide)
    values = std::exp2(32), last = values - 1;
  else
    return std::nullopt;
  const double below = std::clamp(c / (last + 1), 0.0, 1.0);
  switch (op) {
  case spv::Op::OpIEqual:
    return 1 / values;
  case spv::Op::OpINotEqual:
    return 1 - 1 / values;
  case spv::Op::OpULessThan:
    return below;
  case spv::Op::OpULessThanEqual:
    return std::min(1.0, (c + 1) / (last + 1));
  case spv::Op::OpUGreaterThan:
    return 1 - std::min(1.0, (c + 1) / (last + 1));
  case spv::Op::OpUGreaterThanEqual:
    return 1 - below;
  default:
    return std::nullopt;
  }
}

/// Whether all lanes of a subgroup compute the same, if what they read is the same wherever they
/// read at the same address. `pending` holds the values that are being looked at.
bool SelectionOdds::isSameForSubgroup(Id value, const Kernel& kernel, std::vector<Id>& pending) {
  const Module& module = analyses_.module();
  const InstRef def = module.def(value);
  if (!def || !module.blockOf(def)) return def && module.opcode(def) != spv::Op::OpVariable;
  if (uniformityOf(analyses_, UniformScope::Subgroup).isUniform(value)) return true;
  if (std::find(pending.begin(), pending.end(), value) != pending.end())
    return true; // round a loop
  if (pending.size() > kMaxValues) return false;
  pending.push_back(value);
  const TypeInfo& type = analyses_.get<Types>().info(module.typeOf(value));
  if (type.kind == TypeInfo::Kind::Int && type.width <= 32 &&
      isSameInSubgroups(*kernel.affine, kernel.entry->workgroupSize->size, target_.subgroupSize,
                        value, module.blockOf(def)))
    return true;
  const spv::Op op = module.opcode(def);
  if (op == spv::Op::OpLoad) {
    const PointerOrigin origin = originOf(analyses_, module.idAt(def, 3));
    const auto storage = analyses_.get<Types>().storageOf(module.idAt(def, 3));
    const bool isMemory = storage == spv::StorageClass::StorageBuffer ||
                          storage == spv::StorageClass::Uniform ||
                          storage == spv::StorageClass::Workgroup;
    return isMemory && origin.variable &&
           std::all_of(origin.indices.begin(), origin.indices.end(),
                       [&](Id index) { return isSameForSubgroup(index, kernel, pending); });
  }
  if (op != spv::Op::OpPhi && !isFunctionOfOperands(module.facts(def))) return false;
  bool areSame = true;
  module.forEachIdOperand(def, [&](uint32_t n, Id id) {
    const bool isValue = n > 1 && bool(module.typeOf(id));
    if (areSame && isValue) areSame = isSameForSubgroup(id, kernel, pending);
  });
  return areSame;
}

/// Whether something that the value is computed from was read at an address that several lanes may
/// have in common: a function of the invocation ids that is not proved to be another one for each.
bool SelectionOdds::readsSharedAddress(Id value, const Kernel& kernel, std::vector<Id>& seen) {
  const Module& module = analyses_.module();
  const InstRef def = module.def(value);
  if (!def || !module.blockOf(def) || seen.size() > kMaxValues ||
      std::find(seen.begin(), seen.end(), value) != seen.end())
    return false;
  seen.push_back(value);
  Affine& affine = *kernel.affine;
  auto isShared = [&](Id index) {
    const AffineExpr& form = affine.of(index);
    const bool isOwn = std::any_of(form.terms.begin(), form.terms.end(), [&](auto t) {
      const AffineTerm::Kind kind = affine.term(t.first).kind;
      return kind == AffineTerm::Kind::LocalId || kind == AffineTerm::Kind::SubgroupLane;
    });
    return !isOwn && affine.isEvaluable(form) && !affine.isWorkgroupUniform(form);
  };
  if (module.opcode(def) == spv::Op::OpLoad) {
    const PointerOrigin origin = originOf(analyses_, module.idAt(def, 3));
    return std::any_of(origin.indices.begin(), origin.indices.end(), isShared);
  }
  bool isFound = false;
  module.forEachIdOperand(def, [&](uint32_t n, Id id) {
    if (!isFound && n > 1 && module.typeOf(id)) isFound = readsSharedAddress(id, kernel, seen);
  });
  return isFound;
}

BranchOdds SelectionOdds::of(const Selection& s) {
  const size_t arms = s.arms.size();
  const uint32_t lanes = target_.subgroupSize;
  const Kernel* kernel = kernelOf(s.header);
  BranchOdds odds;
  std::optional<double> yes;
  if (!s.isSwitch && arms == 2) {
    const auto splits = kernel ? countSplits(*kernel->affine, kernel->entry->workgroupSize->size,
                                             lanes, s.condition, s.header)
                               : std::nullopt;
    if (splits && splits->subgroups > 0) {
      const double all = splits->subgroups;
      return {{splits->anyTrue / all, splits->anyFalse / all},
              splits->splitting / all,
              "counted lane by lane"};
    }
    yes = weightOfTrue(analyses_.module(), s.branch);
    odds.source = yes ? "branch weights" : "unknown";
    if (!yes && (yes = probabilityOfTrue(s.condition, kernel))) odds.source = "condition";
  }
  std::vector<Id> pending;
  if (uniformityOf(analyses_, UniformScope::Subgroup).isUniform(s.condition) ||
      (kernel && isSameForSubgroup(s.condition, *kernel, pending))) {
    odds.anyLane.assign(arms, 1.0 / double(std::max<size_t>(arms, 1)));
    if (yes) odds.anyLane = {*yes, 1 - *yes};
    odds.divergenceProbability = 0;
    odds.source = "same address";
    return odds;
  }
  std::vector<Id> seen;
  const bool mayShare = kernel && readsSharedAddress(s.condition, *kernel, seen);
  const double together =
      mayShare ? std::max(kTogetherIfShared, target_.lanesAgree) : target_.lanesAgree;
  if (yes)
    odds.anyLane = {anyLaneOf(*yes, lanes, together), anyLaneOf(1 - *yes, lanes, together)};
  else
    odds.anyLane.assign(arms, anyLaneOfUnknown(arms, lanes, together));
  // All lanes agree when all arms but one stay empty.
  const double sum = std::accumulate(odds.anyLane.begin(), odds.anyLane.end(), 0.0);
  odds.divergenceProbability = std::clamp(sum - 1, 0.0, 1.0);
  return odds;
}

double SelectionCost::all() const {
  return std::accumulate(arms.begin(), arms.end(), 0.0);
}

double SelectionCost::asBranch(const TargetProfile& target, const BranchOdds& odds) const {
  const bool hasEmptyArm =
      arms.size() <= 2 && std::any_of(arms.begin(), arms.end(), [](double c) { return c == 0; });
  const double branches = std::max(1.0, double(arms.size()) - 1);
  double cost = moves + target.branchCost * branches *
                            (odds.divergenceProbability * (hasEmptyArm ? kOneArm : 1) +
                             (1 - odds.divergenceProbability) * kNoParting);
  for (size_t a = 0; a < arms.size(); ++a) cost += odds.anyLane[a] * arms[a];
  const bool isPredicated =
      isLeaf && arms.size() <= 2 &&
      std::all_of(arms.begin(), arms.end(), [&](double c) { return c <= target.predicatedArm; });
  return isPredicated ? std::min(cost, all() + moves) : cost;
}

double selectCost(Analyses& analyses, Id type) {
  return registersOf(analyses, type);
}

bool foldsSelect(Analyses& analyses, InstRef inst) {
  const Module& module = analyses.module();
  const Id result = module.resultId(inst);
  size_t uses = 0;
  for (const Use& use : analyses.get<DefUse>().uses(result))
    if (module.blockOf(use.user)) ++uses;
  if (uses != 1) return false;
  if (module.opcode(inst) == spv::Op::OpPhi) return true; // becomes a select
  const CostClass cost = costClassOf(module, inst);
  const bool isOne = cost == CostClass::Simple || cost == CostClass::Multiply ||
                     cost == CostClass::Convert || cost == CostClass::Special;
  const Types& types = analyses.get<Types>();
  Id scalar = module.resultType(inst);
  while (types.info(scalar).element) scalar = types.info(scalar).element;
  if (!isOne || types.info(scalar).width > 32) return false;
  bool isFused = false;
  module.forEachIdOperand(inst, [&](uint32_t, Id id) {
    const InstRef def = module.def(id);
    const bool isHere = def && module.blockOf(def) == module.blockOf(inst);
    const spv::Op op = module.opcodeOf(id);
    isFused = isFused || (isHere && (op == spv::Op::OpIMul || op == spv::Op::OpFMul));
  });
  return !isFused;
}

} // namespace lanewise
