#include "batch/item.h"

#include "support/isolate.h"

#include <array>
#include <utility>
#include <vector>

namespace lanewise::driver {

std::string_view nameOf(ItemStatus status) {
  switch (status) {
  case ItemStatus::Optimized:
    return "optimized";
  case ItemStatus::Unchanged:
    return "unchanged";
  case ItemStatus::Fallback:
    return "fallback";
  case ItemStatus::Failed:
    return "failed";
  }
  return "failed";
}

std::string pack(const ItemResult& r) {
  const std::string numbers{char(r.status), char(r.exitCode), char(r.isHit), char(r.isNew)};
  return packStrings(std::array{numbers, r.reason, r.errors, r.standardError, r.standardOutput,
                                r.remarks, r.facts, r.trouble, r.page});
}

std::optional<ItemResult> unpackItem(std::string_view bytes) {
  std::vector<std::string> parts = unpackStrings(bytes);
  if (parts.size() != 9 || parts[0].size() != 4) return {};
  const std::string& numbers = parts[0];
  return ItemResult{ItemStatus(numbers[0]), numbers[1],          std::move(parts[1]),
                    numbers[2] != 0,        numbers[3] != 0,     std::move(parts[2]),
                    std::move(parts[3]),    std::move(parts[4]), std::move(parts[5]),
                    std::move(parts[6]),    std::move(parts[7]), std::move(parts[8])};
}

} // namespace lanewise::driver
