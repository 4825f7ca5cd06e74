// --eliminate-redundant-barriers: delete or merge barriers, and drop semantics, that nothing needs
//
// What: a barrier keeps what one invocation of a workgroup does to memory before it apart from what
// another one does behind it. The pass looks, for each barrier and each class of memory (Workgroup,
// buffers, images), at the stretches of code up to the nearest barriers that do the same, over all
// paths, back edges and calls. Where no two invocations can meet at one location across it, the
// barrier goes; where they cannot meet in one class, that class goes out of its semantics. Barriers
// with nothing between them become one. This is repeated until nothing changes.
//
// Legal when: judge() finds no reason to keep it. The reasons are the names in `Reason`;
// DESIGN 5.1, docs/passes/eliminate-redundant-barriers.md.
//
// Pays when: always. Nothing is moved, split or added, and no execution scope is weakened.
//
// Before => After:
//
//     OpStore %own %x                             OpStore %own %x
//     OpControlBarrier %wg %wg %shared      =>    %y = OpLoad %float %own
//     %y = OpLoad %float %own
//
//     OpMemoryBarrier %device %buffers      =>    OpControlBarrier %wg %device %shared_buffers
//     OpControlBarrier %wg %wg %shared
//
// Not handled: barriers in control flow that is not proved to be uniform stay as they are; elements
// of images and what physical pointers reach are not told apart; a workgroup size that is not
// literal proves nothing.
//
// Reference: SPIR-V 3.42.20 (barriers), 3.32 (memory semantics); Vulkan, Memory Model;
// docs/design/barriers.md.

#include "analysis/barrier_flow.h"
#include "analysis/barriers.h"
#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/entry_points.h"
#include "analysis/invocation_conflicts.h"
#include "analysis/loops.h"
#include "analysis/memory_effects.h"
#include "analysis/source_lines.h"
#include "analysis/uniformity.h"
#include "ir/rewriter.h"
#include "pass.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-redundant-barriers";
/// Pairs of accesses that are compared for one barrier and class; with more, it stays.
constexpr size_t kMaxPairs = 1 << 16;

constexpr uint32_t kVisibilityBits = uint32_t(spv::MemorySemanticsMask::MakeAvailable) |
                                     uint32_t(spv::MemorySemanticsMask::MakeVisible) |
                                     uint32_t(spv::MemorySemanticsMask::Volatile);

// ---- data ----

/// A barrier of the module, and what has become of it.
struct Site {
  Barrier barrier; ///< as it is now
  std::string name;
  bool isAlive = true;
  bool isRefused = false; ///< maySite() said no once: nothing more is done to it
  uint32_t droppedClasses = 0;
  bool isWidened = false;
  std::string proof;     ///< of a removed one
  std::string removedAs; ///< name of its remark
};

/// Why a barrier stays.
enum class Reason : uint8_t {
  None,
  UnknownScope,
  DivergentFlow,
  Conflict,    ///< two invocations may meet
  Aliased,     ///< through variables that may be one memory
  Publication, ///< what the workgroup wrote is announced to others, or the mirror case
  Convergence, ///< subgroup operations behind it
  TooLarge
};

struct Pair {
  const MemoryAccess* before = nullptr;
  const MemoryAccess* behind = nullptr;
};

/// What one entry point says of one barrier.
struct Verdict {
  Reason reason = Reason::None; ///< why the barrier as a whole stays
  Pair pair;                    ///< Conflict, Aliased, Publication
  InstRef place;                ///< Convergence: the operation; DivergentFlow: the branch
  uint32_t neededClasses = 0;   ///< mask of 1 << MemoryClass: bits of the semantics that stay
  // What the proof consists of.
  bool touchesBefore = false, touchesBehind = false;
  size_t ownPairs = 0, apartPairs = 0;
  std::vector<uint32_t> neighbours; ///< sites
};

// ---- one entry point ----

/// Judges the barriers of one entry point against the state of all sites.
class Judge {
public:
  Judge(Analyses& analyses, const MemoryEffects& effects, const EntryPoint& entry,
        std::vector<Site>& sites);

  /// The barriers that the entry point may run, as numbers of sites.
  const std::vector<uint32_t>& sites() const { return siteOf_; }
  Verdict judge(uint32_t barrier);
  /// Whether nothing stands between two barriers, the second right behind the first.
  bool areAdjacent(uint32_t first, uint32_t second) const;
  bool isUniform(uint32_t barrier) const;

private:
  /// What a neighbour must do in order to do what the barrier does.
  struct Strength {
    int execution = 0, memory = 0;
    uint32_t flags = 0;
  };
  /// One class of memory around one barrier.
  struct View {
    MemoryClass memory{};
    /// False where nothing but the wait itself orders the class: then only what is certain to be
    /// one variable counts, and any barrier that waits does the same.
    bool isOrdered = false;
    BarrierFlow::Stops stops;
    BarrierFlow::Region before, behind;
    std::map<std::pair<const Loop*, bool>, std::vector<Crossings>> crossings;
  };
  struct Touch {
    const MemoryAccess* access;
    uint32_t segment;
  };

  Site& site(uint32_t barrier) { return sites_[siteOf_[barrier]]; }
  const Site& site(uint32_t barrier) const { return sites_[siteOf_[barrier]]; }
  bool waits(uint32_t barrier, int execution) const;
  bool covers(uint32_t barrier, MemoryClass memory, const Strength& strength) const;
  bool findFences(uint32_t barrier, MemoryClass memory, const BarrierFlow::Region& region,
                  Strength& strength) const;
  View view(uint32_t barrier, MemoryClass memory, const BarrierFlow::Region& before,
            const BarrierFlow::Region& behind) const;
  std::vector<Touch> touches(const View& view, const BarrierFlow::Region& region) const;
  void judgeClass(uint32_t barrier, View& view, Verdict& verdict);
  struct Signs {
    const MemoryAccess* access = nullptr; ///< of the class
    const MemoryAccess* write = nullptr;  ///< the same
    const MemoryAccess* event = nullptr;  ///< see isEvent()
    bool hasFarFence = false;
  };
  Signs signsOf(uint32_t barrier, const View& view, const BarrierFlow::Region& region) const;
  void judgePublication(uint32_t barrier, const View& view, Verdict& verdict) const;
  bool isEvent(const MemoryAccess& access, bool isFence) const;
  InstRef findSubgroupOperation(const BarrierFlow::Region& region) const;
  Crossings crossingsOf(uint32_t barrier, View& view, const Touch& x, const Touch& y,
                        const Loop& loop);

  Analyses& analyses_;
  const Module& module_;
  const MemoryEffects& effects_;
  std::vector<Site>& sites_;
  BarrierFlow flow_;
  InvocationConflicts conflicts_;
  std::vector<uint32_t> siteOf_; ///< by barrier of flow_
};

Judge::Judge(Analyses& analyses, const MemoryEffects& effects, const EntryPoint& entry,
             std::vector<Site>& sites)
    : analyses_(analyses), module_(analyses.module()), effects_(effects), sites_(sites),
      flow_(analyses, entry), conflicts_(analyses, effects, entry) {
  for (const Barrier& b : flow_.barriers()) {
    auto at = std::lower_bound(sites.begin(), sites.end(), b.inst,
                               [](const Site& s, InstRef i) { return s.barrier.inst < i; });
    siteOf_.push_back(uint32_t(at - sites.begin()));
  }
}

// ---- predicates ----

/// A barrier at which invocations wait for one another, at least over `execution`.
bool Judge::waits(uint32_t barrier, int execution) const {
  const Site& s = site(barrier);
  return s.isAlive && s.barrier.isControl && s.barrier.isKnown &&
         rankOf(s.barrier.execution) >= execution;
}

bool Judge::covers(uint32_t barrier, MemoryClass memory, const Strength& strength) const {
  const Site& s = site(barrier);
  // Workgroup memory is nowhere else.
  const int reach = memory == MemoryClass::Workgroup ? std::min(strength.memory, kWorkgroupRank)
                                                     : strength.memory;
  bool isOrdering = s.barrier.orders(memory);
  // What is seen through a buffer and through an image needs both.
  if (effects_.buffersMeetImages() && memory != MemoryClass::Workgroup)
    isOrdering = s.barrier.orders(MemoryClass::Buffer) && s.barrier.orders(MemoryClass::Image);
  return waits(barrier, strength.execution) && isOrdering && rankOf(s.barrier.memory) >= reach &&
         (s.barrier.semantics & strength.flags) == strength.flags;
}

bool Judge::isUniform(uint32_t barrier) const {
  const BlockRef block = module_.blockOf(site(barrier).barrier.inst);
  const bool isSubgroup =
      site(barrier).barrier.isControl && rankOf(site(barrier).barrier.execution) == kSubgroupRank;
  return analyses_.uniformity(isSubgroup ? UniformScope::Subgroup : UniformScope::Workgroup)
      .isUniform(block);
}

bool Judge::areAdjacent(uint32_t first, uint32_t second) const {
  return flow_.areAdjacent(first, second,
                           [&](const Segment& s) { return effects_.in(s.insts).empty(); });
}

/// Whether a fence or an atomic in the region orders the class as well, so that the wait completes
/// it. Raises `strength` to what they do.
bool Judge::findFences(uint32_t barrier, MemoryClass memory, const BarrierFlow::Region& region,
                       Strength& strength) const {
  bool isFound = false;
  for (uint32_t b : region.passed) {
    const Site& s = site(b);
    if (b == barrier || !s.isAlive) continue;
    if (s.barrier.isKnown && !s.barrier.touches(memory)) continue;
    isFound = true;
    strength.memory = std::max(strength.memory, s.barrier.isKnown ? rankOf(s.barrier.memory) : 5);
    strength.flags |= s.barrier.semantics & kVisibilityBits;
  }
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts))
      if ((a.orderedClasses >> uint32_t(memory) & 1) != 0) {
        isFound = true;
        if (a.isDeviceAtomic) strength.memory = std::max(strength.memory, 5);
      }
  return isFound;
}

Judge::View Judge::view(uint32_t barrier, MemoryClass memory, const BarrierFlow::Region& before,
                        const BarrierFlow::Region& behind) const {
  const Barrier& b = site(barrier).barrier;
  View view;
  view.memory = memory;
  Strength strength{b.isControl ? rankOf(b.execution) : kSubgroupRank, rankOf(b.memory),
                    b.semantics & kVisibilityBits};
  if (!b.isControl) strength.execution = kWorkgroupRank;
  view.isOrdered = b.touches(memory);
  if (b.isControl) {
    const bool isBefore = findFences(barrier, memory, before, strength);
    const bool isBehind = findFences(barrier, memory, behind, strength);
    view.isOrdered = view.isOrdered || isBefore || isBehind;
  }
  if (view.isOrdered)
    view.stops = [this, memory, strength](uint32_t other) {
      return covers(other, memory, strength);
    };
  else
    view.stops = [this, strength](uint32_t other) { return waits(other, strength.execution); };
  view.before = flow_.search(barrier, Direction::Backward, view.stops);
  view.behind = flow_.search(barrier, Direction::Forward, view.stops);
  return view;
}

/// The accesses of the class in a region.
std::vector<Judge::Touch> Judge::touches(const View& view,
                                         const BarrierFlow::Region& region) const {
  std::vector<Touch> found;
  const bool isDevice = view.memory != MemoryClass::Workgroup;
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts)) {
      const bool meetsOther =
          effects_.buffersMeetImages() && isDevice && a.memory != MemoryClass::Workgroup;
      if (a.memory == view.memory || meetsOther) found.push_back({&a, s});
    }
  return found;
}

Crossings Judge::crossingsOf(uint32_t barrier, View& view, const Touch& x, const Touch& y,
                             const Loop& loop) {
  auto at = [&](bool isBehind, uint32_t segment) {
    auto [found, isNew] = view.crossings.try_emplace({&loop, isBehind});
    if (isNew)
      found->second = flow_.crossings(barrier, isBehind ? Direction::Forward : Direction::Backward,
                                      view.stops, loop);
    return found->second[segment];
  };
  return Crossings::sum(at(false, x.segment), at(true, y.segment));
}

// ---- judge ----

/// Looks for two accesses of one class that the barrier keeps apart.
void Judge::judgeClass(uint32_t barrier, View& view, Verdict& verdict) {
  const std::vector<Touch> before = touches(view, view.before);
  const std::vector<Touch> behind = touches(view, view.behind);
  if (view.isOrdered) {
    verdict.touchesBefore = verdict.touchesBefore || !before.empty();
    verdict.touchesBehind = verdict.touchesBehind || !behind.empty();
  }
  for (const BarrierFlow::Region* region : {&view.before, &view.behind})
    for (uint32_t b : region->stoppedBy) verdict.neighbours.push_back(siteOf_[b]);
  auto need = [&](Reason reason, Pair pair) {
    // What counts on the wait may count on all that comes with it.
    verdict.neededClasses |= view.isOrdered ? 1u << uint32_t(view.memory) : 7u;
    if (verdict.reason != Reason::None) return;
    verdict.reason = reason;
    verdict.pair = pair;
  };
  size_t pairs = 0;
  for (const Touch& x : before)
    for (const Touch& y : behind) {
      if (!x.access->isWrite && !y.access->isWrite) continue;
      if (++pairs > kMaxPairs) return need(Reason::TooLarge, {x.access, y.access});
      const Meeting meeting = conflicts_.meet(*x.access, *y.access, [&](const Loop& loop) {
        return crossingsOf(barrier, view, x, y, loop);
      });
      if (meeting == Meeting::OwnElements) ++verdict.ownPairs;
      if (meeting == Meeting::Apart) ++verdict.apartPairs;
      if (!isConflict(meeting)) continue;
      // The wait alone orders nothing by the rules. What is one variable may still count on it, as
      // much code does; that two bindings might be one buffer is no reason.
      const bool areTwoVariables =
          x.access->variable && y.access->variable && x.access->variable != y.access->variable;
      const bool isCertain =
          !areTwoVariables ||
          effects_.aliasing(x.access->variable, y.access->variable) == Aliasing::Same;
      if (!view.isOrdered && !isCertain) continue;
      return need(meeting == Meeting::MayMeet ? Reason::Conflict : Reason::Aliased,
                  {x.access, y.access});
    }
}

/// Something by which another workgroup may learn of what happened; for a fence, another
/// invocation.
bool Judge::isEvent(const MemoryAccess& access, bool isFence) const {
  if (isFence) return access.isAtomic || access.isDeviceAtomic;
  return access.isDeviceAtomic && access.memory != MemoryClass::Workgroup;
}

/// What one side of a barrier does that others may learn of.
Judge::Signs Judge::signsOf(uint32_t barrier, const View& view,
                            const BarrierFlow::Region& region) const {
  const bool isFence = !site(barrier).barrier.isControl;
  Signs signs;
  for (const Touch& t : touches(view, region)) {
    if (!signs.access) signs.access = t.access;
    if (t.access->isWrite && !signs.write) signs.write = t.access;
  }
  for (uint32_t s : region.segments)
    for (const MemoryAccess& a : effects_.in(flow_.segments()[s].insts))
      if (isEvent(a, isFence) && !signs.event) signs.event = &a;
  // A fence that reaches further than the workgroup makes way for an announcement by other means.
  for (uint32_t b : region.passed) {
    const Barrier& other = site(b).barrier;
    if (isFence || !site(b).isAlive || b == barrier) continue;
    const bool isFar = !other.isKnown || rankOf(other.memory) > kWorkgroupRank;
    const bool isOrdering =
        !other.isKnown || other.touches(MemoryClass::Buffer) || other.touches(MemoryClass::Image);
    signs.hasFarFence = signs.hasFarFence || (isFar && isOrdering);
  }
  return signs;
}

/// What is written before the barrier and announced behind it, or learned before and used behind.
void Judge::judgePublication(uint32_t barrier, const View& view, Verdict& verdict) const {
  const bool isFence = !site(barrier).barrier.isControl;
  if (!isFence && view.memory == MemoryClass::Workgroup) return;
  const Signs before = signsOf(barrier, view, view.before);
  const Signs behind = signsOf(barrier, view, view.behind);
  const bool announces = before.write && (behind.event || behind.hasFarFence);
  const bool learns = behind.access && (before.event || before.hasFarFence);
  if (!announces && !learns) return;
  verdict.neededClasses |= view.isOrdered ? 1u << uint32_t(view.memory) : 7u;
  if (verdict.reason != Reason::None) return;
  verdict.reason = Reason::Publication;
  verdict.pair = announces ? Pair{before.write, behind.event} : Pair{before.event, behind.access};
}

InstRef Judge::findSubgroupOperation(const BarrierFlow::Region& region) const {
  for (uint32_t s : region.segments) {
    const Segment& segment = flow_.segments()[s];
    if (!segment.hasSubgroupOperation) continue;
    for (InstRef i : segment.insts)
      if (isSubgroupOperation(module_, i)) return i;
  }
  return {};
}

Verdict Judge::judge(uint32_t barrier) {
  Verdict verdict;
  const Barrier b = site(barrier).barrier;
  auto staysWhole = [&](Reason reason, InstRef place) {
    verdict.reason = reason;
    verdict.place = place;
    verdict.neededClasses = 7;
    return verdict;
  };
  if (!b.isKnown) return staysWhole(Reason::UnknownScope, b.inst);
  if (!isUniform(barrier)) {
    const BlockRef branch = analyses_.uniformity().divergenceOf(module_.blockOf(b.inst));
    return staysWhole(Reason::DivergentFlow, branch ? module_.terminator(branch) : b.inst);
  }
  const int execution = b.isControl ? rankOf(b.execution) : kWorkgroupRank;
  auto waitsToo = [&](uint32_t other) { return waits(other, execution); };
  const auto before = flow_.search(barrier, Direction::Backward, waitsToo);
  const auto behind = flow_.search(barrier, Direction::Forward, waitsToo);
  std::vector<View> views;
  for (MemoryClass memory : kMemoryClasses)
    if (b.isControl || b.touches(memory)) views.push_back(view(barrier, memory, before, behind));
  for (View& v : views) judgeClass(barrier, v, verdict);
  for (const View& v : views) judgePublication(barrier, v, verdict);
  if (!b.isControl || verdict.reason != Reason::None) return verdict;
  if (InstRef operation = findSubgroupOperation(behind)) {
    verdict.reason = Reason::Convergence;
    verdict.place = operation;
  }
  return verdict;
}

// ---- the module ----

/// All barriers, judged by all entry points that run them.
class Plan {
public:
  Plan(PassContext& context, Analyses& analyses);

  /// Decides until nothing changes.
  void decide();
  bool hasChanges() const;
  void remark();
  void rewrite(Rewriter& rewriter) const;

private:
  void collectSites();
  bool judgeAll();
  bool mergeAll();
  bool judgeSite(uint32_t site);
  bool remove(uint32_t site, const std::vector<Verdict>& verdicts);
  bool drop(uint32_t site, uint32_t neededClasses);
  bool merge(uint32_t first, uint32_t second);
  bool mayChange(Site& site);
  std::vector<Verdict> verdictsOf(uint32_t site);

  // Remarks.
  uint32_t lineOf(InstRef i) const;
  std::string placeOf(InstRef i) const;
  std::string nameOf(const Site& site) const;
  std::string proofOf(const std::vector<Verdict>& verdicts) const;
  std::string reasonText(const Verdict& verdict) const;
  Remark makeRemark(const Site& site, Remark::Kind kind, std::string_view name,
                    std::string message) const;

  PassContext& context_;
  Analyses& analyses_;
  const Module& module_;
  MemoryEffects effects_;
  std::vector<Site> sites_;
  std::vector<std::unique_ptr<Judge>> judges_;
  /// By site: the judges that know it, and by which number.
  std::vector<std::vector<std::pair<Judge*, uint32_t>>> judgesOf_;
  std::vector<Verdict> last_; ///< by site: why it stays
};

Plan::Plan(PassContext& context, Analyses& analyses)
    : context_(context), analyses_(analyses), module_(analyses.module()), effects_(analyses) {
  collectSites();
  judgesOf_.resize(sites_.size());
  last_.resize(sites_.size());
  for (const EntryPoint& entry : analyses.entryPoints().all()) {
    if (!entry.function) continue;
    auto judge = std::make_unique<Judge>(analyses, effects_, entry, sites_);
    for (uint32_t n = 0; n < judge->sites().size(); ++n) {
      const uint32_t site = judge->sites()[n];
      judgesOf_[site].push_back({judge.get(), n});
      // Barriers mean something else in other stages.
      if (entry.model != spv::ExecutionModel::GLCompute) sites_[site].barrier.isKnown = false;
    }
    judges_.push_back(std::move(judge));
  }
}

void Plan::collectSites() {
  bool isLinked = false; // with modules whose calls and accesses are not known
  for (InstRef i : module_.insts()) {
    if (module_.opcode(i) == spv::Op::OpCapability &&
        spv::Capability(module_.word(i, 1)) == spv::Capability::Linkage)
      isLinked = true;
    if (!isBarrier(module_.opcode(i)) || !module_.blockOf(i)) continue;
    Site site;
    site.barrier = readBarrier(analyses_, i);
    if (isLinked) site.barrier.isKnown = false;
    site.name = fmt::format("barrier{}", sites_.size() + 1);
    sites_.push_back(std::move(site));
  }
}

bool Plan::hasChanges() const {
  return std::any_of(sites_.begin(), sites_.end(), [](const Site& s) {
    return !s.isAlive || s.droppedClasses != 0 || s.isWidened;
  });
}

// ---- decide ----

bool Plan::mayChange(Site& site) {
  if (site.isRefused) return false;
  site.isRefused = !context_.maySite(site.name);
  return !site.isRefused;
}

std::vector<Verdict> Plan::verdictsOf(uint32_t site) {
  std::vector<Verdict> verdicts;
  for (auto [judge, number] : judgesOf_[site]) verdicts.push_back(judge->judge(number));
  return verdicts;
}

bool Plan::remove(uint32_t n, const std::vector<Verdict>& verdicts) {
  if (!mayChange(sites_[n])) return false;
  sites_[n].isAlive = false;
  sites_[n].removedAs = "removed";
  sites_[n].proof = proofOf(verdicts);
  return true;
}

/// Drops the classes that are not needed; with them all goes whatever else the semantics said.
bool Plan::drop(uint32_t n, uint32_t neededClasses) {
  Barrier& b = sites_[n].barrier;
  uint32_t dropped = 0, bits = 0;
  for (MemoryClass memory : kMemoryClasses) {
    if (!b.touches(memory) || (neededClasses >> uint32_t(memory) & 1) != 0) continue;
    dropped |= 1u << uint32_t(memory);
    bits |= semanticsBitsOf(memory);
  }
  if (dropped == 0 || !mayChange(sites_[n])) return false;
  b.semantics &= ~bits;
  const bool isEmpty = std::none_of(std::begin(kMemoryClasses), std::end(kMemoryClasses),
                                    [&](MemoryClass memory) { return b.touches(memory); });
  if (isEmpty) b.semantics = 0;
  sites_[n].droppedClasses |= dropped;
  return true;
}

bool Plan::judgeSite(uint32_t n) {
  Site& site = sites_[n];
  if (!site.isAlive || judgesOf_[n].empty()) return false;
  const std::vector<Verdict> verdicts = verdictsOf(n);
  uint32_t neededClasses = 0;
  const Verdict* staying = nullptr;
  for (const Verdict& v : verdicts) {
    neededClasses |= v.neededClasses;
    if (!staying && v.reason != Reason::None) staying = &v;
  }
  if (!staying) return remove(n, verdicts);
  last_[n] = *staying;
  return drop(n, neededClasses);
}

bool Plan::judgeAll() {
  bool changed = false;
  for (uint32_t n = 0; n < sites_.size(); ++n) changed = judgeSite(n) || changed;
  return changed;
}

/// One barrier that does what two did: all that either ordered, as far as either reached.
bool Plan::merge(uint32_t first, uint32_t second) {
  Site& a = sites_[first];
  Site& b = sites_[second];
  const bool keepsSecond = b.barrier.isControl && !a.barrier.isControl;
  Site& kept = keepsSecond ? b : a;
  Site& gone = keepsSecond ? a : b;
  if (kept.isRefused || !mayChange(gone)) return false;
  Barrier& k = kept.barrier;
  const Barrier& g = gone.barrier;
  const uint32_t semantics = unionOfSemantics(k.semantics, g.semantics);
  const auto memory = rankOf(g.memory) > rankOf(k.memory) ? g.memory : k.memory;
  const auto execution = rankOf(g.execution) > rankOf(k.execution) ? g.execution : k.execution;
  kept.isWidened = kept.isWidened || semantics != k.semantics || memory != k.memory ||
                   (k.isControl && execution != k.execution);
  k.semantics = semantics;
  k.memory = memory;
  if (k.isControl) k.execution = execution;
  gone.isAlive = false;
  gone.removedAs = "merged";
  gone.proof =
      fmt::format("nothing stands between it and {}, which now does what both did", nameOf(kept));
  return true;
}

bool Plan::mergeAll() {
  bool changed = false;
  for (uint32_t n = 0; n < sites_.size(); ++n) {
    if (!sites_[n].isAlive || !sites_[n].barrier.isKnown || judgesOf_[n].empty()) continue;
    uint32_t next = n + 1;
    while (next < sites_.size() && !sites_[next].isAlive) ++next;
    if (next == sites_.size() || !sites_[next].barrier.isKnown) continue;
    // Stretches are the same for every entry point; numbers are not.
    auto [judge, first] = judgesOf_[n].front();
    const auto& numbers = judgesOf_[next];
    auto second = std::find_if(numbers.begin(), numbers.end(),
                               [judge = judge](auto& x) { return x.first == judge; });
    if (second == numbers.end() || !judge->areAdjacent(first, second->second)) continue;
    if (!judge->isUniform(first) || !judge->isUniform(second->second)) continue;
    changed = merge(n, next) || changed;
  }
  return changed;
}

void Plan::decide() {
  // Each round removes, merges or narrows something, so this ends.
  while (judgeAll() || mergeAll()) {
  }
}

// ---- remarks ----

uint32_t Plan::lineOf(InstRef i) const {
  return analyses_.sourceLines().at(module_, i).line;
}

std::string Plan::placeOf(InstRef i) const {
  const uint32_t line = lineOf(i);
  return line == 0 ? std::string() : fmt::format(" at line {}", line);
}

std::string Plan::nameOf(const Site& site) const {
  return fmt::format("the {} barrier{}", site.barrier.isControl ? "control" : "memory",
                     lineOf(site.barrier.inst) == 0 ? " '" + site.name + "'"
                                                    : placeOf(site.barrier.inst));
}

std::string Plan::proofOf(const std::vector<Verdict>& verdicts) const {
  bool touchesBefore = false, touchesBehind = false;
  size_t own = 0, apart = 0;
  std::vector<uint32_t> neighbours;
  for (const Verdict& v : verdicts) {
    touchesBefore = touchesBefore || v.touchesBefore;
    touchesBehind = touchesBehind || v.touchesBehind;
    own += v.ownPairs;
    apart += v.apartPairs;
    neighbours.insert(neighbours.end(), v.neighbours.begin(), v.neighbours.end());
  }
  std::string upTo;
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  for (uint32_t n : neighbours) {
    if (!upTo.empty()) upTo += ", ";
    upTo += lineOf(sites_[n].barrier.inst) == 0
                ? "'" + sites_[n].name + "'"
                : fmt::format("line {}", lineOf(sites_[n].barrier.inst));
  }
  if (!upTo.empty())
    upTo =
        fmt::format(" up to the {} at {}", neighbours.size() == 1 ? "barrier" : "barriers", upTo);
  if (!touchesBefore) return "nothing that it orders is touched before it" + upTo;
  if (!touchesBehind) return "nothing that it orders is touched behind it" + upTo;
  if (own == 0 && apart == 0) return "what is touched on both sides of it is only read" + upTo;
  if (own == 0)
    return "what is touched on its two sides are different variables or elements" + upTo;
  return fmt::format(
      "no invocation touches an element that another one touches on its other side{} "
      "({} {} compared)",
      upTo, own + apart, own + apart == 1 ? "pair of accesses" : "pairs of accesses");
}

std::string Plan::reasonText(const Verdict& v) const {
  auto text = [&](const MemoryAccess* a) {
    return "the " + describe(analyses_, *a) + placeOf(a->inst);
  };
  switch (v.reason) {
  case Reason::UnknownScope:
    return "its scopes or semantics are not literal, or other stages or modules may run it";
  case Reason::DivergentFlow:
    return fmt::format("not all invocations are proved to reach it: the branch{} may part them",
                       placeOf(v.place));
  case Reason::Conflict:
    return fmt::format("{} and {} may meet at one location in different invocations",
                       text(v.pair.before), text(v.pair.behind));
  case Reason::Aliased:
    return fmt::format("{} and {} may reach one memory by two names", text(v.pair.before),
                       text(v.pair.behind));
  case Reason::Publication:
    if (v.pair.before && v.pair.behind)
      return fmt::format("{} and {} may be seen by other workgroups in this order",
                         text(v.pair.before), text(v.pair.behind));
    return fmt::format("a fence passes {} on to other workgroups",
                       text(v.pair.before ? v.pair.before : v.pair.behind));
  case Reason::Convergence:
    return fmt::format("the subgroup operation{} may rely on it for convergence", placeOf(v.place));
  case Reason::TooLarge:
    return "there are too many accesses on both sides of it to compare";
  case Reason::None:
    break;
  }
  return {};
}

std::string_view remarkName(Reason reason) {
  switch (reason) {
  case Reason::UnknownScope:
    return "unknown-scope";
  case Reason::DivergentFlow:
    return "divergent-control-flow";
  case Reason::Conflict:
    return "conflict";
  case Reason::Aliased:
    return "aliased";
  case Reason::Publication:
    return "publication";
  case Reason::Convergence:
    return "convergence";
  case Reason::TooLarge:
    return "too-large";
  case Reason::None:
    break;
  }
  return "none";
}

Remark Plan::makeRemark(const Site& site, Remark::Kind kind, std::string_view name,
                        std::string message) const {
  Remark remark;
  remark.kind = kind;
  remark.pass = kPass;
  remark.name = name;
  const FunctionRef function = module_.functionOf(module_.blockOf(site.barrier.inst));
  remark.function = analyses_.decorations().name(module_, module_.functionId(function));
  remark.location = analyses_.sourceLines().at(module_, site.barrier.inst);
  remark.message = std::move(message);
  remark.args.push_back({"barrier", site.name});
  return remark;
}

std::string classNames(uint32_t classes) {
  std::string names;
  constexpr std::string_view kNames[] = {"shared", "buffer", "image"};
  for (MemoryClass memory : kMemoryClasses)
    if ((classes >> uint32_t(memory) & 1) != 0)
      names += (names.empty() ? "" : " and ") + std::string(kNames[uint32_t(memory)]);
  return names;
}

void Plan::remark() {
  for (uint32_t n = 0; n < sites_.size(); ++n) {
    const Site& site = sites_[n];
    const std::string_view kind = site.barrier.isControl ? "control" : "memory";
    if (!site.isAlive) {
      context_.remarks.push_back(
          makeRemark(site, Remark::Kind::Applied, site.removedAs,
                     fmt::format("{} a {} barrier: {}", site.removedAs, kind, site.proof)));
      continue;
    }
    if (site.droppedClasses != 0)
      context_.remarks.push_back(
          makeRemark(site, Remark::Kind::Applied, "narrowed",
                     fmt::format("dropped {} memory from the semantics of a {} barrier: no two "
                                 "invocations meet there across it",
                                 classNames(site.droppedClasses), kind)));
    if (last_[n].reason == Reason::None) continue;
    context_.remarks.push_back(
        makeRemark(site, Remark::Kind::Missed, remarkName(last_[n].reason),
                   fmt::format("kept a {} barrier: {}", kind, reasonText(last_[n]))));
  }
}

// ---- rewrite ----

void Plan::rewrite(Rewriter& rewriter) const {
  for (const Site& site : sites_) {
    const InstRef inst = site.barrier.inst;
    if (!site.isAlive) {
      rewriter.erase(inst);
      continue;
    }
    if (site.droppedClasses == 0 && !site.isWidened) continue;
    const Barrier before = readBarrier(analyses_, inst);
    const uint32_t first = before.isControl ? 2 : 1;
    auto set = [&](uint32_t word, uint32_t from, uint32_t to) {
      if (from == to) return;
      const Id type = module_.typeOf(module_.idAt(inst, word));
      rewriter.setId(inst, word, rewriter.constant(type, to));
    };
    if (before.isControl) set(1, uint32_t(before.execution), uint32_t(site.barrier.execution));
    set(first, uint32_t(before.memory), uint32_t(site.barrier.memory));
    set(first + 1, before.semantics, site.barrier.semantics);
  }
}

} // namespace

PassResult runEliminateRedundantBarriers(PassContext& context) {
  const Module& module = context.module;
  const bool hasBarriers = std::any_of(module.insts().begin(), module.insts().end(),
                                       [&](InstRef i) { return isBarrier(module.opcode(i)); });
  if (!hasBarriers) return PassOutcome{};
  // Assumed values of specialization constants prove nothing: look at the module without them.
  static const Assumptions kNone;
  std::unique_ptr<Analyses> bare;
  const Assumptions& given = context.assumptions;
  if (!given.specConstants.empty() || given.workgroupSize)
    bare = std::make_unique<Analyses>(context.module, kNone);
  Analyses& analyses = bare ? *bare : context.analyses;

  Plan plan(context, analyses);
  plan.decide();
  plan.remark();
  if (!plan.hasChanges()) return PassOutcome{};
  Rewriter rewriter(context.module);
  plan.rewrite(rewriter);
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  // No block is added or removed and no edge changes.
  return PassOutcome{true,
                     AnalysisSet::none().with(AnalysisKind::Cfg).with(AnalysisKind::Dominance)};
}

} // namespace lanewise
