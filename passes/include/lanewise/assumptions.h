// What the user states beyond what the module says.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// Invocations along one dimension of a workgroup at most: far more than any device takes.
inline constexpr uint32_t kMaxWorkgroupSize = 65535;

/// What the user promises of an input of every dispatch, from `--assume`: "push.n % 64 == 0",
/// "groups.x <= 4096", "buffer A.length >= 1024". Unlike all else that is given, it proves
/// legality: where it does not hold, what was optimized with it may do anything.
struct StatedFact {
  enum class Subject : uint8_t {
    PushConstant, ///< an integer of the push-constant block: `name`, or `offset` where that is
                  ///< empty
    Groups,       ///< workgroups of a dispatch that starts at workgroup 0: `component`
    BufferLength  ///< OpArrayLength of the buffer `name`: of its variable, or of its block type
  };
  enum class Relation : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
  Subject subject{};
  std::string name;
  uint32_t offset = 0;    ///< bytes from the start of the block
  uint32_t component = 0; ///< 0 to 2
  /// Not 0: the remainder by this, 0 to modulus - 1 also of a negative number, is compared, with
  /// Relation::Equal. Of a power of two these are the low bits.
  uint32_t modulus = 0;
  Relation relation{};
  int64_t value = 0;
  std::string text; ///< as the user wrote it
  bool operator==(const StatedFact&) const = default;

  /// Whether the fact holds for a number, as signed or unsigned as its type is.
  bool holdsFor(int64_t number) const {
    if (modulus != 0) return (number % int64_t(modulus) + modulus) % modulus == value;
    switch (relation) {
    case Relation::Equal:
      return number == value;
    case Relation::NotEqual:
      return number != value;
    case Relation::Less:
      return number < value;
    case Relation::LessEqual:
      return number <= value;
    case Relation::Greater:
      return number > value;
    case Relation::GreaterEqual:
      return number >= value;
    }
    return false;
  }
};

/// Given values inform cost, never legality: a specialization constant may still be set to any
/// value when the module is specialized. Only `stated` does.
struct Assumptions {
  /// SpecId -> value bits, from `--spec-const` or the scenario.
  std::map<uint32_t, uint64_t> specConstants;
  /// Workgroup size for entry points whose size is not literal, from `--workgroup-size`.
  std::optional<std::array<uint32_t, 3>> workgroupSize;
  std::vector<StatedFact> stated;
};

} // namespace lanewise
