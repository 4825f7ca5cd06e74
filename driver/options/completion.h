// What may stand where the cursor is: the one place that knows, for all shells. Their scripts
// (completion_scripts.h) ask it each time, so what a command declares is completed at once.
#pragma once

#include "options/command_description.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

struct CompletionCandidate {
  std::string word; ///< one that ends in '=' or ':' goes on
  std::string about;
  bool operator==(const CompletionCandidate&) const = default;
};

/// What names of kinds of values stand for, such as "TARGET" (OptionDescription::value). FILE,
/// FILE.SUFFIX and FOLDER are files of any kind, of that suffix, and folders.
struct ValueKind {
  std::function<std::vector<CompletionCandidate>()> candidates; ///< may be null
  std::vector<std::string> suffixes; ///< files that can stand there as well
};
using ValueKinds = std::map<std::string, ValueKind, std::less<>>;

struct Completion {
  /// What of the word that is being typed stands before each candidate, as in "--target=".
  std::string prefix;
  std::vector<CompletionCandidate> candidates;
  enum class Files { None, Folders, BySuffix, Any };
  Files files = Files::None; ///< files complete what follows the prefix; folders lead to files
  std::vector<std::string> suffixes;
};

/// `words` stand behind the program's name; the last, which may be empty, is being typed. Only
/// candidates that begin with what is typed are given, in the order of declaration.
Completion complete(std::span<const CommandDescription> commands, const ValueKinds& kinds,
                    std::span<const std::string> words);

/// One line each: "prefix\tTEXT", "word\tWORD\tABOUT", "files\tSUFFIX...", "folders".
std::string completionText(const Completion& completion);

} // namespace lanewise::driver
