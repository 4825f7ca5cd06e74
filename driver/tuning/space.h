// What is worth a try (docs/design/tuning.md).
#pragma once

#include "lanewise/remarks.h"
#include "tuning/candidate.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What the space is made of.
struct SpaceFacts {
  /// Of the entry points that are dispatched.
  std::vector<std::array<uint32_t, 3>> workgroupSizes;
  bool hasSpecConstants = false;
  bool hasSubgroupOperations = false;
  std::vector<uint32_t> subgroupSizes; ///< that pipelines may require, where there are several
  std::vector<std::string> passes;     ///< that may take part, by their flags; none: all
  bool mayAskHost = true;              ///< whether anything may be tried that the host must follow

  bool allows(std::string_view pass) const;
};

/// Standard pipelines, modes of passes, coarsening factors: nothing that the host must follow. The
/// modules as they are and `-O` come first.
std::vector<Candidate> firstCandidates(const SpaceFacts& facts);

/// One step from `from`: without a single rewrite of those in `remarks`, without a pass, with
/// another mode of one.
std::vector<Candidate> neighbours(const SpaceFacts& facts, const Candidate& from,
                                  const Remarks& remarks);

/// What the host must follow: these values of tunable parameters, constants fixed in the module,
/// layouts of buffers. Values come with the passes of `best`, and where there are few with others,
/// too.
std::vector<Candidate> hostCandidates(const SpaceFacts& facts, std::span<const Parameters> values,
                                      const Candidate& best);

/// One step from `from`, of those with the host's help: other passes for the same values, constants
/// fixed as well, and coarsening where only that allows it.
std::vector<Candidate> hostNeighbours(const SpaceFacts& facts, const Candidate& from);

/// Coarsening factors that divide a workgroup's size: powers of two and three, few enough to keep
/// registers, along x and y. "2,4,1".
std::vector<std::string> coarseningFactors(std::span<const std::array<uint32_t, 3>> sizes);

} // namespace lanewise::driver
