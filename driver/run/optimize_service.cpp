#include "run/optimize_service.h"

#include "support/failure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace lanewise::driver {

namespace {

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(size_t(sent));
  }
  return true;
}

bool receiveAll(int socket, char* to, size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= size_t(got);
  }
  return true;
}

std::optional<layer::OptimizeRequest> receiveRequest(int socket) {
  uint64_t size = 0;
  if (!receiveAll(socket, reinterpret_cast<char*>(&size), sizeof size) || size > layer::kMostBytes)
    return {};
  std::string bytes(size, '\0');
  if (!receiveAll(socket, bytes.data(), size)) return {};
  return layer::unpackRequest(bytes);
}

/// A program may be stopped, or killed, in the middle of a request.
void limitWaits(int socket) {
  const timeval longest{.tv_sec = 5, .tv_usec = 0};
  for (const int what : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(socket, SOL_SOCKET, what, &longest, sizeof longest);
}

void answer(const Descriptor& connection, const std::string& sealed) {
  std::string message;
  layer::addField(message, sealed);
  sendAll(connection.get(), message);
}

/// The key as the cache has it; nothing for one that is none.
std::optional<Digest> digestOf(const std::string& hex) {
  Digest digest{};
  if (hex.size() != 2 * digest.size() ||
      hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    return {};
  for (size_t n = 0; n < digest.size(); ++n)
    digest[n] = uint8_t(std::stoul(hex.substr(2 * n, 2), nullptr, 16));
  return digest;
}

} // namespace

OptimizeService::OptimizeService(OptimizePlan plan)
    : plan_(std::move(plan)), socketPath_(plan_.scratch + "/optimizer"),
      store_(plan_.cache.empty() ? nullptr : openFolderStore(plan_.cache)) {}

Result<std::unique_ptr<OptimizeService>> OptimizeService::start(OptimizePlan plan) {
  std::unique_ptr<OptimizeService> service(new OptimizeService(std::move(plan)));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (service->socketPath_.size() >= sizeof address.sun_path)
    return failure(fmt::format("{}: too long for the name of a socket; set TMPDIR to a shorter one",
                               service->socketPath_));
  std::memcpy(address.sun_path, service->socketPath_.c_str(), service->socketPath_.size());
  service->socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int socket = service->socket_.get();
  if (socket < 0 ||
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, SOMAXCONN) != 0)
    return failure(fmt::format("{}: {}", service->socketPath_, std::strerror(errno)));
  for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n)
    service->workers_.emplace_back([raw = service.get()] { raw->work(); });
  service->listener_ = std::thread([raw = service.get()] { raw->listen(); });
  return service;
}

OptimizeService::~OptimizeService() {
  stop();
}

void OptimizeService::listen() {
  for (;;) {
    Descriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.get() >= 0)
      receive(std::move(connection));
    else if (errno == EINVAL) // stopped
      return;
    else if (errno != EINTR && errno != ECONNABORTED) // too many open files, say, for now
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Here and not in a thread for each: a program may ask for thousands of modules within a second.
void OptimizeService::receive(Descriptor connection) {
  limitWaits(connection.get());
  std::optional<layer::OptimizeRequest> request = receiveRequest(connection.get());
  if (!request || !digestOf(request->key)) return;
  const bool isAwaited = request->isAwaited;
  std::unique_lock lock(mutex_);
  const auto [at, isNew] = asked_.try_emplace(request->key);
  if (isNew) {
    queue_.push_back(std::move(*request));
    changed_.notify_one();
  }
  if (!isAwaited) return;
  if (!at->second.sealed) {
    at->second.waiting.push_back(std::move(connection));
    return;
  }
  const std::string sealed = *at->second.sealed;
  lock.unlock();
  answer(connection, sealed);
}

void OptimizeService::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return isStopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const layer::OptimizeRequest request = std::move(queue_.front());
    queue_.pop_front();
    const uint64_t number = asked_.size() - queue_.size(); // of those begun
    lock.unlock();
    std::string sealed = make(request, number);
    lock.lock();
    Asked& asked = asked_.at(request.key);
    const std::vector<Descriptor> waiting = std::move(asked.waiting);
    asked.sealed = sealed;
    ++answered_;
    lock.unlock();
    for (const Descriptor& connection : waiting) answer(connection, sealed);
  }
}

uint64_t OptimizeService::underWay() {
  std::lock_guard lock(mutex_);
  return asked_.size() - answered_;
}

uint64_t OptimizeService::stop() {
  ::shutdown(socket_.get(), SHUT_RDWR);
  if (listener_.joinable()) listener_.join();
  uint64_t left = 0;
  {
    std::lock_guard lock(mutex_);
    left = queue_.size();
    queue_.clear();
    isStopping_ = true;
    changed_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  return left;
}

std::string OptimizeService::make(const layer::OptimizeRequest& request, uint64_t number) {
  Result<OptimizedModule> module = optimizeForPipeline(request, plan_, std::to_string(number));
  std::lock_guard lock(mutex_);
  if (!module) {
    note(module.error().str());
    return {};
  }
  note(module->trouble);
  std::string sealed = layer::sealResult(request.key, module->bytes);
  if (store_) store_->put(*digestOf(request.key), sealed);
  return sealed;
}

void OptimizeService::note(const std::string& trouble) {
  if (!trouble.empty() && std::find(troubles_.begin(), troubles_.end(), trouble) == troubles_.end())
    troubles_.push_back(trouble);
}

std::vector<std::string> OptimizeService::troubles() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> all = troubles_;
  if (store_ && !store_->trouble().empty()) all.push_back(store_->trouble());
  return all;
}

} // namespace lanewise::driver
