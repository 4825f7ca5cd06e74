#include "analysis/shared_memory/shared_bounds.h"

#include "analysis/module/constants.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {

struct SharedBounds::Indices {
  Indices(Analyses& analyses, const EntryPoint& entry, uint32_t subgroupSize)
      : affine(analyses, sizeOf(entry), subgroupSize),
        bounds(analyses, affine, entry, subgroupSize) {}
  static std::optional<std::array<uint32_t, 3>> sizeOf(const EntryPoint& entry) {
    return entry.workgroupSize ? std::optional(entry.workgroupSize->size) : std::nullopt;
  }

  Affine affine;
  IndexBounds bounds;
};

namespace {

/// Whether the variable is nothing but arrays directly inside one another.
bool isPlain(const SharedVariable& variable) {
  if (variable.nodes[0].kind != LayoutNode::Kind::Array) return false;
  const uint32_t innermost = variable.arrayChain(0).back();
  return variable.nodes[variable.nodes[innermost].children.front()].kind ==
         LayoutNode::Kind::Element;
}

/// Whether a use that the walk does not see through may index what it is given. One that moves a
/// whole does not.
bool mayIndex(const Obstacle& obstacle) {
  return !obstacle.isRemovable || obstacle.name == "pointer-argument";
}

} // namespace

SharedBounds::SharedBounds(Analyses& analyses, const TargetProfile& target,
                           std::span<const SharedVariable> variables)
    : analyses_(analyses), target_(target), variables_(variables) {}
SharedBounds::~SharedBounds() = default;

SharedBounds::Indices& SharedBounds::of(const EntryPoint& entry) {
  auto& indices = indices_[&entry];
  if (!indices) indices = std::make_unique<Indices>(analyses_, entry, target_.subgroupSize);
  return *indices;
}

Affine& SharedBounds::affine(const EntryPoint& entry) {
  return of(entry).affine;
}

bool SharedBounds::runs(const EntryPoint& entry, const SharedAccess& access) const {
  const Module& module = analyses_.module();
  const FunctionRef function = module.functionOf(module.blockOf(access.inst));
  return std::binary_search(entry.functions.begin(), entry.functions.end(), function);
}

void SharedBounds::judge(const EntryPoint& entry, const SharedVariable& variable,
                         RowBounds& bounds) {
  IndexBounds& known = of(entry).bounds;
  auto judgeOne = [&](const SharedAccess& access) {
    if (!runs(entry, access)) return;
    const BlockRef block = analyses_.module().blockOf(access.inst);
    const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
    for (size_t n = 0; n < access.indices.size() && !bounds.outOfRange; ++n) {
      if (arrays[n] == 0) continue;
      const auto verdict = known.judge(access.indices[n], variable.nodes[arrays[n]].extent, block);
      const bool mayLeave =
          (verdict == IndexVerdict::MayLeave || verdict == IndexVerdict::NotKnown) &&
          !isInRange(access.indices[n], variable.nodes[arrays[n]].extent, block);
      if (verdict == IndexVerdict::Leaves || (mayLeave && !isPlain(variable)))
        bounds.outOfRange = {
            access.inst,
            formatText(
                "index {} of an access {} its extent: the shader may rely on rows being contiguous",
                n, mayLeave ? "may exceed" : "exceeds")};
      bounds.keepsOrder |= mayLeave;
    }
    for (const auto& [index, count] : access.components) {
      if (bounds.outOfRange) break;
      const auto verdict = known.judge(index, count, block);
      if (verdict < IndexVerdict::MayLeave) continue;
      bounds.outOfRange = {
          access.inst, formatText("a component index {} its vector or matrix: the shader may rely "
                                  "on elements being contiguous",
                                  verdict == IndexVerdict::Leaves ? "exceeds" : "may exceed")};
    }
  };
  for (const SharedAccess& access : variable.accesses) judgeOne(access);
  for (const SharedAccess& access : variable.uncounted) judgeOne(access);
}

bool SharedBounds::isInRange(Id index, uint64_t bound, BlockRef at) {
  if (!ranges_) ranges_.emplace(analyses_, false);
  const Slot slot = ranges_->slots().of(index, 0);
  if (!slot) return false;
  // A negative number is beyond every bound, and of a narrow type the upper half may be one.
  const IntegerRange range = ranges_->at(slot, at);
  return range.isEmpty() || (range.isNonNegative() && range.most() < bound);
}

bool SharedBounds::isProved(IndexBounds& bounds, const SharedVariable& variable,
                            const SharedAccess& access) {
  const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
  const BlockRef block = analyses_.module().blockOf(access.inst);
  for (size_t n = 0; n < access.indices.size(); ++n) {
    const auto length = analyses_.get<Constants>().literal(variable.nodes[arrays[n]].length);
    if (!length || !(bounds.isProved(access.indices[n], *length, block) ||
                     isInRange(access.indices[n], *length, block)))
      return false;
  }
  return std::all_of(access.components.begin(), access.components.end(),
                     [&](const auto& c) { return bounds.isProved(c.first, c.second, block); });
}

std::optional<InstRef> SharedBounds::unprovedIn(const EntryPoint& entry,
                                                const SharedVariable& variable) {
  if (!std::binary_search(entry.variables.begin(), entry.variables.end(), variable.id))
    return std::nullopt;
  for (const Obstacle& obstacle : variable.obstacles)
    if (mayIndex(obstacle)) return obstacle.inst;
  IndexBounds& bounds = of(entry).bounds;
  for (const auto* accesses : {&variable.accesses, &variable.uncounted})
    for (const SharedAccess& access : *accesses)
      if (runs(entry, access) && !isProved(bounds, variable, access)) return access.inst;
  return std::nullopt;
}

const std::optional<SharedBounds::Unproved>& SharedBounds::firstUnproved(const EntryPoint& entry) {
  const auto [at, isNew] = unproved_.try_emplace(&entry);
  std::optional<Unproved>& first = at->second;
  if (!isNew) return first;
  for (const SharedVariable& variable : variables_)
    if (const auto inst = unprovedIn(entry, variable)) {
      first = {variable.id, *inst};
      break;
    }
  return first;
}

} // namespace lanewise
