#include "analysis/values/affine.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/values/affine_table.h"
#include "analysis/values/affine_walk.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint32_t kMaxUniformStates = 16;
/// Blocks that collectConditions() walks up at most; what is further out is left out.
constexpr uint32_t kMaxDominators = 4096;

} // namespace

struct Affine::State {
  State(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize,
        uint32_t subgroupSize)
      : dominance(analyses.get<Dominance>()), table(analyses.get<Dominance>()),
        walk(analyses, workgroupSize, subgroupSize, table) {}
  const Dominance& dominance;
  AffineTable table;
  AffineWalk walk;
};

Affine::Affine(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize,
               uint32_t subgroupSize)
    : state_(std::make_unique<State>(analyses, workgroupSize, subgroupSize)) {}
Affine::~Affine() = default;

const AffineExpr& Affine::of(Id value) {
  return state_->walk.of(value);
}

const AffineTerm& Affine::term(uint32_t index) const {
  return state_->table.facts(index).term;
}

std::optional<std::pair<uint32_t, uint32_t>> Affine::rangeAt(const AffineExpr& e,
                                                             BlockRef block) const {
  state_->table.setContext(block);
  const auto here = state_->table.rangeOf(e);
  if (!e.range || !here) return e.range ? e.range : here;
  return std::pair(std::max(e.range->first, here->first), std::min(e.range->second, here->second));
}

const AffineExpr& Affine::argument(uint32_t index) const {
  return state_->table.argument(index);
}

std::optional<std::pair<uint32_t, uint32_t>> Affine::termRange(uint32_t index) const {
  return state_->table.facts(index).range;
}

bool Affine::isBehindTest(uint32_t index, BlockRef block) const {
  const BlockRef stay = state_->table.facts(index).known().stay;
  return stay && block && state_->dominance.dominates(stay, block);
}

std::optional<std::pair<uint32_t, uint32_t>> Affine::termRange(uint32_t index,
                                                               BlockRef block) const {
  const AffineTermFacts& facts = state_->table.facts(index);
  const auto& stayRange = facts.known().stayRange;
  return stayRange && isBehindTest(index, block) ? stayRange : facts.range;
}

std::span<const uint32_t> Affine::termSequence(uint32_t index) const {
  return state_->table.facts(index).known().sequence;
}

std::optional<uint32_t> Affine::termSequenceRepeat(uint32_t index) const {
  return state_->table.facts(index).known().sequenceRepeat;
}

bool Affine::isWorkgroupUniform(const AffineExpr& e) const {
  return state_->table.isUniform(e);
}

bool Affine::isEvaluable(const AffineExpr& e) const {
  return state_->table.isEvaluable(e);
}

UniformStates Affine::uniformStates(std::span<const AffineExpr* const> together,
                                    BlockRef at) const {
  return state_->table.uniformStates(together, at, kMaxUniformStates);
}

std::optional<uint32_t> Affine::evaluate(const AffineExpr& e, const LaneContext& lane) const {
  return state_->table.evaluate(e, lane);
}

uint32_t Affine::sampleOf(uint32_t term, uint32_t seed) const {
  return state_->table.sample(state_->table.facts(term), seed);
}

bool Affine::isOneOfSeveral(uint32_t term) const {
  return state_->table.sampleCount(state_->table.facts(term)) != 1;
}

std::optional<uint32_t> Affine::evaluate(const AffineExpr& e,
                                         const std::array<uint32_t, 3>& localId,
                                         std::span<const Assignment> assigned) const {
  return state_->table.evaluate(e, localId, assigned);
}

std::vector<BlockCondition> collectConditions(Analyses& analyses, BlockRef block, bool* areAll) {
  const Module& module = analyses.module();
  const Cfg& cfg = analyses.get<Cfg>();
  const Dominance& dominance = analyses.get<Dominance>();
  const Loops& loops = analyses.get<Loops>();
  std::vector<BlockCondition> conditions;
  bool misses = false;
  BlockRef below = block; ///< who comes here comes to the block if the conditions found hold
  BlockRef above = dominance.idom(block);
  for (uint32_t steps = 0; above && steps < kMaxDominators;
       above = dominance.idom(above), ++steps) {
    if (cfg.successors(above).size() < 2) continue;
    const InstRef branch = module.terminator(above);
    const size_t before = conditions.size();
    // What a loop that is left behind decided held in its last iteration: its phis have other
    // values here.
    const Loop* loop = loops.innermost(above);
    const bool isBehindLoop = loop && !loops.contains(*loop, block);
    if (module.opcode(branch) == spv::Op::OpBranchConditional && !isBehindLoop) {
      const BlockRef sides[2] = {module.blockOfLabel(module.idAt(branch, 2)),
                                 module.blockOfLabel(module.idAt(branch, 3))};
      for (uint32_t n = 0; n < 2; ++n)
        if (cfg.predecessors(sides[n]).size() == 1 && dominance.dominates(sides[n], block))
          conditions.push_back({module.idAt(branch, 1), n == 1});
    }
    if (conditions.size() != before)
      below = above;
    else
      misses |= !dominance.postDominates(below, above);
  }
  if (areAll) *areAll = !misses && !above;
  std::reverse(conditions.begin(), conditions.end());
  return conditions;
}

bool isNeverRun(Analyses& analyses, Affine& affine, BlockRef block) {
  const std::vector<BlockCondition> conditions = collectConditions(analyses, block);
  return std::any_of(conditions.begin(), conditions.end(), [&](const BlockCondition& c) {
    const AffineExpr& e = affine.of(c.condition);
    if (!affine.isWorkgroupUniform(e) || !affine.isEvaluable(e) ||
        affine.uniformStates(std::array{&e}, block).count != 1)
      return false;
    const auto value = affine.evaluate(e, {});
    return value && (*value != 0) == c.negated;
  });
}

} // namespace lanewise
