#include "transpile/reserved_words.h"

#include "ir/rewriter.h"
#include "layout/cpp_names.h"
#include "support/failure.h"
#include "transpile/text_fixes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// Words with a space before and behind each.
constexpr std::string_view kHlslWords =
    " AppendStructuredBuffer BlendState Buffer ByteAddressBuffer ComputeShader "
    "ConsumeStructuredBuffer DepthStencilState DepthStencilView DomainShader GeometryShader "
    "HullShader InputPatch LineStream OutputPatch PixelShader PointStream RasterizerState "
    "RayDesc RayQuery RaytracingAccelerationStructure RenderTargetView SamplerComparisonState "
    "SamplerState StructuredBuffer TriangleStream VertexShader asm_fragment cbuffer centroid "
    "column_major compile compile_fragment discard dword fxgroup globallycoherent groupshared in "
    "inout line lineadj linear matrix nointerpolation noperspective out packoffset pass "
    "pixelfragment point precise printf reordercoherent row_major sample sampler shared snorm "
    "stateblock stateblock_state string tbuffer technique technique10 technique11 texture "
    "triangle triangleadj uniform unorm vector vertexfragment ";
constexpr std::string_view kMslWords =
    " atomic atomic_bool atomic_float atomic_int atomic_uint atomic_ulong constant device fragment "
    "imageblock kernel matrix mesh metal object_data packed_type patch_control_point ptrdiff_t "
    "ray_data sampler simd simdgroup size_t texture threadgroup threadgroup_imageblock thread "
    "vec vertex visible ";
constexpr std::string_view kGlslWords =
    " accelerationStructureEXT active asm atomic_uint attribute bfloat16_t bool break buffer case "
    "cast centroid class coherent common const continue coopmat default demote devicecoherent "
    "discard do double else enum extern external false fcoopmatNV filter fixed flat float for "
    "goto half highp hitAttributeEXT icoopmatNV if in inline inout input int interface invariant "
    "layout long lowp mediump namespace noinline nonprivate nonuniformEXT noperspective out "
    "output partition patch precise precision public queuefamilycoherent rayPayloadEXT "
    "rayQueryEXT readonly resource restrict return sample sampler samplerShadow "
    "shadercallcoherent shared short sizeof smooth static struct subgroupcoherent subpassInput "
    "subpassInputMS subroutine superp switch taskNV template terminateInvocation terminateRayEXT "
    "texture this true typedef ucoopmatNV uint uniform union unsigned using varying void volatile "
    "while workgroupcoherent writeonly ";

bool holds(std::string_view words, std::string_view name) {
  if (name.empty()) return false;
  for (size_t at = words.find(name); at != std::string_view::npos; at = words.find(name, at + 1))
    if (words[at - 1] == ' ' && words[at + name.size()] == ' ') return true;
  return false;
}

constexpr std::string_view kHlslScalars =
    " bool double dword float float16_t float32_t float64_t half int int16_t int32_t int64_t "
    "min10float min12int min16float min16int min16uint uint uint16_t uint32_t uint64_t ";
constexpr std::string_view kMslScalars =
    " bfloat bool char double float half int int16_t int32_t int64_t int8_t long short uchar uint "
    "uint16_t uint32_t uint64_t uint8_t ulong ushort ";
constexpr std::string_view kGlslScalars =
    " float16_t float32_t float64_t int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t "
    "uint8_t ";
constexpr std::string_view kGlslVectors =
    " bvec dmat dvec f16mat f16vec f32mat f32vec f64mat f64vec fvec hvec i16vec i32vec i64vec "
    "i8vec ivec mat u16vec u32vec u64vec u8vec uvec vec ";

/// "4", "3x2", or nothing: behind the name of a scalar, a vector or a matrix of them.
size_t sizeOfShape(std::string_view name) {
  const auto isCount = [](char c) { return c >= '1' && c <= '4'; };
  const size_t n = name.size();
  if (n > 3 && isCount(name[n - 1]) && name[n - 2] == 'x' && isCount(name[n - 3])) return 3;
  return n > 1 && isCount(name[n - 1]) ? 1 : 0;
}

/// float3, packed_float3, half2x4.
bool isShaped(std::string_view name, std::string_view scalars) {
  constexpr std::string_view kPacked = "packed_";
  if (name.starts_with(kPacked)) name.remove_prefix(kPacked.size());
  return holds(scalars, name) || holds(scalars, name.substr(0, name.size() - sizeOfShape(name)));
}

/// itexture2DArray, u64image3D, f16subpassInput.
bool isGlslImage(std::string_view name) {
  for (std::string_view of : {"f16", "i64", "u64", "i", "u"})
    if (name.starts_with(of)) {
      name.remove_prefix(of.size());
      break;
    }
  for (std::string_view kind : {"texture", "image", "sampler"}) {
    if (!name.starts_with(kind)) continue;
    name.remove_prefix(kind.size());
    for (std::string_view dimension : {"1D", "2D", "3D", "Cube", "Buffer"})
      if (name.starts_with(dimension)) return true;
    return false;
  }
  return name == "subpassInput" || name == "subpassInputMS";
}

} // namespace

bool isReserved(std::string_view name, Language language) {
  if (name.empty()) return false;
  switch (language) {
  case Language::Hlsl:
    return isCppKeyword(name) || holds(kHlslWords, name) || isShaped(name, kHlslScalars);
  case Language::Msl:
    return isCppKeyword(name) || holds(kMslWords, name) || isShaped(name, kMslScalars);
  case Language::Glsl:
  case Language::Essl:
    return holds(kGlslWords, name) || holds(kGlslScalars, name) ||
           (sizeOfShape(name) > 0 &&
            holds(kGlslVectors, name.substr(0, name.size() - sizeOfShape(name)))) ||
           isGlslImage(name);
  case Language::SpvAsm:
    break;
  }
  return false;
}

Status checkEntryName(const std::string& name, Language language) {
  if (isReserved(name, language))
    return failure(
        fmt::format("--rename-entry={}: {} uses that word itself", name, nameOf(language)));
  if (isIdentifier(name)) return ok();
  return failure(
      fmt::format("--rename-entry={}: it must be letters, digits and underscores", name));
}

WordSet functionsIn(std::string_view text) {
  WordSet found;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) ++end;
    const std::string_view before = text.substr(0, at);
    const bool isOther = before.ends_with('.') || before.ends_with(':') || before.ends_with("[[");
    const bool isFunction =
        end < text.size() && (text[end] == '(' || text[end] == '<' || text.substr(end, 2) == "::");
    if (isFunction && end > at && !isOther) found.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return found;
}

Words withoutNames(std::span<const uint32_t> words) {
  constexpr uint32_t kOpName = 5, kOpMemberName = 6, kHeaderWords = 5;
  Words kept(words.begin(), words.begin() + kHeaderWords);
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t opcode = words[at] & 0xffff;
    if (opcode == kOpName || opcode == kOpMemberName) continue;
    kept.insert(kept.end(), words.begin() + at, words.begin() + at + (words[at] >> 16));
  }
  return kept;
}

Words renameReserved(Module module, Id entry, Language language, const WordSet& functions) {
  Rewriter rewriter(module);
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if (op != spv::Op::OpName && op != spv::Op::OpMemberName) continue;
    const bool isMember = op == spv::Op::OpMemberName;
    const std::string_view whole = module.stringAt(i, isMember ? 3 : 2);
    const std::string_view name = whole.substr(0, whole.find('(')); // "lerp(f1;f1;" of glslang
    // "main" is the entry point in all texts but MSL.
    const bool isTaken = !isMember && (functions.contains(name) || name == "main");
    if (module.idAt(i, 1) == entry || (!isTaken && !isReserved(name, language))) continue;
    Inst other(op);
    other.id(module.idAt(i, 1));
    if (isMember) other.word(module.word(i, 2));
    rewriter.replace(i, std::move(other.string("_" + std::string(whole))));
  }
  (void)rewriter.commit(); // on an error the module is as it was
  return {module.words().begin(), module.words().end()};
}

} // namespace lanewise::driver
