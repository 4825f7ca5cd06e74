// The layout manifest as a file: JSON that docs/layout-manifest.schema.json describes and
// docs/layout.md explains. `lanewise opt --aos-to-soa` writes it; `lanewise layout` and
// `lanewise verify` read it.
#pragma once

#include "lanewise/buffer_layout.h"
#include "lanewise/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// The file's "version". A reader refuses any other.
constexpr uint32_t kLayoutManifestVersion = 1;

/// Ends with a newline. The same manifest always gives the same text.
std::string layoutManifestToJson(const LayoutManifest& manifest);

/// Reads strictly: an unknown, missing or repeated key, a wrong type, a number out of range, fields
/// that overlap or leave their group, and formulas that do not follow from the numbers are errors
/// of one line: file, place in the JSON ("/buffers/0/fields/3/size"), what is wrong, how to mend
/// it.
Result<LayoutManifest> parseLayoutManifest(std::string_view text, const std::string& path);
/// The same from a file, or from standard input for "-".
Result<LayoutManifest> readLayoutManifest(const std::string& path);

/// What a layout must fulfil so that its functions and the codec can be trusted with it: every
/// field within its element and its group, no two at the same bytes or bits, alignments powers of
/// two that the array's start keeps, nothing empty, and sizes that 64 bits hold. The message begins
/// with the place within the buffer's JSON object: "/fields/3/size: ...".
Status checkLayout(const BufferLayout& layout);

/// bytesBefore() and bytesAfter(), or nothing where one would be larger than any file can be.
struct LayoutSizes {
  uint64_t before = 0, after = 0;
};
std::optional<LayoutSizes> sizesFor(const BufferLayout& layout, uint64_t elements);

/// Formulas over `index` and `count` in bytes, for people. `/` and `%` are those of integers;
/// ceil(a / b) rounds up, align(a, b) is the next multiple of b.
std::string sizeFormula(const BufferLayout& layout);
std::string addressFormula(const BufferLayout& layout, const LayoutField& field);
/// Bytes of a tile that hold nothing, for tiled layouts.
uint64_t tilePadding(const BufferLayout& layout);

/// What LayoutField::type says: scalars of `scalar` ("u32"), `columns` times `rows` of them.
struct FieldType {
  std::string scalar;
  uint32_t scalarBytes = 0;
  uint32_t count = 1; ///< scalars
  std::vector<uint32_t> extents;
};
/// Nothing for an empty text (only bytes) and for one that is no type.
std::optional<FieldType> parseFieldType(std::string_view type);

/// The smallest and the largest value of a narrowed field.
struct NarrowRange {
  int64_t low = 0, high = 0;
};
NarrowRange rangeOf(const LayoutField& field);

} // namespace lanewise::driver
