#include "verify/device/device_worker.h"

#include "support/failure.h"
#include "support/isolate.h"
#include "support/print.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace lanewise::driver {

namespace {

using Clock = DeviceConnection::Clock;

/// Beyond RunnerOptions::timeoutSeconds, for the worker to say itself what did not end.
constexpr double kGraceSeconds = 5;
/// For the driver to put away what it has: Mesa writes its cache of compiled shaders then.
constexpr int kGoodbyeMilliseconds = 2000;

std::string nameOfSignal(int number) {
  constexpr std::pair<int, const char*> kNames[] = {
      {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"},
      {SIGSYS, "SIGSYS"},   {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"}};
  for (const auto& [known, name] : kNames)
    if (known == number) return fmt::format("signal {}, {}", number, name);
  return fmt::format("signal {}", number);
}

RunFailure invalidAnswer(const DriverActivity& activity) {
  return {RunFailure::Kind::DriverCrashed,
          fmt::format("the driver's process sent an invalid answer {}", activity.during())};
}

/// What others have open is theirs: a pipe or a lock must not stay open for as long as the worker
/// lives.
void closeAllBut(int kept) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  bool isDone = ::close_range(unsigned(kept) + 1, ~0u, 0) == 0;
  isDone = isDone && (kept <= STDERR_FILENO + 1 ||
                      ::close_range(STDERR_FILENO + 1, unsigned(kept) - 1, 0) == 0);
  if (isDone) return;
#endif
  const long most = std::clamp(::sysconf(_SC_OPEN_MAX), 256L, 65536L);
  for (int fd = STDERR_FILENO + 1; fd < most; ++fd)
    if (fd != kept) ::close(fd);
}

void prepareWorker(int socket, pid_t parent) {
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // do not outlive a parent that was killed
  if (::getppid() != parent) ::_exit(0);
#else
  (void)parent; // the end of the connection tells of it
#endif
  closeAllBut(socket);
  // Standard output is for what the program prints; what a driver has to say is still seen.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (const int nothing = ::open("/dev/null", O_RDONLY); nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
  }
  const rlimit noCore{0, 0}; // a crash is expected here
  ::setrlimit(RLIMIT_CORE, &noCore);
}

/// noexcept: nothing may unwind into what the child has of its parent.
[[noreturn]] void runWorker(const DeviceWorker::Serve& serve, Descriptor socket,
                            DriverActivity& activity, pid_t parent) noexcept {
  prepareWorker(socket.get(), parent);
  DeviceConnection connection(std::move(socket));
  serve(connection, activity);
  ::_exit(0);
}

} // namespace

void DeviceWorker::Unmap::operator()(DriverActivity* activity) const {
  ::munmap(activity, sizeof *activity);
}

DeviceWorker::DeviceWorker(const Serve& serve) {
  if (Status started = start(serve); !started)
    loss_ = RunFailure{RunFailure::Kind::Other, started.error().message};
}

DeviceWorker::~DeviceWorker() {
  if (process_ < 0) return;
  ::shutdown(connection_->socket(), SHUT_WR);
  pollfd gone{connection_->socket(), POLLIN, 0};
  while (::poll(&gone, 1, kGoodbyeMilliseconds) < 0 && errno == EINTR) {
  }
  // All answers came. glibc's line about a damaged heap would stand alone.
  if (const int status = end(); WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    printError("lanewise: warning: the driver crashed ({}) while it ended, behind all results: "
               "something has damaged its memory, such as a write beyond shared memory\n",
               nameOfSignal(WTERMSIG(status)));
}

Status DeviceWorker::start(const Serve& serve) {
  auto systemFailure = [](const char* what) {
    return failure(
        fmt::format("cannot start a process for the driver: {}: {}", what, std::strerror(errno)));
  };
  void* shared = ::mmap(nullptr, sizeof(DriverActivity), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return systemFailure("mmap");
  activity_.reset(new (shared) DriverActivity);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return systemFailure("socketpair");
  Descriptor ours(ends[0]), theirs(ends[1]);
  // A driver that calls exit() must not print once more what waits to be printed.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) return systemFailure("fork");
  if (process_ == 0) runWorker(serve, std::move(theirs), *activity_, parent);
  connection_.emplace(std::move(ours), [this](Clock::time_point moved) { return timeLeft(moved); });
  return ok();
}

RunStatus DeviceWorker::ask(const MessageWriter& request, DeviceAnswer& answer) {
  if (loss_) return loss_;
  if (!connection_->send(request) || !connection_->receive(answer.head, answer.bulkBytes))
    loss_ = failureOfExit();
  return loss_;
}

RunStatus DeviceWorker::receive(std::span<uint8_t> bulk) {
  if (!loss_ && !connection_->receive(bulk)) loss_ = failureOfExit();
  return loss_;
}

void DeviceWorker::lose(RunFailure why) {
  if (loss_) return;
  end();
  loss_ = std::move(why);
}

RunStatus DeviceWorker::loseToInvalidAnswer() {
  lose(invalidAnswer(*activity_));
  return loss_;
}

/// As long as the driver is given one thing to do after another, it is not stuck.
std::chrono::milliseconds DeviceWorker::timeLeft(Clock::time_point moved) {
  const double limit = limitSeconds();
  if (limit == 0) return std::chrono::hours(1);
  const std::chrono::duration<double> spent = Clock::now() - std::max(moved, activity_->since());
  // Rounded up, so that the last fraction of a millisecond is not spent spinning.
  return std::chrono::milliseconds(int64_t((limit - spent.count()) * 1000) + 1);
}

/// Of what is not a submission, the same as of other code of third parties; 0: none.
double DeviceWorker::limitSeconds() const {
  if (activity_->kind() == DriverActivity::Kind::Running) return timeoutSeconds_ + kGraceSeconds;
  return double(defaultIsolation().time.count()) / 1000;
}

RunFailure DeviceWorker::failureOfExit() {
  const DeviceConnection::Fault fault = connection_->fault();
  const double limit = limitSeconds();
  const int status = end();
  if (fault == DeviceConnection::Fault::Overdue) {
    const bool isRunning = activity_->kind() == DriverActivity::Kind::Running;
    return activity_->overdue(isRunning ? timeoutSeconds_ : limit);
  }
  using Kind = RunFailure::Kind;
  if (fault == DeviceConnection::Fault::InvalidLength) return invalidAnswer(*activity_);
  const std::string during = activity_->during();
  if (!WIFSIGNALED(status))
    return {Kind::DriverCrashed,
            fmt::format("the driver exited (status {}) {}", WEXITSTATUS(status), during)};
  const int number = WTERMSIG(status);
  // Who is killed has done nothing wrong; another machine has more memory.
  if (number == SIGKILL)
    return {Kind::Unsupported,
            fmt::format("the driver's process was killed ({}) {}, most likely for lack of memory",
                        nameOfSignal(number), during)};
  return {Kind::DriverCrashed,
          fmt::format("the driver crashed ({}) {}", nameOfSignal(number), during)};
}

/// A process that dies by itself has its status before its connection ends: to be killed then does
/// not change it.
int DeviceWorker::end() {
  ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

} // namespace lanewise::driver
