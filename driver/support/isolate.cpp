#include "support/isolate.h"

#include "support/failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#define LANEWISE_HAS_FORK 1
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#define LANEWISE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LANEWISE_ADDRESS_SANITIZER 1
#endif
#endif

namespace lanewise::driver {

namespace {

IsolationLimits& limitsInUse() {
  static IsolationLimits limits;
  return limits;
}

uint64_t& endedByLimits() {
  static uint64_t count = 0;
  return count;
}

constexpr std::string_view kOutOfMemory = "threw: out of memory";

/// What the work returned, with exceptions as errors.
Result<std::string> callWork(const std::function<Result<std::string>()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return failure(std::string(kOutOfMemory));
  } catch (const std::exception& e) {
    return failure(fmt::format("threw: {}", e.what()));
  } catch (...) {
    return failure("threw an unknown exception");
  }
}

#if LANEWISE_HAS_FORK

// What the child sends: one of these, then the bytes. End of file without one means that it died.
constexpr char kValue = 'V';
constexpr char kError = 'E';

/// How much printed text is kept for the message of a crash.
constexpr size_t kMaxPrinted = 4096;

struct Pipe {
  int read = -1, write = -1;
  ~Pipe() {
    closeRead();
    closeWrite();
  }
  bool open() {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    read = ends[0];
    write = ends[1];
    ::fcntl(read, F_SETFD, FD_CLOEXEC);
    ::fcntl(write, F_SETFD, FD_CLOEXEC);
    return true;
  }
  void closeRead() { closeOne(read); }
  void closeWrite() { closeOne(write); }
  static void closeOne(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

/// Only async-signal-safe calls: the child may be what is left of a process with threads.
void writeAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(3);
    data += n;
    size -= size_t(n);
  }
}

void applyLimits(const IsolationLimits& limits) {
  rlimit noCore{0, 0}; // a crash is expected here; its core file would only fill the disk
  ::setrlimit(RLIMIT_CORE, &noCore);
  limitMemory(limits);
}

[[noreturn]] void runChild(const std::function<Result<std::string>()>& work,
                           const IsolationLimits& limits, Pipe& result, Pipe& printed) {
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // do not outlive a parent that was killed
#endif
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(printed.write, STDOUT_FILENO);
  ::dup2(printed.write, STDERR_FILENO);
  result.closeRead();
  printed.closeRead();
  applyLimits(limits);
  Result<std::string> outcome = callWork(work);
  const std::string& bytes = outcome ? *outcome : outcome.error().message;
  writeAll(result.write, outcome ? &kValue : &kError, 1);
  writeAll(result.write, bytes.data(), bytes.size());
  // _exit: neither the parent's buffered output nor its exit handlers are the child's business.
  ::_exit(0);
}

struct Collected {
  std::string result, printed;
  bool timedOut = false;
};

/// Reads both pipes until the child closes them or the time is over. Reading both at once is what
/// keeps a child that prints much and returns much from waiting for ever.
Collected collect(Pipe& result, Pipe& printed, const IsolationLimits& limits) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point deadline = Clock::now() + limits.time;
  Collected collected;
  std::array<char, 1 << 16> buffer;
  bool resultOpen = true, printedOpen = true;
  while (resultOpen || printedOpen) {
    int wait = -1;
    if (limits.time.count() > 0) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      // Rounded up, so that the last fraction of a millisecond is not spent spinning.
      wait = int(std::clamp<int64_t>(left.count() + 1, 0, 1 << 30));
      if (left.count() < 0) {
        collected.timedOut = true;
        return collected;
      }
    }
    std::array<pollfd, 2> ends{
        {{resultOpen ? result.read : -1, POLLIN, 0}, {printedOpen ? printed.read : -1, POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), wait) <= 0) continue;
    auto drain = [&](const pollfd& end, bool& open, std::string& into, size_t most) {
      if (!(end.revents & (POLLIN | POLLHUP | POLLERR))) return;
      ssize_t n = ::read(end.fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) return;
      if (n <= 0) {
        open = false;
        return;
      }
      into.append(buffer.data(), size_t(n));
      if (into.size() > most) into.erase(0, into.size() - most);
    };
    drain(ends[0], resultOpen, collected.result, SIZE_MAX);
    drain(ends[1], printedOpen, collected.printed, kMaxPrinted);
  }
  return collected;
}

std::string lastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  size_t start = text.rfind('\n');
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

/// Why there is no result.
Error deathOf(int status, const std::string& printed) {
  std::string how =
      WIFSIGNALED(status)
          ? fmt::format("crashed: {} (signal {})", ::strsignal(WTERMSIG(status)), WTERMSIG(status))
          : fmt::format("exited with status {}", WEXITSTATUS(status));
  if (std::string line = lastLine(printed); !line.empty()) how += ": " + line;
  return failure(how);
}

Result<std::string> runForked(const std::function<Result<std::string>()>& work,
                              const IsolationLimits& limits) {
  Pipe result, printed;
  pid_t child = -1;
  {
    // One fork at a time: a child of another thread must not inherit this child's write ends, or
    // the end of file that tells of a crash would come only when that other child ends.
    static std::mutex oneFork;
    std::lock_guard lock(oneFork);
    if (!result.open() || !printed.open())
      return failure(fmt::format("cannot open a pipe: {}", std::strerror(errno)));
    child = ::fork();
    if (child < 0) return failure(fmt::format("cannot fork: {}", std::strerror(errno)));
    if (child == 0) {
      oneFork.unlock(); // which came over locked: the work may isolate in its turn
      runChild(work, limits, result, printed);
    }
    result.closeWrite();
    printed.closeWrite();
  }
  Collected collected = collect(result, printed, limits);
  if (collected.timedOut) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (collected.timedOut || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) ++endedByLimits();
  if (collected.timedOut)
    return failure(fmt::format("timed out after {:.1f} s", double(limits.time.count()) / 1000));
  // A child that died while it sent its result has sent only part of it.
  if (status != 0 || collected.result.empty()) return deathOf(status, collected.printed);
  bool isValue = collected.result.front() == kValue;
  collected.result.erase(0, 1);
  if (!isValue) return failure(std::move(collected.result));
  return std::move(collected.result);
}

#endif

} // namespace

Result<std::string> isolate(const std::function<Result<std::string>()>& work,
                            const IsolationLimits& limits) {
  Result<std::string> result = [&] {
#if LANEWISE_HAS_FORK
    if (limits.fork) return runForked(work, limits);
#endif
    return callWork(work);
  }();
  if (!result && result.error().message == kOutOfMemory) ++endedByLimits();
  return result;
}

void limitMemory(const IsolationLimits& limits) {
#if LANEWISE_HAS_FORK && !LANEWISE_ADDRESS_SANITIZER
  uint64_t memory = limits.memoryBytes;
  if (memory == 0) memory = uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE));
  rlimit data{memory, memory};
  ::setrlimit(RLIMIT_DATA,
              &data); // private writable memory; RLIMIT_AS would count a GPU driver's maps
#else
  (void)limits;
#endif
}

uint64_t callsEndedByLimits() {
  return endedByLimits();
}

std::string packStrings(std::span<const std::string> strings) {
  std::string bytes;
  for (const std::string& s : strings) {
    uint64_t size = s.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += s;
  }
  return bytes;
}

std::vector<std::string> unpackStrings(std::string_view bytes) {
  std::vector<std::string> strings;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    strings.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(std::min<size_t>(size, bytes.size()));
  }
  return strings;
}

void setDefaultIsolation(const IsolationLimits& limits) {
  limitsInUse() = limits;
}
const IsolationLimits& defaultIsolation() {
  return limitsInUse();
}

} // namespace lanewise::driver
