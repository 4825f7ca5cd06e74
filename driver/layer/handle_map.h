// What the layer knows of Vulkan's objects, by their handles, for many threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace lanewise::layer {

/// Handles are pointers, or numbers where they are not dispatchable and pointers have 32 bits.
template <class Handle>
uint64_t keyOf(Handle handle) {
  return uint64_t(handle); // NOLINT: a cast that takes both
}

/// In parts with a lock each, so that threads that record commands do not meet. What find() gives
/// stays as long as the object: Vulkan's rules keep programs from using one that they destroy.
template <class Handle, class Value>
class HandleMap {
public:
  Value* find(Handle handle) const {
    const Part& part = partOf(handle);
    std::shared_lock lock(part.mutex);
    const auto at = part.values.find(keyOf(handle));
    return at == part.values.end() ? nullptr : at->second.get();
  }

  /// In the place of an older one: a handle may be used again.
  Value* set(Handle handle, std::unique_ptr<Value> value) {
    Part& part = partOf(handle);
    std::unique_lock lock(part.mutex);
    std::unique_ptr<Value>& place = part.values[keyOf(handle)];
    place = std::move(value);
    return place.get();
  }

  std::unique_ptr<Value> take(Handle handle) {
    Part& part = partOf(handle);
    std::unique_lock lock(part.mutex);
    const auto at = part.values.find(keyOf(handle));
    if (at == part.values.end()) return nullptr;
    std::unique_ptr<Value> value = std::move(at->second);
    part.values.erase(at);
    return value;
  }

  std::vector<std::unique_ptr<Value>> takeAll() {
    std::vector<std::unique_ptr<Value>> all;
    for (Part& part : parts_) {
      std::unique_lock lock(part.mutex);
      for (auto& [handle, value] : part.values) all.push_back(std::move(value));
      part.values.clear();
    }
    return all;
  }

private:
  struct Part {
    mutable std::shared_mutex mutex;
    std::unordered_map<uint64_t, std::unique_ptr<Value>> values;
  };
  static size_t numberOf(Handle handle) {
    return size_t((keyOf(handle) * 0x9e3779b97f4a7c15u) >> 60); // 16 parts
  }
  Part& partOf(Handle handle) { return parts_[numberOf(handle)]; }
  const Part& partOf(Handle handle) const { return parts_[numberOf(handle)]; }

  std::array<Part, 16> parts_;
};

} // namespace lanewise::layer
