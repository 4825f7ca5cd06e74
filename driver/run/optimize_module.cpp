// One module for one pipeline: fixed, optimized in a process, checked.
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "recorded/freeze.h"
#include "reflect/module_interface.h"
#include "run/optimize_service.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"
#include "targets/device_target.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::driver {

namespace {

constexpr std::chrono::seconds kLongestOptimization(60);

uint64_t sharedBytes(const ModuleInterface& module, const std::string& entry) {
  for (const DescribedEntryPoint& point : module.entryPoints)
    if (point.name == entry) return point.sharedBytes.value_or(UINT64_MAX);
  return UINT64_MAX;
}

/// Whether every capability or extension of `now` is one of `before`'s.
bool areAmong(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  return std::all_of(now.begin(), now.end(), [&](const std::string& each) {
    return std::find(before.begin(), before.end(), each) != before.end();
  });
}

/// What of the optimized module the program's device may not have; "" for nothing.
Result<std::string> newDemands(std::span<const uint32_t> before, std::span<const uint32_t> now,
                               const layer::OptimizeRequest& request) {
  Result<ModuleInterface> old = describeModule(before, {}, request.entry);
  if (!old) return old.error();
  Result<ModuleInterface> made = describeModule(now, {}, request.entry);
  if (!made) return made.error();
  if (made->version != old->version) return std::string("another version of SPIR-V");
  if (!areAmong(made->capabilities, old->capabilities) ||
      !areAmong(made->extensions, old->extensions))
    return std::string("capabilities or extensions");
  const uint64_t limit = std::max(request.sharedMemory, sharedBytes(*old, request.entry));
  if (sharedBytes(*made, request.entry) > limit) return std::string("shared memory");
  return std::string();
}

/// What `opt` is given for the module: what was found on the pipeline's device, else what all
/// devices agree on, else the passes for all.
std::vector<std::string> flagsFor(const layer::OptimizeRequest& request, const OptimizePlan& plan) {
  if (!plan.tuning.isGiven()) return plan.passes;
  const std::vector<uint32_t> words = wordsOf(request.module);
  TuningChoice tuning = plan.tuning;
  if (tuning.device.empty()) tuning.device = request.device;
  TunedMatch match = findTuned(tuning, words);
  if (!match.choice) match = findTuned(plan.tuning, words);
  if (!match.choice) return plan.passes;
  std::vector<std::string> flags = match.choice->passes;
  for (const std::string& site : match.choice->skip) flags.push_back("--skip=" + site);
  if (!match.choice->target.empty()) flags.push_back("--target=" + match.choice->target);
  return flags;
}

/// The profile of the device's vendor, where the flags name no other.
void addTarget(const layer::OptimizeRequest& request, std::vector<std::string>& flags) {
  const bool isNamed = std::ranges::any_of(flags, [](const std::string& flag) {
    return flag == "--target" || flag.starts_with("--target=");
  });
  DeviceInfo device;
  device.name = request.device;
  if (!isNamed) flags.push_back("--target=" + builtInTargetOf(device));
}

/// Files that are gone at the end.
struct ScratchFiles {
  std::string in, out, errors;
  ~ScratchFiles() {
    ::unlink(errors.c_str());
    ::unlink(in.c_str());
    ::unlink(out.c_str());
  }
};

/// Why `opt` failed: the first error that it told, without the name of the file in between.
std::string reasonIn(const ScratchFiles& files, int exitCode) {
  const Result<std::string> told = readRegularFile(files.errors);
  constexpr std::string_view kStart = "lanewise: error: ";
  std::string line = told ? *told : std::string();
  if (const size_t at = line.find(kStart); at != line.npos) line.erase(0, at + kStart.size());
  line = line.substr(0, line.find('\n'));
  for (size_t at = 0; (at = line.find(files.in)) != line.npos;)
    line.replace(at, files.in.size(), "the module");
  return line.empty() ? fmt::format("'lanewise opt' gave exit code {}", exitCode)
                      : fmt::format("'lanewise opt': {}", line);
}

} // namespace

Result<int> runOurselves(std::vector<std::string> command, const std::string& errors) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
    ::posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // Ctrl-C is for the program, or for us.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, "/proc/self/exe", &files, &attributes, arguments.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return failure(fmt::format("cannot be started: {}", std::strerror(failed)));
  const auto end = std::chrono::steady_clock::now() + kLongestOptimization;
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child && WIFEXITED(status)) return WEXITSTATUS(status);
    if (ended == child) return failure(fmt::format("ended by signal {}", WTERMSIG(status)));
    if (ended < 0 && errno != EINTR) return failure(std::strerror(errno));
    if (std::chrono::steady_clock::now() > end) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return failure(fmt::format("takes longer than {} seconds", kLongestOptimization.count()));
    }
    ::usleep(1000);
  }
}

Result<OptimizedModule> optimizeForPipeline(const layer::OptimizeRequest& request,
                                            const OptimizePlan& plan, const std::string& name) {
  auto keepOwn = [&](const std::string& why) {
    const std::string module = hexOf(sha256(request.module)).substr(0, 12);
    return OptimizedModule{{}, fmt::format("module {}: not optimized: {}", module, why)};
  };
  std::map<uint32_t, std::string> values(request.constants.begin(), request.constants.end());
  Result<std::vector<uint32_t>> frozen = freezeConstants(wordsOf(request.module), values);
  if (!frozen) return keepOwn(frozen.error().str());
  const ScratchFiles files{fmt::format("{}/{}.in.spv", plan.scratch, name),
                           fmt::format("{}/{}.out.spv", plan.scratch, name),
                           fmt::format("{}/{}.errors", plan.scratch, name)};
  OutputFiles input;
  input.add(files.in, bytesOf(*frozen));
  if (Status s = input.commit(); !s) return s.error();
  std::vector<std::string> command{"lanewise",       "opt",           files.in, "-o", files.out,
                                   "--project=none", "--remarks=none"};
  std::vector<std::string> flags = flagsFor(request, plan);
  addTarget(request, flags);
  std::ranges::move(flags, std::back_inserter(command));
  if (request.isRobust) command.push_back("--robust");
  Result<int> exitCode = runOurselves(std::move(command), files.errors);
  if (!exitCode) return exitCode.error();
  if (*exitCode != 0) {
    // That there is no room for a result is no property of the module, for a cache to keep.
    OutputFiles room;
    room.add(files.out, bytesOf(*frozen));
    if (Status s = room.commit(); !s) return s.error();
    return keepOwn(reasonIn(files, *exitCode));
  }
  Result<std::string> made = readRegularFile(files.out);
  if (!made) return failure(made.error().message);
  if (*made == bytesOf(*frozen)) return OptimizedModule();
  Result<std::string> demands = newDemands(*frozen, wordsOf(*made), request);
  if (!demands) return keepOwn(demands.error().str());
  if (!demands->empty()) return keepOwn("the result needs more of the device: " + *demands);
  return OptimizedModule{std::move(*made), {}};
}

} // namespace lanewise::driver
