// Numbers of SPIR-V assembly: integers of any width, and floats of which the narrow ones, and those
// that decimals cannot say (infinities, NaNs, denormals), are written in hexadecimal (0x1.8p+3).
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// How the words of a literal are to be read.
struct NumberType {
  enum class Kind : uint8_t { Unsigned, Signed, Float };
  Kind kind = Kind::Unsigned;
  uint32_t width = 32; ///< bits
  // Of a Float: its sign is there unless all bits are exponent.
  uint32_t exponentBits = 0;
  uint32_t fractionBits = 0;
  int32_t bias = 0;
  bool isFixed = false; ///< no float at all: a signed number of 64ths (MXInt8)

  bool hasSign() const { return exponentBits + fractionBits < width; }
};
inline constexpr NumberType kUnsigned32{};
inline constexpr NumberType kFloat32{NumberType::Kind::Float, 32, 8, 23, 127, false};

/// The numbers of a type from the words of its OpTypeInt or OpTypeFloat; nothing for any other
/// type, for a float of an encoding or width that the grammar does not have, and for integers of
/// more than 64 bits.
std::optional<NumberType> numberType(std::span<const uint32_t> typeInst);

/// As SPIRV-Tools write it. `words` are what the type takes: the low word first.
std::string numberText(const NumberType& type, std::span<const uint32_t> words);

/// The words of a number; nothing where the text is none or does not fit the type. `why` then says
/// what is wrong.
std::optional<std::vector<uint32_t>> numberWords(const NumberType& type, std::string_view text,
                                                 std::string& why);

} // namespace lanewise
