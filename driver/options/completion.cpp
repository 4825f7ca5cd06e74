#include "options/completion.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lanewise::driver {

namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// One line, and short enough for a list.
std::string firstSentence(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

class Completer {
public:
  Completer(const ValueKinds& kinds, std::string_view word) : kinds_(kinds), word_(word) {}

  Completion take() { return std::move(result_); }

  void add(std::string word, const std::string& about) {
    const bool isNew = std::none_of(result_.candidates.begin(), result_.candidates.end(),
                                    [&](const CompletionCandidate& c) { return c.word == word; });
    if (word.starts_with(typed()) && isNew)
      result_.candidates.push_back({std::move(word), firstSentence(about)});
  }

  /// `before` is what of the word stands before the value.
  void addValues(const std::string& value, size_t before, const std::string& about) {
    result_.prefix = word_.substr(0, before);
    for (const std::string& alternative : split(value, '|')) addAlternative(alternative, about);
  }

  void addNames(const CommandDescription& command, const std::set<std::string>& given) {
    for (const OptionDescription& option : command.options) {
      const bool isGiven = std::any_of(option.names.begin(), option.names.end(),
                                       [&](const std::string& name) { return given.count(name); });
      if (isGiven && !option.isRepeatable) continue;
      for (const std::string& name : option.names) {
        const bool isLong = name.starts_with("--");
        const bool hasForm = isLong && !option.value.empty();
        if (!hasForm || option.isValueOptional) add(name, option.text);
        if (hasForm) add(name + "=", option.text);
      }
    }
  }

private:
  std::string_view typed() const { return word_.substr(result_.prefix.size()); }

  void addAlternative(const std::string& alternative, const std::string& about) {
    const size_t colon = alternative.find(':');
    const std::string head = alternative.substr(0, colon);
    const char* more = colon == std::string::npos ? "" : ":";
    if (auto kind = kinds_.find(head); kind != kinds_.end()) {
      if (kind->second.candidates)
        for (const CompletionCandidate& c : kind->second.candidates()) add(c.word + more, c.about);
      if (!kind->second.suffixes.empty()) addFiles(kind->second.suffixes);
    } else if (head == "FOLDER") {
      if (result_.files == Completion::Files::None) result_.files = Completion::Files::Folders;
    } else if (head == "FILE") {
      result_.files = Completion::Files::Any;
    } else if (head.starts_with("FILE.")) {
      addFiles({head.substr(5)});
    } else if (!head.empty() && !std::isupper(uint8_t(head[0])) && head.find('[') == head.npos) {
      add(head + more, about);
    }
  }

  void addFiles(const std::vector<std::string>& suffixes) {
    if (result_.files != Completion::Files::Any) result_.files = Completion::Files::BySuffix;
    result_.suffixes.insert(result_.suffixes.end(), suffixes.begin(), suffixes.end());
  }

  const ValueKinds& kinds_;
  std::string_view word_;
  Completion result_;
};

const OptionDescription* findOption(const CommandDescription& command, std::string_view name) {
  for (const OptionDescription& option : command.options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      return &option;
  return nullptr;
}

/// What the words before the one being typed amount to.
struct Typed {
  const OptionDescription* waiting = nullptr; ///< for its value
  std::set<std::string> given;
  size_t positionals = 0;
  bool isAfterDashes = false; ///< "--" ended the options
};

Typed readWords(const CommandDescription& command, std::span<const std::string> words) {
  Typed typed;
  for (const std::string& word : words) {
    if (std::exchange(typed.waiting, nullptr)) continue;
    if (typed.isAfterDashes || word.size() < 2 || word[0] != '-') {
      ++typed.positionals;
    } else if (word == "--") {
      typed.isAfterDashes = true;
    } else {
      const std::string name = word.substr(0, word.find('='));
      const OptionDescription* option = findOption(command, name);
      typed.given.insert(name);
      if (option && name == word && !option->value.empty() && !option->isValueOptional)
        typed.waiting = option;
    }
  }
  return typed;
}

const OptionDescription* positionalAt(const CommandDescription& command, size_t index) {
  const OptionDescription* last = nullptr;
  for (const OptionDescription& option : command.options)
    if (option.isPositional()) {
      last = &option;
      if (index-- == 0) return last;
    }
  return last && last->isRepeatable ? last : nullptr;
}

Completion completeArgument(const CommandDescription& command, const ValueKinds& kinds,
                            std::span<const std::string> words) {
  const std::string& word = words.back();
  const Typed typed = readWords(command, words.first(words.size() - 1));
  Completer completer(kinds, word);
  const bool isOption = word.starts_with('-') && !typed.isAfterDashes;
  const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  if (typed.waiting) {
    completer.addValues(typed.waiting->value, 0, typed.waiting->text);
  } else if (isOption && equals != std::string::npos) {
    if (const OptionDescription* option = findOption(command, word.substr(0, equals)))
      completer.addValues(option->value, equals + 1, option->text);
  } else if (isOption) {
    completer.addNames(command, typed.given);
    const OptionDescription* attached =
        word.size() > 2 ? findOption(command, word.substr(0, 2)) : nullptr;
    Completion names = completer.take();
    if (!names.candidates.empty() || !attached || attached->value.empty()) return names;
    Completer values(kinds, word); // "-Iinclude"
    values.addValues(attached->value, 2, attached->text);
    return values.take();
  } else if (const OptionDescription* positional = positionalAt(command, typed.positionals)) {
    completer.addValues(positional->value, 0, positional->text);
  }
  return completer.take();
}

/// The words of names of commands: "layout", then "pack".
Completion completeCommandName(std::span<const CommandDescription> commands,
                               const ValueKinds& kinds, std::span<const std::string> words) {
  Completer completer(kinds, words.back());
  const size_t depth = words.size() - 1;
  for (const CommandDescription& command : commands) {
    const std::vector<std::string> name = split(command.name, ' ');
    if (name.size() > depth && std::equal(words.begin(), words.end() - 1, name.begin()))
      completer.add(name[depth],
                    name.size() == depth + 1 && depth > 0 ? command.about : command.summary);
  }
  if (depth == 0) {
    completer.add("--help", "list the commands");
    completer.add("--version", "print the versions of Lanewise and what it is built on");
  }
  return completer.take();
}

} // namespace

Completion complete(std::span<const CommandDescription> commands, const ValueKinds& kinds,
                    std::span<const std::string> words) {
  if (words.empty()) return {};
  for (const CommandDescription& command : commands) {
    const std::vector<std::string> name = split(command.name, ' ');
    if (words.size() > name.size() && std::equal(name.begin(), name.end(), words.begin()))
      return completeArgument(command, kinds, words.subspan(name.size()));
  }
  return completeCommandName(commands, kinds, words);
}

std::string completionText(const Completion& completion) {
  std::string text = fmt::format("prefix\t{}\n", completion.prefix);
  for (const CompletionCandidate& c : completion.candidates)
    text += fmt::format("word\t{}\t{}\n", c.word, c.about);
  if (completion.files == Completion::Files::Folders) text += "folders\n";
  if (completion.files == Completion::Files::Any) text += "files\n";
  if (completion.files == Completion::Files::BySuffix)
    text += fmt::format("files\t{}\n", fmt::join(completion.suffixes, "\t"));
  return text;
}

} // namespace lanewise::driver
