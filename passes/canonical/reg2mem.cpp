// --reg2mem: phis of loops, as variables
//
// What         Makes a variable of the Function storage class of a phi in the header of a loop:
//              stored in front of the loop and where an iteration ends, loaded in the header. Phis
//              of the body or of the continue target that are the same variable of the source share
//              it: ways on which it keeps its value store nothing. The opposite of --mem2reg, for
//              the compiler.
// Legal when   Always. The variable holds the phi's value from the header on; in front of each
//              branch to the block of the phi that shares it, what that way leaves; from the loop's
//              last block on, what the next iteration starts with.
// Pays when    Drivers that keep SPIR-V's structure (Mesa) put the continue construct in front of
//              the loop's body, behind a flag: whatever it uses of an iteration has to be carried
//              to the next one, undefined at first, beside the phi. And they make a variable of
//              each phi, written on every way to it: one that is the same in most arms of a switch
//              is copied in each. Vectors and scalars alone; others are left to --mem2reg.
// Before       %h: %i = OpPhi %uint %uint_0 %pre %next %k
//              OpLoopMerge %m %k None             (%k is branched to from two blocks)
//              %k: %next = OpIAdd %uint %i %uint_1
//              OpBranch %h
// After        OpStore %v %uint_0                 (in front of the loop)
//              %h: %i = OpLoad %uint %v
//              OpLoopMerge %m %k None
//              %k: %j = OpLoad %uint %v
//              %next = OpIAdd %uint %j %uint_1
//              OpStore %v %next
//              OpBranch %h
// Debug info   Ids stay, and what is said of them.
// Not handled  Loops entered from, or continued by, a block that nothing reaches; phis of arms with
// a
//              way that changes the variable and leads elsewhere as well.
// Reference    SPIR-V specification, 2.11 (structured control flow); LLVM, RegToMemPass.
//              V. Sreedhar et al., "Translating Out of Static Single Assignment Form" (1999), on
//              phis that share a variable. Measured in docs/passes/reg2mem.md.
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "canonical/promotion/debug_values.h"
#include "ir/declarations_by_type.h"
#include "ir/rewriter.h"
#include "pass.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lanewise {
namespace {

/// A loop construct (2.11).
struct ContinuedLoop {
  const Loop* loop = nullptr;
  BlockRef header, target, last; ///< `last` has the back edge
};

/// What becomes of a phi of its header.
struct Demoted {
  const ContinuedLoop& loop;
  InstRef phi;
  Id next;         ///< its value in the next iteration
  InstRef partner; ///< phi that is the same variable; null: there is none
  /// Phis that come to the partner and keep the phi's value on some way: the same variable as well.
  /// By their blocks, of which each has one; the partner is among them.
  std::map<BlockRef, InstRef> sharing = {};
  /// On all ways to the partner, one of which changes it and leads elsewhere as well.
  bool storesAlways = false;
  Id variable = {};
};

/// Phis that share one variable, blocks between two of them, and how often some of them are found
/// not to.
constexpr size_t kMostSharing = 64, kMostBlocksBetween = 256, kMostRounds = 4;

class Demotion {
public:
  Demotion(PassContext& context, Rewriter& rewriter)
      : module_(context.module), rewriter_(rewriter), cfg_(context.analyses.get<Cfg>()),
        dominance_(context.analyses.get<Dominance>()), loops_(context.analyses.get<Loops>()),
        types_(context.analyses.get<Types>()), defUse_(context.analyses.get<DefUse>()),
        decorations_(context.analyses.get<Decorations>()),
        isTaken_(size_t(module_.instCount()) + 1) {}

  void run();

private:
  bool read(const Construct& construct, ContinuedLoop& l) const;
  void collect(const ContinuedLoop& l);
  InstRef partnerOf(const ContinuedLoop& l, InstRef phi, Id next) const;
  void findSharing(Demoted& d) const;
  bool isHeld(const Demoted& d, BlockRef from, Id value) const;
  bool mayStore(const Demoted& d, InstRef sharing) const;
  /// At the end of a block that leads to one of those that share the variable.
  bool isStored(const Demoted& d, BlockRef from, Id value) const {
    return d.storesAlways || !isHeld(d, from, value);
  }
  bool isNeeded(const Demoted& d, InstRef sharing) const;
  bool isInContinue(const ContinuedLoop& l, BlockRef b) const {
    return dominance_.dominates(l.target, b) && loops_.contains(*l.loop, b);
  }
  /// Behind the header, in no loop inside: once in an iteration.
  bool isPassedOnce(const ContinuedLoop& l, BlockRef b) const {
    return b != l.header && loops_.innermost(b) == l.loop;
  }
  bool isMadeInContinue(const ContinuedLoop& l, Id value) const {
    const InstRef def = module_.def(value);
    return module_.blockOf(def) && isInContinue(l, module_.blockOf(def));
  }
  /// Of a block, or its label.
  InstRef lastPhi(BlockRef b);
  bool isSimple(Id type) const;
  /// Calls `visit(Id value, BlockRef from)` for each operand of a phi.
  template <class Visitor>
  void forEachOperand(InstRef phi, Visitor&& visit) const {
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2)
      visit(module_.idAt(phi, n), module_.blockOfLabel(module_.idAt(phi, n + 1)));
  }
  Id nextOf(const ContinuedLoop& l, InstRef phi) const;
  /// Whether the variable holds what comes next, or what that is made of, from the end of the body
  /// on; else it is still the phi there.
  bool isLeftByBody(const Demoted& d) const {
    return d.partner || !isMadeInContinue(d.loop, d.next);
  }
  void declareVariable(Demoted& d);
  void writeLoads(const Demoted& d);
  void writeStores(const Demoted& d);
  void decorate(Id copy, const Demoted& d, bool isVariable);
  void load(BlockRef in, const Demoted& d, Id result);
  void store(BlockRef atEndOf, const Demoted& d, Id value);

  const Module& module_;
  Rewriter& rewriter_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Loops& loops_;
  const Types& types_;
  const DefUse& defUse_;
  const Decorations& decorations_;
  DeclarationsByType declarations_;
  std::deque<ContinuedLoop> continued_;
  std::vector<Demoted> demoted_;
  std::vector<bool> isTaken_;            ///< by InstRef, phis that are partners
  std::map<BlockRef, InstRef> lastPhis_; ///< those that were asked for
};

bool Demotion::read(const Construct& construct, ContinuedLoop& l) const {
  if (construct.kind != Construct::Kind::Loop || construct.continueTarget == construct.header)
    return false;
  l.loop = loops_.innermost(construct.header);
  if (!l.loop || l.loop->header != construct.header) return false;
  l.header = construct.header;
  l.target = construct.continueTarget;
  if (cfg_.constructAt(l.target)) return false; // may be a header itself, with phis of its own
  const auto continues = cfg_.predecessors(l.target);
  auto isReached = [&](BlockRef b) { return cfg_.isReachable(b); };
  if (!std::ranges::all_of(continues, isReached) ||
      !std::ranges::all_of(cfg_.predecessors(l.header), isReached))
    return false;
  for (const BlockRef from : cfg_.predecessors(l.header)) {
    if (!loops_.contains(*l.loop, from)) continue;
    if (l.last) return false; // a valid module has one back edge
    l.last = from;
  }
  return l.last && dominance_.dominates(l.target, l.last);
}

/// Whether anything reads it but what finds its value in the variable.
bool Demotion::isNeeded(const Demoted& d, InstRef sharing) const {
  const Id value = module_.resultId(sharing);
  return std::ranges::any_of(defUse_.uses(value), [&](const Use& use) {
    if (use.user == d.phi) return false;
    const auto reader = d.sharing.find(module_.blockOf(use.user));
    return reader == d.sharing.end() || reader->second != use.user ||
           isStored(d, module_.blockOfLabel(module_.idAt(use.user, use.word + 1)), value);
  });
}

InstRef Demotion::lastPhi(BlockRef b) {
  const auto [at, isNew] = lastPhis_.try_emplace(b, module_.blockInsts(b).first);
  if (!isNew) return at->second;
  InstRef& last = at->second;
  for (const InstRef i : InstRange{last, behindPhis(module_, b)})
    if (module_.opcode(i) == spv::Op::OpPhi) last = i;
  return last;
}

bool Demotion::isSimple(Id type) const {
  const TypeInfo& info = types_.info(type);
  const TypeInfo& scalar = info.kind == TypeInfo::Kind::Vector ? types_.info(info.element) : info;
  return scalar.kind == TypeInfo::Kind::Bool ||
         ((scalar.kind == TypeInfo::Kind::Int || scalar.kind == TypeInfo::Kind::Float) &&
          scalar.width >= 32);
}

Id Demotion::nextOf(const ContinuedLoop& l, InstRef phi) const {
  Id next;
  forEachOperand(phi, [&](Id value, BlockRef from) {
    if (from == l.last) next = value;
  });
  return next;
}

/// The phi of the iteration that the next value is, or the one of the continue target that it is
/// made of. What is made of the header's phi as well grows by the other one.
InstRef Demotion::partnerOf(const ContinuedLoop& l, InstRef phi, Id next) const {
  const InstRef def = module_.def(next);
  const auto isLike = [&](InstRef i) {
    return module_.opcode(i) == spv::Op::OpPhi &&
           module_.resultType(i) == module_.resultType(phi) && !isTaken_[i.value];
  };
  const auto isPossible = [&](InstRef i) { return module_.blockOf(i) == l.target && isLike(i); };
  if (isPossible(def) || (isLike(def) && isPassedOnce(l, module_.blockOf(def)))) return def;
  if (!isMadeInContinue(l, next) || module_.opcode(def) == spv::Op::OpPhi) return {};
  InstRef source;
  bool isMadeOfPhi = false;
  module_.forEachIdOperand(def, [&](uint32_t, Id operand) {
    isMadeOfPhi |= operand == module_.resultId(phi);
    if (const InstRef i = module_.def(operand); !source && i && isPossible(i)) source = i;
  });
  return isMadeOfPhi ? InstRef() : source;
}

void Demotion::collect(const ContinuedLoop& l) {
  for (const InstRef i : module_.blockInsts(l.header)) {
    if (module_.opcode(i) != spv::Op::OpPhi || !isSimple(module_.resultType(i))) continue;
    const Id next = nextOf(l, i);
    const InstRef partner = partnerOf(l, i, next);
    Demoted& d = demoted_.emplace_back(Demoted{l, i, next, partner});
    if (partner) findSharing(d);
    for (const auto& [block, phi] : d.sharing) isTaken_[phi.value] = true;
  }
}

/// Those that the partner is made of, and they of others: between it and the header, each passed
/// once in an iteration.
void Demotion::findSharing(Demoted& d) const {
  d.sharing = {{module_.blockOf(d.partner), d.partner}};
  d.storesAlways = !mayStore(d, d.partner);
  if (d.storesAlways) return;
  const auto isPhi = [&](InstRef i) {
    return i && module_.opcode(i) == spv::Op::OpPhi && !isTaken_[i.value] &&
           module_.resultType(i) == module_.resultType(d.phi) &&
           isPassedOnce(d.loop, module_.blockOf(i));
  };
  std::set<std::pair<uint32_t, InstRef>> reached; // in the order in which they are executed
  const auto reach = [&](InstRef phi) {
    return reached.emplace(cfg_.rpoIndex(module_.blockOf(phi)), phi).second;
  };
  std::vector<InstRef> pending{d.partner};
  while (!pending.empty() && reached.size() < kMostSharing) {
    const InstRef phi = pending.back();
    pending.pop_back();
    forEachOperand(phi, [&](Id value, BlockRef) {
      if (const InstRef i = module_.def(value); i != d.partner && isPhi(i) && reach(i))
        pending.push_back(i);
    });
  }
  std::set<Id> kept{module_.resultId(d.phi)};
  for (const auto& [order, phi] : reached) {
    bool keeps = false;
    forEachOperand(phi, [&](Id value, BlockRef) { keeps |= kept.contains(value); });
    if (!keeps || !d.sharing.try_emplace(module_.blockOf(phi), phi).second) continue;
    kept.insert(module_.resultId(phi));
  }
  // Where a way to one of them leads elsewhere as well, nothing can be stored for it alone.
  size_t rounds = 0, refused = 0;
  do {
    refused = std::erase_if(
        d.sharing, [&](const auto& s) { return s.second != d.partner && !mayStore(d, s.second); });
  } while (refused != 0 && ++rounds < kMostRounds);
  if (refused != 0 || !mayStore(d, d.partner))
    d.sharing = {{module_.blockOf(d.partner), d.partner}};
}

/// Whether the variable has that value at the end of a block in the loop: whatever was stored last
/// on the ways to it.
bool Demotion::isHeld(const Demoted& d, BlockRef from, Id value) const {
  if (d.sharing.size() == 1) return value == module_.resultId(d.phi); // nothing stores before it
  std::set<BlockRef> seen{from};
  std::vector<BlockRef> pending{from};
  while (!pending.empty()) {
    const BlockRef b = pending.back();
    pending.pop_back();
    const auto sharing = d.sharing.find(b);
    if (b == d.loop.header || sharing != d.sharing.end()) {
      const InstRef held = b == d.loop.header ? d.phi : sharing->second;
      if (module_.resultId(held) != value) return false;
      continue;
    }
    for (const BlockRef before : cfg_.predecessors(b))
      if (seen.insert(before).second) pending.push_back(before);
    if (seen.size() > kMostBlocksBetween) return false;
  }
  return true;
}

/// Whether each way to it that changes the variable leads nowhere else.
bool Demotion::mayStore(const Demoted& d, InstRef sharing) const {
  bool may = true;
  forEachOperand(sharing, [&](Id value, BlockRef from) {
    may = may && (cfg_.successors(from).size() == 1 || isHeld(d, from, value));
  });
  return may;
}

void Demotion::declareVariable(Demoted& d) {
  d.variable = rewriter_.newId();
  const Id type = declarations_.functionPointer(rewriter_, module_.resultType(d.phi));
  const BlockRef entry = module_.firstBlock(module_.functionOf(d.loop.header));
  rewriter_.insertAfter(module_.blockInsts(entry).first,
                        Inst(spv::Op::OpVariable)
                            .id(type)
                            .id(d.variable)
                            .word(uint32_t(spv::StorageClass::Function)));
  decorate(d.variable, d, true);
}

/// What is said of the phi is said of another load of its value; of the variable, how precise it
/// is.
void Demotion::decorate(Id copy, const Demoted& d, bool isVariable) {
  for (const Decoration& of : decorations_.of(module_.resultId(d.phi)))
    if (module_.opcode(of.inst) == spv::Op::OpDecorate &&
        (!isVariable || of.decoration == spv::Decoration::RelaxedPrecision))
      rewriter_.insertBefore(of.inst, Inst(module_.inst(of.inst)).set(1, copy.value));
}

void Demotion::load(BlockRef in, const Demoted& d, Id result) {
  rewriter_.insertAfter( // debug information behind it may name the result
      lastPhi(in), Inst(spv::Op::OpLoad).id(module_.resultType(d.phi)).id(result).id(d.variable));
}

void Demotion::store(BlockRef atEndOf, const Demoted& d, Id value) {
  const InstRef merge = module_.mergeInst(atEndOf);
  rewriter_.insertBefore(merge ? merge : module_.terminator(atEndOf),
                         Inst(spv::Op::OpStore).id(d.variable).id(value));
}

void Demotion::writeLoads(const Demoted& d) {
  load(d.loop.header, d, module_.resultId(d.phi));
  rewriter_.erase(d.phi);
  for (const auto& [block, phi] : d.sharing) {
    if (isNeeded(d, phi)) load(block, d, module_.resultId(phi));
    rewriter_.erase(phi);
  }
  if (isLeftByBody(d)) return;
  Id inContinue;
  for (const Use& use : defUse_.uses(module_.resultId(d.phi))) {
    const BlockRef at = module_.blockOf(use.user);
    if (!at || module_.opcode(use.user) == spv::Op::OpPhi || !isInContinue(d.loop, at)) continue;
    if (!inContinue) {
      inContinue = rewriter_.newId();
      load(d.loop.target, d, inContinue);
      decorate(inContinue, d, false);
    }
    rewriter_.setId(use.user, use.word, inContinue);
  }
}

void Demotion::writeStores(const Demoted& d) {
  forEachOperand(d.phi, [&](Id value, BlockRef from) {
    if (from != d.loop.last) store(from, d, value);
  });
  if (d.partner) { // on each way that changes the variable, if that is on no other way
    for (const auto& [block, sharing] : d.sharing)
      forEachOperand(sharing, [&](Id value, BlockRef from) {
        if (isStored(d, from, value)) store(from, d, value);
      });
  } else if (!isMadeInContinue(d.loop, d.next)) { // one store, which each iteration comes by
    const BlockRef made = module_.blockOf(module_.def(d.next));
    store(made && loops_.contains(*d.loop.loop, made) ? made : d.loop.header, d, d.next);
  }
  if (isMadeInContinue(d.loop, d.next) && module_.def(d.next) != d.partner)
    store(d.loop.last, d, d.next);
}

void Demotion::run() {
  for (const Construct& construct : cfg_.constructs())
    if (ContinuedLoop l; read(construct, l)) collect(continued_.emplace_back(l));
  for (Demoted& d : demoted_) declareVariable(d);
  for (const Demoted& d : demoted_)
    writeLoads(d); // before stores at the same place, which may use them
  for (const Demoted& d : demoted_) writeStores(d);
}

} // namespace

PassResult runReg2mem(PassContext& context) {
  Rewriter rewriter(context.module);
  Demotion(context, rewriter).run();
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
