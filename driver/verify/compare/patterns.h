// What the elements of a buffer that differ have in common, in words: a line that says where a
// rewrite went wrong. A pattern is named only where it holds for every one of them and would hardly
// do so by chance.
#pragma once

#include "verify/compare/difference.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What two scalars that differ may have about them: bits.
enum ValueTrait : uint8_t {
  kUnwrittenByOriginal = 1,
  kUnwrittenByTransformed = 2,
  kOriginalNan = 4,
  kTransformedNan = 8,
  kNegative = 16 ///< the original's
};

/// Gathers the elements that differ while they are found, in ascending order.
class DifferenceTally {
public:
  /// Elements that are kept one by one; of more, only that all differ is known.
  static constexpr size_t kMostListed = size_t(1) << 20;

  explicit DifferenceTally(BufferDifference& difference) : difference_(difference) {}
  /// True for the first.
  bool add(const DifferingElement& element, uint8_t traits);
  /// Fills in what they have in common. `shareOf` gives the share of all elements that have
  /// kOriginalNan or kNegative: it is asked only where all that differ have it.
  void finish(const std::function<double(uint8_t trait)>& shareOf);

private:
  BufferDifference& difference_;
  uint8_t common_ = 0xFF;
};

/// "every 32nd from 31", "elements 960-999, the last 40", "all"; empty: nothing. Of the elements
/// `listed` in the difference.
std::string indexPattern(const BufferDifference& difference);

/// Who wrote an element: linear workgroup and LocalInvocationIndex.
struct Invocation {
  uint32_t workgroup = 0, lane = 0;
};

/// The dispatch that wrote the buffer.
struct WriterGrid {
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t lanes = 1;                 ///< of a workgroup
  std::vector<bool> wrote, laneWrote; ///< by workgroup and by lane: stored to this buffer at all
};

/// "only invocation 0 of each workgroup", "only the last workgroup"; empty: nothing. `writers` has
/// one for each element that differs.
std::string invocationPattern(std::span<const Invocation> writers, const WriterGrid& grid);

/// The pattern of a difference where invocations have one too: "elements 960-999: only the
/// last workgroup".
std::string withInvocations(const BufferDifference& difference, const std::string& invocations);

} // namespace lanewise::driver
