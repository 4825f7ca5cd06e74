#include "verify/interpreter/steering.h"

#include "analysis/module/comparison.h"
#include "verify/formats/float_bits.h"
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <spirv/unified1/GLSL.std.450.h>

namespace lanewise::driver::interpreter {
namespace {

constexpr uint32_t kDeepest = 40; // steps of a computation that are undone
constexpr uint32_t kMostSteps = 4000;

// Cells from d on that an instruction writes and that can be traced through it.
uint32_t writtenCells(const Instr& i) {
  if (i.op < Op::PointerAdd) switch (i.op) {
    case Op::Undefine:
      return 0;
    case Op::ExtractDynamic:
    case Op::IntegerDot:
    case Op::Any:
    case Op::All:
    case Op::FDot:
      return 1;
    case Op::IAddCarry:
    case Op::ISubBorrow:
    case Op::UMulExtended:
    case Op::SMulExtended:
      return 2 * i.n;
    default:
      return i.n;
    }
  return i.op == Op::LoadCells || i.op == Op::LoadMemory || i.op == Op::Extended ? i.n : 0;
}

enum class Comparands : uint8_t { Unsigned, Signed, Float };

struct Comparing {
  Relation relation;
  Comparands of;
};

std::optional<Comparing> comparisonOf(Op op) {
  using enum Relation;
  switch (op) {
#define LANEWISE_INTEGERS(name, relation)                                                          \
  case Op::U##name:                                                                                \
    return Comparing{relation, Comparands::Unsigned};                                              \
  case Op::S##name:                                                                                \
    return Comparing{relation, Comparands::Signed};
#define LANEWISE_FLOATS(name, relation)                                                            \
  case Op::FOrd##name:                                                                             \
  case Op::FUnord##name:                                                                           \
    return Comparing{relation, Comparands::Float};
  case Op::IEqual:
    return Comparing{Equal, Comparands::Unsigned};
  case Op::INotEqual:
    return Comparing{NotEqual, Comparands::Unsigned};
    LANEWISE_INTEGERS(LessThan, Less)
    LANEWISE_INTEGERS(LessThanEqual, LessEqual)
    LANEWISE_INTEGERS(GreaterThan, Greater)
    LANEWISE_INTEGERS(GreaterThanEqual, GreaterEqual)
    LANEWISE_FLOATS(Equal, Equal)
    LANEWISE_FLOATS(NotEqual, NotEqual)
    LANEWISE_FLOATS(LessThan, Less)
    LANEWISE_FLOATS(LessThanEqual, LessEqual)
    LANEWISE_FLOATS(GreaterThan, Greater)
    LANEWISE_FLOATS(GreaterThanEqual, GreaterEqual)
#undef LANEWISE_INTEGERS
#undef LANEWISE_FLOATS
  default:
    return std::nullopt;
  }
}

template <class T>
bool holds(Relation relation, T x, T y) {
  switch (relation) {
  case Relation::Equal:
    return x == y;
  case Relation::NotEqual:
    return x != y;
  case Relation::Less:
    return x < y;
  case Relation::LessEqual:
    return x <= y;
  case Relation::Greater:
    return x > y;
  case Relation::GreaterEqual:
    return x >= y;
  }
  return false;
}

// Values that stand in the relation to `y`, the most wanted first.
std::vector<uint64_t> related(Comparing to, uint64_t y, uint32_t width, uint32_t slack) {
  std::vector<uint64_t> values;
  const bool isUp = to.relation == Relation::Greater || to.relation == Relation::GreaterEqual;
  const bool isStrict = to.relation == Relation::Greater || to.relation == Relation::Less ||
                        to.relation == Relation::NotEqual;
  if (to.of == Comparands::Float) {
    const double bound = decodeFloat(width, y);
    const double step = std::abs(bound) / 64 + 0x1p-8;
    for (double by : {slack * step, step, 16 * step, 1024 * step}) {
      const double value = to.relation == Relation::Equal ? bound : isUp ? bound + by : bound - by;
      const uint64_t bits = encodeFloat(width, value);
      if (holds(to.relation, decodeFloat(width, bits), bound)) values.push_back(bits);
    }
    return values;
  }
  // Beyond a bound there are several: not each is a multiple of what a factor asks for.
  for (uint64_t by : {0, 1, 3, 7, 15, 31}) {
    const uint64_t distance = slack + by + isStrict;
    const uint64_t value = lowBits(to.relation == Relation::Equal ? y
                                   : isUp                         ? y + distance
                                                                  : y - distance,
                                   width);
    const bool isRight = to.of == Comparands::Signed
                             ? holds(to.relation, signedOf(value, width), signedOf(y, width))
                             : holds(to.relation, value, y);
    if (isRight) values.push_back(value);
    if (to.relation == Relation::Equal) break;
  }
  return values;
}

// x with x * factor == product.
std::optional<uint64_t> quotient(uint64_t product, uint64_t factor, uint32_t width) {
  if (factor == 0) return std::nullopt;
  if (product % factor == 0) return product / factor;
  const int64_t a = signedOf(product, width), b = signedOf(factor, width);
  if (b != -1 && a % b == 0) return wrapped(uint64_t(a / b), width);
  const int zeros = std::countr_zero(factor);
  if (std::countr_zero(product) < zeros) return std::nullopt;
  const uint64_t odd = factor >> zeros;
  uint64_t inverse = odd; // Newton: each step doubles the bits that are right, from 3 on
  for (int n = 0; n < 5; ++n) inverse *= 2 - odd * inverse;
  return wrapped((product >> zeros) * inverse, width);
}

class Undoing {
public:
  Undoing(const Program& program, std::span<const uint32_t> writerStart,
          std::span<const uint32_t> writers, std::span<const uint64_t> cells, uint32_t slack)
      : program_(program), writerStart_(writerStart), writers_(writers), cells_(cells),
        slack_(slack) {}

  // Makes a Boolean so; true if that is known to be possible.
  bool makeBoolean(uint32_t cell, bool wanted) {
    if ((cells_[cell] != 0) == wanted) return true;
    const Deeper deeper(*this);
    if (!deeper) return false;
    // What a phi or a variable got the value from: where there are several, all that had it.
    bool isMade = false;
    for (uint32_t address : writersOf(cell)) {
      const Instr& i = program_.code[address];
      if (i.op == Op::Move && cells_[i.a + cell - i.d] != cells_[cell]) continue;
      isMade |= attempt([&] { return undoBoolean(i, cell - i.d, wanted); });
    }
    return isMade;
  }

  bool makeNumber(uint32_t cell, uint64_t wanted) {
    if (cells_[cell] == wanted) return true;
    const Deeper deeper(*this);
    if (!deeper) return false;
    for (uint32_t address : writersOf(cell)) {
      const Instr& i = program_.code[address];
      if (i.op == Op::Move && cells_[i.a + cell - i.d] != cells_[cell]) continue;
      if (attempt([&] { return undoNumber(i, cell - i.d, wanted); })) return true;
    }
    return false;
  }

  std::vector<WantedScalar> take() { return std::move(wanted_); }

private:
  struct Deeper {
    explicit Deeper(Undoing& of) : of(of) { ++of.depth_, ++of.steps_; }
    ~Deeper() { --of.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    explicit operator bool() const { return of.depth_ < kDeepest && of.steps_ < kMostSteps; }
    Undoing& of;
  };

  std::span<const uint32_t> writersOf(uint32_t cell) const {
    return writers_.subspan(writerStart_[cell], writerStart_[cell + 1] - writerStart_[cell]);
  }

  // What fails leaves no wishes behind.
  template <class Make>
  bool attempt(Make&& make) {
    const size_t before = wanted_.size();
    if (make()) return true;
    wanted_.resize(before);
    return false;
  }
  template <class... Ways>
  bool either(Ways&&... ways) {
    return (attempt(ways) || ...);
  }

  // ----- Booleans -----

  bool undoBoolean(const Instr& i, uint32_t k, bool wanted) {
    const uint32_t a = i.a + k, b = i.b + k;
    if (auto comparison = comparisonOf(i.op)) return compare(i, k, *comparison, wanted);
    switch (i.op) {
    case Op::Move:
      return makeBoolean(a, wanted);
    case Op::LogicalNot:
      return makeBoolean(a, !wanted);
    case Op::LogicalAnd:
    case Op::LogicalOr:
      if ((i.op == Op::LogicalAnd) == wanted)
        return makeBoolean(a, wanted) && makeBoolean(b, wanted);
      return either([&] { return makeBoolean(a, wanted); }, [&] { return makeBoolean(b, wanted); });
    case Op::All:
    case Op::Any: {
      const bool needsEach = (i.op == Op::All) == wanted;
      for (uint32_t n = 0; n < i.n; ++n)
        if (attempt([&] { return makeBoolean(i.a + n, wanted); }) != needsEach) return !needsEach;
      return needsEach;
    }
    case Op::Select:
    case Op::SelectEach:
      return choose(i, k, wanted, [&](uint32_t cell) { return makeBoolean(cell, wanted); });
    case Op::IsNan:
      return makeFloat(i, a, wanted ? std::numeric_limits<double>::quiet_NaN() : 1);
    case Op::IsInf:
      return makeFloat(i, a, wanted ? std::numeric_limits<double>::infinity() : 1);
    case Op::Unordered:
    case Op::Ordered: {
      const double value =
          wanted == (i.op == Op::Unordered) ? std::numeric_limits<double>::quiet_NaN() : 1;
      return either([&] { return makeFloat(i, a, value); }, [&] { return makeFloat(i, b, value); });
    }
    default:
      return false;
    }
  }

  bool compare(const Instr& i, uint32_t k, Comparing comparison, bool wanted) {
    const uint32_t a = i.a + k, b = i.b + k;
    if (i.shift == 63) { // Booleans
      const bool isSame = (comparison.relation == Relation::Equal) == wanted;
      return either([&] { return makeBoolean(a, (cells_[b] != 0) == isSame); },
                    [&] { return makeBoolean(b, (cells_[a] != 0) == isSame); });
    }
    if (!wanted) comparison.relation = negated(comparison.relation);
    const Comparing back{mirrored(comparison.relation), comparison.of};
    return either([&] { return makeAny(a, related(comparison, cells_[b], widthOf(i), slack_)); },
                  [&] { return makeAny(b, related(back, cells_[a], widthOf(i), slack_)); });
  }

  bool makeAny(uint32_t cell, const std::vector<uint64_t>& values) {
    return std::any_of(values.begin(), values.end(), [&](uint64_t value) {
      return attempt([&] { return makeNumber(cell, value); });
    });
  }

  // Of a select: the other operand where it is what is wanted, else the one that was chosen.
  template <class Make>
  bool choose(const Instr& i, uint32_t k, uint64_t wanted, Make&& make) {
    const uint32_t condition = i.op == Op::Select ? i.a : i.a + k;
    const bool isFirst = cells_[condition] != 0;
    const uint32_t chosen = (isFirst ? i.b : i.c) + k, other = (isFirst ? i.c : i.b) + k;
    return either([&] { return cells_[other] == wanted && makeBoolean(condition, !isFirst); },
                  [&] { return make(chosen); });
  }

  // ----- numbers -----

  bool undoNumber(const Instr& i, uint32_t k, uint64_t wanted) {
    const uint32_t a = i.a + k, b = i.b + k;
    switch (i.op) {
    case Op::Move:
      return makeNumber(a, wanted);
    case Op::Select:
    case Op::SelectEach:
      return choose(i, k, wanted, [&](uint32_t cell) { return makeNumber(cell, wanted); });
    case Op::ExtractDynamic:
      return cells_[i.b] < i.aux && makeNumber(i.a + uint32_t(cells_[i.b]), wanted);
    case Op::LoadCells:
      return makeNumber(uint32_t(cells_[i.a]) + i.aux + k, wanted);
    case Op::LoadMemory:
      return load(i, k, wanted);
    case Op::Extended:
      return undoExtended(i, k, wanted);
    case Op::Bitcast:
      return undoBitcast(i, k, wanted);
    case Op::UConvert:
    case Op::SConvert:
    case Op::ConvertFToU:
    case Op::ConvertFToS:
    case Op::ConvertUToF:
    case Op::ConvertSToF:
    case Op::FConvert:
      return undoConversion(i, a, wanted);
    case Op::FAdd:
    case Op::FSub:
    case Op::FMul:
    case Op::FDiv:
    case Op::FNegate:
    case Op::FMulScalar:
    case Op::FDot:
      return undoFloats(i, k, wanted);
    default:
      return undoSums(i, a, b, wanted) || undoDivision(i, a, b, wanted) ||
             undoBits(i, a, b, wanted);
    }
  }

  bool undoSums(const Instr& i, uint32_t a, uint32_t b, uint64_t wanted) {
    const uint64_t x = cells_[a], y = cells_[b];
    auto make = [&](uint32_t cell, std::optional<uint64_t> value) {
      return value && makeNumber(cell, wrapped(*value, widthOf(i)));
    };
    switch (i.op) {
    case Op::IAdd:
      return either([&] { return make(a, wanted - y); }, [&] { return make(b, wanted - x); });
    case Op::ISub:
      return either([&] { return make(a, wanted + y); }, [&] { return make(b, x - wanted); });
    case Op::IMul:
      return either([&] { return make(a, quotient(wanted, y, widthOf(i))); },
                    [&] { return make(b, quotient(wanted, x, widthOf(i))); });
    case Op::SNegate:
      return make(a, 0 - wanted);
    default:
      return false;
    }
  }

  bool undoDivision(const Instr& i, uint32_t a, uint32_t b, uint64_t wanted) {
    const uint64_t x = cells_[a], y = cells_[b];
    const uint32_t width = widthOf(i);
    const int64_t sx = signedOf(x, width), sy = signedOf(y, width);
    const int64_t signedWanted = signedOf(wanted, width);
    if (y == 0) return false;
    switch (i.op) {
    case Op::UDiv:
    case Op::SDiv: {
      const uint64_t value = wrapped(wanted * y, width);
      const spv::Op op = i.op == Op::UDiv ? spv::Op::OpUDiv : spv::Op::OpSDiv;
      return dividesEverything(i.op == Op::SDiv, width, y) &&
             evaluateDivision(op, width, value, y).bits == wanted && makeNumber(a, value);
    }
    case Op::UMod:
      return wanted < y && makeNumber(a, wrapped(x - x % y + wanted, width));
    case Op::SRem:
    case Op::SMod:
      return sx >= 0 && sy > 0 && signedWanted >= 0 && signedWanted < sy &&
             makeNumber(a, wrapped(uint64_t(sx - sx % sy + signedWanted), width));
    default:
      return false;
    }
  }

  bool undoBits(const Instr& i, uint32_t a, uint32_t b, uint64_t wanted) {
    const uint64_t x = cells_[a], y = cells_[b];
    const uint32_t width = widthOf(i);
    switch (i.op) {
    case Op::Not:
      return makeNumber(a, wrapped(~wanted, width));
    case Op::BitwiseXor:
      return either([&] { return makeNumber(a, wanted ^ y); },
                    [&] { return makeNumber(b, wanted ^ x); });
    case Op::BitwiseAnd:
      return either([&] { return (wanted & ~y) == 0 && makeNumber(a, (x & ~y) | wanted); },
                    [&] { return (wanted & ~x) == 0 && makeNumber(b, (y & ~x) | wanted); });
    case Op::BitwiseOr:
      return either([&] { return (y & ~wanted) == 0 && makeNumber(a, wanted); },
                    [&] { return (x & ~wanted) == 0 && makeNumber(b, wanted); });
    case Op::ShiftLeftLogical:
      return isDefinedShift(width, y) && wrapped(wanted >> y << y, width) == wanted &&
             makeNumber(a, wanted >> y);
    case Op::ShiftRightLogical:
    case Op::ShiftRightArithmetic: {
      if (!isDefinedShift(width, y)) return false;
      const uint64_t value = wrapped(wanted << y, width) | lowBits(x, uint32_t(y));
      const spv::Op op = i.op == Op::ShiftRightLogical ? spv::Op::OpShiftRightLogical
                                                       : spv::Op::OpShiftRightArithmetic;
      const uint64_t back = evaluateShift(op, width, value, y).bits;
      return back == wanted && makeNumber(a, y == 0 ? wanted : value);
    }
    case Op::BitFieldUExtract:
    case Op::BitFieldSExtract: {
      const uint64_t offset = cells_[i.b], count = cells_[i.c];
      if (count == 0 || !isDefinedBitField(width, offset, count)) return false;
      const uint64_t field = lowBits(wanted, uint32_t(count));
      const bool isSigned = i.op == Op::BitFieldSExtract;
      const uint64_t back = extractBitField(isSigned, width, field, 0, count).bits;
      const uint64_t mask = lowBits(~uint64_t(0), uint32_t(count)) << offset;
      return back == wanted && makeNumber(a, (x & ~mask) | field << offset);
    }
    default:
      return false;
    }
  }

  bool undoConversion(const Instr& i, uint32_t a, uint64_t wanted) {
    const uint32_t from = widthOf(i), to = i.extra;
    switch (i.op) {
    case Op::UConvert:
      return lowBits(wanted, from) == wanted && makeNumber(a, wanted);
    case Op::SConvert: {
      const uint64_t value = convertInteger(spv::Op::OpSConvert, to, from, wanted).bits;
      return convertInteger(spv::Op::OpSConvert, from, to, value).bits == wanted &&
             makeNumber(a, value);
    }
    case Op::ConvertFToU:
      return makeNumber(a, unsignedToFloat(wanted, from));
    case Op::ConvertFToS:
      return makeNumber(a, signedToFloat(signedOf(wanted, to), from));
    case Op::ConvertUToF:
    case Op::ConvertSToF: {
      // The whole number next to it will do for a bound.
      const double value = std::ceil(decodeFloat(to, wanted));
      if (!(std::abs(value) < 0x1p62) || (value < 0 && i.op == Op::ConvertUToF)) return false;
      return makeNumber(a, lowBits(uint64_t(int64_t(value)), from));
    }
    default:
      return makeNumber(a, convertFloat(to, wanted, from));
    }
  }

  bool makeFloat(const Instr& i, uint32_t cell, double value) {
    return makeNumber(cell, encodeFloat(widthOf(i), value));
  }

  bool undoFloats(const Instr& i, uint32_t k, uint64_t wanted) {
    const uint32_t width = widthOf(i), a = i.a + k;
    const uint32_t b = i.op == Op::FMulScalar ? i.b : i.b + k;
    const double w = decodeFloat(width, wanted), x = decodeFloat(width, cells_[a]),
                 y = i.op == Op::FNegate ? 0 : decodeFloat(width, cells_[b]);
    auto make = [&](uint32_t cell, double value) {
      return std::isfinite(value) && makeFloat(i, cell, value);
    };
    switch (i.op) {
    case Op::FAdd:
      return either([&] { return make(a, w - y); }, [&] { return make(b, w - x); });
    case Op::FSub:
      return either([&] { return make(a, w + y); }, [&] { return make(b, x - w); });
    case Op::FMul:
    case Op::FMulScalar:
      return either([&] { return make(a, w / y); }, [&] { return make(b, w / x); });
    case Op::FDiv:
      return either([&] { return make(a, w * y); }, [&] { return make(b, x / w); });
    case Op::FNegate:
      return make(a, -w);
    default: // one product of a dot product makes up for all
      for (uint32_t n = 0; n < i.n; ++n) {
        const double p = decodeFloat(width, cells_[i.a + n]),
                     q = decodeFloat(width, cells_[i.b + n]);
        const double rest = w - (decodeFloat(width, cells_[i.d]) - p * q);
        if (either([&] { return make(i.a + n, rest / q); },
                   [&] { return make(i.b + n, rest / p); }))
          return true;
      }
      return false;
    }
  }

  bool undoBitcast(const Instr& i, uint32_t k, uint64_t wanted) {
    const uint32_t from = widthOf(i), to = i.extra;
    if (to < from) {
      const uint32_t parts = from / to, cell = i.a + k / parts, at = k % parts * to;
      const uint64_t mask = lowBits(~uint64_t(0), to) << at;
      return makeNumber(cell, (cells_[cell] & ~mask) | wanted << at);
    }
    const uint32_t parts = to / from;
    for (uint32_t p = 0; p < parts; ++p)
      if (!makeNumber(i.a + k * parts + p, lowBits(wanted >> p * from, from))) return false;
    return true;
  }

  bool undoExtended(const Instr& i, uint32_t k, uint64_t wanted) {
    const ExtendedInfo& info = program_.extended[i.aux];
    if (k >= info.resultCount || info.operands.empty()) return false;
    const auto& first = info.operands[0];
    if (first.width != info.resultWidth || first.cells != info.resultCount) return false;
    const double w = info.isFloat ? decodeFloat(first.width, wanted) : 0;
    auto makeFrom = [&](double value) {
      return !std::isnan(value) && makeNumber(first.cell + k, encodeFloat(first.width, value));
    };
    switch (info.instruction) {
    case GLSLstd450FAbs:
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450Trunc:
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
    case GLSLstd450SAbs:
    case GLSLstd450FClamp:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
      return makeNumber(first.cell + k, wanted);
    case GLSLstd450FMin:
    case GLSLstd450UMin:
    case GLSLstd450SMin:
    case GLSLstd450FMax:
    case GLSLstd450UMax:
    case GLSLstd450SMax:
      return either([&] { return makeNumber(first.cell + k, wanted); },
                    [&] { return makeNumber(info.operands[1].cell + k, wanted); });
    case GLSLstd450Sqrt:
      return makeFrom(w * w);
    case GLSLstd450InverseSqrt:
      return makeFrom(1 / (w * w));
    case GLSLstd450Exp:
      return makeFrom(std::log(w));
    case GLSLstd450Exp2:
      return makeFrom(std::log2(w));
    case GLSLstd450Log:
      return makeFrom(std::exp(w));
    case GLSLstd450Log2:
      return makeFrom(std::exp2(w));
    case GLSLstd450Fma: {
      auto operand = [&](size_t n) {
        return decodeFloat(first.width, cells_[info.operands[n].cell + k]);
      };
      return makeFrom((w - operand(2)) / operand(1));
    }
    default:
      return false;
    }
  }

  bool isWorkgroup(Id variable) const {
    return std::any_of(program_.variables.begin(), program_.variables.end(),
                       [variable](const VariableInfo& v) {
                         return v.id == variable && v.storage == spv::StorageClass::Workgroup;
                       });
  }

  // What a lane reads in shared memory another one has put there, as a rule by the instruction by
  // which this one puts there what a third one reads.
  bool shareNumber(Id variable, const Instr& load, uint32_t k, uint64_t wanted) {
    for (const Instr& i : program_.code)
      if (i.op == Op::StoreMemory && program_.sites[i.site].variable == variable &&
          i.extra == load.extra &&
          attempt([&] { return makeNumber(i.b + std::min(k, i.n - 1), wanted); }))
        return true;
    return false;
  }

  bool load(const Instr& i, uint32_t k, uint64_t wanted) {
    const uint32_t bytes = i.extra;
    const Id variable = program_.sites[i.site].variable;
    if (isWorkgroup(variable)) return shareNumber(variable, i, k, wanted);
    if (i.shift != 0 || lowBits(wanted, 8 * bytes) != wanted) return false;
    const uint64_t address = cells_[i.a] + uint64_t(int64_t(int32_t(i.aux))) + uint64_t(k) * i.b;
    // What one part of a condition has asked for, another one must not ask otherwise.
    for (const WantedScalar& known : wanted_)
      if (known.address == address) return known.value == wanted;
    wanted_.push_back({address, bytes, wanted});
    return true;
  }

  const Program& program_;
  std::span<const uint32_t> writerStart_, writers_;
  std::span<const uint64_t> cells_;
  const uint32_t slack_;
  uint32_t depth_ = 0, steps_ = 0;
  std::vector<WantedScalar> wanted_;
};

} // namespace

Steering::Steering(const Program& program)
    : program_(program), writerStart_(program.cellCount + 2) {
  for (const Instr& i : program.code)
    for (uint32_t n = 0; n < writtenCells(i); ++n) ++writerStart_[i.d + n + 2];
  for (size_t n = 2; n < writerStart_.size(); ++n) writerStart_[n] += writerStart_[n - 1];
  writers_.resize(writerStart_.back());
  for (uint32_t at = 0; at < program.code.size(); ++at)
    for (uint32_t n = 0; n < writtenCells(program.code[at]); ++n)
      writers_[writerStart_[program.code[at].d + n + 1]++] = at;
}

std::vector<WantedScalar> Steering::wantedFor(const Instr& branch, uint32_t edge,
                                              std::span<const uint64_t> cells,
                                              uint32_t slack) const {
  Undoing undoing(program_, writerStart_, writers_, cells, slack);
  bool isKnown = false;
  const uint32_t way = edge - branch.c;
  if (branch.op == Op::Branch) {
    isKnown = undoing.makeBoolean(branch.a, way == 0);
  } else {
    const SwitchTable& table = program_.switches[branch.aux];
    uint64_t value = way != 0 ? table.cases[way - 1].first : 0;
    for (const auto& [literal, target] : table.cases) // in order: the least that is no case
      if (way == 0 && literal == value) ++value;
    isKnown = undoing.makeNumber(branch.a, value);
  }
  return isKnown ? undoing.take() : std::vector<WantedScalar>{};
}

} // namespace lanewise::driver::interpreter
