#include "transpile/text_check.h"

#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "lanewise/assumptions.h"
#include "support/failure.h"
#include "transpile/limits.h"
#include "transpile/round_trip.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lanewise::driver {

namespace {

/// Where the text has a buffer: its set and binding.
using TextPlace = std::pair<uint32_t, uint32_t>;
constexpr TextPlace kPushConstants{UINT32_MAX, UINT32_MAX};

/// One thing that the layout of a block says: "matrix stride 16" of "m".
struct LayoutPart {
  std::string path, layout;
};

struct BlockLayout {
  std::string name;
  std::vector<LayoutPart> parts; ///< in the order of members
};

bool hasSameLayout(const BlockLayout& a, const BlockLayout& b) {
  return std::ranges::equal(a.parts, b.parts, {}, &LayoutPart::layout, &LayoutPart::layout);
}

class LayoutReader {
public:
  explicit LayoutReader(const Module& module)
      : module_(module), analyses_(module, assumptions_), types_(analyses_.get<Types>()),
        decorations_(analyses_.get<Decorations>()) {}

  /// Of the buffers and push constants by where they are, as the module says it.
  std::multimap<TextPlace, BlockLayout> read() {
    std::multimap<TextPlace, BlockLayout> found;
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpVariable) continue;
      const Id variable = module_.resultId(i), block = typeOfDescriptor(module_, variable);
      if (!decorations_.has(block, spv::Decoration::Block) &&
          !decorations_.has(block, spv::Decoration::BufferBlock))
        continue;
      auto number = [&](spv::Decoration d) { return decorations_.operand(module_, variable, d); };
      std::optional<TextPlace> place;
      if (spv::StorageClass(module_.word(i, 3)) == spv::StorageClass::PushConstant)
        place = kPushConstants;
      else if (number(spv::Decoration::Binding))
        place = {number(spv::Decoration::DescriptorSet).value_or(0),
                 *number(spv::Decoration::Binding)};
      if (place) found.emplace(*place, layoutOf(variable, block));
    }
    return found;
  }

private:
  BlockLayout layoutOf(Id variable, Id block) {
    BlockLayout layout;
    layout.name = decorations_.name(module_, variable);
    if (layout.name.empty()) layout.name = decorations_.name(module_, block);
    if (layout.name.empty()) layout.name = fmt::format("%{}", variable.value);
    parts_.clear();
    pointees_.clear();
    addType(block, "");
    layout.parts = std::move(parts_);
    return layout;
  }

  void add(const std::string& path, std::string layout) {
    parts_.push_back({path, std::move(layout)});
  }

  void addType(Id type, const std::string& path) {
    using Kind = TypeInfo::Kind;
    const TypeInfo& info = types_.info(type);
    switch (info.kind) {
    case Kind::Struct:
      for (uint32_t n = 0; n < info.count; ++n) addMember(type, n, path);
      return;
    case Kind::Array:
    case Kind::RuntimeArray:
      add(path, fmt::format("array stride {}", types_.arrayStride(type).value_or(0)));
      return addType(info.element, path + "[]");
    case Kind::Matrix:
      add(path, fmt::format("{} columns", info.count));
      return addType(info.element, path);
    case Kind::Vector:
      add(path, fmt::format("{} components", info.count));
      return addType(info.element, path);
    case Kind::Pointer:
      add(path, "a pointer");
      // In a text, what is pointed to is the one member of a block where it is none itself.
      if (!decorations_.has(info.element, spv::Decoration::Block)) add(path, "offset 0");
      if (pointees_.insert(info.element).second) addType(info.element, path + "->");
      return;
    default:
      add(path, fmt::format("{} bits", info.width));
    }
  }

  void addMember(Id type, uint32_t n, const std::string& path) {
    const std::string_view name = Decorations::memberName(module_, type, n);
    const std::string own =
        fmt::format("{}{}{}", path, path.empty() || path.ends_with(">") ? "" : ".",
                    name.empty() ? fmt::format("member {}", n) : name);
    if (auto offset = decorations_.operand(module_, type, spv::Decoration::Offset, n))
      add(own, fmt::format("offset {}", *offset));
    if (auto stride = types_.matrixStride(type, n))
      add(own, fmt::format("matrix stride {} of {}", *stride,
                           decorations_.hasMember(type, n, spv::Decoration::RowMajor) ? "rows"
                                                                                      : "columns"));
    addType(types_.member(type, n), own);
  }

  const Module& module_;
  const Assumptions assumptions_;
  Analyses analyses_;
  const Types& types_;
  const Decorations& decorations_;
  std::vector<LayoutPart> parts_;
  std::set<Id> pointees_; ///< that stand in `parts_`
};

/// Where the text has each buffer of the module.
std::multimap<TextPlace, BlockLayout> movedBy(const CrossText& text,
                                              std::multimap<TextPlace, BlockLayout> given) {
  std::multimap<TextPlace, BlockLayout> moved;
  std::set<std::pair<TextPlace, TextPlace>> seen; // several views share a binding
  for (const PlacedResource& p : text.resources) {
    const bool isPush = p.resource.kind == ResourceKind::PushConstants;
    const TextPlace from = isPush ? kPushConstants : TextPlace(p.resource.set, p.resource.binding);
    const TextPlace to{p.place.space, p.place.numbers[0]};
    if (!seen.emplace(from, to).second) continue;
    for (auto [at, end] = given.equal_range(from); at != end; ++at) moved.emplace(to, at->second);
  }
  for (auto [at, end] = given.equal_range(kPushConstants); at != end; ++at)
    moved.emplace(kPushConstants, at->second);
  return moved;
}

/// What is first said otherwise.
std::string differenceOf(const BlockLayout& given, const BlockLayout& made,
                         const TargetLanguage& target) {
  for (size_t n = 0; n < std::min(given.parts.size(), made.parts.size()); ++n) {
    if (given.parts[n].layout == made.parts[n].layout) continue;
    return fmt::format("member `{}` of `{}` has {} in the module and {} in the text",
                       given.parts[n].path, given.name, given.parts[n].layout,
                       made.parts[n].layout);
  }
  return fmt::format("`{}` has other members in {}", given.name, nameOf(target.language));
}

} // namespace

Status checkLayouts(const Module& module, const CrossText& text, const Words& compiled,
                    const TargetLanguage& target) {
  const Result<Module> made = Module::read(compiled);
  if (!made) return made.error();
  const auto given = movedBy(text, LayoutReader(module).read());
  for (const auto& [place, layout] : LayoutReader(*made).read()) {
    const auto [first, last] = given.equal_range(place);
    if (first == last || std::any_of(first, last, [&](const auto& one) {
          return hasSameLayout(one.second, layout);
        }))
      continue;
    return failure(fmt::format("it cannot be expressed in {}: {}", nameOf(target.language),
                               differenceOf(first->second, layout, target)));
  }
  return ok();
}

Status checkText(const Module& module, CrossText& text, const TargetLanguage& target,
                 spv_target_env env) {
  if (!target.isGlslOrEssl()) return ok();
  const CompiledBack back = compileBack(text, target, {}, env);
  if (back.rejected.empty()) return checkLayouts(module, text, back.words, target);
  if (!back.isBeyondCompiler)
    return failure(fmt::format("it cannot be expressed in {}: glslang rejects the text: {} "
                               "(--no-check writes it all the same)",
                               nameOf(target.language), back.rejected));
  if (back.rejected.find("'#error'") != std::string::npos) return ok(); // crossCompile() says so
  // Behind a semicolon: what to do with such a source.
  text.notes.push_back(
      {"unchecked", fmt::format("nobody has compiled the text: {}",
                                back.rejected.substr(0, back.rejected.find(';')))});
  return ok();
}

} // namespace lanewise::driver
