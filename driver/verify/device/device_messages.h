// The calls of a Runner as bytes, between a program and its worker process. Both are the same
// program at the same time, so there are no versions and numbers are as they lie in memory.
//
// A message is a head, which this file writes and reads, and bulk: the contents of buffers, which
// are sent from where they lie (device_connection.h).
#pragma once

#include "verify/program/runner.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanewise::driver {

enum class DeviceCall : uint8_t {
  List,
  Probe,
  Open,
  MakeResources,
  AddProgram,
  Statistics,
  Run,
  BeginTiming,
  Time,
  Trace,
  Contents,
  TakeValidationErrors
};

/// A BufferInput whose bytes, this many of them, are in the bulk.
struct BufferInputHead {
  uint64_t bytes = 0;
  std::optional<uint8_t> fill;
};

/// Calls visit(field...) with all fields of a struct. The bindings make a field that is new and not
/// listed here an error of the compiler.
template <class Struct, class Visit>
void visitFields(Struct& s, Visit&& visit) {
  using T = std::remove_const_t<Struct>;
  if constexpr (std::is_same_v<T, RunnerOptions>) {
    auto& [device, layer, robust, timeout, subgroup, stages, queues] = s;
    visit(device, layer, robust, timeout, subgroup, stages, queues);
  } else if constexpr (std::is_same_v<T, QueueTrace::Command>) {
    auto& [submission, command, begin, end] = s;
    visit(submission, command, begin, end);
  } else if constexpr (std::is_same_v<T, QueueTrace>) {
    auto& [commands, queues, deviceQueues, areComparable] = s;
    visit(commands, queues, deviceQueues, areComparable);
  } else if constexpr (std::is_same_v<T, DeviceInfo>) {
    auto& [index, name, type, driver, api, subgroup, least, most, shared, storage, stamps, cpu, own,
           null] = s;
    visit(index, name, type, driver, api, subgroup, least, most, shared, storage, stamps, cpu, own,
          null);
  } else if constexpr (std::is_same_v<T, SamplerSettings>) {
    auto& [filter, mipmap, address, border] = s;
    visit(filter, mipmap, address, border);
  } else if constexpr (std::is_same_v<T, ImageShape>) {
    auto& [format, dimension, width, height, depth, layers, levels, isArray, sampler] = s;
    visit(format, dimension, width, height, depth, layers, levels, isArray, sampler);
  } else if constexpr (std::is_same_v<T, ResourceShape>) {
    auto& [bytes, image, standsFor] = s;
    visit(bytes, image, standsFor);
  } else if constexpr (std::is_same_v<T, BufferInputHead>) {
    auto& [bytes, fill] = s;
    visit(bytes, fill);
  } else if constexpr (std::is_same_v<T, ReflectedField>) {
    auto& [offset, type] = s;
    visit(offset, type);
  } else if constexpr (std::is_same_v<T, ReflectedBlock>) {
    auto& [header, fixed, arrayOffset, stride, length, element, problem] = s;
    visit(header, fixed, arrayOffset, stride, length, element, problem);
  } else if constexpr (std::is_same_v<T, ReflectedImage>) {
    auto& [dimension, isArray, format, component] = s;
    visit(dimension, isArray, format, component);
  } else if constexpr (std::is_same_v<T, ReflectedBinding>) {
    auto& [set, binding, name, kind, unsupported, variable, isArray, descriptors, isReadOnly,
           isWriteOnly, block, image] = s;
    visit(set, binding, name, kind, unsupported, variable, isArray, descriptors, isReadOnly,
          isWriteOnly, block, image);
  } else if constexpr (std::is_same_v<T, ReflectedSpecConstant>) {
    auto& [type, bits] = s;
    visit(type, bits);
  } else if constexpr (std::is_same_v<T, Reflection>) {
    auto& [entry, version, size, sizeIds, bindings, variables, pushBytes, push, constants,
           capabilities, extensions, shared] = s;
    visit(entry, version, size, sizeIds, bindings, variables, pushBytes, push, constants,
          capabilities, extensions, shared);
  } else if constexpr (std::is_same_v<T, ProgramShader>) {
    auto& [name, words, constants, reflection, madeOf, subgroup] = s;
    visit(name, words, constants, reflection, madeOf, subgroup);
  } else if constexpr (std::is_same_v<T, ProgramDispatch::Binding>) {
    auto& [set, binding, buffer, element] = s;
    visit(set, binding, buffer, element);
  } else if constexpr (std::is_same_v<T, ProgramDispatch::Indirect>) {
    auto& [buffer, offset] = s;
    visit(buffer, offset);
  } else if constexpr (std::is_same_v<T, ProgramDispatch>) {
    auto& [shader, groups, bindings, pushConstants, indirect] = s;
    visit(shader, groups, bindings, pushConstants, indirect);
  } else if constexpr (std::is_same_v<T, Program>) {
    auto& [name, shaders, dispatches, repeat, submitEvery, copies, queues] = s;
    visit(name, shaders, dispatches, repeat, submitEvery, copies, queues);
  } else if constexpr (std::is_same_v<T, SequenceCopy>) {
    auto& [before, copy] = s;
    visit(before, copy);
  } else if constexpr (std::is_same_v<T, TextPlace>) {
    auto& [line, column] = s;
    visit(line, column);
  } else if constexpr (std::is_same_v<T, PlannedQueue>) {
    auto& [name, kind, family, at] = s;
    visit(name, kind, family, at);
  } else if constexpr (std::is_same_v<T, PlannedSemaphore>) {
    auto& [name, initial, at] = s;
    visit(name, initial, at);
  } else if constexpr (std::is_same_v<T, SemaphoreUse>) {
    auto& [semaphore, value, stages, at] = s;
    visit(semaphore, value, stages, at);
  } else if constexpr (std::is_same_v<T, PlannedBarrier>) {
    auto& [from, to] = s;
    visit(from, to);
  } else if constexpr (std::is_same_v<T, PlannedCopy>) {
    auto& [from, to, fromOffset, toOffset, bytes] = s;
    visit(from, to, fromOffset, toOffset, bytes);
  } else if constexpr (std::is_same_v<T, OwnershipTransfer>) {
    auto& [isRelease, buffer, otherQueue] = s;
    visit(isRelease, buffer, otherQueue);
  } else if constexpr (std::is_same_v<T, PlannedCommand>) {
    auto& [kind, name, dispatch, isIndirect, copy, ownership, barrier, at] = s;
    visit(kind, name, dispatch, isIndirect, copy, ownership, barrier, at);
  } else if constexpr (std::is_same_v<T, HostWait>) {
    auto& [fence, semaphore, value, at] = s;
    visit(fence, semaphore, value, at);
  } else if constexpr (std::is_same_v<T, PlannedSubmission>) {
    auto& [name, queue, frame, hostWaits, waits, signals, commands, fence, at] = s;
    visit(name, queue, frame, hostWaits, waits, signals, commands, fence, at);
  } else if constexpr (std::is_same_v<T, QueuePlan>) {
    auto& [queues, semaphores, submissions, frames, framesInFlight, exclusive] = s;
    visit(queues, semaphores, submissions, frames, framesInFlight, exclusive);
  } else if constexpr (std::is_same_v<T, RunFailure>) {
    auto& [kind, message] = s;
    visit(kind, message);
  } else {
    static_assert(sizeof(T) == 0, "a type that no message holds");
  }
}

template <class T>
constexpr bool kIsScalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values to the head of a message.
class MessageWriter {
public:
  template <class... Values>
  void put(const Values&... values) {
    (putOne(values), ...);
  }
  /// The bytes must live until the message is sent.
  void putBulk(std::span<const uint8_t> bytes) { bulk_.push_back(bytes); }
  void putInputs(std::span<const BufferInput> inputs) {
    std::vector<BufferInputHead> heads;
    for (const BufferInput& input : inputs) heads.push_back({input.bytes.size(), input.fill});
    put(heads);
    for (const BufferInput& input : inputs) putBulk(input.bytes);
  }

  const std::string& head() const { return head_; }
  std::span<const std::span<const uint8_t>> bulk() const { return bulk_; }

private:
  template <class T>
  void putOne(const T& value) {
    if constexpr (kIsScalar<T>)
      head_.append(reinterpret_cast<const char*>(&value), sizeof value);
    else
      visitFields(value, [this](const auto&... fields) { put(fields...); });
  }
  template <class T, size_t N>
  void putOne(const std::array<T, N>& values) {
    for (const T& value : values) putOne(value);
  }
  template <class T, class U>
  void putOne(const std::pair<T, U>& pair) {
    put(pair.first, pair.second);
  }
  template <class T>
  void putOne(const std::optional<T>& value) {
    putOne(value.has_value());
    if (value) putOne(*value);
  }
  void putOne(const std::string& text) { putAll(text); }
  template <class T>
  void putOne(const std::vector<T>& values) {
    putAll(values);
  }
  template <class K, class V>
  void putOne(const std::map<K, V>& values) {
    putAll(values);
  }
  template <class Values>
  void putAll(const Values& values) {
    putOne(uint64_t(values.size()));
    for (const auto& value : values) putOne(value);
  }
  void putAll(const Words& words) {
    putOne(uint64_t(words.size()));
    head_.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  }

  std::string head_;
  std::vector<std::span<const uint8_t>> bulk_;
};

/// Reads them in the same order. What the head does not hold comes as zeros, and isWhole() says so:
/// a process that is about to crash may send anything.
class MessageReader {
public:
  /// Both must outlive it; the inputs that it gives point into `bulk`.
  explicit MessageReader(std::string_view head, std::span<const uint8_t> bulk = {})
      : head_(head), bulk_(bulk) {}

  template <class... Values>
  void get(Values&... values) {
    (getOne(values), ...);
  }
  template <class T>
  T get() {
    T value{};
    getOne(value);
    return value;
  }
  std::vector<BufferInput> getInputs() {
    std::vector<BufferInput> inputs;
    for (const BufferInputHead& head : get<std::vector<BufferInputHead>>()) {
      const size_t bytes = head.bytes <= bulk_.size() ? size_t(head.bytes) : fail();
      inputs.push_back({bulk_.first(bytes), head.fill});
      bulk_ = bulk_.subspan(bytes);
    }
    return inputs;
  }

  /// Nothing was missing so far.
  bool isWhole() const { return isWhole_; }
  /// And nothing is left.
  bool isAtEnd() const { return isWhole_ && head_.empty() && bulk_.empty(); }

private:
  size_t fail() {
    isWhole_ = false;
    head_ = {};
    return 0;
  }
  void copy(void* to, size_t bytes) {
    if (bytes > head_.size()) return (void)fail();
    if (bytes == 0) return; // `to` may be null
    std::memcpy(to, head_.data(), bytes);
    head_.remove_prefix(bytes);
  }
  /// Of elements that take `bytes` each at least.
  size_t getCount(size_t bytes = 1) {
    const uint64_t count = get<uint64_t>();
    return count <= head_.size() / bytes ? size_t(count) : fail();
  }

  template <class T>
  void getOne(T& value) {
    if constexpr (kIsScalar<T>)
      copy(&value, sizeof value);
    else
      visitFields(value, [this](auto&... fields) { get(fields...); });
  }
  void getOne(bool& value) { value = get<uint8_t>() != 0; }
  template <class T, size_t N>
  void getOne(std::array<T, N>& values) {
    for (T& value : values) getOne(value);
  }
  template <class T, class U>
  void getOne(std::pair<T, U>& pair) {
    get(pair.first, pair.second);
  }
  template <class T>
  void getOne(std::optional<T>& value) {
    value.reset();
    if (get<bool>()) getOne(value.emplace());
  }
  void getOne(std::string& text) {
    const size_t count = getCount();
    text.assign(head_.substr(0, count));
    head_.remove_prefix(count);
  }
  template <class T>
  void getOne(std::vector<T>& values) {
    values.clear();
    for (size_t left = getCount(); left > 0 && isWhole_; --left) getOne(values.emplace_back());
  }
  void getOne(Words& words) {
    words.resize(getCount(sizeof words[0]));
    copy(words.data(), words.size() * sizeof words[0]);
  }
  template <class K, class V>
  void getOne(std::map<K, V>& values) {
    values.clear();
    for (size_t left = getCount(); left > 0 && isWhole_; --left) {
      auto entry = get<std::pair<K, V>>();
      values.insert(std::move(entry));
    }
  }

  std::string_view head_;
  std::span<const uint8_t> bulk_;
  bool isWhole_ = true;
};

} // namespace lanewise::driver
