#include "commands/programs/opt_passes.h"

#include "commands/commands.h"
#include "support/failure.h"
#include "support/sha256.h"

#include <fmt/format.h>

namespace lanewise::driver {

Status checkOptPasses(const std::string& option, const std::vector<std::string>& passes) {
  const std::unique_ptr<Command> opt = makeOptCommand();
  CommandLine line{"opt"};
  driver::declare(*opt, line);
  std::vector<std::string> words = passes;
  words.insert(words.end(), {"module.spv", "-o", "-"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const Result<bool> parsed = line.parse(arguments);
  if (const std::vector<std::string> inputs = line.inputs(); inputs.size() > 1)
    return failure(
        fmt::format("{}: '{}' is no pass: it takes passes and options of 'lanewise opt', "
                    "which begin with '-' (see 'lanewise passes'), no input",
                    option, inputs[0]));
  if (!parsed) return failure(fmt::format("{}: {}", option, parsed.error().message));
  if (line.inputs().size() != 1 || line.given("-o").size() != 1)
    return failure(fmt::format(
        "{}: it takes passes and options of 'lanewise opt', no input or output", option));
  if (line.isGiven("--tuning"))
    return failure(fmt::format("{}: --tuning is an option of this command itself", option));
  return ok();
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
