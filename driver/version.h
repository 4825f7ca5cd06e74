// `lanewise --version`.
#pragma once

#include <string>

namespace lanewise::driver {

/// Lanewise's version and those of the libraries that it was built with, one a line.
std::string versionText();

} // namespace lanewise::driver
