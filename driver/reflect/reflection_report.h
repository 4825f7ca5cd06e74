// What modules ask for, as text for people and JSON for programs (docs/reflect.md).
#pragma once

#include "reflect/module_interface.h"

#include <string>
#include <vector>

namespace lanewise::driver {

enum class ReflectFormat : uint8_t { Text, Json };

struct ReflectedInput {
  std::string name; ///< as given on the command line; "<stdin>" for standard input
  ModuleInterface interface;
};

/// An input that could not be read.
struct UnreflectedInput {
  std::string name;
  std::string message; ///< as it was printed
};

struct ReflectReport {
  std::vector<ReflectedInput> inputs;
  std::vector<UnreflectedInput> failed;
};

/// One input after the other.
std::string reflectionAsText(const ReflectReport& report);
/// One object.
std::string reflectionAsJson(const ReflectReport& report);

/// The default of a specialization constant: "true", "-3", "0.5".
std::string defaultText(const DescribedSpecConstant& constant);

} // namespace lanewise::driver
