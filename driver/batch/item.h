// What became of one input of a batch, as a worker tells it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

enum class ItemStatus {
  Optimized,
  Unchanged, ///< no pass changed it
  Fallback,  ///< written as it was read or compiled; `reason` says why
  Failed     ///< nothing is written
};
/// "optimized", "unchanged", "fallback", "failed".
std::string_view nameOf(ItemStatus status);

struct ItemResult {
  ItemStatus status = ItemStatus::Failed;
  int exitCode = 0;
  std::string reason; ///< one line, for Fallback and Failed
  bool isHit = false; ///< from the cache
  bool isNew = false; ///< the output was not there with these bytes
  std::string errors; ///< lines for standard error, before standardError
  std::string standardError, standardOutput, remarks;
  std::string facts;   ///< JSON
  std::string trouble; ///< with the cache, one line
  std::string page;    ///< with --html: a packed ReportEntry
};
std::string pack(const ItemResult& result);
/// Nothing for bytes that pack() did not make.
std::optional<ItemResult> unpackItem(std::string_view bytes);

} // namespace lanewise::driver
