// Where cached results lie: bytes by key, in a folder or on a Redis server. A store may lose or
// refuse anything at any time; nobody who uses it fails because of that.
#pragma once

#include "lanewise/result.h"
#include "support/sha256.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

class Store {
public:
  virtual ~Store() = default;
  /// Nothing where there is no such key, or where it cannot be reached.
  virtual std::optional<std::string> get(const Digest& key) = 0;
  /// Whole or not at all, also for readers in other processes.
  virtual void put(const Digest& key, std::string_view bytes) = 0;
  /// The first thing that went wrong since the store was opened, as one line; "" for nothing.
  const std::string& trouble() const { return trouble_; }

protected:
  void report(std::string what) {
    if (trouble_.empty()) trouble_ = std::move(what);
  }

private:
  std::string trouble_;
};

/// A folder, made when it is not there. Entries lie two levels deep; a hit renews the time of its
/// file, by which pruneFolderStore() goes.
std::unique_ptr<Store> openFolderStore(const std::string& folder);

/// Deletes the entries that were used least recently until those left take at most `bytes`, in
/// blocks of 4 KiB, and what killed processes left behind. Others may read and write meanwhile.
void pruneFolderStore(const std::string& folder, uint64_t bytes);

/// redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE] or
/// unix://[[USER:]PASSWORD@]/SOCKET[?db=DATABASE].
struct RedisAddress {
  std::string user, password;
  std::string host;   ///< empty for a socket
  std::string socket; ///< path of a Unix socket
  int port = 6379;
  int database = 0;
};
bool isRedisAddress(std::string_view text);
Result<RedisAddress> parseRedisAddress(std::string_view text);

/// Whether the program was built with hiredis.
bool hasRedis();
/// Connects when it is first used. A server that does not answer within two seconds, or whose
/// connection breaks twice, is left alone from then on. Null without hiredis.
std::unique_ptr<Store> openRedisStore(const RedisAddress& address);

/// Where a run keeps its results (--cache).
struct CacheOptions {
  std::string place;                  ///< "" for none
  std::optional<RedisAddress> redis;  ///< where `place` names a server
  uint64_t bytes = uint64_t(5) << 30; ///< limit of a folder; 0 for none
  bool isGiven() const { return !place.empty(); }
};
/// Refuses a file, and words that ask for no cache (`off`): they would make a folder of that name.
Status checkCacheFolder(const std::string& place);
/// Null without a place.
std::unique_ptr<Store> openStore(const CacheOptions& options);
/// Brings a folder down to its limit.
void prune(const CacheOptions& options);

} // namespace lanewise::driver
