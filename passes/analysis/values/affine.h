// Affine addresses: an integer value as a constant plus a sum of coefficients times terms, in
// arithmetic modulo 2^32, with the terms' ranges where they are known.
//
//   (gl_LocalInvocationID.y * 32u + i) ^ 0    =>   0 + 32 * LocalId.y + 1 * Induction(%i)
//
// What is not affine over the basic terms stays exact wherever it is a function of them: `t & 31`,
// `t >> 5`, `t / 32`, `min(t, 7)`, `t == 3 ? 0 : t` become a Derived term, an operation on affine
// arguments that can be evaluated for a given lane. Only what depends on memory, on a subgroup
// operation or on something that the analysis does not follow is Opaque, and it is either known to
// be uniform over the workgroup or not.
//
// Forms are in SSA: a term stands for the value that its id has where the form's own value is used.
// That is consistent because whatever a value is computed from dominates it, so none of it can take
// a new value before the value itself does.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/target_profile.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

struct AffineTerm {
  enum class Kind : uint8_t {
    LocalId,     ///< component `component` of LocalInvocationId
    WorkgroupId, ///< component of WorkgroupId; uniform over the workgroup
    Induction,   ///< depends on a loop's iteration only. `id` is the label of a loop header: how
                 ///< often
    ///  the loop went round before (0 in the first iteration; every counter of the loop
    ///  is its start plus its step times this); or `id` is a phi with few known values
    ///  (`s >>= 1`, `buffer ^= 1`). Lanes that are in the loop together share it
    UniformOpaque, ///< `id`: the same in every invocation of the workgroup (at one execution of its
                   ///< site)
    VaryingOpaque, ///< `id`: may differ from lane to lane in an unknown way
    SubgroupLane,  ///< SubgroupLocalInvocationId
    SubgroupIndex, ///< SubgroupId
    Derived        ///< operation `op` on `args`
  };
  Kind kind{};
  uint8_t component = 0;
  Id id;        ///< Induction: see there; *Opaque: the value, or the variable it was read from
  spv::Op op{}; ///< Derived: the operation (OpUDiv, OpBitwiseAnd, OpSelect, OpULessThan, ...);
                ///  for GLSL.std.450 it is OpExtInst
  uint32_t extInst = 0; ///< Derived: the GLSL.std.450 instruction
  std::vector<uint32_t>
      args; ///< Derived: operands, for Affine::argument(); *Opaque: indices of the part
            ///  of the composite `id`, outermost first

  bool operator==(const AffineTerm&) const = default;
};

/// constant + sum of coefficients[i] * terms[i], modulo 2^32. Terms are indices into the Affine's
/// table, ascending, each with a coefficient that is not 0.
struct AffineExpr {
  uint32_t constant = 0;
  std::vector<std::pair<uint32_t, uint32_t>> terms; ///< (term index, coefficient modulo 2^32)
  /// Inclusive range of the exact integer value, as unsigned, when known. Given a range, no
  /// wrap-around takes place: the sum over the integers, with sign-extended coefficients and the
  /// constant as signed or as unsigned (whichever fits), is the value.
  std::optional<std::pair<uint32_t, uint32_t>> range;
  /// True when the form, its range included, may hold for the assumed or default values of
  /// specialization constants only: it must not prove legality. It does not speak of the workgroup
  /// size that was given to Affine: where legality depends on the form, give a size that is
  /// literal.
  bool dependsOnSpec = false;

  bool isConstant() const { return terms.empty(); }
};

/// One invocation for which an expression is evaluated, and the values that everything uniform
/// takes.
struct LaneContext {
  std::array<uint32_t, 3> localId{};
  uint32_t subgroupLane = 0;
  uint32_t subgroupIndex = 0;
  /// Chooses the value of every WorkgroupId component, Induction and UniformOpaque term within its
  /// range or its set of known values; the same for all lanes with the same seed. Seed 0 takes each
  /// term's least value, and seeds from 0 to n - 1 take all n values. Where no range is known,
  /// workgroup ids and iterations are small (0 for seed 0) and other values large (at least 8192,
  /// 65535 for seed 0), so that guards such as `id < count` hold.
  uint32_t seed = 0;
};

/// Seeds for the terms of some expressions whose value a seed chooses.
struct UniformStates {
  /// 1 when no value depends on the seed, else the number of combinations of values, at most 16.
  uint32_t count = 1;
  /// The seeds from 0 to count - 1 go through what happens in a run of the loop, each iteration
  /// once, where no other way leads out of the loop than the test that its counter was read from:
  /// nothing but that counter depends on the seed, and it has at most 16 values.
  bool isComplete = true;
};

/// Builds and keeps affine forms for values of one entry point. Holds references; valid until the
/// module changes. Memoized: the form of an id is computed once, in time linear in the instructions
/// that it comes from.
///
/// 8- and 16-bit integers are held zero-extended, Booleans as 0 and 1. Specialization constants
/// have their assumed value; one that was left at its default is a UniformOpaque term, except where
/// it is part of the workgroup size and that was given.
class Affine {
public:
  /// `workgroupSize` bounds LocalId terms (and GlobalInvocationId, LocalInvocationIndex, which are
  /// written as LocalId and WorkgroupId terms when the size is known); nothing when it is not
  /// known. `subgroupSize` is the one value that evaluate() gives the SubgroupSize built-in; forms
  /// hold for every size.
  Affine(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize,
         uint32_t subgroupSize = kDefaultSubgroupSize);
  ~Affine();

  /// The form of a scalar 32-bit (or narrower) integer or Boolean value. Never fails: the worst
  /// case is one VaryingOpaque term. Loads from Function variables that are stored once, where the
  /// store dominates, are looked through; so are composite extracts of constructed composites.
  const AffineExpr& of(Id value);
  /// Range of a form from of() where `block` uses the value; with what is known of its terms there.
  std::optional<std::pair<uint32_t, uint32_t>> rangeAt(const AffineExpr& e, BlockRef block) const;
  const AffineTerm& term(uint32_t index) const;
  /// Operand of a Derived term, by what AffineTerm::args holds; without range.
  const AffineExpr& argument(uint32_t index) const;
  /// Known inclusive range of a term, unsigned.
  std::optional<std::pair<uint32_t, uint32_t>> termRange(uint32_t index) const;

  /// The same where `block` uses the term: the side of a loop's test that goes on may know more.
  std::optional<std::pair<uint32_t, uint32_t>> termRange(uint32_t index, BlockRef block) const;
  /// All values of an Induction term that is a phi with few known values, in the order in which the
  /// loop's iterations take them; empty for any other term.
  std::span<const uint32_t> termSequence(uint32_t index) const;
  /// The position in termSequence() that follows the last one, where it goes round; nothing where
  /// the loop ends.
  std::optional<uint32_t> termSequenceRepeat(uint32_t index) const;
  /// True when `block` runs only in iterations behind whose test the loop goes on: never with the
  /// last value of a sequence that does not repeat.
  bool isBehindTest(uint32_t index, BlockRef block) const;

  /// True when every lane of a workgroup has the same value (proved).
  bool isWorkgroupUniform(const AffineExpr& e) const;
  /// True when the value of each lane can be computed by evaluate(): no VaryingOpaque term, at any
  /// depth.
  bool isEvaluable(const AffineExpr& e) const;
  /// Which seeds are worth looking at where all of these are evaluated together, in block `at`.
  UniformStates uniformStates(std::span<const AffineExpr* const> together, BlockRef at) const;
  /// The value for one lane. Nothing when it is not evaluable or undefined for this lane (division
  /// by 0).
  std::optional<uint32_t> evaluate(const AffineExpr& e, const LaneContext& lane) const;
  /// The value that a seed chooses for a WorkgroupId, Induction or UniformOpaque term, and whether
  /// another seed might choose another.
  uint32_t sampleOf(uint32_t term, uint32_t seed) const;
  bool isOneOfSeveral(uint32_t term) const;

  /// A value that a term is given, whatever the term is.
  using Assignment = std::pair<uint32_t, uint32_t>;
  /// The value for the lane with this local id, when the terms in `assigned` have those values.
  /// Nothing when it depends on any other term that is not a function of the local id, or is
  /// undefined.
  std::optional<uint32_t> evaluate(const AffineExpr& e, const std::array<uint32_t, 3>& localId,
                                   std::span<const Assignment> assigned) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A condition under which a block runs: `condition` is true (or false, when `negated`). The
/// conjunction of all of them is necessary; it is not sufficient where a condition was not
/// understood.
struct BlockCondition {
  Id condition;
  bool negated = false;
};
/// Conditions on the dominating branches of `block`, outermost first: conditional branches with one
/// edge that dominates the block. Exact as a necessary condition. Conditions that ended a loop are
/// left out. Switches are left out. Nothing for a block that cannot be reached. `areAll` receives
/// whether nothing else keeps an invocation that runs the function from the block.
std::vector<BlockCondition> collectConditions(Analyses& analyses, BlockRef block,
                                              bool* areAll = nullptr);

/// True when a condition on the block is false whatever happens, given the Affine's subgroup size:
/// what is written for subgroups of another size never runs. For cost only.
bool isNeverRun(Analyses& analyses, Affine& affine, BlockRef block);

} // namespace lanewise
