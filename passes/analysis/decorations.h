// Decorations and execution-independent facts attached to ids, decoration groups expanded. Exact.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise {

/// One decoration of an id or of a member of a struct type.
struct Decoration {
  Id target;
  uint32_t member = kNoMember;
  spv::Decoration decoration{};
  /// Where it is written, and the word at which the decoration's own operands start.
  InstRef inst;
  uint32_t operandWord = 0;

  static constexpr uint32_t kNoMember = UINT32_MAX;
  bool operator==(const Decoration&) const = default;
};

class Decorations {
public:
  explicit Decorations(const Module& module);

  /// Decorations of `target` and of its members: members after the whole, ascending.
  std::span<const Decoration> of(Id target) const;
  bool has(Id target, spv::Decoration d) const;
  /// First operand word of decoration `d`, if `target` (or its member) has it.
  std::optional<uint32_t> operand(const Module& module, Id target, spv::Decoration d,
                                  uint32_t member = Decoration::kNoMember) const;
  bool hasMember(Id target, uint32_t member, spv::Decoration d) const;
  /// The BuiltIn of a variable or constant.
  std::optional<spv::BuiltIn> builtIn(const Module& module, Id target) const;
  /// OpName of an id, empty if none.
  std::string_view name(const Module& module, Id id) const;

  bool operator==(const Decorations&) const = default;

private:
  std::vector<uint32_t> start_; ///< by Id
  std::vector<Decoration> list_;
  std::vector<InstRef> names_; ///< by Id
};

} // namespace lanewise
