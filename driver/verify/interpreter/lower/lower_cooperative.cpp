// Lowers what newer modules compute with: cooperative matrices of a subgroup, floats in encodings
// of their own, mixed dot products.
#include "ir/newer_enumerants.h"
#include "verify/interpreter/lower/lowering.h"

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver::interpreter {
namespace {

using Kind = TypeInfo::Kind;
using S = spv::Op;
using driver::FloatEncoding;

constexpr uint32_t kMaxElements = 1 << 14; // of one matrix: of a lane all of them are cells

} // namespace

// ----- types -----

const CooperativeMatrix* ModuleLowering::cooperative(Id type) const {
  const InstRef i = module_->def(type);
  if (!i || module_->opcode(i) != newer::Op::OpTypeCooperativeMatrixKHR) return nullptr;
  const auto [at, isNew] = cooperative_.try_emplace(type);
  CooperativeMatrix& m = at->second;
  if (!isNew) return &m;
  m.component = module_->idAt(i, 2);
  m.scope = constantOr(module_->idAt(i, 3), ~0u);
  m.rows = constantOr(module_->idAt(i, 4), 0);
  m.columns = constantOr(module_->idAt(i, 5), 0);
  const uint64_t elements = uint64_t(m.rows) * m.columns;
  if (elements <= kMaxElements)
    m.cells = uint32_t((elements + options_.subgroupSize - 1) / options_.subgroupSize);
  return &m;
}

void ModuleLowering::checkCooperativeTypes() {
  for (InstRef i : module_->globals()) {
    if (module_->opcode(i) == S::OpTypeFloat && module_->wordCount(i) > 3 &&
        !floatEncodingOf(module_->word(i, 3)))
      refuse(fmt::format("floats of FP encoding {}", module_->word(i, 3)));
    const CooperativeMatrix* m = cooperative(module_->resultId(i));
    if (!m) continue;
    if (m->scope != uint32_t(spv::Scope::Subgroup))
      refuse("cooperative matrices of another scope than the subgroup");
    else if (m->cells == 0)
      refuse(fmt::format("cooperative matrices of {} x {} elements", m->rows, m->columns));
    else if (invocations() % options_.subgroupSize != 0)
      refuse(fmt::format("cooperative matrices where {} invocations do not fill their subgroups of "
                         "{} (--subgroup-size)",
                         invocations(), options_.subgroupSize));
  }
}

FloatEncoding ModuleLowering::encodingOf(Id type) const {
  while (info(type).kind == Kind::Vector) type = info(type).element;
  if (const CooperativeMatrix* m = cooperative(type)) type = m->component;
  const InstRef i = module_->def(type);
  if (!i || module_->opcode(i) != S::OpTypeFloat || module_->wordCount(i) <= 3)
    return FloatEncoding::Ieee;
  return floatEncodingOf(module_->word(i, 3)).value_or(FloatEncoding::Ieee);
}

// ----- conversions -----

// OpFConvert and the conversions from and to integers, where one side has an encoding of its own:
// by way of doubles, which hold every value of all of them.
bool ModuleLowering::lowerNarrowConversion(InstRef i, S op) {
  const Id source = module_->idAt(i, 3), resultType = module_->resultType(i);
  const FloatEncoding from = encodingOf(typeOf(source)), to = encodingOf(resultType);
  if (from == FloatEncoding::Ieee && to == FloatEncoding::Ieee) return false;
  const uint32_t count = componentsOf(resultType);
  const bool saturates = decorations_->has(
      module_->resultId(i), newer::Decoration::SaturatedToLargestFloat8NormalConversionEXT);
  auto convert = [&](uint32_t d, uint32_t a, uint32_t fromWidth, FloatEncoding source,
                     uint32_t toWidth, FloatEncoding target) {
    Instr& inst = emit(Op::ConvertNarrow, i);
    inst.shift = uint8_t(64 - fromWidth);
    inst.extra = uint8_t(toWidth);
    inst.encodings = uint8_t(uint8_t(source) | uint8_t(target) << 4);
    inst.aux = saturates;
    inst.n = count, inst.d = d, inst.a = a;
  };
  const uint32_t result = define(i), operand = cell(source);
  const uint32_t fromWidth = widthOf(typeOf(source)), toWidth = widthOf(resultType);
  if (op == S::OpFConvert) {
    convert(result, operand, fromWidth, from, toWidth, to);
    return true;
  }
  const uint32_t between = allocate(count);
  const bool isToInteger = op == S::OpConvertFToU || op == S::OpConvertFToS;
  if (isToInteger) convert(between, operand, fromWidth, from, 64, FloatEncoding::Ieee);
  Instr& inst = emit(op == S::OpConvertFToU   ? Op::ConvertFToU
                     : op == S::OpConvertFToS ? Op::ConvertFToS
                     : op == S::OpConvertUToF ? Op::ConvertUToF
                                              : Op::ConvertSToF,
                     i);
  inst.n = count;
  inst.shift = isToInteger ? 0 : uint8_t(64 - fromWidth);
  inst.extra = isToInteger ? uint8_t(toWidth) : 64;
  inst.d = isToInteger ? result : between;
  inst.a = isToInteger ? between : operand;
  if (!isToInteger) convert(result, between, 64, FloatEncoding::Ieee, toWidth, to);
  return true;
}

// ----- all of them -----

bool ModuleLowering::lowerNewerOp(InstRef i, S op) {
  if (op == S::OpFConvert || op == S::OpConvertFToU || op == S::OpConvertFToS ||
      op == S::OpConvertUToF || op == S::OpConvertSToF)
    return lowerNarrowConversion(i, op);
  if (op == S::OpDot && encodingOf(module_->resultType(i)) != FloatEncoding::Ieee) {
    lowerMixedDot(i, false);
    return true;
  }
  if (op == newer::Op::OpFDot2MixAcc32VALVE || op == newer::Op::OpFDot2MixAcc16VALVE ||
      op == newer::Op::OpFDot4MixAcc32VALVE) {
    lowerMixedDot(i, true);
    return true;
  }
  if (op == newer::Op::OpFmaKHR) {
    lowerFma(i);
    return true;
  }
  if (op == newer::Op::OpBitcastExtractEXT) {
    const Id base = module_->idAt(i, 3);
    const uint32_t to = define(i), a = cell(base), b = cell(module_->idAt(i, 4));
    Instr& inst = emit(Op::BitcastExtract, i);
    inst.shift = uint8_t(64 - widthOf(typeOf(base)));
    inst.extra = uint8_t(widthOf(module_->resultType(i)));
    inst.n = componentsOf(typeOf(base));
    inst.d = to, inst.a = a, inst.b = b;
    return true;
  }
  if (op == newer::Op::OpCooperativeMatrixLoadKHR || op == newer::Op::OpCooperativeMatrixStoreKHR) {
    lowerMatrixAccess(i, op == newer::Op::OpCooperativeMatrixStoreKHR);
    return true;
  }
  if (op == newer::Op::OpCooperativeMatrixMulAddKHR) {
    lowerMultiply(i);
    return true;
  }
  if (op == newer::Op::OpCooperativeMatrixLengthKHR) {
    const CooperativeMatrix* m = cooperative(module_->idAt(i, 3));
    alias(i, constantCell(m ? m->cells : 0));
    return true;
  }
  if (op == newer::Op::OpCooperativeMatrixConvertUseEXT &&
      widthOf(module_->resultType(i)) == widthOf(typeOf(module_->idAt(i, 3)))) {
    alias(i, cell(module_->idAt(i, 3))); // where an element is does not depend on the use
    return true;
  }
  if (op == newer::Op::OpCompositeConstructReplicateEXT) {
    replicate(define(i), module_->idAt(i, 3), module_->resultType(i), i);
    return true;
  }
  return false;
}

void ModuleLowering::replicate(uint32_t to, Id part, Id type, InstRef at) {
  const uint32_t from = cell(part), each = cellsOf(typeOf(part));
  for (uint32_t n = 0; n + each <= cellsOf(type); n += each) move(to + n, from, each, at);
}

void ModuleLowering::lowerMixedDot(InstRef i, bool hasAccumulator) {
  const Id left = module_->idAt(i, 3), resultType = module_->resultType(i);
  const uint32_t to = define(i), a = cell(left), b = cell(module_->idAt(i, 4));
  const uint32_t c = hasAccumulator ? cell(module_->idAt(i, 5)) : 0;
  const FloatEncoding right = encodingOf(typeOf(module_->idAt(i, 4)));
  Instr& inst = emit(Op::FDotMixed, i);
  inst.shift = uint8_t(64 - widthOf(typeOf(left)));
  inst.extra = uint8_t(widthOf(resultType));
  inst.encodings =
      uint8_t(uint8_t(encodingOf(typeOf(left))) | uint8_t(encodingOf(resultType)) << 4);
  inst.n = componentsOf(typeOf(left));
  inst.d = to, inst.a = a, inst.b = b, inst.c = c, inst.aux = uint32_t(right);
}

void ModuleLowering::lowerFma(InstRef i) {
  const Id type = module_->resultType(i);
  ExtendedInfo call;
  call.instruction = GLSLstd450Fma;
  call.resultCount = componentsOf(type);
  call.resultWidth = widthOf(type);
  call.isFloat = true;
  for (uint32_t w = 3; w < 6; ++w)
    call.operands.push_back({cell(module_->idAt(i, w)), call.resultCount, call.resultWidth});
  const uint32_t to = define(i), index = uint32_t(program_->extended.size());
  program_->extended.push_back(std::move(call));
  Instr& inst = emit(Op::Extended, i);
  inst.d = to;
  inst.n = componentsOf(type);
  inst.aux = index;
}

// ----- cooperative matrices -----

void ModuleLowering::lowerMatrixAccess(InstRef i, bool isStore) {
  const Id object = isStore ? module_->idAt(i, 2) : module_->resultId(i);
  const CooperativeMatrix* m = cooperative(typeOf(object));
  Pointer p = pointer(module_->idAt(i, isStore ? 1 : 3));
  uint32_t w = isStore ? 3 : 4;
  const uint32_t layout = constantOr(module_->idAt(i, w++), ~0u);
  if (!m || layout > newer::CooperativeMatrixLayout::ColumnMajorKHR)
    return refuse(nameOf(i) + " of this memory layout");
  if (isCellMemory(p.storage)) return refuse(nameOf(i) + " of Function or Private memory");
  MatrixAccess access;
  access.rows = m->rows;
  access.columns = m->columns;
  access.isColumnMajor = layout == newer::CooperativeMatrixLayout::ColumnMajorKHR;
  access.componentBytes = uint8_t(widthOf(m->component) / 8);
  access.elementBytes = uint32_t(sizeInMemory(p.pointee, {}, isNatural(p.storage)));
  if (access.componentBytes == 0 || access.elementBytes == 0)
    return refuse(nameOf(i) + " of a type without a size");
  if (w < module_->wordCount(i)) {
    const Id stride = module_->idAt(i, w++);
    const uint32_t a = cell(stride);
    access.stride = a;
  }
  if (access.stride == 0) return refuse(nameOf(i) + " without a stride");
  const Sharing sharing = sharingOf(i, w, isStore);
  const uint32_t data = isStore ? cell(object) : define(i), address = addressCell(p, i);
  const uint32_t scratch = allocate(1), site = siteOf(i, p.variable);
  noteMatrixAccess(site, p, sharing, isStore);
  noteAccess(access.componentBytes);
  const uint32_t index = uint32_t(program_->matrixAccesses.size());
  program_->matrixAccesses.push_back(access);
  Instr& inst = emit(isStore ? Op::StoreMatrix : Op::LoadMatrix, i);
  inst.site = site;
  inst.n = m->cells, inst.d = data, inst.a = address, inst.c = scratch, inst.aux = index;
}

void ModuleLowering::lowerMultiply(InstRef i) {
  namespace Bits = newer::CooperativeMatrixOperands;
  const uint32_t flags = module_->wordCount(i) > 6 ? module_->word(i, 6) : 0;
  const CooperativeMatrix* a = cooperative(typeOf(module_->idAt(i, 3)));
  const CooperativeMatrix* b = cooperative(typeOf(module_->idAt(i, 4)));
  if (!a || !b) return refuse(nameOf(i) + " of other matrices");
  auto operandOf = [&](Id type, uint32_t at, uint32_t signedBit) {
    MatrixOperand operand;
    const CooperativeMatrix* m = cooperative(type);
    operand.cell = at;
    operand.cells = m ? m->cells : 0;
    operand.width = uint8_t(widthOf(type));
    operand.encoding = encodingOf(type);
    operand.isSigned = (flags & signedBit) != 0;
    return operand;
  };
  auto valueOf = [&](uint32_t word, uint32_t signedBit) {
    const Id id = module_->idAt(i, word);
    return operandOf(typeOf(id), cell(id), signedBit);
  };
  MultiplyInfo info;
  info.rows = a->rows;
  info.inner = a->columns;
  info.columns = b->columns;
  info.a = valueOf(3, uint32_t(Bits::MatrixASignedComponentsKHR));
  info.b = valueOf(4, uint32_t(Bits::MatrixBSignedComponentsKHR));
  info.c = valueOf(5, uint32_t(Bits::MatrixCSignedComponentsKHR));
  info.result =
      operandOf(module_->resultType(i), define(i), uint32_t(Bits::MatrixResultSignedComponentsKHR));
  info.isSaturating = (flags & uint32_t(Bits::SaturatingAccumulationKHR)) != 0;
  auto isWhole = [&](Id component) { return types_->info(component).kind == Kind::Int; };
  info.isFloat = !isWhole(a->component);
  const CooperativeMatrix* sum = cooperative(module_->resultType(i));
  if (!sum || isWhole(b->component) == info.isFloat || isWhole(sum->component) == info.isFloat)
    return refuse(nameOf(i) + " of integers and floats");
  if (info.isSaturating && (info.a.width > 16 || info.b.width > 16 || info.result.width > 32))
    return refuse(nameOf(i) + " that saturates beyond 32 bits");
  GroupInfo group;
  group.opcode = module_->opcode(i);
  group.multiply = int32_t(program_->multiplies.size());
  program_->multiplies.push_back(info);
  const uint32_t index = uint32_t(program_->groups.size());
  program_->groups.push_back(group);
  emit(Op::Group, i).aux = index;
}

} // namespace lanewise::driver::interpreter
