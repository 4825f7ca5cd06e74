// What the environment asks of the layer (protocol.h), read once.
#pragma once

#include <string>
#include <string_view>

namespace lanewise::layer {

struct Settings {
  std::string data;      ///< folder for what was seen
  bool times = false;    ///< write timestamps
  std::string optimizer; ///< socket; "": nothing is optimized
  bool waits = false;    ///< for optimized modules
  std::string cache;     ///< folder of optimized modules
  std::string identity;  ///< of who optimizes them, and how
  std::string leftOut;   ///< first digits of hashes of modules, with commas

  /// Whether modules with this hash stay as they are.
  bool leavesOut(std::string_view hash) const;
  bool optimizes() const { return !optimizer.empty() && !cache.empty(); }
  bool isOff() const { return data.empty(); }
};

const Settings& settings();

} // namespace lanewise::layer
