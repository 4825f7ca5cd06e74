#include "run/program.h"

#include "layer/protocol.h"
#include "run/signal_handlers.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// The value of a variable, "" where it is not set.
std::string valueOf(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& each : environment)
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return {};
}

void set(std::vector<std::string>& environment, std::string_view name, const std::string& value) {
  const std::string start = fmt::format("{}=", name);
  std::erase_if(environment, [&](const std::string& each) { return each.starts_with(start); });
  if (!value.empty()) environment.push_back(start + value);
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() ? second : first + ":" + second;
}

std::vector<std::string> ownEnvironment() {
  std::vector<std::string> all;
  for (char** each = ::environ; each && *each; ++each) all.emplace_back(*each);
  return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

volatile sig_atomic_t running = 0;
volatile sig_atomic_t early = 0; ///< a signal that came before it was known to whom to pass it on

volatile sig_atomic_t interrupted = 0; ///< the last signal that asked for an end

/// The terminal sends it to the program as well.
void remember(int signal) {
  interrupted = signal;
}

void passOn(int signal) {
  if (signal != SIGUSR1) interrupted = signal;
  if (running > 0)
    ::kill(running, signal);
  else
    early = signal;
}

volatile sig_atomic_t toWake = -1; ///< the end of a pipe whose other end is waited for

/// Whichever thread gets the signal, the one that waits hears of it.
void wake(int signal) {
  const int error = errno;
  const char which = signal == SIGUSR1 ? 'U' : 'C';
  [[maybe_unused]] const ssize_t written = ::write(toWake, &which, 1);
  errno = error;
}

bool hadPipeSignal = false; ///< and ignores it now

/// What this process does with signals while another one runs.
class SignalsAside {
public:
  /// `isAsked`: SIGUSR1 is for this process.
  explicit SignalsAside(bool isAsked)
      : handlers_(kSignals, [=](int signal) { return handlerOf(signal, isAsked); }) {}
  /// Those that the program is to find as this process found them: nohup's, say, ignored.
  sigset_t defaults() const {
    sigset_t set;
    ::sigemptyset(&set);
    for (size_t n = 0; n < kSignals.size(); ++n)
      if (!handlers_.wasIgnored(n)) ::sigaddset(&set, kSignals[n]);
    if (hadPipeSignal) ::sigaddset(&set, SIGPIPE);
    return set;
  }

private:
  static auto handlerOf(int signal, bool isAsked) -> void (*)(int) {
    if (signal == SIGINT || signal == SIGQUIT) return remember;
    return signal == SIGCHLD || (signal == SIGUSR1 && isAsked) ? wake : passOn;
  }
  static constexpr std::array<int, 6> kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};
  SignalHandlers<kSignals.size()> handlers_;
};

/// Lets SIGCHLD through, which whoever started this process may have blocked.
class ChildSignalUnblocked {
public:
  ChildSignalUnblocked() {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    ::pthread_sigmask(SIG_UNBLOCK, &child, &before_);
  }
  ChildSignalUnblocked(const ChildSignalUnblocked&) = delete;
  ~ChildSignalUnblocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& before() const { return before_; }

private:
  sigset_t before_;
};

/// What wakes the wait for a program.
class WakingPipe {
public:
  WakingPipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    read_ = Descriptor(ends[0]);
    write_ = Descriptor(ends[1]);
    toWake = ends[1];
  }
  ~WakingPipe() { toWake = -1; }

  /// Waits for a signal; whether SIGUSR1 was among those that came. Where there is no pipe it looks
  /// again and again.
  bool wait() {
    constexpr int kWithoutPipe = 100; // milliseconds
    pollfd end{read_.get(), POLLIN, 0};
    ::poll(&end, 1, read_.get() < 0 ? kWithoutPipe : -1);
    std::array<char, 64> which;
    bool isAsked = false;
    for (ssize_t n; (n = ::read(read_.get(), which.data(), which.size())) > 0;)
      isAsked |= std::find(which.begin(), which.begin() + n, 'U') != which.begin() + n;
    return isAsked;
  }

private:
  Descriptor read_, write_;
};

/// Waits for the program's end, and calls `whenAsked` meanwhile.
Result<ProgramEnd> waitFor(pid_t child, WakingPipe& waking, const ProgramRequest& request) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR)
      return failure(fmt::format("{}: {}", request.command[0], std::strerror(errno)));
    if (waking.wait() && request.whenAsked) request.whenAsked();
  }
  ProgramEnd end;
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.exitCode = WEXITSTATUS(status);
  return end;
}

} // namespace

Result<std::string> findLayer() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path folder = program.parent_path().parent_path() / "share/vulkan/explicit_layer.d";
  const fs::path manifest = folder / layer::kManifestName;
  const Result<std::string> text = readRegularFile(manifest.string());
  const auto json = nlohmann::json::parse(text ? *text : "", nullptr, false);
  const auto path = nlohmann::json::json_pointer("/layer/library_path");
  const bool isNamed = json.contains(path) && json[path].is_string();
  const fs::path library = isNamed ? folder / std::string(json[path]) : manifest;
  if (!isNamed || !fs::exists(library, failed))
    return failure(fmt::format("{}: the Vulkan layer is not there; it is built and installed with "
                               "the program (docs/install.md)",
                               library.lexically_normal().string()));
  return folder.string();
}

void ignoreClosedPipes() {
  if (::signal(SIGPIPE, SIG_IGN) == SIG_DFL) hadPipeSignal = true;
}

std::vector<std::string> layeredEnvironment(std::vector<std::string> environment,
                                            const std::string& layerFolder,
                                            const ProgramRequest& request) {
  // Vulkan's loader does not look at VK_ADD_LAYER_PATH where VK_LAYER_PATH is set, be it to
  // nothing.
  const bool isPathSet = std::ranges::any_of(
      environment, [](const std::string& entry) { return entry.starts_with("VK_LAYER_PATH="); });
  const std::string_view path = isPathSet ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH";
  set(environment, path, joined(valueOf(environment, path), layerFolder));
  const std::string layers = valueOf(environment, "VK_INSTANCE_LAYERS");
  if (fmt::format(":{}:", layers).find(fmt::format(":{}:", layer::kLayerName)) == layers.npos)
    set(environment, "VK_INSTANCE_LAYERS", joined(layers, layer::kLayerName));
  set(environment, layer::kDataVariable, request.data);
  set(environment, layer::kTimeVariable, request.times ? "1" : "");
  set(environment, layer::kOptimizerVariable, request.optimizer);
  set(environment, layer::kWaitVariable, request.waits ? "1" : "");
  set(environment, layer::kCacheVariable, request.cache);
  set(environment, layer::kIdentityVariable, request.identity);
  set(environment, layer::kLeaveOutVariable, request.leftOut);
  return environment;
}

Result<ProgramEnd> runProgram(const ProgramRequest& request) {
  Result<std::string> layerFolder = findLayer();
  if (!layerFolder) return layerFolder.error();
  std::vector<std::string> command = request.command;
  std::vector<std::string> environment =
      layeredEnvironment(ownEnvironment(), *layerFolder, request);
  interrupted = 0;
  WakingPipe waking; // before the signals, which write to it
  SignalsAside signals(request.whenAsked != nullptr);
  ChildSignalUnblocked unblocked;
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  const sigset_t defaults = signals.defaults();
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &unblocked.before());
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (!request.printsTo.empty()) {
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, request.printsTo.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  }
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, command[0].c_str(), &files, &attributes,
                                    pointersTo(command).data(), pointersTo(environment).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    return failure(fmt::format("{}: cannot be started: {}", command[0], std::strerror(failed)));
  running = child;
  if (early != 0) ::kill(child, early);
  Result<ProgramEnd> end = waitFor(child, waking, request);
  running = 0;
  if (end) end->interrupted = interrupted;
  return end;
}

} // namespace lanewise::driver
