// `lanewise man`, `lanewise completion` and `lanewise complete`: what the other commands declare,
// as man pages and for shells.
#include "commands/commands.h"
#include "compilers/amd_families.h"
#include "input/front_end.h"
#include "lint/lint.h"
#include "options/completion.h"
#include "options/man_page.h"
#include "pass.h"
#include "report/queue_rules.h"
#include "support/files.h"
#include "support/print.h"
#include "targets/target_profiles.h"
#include "verify/device/device_host.h"
#include "verify/program/runner.h"

#include <fmt/format.h>

namespace lanewise::driver {

namespace {

// ---- lanewise man ----

int writePages(const std::string& folder, const std::vector<CommandDescription>& commands) {
  OutputFiles files;
  for (const std::string& name : manPageNames(commands))
    files.add(fmt::format("{}/{}.1", folder, name), manPage(name, commands));
  Status written = files.commit();
  return written ? int(kDone) : fail(written.error().message);
}

// ---- lanewise completion ----

struct Script {
  std::string_view shell, text;
};
constexpr Script kScripts[] = {
#include "completion_scripts.inc"
};

// ---- what values can be ----

std::vector<CompletionCandidate> withoutTexts(std::span<const std::string> words) {
  std::vector<CompletionCandidate> candidates;
  for (const std::string& word : words) candidates.push_back({word, {}});
  return candidates;
}

std::vector<CompletionCandidate> targets() {
  std::vector<CompletionCandidate> all = withoutTexts(builtInTargets());
  all.push_back({"device", "as Vulkan reports it"});
  return all;
}

std::vector<CompletionCandidate> environments() {
  std::vector<CompletionCandidate> all;
  for (spv_target_env env :
       {SPV_ENV_VULKAN_1_0, SPV_ENV_VULKAN_1_1, SPV_ENV_VULKAN_1_1_SPIRV_1_4, SPV_ENV_VULKAN_1_2,
        SPV_ENV_VULKAN_1_3, SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
        SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6})
    all.push_back({targetEnvName(env), {}});
  return all;
}

std::vector<CompletionCandidate> devices() {
  std::vector<CompletionCandidate> all{
      {"cpu", "the first device that is a CPU"},
      {"interpreter", "no device: finds races and undefined operations"}};
  if (Result<std::vector<DeviceInfo>> found = listDevices())
    for (const DeviceInfo& device : *found)
      all.push_back({std::to_string(device.index), device.name});
  return all;
}

std::vector<CompletionCandidate> passes() {
  std::vector<CompletionCandidate> all;
  for (const PassInfo& pass : allPasses())
    all.push_back({std::string(pass.flag), std::string(pass.summary)});
  return all;
}

/// Any pass that can stand in a pipeline, without its dashes.
std::vector<CompletionCandidate> flags() {
  std::vector<CompletionCandidate> all = passes();
  for (const std::string& flag : knownSpirvOptFlags()) all.push_back({flag.substr(2), "spirv-opt"});
  return all;
}

std::vector<CompletionCandidate> rules() {
  std::vector<CompletionCandidate> all{{"all", {}}};
  for (const auto& some : {allLintRules(), queueLintRules()})
    for (const LintRule& rule : some)
      all.push_back({std::string(rule.name), std::string(rule.summary)});
  return all;
}

std::vector<CompletionCandidate> compilers() {
  std::vector<CompletionCandidate> all = {{"default", "an AMD GPU of each generation"},
                                          {"all", "every AMD GPU and every device at hand"}};
  for (const AmdFamily& family : amdFamilies())
    all.push_back({std::string(family.name), std::string(family.generation)});
  return all;
}

ValueKinds valueKinds(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> shaders{"spv", "spvasm", "glsl", "hlsl"};
  for (std::string& stage : shaderStages()) shaders.push_back(std::move(stage));
  return {{"SHADER", {nullptr, shaders}},
          {"TARGET", {targets, {"toml"}}},
          {"ENV", {environments, {}}},
          {"DEVICE", {devices, {}}},
          {"COMPILER", {compilers, {}}},
          {"COMPILER,...", {compilers, {}}},
          {"PASS", {passes, {}}},
          {"PASS,...", {passes, {}}},
          {"FLAG", {flags, {}}},
          {"RULE", {rules, {}}},
          {"STAGE", {[] { return withoutTexts(shaderStages()); }, {}}},
          {"COMMAND",
           {[&commands] {
              std::vector<CompletionCandidate> all;
              for (const CommandDescription& c : commands)
                all.push_back({c.name.substr(0, c.name.find(' ')), c.summary});
              return all;
            },
            {}}}};
}

class ManCommand : public Command {
public:
  explicit ManCommand(DescribeAll describeAll) : describeAll_(std::move(describeAll)) {}

  void declare(CommandLine& line) override {
    line.about("Prints the man page of a command, or of lanewise itself, from what the commands "
               "declare.");
    line.example("Read the page of a command.", "lanewise man opt | man -l -");
    line.positional("COMMAND", "COMMAND", command_, "whose page; without one, that of lanewise");
    line.value("--write-all", "FOLDER", folder_, "write all pages, NAME.1 each, to this folder");
  }

  int run(const CommandLine&) override {
    if (!folder_.empty() && !command_.empty())
      return fail("man: --write-all writes every page; leave COMMAND out");
    const std::vector<CommandDescription> commands = describeAll_();
    if (!folder_.empty()) return writePages(folder_, commands);
    const std::string name = command_.empty() ? manPageNames(commands)[0] : manPageName(command_);
    const std::string page = manPage(name, commands);
    if (page.empty())
      return fail(fmt::format("man: no command '{}'; see 'lanewise --help'", command_));
    printOut("{}", page);
    return kDone;
  }

private:
  DescribeAll describeAll_;
  std::string command_, folder_;
};

class CompletionCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Prints the script with which a shell completes commands, options and their values. "
               "Packages install it; without one, let the shell read it when it starts.");
    line.example("In ~/.bashrc:", "source <(lanewise completion bash)");
    line.example("In ~/.zshrc, behind compinit:", "source <(lanewise completion zsh)");
    line.example("In ~/.config/fish/config.fish:", "lanewise completion fish | source");
    line.positional("SHELL", "bash|fish|zsh", shell_, "the shell: bash, fish or zsh");
  }

  int run(const CommandLine&) override {
    for (const Script& script : kScripts)
      if (script.shell == shell_) {
        printOut("{}", script.text);
        return kDone;
      }
    return fail(shell_.empty() ? "completion: for which shell? give bash, fish or zsh"
                               : fmt::format("completion: no script for '{}'; there are those for "
                                             "bash, fish and zsh",
                                             shell_));
  }

private:
  std::string shell_;
};

} // namespace

std::unique_ptr<Command> makeManCommand(DescribeAll describeAll) {
  return std::make_unique<ManCommand>(std::move(describeAll));
}

std::unique_ptr<Command> makeCompletionCommand() {
  return std::make_unique<CompletionCommand>();
}

int completeCommand(std::span<char*> typed, const std::vector<CommandDescription>& commands) {
  const std::vector<std::string> words(typed.begin(), typed.end());
  printOut("{}", completionText(complete(commands, valueKinds(commands), words)));
  return kDone;
}

} // namespace lanewise::driver
