#include "assembly/assembler_ids.h"

#include <algorithm>
#include <charconv>

namespace lanewise::detail {
namespace {

/// Of "12"; nothing for a name.
std::optional<uint32_t> numberOf(std::string_view name) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0) return {};
  return number;
}

bool isName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

} // namespace

AssemblerIds::AssemblerIds(std::string_view text) {
  for (Tokens tokens(text); !tokens.atEnd();) {
    const Token token = tokens.next();
    if (!token.isId()) continue;
    if (const auto number = numberOf(token.text.substr(1))) numbers_.insert(*number);
  }
}

std::optional<uint32_t> AssemblerIds::of(std::string_view token) {
  if (!token.starts_with('%')) return {};
  const std::string_view name = token.substr(1);
  if (!isName(name)) return {};
  std::optional<uint32_t> id = numberOf(name);
  if (!id) {
    auto known = names_.find(name);
    if (known == names_.end()) {
      while (numbers_.contains(next_)) ++next_;
      known = names_.emplace(std::string(name), next_++).first;
    }
    id = known->second;
  }
  bound_ = std::max(bound_, *id == UINT32_MAX ? *id : *id + 1);
  return id;
}

} // namespace lanewise::detail
