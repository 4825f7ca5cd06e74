// Reading whole files, and writing several so that each appears whole or not at all.
#pragma once

#include "lanewise/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// Reads a whole file, or standard input for "-". The message of an error does not name the file.
Result<std::string> readFile(const std::string& path);

/// The same for a regular file only: anything else, such as a folder or a pipe, is an Error at
/// once.
Result<std::string> readRegularFile(const std::string& path);

/// Text without the mark that editors write before UTF-8, and nobody reads.
std::string_view withoutByteOrderMark(std::string_view text);

/// Of a file that the command reads and no output may replace, once it was read: every way of
/// writing below refuses it from then on. Modules are none: an output may take their place.
void keepFile(const std::string& path);

/// Says early whether `path` can be written, so that long work does not end in a surprise. It may
/// still fail later. "-" always can.
Status checkWritable(const std::string& path);

/// False where it cannot be told, too.
bool isFolder(const std::string& path);

/// Makes the folder and those around it where they are not there. The error names the path.
Status makeFolder(const std::string& path);

/// Whether two names lead to one file, which need not exist. "-" leads to none.
bool isSameFile(const std::string& a, const std::string& b);

/// Files to be written together: all contents go to temporary files beside their destinations
/// first, and only when every one of them is on disk are they renamed into place. On an error
/// nothing is left behind and old files keep their contents. An existing file keeps its
/// permissions, a symbolic link stays one.
class OutputFiles {
public:
  /// `path` may be "-" for standard output; devices and pipes are written directly.
  void add(std::string path, std::string contents);
  bool isEmpty() const { return files_.empty(); }
  /// A file that has its contents already is not written, and keeps its time of modification: a
  /// build system sees that nothing changed.
  void keepEqualFiles() { keepsEqual_ = true; }
  Status commit();

private:
  struct File {
    std::string path, contents;
    std::string destination, temporary; ///< set while committing; empty temporary: written directly
  };
  Status writeTemporary(File& file);
  Status writeDirectly(const File& file);
  std::vector<File> files_;
  bool keepsEqual_ = false;
};

/// Deletes what killed processes left in `folder`: temporary files of this machine whose process is
/// gone, and those that are older than a day, whoever made them. Errors are passed over: such files
/// are in nobody's way.
void removeStaleTemporaries(const std::string& folder);

/// An open file, closed on every way out.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { (void)close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  /// The result of closing matters for written files: a full disk may only be noticed here.
  int close();

private:
  int fd_;
};

/// The folder, open, and locked until that is closed; waits for other processes. Nothing where it
/// cannot be locked, such as on some file systems of networks.
Descriptor lockFolder(const std::string& path);
/// Nothing also where another process has locked it, or where it is a link to a folder.
Descriptor tryLockFolder(const std::string& path);

/// Opens a file for reading, or standard input for "-". The message of an error does not name it.
Result<Descriptor> openForReading(const std::string& path);
/// A file without a name, which is gone when it is closed.
Result<Descriptor> openScratchFile();

/// One file that is written piece by piece: to a temporary file beside its destination, which
/// commit() renames into place. Without commit() nothing is left behind and an old file keeps its
/// contents. Standard output ("-"), devices and pipes are written directly.
class OutputFile {
public:
  static Result<OutputFile> create(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  int descriptor() const { return file_.get(); }
  /// Whether pwrite() works on it.
  bool isSeekable() const { return !temporary_.empty(); }
  Status commit();

private:
  OutputFile() = default;
  Descriptor file_;
  std::string destination_, temporary_; ///< empty temporary: written directly, or committed
};

/// Words of a module as the bytes of a file, and back. SPIR-V files are little-endian, as is every
/// machine that Lanewise is built for.
std::string bytesOf(std::span<const uint32_t> words);
std::vector<uint32_t> wordsOf(std::string_view bytes);

} // namespace lanewise::driver
