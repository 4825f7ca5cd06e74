// --pad-shared-memory: change a Workgroup array's row stride so that lanes hit distinct banks
//
// What: Workgroup memory is served by banks, one word each a cycle. Lanes that walk down a column
// of `tile[32][32]` all ask the same bank and wait for one another; with rows of 33 they ask 32
// banks. The pass finds, for every array of arrays in Workgroup memory, the extents that make the
// accesses of all its sites together cheapest, and gives the array a type of its own with them.
//
// Legal when: the variable has no explicit layout, every use ends at an element (or inside one), no
// index is known to leave its row, and the entry points that use it still fit the target's
// Workgroup memory. canPad() and hasRoom() hold the rules, each with its name.
//
// Pays when: the cycles that the banks need, summed over all sites and weighted by how often they
// run, drop by at least Options::minGain. isProfitable() decides, on counts for each lane, not on
// estimates.
//
// Before => After:
//
//     %row  = OpTypeArray %float %uint_32        %row33  = OpTypeArray %float %uint_33
//     %tile = OpTypeArray %row %uint_32     =>   %tile33 = OpTypeArray %row33 %uint_32
//     %s    = OpVariable %_ptr_tile Workgroup    %s      = OpVariable %_ptr_tile33 Workgroup
//
// An extent by specialization constants becomes OpSpecConstantOp IAdd and stays specializable.
//
// Not handled: arrays of one dimension (`s[y * 32 + x]`), arrays inside structs, rows used as a
// whole, pointers to rows passed to functions. Each is refused by name.
//
// Reference: NVIDIA CUDA C++ Best Practices Guide, 10.2.3 "Shared Memory";
// docs/passes/pad-shared-memory.md.

#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/entry_points.h"
#include "analysis/shared_arrays.h"
#include "analysis/source_lines.h"
#include "analysis/types.h"
#include "ir/rewriter.h"
#include "pass.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "pad-shared-memory";

/// No array is larger; beyond it sizes might overflow.
constexpr uint64_t kMaxBytes = uint64_t(1) << 32;

/// Accesses that a remark lists, in module order: an unrolled loop may have thousands.
constexpr size_t kMaxTableRows = 32;

struct Options {
  /// Least share of the weighted cycles that a change must save, 0 to 1.
  double minGain = 0.05;
  /// Most bytes that pads may add, as a share of the array. Not a model of occupancy, only a guard
  /// against trading much memory for the last conflict.
  double maxGrowth = 0.5;
  /// Most extents tried for one array; beyond it dimensions are padded one at a time.
  uint64_t maxCandidates = 4096;
  /// Most lanes looked at for one array, all candidates together; beyond it likewise.
  uint64_t maxLanes = uint64_t(1) << 24;
};

// ---- data ----

/// One access of the array under one entry point.
struct Site {
  const SharedAccess* access;
  double weight; ///< executions for each run of the entry point, an estimate
  /// Nothing when the indices depend on data: such a site counts for no layout and against none.
  std::optional<AccessPattern> pattern;
  std::optional<uint32_t> dimensionOutOfRange;
};

/// Sites that look the same to the banks: unrolled loops have thousands of those.
struct SiteClass {
  const AccessPattern* pattern; ///< of one of them
  double weight;                ///< of all
};

/// What a layout costs over all sites whose pattern is known.
struct Layout {
  std::vector<uint64_t> extents;
  uint64_t bytes = 0;
  double cycles = 0;
};

/// An array that the pass looks at, and what it found.
struct Candidate {
  const SharedArray* array;
  std::string name;
  std::vector<const EntryPoint*> entryPoints; ///< those that use it
  std::vector<const EntryPoint*> holders;     ///< and those that only list it
  std::vector<Site> sites;
  std::vector<SiteClass> siteClasses; ///< points into sites
  bool isSizeKnown = true;            ///< of every entry point that uses it
  InstRef unprovedIndex; ///< an access with an index that is not proved to stay in its row
  Layout before, after;
};

/// Why an array was left alone.
struct Refusal {
  std::string_view name;
  std::string message;
  InstRef place;
};

class PadSharedMemory {
public:
  explicit PadSharedMemory(PassContext& context)
      : context_(context), module_(context.module), analyses_(context.analyses),
        target_(context.target), isForced_(context.mode == "pad") {}

  PassResult run();

private:
  // collect
  Candidate collect(const SharedArray& array);
  // check
  std::optional<Refusal> canPad(const Candidate& candidate) const;
  std::optional<Refusal> hasRoom(const Candidate& candidate) const;
  bool isExtentKnown(const ArrayDimension& dimension) const;
  std::string askForExtent(const ArrayDimension& dimension) const;
  bool hasConflict(const Candidate& candidate) const;
  // choose
  Layout evaluate(const Candidate& candidate, std::vector<uint64_t> extents,
                  double enough = std::numeric_limits<double>::infinity()) const;
  uint64_t padPeriod(const Candidate& candidate, size_t dimension) const;
  Layout cheapestLayout(const Candidate& candidate) const;
  std::optional<Refusal> isProfitable(const Candidate& candidate) const;
  // rewrite
  Id paddedLength(const ArrayDimension& old, uint64_t extent, InstRef anchor,
                  Rewriter& rewriter) const;
  void rewrite(const Candidate& candidate, Rewriter& rewriter);
  // tell
  void remarkNoConflict(const Candidate& candidate);
  void remarkMissed(const Candidate& candidate, const Refusal& refusal);
  void remarkApplied(const Candidate& candidate);
  Remark remarkFor(const Candidate& candidate) const;
  std::vector<std::string> siteTable(const Candidate& candidate, const Layout* after) const;

  PassContext& context_;
  const Module& module_;
  Analyses& analyses_;
  const TargetProfile& target_;
  const bool isForced_;
  const Options options_{};
  /// Entry points that have to do with a variable, in module order.
  struct Users {
    std::vector<const EntryPoint*> entryPoints; ///< those that use it
    std::vector<const EntryPoint*> holders;     ///< those, and the ones that only list it
  };
  std::unordered_map<Id, Users> users_;
  /// Forms of indices, by entry point: built once, for all arrays.
  std::map<const EntryPoint*, std::unique_ptr<Affine>> affines_;
  /// Sizes of the arrays that this run padded so far.
  std::map<Id, uint64_t> newBytes_;
};

std::string extentsText(const std::vector<uint64_t>& extents) {
  std::string text;
  for (uint64_t e : extents) text += fmt::format("[{}]", e);
  return text;
}

// ---- collect ----

/// True if the indices of all dimensions but the outermost are proved to be in range. Only with a
/// workgroup size that is literal does that hold for every use of the module.
bool staysInRow(const Constants& constants, Affine& affine, const SharedArray& array,
                const SharedAccess& access) {
  for (size_t d = 1; d < access.indices.size(); ++d) {
    if (!constants.literal(array.dimensions[d].length)) return false;
    const AffineExpr& index = affine.of(access.indices[d]);
    if (!index.range || index.range->second >= array.dimensions[d].extent || index.dependsOnSpec)
      return false;
  }
  return true;
}

std::vector<SiteClass> classify(const std::vector<Site>& sites) {
  auto less = [](const AccessPattern* a, const AccessPattern* b) { return *a < *b; };
  std::map<const AccessPattern*, size_t, decltype(less)> known(less);
  std::vector<SiteClass> classes;
  for (const Site& site : sites) {
    if (!site.pattern) continue;
    const auto [at, isNew] = known.try_emplace(&*site.pattern, classes.size());
    if (isNew) classes.push_back({&*site.pattern, 0});
    classes[at->second].weight += site.weight;
  }
  return classes;
}

Candidate PadSharedMemory::collect(const SharedArray& array) {
  Candidate c;
  c.array = &array;
  c.name = analyses_.decorations().name(module_, array.id);
  if (c.name.empty()) c.name = fmt::format("%{}", array.id.value);
  const Users& users = users_[array.id];
  c.holders = users.holders;
  c.entryPoints = users.entryPoints;
  for (const EntryPoint* user : c.entryPoints) {
    const EntryPoint& entry = *user;
    if (!entry.workgroupSize) {
      c.isSizeKnown = false;
      continue;
    }
    auto& affine = affines_[&entry];
    if (!affine) affine = std::make_unique<Affine>(analyses_, entry.workgroupSize->size);
    for (const SharedAccess& access : array.accesses) {
      const BlockRef block = module_.blockOf(access.inst);
      const FunctionRef function = module_.functionOf(block);
      if (!std::binary_search(entry.functions.begin(), entry.functions.end(), function)) continue;
      Site site{&access, blockFrequency(analyses_, block), {}, {}};
      if (!staysInRow(analyses_.constants(), *affine, array, access) ||
          !entry.workgroupSize->isLiteral)
        c.unprovedIndex = access.inst;
      site.pattern = AccessPattern::build(analyses_, *affine, array, access,
                                          entry.workgroupSize->size, target_);
      site.dimensionOutOfRange = AccessPattern::dimensionOutOfRange(
          analyses_, *affine, array, access, entry.workgroupSize->size, target_);
      c.sites.push_back(std::move(site));
    }
  }
  c.siteClasses = classify(c.sites);
  c.before = evaluate(c, array.extents());
  c.after = c.before;
  return c;
}

// ---- check ----

/// True for an extent that is literal, or by specialization constants that were all given. Given
/// values only inform the cost: the rewrite holds for every value.
bool PadSharedMemory::isExtentKnown(const ArrayDimension& d) const {
  const auto value = analyses_.constants().value(d.length);
  if (!value) return false;
  return value->isLiteral ||
         (value->width == 32 && !analyses_.constants().isUnassumedSpec(d.length));
}

std::string PadSharedMemory::askForExtent(const ArrayDimension& d) const {
  const auto id = analyses_.decorations().operand(module_, d.length, spv::Decoration::SpecId);
  return fmt::format("an extent is a specialization constant; give it with --spec-const={}:VALUE",
                     id ? std::to_string(*id) : "ID");
}

/// Legality, apart from the room that the new layout needs. The first rule that is not met.
std::optional<Refusal> PadSharedMemory::canPad(const Candidate& c) const {
  const SharedArray& array = *c.array;
  const Decorations& decorations = analyses_.decorations();
  if (c.entryPoints.empty())
    return Refusal{"no-entry-point", "no entry point uses it", array.variable};
  for (spv::Decoration d : {spv::Decoration::Aliased, spv::Decoration::LinkageAttributes})
    if (decorations.has(array.id, d))
      return Refusal{"shared-identity", "its memory has another name too (Aliased or linkage)",
                     array.variable};
  // Workgroup memory with an explicit layout is a Block (SPV_KHR_workgroup_memory_explicit_layout),
  // so the variable is a struct, never an array; a decorated stride says all the same that somebody
  // counts on it.
  for (const ArrayDimension& d : array.dimensions) {
    if (decorations.has(d.type, spv::Decoration::ArrayStride))
      return Refusal{"explicit-layout", "its type has an explicit layout (ArrayStride)",
                     array.variable};
    // With a single dimension the value would not help.
    if (array.dimensions.size() > 1 && !isExtentKnown(d))
      return Refusal{"specialization-sized", askForExtent(d), array.variable};
  }
  // The bound also keeps every size of a candidate within 64 bits.
  if (array.elementBytes == 0 || c.before.bytes > kMaxBytes)
    return Refusal{"unknown-element-layout", "its size is not known", array.variable};
  if (module_.wordCount(array.variable) > 4 &&
      module_.opcodeOf(module_.idAt(array.variable, 4)) != spv::Op::OpConstantNull)
    return Refusal{"initializer", "it has an initializer that is not null", array.variable};
  if (!array.obstacles.empty()) {
    const Obstacle& first = array.obstacles.front();
    return Refusal{first.name, first.reason, first.inst};
  }
  for (const Site& site : c.sites)
    if (site.dimensionOutOfRange)
      return Refusal{
          "index-out-of-range",
          fmt::format("index {} of an access leaves its extent: the shader may count on rows "
                      "being next to each other",
                      *site.dimensionOutOfRange),
          site.access->inst};
  if (context_.isRobust && c.unprovedIndex)
    return Refusal{"index-not-proved",
                   "--robust asks for a proof that every index stays in its row, and there is none",
                   c.unprovedIndex};
  if (array.dimensions.size() < 2)
    return Refusal{"one-dimensional", "it has a single dimension: there is no row to lengthen",
                   array.variable};
  return std::nullopt;
}

/// Legality of the chosen layout: every entry point that uses the array still fits.
std::optional<Refusal> PadSharedMemory::hasRoom(const Candidate& c) const {
  std::map<Id, uint64_t> sizes = newBytes_;
  sizes[c.array->id] = c.after.bytes;
  for (const EntryPoint* entry : c.holders) {
    const auto total = sharedMemoryBytes(analyses_, *entry, target_, sizes);
    if (!total)
      return Refusal{"unknown-shared-memory", "the Workgroup memory in use is not known",
                     c.array->variable};
    if (*total > target_.maxSharedMemory)
      return Refusal{
          "no-room",
          fmt::format("{} needs {} bytes of Workgroup memory, and the target '{}' has {}",
                      extentsText(c.after.extents), *total, target_.name, target_.maxSharedMemory),
          c.array->variable};
  }
  return std::nullopt;
}

bool PadSharedMemory::hasConflict(const Candidate& c) const {
  const auto strides = c.array->strides(c.array->extents());
  return std::any_of(c.siteClasses.begin(), c.siteClasses.end(), [&](const SiteClass& sites) {
    return sites.pattern->cost(target_, strides).degree > 1;
  });
}

// ---- choose ----

/// Stops to count when there are more cycles than `enough`.
Layout PadSharedMemory::evaluate(const Candidate& c, std::vector<uint64_t> extents,
                                 double enough) const {
  Layout layout;
  layout.bytes = c.array->elementBytes;
  for (uint64_t extent : extents)
    layout.bytes = std::min(layout.bytes, kMaxBytes) * std::min(extent, kMaxBytes >> 1);
  const auto strides = c.array->strides(extents);
  for (const SiteClass& sites : c.siteClasses) {
    layout.cycles += sites.weight * sites.pattern->cost(target_, strides).cycles;
    if (layout.cycles > enough) break;
  }
  layout.extents = std::move(extents);
  return layout;
}

/// Extents of `dimension` beyond which the banks repeat: a pad of this many elements changes
/// nothing.
uint64_t PadSharedMemory::padPeriod(const Candidate& c, size_t dimension) const {
  const uint64_t bankRow = uint64_t(target_.banks) * target_.bankBytes;
  const uint64_t step = c.array->strides(c.array->extents())[dimension];
  return bankRow / std::gcd(bankRow, step);
}

/// The layout with the fewest weighted cycles; among equals the smallest. The outermost extent
/// changes no stride, so it stays.
Layout PadSharedMemory::cheapestLayout(const Candidate& c) const {
  const std::vector<uint64_t> original = c.array->extents();
  const size_t rank = original.size();
  std::vector<uint64_t> periods(rank, 1);
  uint64_t combinations = 1;
  for (size_t d = 1; d < rank; ++d) {
    periods[d] = padPeriod(c, d);
    combinations *= periods[d];
  }
  const double mostBytes = double(c.before.bytes) * (1 + options_.maxGrowth);
  Layout best = c.before;
  auto consider = [&](std::vector<uint64_t> extents) {
    Layout layout = evaluate(c, std::move(extents), best.cycles);
    if (double(layout.bytes) > mostBytes) return;
    const bool isFirst = isForced_ && best.extents == original && layout.cycles <= best.cycles;
    if (isFirst || layout.cycles < best.cycles ||
        (layout.cycles == best.cycles && layout.bytes < best.bytes))
      best = std::move(layout);
  };
  uint64_t lanes = 1;
  for (const SiteClass& sites : c.siteClasses) lanes += sites.pattern->lanes();
  if (combinations <= std::min(options_.maxCandidates, options_.maxLanes / lanes)) {
    for (uint64_t n = 0; n < combinations; ++n) {
      std::vector<uint64_t> extents = original;
      uint64_t rest = n;
      for (size_t d = rank; d-- > 1; rest /= periods[d]) extents[d] += rest % periods[d];
      consider(std::move(extents));
    }
  } else {
    for (size_t d = rank; d-- > 1;)
      for (uint64_t pad = 0; pad < periods[d]; ++pad) {
        std::vector<uint64_t> extents = best.extents;
        extents[d] = original[d] + pad;
        consider(std::move(extents));
      }
  }
  return best;
}

/// Whether the chosen layout is worth having. With `=pad` it is, as long as no site gets worse.
std::optional<Refusal> PadSharedMemory::isProfitable(const Candidate& c) const {
  if (c.after.extents == c.before.extents)
    return Refusal{"no-better-layout", "no padding lowers the cost of its accesses",
                   c.array->variable};
  if (isForced_) {
    const auto before = c.array->strides(c.before.extents),
               after = c.array->strides(c.after.extents);
    for (const Site& site : c.sites)
      if (site.pattern &&
          site.pattern->cost(target_, after).degree > site.pattern->cost(target_, before).degree)
        return Refusal{"raises-a-degree", "every padding raises the conflict degree of some access",
                       site.access->inst};
    return std::nullopt;
  }
  if (c.after.cycles > c.before.cycles * (1 - options_.minGain))
    return Refusal{"gain-too-small",
                   fmt::format("{} would save {:.1f}% of the cycles of its accesses",
                               extentsText(c.after.extents),
                               100 * (1 - c.after.cycles / c.before.cycles)),
                   c.array->variable};
  return std::nullopt;
}

// ---- rewrite ----

/// The constant for a longer extent. One by specialization constants stays specializable.
Id PadSharedMemory::paddedLength(const ArrayDimension& old, uint64_t extent, InstRef anchor,
                                 Rewriter& rewriter) const {
  if (analyses_.constants().literal(old.length))
    return rewriter.uint32Constant(uint32_t(extent), anchor);
  const Id type = module_.typeOf(old.length);
  const Id pad = rewriter.constant(type, uint32_t(extent - old.extent), anchor);
  return rewriter.declare(anchor, [&](Id id) {
    return Inst(spv::Op::OpSpecConstantOp)
        .id(type)
        .id(id)
        .word(uint32_t(spv::Op::OpIAdd))
        .id(old.length)
        .id(pad);
  });
}

/// Gives the variable array types of its own; types that other variables share are never changed.
void PadSharedMemory::rewrite(const Candidate& c, Rewriter& rewriter) {
  const SharedArray& array = *c.array;
  const InstRef anchor = array.variable;
  const size_t rank = array.dimensions.size();
  auto declarePointer = [&](Id pointee) {
    return rewriter.declare(anchor, [&](Id id) {
      return Inst(spv::Op::OpTypePointer)
          .id(id)
          .word(uint32_t(spv::StorageClass::Workgroup))
          .id(pointee);
    });
  };
  // From the innermost padded dimension outwards; dimensions inside it keep their types.
  std::vector<Id> types(rank + 1);
  types[rank] = array.elementType;
  for (size_t d = rank; d-- > 0;) {
    const ArrayDimension& old = array.dimensions[d];
    const bool isPadded = c.after.extents[d] != old.extent;
    const Id inner = d + 1 < rank ? array.dimensions[d + 1].type : array.elementType;
    if (!isPadded && types[d + 1] == inner) {
      types[d] = old.type;
      continue;
    }
    const Id length =
        isPadded ? paddedLength(old, c.after.extents[d], anchor, rewriter) : old.length;
    types[d] = rewriter.declare(anchor, [&](Id id) {
      return Inst(spv::Op::OpTypeArray).id(id).id(types[d + 1]).id(length);
    });
  }
  rewriter.setId(anchor, 1, declarePointer(types[0]));
  if (module_.wordCount(anchor) > 4)
    rewriter.setId(anchor, 4, rewriter.declare(anchor, [&](Id id) {
      return Inst(spv::Op::OpConstantNull).id(types[0]).id(id);
    }));
  std::map<uint32_t, Id> rowPointers;
  for (const auto& [chain, consumed] : array.partialChains) {
    if (types[consumed] == array.dimensions[consumed].type) continue;
    Id& pointer = rowPointers[consumed];
    if (!pointer) pointer = declarePointer(types[consumed]);
    rewriter.setId(chain, 1, pointer);
  }
  newBytes_[array.id] = c.after.bytes;
}

// ---- tell ----

/// A remark at the site that costs most, or at the variable.
Remark PadSharedMemory::remarkFor(const Candidate& c) const {
  Remark remark;
  remark.pass = kPass;
  const auto strides = c.array->strides(c.before.extents);
  InstRef place = c.array->accesses.empty() ? c.array->variable : c.array->accesses.front().inst;
  double worst = 0;
  for (const Site& site : c.sites) {
    const double cycles =
        site.pattern ? site.weight * site.pattern->cost(target_, strides).cycles : 0;
    if (cycles > worst) {
      worst = cycles;
      place = site.access->inst;
    }
  }
  remark.location = analyses_.sourceLines().at(module_, place);
  if (!c.entryPoints.empty()) remark.function = module_.stringAt(c.entryPoints.front()->inst, 3);
  return remark;
}

std::vector<std::string> PadSharedMemory::siteTable(const Candidate& c, const Layout* after) const {
  std::vector<std::string> rows;
  const auto oldStrides = c.array->strides(c.before.extents);
  for (const Site& site : c.sites) {
    if (rows.size() == kMaxTableRows) {
      rows.push_back(fmt::format("and {} more accesses", c.sites.size() - rows.size()));
      break;
    }
    const SourceLocation at = analyses_.sourceLines().at(module_, site.access->inst);
    std::string degree = "depends on data";
    if (site.pattern) {
      degree = fmt::format("degree {}", site.pattern->cost(target_, oldStrides).degree);
      if (after) {
        const auto newStrides = c.array->strides(after->extents);
        degree += fmt::format(" -> {}", site.pattern->cost(target_, newStrides).degree);
      }
    }
    std::string_view op = module_.facts(site.access->inst).name;
    op.remove_prefix(2);
    rows.push_back(fmt::format("{}: {} of {} bytes, {}, weight {:g}",
                               at.line ? fmt::format("line {}", at.line) : "no line", op,
                               site.access->bytes, degree, site.weight));
  }
  return rows;
}

void PadSharedMemory::remarkMissed(const Candidate& c, const Refusal& refusal) {
  Remark remark = remarkFor(c);
  remark.kind = Remark::Kind::Missed;
  remark.name = refusal.name;
  if (refusal.place != c.array->variable)
    remark.location = analyses_.sourceLines().at(module_, refusal.place);
  remark.message =
      fmt::format("did not pad '{}{}': {}", c.name, extentsText(c.before.extents), refusal.message);
  remark.args = {{"array", c.name}};
  remark.details = siteTable(c, nullptr);
  context_.remarks.push_back(std::move(remark));
}

void PadSharedMemory::remarkNoConflict(const Candidate& c) {
  Remark remark = remarkFor(c);
  remark.name = "no-conflict";
  remark.message = fmt::format("'{}{}' has no bank conflict that is known", c.name,
                               extentsText(c.before.extents));
  remark.args = {{"array", c.name}};
  remark.details = siteTable(c, nullptr);
  context_.remarks.push_back(std::move(remark));
}

void PadSharedMemory::remarkApplied(const Candidate& c) {
  Remark remark = remarkFor(c);
  remark.kind = Remark::Kind::Applied;
  remark.name = "padded";
  const auto oldStrides = c.array->strides(c.before.extents);
  const auto newStrides = c.array->strides(c.after.extents);
  uint32_t before = 0, after = 0;
  for (const SiteClass& sites : c.siteClasses) {
    before = std::max(before, sites.pattern->cost(target_, oldStrides).degree);
    after = std::max(after, sites.pattern->cost(target_, newStrides).degree);
  }
  remark.message = fmt::format("padded '{}' from {} to {}: conflict degree {} -> {}, {} more bytes",
                               c.name, extentsText(c.before.extents), extentsText(c.after.extents),
                               before, after, c.after.bytes - c.before.bytes);
  remark.args = {{"array", c.name},
                 {"extents-before", extentsText(c.before.extents)},
                 {"extents-after", extentsText(c.after.extents)},
                 {"degree-before", std::to_string(before)},
                 {"degree-after", std::to_string(after)},
                 {"cycles-before", fmt::format("{:g}", c.before.cycles)},
                 {"cycles-after", fmt::format("{:g}", c.after.cycles)},
                 {"bytes-added", std::to_string(c.after.bytes - c.before.bytes)}};
  remark.details = siteTable(c, &c.after);
  context_.remarks.push_back(std::move(remark));
}

// ---- run ----

PassResult PadSharedMemory::run() {
  const std::vector<SharedArray> arrays = collectSharedArrays(analyses_, target_);
  if (arrays.empty()) return PassOutcome{};
  for (const EntryPoint& entry : analyses_.entryPoints().all()) {
    for (Id variable : entry.variables) users_[variable].entryPoints.push_back(&entry);
    for (Id variable : workgroupVariables(analyses_, entry))
      users_[variable].holders.push_back(&entry);
  }

  Rewriter rewriter(context_.module);
  for (const SharedArray& array : arrays) {
    Candidate candidate = collect(array);
    if (!isForced_ && candidate.isSizeKnown && array.obstacles.empty() && !hasConflict(candidate)) {
      remarkNoConflict(candidate);
      continue;
    }
    if (auto refusal = canPad(candidate)) {
      remarkMissed(candidate, *refusal);
      continue;
    }
    if (!candidate.isSizeKnown) {
      remarkMissed(candidate, {"unknown-workgroup-size",
                               "the workgroup size is a specialization constant; give it with "
                               "--workgroup-size=X,Y,Z or --spec-const=ID:VALUE",
                               array.variable});
      continue;
    }
    candidate.after = cheapestLayout(candidate);
    auto refusal = isProfitable(candidate);
    if (!refusal) refusal = hasRoom(candidate);
    if (refusal) {
      remarkMissed(candidate, *refusal);
      continue;
    }
    if (!context_.maySite(candidate.name)) continue;
    remarkApplied(candidate);
    rewrite(candidate, rewriter);
  }

  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  // No block is added or removed and no edge changes.
  return PassOutcome{*changed,
                     AnalysisSet::none().with(AnalysisKind::Cfg).with(AnalysisKind::Dominance)};
}

} // namespace

PassResult runPadSharedMemory(PassContext& context) {
  return PadSharedMemory(context).run();
}

} // namespace lanewise
