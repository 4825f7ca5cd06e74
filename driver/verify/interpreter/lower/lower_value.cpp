// Lowers instructions that compute values from values. One table says what most of them become.
#include "verify/interpreter/lower/lowering.h"
#include "verify/interpreter/ops/glsl_std_450.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

using Kind = TypeInfo::Kind;
using S = spv::Op;

struct SimpleOp {
  S opcode;
  Op op;
  uint8_t operands;
};

// Component by component; the width is that of the first operand.
constexpr SimpleOp kSimpleOps[] = {
    {S::OpIAdd, Op::IAdd, 2},
    {S::OpISub, Op::ISub, 2},
    {S::OpIMul, Op::IMul, 2},
    {S::OpUDiv, Op::UDiv, 2},
    {S::OpSDiv, Op::SDiv, 2},
    {S::OpUMod, Op::UMod, 2},
    {S::OpSRem, Op::SRem, 2},
    {S::OpSMod, Op::SMod, 2},
    {S::OpSNegate, Op::SNegate, 1},
    {S::OpNot, Op::Not, 1},
    {S::OpShiftRightLogical, Op::ShiftRightLogical, 2},
    {S::OpShiftRightArithmetic, Op::ShiftRightArithmetic, 2},
    {S::OpShiftLeftLogical, Op::ShiftLeftLogical, 2},
    {S::OpBitwiseOr, Op::BitwiseOr, 2},
    {S::OpBitwiseXor, Op::BitwiseXor, 2},
    {S::OpBitwiseAnd, Op::BitwiseAnd, 2},
    {S::OpBitReverse, Op::BitReverse, 1},
    {S::OpBitCount, Op::BitCount, 1},
    {S::OpIEqual, Op::IEqual, 2},
    {S::OpINotEqual, Op::INotEqual, 2},
    {S::OpUGreaterThan, Op::UGreaterThan, 2},
    {S::OpUGreaterThanEqual, Op::UGreaterThanEqual, 2},
    {S::OpULessThan, Op::ULessThan, 2},
    {S::OpULessThanEqual, Op::ULessThanEqual, 2},
    {S::OpSGreaterThan, Op::SGreaterThan, 2},
    {S::OpSGreaterThanEqual, Op::SGreaterThanEqual, 2},
    {S::OpSLessThan, Op::SLessThan, 2},
    {S::OpSLessThanEqual, Op::SLessThanEqual, 2},
    {S::OpLogicalOr, Op::LogicalOr, 2},
    {S::OpLogicalAnd, Op::LogicalAnd, 2},
    {S::OpLogicalNot, Op::LogicalNot, 1},
    {S::OpLogicalEqual, Op::IEqual, 2},
    {S::OpLogicalNotEqual, Op::INotEqual, 2},
    {S::OpIAddCarry, Op::IAddCarry, 2},
    {S::OpISubBorrow, Op::ISubBorrow, 2},
    {S::OpUMulExtended, Op::UMulExtended, 2},
    {S::OpSMulExtended, Op::SMulExtended, 2},
    {S::OpFAdd, Op::FAdd, 2},
    {S::OpFSub, Op::FSub, 2},
    {S::OpFMul, Op::FMul, 2},
    {S::OpFDiv, Op::FDiv, 2},
    {S::OpFRem, Op::FRem, 2},
    {S::OpFMod, Op::FMod, 2},
    {S::OpFNegate, Op::FNegate, 1},
    {S::OpFOrdEqual, Op::FOrdEqual, 2},
    {S::OpFOrdNotEqual, Op::FOrdNotEqual, 2},
    {S::OpFOrdLessThan, Op::FOrdLessThan, 2},
    {S::OpFOrdLessThanEqual, Op::FOrdLessThanEqual, 2},
    {S::OpFOrdGreaterThan, Op::FOrdGreaterThan, 2},
    {S::OpFOrdGreaterThanEqual, Op::FOrdGreaterThanEqual, 2},
    {S::OpFUnordEqual, Op::FUnordEqual, 2},
    {S::OpFUnordNotEqual, Op::FUnordNotEqual, 2},
    {S::OpFUnordLessThan, Op::FUnordLessThan, 2},
    {S::OpFUnordLessThanEqual, Op::FUnordLessThanEqual, 2},
    {S::OpFUnordGreaterThan, Op::FUnordGreaterThan, 2},
    {S::OpFUnordGreaterThanEqual, Op::FUnordGreaterThanEqual, 2},
    {S::OpOrdered, Op::Ordered, 2},
    {S::OpUnordered, Op::Unordered, 2},
    {S::OpIsNan, Op::IsNan, 1},
    {S::OpIsInf, Op::IsInf, 1},
    {S::OpUConvert, Op::UConvert, 1},
    {S::OpSConvert, Op::SConvert, 1},
    {S::OpConvertFToU, Op::ConvertFToU, 1},
    {S::OpConvertFToS, Op::ConvertFToS, 1},
    {S::OpConvertSToF, Op::ConvertSToF, 1},
    {S::OpConvertUToF, Op::ConvertUToF, 1},
    {S::OpFConvert, Op::FConvert, 1},
    {S::OpQuantizeToF16, Op::QuantizeToF16, 1},
};

} // namespace

uint32_t ModuleLowering::valueCell(Id id, InstRef at) {
  if (info(typeOf(id)).kind != Kind::Pointer) return cell(id);
  return addressCell(pointer(id), at);
}

void ModuleLowering::alias(InstRef i, uint32_t from) {
  uint32_t& at = cells_[module_->resultId(i).value];
  if (at == 0)
    at = from;
  else if (at != from) // a phi has asked for the cells before
    move(at, from, cellsOf(module_->resultType(i)), i);
}

void ModuleLowering::lowerInst(InstRef i) {
  S op = module_->opcode(i);
  if (op == S::OpExtInst) return lowerExtended(i);
  if (lowerMemoryOp(i, op) || lowerImageOp(i, op) || lowerGroupOp(i, op) || lowerValueOp(i, op, 3))
    return;
  refuse(nameOf(i));
}

// Also for OpSpecConstantOp, whose operands start one word later.
bool ModuleLowering::lowerValueOp(InstRef i, S op, uint32_t first) {
  if (first == 3 && lowerNewerOp(i, op)) return true;
  return lowerSimple(i, op, first) || lowerComposite(i, op, first) ||
         lowerFloatMatrix(i, op, first) || lowerBits(i, op, first);
}

bool ModuleLowering::lowerSimple(InstRef i, S op, uint32_t first) {
  const SimpleOp* found = std::find_if(std::begin(kSimpleOps), std::end(kSimpleOps),
                                       [op](const SimpleOp& s) { return s.opcode == op; });
  if (found == std::end(kSimpleOps)) return false;
  Id operand = module_->idAt(i, first), resultType = module_->resultType(i);
  if (encodingOf(typeOf(operand)) != FloatEncoding::Ieee) {
    refuse(nameOf(i) + " of floats that are not IEEE 754's");
    return true;
  }
  uint32_t to = define(i), a = cell(operand);
  uint32_t b = found->operands > 1 ? cell(module_->idAt(i, first + 1)) : 0;
  std::optional<uint32_t> rounding =
      decorations_->operand(*module_, module_->resultId(i), spv::Decoration::FPRoundingMode);
  bool isTowardZero = rounding == uint32_t(spv::FPRoundingMode::RTZ);
  if (rounding.value_or(0) != 0 && !(isTowardZero && op == S::OpFConvert)) {
    refuse(fmt::format("{} with FPRoundingMode {}", nameOf(i), *rounding));
    return true;
  }
  Instr& inst = emit(found->op, i);
  inst.aux = isTowardZero;
  inst.shift = uint8_t(64 - widthOf(typeOf(operand)));
  // Of OpIAddCarry and the like the result is a struct of two.
  inst.extra = info(resultType).kind == Kind::Struct ? 0 : uint8_t(widthOf(resultType));
  inst.n = componentsOf(typeOf(operand));
  inst.d = to;
  inst.a = a;
  inst.b = b;
  return true;
}

// ----- composites -----

bool ModuleLowering::lowerComposite(InstRef i, S op, uint32_t first) {
  Id resultType = module_->resultType(i);
  switch (op) {
  case S::OpCopyObject:
  case S::OpCopyLogical:
  case S::OpExpectKHR: {
    Id source = module_->idAt(i, first);
    if (info(resultType).kind == Kind::Pointer) {
      definePointer(module_->resultId(i), pointer(source));
      return true;
    }
    alias(i, cell(source));
    return true;
  }
  case S::OpUndef: {
    uint32_t to = define(i);
    Instr& inst = emit(Op::Undefine, i);
    inst.d = to;
    inst.aux = cellsOf(resultType);
    return true;
  }
  case S::OpSelect: {
    Id condition = module_->idAt(i, first);
    bool isEach = info(typeOf(condition)).kind == Kind::Vector;
    uint32_t to = define(i), a = cell(condition);
    uint32_t b = valueCell(module_->idAt(i, first + 1), i);
    uint32_t c = valueCell(module_->idAt(i, first + 2), i);
    Instr& inst = emit(isEach ? Op::SelectEach : Op::Select, i);
    inst.n = cellsOf(resultType);
    inst.d = to, inst.a = a, inst.b = b, inst.c = c;
    return true;
  }
  case S::OpCompositeConstruct: {
    uint32_t to = define(i);
    if (cooperative(resultType)) { // of one constituent, which all elements get
      replicate(to, module_->idAt(i, first), resultType, i);
      return true;
    }
    for (uint32_t w = first; w < module_->wordCount(i); ++w) {
      Id part = module_->idAt(i, w);
      uint32_t cells = cellsOf(typeOf(part));
      move(to, valueCell(part, i), cells, i);
      to += cells;
    }
    return true;
  }
  case S::OpCompositeExtract:
  case S::OpCompositeInsert: {
    bool isInsert = op == S::OpCompositeInsert;
    Id composite = module_->idAt(i, first + isInsert), type = typeOf(composite);
    uint32_t offset = 0;
    for (uint32_t w = first + 1 + isInsert; w < module_->wordCount(i); ++w) {
      uint32_t index = module_->word(i, w);
      if (info(type).kind == Kind::Struct) {
        for (uint32_t m = 0; m < index; ++m) offset += cellsOf(types_->member(type, m));
        type = types_->member(type, index);
      } else if (const CooperativeMatrix* m = cooperative(type)) {
        type = m->component;
        if (index >= m->cells) {
          refuse(nameOf(i) + " beyond the components of a cooperative matrix");
          return true;
        }
        offset += index;
      } else {
        type = info(type).element;
        offset += index * cellsOf(type);
      }
    }
    if (!isInsert) {
      alias(i, cell(composite) + offset);
      return true;
    }
    uint32_t to = define(i);
    move(to, cell(composite), cellsOf(resultType), i);
    move(to + offset, valueCell(module_->idAt(i, first), i), cellsOf(type), i);
    return true;
  }
  case S::OpVectorShuffle:
    lowerShuffle(i, first);
    return true;
  case S::OpVectorExtractDynamic: {
    Id vector = module_->idAt(i, first);
    uint32_t to = define(i), a = cell(vector), b = cell(module_->idAt(i, first + 1));
    Instr& inst = emit(Op::ExtractDynamic, i);
    inst.d = to, inst.a = a, inst.b = b;
    inst.aux = componentsOf(typeOf(vector));
    return true;
  }
  case S::OpVectorInsertDynamic: {
    uint32_t to = define(i), a = cell(module_->idAt(i, first));
    uint32_t b = cell(module_->idAt(i, first + 1)), c = cell(module_->idAt(i, first + 2));
    Instr& inst = emit(Op::InsertDynamic, i);
    inst.n = componentsOf(resultType);
    inst.d = to, inst.a = a, inst.b = b, inst.c = c;
    return true;
  }
  default:
    return false;
  }
}

void ModuleLowering::lowerShuffle(InstRef i, uint32_t first) {
  Id left = module_->idAt(i, first), right = module_->idAt(i, first + 1);
  uint32_t count = componentsOf(typeOf(left)), to = define(i);
  uint32_t a = cell(left), b = cell(right);
  for (uint32_t w = first + 2; w < module_->wordCount(i); ++w, ++to) {
    uint32_t index = module_->word(i, w);
    if (index == UINT32_MAX) { // no source: undefined
      Instr& inst = emit(Op::Undefine, i);
      inst.d = to;
      inst.aux = 1;
      continue;
    }
    uint32_t from = index < count ? a + index : b + index - count;
    Instr* last = w > first + 2 ? &out_->back() : nullptr;
    if (last && last->op == Op::Move && last->d + last->n == to && last->a + last->n == from)
      ++last->n;
    else
      move(to, from, 1, i);
  }
}

// ----- matrices -----

bool ModuleLowering::lowerFloatMatrix(InstRef i, S op, uint32_t first) {
  Id left = module_->wordCount(i) > first ? module_->idAt(i, first) : Id();
  Id right = module_->wordCount(i) > first + 1 ? module_->idAt(i, first + 1) : Id();
  Id resultType = module_->resultType(i);
  uint8_t shift = left && typeOf(left) ? uint8_t(64 - widthOf(typeOf(left))) : 0;
  auto put = [&](Op code, uint32_t n, uint32_t d, uint32_t a, uint32_t b, uint32_t aux) {
    Instr& inst = emit(code, i);
    inst.shift = shift;
    inst.n = n, inst.d = d, inst.a = a, inst.b = b, inst.aux = aux;
  };
  switch (op) {
  case S::OpDot:
    put(Op::FDot, componentsOf(typeOf(left)), define(i), cell(left), cell(right), 0);
    return true;
  case S::OpVectorTimesScalar:
  case S::OpMatrixTimesScalar:
    put(Op::FMulScalar, cellsOf(resultType), define(i), cell(left), cell(right), 0);
    return true;
  case S::OpMatrixTimesVector:
    put(Op::FMatrixVector, componentsOf(resultType), define(i), cell(left), cell(right),
        info(typeOf(left)).count);
    return true;
  case S::OpVectorTimesMatrix:
    put(Op::FVectorMatrix, componentsOf(resultType), define(i), cell(left), cell(right),
        componentsOf(typeOf(left)));
    return true;
  case S::OpMatrixTimesMatrix: {
    uint32_t columns = info(resultType).count, inner = info(typeOf(left)).count;
    uint32_t rows = cellsOf(resultType) / columns, to = define(i), a = cell(left), b = cell(right);
    for (uint32_t c = 0; c < columns; ++c)
      put(Op::FMatrixVector, rows, to + c * rows, a, b + c * inner, inner);
    return true;
  }
  case S::OpOuterProduct: {
    uint32_t rows = componentsOf(typeOf(left)), columns = componentsOf(typeOf(right));
    uint32_t to = define(i), a = cell(left), b = cell(right);
    for (uint32_t c = 0; c < columns; ++c) put(Op::FMulScalar, rows, to + c * rows, a, b + c, 0);
    return true;
  }
  case S::OpTranspose: {
    uint32_t columns = info(resultType).count, rows = cellsOf(resultType) / columns;
    uint32_t to = define(i), a = cell(left);
    for (uint32_t c = 0; c < columns; ++c)
      for (uint32_t r = 0; r < rows; ++r) move(to + c * rows + r, a + r * columns + c, 1, i);
    return true;
  }
  case S::OpAny:
  case S::OpAll:
    put(op == S::OpAny ? Op::Any : Op::All, componentsOf(typeOf(left)), define(i), cell(left), 0,
        0);
    return true;
  default:
    return false;
  }
}

// ----- bits -----

bool ModuleLowering::lowerBits(InstRef i, S op, uint32_t first) {
  switch (op) {
  case S::OpBitcast:
  case S::OpConvertPtrToU:
  case S::OpConvertUToPtr:
    lowerBitcast(i, first);
    return true;
  case S::OpBitFieldInsert:
  case S::OpBitFieldSExtract:
  case S::OpBitFieldUExtract: {
    Id base = module_->idAt(i, first);
    uint32_t to = define(i), a = cell(base), b = cell(module_->idAt(i, first + 1));
    uint32_t c = cell(module_->idAt(i, first + 2));
    uint32_t aux = op == S::OpBitFieldInsert ? cell(module_->idAt(i, first + 3)) : 0;
    Instr& inst = emit(op == S::OpBitFieldInsert     ? Op::BitFieldInsert
                       : op == S::OpBitFieldSExtract ? Op::BitFieldSExtract
                                                     : Op::BitFieldUExtract,
                       i);
    inst.shift = uint8_t(64 - widthOf(typeOf(base)));
    inst.n = componentsOf(typeOf(base));
    inst.d = to, inst.a = a, inst.b = b, inst.c = c, inst.aux = aux;
    return true;
  }
  case S::OpSDot:
  case S::OpUDot:
  case S::OpSUDot:
  case S::OpSDotAccSat:
  case S::OpUDotAccSat:
  case S::OpSUDotAccSat:
    return lowerIntegerDot(i, op);
  default:
    return false;
  }
}

// Packed operands are four bytes in a 32-bit integer (SPV_KHR_integer_dot_product).
bool ModuleLowering::lowerIntegerDot(InstRef i, S op) {
  Id left = module_->idAt(i, 3);
  bool isSaturating = op == S::OpSDotAccSat || op == S::OpUDotAccSat || op == S::OpSUDotAccSat;
  bool isPacked = info(typeOf(left)).kind != Kind::Vector;
  bool isLeftSigned = op != S::OpUDot && op != S::OpUDotAccSat;
  bool isRightSigned = op == S::OpSDot || op == S::OpSDotAccSat;
  uint32_t to = define(i), a = cell(left), b = cell(module_->idAt(i, 4));
  uint32_t c = isSaturating ? cell(module_->idAt(i, 5)) : 0;
  Instr& inst = emit(Op::IntegerDot, i);
  inst.n = isPacked ? 4 : componentsOf(typeOf(left));
  inst.extra = isPacked ? 8 : uint8_t(widthOf(typeOf(left)));
  inst.shift = uint8_t(64 - widthOf(module_->resultType(i)));
  inst.d = to, inst.a = a, inst.b = b, inst.c = c;
  inst.aux = uint32_t(isLeftSigned) | uint32_t(isRightSigned) << 1 | uint32_t(isPacked) << 2;
  return true;
}

void ModuleLowering::lowerBitcast(InstRef i, uint32_t first) {
  Id source = module_->idAt(i, first), from = typeOf(source), to = module_->resultType(i);
  uint32_t a = valueCell(source, i);
  if (module_->opcode(i) == S::OpConvertUToPtr || module_->opcode(i) == S::OpConvertPtrToU ||
      (widthOf(from) == widthOf(to) && cellsOf(from) == cellsOf(to)))
    return alias(i, a);
  uint32_t d = define(i);
  Instr& inst = emit(Op::Bitcast, i);
  inst.shift = uint8_t(64 - widthOf(from));
  inst.extra = uint8_t(widthOf(to));
  inst.n = cellsOf(to);
  inst.aux = cellsOf(from);
  inst.d = d, inst.a = a;
}

// ----- extended instructions -----

void ModuleLowering::lowerExtended(InstRef i) {
  ExtInstSet set = module_->extInstSet(module_->idAt(i, 3));
  if (isNonSemanticSet(set)) return;
  uint32_t number = module_->word(i, 4);
  const GlslInstruction* known =
      set == ExtInstSet::GlslStd450 ? findGlslInstruction(number) : nullptr;
  if (!known) {
    const ExtInstFacts& facts = extInstFacts(set, number);
    return refuse(facts.known ? std::string(facts.name)
                              : fmt::format("extended instruction {}", number));
  }
  lowerGlsl(i, *known);
}

void ModuleLowering::lowerGlsl(InstRef i, const GlslInstruction& known) {
  Id type = module_->resultType(i);
  ExtendedInfo call;
  call.instruction = module_->word(i, 4);
  bool isStruct = info(type).kind == Kind::Struct;
  Id half = isStruct ? types_->member(type, 0) : type;
  call.resultCount = cellsOf(half);
  call.resultWidth = widthOf(half);
  call.isFloat = isFloat(half);
  if (isStruct) {
    call.secondWidth = widthOf(types_->member(type, 1));
    call.isSecondFloat = isFloat(types_->member(type, 1));
  }
  for (uint32_t w = 5; w < 5 + known.operands - known.hasPointer; ++w) {
    Id operand = module_->idAt(i, w), operandType = typeOf(operand);
    call.operands.push_back({cell(operand), cellsOf(operandType), widthOf(operandType)});
  }
  std::optional<Pointer> second;
  if (known.hasPointer) {
    second = pointer(module_->idAt(i, 6));
    call.secondWidth = widthOf(second->pointee);
    call.isSecondFloat = isFloat(second->pointee);
  }
  uint32_t to = second ? allocate(2 * call.resultCount) : define(i);
  uint32_t index = uint32_t(program_->extended.size()), count = call.resultCount;
  program_->extended.push_back(std::move(call));
  Instr& inst = emit(Op::Extended, i);
  inst.d = to;
  inst.n = second || isStruct ? 2 * count : count;
  inst.aux = index;
  if (!second) return;
  move(define(i), to, count, i);
  store(*second, to + count, i);
}

} // namespace lanewise::driver::interpreter
