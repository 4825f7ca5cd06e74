// Errors as values. The library never throws across its interface, prints or exits.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lanewise {

/// What is wrong with an input. `message` is one sentence without a trailing period, and says how
/// to fix it where that is known.
struct Error {
  std::string message;
  /// Offset from the start of the module, in 32-bit words, of the offending place, if there is one.
  std::optional<size_t> wordOffset;
  /// The offending result id, 0 if none.
  uint32_t id = 0;
  /// The flag of the pass that failed, without dashes; empty outside passes.
  std::string pass;
  /// What a pass was about to write is larger than a module may be (SPIR-V 2.17). Nobody's fault.
  bool isLimit = false;

  /// One line: message, then "(word N, id %M, pass P)" for whichever are known.
  std::string str() const;
};

/// Either a value or an Error. Like std::expected<T, Error>, which C++20 does not have.
template <class T>
class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& value() {
    assert(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(state_.index() == 0);
    return *std::get_if<0>(&state_);
  }
  const Error& error() const {
    assert(state_.index() == 1);
    return *std::get_if<1>(&state_);
  }

private:
  std::variant<T, Error> state_;
};

/// For operations that return nothing but may fail.
using Status = Result<std::monostate>;
inline Status ok() {
  return std::monostate{};
}

} // namespace lanewise
