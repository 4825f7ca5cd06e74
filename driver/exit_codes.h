// Exit codes of every subcommand (docs/command-line.md).
#pragma once

namespace lanewise::driver {

enum ExitCode : int {
  kDone = 0,
  kBadUsageOrInput = 1, ///< one line on stderr: file, place, what, how to mend
  kFoundSomething = 2,  ///< verification failed, or lint found something
  kNoDevice = 3
};

} // namespace lanewise::driver
