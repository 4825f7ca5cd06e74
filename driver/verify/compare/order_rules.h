// Outputs that depend on the order of invocations, and how they are compared all the same.
#pragma once

#include "verify/compare/compare.h"
#include "verify/compare/difference.h"
#include "verify/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// How outputs are compared that depend on the order in which invocations run: by the first of
/// these by which the original agrees with itself in all orders that were tried.
enum class OrderRule : uint8_t {
  InPlace,  ///< they do not: by the scenario's rule
  Multiset, ///< the same elements in any order
  Rounding, ///< floats up to what another order of their operations may do
  Parts,    ///< each scalar of the header and of the elements by a rule of its own
  Ignored   ///< not compared
};

/// An output of the original that depends on the order in which its invocations run.
struct OrderDependence {
  std::string buffer;
  OrderRule rule = OrderRule::Multiset;
  std::string example; ///< what two orders left, in one line
  /// With Parts, by scalar, first those of the header, then those of an element: how it is compared
  /// without the others.
  std::vector<OrderRule> parts = {};
  size_t headerParts = 0; ///< how many of them stand in the header
  /// With Parts: beside that, those scalars of an element that are compared are one element of a
  /// multiset.
  bool isJoint = false;
  /// Whatever the rule, so many bytes are compared in place, since no order changes them; reports
  /// say so where nothing else is compared.
  uint64_t deterministicBytes = 0;

  /// That of the buffer, or with Parts of one of them, numbered as for weaken().
  OrderRule ruleOf(std::optional<uint32_t> part) const;
  /// True when some of the buffer is not compared.
  bool leavesOut() const;
  /// Compares by the next weaker rule; with Parts the scalar `part` alone, or as many as there are
  /// for all of an element together.
  void weaken(const ScenarioBuffer& buffer, std::optional<uint32_t> part);
  /// The weaker of both, for the same buffer.
  void weakenAs(const OrderDependence& other);
};
/// "compared as a multiset" and so on, as reports say it.
std::string describe(const OrderDependence& dependence);
/// Of a buffer that is compared by Parts: how many of its bytes are not.
uint64_t bytesLeftOut(const OrderDependence& dependence, const ScenarioBuffer& buffer);

/// Some scalars of all elements, or one of the header, as a buffer of their own.
struct BufferPart {
  ScenarioBuffer buffer;
  std::vector<uint8_t> original, transformed;
};
BufferPart partOf(const ScenarioBuffer& buffer, std::span<const uint32_t> parts,
                  BufferContents original, BufferContents transformed);
/// The scalars of an element that are to be compared together; none where that says no more than
/// each by itself.
std::vector<uint32_t> jointParts(const OrderDependence& dependence);
/// Makes a difference between two parts one between the buffers. `part` as in
/// OrderDependence::weaken().
void placePart(BufferDifference& difference, const ScenarioBuffer& buffer, uint32_t part);

} // namespace lanewise::driver
