// The four kinds of name that the IR hands out. Each is 4 bytes and 0 is null; they do not convert
// into one another. An InstRef, BlockRef or FunctionRef is valid until the next Rewriter::commit()
// that changed the module; an Id is valid for ever.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace lanewise {

template <class Tag>
struct Handle {
  uint32_t value = 0;

  constexpr Handle() = default;
  constexpr explicit Handle(uint32_t v) : value(v) {}
  constexpr explicit operator bool() const { return value != 0; }
  constexpr auto operator<=>(const Handle&) const = default;
};

/// A SPIR-V result <id>.
using Id = Handle<struct IdTag>;
/// An instruction; ordered as in the module.
using InstRef = Handle<struct InstTag>;
/// A basic block (its OpLabel to its terminator); ordered as in the module.
using BlockRef = Handle<struct BlockTag>;
/// A function, with or without a body; ordered as in the module.
using FunctionRef = Handle<struct FunctionTag>;

} // namespace lanewise

template <class Tag>
struct std::hash<lanewise::Handle<Tag>> {
  size_t operator()(lanewise::Handle<Tag> h) const noexcept { return h.value; }
};
