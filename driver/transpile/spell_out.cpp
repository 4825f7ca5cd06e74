#include "transpile/spell_out.h"

#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "support/failure.h"
#include "transpile/limits.h"
#include "verify/formats/image_formats.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <spirv/unified1/GLSL.std.450.h>
#include <vector>

namespace lanewise::driver {

namespace {

/// Of the operations that take integers as signed or as unsigned, and are listed in spellOut().
bool isOfSigned(spv::Op op) {
  switch (op) {
  case spv::Op::OpAtomicSMin:
  case spv::Op::OpAtomicSMax:
  case spv::Op::OpSMulExtended:
  case spv::Op::OpShiftRightArithmetic:
  case spv::Op::OpConvertSToF:
  case spv::Op::OpSConvert:
  case spv::Op::OpSDiv:
  case spv::Op::OpSMod:
  case spv::Op::OpSGreaterThan:
  case spv::Op::OpSGreaterThanEqual:
  case spv::Op::OpSLessThan:
  case spv::Op::OpSLessThanEqual:
    return true;
  default:
    return false;
  }
}

class Speller {
public:
  Speller(const Module& module, const TargetLanguage& target, Rewriter& rewriter)
      : module_(module), decorations_(module), uses_(module), target_(target), rewriter_(rewriter),
        endsBlocksWithBarriers_(endsBlocksWithBarriers()) {}

  /// What SPIRV-Cross writes by an operator or a function that does something else, or that only
  /// another language has: x == y is false of NaN, and x != y true; and what an integer operation
  /// does depends on the type in the text, not on the instruction.
  Status spellOut(InstRef i) {
    const spv::Op op = module_.opcode(i);
    const auto refuse = [](const char* what) {
      return failure(fmt::format("it cannot be expressed in HLSL, which has no {}", what));
    };
    const bool isHlsl = target_.language == Language::Hlsl;
    switch (op) {
    case spv::Op::OpBitcast:
      return target_.language == Language::Msl ? ok() : castInSteps(i);
    case spv::Op::OpFUnordEqual:
    case spv::Op::OpFOrdNotEqual:
      compareOrdered(i);
      return ok();
    case spv::Op::OpSRem:
      if (divideSigned(i)) return ok();
      return failure(fmt::format("{} has no signed remainder of these unsigned integers",
                                 nameOf(target_.language)));
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicUMax:
      return checkSign(i, module_.resultType(i), "minimum or maximum", " in memory");
    case spv::Op::OpIAddCarry:
    case spv::Op::OpISubBorrow:
      return isHlsl ? refuse("sum or difference with its carry") : ok();
    case spv::Op::OpUMulExtended:
    case spv::Op::OpSMulExtended:
      if (isHlsl) return refuse("product of twice the width");
      return checkSign(i, module_.typeOf(module_.idAt(i, 3)), "product of twice the width", "");
    case spv::Op::OpShiftLeftLogical:
      convertShift(i);
      [[fallthrough]];
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
      if (isHlsl) narrowConstants(i);
      return ok();
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
      convertShift(i);
      [[fallthrough]];
    case spv::Op::OpConvertUToF:
    case spv::Op::OpConvertSToF:
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
    case spv::Op::OpSDiv:
    case spv::Op::OpSMod:
    case spv::Op::OpUGreaterThan:
    case spv::Op::OpUGreaterThanEqual:
    case spv::Op::OpULessThan:
    case spv::Op::OpULessThanEqual:
    case spv::Op::OpSGreaterThan:
    case spv::Op::OpSGreaterThanEqual:
    case spv::Op::OpSLessThan:
    case spv::Op::OpSLessThanEqual:
      return isHlsl ? castOperands(i) : ok();
    case spv::Op::OpControlBarrier:
      if (isHlsl) orderWhereItWaits(i);
      if (target_.language == Language::Msl) joinBarriers(i);
      return ok();
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
      return isHlsl ? splitArrays(i) : ok();
    case spv::Op::OpSwitch:
      return target_.isGlslOrEssl() ? widenSelector(i) : ok();
    case spv::Op::OpAtomicFAddEXT:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT:
      return isHlsl ? refuse("atomics of floats") : ok();
    case spv::Op::OpRayQueryInitializeKHR:
      return target_.language == Language::Msl ? checkRay(i) : ok();
    case spv::Op::OpExtInst:
      if (module_.extInstSet(module_.idAt(i, 3)) != ExtInstSet::GlslStd450) return ok();
      if (isHlsl && module_.word(i, 4) == GLSLstd450InterpolateAtOffset)
        return refuse("interpolation at offsets that are no 16ths of a pixel");
      return module_.word(i, 4) == GLSLstd450Fma && !hasFma() ? splitFma(i) : ok();
    case spv::Op::OpImageFetch:
      dropExtension(i);
      return ok();
    case spv::Op::OpQuantizeToF16:
      return isHlsl ? refuse("rounding to 16-bit floats") : ok();
    case spv::Op::OpImageRead:
      if (!isHlsl || !fillComponents(i)) dropExtension(i);
      return ok();
    case spv::Op::OpGroupNonUniformAllEqual:
      if (isHlsl) compareByComponent(i);
      return ok();
    default:
      return ok();
    }
  }

  /// OpSMod has the divisor's sign, and what the languages have the dividend's or none that they
  /// promise: the remainder, and the divisor where that is not 0 and has another sign.
  void writeOutModulo(InstRef i) {
    const Id type = module_.resultType(i), a = module_.idAt(i, 3), b = module_.idAt(i, 4);
    const Shape shape = shapeOf(type);
    Id shift = rewriter_.uint32Constant(shape.width - 1);
    if (shape.count > 1) {
      Inst vector(spv::Op::OpCompositeConstruct);
      const Id id = rewriter_.newId();
      vector.id(integerType({32, shape.count, true})).id(id);
      for (uint32_t n = 0; n < shape.count; ++n) vector.id(shift);
      rewriter_.insertBefore(i, std::move(vector));
      shift = id;
    }
    const Id quotient = add(i, spv::Op::OpSDiv, type, {a, b});
    const Id product = add(i, spv::Op::OpIMul, type, {quotient, b});
    const Id rest = add(i, spv::Op::OpISub, type, {a, product});
    // All bits of a word are its sign.
    const auto signOf = [&](Id value) {
      return add(i, spv::Op::OpShiftRightArithmetic, type, {value, shift});
    };
    const Id negated = add(i, spv::Op::OpSNegate, type, {rest});
    const Id isSome = signOf(add(i, spv::Op::OpBitwiseOr, type, {rest, negated}));
    const Id isOther = signOf(add(i, spv::Op::OpBitwiseXor, type, {rest, b}));
    const Id both = add(i, spv::Op::OpBitwiseAnd, type, {isSome, isOther});
    const Id more = add(i, spv::Op::OpBitwiseAnd, type, {both, b});
    rewriter_.replace(i, Inst(spv::Op::OpIAdd).id(type).id(module_.resultId(i)).id(rest).id(more));
  }

private:
  /// A scalar or vector of numbers, as GLSL's functions that pack and unpack see it.
  struct Shape {
    uint32_t width = 0, count = 1; ///< bits of a component, components
    bool isUnsigned = false, isFloat = false;
    auto operator<=>(const Shape&) const = default;
  };
  Shape shapeOf(Id type) const {
    Shape shape;
    InstRef d = module_.def(type);
    if (module_.opcode(d) == spv::Op::OpTypeVector) {
      shape.count = module_.word(d, 3);
      d = module_.def(module_.idAt(d, 2));
    }
    if (module_.opcode(d) == spv::Op::OpTypeInt || module_.opcode(d) == spv::Op::OpTypeFloat)
      shape.width = module_.word(d, 2);
    shape.isUnsigned = module_.opcode(d) == spv::Op::OpTypeInt && module_.word(d, 3) == 0;
    shape.isFloat = module_.opcode(d) == spv::Op::OpTypeFloat;
    return shape;
  }

  /// The type of integers of that shape, null where the module lacks their capability.
  Id integerType(const Shape& shape) {
    for (InstRef i : module_.globals())
      if (module_.facts(i).opClass == OpClass::Type && shapeOf(module_.resultId(i)) == shape)
        return module_.resultId(i);
    if (auto made = integerTypes_.find(shape); made != integerTypes_.end()) return made->second;
    if ((shape.width == 64 && !module_.declares(spv::Capability::Int64)) ||
        (shape.width == 16 && !module_.declares(spv::Capability::Int16)) ||
        (shape.width == 8 && !module_.declares(spv::Capability::Int8)))
      return {};
    const Id component = shape.count > 1 ? integerType({shape.width, 1, shape.isUnsigned}) : Id();
    const Id type = rewriter_.declare({}, [&](Id id) {
      return component ? Inst(spv::Op::OpTypeVector).id(id).id(component).word(shape.count)
                       : Inst(spv::Op::OpTypeInt).id(id).word(shape.width).word(!shape.isUnsigned);
    });
    return integerTypes_[shape] = type;
  }

  /// Whether the language has a function for a bit cast between these, of other counts, and
  /// SPIRV-Cross writes it.
  bool hasFunction(const Shape& from, const Shape& to) const {
    const Shape &scalar = from.count == 1 ? from : to, &vector = from.count == 1 ? to : from;
    if (scalar.count != 1 || !scalar.isUnsigned) return false;
    if (vector == Shape{16, 2, false, true}) return true;
    return vector.isUnsigned &&
           (target_.isGlslOrEssl() || (scalar.width == 64 && vector.width == 32));
  }

  /// The result of a new instruction in front of `i`.
  Id add(InstRef i, spv::Op op, Id type, std::initializer_list<Id> operands) {
    const Id result = rewriter_.newId();
    Inst made(op);
    made.id(type).id(result);
    for (Id operand : operands) made.id(operand);
    rewriter_.insertBefore(i, std::move(made));
    return result;
  }

  Id component(InstRef i, Id type, Id vector, uint32_t n) {
    const Id result = rewriter_.newId();
    rewriter_.insertBefore(
        i, Inst(spv::Op::OpCompositeExtract).id(type).id(result).id(vector).word(n));
    return result;
  }

  /// The result of `i` is `value`.
  void copy(InstRef i, Id value) {
    rewriter_.replace(
        i, Inst(spv::Op::OpCopyObject).id(module_.resultType(i)).id(module_.resultId(i)).id(value));
  }

  Id constantOf(Id type, uint32_t width, uint64_t bits) {
    return rewriter_.declare({}, [&](Id id) {
      Inst constant(spv::Op::OpConstant);
      constant.id(type).id(id).word(uint32_t(bits));
      if (width == 64) constant.word(uint32_t(bits >> 32));
      return constant;
    });
  }

  Id shift(InstRef i, spv::Op op, const Shape& scalar, Id value, uint32_t bits) {
    if (bits == 0) return value;
    const Id type = integerType(scalar);
    return add(i, op, type, {value, constantOf(type, scalar.width, bits)});
  }

  /// SPIRV-Cross leaves 16-bit integers in HLSL as they are, and what uses them takes the sign that
  /// they had.
  bool keepsSign(const Shape& from, const Shape& to) const {
    return target_.language == Language::Hlsl && from.width == 16 && from.count == to.count &&
           !from.isFloat && !to.isFloat;
  }

  /// A value of another shape with the same bits; null where the module lacks such a type.
  Id castTo(const Shape& to, const Shape& from, Id value, InstRef i) {
    if (!value || to == from) return value;
    const Id type = integerType(to);
    if (!type || !keepsSign(from, to))
      return type ? add(i, spv::Op::OpBitcast, type, {value}) : Id();
    const Id wide = add(i, from.isUnsigned ? spv::Op::OpUConvert : spv::Op::OpSConvert,
                        integerType({32, from.count, from.isUnsigned}), {value});
    return add(i, to.isUnsigned ? spv::Op::OpUConvert : spv::Op::OpSConvert, type, {wide});
  }

  /// castTo() by shifts, of unsigned integers.
  Id regroup(const Shape& to, const Shape& from, Id value, InstRef i) {
    const Shape part{to.width, 1, true}, given{from.width, 1, true};
    const Id type = integerType(to), partType = integerType(part);
    if (!value || !type) return {};
    std::vector<Id> components;
    for (uint32_t n = 0; n < from.count; ++n)
      components.push_back(from.count == 1 ? value : component(i, integerType(given), value, n));
    std::vector<Id> parts(to.count);
    for (uint32_t bit = 0; bit < from.width * from.count; bit += std::min(from.width, to.width)) {
      Id& made = parts[bit / to.width];
      Id bits = shift(i, spv::Op::OpShiftRightLogical, given, components[bit / from.width],
                      bit % from.width);
      bits = add(i, spv::Op::OpUConvert, partType, {bits});
      bits = shift(i, spv::Op::OpShiftLeftLogical, part, bits, bit % to.width);
      made = made ? add(i, spv::Op::OpBitwiseOr, partType, {made, bits}) : bits;
    }
    if (to.count == 1) return parts[0];
    Inst vector(spv::Op::OpCompositeConstruct);
    const Id result = rewriter_.newId();
    vector.id(type).id(result);
    for (Id made : parts) vector.id(made);
    rewriter_.insertBefore(i, std::move(vector));
    return result;
  }

  /// Of what takes the sign of `type` in the text.
  Status checkSign(InstRef i, Id type, const char* what, const char* where) const {
    const bool isSigned = isOfSigned(module_.opcode(i));
    if (shapeOf(type).isUnsigned != isSigned) return ok();
    return failure(fmt::format("{} has no {} {} of {} integers{}", nameOf(target_.language),
                               isSigned ? "signed" : "unsigned", what,
                               isSigned ? "unsigned" : "signed", where));
  }

  /// In HLSL, 16-bit integers get the sign of the operation beforehand: see keepsSign().
  Status castOperands(InstRef i) {
    const spv::Op op = module_.opcode(i);
    const bool isSigned = isOfSigned(op);
    const bool isShift =
        op == spv::Op::OpShiftRightLogical || op == spv::Op::OpShiftRightArithmetic;
    const auto isOther = [&](const Shape& shape) {
      return shape.width == 16 && !shape.isFloat && shape.isUnsigned == isSigned;
    };
    if (isShift && isOther(shapeOf(module_.resultType(i))))
      return failure(fmt::format("SPIRV-Cross does not write {} of {} 16-bit integers in HLSL",
                                 module_.facts(i).name, isSigned ? "unsigned" : "signed"));
    for (uint32_t n = 3; n < (isShift ? 4 : module_.wordCount(i)); ++n) {
      const Shape from = shapeOf(module_.typeOf(module_.idAt(i, n)));
      if (isOther(from))
        rewriter_.setId(i, n, castTo({16, from.count, !isSigned}, from, module_.idAt(i, n), i));
    }
    return ok();
  }

  /// SPIRV-Cross writes unsigned 16-bit constants in HLSL as 32-bit ones, with which sums are
  /// longer.
  void narrowConstants(InstRef i) {
    for (uint32_t n : {3u, 4u}) {
      InstRef d = module_.def(module_.idAt(i, n));
      if (module_.opcode(d) != spv::Op::OpConstant ||
          shapeOf(module_.resultType(d)) != Shape{16, 1, true})
        continue;
      const Id wide = rewriter_.uint32Constant(module_.word(d, 3));
      rewriter_.setId(i, n, add(i, spv::Op::OpUConvert, module_.resultType(d), {wide}));
    }
  }

  /// SPIRV-Cross writes a bit cast between a scalar and a vector, or between two vectors, for which
  /// it knows no function as the value itself, or its first components.
  Status castInSteps(InstRef i) {
    Id value = module_.idAt(i, 3);
    const Shape from = shapeOf(module_.typeOf(value)), to = shapeOf(module_.resultType(i));
    if (from.width == 0 || to.width == 0) return ok();
    const bool ofDoubles = (from.isFloat && from.width == 64) || (to.isFloat && to.width == 64);
    if (target_.language == Language::Hlsl && ofDoubles)
      return failure("it cannot be expressed in HLSL, which has no bit casts of doubles");
    if (from.count == to.count) {
      if (keepsSign(from, to)) copy(i, castTo(to, from, value, i));
      return ok();
    }
    if (hasFunction(from, to)) return ok();
    const Shape bits{from.width, from.count, true}, newBits{to.width, to.count, true};
    Shape last = newBits;
    if (hasFunction(from, newBits)) {
      value = castTo(newBits, from, value, i);
    } else {
      value = castTo(bits, from, value, i);
      if (hasFunction(bits, to))
        last = bits;
      else if (hasFunction(bits, newBits))
        value = castTo(newBits, bits, value, i);
      else
        value = regroup(newBits, bits, value, i);
    }
    if (!value)
      return failure(fmt::format("{} has no bit cast between {} and {} components without integers "
                                 "of {} and {} bits",
                                 nameOf(target_.language), from.count, to.count, from.width,
                                 to.width));
    if (last == to || keepsSign(last, to))
      copy(i, castTo(to, last, value, i));
    else
      rewriter_.setId(i, 3, value);
    return ok();
  }

  /// Less or greater, or neither: no NaN is either.
  void compareOrdered(InstRef i) {
    const Id type = module_.resultType(i), a = module_.idAt(i, 3), b = module_.idAt(i, 4);
    const Id less = add(i, spv::Op::OpFOrdLessThan, type, {a, b});
    const Id greater = add(i, spv::Op::OpFOrdGreaterThan, type, {a, b});
    const bool isNegated = module_.opcode(i) == spv::Op::OpFUnordEqual;
    const Id either = isNegated ? rewriter_.newId() : module_.resultId(i);
    Inst apart = Inst(spv::Op::OpLogicalOr).id(type).id(either).id(less).id(greater);
    if (!isNegated) return rewriter_.replace(i, std::move(apart));
    rewriter_.insertBefore(i, std::move(apart));
    rewriter_.replace(i, Inst(spv::Op::OpLogicalNot).id(type).id(module_.resultId(i)).id(either));
  }

  bool hasFma() const { return target_.language != Language::Essl || target_.esslVersion >= 320; }

  /// Without parentheses, SPIRV-Cross makes `y *= a + x` of `y = fma(y, a, x)`. Rounded once or
  /// twice is the driver's choice, unless it is said that nothing may be taken apart.
  Status splitFma(InstRef i) {
    const Id type = module_.resultType(i), result = module_.resultId(i);
    if (decorations_.has(result, spv::Decoration::NoContraction))
      return failure(fmt::format("it cannot be expressed in {}, which has no fused multiply-add; "
                                 "use --essl-version=320",
                                 target_.str()));
    const Id product = add(i, spv::Op::OpFMul, type, {module_.idAt(i, 5), module_.idAt(i, 6)});
    rewriter_.replace(i,
                      Inst(spv::Op::OpFAdd).id(type).id(result).id(product).id(module_.idAt(i, 7)));
    return ok();
  }

  /// OpSRem in signed types. False where there is none.
  bool divideSigned(InstRef i) {
    const Shape result = shapeOf(module_.resultType(i));
    if (!result.isUnsigned && !shapeOf(module_.typeOf(module_.idAt(i, 3))).isUnsigned &&
        !shapeOf(module_.typeOf(module_.idAt(i, 4))).isUnsigned)
      return true;
    const Shape shape{result.width, result.count};
    const Id type = integerType(shape);
    if (!type) return false;
    const auto operand = [&](uint32_t n) {
      const Id value = module_.idAt(i, n);
      return castTo(shape, shapeOf(module_.typeOf(value)), value, i);
    };
    const Id remainder = add(i, spv::Op::OpSRem, type, {operand(3), operand(4)});
    copy(i, castTo(result, shape, remainder, i));
    return true;
  }

  /// SPIRV-Cross reads the bits of a shift of another width. What a narrower type loses of it is
  /// beyond the width that is shifted, where the result is undefined (SPIR-V, "Bit Instructions").
  void convertShift(InstRef i) {
    const Id shift = module_.idAt(i, 4);
    Shape shape = shapeOf(module_.resultType(i));
    if (shapeOf(module_.typeOf(shift)).width == shape.width) return;
    shape.isUnsigned = true;
    if (const Id type = integerType(shape))
      rewriter_.setId(i, 4, add(i, spv::Op::OpUConvert, type, {shift}));
  }

  /// GLSL switches by 32-bit integers only. Narrower literals are extended already (SPIR-V 2.2.1).
  Status widenSelector(InstRef i) {
    const Id selector = module_.idAt(i, 1);
    const Shape shape = shapeOf(module_.typeOf(selector));
    if (shape.width == 32) return ok();
    if (shape.width == 64)
      return failure(fmt::format("{} has no switch by 64-bit integers", nameOf(target_.language)));
    const InstRef merge = module_.mergeInst(module_.blockOf(i)); // stands right in front
    rewriter_.setId(i, 1,
                    add(merge ? merge : i,
                        shape.isUnsigned ? spv::Op::OpUConvert : spv::Op::OpSConvert,
                        integerType({32, 1, shape.isUnsigned}), {selector}));
    return ok();
  }

  /// False where the read stays as it is. What a format lacks is read as 0, and a fourth component
  /// as 1 (Vulkan, "Conversion to RGBA"); SPIRV-Cross writes the last one again.
  bool fillComponents(InstRef i) {
    const Shape shape = shapeOf(module_.resultType(i));
    InstRef image = module_.def(module_.typeOf(module_.idAt(i, 3)));
    const std::optional<ImageFormat> format = imageFormatOf(module_.word(image, 8));
    const uint32_t count = format ? infoOf(*format).components() : 4;
    if (count == 4 || shape.count != 4 || !readsBeyond(module_.resultId(i), count)) return false;
    const Id scalar = module_.idAt(module_.def(module_.resultType(i)), 2);
    const Id read = rewriter_.newId();
    Inst narrow(module_.opcode(i));
    narrow.id(module_.resultType(i)).id(read).words(module_.inst(i).subspan(3));
    rewriter_.insertBefore(i, std::move(narrow));
    Inst whole(spv::Op::OpCompositeConstruct);
    whole.id(module_.resultType(i)).id(module_.resultId(i));
    for (uint32_t n = 0; n < 4; ++n)
      whole.id(n < count ? component(i, scalar, read, n) : numberOf(scalar, shape, n == 3));
    rewriter_.replace(i, std::move(whole));
    return true;
  }

  bool readsBeyond(Id vector, uint32_t count) const {
    for (const Use& use : uses_.uses(vector)) {
      const spv::Op op = module_.opcode(use.user);
      const bool isOne = op == spv::Op::OpCompositeExtract && module_.word(use.user, 4) < count;
      if (!isOne && op != spv::Op::OpName && op != spv::Op::OpDecorate) return true;
    }
    return false;
  }

  /// The constant 0 or 1 of a type of that shape.
  Id numberOf(Id scalar, const Shape& shape, bool isOne) {
    uint64_t bits = isOne;
    if (shape.isFloat && isOne)
      bits = shape.width == 16 ? 0x3c00 : shape.width == 32 ? 0x3f800000 : 0x3ff0000000000000;
    return constantOf(scalar, shape.width, bits);
  }

  /// HLSL's WaveActiveAllEqual of a vector has an answer for each component, SPIR-V's instruction
  /// one for all of them.
  void compareByComponent(InstRef i) {
    const Id value = module_.idAt(i, 4), boolType = module_.resultType(i);
    InstRef type = module_.def(module_.typeOf(value));
    if (module_.opcode(type) != spv::Op::OpTypeVector) return;
    Id all; // of the components so far
    for (uint32_t n = 0, count = module_.word(type, 3); n < count; ++n) {
      const Id part = component(i, module_.idAt(type, 2), value, n);
      const Id equal = add(i, module_.opcode(i), boolType, {module_.idAt(i, 3), part});
      const Id both = n + 1 == count ? module_.resultId(i) : rewriter_.newId();
      Inst conjunction = Inst(spv::Op::OpLogicalAnd).id(boolType).id(both).id(all).id(equal);
      if (n + 1 == count)
        rewriter_.replace(i, std::move(conjunction));
      else if (n > 0)
        rewriter_.insertBefore(i, std::move(conjunction));
      all = n > 0 ? both : equal;
    }
  }

  /// SPIRV-Cross drops a barrier of the workgroup that orders the memory of a subgroup alone.
  void orderWhereItWaits(InstRef i) {
    const std::optional<uint32_t> waiting = numberAt(i, 1), scope = numberAt(i, 2);
    if (waiting && scope && *waiting < *scope) rewriter_.setId(i, 2, module_.idAt(i, 1));
  }

  /// MSL: what orders memory waits as well, and SPIRV-Cross leaves out a barrier behind one that
  /// orders memory, whatever that one orders, and in whatever block it stands.
  void joinBarriers(InstRef i) {
    std::optional<uint32_t> scope = numberAt(i, 2), semantics = numberAt(i, 3);
    if (!scope || !semantics) return;
    InstRef before = previous(i);
    for (; module_.opcode(before) == spv::Op::OpMemoryBarrier; before = previous(before)) {
      const std::optional<uint32_t> wider = numberAt(before, 1), more = numberAt(before, 2);
      if (!wider || !more) break;
      scope = std::min(*scope, *wider);
      *semantics |= *more;
      rewriter_.erase(before);
    }
    if (before != previous(i)) {
      rewriter_.setId(i, 2, rewriter_.uint32Constant(*scope));
      rewriter_.setId(i, 3, rewriter_.uint32Constant(withOneOrder(*semantics)));
    }
    if (module_.opcode(before) != spv::Op::OpLabel || !endsBlocksWithBarriers_) return;
    // Another instruction than a barrier in front.
    rewriter_.insertBefore(i, Inst(spv::Op::OpCopyObject)
                                  .id(module_.typeOf(module_.idAt(i, 1)))
                                  .id(rewriter_.newId())
                                  .id(module_.idAt(i, 1)));
  }

  bool endsBlockWithBarrier(InstRef i) const {
    if (module_.opcode(i) != spv::Op::OpMemoryBarrier) return false;
    InstRef next = InstRef(i.value + 1);
    while (module_.opcode(next) == spv::Op::OpLine || module_.opcode(next) == spv::Op::OpNoLine)
      next = InstRef(next.value + 1);
    const spv::Op op = module_.opcode(next);
    return op == spv::Op::OpSelectionMerge || op == spv::Op::OpLoopMerge ||
           module_.facts(next).opClass == OpClass::Terminator;
  }

  bool endsBlocksWithBarriers() const {
    for (InstRef i : module_.insts())
      if (endsBlockWithBarrier(i)) return true;
    return false;
  }

  /// Of a barrier; nothing where it may be specialized.
  std::optional<uint32_t> numberAt(InstRef i, uint32_t n) const {
    const InstRef d = module_.def(module_.idAt(i, n));
    if (module_.opcode(d) != spv::Op::OpConstant) return {};
    return module_.word(d, 3);
  }

  /// Without lines.
  InstRef previous(InstRef i) const {
    do i = InstRef(i.value - 1);
    while (module_.opcode(i) == spv::Op::OpLine || module_.opcode(i) == spv::Op::OpNoLine);
    return i;
  }

  /// Semantics name one order at most (SPIR-V 3.32, Memory Semantics).
  static uint32_t withOneOrder(uint32_t semantics) {
    using Mask = spv::MemorySemanticsMask;
    constexpr uint32_t kOrders = uint32_t(Mask::Acquire) | uint32_t(Mask::Release) |
                                 uint32_t(Mask::AcquireRelease) |
                                 uint32_t(Mask::SequentiallyConsistent);
    if (std::has_single_bit(semantics & kOrders) || !(semantics & kOrders)) return semantics;
    return (semantics & ~kOrders) | uint32_t(Mask::AcquireRelease);
  }

  /// HLSL reads and writes storage buffers by offsets, and SPIRV-Cross loops over whole arrays
  /// there once too often.
  Status splitArrays(InstRef i) {
    const bool isLoad = module_.opcode(i) == spv::Op::OpLoad;
    const Id pointer = module_.idAt(i, isLoad ? 3 : 1);
    const Id type = isLoad ? module_.resultType(i) : module_.typeOf(module_.idAt(i, 2));
    if (!hasArray(type) || !isInStorageBuffer(pointer)) return ok();
    const std::optional<uint64_t> count = partsOf(type);
    if (!count || *count > kMostParts)
      return failure(fmt::format("SPIRV-Cross does not write arrays of {} that are {} storage "
                                 "buffers as a whole in HLSL",
                                 count ? fmt::format("more than {} elements", kMostParts)
                                       : std::string("a specialized length"),
                                 isLoad ? "read from" : "written to"));
    if (!isLoad) {
      storeParts(i, type, pointer, module_.idAt(i, 2));
      rewriter_.erase(i);
      return ok();
    }
    copy(i, loadParts(i, type, pointer));
    return ok();
  }

  /// SPIRV-Cross leaves out the flags and the cull mask of a ray query in MSL.
  Status checkRay(InstRef i) const {
    constexpr uint32_t kAll = 0xFF;
    if (numberAt(i, 3) == 0u && numberAt(i, 4).value_or(0) % (kAll + 1) == kAll) return ok();
    return failure("it cannot be expressed in MSL: SPIRV-Cross writes ray queries without their "
                   "flags and their cull mask");
  }

  /// SignExtend and ZeroExtend say what the type of the result says as well, and SPIRV-Cross does
  /// not know them everywhere.
  void dropExtension(InstRef i) {
    constexpr uint32_t kWord = 5;
    constexpr uint32_t kExtend =
        uint32_t(spv::ImageOperandsMask::SignExtend) | uint32_t(spv::ImageOperandsMask::ZeroExtend);
    if (module_.wordCount(i) > kWord && (module_.word(i, kWord) & kExtend))
      rewriter_.setWord(i, kWord, module_.word(i, kWord) & ~kExtend);
  }

  bool isInStorageBuffer(Id pointer) const {
    const InstRef type = module_.def(module_.typeOf(pointer));
    const auto storage = spv::StorageClass(module_.word(type, 2));
    if (storage != spv::StorageClass::Uniform) return storage == spv::StorageClass::StorageBuffer;
    while (module_.opcode(module_.def(pointer)) != spv::Op::OpVariable) {
      if (module_.wordCount(module_.def(pointer)) < 4) return false;
      pointer = module_.idAt(module_.def(pointer), 3);
    }
    return decorations_.has(typeOfDescriptor(module_, pointer), spv::Decoration::BufferBlock);
  }

  bool hasArray(Id type) const {
    const InstRef d = module_.def(type);
    if (module_.opcode(d) == spv::Op::OpTypeArray) return true;
    if (module_.opcode(d) != spv::Op::OpTypeStruct) return false;
    for (uint32_t n = 2; n < module_.wordCount(d); ++n)
      if (hasArray(module_.idAt(d, n))) return true;
    return false;
  }

  /// Elements of an array, members of a struct; nothing where a constant may be specialized.
  std::optional<uint32_t> membersOf(Id type) const {
    const InstRef d = module_.def(type);
    if (module_.opcode(d) == spv::Op::OpTypeStruct) return module_.wordCount(d) - 2;
    return numberAt(d, 3);
  }
  Id memberType(Id type, uint32_t n) const {
    const InstRef d = module_.def(type);
    return module_.idAt(d, module_.opcode(d) == spv::Op::OpTypeStruct ? n + 2 : 2);
  }

  /// What is read at once; nothing where nobody knows.
  std::optional<uint64_t> partsOf(Id type) const {
    if (!hasArray(type)) return 1;
    const std::optional<uint32_t> members = membersOf(type);
    if (!members) return {};
    const bool isStruct = module_.opcodeOf(type) == spv::Op::OpTypeStruct;
    uint64_t count = 0;
    for (uint32_t n = 0; n < (isStruct ? *members : 1); ++n) {
      const std::optional<uint64_t> parts = partsOf(memberType(type, n));
      if (!parts) return {};
      count += *parts;
    }
    return isStruct ? count : count * *members;
  }

  Id partPointer(InstRef i, Id type, Id pointer, uint32_t n) {
    const auto storage = module_.word(module_.def(module_.typeOf(givenPointer(i))), 2);
    return add(i, spv::Op::OpAccessChain, pointerType(storage, memberType(type, n)),
               {pointer, rewriter_.uint32Constant(n)});
  }
  Id givenPointer(InstRef i) const {
    return module_.idAt(i, module_.opcode(i) == spv::Op::OpLoad ? 3 : 1);
  }

  Id pointerType(uint32_t storage, Id type) {
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpTypePointer && module_.word(i, 2) == storage &&
          module_.idAt(i, 3) == type)
        return module_.resultId(i);
    Id& made = pointerTypes_[{storage, type}];
    if (!made)
      made = rewriter_.declare(
          {}, [&](Id id) { return Inst(spv::Op::OpTypePointer).id(id).word(storage).id(type); });
    return made;
  }

  Id loadParts(InstRef i, Id type, Id pointer) {
    const Id result = rewriter_.newId();
    Inst whole(hasArray(type) ? spv::Op::OpCompositeConstruct : spv::Op::OpLoad);
    whole.id(type).id(result);
    if (!hasArray(type)) {
      whole.id(pointer);
      if (module_.wordCount(i) > 4) whole.words(module_.inst(i).subspan(4));
    } else {
      for (uint32_t n = 0; n < *membersOf(type); ++n)
        whole.id(loadParts(i, memberType(type, n), partPointer(i, type, pointer, n)));
    }
    rewriter_.insertBefore(i, std::move(whole));
    return result;
  }

  void storeParts(InstRef i, Id type, Id pointer, Id value) {
    if (!hasArray(type)) {
      Inst store(spv::Op::OpStore);
      store.id(pointer).id(value);
      if (module_.wordCount(i) > 3) store.words(module_.inst(i).subspan(3));
      return rewriter_.insertBefore(i, std::move(store));
    }
    for (uint32_t n = 0; n < *membersOf(type); ++n)
      storeParts(i, memberType(type, n), partPointer(i, type, pointer, n),
                 component(i, memberType(type, n), value, n));
  }

  /// That a whole array becomes at most.
  static constexpr uint64_t kMostParts = 256;

  const Module& module_;
  const Decorations decorations_;
  const DefUse uses_;
  const TargetLanguage& target_;
  Rewriter& rewriter_;
  const bool endsBlocksWithBarriers_; ///< whether an OpMemoryBarrier is the last of a block
  std::map<Shape, Id> integerTypes_;  ///< that were made
  std::map<std::pair<uint32_t, Id>, Id> pointerTypes_; ///< the same, by storage class and pointee
};

} // namespace

void writeOutModulo(const Module& module, const TargetLanguage& target, Rewriter& rewriter) {
  Speller speller(module, target, rewriter);
  for (InstRef i : module.insts())
    if (module.opcode(i) == spv::Op::OpSMod) speller.writeOutModulo(i);
}

Status spellOut(const Module& module, const TargetLanguage& target, Rewriter& rewriter) {
  Speller speller(module, target, rewriter);
  for (InstRef i : module.insts())
    if (Status s = speller.spellOut(i); !s) return s;
  return ok();
}

} // namespace lanewise::driver
