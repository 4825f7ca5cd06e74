#include "verify/deterministic_places.h"

#include <algorithm>
#include <cstring>

namespace lanewise::driver {
namespace {

constexpr uint64_t kWordBytes = 4;
constexpr uint64_t kMostWatchedBytes = uint64_t(16) << 20; // of all buffers; a word takes 24
constexpr uint32_t kMostStores = 64;                       // as many as a word of bits tells apart

/// Who stored: above 0, the same for the same instruction and invocation.
uint64_t storeBy(uint32_t number, const interpreter::AccessEvent& event) {
  return uint64_t(event.workgroup) << 32 | uint64_t(event.lane & 0xFFFF) << 8 | (number + 1);
}
uint64_t bitOf(uint64_t store) {
  return store == 0 ? 0 : uint64_t(1) << ((store & 0xFF) - 1);
}

} // namespace

DeterministicPlaces::DeterministicPlaces(std::span<const std::pair<uint32_t, uint64_t>> buffers) {
  uint64_t all = 0;
  for (const auto& [buffer, bytes] : buffers) {
    if (all + bytes > kMostWatchedBytes) continue;
    all += bytes;
    const size_t words = size_t((bytes + kWordBytes - 1) / kWordBytes);
    watched_[buffer].stores.resize(words);
  }
}

void DeterministicPlaces::beginRun() {
  for (auto& [buffer, watched] : watched_) watched.last.assign(watched.stores.size(), 0);
}

void DeterministicPlaces::endRun(InterpreterRunner& runner) {
  for (auto& [buffer, watched] : watched_) {
    std::vector<uint8_t> bytes = runner.contents(buffer);
    if (!isFirst_) {
      compareWithFirst(watched, bytes);
    } else {
      watched.bytes = std::move(bytes);
      watched.first.swap(watched.last);
    }
  }
  isFirst_ = false;
}

void DeterministicPlaces::compareWithFirst(Watched& watched, std::span<const uint8_t> bytes) {
  for (size_t word = 0; word < watched.stores.size(); ++word) {
    const uint64_t before = watched.first[word], now = watched.last[word];
    const size_t at = word * kWordBytes, count = std::min<size_t>(kWordBytes, bytes.size() - at);
    if (before == now && std::memcmp(&watched.bytes[at], &bytes[at], count) == 0) continue;
    varying_ |= bitOf(before) | bitOf(now);
    // What a copy leaves is written by nobody.
    if (before == 0 || now == 0) watched.areSameWritten = false;
  }
}

std::vector<uint8_t> DeterministicPlaces::of(uint32_t buffer) const {
  const auto found = watched_.find(buffer);
  if (found == watched_.end() || hasTooMany_ || isFirst_) return {};
  const Watched& watched = found->second;
  std::vector<uint8_t> is(watched.bytes.size());
  for (size_t at = 0; at < is.size(); ++at) {
    const uint64_t stores = watched.stores[at / kWordBytes];
    is[at] = stores == 0 ? watched.areSameWritten : (stores & varying_) == 0;
  }
  return is;
}

void DeterministicPlaces::beginDispatch(uint32_t shader, const interpreter::Program&,
                                        const std::array<uint32_t, 3>&) {
  shader_ = shader;
}

void DeterministicPlaces::access(const interpreter::AccessEvent& event) {
  if (event.isWrite) store(event);
}
void DeterministicPlaces::texel(const interpreter::AccessEvent& event) {
  store(event);
}

std::optional<uint32_t> DeterministicPlaces::numberOf(uint32_t site, uint32_t word) {
  const auto [known, isNew] =
      numbers_.try_emplace({shader_, site, word}, uint32_t(numbers_.size()));
  hasTooMany_ |= known->second >= kMostStores;
  return hasTooMany_ ? std::nullopt : std::optional(known->second);
}

void DeterministicPlaces::store(const interpreter::AccessEvent& event) {
  const auto found = watched_.find(interpreter::objectOf(event.address) - 1);
  if (found == watched_.end()) return;
  Watched& watched = found->second;
  const uint64_t from = interpreter::offsetOf(event.address), to = from + event.bytes;
  const uint64_t first = from / kWordBytes;
  for (uint64_t word = first; word * kWordBytes < to && word < watched.stores.size(); ++word) {
    const std::optional<uint32_t> number = numberOf(event.site, uint32_t(word - first));
    if (!number) return;
    watched.stores[word] |= uint64_t(1) << *number;
    watched.last[word] = storeBy(*number, event);
  }
}

} // namespace lanewise::driver
