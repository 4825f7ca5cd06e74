// A set of integers of one width, as far as it is known: an interval of them as unsigned numbers,
// one as signed numbers, and the bits that all of them share. Conservative: a range holds at least
// every value that is possible. The three parts sharpen one another.
//
// Reference: H. S. Warren, "Hacker's Delight", chapter 4 (bounds of sums and products that wrap
// around).
#pragma once

#include "ir/integer_semantics.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>

namespace lanewise {

/// Values are zero-extended from `width`, 1 to 64 bits; a Boolean has one. All bounds are
/// inclusive.
class IntegerRange {
public:
  IntegerRange() = default; ///< empty, of no width
  static IntegerRange all(uint32_t width);
  static IntegerRange none(uint32_t width);
  static IntegerRange single(uint32_t width, uint64_t bits);
  static IntegerRange ofUnsigned(uint32_t width, uint64_t least, uint64_t most);
  static IntegerRange ofSigned(uint32_t width, int64_t least, int64_t most);
  static IntegerRange ofBits(uint32_t width, uint64_t zeros, uint64_t ones);

  uint32_t width() const { return width_; }
  /// True where no value is possible: the code does not run.
  bool isEmpty() const { return least_ > most_; }
  uint64_t least() const { return least_; }
  uint64_t most() const { return most_; }
  int64_t leastSigned() const { return leastSigned_; }
  int64_t mostSigned() const { return mostSigned_; }
  /// Nothing is known.
  bool isAll() const;
  /// Bits that are 0, or 1, in every value.
  uint64_t zeros() const { return zeros_; }
  uint64_t ones() const { return ones_; }
  /// Bits that may be 1.
  uint64_t mayBe() const { return ~zeros_ & mask(); }
  uint64_t mask() const { return wrapped(~uint64_t(0), width_); }
  std::optional<uint64_t> value() const {
    return least_ == most_ ? std::optional(least_) : std::nullopt;
  }
  bool isNonNegative() const { return !isEmpty() && leastSigned_ >= 0; }
  /// False only where the value is impossible.
  bool mayHold(uint64_t bits) const;

  /// What is in both, or in either. They have one width.
  IntegerRange intersected(const IntegerRange& other) const;
  IntegerRange joined(const IntegerRange& other) const;
  /// A range that holds this one and `grown`, and that soon stops growing when asked again and
  /// again: bounds that moved go as far as they can, to 0 first.
  IntegerRange widened(const IntegerRange& grown, bool dropsBits) const;

  bool operator==(const IntegerRange&) const = default;

  /// The low 32 bits of all there is but the width.
  struct Packed {
    uint32_t least, most, zeros, ones;
    int32_t leastSigned, mostSigned;
    bool operator==(const Packed&) const = default;
  };
  Packed packed() const {
    return {uint32_t(least_), uint32_t(most_),       uint32_t(zeros_),
            uint32_t(ones_),  int32_t(leastSigned_), int32_t(mostSigned_)};
  }
  /// What was packed, where all of it fitted.
  static IntegerRange unpacked(uint32_t width, const Packed& packed) {
    IntegerRange r;
    r.width_ = width;
    r.least_ = packed.least, r.most_ = packed.most;
    r.leastSigned_ = packed.leastSigned, r.mostSigned_ = packed.mostSigned;
    r.zeros_ = packed.zeros, r.ones_ = packed.ones;
    return r;
  }

private:
  void sharpen();
  bool sharpenBits();
  bool sharpenIntervals();

  uint32_t width_ = 0;
  uint64_t least_ = 1, most_ = 0;
  int64_t leastSigned_ = 1, mostSigned_ = 0;
  uint64_t zeros_ = 0, ones_ = 0;
};

/// What an instruction with operands in these ranges gives; every value of the width where the
/// result may be undefined, or the instruction is not one that is followed. Operands in the
/// instruction's order; shifts may have an amount of another width.
IntegerRange rangeOfInteger(spv::Op op, uint32_t width, std::span<const IntegerRange> operands);
/// The same for an instruction of GLSL.std.450.
IntegerRange rangeOfGlslInteger(uint32_t instruction, uint32_t width,
                                std::span<const IntegerRange> operands);
/// True where a quotient and a remainder exist for all of the operands.
bool isDefinedDivision(bool isSigned, const IntegerRange& dividend, const IntegerRange& divisor);

} // namespace lanewise
