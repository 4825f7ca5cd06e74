// `lanewise --version`.
#pragma once

#include <string>

namespace lanewise::driver {

/// Lanewise's version and those of the libraries that it was built with, one a line.
std::string versionText();
/// "0.1.0"
std::string lanewiseVersion();

} // namespace lanewise::driver
