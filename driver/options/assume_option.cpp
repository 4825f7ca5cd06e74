#include "options/assume_option.h"

#include "support/failure.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace lanewise::driver {
namespace {

using Relation = StatedFact::Relation;
using Subject = StatedFact::Subject;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A whole number, decimal or with 0x.
std::optional<int64_t> numberOf(std::string_view text) {
  const bool isNegative = text.starts_with('-');
  if (isNegative) text.remove_prefix(1);
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  if (isHex) text.remove_prefix(2);
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number, isHex ? 16 : 10);
  if (text.empty() || text.starts_with('-') || error != std::errc() || next != end)
    return std::nullopt;
  return isNegative ? -number : number;
}

Status readSubject(std::string_view text, StatedFact& fact) {
  if (text.starts_with("groups.")) {
    const size_t component = std::string_view("xyz").find(text.substr(7));
    if (text.size() != 8 || component == std::string_view::npos)
      return failure("after 'groups.' must come x, y or z");
    fact.subject = Subject::Groups;
    fact.component = uint32_t(component);
    return ok();
  }
  if (text.starts_with("push.")) {
    const std::string_view member = text.substr(5);
    if (member.empty()) return failure("after 'push.' must come a member's name or its offset");
    fact.subject = Subject::PushConstant;
    if (const auto offset = numberOf(member); offset && *offset >= 0 && *offset <= UINT32_MAX)
      fact.offset = uint32_t(*offset);
    else
      fact.name = member;
    return ok();
  }
  if (text.starts_with("buffer ") && text.ends_with(".length")) {
    fact.subject = Subject::BufferLength;
    fact.name = trimmed(text.substr(7, text.size() - 7 - 7));
    return fact.name.empty() ? Status(failure("after 'buffer' must come its name")) : ok();
  }
  return failure("it must begin with push.NAME, push.OFFSET, groups.x, groups.y, groups.z or "
                 "buffer NAME.length");
}

Status readRemainder(std::string_view text, StatedFact& fact) {
  const auto modulus = numberOf(trimmed(text));
  if (!modulus || *modulus < 1 || *modulus > UINT32_MAX)
    return failure("after '%' must come a number from 1 on");
  if (fact.relation != Relation::Equal || fact.value < 0 || fact.value >= *modulus)
    return failure("a remainder must be compared by == with a number below the divisor");
  fact.modulus = uint32_t(*modulus);
  return ok();
}

Status readFact(std::string_view text, StatedFact& fact) {
  static constexpr std::pair<std::string_view, Relation> kRelations[] = {
      {"==", Relation::Equal},        {"!=", Relation::NotEqual}, {"<=", Relation::LessEqual},
      {">=", Relation::GreaterEqual}, {"<", Relation::Less},      {">", Relation::Greater}};
  const size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos) return failure("there is no ==, !=, <, <=, > or >=");
  for (const auto& [sign, relation] : kRelations) {
    if (!text.substr(at).starts_with(sign)) continue;
    fact.relation = relation;
    const auto value = numberOf(trimmed(text.substr(at + sign.size())));
    if (!value) return failure(fmt::format("after '{}' must come a whole number", sign));
    fact.value = *value;
    std::string_view left = text.substr(0, at);
    if (const size_t percent = left.find('%'); percent != std::string_view::npos) {
      if (Status read = readRemainder(left.substr(percent + 1), fact); !read) return read;
      left = left.substr(0, percent);
    }
    return readSubject(trimmed(left), fact);
  }
  return failure("there is no ==, !=, <, <=, > or >=");
}

} // namespace

Result<StatedFact> parseStatedFact(const std::string& text) {
  StatedFact fact;
  fact.text = text;
  if (Status read = readFact(text, fact); !read)
    return failure(fmt::format("--assume='{}': {}; such as 'push.n % 64 == 0', 'groups.x <= 4096' "
                               "or 'buffer A.length >= 1024'",
                               text, read.error().message));
  return fact;
}

void addAssumeOption(CommandLine& line, Assumptions& assumptions, std::string help) {
  line.each(
      "--assume", "EXPR",
      [&assumptions](const std::string& text) -> Status {
        Result<StatedFact> fact = parseStatedFact(text);
        if (!fact) return fact.error();
        assumptions.stated.push_back(std::move(*fact));
        return ok();
      },
      std::move(help));
}

} // namespace lanewise::driver
