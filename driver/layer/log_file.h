// The file of the layer's log.
#pragma once

#include "layer/descriptor.h"

#include <optional>
#include <string>
#include <string_view>

namespace lanewise::layer {

/// Writes all of it. A limit on the size of files (RLIMIT_FSIZE) is an error, and no signal.
bool writeAll(int file, std::string_view bytes);

class LogFile {
public:
  /// False where nothing is written, for now or for good (isOver()). The file is made, or opened
  /// again where the program has closed it.
  bool write(std::string_view bytes);
  void close() { file_.reset(); }
  /// A disk that is full, say: what was written stays, and a file beside it says why.
  bool isOver() const { return isOver_; }

private:
  bool open();
  void giveUp(int why);

  std::string path_; ///< "" before it is made
  std::optional<Descriptor> file_;
  bool isOver_ = false;
};

} // namespace lanewise::layer
