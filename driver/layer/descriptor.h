// An open file of the layer's in a process whose descriptors are the program's: it may close any of
// them at any time, and then open a file of its own that gets the same number.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise::layer {

class Descriptor {
public:
  /// Moves it out of the way.
  explicit Descriptor(int number) : number_(number) {
    if (number_ < 0) return;
    if (const int higher = ::fcntl(number_, F_DUPFD_CLOEXEC, kFirstNumber); higher >= 0) {
      ::close(number_);
      number_ = higher;
    }
    struct stat about {};
    if (::fstat(number_, &about) == 0) device_ = about.st_dev, inode_ = about.st_ino;
  }
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() {
    if (isOpen()) ::close(number_);
  }

  /// Whether the number still is this file's.
  bool isOpen() const {
    struct stat about {};
    return number_ >= 0 && ::fstat(number_, &about) == 0 && isSame(about);
  }
  int get() const { return isOpen() ? number_ : -1; }
  bool isSame(const struct stat& about) const {
    return about.st_dev == device_ && about.st_ino == inode_;
  }

private:
  /// Neither select() nor anybody who counts on the lowest number gets in touch with these.
  static constexpr int kFirstNumber = 200;

  int number_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

} // namespace lanewise::layer
