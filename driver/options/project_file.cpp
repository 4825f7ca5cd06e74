#include "options/project_file.h"

#include "input/workload.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <utility>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "lanewise.toml";
// Keys that are no options.
constexpr std::string_view kPasses = "passes", kScenarios = "scenarios";

Result<std::string> projectOf(const CommandLine& line) {
  if (const std::vector<std::string> typed = line.given("--project"); !typed.empty())
    return typed[0] == kNoProject ? std::string() : typed[0];
  std::vector<std::string> inputs = line.inputs();
  if (inputs.empty()) inputs = line.given("--scenario"); // `opt` of a whole program
  std::string found, of;
  for (const std::string& input : inputs) {
    const std::string file = projectFileAbove(input);
    if (file.empty() || file == found) continue;
    if (!found.empty())
      return failure(fmt::format("{} and {} belong to different projects, {} and {}; give "
                                 "--project=FILE.toml or --project=none",
                                 of, input, found, file));
    found = file, of = input;
  }
  return found;
}

/// What a file says to one command.
class ProjectReader {
public:
  ProjectReader(CommandLine& line, std::string file,
                const std::function<std::vector<CommandDescription>()>& describeAll)
      : line_(line), file_(std::move(file)), describeAll_(describeAll) {}

  Status apply() {
    Result<std::string> text = readRegularFile(file_);
    if (!text) return failure(fmt::format("{}: {}", file_, text.error().message));
    keepFile(file_);
    toml::parse_result root = toml::parse(*text, file_);
    if (!root) return errorAt(root.error().source(), std::string(root.error().description()));
    // What is said to this command goes before what is said to all.
    for (auto&& [key, node] : root.table())
      if (node.is_table() && key.str() == line_.command())
        if (Status s = readTable(*node.as_table()); !s) return s;
    for (auto&& [key, node] : root.table())
      if (Status s = readForAll(std::string(key.str()), node); !s) return s;
    return addValues();
  }

private:
  struct Value {
    std::string text, place;
  };

  Error errorAt(const toml::source_region& where, const std::string& message) const {
    return failure(fmt::format("{}:{}: {}", file_, where.begin.line, message));
  }
  std::string placeOf(const toml::node& node) const {
    return fmt::format("{}:{}", file_, node.source().begin.line);
  }

  Status readTable(const toml::table& table) {
    for (auto&& [key, node] : table)
      if (Status s = readKey(std::string(key.str()), node); !s) return s;
    return ok();
  }

  /// A key of the file itself: all commands read it that know it.
  Status readForAll(const std::string& key, const toml::node& node) {
    if (node.is_table()) return checkTable(key, *node.as_table());
    if (key == kPasses || key == kScenarios || line_.describe("--" + key))
      return readKey(key, node);
    const std::vector<std::string> known = keysOf({});
    if (std::find(known.begin(), known.end(), key) != known.end()) return ok(); // another command's
    return unknownKey(key, node, known);
  }

  /// Tables of other commands are theirs to read, but keys that they do not have are none.
  Status checkTable(const std::string& key, const toml::table& table) {
    std::vector<std::string> known;
    for (const CommandDescription& command : describeAll_()) {
      known.push_back(command.name);
      if (command.name != key) continue;
      const std::vector<std::string> keys = keysOf(key);
      for (auto&& [name, node] : table)
        if (std::find(keys.begin(), keys.end(), name.str()) == keys.end())
          return unknownKey(std::string(name.str()), node, keys);
      return ok();
    }
    return errorAt(table.source(), fmt::format("no command '{}'{}", key, didYouMean(key, known)));
  }

  /// Of one command, "" for all.
  std::vector<std::string> keysOf(const std::string& name) const {
    std::vector<std::string> keys{std::string(kPasses), std::string(kScenarios)};
    for (const CommandDescription& command : describeAll_())
      for (const OptionDescription& option : command.options)
        if ((name.empty() || command.name == name) && !option.names.empty() &&
            option.names.back().starts_with("--"))
          keys.push_back(option.names.back().substr(2));
    return keys;
  }

  Error unknownKey(const std::string& key, const toml::node& node,
                   const std::vector<std::string>& known) const {
    return errorAt(node.source(), fmt::format("no option --{}{}", key, didYouMean(key, known)));
  }

  Status readKey(const std::string& key, const toml::node& node) {
    if (key == kPasses || key == kScenarios) return readList(key, node);
    const OptionDescription* option = line_.describe("--" + key);
    if (!option || key == "help" || key == "project")
      return unknownKey(key, node, keysOf(line_.command()));
    if (!option->isRepeatable && values_.contains(key)) return ok(); // of the command's own table
    std::vector<Value> values;
    if (const toml::array* list = node.as_array()) {
      if (!option->isRepeatable)
        return errorAt(node.source(), fmt::format("'{}' must be one value, not a list", key));
      for (const toml::node& element : *list)
        if (Status s = addText(key, *option, element, values); !s) return s;
    } else if (Status s = addText(key, *option, node, values); !s) {
      return s;
    }
    // The command's own come last, as if they stood nearer to what is typed.
    std::vector<Value>& all = values_[key];
    all.insert(all.begin(), values.begin(), values.end());
    return ok();
  }

  Status addText(const std::string& key, const OptionDescription& option, const toml::node& node,
                 std::vector<Value>& out) {
    std::string text;
    if (option.value.empty()) {
      const auto flag = node.value_exact<bool>();
      if (!flag) return errorAt(node.source(), fmt::format("'{}' must be true or false", key));
      text = *flag ? "true" : "false";
    } else if (const auto string = node.value_exact<std::string>()) {
      text = pathOf(option, *string);
    } else if (const auto whole = node.value_exact<int64_t>()) {
      text = std::to_string(*whole);
    } else if (const auto number = node.value_exact<double>()) {
      text = fmt::format("{}", *number);
    } else {
      return errorAt(node.source(), fmt::format("'{}' must be a string or a number", key));
    }
    out.push_back({std::move(text), placeOf(node)});
    return ok();
  }

  /// Files are named from where the project file stands.
  std::string fromHere(const std::string& path) const {
    const fs::path here = fs::path(file_).parent_path();
    return fs::path(path).is_absolute() ? path : (here / path).lexically_normal().string();
  }
  std::string pathOf(const OptionDescription& option, const std::string& text) const {
    const bool isPath = option.value.starts_with("FILE") || option.value.starts_with("FOLDER") ||
                        (option.value == "TARGET" && text.ends_with(".toml"));
    return isPath && text.find("://") == text.npos ? fromHere(text) : text;
  }

  Status readList(const std::string& key, const toml::node& node) {
    std::vector<Value>& values = values_[key];
    if (!values.empty()) return ok(); // of the command's own table
    const toml::array* list = node.as_array();
    if (!list) return errorAt(node.source(), fmt::format("'{}' must be a list of strings", key));
    for (const toml::node& element : *list) {
      const auto text = element.value_exact<std::string>();
      if (!text || text->empty())
        return errorAt(element.source(), fmt::format("'{}' must be a list of strings", key));
      values.push_back({*text, placeOf(element)});
    }
    return ok();
  }

  Status addValues() {
    for (const Value& value : values_[std::string(kPasses)])
      if (Status s = line_.addFamilyDefault(value.text, value.place); !s) return s;
    if (Status s = chooseScenario(); !s) return s;
    for (const auto& [key, values] : values_) {
      if (key == kPasses || key == kScenarios) continue;
      // A size is one of a scenario, and this input has none.
      if (key == "size" && !line_.isGiven("--scenario")) continue;
      for (const Value& value : values)
        if (Status s = line_.addDefault("--" + key, value.text, value.place); !s) return s;
    }
    return ok();
  }

  /// The scenario that has all inputs as its shaders, unless constants, a size or an entry point
  /// are given, which only a command without a scenario takes.
  Status chooseScenario() {
    if (!line_.describe("--scenario")) return ok();
    for (const char* name : {"--scenario", "--spec-const", "--workgroup-size", "--entry"})
      if (line_.isGiven(name)) return ok();
    const std::vector<std::string> inputs = line_.inputs();
    for (const Value& value : values_[std::string(kScenarios)]) {
      const std::string path = fromHere(value.text);
      Result<ScenarioShaders> read = ScenarioShaders::read({path, {}, {}}, {});
      if (!read) return failure(fmt::format("{}: {}", value.place, read.error().message));
      const std::vector<ScenarioShader>& shaders = read->scenario().shaders;
      auto isShader = [&](const std::string& input) {
        return std::any_of(shaders.begin(), shaders.end(), [&](const ScenarioShader& shader) {
          return isSameFile(shader.path, input);
        });
      };
      if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), isShader))
        return line_.addDefault("--scenario", path, value.place);
    }
    return ok();
  }

  CommandLine& line_;
  std::string file_;
  const std::function<std::vector<CommandDescription>()>& describeAll_;
  std::map<std::string, std::vector<Value>> values_; ///< by key, in the order of the command line
};

} // namespace

std::string projectFileAbove(const std::string& input) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(input == "-" ? "." : input, error);
  if (error) return {};
  for (fs::path folder = fs::is_directory(path, error) ? path : path.parent_path();;
       folder = folder.parent_path()) {
    if (const fs::path file = folder / kFileName; fs::is_regular_file(file, error))
      return fs::proximate(file, error).string();
    if (folder == folder.parent_path()) return {};
  }
}

void useProjectFile(CommandLine& line,
                    std::function<std::vector<CommandDescription>()> describeAll) {
  if (!line.describe("--project")) return;
  line.beforeSetting([&line, describeAll = std::move(describeAll)]() -> Status {
    Result<std::string> file = projectOf(line);
    if (!file) return file.error();
    if (file->empty()) return ok();
    if (!line.isGiven("--project")) line.alsoShow("--project=" + *file);
    if (Status s = line.addDefault("--project", *file, *file); !s) return s;
    return ProjectReader(line, *file, describeAll).apply();
  });
}

} // namespace lanewise::driver
