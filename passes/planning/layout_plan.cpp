#include "planning/layout_plan.h"

#include "analysis/buffers/buffer_ranges.h"
#include "analysis/buffers/buffer_traffic.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "planning/buffer_groups.h"
#include "text/format_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <set>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "aos-to-soa";

/// Indices, offsets and sizes have 32 bits in a shader.
constexpr uint64_t kMaxBytes = UINT32_MAX;

/// Tiles are types of their own, with literal strides.
constexpr uint64_t kMaxTileBytes = uint64_t(1) << 30;

/// A view of a buffer in one shader.
struct PlacedView {
  size_t shader = 0;
  const BufferView* view = nullptr;
};

struct Refusal {
  std::string_view name;
  std::string message;
  SourceLocation location;
};

/// A buffer of the program on its way to a decision.
struct Candidate {
  const ProgramBuffer* buffer = nullptr;
  std::vector<PlacedView> views;
  std::string name;
  std::unique_ptr<BufferCost> cost;
  PackedWords words;
  std::optional<BufferLayout> layout;
  std::optional<Refusal> refusal;

  const BufferView& first() const { return *views.front().view; }
};

class Planner {
public:
  Planner(std::span<const ProgramShader> shaders, std::span<const ProgramBuffer> buffers,
          const TargetProfile& target, const LayoutPlanOptions& options)
      : shaders_(shaders), buffers_(buffers), target_(target), options_(options) {}

  LayoutPlan run() {
    for (const ProgramShader& shader : shaders_)
      uses_.push_back(collectBufferUses(*shader.analyses));
    plan_.byShader.resize(shaders_.size());
    plan_.manifest.assumesDistinctBindings = options_.assumesDistinctBindings;
    plan_.manifest.isRobust = options_.isRobust;
    for (const ProgramBuffer& buffer : buffers_) decide(buffer);
    for (size_t n = 0; n < options_.narrow.size(); ++n)
      if (found_.count(n) == 0) remarkUnknownField(options_.narrow[n]);
    std::sort(plan_.manifest.buffers.begin(), plan_.manifest.buffers.end(),
              [](const BufferLayout& a, const BufferLayout& b) { return a.name < b.name; });
    return std::move(plan_);
  }

private:
  // ---- collect ----

  Candidate collect(const ProgramBuffer& buffer) const {
    Candidate candidate;
    candidate.buffer = &buffer;
    std::vector<std::string> names;
    for (const auto& member : buffer.members) names.push_back(member.name);
    candidate.name = joinText(names, ", ");
    for (const auto& [shader, binding] : buffer.views)
      for (const BufferView& view : uses_[shader].views)
        if (view.hasBinding && view.binding == binding) candidate.views.push_back({shader, &view});
    // What the remarks speak of is a view that has something to change.
    std::stable_partition(candidate.views.begin(), candidate.views.end(), [](const PlacedView& v) {
      return v.view->hasArray && !v.view->isUniform;
    });
    return candidate;
  }

  void addTraffic(Candidate& candidate) const {
    candidate.cost = std::make_unique<BufferCost>(candidate.first(), target_.sectorBytes);
    for (const PlacedView& v : candidate.views)
      candidate.cost->add(collectTraffic(*shaders_[v.shader].analyses, *v.view, target_,
                                         shaders_[v.shader].workgroups));
  }

  // ---- legal ----

  Refusal refusalAt(const PlacedView& v, InstRef inst, std::string_view name,
                    const std::string& reason) const {
    const ProgramShader& shader = shaders_[v.shader];
    Refusal refusal{name, reason, {}};
    if (!shader.name.empty())
      refusal.message = formatText("in shader '{}': {}", shader.name, reason);
    if (inst)
      refusal.location = shader.analyses->get<SourceLines>().at(shader.analyses->module(), inst);
    return refusal;
  }

  /// Why the layout may not change whatever it becomes.
  std::optional<Refusal> canRelayout(const Candidate& candidate) const {
    if (!candidate.buffer->fixedBy.empty())
      return Refusal{"fixed-bytes", candidate.buffer->fixedBy, {}};
    for (size_t s = 0; s < shaders_.size(); ++s)
      if (const auto& refusal = uses_[s].refusal)
        return refusalAt({s, nullptr}, refusal->inst, refusal->name, refusal->reason);
    for (const PlacedView& v : candidate.views)
      if (v.view->signature != candidate.first().signature || v.view->isUniform)
        return refusalAt(
            v,
            v.view->variable ? shaders_[v.shader].analyses->module().def(v.view->variable)
                             : InstRef(),
            "differing-views",
            formatText("the buffer is also declared as '{}' with a different type", v.view->name));
    for (const PlacedView& v : candidate.views)
      if (!v.view->refusals.empty()) {
        const BufferRefusal& r = v.view->refusals.front();
        return refusalAt(v, r.inst, r.name, r.reason);
      }
    for (const PlacedView& v : candidate.views)
      if (const InstRef inst =
              findOutOfRangeIndex(*shaders_[v.shader].analyses, *v.view, target_.subgroupSize))
        return refusalAt(v, inst, "index-out-of-range",
                         "an index may be out of range: the shader may rely on the next field "
                         "following in memory");
    if (options_.isRobust)
      for (const PlacedView& v : candidate.views)
        if (const InstRef inst = findUnprovedIndex(*shaders_[v.shader].analyses, *v.view))
          return refusalAt(v, inst, "index-not-proved",
                           "--robust: an index is not proved to be in range");
    return std::nullopt;
  }

  /// Why the chosen layout does not do for the buffers that there are.
  std::optional<Refusal> fits(const BufferLayout& layout, const Candidate& candidate) const {
    auto refuse = [](std::string_view name, std::string message) {
      return Refusal{name, std::move(message), {}};
    };
    if (layout.tile != 0 && layout.tileStride(layout.tile) > kMaxTileBytes)
      return refuse("tile-too-large",
                    formatText("a tile of {} elements is too large", layout.tile));
    std::vector<uint64_t> counts;
    if (layout.count) counts.push_back(*layout.count);
    for (const ProgramBuffer::Member& member : candidate.buffer->members) {
      if (!member.bytes) continue;
      if (*member.bytes < layout.arrayOffsetBefore ||
          (*member.bytes - layout.arrayOffsetBefore) % layout.strideBefore != 0)
        return refuse("partial-element",
                      formatText("'{}' has {} bytes, not a whole number of elements", member.name,
                                 *member.bytes));
      counts.push_back((*member.bytes - layout.arrayOffsetBefore) / layout.strideBefore);
      if (layout.needsWholeTiles && counts.back() % layout.tile != 0)
        return refuse("array-length-not-whole-tiles",
                      formatText("a shader queries the length of its array, and the {} elements of "
                                 "'{}' are not a multiple of the tile of {}",
                                 counts.back(), member.name, layout.tile));
    }
    for (uint64_t count : counts)
      if (count > kMaxBytes || layout.bytesAfter(count) > target_.maxStorageBuffer)
        return refuse("buffer-too-large",
                      formatText("its {} elements would take more than {} bytes", count,
                                 target_.maxStorageBuffer));
    // Where the runs of a literal number of elements start stands in the shaders.
    if (layout.tile == 0 && layout.count)
      for (uint64_t count : counts)
        if (count != *layout.count)
          return refuse("count-differs",
                        formatText("its type has {} elements, but a buffer of the scenario has {}",
                                   *layout.count, count));
    return std::nullopt;
  }

  // ---- choose ----

  /// The layout, or why there is none.
  std::optional<Refusal> choose(Candidate& candidate) const {
    const BufferView& view = candidate.first();
    const uint32_t tile = options_.mode == LayoutMode::Soa ? 0 : options_.tile;
    if (tile != 0 && uint64_t(tile) * view.stride > kMaxTileBytes)
      return Refusal{"tile-too-large", formatText("a tile of {} elements is too large", tile), {}};
    LeafGroups groups = chooseGroups(view, *candidate.cost, tile, candidate.words);
    if (options_.mode == LayoutMode::Keep) groups = allTogether(view);
    if (groups.size() == 1 && candidate.words.empty())
      return Refusal{"one-group", "all fields stay in one group: nothing to split", {}};
    return place(candidate, groups, tile);
  }

  static LeafGroups allTogether(const BufferView& view) {
    LeafGroups groups(1);
    for (uint32_t n = 0; n < view.leaves.size(); ++n) groups[0].push_back(n);
    return groups;
  }

  std::optional<Refusal> place(Candidate& candidate, const LeafGroups& groups,
                               uint32_t tile) const {
    const BufferView& view = candidate.first();
    if (groups.size() == 1) tile = 1; // elements one after the other: no length is too odd
    BufferLayout layout = tile == 0 ? soaLayout(view, groups, candidate.words)
                                    : layoutOf(view, groups, tile, candidate.words);
    layout.needsWholeTiles =
        tile != 0 && std::any_of(candidate.views.begin(), candidate.views.end(),
                                 [](const PlacedView& v) { return !v.view->lengths.empty(); });
    if (auto refusal = fits(layout, candidate)) return refusal;
    candidate.layout = std::move(layout);
    return std::nullopt;
  }

  // ---- narrow ----

  /// Packs the fields that were asked for and may be; says why the others stay.
  void narrow(Candidate& candidate) {
    std::vector<NarrowLeaf> leaves;
    for (size_t n = 0; n < options_.narrow.size(); ++n) {
      const NarrowRequest& request = options_.narrow[n];
      const std::optional<uint32_t> leaf = leafOf(candidate, request);
      if (!leaf) continue;
      found_.insert(n);
      if (auto refusal = canNarrow(candidate, *leaf))
        remarkNotNarrowed(candidate, *leaf, *refusal);
      else
        leaves.push_back({*leaf, request.bits});
    }
    for (std::vector<NarrowLeaf>& word : packWords(leaves)) {
      const auto refusal = canStoreInPlace(candidate, word);
      for (const NarrowLeaf& n : word)
        if (refusal) remarkNotNarrowed(candidate, n.leaf, *refusal);
      if (!refusal) candidate.words.push_back(std::move(word));
    }
  }

  std::optional<uint32_t> leafOf(const Candidate& candidate, const NarrowRequest& request) const {
    const auto& members = candidate.buffer->members;
    const bool isNamed =
        std::any_of(members.begin(), members.end(),
                    [&](const auto& m) { return m.name == request.buffer; }) ||
        std::any_of(candidate.views.begin(), candidate.views.end(),
                    [&](const PlacedView& v) { return v.view->name == request.buffer; });
    const auto& leaves = candidate.first().leaves;
    for (uint32_t n = 0; isNamed && n < leaves.size(); ++n)
      if (leaves[n].path == request.field) return n;
    return std::nullopt;
  }

  std::optional<Refusal> canNarrow(const Candidate& candidate, uint32_t leaf) const {
    for (const PlacedView& v : candidate.views)
      if (auto r = whyNotNarrow(*shaders_[v.shader].analyses, *v.view, leaf))
        return refusalAt(v, r->inst, r->name, r->reason);
    return std::nullopt;
  }

  std::optional<Refusal> canStoreInPlace(const Candidate& candidate,
                                         const std::vector<NarrowLeaf>& word) const {
    for (const PlacedView& v : candidate.views) {
      const auto r = whyNotInPlace(*shaders_[v.shader].analyses, *v.view, word);
      if (r) return refusalAt(v, r->inst, r->name, r->reason);
    }
    // What one declaration is proved not to do, another of the same binding may.
    std::set<std::pair<size_t, BindingNumber>> places;
    for (const PlacedView& v : candidate.views)
      if (!places.insert({v.shader, v.view->binding}).second)
        return refusalAt(v, {}, "shared-word", "the binding is declared more than once");
    if (candidate.buffer->isBoundTwice)
      return refusalAt(candidate.views.front(), {}, "shared-word",
                       "a dispatch binds the buffer twice");
    if (candidate.buffer->isOnSeveralQueues)
      return refusalAt(candidate.views.front(), {}, "shared-word",
                       "a dispatch on another queue may access a field in the same word");
    return std::nullopt;
  }

  void remarkNotNarrowed(const Candidate& candidate, uint32_t leaf, const Refusal& refusal) {
    Remark remark;
    remark.kind = Remark::Kind::Missed;
    remark.pass = kPass;
    remark.name = refusal.name;
    remark.location = refusal.location;
    remark.message =
        formatText("'{}' of '{}' is not narrowed: {}", candidate.first().leaves[leaf].path,
                   candidate.name, refusal.message);
    plan_.remarks.push_back(std::move(remark));
  }

  void remarkUnknownField(const NarrowRequest& request) {
    Remark remark;
    remark.kind = Remark::Kind::Warning;
    remark.pass = kPass;
    remark.name = "no-such-field";
    remark.message = formatText(
        "--narrow-fields={}.{}: no such field in an array of structs whose layout may change",
        request.buffer, request.field);
    plan_.remarks.push_back(std::move(remark));
  }

  bool hasComputeShader() const {
    for (const ProgramShader& shader : shaders_)
      for (const EntryPoint& entry : shader.analyses->get<EntryPoints>().all())
        if (entry.model == spv::ExecutionModel::GLCompute) return true;
    return false;
  }

  /// Why `auto` does not want the layout.
  std::optional<Refusal> isProfitable(const Candidate& candidate) const {
    if (!candidate.cost->isKnown() && !hasComputeShader())
      return Refusal{
          "unknown-workgroup-size",
          "it is not accessed by a compute shader, so which invocations run together is unknown",
          {}};
    if (!candidate.cost->isKnown())
      return Refusal{"unknown-workgroup-size",
                     "the workgroup size is unknown; give --workgroup-size or --scenario",
                     {}};
    const TrafficCost before = candidate.cost->before();
    const TrafficCost after = candidate.cost->cautiousAfter(*candidate.layout);
    if (after.total() <= before.total() * (1 - options_.minGain)) return std::nullopt;
    return Refusal{"not-profitable", formatText("not profitable: {}", gainText(before, after)), {}};
  }

  static std::string gainText(const TrafficCost& before, const TrafficCost& after) {
    if (before.total() <= 0) return "no shader uses it";
    return formatText("sectors fetched {:+.0f}%, requested {:+.0f}%",
                      change(before.fetched, after.fetched),
                      change(before.requested, after.requested));
  }
  static double change(double before, double after) {
    return before <= 0 ? 0 : 100 * (after / before - 1);
  }

  void decide(const ProgramBuffer& buffer) {
    Candidate candidate = collect(buffer);
    if (candidate.views.empty() || !candidate.first().hasArray || candidate.first().isUniform)
      return;
    candidate.refusal = canRelayout(candidate);
    if (!candidate.refusal) {
      narrow(candidate);
      if (options_.mode == LayoutMode::Keep && candidate.words.empty()) return;
      addTraffic(candidate);
      candidate.refusal = choose(candidate);
    }
    if (!candidate.refusal && options_.mode == LayoutMode::Auto) {
      candidate.refusal = isProfitable(candidate);
      // Narrowing was asked for by name, and does not depend on splitting the fields.
      if (candidate.refusal && !candidate.words.empty())
        candidate.refusal = place(candidate, allTogether(candidate.first()), 1);
    }
    if (!candidate.refusal && options_.maySite && !options_.maySite(candidate.name)) return;
    plan_.remarks.push_back(remarkOf(candidate));
    if (!candidate.refusal) accept(candidate);
  }

  void accept(const Candidate& candidate) {
    for (const PlacedView& v : candidate.views)
      plan_.byShader[v.shader].insert_or_assign(v.view->binding, *candidate.layout);
    for (const ProgramBuffer::Member& member : candidate.buffer->members) {
      BufferLayout layout = *candidate.layout;
      layout.name = member.name;
      layout.bindings = member.bindings;
      std::sort(layout.bindings.begin(), layout.bindings.end());
      layout.bindings.erase(std::unique(layout.bindings.begin(), layout.bindings.end()),
                            layout.bindings.end());
      plan_.manifest.buffers.push_back(std::move(layout));
    }
  }

  // ---- say ----

  Remark remarkOf(const Candidate& candidate) const {
    Remark remark;
    remark.pass = kPass;
    remark.args.emplace_back("buffer", candidate.name);
    remark.subject = candidate.name;
    if (candidate.refusal) {
      remark.kind = Remark::Kind::Missed;
      remark.name = candidate.refusal->name;
      remark.location = candidate.refusal->location;
      remark.message =
          formatText("'{}' keeps its layout: {}", candidate.name, candidate.refusal->message);
      if (candidate.refusal->name == "not-profitable") addTable(remark, candidate);
      return remark;
    }
    const BufferLayout& layout = *candidate.layout;
    remark.kind = Remark::Kind::Applied;
    remark.name = "laid-out";
    const std::string shape = layout.tile != 0 ? formatText("tiles of {} elements", layout.tile)
                              : layout.count
                                  ? formatText("one run of {} elements per group", *layout.count)
                                  : "one run of all elements per group";
    std::string gain;
    if (candidate.cost->isKnown()) {
      const TrafficCost before = candidate.cost->before(), after = candidate.cost->after(layout);
      gain = ": " + gainText(before, after);
      remark.args.emplace_back("fetched-before", formatText("{:.1f}", before.fetched));
      remark.args.emplace_back("fetched-after", formatText("{:.1f}", after.fetched));
    }
    remark.args.emplace_back("tile", formatText("{}", layout.tile));
    remark.args.emplace_back("groups", formatText("{}", layout.groups.size()));
    remark.message = formatText("laid out '{}' ({} fields in {} bytes) as {}, {} groups{}{}",
                                candidate.name, layout.fields.size(), layout.strideBefore, shape,
                                layout.groups.size(), growthText(layout), gain);
    addTable(remark, candidate);
    return remark;
  }

  /// Of elements that take more than before: vectors of three leave gaps where what filled them is
  /// elsewhere.
  static std::string growthText(const BufferLayout& layout) {
    constexpr uint64_t kMany = 1 << 16; // elements, beside which what rounds a run up is nothing
    const uint64_t elements = layout.tileElements(kMany);
    const double bytes = double(layout.tileStride(elements)) / double(elements);
    if (bytes < layout.strideBefore + 0.1) return {};
    return formatText(" that take {:.4g} bytes an element", bytes);
  }

  /// One row for each field.
  void addTable(Remark& remark, const Candidate& candidate) const {
    const BufferLayout& layout = *candidate.layout;
    const std::vector<Users> allUsers = usersByLeaf(candidate);
    std::vector<double> after;
    if (candidate.cost->isKnown()) after = candidate.cost->sectorsAfter(layout);
    for (uint32_t leaf = 0; leaf < layout.fields.size(); ++leaf) {
      const LayoutField& field = layout.fields[leaf];
      std::string sectors = "unused";
      if (!candidate.cost->isKnown())
        sectors = "sectors unknown";
      else if (candidate.cost->isUsed(leaf))
        sectors = formatText("sectors {:.1f} -> {:.1f}", candidate.cost->sectorsBefore(leaf),
                             after[leaf]);
      const std::string users = textOf(allUsers[leaf]);
      const std::string bits = field.bits == 0 ? std::string()
                                               : formatText(" (bits {} to {})", field.firstBit,
                                                            field.firstBit + field.bits - 1);
      RemarkRow row{formatText("group {}", field.group), 0, {field.path + bits}};
      if (!users.empty()) row.cells.push_back(users);
      row.cells.push_back(sectors);
      remark.details.push_back(std::move(row));
    }
  }

  /// Names of shaders that read a leaf, and that write it.
  using Users = std::array<std::set<std::string>, 2>;
  std::vector<Users> usersByLeaf(const Candidate& candidate) const {
    std::vector<Users> users(candidate.layout->fields.size());
    for (const PlacedView& v : candidate.views)
      for (const BufferAccess& a : v.view->accesses)
        for (uint32_t leaf : a.leaves) {
          if (a.isRead) users[leaf][0].insert(shaders_[v.shader].name);
          if (a.isWrite) users[leaf][1].insert(shaders_[v.shader].name);
        }
    return users;
  }

  static std::string textOf(const Users& users) {
    std::string text;
    for (bool writes : {false, true}) {
      const std::set<std::string>& names = users[writes];
      if (names.empty()) continue;
      if (!text.empty()) text += ", ";
      text += writes ? "written" : "read";
      if (*names.begin() != "")
        text += " by " + joinText(std::vector(names.begin(), names.end()), " and ");
    }
    return text;
  }

  const std::span<const ProgramShader> shaders_;
  const std::span<const ProgramBuffer> buffers_;
  const TargetProfile& target_;
  const LayoutPlanOptions& options_;
  std::vector<BufferUses> uses_;
  std::set<size_t> found_; ///< requests to narrow that name a field
  LayoutPlan plan_;
};

} // namespace

LayoutPlanOptions parseLayoutMode(std::string_view mode, const TargetProfile& target) {
  LayoutPlanOptions options;
  options.tile = target.subgroupSize;
  if (mode == "soa") options.mode = LayoutMode::Soa;
  if (mode == "keep") options.mode = LayoutMode::Keep;
  if (!mode.starts_with("aosoa")) return options;
  options.mode = LayoutMode::Aosoa;
  if (const size_t colon = mode.find(':'); colon != std::string_view::npos)
    std::from_chars(mode.data() + colon + 1, mode.data() + mode.size(), options.tile);
  return options;
}

std::vector<ProgramBuffer> buffersOfModule(const BufferUses& uses) {
  std::map<BindingNumber, ProgramBuffer> byBinding;
  std::set<BindingNumber> hasCandidate;
  for (const BufferView& view : uses.views) {
    if (!view.hasBinding) continue;
    ProgramBuffer& buffer = byBinding[view.binding];
    // A name for people: that of the first view that has something to change.
    const bool isCandidate =
        view.hasArray && !view.isUniform && hasCandidate.insert(view.binding).second;
    if (!buffer.members.empty()) {
      if (isCandidate) buffer.members.front().name = view.name;
      continue;
    }
    buffer.members.push_back({view.name, std::nullopt, {view.binding}});
    buffer.views.emplace_back(0, view.binding);
  }
  std::vector<ProgramBuffer> buffers;
  std::map<std::string, int> names;
  for (auto& [binding, buffer] : byBinding) ++names[buffer.members.front().name];
  for (auto& [binding, buffer] : byBinding) {
    std::string& name = buffer.members.front().name;
    if (names[name] > 1) name += formatText("@{}.{}", binding.set, binding.binding);
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

LayoutPlan planLayouts(std::span<const ProgramShader> shaders,
                       std::span<const ProgramBuffer> buffers, const TargetProfile& target,
                       const LayoutPlanOptions& options) {
  return Planner(shaders, buffers, target, options).run();
}

} // namespace lanewise
