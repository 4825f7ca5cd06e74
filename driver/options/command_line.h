// What one command takes, declared once: parsing, checks, --help, man pages, completion, the key of
// a cache and the command as reports show it all follow from it. CLI11 splits the arguments and
// prints --help; command_line.cpp is the only file that includes it.
#pragma once

#include "lanewise/result.h"
#include "options/command_description.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// Takes one value as it stands on the command line; the error is one line that names the option.
using OptionSetter = std::function<Status(const std::string& value)>;

/// One option while its command declares it.
class CommandOption {
public:
  /// The command cannot do without it.
  CommandOption& required();
  /// Says where something is written, not what: results do not depend on it, and a report, which
  /// may be kept under version control, does not show it.
  CommandOption& place();
  /// Names a file that is written: place(), and nothing that a project file may say.
  CommandOption& output();
  /// Results do not depend on it.
  CommandOption& notInKey();
  /// Only --name=VALUE gives a value; --name alone stands for this one.
  CommandOption& alone(std::string value);
  /// Of positionals: the command is about the first, with which it compares the others.
  CommandOption& firstOnly();

private:
  friend class CommandLine;
  OptionDescription description_;
  OptionSetter set_; ///< of a flag with "true" or "false"
  bool isInKey_ = true, isShown_ = true;
  bool isOutput_ = false, isFirstOnly_ = false, isRest_ = false;
  std::string alone_;
  std::vector<std::string> given_;
  /// Where the values come from that stand before the typed ones, a place for each.
  std::vector<std::string> defaultsFrom_;
};

/// Flags that are too many, or too dependent on their order, to be declared one by one: the passes
/// of a pipeline.
struct FlagFamily {
  /// Takes an argument that begins with a dash and that no declared option has. False: it is not of
  /// this family either.
  std::function<Result<bool>(const std::string& argument)> take;
  std::function<std::vector<OptionDescription>()> describe;
  std::string where; ///< that tells more of them, for messages: "'lanewise passes'"
};

class CommandLine {
public:
  /// `command` stands behind `lanewise`: "opt", "layout pack".
  explicit CommandLine(std::string command);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Declaring, in the order of --help. What is written to lives as long as this.

  /// What the command does. A line that begins with "Exit codes: " tells those that are not the
  /// program's.
  void about(std::string text) { about_ = std::move(text); }
  void example(std::string text, std::string command);
  /// What stands behind the options in --help.
  void epilog(std::function<std::string()> text) { epilog_ = std::move(text); }
  /// Options declared from here on stand under this heading; "" for none.
  void group(std::string heading) { group_ = std::move(heading); }

  /// `names` are separated by commas, "-o,--output". `type` is OptionDescription::value. What may
  /// be given once only is refused when it is given twice.
  CommandOption& flag(std::string_view names, bool& target, std::string help,
                      bool whenGiven = true);
  CommandOption& value(std::string_view names, std::string type, std::string& target,
                       std::string help);
  CommandOption& value(std::string_view names, std::string type, uint32_t& target,
                       std::string help);
  CommandOption& value(std::string_view names, std::string type, uint64_t& target,
                       std::string help);
  CommandOption& value(std::string_view names, std::string type, std::optional<uint64_t>& target,
                       std::string help);
  CommandOption& value(std::string_view names, std::string type, int64_t& target, std::string help);
  CommandOption& value(std::string_view names, std::string type, double& target, std::string help);
  CommandOption& value(std::string_view names, std::string type, OptionSetter set,
                       std::string help);
  /// As often as one wants.
  CommandOption& each(std::string_view names, std::string type, std::vector<std::string>& target,
                      std::string help);
  CommandOption& each(std::string_view names, std::string type, OptionSetter set, std::string help);
  /// Arguments without a dash. `label` is what help calls them.
  CommandOption& positional(std::string label, std::string type, std::string& target,
                            std::string help);
  CommandOption& positionals(std::string label, std::string type, std::vector<std::string>& target,
                             std::string help);
  /// The command of another program: what stands behind "--", or from the first argument without a
  /// dash on, as it is. At most once, and with no other positionals.
  CommandOption& rest(std::string label, std::string type, std::vector<std::string>& target,
                      std::string help);

  /// Several letters behind one dash, as compilers have them: "-MD" for "--write-dependencies".
  void alias(std::string alias, std::string name);
  void family(FlagFamily family) { family_ = std::move(family); }

  /// Is called when what was typed is known and nothing is set: may add defaults.
  void beforeSetting(std::function<Status()> add) { addDefaults_ = std::move(add); }
  /// Is called when all values are set, behind what was declared before it.
  void check(std::function<Status()> check) { checks_.push_back(std::move(check)); }

  // Afterwards.

  /// Sets and checks what was declared. True when --help was asked for: nothing else has been
  /// looked at then. The error is one line.
  Result<bool> parse(std::span<char* const> args);
  std::string help() const;
  CommandDescription describe() const;

  bool isGiven(std::string_view name) const;
  std::vector<std::string> given(std::string_view name) const;
  /// Those that no project file gave.
  std::vector<std::string> typed(std::string_view name) const;
  /// The positionals that the command is about.
  std::vector<std::string> inputs() const;
  /// Null where there is no such option.
  const OptionDescription* describe(std::string_view name) const;
  const std::string& command() const { return command_; }

  // For beforeSetting().

  /// A value as if it had been typed first. One that can be given once is not needed where it was
  /// typed. `from` is the place ("FILE:LINE") that its errors begin with.
  Status addDefault(std::string_view name, const std::string& value, const std::string& from);
  /// An argument that shown() has as well.
  void alsoShow(std::string argument) { arguments_.push_back(std::move(argument)); }
  /// An argument of the family, where none was typed.
  Status addFamilyDefault(const std::string& argument, const std::string& from);
  /// Every option that was given and that results may depend on, "NAME" and "VALUE" in turn, in an
  /// order that does not depend on the command line's. Positionals and families are left out.
  std::vector<std::string> key() const;
  /// The command as it was typed, without places.
  std::string shown() const;

private:
  CommandOption& add(std::string_view names, std::string type, OptionSetter set, std::string help);
  CommandOption* find(std::string_view name);
  CommandOption* findRest();
  const CommandOption* find(std::string_view name) const;
  std::string program() const { return "lanewise " + command_; }
  std::string withoutAlias(const std::string& argument) const;
  Result<std::vector<std::string>> sortOut(std::span<char* const> args);
  std::optional<std::string> countGiven() const;
  Error unknown(const std::string& argument) const;
  Status setValues();

  std::string command_, about_, group_;
  std::function<std::string()> epilog_;
  std::vector<CommandExample> examples_;
  std::deque<CommandOption> options_; ///< addresses stay
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::optional<FlagFamily> family_;
  bool isFamilyGiven_ = false;
  std::function<Status()> addDefaults_;
  std::vector<std::function<Status()>> checks_;
  std::vector<std::string> arguments_; ///< as they were typed
};

/// "OPTION=VALUE: it is A, B or C".
Error notAChoice(std::string_view option, std::string_view value,
                 std::span<const std::string> names);

/// Sets an enumeration from one of its names. `names` are in the order of the enumerators.
template <typename Enum>
OptionSetter choice(std::string option, Enum& target, std::vector<std::string> names) {
  return [option = std::move(option), &target,
          names = std::move(names)](const std::string& value) -> Status {
    for (size_t n = 0; n < names.size(); ++n)
      if (names[n] == value) {
        target = Enum(n);
        return ok();
      }
    return notAChoice(option, value, names);
  };
}

} // namespace lanewise::driver
