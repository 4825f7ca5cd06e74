// --licm: what every iteration of a loop computes alike, in front of the loop
//
// What         Moves instructions whose operands do not change in a loop to the block in front of
//              it, out of as many loops as may be: arithmetic, and loads of what the loop does not
//              write.
// Legal when   It may be executed where the loop ends before it comes to it: it is total and pure,
//              or proved to be defined (analysis/branches/speculation.h), or certain to be executed
//              whenever the loop is entered, with no loop before it that might not end. A load:
//              nothing in the loop writes memory that may be the same, or makes visible what others
//              wrote (two storage buffers may be one), and it is not a loop that waits for others.
// Pays when    The value takes no register more, since it stands for others that the loop does not
//              need any longer; or the subgroup has it once, and those registers are not many; or
//              the loop has few alive as it is; or it is dear to compute. Names, addresses, push
//              constants and what is not in registers move with what needs them alone. Not out of
//              a loop that asks to be unrolled, or is so short that compilers do: they have one of
//              each then, and an arm that has lost what made it dear is one that they flatten.
// Before       %h: OpLoopMerge %m %k None
//              %b: %s = OpLoad %float %scale      (a uniform block)
//              %t = OpFMul %float %s %x           (%x from in front of the loop)
// After        %s = OpLoad %float %scale
//              %t = OpFMul %float %s %x
//              OpBranch %h
// Debug info   Ids stay, and what is said of them; lines go along.
// Not handled  Loops with several blocks in front of them, or one that also goes elsewhere; parts
//              of sums: (i + a) + b. That a local variable, a Workgroup variable or a restrict
//              buffer is not another one that the loop writes was tried: of 2 643 shaders one more
//              was 2 % cheaper.
// Reference    LLVM, LICMPass; SPIR-V specification, 2.11 (structured control flow). Measured in
//              docs/passes/licm.md.
#include "analysis/branches/operation_cost.h"
#include "analysis/branches/register_pressure.h"
#include "analysis/branches/speculation.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "canonical/support/memory_classes.h"
#include "canonical/support/removable_accesses.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "transforms/debug_cursor.h"
#include "transforms/flatten_selections.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace lanewise {
namespace {

struct Options {
  /// Loops that an instruction leaves at most; blocks of a loop that are seen to be certain.
  uint32_t maxLevels = 16, maxCertain = 64, maxBlocksBetween = 256;
  /// Uses of a value, and instructions of an expression, that are looked at.
  uint32_t maxUses = 16, maxExpression = 64;
  /// For each register more (operationCost()), where the loop has not few alive.
  double leastGain = 8;
  /// Iterations of a loop, and instructions of all of them, that compilers write out.
  uint64_t maxIterations = 8, maxWrittenOut = 256;
  /// Registers that subgroups have, and that a loop may keep values in for what it gains.
  uint32_t maxScalars = 48;
};

/// A natural loop, by the place in Loops::all().
struct HoistedLoop {
  BlockRef preheader;              ///< goes nowhere but to the header; null: there is none
  bool isUnrolled = false;         ///< it asks for it, or is short
  MemoryClasses written = 0;       ///< in it, and in loops inside
  bool waits = false;              ///< an iteration changes nothing, so that others must
  std::vector<BlockRef> certain;   ///< executed in the first iteration, each dominating the next
  uint32_t added = 0;              ///< registers a lane of what moves
  std::optional<uint32_t> live;    ///< registers at the end of blocks, at most
  std::optional<uint32_t> scalars; ///< registers a subgroup of what moves, and of local arrays
};

class Hoisting {
public:
  Hoisting(PassContext& context, Rewriter& rewriter)
      : context_(context), analyses_(context.analyses), module_(context.module),
        rewriter_(rewriter), cfg_(analyses_.get<Cfg>()), dominance_(analyses_.get<Dominance>()),
        loops_(analyses_.get<Loops>()), types_(analyses_.get<Types>()),
        defUse_(analyses_.get<DefUse>()), decorations_(analyses_.get<Decorations>()),
        speculation_(analyses_), of_(loops_.all().size()),
        target_(size_t(module_.instCount()) + 1, -1), isMoved_(target_.size()) {}

  void run();

private:
  size_t indexOf(const Loop& l) const { return size_t(&l - loops_.all().data()); }
  MemoryClass classOf(Id pointer) const;
  MemoryClasses changedClasses(const RemovableAccesses& accesses, InstRef i) const;
  bool isShort(const Loop& l) const;
  void readLoops();
  BlockRef nextCertain(BlockRef b) const;
  void findCertain(const Loop& l);

  bool isOutside(Id value, const Loop& l) const;
  MemoryClasses readClassesOfOperands(InstRef i) const;
  MemoryClasses readClasses(InstRef i) const;
  bool mayMove(InstRef i, BlockRef b, const Loop& l);
  void collect(InstRef i, BlockRef b);

  bool isName(InstRef i) const;
  bool isScalar(InstRef i) const;
  bool isNeededOnlyBy(InstRef def, const std::vector<InstRef>& expression, const Loop& l) const;
  bool pays(InstRef i);
  void select();
  void write();

  PassContext& context_;
  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Loops& loops_;
  const Types& types_;
  const DefUse& defUse_;
  const Decorations& decorations_;
  Speculation speculation_;
  const Options options_;
  std::vector<HoistedLoop> of_;
  std::vector<int32_t> target_; ///< by InstRef: the loop in front of which it may go, or -1
  std::vector<InstRef> candidates_;
  std::vector<bool> isMoved_; ///< by InstRef
  std::optional<RegisterPressure> pressure_;
};

MemoryClass Hoisting::classOf(Id pointer) const {
  const auto storage = types_.storageOf(pointer);
  return storage ? memoryClassOf(*storage) : MemoryClass::Other;
}

/// What an instruction writes, or what others wrote that is seen from there on: a volatile or
/// coherent read may be what tells of it.
MemoryClasses Hoisting::changedClasses(const RemovableAccesses& accesses, InstRef i) const {
  const MemoryClasses written =
      writtenClasses(module_, i, [&](Id pointer) { return classOf(pointer); });
  const bool reads = has(module_.effects(i), Effect::ReadsMemory);
  return reads && accesses.isNeededForItself(i) ? written | kSharedMemoryClasses : written;
}

/// Compilers write it out iteration by iteration.
bool Hoisting::isShort(const Loop& l) const {
  if (l.tripCount.value_or(0) == 0 || *l.tripCount > options_.maxIterations) return false;
  uint64_t instructions = 0;
  return std::ranges::all_of(l.blocks, [&](BlockRef b) {
    const InstRange all = module_.blockInsts(b);
    instructions += all.last.value - all.first.value;
    return instructions * *l.tripCount <= options_.maxWrittenOut;
  });
}

void Hoisting::readLoops() {
  RemovableAccesses accesses(analyses_);
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (InstRef i : module_.functionInsts(FunctionRef(f))) accesses.notePointer(i);
  const auto all = loops_.all();
  for (size_t n = all.size(); n-- > 0;) { // inner before outer
    HoistedLoop& l = of_[n];
    bool isOnly = true;
    for (BlockRef from : cfg_.predecessors(all[n].header)) {
      if (loops_.contains(all[n], from)) continue;
      isOnly = isOnly && !l.preheader && cfg_.isReachable(from);
      l.preheader = from;
    }
    if (!isOnly || !l.preheader || cfg_.successors(l.preheader).size() != 1) l.preheader = {};
    if (const InstRef merge = module_.mergeInst(all[n].header);
        merge && module_.opcode(merge) == spv::Op::OpLoopMerge)
      l.isUnrolled = (module_.word(merge, 3) & uint32_t(spv::LoopControlMask::Unroll)) != 0;
    l.isUnrolled = l.isUnrolled || isShort(all[n]);
    for (BlockRef b : all[n].blocks)
      if (loops_.innermost(b) == &all[n])
        for (InstRef i : module_.blockInsts(b)) l.written |= changedClasses(accesses, i);
    l.waits = l.written == 0 && phisOf(module_, all[n].header).empty();
    if (all[n].parent >= 0) of_[size_t(all[n].parent)].written |= l.written;
  }
}

/// The block that is executed behind `b` for sure, in the same iteration of the loops around both.
BlockRef Hoisting::nextCertain(BlockRef b) const {
  const Loop* loop = loops_.innermost(b);
  const auto successors = cfg_.successors(b);
  BlockRef next;
  if (successors.size() == 1)
    next = successors[0];
  else if (loop && loop->conditionBlock == b && loop->entersBody)
    next = loop->bodyEntry;
  else {
    next = dominance_.ipdom(b);
    if (!next || cfg_.rpoIndex(next) <= cfg_.rpoIndex(b)) return {};
    const uint32_t between = cfg_.rpoIndex(next) - cfg_.rpoIndex(b) - 1;
    if (between > options_.maxBlocksBetween) return {};
    for (BlockRef other :
         cfg_.reversePostOrder(module_.functionOf(b)).subspan(cfg_.rpoIndex(b) + 1, between))
      if (loops_.innermost(other) != loop) return {}; // one that may not end
  }
  if (!next || cfg_.rpoIndex(next) <= cfg_.rpoIndex(b) || !dominance_.dominates(b, next)) return {};
  const Loop* nextLoop = loops_.innermost(next);
  if (nextLoop == loop) return next;
  return nextLoop && nextLoop->header == next && loops_.parent(*nextLoop) == loop ? next
                                                                                  : BlockRef();
}

void Hoisting::findCertain(const Loop& l) {
  HoistedLoop& of = of_[indexOf(l)];
  if (!of.certain.empty() || of.written == kEveryMemoryClass) return; // a call may never come back
  for (BlockRef b = l.header; b && of.certain.size() < options_.maxCertain; b = nextCertain(b)) {
    if (!loops_.contains(l, b)) break;
    of.certain.push_back(b);
  }
}

bool Hoisting::isOutside(Id value, const Loop& l) const {
  const InstRef def = module_.def(value);
  if (!def) return false;
  const BlockRef b = module_.blockOf(def);
  if (!b || !loops_.contains(l, b)) return true;
  const int32_t target = target_[def.value];
  return target >= 0 && !loops_.contains(l, of_[size_t(target)].preheader);
}

/// Of an instruction that reads through some of its operands: images, or pointers, as those that
/// load cooperative matrices and vectors do.
MemoryClasses Hoisting::readClassesOfOperands(InstRef i) const {
  MemoryClasses read = 0;
  module_.forEachIdOperand(i, [&](uint32_t, Id operand) {
    const spv::Op type = module_.opcodeOf(module_.typeOf(operand));
    if (type == spv::Op::OpTypeImage || type == spv::Op::OpTypeSampledImage)
      read |= only(MemoryClass::Buffer);
    else if (types_.storageOf(operand))
      read |= only(classOf(operand));
  });
  return read != 0 ? read : only(MemoryClass::Other);
}

/// What the instruction reads, Other where that is not known.
MemoryClasses Hoisting::readClasses(InstRef i) const {
  if (!has(module_.effects(i), Effect::ReadsMemory)) return 0;
  if (module_.opcode(i) != spv::Op::OpLoad) return readClassesOfOperands(i);
  const Id pointer = module_.idAt(i, 3);
  const Id variable = originVariableOf(analyses_, pointer);
  const MemoryClass c = classOf(pointer);
  if (!variable) return only(c);
  if (isUnsteadyInput(module_, decorations_, variable)) return only(MemoryClass::Other);
  return only(isNeverWritten(analyses_, variable) ? MemoryClass::ReadOnly : c);
}

bool Hoisting::mayMove(InstRef i, BlockRef b, const Loop& l) {
  HoistedLoop& of = of_[indexOf(l)];
  if (!of.preheader) return false;
  bool isInvariant = true;
  module_.forEachIdOperand(
      i, [&](uint32_t, Id operand) { isInvariant = isInvariant && isOutside(operand, l); });
  if (!isInvariant) return false;
  const MemoryClasses read = readClasses(i);
  if ((read & (of.written | only(MemoryClass::Other))) != 0) return false;
  if (of.waits && (read & kSharedMemoryClasses) != 0) return false;
  findCertain(l);
  BlockRef at = of.preheader;
  for (BlockRef c : of.certain) {
    if (c == b) return speculation_.blockerOfMoving(i) == SpeculationBlocker::None;
    if (dominance_.dominates(c, b)) at = c;
  }
  return speculation_.blockerOf(i, at) == SpeculationBlocker::None;
}

void Hoisting::collect(InstRef i, BlockRef b) {
  if (!module_.resultType(i) || module_.opcode(i) == spv::Op::OpPhi ||
      module_.facts(i).opClass != OpClass::Value || isDebugInstruction(module_, i))
    return;
  uint32_t levels = 0;
  for (const Loop* l = loops_.innermost(b); l && levels++ < options_.maxLevels && mayMove(i, b, *l);
       l = loops_.parent(*l))
    if (!of_[indexOf(*l)].isUnrolled) target_[i.value] = int32_t(indexOf(*l));
  if (target_[i.value] >= 0) candidates_.push_back(i);
}

// ---- what pays ----

/// Takes no instruction: a name, an address, what drivers have in registers from the start, or
/// what is not in registers.
bool Hoisting::isName(InstRef i) const {
  if (costClassOf(module_, i) == CostClass::Free || isAccessChain(module_.opcode(i))) return true;
  if (module_.opcode(i) == spv::Op::OpLoad &&
      types_.storageOf(module_.idAt(i, 3)) == spv::StorageClass::PushConstant)
    return true;
  const TypeInfo::Kind kind = types_.info(module_.resultType(i)).kind;
  return kind != TypeInfo::Kind::Int && kind != TypeInfo::Kind::Float &&
         kind != TypeInfo::Kind::Bool && kind != TypeInfo::Kind::Vector;
}

/// Whether the subgroup may have it once.
bool Hoisting::isScalar(InstRef i) const {
  if (!uniformityOf(analyses_, UniformScope::Subgroup).isUniform(module_.resultId(i))) return false;
  if (module_.opcode(i) == spv::Op::OpLoad) return true;
  const TypeInfo& type = types_.info(module_.resultType(i));
  const TypeInfo::Kind kind =
      type.kind == TypeInfo::Kind::Vector ? types_.info(type.element).kind : type.kind;
  return kind != TypeInfo::Kind::Float; // few have scalar arithmetic for those
}

bool Hoisting::isNeededOnlyBy(InstRef def, const std::vector<InstRef>& expression,
                              const Loop& l) const {
  const auto uses = defUse_.uses(module_.resultId(def));
  if (uses.size() > options_.maxUses) return false;
  return std::ranges::all_of(uses, [&](const Use& use) {
    const BlockRef at = module_.blockOf(use.user);
    if (!at || isDebugInstruction(module_, use.user) ||
        std::ranges::find(expression, use.user) != expression.end())
      return true;
    if (target_[def.value] >= 0) return false;
    return isMoved_[use.user.value] ||
           (!loops_.contains(l, at) && !dominance_.dominates(l.header, at));
  });
}

bool Hoisting::pays(InstRef i) {
  HoistedLoop& of = of_[size_t(target_[i.value])];
  const Loop& l = loops_.all()[size_t(target_[i.value])];
  const uint32_t own = registersOf(analyses_, module_.resultType(i));
  if (isScalar(i)) {
    // A comparison in front of a branch takes none.
    if (types_.info(module_.resultType(i)).kind == TypeInfo::Kind::Bool) return false;
    if (!of.scalars) of.scalars = localArrayRegisters(analyses_, module_.functionOf(l.header));
    if (*of.scalars + own > options_.maxScalars) return false;
    *of.scalars += own;
    return true;
  }
  std::vector<InstRef> expression{i}, inputs;
  double gain = 0;
  uint32_t freed = 0;
  for (size_t n = 0; n < expression.size() && n < options_.maxExpression; ++n) {
    gain += operationCost(analyses_, context_.target, expression[n]);
    module_.forEachIdOperand(expression[n], [&](uint32_t, Id operand) {
      const InstRef def = module_.def(operand);
      if (!def || !module_.blockOf(def) || !isNeededOnlyBy(def, expression, l)) return;
      std::vector<InstRef>& where = target_[def.value] >= 0 ? expression : inputs;
      if (std::ranges::find(where, def) != where.end()) return;
      where.push_back(def);
      if (&where == &inputs && !isScalar(def))
        freed += registersOf(analyses_, module_.resultType(def));
    });
  }
  if (own <= freed) return true;
  const uint32_t more = own - freed;
  if (gain < options_.leastGain * more) {
    if (!pressure_)
      pressure_.emplace(analyses_,
                        [&](Id value) { return isScalar(module_.def(value)) ? 0u : 1u; });
    if (!of.live) {
      of.live = 0;
      for (BlockRef b : l.blocks) of.live = std::max(*of.live, pressure_->atEnd(b));
    }
    if (*of.live + of.added + more > context_.target.registersPerLane / 2) return false;
  }
  of.added += more;
  return true;
}

/// What others need goes where they go; of the rest, what pays.
void Hoisting::select() {
  for (size_t n = candidates_.size(); n-- > 0;) { // uses come first: phis stay
    const InstRef i = candidates_[n];
    bool isUsedByMoved = false, isUsedInside = false;
    for (const Use& use : defUse_.uses(module_.resultId(i))) {
      if (!module_.blockOf(use.user) || isDebugInstruction(module_, use.user)) continue;
      (isMoved_[use.user.value] ? isUsedByMoved : isUsedInside) = true;
    }
    isMoved_[i.value] = isUsedByMoved || (isUsedInside && !isName(i) && pays(i));
  }
}

void Hoisting::write() {
  std::vector<InstMove> moves;
  for (InstRef i : candidates_) {
    if (!isMoved_[i.value]) continue;
    const BlockRef preheader = of_[size_t(target_[i.value])].preheader;
    const InstRef merge = module_.mergeInst(preheader);
    moves.push_back({i, merge ? merge : module_.terminator(preheader)});
  }
  moveInstructions(module_, rewriter_, moves);
}

void Hoisting::run() {
  readLoops();
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (BlockRef b : cfg_.reversePostOrder(FunctionRef(f)))
      if (loops_.innermost(b))
        for (InstRef i : module_.blockInsts(b)) collect(i, b);
  select();
  write();
}

} // namespace

PassResult runLicm(PassContext& context) {
  Rewriter rewriter(context.module);
  if (!context.analyses.get<Loops>().all().empty()) Hoisting(context, rewriter).run();
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
