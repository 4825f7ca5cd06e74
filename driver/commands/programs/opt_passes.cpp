#include "commands/programs/opt_passes.h"

#include "commands/commands.h"
#include "options/response_file.h"
#include "recorded/host_flags.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string_view>

namespace lanewise::driver {

namespace {

constexpr std::string_view kConfig = "-Oconfig=";

/// Options of `opt` that say how passes work on a module. All others say what is read, written and
/// printed, which is not the user's here.
constexpr std::string_view kPassOptions[] = {
    "--target",
    "--target-env",
    "--spec-const",
    "--workgroup-size",
    "--assume",
    "--robust",
    "--only",
    "--skip",
    "--bisect-limit",
    "--narrow-fields", // hostFlagIn() refuses it, and says why
    "--strict",
    "--keep-if",
    "--preserve-bindings",
    "--preserve-spec-constants",
    "--validate-after-all",
    "--require-validation",
    "--no-validation",
    "--skip-validation",
    "--relax-logical-pointer",
    "--relax-struct-store",
    "--relax-block-layout",
    "--scalar-block-layout",
    "--workgroup-scalar-block-layout",
    "--skip-block-layout",
    "--before-hlsl-legalization",
    "--max-id-bound",
    "--isolation-timeout",
    "--no-isolation",
};

bool isPassOption(const CommandLine& line, const std::string& name) {
  if (std::ranges::find(kPassOptions, name) == std::end(kPassOptions)) return false;
  // Anything else dispatches the module, and nobody says with what.
  return name != "--keep-if" || std::ranges::all_of(line.typed(name), [](const auto& value) {
           return value.starts_with("cheaper");
         });
}

/// The first option that may not stand there, "" for none. `own` are given once by ourselves.
std::string strangerIn(const CommandLine& line, std::span<const std::string_view> own) {
  for (const OptionDescription& option : line.describe().options) {
    if (option.isPositional()) continue;
    const std::string& name = option.names.back();
    const size_t ours = std::ranges::find(own, name) == own.end() ? 0 : 1;
    if (line.typed(name).size() > ours && !isPassOption(line, name)) return name;
  }
  return {};
}

/// Adds the flags that files of flags hold, and those that these name.
void addFlagsOfFiles(std::vector<std::string>& words) {
  std::set<std::string> seen;
  for (size_t n = 0; n < words.size(); ++n) {
    if (!words[n].starts_with(kConfig) || !seen.insert(words[n]).second) continue;
    const Result<std::string> text = readRegularFile(words[n].substr(kConfig.size()));
    if (!text) continue; // `opt` says so
    std::ranges::move(splitConfig(*text), std::back_inserter(words));
  }
}

/// The first flag by which the host would have to follow, "" for none: a running program does not.
std::string hostFlagIn(std::vector<std::string> words) {
  addFlagsOfFiles(words);
  const auto flag = std::ranges::find_if(words, mustHostFollow);
  return flag == words.end() ? std::string() : *flag;
}

} // namespace

Status checkOptPasses(const std::string& option, const std::vector<std::string>& passes) {
  const std::unique_ptr<Command> opt = makeOptCommand();
  CommandLine line{"opt"};
  driver::declare(*opt, line);
  std::vector<std::string> words = passes;
  words.insert(words.end(), {"module.spv", "--output=-", "--project=none"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const Result<bool> parsed = line.parse(arguments);
  if (line.isGiven("--tuning"))
    return failure(fmt::format("{}: --tuning is an option of this command itself", option));
  constexpr std::string_view kOwn[] = {"--output", "--project"};
  if (const std::string stranger = strangerIn(line, kOwn); !stranger.empty())
    return failure(fmt::format("{}: {} cannot stand here: it takes passes, and options that say "
                               "how they work, such as --target, --assume and --skip",
                               option, stranger));
  if (const std::vector<std::string> inputs = line.inputs(); inputs.size() > 1)
    return failure(
        fmt::format("{}: '{}' is no pass: it takes passes and options of 'lanewise opt', "
                    "which begin with '-' (see 'lanewise passes'), no input",
                    option, inputs[0]));
  if (!parsed) return failure(fmt::format("{}: {}", option, parsed.error().message));
  if (const std::string flag = hostFlagIn(passes); !flag.empty())
    return failure(fmt::format("{}: {} cannot stand here: the host must follow what it changes, "
                               "and the running program does not",
                               option, flag));
  if (line.inputs().size() != 1)
    return failure(fmt::format(
        "{}: it takes passes and options of 'lanewise opt', no input or output", option));
  return ok();
}

std::string digestOfPassFiles(const std::vector<std::string>& passes) {
  std::vector<std::string> words = passes;
  addFlagsOfFiles(words);
  Sha256 hash;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    if (!word.starts_with(kConfig) && !word.ends_with(".toml")) continue;
    const std::string path = word.substr(word.starts_with('-') ? word.find('=') + 1 : 0);
    const Result<std::string> text = readRegularFile(path);
    if (text && seen.insert(path).second) hash.addField(*text);
  }
  return hexOf(hash.finish());
}

OptionSetter leftOutModules(std::vector<std::string>& hashes) {
  return [&hashes](const std::string& list) -> Status {
    for (size_t at = 0; at <= list.size();) {
      const size_t comma = std::min(list.find(',', at), list.size());
      const std::string hash = list.substr(at, comma - at);
      if (!isBeginningOfHex(hash))
        return failure(fmt::format("--leave-out={}: '{}' must be the first {} digits or more of a "
                                   "module's hash, as --time prints them",
                                   list, hash, kLeastHexDigits));
      hashes.push_back(hash);
      at = comma + 1;
    }
    return ok();
  };
}

} // namespace lanewise::driver
