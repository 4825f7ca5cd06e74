// What tells one build of the program from another where the version does not.
#pragma once

#include <string>

namespace lanewise::driver {

/// The versions of Lanewise and its libraries, and for the program and each shared library that is
/// loaded now its build id, or where it has none the hash of its file.
std::string buildIdentity();

} // namespace lanewise::driver
