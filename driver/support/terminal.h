// What is known of the terminals that people read on: the one place that decides about colour.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace lanewise::driver {

/// Of --color.
enum class ColorMode : uint8_t { Auto, Always, Never };

/// What the environment says of colour; null: the variable is not set.
struct ColorEnvironment {
  const char* noColor = nullptr;       ///< NO_COLOR (no-color.org): any text forbids it
  const char* cliColorForce = nullptr; ///< CLICOLOR_FORCE: anything but "0" asks for it in pipes
  const char* term = nullptr;          ///< TERM: none, or "dumb", has no colours
};

/// What was asked for on the command line comes first, then NO_COLOR, then CLICOLOR_FORCE.
bool wantsColor(ColorMode mode, const ColorEnvironment& environment, bool isTerminal);

/// For the whole program.
void setColorMode(ColorMode mode);

bool isTerminal(std::FILE* stream);
/// Whether what people read is coloured there. Machines' formats never are.
bool isColored(std::FILE* stream);
/// Whether a line on it can be written anew: a terminal, and none that is said to be dumb.
bool canErase(std::FILE* stream);
/// Columns of the terminal; 0 where there is none, or it does not say.
uint32_t terminalWidth(std::FILE* stream);

} // namespace lanewise::driver
