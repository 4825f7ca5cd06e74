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
  Id target{};
  uint32_t member = kNoMember;
  spv::Decoration decoration{};
  /// Where it is written, and the word at which the decoration's own operands start (the
  /// instruction's word count where it has none). For a group this is the decoration of the group.
  InstRef inst{};
  uint32_t operandWord = 0;

  static constexpr uint32_t kNoMember = UINT32_MAX;
  bool operator==(const Decoration&) const = default;
};

class Decorations {
public:
  static constexpr std::string_view kAnalysisName = "Decorations";

  explicit Decorations(const Module& module);

  /// Decorations of `target` and of its members: members after the whole, ascending; several of one
  /// member in module order, those by a group where the group is applied. None for an id that the
  /// module did not have when this was computed.
  std::span<const Decoration> of(Id target) const {
    if (size_t(target.value) + 1 >= start_.size()) return {};
    return {list_.data() + start_[target.value], list_.data() + start_[target.value + 1]};
  }
  /// Decorations of one member of `structType`, or of the whole with kNoMember.
  std::span<const Decoration> ofMember(Id structType, uint32_t member) const;
  /// True if the id itself (not a member) has the decoration.
  bool has(Id target, spv::Decoration d) const {
    return hasMember(target, Decoration::kNoMember, d);
  }
  /// First operand word of decoration `d`, if `target` (or its member) has it.
  std::optional<uint32_t> operand(const Module& module, Id target, spv::Decoration d,
                                  uint32_t member = Decoration::kNoMember) const;
  bool hasMember(Id target, uint32_t member, spv::Decoration d) const;
  /// The BuiltIn of a variable or constant.
  std::optional<spv::BuiltIn> builtIn(const Module& module, Id target) const;
  /// OpName of an id (the first one), empty if none.
  std::string_view name(const Module& module, Id id) const;
  /// OpMemberName of a struct's member (the first one), empty if none. Looks through all names.
  static std::string_view memberName(const Module& module, Id structType, uint32_t member);

  bool operator==(const Decorations&) const = default;

private:
  void sort(const std::vector<Decoration>& found);

  std::vector<uint32_t> start_; ///< by Id, into list_
  std::vector<Decoration> list_;
  std::vector<InstRef> names_; ///< by Id
};

} // namespace lanewise
