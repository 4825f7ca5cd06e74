// Random kernels that pass, copy, load and store parts of Workgroup variables in every way that
// normalizeSharedUses() knows: what memory holds in the end must not depend on whether it ran.
#include "analysis/module/entry_points.h"
#include "evaluate.h"
#include "seeds.h"
#include "shared_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace lanewise {
namespace {

using test::Evaluation;

/// A type of Workgroup memory: its name in the text, and the types that an index leads to.
struct Shape {
  std::string name;
  std::vector<std::string> children; ///< of a struct by member; of an array one
  uint32_t extent = 0;               ///< of an array; 0: a struct or an element
};
const std::vector<Shape> kShapes{
    {"uint", {}, 0},        {"row", {"uint"}, 3},
    {"grid", {"row"}, 2},   {"pair", {"row", "uint", "grid", "row"}, 0},
    {"pairs", {"pair"}, 2}, {"deep", {"pairs", "grid"}, 0},
};
const Shape& shapeOf(const std::string& name) {
  return *std::find_if(kShapes.begin(), kShapes.end(),
                       [&](const Shape& s) { return s.name == name; });
}

class KernelWriter {
public:
  explicit KernelWriter(uint32_t seed) : random_(seed) {}

  std::string write() {
    signatures_.resize(pick(5));
    for (auto& parameters : signatures_) {
      parameters.resize(1 + pick(3));
      for (std::string& p : parameters) p = kShapes[pick(uint32_t(kShapes.size()))].name;
    }
    std::string functions;
    for (uint32_t f = 0; f < signatures_.size(); ++f) functions += writeFunction(f);
    next_ = uint32_t(signatures_.size()); // may call all of them
    pointers_ = {
        {"%v0", "grid"}, {"%v1", "grid"}, {"%v2", "pairs"}, {"%v3", "deep"}, {"%v4", "row"}};
    body_.clear();
    for (uint32_t n = 10 + pick(20); n-- > 0;) writeStatement();
    return head() + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + kDynamic + body_ +
           "OpReturn\nOpFunctionEnd\n" + functions;
  }

private:
  struct Pointer {
    std::string id, shape;
    std::string storage = "w";
  };

  uint32_t pick(uint32_t count) {
    return std::uniform_int_distribution<uint32_t>(0, count - 1)(random_);
  }
  std::string newId() { return "%x" + std::to_string(ids_++); }
  /// A number below `extent` (2 or more), of one type or the other, constant or not.
  std::string index(uint32_t extent) {
    static const char* const kIndices[] = {"%u0", "%u1", "%d0", "%d1", "%e1", "%s0", "%u2", "%d2"};
    return kIndices[pick(extent > 2 ? 8 : 6)];
  }

  std::string head() const {
    std::string text = R"(
OpCapability Shader
OpCapability VariablePointers
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
)";
    for (int v = 0; v < 5; ++v)
      text += "OpName %v" + std::to_string(v) + " \"v" + std::to_string(v) + "\"\n";
    text += R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%s0 = OpConstant %int 0
%s1 = OpConstant %int 1
%row = OpTypeArray %uint %u3
%grid = OpTypeArray %row %u2
%pair = OpTypeStruct %row %uint %grid %row
%pairs = OpTypeArray %pair %u2
%deep = OpTypeStruct %pairs %grid
%p_uint = OpTypePointer Private %uint
%p_int = OpTypePointer Private %int
)";
    for (const Shape& shape : kShapes)
      text += "%w_" + shape.name + " = OpTypePointer Workgroup %" + shape.name + "\n%f_" +
              shape.name + " = OpTypePointer Function %" + shape.name + "\n";
    for (uint32_t f = 0; f < signatures_.size(); ++f) {
      if (typeOf(f) != f) continue;
      text += "%t" + std::to_string(f) + " = OpTypeFunction %void %uint";
      for (const std::string& p : signatures_[f]) text += " %w_" + p;
      text += "\n";
    }
    return text + R"(
%v0 = OpVariable %w_grid Workgroup
%v1 = OpVariable %w_grid Workgroup
%v2 = OpVariable %w_pairs Workgroup
%v3 = OpVariable %w_deep Workgroup
%v4 = OpVariable %w_row Workgroup
%z_pair = OpConstantNull %pair
%n0 = OpVariable %p_uint Private %u0
%n1 = OpVariable %p_uint Private %u1
%n2 = OpVariable %p_uint Private %u2
%m1 = OpVariable %p_int Private %s1
)";
  }
  /// Indices that no constant folding sees.
  static constexpr const char* kDynamic = "%d0 = OpLoad %uint %n0\n%d1 = OpLoad %uint %n1\n"
                                          "%d2 = OpLoad %uint %n2\n%e1 = OpLoad %int %m1\n";

  /// Functions of one type share it: the first of them.
  uint32_t typeOf(uint32_t f) const {
    return uint32_t(std::find(signatures_.begin(), signatures_.end(), signatures_[f]) -
                    signatures_.begin());
  }

  std::string writeFunction(uint32_t f) {
    const std::string n = std::to_string(f);
    std::string text = "%c" + n + " = OpFunction %void None %t" + std::to_string(typeOf(f)) +
                       "\n%k" + n + " = OpFunctionParameter %uint\n";
    pointers_.clear();
    for (uint32_t p = 0; p < signatures_[f].size(); ++p) {
      const std::string id = "%c" + n + "p" + std::to_string(p);
      text += id + " = OpFunctionParameter %w_" + signatures_[f][p] + "\n";
      pointers_.push_back({id, signatures_[f][p]});
    }
    if (pick(3) == 0) pointers_.push_back({"%v" + std::string(1, char('0' + pick(2))), "grid"});
    const std::string local = "%c" + n + "l";
    pointers_.push_back({local, "pair", "f"});
    body_.clear();
    next_ = f; // functions before this one
    for (uint32_t s = 1 + pick(6); s-- > 0;) writeStatement();
    // Ids are unique in the module: every function has its own dynamic indices.
    std::string body = "%c" + n + "e = OpLabel\n" + local +
                       " = OpVariable %f_pair Function\nOpStore " + local + " %z_pair\n" +
                       kDynamic + body_ + "OpReturn\nOpFunctionEnd\n";
    for (const char* id : {"%d0", "%d1", "%d2", "%e1"})
      for (size_t at = 0; (at = body.find(id, at)) != std::string::npos; at += 4)
        body.insert(at + 1, "c" + n);
    return text + body;
  }

  const Pointer* pickPointer(const std::string& shape = "", bool anywhere = true) {
    std::vector<const Pointer*> fitting;
    for (const Pointer& p : pointers_)
      if ((shape.empty() || p.shape == shape) && (anywhere || p.storage == "w"))
        fitting.push_back(&p);
    return fitting.empty() ? nullptr : fitting[pick(uint32_t(fitting.size()))];
  }

  void line(const std::string& text) { body_ += text + "\n"; }

  void writeChain() {
    const Pointer from = *pickPointer();
    std::string shape = from.shape, indices;
    // Now and then none at all.
    for (uint32_t depth = pick(5); depth-- > 0 && !shapeOf(shape).children.empty();) {
      const Shape& s = shapeOf(shape);
      const uint32_t member = pick(uint32_t(s.children.size()));
      indices += " " + (s.extent ? index(s.extent) : "%u" + std::to_string(member));
      shape = s.children[s.extent ? 0 : member];
    }
    const std::string id = newId();
    line(id + (pick(2) ? " = OpAccessChain %" : " = OpInBoundsAccessChain %") + from.storage + "_" +
         shape + " " + from.id + indices);
    pointers_.push_back({id, shape, from.storage});
  }

  void writeCall() {
    if (next_ == 0) return;
    const uint32_t callee = pick(next_);
    std::string arguments;
    for (const std::string& shape : signatures_[callee]) {
      const Pointer* p = pickPointer(shape, false);
      if (!p) return;
      arguments += " " + p->id;
    }
    line(newId() + " = OpFunctionCall %void %c" + std::to_string(callee) + " " +
         (pick(2) ? "%d1" : "%u0") + arguments);
  }

  void writeStatement() {
    const Pointer p = *pickPointer();
    const Pointer q = *pickPointer(p.shape);
    const std::string id = newId();
    const std::string type = "%" + p.storage + "_" + p.shape;
    switch (pick(14)) {
    case 0: // a load and a store of whatever it is
      line(id + " = OpLoad %" + p.shape + " " + p.id);
      return line("OpStore " + q.id + " " + id);
    case 1:
      return line("OpCopyMemory " + p.id + " " + q.id + (pick(3) ? "" : " Volatile"));
    case 2:
      line(id + " = OpCopyObject " + type + " " + p.id);
      return pointers_.push_back({id, p.shape, p.storage});
    case 3: // what is refused
      if (p.storage != "w" || q.storage != "w" || pick(4) != 0) return writeChain();
      line(id + " = OpSelect " + type + " %true " + p.id + " " + q.id);
      return pointers_.push_back({id, p.shape});
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return writeCall();
    case 9: { // something to tell one element from another
      const Pointer* element = pickPointer("uint");
      if (!element) return writeChain();
      line(id + " = OpLoad %uint " + element->id);
      const std::string sum = newId();
      line(sum + " = OpIAdd %uint " + id + " " + (pick(2) ? "%d2" : "%u3"));
      return line("OpStore " + element->id + " " + sum);
    }
    default:
      return writeChain();
    }
  }

  std::mt19937 random_;
  uint32_t ids_ = 0;
  uint32_t next_ = 0; ///< how many functions may be called
  std::vector<std::vector<std::string>> signatures_;
  std::vector<Pointer> pointers_;
  std::string body_;
};

/// What global memory holds after main.
std::map<Id, std::vector<uint32_t>> run(Analyses& analyses) {
  Evaluation evaluation(analyses);
  evaluation.run(analyses.module().idAt(analyses.get<EntryPoints>().all()[0].inst, 2));
  return evaluation.memory();
}

TEST(SharedUsesRandom, MemoryIsTheSame) {
  size_t changed = 0, cloned = 0, split = 0, refused = 0;
  const test::Seeds seeds(400);
  for (uint32_t seed : seeds) {
    const std::string text = KernelWriter(seed).write();
    test::Subject subject(text, {}, SPV_ENV_UNIVERSAL_1_3);
    ASSERT_TRUE(test::validate(subject.module().words(), SPV_ENV_UNIVERSAL_1_3)) << text;
    const auto before = run(subject.analyses());
    const uint32_t functions = subject.module().functionCount();
    std::set<Id> chosen;
    for (char v = '0'; v < '5'; ++v)
      if ((seed >> (v - '0') & 7) != 0)
        chosen.insert(test::idNamed(subject.module(), std::string("v") + v));
    std::vector<UseRefusal> refusals;
    const auto result = normalizeSharedUses(subject.module(), subject.analyses(), chosen, refusals);
    ASSERT_TRUE(result) << result.error().str();
    ASSERT_TRUE(test::validate(subject.module().words(), SPV_ENV_UNIVERSAL_1_3)) << text;
    for (const UseRefusal& refusal : refusals) {
      EXPECT_EQ(refusal.name, "variable-pointer");
      chosen.erase(refusal.variable);
    }
    for (Id id : chosen) EXPECT_TRUE(test::isNormal(subject.analyses(), id)) << text;
    ASSERT_EQ(run(subject.analyses()), before) << text;
    changed += *result;
    cloned += subject.module().functionCount() > functions;
    split += test::countOps(subject.module(), spv::Op::OpCompositeConstruct) > 0;
    refused += !refusals.empty();
  }
  // That they were about something.
  EXPECT_GT(changed, 350u);
  EXPECT_GT(cloned, 80u);
  EXPECT_GT(split, 200u);
  EXPECT_GT(refused, 50u);
  EXPECT_LT(refused, seeds.count() / 2);
}

} // namespace
} // namespace lanewise
