#include "run/under_layer.h"

#include "batch/cache/build_identity.h"
#include "batch/cache/result_cache.h"
#include "batch/cache/store.h"
#include "run/optimize_service.h"
#include "run/signal_handlers.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/sha256.h"
#include "support/terminal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderPrefix = "lanewise-run-";

/// Whether the name is one of ours, and the process in it is gone.
bool isOfDeadProcess(std::string_view name) {
  if (!name.starts_with(kFolderPrefix)) return false;
  name.remove_prefix(kFolderPrefix.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  return error == std::errc() && end != name.data() + name.size() && *end == '-' && process > 0 &&
         ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes folders of this user whose process is gone, and which nobody holds: it may be one that
/// is not seen from here, in another container.
void removeLeftFolders(const fs::path& parent) {
  std::error_code failed;
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, failed))
    if (isOfDeadProcess(entry.path().filename().string())) left.push_back(entry.path().string());
  for (const std::string& path : left) {
    const Descriptor folder = tryLockFolder(path);
    struct stat about {};
    if (folder.get() >= 0 && ::fstat(folder.get(), &about) == 0 && about.st_uid == ::geteuid())
      fs::remove_all(path, failed);
  }
}

/// What the cache keeps.
constexpr uint64_t kCacheBytes = uint64_t(1) << 30;

/// Where optimized modules are kept when nobody says; "" where there is no such place.
std::string usersCache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return fmt::format("{}/lanewise/pipelines", cache);
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? fmt::format("{}/.cache/lanewise/pipelines", home) : std::string();
}

struct OpenCache {
  std::string path;    ///< an existing folder, as the program finds it wherever it goes
  std::string trouble; ///< why it is not what was asked for; "" where it is
  bool isReadOnly = false;
};

/// The one that is asked for, though it may only be read, or the user's, or else one that lasts for
/// this run.
Result<OpenCache> openCache(const std::string& asked, const std::string& scratch) {
  const std::string wanted = asked.empty() ? usersCache() : asked;
  if (Status s = checkCacheFolder(asked); !s) return s.error();
  std::error_code failed;
  const std::string path = fs::absolute(wanted, failed).string();
  fs::create_directories(path, failed);
  if (!wanted.empty() && ::access(path.c_str(), W_OK | X_OK) == 0) return OpenCache{path, {}};
  const std::string why = std::strerror(errno);
  if (!asked.empty() && failed)
    return failure(
        fmt::format("--cache={}: the folder cannot be made: {}", asked, failed.message()));
  if (!asked.empty() && ::access(path.c_str(), R_OK | X_OK) == 0)
    return OpenCache{path,
                     fmt::format("--cache={}: cannot be written to: {}; what is there is used, and "
                                 "nothing is added",
                                 asked, why),
                     true};
  const std::string own = scratch + "/cache";
  fs::create_directories(own, failed);
  return OpenCache{own, asked.empty() ? "" : fmt::format("--cache={}: not used: {}", asked, why)};
}

/// What the results depend on besides the pipelines.
std::string identityOf(const LayerRequest& wanted) {
  Sha256 hash;
  hash.addField("4");
  hash.addField(buildIdentity());
  for (const std::string& word : wanted.passes) hash.addField(word);
  hash.addField(wanted.passFiles);
  if (const TuningChoice& tuning = wanted.tuning; tuning.isGiven()) {
    hash.addField(fmt::format("{}\n{}\n{}\n{}", tuning.device, tuning.shape, tuning.shader,
                              asToml(*tuning.choices)));
    for (const std::string& file : tuning.files()) hash.addField(digestOfFile(file));
  }
  return hexOf(hash.finish());
}

/// Sets what of the request is about optimizing.
Result<std::unique_ptr<OptimizeService>>
startService(const LayerRequest& wanted, const OpenCache& cache, ProgramRequest& request) {
  Result<std::unique_ptr<OptimizeService>> service = OptimizeService::start(
      {wanted.passes, wanted.tuning, request.data, cache.isReadOnly ? "" : cache.path});
  if (!service) return service.error();
  request.optimizer = (*service)->socket();
  request.waits = wanted.waits;
  request.cache = cache.path;
  request.leftOut = fmt::format("{}", fmt::join(wanted.leftOut, ","));
  request.identity = identityOf(wanted);
  return service;
}

volatile sig_atomic_t isWaitOver = 0; ///< a signal has asked for an end

void endWait(int) {
  isWaitOver = 1;
}

std::string modulesText(uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "module" : "modules");
}

/// Waits for what is under way, for the next run, unless somebody ends that.
void finishService(OptimizeService& service, const OpenCache& cache, LayerRun& run) {
  isWaitOver = 0;
  const SignalHandlers<3> handlers({SIGINT, SIGTERM, SIGHUP}, [](int) { return endWait; });
  if (const uint64_t more = service.underWay(); more > 0 && isTerminal(stderr))
    printError("lanewise: note: optimizing {} more for the next run; Ctrl-C ends that\n",
               modulesText(more));
  while (service.underWay() > 0 && isWaitOver == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t left = service.stop();
  run.troubles = service.troubles();
  if (left > 0)
    run.troubles.push_back(fmt::format("interrupted before {} could be optimized for the next run",
                                       modulesText(left)));
  if (!cache.trouble.empty()) run.troubles.insert(run.troubles.begin(), cache.trouble);
  if (!cache.isReadOnly) pruneFolderStore(cache.path, kCacheBytes);
}

/// Whether a file in the folder can have contents; else why not.
std::string whyFull(const std::string& folder) {
  const std::string path = folder + "/room";
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string page(4096, ' ');
  const bool isWritten =
      file.get() >= 0 && ::write(file.get(), page.data(), page.size()) == ssize_t(page.size());
  std::string why = isWritten ? "" : std::strerror(errno == 0 ? ENOSPC : errno);
  ::unlink(path.c_str());
  return why;
}

/// What the layer met with.
void addTroubles(LayerRun& run, const std::string& scratch) {
  std::vector<std::string>& lost = run.data.lost;
  if (run.data.processes == 0 && lost.empty())
    if (const std::string why = whyFull(scratch); !why.empty()) lost.push_back(why);
  for (const std::string& why : lost)
    run.troubles.push_back(fmt::format("what the program did could not be written down, or not to "
                                       "its end: {}; TMPDIR names another folder for it",
                                       why));
  if (run.data.isOfOtherLayer)
    run.troubles.emplace_back("the program loaded a layer of another version of Lanewise; install "
                              "program and layer anew");
  for (const std::string& module : run.data.refused)
    run.troubles.push_back(fmt::format("module {}: not optimized: the driver refused the optimized "
                                       "module",
                                       module.substr(0, 12)));
}

/// What was to be left out and is not there. Of a program of which nothing is known that is nothing
/// new.
void addUnknownModules(LayerRun& run, const std::vector<std::string>& leftOut) {
  if (run.data.pipelines.empty() || !run.data.lost.empty()) return;
  for (const std::string& hash : leftOut)
    if (std::ranges::none_of(run.data.pipelines, [&](const PipelineTimes& pipeline) {
          return pipeline.module.starts_with(hash);
        }))
      run.troubles.push_back(
          fmt::format("--leave-out={}: no module of the program's pipelines begins so", hash));
}

} // namespace

Result<RunFolder> RunFolder::create() {
  std::error_code failed, ignored;
  // The program may go elsewhere, and TMPDIR be relative.
  const fs::path parent = fs::absolute(fs::temp_directory_path(failed), ignored);
  if (!failed) removeLeftFolders(parent);
  std::string path = (parent / fmt::format("{}{}-XXXXXX", kFolderPrefix, ::getpid())).string();
  if (failed || !::mkdtemp(path.data()))
    return failure(fmt::format("{}: cannot make a folder: {}; set TMPDIR to one that can be "
                               "written to",
                               path, failed ? failed.message() : std::strerror(errno)));
  return RunFolder(std::move(path));
}

RunFolder::RunFolder(std::string path) : path_(std::move(path)), lock_(tryLockFolder(path_)) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<LayerRun> runUnderLayer(const LayerRequest& wanted, const std::string& scratch) {
  ProgramRequest request;
  request.command = wanted.command;
  request.data = scratch;
  request.times = wanted.times;
  request.printsTo = wanted.printsTo;
  std::unique_ptr<OptimizeService> service;
  OpenCache cache;
  if (wanted.optimizes) {
    Result<OpenCache> opened = openCache(wanted.cache, scratch);
    if (!opened) return opened.error();
    cache = std::move(*opened);
    Result<std::unique_ptr<OptimizeService>> started = startService(wanted, cache, request);
    if (!started) return started.error();
    service = std::move(*started);
  }
  LayerRun run;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (wanted.whenAsked)
    request.whenAsked = [&] {
      if (const Result<RunData> data = readRunData(scratch)) wanted.whenAsked(*data, seconds());
    };
  const Result<ProgramEnd> end = runProgram(request);
  run.seconds = seconds();
  if (!end) return end.error();
  run.end = *end;
  if (service) finishService(*service, cache, run);
  Result<RunData> data = readRunData(scratch);
  if (!data) return data.error();
  run.data = std::move(*data);
  addTroubles(run, scratch);
  if (wanted.optimizes) addUnknownModules(run, wanted.leftOut);
  return run;
}

} // namespace lanewise::driver
