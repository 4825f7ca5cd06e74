#pragma once

#include "lanewise/result.h"

#include <string>
#include <utility>

namespace lanewise::driver {

/// An Error that blames no place of a module.
inline Error failure(std::string message) {
  Error error;
  error.message = std::move(message);
  return error;
}

} // namespace lanewise::driver
