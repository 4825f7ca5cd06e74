// From SPIR-V values to affine forms: follows definitions, built-ins, loads and phis for Affine.
#pragma once

#include "analysis/control_flow/loops.h"
#include "analysis/module/analyses.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/single_stores.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/affine_table.h"

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>

namespace lanewise {

class AffineWalk {
public:
  AffineWalk(Analyses& analyses, std::optional<std::array<uint32_t, 3>> workgroupSize,
             uint32_t subgroupSize, AffineTable& table);
  /// See Affine::of().
  const AffineExpr& of(Id value);

private:
  static constexpr uint32_t kMaxPath = 4;
  using Form = AffineTable::Form;

  /// A scalar value: `id`, or a part of the composite `id`.
  struct Place {
    Id id;
    uint32_t depth = 0;
    std::array<uint32_t, kMaxPath> path{};
    bool operator==(const Place&) const = default;
    std::span<const uint32_t> indices() const { return {path.data(), depth}; }
  };
  struct PlaceHash {
    size_t operator()(const Place& p) const;
  };
  /// The place `inner` of `id`, then `rest` inside it. Nothing if that is too deep.
  static std::optional<Place> placeOf(Id id, std::span<const uint32_t> outer,
                                      std::span<const uint32_t> rest);

  // The search. Forms are built from the operands' forms; get() gives null and takes note when one
  // is not there yet, and the caller gives up and is called again. So there is no recursion,
  // however long a chain of instructions is.
  uint32_t& slotOf(const Place& p);
  const AffineExpr* get(const Place& p);
  const AffineExpr* get(Id id) { return get(Place{id, 0, {}}); }
  Form formAt(const std::optional<Place>& p);
  void finish(const Place& p);
  Form build(const Place& p);
  AffineExpr opaque(const Place& p);
  AffineExpr opaque(Id id, std::span<const uint32_t> path, bool isUniform, uint32_t width);

  // Types. Bits of an integer of up to 32 bits, 1 for Boolean, 0 for anything else.
  Id typeAt(Id type, std::span<const uint32_t> path) const;
  uint32_t widthOf(const Place& p) const;
  uint32_t widthOfType(Id type) const;
  uint32_t vectorSize(Id value) const;

  // Constants.
  Form constantForm(const Place& p, InstRef def);
  std::optional<uint32_t> constantIndex(Id id) const;
  /// Value of a 32-bit constant that may be used for evaluation, and whether it is literal.
  struct Known {
    uint32_t value;
    bool isLiteral;
  };
  std::optional<Known> known(Id constant) const;
  std::optional<uint32_t> sizePart(Id constant);

  // Instructions. `base` is the word of the first operand.
  Form valueForm(const Place& p, InstRef def);
  Form operationForm(const Place& p, InstRef def, spv::Op op, uint32_t base, uint32_t width);
  Form arithmeticForm(spv::Op op, const AffineExpr& a, const AffineExpr& b, uint32_t width);
  Form shiftForm(spv::Op op, const AffineExpr& a, const AffineExpr& b, uint32_t width);
  Form comparisonForm(spv::Op op, const AffineExpr& a, const AffineExpr& b, uint32_t width);
  Form conversionForm(const Place& p, spv::Op op, Place from, uint32_t width);
  Form selectForm(const Place& p, InstRef def, uint32_t base);
  Form bitFieldForm(const Place& p, InstRef def, spv::Op op, uint32_t base, uint32_t width);
  Form reductionForm(InstRef def, spv::Op op, uint32_t base);
  Form clampForm(uint32_t instruction, const AffineExpr& value, const AffineExpr& low,
                 const AffineExpr& high);
  Form glslForm(const Place& p, InstRef def, uint32_t width);
  bool isCompositeOp(spv::Op op) const;
  std::optional<Place> compositeSource(const Place& p, InstRef def, spv::Op op,
                                       uint32_t base) const;
  std::optional<Place> constructSource(const Place& p, InstRef def, uint32_t base) const;
  Place operand(const Place& p, InstRef def, uint32_t word) const;

  // Memory and built-ins.
  Form loadForm(const Place& p, InstRef load);
  Form builtInForm(Id variable, spv::BuiltIn builtIn, std::span<const uint32_t> path,
                   uint32_t width);
  AffineExpr localId(uint32_t component);
  AffineExpr workgroupId(uint32_t component);
  Form parameterForm(const Place& p, InstRef def);

  // Phis.
  struct Incoming {
    Id value;
    BlockRef from;
  };
  /// Edges from reachable blocks.
  std::vector<Incoming> incomingOf(InstRef phi) const;
  Form phiForm(const Place& p, InstRef phi);
  Form joinForm(const Place& p, BlockRef block, std::span<const Incoming> incoming);
  Form inductionForm(const InductionVariable& induction, const Loop& loop);
  std::optional<uint32_t> iterationTerm(const Loop& loop);
  Form recurrenceForm(InstRef phi, const Loop& loop, std::span<const Incoming> incoming);

  /// A branch that leaves a loop, made in each of its iterations.
  struct Test {
    Id condition;
    bool staysOnTrue = false;
    BlockRef next; ///< where the loop goes on
    BlockRef stay; ///< `next`, when it is reached only by going on; null otherwise
  };
  std::vector<Test> testsOf(const Loop& loop) const;
  std::optional<uint32_t> mostIterations(const Loop& loop, const Test& test, bool& isLiteral);
  Id sideWith(InstRef join, Id phi, uint32_t phiValue, uint32_t depth, bool& isLiteral) const;
  std::optional<uint32_t> evaluateWith(Id value, Id phi, uint32_t phiValue, uint32_t depth,
                                       bool& isLiteral) const;

  const Uniformity& uniformity() { return uniformityOf(analyses_); }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  std::optional<std::array<uint32_t, 3>> size_;
  uint32_t subgroupSize_;
  AffineTable& table_;
  SingleStores singleStores_;

  std::deque<AffineExpr> forms_;
  /// See slotOf(). A map, since there may be one Affine for each of many entry points, and each
  /// looks at few of the module's values.
  std::unordered_map<Id, uint32_t> slots_;
  std::unordered_map<Place, uint32_t, PlaceHash> partSlots_;
  std::vector<Place> missing_;                            ///< what the form at hand waits for
  bool dependsOnSpec_ = false;                            ///< of the form at hand
  std::unordered_map<BlockRef, uint32_t> iterationTerms_; ///< by header
};

} // namespace lanewise
