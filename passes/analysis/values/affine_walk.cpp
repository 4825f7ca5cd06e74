#include "analysis/values/affine_walk.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "ir/integer_semantics.h"

#include <algorithm>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise {
namespace {

// States of a slot; a form is kept as its index in forms_ plus kFirstForm.
constexpr uint32_t kUnknown = 0, kInProgress = 1, kFirstForm = 2;

/// Both are non-negative when read as signed numbers of `width` bits.
bool areNonNegative(const AffineTable& table, const AffineExpr& a, const AffineExpr& b,
                    uint32_t width) {
  auto x = table.rangeOf(a), y = table.rangeOf(b);
  return x && y && x->second >> (width - 1) == 0 && y->second >> (width - 1) == 0;
}

} // namespace

// ---- The search ----

AffineWalk::AffineWalk(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize,
                       uint32_t subgroupSize, AffineTable& table)
    : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()),
      size_(workgroupSize), subgroupSize_(subgroupSize), table_(table), singleStores_(analyses) {}

size_t AffineWalk::PlaceHash::operator()(const Place& p) const {
  uint64_t h = p.id.value;
  for (uint32_t n : p.indices()) h = (h ^ n) * 0x9E3779B97F4A7C15u + 1;
  return size_t(h ^ h >> 32);
}

std::optional<AffineWalk::Place> AffineWalk::placeOf(Id id, std::span<const uint32_t> outer,
                                                     std::span<const uint32_t> rest) {
  if (outer.size() + rest.size() > kMaxPath) return std::nullopt;
  Place p{id, uint32_t(outer.size() + rest.size()), {}};
  std::copy(outer.begin(), outer.end(), p.path.begin());
  std::copy(rest.begin(), rest.end(), p.path.begin() + ptrdiff_t(outer.size()));
  return p;
}

uint32_t& AffineWalk::slotOf(const Place& p) {
  return p.depth == 0 ? slots_[p.id] : partSlots_[p];
}

const AffineExpr* AffineWalk::get(const Place& p) {
  uint32_t slot = slotOf(p);
  if (slot == kUnknown) {
    missing_.push_back(p);
    return nullptr;
  }
  if (slot == kInProgress) {
    // Round a loop that is none of those that phiForm() cuts: only the value itself is known.
    AffineExpr self = opaque(p);
    forms_.push_back(self);
    return &forms_.back();
  }
  const AffineExpr& form = forms_[slot - kFirstForm];
  dependsOnSpec_ = dependsOnSpec_ || form.dependsOnSpec;
  return &form;
}

AffineWalk::Form AffineWalk::formAt(const std::optional<Place>& p) {
  if (!p) return std::nullopt;
  const AffineExpr* found = get(*p);
  if (!found) return std::nullopt;
  // What was known where the value was made still holds, and more may be known where it is copied.
  Form form = *found;
  if (auto here = table_.rangeOf(*form)) {
    UnsignedRange known = form->range.value_or(*here);
    form->range = {std::max(known.first, here->first), std::min(known.second, here->second)};
  }
  return form;
}

const AffineExpr& AffineWalk::of(Id value) {
  Place whole{value, 0, {}};
  if (slotOf(whole) < kFirstForm) finish(whole);
  return forms_[slotOf(whole) - kFirstForm];
}

void AffineWalk::finish(const Place& p) {
  std::vector<Place> stack{p};
  while (!stack.empty()) {
    Place top = stack.back();
    if (slotOf(top) >= kFirstForm) {
      stack.pop_back();
      continue;
    }
    slotOf(top) = kInProgress;
    missing_.clear();
    dependsOnSpec_ = false;
    InstRef def = module_.def(top.id);
    table_.setContext(def ? module_.blockOf(def) : BlockRef());
    Form form = build(top);
    if (!missing_.empty()) {
      stack.insert(stack.end(), missing_.begin(), missing_.end());
      continue;
    }
    bool dependsOnSpec = dependsOnSpec_;
    if (!form) form = opaque(top);
    form->dependsOnSpec = form->dependsOnSpec || dependsOnSpec;
    slotOf(top) = kFirstForm + uint32_t(forms_.size());
    forms_.push_back(*std::move(form));
    stack.pop_back();
  }
}

AffineExpr AffineWalk::opaque(const Place& p) {
  return opaque(p.id, p.indices(), uniformity().isUniform(p.id), widthOf(p));
}

AffineExpr AffineWalk::opaque(Id id, std::span<const uint32_t> path, bool isUniform,
                              uint32_t width) {
  AffineTermFacts f;
  f.term.kind = isUniform ? AffineTerm::Kind::UniformOpaque : AffineTerm::Kind::VaryingOpaque;
  f.term.id = id;
  f.term.args.assign(path.begin(), path.end());
  f.uniform = f.evaluable = isUniform;
  if (width > 0 && width < 32) {
    f.range = UnsignedRange{0, (1u << width) - 1};
    f.possibleBits = f.range->second;
  }
  return table_.ofTerm(table_.intern(std::move(f)));
}

AffineWalk::Form AffineWalk::build(const Place& p) {
  InstRef def = module_.def(p.id);
  if (!def || module_.isUnknown(def) || widthOf(p) == 0) return std::nullopt;
  switch (module_.facts(def).opClass) {
  case OpClass::Constant:
    return constantForm(p, def);
  case OpClass::Function:
    return parameterForm(p, def);
  case OpClass::Value:
    return valueForm(p, def);
  default:
    return std::nullopt;
  }
}

// ---- Types ----

Id AffineWalk::typeAt(Id type, std::span<const uint32_t> path) const {
  for (uint32_t n : path) {
    const TypeInfo& info = types_.info(type);
    switch (info.kind) {
    case TypeInfo::Kind::Vector:
    case TypeInfo::Kind::Matrix:
      if (n >= info.count) return Id();
      type = info.element;
      break;
    case TypeInfo::Kind::Array:
      type = info.element;
      break;
    case TypeInfo::Kind::Struct:
      type = types_.member(type, n);
      break;
    default:
      return Id();
    }
    if (!type) return Id();
  }
  return type;
}

uint32_t AffineWalk::widthOfType(Id type) const {
  const TypeInfo& info = types_.info(type);
  if (info.kind == TypeInfo::Kind::Bool) return 1;
  bool isNarrow = info.kind == TypeInfo::Kind::Int && info.width >= 1 && info.width <= 32;
  return isNarrow ? info.width : 0;
}

uint32_t AffineWalk::widthOf(const Place& p) const {
  Id type = typeAt(module_.typeOf(p.id), p.indices());
  return type ? widthOfType(type) : 0;
}

uint32_t AffineWalk::vectorSize(Id value) const {
  const TypeInfo& info = types_.info(module_.typeOf(value));
  return info.kind == TypeInfo::Kind::Vector ? info.count : 0;
}

// ---- Constants ----

/// The specialization constants that make up the workgroup size: when the size is given, so are
/// they.
/// The component of the workgroup size that a specialization constant is.
std::optional<uint32_t> AffineWalk::sizePart(Id constant) {
  for (const Use& use : analyses_.get<DefUse>().uses(constant)) {
    const uint32_t component = use.word - 3;
    switch (module_.opcode(use.user)) {
    case spv::Op::OpSpecConstantComposite:
      if (component < 3 && analyses_.get<Decorations>().builtIn(
                               module_, module_.resultId(use.user)) == spv::BuiltIn::WorkgroupSize)
        return component;
      break;
    case spv::Op::OpExecutionModeId:
      // Entry points may differ in theirs, and we do not know which one this is.
      if (component < 3 && analyses_.get<EntryPoints>().all().size() == 1 &&
          spv::ExecutionMode(module_.word(use.user, 2)) == spv::ExecutionMode::LocalSizeId)
        return component;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

AffineWalk::Form AffineWalk::constantForm(const Place& p, InstRef def) {
  const Constants& constants = analyses_.get<Constants>();
  std::optional<ConstantValue> value;
  bool isUnassumed = false;
  if (p.depth == 0) {
    value = constants.value(p.id);
    isUnassumed = constants.isUnassumedSpec(p.id);
  } else if (p.depth == 1) {
    value = constants.component(p.id, p.path[0]);
    isUnassumed = constants.isUnassumedSpec(p.id, p.path[0]);
  }
  if (value && !isUnassumed) {
    dependsOnSpec_ = dependsOnSpec_ || !value->isLiteral;
    return AffineTable::constant(uint32_t(value->bits));
  }
  if (isUnassumed && size_) {
    const auto part = p.depth == 0 ? sizePart(p.id) : std::nullopt;
    bool isSize =
        p.depth == 1 && p.path[0] < 3 &&
        analyses_.get<Decorations>().builtIn(module_, p.id) == spv::BuiltIn::WorkgroupSize;
    if (part || isSize) {
      dependsOnSpec_ = true;
      return AffineTable::constant((*size_)[isSize ? p.path[0] : *part]);
    }
  }
  switch (module_.opcode(def)) {
  case spv::Op::OpConstantNull:
    return AffineTable::constant(0);
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    return formAt(constructSource(p, def, 3));
  case spv::Op::OpSpecConstantOp: {
    dependsOnSpec_ = true;
    auto op = spv::Op(module_.word(def, 3));
    if (isCompositeOp(op)) return formAt(compositeSource(p, def, op, 4));
    return operationForm(p, def, op, 4, widthOf(p));
  }
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> AffineWalk::constantIndex(Id id) const {
  auto value = analyses_.get<Constants>().literal(id);
  if (!value || *value > UINT32_MAX) return std::nullopt;
  return uint32_t(*value);
}

std::optional<AffineWalk::Known> AffineWalk::known(Id constant) const {
  const Constants& constants = analyses_.get<Constants>();
  auto value = constants.value(constant);
  if (!value || value->width > 32 || constants.isUnassumedSpec(constant)) return std::nullopt;
  return Known{uint32_t(value->bits), value->isLiteral};
}

// ---- Instructions ----

AffineWalk::Place AffineWalk::operand(const Place& p, InstRef def, uint32_t word) const {
  return {module_.idAt(def, word), p.depth, p.path};
}

AffineWalk::Form AffineWalk::valueForm(const Place& p, InstRef def) {
  spv::Op op = module_.opcode(def);
  if (!module_.blockOf(def)) return std::nullopt;
  switch (op) {
  case spv::Op::OpPhi:
    return phiForm(p, def);
  case spv::Op::OpLoad:
    return loadForm(p, def);
  case spv::Op::OpExtInst:
    return glslForm(p, def, widthOf(p));
  default:
    break;
  }
  if (isCompositeOp(op)) return formAt(compositeSource(p, def, op, 3));
  return operationForm(p, def, op, 3, widthOf(p));
}

AffineWalk::Form AffineWalk::operationForm(const Place& p, InstRef def, spv::Op op, uint32_t base,
                                           uint32_t width) {
  switch (op) {
  case spv::Op::OpIAdd:
  case spv::Op::OpISub:
  case spv::Op::OpIMul:
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
  case spv::Op::OpBitwiseAnd:
  case spv::Op::OpBitwiseOr:
  case spv::Op::OpBitwiseXor:
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr:
  case spv::Op::OpShiftLeftLogical:
  case spv::Op::OpShiftRightLogical:
  case spv::Op::OpShiftRightArithmetic:
  case spv::Op::OpIEqual:
  case spv::Op::OpINotEqual:
  case spv::Op::OpLogicalEqual:
  case spv::Op::OpLogicalNotEqual:
  case spv::Op::OpULessThan:
  case spv::Op::OpSLessThan:
  case spv::Op::OpUGreaterThan:
  case spv::Op::OpSGreaterThan:
  case spv::Op::OpULessThanEqual:
  case spv::Op::OpSLessThanEqual:
  case spv::Op::OpUGreaterThanEqual:
  case spv::Op::OpSGreaterThanEqual: {
    Place left = operand(p, def, base), right = operand(p, def, base + 1);
    uint32_t from = widthOf(left);
    if (from == 0 || widthOf(right) == 0) return std::nullopt;
    const AffineExpr* a = get(left);
    const AffineExpr* b = get(right);
    if (!a || !b) return std::nullopt;
    if (isShift(op)) return shiftForm(op, *a, *b, width);
    Form form = arithmeticForm(op, *a, *b, width);
    return form ? form : comparisonForm(op, *a, *b, from);
  }
  case spv::Op::OpSNegate:
  case spv::Op::OpNot:
  case spv::Op::OpLogicalNot: {
    Place from = operand(p, def, base);
    const AffineExpr* a = widthOf(from) != 0 ? get(from) : nullptr;
    if (!a) return std::nullopt;
    if (op == spv::Op::OpLogicalNot) return table_.logicalNot(*a);
    Form form = table_.subtract(AffineTable::constant(op == spv::Op::OpNot ? UINT32_MAX : 0), *a);
    return form ? table_.truncate(*form, width) : std::nullopt;
  }
  case spv::Op::OpCopyObject:
  case spv::Op::OpCopyLogical:
    return formAt(operand(p, def, base));
  case spv::Op::OpBitcast:
  case spv::Op::OpUConvert:
  case spv::Op::OpSConvert:
    return conversionForm(p, op, operand(p, def, base), width);
  case spv::Op::OpSelect:
    return selectForm(p, def, base);
  case spv::Op::OpBitFieldInsert:
  case spv::Op::OpBitFieldSExtract:
  case spv::Op::OpBitFieldUExtract:
  case spv::Op::OpBitReverse:
  case spv::Op::OpBitCount:
    return bitFieldForm(p, def, op, base, width);
  case spv::Op::OpAny:
  case spv::Op::OpAll:
    return reductionForm(def, op, base);
  default:
    return std::nullopt;
  }
}

/// Operations whose result has its operands' width. Narrow ones are exact because their operands
/// are held zero-extended: sums, products and bits depend on nothing above, the unsigned division
/// needs no more.
AffineWalk::Form AffineWalk::arithmeticForm(spv::Op op, const AffineExpr& a, const AffineExpr& b,
                                            uint32_t width) {
  auto narrowed = [&](const Form& form) {
    return form ? table_.truncate(*form, width) : std::nullopt;
  };
  switch (op) {
  case spv::Op::OpIAdd:
    return narrowed(table_.add(a, b));
  case spv::Op::OpISub:
    return narrowed(table_.subtract(a, b));
  case spv::Op::OpIMul:
    return narrowed(table_.multiply(a, b));
  case spv::Op::OpUDiv:
    return table_.divide(a, b);
  case spv::Op::OpUMod:
    return table_.remainder(a, b);
  case spv::Op::OpSDiv:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
    // GLSL and HLSL leave % of negative numbers undefined, and drivers differ in it.
    if ((width < 32 || op == spv::Op::OpSMod) && !areNonNegative(table_, a, b, width))
      return std::nullopt;
    return table_.signedDivision(op, a, b);
  case spv::Op::OpBitwiseAnd:
    return table_.bitAnd(a, b);
  case spv::Op::OpBitwiseOr:
    return table_.bitOr(a, b);
  case spv::Op::OpBitwiseXor:
    return table_.bitXor(a, b);
  case spv::Op::OpLogicalAnd:
    return table_.logicalAnd(a, b);
  case spv::Op::OpLogicalOr:
    return table_.logicalOr(a, b);
  default:
    return std::nullopt;
  }
}

AffineWalk::Form AffineWalk::shiftForm(spv::Op op, const AffineExpr& a, const AffineExpr& b,
                                       uint32_t width) {
  // Beyond the width the result is undefined, which fold() only knows for 32 bits.
  auto amount = table_.rangeOf(b);
  if (width < 32 && (!amount || amount->second >= width)) return std::nullopt;
  switch (op) {
  case spv::Op::OpShiftLeftLogical: {
    Form form = table_.shiftLeft(a, b);
    return form ? table_.truncate(*form, width) : std::nullopt;
  }
  case spv::Op::OpShiftRightLogical:
    return table_.shiftRightLogical(a, b);
  default:
    if (width < 32 && !areNonNegative(table_, a, a, width)) return std::nullopt;
    return table_.shiftRightArithmetic(a, b);
  }
}

/// `width` is that of the operands.
AffineWalk::Form AffineWalk::comparisonForm(spv::Op op, const AffineExpr& a, const AffineExpr& b,
                                            uint32_t width) {
  auto negated = [&](const Form& form) { return form ? table_.logicalNot(*form) : std::nullopt; };
  switch (op) {
  case spv::Op::OpIEqual:
  case spv::Op::OpLogicalEqual:
    return table_.equal(a, b);
  case spv::Op::OpINotEqual:
  case spv::Op::OpLogicalNotEqual:
    return negated(table_.equal(a, b));
  case spv::Op::OpULessThan:
    return table_.less(false, a, b);
  case spv::Op::OpUGreaterThan:
    return table_.less(false, b, a);
  case spv::Op::OpULessThanEqual:
    return negated(table_.less(false, b, a));
  case spv::Op::OpUGreaterThanEqual:
    return negated(table_.less(false, a, b));
  default:
    break;
  }
  if (width < 32 && !areNonNegative(table_, a, b, width)) return std::nullopt;
  switch (op) {
  case spv::Op::OpSLessThan:
    return table_.less(true, a, b);
  case spv::Op::OpSGreaterThan:
    return table_.less(true, b, a);
  case spv::Op::OpSLessThanEqual:
    return negated(table_.less(true, b, a));
  case spv::Op::OpSGreaterThanEqual:
    return negated(table_.less(true, a, b));
  default:
    return std::nullopt;
  }
}

AffineWalk::Form AffineWalk::conversionForm(const Place& p, spv::Op op, Place from,
                                            uint32_t width) {
  uint32_t fromWidth = widthOf(from);
  if (fromWidth == 0 || width == 0) return std::nullopt;
  // A bit cast between vectors of different component counts would move bits between components.
  if (op == spv::Op::OpBitcast &&
      (fromWidth != width || (p.depth != 0 && vectorSize(from.id) != vectorSize(p.id))))
    return std::nullopt;
  const AffineExpr* a = get(from);
  if (!a) return std::nullopt;
  if (op != spv::Op::OpSConvert || width <= fromWidth) return table_.truncate(*a, width);
  // Sign extension: (a ^ sign) - sign.
  AffineExpr sign = AffineTable::constant(1u << (fromWidth - 1));
  auto range = table_.rangeOf(*a);
  if (range && range->second < sign.constant) return *a;
  Form flipped = table_.bitXor(*a, sign);
  Form extended = flipped ? table_.subtract(*flipped, sign) : std::nullopt;
  return extended ? table_.truncate(*extended, width) : std::nullopt;
}

AffineWalk::Form AffineWalk::selectForm(const Place& p, InstRef def, uint32_t base) {
  Place condition = operand(p, def, base);
  if (vectorSize(condition.id) == 0) condition = {condition.id, 0, {}}; // one for all components
  const AffineExpr* c = get(condition);
  const AffineExpr* a = get(operand(p, def, base + 1));
  const AffineExpr* b = get(operand(p, def, base + 2));
  return c && a && b ? table_.select(*c, *a, *b) : std::nullopt;
}

AffineWalk::Form AffineWalk::bitFieldForm(const Place& p, InstRef def, spv::Op op, uint32_t base,
                                          uint32_t width) {
  Place from = operand(p, def, base);
  if (width != 32 || widthOf(from) != 32) return std::nullopt;
  const AffineExpr* a = get(from);
  if (op == spv::Op::OpBitReverse || op == spv::Op::OpBitCount) {
    if (!a) return std::nullopt;
    std::optional<UnsignedRange> range;
    if (op == spv::Op::OpBitCount) range = UnsignedRange{0, 32};
    return table_.derived(op, 0, {a}, range);
  }
  // Offset and count are scalars, also for vectors.
  bool insert = op == spv::Op::OpBitFieldInsert;
  const AffineExpr* value = insert ? get(operand(p, def, base + 1)) : a;
  const AffineExpr* offset = get(module_.idAt(def, base + (insert ? 2 : 1)));
  const AffineExpr* count = get(module_.idAt(def, base + (insert ? 3 : 2)));
  if (!a || !value || !offset || !count) return std::nullopt;
  if (insert) return table_.derived(op, 0, {a, value, offset, count});
  bool isKnown = offset->isConstant() && count->isConstant() && offset->constant < 32 &&
                 count->constant <= 32 - offset->constant;
  if (op != spv::Op::OpBitFieldUExtract || !isKnown)
    return table_.derived(op, 0, {a, offset, count});
  if (count->constant == 0) return AffineTable::constant(0);
  Form shifted = table_.shiftRightLogical(*a, *offset);
  return shifted ? table_.truncate(*shifted, count->constant) : std::nullopt;
}

AffineWalk::Form AffineWalk::reductionForm(InstRef def, spv::Op op, uint32_t base) {
  Id vector = module_.idAt(def, base);
  uint32_t count = vectorSize(vector);
  std::vector<const AffineExpr*> parts;
  for (uint32_t n = 0; n < count; ++n) parts.push_back(get(Place{vector, 1, {n}}));
  if (!missing_.empty() || parts.empty()) return std::nullopt;
  Form all = *parts[0];
  for (uint32_t n = 1; n < count && all; ++n)
    all = op == spv::Op::OpAll ? table_.logicalAnd(*all, *parts[n])
                               : table_.logicalOr(*all, *parts[n]);
  return all;
}

/// Where the bounds are the wrong way round the value is undefined: anything.
AffineWalk::Form AffineWalk::clampForm(uint32_t instruction, const AffineExpr& value,
                                       const AffineExpr& low, const AffineExpr& high) {
  const bool isSigned = instruction == GLSLstd450SClamp;
  bool areOrdered = false;
  if (isSigned) {
    auto least = table_.signedRangeOf(low), most = table_.signedRangeOf(high);
    areOrdered = least && most && least->second <= most->first;
  } else {
    auto least = table_.rangeOf(low), most = table_.rangeOf(high);
    areOrdered = least && most && least->second <= most->first;
  }
  if (!areOrdered) return table_.derived(spv::Op::OpExtInst, instruction, {&value, &low, &high});
  Form raised = table_.larger(isSigned, value, low);
  return raised ? table_.smaller(isSigned, *raised, high) : std::nullopt;
}

AffineWalk::Form AffineWalk::glslForm(const Place& p, InstRef def, uint32_t width) {
  if (module_.extInstSet(module_.idAt(def, 3)) != ExtInstSet::GlslStd450 || width != 32)
    return std::nullopt;
  uint32_t instruction = module_.word(def, 4);
  uint32_t count = 1;
  switch (instruction) {
  case GLSLstd450SAbs:
  case GLSLstd450SSign:
  case GLSLstd450FindILsb:
  case GLSLstd450FindUMsb:
  case GLSLstd450FindSMsb:
    break;
  case GLSLstd450UMin:
  case GLSLstd450SMin:
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    count = 2;
    break;
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    count = 3;
    break;
  default:
    return std::nullopt;
  }
  std::array<const AffineExpr*, 3> v{};
  for (uint32_t n = 0; n < count; ++n) {
    if (module_.wordCount(def) <= 5 + n) return std::nullopt;
    Place from = operand(p, def, 5 + n);
    v[n] = widthOf(from) == 32 ? get(from) : nullptr;
  }
  if (std::any_of(v.begin(), v.begin() + count, [](auto* e) { return !e; })) return std::nullopt;
  switch (instruction) {
  case GLSLstd450UMin:
    return table_.smaller(false, *v[0], *v[1]);
  case GLSLstd450SMin:
    return table_.smaller(true, *v[0], *v[1]);
  case GLSLstd450UMax:
    return table_.larger(false, *v[0], *v[1]);
  case GLSLstd450SMax:
    return table_.larger(true, *v[0], *v[1]);
  case GLSLstd450UClamp:
  case GLSLstd450SClamp:
    return clampForm(instruction, *v[0], *v[1], *v[2]);
  case GLSLstd450SAbs: {
    auto range = table_.rangeOf(*v[0]);
    if (range && range->second <= uint32_t(INT32_MAX)) return *v[0];
    return table_.derived(spv::Op::OpExtInst, instruction, {v[0]}, UnsignedRange{0, 1u << 31});
  }
  default:
    return table_.derived(spv::Op::OpExtInst, instruction, {v[0]});
  }
}

// ---- Composites ----

bool AffineWalk::isCompositeOp(spv::Op op) const {
  switch (op) {
  case spv::Op::OpCompositeExtract:
  case spv::Op::OpCompositeInsert:
  case spv::Op::OpCompositeConstruct:
  case spv::Op::OpVectorShuffle:
  case spv::Op::OpVectorExtractDynamic:
    return true;
  default:
    return false;
  }
}

/// Where the part `p` of a composite that is put together or taken apart comes from.
std::optional<AffineWalk::Place> AffineWalk::compositeSource(const Place& p, InstRef def,
                                                             spv::Op op, uint32_t base) const {
  std::span<const uint32_t> words = module_.inst(def);
  switch (op) {
  case spv::Op::OpCompositeExtract:
    return placeOf(Id(words[base]), words.subspan(base + 1), p.indices());
  case spv::Op::OpCompositeInsert: {
    std::span<const uint32_t> at = words.subspan(base + 2), path = p.indices();
    size_t common = std::min(at.size(), path.size());
    bool isSame = std::equal(at.begin(), at.begin() + ptrdiff_t(common), path.begin());
    if (!isSame) return placeOf(Id(words[base + 1]), {}, path);
    if (path.size() < at.size()) return std::nullopt; // a part of it is replaced
    return placeOf(Id(words[base]), {}, path.subspan(common));
  }
  case spv::Op::OpCompositeConstruct:
    return constructSource(p, def, base);
  case spv::Op::OpVectorShuffle: {
    if (p.depth != 1 || base + 2 + p.path[0] >= words.size()) return std::nullopt;
    uint32_t n = words[base + 2 + p.path[0]], first = vectorSize(Id(words[base]));
    if (n == UINT32_MAX) return std::nullopt; // undefined
    bool isFirst = n < first;
    return Place{Id(words[isFirst ? base : base + 1]), 1, {isFirst ? n : n - first}};
  }
  case spv::Op::OpVectorExtractDynamic: {
    auto index = constantIndex(Id(words[base + 1]));
    if (!index || *index >= vectorSize(Id(words[base]))) return std::nullopt;
    return Place{Id(words[base]), 1, {*index}};
  }
  default:
    return std::nullopt;
  }
}

std::optional<AffineWalk::Place> AffineWalk::constructSource(const Place& p, InstRef def,
                                                             uint32_t base) const {
  if (p.depth == 0) return std::nullopt;
  std::span<const uint32_t> words = module_.inst(def);
  uint32_t n = p.path[0];
  bool isVector = vectorSize(p.id) != 0;
  for (uint32_t at = base; at < words.size(); ++at) {
    // The constituents of a vector may be vectors themselves, laid end to end.
    uint32_t inner = isVector ? vectorSize(Id(words[at])) : 0;
    if (inner == 0 && n == 0) return placeOf(Id(words[at]), {}, p.indices().subspan(1));
    if (n < inner) return Place{Id(words[at]), 1, {n}};
    n -= std::max(inner, 1u);
  }
  return std::nullopt;
}

// ---- Memory and built-ins ----

AffineWalk::Form AffineWalk::parameterForm(const Place& p, InstRef def) {
  if (module_.opcode(def) != spv::Op::OpFunctionParameter) return std::nullopt;
  Parameter parameter = parameterOf(module_, def);
  InstRef call = onlyCallOf(analyses_, parameter.function);
  if (!call || module_.wordCount(call) <= 4 + parameter.index) return std::nullopt;
  return formAt(operand(p, call, 4 + parameter.index));
}

AffineWalk::Form AffineWalk::loadForm(const Place& p, InstRef load) {
  const uint32_t operands = memoryOperandsWord(spv::Op::OpLoad);
  bool isVolatile = module_.wordCount(load) > operands &&
                    (module_.word(load, operands) & uint32_t(spv::MemoryAccessMask::Volatile)) != 0;
  if (isVolatile) return std::nullopt;
  PointerOrigin origin = originOf(analyses_, module_.idAt(load, 3));
  if (!origin.variable) return std::nullopt;
  std::vector<uint32_t> path;
  for (Id index : origin.indices) {
    auto n = constantIndex(index);
    if (!n) return std::nullopt;
    path.push_back(*n);
  }
  auto storage = types_.storageOf(origin.variable);
  if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private) {
    Id value = singleStores_.valueAt(origin.variable, load);
    return value ? formAt(placeOf(value, path, p.indices())) : std::nullopt;
  }
  path.insert(path.end(), p.indices().begin(), p.indices().end());
  if (storage == spv::StorageClass::Input) {
    auto builtIn = analyses_.get<Decorations>().builtIn(module_, origin.variable);
    return builtIn ? builtInForm(origin.variable, *builtIn, path, widthOf(p)) : std::nullopt;
  }
  // The same place of a buffer that does not change is the same value, however often it is loaded.
  if (isConstantBuffer(analyses_, origin.variable) && uniformity().isUniform(p.id))
    return opaque(origin.variable, path, true, widthOf(p));
  return std::nullopt;
}

AffineExpr AffineWalk::localId(uint32_t component) {
  if (size_ && (*size_)[component] == 1) return AffineTable::constant(0);
  AffineTermFacts f;
  f.term.kind = AffineTerm::Kind::LocalId;
  f.term.component = uint8_t(component);
  if (size_ && (*size_)[component] > 0) f.range = UnsignedRange{0, (*size_)[component] - 1};
  return table_.ofTerm(table_.intern(std::move(f)));
}

AffineExpr AffineWalk::workgroupId(uint32_t component) {
  AffineTermFacts f;
  f.term.kind = AffineTerm::Kind::WorkgroupId;
  f.term.component = uint8_t(component);
  f.uniform = true;
  return table_.ofTerm(table_.intern(std::move(f)));
}

AffineWalk::Form AffineWalk::builtInForm(Id variable, spv::BuiltIn builtIn,
                                         std::span<const uint32_t> path, uint32_t width) {
  if (path.size() > 1 || (path.size() == 1 && path[0] > 2) || width != 32) return std::nullopt;
  bool isVector = path.size() == 1;
  uint32_t component = isVector ? path[0] : 0;
  uint64_t invocations = size_ ? uint64_t((*size_)[0]) * (*size_)[1] * (*size_)[2] : 0;
  AffineTermFacts f;
  switch (builtIn) {
  case spv::BuiltIn::LocalInvocationId:
    if (isVector) return localId(component);
    break;
  case spv::BuiltIn::WorkgroupId:
    if (isVector) return workgroupId(component);
    break;
  case spv::BuiltIn::GlobalInvocationId: {
    if (!isVector || !size_) break;
    Form origin = table_.scale(workgroupId(component), (*size_)[component]);
    return origin ? table_.add(*origin, localId(component)) : std::nullopt;
  }
  case spv::BuiltIn::LocalInvocationIndex: {
    if (isVector || !size_) break;
    Form rows = table_.scale(localId(1), (*size_)[0]);
    Form slices = table_.scale(localId(2), (*size_)[0] * (*size_)[1]);
    Form both = rows && slices ? table_.add(*rows, *slices) : std::nullopt;
    return both ? table_.add(*both, localId(0)) : std::nullopt;
  }
  case spv::BuiltIn::SubgroupLocalInvocationId:
    if (isVector) break;
    f.term.kind = AffineTerm::Kind::SubgroupLane;
    f.range = UnsignedRange{0, kMaxSubgroupSize - 1};
    return table_.ofTerm(table_.intern(std::move(f)));
  case spv::BuiltIn::SubgroupId:
    if (isVector) break;
    f.term.kind = AffineTerm::Kind::SubgroupIndex;
    if (invocations > 0 && invocations <= UINT32_MAX)
      f.range = UnsignedRange{0, uint32_t(invocations) - 1};
    return table_.ofTerm(table_.intern(std::move(f)));
  case spv::BuiltIn::SubgroupSize:
    if (isVector || !Uniformity::hasOneSubgroupSize(module_)) break;
    f.term.kind = AffineTerm::Kind::UniformOpaque;
    f.term.id = variable;
    f.range = UnsignedRange{1, kMaxSubgroupSize};
    f.values =
        std::make_shared<const AffineValues>(AffineValues{{}, {}, false, {subgroupSize_}, {}, {}});
    f.uniform = true;
    return table_.ofTerm(table_.intern(std::move(f)));
  default:
    break;
  }
  // The same input, however often it is loaded.
  return opaque(variable, path, Uniformity::isUniformBuiltIn(module_, builtIn), width);
}

} // namespace lanewise
