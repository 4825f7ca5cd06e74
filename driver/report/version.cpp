#include "report/version.h"

#include "input/front_end.h"
#include "spirv/spirv_tools.h"
#include "transpile/spirv_cross.h"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace lanewise::driver {

std::string lanewiseVersion() {
  return LANEWISE_VERSION;
}

std::string versionText() {
  return fmt::format("lanewise {}\n"
                     "SPIRV-Tools {}\n"
                     "glslang {}\n"
                     "SPIRV-Cross {}\n"
                     "CLI11 {}\n"
                     "fmt {}.{}.{}\n"
                     "nlohmann-json {}.{}.{}\n"
                     "toml++ {}.{}.{}\n",
                     LANEWISE_VERSION, spirvToolsVersion(), glslangVersion(), spirvCrossVersion(),
                     CLI11_VERSION, FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
                     NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH, TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH);
}

} // namespace lanewise::driver
