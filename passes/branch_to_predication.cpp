// --branch-to-predication: turn short divergent branches into OpSelect
//
// What: a selection (if, if-else, chain of else-if, small switch) whose arms hold nothing but
// harmless computations is flattened: both arms are computed, and OpSelect takes the place
// of the phis. Inner selections go first, so nests go from the inside out. Work that both arms do
// is done once; stores of both arms to one place become one store. Where a short rest must stay
// guarded, the harmless part of the arms moves in front of the branch.
//
// Legal when: the arms lead straight to the merge block, and each instruction in them is proved to
// be defined and without effect where the branch does not lead to it
// (analysis/branches/speculation.h), or is executed by both arms anyhow. A condition that is
// constant is left to specialization. docs/design/predication.md.
//
// Pays when: the lanes of a subgroup may part at it (a branch that is uniform over the subgroup
// stays, unless one around it takes it along), and both arms with their selects cost no more than
// the branch and the arms that are taken (analysis/branches/selection_cost.h). DontFlatten refuses;
// Flatten forces, and so does `always`.
//
// Before => After:
//
//     OpSelectionMerge %m None                    %a = OpIAdd %int %x %one
//     OpBranchConditional %c %t %f                %b = OpIMul %int %x %x
//     %t: %a = OpIAdd %int %x %one        =>      %r = OpSelect %int %c %a %b
//     %f: %b = OpIMul %int %x %x                  OpBranch %m
//     %m: %r = OpPhi %int %a %t %b %f
//
// Not handled: loops in arms, arms that leave (break, continue, return), switches that fall
// through, selectors of 64 bits.
//
// Reference: SPIR-V 2.11 (structured control flow), 3.42.15 (OpSelect); J. Allen et al.,
// "Conversion of Control Dependence to Data Dependence" (1983).

#include "analysis/branches/operation_cost.h"
#include "analysis/branches/register_pressure.h"
#include "analysis/branches/selection_cost.h"
#include "analysis/branches/speculation.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/selections.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/flatten_selections.h"
#include "transforms/select_values.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "branch-to-predication";

struct Options {
  /// Instructions that the arms of a selection may have: bounds the time that deep nests take. (Of
  /// 4589 real modules none has a longer one that pays.)
  size_t maxArmInstructions = 512;
  size_t maxForcedInstructions = 4096;
  /// Least share of the cost that must be saved. Where the driver flattens the branch
  /// by itself, the costs are the same, and it is flattened.
  double minGain = 0.02;
  /// Arms that a switch may have.
  size_t maxSwitchArms = 16;
};

// ---- data ----

struct Refusal {
  std::string_view name;
  std::string message;
  InstRef place;
};

/// What stands in the arms of a selection, and what of it may move in front of the branch.
struct ArmScan {
  struct Staying {
    InstRef inst;
    SpeculationBlocker blocker{};
  };
  std::vector<std::vector<InstRef>> all;    ///< by arm, in order
  std::vector<std::vector<InstRef>> moving; ///< of them
  std::vector<std::vector<Staying>> staying;
  /// Instructions of the second arm that the first one executes as well.
  std::map<InstRef, InstRef> same;
  /// Stores of both arms to one place, when nothing else stays.
  std::vector<std::pair<InstRef, InstRef>> commonStores;

  bool isAllMoving() const {
    return std::all_of(staying.begin(), staying.end(), [](const auto& arm) { return arm.empty(); });
  }
};

enum class Decision : uint8_t { Left, Flattened, PartlyFlattened };

/// Of the remark on a site that is not left.
std::string_view nameOf(Decision decision) {
  return decision == Decision::Flattened ? "flattened" : "partly-flattened";
}

struct Site {
  uint32_t number = 0; ///< from 1 on, in module order
  Selection selection; ///< of a flattened one the plan has the arms
  std::unique_ptr<ArmScan> scan = std::make_unique<ArmScan>(); ///< null when it is not needed
  SelectionCost cost;
  BranchOdds odds;
  double costBefore = 0, costAfter = 0; ///< with inner selections as they are by now
  double nestBefore = 0;                ///< with inner selections as they were
  uint32_t outer = 0;                   ///< the selection that it was flattened with
  uint32_t registersAdded = 0;
  Decision decision = Decision::Left;
  std::optional<Refusal> refusal;

  std::string name() const { return nameOf(number); }
  static std::string nameOf(uint32_t number) { return formatText("branch{}", number); }
};

/// What is asked of a site when one around it is judged.
struct JudgedCost {
  double before = 0, after = 0, nestBefore = 0; ///< Site::costBefore and so on
  bool isFlattened = false;
};

// ---- the plan ----

class Plan {
public:
  explicit Plan(PassContext& context);
  /// Judges all selections, inner ones first.
  void decide();
  void remark();
  bool hasChanges() const { return !plan_.flat.empty() || !plan_.hoisted.empty(); }
  FlattenPlan take() { return std::move(plan_); }

private:
  void judge(Site& site, BlockRef header);
  void judgeArms(Site& site);
  // together
  bool isCandidate(BlockRef header) const;
  void addInner(const Selection& selection, std::vector<BlockRef>& inner) const;
  void adopt(const Site& site, BlockRef header, Selection selection);
  void flatten(Site& site, BlockRef header);
  void dismiss(BlockRef header);
  void judgeTogether(Site& site, BlockRef header);
  // collect
  bool isInnerOf(BlockRef header) const;
  void findCommon(Site& site);
  std::vector<uint32_t> keyOf(const Site& site, InstRef inst) const;
  bool haveSameDecorations(Id a, Id b) const;
  bool isUsedInReach(Id id) const;
  void scanArm(Site& site, size_t arm);
  void findCommonStores(Site& site) const;
  void measure(Site& site);
  InstRef definedIn(const Arm& arm, Id value) const;
  uint32_t registersAdded(const Site& site) const;
  Id mapped(const Site& site, Id id) const;
  // check
  std::optional<Refusal> isExcluded(const Site& site) const;
  std::optional<Refusal> hasObstacle(const Site& site) const;
  Refusal firstBlocker(const Site& site) const;
  std::optional<Refusal> canFlatten(const Site& site) const;
  bool canHoist(const Site& site) const;
  std::optional<Refusal> isProfitable(Site& site);
  double movingCost(const Site& site) const;
  bool mayPartPay(const Site& site) const;
  bool isPartProfitable(Site& site);
  // tell
  std::string placeOf(InstRef inst) const;
  struct CostTexts {
    std::string all, some;
  };
  CostTexts costTexts(const Site& site) const;
  const std::vector<Arm>& armsOf(const Site& site) const {
    return site.decision == Decision::Flattened
               ? plan_.flat.at(site.selection.header).selection.arms
               : site.selection.arms;
  }
  Remark remarkOf(const Site& site) const;

  std::unique_ptr<Site>& siteAt(BlockRef header) { return sites_[siteNumbers_[header.value] - 1]; }
  Site& siteOf(BlockRef header) { return *siteAt(header); }
  void keep(std::unique_ptr<Site>& site);
  uint32_t control(const Site& site) const { return module_.word(site.selection.mergeInst, 2); }
  bool isForced(const Site& site) const {
    return context_.mode == "always" ||
           (control(site) & uint32_t(spv::SelectionControlMask::Flatten)) != 0;
  }

  PassContext& context_;
  Analyses& analyses_;
  const Module& module_;
  const TargetProfile& target_;
  const Options options_;
  Selections selections_;
  Speculation speculation_;
  SelectionOdds odds_;
  std::optional<RegisterPressure> pressure_;
  /// In module order; null for those that are decided where nobody reads why.
  std::vector<std::unique_ptr<Site>> sites_;
  RemarkCounts unexplained_;          ///< these
  std::vector<JudgedCost> judged_;    ///< by number, from 1 on
  std::vector<uint32_t> siteNumbers_; ///< by header, of those that were judged; else 0
  /// By header, what may be flattened and is not worth it by itself: the others of the kind that
  /// are inside, each behind those inside it.
  std::map<BlockRef, std::vector<BlockRef>> candidates_;
  FlattenPlan plan_;
};

Plan::Plan(PassContext& context)
    : context_(context), analyses_(context.analyses), module_(context.module),
      target_(context.target), selections_(analyses_), speculation_(analyses_),
      odds_(analyses_, target_), siteNumbers_(module_.blockCount() + 1) {}

// ---- collect ----

Id Plan::mapped(const Site& site, Id id) const {
  const InstRef def = module_.def(id);
  if (auto local = site.scan->same.find(def); local != site.scan->same.end())
    return module_.resultId(local->second);
  auto found = plan_.same.find(id);
  return found == plan_.same.end() ? id : found->second;
}

/// What the instruction computes: equal keys, equal results.
std::vector<uint32_t> Plan::keyOf(const Site& site, InstRef inst) const {
  const auto words = module_.inst(inst);
  std::vector<uint32_t> key(words.begin(), words.end());
  if (module_.facts(inst).hasResult) key[2] = 0;
  module_.forEachIdOperand(inst, [&](uint32_t n, Id id) { key[n] = mapped(site, id).value; });
  return key;
}

bool Plan::haveSameDecorations(Id a, Id b) const {
  auto list = [&](Id id) {
    std::vector<std::vector<uint32_t>> all;
    for (const Decoration& d : analyses_.get<Decorations>().of(id)) {
      std::vector<uint32_t> words{uint32_t(d.decoration)};
      for (uint32_t w = d.operandWord; w < module_.wordCount(d.inst); ++w)
        words.push_back(module_.word(d.inst, w));
      all.push_back(std::move(words));
      // A group's list of targets would have to be rewritten.
      if (module_.idAt(d.inst, 1) != id) all.push_back({UINT32_MAX, id.value});
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  return list(a) == list(b);
}

/// False when a block that cannot be reached uses the value: dominance asks nothing of it, so that
/// it would go on naming what is no more.
bool Plan::isUsedInReach(Id id) const {
  const auto uses = analyses_.get<DefUse>().uses(id);
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    const BlockRef at = module_.blockOf(use.user);
    return !at || analyses_.get<Cfg>().isReachable(at);
  });
}

/// Behind it memory may be another. (Arms with barriers and calls stay as they are.)
bool endsReads(const Module& module, InstRef inst) {
  const Effect e = module.effects(inst);
  return has(e, Effect::WritesMemory) || has(e, Effect::Atomic);
}

/// Finds what both arms of a selection do for certain.
void Plan::findCommon(Site& site) {
  const auto& arms = site.selection.arms;
  // Nothing is done by both where one does nothing.
  if (arms.size() != 2 || arms[0].blocks.empty() || arms[1].blocks.empty()) return;
  std::map<std::vector<uint32_t>, InstRef> first;
  for (size_t a = 0; a < 2; ++a) {
    bool mayRead = true;
    for (BlockRef b : arms[a].blocks)
      for (InstRef i : module_.blockInsts(b)) {
        if (endsReads(module_, i)) mayRead = false;
        if (!module_.resultId(i) || !module_.resultType(i) ||
            speculation_.blockerOfMoving(i) != SpeculationBlocker::None ||
            (!mayRead && has(module_.effects(i), Effect::ReadsMemory)))
          continue;
        if (a == 0) {
          first.try_emplace(keyOf(site, i), i);
          continue;
        }
        auto found = first.find(keyOf(site, i));
        if (found != first.end() && isUsedInReach(module_.resultId(i)) &&
            haveSameDecorations(module_.resultId(found->second), module_.resultId(i)))
          site.scan->same.emplace(i, found->second);
      }
  }
}

/// Sorts the instructions of an arm into those that may move in front of the branch and those that
/// may not.
void Plan::scanArm(Site& site, size_t arm) {
  ArmScan& scan = *site.scan;
  std::set<InstRef> common;
  for (auto [second, first] : scan.same) common.insert(arm == 0 ? first : second);
  std::set<Id> staying;
  bool mayRead = true;
  for (InstRef i : scan.all[arm]) {
    SpeculationBlocker blocker = SpeculationBlocker::None;
    if (module_.opcode(i) != spv::Op::OpPhi && !common.contains(i))
      blocker = speculation_.blockerOf(i, site.selection.header);
    if (blocker == SpeculationBlocker::None && !mayRead &&
        has(module_.effects(i), Effect::ReadsMemory))
      blocker = SpeculationBlocker::Load;
    bool usesStaying = false;
    module_.forEachIdOperand(
        i, [&](uint32_t, Id id) { usesStaying = usesStaying || staying.contains(id); });
    if (blocker == SpeculationBlocker::None && usesStaying) blocker = SpeculationBlocker::Other;
    if (blocker == SpeculationBlocker::None) {
      scan.moving[arm].push_back(i);
      continue;
    }
    scan.staying[arm].push_back({i, blocker});
    if (const Id id = module_.resultId(i)) staying.insert(id);
    if (endsReads(module_, i)) mayRead = false;
  }
}

/// Stores that both arms make to the same places, in the same order.
void Plan::findCommonStores(Site& site) const {
  ArmScan& scan = *site.scan;
  if (site.selection.arms.size() != 2 || scan.staying[0].size() != scan.staying[1].size()) return;
  for (size_t n = 0; n < scan.staying[0].size(); ++n) {
    const InstRef a = scan.staying[0][n].inst, b = scan.staying[1][n].inst;
    const bool areStores =
        module_.opcode(a) == spv::Op::OpStore && module_.opcode(b) == spv::Op::OpStore;
    bool areSame = areStores && module_.wordCount(a) == module_.wordCount(b) &&
                   mapped(site, module_.idAt(a, 1)) == mapped(site, module_.idAt(b, 1));
    const Id type = module_.typeOf(module_.idAt(a, 2));
    areSame = areSame && type == module_.typeOf(module_.idAt(b, 2)); // of untyped pointers
    for (uint32_t w = 3; areSame && w < module_.wordCount(a); ++w)   // memory operands
      areSame = module_.word(a, w) == module_.word(b, w);
    // Only a store may use a conversion that says how it rounds, and no select.
    for (InstRef store : {a, b})
      areSame = areSame && !analyses_.get<Decorations>().has(module_.idAt(store, 2),
                                                             spv::Decoration::FPRoundingMode);
    if (!areSame || !canSelect(analyses_, type)) {
      scan.commonStores.clear();
      return;
    }
    scan.commonStores.push_back({a, b});
  }
}

void Plan::measure(Site& site) {
  SelectionCost& cost = site.cost;
  auto costOf = [&](InstRef i) {
    return module_.opcode(i) == spv::Op::OpPhi ? selectCost(analyses_, module_.resultType(i))
                                               : operationCost(analyses_, target_, i);
  };
  std::vector<double> nowArms;  // with inner selections as they are if this one stays
  std::vector<double> nestArms; // with inner selections as they were
  for (size_t a = 0; a < site.selection.arms.size(); ++a) {
    double sum = 0;
    for (InstRef i : site.scan->all[a]) sum += costOf(i);
    cost.arms.push_back(sum);
    double asIs = sum, now = sum;
    for (BlockRef b : site.selection.arms[a].blocks)
      if (module_.mergeInst(b)) {
        const JudgedCost& inner = judged_[siteNumbers_[b.value]];
        cost.isLeaf = false;
        asIs += inner.nestBefore - inner.after;
        if (!inner.isFlattened) now += inner.before - inner.after;
      }
    nowArms.push_back(now);
    nestArms.push_back(asIs);
  }
  for (auto [dropped, kept] : site.scan->same) cost.common += costOf(dropped);
  const double choices = double(std::max<size_t>(site.selection.arms.size(), 1) - 1);
  for (InstRef phi : phisOf(module_, site.selection.merge)) {
    const double each = selectCost(analyses_, module_.resultType(phi));
    cost.selects += choices * each;
    bool isComputed = false, isFolded = false;
    for (const Arm& arm : site.selection.arms) {
      const InstRef def =
          definedIn(arm, incomingValue(module_, phi, arm.last(site.selection.header)));
      isComputed = isComputed || (def && costOf(def) > 0);
      isFolded = isFolded || (def && foldsSelect(analyses_, def));
    }
    if (!isComputed) cost.moves += choices * each;
    if (isFolded) cost.folded = 1;
  }
  for (auto [a, b] : site.scan->commonStores)
    cost.selects += selectCost(analyses_, module_.typeOf(module_.idAt(a, 2)));
  for (const Arm& arm : site.selection.arms)
    if (!arm.isDefault) cost.selects += double(arm.literalWords.size());
  site.odds = odds_.of(site.selection);
  auto asBranchWith = [&](std::vector<double>& arms) {
    SelectionCost nest = cost;
    nest.arms = std::move(arms);
    return nest.asBranch(target_, site.odds);
  };
  site.costBefore = asBranchWith(nowArms);
  site.costAfter = cost.asFlattened();
  site.nestBefore = asBranchWith(nestArms);
}

/// The instruction of the arm's own blocks that defines a value, null if it is defined elsewhere.
InstRef Plan::definedIn(const Arm& arm, Id value) const {
  const InstRef def = value ? module_.def(value) : InstRef();
  const BlockRef home = def ? module_.blockOf(def) : BlockRef();
  const bool isHere =
      home && std::find(arm.blocks.begin(), arm.blocks.end(), home) != arm.blocks.end();
  return isHere ? def : InstRef();
}

/// Values of an arm that the merge block wants live on while the other arms are computed.
uint32_t Plan::registersAdded(const Site& site) const {
  std::vector<uint32_t> outs;
  for (const Arm& arm : site.selection.arms) {
    uint32_t registers = 0;
    for (InstRef phi : phisOf(module_, site.selection.merge)) {
      if (definedIn(arm, incomingValue(module_, phi, arm.last(site.selection.header))))
        registers += registersOf(analyses_, module_.resultType(phi));
    }
    outs.push_back(registers);
  }
  uint32_t sum = 0, most = 0;
  for (uint32_t registers : outs) sum += registers, most = std::max(most, registers);
  return sum - most;
}

// ---- check ----

std::optional<Refusal> Plan::isExcluded(const Site& site) const {
  const Selection& s = site.selection;
  if (analyses_.get<Constants>().folded(module_, s.condition))
    return Refusal{"constant-condition",
                   "the condition becomes a constant when the module is specialized", s.branch};
  if ((control(site) & uint32_t(spv::SelectionControlMask::DontFlatten)) != 0)
    return Refusal{"dont-flatten", "the branch is marked DontFlatten", s.mergeInst};
  if (s.isSwitch && module_.numberWords(module_.typeOf(s.condition)) != 1)
    return Refusal{"wide-selector", "the selector is 64-bit", s.branch};
  if (s.arms.size() > options_.maxSwitchArms)
    return Refusal{
        "too-many-arms",
        formatText("the switch has {} arms (limit {})", s.arms.size(), options_.maxSwitchArms),
        s.branch};
  return std::nullopt;
}

/// Arms that do not lead straight to the merge block.
std::optional<Refusal> Plan::hasObstacle(const Site& site) const {
  for (const Arm& arm : site.selection.arms) switch (arm.obstacle.kind) {
    case ArmObstacle::Kind::None:
      break;
    case ArmObstacle::Kind::Loop:
      return Refusal{"loop", "an arm contains a loop", arm.obstacle.place};
    case ArmObstacle::Kind::Selection:
      return Refusal{"inner-branch", "an arm contains a branch that cannot be flattened",
                     arm.obstacle.place};
    case ArmObstacle::Kind::Leaves:
      return Refusal{"leaves", "an arm does not exit to the merge block", arm.obstacle.place};
    case ArmObstacle::Kind::SharedBlock:
      return Refusal{"shared-block", "an arm has a second entry", arm.obstacle.place};
    }
  return std::nullopt;
}

/// Whether the instruction only prepares another one, which is the one to blame: an address, a
/// descriptor.
bool isPreparation(Analyses& analyses, InstRef inst) {
  const Module& module = analyses.module();
  switch (module.opcode(inst)) {
  case spv::Op::OpAccessChain:
  case spv::Op::OpInBoundsAccessChain:
  case spv::Op::OpSampledImage:
  case spv::Op::OpImage:
    return true;
  case spv::Op::OpLoad:
    return analyses.get<Types>().storageOf(module.idAt(inst, 3)) ==
           spv::StorageClass::UniformConstant;
  default:
    return false;
  }
}

/// The first thing that keeps an arm from moving.
Refusal Plan::firstBlocker(const Site& site) const {
  const ArmScan::Staying* first = nullptr;
  for (const auto& arm : site.scan->staying)
    for (const ArmScan::Staying& s : arm)
      if (!first || (isPreparation(analyses_, first->inst) && !isPreparation(analyses_, s.inst)))
        first = &s;
  return {nameOf(first->blocker), std::string(explain(first->blocker)), first->inst};
}

std::optional<Refusal> Plan::canFlatten(const Site& site) const {
  const Selection& s = site.selection;
  for (InstRef phi : phisOf(module_, s.merge)) {
    if (!canSelect(analyses_, module_.resultType(phi)))
      return Refusal{"unselectable-type", "OpSelect does not support this type here", phi};
    if (isPromised(analyses_, module_.resultId(phi)))
      return Refusal{nameOf(SpeculationBlocker::Promise),
                     std::string(explain(SpeculationBlocker::Promise)), phi};
    for (const Arm& arm : s.arms)
      if (!incomingValue(module_, phi, arm.last(s.header)))
        return Refusal{"shared-block", "the phi has no operand for an arm", phi};
  }
  if (site.scan->isAllMoving() || !site.scan->commonStores.empty()) return std::nullopt;
  return firstBlocker(site);
}

/// What may stay behind a short branch: something that a device executes for some lanes only. Calls
/// and what is not known have every effect.
bool isShort(const Module& module, InstRef inst) {
  const Effect e = module.effects(inst);
  return !has(e, Effect::Barrier) && !has(e, Effect::Subgroup);
}

/// Whether the harmless part of the arms may move in front of the branch while the rest stays.
bool Plan::canHoist(const Site& site) const {
  if (site.scan->isAllMoving()) return false; // what stays are the phis
  for (const Arm& arm : site.selection.arms)
    if (arm.blocks.size() > 1) return false; // it contains a branch that cannot be flattened
  for (const auto& arm : site.scan->staying)
    for (const ArmScan::Staying& s : arm)
      if (!isShort(module_, s.inst)) return false;
  return true;
}

std::optional<Refusal> Plan::isProfitable(Site& site) {
  const Selection& s = site.selection;
  site.registersAdded = registersAdded(site);
  if (isForced(site)) return std::nullopt;
  if (uniformityOf(analyses_, UniformScope::Subgroup).isUniform(s.condition))
    return Refusal{"uniform", "the branch is subgroup-uniform", s.branch};
  const bool isTie = site.costAfter == site.costBefore;
  if (!isTie && site.costAfter > site.costBefore * (1 - options_.minGain))
    return Refusal{"too-costly",
                   formatText("estimated cost {:.1f} flattened, {:.1f} with the branch",
                              site.costAfter, site.costBefore),
                   s.branch};
  if (site.registersAdded > 0) {
    if (!pressure_) pressure_.emplace(analyses_);
    const uint32_t live = pressure_->atEnd(s.header);
    if (live <= target_.registersPerLane && live + site.registersAdded > target_.registersPerLane)
      return Refusal{"register-pressure",
                     formatText("{} registers live at the branch plus {} added exceed {} per lane",
                                live, site.registersAdded, target_.registersPerLane),
                     s.branch};
  }
  return std::nullopt;
}

/// What moves out of the arms when a part stays.
double Plan::movingCost(const Site& site) const {
  double cost = 0;
  for (const auto& arm : site.scan->moving)
    for (InstRef i : arm) cost += operationCost(analyses_, target_, i);
  return cost;
}

/// The rest must be so short that the driver's compiler predicates it, and what moves so long that
/// it did not before.
bool Plan::mayPartPay(const Site& site) const {
  const double moving = movingCost(site);
  if (moving == 0) return false;
  if (isForced(site)) return true;
  size_t staying = 0;
  for (const auto& arm : site.scan->staying) staying += arm.size();
  const bool wasPredicated = moving + double(staying) <= target_.predicatedArm;
  const bool isPredicated = double(staying) <= target_.predicatedArm;
  return !wasPredicated && isPredicated &&
         !uniformityOf(analyses_, UniformScope::Subgroup).isUniform(site.selection.condition);
}

bool Plan::isPartProfitable(Site& site) {
  double staying = 0; // what stays costs those that go there, and at least its issue
  for (size_t a = 0; a < site.selection.arms.size(); ++a)
    for (const ArmScan::Staying& i : site.scan->staying[a]) {
      const double cost = operationCost(analyses_, target_, i.inst);
      staying += site.odds.anyLane[a] * std::max(cost, 1.0);
      if (cost == 0) site.nestBefore = site.costBefore += site.odds.anyLane[a];
    }
  site.costAfter = movingCost(site) + staying;
  if (!mayPartPay(site)) return false;
  return isForced(site) || site.costAfter <= site.costBefore * (1 - options_.minGain);
}

// ---- decide ----

/// An inner selection that is flattened is a link of the arm around it, when all there is goes
/// along.
bool Plan::isInnerOf(BlockRef header) const {
  auto found = plan_.flat.find(header);
  return found != plan_.flat.end() && found->second.selection.ownsMerge &&
         found->second.commonStores.empty();
}

/// Looks at the arms of the site's selection, which has been read.
void Plan::judgeArms(Site& site) {
  const Selection& s = site.selection;
  site.scan->moving.resize(s.arms.size());
  site.scan->staying.resize(s.arms.size());
  site.refusal = hasObstacle(site);
  if (site.refusal) return;
  size_t count = 0;
  for (const Arm& arm : s.arms) {
    site.scan->all.push_back(instructionsOf(module_, plan_, arm));
    count += site.scan->all.back().size();
  }
  const size_t limit =
      isForced(site) ? options_.maxForcedInstructions : options_.maxArmInstructions;
  if (count > limit)
    site.refusal =
        Refusal{"too-large", formatText("the arms have {} instructions (limit {})", count, limit),
                s.branch};
  if (site.refusal) return;
  site.refusal = isExcluded(site);
  if (site.refusal && !context_.explainsMissed) return;
  findCommon(site);
  for (size_t a = 0; a < s.arms.size(); ++a) scanArm(site, a);
  if (!site.scan->isAllMoving()) findCommonStores(site);
  if (context_.explainsMissed || !canFlatten(site)) measure(site);
}

void Plan::judge(Site& site, BlockRef header) {
  site.selection = selections_.read(header, [&](BlockRef inner) { return isInnerOf(inner); });
  const Selection& s = site.selection;
  judgeArms(site);
  if (site.refusal && site.refusal->name == "inner-branch") judgeTogether(site, header);
  if (site.refusal || site.decision != Decision::Left) return;
  if (!(site.refusal = canFlatten(site))) {
    site.refusal = isProfitable(site);
    if (site.refusal && site.refusal->name != "register-pressure" && s.ownsMerge &&
        site.scan->commonStores.empty())
      candidates_[header] = {};
    if (site.refusal || !context_.maySite(site.name())) return;
    flatten(site, header);
    return;
  }
  // The reason why it cannot be flattened is the one to tell, unless a part goes.
  if (!canHoist(site)) return;
  if (!context_.explainsMissed) {
    if (!mayPartPay(site)) return;
    measure(site);
  }
  if (!isPartProfitable(site) || !context_.maySite(site.name())) return;
  site.decision = Decision::PartlyFlattened;
  std::vector<InstRef>& hoisted = plan_.hoisted[header];
  for (const auto& arm : site.scan->moving) hoisted.insert(hoisted.end(), arm.begin(), arm.end());
}

// ---- together ----

bool Plan::isCandidate(BlockRef header) const {
  return candidates_.contains(header);
}

/// The candidates that are links of the selection's arms, each behind those inside it.
void Plan::addInner(const Selection& selection, std::vector<BlockRef>& inner) const {
  for (const Arm& arm : selection.arms)
    for (BlockRef b : arm.blocks) {
      const auto found = module_.mergeInst(b) ? candidates_.find(b) : candidates_.end();
      if (found == candidates_.end()) continue;
      inner.insert(inner.end(), found->second.begin(), found->second.end());
      inner.push_back(b);
    }
}

/// Puts a selection into the plan: a candidate for as long as it is looked at.
void Plan::adopt(const Site& site, BlockRef header, Selection selection) {
  FlattenPlan::Flat& flat = plan_.flat[header];
  flat.selection = std::move(selection);
  if (!site.scan) return;
  flat.commonStores = site.scan->commonStores;
  for (auto [dropped, kept] : site.scan->same)
    plan_.same.emplace(module_.resultId(dropped), mapped(site, module_.resultId(kept)));
}

void Plan::flatten(Site& site, BlockRef header) {
  site.decision = Decision::Flattened;
  site.refusal.reset();
  for (const Arm& arm : site.selection.arms)
    for (BlockRef b : arm.blocks)
      if (module_.mergeInst(b) && siteAt(b)) siteOf(b).outer = site.number;
  adopt(site, header, std::move(site.selection));
  site.scan.reset();
}

void Plan::dismiss(BlockRef header) {
  if (const auto& scan = siteOf(header).scan)
    for (auto [dropped, kept] : scan->same) plan_.same.erase(module_.resultId(dropped));
  plan_.flat.erase(header);
}

/// A branch around others that are not worth flattening by themselves: all of them may be.
void Plan::judgeTogether(Site& site, BlockRef header) {
  Site whole;
  whole.number = site.number;
  whole.selection = selections_.read(
      header, [&](BlockRef inner) { return isInnerOf(inner) || isCandidate(inner); });
  std::vector<BlockRef> inner;
  addInner(whole.selection, inner);
  if (inner.empty() || hasObstacle(whole)) return;
  for (BlockRef b : inner) adopt(siteOf(b), b, siteOf(b).selection);
  judgeArms(whole);
  bool isTaken = false;
  if (!whole.refusal && !canFlatten(whole) && whole.scan->commonStores.empty()) {
    whole.refusal = isProfitable(whole);
    isTaken = !whole.refusal && context_.maySite(whole.name()) &&
              std::all_of(inner.begin(), inner.end(),
                          [&](BlockRef b) { return context_.maySite(siteOf(b).name()); });
    if (whole.refusal && whole.selection.ownsMerge) candidates_[header] = inner;
  }
  for (BlockRef b : inner) dismiss(b);
  if (!isTaken && !isCandidate(header)) return;
  const std::optional<Refusal> refusal = site.refusal; // which stays the one to tell
  site = std::move(whole);
  site.refusal = refusal;
  if (!isTaken) return;
  for (BlockRef b : inner) {
    flatten(siteOf(b), b);
    keep(siteAt(b));
  }
  flatten(site, header);
}

/// Takes a judged site: what those around it ask for, and what is to be told of it.
void Plan::keep(std::unique_ptr<Site>& site) {
  judged_[site->number] = {site->costBefore, site->costAfter, site->nestBefore,
                           site->decision == Decision::Flattened};
  std::unique_ptr<Site>& place = sites_[site->number - 1];
  const bool isDecided = site->decision != Decision::Left;
  if (isDecided && !context_.explainsApplied) {
    unexplained_.add(Remark::Kind::Applied, nameOf(site->decision));
    site.reset();
    place.reset();
    return;
  }
  if (!isDecided && site->scan && site->scan->same.empty()) site->scan.reset();
  if (site->scan) {
    site->scan->all.clear();
    site->scan->moving.clear();
    if (!isDecided) site->scan->staying.clear();
  }
  if (!context_.explainsMissed && !context_.explainsApplied) {
    site->cost = {};
    site->odds = {};
    if (site->refusal) std::string().swap(site->refusal->message);
  }
  if (&place != &site) place = std::move(site);
}

void Plan::decide() {
  const Cfg& cfg = analyses_.get<Cfg>();
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    const std::vector<BlockRef> headers = selections_.headers(FunctionRef(f));
    const size_t first = sites_.size();
    sites_.resize(first + headers.size());
    judged_.resize(first + headers.size() + 1);
    // An inner header stands behind the outer one in every order that visits dominators first.
    std::vector<size_t> order(headers.size());
    for (size_t n = 0; n < order.size(); ++n) order[n] = n;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return cfg.rpoIndex(headers[a]) > cfg.rpoIndex(headers[b]);
    });
    for (size_t n : order) {
      auto site = std::make_unique<Site>();
      site->number = uint32_t(first + n + 1);
      judge(*site, headers[n]);
      if (site->decision == Decision::Left && !isCandidate(headers[n])) {
        // No arm of another one passes through it.
        if (!context_.explainsMissed) {
          if (site->refusal) unexplained_.add(Remark::Kind::Missed, site->refusal->name);
          continue;
        }
        // Of a chain of early exits each scan would hold all that is behind it.
        site->scan.reset();
      }
      siteNumbers_[headers[n].value] = site->number;
      keep(site);
    }
  }
}

// ---- remarks ----

std::string Plan::placeOf(InstRef inst) const {
  const uint32_t line = analyses_.get<SourceLines>().at(module_, inst).line;
  return line == 0 ? std::string() : formatText(" at line {}", line);
}

/// The costs of the arms, for machines and for people: "3,0" and "3", the empty arm of a triangle
/// left out.
Plan::CostTexts Plan::costTexts(const Site& site) const {
  CostTexts texts;
  const auto append = [](std::string& list, std::string_view separator, const std::string& cost) {
    if (!list.empty()) list += separator;
    list += cost;
  };
  const std::vector<Arm>& arms = armsOf(site);
  for (size_t a = 0; a < site.cost.arms.size(); ++a) {
    const std::string cost = formatText("{:.4g}", site.cost.arms[a]);
    append(texts.all, ",", cost);
    if (!arms[a].blocks.empty()) append(texts.some, " and ", cost);
  }
  return texts;
}

Remark Plan::remarkOf(const Site& site) const {
  const Selection& s = site.selection;
  Remark r;
  r.pass = kPass;
  const FunctionRef function = module_.functionOf(s.header);
  r.function = analyses_.get<Decorations>().name(module_, module_.functionId(function));
  r.location = analyses_.get<SourceLines>().at(module_, s.branch);
  const std::string kind = s.isSwitch ? "switch" : "branch";
  CostTexts costs = costTexts(site);
  const auto isFree = [](double cost) { return cost == 0; };
  const std::string arms = costs.some.empty() ? ""
                           : std::all_of(site.cost.arms.begin(), site.cost.arms.end(), isFree)
                               ? " (its arms cost nothing)"
                               : " (arms: " + costs.some + ")";
  r.args = {{"branch", site.name()}};
  if (!costs.some.empty()) r.args.push_back({"arm-costs", std::move(costs.all)});
  if (site.costAfter > 0) {
    r.args.push_back({"cost-before", formatText("{:.4g}", site.nestBefore)});
    r.args.push_back({"cost-after", formatText("{:.4g}", site.costAfter)});
    r.args.push_back({"odds", site.odds.source});
  }
  if (site.decision == Decision::Left) {
    r.kind = Remark::Kind::Missed;
    r.name = site.refusal->name;
    r.message = formatText("kept {}{}: {}", kind, arms, site.refusal->message);
    if (site.refusal->place != s.branch) {
      const std::string_view opcode = module_.facts(site.refusal->place).name;
      r.message += formatText(" ({}{})", opcode, placeOf(site.refusal->place));
      SourceLocation at = analyses_.get<SourceLines>().at(module_, site.refusal->place);
      if (at.line != 0) r.notes.push_back({std::move(at), formatText("{} is here", opcode), {}});
    }
    return r;
  }
  r.kind = Remark::Kind::Applied;
  r.args.push_back({"registers-added", formatText("{}", site.registersAdded)});
  const bool isWhole = site.decision == Decision::Flattened;
  if (isWhole && site.outer != 0) r.args.push_back({"inside", Site::nameOf(site.outer)});
  r.name = nameOf(site.decision);
  const std::string before = formatText("{:.4g}", site.nestBefore),
                    after = formatText("{:.4g}", site.costAfter);
  r.message = formatText("{} {}{}: estimated cost {}", isWhole ? "flattened" : "partly flattened",
                         kind, arms, before == after ? "stays " + after : before + " -> " + after);
  if (!isWhole) {
    const InstRef stays = firstBlocker(site).place;
    r.message +=
        formatText("; {}{} stays in the branch", module_.facts(stays).name, placeOf(stays));
  }
  return r;
}

void Plan::remark() {
  for (const std::unique_ptr<Site>& site : sites_) {
    if (!site || (!site->refusal && site->decision == Decision::Left)) continue;
    if (site->decision == Decision::Left && !context_.explainsMissed)
      unexplained_.add(Remark::Kind::Missed, site->refusal->name);
    else
      context_.remarks.push_back(remarkOf(*site));
  }
  unexplained_.appendTo(context_.remarks, kPass);
}

} // namespace

PassResult runBranchToPredication(PassContext& context) {
  const Module& module = context.module;
  const bool hasSelections =
      std::any_of(module.insts().begin(), module.insts().end(),
                  [&](InstRef i) { return module.opcode(i) == spv::Op::OpSelectionMerge; });
  if (!hasSelections) return PassOutcome{};
  // What was known for the decision goes before the edits are made, and these before they are read.
  FlattenPlan decided;
  {
    Plan plan(context);
    plan.decide();
    plan.remark();
    if (!plan.hasChanges()) return PassOutcome{};
    decided = plan.take();
  }
  Rewriter rewriter(context.module);
  flattenSelections(context.analyses, rewriter, decided);
  decided = {};
  return commitEdits(context, rewriter, PreservedAnalyses::none());
}

} // namespace lanewise
