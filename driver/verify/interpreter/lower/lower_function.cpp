// Lowers control flow: functions, blocks in structured order, phis, calls.
#include "verify/interpreter/lower/lowering.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {

void ModuleLowering::lowerFunctions() {
  functionIndex_.assign(module_->functionCount() + 1, 0);
  blockStart_.assign(module_->blockCount() + 1, 0);
  loopOfHeader_.assign(module_->blockCount() + 1, -1);
  for (FunctionRef f : entry_->functions) declareFunction(f);
  out_ = &program_->code;
  lowerEntryCode();
  for (FunctionRef f : entry_->functions) lowerFunction(f);
  patchJumps();
  std::sort(program_->blocks.begin(), program_->blocks.end(),
            [](const BlockInfo& x, const BlockInfo& y) { return x.begin < y.begin; });
  program_->blockOf.assign(program_->code.size(), 0);
  for (uint32_t b = 0; b < program_->blocks.size(); ++b)
    for (uint32_t at = program_->blocks[b].begin; at < program_->blocks[b].end; ++at)
      program_->blockOf[at] = b;
}

void ModuleLowering::declareFunction(FunctionRef f) {
  FunctionInfo info;
  info.returnAddress = allocate(1);
  info.name = std::string(decorations_->name(*module_, module_->functionId(f)));
  functionIndex_[f.value] = uint32_t(program_->functions.size()) + 1;
  program_->functions.push_back(std::move(info));
  InstRef first = module_->functionInsts(f).first;
  Id type = module_->resultType(first);
  bool isVoid = module_->opcodeOf(type) == spv::Op::OpTypeVoid;
  resultCells_.push_back(isVoid ? 0 : allocate(cellsOf(type)));
  for (InstRef i : module_->functionInsts(f)) {
    if (module_->opcode(i) == spv::Op::OpFunctionParameter) cell(module_->resultId(i));
    if (module_->opcode(i) == spv::Op::OpLabel) break;
  }
}

// What a lane does before the entry point: Private variables start anew in each of them.
void ModuleLowering::lowerEntryCode() {
  program_->start = 0;
  for (auto [variable, initializer] : privateInits_) {
    InstRef at = module_->def(Id(variable));
    const Pointer& p = pointers_[pointerOf_[variable] - 1];
    if (initializer != 0) {
      move(uint32_t(p.offset), cell(Id(initializer)), cellsOf(p.pointee), at);
    } else {
      Instr& undefine = emit(Op::Undefine, at);
      undefine.d = uint32_t(p.offset);
      undefine.aux = cellsOf(p.pointee);
      siteOf(at, Id(variable));
    }
  }
  InstRef main = module_->functionInsts(entry_->function).first;
  callPatches_.emplace_back(uint32_t(out_->size()), entry_->function);
  emit(Op::Call, main).d =
      program_->functions[functionIndex_[entry_->function.value] - 1].returnAddress;
  emit(Op::End, main);
  program_->blocks.push_back({0, uint32_t(out_->size()), UINT32_MAX, {}});
}

// Reverse post-order of the graph in which every header also leads to its merge block and its
// continue target, and first of all: a construct's blocks then stand together, before what follows
// the construct.
std::vector<BlockRef> ModuleLowering::structuredOrder(FunctionRef f) const {
  struct Visit {
    std::vector<BlockRef> next; ///< taken from the end
  };
  std::vector<BlockRef> order;
  std::vector<bool> isSeen(module_->blockCount() + 1);
  std::vector<std::pair<BlockRef, Visit>> stack;
  auto enter = [&](BlockRef b) {
    if (!b || isSeen[b.value]) return;
    isSeen[b.value] = true;
    Visit visit;
    for (BlockRef to : cfg_->successors(b)) visit.next.push_back(to);
    if (const Construct* construct = cfg_->constructAt(b)) {
      if (construct->kind == Construct::Kind::Loop) visit.next.push_back(construct->continueTarget);
      visit.next.push_back(construct->merge);
    }
    stack.emplace_back(b, std::move(visit));
  };
  enter(module_->firstBlock(f));
  while (!stack.empty()) {
    std::vector<BlockRef>& next = stack.back().second.next;
    if (next.empty()) {
      order.push_back(stack.back().first);
      stack.pop_back();
      continue;
    }
    BlockRef to = next.back();
    next.pop_back();
    enter(to);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Structured dominance (SPIR-V 2.11): a block that leaves the loop by a break still belongs to the
// iteration that it leaves.
std::vector<uint32_t> ModuleLowering::loopsAround(BlockRef b) const {
  std::vector<uint32_t> around;
  for (size_t n = 0; n < functionLoops_.size(); ++n) {
    auto [header, merge] = loopBlocks_[n];
    if (dominance_->dominates(header, b) && !dominance_->dominates(merge, b))
      around.push_back(functionLoops_[n]);
  }
  return around;
}

void ModuleLowering::lowerFunction(FunctionRef f) {
  function_ = f;
  std::vector<BlockRef> order = structuredOrder(f);
  functionLoops_.clear();
  loopBlocks_.clear();
  for (BlockRef b : order)
    if (const Construct* construct = cfg_->constructAt(b);
        construct && construct->kind == Construct::Kind::Loop) {
      loopOfHeader_[b.value] = int32_t(program_->loops.size());
      functionLoops_.push_back(uint32_t(program_->loops.size()));
      loopBlocks_.emplace_back(b, construct->merge);
      program_->loops.push_back({0, allocate(1)});
    }
  uint32_t index = functionIndex_[f.value] - 1;
  program_->functions[index].entry = uint32_t(out_->size());
  for (size_t n = 0; n < order.size(); ++n) {
    BlockRef b = order[n];
    nextBlock_ = n + 1 < order.size() ? order[n + 1] : BlockRef();
    BlockInfo info;
    info.begin = uint32_t(out_->size());
    info.function = index;
    info.loops = loopsAround(b);
    info.block = b;
    info.firstEdge = program_->edgeCount;
    blockStart_[b.value] = info.begin;
    if (loopOfHeader_[b.value] >= 0)
      program_->loops[size_t(loopOfHeader_[b.value])].header = info.begin;
    if (n == 0) lowerFunctionVariables(f);
    lowerBlock(b);
    info.end = uint32_t(out_->size());
    program_->blocks.push_back(std::move(info));
  }
}

void ModuleLowering::lowerFunctionVariables(FunctionRef f) {
  for (InstRef i : module_->blockInsts(module_->firstBlock(f))) {
    if (module_->opcode(i) != spv::Op::OpVariable) continue;
    Id id = module_->resultId(i);
    Pointer p;
    p.pointee = types_->pointee(id);
    p.storage = spv::StorageClass::Function;
    p.variable = id;
    p.isStatic = true;
    uint32_t cells = cellsOf(p.pointee);
    if (cells > (1 << 16)) return refuse("Function variables of more than 65536 scalars");
    p.offset = allocate(cells);
    definePointer(id, p);
    if (module_->wordCount(i) > 4) {
      move(uint32_t(p.offset), cell(module_->idAt(i, 4)), cells, i);
    } else {
      Instr& undefine = emit(Op::Undefine, i);
      undefine.d = uint32_t(p.offset);
      undefine.aux = cells;
      siteOf(i, id);
    }
  }
}

void ModuleLowering::lowerBlock(BlockRef b) {
  InstRef terminator = module_->terminator(b);
  for (InstRef i : module_->blockInsts(b)) {
    if (i == terminator) break;
    switch (module_->opcode(i)) {
    case spv::Op::OpPhi: // its cells are written on the edges
      cell(module_->resultId(i));
      break;
    case spv::Op::OpVariable:
    case spv::Op::OpLabel:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpNop:
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpLoopMerge:
    case spv::Op::OpAssumeTrueKHR:
      break;
    case spv::Op::OpFunctionCall:
      lowerCall(i);
      break;
    default:
      lowerInst(i);
    }
  }
  lowerTerminator(b, terminator);
}

void ModuleLowering::lowerTerminator(BlockRef b, InstRef i) {
  switch (module_->opcode(i)) {
  case spv::Op::OpBranch: {
    BlockRef to = module_->blockOfLabel(module_->idAt(i, 1));
    lowerEdge(b, to);
    return;
  }
  case spv::Op::OpBranchConditional: {
    BlockRef yes = module_->blockOfLabel(module_->idAt(i, 2));
    BlockRef no = module_->blockOfLabel(module_->idAt(i, 3));
    uint32_t condition = cell(module_->idAt(i, 1));
    uint32_t at = uint32_t(out_->size());
    Instr& branch = emit(Op::Branch, i);
    branch.a = condition;
    branch.c = addEdges(2);
    nextBlock_ = BlockRef(); // edges of their own end in jumps
    branchTo(b, yes, at, false);
    branchTo(b, no, at, true);
    return;
  }
  case spv::Op::OpSwitch:
    return lowerSwitch(b, i);
  case spv::Op::OpReturn:
  case spv::Op::OpReturnValue: {
    uint32_t index = functionIndex_[function_.value] - 1;
    if (module_->opcode(i) == spv::Op::OpReturnValue) {
      Id value = module_->idAt(i, 1);
      move(resultCells_[index], valueCell(value, i), cellsOf(typeOf(value)), i);
    }
    emit(Op::Return, i).a = program_->functions[index].returnAddress;
    return;
  }
  case spv::Op::OpUnreachable:
    emit(Op::Unreachable, i);
    return;
  default:
    refuse(nameOf(i));
  }
}

bool ModuleLowering::needsEdge(BlockRef to) const {
  if (loopOfHeader_[to.value] >= 0) return true;
  for (InstRef i : module_->blockInsts(to)) {
    spv::Op op = module_->opcode(i);
    if (op == spv::Op::OpPhi) return true;
    if (op != spv::Op::OpLabel && op != spv::Op::OpLine && op != spv::Op::OpNoLine) return false;
  }
  return false;
}

void ModuleLowering::branchTo(BlockRef from, BlockRef to, uint32_t inst, bool isElse) {
  if (!needsEdge(to)) {
    patches_.push_back({inst, to, isElse ? Patch::B : Patch::Aux, 0});
    return;
  }
  (isElse ? (*out_)[inst].b : (*out_)[inst].aux) = uint32_t(out_->size());
  lowerEdge(from, to);
}

void ModuleLowering::lowerSwitch(BlockRef b, InstRef i) {
  Id selector = module_->idAt(i, 1);
  uint32_t words = module_->numberWords(typeOf(selector));
  uint32_t width = widthOf(typeOf(selector));
  uint32_t table = uint32_t(program_->switches.size());
  program_->switches.emplace_back();
  Instr& inst = emit(Op::Switch, i);
  inst.a = cell(selector);
  inst.aux = table;
  inst.c = addEdges(1 + (module_->wordCount(i) - 3) / (words + 1));
  nextBlock_ = BlockRef();
  std::vector<std::pair<BlockRef, uint32_t>> edges; // an edge is lowered once
  auto target = [&](BlockRef to, Patch::Where where, uint32_t index) -> uint32_t {
    if (!needsEdge(to)) {
      patches_.push_back({table, to, where, index});
      return 0;
    }
    for (auto [known, at] : edges)
      if (known == to) return at;
    edges.emplace_back(to, uint32_t(out_->size()));
    lowerEdge(b, to);
    return edges.back().second;
  };
  uint32_t otherwise = target(module_->blockOfLabel(module_->idAt(i, 2)), Patch::SwitchDefault, 0);
  program_->switches[table].otherwise = otherwise;
  for (uint32_t w = 3; w + words < module_->wordCount(i); w += words + 1) {
    uint64_t literal = module_->word(i, w);
    if (words > 1) literal |= uint64_t(module_->word(i, w + 1)) << 32;
    if (width < 64) literal &= (uint64_t(1) << width) - 1;
    uint32_t index = uint32_t(program_->switches[table].cases.size());
    program_->switches[table].cases.emplace_back(literal, 0);
    uint32_t at =
        target(module_->blockOfLabel(module_->idAt(i, w + words)), Patch::SwitchCase, index);
    program_->switches[table].cases[index].second = at;
  }
}

// Moves for the phis of `to`, the iteration counter of a loop, and the jump.
void ModuleLowering::lowerEdge(BlockRef from, BlockRef to) {
  InstRef at = module_->terminator(from);
  lowerPhis(from, to);
  if (int32_t loop = loopOfHeader_[to.value]; loop >= 0) {
    bool isNext = dominance_->dominates(to, from);
    Instr& count = emit(isNext ? Op::LoopNext : Op::LoopEnter, at);
    count.d = program_->loops[size_t(loop)].counter;
    if (isNext) count.aux = uint32_t(out_->size()) - program_->loops[size_t(loop)].header;
  }
  if (to == nextBlock_) return;
  patches_.push_back({uint32_t(out_->size()), to, Patch::Aux, 0});
  emit(Op::Jump, at);
}

void ModuleLowering::lowerPhis(BlockRef from, BlockRef to) {
  std::vector<std::array<uint32_t, 3>> moves; // to, from, cells
  uint32_t label = module_->labelId(from).value;
  InstRef at = module_->terminator(from);
  for (InstRef i : module_->blockInsts(to)) {
    if (module_->opcode(i) != spv::Op::OpPhi) continue;
    for (uint32_t w = 3; w + 1 < module_->wordCount(i); w += 2)
      if (module_->word(i, w + 1) == label) {
        uint32_t source = valueCell(module_->idAt(i, w), at);
        uint32_t target = cell(module_->resultId(i));
        if (source != target) moves.push_back({target, source, cellsOf(module_->resultType(i))});
      }
  }
  // All phis of a block read before any of them is written (SPIR-V OpPhi): where one's target is
  // another's source, the values go through cells of their own.
  bool overlaps = false;
  for (size_t m = 0; m < moves.size() && !overlaps; ++m)
    for (size_t later = m; later < moves.size(); ++later)
      overlaps |= moves[m][0] < moves[later][1] + moves[later][2] &&
                  moves[later][1] < moves[m][0] + moves[m][2];
  if (!overlaps) {
    for (auto [target, source, cells] : moves) move(target, source, cells, at);
    return;
  }
  for (auto& [target, source, cells] : moves) {
    uint32_t between = allocate(cells);
    move(between, source, cells, at);
    source = between;
  }
  for (auto [target, source, cells] : moves) move(target, source, cells, at);
}

void ModuleLowering::lowerCall(InstRef i) {
  FunctionRef callee = module_->functionOfId(module_->idAt(i, 3));
  if (!callee || functionIndex_[callee.value] == 0) return refuse("calls of unknown functions");
  if (module_->blockCount(callee) == 0) return refuse("imported functions");
  uint32_t index = functionIndex_[callee.value] - 1;
  uint32_t w = 4;
  for (InstRef p : module_->functionInsts(callee)) {
    if (module_->opcode(p) == spv::Op::OpLabel) break;
    if (module_->opcode(p) != spv::Op::OpFunctionParameter || w >= module_->wordCount(i)) continue;
    Id argument = module_->idAt(i, w++);
    move(cell(module_->resultId(p)), valueCell(argument, i), cellsOf(typeOf(argument)), i);
  }
  callPatches_.emplace_back(uint32_t(out_->size()), callee);
  emit(Op::Call, i).d = program_->functions[index].returnAddress;
  if (resultCells_[index] != 0)
    move(define(i), resultCells_[index], cellsOf(module_->resultType(i)), i);
}

void ModuleLowering::patchJumps() {
  for (const Patch& p : patches_) {
    uint32_t to = blockStart_[p.to.value];
    switch (p.where) {
    case Patch::Aux:
      program_->code[p.inst].aux = to;
      break;
    case Patch::B:
      program_->code[p.inst].b = to;
      break;
    case Patch::SwitchCase:
      program_->switches[p.inst].cases[p.index].second = to;
      break;
    case Patch::SwitchDefault:
      program_->switches[p.inst].otherwise = to;
      break;
    }
  }
  for (auto [at, callee] : callPatches_)
    program_->code[at].aux = program_->functions[functionIndex_[callee.value] - 1].entry;
  for (SwitchTable& table : program_->switches) std::sort(table.cases.begin(), table.cases.end());
}

} // namespace lanewise::driver::interpreter
