// One way to make the shaders of a scenario.
#pragma once

#include "verify/scenario/expression.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise::driver {

struct Candidate {
  std::vector<std::string> passes; ///< flags of opt in order; none: the modules as they are
  std::vector<std::string> skip;   ///< PASS:GLOB
  bool freezes = false;            ///< specialization constants are fixed to the scenario's
  Parameters values;               ///< of the scenario's tunable parameters; none: the scenario's
  uint32_t subgroupSize = 0;       ///< that pipelines require; 0: as the scenario says

  bool operator==(const Candidate&) const = default;

  bool isOriginal() const { return *this == Candidate(); }
  /// The host must follow.
  bool isForHost() const { return freezes || !values.empty() || subgroupSize != 0; }
  /// "as it is", "-O --skip=pad-shared-memory:tile, wg = 64".
  std::string name() const;
  /// As it is typed: "-O --skip=pad-shared-memory:tile".
  std::string flags() const;
  /// Of two that are as fast as each other the one with less of it is kept.
  size_t complexity() const;
};

/// `-O` alone.
Candidate standardCandidate();

} // namespace lanewise::driver
