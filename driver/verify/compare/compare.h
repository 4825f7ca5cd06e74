// Whether two runs left the same in a buffer.
#pragma once

#include "verify/compare/difference.h"
#include "verify/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lanewise::driver {

/// A buffer or an image that is compared.
struct ComparedResource {
  std::string name, type; ///< type: that of an element, such as "u32x2"; of an image its texel's
  uint64_t elements = 0, bytes = 0;
  std::string rule; ///< by which it is compared: "bitwise", "4 ulps"
  bool isImage = false;
};

/// What a run left in a buffer.
struct BufferContents {
  std::span<const uint8_t> bytes;
  /// The byte that the buffer was filled with beforehand, if it was poisoned. A scalar made of that
  /// byte alone counts as not written; the two poison patterns tell a lucky value from an unwritten
  /// one.
  std::optional<uint8_t> poison;
};

/// Compares by `buffer.compare`; nothing when they agree. Both must be as long as the buffer.
///   exact      all bits: NaNs with different payloads differ (unless CompareExact::anyNan),
///              0 and -0 differ
///   ulp        floats: at most `ulps` representable values apart; every NaN equals every NaN, 0
///   equals -0,
///              an infinity only itself. Integers: exact
///   tolerance  |a-b| <= max(absolute, relative * max(|a|, |b|)), floats and integers; NaN and
///   infinity as ulp multiset   the same elements, bit for bit, in any order; a header is compared
///   exactly and in place none       always agrees
/// A scalar that neither side wrote agrees by every rule.
std::optional<BufferDifference>
compareContents(const ScenarioBuffer& buffer, BufferContents original, BufferContents transformed);

/// What a report says of a buffer that is compared.
ComparedResource describeCompared(const ScenarioBuffer& buffer);

/// Distance in representable values between two floats of `type` that are no NaN; UINT64_MAX when
/// just one is infinite or they are infinities of different sign.
uint64_t ulpDistance(ScalarType type, const uint8_t* a, const uint8_t* b);
/// How far apart two values may be.
double allowedBy(const CompareTolerance& tolerance, double a, double b);
/// The same of integers that are `apart`, without rounding.
bool allows(const CompareTolerance& tolerance, double a, double b, uint64_t apart);

} // namespace lanewise::driver
