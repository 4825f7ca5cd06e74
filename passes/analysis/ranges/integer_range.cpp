#include "analysis/ranges/integer_range.h"

#include <algorithm>
#include <bit>

namespace lanewise {
namespace {

int64_t leastOf(uint32_t width) {
  return signedOf(uint64_t(1) << (width - 1), width);
}
int64_t mostOf(uint32_t width) {
  return signedOf(wrapped(~uint64_t(0), width) >> 1, width);
}

/// Bits above the highest one in which two numbers differ: those that all numbers between share.
uint64_t sharedPrefix(uint64_t least, uint64_t most) {
  return ~lowBits(~uint64_t(0), uint32_t(std::bit_width(least ^ most)));
}

} // namespace

IntegerRange IntegerRange::all(uint32_t width) {
  IntegerRange r;
  r.width_ = width;
  r.least_ = 0;
  r.most_ = r.mask();
  r.leastSigned_ = leastOf(width);
  r.mostSigned_ = mostOf(width);
  return r;
}

bool IntegerRange::isAll() const {
  return least_ == 0 && most_ == mask() && (zeros_ | ones_) == 0 &&
         leastSigned_ == leastOf(width_) && mostSigned_ == mostOf(width_);
}

IntegerRange IntegerRange::none(uint32_t width) {
  IntegerRange r;
  r.width_ = width;
  return r;
}

IntegerRange IntegerRange::single(uint32_t width, uint64_t bits) {
  IntegerRange r;
  r.width_ = width;
  r.least_ = r.most_ = r.ones_ = wrapped(bits, width);
  r.leastSigned_ = r.mostSigned_ = signedOf(r.least_, width);
  r.zeros_ = ~r.ones_ & r.mask();
  return r;
}

IntegerRange IntegerRange::ofUnsigned(uint32_t width, uint64_t least, uint64_t most) {
  IntegerRange r;
  r.width_ = width;
  r.least_ = least;
  r.most_ = most;
  r.leastSigned_ = leastOf(width);
  r.mostSigned_ = mostOf(width);
  r.sharpen();
  return r;
}

IntegerRange IntegerRange::ofSigned(uint32_t width, int64_t least, int64_t most) {
  IntegerRange r;
  r.width_ = width;
  r.most_ = r.mask();
  r.least_ = 0;
  r.leastSigned_ = least;
  r.mostSigned_ = most;
  r.sharpen();
  return r;
}

IntegerRange IntegerRange::ofBits(uint32_t width, uint64_t zeros, uint64_t ones) {
  IntegerRange r = all(width);
  r.zeros_ |= zeros & r.mask();
  r.ones_ |= ones & r.mask();
  if ((r.zeros_ | r.ones_) != 0) r.sharpen();
  return r;
}

bool IntegerRange::mayHold(uint64_t bits) const {
  const int64_t asSigned = signedOf(bits, width_);
  return least_ <= bits && bits <= most_ && leastSigned_ <= asSigned && asSigned <= mostSigned_ &&
         (bits & zeros_) == 0 && (bits & ones_) == ones_;
}

/// Each of the three parts tells something of the others. Two rounds, since what one tells in the
/// second may matter in the first.
void IntegerRange::sharpen() {
  for (int round = 0; round < 2; ++round) {
    const IntegerRange before = *this;
    if (!sharpenBits() || !sharpenIntervals()) {
      *this = none(width_);
      return;
    }
    if (*this == before) return;
  }
}

/// Bits that the bounds share, and bounds that have the bits. False where nothing is left.
bool IntegerRange::sharpenBits() {
  least_ = std::max(least_, ones_);
  most_ = std::min(most_, mayBe());
  if (least_ > most_ || (zeros_ & ones_) != 0) return false;
  const uint64_t prefix = sharedPrefix(least_, most_) & mask();
  ones_ |= least_ & prefix;
  zeros_ |= ~least_ & prefix;
  // Where the lowest bits are known, values go in steps of a power of two.
  const uint32_t low = uint32_t(std::countr_one(zeros_ | ones_));
  const uint64_t lowMask = lowBits(~uint64_t(0), low), rest = ones_ & lowMask;
  const uint64_t up = wrapped((least_ - rest + lowMask) & ~lowMask, width_) | rest;
  if (up < least_ || most_ < rest) return false;
  least_ = up;
  most_ = ((most_ - rest) & ~lowMask) | rest;
  return least_ <= most_ && (zeros_ & ones_) == 0;
}

/// From one interval to the other, where it does not straddle the place at which they differ.
bool IntegerRange::sharpenIntervals() {
  const uint64_t sign = uint64_t(1) << (width_ - 1);
  if ((least_ & sign) == (most_ & sign)) {
    leastSigned_ = std::max(leastSigned_, signedOf(least_, width_));
    mostSigned_ = std::min(mostSigned_, signedOf(most_, width_));
  }
  if (leastSigned_ > mostSigned_) return false;
  if ((leastSigned_ < 0) == (mostSigned_ < 0)) {
    least_ = std::max(least_, wrapped(uint64_t(leastSigned_), width_));
    most_ = std::min(most_, wrapped(uint64_t(mostSigned_), width_));
  }
  return least_ <= most_;
}

IntegerRange IntegerRange::intersected(const IntegerRange& other) const {
  if (isEmpty() || other.isEmpty()) return none(width_);
  if (other.isAll()) return *this;
  if (isAll()) return other;
  IntegerRange r = *this;
  r.least_ = std::max(least_, other.least_);
  r.most_ = std::min(most_, other.most_);
  r.leastSigned_ = std::max(leastSigned_, other.leastSigned_);
  r.mostSigned_ = std::min(mostSigned_, other.mostSigned_);
  r.zeros_ |= other.zeros_;
  r.ones_ |= other.ones_;
  if (r == *this) return r;
  r.sharpen();
  return r;
}

IntegerRange IntegerRange::joined(const IntegerRange& other) const {
  if (isEmpty()) return other;
  if (other.isEmpty()) return *this;
  IntegerRange r = *this;
  r.least_ = std::min(least_, other.least_);
  r.most_ = std::max(most_, other.most_);
  r.leastSigned_ = std::min(leastSigned_, other.leastSigned_);
  r.mostSigned_ = std::max(mostSigned_, other.mostSigned_);
  r.zeros_ &= other.zeros_;
  r.ones_ &= other.ones_;
  return r;
}

IntegerRange IntegerRange::widened(const IntegerRange& grown, bool dropsBits) const {
  if (isEmpty()) return grown;
  IntegerRange r = joined(grown);
  if (r.least_ < least_) r.least_ = 0;
  if (r.most_ > most_) r.most_ = r.mask();
  if (r.leastSigned_ < leastSigned_) r.leastSigned_ = r.leastSigned_ >= 0 ? 0 : leastOf(width_);
  if (r.mostSigned_ > mostSigned_) r.mostSigned_ = r.mostSigned_ < 0 ? -1 : mostOf(width_);
  if (dropsBits && (r.zeros_ != zeros_ || r.ones_ != ones_)) r.zeros_ = r.ones_ = 0;
  r.sharpen();
  return r;
}

} // namespace lanewise
