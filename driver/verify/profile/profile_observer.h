// Counts what the lanes of a subgroup do together. The interpreter runs lane after lane: what
// belongs to one execution is gathered until all lanes of the subgroup were there, or none can come
// any more.
#pragma once

#include "lanewise/target_profile.h"
#include "verify/interpreter/run/observer.h"
#include "verify/profile/profile.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// What was counted at one site of a program; places and names are filled in by others.
struct SiteCounts {
  AccessProfile loads, stores; ///< atomics count as `stores`
  BranchProfile branch;
  BarrierProfile barrier;
};

class ProfileObserver final : public interpreter::Observer {
public:
  /// `isStorage`: by buffer of the dispatch, whether it is a storage buffer. Accesses of others and
  /// of push constants are not counted.
  ProfileObserver(const interpreter::Program& program, const TargetProfile& target,
                  std::vector<bool> isStorage, std::map<uint32_t, SiteCounts>& counts);

  void access(const interpreter::AccessEvent& event) override;
  void branch(const interpreter::BranchEvent& event) override;
  void barrier(uint32_t workgroup, uint32_t site, uint32_t arrivals, uint32_t lanes) override;
  void endWorkgroup(uint32_t workgroup) override;
  uint64_t workgroups() const { return workgroups_; }

private:
  struct Key {
    uint64_t instance = 0;
    uint32_t site = 0, subgroup = 0;
    bool isWrite = false, isShared = false;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t parts = (uint64_t(key.site) << 32 | key.subgroup) ^
                       (uint64_t(key.isWrite) << 62 | uint64_t(key.isShared) << 63);
      return size_t(key.instance ^ parts * 0x9E3779B97F4A7C15u);
    }
  };
  struct Access {
    uint32_t lanes = 0, bytes = 0;
    std::vector<uint64_t> addresses; ///< by lane of the subgroup
  };
  struct Branch {
    uint32_t lanes = 0, target = 0;
    bool isDivergent = false;
  };

  uint32_t lanesOf(uint32_t subgroup) const;
  void finish(const Key& key, Access& access);
  void finish(const Key& key, const Branch& branch);
  void finishAll();
  void countShared(AccessProfile& to, const Access& access);
  void countStorage(AccessProfile& to, const Access& access);

  const interpreter::Program& program_;
  const TargetProfile& target_;
  std::vector<bool> isStorage_;
  std::map<uint32_t, SiteCounts>& counts_;
  uint32_t laneCount_ = 0;
  uint64_t workgroups_ = 0;
  std::unordered_map<Key, Access, Hash> accesses_;
  std::unordered_map<Key, Branch, Hash> branches_;
  std::vector<std::vector<uint64_t>> spare_; ///< storage of finished accesses
  std::vector<uint64_t> sorted_;
};

} // namespace lanewise::driver
