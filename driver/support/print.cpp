#include "support/print.h"

#include "support/colored_text.h"
#include "support/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace lanewise::driver {

void printPlain(std::FILE* stream, std::string_view text) {
  // The stream remembers an error (ferror).
  (void)!std::fwrite(text.data(), 1, text.size(), stream);
}

void printDiagnostics(std::FILE* stream, std::string_view text) {
  printPlain(stream, isColored(stream) ? colored(text) : std::string(text));
}

std::string asErrorLines(std::string_view message) {
  std::string text;
  do {
    const std::string_view line = message.substr(0, message.find('\n'));
    message.remove_prefix(std::min(message.size(), line.size() + 1));
    const bool isCompilers = line.find(": error: ") != line.npos;
    text += fmt::format("{}{}\n", isCompilers ? "" : "lanewise: ", line);
  } while (!message.empty());
  return text;
}

int fail(std::string_view message, int exitCode) {
  printError("{}", asErrorLines(message));
  return exitCode;
}

void openStandardStreams() {
  // open() gives the lowest free number, so going upwards fills each gap. Output is opened for
  // reading only: then it fails as if it were still closed.
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int finishOutput(int exitCode) {
  errno = 0;
  bool isLost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!isLost) return exitCode;
  printError("lanewise: cannot write standard output{}{}\n", errno ? ": " : "",
             errno ? std::strerror(errno) : "");
  return exitCode == kDone ? kBadUsageOrInput : exitCode;
}

} // namespace lanewise::driver
