#include "support/files.h"

#include "support/failure.h"
#include "support/sha256.h"

#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::driver {

static_assert(std::endian::native == std::endian::little,
              "files are read and written as they lie in memory");

namespace {

namespace fs = std::filesystem;

Error systemError(std::string_view what) {
  return failure(fmt::format("{}: {}", what, std::strerror(errno)));
}

bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(size_t(n));
  }
  return true;
}

/// What a name leads to before anything is written there.
struct Destination {
  std::string path;              ///< where a rename must go so that a symbolic link stays a link
  std::optional<mode_t> oldMode; ///< of the file that is there
  bool isFolder() const { return oldMode && S_ISDIR(*oldMode); }
  /// A device or a pipe, which is written directly.
  bool isSpecial() const { return oldMode && !S_ISREG(*oldMode) && !S_ISDIR(*oldMode); }
};

Destination destinationOf(const std::string& path) {
  struct stat info {};
  // Asked once: it is a large part of the time that a small file takes.
  if (::lstat(path.c_str(), &info) != 0) return {path, {}};
  if (!S_ISLNK(info.st_mode)) return {path, info.st_mode};
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  Destination there{error ? path : resolved.string(), {}};
  if (::stat(path.c_str(), &info) == 0) there.oldMode = info.st_mode;
  return there;
}

std::string folderOf(const std::string& path) {
  std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Descriptor lockedFolder(const std::string& path, int flags, int operation) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));
  if (folder.get() < 0) return folder;
  int failed = 0;
  do failed = ::flock(folder.get(), operation);
  while (failed != 0 && errno == EINTR);
  return failed == 0 ? std::move(folder) : Descriptor();
}

} // namespace

int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 ? 0 : ::close(fd);
}

namespace {

/// `info` gets what fstat() says of it, zeros where it says nothing.
Result<Descriptor> openForReading(const std::string& path, int flags, struct stat& info) {
  const bool isStdin = path == "-";
  Descriptor file(isStdin ? ::dup(STDIN_FILENO)
                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (file.get() < 0) return systemError("cannot open");
  if (::fstat(file.get(), &info) != 0) info = {};
  return file;
}

Error isDirectory() {
  return failure("cannot read: it is a directory (`lanewise batch` takes all shaders of one)");
}

/// All that is left in `file`, of which `info` is what fstat() says.
Result<std::string> readAll(const Descriptor& file, const struct stat& info) {
  constexpr size_t kChunk = 1 << 16;
  std::string bytes;
  bytes.reserve(S_ISREG(info.st_mode) && info.st_size > 0 ? size_t(info.st_size) + 1 : kChunk);
  for (;;) {
    const size_t had = bytes.size(), room = bytes.capacity() - had;
    bytes.resize(had + (room > 0 ? room : kChunk));
    ssize_t n = ::read(file.get(), bytes.data() + had, bytes.size() - had);
    int readErrno = errno;
    bytes.resize(had + size_t(std::max<ssize_t>(n, 0)));
    errno = readErrno;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return systemError("cannot read");
    if (n == 0) return bytes;
  }
}

} // namespace

Result<Descriptor> openForReading(const std::string& path) {
  struct stat info {};
  Result<Descriptor> file = openForReading(path, 0, info);
  if (file && S_ISDIR(info.st_mode)) return isDirectory();
  return file;
}

Descriptor lockFolder(const std::string& path) {
  return lockedFolder(path, 0, LOCK_EX);
}

Descriptor tryLockFolder(const std::string& path) {
  return lockedFolder(path, O_NOFOLLOW, LOCK_EX | LOCK_NB);
}

Result<Descriptor> openScratchFile() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "lanewise.XXXXXX").string();
  Descriptor file(::mkstemp(name.data()));
  if (file.get() < 0) return systemError(fmt::format("cannot write: '{}'", name));
  ::unlink(name.c_str());
  return file;
}

Result<std::string> readFile(const std::string& path) {
  struct stat info {};
  Result<Descriptor> file = openForReading(path, 0, info);
  if (!file) return file.error();
  if (S_ISDIR(info.st_mode)) return isDirectory();
  return readAll(*file, info);
}

std::string_view withoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

Result<std::string> readRegularFile(const std::string& path) {
  struct stat info {};
  // A pipe without a writer must not be waited for.
  Result<Descriptor> file = openForReading(path, O_NONBLOCK | O_NOCTTY, info);
  std::error_code error;
  const bool isRegular = file ? S_ISREG(info.st_mode) : fs::is_regular_file(path, error);
  if (!isRegular) return failure("not a file");
  if (!file) return file.error();
  return readAll(*file, info);
}

namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

struct KeptFiles {
  std::mutex mutex;
  std::map<FileIdentity, std::string> paths;
};
KeptFiles& keptFiles() {
  static KeptFiles kept;
  return kept;
}

std::optional<FileIdentity> identityOf(const std::string& path) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return FileIdentity(info.st_dev, info.st_ino);
}

Status checkIsNotKept(const std::string& path) {
  const std::optional<FileIdentity> identity = identityOf(path);
  const std::lock_guard lock(keptFiles().mutex);
  const auto kept = identity ? keptFiles().paths.find(*identity) : keptFiles().paths.end();
  // A file that is gone has left its number to others.
  if (kept == keptFiles().paths.end() || identityOf(kept->second) != identity) return ok();
  return failure("this command reads it; give another name");
}

} // namespace

void keepFile(const std::string& path) {
  const std::optional<FileIdentity> identity = identityOf(path);
  const std::lock_guard lock(keptFiles().mutex);
  if (identity) keptFiles().paths.insert_or_assign(*identity, path);
}

Status checkWritable(const std::string& path) {
  if (path == "-") return ok();
  const Destination destination = destinationOf(path);
  if (destination.isSpecial()) return ok();
  if (destination.isFolder()) return failure("cannot write: it is a directory");
  std::error_code error;
  std::string folder = folderOf(destination.path);
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return failure(fmt::format("cannot write: '{}' is not a folder", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return systemError(fmt::format("cannot write: folder '{}'", folder));
  return ok();
}

void OutputFiles::add(std::string path, std::string contents) {
  files_.push_back({std::move(path), std::move(contents), {}, {}});
}

namespace {

constexpr std::string_view kTemporaryPrefix = ".lanewise.";
constexpr std::string_view kTemporarySuffix = ".tmp";

/// Tells apart processes with one id that write into one folder: other machines' and other
/// containers'.
const std::string& machineName() {
  static const std::string name = [] {
    char host[256] = "";
    (void)::gethostname(host, sizeof host - 1);
    std::error_code error;
    // Where there is no such link, the host's name must do.
    const std::string space = fs::read_symlink("/proc/self/ns/pid", error).string();
    return hexOf(sha256(std::string(host) + "/" + space)).substr(0, 8);
  }();
  return name;
}

/// A new file in the folder of `destination`, with the permissions of a file that is there.
Result<Descriptor> openTemporary(const Destination& destination, std::string& temporary) {
  if (destination.isFolder()) return failure("cannot write: it is a directory");
  // Machine and process id tell processes apart that write into one folder, the counter the files
  // of one of them, of which a whole folder may be open at once. The destination's name is no part:
  // it may be as long as names can be.
  static std::atomic<uint32_t> number = 0;
  const std::string beside = fmt::format("{}/{}{}.{}.", folderOf(destination.path),
                                         kTemporaryPrefix, machineName(), ::getpid());
  for (uint32_t attempt = 0;; ++attempt) {
    std::string name = fmt::format("{}{}{}", beside, number++, kTemporarySuffix);
    // 0666 lets the kernel apply the user's umask, as for any file the user makes.
    Descriptor out(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.get() < 0) {
      if (errno == EEXIST && attempt < 1000) continue; // of a process that had this id before
      return systemError("cannot write");
    }
    temporary = name;
    if (destination.oldMode && ::fchmod(out.get(), *destination.oldMode & 07777) != 0)
      return systemError("cannot keep the permissions");
    return out;
  }
}

} // namespace

void removeStaleTemporaries(const std::string& folder) {
  const std::string ours = std::string(kTemporaryPrefix) + machineName() + ".";
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix)) continue;
    struct stat info {};
    if (::lstat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    constexpr time_t kDay = 24 * 60 * 60;
    bool isStale = std::time(nullptr) - info.st_mtime > kDay;
    if (name.starts_with(ours)) {
      const pid_t owner = std::atoi(name.c_str() + ours.size());
      isStale = isStale || (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH);
    }
    if (isStale) ::unlink(at->path().c_str());
  }
}

Status OutputFiles::writeTemporary(File& file) {
  if (file.path == "-") return ok();
  const Destination destination = destinationOf(file.path);
  if (destination.isSpecial()) return ok();
  file.destination = destination.path;
  Result<Descriptor> out = openTemporary(destination, file.temporary);
  if (!out) return out.error();
  if (!writeAll(out->get(), file.contents)) return systemError("cannot write");
  if (out->close() != 0) return systemError("cannot write");
  return ok();
}

Status OutputFiles::writeDirectly(const File& file) {
  if (file.path == "-")
    return writeAll(STDOUT_FILENO, file.contents) ? ok()
                                                  : systemError("cannot write standard output");
  Descriptor out(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0 || !writeAll(out.get(), file.contents)) return systemError("cannot write");
  return ok();
}

namespace {

/// Whether `path` is a regular file that holds just this.
bool holds(const std::string& path, std::string_view contents) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      size_t(info.st_size) != contents.size())
    return false;
  Result<std::string> old = readFile(path);
  return old && *old == contents;
}

} // namespace

Status OutputFiles::commit() {
  if (keepsEqual_)
    std::erase_if(files_, [](const File& f) { return f.path != "-" && holds(f.path, f.contents); });
  auto fail = [&](const File& file, Error error) -> Status {
    for (const File& f : files_)
      if (!f.temporary.empty()) ::unlink(f.temporary.c_str());
    if (file.path != "-") error.message = file.path + ": " + error.message;
    return error;
  };
  for (const File& file : files_)
    if (Status s = checkIsNotKept(file.path); !s) return fail(file, s.error());
  for (File& file : files_)
    if (Status s = writeTemporary(file); !s) return fail(file, s.error());
  // Pipes before renames: a reader that went away leaves nothing behind.
  for (File& file : files_) {
    if (!file.temporary.empty()) continue;
    if (Status s = writeDirectly(file); !s) return fail(file, s.error());
  }
  for (File& file : files_) {
    if (file.temporary.empty()) continue;
    if (::rename(file.temporary.c_str(), file.destination.c_str()) != 0)
      return fail(file, systemError("cannot write"));
    file.temporary.clear();
  }
  files_.clear();
  return ok();
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile file;
  if (Status s = checkIsNotKept(path); !s) return s.error();
  const bool isStdout = path == "-";
  const Destination destination = isStdout ? Destination{} : destinationOf(path);
  if (isStdout || destination.isSpecial()) {
    file.file_ =
        Descriptor(isStdout ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.descriptor() < 0) return systemError("cannot write");
    return file;
  }
  file.destination_ = destination.path;
  Result<Descriptor> out = openTemporary(destination, file.temporary_);
  if (!out) return out.error();
  file.file_ = std::move(*out);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::move(other.file_)), destination_(std::move(other.destination_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::commit() {
  if (file_.close() != 0) return systemError("cannot write");
  if (temporary_.empty()) return ok();
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) return systemError("cannot write");
  temporary_.clear();
  return ok();
}

bool isFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Status makeFolder(const std::string& path) {
  if (isFolder(path)) return ok();
  std::error_code failed, ignored;
  fs::create_directories(path, failed);
  if (isFolder(path)) return ok();
  if (fs::exists(path, ignored)) return failure(fmt::format("{}: a file, not a folder", path));
  return failure(fmt::format("{}: cannot create this folder: {}", path, failed.message()));
}

bool isSameFile(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return false; // two streams
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored) ||
         fs::absolute(a, ignored).lexically_normal() == fs::absolute(b, ignored).lexically_normal();
}

std::string bytesOf(std::span<const uint32_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

std::vector<uint32_t> wordsOf(std::string_view bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

} // namespace lanewise::driver
