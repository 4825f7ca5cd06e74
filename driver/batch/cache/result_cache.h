// What becomes of an input is a pure function of what its key is made of. This finds it in a store
// and keeps it there (docs/design/batch-cache.md).
#pragma once

#include "batch/cache/store.h"
#include "input/front_end.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace lanewise::driver {

/// What all inputs of a run share.
struct RunKey {
  std::string program;            ///< buildIdentity()
  std::vector<std::string> flags; ///< ParsedOptions::given
  /// Contents of what the flags name: the scenario and its files, the target's profile.
  std::vector<FileProbe> files;
  std::string device; ///< with --verify or --target=device: the device and its driver
};
Digest digestOf(const RunKey& key);

/// What one input turned into, ready to be written and said again.
struct Product {
  std::string module;                    ///< the bytes of the output file
  std::vector<std::string> dependencies; ///< LoadedModule::dependencies
  std::string standardError, standardOutput, remarks;
  std::string facts; ///< for the summary: JSON
  std::string page;  ///< with --html: a packed ReportEntry
  int exitCode = 0;
  bool isChanged = false; ///< by a pass
};
std::string pack(const Product& product);
std::optional<Product> unpackProduct(std::string_view bytes);

/// One process's view of the store. An entry that is damaged in any way is not there.
class ResultCache {
public:
  ResultCache(std::unique_ptr<Store> store, RunKey run)
      : store_(std::move(store)), run_(std::move(run)), runDigest_(digestOf(run_)) {}

  /// `name` is the input's as it stands in messages, `contents` what it holds.
  std::optional<Product> find(const std::string& name, std::string_view contents);
  /// `probes` are all other files that the product depends on.
  void keep(const std::string& name, std::string_view contents, std::span<const FileProbe> probes,
            const Product& product);
  const std::string& trouble() const { return store_->trouble(); }

private:
  Digest inputKey(const std::string& name, std::string_view contents) const;
  bool isUnchanged(std::span<const FileProbe> probes);
  /// The payload of an entry.
  std::optional<std::string> fetch(const Digest& key);
  static std::vector<std::string> variantsOf(const std::optional<std::string>& entry);

  std::unique_ptr<Store> store_;
  RunKey run_;
  Digest runDigest_;
  /// Digests of files that were read before, by what the file system says of them.
  struct Known {
    std::tuple<uint64_t, uint64_t, uint64_t, int64_t, int64_t> state;
    std::string digest;
  };
  std::map<std::string, Known> known_;
  std::string digestOfFile(const std::string& path);
};

/// An entry as it lies in a store, and back: what was written under `key`, nothing for anything
/// else.
std::string sealEntry(const Digest& key, std::string_view payload);
std::optional<std::string_view> openEntry(const Digest& key, std::string_view bytes);

/// SHA-256 of a file's contents in hexadecimal, "" when it is no file that can be read.
std::string digestOfFile(const std::string& path);

} // namespace lanewise::driver
