#include "verify/scenario/expression.h"

#include "support/failure.h"
#include "support/suggest.h"

#include <cctype>
#include <fmt/format.h>
#include <vector>

namespace lanewise::driver {

namespace {

// Recursive descent. The first error wins; after it every function returns 0 at once.
class Parser {
public:
  Parser(std::string_view text, const Parameters& parameters)
      : text_(text), parameters_(parameters) {}

  Result<int64_t> run() {
    int64_t value = sum();
    if (Status s = end(); !s) return s.error();
    return value;
  }

  Result<bool> runCondition() {
    const int64_t left = sum();
    const std::string_view op = comparison();
    const int64_t right = sum();
    if (Status s = end(); !s) return s.error();
    if (op == "==") return left == right;
    if (op == "!=") return left != right;
    if (op == "<=") return left <= right;
    if (op == ">=") return left >= right;
    return op == "<" ? left < right : left > right;
  }

private:
  Status end() {
    if (error_.empty() && (skipSpace(), at_ < text_.size()))
      fail(fmt::format("unexpected `{}`", text_[at_]));
    if (!error_.empty()) return failure(std::move(error_));
    return ok();
  }

  std::string_view comparison() {
    skipSpace();
    for (std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) // the longer ones first
      if (text_.substr(at_).starts_with(op)) {
        at_ += op.size();
        return op;
      }
    fail("expected one of == != < <= > >=");
    return {};
  }

  static constexpr int kMaxDepth = 100;

  void fail(std::string what) {
    if (error_.empty()) error_ = fmt::format("{} (column {} of `{}`)", what, at_ + 1, text_);
  }
  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  int64_t sum() {
    int64_t value = product();
    while (error_.empty() && (peek() == '+' || peek() == '-')) {
      char op = text_[at_++];
      int64_t right = product();
      bool overflow = op == '+' ? __builtin_add_overflow(value, right, &value)
                                : __builtin_sub_overflow(value, right, &value);
      if (overflow) fail("the value does not fit in 64 bits");
    }
    return value;
  }

  int64_t product() {
    int64_t value = factor();
    while (error_.empty() && (peek() == '*' || peek() == '/' || peek() == '%')) {
      char op = text_[at_++];
      int64_t right = factor();
      if (!error_.empty()) return 0;
      if (op == '*') {
        if (__builtin_mul_overflow(value, right, &value)) fail("the value does not fit in 64 bits");
      } else if (right == 0) {
        fail("division by zero");
      } else if (right == -1) { // INT64_MIN / -1 overflows
        if (op == '%')
          value = 0;
        else if (__builtin_sub_overflow(int64_t(0), value, &value))
          fail("the value does not fit in 64 bits");
      } else {
        value = op == '/' ? value / right : value % right;
      }
    }
    return value;
  }

  int64_t factor() {
    if (!error_.empty()) return 0;
    if (++depth_ > kMaxDepth) return fail("too many nested parentheses"), 0;
    int64_t value = 0;
    char c = peek();
    if (c == '-') {
      ++at_;
      if (__builtin_sub_overflow(int64_t(0), factor(), &value))
        fail("the value does not fit in 64 bits");
    } else if (c == '(') {
      ++at_;
      value = sum();
      if (error_.empty()) {
        if (peek() == ')')
          ++at_;
        else
          fail("missing `)`");
      }
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      value = number();
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      value = parameter();
    } else {
      fail("expected a number, a parameter or `(`");
    }
    --depth_;
    return value;
  }

  int64_t number() {
    uint32_t base = 10;
    if (text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X") base = 16, at_ += 2;
    int64_t value = 0;
    bool any = false;
    for (; at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])); ++at_) {
      char c = char(std::tolower(static_cast<unsigned char>(text_[at_])));
      uint32_t digit =
          std::isdigit(static_cast<unsigned char>(c)) ? uint32_t(c - '0') : uint32_t(c - 'a') + 10;
      if (digit >= base) return fail(fmt::format("`{}` is not a digit", text_[at_])), 0;
      if (__builtin_mul_overflow(value, int64_t(base), &value) ||
          __builtin_add_overflow(value, int64_t(digit), &value))
        return fail("the number does not fit in 64 bits"), 0;
      any = true;
    }
    if (!any) fail("missing digits");
    return value;
  }

  int64_t parameter() {
    size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    std::string_view name = text_.substr(start, at_ - start);
    auto found = parameters_.find(name);
    if (found != parameters_.end()) return found->second;
    at_ = start;
    std::vector<std::string> names;
    for (const auto& [known, value] : parameters_) names.push_back(known);
    std::string near = nearest(name, names);
    fail(near.empty() ? fmt::format("`{}` is not in [parameters]", name)
                      : fmt::format("`{}` is not in [parameters]; did you mean `{}`?", name, near));
    return 0;
  }

  std::string_view text_;
  const Parameters& parameters_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

} // namespace

Result<int64_t> evaluateExpression(std::string_view text, const Parameters& parameters) {
  return Parser(text, parameters).run();
}

Result<bool> evaluateCondition(std::string_view text, const Parameters& parameters) {
  return Parser(text, parameters).runCondition();
}

} // namespace lanewise::driver
