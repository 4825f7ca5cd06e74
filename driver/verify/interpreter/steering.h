// Which values in memory would send a branch the way that it has not gone. A lane that has come to
// a branch still holds what its condition was computed from, so the computation is undone step by
// step: `a[i] * 3 + 1 == 12346` wants 12345 of the product, 4115 of the load, and the address is
// known. Fuzzers call it input-to-state correspondence (REDQUEEN; Aschermann et al., NDSS 2019).
#pragma once

#include "verify/interpreter/code/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise::driver::interpreter {

/// What a scalar in memory should hold.
struct WantedScalar {
  uint64_t address = 0; ///< as in memory.h
  uint32_t bytes = 4;
  uint64_t value = 0;
  bool operator==(const WantedScalar&) const = default;
};

class Steering {
public:
  /// The program must outlive it.
  explicit Steering(const Program& program);

  /// For a lane with these cells at `branch`, a Branch or Switch, to leave it by `edge`: all of
  /// them together. None where that is not known. `slack` asks for values further beyond a bound
  /// than the nearest one, which then are about so many steps away.
  std::vector<WantedScalar> wantedFor(const Instr& branch, uint32_t edge,
                                      std::span<const uint64_t> cells, uint32_t slack = 0) const;

private:
  const Program& program_;
  std::vector<uint32_t> writerStart_, writers_; ///< by cell: addresses of the code that write it
};

} // namespace lanewise::driver::interpreter
