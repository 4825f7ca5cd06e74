// Reading the manifest: first the form (keys, types, ranges), then what the numbers must fulfil
// together, then whether the formulas say the same as the numbers.
#include "layout/layout_manifest.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/suggest.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace lanewise::driver {

using nlohmann::json;

namespace {

// Generous for any shader, and small enough that 64 bits hold every product of them.
constexpr uint32_t kMostBytes = 1u << 30; ///< of an element, a group's part, an offset
constexpr uint32_t kMostAlign = 1u << 12;
constexpr uint64_t kMostTileBytes = 1ull << 31;
constexpr int kMostDepth = 8;

/// Thrown inside this file only.
struct Wrong {
  std::string place, what;
};

/// An object whose keys are taken one by one; those left over are unknown.
class Keys {
public:
  Keys(const json& value, std::string place) : value_(value), place_(std::move(place)) {
    if (!value.is_object())
      throw Wrong{place_, fmt::format("must be an object, but is {}", article(value))};
  }

  const json& need(const char* key) {
    if (const json* value = find(key)) return *value;
    throw Wrong{place_, fmt::format("key \"{}\" is missing", key)};
  }
  /// Null where it is not there.
  const json* find(const char* key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
    auto at = value_.find(key);
    return at == value_.end() ? nullptr : &*at;
  }
  std::string at(std::string_view key) const { return fmt::format("{}/{}", place_, key); }

  uint64_t number(const char* key, uint64_t least, uint64_t most) {
    const json& value = need(key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() < least ||
        value.get<uint64_t>() > most)
      throw Wrong{at(key), fmt::format("must be an integer from {} to {}, but is {}", least, most,
                                       value.is_number() ? value.dump() : article(value))};
    return value.get<uint64_t>();
  }
  uint32_t number32(const char* key, uint32_t least, uint32_t most) {
    return uint32_t(number(key, least, most));
  }
  bool flag(const char* key) {
    const json& value = need(key);
    if (!value.is_boolean())
      throw Wrong{at(key), fmt::format("must be true or false, but is {}", article(value))};
    return value.get<bool>();
  }
  std::string text(const char* key) { return textOf(need(key), at(key)); }
  const json& array(const char* key) {
    const json& value = need(key);
    if (!value.is_array())
      throw Wrong{at(key), fmt::format("must be a list, but is {}", article(value))};
    return value;
  }
  /// A value that follows from the others, if it stands there.
  void follows(const char* key, const json& expected) {
    const json* value = find(key);
    if (value && *value != expected)
      throw Wrong{
          at(key),
          fmt::format("does not match the other values: it should be {}; correct or remove it",
                      expected.dump())};
  }

  void end() const {
    for (const auto& [key, unused] : value_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string near = nearest(key, known_);
      throw Wrong{place_,
                  fmt::format("unknown key \"{}\"; {}", key,
                              near.empty() ? fmt::format("it has {}", fmt::join(known_, ", "))
                                           : fmt::format("did you mean \"{}\"?", near))};
    }
  }

private:
  static std::string textOf(const json& value, const std::string& place) {
    if (!value.is_string())
      throw Wrong{place, fmt::format("must be a string, but is {}", article(value))};
    return value.get<std::string>();
  }
  static std::string article(const json& value) {
    if (value.is_null()) return "null";
    return fmt::format("{} {}", value.is_array() || value.is_object() ? "an" : "a",
                       value.type_name());
  }

  const json& value_;
  std::string place_;
  std::vector<std::string> known_;
};

template <class Read>
void readList(const json& list, const std::string& place, Read read) {
  for (size_t i = 0; i < list.size(); ++i) {
    Keys keys(list[i], fmt::format("{}/{}", place, i));
    read(keys);
    keys.end();
  }
}

LayoutField readField(Keys& keys) {
  LayoutField field;
  field.path = keys.text("path");
  field.type = keys.text("type");
  field.size = keys.number32("size", 1, kMostBytes);
  field.offsetBefore = keys.number32("offset", 0, kMostBytes);
  field.group = keys.number32("group", 0, UINT32_MAX);
  field.offsetInGroup = keys.number32("offset-in-group", 0, kMostBytes);
  const json& narrowed = keys.need("narrowed");
  if (!narrowed.is_null()) {
    Keys inner(narrowed, keys.at("narrowed"));
    field.bits = inner.number32("bits", 1, 31);
    field.firstBit = inner.number32("first-bit", 0, 31);
    field.isSigned = inner.flag("signed");
    inner.end();
  }
  (void)keys.find("address"); // checked once the whole layout is known
  return field;
}

BufferLayout readBuffer(Keys& keys) {
  BufferLayout layout;
  layout.name = keys.text("name");
  readList(keys.array("bindings"), keys.at("bindings"), [&](Keys& binding) {
    layout.bindings.push_back(
        {binding.number32("set", 0, UINT32_MAX), binding.number32("binding", 0, UINT32_MAX)});
  });
  layout.structName = keys.text("struct");
  if (!keys.need("count").is_null()) layout.count = keys.number("count", 0, UINT64_MAX);
  Keys offset(keys.need("array-offset"), keys.at("array-offset"));
  layout.arrayOffsetBefore = offset.number32("before", 0, kMostBytes);
  layout.arrayOffsetAfter = offset.number32("after", 0, kMostBytes);
  offset.end();
  layout.strideBefore = keys.number32("stride", 1, kMostBytes);
  const json& tile = keys.need("tile");
  if (!tile.is_null())
    layout.tile = Keys(tile, keys.at("tile")).number32("elements", 1, kMostBytes);
  layout.needsWholeTiles = keys.flag("whole-tiles");
  readList(keys.array("groups"), keys.at("groups"), [&](Keys& group) {
    layout.groups.push_back(
        {group.number32("stride", 1, kMostBytes), group.number32("align", 1, kMostAlign)});
  });
  readList(keys.array("fields"), keys.at("fields"),
           [&](Keys& field) { layout.fields.push_back(readField(field)); });
  return layout;
}

/// To be called with a layout that checkLayout() has passed.
void checkFormulas(Keys& keys, const BufferLayout& layout) {
  const json* tile = keys.find("tile");
  if (!tile->is_null()) {
    Keys inner(*tile, keys.at("tile"));
    (void)inner.find("elements");
    inner.follows("bytes", layout.tileStride(layout.tile));
    inner.follows("padding", tilePadding(layout));
    inner.end();
  }
  if (const json* size = keys.find("size")) {
    Keys inner(*size, keys.at("size"));
    BufferLayout before; // the header, and the elements as they are
    before.arrayOffsetAfter = layout.arrayOffsetBefore;
    before.groups = {{layout.strideBefore, 1}};
    inner.follows("before", sizeFormula(before));
    inner.follows("after", sizeFormula(layout));
    inner.end();
  }
  const json& fields = *keys.find("fields");
  for (size_t i = 0; i < fields.size(); ++i)
    Keys(fields[i], fmt::format("{}/{}", keys.at("fields"), i))
        .follows("address", addressFormula(layout, layout.fields[i]));
}

LayoutManifest readManifest(const json& value) {
  LayoutManifest manifest;
  Keys keys(value, "");
  const uint64_t version = keys.number("version", 1, UINT32_MAX);
  if (version != kLayoutManifestVersion)
    throw Wrong{
        "/version",
        fmt::format("is {}, but this Lanewise reads version {}; regenerate the manifest with it",
                    version, kLayoutManifestVersion)};
  Keys assumptions(keys.need("assumptions"), "/assumptions");
  manifest.assumesDistinctBindings = assumptions.flag("distinct-bindings");
  manifest.isRobust = !assumptions.flag("indices-in-range");
  assumptions.end();
  std::set<std::string> names;
  readList(keys.array("buffers"), "/buffers", [&](Keys& buffer) {
    BufferLayout layout = readBuffer(buffer);
    if (!names.insert(layout.name).second)
      throw Wrong{buffer.at("name"), fmt::format("\"{}\" is given twice", layout.name)};
    if (Status sound = checkLayout(layout); !sound) {
      const std::string& message = sound.error().message;
      const size_t colon = message.find(": ");
      throw Wrong{buffer.at(message.substr(1, colon - 1)), message.substr(colon + 2)};
    }
    checkFormulas(buffer, layout);
    manifest.buffers.push_back(std::move(layout));
  });
  keys.end();
  return manifest;
}

/// nlohmann takes the last of two keys of one name without a word.
class StrictParse {
public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMostDepth) throw Wrong{"", "nesting is too deep for a manifest"};
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw Wrong{"", fmt::format("duplicate key {} in one object", parsed.dump())};
    return true;
  }

private:
  std::vector<std::set<std::string>> keys_;
};

std::string placeOf(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const size_t line = size_t(std::count(before.begin(), before.end(), '\n')) + 1;
  return fmt::format("{}:{}", line, before.size() - (before.rfind('\n') + 1) + 1);
}

// ----- what the numbers must fulfil together -----

Error wrongAt(std::string place, std::string what) {
  return failure(fmt::format("/{}: {}", place, what));
}

Status checkGroups(const BufferLayout& layout) {
  uint64_t tileBytes = 0;
  if (layout.groups.empty()) return wrongAt("groups", "is empty; it needs at least one group");
  for (size_t g = 0; g < layout.groups.size(); ++g) {
    const LayoutGroup& group = layout.groups[g];
    const std::string place = fmt::format("groups/{}", g);
    if (group.stride == 0 || group.stride > kMostBytes)
      return wrongAt(place + "/stride", fmt::format("must be 1 to {}", kMostBytes));
    if (!std::has_single_bit(group.align) || group.align > kMostAlign)
      return wrongAt(place + "/align", fmt::format("must be a power of two up to {}, but is {}",
                                                   kMostAlign, group.align));
    if (layout.arrayOffsetAfter % group.align != 0)
      return wrongAt("array-offset/after", fmt::format("must be a multiple of {}, the alignment "
                                                       "of group {}",
                                                       group.align, g));
    tileBytes += uint64_t(std::max(layout.tile, 1u)) * group.stride + group.align;
    if (tileBytes > kMostTileBytes)
      return wrongAt(layout.tile ? "tile/elements" : place + "/stride",
                     fmt::format("a tile must hold less than {} bytes", kMostTileBytes));
  }
  return ok();
}

Status checkField(const BufferLayout& layout, const LayoutField& field, const std::string& place) {
  if (field.size == 0 || uint64_t(field.offsetBefore) + field.size > layout.strideBefore)
    return wrongAt(place + "/offset",
                   fmt::format("bytes {} to {} are outside the element, which has {}",
                               field.offsetBefore, uint64_t(field.offsetBefore) + field.size,
                               layout.strideBefore));
  if (field.group >= layout.groups.size())
    return wrongAt(place + "/group", fmt::format("no group {}; \"groups\" has {}", field.group,
                                                 layout.groups.size()));
  const uint32_t stride = layout.groups[field.group].stride;
  if (field.bits != 0) {
    if (field.size != 4)
      return wrongAt(place + "/size",
                     fmt::format("a narrowed field has 4 bytes, not {}", field.size));
    if (field.bits > 31 || field.firstBit + field.bits > 32)
      return wrongAt(
          place + "/narrowed/bits",
          fmt::format("{} bits from bit {} on exceed the 32-bit word", field.bits, field.firstBit));
  }
  const uint64_t bytes = field.bits ? (field.firstBit + field.bits + 7) / 8 : field.size;
  if (field.offsetInGroup + bytes > stride)
    return wrongAt(place + "/offset-in-group",
                   fmt::format("bytes {} to {} are outside the group's part, which has {}",
                               field.offsetInGroup, field.offsetInGroup + bytes, stride));
  if (field.type.empty()) return ok();
  std::optional<FieldType> type = parseFieldType(field.type);
  if (!type)
    return wrongAt(place + "/type", fmt::format("\"{}\" is not a type; use one like \"u32\", "
                                                "\"f32x3\" or \"f32x4x4\", or leave it empty",
                                                field.type));
  if (uint64_t(type->count) * type->scalarBytes > field.size)
    return wrongAt(place + "/size",
                   fmt::format("{} bytes cannot hold a {}", field.size, field.type));
  if (field.bits != 0 && (field.type != "u32" && field.type != "i32"))
    return wrongAt(place + "/type",
                   fmt::format("only i32 and u32 can be narrowed, not {}", field.type));
  return ok();
}

/// The bits that a field takes of its group's part, as [from, to).
std::pair<uint64_t, uint64_t> bitsInGroup(const LayoutField& field) {
  const uint64_t from = uint64_t(field.offsetInGroup) * 8 + (field.bits ? field.firstBit : 0);
  return {from, from + (field.bits ? field.bits : uint64_t(field.size) * 8)};
}

Status checkOverlap(const BufferLayout& layout) {
  std::vector<uint32_t> order(layout.fields.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  auto keyOf = [&](uint32_t i) {
    return std::tuple(layout.fields[i].group, bitsInGroup(layout.fields[i]).first, i);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return keyOf(a) < keyOf(b); });
  for (size_t n = 1; n < order.size(); ++n) {
    const LayoutField &a = layout.fields[order[n - 1]], &b = layout.fields[order[n]];
    if (a.group == b.group && bitsInGroup(a).second > bitsInGroup(b).first)
      return wrongAt(fmt::format("fields/{}/offset-in-group", order[n]),
                     fmt::format("\"{}\" and \"{}\" overlap in group {}", a.path, b.path, a.group));
  }
  return ok();
}

} // namespace

Status checkLayout(const BufferLayout& layout) {
  if (layout.name.empty()) return wrongAt("name", "is empty; a buffer needs a name");
  for (size_t i = 1; i < layout.bindings.size(); ++i)
    if (!(layout.bindings[i - 1] < layout.bindings[i]))
      return wrongAt(fmt::format("bindings/{}", i),
                     "bindings must be in ascending order of set and binding");
  if (layout.strideBefore == 0 || layout.strideBefore > kMostBytes)
    return wrongAt("stride", fmt::format("must be 1 to {}", kMostBytes));
  if (layout.arrayOffsetAfter < layout.arrayOffsetBefore)
    return wrongAt("array-offset/after",
                   fmt::format("is {}, inside the header of {} bytes", layout.arrayOffsetAfter,
                               layout.arrayOffsetBefore));
  if (Status s = checkGroups(layout); !s) return s;
  if (layout.fields.empty()) return wrongAt("fields", "is empty; it needs at least one field");
  std::vector<bool> isUsed(layout.groups.size());
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    const LayoutField& field = layout.fields[i];
    const std::string place = fmt::format("fields/{}", i);
    if (Status s = checkField(layout, field, place); !s) return s;
    isUsed[field.group] = true;
    if (i == 0) continue;
    const LayoutField& last = layout.fields[i - 1];
    if (uint64_t(last.offsetBefore) + last.size > field.offsetBefore)
      return wrongAt(place + "/offset",
                     fmt::format("\"{}\" starts before \"{}\" ends; fields must be in ascending "
                                 "order of offset and not overlap",
                                 field.path, last.path));
  }
  for (size_t g = 0; g < isUsed.size(); ++g)
    if (!isUsed[g]) return wrongAt(fmt::format("groups/{}", g), "it has no fields; remove it");
  if (Status s = checkOverlap(layout); !s) return s;
  if (layout.count && !sizesFor(layout, *layout.count))
    return wrongAt("count",
                   fmt::format("{} elements exceed the largest buffer size", *layout.count));
  if (layout.count && layout.needsWholeTiles && layout.tile && *layout.count % layout.tile != 0)
    return wrongAt("count",
                   fmt::format("{} is not a multiple of the tile's {}, as \"whole-tiles\" requires",
                               *layout.count, layout.tile));
  return ok();
}

Result<LayoutManifest> parseLayoutManifest(std::string_view text, const std::string& path) {
  try {
    return readManifest(json::parse(text.begin(), text.end(), StrictParse()));
  } catch (const Wrong& wrong) {
    return failure(
        fmt::format("{}: {}{}{}", path, wrong.place, wrong.place.empty() ? "" : ": ", wrong.what));
  } catch (const json::parse_error& error) {
    return failure(fmt::format("{}:{}: not JSON; a layout manifest is written by opt --aos-to-soa",
                               path, placeOf(text, error.byte)));
  } catch (const json::exception& error) {
    return failure(fmt::format("{}: not a layout manifest ({})", path, error.what()));
  }
}

Result<LayoutManifest> readLayoutManifest(const std::string& path) {
  Result<std::string> text = readFile(path);
  if (!text) return failure(fmt::format("{}: {}", path, text.error().message));
  return parseLayoutManifest(*text, path == "-" ? "standard input" : path);
}

} // namespace lanewise::driver
