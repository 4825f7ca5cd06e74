// Random expressions and loops: the forms against a direct interpreter of what was generated.
#include "affine_shader.h"
#include "analysis/values/lane_values.h"
#include "seeds.h"

#include <map>
#include <random>
#include <set>

namespace lanewise {
namespace {

using test::computeShader;
using test::Shader;

enum class Type { U32, I32, U16, I16, Bool };
uint32_t widthOf(Type t) {
  return t == Type::Bool ? 1 : t == Type::U16 || t == Type::I16 ? 16 : 32;
}
const char* nameOf(Type t) {
  switch (t) {
  case Type::U32:
    return "%uint";
  case Type::I32:
    return "%int";
  case Type::U16:
    return "%ushort";
  case Type::I16:
    return "%short";
  case Type::Bool:
    return "%bool";
  }
  return "";
}

/// Value of one lane, zero-extended; nothing where SPIR-V leaves it undefined.
using Value = std::optional<uint32_t>;

int64_t asSigned(uint32_t v, uint32_t width) {
  return int64_t(uint64_t(v) << (64 - width)) >> (64 - width);
}
uint32_t cut(int64_t v, uint32_t width) {
  return uint32_t(uint64_t(v) & (width == 32 ? UINT32_MAX : (1u << width) - 1));
}

/// What an instruction computes, straight from the specification's text.
Value interpret(const std::string& op, const std::vector<uint32_t>& v, uint32_t width,
                uint32_t from) {
  auto s = [&](size_t n) { return asSigned(v[n], from); };
  int64_t a = v.empty() ? 0 : v[0], b = v.size() > 1 ? v[1] : 0;
  if (op == "OpIAdd") return cut(a + b, width);
  if (op == "OpISub") return cut(a - b, width);
  if (op == "OpIMul") return cut(int64_t(uint64_t(a) * uint64_t(b)), width);
  if (op == "OpSNegate") return cut(-a, width);
  if (op == "OpNot") return cut(~a, width);
  if (op == "OpUDiv") return b == 0 ? Value() : cut(a / b, width);
  if (op == "OpUMod") return b == 0 ? Value() : cut(a % b, width);
  if (op == "OpSDiv" || op == "OpSRem" || op == "OpSMod") {
    int64_t least = -(int64_t(1) << (width - 1));
    if (s(1) == 0 || (s(0) == least && s(1) == -1)) return {};
    if (op == "OpSDiv") return cut(s(0) / s(1), width);
    int64_t r = s(0) % s(1);
    if (op == "OpSMod" && r != 0 && (r < 0) != (s(1) < 0)) r += s(1);
    return cut(r, width);
  }
  if (op == "OpShiftLeftLogical") return b >= width ? Value() : cut(a << b, width);
  if (op == "OpShiftRightLogical") return b >= width ? Value() : cut(a >> b, width);
  if (op == "OpShiftRightArithmetic") return b >= width ? Value() : cut(s(0) >> b, width);
  if (op == "OpBitwiseAnd" || op == "OpLogicalAnd") return cut(a & b, width);
  if (op == "OpBitwiseOr" || op == "OpLogicalOr") return cut(a | b, width);
  if (op == "OpBitwiseXor") return cut(a ^ b, width);
  if (op == "OpLogicalNot") return uint32_t(1 - a);
  if (op == "OpIEqual" || op == "OpLogicalEqual") return a == b;
  if (op == "OpINotEqual" || op == "OpLogicalNotEqual") return a != b;
  if (op == "OpULessThan") return a < b;
  if (op == "OpULessThanEqual") return a <= b;
  if (op == "OpUGreaterThan") return a > b;
  if (op == "OpUGreaterThanEqual") return a >= b;
  if (op == "OpSLessThan") return s(0) < s(1);
  if (op == "OpSLessThanEqual") return s(0) <= s(1);
  if (op == "OpSGreaterThan") return s(0) > s(1);
  if (op == "OpSGreaterThanEqual") return s(0) >= s(1);
  if (op == "OpBitcast" || op == "OpCopyObject" || op == "OpUConvert") return cut(a, width);
  if (op == "OpSConvert") return cut(s(0), width);
  if (op == "OpSelect") return a != 0 ? v[1] : v[2];
  if (op == "OpBitFieldUExtract" || op == "OpBitFieldSExtract") {
    if (uint64_t(v[1]) + v[2] > 32) return {};
    if (v[2] == 0) return 0;
    auto field = uint32_t((uint64_t(v[0]) >> v[1]) & ((uint64_t(1) << v[2]) - 1));
    return op == "OpBitFieldUExtract" ? field : cut(asSigned(field, v[2]), 32);
  }
  if (op == "OpBitFieldInsert") {
    if (uint64_t(v[2]) + v[3] > 32) return {};
    uint64_t mask = ((uint64_t(1) << v[3]) - 1) << v[2];
    return uint32_t((v[0] & ~mask) | ((uint64_t(v[1]) << v[2]) & mask));
  }
  if (op == "OpBitCount") {
    uint32_t n = 0;
    for (uint32_t bits = v[0]; bits != 0; bits >>= 1) n += bits & 1;
    return n;
  }
  if (op == "UMin") return std::min(v[0], v[1]);
  if (op == "UMax") return std::max(v[0], v[1]);
  if (op == "SMin") return cut(std::min(s(0), s(1)), 32);
  if (op == "SMax") return cut(std::max(s(0), s(1)), 32);
  if (op == "UClamp") return v[1] > v[2] ? Value() : std::min(std::max(v[0], v[1]), v[2]);
  if (op == "SClamp") return s(1) > s(2) ? Value() : cut(std::min(std::max(s(0), s(1)), s(2)), 32);
  if (op == "SAbs") return cut(std::abs(s(0)), 32);
  if (op == "SSign") return cut((s(0) > 0) - (s(0) < 0), 32);
  if (op == "FindUMsb") {
    int64_t n = -1;
    for (uint64_t bits = v[0]; bits != 0; bits >>= 1) ++n;
    return cut(n, 32);
  }
  if (op == "FindILsb") {
    if (v[0] == 0) return UINT32_MAX;
    uint32_t n = 0;
    while ((v[0] >> n & 1) == 0) ++n;
    return n;
  }
  ADD_FAILURE() << "no such operation: " << op;
  return {};
}

struct Node {
  uint32_t id;
  Type type;
  std::vector<Value> lanes;
};

/// Generates instructions and interprets them as it goes.
class Generator {
public:
  Generator(uint32_t seed, std::array<uint32_t, 3> size, size_t lanes)
      : random_(seed), workgroup_(pick(2) == 0 ? uint32_t(random_()) : pick(100)) {
    for (size_t n = 0; n < lanes; ++n)
      lanes_.push_back({uint32_t(random_() % size[0]), uint32_t(random_() % size[1]),
                        uint32_t(random_() % size[2])});
    for (uint32_t c = 0; c < 3; ++c) {
      std::vector<Value> values;
      for (const auto& lane : lanes_) values.push_back(lane[c]);
      add(Type::U32, "OpCompositeExtract %uint %l " + std::to_string(c), values);
    }
    std::vector<Value> index;
    for (const auto& l : lanes_) index.push_back(l[0] + size[0] * (l[1] + size[1] * l[2]));
    add(Type::U32, "OpLoad %uint %index", index);
    add(Type::U32, "OpCompositeExtract %uint %w 0", std::vector<Value>(lanes, workgroup_));
    std::vector<Value> global; // that wraps
    for (const auto& l : lanes_) global.push_back(workgroup_ * size[0] + l[0]);
    add(Type::U32, "OpCompositeExtract %uint %g 0", global);
  }

  void step() {
    switch (pick(10)) {
    case 0:
      compare();
      break;
    case 1:
      choose();
      break;
    case 2:
      convert();
      break;
    case 3:
      bits();
      break;
    case 4:
      extended();
      break;
    case 5:
      logical();
      break;
    default:
      arithmetic();
    }
  }

  std::string shader() const {
    return computeShader("%l = OpLoad %v3uint %lid\n%w = OpLoad %v3uint %wid\n"
                         "%g = OpLoad %v3uint %gid\n" +
                             body_,
                         constants_);
  }
  uint32_t workgroup() const { return workgroup_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::array<uint32_t, 3>>& lanes() const { return lanes_; }

private:
  uint32_t pick(uint32_t n) { return uint32_t(random_() % n); }

  void add(Type type, const std::string& text, std::vector<Value> values) {
    uint32_t id = 1000 + uint32_t(nodes_.size());
    body_ += "%" + std::to_string(id) + " = " + text + "\n";
    nodes_.push_back({id, type, std::move(values)});
  }

  Node constant(Type type) {
    static const uint32_t kValues[] = {
        0,          1,          2,          3,          4,         5,          7,
        8,          12,         15,         16,         24,        31,         32,
        33,         48,         63,         64,         96,        100,        128,
        255,        256,        1023,       4096,       65535,     0x7FFFFFFF, 0x80000000,
        0xFFFFFFFF, 0xFFFFFFF0, 0xFFFFFFE0, 0xFFFFFFFB, 0x00FF0000};
    uint32_t value = cut(kValues[pick(std::size(kValues))], widthOf(type));
    uint32_t id = 500000 + constantCount_++;
    // A signed narrow literal has its sign extended.
    std::string text = std::to_string(
        type == Type::I16 || type == Type::I32 ? asSigned(value, widthOf(type)) : int64_t(value));
    constants_ += "%" + std::to_string(id) + " = " +
                  (type == Type::Bool
                       ? std::string(value != 0 ? "OpConstantTrue" : "OpConstantFalse") + " %bool"
                       : std::string("OpConstant ") + nameOf(type) + " " + text) +
                  "\n";
    return {id, type, std::vector<Value>(lanes_.size(), value)};
  }

  /// A value of the type: an earlier one, the latest more often, or a constant.
  Node value(Type type, bool likelyConstant = false) {
    std::vector<size_t> known;
    for (size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].type == type) known.push_back(n);
    if (known.empty() || pick(10) < (likelyConstant ? 8u : 2u)) return constant(type);
    size_t back =
        pick(3) == 0 ? pick(uint32_t(known.size())) : std::min<size_t>(pick(4), known.size() - 1);
    return nodes_[known[known.size() - 1 - back]];
  }

  void emit(Type type, const std::string& op, const std::vector<Node>& operands,
            bool isExtended = false) {
    std::vector<Value> values;
    for (size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::vector<uint32_t> v;
      bool defined = true;
      for (const Node& o : operands) {
        defined = defined && o.lanes[lane].has_value();
        v.push_back(o.lanes[lane].value_or(0));
      }
      values.push_back(defined ? interpret(op, v, widthOf(type), widthOf(operands.back().type))
                               : Value());
    }
    if (op == "OpShiftLeftLogical" || op == "OpShiftRightLogical" || op == "OpShiftRightArithmetic")
      for (size_t lane = 0; lane < lanes_.size(); ++lane)
        if (operands[0].lanes[lane] && operands[1].lanes[lane])
          values[lane] = interpret(op, {*operands[0].lanes[lane], *operands[1].lanes[lane]},
                                   widthOf(type), widthOf(operands[0].type));
    std::string text = std::string(isExtended ? "OpExtInst " : op + " ") + nameOf(type);
    if (isExtended) text += " %glsl " + op;
    for (const Node& o : operands) text += " %" + std::to_string(o.id);
    add(type, text, values);
  }

  Type integer() {
    static const Type kTypes[] = {Type::U32, Type::U32, Type::U32, Type::I32,
                                  Type::I32, Type::U16, Type::I16};
    return kTypes[pick(std::size(kTypes))];
  }

  void arithmetic() {
    static const char* kOps[] = {"OpIAdd",
                                 "OpIAdd",
                                 "OpISub",
                                 "OpIMul",
                                 "OpIMul",
                                 "OpUDiv",
                                 "OpUMod",
                                 "OpSDiv",
                                 "OpSRem",
                                 "OpSMod",
                                 "OpBitwiseAnd",
                                 "OpBitwiseOr",
                                 "OpBitwiseXor",
                                 "OpShiftLeftLogical",
                                 "OpShiftRightLogical",
                                 "OpShiftRightArithmetic",
                                 "OpUDiv",
                                 "OpUMod",
                                 "OpBitwiseAnd"};
    std::string op = kOps[pick(std::size(kOps))];
    Type type = integer();
    Node a = value(type), b = value(type, op != "OpIAdd" && op != "OpISub");
    emit(type, op, {a, b});
  }
  void compare() {
    static const char* kOps[] = {"OpIEqual",           "OpINotEqual",      "OpULessThan",
                                 "OpULessThanEqual",   "OpUGreaterThan",   "OpUGreaterThanEqual",
                                 "OpSLessThan",        "OpSLessThanEqual", "OpSGreaterThan",
                                 "OpSGreaterThanEqual"};
    Type type = integer();
    Node a = value(type), b = value(type);
    emit(Type::Bool, kOps[pick(std::size(kOps))], {a, b});
  }
  void choose() {
    Type type = pick(8) == 0 ? Type::Bool : integer();
    Node c = value(Type::Bool), a = value(type), b = value(type);
    emit(type, "OpSelect", {c, a, b});
    // The side not taken may be undefined.
    std::vector<Value>& lanes = nodes_.back().lanes;
    for (size_t n = 0; n < lanes.size(); ++n)
      lanes[n] = c.lanes[n] ? (*c.lanes[n] != 0 ? a.lanes[n] : b.lanes[n]) : Value();
  }
  void convert() {
    Type from = integer(), to = integer();
    bool sameWidth = widthOf(from) == widthOf(to);
    if (sameWidth && from == to) return emit(to, "OpCopyObject", {value(from)});
    if (sameWidth) return emit(to, "OpBitcast", {value(from)});
    emit(to, pick(2) == 0 ? "OpUConvert" : "OpSConvert", {value(from)});
  }
  void bits() {
    Node a = value(Type::U32), offset = value(Type::U32, true), count = value(Type::U32, true);
    switch (pick(4)) {
    case 0:
      emit(Type::U32, "OpBitFieldUExtract", {a, offset, count});
      break;
    case 1:
      emit(Type::U32, "OpBitFieldSExtract", {a, offset, count});
      break;
    case 2:
      emit(Type::U32, "OpBitFieldInsert", {a, value(Type::U32), offset, count});
      break;
    default:
      emit(Type::U32, "OpBitCount", {a});
    }
  }
  void extended() {
    static const char* kUnary[] = {"SAbs", "SSign", "FindUMsb", "FindILsb"};
    static const char* kBinary[] = {"UMin", "UMax", "SMin", "SMax"};
    Type type = pick(2) == 0 ? Type::U32 : Type::I32;
    switch (pick(3)) {
    case 0:
      emit(type, kUnary[pick(4)], {value(type)}, true);
      break;
    case 1: {
      Node a = value(type), b = value(type);
      emit(type, kBinary[pick(4)], {a, b}, true);
      break;
    }
    default: {
      Node a = value(type), b = value(type, true), c = value(type, true);
      emit(type, pick(2) == 0 ? "UClamp" : "SClamp", {a, b, c}, true);
    }
    }
  }
  void logical() {
    static const char* kOps[] = {"OpLogicalAnd", "OpLogicalOr", "OpLogicalEqual",
                                 "OpLogicalNotEqual"};
    if (pick(4) == 0) return emit(Type::Bool, "OpLogicalNot", {value(Type::Bool)});
    Node a = value(Type::Bool), b = value(Type::Bool);
    emit(Type::Bool, kOps[pick(4)], {a, b});
  }

  std::mt19937 random_;
  const uint32_t workgroup_; ///< its id in x
  std::vector<std::array<uint32_t, 3>> lanes_;
  std::vector<Node> nodes_;
  std::string body_, constants_;
  uint32_t constantCount_ = 0;
};

struct Tally {
  size_t nodes = 0, evaluated = 0, ranged = 0;
  size_t given = 0, notGiven = 0; ///< values of lanes that follow from what is given, or do not
};

/// True when the form is a function of the lane and of x of the workgroup's id, so that evaluate()
/// promises the exact value. The terms of that id are added to `ids`.
bool isFunctionOfLane(Shader& shader, const AffineExpr& e, std::set<uint32_t>& ids) {
  return std::all_of(e.terms.begin(), e.terms.end(), [&](auto t) {
    const AffineTerm& term = shader.affine->term(t.first);
    if (term.kind == AffineTerm::Kind::WorkgroupId) {
      ids.insert(t.first);
      return true;
    }
    if (term.kind != AffineTerm::Kind::Derived) return term.kind == AffineTerm::Kind::LocalId;
    return std::all_of(term.args.begin(), term.args.end(), [&](uint32_t a) {
      return isFunctionOfLane(shader, shader.affine->argument(a), ids);
    });
  });
}

void checkNodes(Generator& generator, Shader& shader, Tally& tally) {
  for (const Node& node : generator.nodes()) {
    const AffineExpr& e = shader.of(node.id);
    ++tally.nodes;
    tally.ranged += e.range.has_value() && *e.range != std::pair(0u, UINT32_MAX);
    std::set<uint32_t> ids;
    if (!isFunctionOfLane(shader, e, ids)) continue;
    ASSERT_TRUE(shader.affine->isEvaluable(e));
    std::vector<Affine::Assignment> assigned;
    for (uint32_t id : ids) assigned.push_back({id, generator.workgroup()});
    ++tally.evaluated;
    for (size_t n = 0; n < node.lanes.size(); ++n) {
      if (!node.lanes[n]) continue;
      auto value = shader.affine->evaluate(e, generator.lanes()[n], assigned);
      ASSERT_EQ(value, node.lanes[n]) << "id " << node.id << ": " << shader.show(e) << "\n"
                                      << generator.shader();
      if (e.range) {
        ASSERT_GE(*value, e.range->first) << "id " << node.id << ": " << shader.show(e) << "\n"
                                          << generator.shader();
        ASSERT_LE(*value, e.range->second) << "id " << node.id << ": " << shader.show(e) << "\n"
                                           << generator.shader();
      }
    }
  }
}

/// Column by column as lane by lane, whatever the forms are of.
void checkColumns(Generator& generator, Shader& shader, std::array<uint32_t, 3> size) {
  constexpr uint32_t kSubgroup = 32;
  LaneValues values(*shader.affine, size, kSubgroup);
  for (const Node& node : generator.nodes())
    for (uint32_t seed : {0u, 5u}) {
      const LaneColumn& column = values.of(shader.of(node.id), seed);
      for (const std::array<uint32_t, 3>& id : generator.lanes()) {
        const uint32_t n = (id[2] * size[1] + id[1]) * size[0] + id[0];
        const LaneContext lane{id, n % kSubgroup, n / kSubgroup, seed};
        ASSERT_EQ(column.value(n), shader.affine->evaluate(shader.of(node.id), lane))
            << "id " << node.id << ", seed " << seed << "\n"
            << generator.shader();
      }
    }
}

/// What a search gives terms; some get nothing.
struct Given : CarriedColumns {
  Given(const Affine& affine, uint32_t lanes) : affine(affine), lanes(lanes) {
    nothing.fill(lanes, 0, 0);
  }
  void add(const AffineExpr& e) {
    for (const auto& [term, coefficient] : e.terms) {
      const AffineTerm& t = affine.term(term);
      for (uint32_t a : t.args)
        if (t.kind == AffineTerm::Kind::Derived) add(affine.argument(a));
      if (t.kind == AffineTerm::Kind::Derived || t.kind == AffineTerm::Kind::LocalId ||
          term % 3 == 0 || !columns.try_emplace(term).second)
        continue;
      assigned.push_back({term, term * 5 % 7});
      columns[term].fill(lanes, term * 5 % 7, LaneColumn::HasValue);
    }
  }
  const LaneColumn* of(uint32_t term) const override {
    const auto at = columns.find(term);
    return at == columns.end() ? &nothing : &at->second;
  }
  const Affine& affine;
  const uint32_t lanes;
  LaneColumn nothing;
  std::vector<Affine::Assignment> assigned;
  std::map<uint32_t, LaneColumn> columns;
};

/// The same where nothing has a value but what is given.
void checkGivenColumns(Generator& generator, Shader& shader, std::array<uint32_t, 3> size,
                       Tally& tally) {
  Given given(*shader.affine, size[0] * size[1] * size[2]);
  for (const Node& node : generator.nodes()) given.add(shader.of(node.id));
  LaneValues values(*shader.affine, size, 32, &given, Uncarried::Unknown);
  for (const Node& node : generator.nodes()) {
    const LaneColumn& column = values.of(shader.of(node.id));
    for (const std::array<uint32_t, 3>& id : generator.lanes()) {
      const auto value = shader.affine->evaluate(shader.of(node.id), id, given.assigned);
      ASSERT_EQ(column.value((id[2] * size[1] + id[1]) * size[0] + id[0]), value)
          << "id " << node.id << "\n"
          << generator.shader();
      ++(value ? tally.given : tally.notGiven);
    }
  }
}

TEST(AffineRandom, FormsAgreeWithTheInterpreter) {
  constexpr std::array<uint32_t, 3> kSizes[] = {
      {32, 8, 1}, {64, 1, 1}, {7, 5, 3}, {1, 1, 1}, {256, 4, 1}};
  Tally tally;
  for (uint32_t seed : test::Seeds(150, 0)) {
    auto size = kSizes[seed % std::size(kSizes)];
    Generator generator(seed, size, 12);
    for (int n = 0; n < 30; ++n) generator.step();
    Shader shader(generator.shader(), size);
    ASSERT_TRUE(shader.module);
    checkNodes(generator, shader, tally);
    checkColumns(generator, shader, size);
    checkGivenColumns(generator, shader, size, tally);
    if (HasFatalFailure()) return;
  }
  // The test would prove little if most forms were opaque.
  EXPECT_GT(tally.nodes, 4000u);
  EXPECT_GT(tally.evaluated * 10, tally.nodes * 7);
  EXPECT_GT(tally.ranged * 10, tally.nodes * 4);
  EXPECT_GT(tally.given, 1000u);
  EXPECT_GT(tally.notGiven, 1000u);
}

} // namespace
} // namespace lanewise
