#include "analysis/module/constants.h"

#include <algorithm>
#include <array>

namespace lanewise {

namespace {

/// Type of a scalar integer or Boolean; width 0 for any other type.
struct ScalarType {
  uint32_t width = 0;
  bool isSigned = false;
};

ScalarType scalarType(const Module& module, Id type) {
  const InstRef def = module.def(type);
  if (!def) return {};
  if (module.opcode(def) == spv::Op::OpTypeBool) return {1, false};
  if (module.opcode(def) != spv::Op::OpTypeInt) return {};
  const uint32_t width = module.word(def, 2);
  if (width == 0 || width > 64)
    return {}; // wider integers exist in extensions; we do not follow them
  return {width, module.word(def, 3) != 0};
}

/// A value, and whether a specialization constant at its default went into it.
struct Operand {
  ConstantValue value;
  bool unassumed = false;
};

using Value = std::optional<Operand>;

/// Result of `op`, of scalar type `type`, on one or two operands.
Value evaluateOp(spv::Op op, ScalarType type, std::span<const Operand> operands) {
  const ConstantValue &a = operands.front().value, &b = operands.back().value;
  IntegerResult result{0, Definedness::NotEvaluated};
  if (operands.size() == 1) result = convertInteger(op, a.width, type.width, a.bits);
  // A shift amount may have a width of its own.
  if (result.definedness == Definedness::NotEvaluated && (a.width == b.width || isShift(op))) {
    const std::array<uint64_t, 2> bits{a.bits, b.bits};
    result = evaluateInteger(op, a.width, std::span(bits).first(operands.size()));
  }
  if (!result.isDefined()) return std::nullopt;
  return Operand{
      {wrapped(result.bits, type.width), type.width, type.isSigned, a.isLiteral && b.isLiteral},
      operands.front().unassumed || operands.back().unassumed};
}

/// Result of `op` on the operand words `w`, where `read(Id)` gives a Value for each of them.
template <class Read>
Value evaluateWords(spv::Op op, ScalarType type, std::span<const uint32_t> w, Read&& read) {
  if (op == spv::Op::OpSelect) { // the value that is not taken need not be defined
    const Value condition = w.size() == 3 ? read(Id(w[0])) : std::nullopt;
    if (!condition) return std::nullopt;
    Value taken = read(Id(condition->value.bits != 0 ? w[1] : w[2]));
    if (!taken) return std::nullopt;
    taken->value.isLiteral &= condition->value.isLiteral;
    taken->unassumed |= condition->unassumed;
    return taken;
  }
  std::array<Operand, 2> operands;
  if (w.empty() || w.size() > operands.size()) return std::nullopt;
  for (size_t k = 0; k < w.size(); ++k) {
    const Value v = read(Id(w[k]));
    if (!v) return std::nullopt;
    operands[k] = *v;
  }
  return evaluateOp(op, type, std::span(operands).first(w.size()));
}

} // namespace

/// Fills a Constants in one pass over the module's declarations; a constant comes after what it is
/// made of, so nothing is visited twice.
class ConstantEvaluator {
public:
  ConstantEvaluator(const Module& module, const Assumptions& assumptions, Constants& out)
      : module_(module), assumptions_(assumptions), out_(out) {}
  void run();

private:
  void collectSpecIds();
  void declare(InstRef i);
  void declareScalar(InstRef i, ScalarType type);
  void declareComposite(InstRef i);
  void declareNull(InstRef i);
  void declareSpecOp(InstRef i);

  /// The assumed value of a specialization constant, nothing if none is given.
  std::optional<uint64_t> assumed(Id id) const;
  /// Component `n` of `id`; of a scalar the value itself, whatever `n`.
  Value read(Id id, uint32_t n) const;
  Value readValue(uint32_t indexPlusOne) const;
  /// What the literal indices of a CompositeExtract reach: the constant, and the component of it
  /// where that is a vector.
  Value extract(InstRef i) const;
  Value evaluate(InstRef i, spv::Op op, ScalarType type, uint32_t n) const;

  uint32_t add(const Value& v);
  void set(Id id, const Value& v) { out_.index_[id.value] = add(v); }
  /// Makes `id` a vector whose component n is component(n).
  template <class Component>
  void setVector(Id id, uint32_t count, Component&& component);

  const Module& module_;
  const Assumptions& assumptions_;
  Constants& out_;
  std::vector<std::pair<Id, uint32_t>> specIds_; ///< sorted; only when there are assumptions
};

void ConstantEvaluator::run() {
  out_.index_.assign(module_.idBound(), 0);
  if (!assumptions_.specConstants.empty()) collectSpecIds();
  for (InstRef i : module_.globals())
    if (module_.facts(i).opClass == OpClass::Constant) declare(i);
}

void ConstantEvaluator::collectSpecIds() {
  for (InstRef i : module_.globals()) {
    const std::span<const uint32_t> w = module_.inst(i);
    if (module_.opcode(i) == spv::Op::OpDecorate && w.size() > 3 &&
        spv::Decoration(w[2]) == spv::Decoration::SpecId)
      specIds_.emplace_back(Id(w[1]), w[3]);
    if (module_.opcode(i) != spv::Op::OpGroupDecorate) continue;
    // A group comes after its own decorations.
    for (size_t n = 0, end = specIds_.size(); n < end; ++n)
      if (specIds_[n].first == Id(w[1]))
        for (uint32_t target : w.subspan(2)) specIds_.emplace_back(Id(target), specIds_[n].second);
  }
  std::sort(specIds_.begin(), specIds_.end());
}

std::optional<uint64_t> ConstantEvaluator::assumed(Id id) const {
  const auto at = std::lower_bound(specIds_.begin(), specIds_.end(), std::pair(id, 0u));
  if (at == specIds_.end() || at->first != id) return std::nullopt;
  const auto given = assumptions_.specConstants.find(at->second);
  return given == assumptions_.specConstants.end() ? std::nullopt : std::optional(given->second);
}

void ConstantEvaluator::declare(InstRef i) {
  switch (module_.opcode(i)) {
  case spv::Op::OpConstant:
  case spv::Op::OpSpecConstant:
  case spv::Op::OpConstantTrue:
  case spv::Op::OpConstantFalse:
  case spv::Op::OpSpecConstantTrue:
  case spv::Op::OpSpecConstantFalse: {
    const ScalarType type = scalarType(module_, module_.resultType(i));
    if (type.width != 0) declareScalar(i, type);
    break;
  }
  case spv::Op::OpConstantNull:
    declareNull(i);
    break;
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    declareComposite(i);
    break;
  case spv::Op::OpSpecConstantOp:
    declareSpecOp(i);
    break;
  default:
    break; // OpUndef, samplers: no value
  }
}

void ConstantEvaluator::declareScalar(InstRef i, ScalarType type) {
  const std::span<const uint32_t> w = module_.inst(i);
  Operand v{{0, type.width, type.isSigned, true}, false};
  bool isSpec = false;
  switch (module_.opcode(i)) {
  case spv::Op::OpSpecConstantTrue:
    isSpec = true;
    [[fallthrough]];
  case spv::Op::OpConstantTrue:
    v.value.bits = 1;
    break;
  case spv::Op::OpSpecConstantFalse:
    isSpec = true;
    break;
  case spv::Op::OpConstantFalse:
    break;
  default:
    isSpec = module_.opcode(i) == spv::Op::OpSpecConstant;
    if (w.size() < 4) return;
    v.value.bits = w[3];
    if (type.width > 32 && w.size() > 4) v.value.bits |= uint64_t(w[4]) << 32;
    break;
  }
  const Id id = module_.resultId(i);
  if (isSpec) {
    v.value.isLiteral = false;
    const std::optional<uint64_t> given = assumed(id);
    v.unassumed = !given;
    if (given) v.value.bits = type.width == 1 ? *given != 0 : *given;
  }
  v.value.bits =
      wrapped(v.value.bits, type.width); // narrow signed literals are sign-extended in the word
  set(id, v);
}

void ConstantEvaluator::declareNull(InstRef i) {
  const Id id = module_.resultId(i), type = module_.resultType(i);
  if (const ScalarType scalar = scalarType(module_, type); scalar.width != 0) {
    set(id, Operand{{0, scalar.width, scalar.isSigned, true}, false});
    return;
  }
  const InstRef def = module_.def(type);
  if (!def || module_.opcode(def) != spv::Op::OpTypeVector) return;
  const ScalarType component = scalarType(module_, module_.idAt(def, 2));
  if (component.width == 0) return;
  setVector(id, module_.word(def, 3), [&](uint32_t) {
    return Operand{{0, component.width, component.isSigned, true}, false};
  });
}

void ConstantEvaluator::declareComposite(InstRef i) {
  const InstRef type = module_.def(module_.resultType(i));
  if (!type || module_.opcode(type) != spv::Op::OpTypeVector ||
      scalarType(module_, module_.idAt(type, 2)).width == 0)
    return; // members of other composites are found through the module when they are asked for
  const uint32_t count = module_.wordCount(i) - 3;
  const uint32_t start = uint32_t(out_.vectors_.size());
  out_.vectors_.push_back(count);
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t part = module_.word(i, 3 + n);
    // A vector's parts are scalars here; their values are shared, not copied.
    const uint32_t at = part < out_.index_.size() ? out_.index_[part] : 0;
    out_.vectors_.push_back(at < Constants::kVector ? at : 0);
  }
  out_.index_[module_.resultId(i).value] = Constants::kVector + start;
}

void ConstantEvaluator::declareSpecOp(InstRef i) {
  const Id id = module_.resultId(i), typeId = module_.resultType(i);
  if (module_.wordCount(i) < 5) return;
  const spv::Op op = spv::Op(module_.word(i, 3));
  if (const ScalarType type = scalarType(module_, typeId); type.width != 0) {
    set(id, op == spv::Op::OpCompositeExtract ? extract(i) : evaluate(i, op, type, 0));
    return;
  }
  const InstRef def = module_.def(typeId);
  if (!def || module_.opcode(def) != spv::Op::OpTypeVector) return;
  const ScalarType type = scalarType(module_, module_.idAt(def, 2));
  if (type.width == 0) return;
  const std::span<const uint32_t> w = module_.inst(i);
  setVector(id, module_.word(def, 3), [&](uint32_t n) -> Value {
    switch (op) {
    case spv::Op::OpVectorShuffle: {
      if (6 + size_t(n) >= w.size()) return std::nullopt;
      const uint32_t from = w[6 + n];
      const uint32_t firstCount = uint32_t(out_.components(Id(w[4])).size());
      return from < firstCount ? read(Id(w[4]), from) : read(Id(w[5]), from - firstCount);
    }
    case spv::Op::OpCompositeInsert: // object, vector, the index
      if (w.size() != 7) return std::nullopt;
      return n == w[6] ? read(Id(w[4]), 0) : read(Id(w[5]), n);
    case spv::Op::OpCompositeExtract: // a vector out of something larger
      return std::nullopt;
    default:
      return evaluate(i, op, type, n);
    }
  });
}

Value ConstantEvaluator::readValue(uint32_t indexPlusOne) const {
  if (indexPlusOne == 0) return std::nullopt;
  return Operand{out_.values_[indexPlusOne - 1], out_.unassumed_[indexPlusOne - 1]};
}

Value ConstantEvaluator::read(Id id, uint32_t n) const {
  if (id.value >= out_.index_.size()) return std::nullopt;
  const uint32_t at = out_.index_[id.value];
  if (at < Constants::kVector) return readValue(at);
  const std::span<const uint32_t> all = out_.components(id);
  return n < all.size() ? readValue(all[n]) : std::nullopt;
}

Value ConstantEvaluator::extract(InstRef i) const {
  const std::span<const uint32_t> w = module_.inst(i);
  Id at(w[4]);
  for (size_t n = 5; n < w.size(); ++n) {
    if (at.value < out_.index_.size() && out_.index_[at.value] >= Constants::kVector)
      return n + 1 == w.size() ? read(at, w[n]) : std::nullopt;
    const InstRef def = module_.def(at);
    if (!def) return std::nullopt;
    switch (module_.opcode(def)) {
    case spv::Op::OpConstantNull: {
      const ScalarType type = scalarType(module_, module_.resultType(i));
      return Operand{{0, type.width, type.isSigned, true}, false};
    }
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      if (w[n] >= module_.wordCount(def) - 3) return std::nullopt;
      at = module_.idAt(def, 3 + w[n]);
      break;
    default:
      return std::nullopt;
    }
  }
  return at.value < out_.index_.size() && out_.index_[at.value] < Constants::kVector ? read(at, 0)
                                                                                     : std::nullopt;
}

Value ConstantEvaluator::evaluate(InstRef i, spv::Op op, ScalarType type, uint32_t n) const {
  return evaluateWords(op, type, module_.inst(i).subspan(4), [&](Id id) { return read(id, n); });
}

uint32_t ConstantEvaluator::add(const Value& v) {
  if (!v) return 0;
  out_.values_.push_back(v->value);
  out_.unassumed_.push_back(v->unassumed);
  return uint32_t(out_.values_.size());
}

template <class Component>
void ConstantEvaluator::setVector(Id id, uint32_t count, Component&& component) {
  constexpr uint32_t kMost = 16; // the largest vector there is (Vector16)
  if (count > kMost) return;
  const uint32_t start = uint32_t(out_.vectors_.size());
  out_.vectors_.push_back(count);
  for (uint32_t n = 0; n < count; ++n) out_.vectors_.push_back(add(component(n)));
  out_.index_[id.value] = Constants::kVector + start;
}

Constants::Constants(Analyses& analyses) {
  ConstantEvaluator(analyses.module(), analyses.assumptions(), *this).run();
}

std::span<const uint32_t> Constants::components(Id vector) const {
  if (vector.value >= index_.size() || index_[vector.value] < kVector) return {};
  const uint32_t start = index_[vector.value] - kVector;
  return {vectors_.data() + start + 1, vectors_[start]};
}

std::optional<ConstantValue> Constants::component(Id vector, uint32_t n) const {
  const std::span<const uint32_t> all = components(vector);
  if (n >= all.size() || all[n] == 0) return std::nullopt;
  return values_[all[n] - 1];
}

std::optional<ConstantValue> Constants::folded(const Module& module, Id id) const {
  // Bounded, because each step may ask twice, and because a broken module may hold a cycle.
  constexpr int kDepth = 6;
  auto fold = [&](auto&& self, Id at, int depth) -> Value {
    if (const auto v = value(at)) return Operand{*v, false};
    const InstRef def = module.def(at);
    if (!def || depth == 0 || !module.blockOf(def)) return std::nullopt;
    const std::span<const uint32_t> w = module.inst(def);
    const spv::Op op = module.opcode(def);
    if (op == spv::Op::OpCompositeExtract) {
      const auto part = w.size() == 5 ? component(Id(w[3]), w[4]) : std::nullopt;
      return part ? Value(Operand{*part, false}) : std::nullopt;
    }
    const OpcodeFacts& facts = module.facts(def);
    if (facts.opClass != OpClass::Value || !facts.onlyIds) return std::nullopt;
    const ScalarType type = scalarType(module, module.resultType(def));
    if (type.width == 0) return std::nullopt;
    return evaluateWords(op, type, w.subspan(3),
                         [&](Id part) { return self(self, part, depth - 1); });
  };
  const Value v = fold(fold, id, kDepth);
  if (!v) return std::nullopt;
  return v->value;
}

bool Constants::isUnassumedSpec(Id vector, uint32_t n) const {
  const std::span<const uint32_t> all = components(vector);
  return n < all.size() && all[n] != 0 && unassumed_[all[n] - 1];
}

bool Constants::isUnassumedSpec(Id id) const {
  if (id.value >= index_.size() || index_[id.value] == 0) return false;
  if (index_[id.value] < kVector) return unassumed_[index_[id.value] - 1];
  const std::span<const uint32_t> all = components(id);
  return std::any_of(all.begin(), all.end(),
                     [&](uint32_t at) { return at != 0 && unassumed_[at - 1]; });
}

} // namespace lanewise
