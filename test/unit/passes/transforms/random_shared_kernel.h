// Random kernels that read a Workgroup variable of a random type, and random layouts for it.
#pragma once
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace lanewise::test {

using Kind = LayoutNode::Kind;
using Lane = std::array<uint32_t, 3>;

constexpr uint32_t kBound = UINT32_MAX; ///< a guard that masks no lane

/// What stands behind every generated kernel.
struct Setup {
  Lane size{32, 1, 1};
  uint32_t trips = 1;
  uint32_t guard = kBound; ///< lanes with x below it take part
};

struct Element {
  const char* type;
  const char* component; ///< null for a scalar
  uint32_t count;
};
constexpr Element kElements[] = {
    {"uint", nullptr, 1}, {"uint", nullptr, 1},  {"float", nullptr, 1}, {"ushort", nullptr, 1},
    {"v2", "float", 2},   {"v4", "float", 4},    {"v3", "float", 3},    {"h4", "ushort", 4},
    {"m2", "v2", 2},      {"ulong", nullptr, 1}, {"uchar", nullptr, 1}, {"half3", "ushort", 3}};

/// A random kernel whose one Workgroup variable %s is read at random places.
class RandomSharedKernel {
public:
  explicit RandomSharedKernel(uint32_t seed) : random_(seed) {
    static constexpr Lane kSizes[] = {{32, 1, 1}, {64, 2, 1}, {8, 8, 2}, {16, 4, 1},
                                      {7, 5, 3},  {4, 16, 2}, {33, 2, 1}};
    setup_.size = kSizes[pick(uint32_t(std::size(kSizes)))];
    setup_.trips = 1 + pick(4);
    if (pick(4) == 0) setup_.guard = 1 + pick(setup_.size[0]);
    while (true) {
      tree_.clear();
      build();
      if (tree_.size() <= 14 && tree_[0].kind != Kind::Element && hasArray()) break;
    }
    for (uint32_t n = 0; n < tree_.size(); ++n) declareType(uint32_t(tree_.size()) - 1 - n);
    for (uint32_t n = 1 + pick(3); n-- > 0;) access();
    constants_ += "%trips = OpConstant %uint " + std::to_string(setup_.trips) + "\n";
  }

  const Setup& setup() const { return setup_; }

  /// The interface lists every global variable from SPIR-V 1.4 on.
  std::string text(bool listsAll) {
    const std::string initializer = pick(4) == 0 ? " %null" : "";
    return std::string(R"(OpCapability Shader
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %lid)") +
           (listsAll ? " %s" : "") + "\nOpExecutionMode %main LocalSize " +
           std::to_string(setup_.size[0]) + " " + std::to_string(setup_.size[1]) + " " +
           std::to_string(setup_.size[2]) + "\n" + names_ +
           R"(OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %group RelaxedPrecision
%group = OpDecorationGroup
)" + decorations_ +
           R"(%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ushort = OpTypeInt 16 0
%short = OpTypeInt 16 1
%uchar = OpTypeInt 8 0
%ulong = OpTypeInt 64 0
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%h4 = OpTypeVector %ushort 4
%half3 = OpTypeVector %ushort 3
%m2 = OpTypeMatrix %v2 2
%v3uint = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%pin = OpTypePointer Input %v3uint
%lid = OpVariable %pin Input
%p_uint = OpTypePointer Workgroup %uint
%p_ushort = OpTypePointer Workgroup %ushort
%p_uchar = OpTypePointer Workgroup %uchar
%p_ulong = OpTypePointer Workgroup %ulong
%p_float = OpTypePointer Workgroup %float
%p_v2 = OpTypePointer Workgroup %v2
%p_v3 = OpTypePointer Workgroup %v3
%p_v4 = OpTypePointer Workgroup %v4
%p_h4 = OpTypePointer Workgroup %h4
%p_half3 = OpTypePointer Workgroup %half3
%p_m2 = OpTypePointer Workgroup %m2
)" + constants_ +
           types_ + (initializer.empty() ? "" : "%null = OpConstantNull %" + tree_[0].name + "\n") +
           "%s = OpVariable %p_" + tree_[0].name + " Workgroup" + initializer + R"(
%main = OpFunction %void None %fn
%entry = OpLabel
%id = OpLoad %v3uint %lid
%x = OpCompositeExtract %uint %id 0
%y = OpCompositeExtract %uint %id 1
%z = OpCompositeExtract %uint %id 2
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %u0 %entry %next %continue
%more = OpULessThan %bool %i %trips
OpLoopMerge %done %continue None
OpBranchConditional %more %body %done
%body = OpLabel
)" +
           (setup_.guard == kBound
                ? std::string("OpBranch %inside\n")
                : "%isIn = OpULessThan %bool %x " + constant("uint", setup_.guard, true) +
                      "\nOpSelectionMerge %behind None\nOpBranchConditional %isIn %inside "
                      "%behind\n") +
           "%inside = OpLabel\n" + body_ + R"(OpBranch %behind
%behind = OpLabel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %u1
OpBranch %head
%done = OpLabel
OpReturn
OpFunctionEnd
)";
  }

  /// Any layout that relayoutShared() is allowed to get.
  SharedLayout layout(const SharedVariable& variable) {
    SharedLayout layout(variable);
    std::set<uint32_t> inFlat;
    for (uint32_t n = 0; n < variable.nodes.size(); ++n) {
      const LayoutNode& node = variable.nodes[n];
      if (node.kind == Kind::Struct && pick(2) == 0) layout.padWords[n] = pick(4);
      if (node.kind != Kind::Array || inFlat.count(n) != 0) continue;
      const bool isTop =
          node.parent == LayoutNode::kNone || variable.nodes[node.parent].kind != Kind::Array;
      const std::vector<uint32_t> chain = variable.arrayChain(n);
      const bool mayBeFlat = isTop && std::all_of(chain.begin() + 1, chain.end(),
                                                  [&](uint32_t a) { return !tree_[a].isSpec; });
      if (!mayBeFlat || pick(2) == 0) {
        if (pick(2) == 0) layout.extents[n] += pick(5);
        continue;
      }
      inFlat.insert(chain.begin(), chain.end());
      FlatArray flat;
      uint64_t stride = 1;
      for (size_t a = chain.size(); a-- > 0;) {
        flat.strides.insert(flat.strides.begin(), stride);
        stride = stride * layout.extents[chain[a]] + pick(4);
      }
      if (const uint32_t kind = pick(3); kind == 1) {
        flat.map = {IndexMap::Kind::Pad, uint32_t(1) << pick(6), 1 + pick(5), 0, 0};
      } else if (kind == 2) {
        const uint32_t shift = 1 + pick(5);
        const uint32_t mask = (uint32_t(2) << pick(shift)) - 1;
        flat.map = {IndexMap::Kind::Xor, 1, 0, shift, mask};
      }
      layout.flat.emplace(n, std::move(flat));
    }
    layout.updateSizes(variable);
    return layout;
  }

private:
  struct Node {
    Kind kind;
    std::string name;
    std::vector<uint32_t> children;
    uint32_t extent = 0;
    bool isSpec = false;
    Element element{};
  };

  uint32_t pick(uint32_t count) { return uint32_t(random_() % count); }

  bool hasArray() const {
    return std::any_of(tree_.begin(), tree_.end(),
                       [](const Node& n) { return n.kind == Kind::Array; });
  }

  /// Breadth first, as SharedVariable numbers its nodes.
  void build() {
    tree_.push_back({pick(4) == 0 ? Kind::Struct : Kind::Array, {}, {}});
    for (uint32_t n = 0; n < tree_.size() && tree_.size() <= 14; ++n) {
      tree_[n].name = "t" + std::to_string(n);
      const uint32_t deep = n < 3 ? 2 : 5;
      auto child = [&] {
        const uint32_t k = pick(deep + 2);
        tree_[n].children.push_back(uint32_t(tree_.size()));
        tree_.push_back({k == 0 ? Kind::Struct : k <= 2 ? Kind::Array : Kind::Element, {}, {}});
      };
      if (tree_[n].kind == Kind::Array) {
        static constexpr uint32_t kExtents[] = {2, 3, 4, 8, 16, 5, 32};
        tree_[n].extent = kExtents[pick(n == 0 ? 7 : 6)];
        tree_[n].isSpec = pick(6) == 0;
        child();
      } else if (tree_[n].kind == Kind::Struct) {
        for (uint32_t m = 1 + pick(3); m-- > 0;) child();
      } else {
        tree_[n].element = kElements[pick(uint32_t(std::size(kElements)))];
        tree_[n].name = tree_[n].element.type;
      }
    }
  }

  std::string constant(const std::string& type, uint64_t value, bool isLate = false) {
    const std::string id = "%c" + std::to_string(ids_++);
    (isLate ? types_ : constants_) +=
        id + " = OpConstant %" + type + " " + std::to_string(value) + "\n";
    return id;
  }

  void declareType(uint32_t n) {
    const Node& node = tree_[n];
    if (node.kind == Kind::Element) return;
    if (node.kind == Kind::Array) {
      static const char* const kTypes[] = {"uint", "int", "uint"};
      std::string length = constant(kTypes[pick(3)], node.extent);
      if (node.isSpec) {
        length = "%n" + std::to_string(n);
        constants_ += length + " = OpSpecConstant %" + kTypes[pick(2)] + " " +
                      std::to_string(node.extent) + "\n";
        decorations_ += "OpDecorate " + length + " SpecId " + std::to_string(n) + "\n";
      }
      types_ +=
          "%" + node.name + " = OpTypeArray %" + tree_[node.children[0]].name + " " + length + "\n";
    } else {
      types_ += "%" + node.name + " = OpTypeStruct";
      for (uint32_t m : node.children) types_ += " %" + tree_[m].name;
      types_ += "\n";
      names_ += "OpName %" + node.name + " \"S\"\nOpMemberName %" + node.name + " 0 \"first\"\n";
      if (pick(2) == 0)
        decorations_ += "OpGroupMemberDecorate %group %" + node.name + " 0\n";
      else
        decorations_ += "OpMemberDecorate %" + node.name + " 0 RelaxedPrecision\n";
    }
    types_ += "%p_" + node.name + " = OpTypePointer Workgroup %" + node.name + "\n";
  }

  std::string emit(const std::string& type, const std::string& rest) {
    const std::string id = "%e" + std::to_string(ids_++);
    const size_t space = rest.find(' ');
    body_ += id + " = " + rest.substr(0, space) + " %" + type + rest.substr(space) + "\n";
    return id;
  }

  /// A value below `extent`, affine in the lane's id and the loop counter but for a remainder, of
  /// any integer type.
  std::string index(uint32_t extent) {
    if (pick(5) == 0) {
      static const char* const kTypes[] = {"uint", "int", "ushort", "short", "ulong", "long"};
      return constant(kTypes[pick(6)], pick(extent));
    }
    if (pick(4) == 0)
      for (uint32_t d = 0; d < 3; ++d)
        if (setup_.size[d] <= extent) return std::string("%") + "xyz"[d];
    std::string sum;
    static const char* const kTerms[] = {"%x", "%y", "%z", "%i", "%x"};
    for (const char* term : kTerms) {
      if (pick(2) == 0) continue;
      const std::string product =
          pick(3) == 0
              ? term
              : emit("uint", std::string("OpIMul ") + term + " " + constant("uint", 1 + pick(40)));
      sum = sum.empty() ? product : emit("uint", "OpIAdd " + sum + " " + product);
    }
    if (sum.empty()) sum = "%x";
    if (pick(2) == 0) sum = emit("uint", "OpIAdd " + sum + " " + constant("uint", pick(100)));
    if ((extent & (extent - 1)) == 0 && pick(2) == 0)
      sum = emit("uint", "OpBitwiseAnd " + sum + " " + constant("uint", extent - 1));
    else
      sum = emit("uint", "OpUMod " + sum + " " + constant("uint", extent));
    switch (pick(8)) {
    case 0:
      return emit("int", "OpBitcast " + sum);
    case 1:
      return emit("ushort", "OpUConvert " + sum);
    case 2:
      return emit("short", "OpSConvert " + sum);
    case 3:
      return pick(3) == 0 ? emit("ulong", "OpUConvert " + sum) : sum;
    default:
      return sum;
    }
  }

  void access() {
    uint32_t n = 0;
    std::string base = "%s", pending, type;
    auto flush = [&](const std::string& to) {
      if (pending.empty() && pick(20) != 0) return;
      const char* op = pick(3) == 0 ? "OpInBoundsAccessChain " : "OpAccessChain ";
      base = emit("p_" + to, op + base + pending);
      pending.clear();
    };
    while (tree_[n].kind != Kind::Element) {
      const Node& node = tree_[n];
      const uint32_t child = node.kind == Kind::Array ? 0 : pick(uint32_t(node.children.size()));
      pending += " " + (node.kind == Kind::Array ? index(node.extent)
                                                 : constant(pick(2) == 0 ? "uint" : "int", child));
      n = node.children[child];
      if (pick(3) == 0) flush(tree_[n].name);
    }
    type = tree_[n].name;
    if (const Element& e = tree_[n].element; e.component && pick(2) == 0) {
      pending += " " + index(e.count);
      type = e.component;
    }
    flush(type);
    if (pick(5) == 0) base = emit("p_" + type, "OpCopyObject " + base);
    emit(type, "OpLoad " + base);
  }

  std::mt19937 random_;
  Setup setup_;
  std::vector<Node> tree_;
  uint32_t ids_ = 0;
  std::string names_, decorations_, constants_, types_, body_;
};

} // namespace lanewise::test
