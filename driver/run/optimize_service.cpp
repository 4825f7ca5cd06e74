#include "run/optimize_service.h"

#include "support/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
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
      slots_(std::max(1u, std::thread::hardware_concurrency())),
      store_(plan_.cache.empty() ? nullptr : openFolderStore(plan_.cache)) {}

Result<std::unique_ptr<OptimizeService>> OptimizeService::start(OptimizePlan plan) {
  std::unique_ptr<OptimizeService> service(new OptimizeService(std::move(plan)));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (service->socketPath_.size() >= sizeof address.sun_path)
    return failure(fmt::format("{}: too long for the name of a socket; set TMPDIR to a shorter one",
                               service->socketPath_));
  std::memcpy(address.sun_path, service->socketPath_.c_str(), service->socketPath_.size());
  service->socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (service->socket_ < 0 ||
      ::bind(service->socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(service->socket_, SOMAXCONN) != 0)
    return failure(fmt::format("{}: {}", service->socketPath_, std::strerror(errno)));
  service->listener_ = std::thread([raw = service.get()] { raw->listen(); });
  return service;
}

OptimizeService::~OptimizeService() {
  stop();
  if (socket_ >= 0) ::close(socket_);
}

void OptimizeService::listen() {
  for (;;) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (connection < 0) return; // stopped
    {
      std::lock_guard lock(mutex_);
      ++connections_;
    }
    auto work = [this, connection] {
      serve(connection);
      ::close(connection);
      std::lock_guard lock(mutex_);
      --connections_;
      changed_.notify_all();
    };
    try {
      std::thread(work).detach();
    } catch (const std::system_error&) { // no more threads
      work();
    }
  }
}

uint64_t OptimizeService::underWay() {
  std::lock_guard lock(mutex_);
  return connections_;
}

void OptimizeService::stop() {
  if (!listener_.joinable()) return;
  ::shutdown(socket_, SHUT_RDWR);
  listener_.join();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return connections_ == 0; });
}

void OptimizeService::serve(int connection) {
  const std::optional<layer::OptimizeRequest> request = receiveRequest(connection);
  if (!request || !digestOf(request->key)) return;
  const std::string sealed = resultOf(*request);
  if (!request->isAwaited) return;
  std::string answer;
  layer::addField(answer, sealed);
  sendAll(connection, answer);
}

std::string OptimizeService::resultOf(const layer::OptimizeRequest& request) {
  std::promise<std::string> promise;
  std::shared_future<std::string> result;
  bool isOurs = false;
  {
    std::lock_guard lock(mutex_);
    const auto [at, isNew] = results_.try_emplace(request.key);
    if (isNew) at->second = promise.get_future().share();
    isOurs = isNew;
    result = at->second;
  }
  if (isOurs) promise.set_value(make(request));
  return result.get();
}

std::string OptimizeService::make(const layer::OptimizeRequest& request) {
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = ++count_;
  }
  slots_.acquire();
  Result<OptimizedModule> module = optimizeForPipeline(request, plan_, std::to_string(number));
  slots_.release();
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
