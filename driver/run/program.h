// Starts another program under the Vulkan layer, and waits for its end.
#pragma once

#include "lanewise/result.h"

#include <functional>
#include <string>
#include <vector>

namespace lanewise::driver {

struct ProgramRequest {
  std::vector<std::string> command; ///< the program, found on PATH, and its arguments
  std::string data;                 ///< folder that the layer writes to
  bool times = false;               ///< timestamps round every dispatch
  std::string optimizer;            ///< socket of who optimizes modules; "": nobody
  bool waits = false;               ///< for optimized modules
  std::string cache;                ///< folder of optimized modules
  std::string identity;             ///< of who optimizes them, and how
  std::string leftOut;              ///< modules that are not replaced: digits of hashes, commas
  /// A file for what it prints, and nothing to read; "": it has this process's streams.
  std::string printsTo;
  /// Called for each SIGUSR1 that this process gets meanwhile; null: the program gets it.
  std::function<void()> whenAsked;
};

struct ProgramEnd {
  int exitCode = 0;
  int signal = 0; ///< that ended it; 0: none
  /// The last signal that asked this process to end meanwhile, whatever the program made of it.
  int interrupted = 0;
  /// As shells have it: 128 and the signal's number.
  int passedOn() const { return signal != 0 ? 128 + signal : exitCode; }
};

/// The folder of the layer's manifest, beside the program that runs now.
Result<std::string> findLayer();

/// The environment that puts the layer into a program: `environment` ("NAME=VALUE" each) with the
/// layers that it names kept, and ours behind them unless it is among them; Vulkan's loader may
/// call them in another order.
std::vector<std::string> layeredEnvironment(std::vector<std::string> environment,
                                            const std::string& layerFolder,
                                            const ProgramRequest& request);

/// From here on a closed standard error does not end this process, which has to put things away
/// behind the program; the program finds SIGPIPE as it was.
void ignoreClosedPipes();

/// Signals that end programs are passed on to it; those that a terminal sends reach both, and this
/// process waits. The error says why it could not be started.
Result<ProgramEnd> runProgram(const ProgramRequest& request);

} // namespace lanewise::driver
