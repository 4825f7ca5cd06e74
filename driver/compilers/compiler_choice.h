// Which drivers' compilers are asked: AMD's without a GPU (Mesa's RADV on its null device), and
// those of the devices at hand.
#pragma once

#include "compilers/amd_families.h"
#include "lanewise/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// One compiler.
struct CompilerChoice {
  std::string name; ///< as --on takes it: "navi21", or an index of `lanewise devices`
  /// Of RADV's null device; null for a device at hand.
  const AmdFamily* family = nullptr;
  uint32_t device = 0;  ///< index of a device at hand
  bool isAsked = false; ///< by name: not to be left out where the installed driver lacks it
};

/// The driver that has null devices.
struct NullDriver {
  std::string manifest; ///< the file by which the Vulkan loader finds it
  std::string library;  ///< as the manifest names it
  std::string identity; ///< of the library's file: another one may compile otherwise
};
/// RADV, as it is installed. The error is one line and says what to install.
Result<NullDriver> findNullDriver();

/// An AMD GPU of each generation that the installed driver knows.
inline constexpr std::string_view kDefaultCompilers = "default";

/// Those that --on names ("navi21,0"; "default"; "all" for every family and every device at hand).
/// Names are told apart here; whether the installed driver knows a family turns out when it is
/// opened. Nothing is opened but what tells which devices there are.
Result<std::vector<CompilerChoice>> chooseCompilers(const std::string& on);

/// Whether names like these can be right, so that only devices are missing where chooseCompilers()
/// finds something to object to.
bool areCompilerNames(const std::string& on);

/// What results depend on besides the module: the choices, the drivers behind them and what the
/// environment says to these.
Result<std::string> identityOf(const std::vector<CompilerChoice>& choices);

/// For as long as it lives, the environment is such that the Vulkan loader finds this compiler and
/// no other: instances made meanwhile keep it. Of a device at hand nothing changes.
class CompilerEnvironment {
public:
  /// `driverName` is one of the family's.
  CompilerEnvironment(const NullDriver& driver, std::string_view driverName);
  ~CompilerEnvironment();
  CompilerEnvironment(const CompilerEnvironment&) = delete;
  CompilerEnvironment& operator=(const CompilerEnvironment&) = delete;

private:
  void set(const char* name, const std::string* value);
  std::vector<std::pair<std::string, std::string>> before_; ///< to be set again
  std::vector<std::string> absent_;                         ///< to be unset again
};

} // namespace lanewise::driver
