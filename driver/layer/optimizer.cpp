#include "layer/optimizer.h"

#include "layer/descriptor.h"
#include "layer/settings.h"
#include "layer/wire.h"
#include "support/sha256.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace lanewise::layer {

namespace {

using Clock = std::chrono::steady_clock;

/// A pipeline waits for its module for so long; then it is made of the program's.
constexpr std::chrono::seconds kLongestWait(60);

std::string keyOf(const Device& device, const PipelineFacts& facts, const std::string& flags) {
  driver::Sha256 hash;
  hash.addField(settings().identity);
  hash.addField(facts.module);
  hash.addField(facts.entry);
  hash.addField(flags);
  hash.addField(device.name);
  hash.addField(std::to_string(facts.subgroupSize) + "," + std::to_string(device.sharedMemory) +
                (device.isRobust ? ",robust" : ""));
  for (const Constant& constant : facts.constants) {
    hash.addField(std::to_string(constant.id));
    hash.addField(constant.bytes);
  }
  return driver::hexOf(hash.finish());
}

std::optional<std::string> readWhole(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!file.isOpen() || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      uint64_t(about.st_size) > kMostBytes)
    return {};
  std::string bytes(size_t(about.st_size), '\0');
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t read = ::read(file.get(), bytes.data() + at, bytes.size() - at);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return {};
    at += size_t(read);
  }
  return bytes;
}

/// -1 where nobody can listen there any more, or where it did not work for now: then `isGone`
/// stays.
int connectTo(const std::string& path, std::atomic<bool>& isGone) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int number = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (number < 0) return -1; // too many open files, say
  int failed = 0;
  while ((failed = ::connect(number, reinterpret_cast<const sockaddr*>(&address),
                             sizeof address)) != 0 &&
         errno == EINTR)
    continue;
  if (failed == 0) return number;
  if (errno == ECONNREFUSED || errno == ENOENT) isGone = true; // `lanewise run` has ended before us
  ::close(number);
  return -1;
}

/// Whether there is something to read or room to write, before `end`.
bool isReady(const Descriptor& socket, short events, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waited{socket.get(), events, 0};
    if (waited.fd < 0) return false; // the program has closed it
    const int ready = left > 0 ? ::poll(&waited, 1, int(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

bool sendAll(const Descriptor& socket, std::string_view bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    if (!isReady(socket, POLLOUT, end)) return false;
    // Without a signal where the other side is gone: it would be the program's.
    const ssize_t sent =
        ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(size_t(sent));
  }
  return true;
}

bool receiveAll(const Descriptor& socket, char* to, size_t size, Clock::time_point end) {
  while (size > 0) {
    if (!isReady(socket, POLLIN, end)) return false;
    const ssize_t got = ::recv(socket.get(), to, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    to += got;
    size -= size_t(got);
  }
  return true;
}

/// Asks, and where somebody waits, gives back the answer: a sealed result.
std::optional<std::string> ask(const OptimizeRequest& request) {
  static std::atomic<bool> isGone = false;
  if (isGone) return {};
  const Descriptor socket(connectTo(settings().optimizer, isGone));
  if (!socket.isOpen()) return {};
  const Clock::time_point end = Clock::now() + kLongestWait;
  std::string message;
  const std::string packed = pack(request);
  if (packed.size() > kMostBytes) return {};
  addField(message, packed);
  if (!sendAll(socket, message, end) || !request.isAwaited) return {};
  uint64_t size = 0;
  if (!receiveAll(socket, reinterpret_cast<char*>(&size), sizeof size, end) || size == 0 ||
      size > kMostBytes)
    return {};
  std::string answer(size, '\0');
  if (!receiveAll(socket, answer.data(), size, end)) return {};
  return answer;
}

/// What a driver may be handed: words from SPIR-V's magic number on, in instructions that end where
/// the module does.
bool isModule(std::string_view bytes) {
  constexpr uint32_t kMagic = 0x07230203;
  constexpr size_t kHeaderWords = 5;
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (bytes.size() % sizeof(uint32_t) != 0 || words.size() <= kHeaderWords) return false;
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] != kMagic) return false;
  size_t at = kHeaderWords;
  while (at < words.size() && words[at] >> 16 != 0) at += words[at] >> 16;
  return at == words.size();
}

Optimized finished(std::string module) {
  const Code code = module.empty() ? Code::Kept : Code::Optimized;
  return {std::move(module), {}, code};
}

} // namespace

std::optional<std::string> finishedModule(const std::string& key) {
  const std::string path = settings().cache + "/" + key.substr(0, 2) + "/" + key.substr(2);
  const std::optional<std::string> sealed = readWhole(path);
  const std::optional<std::string_view> result =
      sealed ? openResult(key, *sealed) : std::optional<std::string_view>();
  if (!result) return {};
  return isModule(*result) ? std::string(*result) : std::string();
}

Optimized optimizedModule(const Device& device, const PipelineFacts& facts,
                          const std::string& bytes, const std::string& flags) {
  OptimizeRequest request;
  request.key = keyOf(device, facts, flags);
  if (std::optional<std::string> known = finishedModule(request.key)) return finished(*known);
  request.entry = facts.entry;
  request.module = bytes;
  for (const Constant& constant : facts.constants)
    request.constants.emplace_back(constant.id, constant.bytes);
  request.device = device.name;
  request.sharedMemory = device.sharedMemory;
  request.isRobust = device.isRobust;
  request.isAwaited = settings().waits;
  const std::optional<std::string> sealed = ask(request);
  if (!request.isAwaited) return {{}, request.key, Code::Late};
  const std::optional<std::string_view> result =
      sealed ? openResult(request.key, *sealed) : std::optional<std::string_view>();
  if (!result) return {};
  return finished(isModule(*result) ? std::string(*result) : std::string());
}

} // namespace lanewise::layer
