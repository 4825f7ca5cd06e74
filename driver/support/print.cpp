#include "support/print.h"

#include "support/colored_text.h"
#include "support/progress_line.h"
#include "support/source_quote.h"
#include "support/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace lanewise::driver {

namespace {

int whyLost = 0; ///< errno of the first text for standard output that could not be written

} // namespace

void printPlain(std::FILE* stream, std::string_view text) {
  ProgressLine::wipe();
  // The stream remembers that there was an error (ferror), but not which.
  const size_t written = std::fwrite(text.data(), 1, text.size(), stream);
  if (written < text.size() && stream == stdout && whyLost == 0) whyLost = errno;
}

void printDiagnostics(std::FILE* stream, std::string_view text) {
  const std::string shown = withoutControls(text);
  printPlain(stream, isColored(stream) ? colored(shown) : shown);
}

namespace {

std::string_view cutLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

bool isSource(std::string_view line) {
  return line.starts_with("    ");
}

} // namespace

std::string asErrorLines(std::string_view message) {
  std::string text;
  bool isBelowCompilers = false;
  do {
    const std::string_view line = cutLine(message);
    const bool isCompilers =
        line.find(": error: ") != line.npos || (isBelowCompilers && isSource(line));
    text += fmt::format("{}{}\n", isCompilers ? "" : "lanewise: error: ", line);
    isBelowCompilers = isCompilers;
  } while (!message.empty());
  return text;
}

std::string withoutSource(std::string_view message) {
  std::string text;
  do {
    const std::string_view line = cutLine(message);
    if (text.empty() || !isSource(line))
      text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
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
  const int why = whyLost != 0 ? whyLost : errno;
  printError("lanewise: error: cannot write standard output{}{}\n", why ? ": " : "",
             why ? std::strerror(why) : "");
  return exitCode == kDone ? kBadUsageOrInput : exitCode;
}

} // namespace lanewise::driver
