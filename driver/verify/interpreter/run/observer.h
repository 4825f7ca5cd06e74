// For profiles, and for what sends branches elsewhere (steering.h): what happens at each site, lane
// by lane. Events of one subgroup at one site that
// have the same `instance` happen together on a device.
#pragma once

#include "verify/interpreter/code/program.h"

#include <cstdint>
#include <span>

namespace lanewise::driver::interpreter {

struct AccessEvent {
  uint32_t workgroup = 0, subgroup = 0, lane = 0; ///< lane: LocalInvocationIndex
  uint32_t site = 0;
  uint64_t instance =
      0; ///< hash of call path and loop iterations, equal for lanes that are together
  MemoryClass memoryClass = kStorageClass;
  bool isWrite = false;
  uint64_t address = 0; ///< object and offset (memory.h)
  uint32_t bytes = 0; ///< of the whole vector or scalar; what lies in pieces has an event for each
};

struct BranchEvent {
  uint32_t workgroup = 0, subgroup = 0, lane = 0;
  uint32_t site = 0;
  uint64_t instance = 0;
  uint32_t target = 0; ///< where the lane goes on: an address of the code
  const Instr* branch = nullptr;
  std::span<const uint64_t> cells; ///< what the lane holds, as long as the call lasts
};

/// Called by one thread at a time; observing makes a dispatch run on one thread.
class Observer {
public:
  virtual ~Observer() = default;
  /// False: branches alone are of interest, and not which of them happen together.
  virtual bool asksForInstances() const { return true; }
  virtual void access(const AccessEvent&) {}
  /// A texel that OpImageWrite stores; accesses through texel pointers are access() like others.
  virtual void texel(const AccessEvent&) {}
  virtual void branch(const BranchEvent&) {}
  /// `arrivals` lanes met at a barrier of the workgroup, or of a subgroup, which has `lanes`.
  virtual void barrier(uint32_t /*workgroup*/, uint32_t /*site*/, uint32_t /*arrivals*/,
                       uint32_t /*lanes*/) {}
  virtual void endWorkgroup(uint32_t /*workgroup*/) {}
};

} // namespace lanewise::driver::interpreter
