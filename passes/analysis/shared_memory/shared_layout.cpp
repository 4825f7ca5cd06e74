#include "analysis/shared_memory/shared_layout.h"

#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

using Kind = LayoutNode::Kind;

uint64_t roundUp(uint64_t n, uint64_t align) {
  return (n + align - 1) / align * align;
}

uint64_t product(uint64_t a, uint64_t b) {
  return b != 0 && a > kMaxSharedBytes / b ? kMaxSharedBytes : a * b;
}

/// Bytes from one element of the array `node` to the next.
uint64_t elementStride(const SharedVariable& variable, const SharedLayout& layout, uint32_t node) {
  const SizeAlign& element = layout.sizes[variable.nodes[node].children.front()];
  return roundUp(element.size, element.align);
}

/// Bytes from the start of a struct to its member `child`.
uint64_t memberOffset(const SharedVariable& variable, const SharedLayout& layout, uint32_t child) {
  uint64_t offset = 0;
  for (uint32_t member : variable.nodes[variable.nodes[child].parent].children) {
    offset = roundUp(offset, layout.sizes[member].align);
    if (member == child) break;
    offset = std::min(offset + layout.sizes[member].size, kMaxSharedBytes);
  }
  return offset;
}

} // namespace

uint64_t IndexMap::elements(uint64_t n) const {
  if (n == 0) return 0;
  if (kind == Kind::Xor) return roundUp(n, uint64_t(mask) + 1);
  return (*this)(n - 1) + 1;
}

double IndexMap::operations() const {
  const auto isPowerOfTwo = [](uint32_t n) { return (n & (n - 1)) == 0; };
  if (kind == Kind::Xor) return 3;
  if (kind != Kind::Pad) return 0;
  // A shift; then a sum, with a product before it where no shift and add in one does.
  return 1 + (isPowerOfTwo(pad) ? 1 : 2);
}

SharedLayout::SharedLayout(const SharedVariable& variable)
    : padWords(variable.nodes.size()), sizes(variable.nodes.size()) {
  for (const LayoutNode& node : variable.nodes) extents.push_back(node.extent);
  updateSizes(variable);
}

void SharedLayout::updateSizes(const SharedVariable& variable) {
  for (uint32_t n = uint32_t(variable.nodes.size()); n-- > 0;) {
    const LayoutNode& node = variable.nodes[n];
    switch (node.kind) {
    case Kind::Element:
      sizes[n] = node.size;
      break;
    case Kind::Array:
      sizes[n] = {product(elementStride(variable, *this, n), extents[n]),
                  sizes[node.children.front()].align};
      if (const auto chain = flat.find(n); chain != flat.end()) {
        const uint32_t innermost = variable.arrayChain(n).back();
        const uint64_t elements = product(chain->second.strides.front(), extents[n]);
        sizes[n].size = product(elementStride(variable, *this, innermost),
                                chain->second.map.elements(elements));
      }
      break;
    case Kind::Struct: {
      SizeAlign s{0, 1};
      auto append = [&](SizeAlign member) {
        s.size = std::min(roundUp(s.size, member.align) + member.size, kMaxSharedBytes);
        s.align = std::max(s.align, member.align);
      };
      for (uint32_t member : node.children) append(sizes[member]);
      if (padWords[n] != 0) append({uint64_t(padWords[n]) * kWordBytes, kWordBytes});
      s.size = roundUp(s.size, s.align);
      sizes[n] = s;
      break;
    }
    }
  }
}

bool SharedLayout::keepsType(const SharedVariable& variable, uint32_t node,
                             const SharedLayout& other) const {
  const bool isFlat = flat.count(node) != 0 || other.flat.count(node) != 0;
  if (isFlat || extents[node] != other.extents[node] || padWords[node] != other.padWords[node])
    return false;
  const auto& children = variable.nodes[node].children;
  return std::all_of(children.begin(), children.end(),
                     [&](uint32_t child) { return keepsType(variable, child, other); });
}

AddressForm addressForm(const SharedVariable& variable, const SharedLayout& layout, uint32_t node) {
  AddressForm form;
  const std::vector<uint32_t> arrays = variable.arraysAbove(node);
  for (size_t n = 0; n < arrays.size(); ++n) {
    const auto flat = layout.flat.find(arrays[n]);
    if (flat == layout.flat.end()) {
      form.parts.push_back({{1}, {}, elementStride(variable, layout, arrays[n])});
      continue;
    }
    // A flat chain is accessed through all of its arrays, or not at all.
    n += flat->second.strides.size() - 1;
    form.parts.push_back(
        {flat->second.strides, flat->second.map, elementStride(variable, layout, arrays[n])});
    form.isLinear &= flat->second.map.kind == IndexMap::Kind::None;
  }
  for (uint32_t n = node; variable.nodes[n].parent != LayoutNode::kNone;
       n = variable.nodes[n].parent)
    if (variable.nodes[variable.nodes[n].parent].kind == Kind::Struct)
      form.offset += memberOffset(variable, layout, n);
  return form;
}

static std::string textOf(std::span<const uint64_t> numbers) {
  std::vector<std::string> texts;
  for (uint64_t number : numbers) texts.push_back(std::to_string(number));
  return joinText(texts, ", ");
}

std::string describeLayout(const SharedVariable& variable, const SharedLayout& layout,
                           const std::function<std::string(Id, uint32_t)>& memberName) {
  std::string text;
  auto describe = [&](auto&& self, uint32_t n) -> void {
    const LayoutNode& node = variable.nodes[n];
    if (node.kind == Kind::Array) {
      const auto flat = layout.flat.find(n);
      const std::vector<uint32_t> chain = variable.arrayChain(n);
      for (uint32_t array : chain) text += formatText("[{}]", layout.extents[array]);
      if (flat != layout.flat.end()) {
        const auto& [strides, map] = flat->second;
        if (strides.size() > 1) text += " at strides " + textOf(strides);
        if (map.kind == IndexMap::Kind::Pad)
          text += formatText(" with a gap of {} after every {}", map.pad, map.divisor);
        if (map.kind == IndexMap::Kind::Xor)
          text += formatText(" with index i at i ^ (i >> {} & {})", map.shift, map.mask);
      }
      return self(self, variable.nodes[chain.back()].children.front());
    }
    if (node.kind == Kind::Element) return;
    // Of structs only what holds arrays or is padded is worth a word.
    std::string inside;
    std::swap(inside, text);
    for (uint32_t m = 0; m < node.children.size(); ++m) {
      const std::string before = text;
      text.clear();
      self(self, node.children[m]);
      const std::string member = text;
      text = before;
      if (!member.empty())
        text += formatText("{}.{}{}", text.empty() ? "" : ", ", memberName(node.type, m), member);
    }
    if (layout.padWords[n] != 0)
      text += formatText("{}+{} word{}", text.empty() ? "" : ", ", layout.padWords[n],
                         layout.padWords[n] == 1 ? "" : "s");
    if (!text.empty()) text = "{" + text + "}";
    text = inside + text;
  };
  describe(describe, 0);
  return text;
}

} // namespace lanewise
