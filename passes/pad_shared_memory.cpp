// --pad-shared-memory: pad or swizzle Workgroup arrays so that a subgroup hits distinct banks
//
// What: Workgroup memory is served by banks, one word each a cycle. Lanes that walk down a column
// of `tile[32][32]` all ask the same bank and wait for one another; with rows of 33 they ask 32
// banks. The pass finds, for every Workgroup variable that holds arrays, the layout that makes the
// accesses of all its sites together cheapest: longer rows, padded structs, arrays flattened to
// strides that no extent gives, or flat arrays whose indices are mapped (`i + i / 32`, or swizzled
// by exclusive-or where there is no room to grow).
//
// Legal when: the variable has no explicit layout, every use ends at an element (or can be made
// to), no index is known to leave its row, and the entry points that use it still fit the target's
// Workgroup memory, whatever specialization constants say. canPad() and wantsRoom() hold the rules,
// each with its name.
//
// Pays when: the cycles that the banks need, summed over all sites and weighted by how often they
// run, plus the arithmetic of index maps, times the occupancyLoss that more memory costs, drop by
// at least Options::minGain. isProfitable() decides, on counts for each lane, not on estimates.
//
// Before => After:
//
//     %row  = OpTypeArray %float %uint_32        %row33  = OpTypeArray %float %uint_33
//     %tile = OpTypeArray %row %uint_32     =>   %tile33 = OpTypeArray %row33 %uint_32
//     %s    = OpVariable %_ptr_tile Workgroup    %s      = OpVariable %_ptr_tile33 Workgroup
//
//     %flat = OpTypeArray %float %uint_1024      %flat   = OpTypeArray %float %uint_1055
//                                                %t      = OpShiftRightLogical %uint %i %uint_5
//                                                %j      = OpIAdd %uint %i %t
//     %p    = OpAccessChain %_ %s %i        =>   %p      = OpAccessChain %_ %s %j
//
// or, where %i is proved to be 32 * %y + %x with %x below 32, %j = 33 * %y + %x.
//
// An extent by specialization constants stays specializable: such an array is swizzled, which keeps
// its size, or grows where there is room for all values (fitsAllSizes()).
//
// Not handled: pointers to rows that are selected, stored or computed with; cooperative matrices.
// Each is refused by name.
//
// Reference: NVIDIA CUDA C++ Best Practices Guide, 10.2.3 "Shared Memory";
// docs/passes/pad-shared-memory.md.

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/specialization.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/layout_search.h"
#include "analysis/shared_memory/shared_bounds.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/lane_values.h"
#include "analysis/values/row_walk.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/relayout_shared.h"
#include "transforms/shared_memory_uses.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "pad-shared-memory";

/// All arrays are smaller, so that the numbers of their elements have 32 bits.
constexpr uint64_t kMaxBytes = uint64_t(1) << 31;

/// Rows of accesses that a remark lists, in module order: an unrolled loop may have thousands.
constexpr size_t kMaxTableRows = 32;
/// Of the arithmetic of maps, where padding is asked for and no layout pays for all of it: enough
/// to choose the map with less of it (docs/design/shared-layouts.md, "Arithmetic beside the
/// banks").
constexpr double kForcedArithmetic = 0.1;

struct Options {
  /// Least share of the weighted cost that a change of types must save, 0 to 1.
  double minGain = 0.05;
  /// The same for a change that costs arithmetic at every access, which is counted.
  double minMapGain = 0.04;
};

// ---- data ----

/// Why a variable was left alone.
struct Refusal {
  std::string_view name;
  std::string message;
  InstRef place;
};

/// An access that compilers put together with its neighbours.
struct WideAccess {
  const WeighedAccess* access = nullptr;
  std::vector<const WeighedAccess*> parts; ///< all that are one with it, the lowest first
};

/// A variable that the pass looks at, and what it found.
struct Candidate {
  explicit Candidate(const SharedVariable& v) : variable(&v), original(v) {}

  const SharedVariable* variable;
  SharedLayout original;
  std::string name;
  std::vector<const EntryPoint*> entryPoints; ///< those that use it
  std::vector<const EntryPoint*> holders;     ///< and those that only list it
  std::vector<SharedMemoryUse> memory;        ///< of each holder
  std::vector<WeighedAccess> accesses;
  bool isSizeKnown = true; ///< of every entry point that uses it
  RowBounds bounds;
  /// Lengths by specialization constants of Workgroup variables that share memory with it.
  std::set<Id> openLengths;
  std::unique_ptr<LayoutSearch> search; ///< null where nobody asks what accesses cost
  std::optional<LayoutChoice> after;
  std::optional<LayoutChoice> whenFrozen; ///< better than `after`, were the extents literal
  bool hasNoConflict = false;
  std::vector<WideAccess> wide; ///< with the layout that it has, in the order of `accesses`
  std::optional<Refusal> refusal;

  const LayoutChoice& before() const { return search->original(); }
  bool isApplied() const { return !refusal && !hasNoConflict; }
};

struct Merging {
  double saved = 0; ///< cycles of the banks, over all accesses, by weight
  bool leavesConflicts = false;
};

/// What one module looks like to the pass: all its candidates, judged.
class Plan {
public:
  Plan(PassContext& context, const Module& module, Analyses& analyses);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Looks at the variables that are in `only`, or at all; gives up memory of those before it.
  void judge(SharedSizes& newBytes, const std::set<Id>* only = nullptr);

  std::vector<Candidate>& candidates() { return candidates_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  /// Leaves the candidates without what they refer to.
  std::vector<SharedVariable> takeVariables() { return std::move(variables_); }
  Remark remark(const Candidate& candidate) const;

private:
  // collect
  double weightOf(const EntryPoint& entry, BlockRef block);
  const ExecutedAccess& executed(const EntryPoint& entry, const SharedAccess& access);
  LaneValues& valuesOf(const EntryPoint& entry);
  bool isSurelyFree(const Candidate& candidate);
  Candidate collect(const SharedVariable& variable);
  void estimate(Candidate& candidate);
  void look(Candidate& candidate);
  uint32_t baseOf(const EntryPoint& entry, const SharedVariable& variable,
                  const SharedAccess& access);
  bool isUnrolled(const EntryPoint& entry, const SharedAccess& access);
  /// A load or store; compilers put no others together.
  bool isPlain(const SharedAccess& access) const {
    const spv::Op op = module_.opcode(access.inst);
    return op == spv::Op::OpLoad || op == spv::Op::OpStore;
  }
  bool isInRun(const EntryPoint& entry, const SharedAccess& access);
  void execute(Candidate& candidate);
  std::pair<BlockRef, size_t> stretchOf(InstRef access);
  std::vector<WideAccess> wideAccesses(const Candidate& candidate);
  std::optional<AccessCost> costMerged(const Candidate& candidate, const WideAccess& wide,
                                       const SharedLayout& layout) const;
  static const WideAccess* wideOf(const Candidate& candidate, const WeighedAccess& access);
  AccessCost costIn(const Candidate& candidate, const WeighedAccess& access,
                    const SharedLayout& layout) const;
  Merging mergingOf(const Candidate& candidate, const SharedLayout& layout) const;
  bool keepsWideAccesses(const Candidate& candidate, const SharedLayout& layout) const;
  std::unique_ptr<LayoutSearch> searchFor(Candidate& candidate,
                                          const LayoutSearchOptions& options) const;
  std::optional<double> occupancyLoss(const Candidate& candidate, uint64_t bytes) const;
  bool fitsAllSizes(const Candidate& candidate, uint64_t bytes) const;
  // check
  std::optional<Refusal> canPad(const Candidate& candidate);
  std::optional<Refusal> provesIndices(const Candidate& candidate);
  std::optional<Refusal> hasKnownExtents(const Candidate& candidate) const;
  bool isLiteral(const SharedVariable& variable, uint32_t node) const;
  bool hasLiteralExtents(const SharedVariable& variable) const;
  // choose
  LayoutSearchOptions searchOptions(const Candidate& candidate) const;
  bool paysEnough(const Candidate& candidate, const LayoutChoice& choice) const;
  std::optional<Refusal> wantsRoom(const Candidate& candidate) const;
  std::optional<Refusal> wantsLiteralRows(const Candidate& candidate) const;
  std::optional<Refusal> isProfitable(const Candidate& candidate) const;
  double costOf(const Candidate& candidate, const LayoutChoice& choice) const;
  void lookBehindFreezing(Candidate& candidate) const;
  void choose(Candidate& candidate);
  std::optional<Refusal> judge(Candidate& candidate);
  bool isLaidOutAlike(const SharedVariable& variable) const;
  std::optional<Refusal> holdsForAllRules(Candidate& candidate);
  // tell
  std::string describe(const SharedVariable& variable, const SharedLayout& layout) const;
  std::vector<RemarkRow> siteTable(const Candidate& candidate, const SharedLayout* after) const;

  PassContext& context_;
  const Module& module_;
  Analyses& analyses_;
  const TargetProfile& target_;
  const bool isForced_;
  const bool mayHaveExplicitLayout_;
  const Options options_{};
  /// Entry points that have to do with a variable, in module order.
  struct Users {
    std::vector<const EntryPoint*> entryPoints; ///< those that use it
    std::vector<const EntryPoint*> holders;     ///< those, and the ones that only list it
  };
  std::map<Id, Users> users_;
  std::vector<SharedVariable> variables_; ///< those without arrays, too
  SharedBounds bounds_;                   ///< of them
  std::vector<const SharedVariable*> mayConflict_;
  std::vector<Candidate> candidates_;
  std::map<std::pair<const EntryPoint*, BlockRef>, double> weights_;
  std::map<const EntryPoint*, std::map<const SharedAccess*, ExecutedAccess>> executed_;
  std::map<const EntryPoint*, LaneValues> values_;
  std::optional<std::map<BlockRef, std::vector<InstRef>>> barriers_; ///< once asked for
  /// By node and the terms of each index.
  std::map<std::tuple<const EntryPoint*, uint32_t,
                      std::vector<std::vector<std::pair<uint32_t, uint32_t>>>>,
           uint32_t>
      bases_;
};

/// A candidate as a driver has it that lays out vectors by other rules.
struct OtherRules {
  TargetProfile target;
  SharedVariable variable;
  std::vector<WeighedAccess> accesses;
  std::unique_ptr<LayoutSearch> search;
};

Plan::Plan(PassContext& context, const Module& module, Analyses& analyses)
    : context_(context), module_(module), analyses_(analyses), target_(context.target),
      isForced_(context.mode != "auto"),
      mayHaveExplicitLayout_(module.declares(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)),
      variables_(collectSharedVariables(analyses, target_, true)),
      bounds_(analyses, target_, variables_) {
  if (std::none_of(variables_.begin(), variables_.end(),
                   [](const SharedVariable& v) { return v.hasArray(); }))
    return;
  for (const EntryPoint& entry : analyses_.get<EntryPoints>().all()) {
    for (Id variable : entry.variables) users_[variable].entryPoints.push_back(&entry);
    for (Id variable : workgroupVariables(analyses_, entry))
      users_[variable].holders.push_back(&entry);
  }
}

// ---- collect ----

/// How often a block runs for each run of the entry point, an estimate.
double Plan::weightOf(const EntryPoint& entry, BlockRef block) {
  const auto [at, isNew] = weights_.try_emplace({&entry, block});
  if (isNew && !isNeverRun(analyses_, bounds_.affine(entry), block))
    at->second = blockFrequency(analyses_.get<Loops>(), block);
  return at->second;
}

/// What an access does under an entry point whose workgroup size is known.
const ExecutedAccess& Plan::executed(const EntryPoint& entry, const SharedAccess& access) {
  const auto [at, isNew] = executed_.try_emplace(&entry);
  if (isNew)
    at->second = AccessPattern::execute(analyses_, bounds_.affine(entry), entry, mayConflict_,
                                        entry.workgroupSize->size, target_);
  return at->second.at(&access);
}

/// Values of the entry point's lanes, of nothing that is carried.
LaneValues& Plan::valuesOf(const EntryPoint& entry) {
  return values_
      .try_emplace(&entry, bounds_.affine(entry), entry.workgroupSize->size, target_.subgroupSize)
      .first->second;
}

/// Whether a glance at the accesses shows that none has conflicts.
bool Plan::isSurelyFree(const Candidate& c) {
  const SharedVariable& variable = *c.variable;
  if (isForced_ || !variable.obstacles.empty() || c.entryPoints.empty()) return false;
  return std::ranges::all_of(c.entryPoints, [&](const EntryPoint* entry) {
    return entry->workgroupSize &&
           std::ranges::all_of(variable.accesses, [&](const SharedAccess& access) {
             return !bounds_.runs(*entry, access) ||
                    AccessPattern::isSurelyFree(analyses_, bounds_.affine(*entry), valuesOf(*entry),
                                                variable, access, target_, c.original);
           });
  });
}

Candidate Plan::collect(const SharedVariable& variable) {
  Candidate c(variable);
  c.name = analyses_.get<Decorations>().name(module_, variable.id);
  if (c.name.empty()) c.name = formatText("%{}", variable.id.value);
  const Users& users = users_[variable.id];
  c.holders = users.holders;
  c.entryPoints = users.entryPoints;
  c.hasNoConflict = isSurelyFree(c);
  if (c.hasNoConflict && !context_.explainsMissed) return c;
  for (const EntryPoint* entry : c.entryPoints) {
    if (entry->workgroupSize)
      bounds_.judge(*entry, variable, c.bounds);
    else
      c.isSizeKnown = false;
  }
  for (const EntryPoint* entry : c.holders)
    for (Id id : workgroupVariables(analyses_, *entry))
      collectOpenLengths(analyses_, analyses_.get<Types>().pointee(id), c.openLengths);
  return c;
}

/// A look at each access by itself, for what is said of a variable whose loops need not be run.
void Plan::estimate(Candidate& c) {
  const SharedVariable& variable = *c.variable;
  for (const EntryPoint* entry : c.entryPoints) {
    if (!entry->workgroupSize) continue;
    for (const SharedAccess& access : variable.accesses)
      if (bounds_.runs(*entry, access))
        c.accesses.push_back({&access, weightOf(*entry, module_.blockOf(access.inst)),
                              AccessPattern::build(analyses_, bounds_.affine(*entry),
                                                   valuesOf(*entry), variable, access, target_)});
  }
  const bool isSurelyFree = c.hasNoConflict;
  look(c);
  c.hasNoConflict &= c.isSizeKnown && variable.obstacles.empty();
  c.hasNoConflict |= isSurelyFree;
  if (c.hasNoConflict) c.refusal.reset();
}

/// Whether what the accesses do has conflicts.
void Plan::look(Candidate& c) {
  c.search = searchFor(c, searchOptions(c));
  if (isForced_) return;
  if (c.search->hasConflict()) c.wide = wideAccesses(c);
  c.hasNoConflict = !c.search->hasConflict() || !mergingOf(c, c.original).leavesConflicts;
}

/// A number for the indices of the access less their constants; all members of a struct have the
/// same.
uint32_t Plan::baseOf(const EntryPoint& entry, const SharedVariable& variable,
                      const SharedAccess& access) {
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> terms;
  for (Id index : access.indices) terms.push_back(bounds_.affine(entry).of(index).terms);
  const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
  const uint32_t node = arrays.empty() ? access.node : arrays.back();
  return bases_.try_emplace({&entry, node, std::move(terms)}, uint32_t(bases_.size() + 1))
      .first->second;
}

/// Whether the counter of a loop that compilers unroll stands in an index.
bool Plan::isUnrolled(const EntryPoint& entry, const SharedAccess& access) {
  constexpr uint64_t kMostRounds = 16;
  Affine& affine = bounds_.affine(entry);
  const Loop* loop = analyses_.get<Loops>().innermost(module_.blockOf(access.inst));
  if (!loop || !loop->tripCount || *loop->tripCount > kMostRounds) return false;
  return std::any_of(access.indices.begin(), access.indices.end(), [&](Id index) {
    const auto& terms = affine.of(index).terms;
    return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      const InstRef def = module_.def(affine.term(term.first).id);
      return affine.term(term.first).kind == AffineTerm::Kind::Induction && def &&
             module_.blockOf(def) == loop->header;
    });
  });
}

/// Whether compilers may make a wide access of what consecutive iterations access.
bool Plan::isInRun(const EntryPoint& entry, const SharedAccess& access) {
  return isPlain(access) &&
         walksAlongRow(analyses_, bounds_.affine(entry), access.indices,
                       module_.blockOf(access.inst), kWidestAccess / std::max(access.bytes, 1u));
}

/// Where the values of all accesses with the same number are there at once: a block up to its next
/// barrier, for loads also arms that follow on it, since compilers load ahead.
std::pair<BlockRef, size_t> Plan::stretchOf(InstRef access) {
  if (!barriers_) {
    barriers_.emplace();
    for (InstRef i : module_.insts())
      if (module_.opcode(i) == spv::Op::OpControlBarrier)
        (*barriers_)[module_.blockOf(i)].push_back(i);
  }
  const Cfg& cfg = analyses_.get<Cfg>();
  BlockRef block = module_.blockOf(access);
  const std::vector<InstRef>& own = (*barriers_)[block];
  auto before = size_t(std::ranges::lower_bound(own, access) - own.begin());
  constexpr uint32_t kMostArms = 4;
  for (uint32_t n = 0; n < kMostArms && before == 0 && module_.opcode(access) == spv::Op::OpLoad &&
                       cfg.predecessors(block).size() == 1;
       ++n) {
    block = cfg.predecessors(block)[0];
    before = (*barriers_)[block].size();
  }
  return {block, before};
}

/// `s[4 * i]` to `s[4 * i + 3]` are a single access of 16 bytes for a compiler, and so are the
/// members of `s[i]`; they may be free of conflicts as that. A gap between them makes it several.
std::vector<WideAccess> Plan::wideAccesses(const Candidate& c) {
  const SharedVariable& variable = *c.variable;
  const SharedLayout layout(variable);
  // Accesses that differ in constants only, by where they stand.
  using Run = std::map<int64_t, const WeighedAccess*>;
  std::map<std::tuple<BlockRef, size_t, spv::Op, uint32_t, std::vector<uint32_t>>, Run> runs;
  struct Position {
    const WeighedAccess* access;
    const Run* run;
    int64_t bytes;
  };
  std::vector<Position> all;
  auto weighed = c.accesses.begin(); // in the order in which collect() found them
  for (const EntryPoint* entry : c.entryPoints)
    for (const SharedAccess& access : variable.accesses) {
      if (!bounds_.runs(*entry, access)) continue;
      const WeighedAccess& one = *weighed++;
      if (!one.pattern || !isPlain(access) || access.indices.empty()) continue;
      std::vector<uint32_t> constants;
      for (Id index : access.indices)
        constants.push_back(bounds_.affine(*entry).of(index).constant);
      const AddressForm form = addressForm(variable, layout, access.node);
      const AddressForm::Part& last = form.parts.back();
      const int64_t bytes =
          int64_t(int32_t(constants.back())) * int64_t(last.strides.back() * last.bytes) +
          int64_t(form.offset);
      constants.pop_back();
      const auto [block, stretch] = stretchOf(access.inst);
      Run& run = runs[{block, stretch, module_.opcode(access.inst),
                       baseOf(*entry, variable, access), constants}];
      run.emplace(bytes, &one);
      all.push_back({&one, &run, bytes});
    }
  std::vector<WideAccess> wide;
  for (const Position& position : all) {
    const int64_t bytes = std::max(position.access->access->bytes, 1u);
    for (int64_t whole = kWidestAccess; whole > bytes; whole /= 2) {
      WideAccess one{position.access, {}};
      const int64_t from = position.bytes & -whole;
      for (int64_t at = from; at + bytes <= from + whole; at += bytes) {
        const auto found = position.run->find(at);
        if (found == position.run->end() || found->second->access->bytes != bytes) break;
        one.parts.push_back(found->second);
      }
      if (int64_t(one.parts.size()) * bytes != whole || !costMerged(c, one, layout)) continue;
      wide.push_back(std::move(one));
      break;
    }
  }
  return wide;
}

std::optional<AccessCost> Plan::costMerged(const Candidate& c, const WideAccess& wide,
                                           const SharedLayout& layout) const {
  std::vector<AccessPattern::Part> parts;
  for (const WeighedAccess* part : wide.parts)
    parts.push_back({&*part->pattern, addressForm(*c.variable, layout, part->access->node)});
  return AccessPattern::costMerged(parts, target_);
}

/// What the access is part of, null where it stands alone.
const WideAccess* Plan::wideOf(const Candidate& c, const WeighedAccess& access) {
  const auto found = std::ranges::lower_bound(c.wide, &access, {}, &WideAccess::access);
  return found != c.wide.end() && found->access == &access ? &*found : nullptr;
}

/// Of the access, or of the wide one that compilers make of it and its neighbours.
AccessCost Plan::costIn(const Candidate& c, const WeighedAccess& access,
                        const SharedLayout& layout) const {
  const WideAccess* const wide = wideOf(c, access);
  const auto together = wide ? costMerged(c, *wide, layout) : std::nullopt;
  return together
             ? *together
             : access.pattern->cost(target_, addressForm(*c.variable, layout, access.access->node));
}

/// What compilers save by that with a layout.
Merging Plan::mergingOf(const Candidate& c, const SharedLayout& layout) const {
  Merging merging;
  for (const WeighedAccess& one : c.accesses) {
    if (!one.pattern) continue;
    const AccessCost alone =
        one.pattern->cost(target_, addressForm(*c.variable, layout, one.access->node));
    if (alone.degree <= 1) continue;
    const WideAccess* const wide = wideOf(c, one);
    const auto together = wide ? costMerged(c, *wide, layout) : std::nullopt;
    merging.leavesConflicts |= !together || together->degree > 1;
    if (together)
      merging.saved += (alone.cycles - together->cycles / double(wide->parts.size())) * one.weight;
  }
  return merging;
}

/// Whether what is one access stays one.
bool Plan::keepsWideAccesses(const Candidate& c, const SharedLayout& layout) const {
  return std::ranges::all_of(c.wide, [&](const WideAccess& wide) {
    return wide.access != wide.parts.front() || costMerged(c, wide, layout);
  });
}

/// What the accesses do when the loops around them run.
void Plan::execute(Candidate& c) {
  IndexSplitter splitter(analyses_, c.entryPoints,
                         [&](const EntryPoint& entry) -> Affine& { return bounds_.affine(entry); });
  for (const EntryPoint* entry : c.entryPoints)
    for (const SharedAccess& access : c.variable->accesses)
      if (bounds_.runs(*entry, access)) {
        const ExecutedAccess& done = executed(*entry, access);
        c.accesses.push_back({&access, done.weight, done.pattern,
                              baseOf(*entry, *c.variable, access), isUnrolled(*entry, access),
                              isInRun(*entry, access),
                              lengthsOfRows(splitter, module_, *c.variable, access)});
      }
  look(c);
}

std::unique_ptr<LayoutSearch> Plan::searchFor(Candidate& c,
                                              const LayoutSearchOptions& options) const {
  const SharedVariable& variable = *c.variable;
  return std::make_unique<LayoutSearch>(
      variable, c.accesses, target_, options,
      [this, &c, known = std::map<uint64_t, std::optional<double>>()](uint64_t bytes) mutable {
        if (bytes > c.original.bytes() && !fitsAllSizes(c, bytes)) return std::optional<double>();
        const auto [at, isNew] = known.try_emplace(bytes);
        if (isNew) at->second = occupancyLoss(c, bytes);
        return at->second;
      },
      [this, &variable](uint32_t node) { return isLiteral(variable, node); });
}

/// Task and mesh shaders: their payload and outputs count against the same limit (Vulkan,
/// maxMeshPayloadAndSharedMemorySize), and what they take is the driver's affair.
bool mayGrow(const EntryPoint& entry) {
  return entry.model == spv::ExecutionModel::GLCompute ||
         entry.model == spv::ExecutionModel::Kernel;
}

/// Workgroups that a core holds, before divided by after, when the variable has `bytes`; nothing
/// when some entry point does not fit any more.
std::optional<double> Plan::occupancyLoss(const Candidate& c, uint64_t bytes) const {
  double worst = 1;
  for (size_t n = 0; n < c.holders.size(); ++n) {
    const EntryPoint* entry = c.holders[n];
    const auto old = c.memory[n].bytes(c.original.bytes());
    const auto total = c.memory[n].bytes(bytes);
    if (!total || !old) return std::nullopt;
    if (*total > *old && !mayGrow(*entry)) return std::nullopt;
    // A shader that is too large for the target already is not this pass's affair, as long as it
    // does not grow.
    if (*total > std::max<uint64_t>(target_.maxSharedMemory, *old)) return std::nullopt;
    if (target_.sharedMemoryPerCore == 0 || !entry->workgroupSize || *old == 0) continue;
    const uint64_t invocations = entry->workgroupSize->invocations();
    const uint64_t subgroups = (invocations + target_.subgroupSize - 1) / target_.subgroupSize;
    const uint64_t most = target_.maxSubgroupsPerCore == 0
                              ? UINT64_MAX
                              : std::max<uint64_t>(target_.maxSubgroupsPerCore / subgroups, 1);
    auto resident = [&](uint64_t size) {
      return double(std::min(std::max<uint64_t>(target_.sharedMemoryPerCore / size, 1), most));
    };
    worst = std::max(worst, resident(*old) / resident(*total));
  }
  return worst;
}

/// Whether the variable may take `bytes` for every value that lengths by specialization constants
/// get. Beside an open length nobody knows how much room is left, unless it is a dimension of the
/// workgroup: that has a maximum.
bool Plan::fitsAllSizes(const Candidate& c, uint64_t bytes) const {
  if (c.openLengths.empty()) return true;
  std::set<std::optional<uint32_t>> dimensions;
  for (Id length : c.openLengths)
    for (const EntryPoint* entry : c.holders)
      dimensions.insert(workgroupDimension(analyses_, *entry, length));
  if (dimensions.size() > 1 || dimensions.count(std::nullopt) != 0) return false;
  const auto given = analyses_.get<Constants>().value(*c.openLengths.begin());
  const uint64_t most = target_.maxWorkgroupInvocations;
  if (!given || given->bits == 0 || given->bits > most) return false;
  for (size_t n = 0; n < c.holders.size(); ++n) {
    for (Id id : workgroupVariables(analyses_, *c.holders[n]))
      if (openLengthsAlong(analyses_, analyses_.get<Types>().pointee(id)) > 1) return false;
    const auto total = c.memory[n].bytes(bytes);
    if (!total) return false;
    // All sizes are linear in the one length, but for what the last rows of padded arrays lack: no
    // more than a row each.
    const uint64_t ofOne = *total / given->bits + 1;
    if ((*total + 2 * ofOne) * most / given->bits + 1 > target_.maxSharedMemory) return false;
  }
  return true;
}

// ---- check ----

bool Plan::isLiteral(const SharedVariable& variable, uint32_t node) const {
  return analyses_.get<Constants>().literal(variable.nodes[node].length).has_value();
}

bool Plan::hasLiteralExtents(const SharedVariable& variable) const {
  for (uint32_t n = 0; n < variable.nodes.size(); ++n)
    if (variable.nodes[n].kind == LayoutNode::Kind::Array && !isLiteral(variable, n)) return false;
  return true;
}

/// Extents that are literal, or by specialization constants that were all given. Given values only
/// inform the cost: the rewrite holds for every value.
std::optional<Refusal> Plan::hasKnownExtents(const Candidate& c) const {
  const Constants& constants = analyses_.get<Constants>();
  for (const LayoutNode& node : c.variable->nodes) {
    if (node.kind != LayoutNode::Kind::Array) continue;
    const auto value = constants.value(node.length);
    if (value &&
        (value->isLiteral || (value->width == 32 && !constants.isUnassumedSpec(node.length))))
      continue;
    std::string options;
    for (uint32_t id : specIdsOf(analyses_, node.length))
      if (!value || value->width != 32 || context_.assumptions.specConstants.count(id) == 0)
        options += formatText("{}--spec-const={}:VALUE", options.empty() ? "" : " ", id);
    return Refusal{"specialization-sized",
                   formatText("an extent is a specialization constant; set it with {}",
                              options.empty() ? "--spec-const=ID:VALUE" : options),
                   c.variable->variable};
  }
  return std::nullopt;
}

/// --robust: no index may reach what stands elsewhere afterwards.
std::optional<Refusal> Plan::provesIndices(const Candidate& c) {
  for (const EntryPoint* entry : c.holders) {
    const auto& unproved = bounds_.firstUnproved(*entry);
    if (!unproved) continue;
    std::string of;
    if (unproved->variable != c.variable->id)
      of = formatText(" (of '{}', which shares the memory)",
                      analyses_.get<Decorations>().name(module_, unproved->variable));
    return Refusal{"index-not-proved",
                   formatText("--robust: an index is not proved to stay in its row{}", of),
                   unproved->inst};
  }
  return std::nullopt;
}

/// Legality, apart from the room that the new layout needs. The first rule that is not met.
std::optional<Refusal> Plan::canPad(const Candidate& c) {
  const SharedVariable& variable = *c.variable;
  const Decorations& decorations = analyses_.get<Decorations>();
  if (c.entryPoints.empty())
    return Refusal{"no-entry-point", "no entry point uses it", variable.variable};
  for (spv::Decoration d : {spv::Decoration::Aliased, spv::Decoration::LinkageAttributes})
    if (decorations.has(variable.id, d))
      return Refusal{"shared-identity", "its memory may be aliased (Aliased or LinkageAttributes)",
                     variable.variable};
  // With SPV_KHR_workgroup_memory_explicit_layout. Without it a stride or offset means nothing
  // (SPIR-V 2.16.2): compilers leave it on types that they share with buffers.
  auto hasOffset = [&](const LayoutNode& node) {
    for (uint32_t m = 0; m < node.children.size(); ++m)
      if (analyses_.get<Types>().offset(node.type, m)) return true;
    return false;
  };
  for (const LayoutNode& node : variable.nodes)
    if (mayHaveExplicitLayout_ && (decorations.has(node.type, spv::Decoration::ArrayStride) ||
                                   (node.kind == LayoutNode::Kind::Struct && hasOffset(node))))
      return Refusal{"explicit-layout", "its type has an explicit layout", variable.variable};
  if (auto refusal = hasKnownExtents(c)) return refusal;
  if (module_.wordCount(variable.variable) > 4 &&
      module_.opcodeOf(module_.idAt(variable.variable, 4)) != spv::Op::OpConstantNull)
    return Refusal{"initializer", "it has a non-null initializer", variable.variable};
  if (!variable.obstacles.empty()) {
    const Obstacle& first = variable.obstacles.front();
    return Refusal{first.name, first.reason, first.inst};
  }
  // The bound also keeps every size of a candidate within 64 bits.
  if (c.original.bytes() == 0 || c.original.bytes() >= kMaxBytes)
    return Refusal{"unknown-element-layout", "its size is unknown", variable.variable};
  if (c.bounds.outOfRange)
    return Refusal{"index-out-of-range", c.bounds.outOfRange->reason, c.bounds.outOfRange->inst};
  if (context_.isRobust && c.isSizeKnown)
    if (auto refusal = provesIndices(c)) return refusal;
  for (const SharedMemoryUse& memory : c.memory)
    if (!memory.bytes(0))
      return Refusal{"unknown-shared-memory", "the total size of Workgroup memory is unknown",
                     variable.variable};
  return std::nullopt;
}

// ---- choose ----

LayoutSearchOptions Plan::searchOptions(const Candidate& c) const {
  LayoutSearchOptions options;
  options.mayPad = context_.mode != "swizzle";
  options.maySwizzle = context_.mode != "pad";
  options.keepsOrder = c.bounds.keepsOrder;
  options.isForced = isForced_;
  return options;
}

bool Plan::paysEnough(const Candidate& c, const LayoutChoice& choice) const {
  return isForced_ || choice.cost.total() <= c.before().cost.total() * (1 - options_.minGain);
}

/// A layout that would have been taken if an index could not leave its row: where extents are
/// specialization constants, neither is that known nor are rows flattened.
std::optional<Refusal> Plan::wantsLiteralRows(const Candidate& c) const {
  if (!c.whenFrozen || !paysEnough(c, *c.whenFrozen)) return std::nullopt;
  return Refusal{"size-not-frozen",
                 formatText("{} is not proved to keep each index in its row for other values of a "
                            "specialization constant; freeze it with {} before this pass",
                            describe(*c.variable, c.whenFrozen->layout),
                            optionsToFreeze(analyses_, c.openLengths)),
                 c.variable->variable};
}

/// A layout that would have been taken if there were room for it.
std::optional<Refusal> Plan::wantsRoom(const Candidate& c) const {
  const auto& choice = c.search->bestWithoutRoom();
  if (!choice || !paysEnough(c, *choice)) return std::nullopt;
  if (!c.openLengths.empty())
    return Refusal{
        "size-not-frozen",
        formatText("{} needs more memory and may not fit for other values of a specialization "
                   "constant, where the original does; freeze it with {} before this pass",
                   describe(*c.variable, choice->layout),
                   optionsToFreeze(analyses_, c.openLengths)),
        c.variable->variable};
  if (!std::all_of(c.holders.begin(), c.holders.end(),
                   [](const EntryPoint* e) { return mayGrow(*e); }))
    return Refusal{"no-room",
                   formatText("{} needs more Workgroup memory, against which a task or mesh "
                              "shader's payload and outputs count as well",
                              describe(*c.variable, choice->layout)),
                   c.variable->variable};
  uint64_t most = 0;
  for (const SharedMemoryUse& memory : c.memory)
    most = std::max(most, memory.bytes(choice->layout.bytes()).value_or(0));
  return Refusal{"no-room",
                 formatText("{} needs {} bytes of Workgroup memory; target '{}' has {}",
                            describe(*c.variable, choice->layout), most, target_.name,
                            target_.maxSharedMemory),
                 c.variable->variable};
}

/// Whether the chosen layout is worth having. A forced one is, as long as no site gets worse.
std::optional<Refusal> Plan::isProfitable(const Candidate& c) const {
  const SharedVariable& variable = *c.variable;
  const LayoutChoice &before = c.before(), &after = *c.after;
  if (after.layout.isSameAs(before.layout)) {
    if (auto refusal = wantsRoom(c)) return refusal;
    if (auto refusal = wantsLiteralRows(c)) return refusal;
    return Refusal{"no-better-layout",
                   "no layout makes its accesses cheaper, its own arithmetic counted",
                   variable.variable};
  }
  if (isForced_) {
    for (const WeighedAccess& a : c.accesses) {
      auto degree = [&](const SharedLayout& layout) {
        return a.pattern->cost(target_, addressForm(variable, layout, a.access->node)).degree;
      };
      if (a.pattern && degree(after.layout) > degree(before.layout))
        return Refusal{"raises-a-degree", "every layout raises the conflict degree of some access",
                       a.access->inst};
    }
    return std::nullopt;
  }
  const double minGain = after.cost.arithmetic > 0 ? options_.minMapGain : options_.minGain;
  const double costBefore = costOf(c, before), costAfter = costOf(c, after);
  if (costAfter > costBefore * (1 - minGain))
    return Refusal{"gain-too-small",
                   formatText("{} would save only {:.1f}% of its access cost",
                              describe(variable, after.layout), 100 * (1 - costAfter / costBefore)),
                   variable.variable};
  return std::nullopt;
}

double Plan::costOf(const Candidate& c, const LayoutChoice& choice) const {
  return choice.cost.total() - mergingOf(c, choice.layout).saved;
}

/// What literal extents would allow, where nothing is better without.
void Plan::lookBehindFreezing(Candidate& c) const {
  if (hasLiteralExtents(*c.variable) || !c.bounds.keepsOrder ||
      !c.after->layout.isSameAs(c.original) || c.search->bestWithoutRoom())
    return;
  LayoutSearchOptions options = searchOptions(c);
  options.keepsOrder = false;
  const auto search = searchFor(c, options);
  LayoutChoice best = search->run();
  if (search->bestWithoutRoom())
    c.whenFrozen = search->bestWithoutRoom();
  else if (!best.layout.isSameAs(c.original))
    c.whenFrozen = std::move(best);
}

/// The cheapest layout with what compilers make of neighbouring accesses.
void Plan::choose(Candidate& c) {
  c.after = c.search->run();
  lookBehindFreezing(c);
  LayoutSearchOptions options = searchOptions(c);
  if (isForced_) {
    if (!c.after->layout.isSameAs(c.original) || c.search->bestWithoutRoom()) return;
    options.arithmeticShare = kForcedArithmetic;
    c.search = searchFor(c, options);
    c.after = c.search->run();
    return;
  }
  if (keepsWideAccesses(c, c.after->layout)) return;
  options.mayTake = [&](const SharedLayout& layout) { return keepsWideAccesses(c, layout); };
  LayoutChoice keeping = searchFor(c, options)->run();
  if (costOf(c, keeping) <= costOf(c, *c.after)) c.after = std::move(keeping);
}

std::optional<Refusal> Plan::judge(Candidate& c) {
  if (auto refusal = canPad(c)) return refusal;
  if (!c.isSizeKnown)
    return Refusal{"unknown-workgroup-size",
                   "the workgroup size is a specialization constant; set it with "
                   "--workgroup-size=X,Y,Z or --spec-const=ID:VALUE",
                   c.variable->variable};
  execute(c);
  if (c.hasNoConflict) return std::nullopt;
  choose(c);
  if (auto refusal = isProfitable(c)) return refusal;
  return holdsForAllRules(c);
}

/// Whether all rules that drivers are known to have make the same of the variable.
bool Plan::isLaidOutAlike(const SharedVariable& variable) const {
  const Types& types = analyses_.get<Types>();
  return std::all_of(variable.nodes.begin(), variable.nodes.end(), [&](const LayoutNode& node) {
    const auto here = types.naturalLayout(node.type, target_.sharedRules());
    const auto rules = knownSharedMemoryRules();
    return std::all_of(rules.begin(), rules.end(), [&](const SharedMemoryRules& other) {
      return types.naturalLayout(node.type, other) == here;
    });
  });
}

/// Where the target does not say how its driver lays out vectors, the layout must not lose by any
/// rules that there are; of those that each of them asks for, the one that gains most at the worst.
std::optional<Refusal> Plan::holdsForAllRules(Candidate& c) {
  const SharedVariable& variable = *c.variable;
  if (target_.vectorAlignment != TargetProfile::VectorAlignment::Unknown || isForced_ ||
      isLaidOutAlike(variable))
    return std::nullopt;
  std::vector<std::unique_ptr<OtherRules>> all;
  for (const SharedMemoryRules& rules : knownSharedMemoryRules()) {
    auto other = std::make_unique<OtherRules>();
    other->target = target_;
    other->target.vec3Stride = rules.vec3Stride;
    other->target.vec3Bytes = rules.vec3Bytes;
    other->target.vectorAlignment = rules.isScalar ? TargetProfile::VectorAlignment::Component
                                                   : TargetProfile::VectorAlignment::Size;
    for (SharedVariable& found : collectSharedVariables(analyses_, other->target))
      if (found.id == variable.id) other->variable = std::move(found);
    for (const EntryPoint* entry : c.entryPoints) {
      auto executed = AccessPattern::execute(analyses_, bounds_.affine(*entry), *entry,
                                             std::array<const SharedVariable*, 1>{&other->variable},
                                             entry->workgroupSize->size, other->target);
      for (auto& [access, done] : executed)
        other->accesses.push_back({access, done.weight, std::move(done.pattern)});
    }
    other->search = std::make_unique<LayoutSearch>(
        other->variable, other->accesses, other->target, searchOptions(c),
        [](uint64_t) { return 1.0; },
        [this, &variable](uint32_t node) { return isLiteral(variable, node); });
    all.push_back(std::move(other));
  }
  // The rest that a layout leaves of the cost, by the rules by which it leaves most.
  auto worstOf = [&](const SharedLayout& layout) {
    double worst = 0;
    for (const auto& other : all) {
      const double before = other->search->original().cost.total();
      const double after = other->search->costOf(layout).total();
      worst = std::max(worst, before > 0 ? after / before : 1);
    }
    return worst;
  };
  double least = worstOf(c.after->layout);
  for (const auto& other : all) {
    const SharedLayout asked = other->search->run().layout;
    LayoutChoice choice{c.original, c.search->costOf(asked)};
    choice.layout.extents = asked.extents;
    choice.layout.padWords = asked.padWords;
    choice.layout.flat = asked.flat;
    choice.layout.updateSizes(variable);
    const double worst = worstOf(choice.layout);
    const bool fits = choice.cost.occupancyLoss < std::numeric_limits<double>::infinity();
    if (!fits || worst >= least) continue;
    least = worst;
    c.after = std::move(choice);
  }
  if (least <= 1) return isProfitable(c);
  return Refusal{"driver-layout",
                 formatText("{} would cost more than it saves where a driver lays out vectors by "
                            "other rules; a target profile's vector-alignment says which",
                            describe(variable, c.after->layout)),
                 variable.variable};
}

void Plan::judge(SharedSizes& newBytes, const std::set<Id>* only) {
  candidates_.reserve(variables_.size());
  for (const SharedVariable& variable : variables_) {
    if (!variable.hasArray() || (only && only->count(variable.id) == 0)) continue;
    candidates_.push_back(collect(variable));
    if (!candidates_.back().hasNoConflict) mayConflict_.push_back(&variable);
  }
  for (Candidate& c : candidates_) {
    for (const EntryPoint* entry : c.holders)
      c.memory.emplace_back(analyses_, *entry, target_, c.variable->id, newBytes);
    if (!c.hasNoConflict) c.refusal = judge(c);
    // A note that speaks of no function is read by everybody.
    if (!c.search && (context_.explainsMissed || c.entryPoints.empty())) estimate(c);
    // Of two looks at a variable either may be the one that counts.
    if (c.isApplied()) {
      uint64_t& bytes = newBytes[c.variable->id];
      bytes = std::max(bytes, c.after->layout.bytes());
    }
  }
}

// ---- tell ----

std::string Plan::describe(const SharedVariable& variable, const SharedLayout& layout) const {
  return describeLayout(variable, layout, [&](Id type, uint32_t member) {
    const std::string_view name = analyses_.get<Decorations>().memberName(module_, type, member);
    return name.empty() ? std::to_string(member) : std::string(name);
  });
}

/// A row for each access; those of one line that look the same share one.
std::vector<RemarkRow> Plan::siteTable(const Candidate& c, const SharedLayout* after) const {
  std::vector<std::pair<RemarkRow, size_t>> rows; // and how many accesses each stands for
  size_t listed = 0;
  for (const WeighedAccess& a : c.accesses) {
    const SourceLocation at = analyses_.get<SourceLines>().at(module_, a.access->inst);
    std::string degree = "data-dependent";
    if (a.pattern) {
      degree = formatText("degree {}", costIn(c, a, c.original).degree);
      if (after) degree += formatText(" -> {}", costIn(c, a, *after).degree);
    }
    std::string_view op = module_.facts(a.access->inst).name;
    op.remove_prefix(2);
    RemarkRow row{at.line ? formatText("line {}", at.line) : "no line",
                  at.line,
                  {formatText("{} of {} bytes", op, a.access->bytes), degree,
                   formatText("weight {:g}", a.weight)}};
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == row; });
    if (same == rows.end() && rows.size() == kMaxTableRows) break;
    ++listed;
    if (same == rows.end())
      rows.push_back({std::move(row), 1});
    else
      ++same->second;
  }
  std::vector<RemarkRow> table;
  for (auto& [row, count] : rows) {
    if (count > 1) row.cells.push_back(formatText("{} times", count));
    table.push_back(std::move(row));
  }
  if (listed < c.accesses.size())
    table.push_back({"", 0, {formatText("and {} more accesses", c.accesses.size() - listed)}});
  return table;
}

/// What is said of a candidate: at the access whose degree is quoted, at the refusal's place, at
/// the site that costs most, or at the variable.
Remark Plan::remark(const Candidate& c) const {
  Remark remark;
  remark.pass = kPass;
  if (!c.entryPoints.empty()) remark.function = module_.stringAt(c.entryPoints.front()->inst, 3);
  if (!c.isApplied() && !context_.explainsMissed && !c.entryPoints.empty()) {
    if (c.refusal) remark.kind = Remark::Kind::Missed;
    remark.name = c.refusal ? c.refusal->name : "no-conflict";
    return remark;
  }
  const SharedVariable& variable = *c.variable;
  const LayoutChoice& before = c.before();
  InstRef place = variable.accesses.empty() ? variable.variable : variable.accesses.front().inst;
  std::pair<uint32_t, double> worst;          // degree where one is quoted, cycles
  uint32_t degreeBefore = 0, degreeAfter = 0; // of any access
  uint32_t degreeThere = 0;                   // of the quoted one, afterwards
  for (const WeighedAccess& a : c.accesses) {
    if (!a.pattern) continue;
    const AccessCost cost = costIn(c, a, before.layout);
    degreeBefore = std::max(degreeBefore, cost.degree);
    const uint32_t its = c.isApplied() ? costIn(c, a, c.after->layout).degree : 0;
    degreeAfter = std::max(degreeAfter, its);
    const std::pair<uint32_t, double> own(c.isApplied() ? cost.degree : 0, a.weight * cost.cycles);
    if (own <= worst) continue;
    worst = own;
    degreeThere = its;
    place = a.access->inst;
  }
  if (c.refusal && c.refusal->place != variable.variable) place = c.refusal->place;
  remark.location = analyses_.get<SourceLines>().at(module_, place);
  remark.args = {{"array", c.name}};
  remark.subject = c.name;
  const std::string old = describe(variable, before.layout);
  remark.details = siteTable(c, c.isApplied() ? &c.after->layout : nullptr);
  const bool isCached = target_.isSharedMemoryCached();
  if (c.hasNoConflict) {
    remark.name = "no-conflict";
    remark.message =
        isCached ? formatText("'{}{}' is not known to be spread over cache lines", c.name, old)
                 : formatText("'{}{}' has no known bank conflicts", c.name, old);
    return remark;
  }
  if (c.refusal) {
    remark.kind = Remark::Kind::Missed;
    remark.name = c.refusal->name;
    remark.message = formatText("did not pad '{}{}': {}", c.name, old, c.refusal->message);
    return remark;
  }
  remark.kind = Remark::Kind::Applied;
  const std::string now = describe(variable, c.after->layout);
  const uint64_t bytes = c.after->layout.bytes() - before.layout.bytes();
  remark.name = "padded";
  for (const auto& [top, flat] : c.after->layout.flat) {
    if (flat.map.kind == IndexMap::Kind::Xor) remark.name = "swizzled";
    if (flat.map.kind == IndexMap::Kind::None) remark.name = "flattened";
  }
  const std::string_view degree = isCached ? "cache lines of an access" : "conflict degree";
  const bool isKnown = degreeBefore != 0; // unless the layout was asked for, it is
  remark.message = formatText(
      "{} '{}' from {} to {}: {}, {} more bytes", remark.name, c.name, old, now,
      isKnown ? formatText("{} {} -> {}{}", degree, degreeBefore, degreeThere,
                           degreeThere == degreeAfter ? std::string()
                                                      : formatText(" ({} elsewhere)", degreeAfter))
              : formatText("{} unknown", degree),
      bytes);
  remark.args.insert(remark.args.end(), {{"extents-before", old}, {"extents-after", now}});
  if (isKnown)
    remark.args.insert(remark.args.end(), {{"degree-before", std::to_string(degreeBefore)},
                                           {"degree-after", std::to_string(degreeAfter)}});
  for (auto [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"cycles-before", formatText("{:g}", before.cost.cycles)},
           {"cycles-after", formatText("{:g}", c.after->cost.cycles)},
           {"arithmetic-added", formatText("{:g}", c.after->cost.arithmetic)},
           {"cycles-at-risk", formatText("{:g}", c.after->cost.risk)},
           {"residency-lost", formatText("{:g}", c.after->cost.occupancyLoss)},
           {"bytes-added", std::to_string(bytes)}})
    remark.args.push_back({key, value});
  return remark;
}

// ---- run ----

/// A look at the module as it would be if what moves whole rows, or passes pointers to them, went
/// element by element. Of a copy: the module itself is only changed for variables that gain by it.
class SecondLook {
public:
  SecondLook(PassContext& context, const std::set<Id>& variables)
      : copy_(context.module), analyses_(copy_, context.assumptions) {
    Result<bool> changed = normalizeSharedUses(copy_, analyses_, variables, refusals_);
    if (!changed || !*changed) return; // for want of ids: the first look stands
    plan_ = std::make_unique<Plan>(context, copy_, analyses_);
    looksAt_ = variables;
    for (const UseRefusal& refusal : refusals_) looksAt_.erase(refusal.variable);
  }

  void judge(SharedSizes& newBytes) {
    if (plan_) plan_->judge(newBytes, &looksAt_);
  }
  const Candidate* find(Id variable) const {
    if (!plan_) return nullptr;
    for (const Candidate& c : plan_->candidates())
      if (c.variable->id == variable) return &c;
    return nullptr;
  }
  const UseRefusal* refusalOf(Id variable) const {
    for (const UseRefusal& refusal : refusals_)
      if (refusal.variable == variable) return &refusal;
    return nullptr;
  }
  const Plan& plan() const { return *plan_; }

private:
  Module copy_;
  Analyses analyses_;
  std::vector<UseRefusal> refusals_;
  std::set<Id> looksAt_;
  std::unique_ptr<Plan> plan_;
};

/// Variables that a second look may find a better layout for: those with obstacles that can be
/// removed, and those with structs that are moved as a whole and therefore keep their types.
std::set<Id> wantSecondLook(const Plan& plan) {
  std::set<Id> wanted;
  for (const Candidate& c : plan.candidates()) {
    const auto& obstacles = c.variable->obstacles;
    const bool isBlocked = !obstacles.empty() && c.isSizeKnown && c.refusal &&
                           c.refusal->name == obstacles.front().name &&
                           std::all_of(obstacles.begin(), obstacles.end(),
                                       [](const Obstacle& o) { return o.isRemovable; });
    const bool isBound =
        obstacles.empty() && !c.hasNoConflict && c.after &&
        std::any_of(c.variable->accesses.begin(), c.variable->accesses.end(),
                    [&](const SharedAccess& a) {
                      return c.variable->nodes[a.node].kind != LayoutNode::Kind::Element;
                    });
    if (isBlocked || isBound) wanted.insert(c.variable->id);
  }
  return wanted;
}

/// What to do with the module, in module order.
struct Decision {
  Id variable;
  SharedLayout layout;
};

} // namespace

PassResult runPadSharedMemory(PassContext& context) {
  Plan plan(context, context.module, context.analyses);
  SharedSizes newBytes;
  plan.judge(newBytes);
  std::unique_ptr<SecondLook> second;
  if (const std::set<Id> wanted = wantSecondLook(plan); !wanted.empty()) {
    second = std::make_unique<SecondLook>(context, wanted);
    second->judge(newBytes);
  }

  std::vector<Decision> decisions;
  std::set<Id> normalized;
  for (Candidate& first : plan.candidates()) {
    const Candidate* again = second ? second->find(first.variable->id) : nullptr;
    if (second && !again)
      if (const UseRefusal* refusal = second->refusalOf(first.variable->id);
          refusal && first.refusal)
        first.refusal = Refusal{refusal->name, refusal->reason, refusal->inst};
    // A layout that can be had as things stand is better than one that takes loads apart for
    // little.
    constexpr double kWorthIt = 0.95;
    const bool isBetter =
        again &&
        (!first.variable->obstacles.empty() ||
         (again->isApplied() &&
          (first.refusal || again->after->cost.total() < first.after->cost.total() * kWorthIt)));
    const Candidate& c = isBetter ? *again : first;
    if (c.isApplied() && !context.maySite(c.name)) continue;
    context.remarks.push_back((isBetter ? second->plan() : plan).remark(c));
    if (!c.isApplied()) continue;
    decisions.push_back({c.variable->id, c.after->layout});
    if (isBetter) normalized.insert(c.variable->id);
  }
  if (decisions.empty()) return PassOutcome{};

  if (!normalized.empty()) {
    std::vector<UseRefusal> refusals;
    Result<bool> changed =
        normalizeSharedUses(context.module, context.analyses, normalized, refusals);
    if (!changed) return changed.error();
  }
  const std::vector<SharedVariable> variables =
      normalized.empty() ? plan.takeVariables()
                         : collectSharedVariables(context.analyses, context.target);
  Rewriter rewriter(context.module);
  std::map<const EntryPoint*, Affine> affines;
  for (const Decision& decision : decisions) {
    std::vector<const EntryPoint*> users;
    for (const EntryPoint& entry : context.analyses.get<EntryPoints>().all())
      if (std::ranges::find(entry.variables, decision.variable) != entry.variables.end())
        users.push_back(&entry);
    IndexSplitter splitter(context.analyses, users, [&](const EntryPoint& entry) -> Affine& {
      return affines
          .try_emplace(&entry, context.analyses, entry.workgroupSize->size,
                       context.target.subgroupSize)
          .first->second;
    });
    for (const SharedVariable& variable : variables)
      if (variable.id == decision.variable)
        relayoutShared(context.analyses, rewriter, variable, decision.layout, splitter);
  }
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  // Without a normal form no block is added or removed and no edge changes.
  PreservedAnalyses preserved = PreservedAnalyses::none();
  if (normalized.empty()) preserved = PreservedAnalyses::of<Cfg, Dominance>();
  return PassOutcome{true, preserved};
}

} // namespace lanewise
