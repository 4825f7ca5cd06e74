// GLSL and HLSL to SPIR-V with the glslang library, versions 12 to 15.
#include "input/debug_texts.h"
#include "input/front_end.h"
#include "input/hlsl_intrinsics.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/sha256.h"
#include "support/source_quote.h"
#include "support/terminal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <glslang/build_info.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

struct Stage {
  std::string_view extension; ///< of files, and what glslangValidator -S takes
  std::string_view name;      ///< as glslc's -fshader-stage and #pragma shader_stage have it
  EShLanguage language;
};
constexpr Stage kStages[] = {
    {"comp", "compute", EShLangCompute},
    {"vert", "vertex", EShLangVertex},
    {"frag", "fragment", EShLangFragment},
    {"geom", "geometry", EShLangGeometry},
    {"tesc", "tesscontrol", EShLangTessControl},
    {"tese", "tesseval", EShLangTessEvaluation},
    {"rgen", "rgen", EShLangRayGen},
    {"rint", "rint", EShLangIntersect},
    {"rahit", "rahit", EShLangAnyHit},
    {"rchit", "rchit", EShLangClosestHit},
    {"rmiss", "rmiss", EShLangMiss},
    {"rcall", "rcall", EShLangCallable},
    {"task", "task", EShLangTask},
    {"mesh", "mesh", EShLangMesh},
};

struct Target {
  glslang::EShClient client = glslang::EShClientVulkan;
  glslang::EShTargetClientVersion clientVersion = glslang::EShTargetVulkan_1_2;
  glslang::EShTargetLanguageVersion spirv = glslang::EShTargetSpv_1_5;
};

/// `spv1.N` asks for a SPIR-V version only; the newest Vulkan then leaves the source the most
/// freedom.
std::optional<Target> targetOf(spv_target_env env) {
  using namespace glslang;
  switch (env) {
  case SPV_ENV_VULKAN_1_0:
    return Target{EShClientVulkan, EShTargetVulkan_1_0, EShTargetSpv_1_0};
  case SPV_ENV_VULKAN_1_1:
    return Target{EShClientVulkan, EShTargetVulkan_1_1, EShTargetSpv_1_3};
  case SPV_ENV_VULKAN_1_1_SPIRV_1_4:
    return Target{EShClientVulkan, EShTargetVulkan_1_1, EShTargetSpv_1_4};
  case SPV_ENV_VULKAN_1_2:
    return Target{EShClientVulkan, EShTargetVulkan_1_2, EShTargetSpv_1_5};
  case SPV_ENV_VULKAN_1_3:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_6};
  case SPV_ENV_UNIVERSAL_1_0:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_0};
  case SPV_ENV_UNIVERSAL_1_1:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_1};
  case SPV_ENV_UNIVERSAL_1_2:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_2};
  case SPV_ENV_UNIVERSAL_1_3:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_3};
  case SPV_ENV_UNIVERSAL_1_4:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_4};
  case SPV_ENV_UNIVERSAL_1_5:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_5};
  case SPV_ENV_UNIVERSAL_1_6:
    return Target{EShClientVulkan, EShTargetVulkan_1_3, EShTargetSpv_1_6};
  case SPV_ENV_OPENGL_4_5:
    return Target{EShClientOpenGL, EShTargetOpenGL_450, EShTargetSpv_1_0};
  default:
    return {};
  }
}

/// Finds #include files: beside the including file first ("local" form only), then in the -I
/// folders in order. Remembers what it read, for depfiles.
class Includer : public glslang::TShader::Includer {
public:
  Includer(const std::string& input, const std::vector<std::string>& dirs)
      : input_(input), dirs_(dirs) {}

  IncludeResult* includeLocal(const char* header, const char* includer, size_t depth) override {
    // glslang gives the includer's name as it stands in #line or as we named it, "" for the input.
    fs::path from = includer && *includer ? fs::path(includer) : fs::path(input_);
    return tryOpen((from.parent_path() / header).lexically_normal(), depth);
  }
  IncludeResult* includeSystem(const char* header, const char*, size_t depth) override {
    for (const std::string& dir : dirs_)
      if (IncludeResult* found = tryOpen((fs::path(dir) / header).lexically_normal(), depth))
        return found;
    return nullptr;
  }
  void releaseInclude(IncludeResult* result) override {
    if (!result) return;
    delete static_cast<std::string*>(result->userData);
    delete result;
  }
  const std::vector<std::string>& filesRead() const { return filesRead_; }
  const std::vector<std::pair<std::string, std::string>>& texts() const { return texts_; }
  const std::vector<FileProbe>& probes() const { return probes_; }

private:
  IncludeResult* tryOpen(const fs::path& path, size_t depth) {
    constexpr size_t kMaxDepth = 200; // a file that includes itself
    if (depth > kMaxDepth) return nullptr;
    Result<std::string> text = readRegularFile(path.string());
    remember(path.string(), text ? hexOf(sha256(*text)) : std::string());
    if (!text) return nullptr;
    if (std::find(filesRead_.begin(), filesRead_.end(), path.string()) == filesRead_.end())
      filesRead_.push_back(path.string()), texts_.emplace_back(path.string(), *text);
    auto owned = std::make_unique<std::string>(std::move(*text));
    const std::string& contents = *owned;
    auto* result = new IncludeResult(path.string(), contents.data(), contents.size(), owned.get());
    owned.release();
    return result;
  }

  void remember(const std::string& path, std::string digest) {
    // A file that changes while it is compiled is there twice.
    if (std::none_of(probes_.begin(), probes_.end(),
                     [&](const FileProbe& p) { return p.path == path && p.digest == digest; }))
      probes_.push_back({path, std::move(digest)});
  }

  std::string input_;
  std::vector<std::string> dirs_;
  std::vector<std::string> filesRead_;
  std::vector<std::pair<std::string, std::string>> texts_; ///< of these: path and contents
  std::vector<FileProbe> probes_;
};

/// The texts that messages may speak of.
class SourcesByName {
public:
  void add(const std::string& name, const std::string& text) {
    // Lines that are said to be another file's leave none in place.
    if (!hasForeignLines(text)) files_.try_emplace(name, numberedLines(text));
  }

  /// Below a message about a place, "a.comp:12" or "a.comp:12:5", the line and what the message
  /// names first: "'x' : undeclared identifier". Empty if the line is not known.
  std::string quote(std::string_view place, std::string_view message) const {
    uint32_t line = cutNumber(place), column = 0;
    auto file = files_.find(std::string(place));
    if (file == files_.end()) {
      column = std::exchange(line, cutNumber(place));
      file = files_.find(std::string(place));
    }
    if (file == files_.end()) return {};
    const auto text = file->second.find(line);
    if (text == file->second.end()) return {};
    std::string_view named;
    if (message.starts_with('\''))
      named = message.substr(1, std::min(message.find('\'', 1), message.size()) - 1);
    std::string quote =
        quoted(text->second, rangeIn(text->second, column, named), terminalWidth(stderr));
    if (!quote.empty()) quote.pop_back(); // whoever prints it ends the line
    return quote;
  }

private:
  /// The number behind the last colon, which goes; 0 if there is none.
  static uint32_t cutNumber(std::string_view& place) {
    const size_t colon = place.rfind(':');
    uint32_t number = 0;
    if (colon == place.npos) return 0;
    const char* const end = place.data() + place.size();
    if (std::from_chars(place.data() + colon + 1, end, number).ptr != end) return 0;
    place = place.substr(0, colon);
    return number;
  }

  std::map<std::string, NumberedLines> files_;
};

/// The names that stand in lines of their own at the beginning of the log, which they are taken
/// from: " GL_A, GL_B".
std::string extensionsAt(std::string_view& log) {
  std::string names;
  while (log.starts_with("GL_")) {
    const size_t end = std::min(log.find('\n'), log.size());
    names += fmt::format("{} {}", names.empty() ? "" : ",", log.substr(0, end));
    log.remove_prefix(std::min(log.size(), end + 1));
  }
  return names;
}

/// "ERROR: a.comp:12: 'x' : undeclared identifier" becomes "a.comp:12: error: 'x' : undeclared
/// identifier". Lines that only count or repeat are dropped.
void sortLog(std::string_view log, const std::string& name, const SourcesByName& sources,
             Compiled& out) {
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    bool isError = line.starts_with("ERROR: ");
    bool isWarning = line.starts_with("WARNING: ");
    if (!isError && !isWarning) continue;
    line.remove_prefix(isError ? 7 : 9);
    if (line.ends_with("No code generated.")) continue;
    if (line.ends_with("compilation terminated") && !out.errors.empty()) continue;
    // The place ends at the colon behind the line number.
    size_t colon = line.find(": ");
    std::string place = name;
    if (colon != std::string_view::npos && colon > 0 && std::isdigit(uint8_t(line[colon - 1]))) {
      place = std::string(line.substr(0, colon));
      line.remove_prefix(colon + 2);
      if (place.starts_with("0:")) place = name + place.substr(1);
    }
    std::string text = fmt::format("{}: {}: {}", place, isError ? "error" : "warning", line);
    if (line.ends_with("extensions include:")) text += extensionsAt(log);
    // Which extensions and versions there are is a matter of its age, not of the source's.
    if (line.find("extension not supported") != line.npos ||
        line.find("version not supported") != line.npos)
      text += fmt::format(" by glslang {}, which this program has; what a newer compiler makes of "
                          "the source is taken as .spv",
                          glslangVersion());
    if (std::string quote = sources.quote(place, line); !quote.empty())
      out.quotes.try_emplace(text, std::move(quote));
    auto& list = isError ? out.errors : out.warnings;
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  }
}

std::string preambleOf(const CompileRequest& request, const LoadOptions& options,
                       const std::string& macros) {
  std::string preamble = macros;
  // Only where it is needed: the module records every extension that the source asks for.
  if (!request.isHlsl && request.text.find("#include") != std::string::npos)
    preamble += "#extension GL_GOOGLE_include_directive : enable\n";
  for (const auto& [name, value] : options.defines)
    preamble += fmt::format("#define {} {}\n", name, value);
  return preamble;
}

/// The functions that HLSL marks as entry points of compute shaders.
std::vector<std::string> computeEntries(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = text.find("numthreads"); at != text.npos; at = text.find("numthreads", at + 1)) {
    constexpr std::string_view kVoid = "void";
    const size_t result = text.find(kVoid, std::min(text.find(']', at), text.size()));
    if (result == text.npos) break;
    const size_t first = text.find_first_not_of(" \t\r\n", result + kVoid.size());
    const size_t end = text.find_first_of(" \t\r\n(", std::min(first, text.size()));
    if (end != text.npos) names.push_back(text.substr(first, end - first));
  }
  return names;
}

/// Why glslang failed without a word: as it does where HLSL lacks the entry point.
std::string silentFailure(const CompileRequest& request, const LoadOptions& options) {
  const std::string entry = options.entry.empty() ? "main" : options.entry;
  const std::vector<std::string> known = computeEntries(request.text);
  if (!request.isHlsl || std::find(known.begin(), known.end(), entry) != known.end() ||
      (known.empty() && request.text.find(entry + "(") != std::string::npos))
    return "glslang failed without a message";
  if (known.empty()) return fmt::format("no entry point '{}'; choose one with --entry=NAME", entry);
  return fmt::format("no entry point '{}'; choose one with --entry: {}", entry,
                     fmt::join(known, ", "));
}

EShLanguage stageOf(const CompileRequest& request) {
  for (const Stage& known : kStages)
    if (known.extension == request.stage) return known.language;
  return EShLangCompute;
}

void setEnvironment(glslang::TShader& shader, const CompileRequest& request, const Target& target) {
  const auto source = request.isHlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl;
  shader.setEnvInput(source, stageOf(request), target.client, 100);
  shader.setEnvClient(target.client, target.clientVersion);
  shader.setEnvTarget(glslang::EShTargetSpv, target.spirv);
}

EShMessages messagesFor(const CompileRequest& request, const Target& target) {
  // Not setDebugInfo(): it asks for scopes of NonSemantic.Shader.DebugInfo.100, which glslang 12
  // then writes with a missing instruction set. EShMsgDebugInfo and generateDebugInfo give the
  // lines.
  int messages = EShMsgSpvRules | EShMsgDebugInfo;
  if (target.client == glslang::EShClientVulkan) messages |= EShMsgVulkanRules;
  if (request.isHlsl) messages |= EShMsgReadHlsl | EShMsgHlslOffsets | EShMsgHlslEnable16BitTypes;
  return EShMessages(messages);
}

/// The line that says which GLSL it is, "" where there is none.
std::string versionLine(const std::string& text) {
  static const std::regex version("(^|\\n)[ \\t]*(#[ \\t]*version[ \\t]+[0-9]{3}[ a-z]*)");
  std::smatch found;
  const std::string head = text.substr(0, 4096); // behind comments at most
  return std::regex_search(head, found, version) ? found[2].str() : "";
}

/// What glslang keeps of its built-in functions takes some 30 MB. Touched page by page that is a
/// third of the time that reading them takes, so the heap is grown by huge pages.
void growHeapByHugePages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr size_t kHugePage = size_t(2) << 20, kRoom = size_t(32) << 20;
  void* const end = ::sbrk(0);
  if (end == reinterpret_cast<void*>(-1)) return;
  ::mallopt(M_TOP_PAD, int(kRoom));
  // Too large for what is free, too small for a mapping of its own: the heap is moved on.
  ::mallopt(M_MMAP_THRESHOLD, int(kRoom));
  void* volatile moved = std::malloc(kHugePage); // which compilers may not leave out
  std::free(moved);
  const uintptr_t from = (reinterpret_cast<uintptr_t>(end) + kHugePage - 1) & ~(kHugePage - 1);
  const uintptr_t to = reinterpret_cast<uintptr_t>(::sbrk(0)) & ~(kHugePage - 1);
  // Where the kernel does not, it is slower and nothing else.
  if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}

/// glslang parses the thousands of built-in functions of a version of the language when it first
/// meets that version, which takes ten times as long as a usual shader, and keeps them. Done here,
/// every child finds them in the memory that it inherits; nothing of the input is read but its
/// version.
void readBuiltIns(const CompileRequest& request, const Target& target) {
  const std::string text =
      request.isHlsl ? "void main() {}" : versionLine(request.text) + "\nvoid main() {}";
  static std::set<std::tuple<bool, EShLanguage, int, int, std::string>> known;
  if (!known.emplace(request.isHlsl, stageOf(request), target.clientVersion, target.spirv, text)
           .second)
    return;
  if (known.size() == 1) {
    growHeapByHugePages();
    glslang::InitializeProcess();
  }
  glslang::TShader shader(stageOf(request));
  const char* begin = text.c_str();
  shader.setStrings(&begin, 1);
  setEnvironment(shader, request, target);
  shader.parse(GetDefaultResources(), 450, ECoreProfile, false, false,
               messagesFor(request, target));
}

/// With `macros` in front of the text; `included` gets the texts of what it includes.
Compiled compileWith(const std::string& macros, const CompileRequest& request,
                     const LoadOptions& options, const Target& target, std::string& included) {
  Compiled out;
  const EShLanguage stage = stageOf(request);
  glslang::TShader shader(stage);
  const char* text = request.text.data();
  int length = int(request.text.size());
  const char* name = request.name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
  std::string preamble = preambleOf(request, options, macros);
  shader.setPreamble(preamble.c_str());
  setEnvironment(shader, request, target);
  const EShMessages messages = messagesFor(request, target);
  if (request.isHlsl) {
    std::string entry = options.entry.empty() ? "main" : options.entry;
    shader.setEntryPoint(entry.c_str());
    shader.setSourceEntryPoint(entry.c_str());
    // HLSL's register spaces overlap; descriptors need distinct bindings.
    shader.setAutoMapBindings(true);
    shader.setAutoMapLocations(true);
    if (const RegisterBases& r = options.registers; r != RegisterBases()) {
      shader.setHlslIoMapping(true); // by class of register, not by kind of descriptor
      shader.setShiftBinding(glslang::EResUbo, r.constantBuffers);
      shader.setShiftBinding(glslang::EResTexture, r.readable);
      shader.setShiftBinding(glslang::EResUav, r.writable);
      shader.setShiftBinding(glslang::EResSampler, r.samplers);
    }
    if (request.shifts) {
      shader.setShiftBinding(glslang::EResUbo, request.shifts->uniformBuffers);
      shader.setShiftBinding(glslang::EResSsbo, request.shifts->storageBuffers);
      shader.setShiftBinding(glslang::EResImage, request.shifts->images);
      shader.setShiftBinding(glslang::EResTexture, request.shifts->textures);
      shader.setShiftBinding(glslang::EResSampler, request.shifts->samplers);
      // RWTexture2D<unorm float4> does not say which format; glslang would take the widest. But
      // atomics need one, and have only those that the type does say.
      shader.setNoStorageFormat(request.text.find("Interlocked") == std::string::npos);
    }
  }
  if (options.bindsUniforms) shader.setAutoMapBindings(true);
  if (request.mapsLocations) shader.setAutoMapLocations(true);
  Includer includer(request.name, options.includeDirs);
  bool parsed =
      shader.parse(GetDefaultResources(), 450, ECoreProfile, false, false, messages, includer);
  out.dependencies = includer.filesRead();
  out.probes = includer.probes();
  std::vector<SourceText> texts{{request.name, request.text}};
  for (const auto& [path, contents] : includer.texts()) {
    texts.push_back({path, contents});
    included += contents;
  }
  SourcesByName sources;
  for (const SourceText& file : texts) sources.add(file.name, file.text);
  sortLog(shader.getInfoLog(), request.name, sources, out);
  if (parsed) {
    glslang::TProgram program;
    program.addShader(&shader);
    const bool isMapped = request.isHlsl || options.bindsUniforms || request.mapsLocations;
    parsed = program.link(messages) && (!isMapped || program.mapIO());
    sortLog(program.getInfoLog(), request.name, sources, out);
    if (parsed && out.errors.empty()) {
      glslang::SpvOptions spv;
      spv.generateDebugInfo = true;
      spv.disableOptimizer = true;
      spv::SpvBuildLogger logger;
      glslang::GlslangToSpv(*program.getIntermediate(stage), out.words, &logger, &spv);
      sortLog(logger.getAllMessages(), request.name, sources, out);
      mendDebugTexts(out.words, texts);
      if (request.isHlsl)
        if (Status mended = mendIntrinsics(out); !mended)
          out.errors.push_back(fmt::format("{}: error: glslang wrote invalid SPIR-V: {}",
                                           request.name, mended.error().message));
    }
  }
  if (!parsed && out.errors.empty())
    out.errors.push_back(
        fmt::format("{}: error: {}", request.name, silentFailure(request, options)));
  if (!out.errors.empty()) out.words.clear();
  return out;
}

Compiled compileFor(const Target& target, const CompileRequest& request,
                    const LoadOptions& options) {
  std::string included;
  if (!request.isHlsl) return compileWith({}, request, options, target, included);
  std::string macros = intrinsicMacros(request.text);
  Compiled out = compileWith(macros, request, options, target, included);
  if (std::string all = intrinsicMacros(request.text + included); all != macros) {
    macros = std::move(all);
    out = compileWith(macros, request, options, target, included);
  }
  // Where a function of the shader's own has such a name, the macro is in its way; and errors are
  // to be of the text as it stands.
  if (!macros.empty() && !out.errors.empty())
    return compileWith({}, request, options, target, included);
  return out;
}

/// Runs in the isolated child.
Compiled compileHere(const CompileRequest& request, const LoadOptions& options,
                     const Target& target) {
  Compiled out = compileFor(target, request, options);
  // Where SPIR-V 1.3 will not do, what is invalid is told.
  if (!request.isHlsl || !hasLateBufferBlocks(out.words)) return out;
  Target older = target;
  older.spirv = glslang::EShTargetSpv_1_3;
  Compiled again = compileFor(older, request, options);
  return again.errors.empty() ? again : out;
}

} // namespace

std::vector<std::string> shaderStages() {
  std::vector<std::string> names;
  for (const Stage& stage : kStages) names.emplace_back(stage.extension);
  return names;
}

std::string stageNamed(std::string_view name) {
  for (const Stage& stage : kStages)
    if (stage.extension == name || stage.name == name) return std::string(stage.extension);
  return {};
}

bool isShaderStage(std::string_view stage) {
  return !stage.empty() && stageNamed(stage) == stage;
}

Result<Compiled> compileSource(const CompileRequest& request, const LoadOptions& options) {
  spv_target_env env = options.env.value_or(SPV_ENV_VULKAN_1_2);
  std::optional<Target> target = targetOf(env);
  if (!target)
    return failure(
        fmt::format("glslang cannot compile for {}; use a Vulkan environment or opengl4.5",
                    targetEnvName(env)));
  auto joined = [](const std::vector<std::string>& strings) { return packStrings(strings); };
  readBuiltIns(request, *target);
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        Compiled c = compileHere(request, options, *target);
        std::vector<std::string> probes, quotes;
        for (const auto& [message, quote] : c.quotes) quotes.insert(quotes.end(), {message, quote});
        for (const FileProbe& p : c.probes) probes.insert(probes.end(), {p.path, p.digest});
        return packStrings(std::array{bytesOf(c.words), joined(c.dependencies), joined(c.warnings),
                                      joined(c.errors), joined(probes), joined(quotes)});
      },
      defaultIsolation());
  if (!bytes) return failure("the compiler glslang " + bytes.error().message);
  std::vector<std::string> parts = unpackStrings(*bytes);
  Compiled compiled{wordsOf(parts[0]),
                    unpackStrings(parts[1]),
                    unpackStrings(parts[2]),
                    unpackStrings(parts[3]),
                    {},
                    {}};
  const std::vector<std::string> quotes = unpackStrings(parts[5]);
  for (size_t i = 0; i + 1 < quotes.size(); i += 2)
    compiled.quotes.emplace(quotes[i], quotes[i + 1]);
  const std::vector<std::string> probes = unpackStrings(parts[4]);
  for (size_t i = 0; i + 1 < probes.size(); i += 2)
    compiled.probes.push_back({probes[i], probes[i + 1]});
  return compiled;
}

std::string glslangVersion() {
  return fmt::format("{}.{}.{}", GLSLANG_VERSION_MAJOR, GLSLANG_VERSION_MINOR,
                     GLSLANG_VERSION_PATCH);
}

} // namespace lanewise::driver
