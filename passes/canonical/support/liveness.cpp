#include "canonical/support/liveness.h"

#include <utility>

namespace lanewise {

Liveness::Liveness(Analyses& analyses)
    : module_(analyses.module()), cfg_(analyses.get<Cfg>()), nesting_(module_, cfg_),
      accesses_(analyses) {
  const size_t insts = size_t(module_.instCount()) + 1, blocks = size_t(module_.blockCount()) + 1;
  isLive_.resize(insts);
  isQueued_.resize(insts);
  firstStore_.resize(insts);
  nextStore_.resize(insts);
  isConstructLive_.resize(blocks);
  isOptional_.resize(blocks);
  isRemovable_.resize(blocks);
  firstInside_.resize(blocks);
  nextInside_.resize(blocks);
  hasEffect_.resize(size_t(module_.functionCount()) + 1);
  collectControl();
  collect();
  indexCalls();
  propagate();
  markRemovableBlocks();
}

// ---- what is needed for itself ----

void Liveness::collect() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    const uint32_t first = module_.firstBlock(FunctionRef(f)).value;
    for (uint32_t b = first; b < first + module_.blockCount(FunctionRef(f)); ++b)
      collectBlock(BlockRef(b));
    if (module_.blockCount(FunctionRef(f)) == 0) hasEffect_[f] = 1;
  }
}

void Liveness::collectBlock(BlockRef b) {
  const FunctionRef function = module_.functionOf(b);
  for (InstRef i : module_.blockInsts(b)) {
    const spv::Op op = module_.opcode(i);
    switch (module_.facts(i).opClass) {
    case OpClass::Label:
    case OpClass::Merge:
    case OpClass::Line:
    case OpClass::Variable:
    case OpClass::Constant:
      continue;
    case OpClass::Terminator:
      if (isLeaving(i)) keepWayOut(b);
      if (isLeaving(i) && op != spv::Op::OpReturn && op != spv::Op::OpReturnValue)
        hasEffect_[function.value] = 1;
      continue;
    default:
      break;
    }
    accesses_.notePointer(i);
    if (op == spv::Op::OpPhi) continue;
    if (op == spv::Op::OpCompositeInsert && demand_.empty()) demand_.resize(isLive_.size());
    if (op == spv::Op::OpFunctionCall) {
      foundCalls_.push_back(i);
    } else if (const InstRef variable = accesses_.privateTarget(i)) {
      nextStore_[i.value] = std::exchange(firstStore_[variable.value], i);
    } else if (accesses_.isNeededForItself(i)) {
      hasEffect_[function.value] = 1;
      mark(i);
    }
  }
}

void Liveness::indexCalls() {
  if (foundCalls_.empty()) return;
  callStart_.resize(size_t(module_.functionCount()) + 2);
  const auto calleeOf = [&](InstRef call) { return module_.functionOfId(module_.idAt(call, 3)); };
  for (InstRef call : foundCalls_) ++callStart_[calleeOf(call).value + 1];
  for (size_t f = 1; f < callStart_.size(); ++f) callStart_[f] += callStart_[f - 1];
  calls_.resize(foundCalls_.size());
  std::vector<uint32_t> next = callStart_;
  for (InstRef call : foundCalls_) calls_[next[calleeOf(call).value]++] = call;
  // A function with a loop may not come back.
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (BlockRef b : cfg_.reversePostOrder(FunctionRef(f)))
      for (BlockRef s : cfg_.successors(b))
        if (cfg_.rpoIndex(s) <= cfg_.rpoIndex(b)) hasEffect_[f] = 1;
  // What is no function at all stands in front.
  for (uint32_t f = 0; f <= module_.functionCount(); ++f)
    if (f == 0 || hasEffect_[f])
      for (uint32_t n = callStart_[f]; n < callStart_[f + 1]; ++n) mark(calls_[n]);
}

/// Something needed is done in the function, so that its calls are needed as well.
void Liveness::hasEffect(FunctionRef f) {
  if (hasEffect_[f.value] || calls_.empty()) return;
  hasEffect_[f.value] = 1;
  for (uint32_t n = callStart_[f.value]; n < callStart_[f.value + 1]; ++n) {
    // One that is needed for its result has been visited, or will be.
    const InstRef call = calls_[n];
    if (isLive_[call.value])
      requeue(call);
    else
      mark(call);
  }
}

void Liveness::requeue(InstRef i) {
  if (isQueued_[i.value]) return;
  isQueued_[i.value] = 1;
  work_.push_back(i);
}

// ---- control ----

/// Neither goes on in the function nor is undefined to reach.
bool Liveness::isLeaving(InstRef terminator) const {
  switch (module_.opcode(terminator)) {
  case spv::Op::OpBranch:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
  case spv::Op::OpUnreachable:
    return false;
  default:
    return true;
  }
}

void Liveness::collectControl() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    const FunctionRef function(f);
    // Blocks that nothing leads to stand in no construct that we know of.
    const bool isWhole = nesting_.order(function).size() == module_.blockCount(function);
    for (BlockRef b : nesting_.order(function)) {
      if (const BlockRef in = nesting_.enclosing(b))
        nextInside_[b.value] = std::exchange(firstInside_[in.value], b);
      const Construct* c = cfg_.constructAt(b);
      isOptional_[b.value] = c && isWhole && c->kind != Construct::Kind::Loop && c->merge &&
                             cfg_.isReachable(c->merge);
    }
  }
  for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
    const BlockRef block(b);
    if (!nesting_.enclosing(block)) keepTerminator(block);
    collectExits(block);
    const Construct* c = cfg_.constructAt(block);
    if (c && c->kind == Construct::Kind::Loop) keepWayOut(block); // it may run for ever
  }
}

/// Edges that leave their construct other than to a merge block or continue target.
void Liveness::collectExits(BlockRef b) {
  const BlockRef in = cfg_.constructAt(b) ? b : nesting_.enclosing(b);
  if (!in) return;
  for (BlockRef s : cfg_.successors(b))
    if (!nesting_.headerOfMerge(s) && !nesting_.headerOfContinue(s) && nesting_.enclosing(s) != in)
      keepWayOut(b);
}

/// The constructs that hold the block must stay.
void Liveness::keepBlock(BlockRef b) {
  for (BlockRef c = nesting_.enclosing(b); c && !isConstructLive_[c.value];
       c = nesting_.enclosing(c))
    keepConstruct(c);
}

void Liveness::keepConstruct(BlockRef header) {
  if (isConstructLive_[header.value]) return;
  isConstructLive_[header.value] = 1;
  constructWork_.push_back(header);
}

/// Where the block goes to matters.
void Liveness::keepWayOut(BlockRef b) {
  keepBlock(b);
  if (cfg_.constructAt(b)) keepConstruct(b);
}

/// The block is there for sure: what ends it as well, unless it is the header of a selection.
void Liveness::keepTerminator(BlockRef b) {
  if (!cfg_.constructAt(b))
    mark(module_.terminator(b));
  else if (!isOptional_[b.value])
    keepConstruct(b);
}

void Liveness::visitConstruct(BlockRef header) {
  keepBlock(header);
  mark(module_.terminator(header));
  for (BlockRef b = firstInside_[header.value]; b; b = nextInside_[b.value]) keepTerminator(b);
  const Construct& c = *cfg_.constructAt(header);
  // Who breaks out of it from inside an inner selection needs that one as well.
  for (BlockRef target : {c.merge, c.continueTarget}) {
    if (!target) continue;
    for (BlockRef p : cfg_.predecessors(target))
      if (p != header && nesting_.isOrdered(p)) keepWayOut(p);
  }
}

// ---- following ----

void Liveness::need(Id id, uint64_t parts) {
  const InstRef d = module_.def(id);
  if (!d) return;
  // Of what is declared outside of functions only variables that are stored to matter.
  if (d < module_.globals().last && !firstStore_[d.value]) return;
  mark(d, parts);
}

void Liveness::mark(InstRef i, uint64_t parts) {
  bool isNew = !isLive_[i.value];
  isLive_[i.value] = 1;
  if (!demand_.empty() && (parts & ~demand_[i.value]) != 0) {
    demand_[i.value] |= parts;
    isNew = true;
  }
  if (isNew) requeue(i);
}

void Liveness::propagate() {
  while (!work_.empty() || !constructWork_.empty()) {
    while (!constructWork_.empty()) {
      const BlockRef header = constructWork_.back();
      constructWork_.pop_back();
      visitConstruct(header);
    }
    if (work_.empty()) break;
    const InstRef i = work_.back();
    work_.pop_back();
    isQueued_[i.value] = 0;
    visit(i);
  }
}

void Liveness::visit(InstRef i) {
  if (const BlockRef b = module_.blockOf(i)) keepBlock(b);
  switch (module_.opcode(i)) {
  case spv::Op::OpPhi:
    visitPhi(i, demand_.empty() ? kAll : demand_[i.value]);
    return;
  case spv::Op::OpVariable:
    visitVariable(i);
    break;
  case spv::Op::OpFunctionCall:
    visitCall(i);
    break;
  case spv::Op::OpBranch:
  case spv::Op::OpLabel:
  case spv::Op::OpFunction:
    return;
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
    need(module_.idAt(i, 1));
    return;
  // The most frequent ones that have operands other than ids. Scopes are constants.
  case spv::Op::OpLoad:
    need(module_.idAt(i, 3));
    return;
  case spv::Op::OpStore:
    need(module_.idAt(i, 1));
    need(module_.idAt(i, 2));
    return;
  case spv::Op::OpCompositeExtract:
  case spv::Op::OpCompositeInsert:
  case spv::Op::OpVectorShuffle:
  case spv::Op::OpCopyObject:
  case spv::Op::OpSelect:
    visitParts(i);
    return;
  default:
    break;
  }
  module_.forEachIdOperand(i, [&](uint32_t, Id id) { need(id); });
}

void Liveness::visitVariable(InstRef variable) {
  const bool isLocal = spv::StorageClass(module_.word(variable, 3)) == spv::StorageClass::Function;
  for (InstRef s = firstStore_[variable.value]; s; s = nextStore_[s.value]) {
    mark(s);
    if (!isLocal) hasEffect(module_.functionOf(module_.blockOf(s)));
  }
}

/// A call may be needed for its result alone, or because its callee does something.
void Liveness::visitCall(InstRef call) {
  const FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
  if (!callee || hasEffect_[callee.value]) hasEffect(module_.functionOf(module_.blockOf(call)));
}

/// Which way control came decides, so that must stay as it is.
void Liveness::visitPhi(InstRef phi, uint64_t parts) {
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    need(module_.idAt(phi, n), parts);
    const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
    if (from && nesting_.isOrdered(from)) keepWayOut(from);
  }
}

/// What passes parts of composites on. The part of an index beyond 63 is shared by all of them.
void Liveness::visitParts(InstRef i) {
  const uint64_t parts = demand_.empty() ? kAll : demand_[i.value];
  const auto idAt = [&](uint32_t n) { return module_.idAt(i, n); };
  switch (module_.opcode(i)) {
  case spv::Op::OpCompositeExtract:
    need(idAt(3), module_.wordCount(i) > 4 ? bitOf(module_.word(i, 4)) : kAll);
    break;
  case spv::Op::OpCompositeInsert: {
    if (module_.wordCount(i) < 6) { // no index: the object as a whole
      need(idAt(3), kAll), need(idAt(4), kAll);
      break;
    }
    const bool replacesPart = module_.wordCount(i) == 6 && module_.word(i, 5) < 63;
    if ((parts & partOf(i)) != 0) need(idAt(3));
    need(idAt(4), replacesPart ? parts & ~partOf(i) : parts);
    break;
  }
  case spv::Op::OpVectorShuffle: {
    const InstRef first = module_.def(module_.typeOf(idAt(3)));
    const uint32_t split = first && module_.opcode(first) == spv::Op::OpTypeVector
                               ? module_.word(first, 3)
                               : UINT32_MAX;
    uint64_t ofFirst = split == UINT32_MAX ? kAll : 0, ofSecond = ofFirst;
    for (uint32_t n = 5; n < module_.wordCount(i) && split != UINT32_MAX; ++n) {
      const uint32_t component = module_.word(i, n);
      if (component == UINT32_MAX || (parts & bitOf(n - 5)) == 0) continue;
      (component < split ? ofFirst : ofSecond) |=
          bitOf(component < split ? component : component - split);
    }
    need(idAt(3), ofFirst);
    need(idAt(4), ofSecond);
    break;
  }
  case spv::Op::OpSelect:
    need(idAt(3));
    need(idAt(4), parts);
    need(idAt(5), parts);
    break;
  default: // OpCopyObject
    need(idAt(3), parts);
    break;
  }
}

void Liveness::markRemovableBlocks() {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (BlockRef b : nesting_.order(FunctionRef(f))) {
      const BlockRef in = nesting_.enclosing(b);
      isRemovable_[b.value] = in && (isRemovable_[in.value] || !isConstructLive_[in.value]);
    }
}

} // namespace lanewise
