#include "batch/cache/store.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

class FolderStore : public Store {
public:
  explicit FolderStore(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> get(const Digest& key) override {
    const std::string path = pathOf(key);
    Result<std::string> bytes = readRegularFile(path);
    if (!bytes) return {};
    // For pruning. In a folder that may only be read, others do without.
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
    return std::move(*bytes);
  }

  void put(const Digest& key, std::string_view bytes) override {
    const std::string path = pathOf(key);
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (error) return report(fmt::format("{}: {}", path, error.message()));
    OutputFiles file;
    file.add(path, std::string(bytes));
    if (Status s = file.commit(); !s) report(s.error().message);
  }

private:
  /// Two digits name the folder, so that none gets more entries than file systems like.
  std::string pathOf(const Digest& key) const {
    const std::string name = hexOf(key);
    return fmt::format("{}/{}/{}", folder_, name.substr(0, 2), name.substr(2));
  }
  std::string folder_;
};

/// What file systems hand out at least.
constexpr uint64_t kBlock = 4096;

struct Entry {
  std::string path;
  uint64_t bytes = 0; ///< on disk
  fs::file_time_type used;
};

} // namespace

std::unique_ptr<Store> openFolderStore(const std::string& folder) {
  return std::make_unique<FolderStore>(folder);
}

void pruneFolderStore(const std::string& folder, uint64_t bytes) {
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    // Only what can be ours: the folder may hold other things.
    const std::string name = at->path().filename().string();
    if (name.size() != 2 || name.find_first_not_of("0123456789abcdef") != std::string::npos)
      continue;
    removeStaleTemporaries(at->path().string());
    std::error_code inner;
    for (fs::directory_iterator file(at->path(), inner); !inner && file != end;
         file.increment(inner)) {
      const std::string digits = file->path().filename().string();
      if (digits.size() != 62 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
        continue;
      // Another process may prune at the same time.
      std::error_code gone;
      Entry entry{file->path().string(), fs::file_size(file->path(), gone), {}};
      if (!gone) entry.used = fs::last_write_time(file->path(), gone);
      if (gone) continue;
      entry.bytes = (entry.bytes + kBlock - 1) / kBlock * kBlock;
      total += entry.bytes;
      entries.push_back(std::move(entry));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= bytes) return;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

Status checkCacheFolder(const std::string& place) {
  for (std::string_view word : {"off", "no", "none", "false"})
    if (place == word)
      return failure(fmt::format("--cache={0}: no word for a cache that is off; leave the option "
                                 "out, or name a folder of this name --cache=./{0}",
                                 word));
  std::error_code ignored;
  if (fs::exists(place, ignored) && !isFolder(place))
    return failure(fmt::format("--cache={}: not a folder", place));
  return ok();
}

std::unique_ptr<Store> openStore(const CacheOptions& options) {
  if (!options.isGiven()) return nullptr;
  return options.redis ? openRedisStore(*options.redis) : openFolderStore(options.place);
}

void prune(const CacheOptions& options) {
  if (options.isGiven() && !options.redis && options.bytes > 0)
    pruneFolderStore(options.place, options.bytes);
}

} // namespace lanewise::driver
