// Which memory an access goes to, by what a module without names says of it.
#include "interpreted.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/memory_place.h"

#include <set>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using driver::MemoryPlace;

// Buffer 5 is bound twice, and buffers 7 and 8 as an array.
constexpr interp::BufferBinding kBindings[] = {
    {0, 0, 0, 5}, {1, 0, 0, 6}, {0, 1, 0, 5}, {1, 1, 0, 7}, {1, 1, 1, 8}};

struct Place : MemoryPlace {
  std::string text;
};

// Of the accesses in a program's main(), in their order.
std::vector<Place> placesOf(const std::vector<uint32_t>& words) {
  auto program = interp::lowerProgram(words, {});
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  std::vector<Place> places;
  for (uint32_t site = 1; site < (*program)->sites.size(); ++site) {
    if (!(*program)->sites[site].variable) continue;
    Place place{interp::memoryPlaceOf(**program, site, kBindings), {}};
    constexpr const char* kKinds[] = {"other", "workgroup", "buffer"};
    place.text = std::string(kKinds[size_t(place.kind)]) + " " + std::to_string(place.set) + "." +
                 std::to_string(place.binding) + " [" + place.resource + "] " +
                 place.member.value_or("?");
    places.push_back(std::move(place));
  }
  return places;
}

constexpr const char* kPlacesHead = R"(#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
struct Cell { uint n; uint k[4]; };
layout(set = 0, binding = 0) buffer A { uint x; Cell cells[]; } a;
layout(set = 1, binding = 0) buffer B { uint x; Cell cells[]; } b;
layout(set = 0, binding = 1) uniform C { uvec4 v[4]; } c;
layout(set = 1, binding = 1) buffer D { uint x[]; } d[2];
layout(push_constant) uniform P { uint x; } p;
shared Cell s[8];
void main() { uint t = gl_LocalInvocationIndex;
)";

std::string textOf(const std::string& statement) {
  std::string text;
  for (const Place& place : placesOf(compileGlsl(kPlacesHead + statement + " }")))
    if (place.text.find("[]") == std::string::npos) // what is the invocation's own has none
      text += (text.empty() ? "" : ", ") + place.text;
  return text;
}

TEST(MemoryPlace, ResourcesAndMembers) {
  EXPECT_EQ(textOf("a.x = 1;"), "buffer 0.0 [buffer 5] 0.");
  EXPECT_EQ(textOf("a.cells[t].n = 1;"), "buffer 0.0 [buffer 5] 1.0.");
  EXPECT_EQ(textOf("b.cells[t].k[t & 3] = 1;"), "buffer 1.0 [buffer 6] 1.1.");
  EXPECT_EQ(textOf("s[t].n = 1;"), "workgroup 0.0 [Workgroup] 0.");
  EXPECT_EQ(textOf("d[1].x[t] = 1;"), "buffer 1.1 [buffer 7, 8] 0.");
  EXPECT_EQ(textOf("a.x = c.v[t & 3].x;"), "buffer 0.1 [buffer 5] 0., buffer 0.0 [buffer 5] 0.");
  EXPECT_EQ(textOf("a.x = p.x;"), "other 0.0 [PushConstant] 0., buffer 0.0 [buffer 5] 0.");
  EXPECT_EQ(textOf("atomicAdd(s[t].k[2], 1u);"), "workgroup 0.0 [Workgroup] 1.");
}

// What compilers of GLSL do not write.
TEST(MemoryPlace, ChainsOfChains) {
  std::string text;
  for (const Place& place : placesOf(assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %a
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 8
OpMemberDecorate %cell 0 Offset 0
OpMemberDecorate %cell 1 Offset 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%cell = OpTypeStruct %uint %uint
%array = OpTypeRuntimeArray %cell
%block = OpTypeStruct %cell %array
%pblock = OpTypePointer StorageBuffer %block
%parray = OpTypePointer StorageBuffer %array
%pcell = OpTypePointer StorageBuffer %cell
%puint = OpTypePointer StorageBuffer %uint
%a = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %type
%entry = OpLabel
%inner = OpInBoundsAccessChain %pcell %a %u1 %u0
%copy = OpCopyObject %pcell %inner
%at = OpAccessChain %puint %copy %u1
OpAtomicStore %at %u1 %u0 %u0
OpStore %at %u0
%first = OpAccessChain %pcell %a %u0
OpCopyMemory %first %inner
%whole = OpLoad %cell %first
OpReturn
OpFunctionEnd
)")))
    text += place.text + "\n";
  EXPECT_EQ(text, "buffer 0.0 [buffer 5] 1.1.\n"
                  "buffer 0.0 [buffer 5] 1.1.\n"
                  "buffer 0.0 [buffer 5] ?\n" // from one member to the other
                  "buffer 0.0 [buffer 5] 0.\n");
}

// Members of two modules are compared where their resources are laid out alike.
TEST(MemoryPlace, Layouts) {
  auto layoutOf = [](const std::string& declaration) {
    std::vector<Place> places =
        placesOf(compileGlsl("#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : "
                             "require\n#extension GL_EXT_scalar_block_layout : require\n"
                             "struct S { uint a; vec2 b; };\nstruct T { uint c; vec2 d; };\n"
                             "layout(binding = 0, scalar) buffer A { " +
                             declaration + " } a;\nvoid main() { a.x = 1; }"));
    return places.empty() ? 0 : places.back().layout;
  };
  const std::string declarations[] = {
      "uint x;",
      "uint64_t x;",
      "float x;",
      "uint x; uint y;",
      "uint x; layout(offset = 8) uint y;",
      "uint x; float y;",
      "uint x; uvec2 y;",
      "uint x; uvec3 y;",
      "uint x; uint y[2];",
      "uint x; uint y[3];",
      "uint x; uint y[];",
      "uint x; uvec2 y[2];",
      "uint x; S y;",
      "uint x; S y[];",
  };
  std::set<uint64_t> layouts;
  for (const std::string& declaration : declarations)
    EXPECT_TRUE(layouts.insert(layoutOf(declaration)).second) << declaration;
  // Names do not count.
  EXPECT_EQ(layoutOf("uint x; S y;"), layoutOf("uint x; T z;"));
}

} // namespace
