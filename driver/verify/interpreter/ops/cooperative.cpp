// Cooperative matrices: element `e`, counted along the rows, is component e / S of the invocation
// e % S of its subgroup of S. Which it is on a device is the device's own affair.
#include "verify/formats/narrow_floats.h"
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <vector>

namespace lanewise::driver::interpreter {
namespace {

// Each invocation loads or stores its own elements.
void transfer(Lane& l, const Instr& i, bool isStore) {
  WorkgroupRunner& runner = *l.runner;
  const MatrixAccess& m = runner.program().matrixAccesses[i.aux];
  const uint32_t lanes = runner.subgroupSize();
  const uint64_t total = uint64_t(m.rows) * m.columns;
  if (const uint32_t mark = m.stride ? l.marks[m.stride] : 0)
    runner.reportUndefined(l, i.site, mark);
  const uint64_t stride = m.stride ? l.cells[m.stride] : 0;
  for (uint32_t k = 0; k < i.n; ++k) {
    const uint64_t e = uint64_t(k) * lanes + l.subgroupLane;
    if (e >= total) {
      if (!isStore) l.cells[i.d + k] = 0, l.marks[i.d + k] = 0;
      continue;
    }
    const uint64_t row = e / m.columns, column = e % m.columns;
    const uint64_t outer = m.isColumnMajor ? column : row, inner = m.isColumnMajor ? row : column;
    l.cells[i.c] = l.cells[i.a] + outer * stride * m.elementBytes + inner * m.componentBytes;
    l.marks[i.c] = l.marks[i.a];
    Instr one = i;
    one.n = 1;
    one.a = i.c;
    one.aux = 0;
    one.shift = 0;
    one.extra = m.componentBytes;
    (isStore ? one.b : one.d) = i.d + k;
    (isStore ? one.c : one.b) = m.componentBytes;
    if (isStore)
      runner.store(l, one, i, k);
    else
      runner.load(l, one, i, k);
  }
}

// A matrix put together from what the invocations have.
struct Gathered {
  std::vector<uint64_t> bits;
  std::vector<uint32_t> marks;

  Gathered(std::span<Lane* const> lanes, const MatrixOperand& m, uint32_t rows, uint32_t columns,
           uint32_t subgroupSize, uint32_t missing)
      : bits(size_t(rows) * columns), marks(bits.size(), missing) {
    for (const Lane* lane : lanes)
      for (uint32_t k = 0; k < m.cells; ++k) {
        const size_t e = size_t(k) * subgroupSize + lane->subgroupLane;
        if (e >= bits.size()) break;
        bits[e] = lane->cells[m.cell + k];
        marks[e] = lane->marks[m.cell + k];
      }
  }
};

double floatAt(const MatrixOperand& m, uint64_t bits) {
  return decodeNarrow(m.encoding, m.width, bits);
}
// Modulo 2^64, which is all that counts of what does not saturate.
uint64_t integerAt(const MatrixOperand& m, uint64_t bits) {
  return m.isSigned ? uint64_t(signedOf(bits, m.width)) : bits;
}

// Sums of products of integers: modulo the width, or at an end of its range. Lowering sees to it
// that what saturates is narrow enough for 64 bits.
uint64_t fitted(const MultiplyInfo& info, uint64_t sum) {
  const MatrixOperand& r = info.result;
  if (info.isSaturating) {
    const int64_t least = r.isSigned ? -(int64_t(1) << (r.width - 1)) : 0;
    const int64_t most = (int64_t(1) << (r.width - r.isSigned)) - 1;
    sum = uint64_t(std::clamp(int64_t(sum), least, most));
  }
  return wrapped(sum, r.width);
}

} // namespace

// Sums are exact as far as a double is, and rounded once: how often a device rounds is its own
// affair.
void runMultiply(std::span<Lane* const> lanes, const MultiplyInfo& info, uint32_t subgroupSize,
                 const Instr& inst) {
  const uint32_t rows = info.rows, columns = info.columns, inner = info.inner;
  const Gathered a(lanes, info.a, rows, inner, subgroupSize, inst.site);
  const Gathered b(lanes, info.b, inner, columns, subgroupSize, inst.site);
  const Gathered c(lanes, info.c, rows, columns, subgroupSize, inst.site);
  std::vector<double> left(a.bits.size()), right(b.bits.size());
  if (info.isFloat) {
    std::transform(a.bits.begin(), a.bits.end(), left.begin(),
                   [&](uint64_t x) { return floatAt(info.a, x); });
    std::transform(b.bits.begin(), b.bits.end(), right.begin(),
                   [&](uint64_t x) { return floatAt(info.b, x); });
  }
  auto elementOf = [&](size_t row, size_t column, uint32_t& mark) -> uint64_t {
    const size_t e = row * columns + column;
    mark = c.marks[e];
    double sum = info.isFloat ? floatAt(info.c, c.bits[e]) : 0;
    uint64_t whole = info.isFloat ? 0 : integerAt(info.c, c.bits[e]);
    for (size_t k = 0; k < inner; ++k) {
      const size_t x = row * inner + k, y = k * columns + column;
      if (info.isFloat)
        sum += left[x] * right[y];
      else
        whole += integerAt(info.a, a.bits[x]) * integerAt(info.b, b.bits[y]);
      if (!mark) mark = a.marks[x] ? a.marks[x] : b.marks[y];
    }
    return info.isFloat ? encodeNarrow(info.result.encoding, info.result.width, sum)
                        : fitted(info, whole);
  };
  for (Lane* lane : lanes)
    for (uint32_t k = 0; k < info.result.cells; ++k) {
      const size_t e = size_t(k) * subgroupSize + lane->subgroupLane;
      uint32_t mark = 0;
      const bool isOne = e < size_t(rows) * columns;
      lane->cells[info.result.cell + k] = isOne ? elementOf(e / columns, e % columns, mark) : 0;
      lane->marks[info.result.cell + k] = mark;
    }
}

void addCooperativeHandlers(HandlerTable& table) {
  table[size_t(Op::LoadMatrix)] = [](Lane& l, const Instr& i) { transfer(l, i, false); };
  table[size_t(Op::StoreMatrix)] = [](Lane& l, const Instr& i) { transfer(l, i, true); };
}

} // namespace lanewise::driver::interpreter
