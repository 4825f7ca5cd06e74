#include "verify/profile/profile_observer.h"

#include "analysis/shared_memory/bank_conflicts.h"
#include "verify/interpreter/run/memory.h"

#include <algorithm>
#include <optional>

namespace lanewise::driver {

using namespace interpreter;

namespace {

constexpr uint64_t kInactive = UINT64_MAX;

} // namespace

ProfileObserver::ProfileObserver(const interpreter::Program& program, const TargetProfile& target,
                                 std::vector<bool> isStorage,
                                 std::map<uint32_t, SiteCounts>& counts)
    : program_(program), target_(target), isStorage_(std::move(isStorage)), counts_(counts) {
  const std::array<uint32_t, 3>& size = program.workgroupSize;
  laneCount_ = size[0] * size[1] * size[2];
}

// The last subgroup of a workgroup may have fewer.
uint32_t ProfileObserver::lanesOf(uint32_t subgroup) const {
  return std::min(target_.subgroupSize, laneCount_ - subgroup * target_.subgroupSize);
}

void ProfileObserver::access(const AccessEvent& event) {
  bool isShared = event.memoryClass == kWorkgroupClass;
  uint32_t object = objectOf(event.address);
  if (!isShared && (object > isStorage_.size() || !isStorage_[object - 1])) return;
  Key key{event.instance, event.site, event.subgroup, event.isWrite, isShared};
  auto [at, isNew] = accesses_.try_emplace(key);
  Access& access = at->second;
  if (isNew) {
    if (!spare_.empty()) {
      access.addresses = std::move(spare_.back());
      spare_.pop_back();
    }
    access.addresses.assign(target_.subgroupSize, kInactive);
    access.bytes = event.bytes;
  }
  access.addresses[event.lane - event.subgroup * target_.subgroupSize] = event.address;
  if (++access.lanes < lanesOf(event.subgroup)) return;
  finish(key, access);
  accesses_.erase(at);
}

void ProfileObserver::branch(const BranchEvent& event) {
  Key key{event.instance, event.site, event.subgroup, false, false};
  auto [at, isNew] = branches_.try_emplace(key);
  Branch& branch = at->second;
  if (isNew) branch.target = event.target;
  branch.isDivergent |= branch.target != event.target;
  if (++branch.lanes < lanesOf(event.subgroup)) return;
  finish(key, branch);
  branches_.erase(at);
}

void ProfileObserver::barrier(uint32_t, uint32_t site, uint32_t arrivals, uint32_t lanes) {
  BarrierProfile& to = counts_[site].barrier;
  to.arrivals.add(arrivals);
  to.lanes = std::max(to.lanes, lanes);
  to.incomplete += arrivals < lanes;
  // No lane comes back to what is before a barrier that all have reached.
  if (arrivals == laneCount_) finishAll();
}

void ProfileObserver::endWorkgroup(uint32_t) {
  finishAll();
  ++workgroups_;
}

// Sums and extremes: the order of the hash tables does not show.
void ProfileObserver::finishAll() {
  for (auto& [key, access] : accesses_) finish(key, access);
  for (const auto& [key, branch] : branches_) finish(key, branch);
  accesses_.clear();
  branches_.clear();
}

void ProfileObserver::finish(const Key& key, const Branch& branch) {
  BranchProfile& to = counts_[key.site].branch;
  to.lanes.add(branch.lanes);
  to.divergent += branch.isDivergent;
}

void ProfileObserver::finish(const Key& key, Access& access) {
  SiteCounts& site = counts_[key.site];
  AccessProfile& to = key.isWrite ? site.stores : site.loads;
  to.bytes = std::max(to.bytes, access.bytes);
  to.lanes.add(access.lanes);
  if (key.isShared)
    countShared(to, access);
  else
    countStorage(to, access);
  if (isAtomic(program_.facts(key.site))) {
    sorted_.clear();
    for (uint64_t address : access.addresses)
      if (address != kInactive) sorted_.push_back(address);
    std::sort(sorted_.begin(), sorted_.end());
    uint64_t most = 0, run = 0;
    for (size_t n = 0; n < sorted_.size(); ++n) {
      run = n != 0 && sorted_[n] == sorted_[n - 1] ? run + 1 : 1;
      most = std::max(most, run);
    }
    to.contention.add(most);
  }
  spare_.push_back(std::move(access.addresses));
}

void ProfileObserver::countShared(AccessProfile& to, const Access& access) {
  std::vector<std::optional<uint64_t>> addresses(access.addresses.size());
  for (size_t n = 0; n < addresses.size(); ++n)
    if (access.addresses[n] != kInactive) addresses[n] = access.addresses[n];
  BankConflicts conflicts = countBankConflicts(target_, addresses, access.bytes);
  to.degree.add(conflicts.degree);
  to.cycles += conflicts.cycles;
  to.cleanCycles += conflicts.phases;
}

void ProfileObserver::countStorage(AccessProfile& to, const Access& access) {
  sorted_.clear();
  for (uint64_t address : access.addresses)
    if (address != kInactive) sorted_.push_back(address);
  std::sort(sorted_.begin(), sorted_.end());
  uint64_t sector = std::max(target_.sectorBytes, 1u);
  uint64_t sectors = 0, nextSector = 0, nextByte = 0; // what comes before them is counted
  for (uint64_t address : sorted_) {
    uint64_t end = address + access.bytes;
    uint64_t first = std::max(address / sector, nextSector);
    nextSector = std::max(nextSector, (end - 1) / sector + 1);
    sectors += nextSector - first;
    to.usedBytes += end - std::min(end, std::max(address, nextByte));
    nextByte = std::max(nextByte, end);
  }
  to.sectors.add(sectors);
}

} // namespace lanewise::driver
