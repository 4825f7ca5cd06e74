// What a command declares of itself (command_line.h). Man pages, completion and the keys of project
// files are made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

struct OptionDescription {
  /// With their dashes, shorter ones first. Empty for a positional.
  std::vector<std::string> names;
  /// What help calls it: of a positional only.
  std::string label;
  /// What stands for its value, as in "FILE.toml" or "text|json"; "" for a flag. Words of small
  /// letters are values themselves, others name a kind of value (completion.h).
  std::string value;
  std::string group; ///< heading; "" for none
  std::string text;
  bool isValueOptional = false; ///< --name or --name=VALUE
  bool isRepeatable = false;
  bool isRequired = false;

  bool isPositional() const { return names.empty(); }
};

struct CommandExample {
  std::string text; ///< what it does
  std::string command;
};

struct CommandDescription {
  std::string name;    ///< behind `lanewise`: "opt", "layout pack"
  std::string summary; ///< one line without a point, from the table of commands
  std::string about;   ///< what it does
  /// "0 done; 1 bad usage", or "" where those of the program hold
  std::string exitCodes;
  std::vector<OptionDescription> options; ///< in the order of --help
  std::vector<CommandExample> examples;
};

} // namespace lanewise::driver
