// --mem2reg: turn local variables into values
//
// What: a variable that one function alone knows, and that is only loaded and stored as a whole,
// becomes the values that were stored, with phis where paths with different values meet and a load
// follows. These are the variables of the Function storage class, and those of the Private one that
// only an entry point's own function names. Variables of which nobody loads go with their stores.
//
// Legal when: nobody else has the address, no access is volatile, and no decoration says more than
// precision or aliasing. Opaque values and pointers that may not be in a phi (SPIR-V 2.16.1) are
// promoted only where they need none and are never undefined.
//
// Pays when: drivers do the same. Left alone is what AMD's compiler calls dearer: phis of
// composites, and in loops those of vectors of 8- and 16-bit components.
//
// Before => After:
//
//         OpStore %x %a                              OpSelectionMerge %m None
//         OpSelectionMerge %m None                   OpBranchConditional %c %t %m
//         OpBranchConditional %c %t %m      =>   %t: OpBranch %m
//     %t: OpStore %x %b                          %m: %v = OpPhi %float %a %entry %b %t
//         OpBranch %m
//     %m: %v = OpLoad %float %x
//
// Debug information: a DebugDeclare becomes a DebugValue at each store and each new phi.
// Decorations of a load that say more than how precise it is stay with a copy of the value.
//
// Not handled: variables in parts (--sroa comes before), phis with more operands than an
// instruction has room for.
//
// Reference: M. Braun et al., "Simple and Efficient Construction of Static Single Assignment Form"
// (2013), with phis only where the variable is live: J.-D. Choi et al., "Automatic Construction of
// Sparse Data Flow Evaluation Graphs" (1991).

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/memory_operands.h"
#include "analysis/module/types.h"
#include "canonical/promotion/debug_values.h"
#include "canonical/promotion/local_variables.h"
#include "canonical/promotion/phi_placement.h"
#include "canonical/promotion/value_types.h"
#include "ir/declarations_by_type.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/value_edits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "mem2reg";

/// Operands that fit behind opcode, type and result of a phi (SPIR-V 2.3: 65535 words).
constexpr size_t kMaxPhiOperands = (0xFFFF - 3) / 2;

constexpr std::string_view kMayBeUndefined = "it may be read before it is written";

// ---- data ----

/// A load or a store of a variable, whole.
struct Access {
  InstRef inst;
  uint32_t variable;
};

/// What a block does to one variable, as others see it.
struct ListedValue {
  BlockValue at;
  uint32_t next; ///< the same variable's next one, kNone at the end
};
constexpr uint32_t kNone = UINT32_MAX;

/// A load that sees an access of its own block, or that is never executed.
struct LocalLoad {
  Id load;
  uint32_t variable;
  HeldValue value;
};

struct List {
  uint32_t first = kNone, last = kNone;
};

/// A variable while it is being promoted.
struct State {
  List stores;          ///< what it holds at the end of each block that stores to it
  List exposed;         ///< loads that see what it held at the beginning of their block
  BlockRef block;       ///< where `value` holds
  HeldValue value = {}; ///< of the accesses so far
};

class Promotion {
public:
  explicit Promotion(PassContext& context)
      : context_(context), analyses_(context.analyses), module_(context.module),
        variables_(analyses_), phis_(module_.idBound()), types_(module_),
        placement_(analyses_, phis_) {}

  bool hasVariables() const { return !variables_.empty(); }
  void collect();
  bool hasCandidates() const;
  void promote();
  void decideEdits(Rewriter& rewriter, ValueEdits& edits);

private:
  // collect
  void readUses(InstRef i);
  void dropOperands(InstRef i);
  bool readLoad(InstRef i);
  bool readStore(InstRef i);
  // promote
  void followBlocks();
  void noteUndefined(const Access& a);
  void append(List& list, BlockRef block, HeldValue value);
  void promote(uint32_t variable);
  bool promoteByDominance(uint32_t variable);
  bool isInTheWay(uint32_t variable, uint32_t firstPhi);
  bool costsDrivers(uint32_t variable, uint32_t firstPhi);
  bool isLoopHeader(BlockRef b);
  bool endsSwitch(BlockRef b);
  void refuse(uint32_t variable, std::string_view name, std::string_view message);
  HeldValue initialValue(uint32_t variable) const {
    return HeldValue::of(variables_.at(variable).initial);
  }
  // rewrite
  Id idOf(HeldValue value, Id type);
  void know(Id load, HeldValue value);
  bool isUndefinedOnce(Id load) const;
  void numberPhis();
  void decoratePhi(uint32_t variable, Id phi);
  void writePhis();
  void editAccesses(ValueEdits& edits);
  bool isPromoted(uint32_t variable) const { return variables_.at(variable).isCandidate; }

  PassContext& context_;
  Analyses& analyses_;
  const Module& module_;
  LocalVariables variables_;
  DebugDeclarations debug_;
  std::vector<Access> accesses_; ///< in module order

  std::vector<State> states_; ///< by variable
  std::vector<ListedValue> blockValues_;
  std::vector<LocalLoad> sameBlock_;
  PhiCandidates phis_;
  ValueTypes types_;
  PhiPlacement placement_;
  std::vector<BlockValue> stores_;
  std::vector<BlockRef> loads_;
  std::vector<bool> switchEnds_; ///< by BlockRef, merge blocks of OpSwitch; empty until asked for

  Rewriter* rewriter_ = nullptr;
  std::vector<Id> phiIds_;      ///< by candidate, null where it is not needed
  std::set<Id> undefinedLoads_; ///< of what was never written, not by way of another variable
  DeclarationsByType declarations_;
};

// ---- collect ----

void Promotion::dropOperands(InstRef i) {
  module_.forEachIdOperand(i, [&](uint32_t, Id id) {
    if (const uint32_t v = variables_.indexOf(id); v != 0) variables_.drop(v);
  });
}

bool Promotion::readLoad(InstRef i) {
  const uint32_t v = variables_.indexOf(module_.idAt(i, 3));
  if (v == 0) return true;
  if (!isPlainAccess(module_, i) || module_.idAt(i, 1) != variables_.at(v).type) return false;
  accesses_.push_back({i, v});
  return true;
}

bool Promotion::readStore(InstRef i) {
  const Id value = module_.idAt(i, 2);
  if (variables_.indexOf(value) != 0) return false; // somebody else gets the address
  const uint32_t v = variables_.indexOf(module_.idAt(i, 1));
  if (v == 0) return true;
  if (!isPlainAccess(module_, i) || module_.typeOf(value) != variables_.at(v).type) return false;
  accesses_.push_back({i, v});
  return true;
}

void Promotion::readUses(InstRef i) {
  switch (module_.opcode(i)) {
  case spv::Op::OpLoad:
    if (!readLoad(i)) dropOperands(i);
    break;
  case spv::Op::OpStore:
    if (!readStore(i)) dropOperands(i);
    break;
  case spv::Op::OpExtInst:
    if (!debug_.read(module_, i, [&](Id id) { return variables_.indexOf(id); })) dropOperands(i);
    break;
  default:
    if (!takesNoPointer(module_.opcode(i))) dropOperands(i);
  }
}

void Promotion::collect() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    const FunctionRef function(f);
    for (InstRef i : module_.functionInsts(function)) {
      const size_t before = accesses_.size();
      readUses(i);
      if (accesses_.size() != before) variables_.useIn(accesses_.back().variable, function);
    }
  }
  variables_.finish();
}

bool Promotion::hasCandidates() const {
  for (uint32_t v = 1; v < variables_.size(); ++v)
    if (variables_.at(v).isCandidate) return true;
  return false;
}

// ---- promote ----

void Promotion::append(List& list, BlockRef block, HeldValue value) {
  const auto index = uint32_t(blockValues_.size());
  blockValues_.push_back({{block, value}, kNone});
  if (list.first == kNone)
    list.first = index;
  else
    blockValues_[list.last].next = index;
  list.last = index;
}

/// The load is never executed.
void Promotion::noteUndefined(const Access& a) {
  if (types_.canBeUndefined(variables_.at(a.variable).type))
    sameBlock_.push_back({module_.idAt(a.inst, 2), a.variable, HeldValue()});
  else
    refuse(a.variable, "undefined", kMayBeUndefined);
}

/// What each block does by itself. What is never executed does not count, and loads nothing.
void Promotion::followBlocks() {
  const Cfg& cfg = analyses_.get<Cfg>();
  states_.resize(variables_.size());
  for (const Access& a : accesses_) {
    if (!isPromoted(a.variable)) continue;
    const BlockRef block = module_.blockOf(a.inst);
    State& s = states_[a.variable];
    const bool isLoad = module_.opcode(a.inst) == spv::Op::OpLoad;
    if (!cfg.isReachable(block)) {
      if (isLoad) noteUndefined(a);
      continue;
    }
    const bool isFirst = s.block != block;
    s.block = block;
    if (isLoad) {
      const HeldValue loaded = HeldValue::of(module_.idAt(a.inst, 2));
      if (!isFirst) {
        sameBlock_.push_back({loaded.id(), a.variable, s.value});
      } else {
        append(s.exposed, block, loaded);
        s.value = loaded;
      }
      continue;
    }
    s.value = HeldValue::of(module_.idAt(a.inst, 2));
    if (s.stores.last != kNone && blockValues_[s.stores.last].at.block == block)
      blockValues_[s.stores.last].at.value = s.value;
    else
      append(s.stores, block, s.value);
  }
}

/// Where one block stores and dominates all loads, or no block does, no phi is needed.
bool Promotion::promoteByDominance(uint32_t variable) {
  const State& s = states_[variable];
  const uint32_t store = s.stores.first;
  if (store == kNone && !initialValue(variable).isUndefined()) {
    for (uint32_t e = s.exposed.first; e != kNone; e = blockValues_[e].next)
      know(blockValues_[e].at.value.id(), initialValue(variable));
    return true;
  }
  if (store != s.stores.last) return false;
  if (store == kNone) {
    if (!types_.canBeUndefined(variables_.at(variable).type)) return false;
    for (uint32_t e = s.exposed.first; e != kNone; e = blockValues_[e].next)
      know(blockValues_[e].at.value.id(), HeldValue());
    return true;
  }
  const Dominance& dominance = analyses_.get<Dominance>();
  const BlockValue stored = blockValues_[store].at;
  for (uint32_t e = s.exposed.first; e != kNone; e = blockValues_[e].next)
    if (blockValues_[e].at.block == stored.block ||
        !dominance.dominates(stored.block, blockValues_[e].at.block))
      return false;
  for (uint32_t e = s.exposed.first; e != kNone; e = blockValues_[e].next)
    know(blockValues_[e].at.value.id(), stored.value);
  return true;
}

void Promotion::refuse(uint32_t variable, std::string_view name, std::string_view message) {
  variables_.drop(variable);
  Remark remark;
  remark.kind = Remark::Kind::Missed;
  remark.pass = kPass;
  remark.name = name;
  remark.message = formatText("variable %{} kept: {}", variables_.at(variable).id.value, message);
  context_.remarks.push_back(std::move(remark));
}

/// Why the variable is kept in memory nevertheless, if it is.
bool Promotion::isInTheWay(uint32_t variable, uint32_t firstPhi) {
  const LocalVariable& v = variables_.at(variable);
  for (uint32_t phi = firstPhi; phi < phis_.size(); ++phi)
    if (analyses_.get<Cfg>().predecessors(phis_.block(phi)).size() > kMaxPhiOperands) {
      refuse(variable, "too-many-predecessors", "a phi of it would have more operands than fit");
      return true;
    }
  if (firstPhi != phis_.size() && !types_.canBeInPhi(v.type)) {
    refuse(variable, "no-phi", "values of its type cannot be in a phi");
    return true;
  }
  if (costsDrivers(variable, firstPhi)) return true;
  if (!placement_.seesInitial() || v.initial || types_.canBeUndefined(v.type)) return false;
  refuse(variable, "undefined", kMayBeUndefined);
  return true;
}

bool Promotion::isLoopHeader(BlockRef b) {
  const Dominance& dominance = analyses_.get<Dominance>();
  return std::ranges::any_of(analyses_.get<Cfg>().predecessors(b),
                             [&](BlockRef from) { return dominance.dominates(b, from); });
}

bool Promotion::endsSwitch(BlockRef b) {
  if (switchEnds_.empty()) {
    switchEnds_.resize(module_.blockCount() + 1);
    for (uint32_t header = 1; header <= module_.blockCount(); ++header) {
      const InstRef merge = module_.mergeInst(BlockRef(header));
      if (merge && module_.opcode(module_.terminator(BlockRef(header))) == spv::Op::OpSwitch)
        switchEnds_[module_.blockOfLabel(module_.idAt(merge, 1)).value] = true;
    }
  }
  return switchEnds_[b.value];
}

/// Phis that drivers' compilers take apart and put together again: those of composites, in loops
/// those of vectors of which two components share a register, and vectors behind a switch, which
/// they make a test after the other of, and select the vector after each.
bool Promotion::costsDrivers(uint32_t variable, uint32_t firstPhi) {
  if (firstPhi == phis_.size()) return false;
  const Types& types = analyses_.get<Types>();
  const TypeInfo& type = types.info(variables_.at(variable).type);
  if (type.kind == TypeInfo::Kind::Struct || type.kind == TypeInfo::Kind::Array ||
      type.kind == TypeInfo::Kind::Matrix) {
    refuse(variable, "composite-phi", "drivers take phis of composites apart");
    return true;
  }
  if (type.kind != TypeInfo::Kind::Vector) return false;
  for (uint32_t phi = firstPhi; phi < phis_.size(); ++phi)
    if (endsSwitch(phis_.block(phi))) {
      refuse(variable, "switch-phi", "drivers select such a vector after each case of the switch");
      return true;
    }
  const TypeInfo& component = types.info(type.element);
  if (component.kind == TypeInfo::Kind::Bool || component.width >= 32) return false;
  for (uint32_t phi = firstPhi; phi < phis_.size(); ++phi)
    if (isLoopHeader(phis_.block(phi))) {
      refuse(variable, "packed-phi", "drivers unpack such a vector in each iteration of the loop");
      return true;
    }
  return false;
}

void Promotion::promote(uint32_t variable) {
  if (states_[variable].exposed.first == kNone || promoteByDominance(variable)) return;
  stores_.clear();
  loads_.clear();
  for (uint32_t d = states_[variable].stores.first; d != kNone; d = blockValues_[d].next)
    stores_.push_back(blockValues_[d].at);
  for (uint32_t e = states_[variable].exposed.first; e != kNone; e = blockValues_[e].next)
    loads_.push_back(blockValues_[e].at.block);
  const LocalVariable& v = variables_.at(variable);
  const uint32_t first = phis_.size();
  if (!placement_.place({variable, v.function, initialValue(variable)}, stores_, loads_,
                        types_.canBeInPhi(v.type))) {
    refuse(variable, "too-long-lived", "it lives in too many blocks of deeply nested loops");
    return;
  }
  if (isInTheWay(variable, first)) {
    phis_.truncate(first);
    return;
  }
  for (uint32_t e = states_[variable].exposed.first; e != kNone; e = blockValues_[e].next)
    know(blockValues_[e].at.value.id(), placement_.atBeginning(blockValues_[e].at.block));
}

void Promotion::know(Id load, HeldValue value) {
  if (value.isUndefined()) undefinedLoads_.insert(load);
  phis_.know(load, value);
}

void Promotion::promote() {
  followBlocks();
  for (uint32_t v = 1; v < variables_.size(); ++v)
    if (isPromoted(v)) promote(v);
  for (const LocalLoad& l : sameBlock_)
    if (isPromoted(l.variable)) know(l.load, l.value);
  phis_.simplify();
}

// ---- rewrite ----

Id Promotion::idOf(HeldValue value, Id type) {
  value = phis_.find(value);
  if (value.isPhi()) return phiIds_[value.phi()];
  if (!value.isUndefined() && module_.opcodeOf(value.id()) != spv::Op::OpUndef) return value.id();
  // What nobody has written is the same to all that use what was loaded of it; each use of an
  // OpUndef may find another value (SPIR-V 3.52.1, OpUndef).
  return declarations_.null(*rewriter_, type);
}

void Promotion::numberPhis() {
  phiIds_.resize(phis_.size());
  for (uint32_t phi = 0; phi < phis_.size(); ++phi)
    if (phis_.isNeeded(phi)) phiIds_[phi] = rewriter_->newId();
}

/// A phi of a variable of relaxed precision has it as well.
void Promotion::decoratePhi(uint32_t variable, Id phi) {
  for (const Decoration& d : analyses_.get<Decorations>().of(variables_.at(variable).id))
    if (d.decoration == spv::Decoration::RelaxedPrecision &&
        module_.opcode(d.inst) == spv::Op::OpDecorate)
      rewriter_->insertBefore(d.inst,
                              Inst(spv::Op::OpDecorate).id(phi).word(module_.word(d.inst, 2)));
}

/// The phi of the first variable comes last in its block, as where drivers promote variables
/// themselves: AMD's compiler places copies by that order, and makes loops up to 9 % dearer by the
/// other one.
void Promotion::writePhis() {
  const Cfg& cfg = analyses_.get<Cfg>();
  for (uint32_t phi = phis_.size(); phi-- > 0;) {
    if (!phis_.isNeeded(phi)) continue;
    const uint32_t variable = phis_.variable(phi);
    const Id type = variables_.at(variable).type;
    const BlockRef block = phis_.block(phi);
    Inst inst(spv::Op::OpPhi);
    inst.id(type).id(phiIds_[phi]);
    auto operand = phis_.operands(phi).begin();
    // Nobody comes from where nothing leads. Pointers are undefined nowhere.
    const HeldValue unreached = types_.canBeUndefined(type) ? HeldValue() : operand->value;
    for (BlockRef p : cfg.predecessors(block)) {
      const HeldValue v = cfg.isReachable(p) ? (operand++)->value : unreached;
      // Nothing was loaded that others use as well.
      const Id id = v.isUndefined() ? declarations_.undef(*rewriter_, type) : idOf(v, type);
      inst.id(id).id(module_.labelId(p));
    }
    rewriter_->insertAfter(module_.blockInsts(block).first, std::move(inst));
    decoratePhi(variable, phiIds_[phi]);
    if (!debug_.empty())
      debug_.writeValue(module_, *rewriter_, variable, behindPhis(module_, block), phiIds_[phi]);
  }
}

/// Whether the load finds what was never written, and gives it to a single use, once: no variable
/// hands it on.
bool Promotion::isUndefinedOnce(Id load) const {
  if (!undefinedLoads_.contains(load)) return false;
  const auto uses = analyses_.get<DefUse>().uses(load);
  if (uses.size() != 1) return false;
  const InstRef user = uses.front().user;
  return module_.blockOf(user) == module_.blockOf(module_.def(load)) &&
         module_.opcode(user) != spv::Op::OpPhi &&
         !(module_.opcode(user) == spv::Op::OpStore &&
           module_.opcodeOf(module_.idAt(user, 1)) == spv::Op::OpVariable);
}

void Promotion::editAccesses(ValueEdits& edits) {
  for (const Access& a : accesses_) {
    if (!isPromoted(a.variable)) continue;
    const Id type = variables_.at(a.variable).type;
    const Id value = module_.idAt(a.inst, 2); // of a load the result, of a store the object
    if (module_.opcode(a.inst) == spv::Op::OpLoad) {
      edits.replace(value, isUndefinedOnce(value) ? declarations_.undef(*rewriter_, type)
                                                  : idOf(HeldValue::of(value), type));
      continue;
    }
    edits.erase(a.inst);
    if (!debug_.empty())
      debug_.writeValue(module_, *rewriter_, a.variable, a.inst, idOf(HeldValue::of(value), type));
  }
  for (const DebugDeclarations::Declaration& d : debug_)
    if (isPromoted(d.variable) && variables_.at(d.variable).initial)
      debug_.writeValue(module_, *rewriter_, d.variable, d.inst, variables_.at(d.variable).initial);
}

void Promotion::decideEdits(Rewriter& rewriter, ValueEdits& edits) {
  rewriter_ = &rewriter;
  numberPhis();
  editAccesses(edits);
  writePhis();
  for (uint32_t v = 1; v < variables_.size(); ++v)
    if (isPromoted(v)) edits.erase(variables_.at(v).def);
  variables_.leaveInterfaces(rewriter, edits, [&](uint32_t v) { return isPromoted(v); });
}

} // namespace

PassResult runMem2reg(PassContext& context) {
  Rewriter rewriter(context.module);
  std::optional<ValueEdits> edits;
  {
    Promotion promotion(context);
    if (!promotion.hasVariables()) return PassOutcome{};
    promotion.collect();
    if (!promotion.hasCandidates()) return PassOutcome{};
    promotion.promote();
    if (!promotion.hasCandidates()) return PassOutcome{};
    promotion.decideEdits(rewriter, edits.emplace(context.analyses, rewriter));
  } // edits may be as many as there are instructions, and need the room
  edits->apply();
  edits.reset();
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
