#include "verify/device/device_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace lanewise::driver {

namespace {

/// More than any module and its description take: beyond it the length itself is wrong.
constexpr uint64_t kMostHeadBytes = uint64_t(1) << 30;

/// Milliseconds after which the time left is asked for again: it depends on what goes on meanwhile.
constexpr int64_t kMostWait = 200;

#ifdef MSG_NOSIGNAL
constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL; // the other side may have died
#else
constexpr int kFlags = MSG_DONTWAIT;
#endif

bool isToWait() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

} // namespace

bool DeviceConnection::send(const MessageWriter& message) {
  moved_ = Clock::now();
  std::array<uint64_t, 2> sizes{message.head().size(), 0};
  for (std::span<const uint8_t> part : message.bulk()) sizes[1] += part.size();
  // Lengths and head at once: most messages are small, and time() waits for them.
  std::string start(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  start += message.head();
  return sendBytes(start.data(), start.size()) &&
         std::all_of(message.bulk().begin(), message.bulk().end(),
                     [&](auto part) { return sendBytes(part.data(), part.size()); });
}

bool DeviceConnection::receive(std::string& head, uint64_t& bulkBytes) {
  std::array<uint64_t, 2> sizes{};
  if (!receiveBytes(sizes.data(), sizeof sizes)) return false;
  if (sizes[0] > kMostHeadBytes) return fault_ = Fault::InvalidLength, false;
  head.resize(size_t(sizes[0]));
  bulkBytes = sizes[1];
  return receiveBytes(head.data(), head.size());
}

bool DeviceConnection::receive(std::span<uint8_t> bulk) {
  return receiveBytes(bulk.data(), bulk.size());
}

bool DeviceConnection::sendBytes(const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::send(socket_.get(), at, bytes, kFlags);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && isToWait() && wait(POLLOUT)) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= size_t(n);
    moved_ = Clock::now();
  }
  return true;
}

bool DeviceConnection::receiveBytes(void* data, size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::recv(socket_.get(), at, bytes, kFlags);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && isToWait() && wait(POLLIN)) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= size_t(n);
    moved_ = Clock::now();
  }
  return true;
}

bool DeviceConnection::wait(short events) {
  for (;;) {
    int64_t left = -1;
    if (timeLeft_) {
      left = timeLeft_(moved_).count();
      if (left <= 0) return fault_ = Fault::Overdue, false;
      left = std::min(left, kMostWait);
    }
    pollfd end{socket_.get(), events, 0};
    const int ready = ::poll(&end, 1, int(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

} // namespace lanewise::driver
