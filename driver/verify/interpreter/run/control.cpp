// Control flow and meeting points of one lane.
#include "verify/interpreter/run/execute.h"

#include <algorithm>

namespace lanewise::driver::interpreter {
namespace {

void branch(Lane& l, const Instr& i) {
  bool isTaken = l.cells[i.a] != 0;
  if (uint32_t mark = l.marks[i.a]) l.runner->reportUndefined(l, i.site, mark);
  uint32_t target = isTaken ? i.aux : i.b;
  l.runner->take(i.c + !isTaken);
  if (l.runner->isObserved()) l.runner->observeBranch(l, i, target);
  l.next = l.runner->codeAt(target);
}

void switchTo(Lane& l, const Instr& i) {
  if (uint32_t mark = l.marks[i.a]) l.runner->reportUndefined(l, i.site, mark);
  const SwitchTable& table = l.runner->program().switches[i.aux];
  uint64_t value = l.cells[i.a];
  auto found = std::lower_bound(table.cases.begin(), table.cases.end(),
                                std::pair<uint64_t, uint32_t>(value, 0));
  bool isCase = found != table.cases.end() && found->first == value;
  uint32_t target = isCase ? found->second : table.otherwise;
  l.runner->take(i.c + (isCase ? 1 + uint32_t(found - table.cases.begin()) : 0));
  if (l.runner->isObserved()) l.runner->observeBranch(l, i, target);
  l.next = l.runner->codeAt(target);
}

void call(Lane& l, const Instr& i) {
  l.cells[i.d] = uint64_t(l.next - l.runner->codeAt(0));
  l.marks[i.d] = 0;
  l.next = l.runner->codeAt(i.aux);
}

void waitAt(Lane& l, const Instr& i, Lane::State state) {
  l.waiting = &i;
  l.state = state;
}

} // namespace

void addControlHandlers(HandlerTable& t) {
  t[size_t(Op::Jump)] = [](Lane& l, const Instr& i) { l.next = l.runner->codeAt(i.aux); };
  t[size_t(Op::Branch)] = branch;
  t[size_t(Op::Switch)] = switchTo;
  t[size_t(Op::LoopEnter)] = [](Lane& l, const Instr& i) { l.cells[i.d] = 0; };
  t[size_t(Op::LoopNext)] = [](Lane& l, const Instr& i) {
    ++l.cells[i.d];
    l.steps += i.aux;
    if (l.steps >= l.sliceEnd) l.runner->loopNext(l, i);
  };
  t[size_t(Op::Call)] = call;
  t[size_t(Op::Return)] = [](Lane& l, const Instr& i) { l.next = l.runner->codeAt(l.cells[i.a]); };
  t[size_t(Op::End)] = [](Lane& l, const Instr&) { l.state = Lane::State::Done; };
  t[size_t(Op::Unreachable)] = [](Lane& l, const Instr& i) {
    l.runner->report(FindingKind::UnreachableReached, l, i.site);
    l.state = Lane::State::Done;
  };
  t[size_t(Op::ControlBarrier)] = [](Lane& l, const Instr& i) {
    waitAt(l, i, Lane::State::AtBarrier);
  };
  t[size_t(Op::Group)] = [](Lane& l, const Instr& i) { waitAt(l, i, Lane::State::AtGroup); };
  t[size_t(Op::MemoryBarrier)] = [](Lane& l, const Instr& i) {
    l.runner->fence(l, l.runner->program().barriers[i.aux].memory);
  };
}

} // namespace lanewise::driver::interpreter
