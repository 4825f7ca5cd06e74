#include "support/terminal.h"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lanewise::driver {

namespace {

ColorMode& mode() {
  static ColorMode mode = ColorMode::Auto;
  return mode;
}

} // namespace

bool wantsColor(ColorMode mode, const ColorEnvironment& environment, bool isTerminal) {
  auto text = [](const char* value) { return std::string_view(value ? value : ""); };
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  if (!text(environment.noColor).empty()) return false;
  const std::string_view force = text(environment.cliColorForce);
  if (!force.empty() && force != "0") return true;
  const std::string_view term = text(environment.term);
  return isTerminal && !term.empty() && term != "dumb";
}

void setColorMode(ColorMode wanted) {
  mode() = wanted;
}

bool isTerminal(std::FILE* stream) {
  return ::isatty(::fileno(stream)) != 0;
}

bool canErase(std::FILE* stream) {
  return wantsColor(ColorMode::Auto, {nullptr, nullptr, std::getenv("TERM")}, isTerminal(stream));
}

bool isColored(std::FILE* stream) {
  const ColorEnvironment environment{std::getenv("NO_COLOR"), std::getenv("CLICOLOR_FORCE"),
                                     std::getenv("TERM")};
  return wantsColor(mode(), environment, isTerminal(stream));
}

uint32_t terminalWidth(std::FILE* stream) {
  winsize size{};
  if (!isTerminal(stream) || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

} // namespace lanewise::driver
