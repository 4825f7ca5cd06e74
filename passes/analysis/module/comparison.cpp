#include "analysis/module/comparison.h"

namespace lanewise {

std::optional<Comparison> comparisonOf(spv::Op op) {
  switch (op) {
  case spv::Op::OpSLessThan:
    return Comparison{Relation::Less, true};
  case spv::Op::OpULessThan:
    return Comparison{Relation::Less, false};
  case spv::Op::OpSLessThanEqual:
    return Comparison{Relation::LessEqual, true};
  case spv::Op::OpULessThanEqual:
    return Comparison{Relation::LessEqual, false};
  case spv::Op::OpSGreaterThan:
    return Comparison{Relation::Greater, true};
  case spv::Op::OpUGreaterThan:
    return Comparison{Relation::Greater, false};
  case spv::Op::OpSGreaterThanEqual:
    return Comparison{Relation::GreaterEqual, true};
  case spv::Op::OpUGreaterThanEqual:
    return Comparison{Relation::GreaterEqual, false};
  case spv::Op::OpIEqual:
    return Comparison{Relation::Equal, false};
  case spv::Op::OpINotEqual:
    return Comparison{Relation::NotEqual, false};
  default:
    return std::nullopt;
  }
}

Relation mirrored(Relation r) {
  switch (r) {
  case Relation::Less:
    return Relation::Greater;
  case Relation::LessEqual:
    return Relation::GreaterEqual;
  case Relation::Greater:
    return Relation::Less;
  case Relation::GreaterEqual:
    return Relation::LessEqual;
  default:
    return r;
  }
}

Relation negated(Relation r) {
  switch (r) {
  case Relation::Less:
    return Relation::GreaterEqual;
  case Relation::LessEqual:
    return Relation::Greater;
  case Relation::Greater:
    return Relation::LessEqual;
  case Relation::GreaterEqual:
    return Relation::Less;
  case Relation::Equal:
    return Relation::NotEqual;
  case Relation::NotEqual:
    return Relation::Equal;
  }
  return r;
}

} // namespace lanewise
