// Loops over the components of a value, with marks. Internal to the handlers.
#pragma once

#include "ir/integer_semantics.h"
#include "verify/interpreter/run/execute.h"

namespace lanewise::driver::interpreter {

/// Bits of the numbers that an instruction works on.
inline uint32_t widthOf(const Instr& i) {
  return 64u - i.shift;
}

template <class F>
inline void eachOne(Lane& l, const Instr& i, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    l.cells[i.d + n] = f(l.cells[i.a + n]);
    l.marks[i.d + n] = l.marks[i.a + n];
  }
}

template <class F>
inline void eachTwo(Lane& l, const Instr& i, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    l.cells[i.d + n] = f(l.cells[i.a + n], l.cells[i.b + n]);
    l.marks[i.d + n] = a ? a : b;
  }
}

/// The same where `absorbing` of one operand, if defined, decides the result whatever the other is.
template <class F>
inline void eachTwoAbsorbing(Lane& l, const Instr& i, uint64_t absorbing, F f) {
  for (uint32_t n = 0; n < i.n; ++n) {
    uint32_t a = l.marks[i.a + n], b = l.marks[i.b + n];
    uint64_t x = l.cells[i.a + n], y = l.cells[i.b + n];
    l.cells[i.d + n] = f(x, y);
    bool isDecided = (a == 0 && x == absorbing) || (b == 0 && y == absorbing);
    l.marks[i.d + n] = isDecided ? 0 : a ? a : b;
  }
}

} // namespace lanewise::driver::interpreter
