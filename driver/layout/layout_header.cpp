#include "layout/layout_header.h"

#include "layout/cpp_names.h"
#include "layout/layout_codec.h"
#include "layout/layout_manifest.h"
#include "support/failure.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

// What every header has once, for all its buffers.
constexpr std::string_view kPreamble = R"(#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

)";
constexpr std::string_view kDetail = R"(namespace detail {

constexpr std::uint64_t align(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}

template <std::size_t Size>
void move(std::byte* to, std::size_t toStride, const std::byte* from, std::size_t fromStride,
          std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) std::memcpy(to + i * toStride, from + i * fromStride, Size);
}

/// `bits` bits from `firstBit` on of the little-endian word of which Bytes are there.
template <std::size_t Bytes>
void setBits(std::byte* at, std::uint32_t value, unsigned firstBit, unsigned bits) {
  const std::uint32_t mask = (std::uint32_t(1) << bits) - 1;
  std::uint32_t word = 0;
  std::memcpy(&word, at, Bytes);
  word = (word & ~(mask << firstBit)) | (value & mask) << firstBit;
  std::memcpy(at, &word, Bytes);
}
template <std::size_t Bytes>
std::uint32_t getBits(const std::byte* at, unsigned firstBit, unsigned bits, bool isSigned) {
  const std::uint32_t mask = (std::uint32_t(1) << bits) - 1;
  std::uint32_t word = 0;
  std::memcpy(&word, at, Bytes);
  word = word >> firstBit & mask;
  return isSigned && word >> (bits - 1) != 0 ? word | ~mask : word;
}

} // namespace detail
)";

std::string uniqueName(std::string name, std::set<std::string>& taken) {
  std::string tried = name;
  for (uint32_t n = 2; !taken.insert(tried).second; ++n) tried = fmt::format("{}_{}", name, n);
  return tried;
}

class HeaderOfBuffer {
public:
  HeaderOfBuffer(const BufferLayout& layout, std::string space)
      : layout_(layout), space_(std::move(space)) {
    std::set<std::string> taken;
    for (const LayoutField& field : layout.fields)
      names_.push_back(uniqueName(identifierFor(field.path, "field"), taken));
    // What else stands in the namespace and in the struct.
    for (const char* own :
         {"pack",   "unpack",       "packedSize",   "unpackedSize", "fits",
          "runs",   "detail",       "packed",       "elements",     "count",
          "index",  "value",        "bits",         "first",        "n",
          "inTile", "kHeaderBytes", "kArrayOffset", "kTile",        "kNeedsWholeTiles"})
      taken.insert(own);
    for (const std::string& name : names_)
      for (const char* prefix : {"get_", "set_", "addressOf_"}) taken.insert(prefix + name);
    structName_ = uniqueName(identifierFor(layout.structName, "Element"), taken);
  }

  std::string text() {
    addStruct();
    addConstants();
    addRuns();
    addSizes();
    addTile(true);
    addTile(false);
    addWhole();
    addFits();
    for (size_t i = 0; i < layout_.fields.size(); ++i) addAccessors(i);
    out_ += fmt::format("\n}} // namespace {}\n", space_);
    return std::move(out_);
  }

private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
  }

  std::string inTile() const {
    return layout_.tile ? std::to_string(layout_.tile) : std::string("count");
  }

  /// The type of a member; bytes where the scalars cannot stand at their place in a C++ struct.
  std::string typeOf(const LayoutField& field) const {
    const std::string bytes = fmt::format("std::array<std::byte, {}>", field.size);
    std::optional<FieldType> type = parseFieldType(field.type);
    if (!type || uint64_t(type->count) * type->scalarBytes != field.size ||
        field.offsetBefore % type->scalarBytes != 0 ||
        layout_.strideBefore % type->scalarBytes != 0)
      return bytes;
    std::string name;
    if (type->scalar[0] == 'f')
      name = type->scalarBytes == 8 ? "double" : type->scalarBytes == 4 ? "float" : "std::uint16_t";
    else
      name =
          fmt::format("std::{}int{}_t", type->scalar[0] == 'u' ? "u" : "", 8 * type->scalarBytes);
    for (auto extent = type->extents.rbegin(); extent != type->extents.rend(); ++extent)
      name = fmt::format("std::array<{}, {}>", name, *extent);
    return name;
  }

  void addStruct() {
    add("\n/// Buffer `{}`, as the shaders saw it before.\nnamespace {} {{\n\nstruct {} {{\n",
        identifierFor(layout_.name, "buffer"), space_, structName_);
    uint32_t end = 0;
    auto pad = [&](uint32_t to) {
      if (to > end) add("  std::array<std::byte, {}> padding{}_; ///< not kept\n", to - end, end);
    };
    for (size_t i = 0; i < layout_.fields.size(); ++i) {
      const LayoutField& field = layout_.fields[i];
      pad(field.offsetBefore);
      add("  {} {};{}\n", typeOf(field), names_[i],
          field.type.starts_with("f16") ? " ///< the bits of f16" : "");
      end = field.offsetBefore + field.size;
    }
    pad(layout_.strideBefore);
    add("}};\nstatic_assert(sizeof({0}) == {1} && std::is_trivially_copyable_v<{0}> && "
        "std::is_standard_layout_v<{0}>);\n",
        structName_, layout_.strideBefore);
    for (size_t i = 0; i < layout_.fields.size(); ++i)
      add("static_assert(offsetof({}, {}) == {});\n", structName_, names_[i],
          layout_.fields[i].offsetBefore);
  }

  void addConstants() {
    add("\nconstexpr std::uint64_t kHeaderBytes = {}; ///< kept unchanged at the start\n",
        layout_.arrayOffsetBefore);
    add("constexpr std::uint64_t kArrayOffset = {};\n", layout_.arrayOffsetAfter);
    add("constexpr std::uint64_t kTile = {}; ///< elements{}\n", layout_.tile,
        layout_.tile ? "" : "; 0: all are one tile");
    if (layout_.needsWholeTiles && layout_.tile != 0)
      add("/// The number of elements must be a multiple of kTile.\n"
          "constexpr bool kNeedsWholeTiles = true;\n");
  }

  void addRuns() {
    add("\nnamespace runs {{ // where they start in a tile of n elements\n\n");
    std::string end = "0";
    uint32_t most = 1;
    for (size_t g = 0; g < layout_.groups.size(); ++g) {
      const LayoutGroup& group = layout_.groups[g];
      most = std::max(most, group.align);
      add("constexpr std::uint64_t start{}([[maybe_unused]] std::uint64_t n) {{\n"
          "  return detail::align({}, {});\n}}\n",
          g, end, group.align);
      end = fmt::format("start{}(n) + {} * n", g, group.stride);
    }
    add("constexpr std::uint64_t tileBytes(std::uint64_t n) {{\n  return detail::align({}, "
        "{});\n}}\n\n}} // namespace runs\n",
        end, most);
  }

  void addSizes() {
    add("\n/// Bytes of the buffer with `count` elements, after and before.\n"
        "constexpr std::uint64_t packedSize(std::uint64_t count) {{\n  return kArrayOffset + "
        "{};\n}}\n"
        "constexpr std::uint64_t unpackedSize(std::uint64_t count) {{\n"
        "  return kHeaderBytes + count * sizeof({});\n}}\n",
        layout_.tile ? "(count + kTile - 1) / kTile * runs::tileBytes(kTile)"
                     : "runs::tileBytes(count)",
        structName_);
  }

  uint32_t wordBytes(const LayoutField& field) const {
    return std::min(4u, layout_.groups[field.group].stride - field.offsetInGroup);
  }

  void addTile(bool isPack) {
    add("\nnamespace runs {{\n\n");
    if (isPack)
      add("inline void packTile(const std::byte* elements, std::uint64_t n, std::uint64_t inTile,\n"
          "                     std::byte* tile) {{\n"
          "  std::memset(tile, 0, tileBytes(inTile));\n");
    else
      add("inline void unpackTile(const std::byte* tile, std::uint64_t n, std::uint64_t inTile,\n"
          "                       std::byte* elements) {{\n");
    for (uint32_t g = 0; g < layout_.groups.size(); ++g) {
      const uint32_t stride = layout_.groups[g].stride;
      add("  {}std::byte* const run{} = tile + start{}(inTile);\n", isPack ? "" : "const ", g, g);
      if (isPack)
        add("  std::memset(run{0} + n * {1}, {2:#x}, (inTile - n) * {1});\n", g, stride, kFillByte);
    }
    for (const LayoutField& field : layout_.fields) addMove(isPack, field);
    add("}}\n\n}} // namespace runs\n");
  }

  void addMove(bool isPack, const LayoutField& field) {
    const uint32_t stride = layout_.groups[field.group].stride, before = layout_.strideBefore;
    const std::string run = fmt::format("run{} + {}", field.group, field.offsetInGroup);
    const std::string element = fmt::format("elements + {}", field.offsetBefore);
    if (field.bits == 0) {
      add("  detail::move<{}>({}, {}, {}, {}, n);\n", field.size, isPack ? run : element,
          isPack ? stride : before, isPack ? element : run, isPack ? before : stride);
      return;
    }
    add("  for (std::uint64_t i = 0; i < n; ++i) {{\n");
    if (isPack)
      add("    std::uint32_t value;\n    std::memcpy(&value, {} + i * {}, 4);\n"
          "    detail::setBits<{}>({} + i * {}, value, {}, {});\n",
          element, before, wordBytes(field), run, stride, field.firstBit, field.bits);
    else
      add("    const std::uint32_t value = detail::getBits<{}>({} + i * {}, {}, {}, {});\n"
          "    std::memcpy({} + i * {}, &value, 4);\n",
          wordBytes(field), run, stride, field.firstBit, field.bits, field.isSigned, element,
          before);
    add("  }}\n");
  }

  void addWhole() {
    add("\n/// `packed` has packedSize(count) bytes. The header is yours: its kHeaderBytes are "
        "left "
        "alone.\ninline void pack(const {}* elements, std::uint64_t count, std::byte* packed) {{\n"
        "  std::memset(packed + kHeaderBytes, 0, kArrayOffset - kHeaderBytes);\n"
        "  packed += kArrayOffset;\n",
        structName_);
    addLoop("runs::packTile(reinterpret_cast<const std::byte*>(elements + first), n, inTile,\n"
            "                   packed + first / inTile * runs::tileBytes(inTile));\n");
    add("\n/// Padding of the elements becomes zero.\n"
        "inline void unpack(const std::byte* packed, std::uint64_t count, {}* elements) {{\n"
        "  packed += kArrayOffset;\n"
        "  if (count != 0) std::memset(static_cast<void*>(elements), 0, count * "
        "sizeof(*elements));\n",
        structName_);
    addLoop("runs::unpackTile(packed + first / inTile * runs::tileBytes(inTile), n, inTile,\n"
            "                     reinterpret_cast<std::byte*>(elements + first));\n");
  }

  void addLoop(std::string_view call) {
    add("  const std::uint64_t inTile = {};\n"
        "  for (std::uint64_t first = 0; first < count; first += inTile) {{\n"
        "    const std::uint64_t n = count - first < inTile ? count - first : inTile;\n"
        "    {}  }}\n}}\n",
        layout_.tile ? "kTile" : "count", call);
  }

  void addFits() {
    std::string conditions;
    for (size_t i = 0; i < layout_.fields.size(); ++i) {
      const LayoutField& field = layout_.fields[i];
      if (field.bits == 0) continue;
      if (!conditions.empty()) conditions += " &&\n         ";
      // The member may be i32, u32 or bytes.
      conditions +=
          fmt::format("fitsBits(&element.{}, {}, {})", names_[i], field.bits, field.isSigned);
    }
    if (conditions.empty()) return;
    add("\nnamespace runs {{\n\n"
        "inline bool fitsBits(const void* from, unsigned bits, bool isSigned) {{\n"
        "  std::uint32_t value;\n  std::memcpy(&value, from, 4);\n"
        "  return (value + (isSigned ? std::uint32_t(1) << (bits - 1) : 0)) >> bits == 0;\n}}\n"
        "inline bool allFit(const {0}& element) {{\n  return {1};\n}}\n\n}} // namespace runs\n"
        "\n/// Whether the narrowed fields hold the values of `element`; pack() cuts off what does "
        "not fit.\ninline bool fits(const {0}& element) {{\n  return runs::allFit(element);\n}}\n",
        structName_, conditions);
  }

  void addAccessors(size_t i) {
    const LayoutField& field = layout_.fields[i];
    const std::string type = typeOf(field);
    const uint32_t stride = layout_.groups[field.group].stride;
    if (layout_.tile != 0)
      add("\nconstexpr std::uint64_t addressOf_{}(std::uint64_t index, std::uint64_t /*count*/) "
          "{{\n"
          "  return {} + runs::start{}(kTile) + index / kTile * runs::tileBytes(kTile) + index % "
          "kTile * {};\n}}\n",
          names_[i], layout_.arrayOffsetAfter + field.offsetInGroup, field.group, stride);
    else
      add("\nconstexpr std::uint64_t addressOf_{}(std::uint64_t index, std::uint64_t count) {{\n"
          "  return {} + runs::start{}(count) + index * {};\n}}\n",
          names_[i], layout_.arrayOffsetAfter + field.offsetInGroup, field.group, stride);
    const std::string read =
        field.bits ? fmt::format("const std::uint32_t bits = detail::getBits<{}>(packed + "
                                 "addressOf_{}(index, count), {}, {}, {});\n  {} value;\n  "
                                 "std::memcpy(&value, &bits, 4);",
                                 wordBytes(field), names_[i], field.firstBit, field.bits,
                                 field.isSigned, type)
                   : fmt::format("{} value;\n  std::memcpy(&value, packed + addressOf_{}(index, "
                                 "count), {});",
                                 type, names_[i], field.size);
    const std::string write =
        field.bits ? fmt::format("std::uint32_t bits;\n  std::memcpy(&bits, &value, 4);\n  "
                                 "detail::setBits<{}>(packed + addressOf_{}(index, count), bits, "
                                 "{}, {});",
                                 wordBytes(field), names_[i], field.firstBit, field.bits)
                   : fmt::format("std::memcpy(packed + addressOf_{}(index, count), &value, {});",
                                 names_[i], field.size);
    add("inline {0} get_{1}(const std::byte* packed, std::uint64_t index, std::uint64_t count) {{\n"
        "  {2}\n  return value;\n}}\n"
        "inline void set_{1}(std::byte* packed, std::uint64_t index, std::uint64_t count, const "
        "{0}& "
        "value) {{\n  {3}\n}}\n",
        type, names_[i], read, write);
  }

  const BufferLayout& layout_;
  std::string space_, structName_, out_;
  std::vector<std::string> names_; ///< of the fields
};

} // namespace

Result<std::string> layoutHeader(std::span<const BufferLayout> buffers, const std::string& space) {
  if (!isIdentifierPath(space))
    return failure(fmt::format("--namespace={}: not a valid C++ namespace name", space));
  std::string text =
      "// Written by `lanewise layout header`: fills and reads buffers as the shaders "
      "see them that\n// --aos-to-soa has rewritten. C++17, for little-endian "
      "machines. Do not edit.\n#pragma once\n\n";
  text += kPreamble;
  text += fmt::format("namespace {} {{\n\n", space);
  text += kDetail;
  std::set<std::string> taken{"detail"};
  for (const BufferLayout& layout : buffers)
    text += HeaderOfBuffer(layout, uniqueName(identifierFor(layout.name, "buffer"), taken)).text();
  text += fmt::format("\n}} // namespace {}\n", space);
  return text;
}

} // namespace lanewise::driver
