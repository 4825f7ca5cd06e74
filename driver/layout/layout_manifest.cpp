// Writing the manifest, and its formulas. layout_manifest_reader.cpp reads it.
#include "layout/layout_manifest.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {

using nlohmann::ordered_json;

namespace {

/// A sum of bytes that grows with `count` and is rounded up now and then.
class Run {
public:
  void add(uint64_t bytesPerElement) { coefficient_ += bytesPerElement; }
  void alignTo(uint32_t align) {
    const bool isMultiple = coefficient_ % align == 0 && (rounded_.empty() || align_ % align == 0);
    if (isMultiple) return;
    rounded_ = fmt::format("align({}, {})", text(), align);
    align_ = align;
    coefficient_ = 0;
  }
  /// Empty for nothing.
  std::string text() const {
    std::string product = coefficient_ ? fmt::format("{} * count", coefficient_) : "";
    if (rounded_.empty() || product.empty()) return rounded_ + product;
    return rounded_ + " + " + product;
  }

private:
  std::string rounded_;
  uint32_t align_ = 1; ///< that rounded_ is a multiple of
  uint64_t coefficient_ = 0;
};

uint32_t largestAlign(const BufferLayout& layout) {
  uint32_t align = 1;
  for (const LayoutGroup& group : layout.groups) align = std::max(align, group.align);
  return align;
}

std::string sum(std::initializer_list<std::string> terms) {
  std::string text;
  for (const std::string& term : terms) {
    if (term.empty()) continue;
    if (!text.empty()) text += " + ";
    text += term;
  }
  return text.empty() ? "0" : text;
}

std::string number(uint64_t n) {
  return n ? std::to_string(n) : "";
}

/// From the start of the array to the group's run, where there are no tiles.
std::string runStart(const BufferLayout& layout, uint32_t group) {
  Run run;
  for (uint32_t g = 0; g < group; ++g) {
    run.alignTo(layout.groups[g].align);
    run.add(layout.groups[g].stride);
  }
  run.alignTo(layout.groups[group].align);
  return run.text();
}

ordered_json toJson(const BufferLayout& layout, const LayoutField& field) {
  ordered_json json{{"path", field.path},   {"type", field.type},
                    {"size", field.size},   {"offset", field.offsetBefore},
                    {"group", field.group}, {"offset-in-group", field.offsetInGroup},
                    {"narrowed", nullptr},  {"address", addressFormula(layout, field)}};
  if (field.bits != 0)
    json["narrowed"] = {
        {"bits", field.bits}, {"first-bit", field.firstBit}, {"signed", field.isSigned}};
  return json;
}

ordered_json toJson(const BufferLayout& layout) {
  ordered_json json{
      {"name", layout.name},
      {"bindings", ordered_json::array()},
      {"struct", layout.structName},
      {"count", nullptr},
      {"array-offset", {{"before", layout.arrayOffsetBefore}, {"after", layout.arrayOffsetAfter}}},
      {"stride", layout.strideBefore},
      {"tile", nullptr},
      {"whole-tiles", layout.needsWholeTiles},
      {"size",
       {{"before",
         sum({number(layout.arrayOffsetBefore), fmt::format("{} * count", layout.strideBefore)})},
        {"after", sizeFormula(layout)}}},
      {"groups", ordered_json::array()},
      {"fields", ordered_json::array()}};
  for (const BindingNumber& at : layout.bindings)
    json["bindings"].push_back({{"set", at.set}, {"binding", at.binding}});
  if (layout.count) json["count"] = *layout.count;
  if (layout.tile != 0)
    json["tile"] = {{"elements", layout.tile},
                    {"bytes", layout.tileStride(layout.tile)},
                    {"padding", tilePadding(layout)}};
  for (const LayoutGroup& group : layout.groups)
    json["groups"].push_back({{"stride", group.stride}, {"align", group.align}});
  for (const LayoutField& field : layout.fields) json["fields"].push_back(toJson(layout, field));
  return json;
}

} // namespace

std::string layoutManifestToJson(const LayoutManifest& manifest) {
  ordered_json json{{"version", kLayoutManifestVersion},
                    {"assumptions",
                     {{"distinct-bindings", manifest.assumesDistinctBindings},
                      {"indices-in-range", !manifest.isRobust}}},
                    {"buffers", ordered_json::array()}};
  for (const BufferLayout& layout : manifest.buffers) json["buffers"].push_back(toJson(layout));
  // Names come from modules, which may hold anything.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string sizeFormula(const BufferLayout& layout) {
  const std::string offset = number(layout.arrayOffsetAfter);
  if (layout.tile != 0)
    return sum({offset,
                fmt::format("{} * ceil(count / {})", layout.tileStride(layout.tile), layout.tile)});
  Run run;
  for (const LayoutGroup& group : layout.groups) {
    run.alignTo(group.align);
    run.add(group.stride);
  }
  run.alignTo(largestAlign(layout));
  return sum({offset, run.text()});
}

std::string addressFormula(const BufferLayout& layout, const LayoutField& field) {
  const uint32_t stride = layout.groups[field.group].stride;
  const uint64_t fixed = uint64_t(layout.arrayOffsetAfter) + field.offsetInGroup;
  if (layout.tile == 0)
    return sum({number(fixed), runStart(layout, field.group), fmt::format("{} * index", stride)});
  return sum({number(fixed + layout.groupOffset(field.group, layout.tile)),
              fmt::format("{} * (index / {})", layout.tileStride(layout.tile), layout.tile),
              fmt::format("{} * (index % {})", stride, layout.tile)});
}

uint64_t tilePadding(const BufferLayout& layout) {
  uint64_t held = 0;
  for (const LayoutGroup& group : layout.groups) held += group.stride;
  return layout.tileStride(layout.tile) - held * layout.tile;
}

std::optional<LayoutSizes> sizesFor(const BufferLayout& layout, uint64_t elements) {
  // An upper bound, in floating point so that it cannot overflow; 2^62 leaves room for the sums.
  double perElement = 0, perTile = 0;
  for (const LayoutGroup& group : layout.groups) {
    perElement += group.stride;
    perTile += group.align;
  }
  perTile += largestAlign(layout);
  const double tile = layout.tile ? layout.tile : 1;
  const double tiles = layout.tile ? double(elements) / tile + 1 : 1;
  const double after = (double(elements) + tile) * perElement + tiles * perTile;
  const double before = double(elements) * layout.strideBefore;
  constexpr double kMost = 4.6e18;
  if (!(before < kMost && after < kMost)) return std::nullopt;
  return LayoutSizes{layout.bytesBefore(elements), layout.bytesAfter(elements)};
}

std::optional<FieldType> parseFieldType(std::string_view type) {
  FieldType parsed;
  if (type.empty() || std::string_view("iuf").find(type[0]) == std::string_view::npos)
    return std::nullopt;
  const size_t end = std::min(type.find('x'), type.size());
  const std::string_view bits = type.substr(1, end - 1);
  for (std::string_view known : {"8", "16", "32", "64"})
    if (bits == known) parsed.scalarBytes = uint32_t(std::stoul(std::string(known))) / 8;
  if (parsed.scalarBytes == 0 || type.substr(0, end) == "f8") return std::nullopt;
  parsed.scalar = type.substr(0, end);
  for (size_t at = end; at < type.size();) {
    const size_t next = std::min(type.find('x', at + 1), type.size());
    const std::string_view extent = type.substr(at + 1, next - at - 1);
    const bool isNumber =
        !extent.empty() && extent.size() <= 6 && extent[0] != '0' &&
        std::all_of(extent.begin(), extent.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!isNumber || parsed.extents.size() == 4) return std::nullopt;
    parsed.extents.push_back(uint32_t(std::stoul(std::string(extent))));
    const uint64_t count = uint64_t(parsed.count) * parsed.extents.back();
    if (count > UINT32_MAX / 8) return std::nullopt;
    parsed.count = uint32_t(count);
    at = next;
  }
  return parsed;
}

NarrowRange rangeOf(const LayoutField& field) {
  const int64_t values = int64_t(1) << field.bits;
  return field.isSigned ? NarrowRange{-(values / 2), values / 2 - 1} : NarrowRange{0, values - 1};
}

} // namespace lanewise::driver
