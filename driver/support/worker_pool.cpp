#include "support/worker_pool.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace lanewise::driver {

namespace {

using Clock = std::chrono::steady_clock;

// A message is its length, 8 bytes, and that many bytes.
constexpr size_t kLengthBytes = 8;

/// How long answers may wait to be read, and pieces at most at a worker.
constexpr Clock::duration kPause = std::chrono::milliseconds(1);
constexpr int64_t kMostAhead = 32;

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    // MSG_NOSIGNAL: the other side may have died.
    const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(size_t(n));
  }
  return true;
}

void appendMessage(std::string& messages, std::string_view bytes) {
  const uint64_t size = bytes.size();
  messages.append(reinterpret_cast<const char*>(&size), kLengthBytes);
  messages += bytes;
}

/// Takes a whole message off the front, if there is one.
std::optional<std::string> takeMessage(std::string& received) {
  uint64_t size = 0;
  if (received.size() < kLengthBytes) return {};
  std::memcpy(&size, received.data(), kLengthBytes);
  if (received.size() - kLengthBytes < size) return {};
  std::string message = received.substr(kLengthBytes, size);
  received.erase(0, kLengthBytes + size);
  return message;
}

/// One read of what is there; false at the end of the connection.
bool receive(int socket, std::string& into) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t n = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into.append(buffer.data(), size_t(n));
    return true;
  }
}

std::string packPiece(const PieceOfWork& piece) {
  return packStrings(
      std::array{std::to_string(piece.index), std::to_string(piece.attempt), piece.whyAgain});
}

PieceOfWork unpackPiece(const std::string& message) {
  std::vector<std::string> parts = unpackStrings(message);
  parts.resize(3);
  return {uint32_t(std::strtoul(parts[0].c_str(), nullptr, 10)),
          uint32_t(std::strtoul(parts[1].c_str(), nullptr, 10)), std::move(parts[2])};
}

struct Worker {
  pid_t process = -1;
  Descriptor socket;
  Descriptor printed; ///< what it writes to standard error
  std::string received;
  /// In the order in which it does them: the first is being worked on, the others wait in `socket`.
  std::deque<PieceOfWork> pieces;
  size_t ahead = 1; ///< how many of them may wait
  Clock::time_point lastAnswer = Clock::now();
  std::optional<Clock::time_point> deadline; ///< of the first piece
};

class Pool {
public:
  Pool(std::span<const uint32_t> indices, const PoolOptions& options, const PoolEvents& events)
      : options_(options), events_(events), left_(indices.size()) {
    for (uint32_t index : indices) waiting_.push_back({index, 0, {}});
  }
  ~Pool() {
    for (std::unique_ptr<Worker>& worker : workers_) {
      worker->socket = Descriptor(); // the worker reads the end of its connection, and goes
      // One that works on something nobody will ask for does not read.
      if (!worker->pieces.empty()) ::kill(worker->process, SIGKILL);
      (void)statusOf(*worker);
    }
  }

  Status run() {
    const size_t wanted = std::min<size_t>(std::max(options_.workers, 1u), left_);
    for (size_t i = 0; i < wanted; ++i)
      if (Status s = startWorker(); !s) {
        if (workers_.empty()) return s;
        break; // fewer will do
      }
    while (left_ > 0) {
      if (workers_.empty())
        if (Status s = startWorker(); !s) return s;
      handOut();
      waitForAnswers();
      if (events_.tick) events_.tick();
      if (events_.isOver && events_.isOver()) break;
    }
    return ok();
  }

private:
  Status startWorker() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return systemError("cannot open a connection to a worker");
    auto worker = std::make_unique<Worker>();
    worker->socket = Descriptor(ends[0]);
    Descriptor theirs(ends[1]);
    if (Result<Descriptor> scratch = openScratchFile()) worker->printed = std::move(*scratch);
    const pid_t parent = ::getpid();
    worker->process = ::fork();
    if (worker->process < 0) return systemError("cannot start a worker");
    if (worker->process == 0) runWorker(*worker, theirs, parent);
    workers_.push_back(std::move(worker));
    return ok();
  }

  static Error systemError(std::string_view what) {
    return failure(fmt::format("{}: {}", what, std::strerror(errno)));
  }

  [[noreturn]] void runWorker(Worker& self, Descriptor& socket, pid_t parent) {
#if defined(__linux__)
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
#else
    (void)parent;
#endif
    // The other workers' connections must end when this process's parent closes them, not later.
    for (std::unique_ptr<Worker>& other : workers_) other->socket = Descriptor();
    self.socket = Descriptor();
    ::signal(SIGPIPE, SIG_IGN); // a cache server that goes away is an error like others
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(nothing.get(), STDIN_FILENO);
    ::dup2(nothing.get(), STDOUT_FILENO);
    ::dup2(self.printed.get() < 0 ? nothing.get() : self.printed.get(), STDERR_FILENO);
    std::string received;
    for (;;) {
      std::optional<std::string> message = takeMessage(received);
      if (!message) {
        if (!receive(socket.get(), received)) ::_exit(0);
        continue;
      }
      // What was printed for the last piece says nothing of this one.
      if (::lseek(STDERR_FILENO, 0, SEEK_CUR) > 0) {
        (void)!::ftruncate(STDERR_FILENO, 0);
        ::lseek(STDERR_FILENO, 0, SEEK_SET);
      }
      std::string answer; // in one piece, so that the other side wakes up once
      appendMessage(answer, events_.work(unpackPiece(*message)));
      if (!sendAll(socket.get(), answer)) ::_exit(0);
    }
  }

  void handOut() {
    std::vector<std::string> messages(workers_.size());
    for (size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i]->pieces.empty() && !waiting_.empty()) handNextTo(*workers_[i], messages[i]);
    for (size_t i = 0; i < workers_.size(); ++i) {
      while (canHandAheadTo(*workers_[i])) handNextTo(*workers_[i], messages[i]);
      // A worker that is gone already is found when its connection is read.
      (void)sendAll(workers_[i]->socket.get(), messages[i]);
    }
  }

  /// What waits spares a worker the wait for this process. The last pieces are kept back for those
  /// that are done first, and what has killed a worker goes alone: it may take long.
  bool canHandAheadTo(const Worker& worker) const {
    return !worker.pieces.empty() && worker.pieces.size() <= worker.ahead &&
           waiting_.size() >= workers_.size() * worker.ahead && worker.pieces.back().attempt == 0 &&
           waiting_.front().attempt == 0;
  }

  void handNextTo(Worker& worker, std::string& messages) {
    worker.pieces.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (worker.pieces.size() == 1) startClock(worker);
    appendMessage(messages, packPiece(worker.pieces.back()));
  }

  /// When the worker begins with its first piece.
  void startClock(Worker& worker) {
    worker.deadline.reset();
    if (worker.pieces.empty() || !options_.limitOf) return;
    const std::chrono::milliseconds limit = options_.limitOf(worker.pieces.front().attempt);
    if (limit.count() > 0) worker.deadline = Clock::now() + limit;
  }

  /// Small pieces take less than waking this process up does, so that several wait at a worker and
  /// several answers are read at a time.
  void noteSpeed(Worker& worker, uint32_t answers) {
    if (answers == 0) return;
    const Clock::time_point now = Clock::now();
    const Clock::duration each = (now - worker.lastAnswer) / answers;
    worker.ahead =
        size_t(std::clamp<int64_t>(2 * kPause / std::max(each, Clock::duration(1)), 1, kMostAhead));
    worker.lastAnswer = now;
  }

  /// Whether no worker runs out of work in a pause, by the speed of its last pieces.
  bool canPause() const {
    return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) {
      return worker->ahead > 1 && worker->pieces.size() > worker->ahead / 2;
    });
  }

  void waitForAnswers() {
    constexpr int kTick = 100; // milliseconds
    if (canPause()) std::this_thread::sleep_for(kPause);
    std::vector<pollfd> ends;
    for (std::unique_ptr<Worker>& worker : workers_)
      ends.push_back({worker->socket.get(), POLLIN, 0});
    const int ready = ::poll(ends.data(), ends.size(), kTick);
    for (size_t i = workers_.size(); i-- > 0;) {
      Worker& worker = *workers_[i];
      if (ready > 0 && ends[i].revents != 0) {
        if (!receive(worker.socket.get(), worker.received)) {
          bury(i, {});
          continue;
        }
        uint32_t answers = 0;
        for (; std::optional<std::string> answer = takeMessage(worker.received); ++answers)
          finish(worker, std::move(*answer));
        noteSpeed(worker, answers);
      }
      if (worker.deadline && Clock::now() > *worker.deadline) {
        ::kill(worker.process, SIGKILL);
        bury(i,
             fmt::format("timed out after {:.1f} s",
                         double(options_.limitOf(worker.pieces.front().attempt).count()) / 1000));
      }
    }
  }

  void finish(Worker& worker, std::string answer) {
    if (worker.pieces.empty()) return;
    const uint32_t index = worker.pieces.front().index;
    worker.pieces.pop_front();
    startClock(worker);
    --left_;
    events_.finished(index, std::move(answer));
  }

  /// A worker has died: another takes its place, and the piece that it worked on has another
  /// chance. Those behind it wait as if nobody had had them.
  void bury(size_t i, std::string why) {
    std::unique_ptr<Worker> dead = std::move(workers_[i]);
    workers_.erase(workers_.begin() + ptrdiff_t(i));
    const int status = statusOf(*dead);
    if (why.empty()) why = causeOf(status, *dead);
    for (; dead->pieces.size() > 1; dead->pieces.pop_back())
      waiting_.push_front(std::move(dead->pieces.back()));
    if (!dead->pieces.empty()) {
      PieceOfWork piece = std::move(dead->pieces.front());
      if (piece.attempt + 1 < options_.attempts) {
        // At once: a run that is killed then has not lost what others waited for.
        waiting_.push_front({piece.index, piece.attempt + 1, std::move(why)});
      } else {
        --left_;
        events_.finished(piece.index, failure(std::move(why)));
      }
    }
    if (left_ > 0) (void)startWorker(); // run() tries again where none is left
  }

  static int statusOf(const Worker& worker) {
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  static std::string causeOf(int status, const Worker& worker) {
    std::string cause = WIFSIGNALED(status)
                            ? fmt::format("crashed: {} (signal {})", ::strsignal(WTERMSIG(status)),
                                          WTERMSIG(status))
                            : fmt::format("exited with status {}", WEXITSTATUS(status));
    const std::string line = lastLine(worker.printed.get());
    return line.empty() ? cause : cause + ": " + line;
  }

  static std::string lastLine(int file) {
    constexpr off_t kMost = 4096;
    if (file < 0) return {};
    const off_t size = ::lseek(file, 0, SEEK_END);
    std::string text(size_t(std::clamp<off_t>(size, 0, kMost)), '\0');
    const ssize_t n = ::pread(file, text.data(), text.size(), std::max<off_t>(0, size - kMost));
    text.resize(size_t(std::max<ssize_t>(n, 0)));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

  const PoolOptions& options_;
  const PoolEvents& events_;
  std::deque<PieceOfWork> waiting_;
  size_t left_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace

Status runPool(std::span<const uint32_t> indices, const PoolOptions& options,
               const PoolEvents& events) {
  return Pool(indices, options, events).run();
}

} // namespace lanewise::driver
