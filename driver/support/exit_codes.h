// Exit codes of every subcommand (docs/command-line.md).
#pragma once

namespace lanewise::driver {

enum ExitCode : int {
  kDone = 0,
  kBadUsageOrInput = 1, ///< one line on stderr: file, place, what, how to mend
  kFoundSomething = 2,  ///< verification failed, or lint found something
  kNoDevice = 3
};

/// For --help and man pages: "CODE meaning", one behind the other.
inline constexpr const char* kExitCodes =
    "0 done; 1 bad usage or input; 2 verification or lint found something; 3 no usable device";

} // namespace lanewise::driver
