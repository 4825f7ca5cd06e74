#include "layer/log_file.h"

#include "layer/protocol.h"
#include "layer/settings.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace lanewise::layer {

namespace {

/// While it lives, this thread gets no SIGXFSZ for what it writes.
class NoSizeSignal {
public:
  NoSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    wasPending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    isBlocked_ = ::pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  ~NoSizeSignal() {
    if (!isBlocked_) return;
    const timespec now{};
    const int error = errno;
    if (!wasPending_)
      while (::sigtimedwait(&signal_, nullptr, &now) < 0 && errno == EINTR) continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

private:
  sigset_t signal_{}, before_{};
  bool wasPending_ = false, isBlocked_ = false;
};

/// A name that counts up, also where the library is loaded again and again.
std::string newPath() {
  const auto now =
      std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  std::string number = std::to_string(now);
  number.insert(0, 20 - std::min<size_t>(number.size(), 20), '0');
  return settings().data + "/" + std::to_string(::getpid()) + "-" + number + kLogSuffix;
}

} // namespace

bool writeAll(int file, std::string_view bytes) {
  const NoSizeSignal quiet;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes.remove_prefix(size_t(written));
  }
  return true;
}

bool LogFile::open() {
  const bool isNew = path_.empty();
  std::string path = isNew ? newPath() : path_;
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0);
  int number = -1;
  while ((number = ::open(path.c_str(), flags, 0600)) < 0 && isNew && errno == EEXIST)
    path = newPath();
  if (number < 0) {
    const bool mayWorkLater = errno == EMFILE || errno == ENFILE || errno == EINTR;
    if (!mayWorkLater) giveUp(errno);
    return false;
  }
  file_.emplace(number);
  path_ = path;
  return true;
}

bool LogFile::write(std::string_view bytes) {
  if (isOver_) return false;
  if ((!file_ || !file_->isOpen()) && !open()) return false;
  if (writeAll(file_->get(), bytes)) return true;
  giveUp(errno);
  return false;
}

void LogFile::giveUp(int why) {
  isOver_ = true;
  close();
  // It has a name and no contents, for which even a full disk often has room.
  const std::string path =
      (path_.empty() ? newPath() : path_) + kFailedSuffix + std::to_string(why);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
}

} // namespace lanewise::layer
