// What the environment asks of the layer (protocol.h), read once.
#pragma once

#include <string>

namespace lanewise::layer {

struct Settings {
  std::string data;   ///< folder for what was seen
  bool times = false; ///< write timestamps

  bool isOff() const { return data.empty(); }
};

const Settings& settings();

} // namespace lanewise::layer
