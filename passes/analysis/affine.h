// Affine addresses: an integer value as a constant plus a sum of coefficients times terms, in arithmetic
// modulo 2^32, with the terms' ranges where they are known.
//
//   (gl_LocalInvocationID.y * 32u + i) ^ 0    =>   0 + 32 * LocalId.y + 1 * Induction(%i)
//
// What is not affine over the basic terms stays exact wherever it is a function of them: `t & 31`, `t >> 5`,
// `t / 32`, `min(t, 7)`, `t == 3 ? 0 : t` become a Derived term, an operation on affine arguments that can be
// evaluated for a given lane. Only what depends on memory, on a subgroup operation or on something that the
// analysis does not follow is Opaque, and it is either known to be uniform over the workgroup or not.
#pragma once

#include "analysis/analyses.h"
#include "ir/module.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

struct AffineTerm {
  enum class Kind : uint8_t {
    LocalId,          ///< component `component` of LocalInvocationId
    WorkgroupId,      ///< component of WorkgroupId; uniform over the workgroup
    Induction,        ///< a loop counter: the phi `id`
    UniformOpaque,    ///< `id`: the same in every invocation of the workgroup (at one execution of its site)
    VaryingOpaque,    ///< `id`: may differ from lane to lane in an unknown way
    SubgroupLane,     ///< SubgroupLocalInvocationId
    SubgroupIndex,    ///< SubgroupId
    Derived           ///< operation `op` on `args`
  };
  Kind kind{};
  uint8_t component = 0;
  Id id;                   ///< Induction, *Opaque: the value
  spv::Op op{};            ///< Derived: the operation (OpUDiv, OpBitwiseAnd, OpSelect, OpULessThan, ...);
                           ///  for GLSL.std.450 it is OpExtInst
  uint32_t extInst = 0;    ///< Derived: the GLSL.std.450 instruction
  std::vector<uint32_t> args; ///< Derived: indices of expressions in the Affine that made it

  bool operator==(const AffineTerm&) const = default;
};

/// constant + sum of coefficients[i] * terms[i], modulo 2^32. Terms are indices into the Affine's table,
/// ascending, each with a coefficient that is not 0.
struct AffineExpr {
  uint32_t constant = 0;
  std::vector<std::pair<uint32_t, uint32_t>> terms; ///< (term index, coefficient modulo 2^32)
  /// Inclusive range of the exact integer value, as unsigned, when known. Given a range, no wrap-around
  /// takes place anywhere in the sum when it is taken over the integers with sign-extended coefficients.
  std::optional<std::pair<uint32_t, uint32_t>> range;

  bool isConstant() const { return terms.empty(); }
};

/// One invocation for which an expression is evaluated, and the values that everything uniform takes.
struct LaneContext {
  std::array<uint32_t, 3> localId{};
  uint32_t subgroupLane = 0;
  uint32_t subgroupIndex = 0;
  /// Value of every WorkgroupId component, Induction and UniformOpaque term: hash of the term and `seed`,
  /// within the term's range; the same for all lanes with the same seed. Seed 0 takes each term's least
  /// value (0 where the range is unknown).
  uint32_t seed = 0;
};

/// Builds and keeps affine forms for values of one entry point. Holds references; valid until the module
/// changes. Memoized: the form of an id is computed once.
class Affine {
public:
  /// `workgroupSize` bounds LocalId terms (and GlobalInvocationId, LocalInvocationIndex, which are written
  /// as LocalId and WorkgroupId terms when the size is known); nothing when it is not known.
  Affine(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize);
  ~Affine();

  /// The form of a scalar 32-bit (or narrower) integer or Boolean value. Never fails: the worst case is one
  /// VaryingOpaque term. Loads from Function variables that are stored once, where the store dominates,
  /// are looked through; so are composite extracts of constructed composites.
  const AffineExpr& of(Id value);
  const AffineTerm& term(uint32_t index) const;
  /// Known inclusive range of a term, unsigned.
  std::optional<std::pair<uint32_t, uint32_t>> termRange(uint32_t index) const;

  /// True when every lane of a workgroup has the same value (proved).
  bool isWorkgroupUniform(const AffineExpr& e) const;
  /// True when the value of each lane can be computed by evaluate(): no VaryingOpaque term, at any depth.
  bool isEvaluable(const AffineExpr& e) const;
  /// The value for one lane. Nothing when it is not evaluable or undefined for this lane (division by 0).
  std::optional<uint32_t> evaluate(const AffineExpr& e, const LaneContext& lane) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A condition under which a block runs: `condition` is true (or false, when `negated`). The conjunction of
/// all of them is necessary; it is not sufficient where a condition was not understood.
struct BlockCondition {
  Id condition;
  bool negated = false;
};
/// Conditions on the dominating branches of `block`, outermost first: conditional branches with one edge
/// that dominates the block. Exact as a necessary condition.
std::vector<BlockCondition> collectConditions(Analyses& analyses, BlockRef block);

} // namespace lanewise
