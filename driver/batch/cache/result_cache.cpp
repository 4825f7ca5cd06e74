#include "batch/cache/result_cache.h"

#include "support/files.h"
#include "support/isolate.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/stat.h>

namespace lanewise::driver {

namespace {

/// To be raised when the form of entries or of keys changes.
constexpr std::string_view kFormat = "lanewise-batch-2";
/// A source whose includes change back and forth has so many results remembered.
constexpr size_t kMaxVariants = 16;

/// The files that a result depends on.
std::string packProbes(std::span<const FileProbe> probes) {
  std::vector<std::string> fields;
  for (const FileProbe& p : probes) fields.insert(fields.end(), {p.path, p.digest});
  return packStrings(fields);
}

std::vector<FileProbe> unpackProbes(std::string_view bytes) {
  const std::vector<std::string> fields = unpackStrings(bytes);
  std::vector<FileProbe> probes;
  for (size_t i = 0; i + 1 < fields.size(); i += 2) probes.push_back({fields[i], fields[i + 1]});
  return probes;
}

/// Of the product that was made while the files of `variant` were as it says.
Digest derivedKey(const Digest& input, std::string_view variant) {
  Sha256 hash;
  hash.addField(bytesOf(input));
  hash.addField(variant);
  return hash.finish();
}

// What the entry of an input begins with: its product follows, where nothing else is read for it;
// or the files that were, for each of its products.
const std::string kProduct = "P";
const std::string kVariants = "V";

} // namespace

Digest digestOf(const RunKey& key) {
  Sha256 hash;
  hash.addField(kFormat);
  hash.addField(key.program);
  hash.addField(packStrings(key.flags));
  hash.addField(packProbes(key.files));
  hash.addField(key.device);
  return hash.finish();
}

std::string pack(const Product& p) {
  return packStrings(std::array{p.module, packStrings(p.dependencies), p.standardError,
                                p.standardOutput, p.remarks, p.facts, p.page,
                                std::string{char(p.exitCode), char(p.isChanged)}});
}

std::optional<Product> unpackProduct(std::string_view bytes) {
  std::vector<std::string> parts = unpackStrings(bytes);
  if (parts.size() != 8 || parts[7].size() != 2) return {};
  return Product{
      std::move(parts[0]), unpackStrings(parts[1]), std::move(parts[2]), std::move(parts[3]),
      std::move(parts[4]), std::move(parts[5]),     std::move(parts[6]), parts[7][0],
      parts[7][1] != 0};
}

std::string sealEntry(const Digest& key, std::string_view payload) {
  std::string bytes(kFormat);
  bytes += bytesOf(key);
  bytes += bytesOf(sha256(payload));
  bytes += payload;
  return bytes;
}

std::optional<std::string_view> openEntry(const Digest& key, std::string_view bytes) {
  const size_t digestSize = key.size();
  if (bytes.size() < kFormat.size() + 2 * digestSize || !bytes.starts_with(kFormat)) return {};
  bytes.remove_prefix(kFormat.size());
  if (bytes.substr(0, digestSize) != bytesOf(key)) return {};
  const std::string_view payload = bytes.substr(2 * digestSize);
  const Digest digest = sha256(payload);
  if (bytes.substr(digestSize, digestSize) != bytesOf(digest)) return {};
  return payload;
}

std::string digestOfFile(const std::string& path) {
  Result<std::string> text = readRegularFile(path);
  return text ? hexOf(sha256(*text)) : std::string();
}

std::string ResultCache::digestOfFile(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  // Headers are asked for by every shader that includes them. What the file system says of one
  // cannot stay the same while it is written to: the time of change is the kernel's.
  const auto state =
      std::tuple(uint64_t(info.st_dev), uint64_t(info.st_ino), uint64_t(info.st_size),
                 int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec,
                 int64_t(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec);
  Known& known = known_[path];
  if (known.state == state) return known.digest;
  // Written within the clock's last ticks: it may be written again within the same one.
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  constexpr time_t kSettled = 2; // seconds, enough for file systems that count whole ones
  const bool isSettled = now.tv_sec - info.st_ctim.tv_sec > kSettled;
  std::string digest = driver::digestOfFile(path);
  if (isSettled) known = {state, digest};
  return digest;
}

bool ResultCache::isUnchanged(std::span<const FileProbe> probes) {
  return std::all_of(probes.begin(), probes.end(),
                     [&](const FileProbe& p) { return digestOfFile(p.path) == p.digest; });
}

Digest ResultCache::inputKey(const std::string& name, std::string_view contents) const {
  Sha256 hash;
  hash.addField(bytesOf(runDigest_));
  hash.addField(name);
  hash.addField(contents);
  return hash.finish();
}

std::optional<std::string> ResultCache::fetch(const Digest& key) {
  std::optional<std::string> bytes = store_->get(key);
  if (!bytes) return {};
  const std::optional<std::string_view> payload = openEntry(key, *bytes);
  if (!payload) return {};
  return std::string(*payload);
}

std::vector<std::string> ResultCache::variantsOf(const std::optional<std::string>& entry) {
  if (!entry || !entry->starts_with(kVariants)) return {};
  return unpackStrings(std::string_view(*entry).substr(1));
}

std::optional<Product> ResultCache::find(const std::string& name, std::string_view contents) {
  const Digest input = inputKey(name, contents);
  const std::optional<std::string> entry = fetch(input);
  if (entry && entry->starts_with(kProduct))
    return unpackProduct(std::string_view(*entry).substr(1));
  for (const std::string& variant : variantsOf(entry)) {
    if (!isUnchanged(unpackProbes(variant))) continue;
    const std::optional<std::string> product = fetch(derivedKey(input, variant));
    if (product)
      if (std::optional<Product> found = unpackProduct(*product)) return found;
  }
  return {};
}

void ResultCache::keep(const std::string& name, std::string_view contents,
                       std::span<const FileProbe> probes, const Product& product) {
  // A file that changed since it was read is somebody's work in progress.
  if (!isUnchanged(probes) || !isUnchanged(run_.files)) return;
  const Digest input = inputKey(name, contents);
  if (probes.empty()) {
    store_->put(input, sealEntry(input, kProduct + pack(product)));
    return;
  }
  const std::string variant = packProbes(probes);
  const Digest key = derivedKey(input, variant);
  // The product first: a list never names what is not there yet. Two processes that write one list
  // may lose a variant, which is then made again.
  store_->put(key, sealEntry(key, pack(product)));
  std::vector<std::string> variants{variant};
  for (std::string& old : variantsOf(fetch(input)))
    if (old != variant && variants.size() < kMaxVariants) variants.push_back(std::move(old));
  store_->put(input, sealEntry(input, kVariants + packStrings(variants)));
}

} // namespace lanewise::driver
