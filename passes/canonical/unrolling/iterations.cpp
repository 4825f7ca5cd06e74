#include "canonical/unrolling/iterations.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "ir/integer_semantics.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lanewise {
namespace {

/// Instructions that are run; conditions of real loops need three or four.
constexpr size_t kMaxInstructions = 256;
constexpr uint32_t kMaxOperands = 4;

constexpr UnrollRefusal kTooOften{"too-large", "its iterations would become too many instructions"};

using Value = std::optional<uint64_t>;

/// Whether an integer is the same where RelaxedPrecision gives it 16 bits; nothing is no number.
bool fitsRelaxed(const Value& value, uint32_t width) {
  if (!value || width <= 16) return true;
  const int64_t number = signedOf(*value, width);
  return number >= INT16_MIN && number <= INT16_MAX;
}

class Runner {
public:
  Runner(Analyses& analyses, const LoopShape& shape)
      : module_(analyses.module()), constants_(analyses.get<Constants>()),
        decorations_(analyses.get<Decorations>()), shape_(shape) {}

  void collect();
  std::optional<Iterations> run(uint32_t most, const UnrollRefusal*& why);

private:
  /// An instruction of the loop. Operands are indices into values_.
  struct Step {
    InstRef inst;
    uint32_t result = 0;
    uint32_t width = 0; ///< of the first operand
    uint32_t resultWidth = 0;
    std::array<uint32_t, kMaxOperands> operands{};
    uint32_t count = 0; ///< of operands; 0: not evaluated here
    bool isRelaxed = false;
  };

  uint32_t widthOf(Id type) const;
  bool isOfLoop(InstRef def) const;
  uint32_t slotOf(Id id);
  void follow();
  void connect(Step& step);
  bool isRelaxed(InstRef i) const {
    return decorations_.has(module_.resultId(i), spv::Decoration::RelaxedPrecision);
  }
  Value evaluate(const Step& step) const;
  Value evaluateExactly(const Step& step) const;

  const Module& module_;
  const Constants& constants_;
  const Decorations& decorations_;
  const LoopShape& shape_;
  std::unordered_map<Id, uint32_t> slots_; ///< looked up only
  std::vector<Value> values_;
  std::vector<InstRef> found_; ///< instructions of the loop that are needed
  std::vector<Step> steps_;
  std::vector<uint32_t> phis_, back_; ///< by phi: its slot, and that of what comes from the latch
  std::vector<Value> initial_;
};

/// Of an integer or Boolean type; 0 for any other.
uint32_t Runner::widthOf(Id type) const {
  const InstRef def = module_.def(type);
  if (!def) return 0;
  if (module_.opcode(def) == spv::Op::OpTypeBool) return 1;
  if (module_.opcode(def) != spv::Op::OpTypeInt) return 0;
  const uint32_t width = module_.word(def, 2);
  return width <= 64 ? width : 0;
}

bool Runner::isOfLoop(InstRef def) const {
  const BlockRef b = module_.blockOf(def);
  return b && std::binary_search(shape_.blocks.begin(), shape_.blocks.end(), b);
}

uint32_t Runner::slotOf(Id id) {
  const auto [at, isNew] = slots_.try_emplace(id, uint32_t(values_.size()));
  if (!isNew) return at->second;
  values_.push_back(constants_.literal(id));
  const InstRef def = module_.def(id);
  if (def && isOfLoop(def) && module_.opcode(def) != spv::Op::OpPhi &&
      widthOf(module_.resultType(def)) != 0)
    found_.push_back(def);
  return at->second;
}

/// Finds the operands, which may be more instructions that are needed.
void Runner::connect(Step& step) {
  const InstRef i = step.inst;
  step.resultWidth = widthOf(module_.resultType(i));
  const bool isExt = module_.opcode(i) == spv::Op::OpExtInst;
  if (isExt && module_.extInstSet(module_.idAt(i, 3)) != ExtInstSet::GlslStd450) return;
  if (!isExt && (!module_.facts(i).onlyIds || !isFunctionOfOperands(module_.facts(i)))) return;
  const uint32_t first = isExt ? 5 : 3, count = module_.wordCount(i) - first;
  if (count == 0 || count > kMaxOperands) return;
  for (uint32_t n = 0; n < count; ++n)
    if (widthOf(module_.typeOf(module_.idAt(i, first + n))) == 0) return;
  step.width = widthOf(module_.typeOf(module_.idAt(i, first)));
  for (uint32_t n = 0; n < count; ++n) step.operands[n] = slotOf(module_.idAt(i, first + n));
  step.count = count;
}

/// Takes up what was found, and what that needs. Too much has no value.
void Runner::follow() {
  for (size_t n = steps_.size(); n < found_.size() && n < kMaxInstructions; ++n) {
    Step step;
    step.inst = found_[n];
    step.result = slots_.at(module_.resultId(step.inst));
    step.isRelaxed = isRelaxed(step.inst);
    connect(step);
    steps_.push_back(step);
  }
}

void Runner::collect() {
  std::vector<Id> back;
  for (InstRef phi : shape_.phis) {
    phis_.push_back(slotOf(module_.resultId(phi)));
    bool isFirst = true;
    for (uint32_t n = 3; n < module_.wordCount(phi); n += 2) {
      const Id value = module_.idAt(phi, n);
      if (module_.blockOfLabel(module_.idAt(phi, n + 1)) == shape_.latch) {
        back.push_back(value);
        continue;
      }
      const Value literal = constants_.literal(value);
      if (isFirst)
        initial_.push_back(literal);
      else if (initial_.back() != literal) // the ways into the loop differ
        initial_.back() = {};
      isFirst = false;
    }
  }
  slotOf(shape_.condition);
  follow();
  for (Id value : back) back_.push_back(slotOf(value));
  follow();
  // Definitions stand before their uses.
  std::sort(steps_.begin(), steps_.end(),
            [](const Step& a, const Step& b) { return a.inst < b.inst; });
}

/// Nothing where it may be computed with 16 bits, and those do not do.
Value Runner::evaluate(const Step& step) const {
  const Value result = evaluateExactly(step);
  if (!step.isRelaxed) return result;
  bool fits = fitsRelaxed(result, step.resultWidth);
  for (uint32_t n = 0; n < step.count; ++n)
    fits = fits && fitsRelaxed(values_[step.operands[n]], step.width);
  return fits ? result : Value();
}

Value Runner::evaluateExactly(const Step& step) const {
  if (step.count == 0) return {};
  const spv::Op op = module_.opcode(step.inst);
  std::array<uint64_t, kMaxOperands> v{};
  if (op == spv::Op::OpSelect) {
    const Value condition = values_[step.operands[0]];
    return condition ? values_[step.operands[*condition != 0 ? 1 : 2]] : Value();
  }
  for (uint32_t n = 0; n < step.count; ++n) {
    const Value& value = values_[step.operands[n]];
    if (!value) return {};
    v[n] = *value;
  }
  const std::span<const uint64_t> operands(v.data(), step.count);
  switch (op) {
  case spv::Op::OpCopyObject:
    return v[0];
  case spv::Op::OpUConvert:
  case spv::Op::OpSConvert:
  case spv::Op::OpBitcast:
    return convertInteger(op, step.width, step.resultWidth, v[0]).value();
  case spv::Op::OpExtInst:
    return evaluateGlslInteger(module_.word(step.inst, 4), step.width, operands).value();
  default:
    return evaluateInteger(op, step.width, operands).value();
  }
}

std::optional<Iterations> Runner::run(uint32_t most, const UnrollRefusal*& why) {
  const uint32_t condition = slots_.at(shape_.condition);
  Iterations all;
  std::vector<Value> next = initial_;
  while (true) {
    if (all.count == most) {
      why = &kTooOften;
      return {};
    }
    ++all.count;
    for (size_t n = 0; n < phis_.size(); ++n) {
      const InstRef phi = shape_.phis[n];
      const bool isLost = isRelaxed(phi) && !fitsRelaxed(next[n], widthOf(module_.resultType(phi)));
      values_[phis_[n]] = isLost ? Value() : next[n];
      all.phis.push_back(values_[phis_[n]]);
    }
    for (const Step& step : steps_) values_[step.result] = evaluate(step);
    const Value& leaves = values_[condition];
    if (!leaves) {
      why = &kUnknownCount;
      return {};
    }
    if ((*leaves != 0) == shape_.leavesOn) return all;
    for (size_t n = 0; n < back_.size(); ++n) next[n] = values_[back_[n]];
  }
}

} // namespace

std::optional<Iterations> countIterations(Analyses& analyses, const LoopShape& shape, uint32_t most,
                                          const UnrollRefusal*& why) {
  Runner runner(analyses, shape);
  runner.collect();
  return runner.run(most, why);
}

} // namespace lanewise
