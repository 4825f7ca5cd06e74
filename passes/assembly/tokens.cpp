#include "assembly/tokens.h"

namespace lanewise {

bool Token::isOpcode() const {
  return text.size() > 2 && text.starts_with("Op") && text[2] >= 'A' && text[2] <= 'Z';
}

void Tokens::advance() {
  if (text_[at_++] == '\n')
    ++place_.line, place_.column = 1;
  else
    ++place_.column;
}

void Tokens::skip() {
  bool isComment = false;
  for (; at_ < text_.size(); advance()) {
    const char c = text_[at_];
    if (c == '\0') at_ = text_.size(); // as for spirv-as, the text ends here
    if (at_ >= text_.size()) return;
    if (c == ';') isComment = true;
    if (c == '\n') isComment = false;
    if (!isComment && c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
  }
}

/// A token ends at a blank or a comment; parentheses and commas (of OpUnknown) are their own.
size_t Tokens::endOfToken() const {
  constexpr std::string_view kAlone = "(),";
  if (at_ < text_.size() && kAlone.find(text_[at_]) != kAlone.npos) return at_ + 1;
  bool isQuoting = false, isEscaping = false;
  for (size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '\0') return at;
    if (c == '\\') {
      isEscaping = !isEscaping;
      continue;
    }
    if (c == '"' && !isEscaping) isQuoting = !isQuoting;
    constexpr std::string_view kEnds = " ;,()\t\n\r";
    if (!isQuoting && !isEscaping && kEnds.find(c) != kEnds.npos) return at;
    isEscaping = false;
  }
  return text_.size();
}

Token Tokens::peek() const {
  return {text_.substr(at_, endOfToken() - at_), place_};
}

Token Tokens::next() {
  const Token token = peek();
  for (const size_t end = at_ + token.text.size(); at_ < end;) advance();
  skip();
  return token;
}

bool Tokens::atInstruction() const {
  const Token first = peek();
  if (first.isOpcode()) return true;
  if (!first.isId()) return false;
  Tokens ahead = *this;
  ahead.next();
  return ahead.next().text == "=" && ahead.peek().isOpcode();
}

bool unquoted(std::string_view token, std::string& text) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
  token = token.substr(1, token.size() - 2);
  bool isEscaping = false;
  for (char c : token) {
    if (c == '\\' && !isEscaping) {
      isEscaping = true;
      continue;
    }
    text += c;
    isEscaping = false;
  }
  return true;
}

} // namespace lanewise
