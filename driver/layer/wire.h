// How the layer and `lanewise run` write what they send one another and keep in the cache. Both run
// on one machine, and a cache folder is of one kind of machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::layer {

/// Nothing larger is sent.
inline constexpr uint64_t kMostBytes = uint64_t(1) << 28;

inline void addNumber(std::string& to, uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline std::optional<uint64_t> takeNumber(std::string_view& from) {
  uint64_t number = 0;
  if (from.size() < sizeof number) return {};
  std::memcpy(&number, from.data(), sizeof number);
  from.remove_prefix(sizeof number);
  return number;
}

inline void addField(std::string& to, std::string_view field) {
  addNumber(to, field.size());
  to += field;
}

inline std::optional<std::string_view> takeField(std::string_view& from) {
  const std::optional<uint64_t> size = takeNumber(from);
  if (!size || *size > from.size()) return {};
  const std::string_view field = from.substr(0, *size);
  from.remove_prefix(*size);
  return field;
}

/// What the layer asks for.
struct OptimizeRequest {
  std::string key; ///< of the result in the cache: 64 hexadecimal digits
  std::string entry;
  std::string module;                                      ///< bytes
  std::vector<std::pair<uint32_t, std::string>> constants; ///< SpecId, bytes of the value
  std::string device;                                      ///< its name
  uint64_t sharedMemory = 0;                               ///< bytes that the device has
  bool isRobust = false;  ///< accesses out of range are no error (robustBufferAccess and its kin)
  bool isAwaited = false; ///< somebody waits for the answer
};

inline std::string pack(const OptimizeRequest& request) {
  std::string bytes;
  addField(bytes, request.key);
  addField(bytes, request.entry);
  addField(bytes, request.module);
  addField(bytes, request.device);
  addNumber(bytes, request.sharedMemory);
  addNumber(bytes, request.isRobust);
  addNumber(bytes, request.isAwaited);
  addNumber(bytes, request.constants.size());
  for (const auto& [id, value] : request.constants) {
    addNumber(bytes, id);
    addField(bytes, value);
  }
  return bytes;
}

/// Nothing where it is no request.
inline std::optional<OptimizeRequest> unpackRequest(std::string_view bytes) {
  const auto key = takeField(bytes), entry = takeField(bytes), module = takeField(bytes);
  const auto device = takeField(bytes);
  const auto shared = takeNumber(bytes), isRobust = takeNumber(bytes);
  const auto isAwaited = takeNumber(bytes), count = takeNumber(bytes);
  if (!key || !entry || !module || !device || !shared || !isRobust || !isAwaited || !count)
    return {};
  OptimizeRequest request;
  request.key = *key;
  request.entry = *entry;
  request.module = *module;
  request.device = *device;
  request.sharedMemory = *shared;
  request.isRobust = *isRobust != 0;
  request.isAwaited = *isAwaited != 0;
  for (uint64_t n = 0; n < *count; ++n) {
    const auto id = takeNumber(bytes);
    const auto value = takeField(bytes);
    if (!id || !value) return {};
    request.constants.emplace_back(uint32_t(*id), std::string(*value));
  }
  return request;
}

/// A result as it lies in the cache and is sent: the module, or nothing where the program's own is
/// the one to take. The sum is to find what a disk or a crash spoiled.
inline uint64_t sumOf(std::string_view bytes) {
  uint64_t sum = 0x9e3779b97f4a7c15u ^ bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(bytes.size(), 8))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<size_t>(bytes.size(), 8));
    sum = (sum ^ word) * 0xff51afd7ed558ccdu;
    sum ^= sum >> 32;
  }
  return sum;
}

inline std::string sealResult(const std::string& key, std::string_view module) {
  std::string bytes;
  addField(bytes, key);
  addNumber(bytes, sumOf(module));
  addField(bytes, module);
  return bytes;
}

/// The module, empty for the program's own; nothing where this is no result for that key.
inline std::optional<std::string_view> openResult(const std::string& key, std::string_view bytes) {
  const auto itsKey = takeField(bytes);
  const auto sum = takeNumber(bytes);
  const auto module = takeField(bytes);
  if (!itsKey || *itsKey != key || !sum || !module || !bytes.empty() || sumOf(*module) != *sum)
    return {};
  return module;
}

} // namespace lanewise::layer
