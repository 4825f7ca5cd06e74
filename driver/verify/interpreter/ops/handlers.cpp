// The table of handlers, and those that only move values about.
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <cstring>

namespace lanewise::driver::interpreter {
namespace {

void moveCells(Lane& l, uint32_t to, uint32_t from, uint32_t count) {
  if (count == 1) {
    l.cells[to] = l.cells[from];
    l.marks[to] = l.marks[from];
    return;
  }
  std::memmove(l.cells + to, l.cells + from, count * sizeof(uint64_t));
  std::memmove(l.marks + to, l.marks + from, count * sizeof(uint32_t));
}

void undefine(Lane& l, const Instr& i) {
  std::fill_n(l.cells + i.d, i.aux, 0);
  std::fill_n(l.marks + i.d, i.aux, i.site);
}

void select(Lane& l, const Instr& i) {
  moveCells(l, i.d, l.cells[i.a] ? i.b : i.c, i.n);
  if (uint32_t mark = l.marks[i.a]) std::fill_n(l.marks + i.d, i.n, mark);
}

void selectEach(Lane& l, const Instr& i) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t from = (l.cells[i.a + n] ? i.b : i.c) + n;
    uint32_t mark = l.marks[i.a + n];
    l.cells[i.d + n] = l.cells[from];
    l.marks[i.d + n] = mark ? mark : l.marks[from];
  }
}

// "Behavior is undefined if Index's value is out of bounds": the result is.
void extractDynamic(Lane& l, const Instr& i) {
  uint64_t index = l.cells[i.b];
  bool isInside = index < i.aux;
  uint32_t mark = l.marks[i.b];
  l.cells[i.d] = isInside ? l.cells[i.a + index] : 0;
  l.marks[i.d] = mark ? mark : isInside ? l.marks[i.a + index] : i.site;
}

void insertDynamic(Lane& l, const Instr& i) {
  uint64_t index = l.cells[i.c], value = l.cells[i.b];
  uint32_t mark = l.marks[i.c], valueMark = l.marks[i.b];
  moveCells(l, i.d, i.a, i.n);
  if (index < i.n) {
    l.cells[i.d + index] = value;
    l.marks[i.d + index] = valueMark;
  } else if (mark == 0) {
    mark = i.site;
  }
  if (mark) std::fill_n(l.marks + i.d, i.n, mark);
}

// OpBitcast: the bits in order, low components first.
void bitcast(Lane& l, const Instr& i) {
  uint32_t from = widthOf(i), to = i.extra;
  uint32_t mark = 0;
  for (uint32_t n = 0; n < i.aux && !mark; ++n) mark = l.marks[i.a + n];
  uint64_t bits[8] = {};
  for (uint32_t n = 0; n < i.aux && n * from < 512; ++n)
    bits[n * from / 64] |= l.cells[i.a + n] << (n * from % 64);
  for (uint32_t n = 0; n < i.n && n * to < 512; ++n) {
    l.cells[i.d + n] = wrapped(bits[n * to / 64] >> (n * to % 64), to);
    l.marks[i.d + n] = mark;
  }
}

// OpBitcastExtractEXT: undefined where the bits go beyond the base.
void bitcastExtract(Lane& l, const Instr& i) {
  const uint64_t offset = l.cells[i.b];
  const bool isInside = offset + i.extra <= widthOf(i);
  for (uint32_t n = 0; n < i.n; ++n) {
    const uint32_t a = l.marks[i.a + n], b = l.marks[i.b];
    l.cells[i.d + n] = isInside ? wrapped(l.cells[i.a + n] >> offset, i.extra) : 0;
    l.marks[i.d + n] = a ? a : b ? b : isInside ? 0 : i.site;
  }
}

HandlerTable makeTable() {
  HandlerTable table;
  table.fill([](Lane& l, const Instr&) { l.state = Lane::State::Done; });
  addDataHandlers(table);
  addIntegerHandlers(table);
  addFloatHandlers(table);
  addControlHandlers(table);
  addMemoryHandlers(table);
  addCooperativeHandlers(table);
  return table;
}

} // namespace

const HandlerTable& handlers() {
  static const HandlerTable table = makeTable();
  return table;
}

void addDataHandlers(HandlerTable& table) {
  table[size_t(Op::Move)] = [](Lane& l, const Instr& i) { moveCells(l, i.d, i.a, i.n); };
  table[size_t(Op::Undefine)] = undefine;
  table[size_t(Op::Select)] = select;
  table[size_t(Op::SelectEach)] = selectEach;
  table[size_t(Op::ExtractDynamic)] = extractDynamic;
  table[size_t(Op::InsertDynamic)] = insertDynamic;
  table[size_t(Op::Bitcast)] = bitcast;
  table[size_t(Op::BitcastExtract)] = bitcastExtract;
}

void evaluate(const Program&, std::span<const Instr> code, std::vector<uint64_t>& cells,
              std::vector<uint32_t>& marks) {
  Lane lane;
  lane.cells = cells.data();
  lane.marks = marks.data();
  for (const Instr& inst : code) handlers()[size_t(inst.op)](lane, inst);
}

} // namespace lanewise::driver::interpreter
