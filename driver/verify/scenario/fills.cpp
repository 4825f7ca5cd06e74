#include "verify/scenario/fills.h"

#include "verify/formats/float_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace lanewise::driver {

uint8_t poisonByte(Poison p) {
  // 0x7B7B7B7B is 1.3e36 and 0xFAFAFAFA is -6.5e35 as f32; 61280 and -57152 as f16.
  return p == Poison::Positive ? 0x7B : 0xFA;
}

namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). Its own
// generator because the standard library's distributions differ between implementations.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  double unit() { return double(next() >> 11) * 0x1p-53; } ///< [0, 1)

private:
  uint64_t state_;
};

uint64_t hashName(std::string_view name) { // FNV-1a
  uint64_t hash = 0xCBF29CE484222325u;
  for (char c : name) hash = (hash ^ uint8_t(c)) * 0x100000001B3u;
  return hash;
}

// Values at which rewrites tend to go wrong, within [low, high].
std::vector<double> boundaryValues(ScalarType type, const FillRandom& fill) {
  std::vector<double> candidates{0.0, 1.0, -1.0, fill.low, fill.high};
  if (isFloat(type)) {
    candidates.insert(candidates.end(), {-0.0, (fill.low + fill.high) / 2});
  } else {
    candidates.insert(candidates.end(), {fill.low + 1, fill.high - 1});
  }
  std::erase_if(candidates, [&](double v) { return !(v >= fill.low && v <= fill.high); });
  return candidates;
}

// What arithmetic and comparisons treat in a way of their own, for a float of this size.
std::array<double, 10> specialValues(uint32_t bytes) {
  double least = bytes == 2 ? 0x1p-24 : bytes == 4 ? 0x1p-149 : 0x1p-1074;
  double normal = bytes == 2 ? 0x1p-14 : bytes == 4 ? 0x1p-126 : 0x1p-1022;
  double most = bytes == 2   ? 65504
                : bytes == 4 ? double(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max();
  double infinity = std::numeric_limits<double>::infinity();
  return {0.0,   -0.0, least,    -normal,   most,
          -most, 1.0,  infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
}

double drawScalar(ScalarType type, const FillRandom& fill, Random& random) {
  if (isFloat(type)) return fill.low + (fill.high - fill.low) * random.unit();
  double low = std::ceil(fill.low), high = std::floor(fill.high);
  return std::min(high, low + std::floor((high - low + 1) * random.unit()));
}

// Calls `value(type)` for each component of each texel; the values are colours, not stored numbers.
template <class Value>
void fillTexels(const ImageShape& image, uint8_t* to, Value&& value) {
  const ImageFormatInfo& info = infoOf(image.format);
  ScalarType type = !info.isInteger()                ? ScalarType::F32
                    : info.kind == TexelKind::Signed ? ScalarType::I32
                                                     : ScalarType::U32;
  std::array<double, 4> values{};
  for (uint64_t i = 0, texels = image.texels(); i < texels; ++i, to += info.bytes) {
    for (uint32_t c = 0; c < info.components(); ++c) values[c] = value(type);
    encodeTexelValues(image.format, values, to);
  }
}

// Calls `encode(type, to)` for each scalar of the elements in order; of an image `value(type)` for
// each component of each texel.
template <class Value, class Encode>
void fillEncoded(const ScenarioBuffer& buffer, uint8_t* to, Value&& value, Encode&& encode) {
  if (buffer.image) return fillTexels(*buffer.image, to, value);
  for (uint64_t i = 0; i < buffer.count; ++i)
    for (ScalarType type : buffer.elements) {
      encode(type, to);
      to += byteSize(type);
    }
}

// Calls `value(type)` for each of them.
template <class Value>
void fillScalars(const ScenarioBuffer& buffer, uint8_t* to, Value&& value) {
  fillEncoded(buffer, to, value,
              [&](ScalarType type, uint8_t* at) { encodeScalar(type, value(type), at); });
}

void fillRandom(const ScenarioBuffer& buffer, const FillRandom& fill, uint64_t seed,
                InputStyle style, uint8_t* to) {
  Random random(seed + fill.seed * 0x9E3779B97F4A7C15u + hashName(buffer.name));
  // A format without infinities has nothing special to hold.
  bool canBeSpecial = !buffer.image || infoOf(buffer.image->format).kind == TexelKind::Float;
  if (style == InputStyle::Seeded || (style == InputStyle::Special && !canBeSpecial)) {
    fillScalars(buffer, to, [&](ScalarType type) { return drawScalar(type, fill, random); });
    return;
  }
  if (style == InputStyle::Special) {
    fillScalars(buffer, to, [&](ScalarType type) {
      if (!isFloat(type) || random.next() % 8 != 0) return drawScalar(type, fill, random);
      const std::array<double, 10> special = specialValues(byteSize(type));
      return special[random.next() % special.size()];
    });
    return;
  }
  std::vector<double> ofFloat = boundaryValues(ScalarType::F32, fill);
  std::vector<double> ofInteger = boundaryValues(ScalarType::I32, fill);
  fillScalars(buffer, to, [&](ScalarType type) {
    const std::vector<double>& values = isFloat(type) ? ofFloat : ofInteger;
    return values.empty() ? fill.low : values[random.next() % values.size()];
  });
}

void fillWide(const ScenarioBuffer& buffer, uint64_t seed, uint8_t* to) {
  Random random(seed + hashName(buffer.name));
  auto integerOf = [&](ScalarType type) {
    // Any length is as likely as any other one; then either end of the range is.
    const uint32_t bits = 8 * byteSize(type), unused = uint32_t(64 - 1 - random.next() % bits);
    const uint64_t value = random.next() >> unused;
    return int64_t(random.next() % 2 ? value : ~value);
  };
  auto floatOf = [&] {
    const double magnitude = std::pow(10.0, -3 + 9 * random.unit());
    return random.next() % 2 ? magnitude : -magnitude;
  };
  fillEncoded(
      buffer, to,
      [&](ScalarType type) {
        return isFloat(type) ? floatOf() : double(int32_t(integerOf(ScalarType::I32)));
      },
      [&](ScalarType type, uint8_t* at) {
        if (isFloat(type))
          encodeScalar(type, floatOf(), at);
        else
          encodeInteger(type, integerOf(type), at);
      });
}

void fillEdges(const ScenarioBuffer& buffer, uint64_t seed, uint8_t* to) {
  Random random(seed + hashName(buffer.name));
  auto integerOf = [&](ScalarType type) {
    const uint32_t bits = 8 * byteSize(type);
    const uint64_t lowest = uint64_t(1) << (bits - 1), half = uint64_t(1) << (bits / 2);
    const std::array<uint64_t, 11> edges{
        0, 1, 2, 3, ~uint64_t(0), lowest, lowest - 1, lowest + 1, half, half - 1, half + 1};
    return int64_t(edges[random.next() % edges.size()]);
  };
  fillEncoded(
      buffer, to,
      [&](ScalarType type) {
        return isFloat(type) ? 2 * random.unit() - 1 : double(int32_t(integerOf(ScalarType::I32)));
      },
      [&](ScalarType type, uint8_t* at) {
        if (isFloat(type))
          encodeScalar(type, 2 * random.unit() - 1, at);
        else
          encodeInteger(type, integerOf(type), at);
      });
}

void fillDrawn(const ScenarioBuffer& buffer, const FillDrawn& fill, uint64_t seed, uint8_t* to) {
  Random random(seed + hashName(buffer.name));
  auto integer = [&] {
    return fill.integers.empty() ? int64_t(random.next() % 64)
                                 : fill.integers[random.next() % fill.integers.size()];
  };
  auto floating = [&] {
    return fill.floats.empty() ? 2 * random.unit() - 1
                               : fill.floats[random.next() % fill.floats.size()];
  };
  fillEncoded(
      buffer, to, [&](ScalarType type) { return isFloat(type) ? floating() : double(integer()); },
      [&](ScalarType type, uint8_t* at) {
        if (isFloat(type))
          encodeScalar(type, floating(), at);
        else
          encodeInteger(type, integer(), at);
      });
}

} // namespace

void fillAll(const ScenarioBuffer& buffer, uint64_t seed, uint8_t* to) {
  if (std::holds_alternative<FillWide>(buffer.fill))
    fillWide(buffer, seed, to);
  else if (std::holds_alternative<FillEdges>(buffer.fill))
    fillEdges(buffer, seed, to);
  else if (const auto* drawn = std::get_if<FillDrawn>(&buffer.fill))
    fillDrawn(buffer, *drawn, seed, to);
}

// Of what only rounds have, which run a few workgroups each: so many elements over and over.
void fillRound(const ScenarioBuffer& buffer, uint64_t seed, uint8_t* to) {
  constexpr uint64_t kPeriod = 4099; // a prime, so that no stride falls into step with it
  if (std::holds_alternative<FillPoison>(buffer.fill)) return;
  const uint64_t all = buffer.bytes() - buffer.headerBytes();
  if (all <= kPeriod * buffer.elementBytes()) return fillAll(buffer, seed, to);
  ScenarioBuffer part = buffer;
  part.header.clear();
  part.count = kPeriod;
  if (buffer.image) {
    ImageShape row;
    row.format = buffer.image->format;
    row.dimension = ImageDimension::Dim1D;
    row.width = uint32_t(kPeriod);
    part.setImage(row);
  }
  fillAll(part, seed, to);
  const uint64_t period = part.bytes();
  for (uint64_t at = period; at < all; at += period)
    std::memcpy(to + at, to, std::min(period, all - at));
}

void setSingleValues(const ScenarioBuffer& buffer, std::span<uint8_t> bytes) {
  uint8_t* to = bytes.data();
  for (const HeaderField& field : buffer.header) {
    std::memcpy(to, field.bytes.data(), byteSize(field.type));
    to += byteSize(field.type);
  }
  for (const BufferEdit& edit : buffer.edits)
    if (edit.offset + edit.bytes <= bytes.size())
      std::memcpy(bytes.data() + edit.offset, &edit.value, edit.bytes);
}

std::vector<uint8_t> initialBytes(const ScenarioBuffer& buffer, uint64_t seed, InputStyle style,
                                  Poison poison, std::span<const uint8_t> file) {
  if (std::holds_alternative<FillFile>(buffer.fill)) return {file.begin(), file.end()};
  std::vector<uint8_t> bytes(buffer.bytes(), poisonByte(poison));
  uint8_t* to = bytes.data() + buffer.headerBytes();
  if (const auto* random = std::get_if<FillRandom>(&buffer.fill)) {
    fillRandom(buffer, *random, seed, style, to);
  } else if (const auto* constant = std::get_if<FillConstant>(&buffer.fill)) {
    fillScalars(buffer, to, [&](ScalarType) { return constant->value; });
  } else if (const auto* iota = std::get_if<FillIota>(&buffer.fill)) {
    uint64_t index = 0;
    fillScalars(buffer, to, [&](ScalarType) { return iota->start + iota->step * double(index++); });
  } else if (const auto* list = std::get_if<FillValues>(&buffer.fill)) {
    uint64_t index = 0;
    fillScalars(buffer, to,
                [&](ScalarType) { return list->values[index++ % list->values.size()]; });
  } else {
    fillRound(buffer, seed, to);
  }
  setSingleValues(buffer, bytes);
  return bytes;
}

std::vector<uint8_t> FillCache::bytesOf(const ScenarioBuffer& buffer, uint64_t seed,
                                        InputStyle style, std::span<const uint8_t> file) {
  constexpr uint64_t kMostBytes = uint64_t(64) << 20;
  for (const Entry& known : entries_) {
    const ScenarioBuffer& b = known.buffer;
    const bool isSame = b.name == buffer.name && b.count == buffer.count && b.fill == buffer.fill &&
                        b.elements == buffer.elements && b.image == buffer.image &&
                        b.headerBytes() == buffer.headerBytes() && known.seed == seed &&
                        known.style == style;
    if (!isSame) continue;
    std::vector<uint8_t> bytes = known.bytes;
    setSingleValues(buffer, bytes);
    return bytes;
  }
  ScenarioBuffer plain = buffer;
  plain.edits.clear();
  std::vector<uint8_t> bytes = initialBytes(plain, seed, style, Poison::Positive, file);
  if (held_ + bytes.size() <= kMostBytes) {
    held_ += bytes.size();
    entries_.push_back({std::move(plain), seed, style, bytes});
  }
  setSingleValues(buffer, bytes);
  return bytes;
}

} // namespace lanewise::driver
