// --gvn
//
// What         Numbers values: an instruction whose operands are known folds, is simplified, or
// goes
//              where a dominating one computes the same; copies and phis of one value go; a load
//              goes where the same memory was loaded or stored before and nothing may have written
//              it since; access chains combine.
// Legal when   The result is the same bit for bit (numbering/simplify.h). Equal means the same
//              opcode, type, operands and decorations; only a RelaxedPrecision result may be
//              replaced by one that is not. Specialization constants are never evaluated. Nothing
//              that depends on who executes it, and no access that is volatile, coherent, atomic or
//              speaks of availability, is touched. A write ends what is known of its variable, or
//              of the storage class where the variable is not known; a barrier, an atomic or an
//              image write all that other invocations can reach; anything else with effects
//              everything. A store to a buffer says nothing of a load behind it in fragment shaders
//              (stores of helper invocations have no effect) and with --robust (nor have those out
//              of range).
// Before       %a = OpIAdd %uint %x %uint_1
//              %b = OpIAdd %uint %x %uint_1
//              %c = OpISub %uint %b %uint_1
// After        %a = OpIAdd %uint %x %uint_1         (uses of %c: %x)
// Not handled  Memory across the merge of a branch, unless the function never writes that class;
//              equalities that hold only around a loop; image reads.
// Reference    P. Briggs, K. Cooper, L. T. Simpson, "Value Numbering" (1997), the version that
//              walks the dominator tree.
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "canonical/numbering/memory_numbers.h"
#include "canonical/numbering/number_table.h"
#include "canonical/numbering/simplify.h"
#include "canonical/numbering/value_table.h"
#include "ir/operand_walk.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/constant_pool.h"
#include "transforms/value_edits.h"

#include <algorithm>
#include <vector>

namespace lanewise {

namespace {

/// Rewrites of one instruction that lead to another rewrite.
constexpr int kMaxRewrites = 8;
/// Rounds over the phis after the walk: a phi may be redundant only because another was.
constexpr int kMaxPhiRounds = 4;

/// The result must be used in the block that defines it, or by certain instructions only.
bool isBoundToPlace(spv::Op op) {
  return op == spv::Op::OpSampledImage || op == spv::Op::OpImageTexelPointer;
}

class Numbering {
public:
  Numbering(PassContext& context, Rewriter& rewriter)
      : module_(context.module), cfg_(context.analyses.get<Cfg>()),
        dominance_(context.analyses.get<Dominance>()),
        decorations_(context.analyses.get<Decorations>()), rewriter_(rewriter),
        edits_(context.analyses, rewriter_), constants_(context.analyses, rewriter_),
        values_(context.analyses, edits_, constants_), memory_(context.analyses, values_),
        floats_(floatRulesOf(module_)),
        storesToBuffersCount_(!context.isRobust && !mayHaveHelpers(module_)),
        keepsLoads_(context.keepsLoads), child_(module_.blockCount() + 1),
        sibling_(module_.blockCount() + 1) {}

  void run() {
    for (uint32_t f = 1; f <= module_.functionCount(); ++f) number(FunctionRef(f));
    table_ = NumberTable(); // the edits need the room
    edits_.apply();
    writeRewritten();
  }

private:
  void number(FunctionRef f);
  void growTree(FunctionRef f);
  void visit(BlockRef b);
  void visitInst(InstRef i, BlockRef b);
  void visitLoad(InstRef i, BlockRef b);
  void visitStore(InstRef i, BlockRef b);
  bool keepsLoad(Id pointer) const;
  bool isNumbered(InstRef i) const;
  void readWords(InstRef i);
  Simplified simplifyAll(InstRef i);
  bool mayRewrite(InstRef i) const;
  void numberResult(InstRef i, BlockRef b);
  bool visitPhi(InstRef i, BlockRef b);
  bool areAlike(Id old, Id leader) const;
  bool isUndefined(Id value) const;
  bool isAvailable(Id value, BlockRef b) const;
  void writeRewritten();

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Decorations& decorations_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  ConstantPool constants_;
  ValueTable values_;
  MemoryNumbers memory_;
  const FloatRules floats_;
  /// Every store to a buffer has its effect: the program does not count on what happens out of
  /// range, and there are no helper invocations.
  const bool storesToBuffersCount_;
  const bool keepsLoads_; ///< PassContext::keepsLoads
  NumberTable table_;
  std::vector<BlockRef> child_, sibling_; ///< the dominator tree, by BlockRef
  std::vector<uint32_t> words_;           ///< of the instruction at hand, operands resolved
  std::vector<InstRef> rewritten_;
};

/// Children in reverse post-order, so that a merge block comes behind the arms.
void Numbering::growTree(FunctionRef f) {
  const auto order = cfg_.reversePostOrder(f);
  for (size_t n = order.size(); n-- > 1;) {
    const BlockRef parent = dominance_.idom(order[n]);
    sibling_[order[n].value] = child_[parent.value];
    child_[parent.value] = order[n];
  }
}

void Numbering::number(FunctionRef f) {
  if (module_.blockCount(f) == 0) return;
  growTree(f);
  memory_.enterFunction(f);
  table_.clear();
  std::vector<BlockRef> stack{module_.firstBlock(f)};
  while (!stack.empty()) {
    const BlockRef b = stack.back();
    stack.pop_back();
    if (sibling_[b.value]) stack.push_back(sibling_[b.value]);
    if (child_[b.value]) stack.push_back(child_[b.value]);
    visit(b);
  }
  bool isDone = false;
  for (int round = 0; round < kMaxPhiRounds && !isDone; ++round) {
    isDone = true;
    for (BlockRef b : cfg_.reversePostOrder(f))
      for (InstRef i : module_.blockInsts(b))
        if (module_.opcode(i) == spv::Op::OpPhi && !edits_.isErased(i) && visitPhi(i, b))
          isDone = false;
  }
}

void Numbering::visit(BlockRef b) {
  // Straight from its dominator: what is known of memory there holds here.
  const auto from = cfg_.predecessors(b);
  memory_.enterBlock(b, from.size() == 1 && from.front() == dominance_.idom(b) ? from.front()
                                                                               : BlockRef());
  for (InstRef i : module_.blockInsts(b)) visitInst(i, b);
  memory_.leaveBlock(b);
}

void Numbering::visitInst(InstRef i, BlockRef b) {
  switch (module_.opcode(i)) {
  case spv::Op::OpPhi:
    if (!visitPhi(i, b)) {
      readWords(i);
      words_.push_back(b.value); // phis of different blocks are different
      numberResult(i, b);
    }
    return;
  case spv::Op::OpLoad:
    visitLoad(i, b);
    return;
  case spv::Op::OpStore:
    visitStore(i, b);
    return;
  default:
    break;
  }
  if (!isNumbered(i)) {
    memory_.execute(i);
    return;
  }
  readWords(i);
  if (const Simplified s = simplifyAll(i); s.value && !isUndefined(s.value)) {
    edits_.replace(module_.resultId(i), s.value);
    return;
  }
  numberResult(i, b);
}

bool Numbering::isNumbered(InstRef i) const {
  const OpcodeFacts& facts = module_.facts(i);
  if (facts.opClass != OpClass::Value || !facts.hasResultType) return false;
  // Each says or prints something at its own place, whether or not another says the same.
  if (isExtInst(facts.opcode) && isNonSemanticSet(module_.extInstSet(module_.idAt(i, 3))))
    return false;
  const Effect effects = module_.effects(i);
  return effects == Effect::None || effects == Effect::MayTrapOrUndef;
}

void Numbering::readWords(InstRef i) {
  const auto words = module_.inst(i);
  words_.assign(words.begin(), words.end());
  module_.forEachIdOperand(i, [&](uint32_t n, Id id) { words_[n] = edits_.resolved(id).value; });
}

/// Decorations speak of the operation that is there; what may replace it is another one.
bool Numbering::mayRewrite(InstRef i) const {
  const bool isChain = isAccessChain(module_.opcode(i));
  const auto all = decorations_.of(module_.resultId(i));
  return std::all_of(all.begin(), all.end(), [&](const Decoration& d) {
    return d.decoration == spv::Decoration::RelaxedPrecision ||
           (isChain && d.decoration == spv::Decoration::NonUniform);
  });
}

/// What the instruction comes to; the words are then those of the last rewrite.
Simplified Numbering::simplifyAll(InstRef i) {
  bool isChanged = false;
  Simplified s;
  for (int n = 0; n < kMaxRewrites; ++n) {
    s = simplify(values_, floats_, words_);
    if (s.inst && !mayRewrite(i)) return {};
    if (!s.inst) break;
    const auto words = s.inst->finish();
    words_.assign(words.begin(), words.end());
    isChanged = true;
  }
  if (s.value || !isChanged) return s;
  if (!edits_.isErased(i)) {
    edits_.isRewritten(i);
    values_.rewrite(i, Inst(std::span<const uint32_t>(words_)));
    rewritten_.push_back(i);
  }
  return {};
}

/// Goes where a dominating instruction has the same words; otherwise later ones may find this one.
void Numbering::numberResult(InstRef i, BlockRef b) {
  const Id result = module_.resultId(i);
  words_[2] = 0;
  const spv::Op op = spv::Op(words_[0] & 0xFFFF);
  if (isCommutative(op) && words_.size() == 5 && words_[3] > words_[4])
    std::swap(words_[3], words_[4]);
  NumberTable::Entry& entry = table_.at(words_);
  const bool isReached =
      entry.value && (isBoundToPlace(op) ? entry.block == b : dominance_.dominates(entry.block, b));
  if (isReached && areAlike(result, entry.value)) {
    edits_.replace(result, entry.value, ValueEdits::Decorated::Equal);
    return;
  }
  entry.value = result;
  entry.block = b;
}

/// Whether the decorations of `leader` will do for `old`.
bool Numbering::areAlike(Id old, Id leader) const {
  const auto a = decorations_.of(old), b = decorations_.of(leader);
  if (a.empty() && b.empty()) return true;
  const auto isRelaxed = [](const Decoration& d) {
    return d.decoration == spv::Decoration::RelaxedPrecision;
  };
  const auto wordsOf = [&](const Decoration& d) {
    return module_.inst(d.inst).subspan(d.operandWord);
  };
  const auto isIn = [&](const Decoration& d, std::span<const Decoration> all) {
    return std::any_of(all.begin(), all.end(), [&](const Decoration& o) {
      return o.decoration == d.decoration && std::ranges::equal(wordsOf(o), wordsOf(d));
    });
  };
  return std::all_of(a.begin(), a.end(),
                     [&](const Decoration& d) { return isRelaxed(d) || isIn(d, b); }) &&
         std::all_of(b.begin(), b.end(), [&](const Decoration& d) { return isIn(d, a); });
}

/// Each use may find another value, so it stands for none (SPIR-V 3.52.1, OpUndef).
bool Numbering::isUndefined(Id value) const {
  return module_.opcodeOf(value) == spv::Op::OpUndef;
}

bool Numbering::isAvailable(Id value, BlockRef b) const {
  const InstRef def = module_.def(value);
  if (!def) return true; // a new constant
  const BlockRef where = module_.blockOf(def);
  return !where || dominance_.dominates(where, b);
}

/// True when the phi is of one value, which takes its place.
bool Numbering::visitPhi(InstRef i, BlockRef b) {
  const Id result = module_.resultId(i);
  Id only;
  for (uint32_t n = 3; n < module_.wordCount(i); n += 2) {
    const Id value = edits_.resolved(module_.idAt(i, n));
    if (value == result || value == only) continue;
    if (only) return false;
    only = value;
  }
  if (!only || isUndefined(only) || !isAvailable(only, b)) return false;
  // A copy in its place would be used by phis of the same block before it is there.
  if (!decorations_.of(result).empty() && !areAlike(result, only)) return false;
  edits_.replace(result, only, ValueEdits::Decorated::Equal);
  return true;
}

void Numbering::visitLoad(InstRef i, BlockRef b) {
  readWords(i);
  const Id pointer(words_[3]), type(words_[1]);
  const auto number = memory_.numberOf(i, pointer);
  if (!number || keepsLoad(pointer)) {
    memory_.execute(i);
    return;
  }
  words_ = {uint32_t(spv::Op::OpLoad), type.value,        0, pointer.value,
            number->ofClass,           number->ofVariable};
  NumberTable::Entry& entry = table_.at(words_);
  if (entry.value && dominance_.dominates(entry.block, b)) {
    const Id value = edits_.resolved(entry.value), result = module_.resultId(i);
    if (isUndefined(value)) return;
    if (module_.opcodeOf(value) == spv::Op::OpLoad && !areAlike(result, value)) return;
    // Only stores may use a conversion that says how it rounds (Vulkan, VUID-StandaloneSpirv-
    // FPRoundingMode-04675).
    if (decorations_.has(value, spv::Decoration::FPRoundingMode)) return;
    edits_.replace(result, value);
    return;
  }
  entry.value = module_.resultId(i);
  entry.block = b;
}

bool Numbering::keepsLoad(Id pointer) const {
  return keepsLoads_ && memory_.isShared(pointer);
}

/// A later load of the place gives the value that is stored.
void Numbering::visitStore(InstRef i, BlockRef b) {
  const Id pointer = edits_.resolved(module_.idAt(i, 1));
  const Id value = edits_.resolved(module_.idAt(i, 2));
  memory_.execute(i);
  const auto number = memory_.numberOf(i, pointer);
  if (!number || (!storesToBuffersCount_ && memory_.isBuffer(pointer)) || keepsLoad(pointer))
    return;
  words_ = {uint32_t(spv::Op::OpLoad), values_.typeOf(value).value, 0, pointer.value,
            number->ofClass,           number->ofVariable};
  NumberTable::Entry& entry = table_.at(words_);
  entry.value = value;
  entry.block = b;
}

/// Operands may have been replaced since they were written down.
void Numbering::writeRewritten() {
  for (InstRef i : rewritten_) {
    if (edits_.isErased(i)) continue;
    Inst inst(values_.rewritten(i));
    const std::vector<uint32_t> words(values_.rewritten(i).begin(), values_.rewritten(i).end());
    detail::IdVisitor visitor(
        [&](uint32_t n) { inst.set(n, edits_.resolved(Id(words[n])).value); });
    detail::OperandWalk(module_, words, visitor).run(factsOf(spv::Op(words[0] & 0xFFFF)));
    rewriter_.replace(i, std::move(inst));
  }
}

} // namespace

PassResult runGvn(PassContext& context) {
  Rewriter rewriter(context.module);
  Numbering(context, rewriter).run(); // its tables are gone before the new module is read
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
