#include "options/man_page.h"

#include "support/exit_codes.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr std::string_view kProgram = "lanewise";

/// Text of which roff reads nothing as a request, an escape or a hyphen to set.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  // A line that begins with a point would be a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

/// In lines that people can read who look at the page itself; none begins with a request.
std::string inLines(std::string_view text) {
  constexpr size_t kWidth = 78;
  std::string out;
  size_t width = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool isFirst = width == 0 || width + 1 + word.size() > kWidth;
    if (isFirst && !out.empty()) out += '\n';
    if (!isFirst) out += ' ';
    if (isFirst && word.starts_with('.')) out += "\\&";
    out += word;
    width = isFirst ? word.size() : width + 1 + word.size();
    if (const size_t newline = word.rfind('\n'); newline != word.npos)
      width = word.size() - newline - 1;
  }
  return out;
}

/// Prose: what stands between `` is bold, and hyphens within words are hyphens.
std::string prose(std::string_view text) {
  std::string out;
  bool isBold = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    auto isLetter = [&](size_t at) { return at < text.size() && std::isalpha(uint8_t(text[at])); };
    if (c == '`') {
      isBold = !isBold;
      out += isBold ? "\\fB" : "\\fR";
    } else if (c == '-' && !isBold && i > 0 && isLetter(i - 1) && isLetter(i + 1)) {
      // Of an option's name it is a minus.
      const size_t start = text.find_last_of(" (=\n", i) + 1;
      out += text[start] == '-' ? "\\-" : "-";
    } else if (c == '\n') {
      out += "\n.PP\n";
    } else {
      out += c == '.' ? "." : escaped({&c, 1}); // at the beginning of a line: inLines()
    }
  }
  return inLines(out);
}

std::string header(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return char(std::toupper(uint8_t(c))); });
  // .TH takes words; the date is that of the version, so that the same sources give the same page.
  return fmt::format(".\\\" Written by `lanewise man`.\n.TH {} 1 {} \"Lanewise {}\" \"User "
                     "Commands\"\n.nh\n.ad l\n",
                     escaped(upper), LANEWISE_DATE, LANEWISE_VERSION);
}

std::string valueText(const OptionDescription& option, std::string_view name) {
  if (option.value.empty()) return {};
  const std::string value = fmt::format("\\fI{}\\fR", escaped(option.value));
  if (!name.starts_with("--")) return " " + value;
  return option.isValueOptional ? fmt::format("[={}]", value) : "=" + value;
}

std::string optionItem(const OptionDescription& option) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += fmt::format("{}\\fB{}\\fR{}", tag.empty() ? "" : ", ", escaped(name),
                       valueText(option, name));
  if (option.isPositional()) tag = fmt::format("\\fI{}\\fR", escaped(option.label));
  std::string text = prose(option.text);
  if (option.isRequired) text += " (required)";
  if (option.isRepeatable && !option.isPositional() && !option.value.empty() &&
      !option.isValueOptional)
    text += " (may be repeated)";
  return fmt::format(".TP\n{}\n{}\n", tag, text);
}

/// Flags without a text of their own stand in one paragraph.
std::string listOfFlags(const std::vector<const OptionDescription*>& options) {
  std::string text;
  for (const OptionDescription* option : options)
    text += fmt::format("\\fB{}\\fR{}{}\n", escaped(option->names[0]),
                        valueText(*option, option->names[0]), option == options.back() ? "" : ",");
  return text;
}

std::string optionsText(const CommandDescription& command) {
  std::vector<std::string> groups;
  for (const OptionDescription& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    if (!group.empty()) text += fmt::format(".SS {}\n", escaped(group));
    std::vector<const OptionDescription*> bare;
    for (const OptionDescription& option : command.options) {
      if (option.group != group) continue;
      if (option.text.empty())
        bare.push_back(&option);
      else
        text += optionItem(option);
    }
    if (!bare.empty()) text += listOfFlags(bare);
  }
  return text;
}

std::string synopsis(const CommandDescription& command) {
  std::string text = fmt::format("\\fB{} {}\\fR", kProgram, escaped(command.name));
  text += " [\\fIOPTION\\fR]...";
  for (const OptionDescription& option : command.options)
    if (option.isPositional()) {
      // What the command says of its own is whole.
      const bool isPlain = option.label.find(' ') == std::string::npos;
      const std::string label = fmt::format("\\fI{}\\fR", escaped(option.label));
      text +=
          isPlain ? fmt::format(" [{}]{}", label, option.isRepeatable ? "..." : "") : " " + label;
    }
  return text;
}

std::string exitStatus(std::string_view codes) {
  std::string text = ".SH EXIT STATUS\n";
  while (!codes.empty()) {
    const std::string_view item = codes.substr(0, codes.find("; "));
    codes.remove_prefix(std::min(codes.size(), item.size() + 2));
    const size_t space = item.find(' ');
    text +=
        fmt::format(".TP\n\\fB{}\\fR\n{}\n", item.substr(0, space), prose(item.substr(space + 1)));
  }
  return text;
}

std::string examplesText(const std::vector<const CommandDescription*>& commands) {
  std::string text;
  for (const CommandDescription* command : commands)
    for (const CommandExample& example : command->examples)
      text += fmt::format("{}{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", text.empty() ? "" : ".PP\n",
                          prose(example.text), escaped(example.command));
  return text.empty() ? text : ".SH EXAMPLES\n" + text;
}

std::string seeAlso(std::string_view self, std::span<const CommandDescription> commands) {
  std::string text;
  for (const std::string& name : manPageNames(commands))
    if (name != self)
      text += fmt::format("{}.BR {} (1)", text.empty() ? "" : " ,\n", escaped(name));
  return fmt::format(".SH SEE ALSO\n{}\n.PP\nThe documentation of Lanewise, in share/doc/lanewise, "
                     "has more:\ncommand\\-line.md, scenario.md and a page on each pass.\n",
                     text);
}

std::string programPage(std::span<const CommandDescription> commands) {
  std::string text = header(kProgram);
  text += ".SH NAME\nlanewise \\- optimizer for SPIR\\-V compute shaders that checks its "
          "rewrites\n"
          ".SH SYNOPSIS\n\\fBlanewise\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.br\n"
          "\\fBlanewise\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.br\n"
          "\\fBlanewise \\-\\-version\\fR\n"
          ".SH DESCRIPTION\n"
          "Lanewise rewrites compute shaders where a GPU driver cannot: how the lanes\n"
          "of a workgroup meet in memory, at barriers and at branches. It can run the\n"
          "original and the rewritten shader on the same inputs, and keeps a rewrite\n"
          "only if the outputs agree.\n"
          ".SH COMMANDS\n";
  std::string last;
  for (const CommandDescription& command : commands)
    if (std::string page = manPageName(command.name); page != last) {
      text += fmt::format(".TP\n\\fB{}\\fR\n{};\nsee\n.BR {} (1).\n",
                          escaped(page.substr(kProgram.size() + 1)), prose(command.summary),
                          escaped(page));
      last = page;
    }
  return text + exitStatus(kExitCodes) + seeAlso(kProgram, commands);
}

std::string commandPage(std::string_view name,
                        const std::vector<const CommandDescription*>& described,
                        std::span<const CommandDescription> commands) {
  const CommandDescription& first = *described[0];
  std::string text = header(name);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", escaped(name), prose(first.summary));
  for (const CommandDescription* command : described)
    text += fmt::format("{}{}\n", command == &first ? "" : ".br\n", synopsis(*command));
  text += ".SH DESCRIPTION\n";
  for (const CommandDescription* command : described)
    text += described.size() == 1 ? prose(command->about) + "\n"
                                  : fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command->name),
                                                prose(command->about));
  for (const CommandDescription* command : described) {
    text += described.size() == 1
                ? std::string(".SH OPTIONS\n")
                : fmt::format(".SH OPTIONS OF \\(dq{}\\(dq\n", escaped(command->name));
    text += optionsText(*command);
  }
  text += exitStatus(first.exitCodes.empty() ? kExitCodes : first.exitCodes.c_str());
  return text + examplesText(described) + seeAlso(name, commands);
}

} // namespace

std::string manPageName(std::string_view command) {
  return fmt::format("{}-{}", kProgram, command.substr(0, command.find(' ')));
}

std::vector<std::string> manPageNames(std::span<const CommandDescription> commands) {
  std::vector<std::string> names{std::string(kProgram)};
  for (const CommandDescription& command : commands)
    if (std::string name = manPageName(command.name); name != names.back())
      names.push_back(std::move(name));
  return names;
}

std::string manPage(std::string_view name, std::span<const CommandDescription> commands) {
  if (name == kProgram) return programPage(commands);
  std::vector<const CommandDescription*> described;
  for (const CommandDescription& command : commands)
    if (manPageName(command.name) == name) described.push_back(&command);
  return described.empty() ? std::string() : commandPage(name, described, commands);
}

} // namespace lanewise::driver
