// Instructions of integers and Booleans whose operands are all literals, component by component.
#include "canonical/numbering/simplify.h"
#include "ir/integer_semantics.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <spirv/unified1/GLSL.std.450.h>
#include <vector>

namespace lanewise {

using Kind = TypeInfo::Kind;

namespace {

constexpr uint32_t kMaxOperands = 4;

/// The operands of one component.
struct Component {
  std::array<uint64_t, kMaxOperands> bits{};
  uint32_t count = 0;
  std::span<const uint64_t> all() const { return {bits.data(), count}; }
};

/// Words of the operands: behind the result, or behind set and instruction.
std::span<const uint32_t> operandsOf(std::span<const uint32_t> words) {
  return words.subspan(opcodeOf(words) == spv::Op::OpExtInst ? 5 : 3);
}

/// Component `n` of all operands; nothing unless all are literals.
std::optional<Component> componentOf(const ValueTable& values, std::span<const uint32_t> operands,
                                     uint32_t n) {
  if (operands.empty() || operands.size() > kMaxOperands) return {};
  Component c;
  for (uint32_t word : operands) {
    Id id(word);
    if (values.types().info(values.typeOf(id)).kind == Kind::Vector)
      id = values.constantComponent(id, n);
    const auto bits = id ? values.literal(id) : std::nullopt;
    if (!bits) return {};
    c.bits[c.count++] = *bits;
  }
  return c;
}

/// Calls evaluate(Component) for each component; null unless all give a value.
template <class Evaluate>
Id evaluateAll(const ValueTable& values, std::span<const uint32_t> words, Evaluate&& evaluate) {
  const auto operands = operandsOf(words);
  if (operands.empty()) return {};
  for (uint32_t word : operands)
    if (!values.isConstant(Id(word))) return {};
  const Id type(words[1]);
  const TypeInfo& info = values.types().info(type);
  const uint32_t count = info.kind == Kind::Vector ? info.count : 1;
  std::vector<uint64_t> results;
  for (uint32_t n = 0; n < count; ++n) {
    const auto component = componentOf(values, operands, n);
    const std::optional<uint64_t> bits = component ? evaluate(*component) : std::nullopt;
    if (!bits) return {};
    results.push_back(*bits);
  }
  std::vector<Id> ids;
  for (uint64_t bits : results) ids.push_back(splatOf(values, values.scalarOf(type), bits));
  return count == 1 && info.kind != Kind::Vector ? ids.front()
                                                 : values.constants().composite(type, ids);
}

/// True for operations whose operands (all but the amount of a shift) have the type of the first.
bool isOfOneWidth(const ValueTable& values, std::span<const uint32_t> words) {
  const Id first = values.scalarOf(values.typeOf(Id(words[3])));
  const Kind kind = values.types().info(first).kind;
  return kind == Kind::Int || kind == Kind::Bool;
}

std::optional<uint64_t> evaluateGlsl(const ValueTable& values, std::span<const uint32_t> words,
                                     uint32_t width, const Component& c) {
  if (values.module().extInstSet(Id(words[3])) != ExtInstSet::GlslStd450) return {};
  return evaluateGlslInteger(words[4], width, c.all()).value();
}

} // namespace

Simplified foldConstants(const ValueTable& values, std::span<const uint32_t> words) {
  const spv::Op op = opcodeOf(words);
  // First what most instructions fail: nothing is folded unless all operands are constants.
  const bool isExtended = op == spv::Op::OpExtInst;
  if (isExtended ? words.size() < 6 : !factsOf(op).onlyIds || op == spv::Op::OpSelect) return {};
  if (!values.isConstant(Id(words[isExtended ? 5 : 3]))) return {};
  const uint32_t to = values.widthOf(Id(words[1]));
  if (to == 0) return {};
  if (isExtended) {
    if (values.types().info(values.scalarOf(Id(words[1]))).kind != Kind::Int ||
        values.types().info(values.scalarOf(values.typeOf(Id(words[5])))).kind != Kind::Int)
      return {};
    return {evaluateAll(values, words,
                        [&](const Component& c) { return evaluateGlsl(values, words, to, c); }),
            {}};
  }
  const Id operandType = values.typeOf(Id(words[3]));
  const uint32_t from = values.widthOf(operandType);
  if (from == 0) return {};
  if (op == spv::Op::OpBitcast) {
    const TypeInfo &a = values.types().info(operandType), &b = values.types().info(Id(words[1]));
    if (from != to || (a.kind == Kind::Vector) != (b.kind == Kind::Vector)) return {};
    return {evaluateAll(values, words, [](const Component& c) { return std::optional(c.bits[0]); }),
            {}};
  }
  if (!isOfOneWidth(values, words)) return {};
  const bool isConversion = op == spv::Op::OpUConvert || op == spv::Op::OpSConvert;
  return {evaluateAll(values, words,
                      [&](const Component& c) {
                        return isConversion ? convertInteger(op, from, to, c.bits[0]).value()
                                            : evaluateInteger(op, from, c.all()).value();
                      }),
          {}};
}

// ---- Floating point ----

namespace {

std::optional<uint64_t> exactly(float result) {
  if (!std::isnormal(result) && result != 0) return {}; // devices differ in denormals
  return std::bit_cast<uint32_t>(result);
}

/// 32-bit operations that every device rounds alike (Vulkan, "Precision and Operation of SPIR-V
/// Instructions": correctly rounded) and whose operands and result are zero or normal.
std::optional<uint64_t> evaluateFloat(spv::Op op, const Component& c) {
  std::array<float, 2> v{};
  for (uint32_t n = 0; n < c.count && n < 2; ++n) {
    v[n] = std::bit_cast<float>(uint32_t(c.bits[n]));
    if (!std::isnormal(v[n]) && v[n] != 0) return {};
  }
  switch (op) {
  case spv::Op::OpFNegate:
    return c.bits[0] ^ 0x80000000u;
  case spv::Op::OpFAdd:
    return exactly(v[0] + v[1]);
  case spv::Op::OpFSub:
    return exactly(v[0] - v[1]);
  case spv::Op::OpFMul:
    return exactly(v[0] * v[1]);
  case spv::Op::OpFOrdEqual:
  case spv::Op::OpFUnordEqual:
    return v[0] == v[1];
  case spv::Op::OpFOrdNotEqual:
  case spv::Op::OpFUnordNotEqual:
    return v[0] != v[1];
  case spv::Op::OpFOrdLessThan:
  case spv::Op::OpFUnordLessThan:
    return v[0] < v[1];
  case spv::Op::OpFOrdGreaterThan:
  case spv::Op::OpFUnordGreaterThan:
    return v[0] > v[1];
  case spv::Op::OpFOrdLessThanEqual:
  case spv::Op::OpFUnordLessThanEqual:
    return v[0] <= v[1];
  case spv::Op::OpFOrdGreaterThanEqual:
  case spv::Op::OpFUnordGreaterThanEqual:
    return v[0] >= v[1];
  case spv::Op::OpConvertFToS:
    if (!(v[0] > -2147483648.0f && v[0] < 2147483648.0f)) return {};
    return uint32_t(int32_t(v[0]));
  case spv::Op::OpConvertFToU:
    if (!(v[0] >= 0 && v[0] < 4294967296.0f)) return {};
    return uint32_t(v[0]);
  default:
    return {};
  }
}

/// Integers that a float holds exactly.
std::optional<uint64_t> evaluateToFloat(spv::Op op, uint64_t bits) {
  constexpr int64_t kExact = 1 << 24;
  const int64_t value = op == spv::Op::OpConvertSToF ? signedOf(bits, 32) : int64_t(bits);
  if (value > kExact || value < -kExact) return {};
  return std::bit_cast<uint32_t>(float(value));
}

} // namespace

Simplified foldFloats(const ValueTable& values, const FloatRules& floats,
                      std::span<const uint32_t> words) {
  const spv::Op op = opcodeOf(words);
  if (!floats.mayEvaluate || !factsOf(op).onlyIds || op == spv::Op::OpSelect) return {};
  if (!values.isConstant(Id(words[3]))) return {};
  const TypeInfo& to = values.types().info(values.scalarOf(Id(words[1])));
  const TypeInfo& from = values.types().info(values.scalarOf(values.typeOf(Id(words[3]))));
  if (op == spv::Op::OpConvertSToF || op == spv::Op::OpConvertUToF) {
    if (to.width != 32 || from.width != 32 || to.kind != Kind::Float) return {};
    return {evaluateAll(values, words,
                        [&](const Component& c) { return evaluateToFloat(op, c.bits[0]); }),
            {}};
  }
  if (from.kind != Kind::Float || from.width != 32 || (to.kind != Kind::Bool && to.width != 32))
    return {};
  return {evaluateAll(values, words, [&](const Component& c) { return evaluateFloat(op, c); }), {}};
}

} // namespace lanewise
