// `lanewise man`, `lanewise completion` and `lanewise complete`: what the other commands declare,
// as man pages and for shells.
#include "commands/commands.h"
#include "input/front_end.h"
#include "lint/lint.h"
#include "options/completion.h"
#include "options/man_page.h"
#include "options/option_values.h"
#include "pass.h"
#include "support/files.h"
#include "support/print.h"
#include "support/suggest.h"
#include "targets/target_profiles.h"
#include "verify/device/device_host.h"
#include "verify/program/runner.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

int fail(std::string_view message) {
  printError("lanewise: {}\n", message);
  return kBadUsageOrInput;
}

/// The exit code where the command ends here.
std::optional<int> parse(CLI::App& app, std::span<char*> args, std::string_view name) {
  Result<bool> wantsHelp = parseArguments(app, args, name);
  if (!wantsHelp) return fail(wantsHelp.error().message);
  if (!*wantsHelp) return {};
  printOut("{}", app.help());
  return kDone;
}

// ---- lanewise man ----

constexpr const char* kManName = "lanewise man";
constexpr const char* kManAbout =
    "Prints the man page of a command, or of lanewise itself, from what the commands declare.";

struct ManOptions {
  std::string command, folder;
};

void declareMan(CLI::App& app, ManOptions& o) {
  app.add_option("COMMAND", o.command, "whose page; without one, that of lanewise")
      ->type_name("COMMAND");
  app.add_option("--write-all", o.folder, "write all pages, NAME.1 each, to this folder")
      ->type_name("FOLDER");
}

int writePages(const std::string& folder, const std::vector<CommandDescription>& commands) {
  OutputFiles files;
  for (const std::string& name : manPageNames(commands))
    files.add(fmt::format("{}/{}.1", folder, name), manPage(name, commands));
  Status written = files.commit();
  return written ? int(kDone) : fail(written.error().message);
}

// ---- lanewise completion ----

constexpr const char* kCompletionName = "lanewise completion";
constexpr const char* kCompletionAbout =
    "Prints the script with which a shell completes commands, options and their values. Packages "
    "install it; without one, let the shell read it when it starts.";

struct Script {
  std::string_view shell, text;
};
constexpr Script kScripts[] = {
#include "completion_scripts.inc"
};

void declareCompletion(CLI::App& app, std::string& shell) {
  app.add_option("SHELL", shell, "the shell: bash, fish or zsh")
      ->type_name("bash|fish|zsh")
      ->option_text("SHELL");
}

// ---- what values can be ----

std::vector<Candidate> withoutTexts(std::span<const std::string> words) {
  std::vector<Candidate> candidates;
  for (const std::string& word : words) candidates.push_back({word, {}});
  return candidates;
}

std::vector<Candidate> targets() {
  std::vector<Candidate> all = withoutTexts(builtInTargets());
  all.push_back({"device", "as Vulkan reports it"});
  return all;
}

std::vector<Candidate> environments() {
  std::vector<Candidate> all;
  for (spv_target_env env :
       {SPV_ENV_VULKAN_1_0, SPV_ENV_VULKAN_1_1, SPV_ENV_VULKAN_1_1_SPIRV_1_4, SPV_ENV_VULKAN_1_2,
        SPV_ENV_VULKAN_1_3, SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
        SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6})
    all.push_back({targetEnvName(env), {}});
  return all;
}

std::vector<Candidate> devices() {
  std::vector<Candidate> all{{"cpu", "the first device that is a CPU"},
                             {"interpreter", "no device: finds races and undefined operations"}};
  if (Result<std::vector<DeviceInfo>> found = listDevices())
    for (const DeviceInfo& device : *found)
      all.push_back({std::to_string(device.index), device.name});
  return all;
}

std::vector<Candidate> passes() {
  std::vector<Candidate> all;
  for (const PassInfo& pass : allPasses())
    all.push_back({std::string(pass.flag), std::string(pass.summary)});
  return all;
}

/// Any pass that can stand in a pipeline, without its dashes.
std::vector<Candidate> flags() {
  std::vector<Candidate> all = passes();
  for (const std::string& flag : knownSpirvOptFlags()) all.push_back({flag.substr(2), "spirv-opt"});
  return all;
}

std::vector<Candidate> rules() {
  std::vector<Candidate> all{{"all", {}}};
  for (const LintRule& rule : allLintRules())
    all.push_back({std::string(rule.name), std::string(rule.summary)});
  return all;
}

ValueKinds valueKinds(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> shaders{"spv", "spvasm", "glsl", "hlsl"};
  for (std::string& stage : shaderStages()) shaders.push_back(std::move(stage));
  return {{"SHADER", {nullptr, shaders}},
          {"TARGET", {targets, {"toml"}}},
          {"ENV", {environments, {}}},
          {"DEVICE", {devices, {}}},
          {"PASS", {passes, {}}},
          {"FLAG", {flags, {}}},
          {"RULE", {rules, {}}},
          {"COMMAND",
           {[&commands] {
              std::vector<Candidate> all;
              for (const CommandDescription& c : commands)
                all.push_back({c.name.substr(0, c.name.find(' ')), c.summary});
              return all;
            },
            {}}}};
}

} // namespace

std::vector<CommandDescription> describeMan() {
  ManOptions options;
  CLI::App app(kManAbout, kManName);
  declareMan(app, options);
  return {describe(app, {{"Read the page of a command.", "lanewise man opt | man -l -"}})};
}

std::vector<CommandDescription> describeCompletion() {
  std::string shell;
  CLI::App app(kCompletionAbout, kCompletionName);
  declareCompletion(app, shell);
  return {describe(app, {{"In ~/.bashrc:", "source <(lanewise completion bash)"},
                         {"In ~/.zshrc, behind compinit:", "source <(lanewise completion zsh)"},
                         {"In ~/.config/fish/config.fish:", "lanewise completion fish | source"}})};
}

int manCommand(std::span<char*> args, const std::vector<CommandDescription>& commands) {
  ManOptions options;
  CLI::App app(kManAbout, kManName);
  declareMan(app, options);
  if (std::optional<int> code = parse(app, args, "man")) return *code;
  if (!options.folder.empty() && !options.command.empty())
    return fail("man: --write-all writes every page; leave COMMAND out");
  if (!options.folder.empty()) return writePages(options.folder, commands);
  const std::string name =
      options.command.empty() ? manPageNames(commands)[0] : manPageName(options.command);
  const std::string page = manPage(name, commands);
  if (page.empty())
    return fail(fmt::format("man: no command '{}'; see 'lanewise --help'", options.command));
  printOut("{}", page);
  return kDone;
}

int completionCommand(std::span<char*> args) {
  std::string shell;
  CLI::App app(kCompletionAbout, kCompletionName);
  declareCompletion(app, shell);
  if (std::optional<int> code = parse(app, args, "completion")) return *code;
  for (const Script& script : kScripts)
    if (script.shell == shell) {
      printOut("{}", script.text);
      return kDone;
    }
  return fail(shell.empty() ? "completion: for which shell? give bash, fish or zsh"
                            : fmt::format("completion: no script for '{}'; there are those for "
                                          "bash, fish and zsh",
                                          shell));
}

int completeCommand(std::span<char*> args, const std::vector<CommandDescription>& commands) {
  const std::vector<std::string> words(args.begin(), args.end());
  printOut("{}", completionText(complete(commands, valueKinds(commands), words)));
  return kDone;
}

} // namespace lanewise::driver
