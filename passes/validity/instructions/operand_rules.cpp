#include "validity/instructions/operand_rules.h"

#include "text/format_text.h"

#include <string>
#include <utility>
#include <vector>

namespace lanewise::validity {

uint16_t kindsOf(const Shape& s) {
  if (s.isOpen()) return kAny;
  if (s.isPointer()) return kPointerS;
  if (s.kind == Kind::Matrix) return kMatrix;
  if (s.kind == Kind::CooperativeMatrix) return s.scalar == Scalar::Float ? kCoopFloat : kCoopInt;
  if (!s.isScalarOrVector()) return kRest;
  const bool vector = s.kind == Kind::Vector;
  switch (s.scalar) {
  case Scalar::Bool:
    return vector ? kBoolV : kBoolS;
  case Scalar::Unsigned:
    return vector ? kUnsignedV : kUnsignedS;
  case Scalar::Signed:
    return vector ? kSignedV : kSignedS;
  case Scalar::Float:
    return vector ? kFloatV : kFloatS;
  case Scalar::None:
    break;
  }
  return kAny; // a vector of what is no scalar: an extension's
}

std::string describeKinds(uint16_t takes) {
  constexpr std::pair<uint16_t, std::string_view> kNames[] = {
      {kBools, "Boolean scalar or vector"},
      {kInts, "integer scalar or vector"},
      {kUnsignedS | kUnsignedV, "unsigned integer scalar or vector"},
      {kFloats, "float scalar or vector"},
      {kBoolS, "Boolean scalar"},
      {kBoolV, "vector of Booleans"},
      {kIntS, "integer scalar"},
      {kIntV, "vector of integers"},
      {kUnsignedS, "unsigned integer scalar"},
      {kFloatS, "float scalar"},
      {kFloatV, "vector of floats"},
      {kMatrix, "matrix"},
      {kPointerS, "pointer"}};
  std::vector<std::string> parts;
  for (const auto& [kinds, name] : kNames)
    if ((takes & kinds) == kinds) {
      parts.emplace_back(name);
      takes &= uint16_t(~kinds);
    }
  return joinText(parts, " or ");
}

namespace {

bool checkAgreement(Subject& s, InstRef i, uint32_t word, uint32_t firstWord, uint8_t agrees) {
  const Module& m = s.module;
  const Id type = s.typeOf(m.idAt(i, word)), result = m.idAt(i, 1);
  const Shape& shape = s.shapeOfType(type);
  const Shape& resultShape = s.shapeOfType(result);
  if (shape.isOpen() || resultShape.isOpen()) return true;
  // Cooperative matrices of one shape need not be of one type: their sizes may be constants of
  // equal value.
  if (shape.kind == Kind::CooperativeMatrix) return true;
  if ((agrees & kResultType) && type != result)
    return s.failOperand(i, word, formatText("but the result type is {}", describeType(m, result)));
  if ((agrees & kCount) && shape.count != resultShape.count)
    return s.failOperand(
        i, word,
        formatText("not as many components as the result type {}", describeType(m, result)));
  if ((agrees & kWidth) && shape.width != resultShape.width)
    return s.failOperand(
        i, word,
        formatText("whose width is not that of the result type {}", describeType(m, result)));
  if ((agrees & kOtherWidth) && shape.width == resultShape.width)
    return s.failOperand(i, word, "which is as wide as the result type");
  if ((agrees & kComponent) && type != s.elementOf(result))
    return s.failOperand(
        i, word,
        formatText("not that of a component of the result type {}", describeType(m, result)));
  if (!(agrees & (kFirstType | kFirstWidth))) return true;
  const Id first = s.typeOf(m.idAt(i, firstWord));
  if ((agrees & kFirstType) && type != first && !s.shapeOfType(first).isOpen())
    return s.failOperand(i, word,
                         formatText("but the first operand has type {}", describeType(m, first)));
  if ((agrees & kFirstWidth) && shape.width != s.shapeOfType(first).width &&
      !s.shapeOfType(first).isOpen())
    return s.failOperand(i, word,
                         formatText("but the first operand has type {}", describeType(m, first)));
  return true;
}

} // namespace

OperationRule withoutSigns(OperationRule rule) {
  const auto widen = [](uint16_t takes) { return uint16_t(takes & kInts ? takes | kInts : takes); };
  rule.result = widen(rule.result);
  for (OperandRule& operand : rule.rules) {
    operand.takes = widen(operand.takes);
    if (operand.takes & kInts && operand.agrees & kResultType)
      operand.agrees = uint8_t((operand.agrees & ~kResultType) | kCount | kWidth);
  }
  return rule;
}

bool checkRule(Subject& s, InstRef i, uint32_t firstWord, const OperationRule& rule) {
  const Module& m = s.module;
  if (!(kindsOf(s.resultShape(i)) & rule.result))
    return s.fail(i, formatText("the result type is {}, but it must be a {}",
                                describeType(m, m.idAt(i, 1)), describeKinds(rule.result)));
  const uint32_t words = m.wordCount(i);
  for (uint32_t n = 0; n < rule.operands && firstWord + n < words; ++n) {
    const OperandRule& operand = rule.rules[n];
    const uint32_t word = firstWord + n;
    if (!(kindsOf(s.shapeOfValue(m.idAt(i, word))) & operand.takes))
      return s.failOperand(i, word,
                           formatText("but it must be a {}", describeKinds(operand.takes)));
    if (operand.agrees != kFree && !checkAgreement(s, i, word, firstWord, operand.agrees))
      return false;
  }
  return true;
}

} // namespace lanewise::validity
