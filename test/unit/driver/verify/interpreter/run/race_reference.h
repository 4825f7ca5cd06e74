// Data races of one execution, by the word of the Vulkan specification's appendix Memory Model:
// every operation and every pair of them is looked at, and nothing is kept short. It shares nothing
// with the interpreter.
//
// Left out: other storage classes than two, host and device domains, chains of availability through
// several domains (an availability operation counts for all of them).
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace lanewise::test::reference {

enum class Scope : uint8_t { Invocation, Subgroup, Workgroup, Device };
enum class What : uint8_t { Access, Fence, Barrier };

struct Agent {
  uint32_t workgroup = 0, lane = 0, subgroup = 0; ///< subgroup: within its workgroup
  bool operator==(const Agent&) const = default;
};

/// The smallest scope whose instance has both.
inline Scope scopeOf(const Agent& a, const Agent& b) {
  if (a == b) return Scope::Invocation;
  if (a.workgroup != b.workgroup) return Scope::Device;
  return a.subgroup == b.subgroup ? Scope::Subgroup : Scope::Workgroup;
}

/// A dynamic instance. `classes` and the like have a bit for each storage class.
struct Operation {
  What what{};
  Agent agent;
  uint32_t step = 0; ///< of the program
  // Accesses.
  bool reads = false, writes = false, isAtomic = false, isModify = false;
  uint8_t storage = 0; ///< one bit
  uint32_t location = 0;
  int readsFrom = -1; ///< the operation that wrote what is read
  bool isPrivate = false, isAvailable = true, isVisible = true; ///< memory operands
  // Atomics, fences, barriers.
  Scope scope{};
  uint8_t semantics = 0; ///< storage classes
  bool acquires = false, releases = false;
  bool makesAvailable = true, makesVisible = true;
  // Control barriers.
  uint32_t instance = 0; ///< the same for all that meet there
  Scope execution{};

  bool isBarrier() const { return what != What::Access; }
  bool names(uint8_t storageClass) const { return semantics & storageClass; }
};

class Execution {
public:
  static constexpr size_t kMost = 512;
  /// Pairs of indices, earlier first.
  using Races = std::set<std::pair<size_t, size_t>>;

  /// In the order in which they were executed.
  explicit Execution(std::vector<Operation> operations) : all_(std::move(operations)) {
    n_ = all_.size();
    for (size_t n = 0; n < n_; ++n) {
      if (all_[n].isAtomic) atomics_.push_back(n);
      if (all_[n].what == What::Barrier) barriers_.push_back(n);
    }
    findSynchronizesWith();
    for (uint8_t storage : {1, 2}) findHappensBefore(storage);
  }

  Races races() const {
    Races found;
    for (size_t x = 0; x < n_; ++x)
      for (size_t y = x + 1; y < n_; ++y)
        if (conflict(x, y) && !isLocationOrdered(x, y)) found.insert({x, y});
    return found;
  }

private:
  using Row = std::bitset<3 * kMost>;

  bool isBefore(size_t a, size_t b) const { return a < b && all_[a].agent == all_[b].agent; }
  bool isInScopes(size_t a, size_t b) const {
    return std::min(all_[a].scope, all_[b].scope) >= scopeOf(all_[a].agent, all_[b].agent);
  }
  bool areMutuallyOrdered(size_t a, size_t b) const {
    return a != b && all_[a].isAtomic && all_[b].isAtomic && all_[a].location == all_[b].location &&
           isInScopes(a, b);
  }
  bool conflict(size_t x, size_t y) const {
    const Operation &a = all_[x], &b = all_[y];
    return a.what == What::Access && b.what == What::Access && a.location == b.location &&
           (a.writes || b.writes) && !areMutuallyOrdered(x, y);
  }

  // Whether `read` reads the value of `write` or of one in the release sequence that it heads.
  bool readsSequence(size_t write, size_t read) const {
    if (!areMutuallyOrdered(write, read)) return false;
    if (all_[read].readsFrom == int(write)) return true;
    for (size_t next = write + 1; next < read; ++next) {
      if (!all_[next].writes || !areMutuallyOrdered(write, next)) continue;
      if (!all_[next].isModify) return false;
      if (all_[read].readsFrom == int(next)) return true;
    }
    return false;
  }

  bool synchronizes(size_t a, size_t b) const {
    const Operation &from = all_[a], &to = all_[b];
    if (!from.releases || !to.acquires || a == b) return false;
    if (!from.isBarrier() && !to.isBarrier()) return from.writes && to.reads && readsSequence(a, b);
    if (!isInScopes(a, b)) return false;
    for (size_t x : atomics_) {
      const Operation& write = all_[x];
      if (!write.writes) continue;
      if (from.isBarrier() ? !isBefore(a, x) || !from.names(write.storage) : x != a) continue;
      for (size_t y : atomics_) {
        const Operation& read = all_[y];
        if (!read.reads) continue;
        if (to.isBarrier() ? !isBefore(y, b) || !to.names(read.storage) : y != b) continue;
        if (readsSequence(x, y)) return true;
      }
    }
    return from.isBarrier() && to.isBarrier() && meet(a, b);
  }

  // "C is a control barrier (where A can equal C, and B can equal C)".
  bool meet(size_t a, size_t b) const {
    for (size_t c : barriers_) {
      if (c != a && !isBefore(a, c)) continue;
      for (size_t d : barriers_)
        if (all_[d].instance == all_[c].instance && (d == b || isBefore(d, b)) &&
            all_[d].execution >= scopeOf(all_[a].agent, all_[b].agent))
          return true;
    }
    return false;
  }

  void findSynchronizesWith() {
    for (size_t a = 0; a < n_; ++a)
      for (size_t b = 0; b < n_; ++b)
        if (synchronizes(a, b)) synchronizes_.push_back({a, b});
  }

  // Each operation is three nodes: itself, then its availability operation, which is in front of
  // it, and its visibility operation, which is behind it. These two are memory operations.
  size_t available(size_t a) const { return n_ + a; }
  size_t visible(size_t a) const { return 2 * n_ + a; }

  void findHappensBefore(uint8_t storage) {
    std::vector<Row>& before = happensBefore_[storage - 1];
    before.assign(3 * n_, Row());
    for (auto [a, b] : synchronizes_)
      if (all_[a].names(storage) && all_[b].names(storage)) before[a].set(b);
    for (size_t a = 0; a < n_; ++a)
      for (size_t b = 0; b < n_; ++b) {
        const Operation &x = all_[a], &y = all_[b];
        const bool takesPart = (x.what == What::Access && x.storage == storage) || x.names(storage);
        const bool isTaken = (y.what == What::Access && y.storage == storage) || y.names(storage);
        if (isBefore(a, b)) {
          if (takesPart && y.releases && y.names(storage)) before[a].set(b);
          if (x.acquires && x.names(storage) && isTaken) before[a].set(b);
        }
        // The availability operation of a stands in front of a, the visibility operation behind.
        const bool isReached = a == b || isBefore(a, b);
        if (isReached && y.releases && y.names(storage)) before[available(a)].set(b);
        if (isReached && x.acquires && x.names(storage)) before[a].set(visible(b));
      }
    for (size_t via = 0; via < 3 * n_; ++via)
      for (size_t a = 0; a < 3 * n_; ++a)
        if (before[a].test(via)) before[a] |= before[via];
  }

  bool isLocationOrdered(size_t x, size_t y) const {
    const Operation &a = all_[x], &b = all_[y];
    if (a.agent == b.agent) return true;
    if (a.isPrivate || b.isPrivate) return false;
    const std::vector<Row>& before = happensBefore_[a.storage - 1];
    if (!a.writes) return before[x].test(y);
    for (size_t from : availabilityOperations(x))
      for (size_t to : b.reads && !b.isAtomic ? visibilityOperations(y) : std::vector<size_t>{y})
        if (before[from].test(to)) return true;
    return false;
  }

  std::vector<size_t> availabilityOperations(size_t x) const {
    std::vector<size_t> nodes;
    if (all_[x].isAtomic || all_[x].isAvailable) nodes.push_back(x);
    for (size_t a = 0; a < n_; ++a)
      if (isBefore(x, a) && all_[a].releases && all_[a].makesAvailable &&
          all_[a].names(all_[x].storage) && all_[a].scope != Scope::Invocation)
        nodes.push_back(available(a));
    return nodes;
  }

  std::vector<size_t> visibilityOperations(size_t y) const {
    std::vector<size_t> nodes;
    if (all_[y].isVisible) nodes.push_back(y);
    for (size_t a = 0; a < n_; ++a)
      if (isBefore(a, y) && all_[a].acquires && all_[a].makesVisible &&
          all_[a].names(all_[y].storage) && all_[a].scope != Scope::Invocation)
        nodes.push_back(visible(a));
    return nodes;
  }

  std::vector<Operation> all_;
  size_t n_ = 0;
  std::vector<size_t> atomics_, barriers_;
  std::vector<std::pair<size_t, size_t>> synchronizes_;
  std::vector<Row> happensBefore_[2]; ///< by storage class
};

} // namespace lanewise::test::reference
