#include "options/command_line.h"

#include "options/shell_text.h"
#include "support/failure.h"
#include "support/suggest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lanewise::driver {

namespace {

/// What its column of --help leaves for the names of options.
constexpr size_t kNamesWidth = 34;

/// "-" is a value (a standard stream), and so is a negative number.
bool looksLikeOption(std::string_view arg) {
  return arg.size() > 1 && arg[0] == '-' && arg[1] != '.' && !std::isdigit(uint8_t(arg[1]));
}

/// "-Idir" is the option -I; "--target=x" is --target.
std::string nameIn(const std::string& arg) {
  return arg[1] == '-' ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
}

/// Of the options among the arguments; each letter of "-qS" is one, as in "-Idir".
std::set<std::string> namesIn(std::span<const std::string> args) {
  std::set<std::string> names;
  for (const std::string& arg : args) {
    if (arg == "--") break;
    if (!looksLikeOption(arg)) continue;
    if (arg[1] == '-')
      names.insert(nameIn(arg));
    else
      for (const char letter : arg.substr(1)) names.insert({'-', letter});
  }
  return names;
}

std::string listOf(std::span<const std::string> names) {
  std::string text;
  for (size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 == names.size() ? " or " : ", ") + names[n];
  return text;
}

template <typename Number>
OptionSetter numberSetter(std::string_view names, Number& target) {
  const std::string option(names.substr(names.find(',') + 1)); // the longer name
  return [option, &target](const std::string& value) -> Status {
    const char* const end = value.data() + value.size();
    std::from_chars_result read{};
    if constexpr (std::is_floating_point_v<Number>) {
      read = std::from_chars(value.data(), end, target);
    } else {
      const bool isHex = value.starts_with("0x") || value.starts_with("0X");
      read = std::from_chars(value.data() + (isHex ? 2 : 0), end, target, isHex ? 16 : 10);
    }
    if (read.ec == std::errc() && read.ptr == end) return ok();
    if (read.ec == std::errc::result_out_of_range)
      return failure(fmt::format("{}={} is out of range", option, value));
    return failure(fmt::format("{}={} must be {}", option, value,
                               std::is_floating_point_v<Number> ? "a number"
                               : std::is_unsigned_v<Number>     ? "a non-negative integer"
                                                                : "an integer"));
  };
}

} // namespace

Error notAChoice(std::string_view option, std::string_view value,
                 std::span<const std::string> names) {
  return failure(fmt::format("{}={}: it is {}", option, value, listOf(names)));
}

CommandOption& CommandOption::required() {
  description_.isRequired = true;
  return *this;
}

CommandOption& CommandOption::place() {
  isInKey_ = isShown_ = false;
  return *this;
}

CommandOption& CommandOption::output() {
  isOutput_ = true;
  return place();
}

CommandOption& CommandOption::notInKey() {
  isInKey_ = false;
  return *this;
}

CommandOption& CommandOption::alone(std::string value) {
  description_.isValueOptional = true;
  alone_ = std::move(value);
  return *this;
}

CommandOption& CommandOption::firstOnly() {
  isFirstOnly_ = true;
  return *this;
}

// ---- declaring ----

CommandLine::CommandLine(std::string command) : command_(std::move(command)) {
  options_.emplace_back(); // CLI11 has it already
  options_.back().description_ = {{"-h", "--help"}, {}, {}, {}, "Print this help message and exit"};
}

void CommandLine::example(std::string text, std::string command) {
  examples_.push_back({std::move(text), std::move(command)});
}

void CommandLine::alias(std::string alias, std::string name) {
  aliases_.emplace_back(std::move(alias), std::move(name));
}

CommandOption& CommandLine::add(std::string_view names, std::string type, OptionSetter set,
                                std::string help) {
  CommandOption& option = options_.emplace_back();
  OptionDescription& d = option.description_;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    d.names.emplace_back(name);
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  d.value = std::move(type);
  d.group = group_;
  d.text = std::move(help);
  option.set_ = std::move(set);
  return option;
}

CommandOption& CommandLine::flag(std::string_view names, bool& target, std::string help,
                                 bool whenGiven) {
  return add(
      names, {},
      [&target, whenGiven, option = std::string(names.substr(names.find(',') + 1))](
          const std::string& value) -> Status {
        if (value != "true" && value != "false")
          return failure(fmt::format("{} takes no value", option));
        target = (value == "true") == whenGiven;
        return ok();
      },
      std::move(help));
}

CommandOption& CommandLine::value(std::string_view names, std::string type, OptionSetter set,
                                  std::string help) {
  return add(names, std::move(type), std::move(set), std::move(help));
}

CommandOption& CommandLine::value(std::string_view names, std::string type, std::string& target,
                                  std::string help) {
  return add(
      names, std::move(type),
      [&target](const std::string& value) {
        target = value;
        return ok();
      },
      std::move(help));
}

CommandOption& CommandLine::value(std::string_view names, std::string type, uint32_t& target,
                                  std::string help) {
  return add(names, std::move(type), numberSetter(names, target), std::move(help));
}
CommandOption& CommandLine::value(std::string_view names, std::string type, uint64_t& target,
                                  std::string help) {
  return add(names, std::move(type), numberSetter(names, target), std::move(help));
}
CommandOption& CommandLine::value(std::string_view names, std::string type,
                                  std::optional<uint64_t>& target, std::string help) {
  return value(
      names, std::move(type),
      [&target, option = std::string(names)](const std::string& text) {
        return numberSetter(option, target.emplace())(text);
      },
      std::move(help));
}
CommandOption& CommandLine::value(std::string_view names, std::string type, int64_t& target,
                                  std::string help) {
  return add(names, std::move(type), numberSetter(names, target), std::move(help));
}
CommandOption& CommandLine::value(std::string_view names, std::string type, double& target,
                                  std::string help) {
  return add(names, std::move(type), numberSetter(names, target), std::move(help));
}

CommandOption& CommandLine::each(std::string_view names, std::string type, OptionSetter set,
                                 std::string help) {
  CommandOption& option = add(names, std::move(type), std::move(set), std::move(help));
  option.description_.isRepeatable = true;
  return option;
}

CommandOption& CommandLine::each(std::string_view names, std::string type,
                                 std::vector<std::string>& target, std::string help) {
  return each(
      names, std::move(type),
      [&target](const std::string& value) {
        target.push_back(value);
        return ok();
      },
      std::move(help));
}

CommandOption& CommandLine::positional(std::string label, std::string type, std::string& target,
                                       std::string help) {
  CommandOption& option = value({}, std::move(type), target, std::move(help));
  option.description_.label = std::move(label);
  return option;
}

CommandOption& CommandLine::positionals(std::string label, std::string type,
                                        std::vector<std::string>& target, std::string help) {
  CommandOption& option = each({}, std::move(type), target, std::move(help));
  option.description_.label = std::move(label);
  return option;
}

CommandOption& CommandLine::rest(std::string label, std::string type,
                                 std::vector<std::string>& target, std::string help) {
  CommandOption& option = positionals(std::move(label), std::move(type), target, std::move(help));
  option.isRest_ = true;
  return option.place();
}

// ---- CLI11 ----

namespace {

/// What CLI11 shall know of one option.
CLI::Option* addTo(CLI::App& app, const OptionDescription& d) {
  // CLI11 wants a positional's name to be one word.
  const bool isWord = std::all_of(d.label.begin(), d.label.end(),
                                  [](char c) { return std::isupper(uint8_t(c)) != 0; });
  const std::string names = !d.isPositional() ? fmt::format("{}", fmt::join(d.names, ","))
                            : isWord          ? d.label
                                              : "INPUT";
  if (d.value.empty())
    return app.add_flag(names, d.text)->group(d.group.empty() ? "Options" : d.group);
  CLI::Option* option = app.add_option_function<std::vector<std::string>>(
      names, [](const std::vector<std::string>&) {}, d.text);
  if (!d.isPositional()) option->allow_extra_args(false);
  if (!d.isRepeatable) option->expected(1);
  // How often is counted here, in our words.
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->type_name(d.isValueOptional ? fmt::format("[={}]", d.value) : d.value);
  if (!isWord) option->option_text(d.label);
  return option->group(d.group.empty() ? "Options" : d.group);
}

} // namespace

std::string CommandLine::help() const {
  CLI::App app(about_, program());
  app.get_formatter()->column_width(kNamesWidth);
  for (size_t n = 1; n < options_.size(); ++n) {
    OptionDescription d = options_[n].description_;
    for (const auto& [letters, name] : aliases_)
      if (d.names == std::vector{name}) d.text = fmt::format("{}: {}", letters, d.text);
    addTo(app, d)->required(d.isRequired);
  }
  return app.help() + (epilog_ ? epilog_() : "");
}

Result<bool> CommandLine::parse(std::span<char* const> args) {
  arguments_.assign(args.begin(), args.end());
  Result<std::vector<std::string>> sorted = sortOut(args);
  if (!sorted) return sorted.error();
  CLI::App app;
  // CLI11 compares each option with all before it: a hundred of them took half of the time of `opt`
  // of a small shader.
  const std::set<std::string> typed = namesIn(*sorted);
  std::vector<const CLI::Option*> declared(options_.size(), nullptr);
  for (size_t n = 1; n < options_.size(); ++n) {
    const OptionDescription& d = options_[n].description_;
    if (d.isPositional() ||
        std::any_of(d.names.begin(), d.names.end(),
                    [&](const std::string& name) { return typed.contains(name); }))
      declared[n] = addTo(app, d);
  }
  auto wrong = [&](std::string_view what) {
    return failure(fmt::format("{}; see '{} --help'", what, program()));
  };
  try {
    std::reverse(sorted->begin(), sorted->end()); // CLI11 takes arguments from the back
    app.parse(*sorted);
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ExtrasError&) {
    return wrong(fmt::format("unexpected argument '{}'", app.remaining().at(0)));
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  for (size_t n = 1; n < options_.size(); ++n)
    if (declared[n] && !options_[n].isRest_) options_[n].given_ = declared[n]->results();
  if (addDefaults_)
    if (Status s = addDefaults_(); !s) return s.error();
  if (std::optional<std::string> what = countGiven()) return wrong(*what);
  if (Status s = setValues(); !s) return s.error();
  return false;
}

// ---- parsing ----

/// What is missing, or there too often.
std::optional<std::string> CommandLine::countGiven() const {
  for (const CommandOption& option : options_) {
    const OptionDescription& d = option.description_;
    const std::string name = d.isPositional() ? d.label : d.names.back();
    if (d.isRequired && option.given_.empty()) return name + " is required";
    if (d.value.empty() || d.isRepeatable || option.given_.size() < 2) continue;
    return d.isPositional() ? fmt::format("unexpected argument '{}'", option.given_[1])
                            : fmt::format("{} is given {} times", name, option.given_.size());
  }
  return {};
}

Status CommandLine::addDefault(std::string_view name, const std::string& value,
                               const std::string& from) {
  CommandOption* option = find(name);
  const OptionDescription& d = option->description_;
  if (option->isOutput_)
    return failure(fmt::format("{}: what is written belongs on the command line, not here", from));
  if (!d.isRepeatable && !option->given_.empty()) return ok();
  option->given_.insert(option->given_.begin() + ptrdiff_t(option->defaultsFrom_.size()), value);
  option->defaultsFrom_.push_back(from);
  return ok();
}

Status CommandLine::addFamilyDefault(const std::string& argument, const std::string& from) {
  if (!family_ || isFamilyGiven_) return ok();
  Result<bool> isTaken = family_->take(argument);
  if (!isTaken) return failure(fmt::format("{}: {}", from, isTaken.error().message));
  if (*isTaken) return ok();
  return failure(fmt::format("{}: unknown pass '{}'; see {}", from, argument, family_->where));
}

CommandOption* CommandLine::find(std::string_view name) {
  for (CommandOption& option : options_)
    for (const std::string& known : option.description_.names)
      if (known == name) return &option;
  return nullptr;
}

CommandOption* CommandLine::findRest() {
  for (CommandOption& option : options_)
    if (option.isRest_) return &option;
  return nullptr;
}

const CommandOption* CommandLine::find(std::string_view name) const {
  return const_cast<CommandLine*>(this)->find(name);
}

std::string CommandLine::withoutAlias(const std::string& argument) const {
  const size_t end = std::min(argument.find('='), argument.size());
  for (const auto& [alias, name] : aliases_)
    if (argument.compare(0, end, alias) == 0) return name + argument.substr(end);
  return argument;
}

/// The arguments that are left for CLI11, which does not suggest anything for names that it does
/// not know, and takes the next argument as a value whatever it is: "--scenario= -o out.spv", as an
/// unset variable in a script leaves it, must not read a scenario named "-o".
Result<std::vector<std::string>> CommandLine::sortOut(std::span<char* const> args) {
  std::vector<std::string> rest;
  CommandOption* const others = findRest();
  for (size_t i = 0; i < args.size(); ++i) {
    std::string arg = args[i];
    if (others && (arg == "--" || !looksLikeOption(arg))) {
      others->given_.assign(args.begin() + ptrdiff_t(arg == "--" ? i + 1 : i), args.end());
      break;
    }
    if (arg == "--") {
      rest.insert(rest.end(), args.begin() + ptrdiff_t(i), args.end());
      break;
    }
    const std::string typed = arg.substr(0, arg.find('='));
    arg = withoutAlias(arg);
    if (!looksLikeOption(arg)) {
      rest.push_back(std::move(arg));
      continue;
    }
    const std::string name = nameIn(arg);
    const CommandOption* option = find(name);
    if (!option) {
      Result<bool> isTaken = family_ ? family_->take(arg) : false;
      if (!isTaken) return isTaken.error();
      if (!*isTaken) return unknown(arg);
      isFamilyGiven_ = true;
      continue;
    }
    const bool isLong = arg[1] == '-', hasValue = arg.size() > name.size();
    rest.push_back(arg);
    if (option->description_.value.empty()) continue;
    if (hasValue && isLong && arg.size() == name.size() + 1)
      return failure(typed + " needs a value");
    if (hasValue) continue;
    if (option->description_.isValueOptional) {
      rest.back() += "=" + option->alone_;
      continue;
    }
    const std::string next = i + 1 < args.size() ? args[i + 1] : "";
    if (next.empty()) return failure(typed + " needs a value");
    if (looksLikeOption(next))
      return failure(fmt::format("{} needs a value, but '{}' follows", typed, next));
    rest.push_back(next);
    ++i;
  }
  return rest;
}

Error CommandLine::unknown(const std::string& argument) const {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known;
  auto add = [&](const OptionDescription& d) {
    known.insert(known.end(), d.names.begin(), d.names.end());
  };
  if (family_)
    for (const OptionDescription& d : family_->describe()) add(d);
  for (const CommandOption& option : options_) add(option.description_);
  // One letter is near to any other.
  if (name.size() <= 2)
    std::erase_if(known, [&](const std::string& k) { return k.size() <= 2 && k != name; });
  const std::string where = family_ ? " and " + family_->where : "";
  return failure(
      fmt::format("unknown option '{}'{}", name,
                  didYouMean(name, known, fmt::format("see '{} --help'{}", program(), where))));
}

Status CommandLine::setValues() {
  for (CommandOption& option : options_)
    for (size_t n = 0; n < option.given_.size(); ++n)
      if (Status s = option.set_(option.given_[n]); !s)
        return n < option.defaultsFrom_.size()
                   ? failure(fmt::format("{}: {}", option.defaultsFrom_[n], s.error().message))
                   : s;
  for (const std::function<Status()>& check : checks_)
    if (Status s = check(); !s) return s;
  return ok();
}

// ---- afterwards ----

bool CommandLine::isGiven(std::string_view name) const {
  const CommandOption* option = find(name);
  return option && !option->given_.empty();
}

std::vector<std::string> CommandLine::given(std::string_view name) const {
  const CommandOption* option = find(name);
  return option ? option->given_ : std::vector<std::string>();
}

std::vector<std::string> CommandLine::typed(std::string_view name) const {
  const CommandOption* option = find(name);
  if (!option) return {};
  const size_t defaults = std::min(option->defaultsFrom_.size(), option->given_.size());
  return {option->given_.begin() + ptrdiff_t(defaults), option->given_.end()};
}

std::vector<std::string> CommandLine::inputs() const {
  std::vector<std::string> inputs;
  for (const CommandOption& option : options_)
    if (option.description_.isPositional() && !option.isRest_)
      for (const std::string& value : option.given_)
        if (inputs.empty() || !option.isFirstOnly_) inputs.push_back(value);
  return inputs;
}

const OptionDescription* CommandLine::describe(std::string_view name) const {
  const CommandOption* option = find(name);
  return option ? &option->description_ : nullptr;
}

std::vector<std::string> CommandLine::key() const {
  std::vector<std::string> key;
  for (const CommandOption& option : options_)
    if (option.isInKey_ && !option.description_.isPositional())
      for (const std::string& value : option.given_)
        key.insert(key.end(), {option.description_.names.back(), value});
  return key;
}

std::string CommandLine::shown() const {
  constexpr size_t kMostArguments = 40;
  std::string text = program();
  size_t shown = 0;
  for (size_t n = 0; n < arguments_.size(); ++n) {
    const std::string arg = withoutAlias(arguments_[n]);
    if (looksLikeOption(arg))
      if (const CommandOption* option = find(nameIn(arg)); option && !option->isShown_) {
        const bool hasValue = !option->description_.value.empty();
        if (hasValue && arg.size() == nameIn(arg).size()) ++n; // its value
        continue;
      }
    if (++shown > kMostArguments) continue;
    text += " " + shellWord(arguments_[n]);
  }
  return shown <= kMostArguments ? text
                                 : fmt::format("{} (and {} more)", text, shown - kMostArguments);
}

CommandDescription CommandLine::describe() const {
  constexpr std::string_view kExitCodes = "Exit codes: ";
  CommandDescription d;
  d.name = command_;
  d.examples = examples_;
  std::string_view rest = about_;
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
  for (const CommandOption& option : options_) {
    d.options.push_back(option.description_);
    // The letters are how people write it.
    for (const auto& [letters, name] : aliases_)
      if (option.description_.names == std::vector{name})
        d.options.back().names.insert(d.options.back().names.begin(), letters);
  }
  if (family_)
    for (OptionDescription& flag : family_->describe()) d.options.push_back(std::move(flag));
  return d;
}

} // namespace lanewise::driver
