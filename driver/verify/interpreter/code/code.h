// The code that the interpreter runs: a few instructions over the cells of one lane.
//
// A lane has one file of cells, 64 bits each. A SPIR-V value takes one cell for each scalar in it,
// in order, zero-extended; a float is its bits, a Boolean 0 or 1, a pointer one cell. There is no
// recursion in a shader (SPIR-V 2.16.1), so every function has its own stretch of cells for good,
// and so do its Function variables. Beside each cell stands a mark: 0, or the site whose undefined
// result the cell depends on.
#pragma once

#include "ir/handles.h"

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace lanewise::driver::interpreter {

/// d, a, b, c and aux are cells unless said otherwise; n is the number of components.
enum class Op : uint8_t {
  // Data: d[n] = a[n].
  Move,
  Undefine, ///< d[aux cells] become undefined, by `site`
  Select,   ///< d = a ? b : c; a has one cell for all of n
  SelectEach,
  ExtractDynamic, ///< d = a[b], of aux components
  InsertDynamic,  ///< d[n] = a[n] with [c] = b
  // Integers.
  IAdd,
  ISub,
  IMul,
  UDiv,
  SDiv,
  UMod,
  SRem,
  SMod,
  SNegate,
  Not,
  ShiftRightLogical,
  ShiftRightArithmetic,
  ShiftLeftLogical,
  BitwiseOr,
  BitwiseXor,
  BitwiseAnd,
  BitReverse,
  BitCount,
  BitFieldInsert,   ///< d = a with b at [c, c + aux)
  BitFieldSExtract, ///< d = a at [b, b + c)
  BitFieldUExtract,
  IAddCarry, ///< d[0..n) low, d[n..2n) carry
  ISubBorrow,
  UMulExtended,
  SMulExtended,
  IEqual,
  INotEqual,
  UGreaterThan,
  UGreaterThanEqual,
  ULessThan,
  ULessThanEqual,
  SGreaterThan,
  SGreaterThanEqual,
  SLessThan,
  SLessThanEqual,
  IntegerDot, ///< d = sum a[i] * b[i] (+ saturating c); aux: DotFlags; extra: components' width
  // Booleans.
  LogicalOr,
  LogicalAnd,
  LogicalNot,
  Any,
  All,
  // Floats.
  FAdd,
  FSub,
  FMul,
  FMulScalar, ///< d[n] = a[n] * b
  FDiv,
  FRem,
  FMod,
  FNegate,
  FDot,          ///< d = a[n] . b[n]
  FDotMixed,     ///< d = a[n] . b[n] (+ c if not 0); encodings: of a and d; aux: of b
  FMatrixVector, ///< d[n] = matrix a of aux columns of n, times b[aux]
  FVectorMatrix, ///< d[n] = a[aux] times matrix b of n columns of aux
  FOrdEqual,
  FOrdNotEqual,
  FOrdLessThan,
  FOrdLessThanEqual,
  FOrdGreaterThan,
  FOrdGreaterThanEqual,
  FUnordEqual,
  FUnordNotEqual,
  FUnordLessThan,
  FUnordLessThanEqual,
  FUnordGreaterThan,
  FUnordGreaterThanEqual,
  Ordered,
  Unordered,
  IsNan,
  IsInf,
  // Conversions; `shift` tells the operand's width, `extra` that of the result.
  UConvert, ///< also zero-extending truncation
  SConvert,
  ConvertFToU,
  ConvertFToS,
  ConvertSToF,
  ConvertUToF,
  FConvert,       ///< aux: 1 rounds toward zero
  ConvertNarrow,  ///< encodings: FloatEncoding of the operand, and << 4 of the result; aux:
                  ///< saturates
  BitcastExtract, ///< d[n] = `extra` bits of a[n] from b on
  QuantizeToF16,
  Bitcast, ///< OpBitcast between components of different widths: d[n] from a[aux]
  // Pointers.
  PointerAdd,   ///< d = a + (int32) aux
  PointerIndex, ///< d = a + b * aux, b of width 64 - shift, signed if extra; c: bound or 0 (none);
                ///< aux a number
  Descriptor,   ///< d = address of element b of the descriptors of Program::variables[aux]
  ArrayLength,  ///< d = (bytes behind a + b) / aux, b a number
  PointerDiff,  ///< d = (a - b) / aux
  LoadCells,    ///< d[n] = cells[a + aux]
  StoreCells,   ///< cells[a + aux] = b[n]
  LoadMemory,   ///< d[n] = memory[a + aux], extra bytes each, b bytes apart; shift: 1 for Booleans
  StoreMemory,  ///< memory[a + aux] = b[n], extra bytes each, c bytes apart
  LoadMatrix,   ///< d[n] = the lane's elements at a; c: a cell for addresses; aux: matrixAccesses
  StoreMatrix,  ///< the same from d
  Atomic,       ///< aux: index into Program::atomics
  Image,        ///< aux: index into Program::images
  // Control.
  Jump,      ///< to aux
  Branch,    ///< a: to aux, else to b; c: its first edge (Program::edgeCount)
  Switch,    ///< a, aux: index into Program::switches; c: its first edge
  LoopEnter, ///< cell d = 0
  LoopNext,  ///< cell d += 1; aux: instructions that an iteration may take
  Call,      ///< cell d = return address; to aux
  Return,    ///< to the address in cell a
  End,       ///< of the entry point
  Unreachable,
  // Where lanes meet.
  ControlBarrier, ///< aux: index into Program::barriers
  MemoryBarrier,
  Group,   ///< subgroup operation; aux: index into Program::groups
  Extended ///< GLSL.std.450; aux: index into Program::extended
};

struct Instr {
  Op op = Op::Move;
  uint8_t shift = 0;     ///< 64 - width of the operands, for numbers
  uint8_t extra = 0;     ///< see Op
  uint8_t encodings = 0; ///< see Op
  uint32_t n = 1;
  uint32_t d = 0, a = 0, b = 0, c = 0, aux = 0;
  uint32_t site = 0; ///< index into Program::sites
};
static_assert(sizeof(Instr) == 32);

} // namespace lanewise::driver::interpreter
