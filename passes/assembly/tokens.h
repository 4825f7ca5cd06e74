// The words of SPIR-V assembly: what stands between blanks, with strings and comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise {

struct TextPlace {
  uint32_t line = 1, column = 1;
};

struct Token {
  std::string_view text; ///< empty at the end; a string with its quotes
  TextPlace place;
  bool isString() const { return text.starts_with('"'); }
  bool isId() const { return text.starts_with('%'); }
  bool isImmediate() const { return text.starts_with('!'); } ///< a word as it is: !0x10
  bool isOpcode() const;
};

/// Hands out one token after the other, and looks ahead.
class Tokens {
public:
  explicit Tokens(std::string_view text) : text_(text) { skip(); }

  Token peek() const;
  Token next();
  bool atEnd() const { return at_ >= text_.size(); }
  /// Whether an instruction begins here: an opcode, or an id with `=` and an opcode behind it.
  bool atInstruction() const;

private:
  void skip();    ///< blanks and comments
  void advance(); ///< by one character
  size_t endOfToken() const;

  std::string_view text_;
  size_t at_ = 0;
  TextPlace place_;
};

/// What a string token says, without quotes and backslashes; false if it does not end.
bool unquoted(std::string_view token, std::string& text);

} // namespace lanewise
