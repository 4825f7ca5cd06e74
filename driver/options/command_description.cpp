#include "options/command_description.h"

#include <CLI/CLI.hpp>

namespace lanewise::driver {

namespace {

constexpr std::string_view kProgram = "lanewise ";
constexpr std::string_view kExitCodes = "Exit codes: ";

OptionDescription describe(const CLI::Option& option) {
  OptionDescription d;
  for (const std::string& name : option.get_snames()) d.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) d.names.push_back("--" + name);
  if (d.isPositional())
    d.label = option.get_option_text().empty() ? option.get_name(true) : option.get_option_text();
  if (d.isPositional() || option.get_items_expected_max() > 0) d.value = option.get_type_name();
  // CLI11's own group of what has none.
  d.group = option.get_group() == "Options" ? "" : option.get_group();
  d.text = option.get_description();
  while (d.text.ends_with(' ')) d.text.pop_back();
  d.isRepeatable = option.get_expected_max() > 1;
  d.isRequired = option.get_required();
  return d;
}

} // namespace

CommandDescription describe(const CLI::App& app, std::vector<CommandExample> examples) {
  CommandDescription d;
  d.name = app.get_name().substr(kProgram.size());
  d.examples = std::move(examples);
  const std::string description = app.get_description();
  std::string_view rest = description;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with(kExitCodes)) {
      d.exitCodes = line.substr(kExitCodes.size());
      if (d.exitCodes.ends_with('.')) d.exitCodes.pop_back();
    } else {
      d.about += d.about.empty() ? "" : "\n";
      d.about += line;
    }
  }
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) d.options.push_back(describe(*option)); // "" hides it
  return d;
}

} // namespace lanewise::driver
