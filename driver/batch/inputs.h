// Which files a batch takes, and where each one's output goes.
#pragma once

#include "lanewise/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::driver {

struct BatchInput {
  std::string path;   ///< as it is opened and named in messages
  std::string output; ///< below the output folder, its relative path and name kept
  uint64_t bytes = 0; ///< 0 where it cannot be told
};

struct InputRequest {
  std::string from; ///< a folder, a file that lists paths, or "-" for such a list on standard input
  std::string output; ///< the folder that they go to
  std::string root;   ///< of lists: outputs keep the paths below it; "" for the current one
  std::vector<std::string> exclude; ///< globs of paths below the folder or root
  bool asText = false;              ///< outputs are .spvasm
};

/// A folder is searched to its depths for modules and shaders of every stage, by their extensions;
/// names that begin with a dot and the output folder are passed over, symbolic links are followed
/// unless they lead back to a folder that they lie in. A list has one path a line, taken as they
/// are; empty lines and those that begin with '#' do not count.
///
/// In the order of their paths. Errors: nothing to read, two inputs with one output, an output that
/// is an input.
Result<std::vector<BatchInput>> collectInputs(const InputRequest& request);

} // namespace lanewise::driver
