#include "input/front_end.h"

#include "analysis/module/source_lines.h"
#include "input/hlsl_registers.h"
#include "ir/module.h"
#include "spirv/assembly.h"
#include "spirv/validation.h"
#include "support/failure.h"
#include "support/files.h"
#include "validity/check_module.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unordered_set>

namespace lanewise::driver {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kMagicSwapped = 0x03022307;

struct KindOfFile {
  InputKind kind;
  std::string stage; ///< for source; "" where nothing tells
};

/// "blur.frag.hlsl" and "blur.frag.glsl" name their stage before the language, as glslang reads
/// them.
std::optional<KindOfFile> kindByName(const std::string& path) {
  std::filesystem::path p(path);
  auto extensionOf = [](const std::filesystem::path& x) {
    std::string e = x.extension().string();
    return e.empty() ? e : e.substr(1);
  };
  std::string extension = extensionOf(p);
  if (extension == "spv") return KindOfFile{InputKind::Spv, {}};
  if (extension == "spvasm") return KindOfFile{InputKind::SpvAsm, {}};
  if (isShaderStage(extension)) return KindOfFile{InputKind::Glsl, extension};
  if (extension != "glsl" && extension != "hlsl") return {};
  std::string stage = extensionOf(p.stem());
  return KindOfFile{extension == "glsl" ? InputKind::Glsl : InputKind::Hlsl,
                    isShaderStage(stage) ? stage : ""};
}

uint32_t firstWord(std::string_view bytes) {
  return bytes.size() < 4 ? 0 : wordsOf(bytes.substr(0, 4))[0];
}

bool looksLikeText(std::string_view bytes) {
  std::string_view head = bytes.substr(0, 256);
  return !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
    return uint8_t(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

/// The stage that a line `#pragma shader_stage(NAME)` gives, as shaderc reads it; "" for none.
std::string stageOfPragma(std::string_view text) {
  constexpr std::string_view kPragma = "shader_stage(";
  for (size_t at = text.find(kPragma); at != text.npos; at = text.find(kPragma, at + 1)) {
    std::string before; // on its line, without blanks
    for (size_t i = text.rfind('\n', at) + 1; i < at; ++i)
      if (text[i] != ' ' && text[i] != '\t') before += text[i];
    const std::string_view rest = text.substr(at + kPragma.size());
    if (before == "#pragma") return stageNamed(rest.substr(0, rest.find(')')));
  }
  return {};
}

/// The kind of an input whose name does not tell: binaries by their magic number, nothing else.
Result<KindOfFile> kindOf(const std::string& path, std::string_view bytes,
                          const LoadOptions& options) {
  std::optional<KindOfFile> kind = kindByName(path);
  if (options.kind) kind = KindOfFile{*options.kind, kind ? kind->stage : ""};
  if (kind) {
    if (!options.stage.empty()) kind->stage = options.stage;
    if (kind->stage.empty()) kind->stage = stageOfPragma(bytes);
    if (kind->stage.empty()) kind->stage = "comp";
    return *kind;
  }
  if (isBinaryModule(bytes)) return KindOfFile{InputKind::Spv, {}};
  if (path.ends_with(".toml"))
    return failure("a .toml file is no shader; a scenario is given as --scenario=FILE.toml");
  if (path.ends_with(".foz"))
    return failure("a Fossilize database; 'lanewise pipelines " + path +
                   " -o FILE.toml' takes its modules out");
  return failure(path == "-"
                     ? "not a SPIR-V binary; say what standard input holds with -x "
                       "spv|spvasm|glsl|hlsl"
                     : "unknown kind of input; name it .spv, .spvasm, .comp, .glsl or .hlsl, or "
                       "say what it is with -x spv|spvasm|glsl|hlsl");
}

Result<Words> wordsOfBinary(std::string_view bytes) {
  if (bytes.empty()) return failure("the file is empty; a SPIR-V module has at least 20 bytes");
  if (firstWord(bytes) == kMagicSwapped)
    return failure(
        "the module is stored in the other byte order (big-endian); convert it, for example by "
        "spirv-dis and spirv-as");
  if (firstWord(bytes) != kMagic) {
    if (looksLikeText(bytes))
      return failure(
          "this is text, not a SPIR-V binary; for assembly name it .spvasm or give -x spvasm, for "
          "source .comp or -x glsl");
    if (bytes.size() < 4)
      return failure(
          fmt::format("truncated: {} bytes are too few for a SPIR-V module", bytes.size()));
    return failure(
        fmt::format("not a SPIR-V binary: it starts with 0x{:08x} instead of the magic number "
                    "0x{:08x}",
                    firstWord(bytes), kMagic));
  }
  if (bytes.size() % 4 != 0)
    return failure(
        fmt::format("truncated: {} bytes are not a whole number of 32-bit words", bytes.size()));
  if (bytes.size() < 20)
    return failure(
        fmt::format("truncated: the header has 20 bytes, the file only {}", bytes.size()));
  Words words = wordsOf(bytes);
  // A version that is none at all is Module::read()'s to refuse.
  uint32_t version = words[1];
  if (version > spv::Version && (version & 0xFF0000FF) == 0)
    return failure(fmt::format(
        "SPIR-V {}.{} is newer than {}.{}, the newest that this program knows", version >> 16,
        version >> 8 & 0xFF, spv::Version >> 16, spv::Version >> 8 & 0xFF));
  return words;
}

/// Whether the module has an entry point of this name ("": any).
Status checkEntry(const Module& module, const std::string& entry) {
  if (entry.empty()) return ok();
  std::string known;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpEntryPoint) continue;
    std::string_view name = module.stringAt(i, 3);
    if (name == entry) return ok();
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", name);
  }
  return failure(
      fmt::format("no entry point '{}'; the module has {}", entry, known.empty() ? "none" : known));
}

/// What the compiler said, each with the line of source that it speaks of.
std::vector<std::string> withQuotes(const Compiled& compiled,
                                    const std::vector<std::string>& messages) {
  std::vector<std::string> quoted;
  for (const std::string& message : messages) {
    quoted.push_back(message);
    if (const auto quote = compiled.quotes.find(message); quote != compiled.quotes.end())
      quoted.back() += "\n" + quote->second;
  }
  return quoted;
}

struct Loader {
  const std::string& path;
  const LoadOptions& options;
  const std::string* contents;
  std::string displayName;
  LoadedModule out;
  Words words;
  Error error;

  bool fail(const Error& e) {
    // Compilers and assemblers say the place themselves.
    bool hasPlace = e.message.starts_with(displayName + ":");
    error = failure(hasPlace ? e.str() : fmt::format("{}: {}", displayName, e.str()));
    return false;
  }

  bool loadText(const std::string& bytes) {
    Result<Words> assembled =
        assemble(bytes, displayName, options.env.value_or(SPV_ENV_VULKAN_1_2));
    if (!assembled) return fail(assembled.error());
    words = std::move(*assembled);
    return true;
  }

  bool loadSource(const std::string& bytes, const std::string& stage) {
    CompileRequest request{displayName, bytes, stage, out.kind == InputKind::Hlsl};
    LoadOptions compileOptions = options;
    // glslang declares the writable buffers of HLSL as BufferBlock, which SPIR-V 1.4 took out.
    spv_target_env defaultEnv =
        out.kind == InputKind::Hlsl ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_2;
    compileOptions.env = options.env.value_or(defaultEnv);
    Result<Compiled> compiled = compileSource(request, compileOptions);
    if (!compiled) return fail(compiled.error());
    if (!compiled->errors.empty()) {
      error = failure(fmt::format("{}", fmt::join(withQuotes(*compiled, compiled->errors), "\n")));
      return false;
    }
    words = std::move(compiled->words);
    out.dependencies = std::move(compiled->dependencies);
    keepFile(path);
    for (const std::string& file : out.dependencies) keepFile(file);
    out.warnings = withQuotes(*compiled, compiled->warnings);
    out.probes = std::move(compiled->probes);
    if (out.kind != InputKind::Hlsl) return true;
    // What glslang makes of HLSL is only made legal by this recipe (SPIRV-Tools,
    // RegisterLegalizationPasses).
    const std::string legalize[] = {"--legalize-hlsl"};
    SpirvOptOptions run{*compileOptions.env, true, true};
    Result<Words> legal = runSpirvOpt(words, legalize, run);
    if (!legal) return fail(failure("legalizing the compiled HLSL " + legal.error().message));
    words = std::move(*legal);
    if (!options.isForHost) return true;
    const std::string shared = sharedRegisters(words, options.registers);
    return shared.empty() || fail(failure("error: " + shared));
  }

  bool load() {
    Result<std::string> bytes = contents ? *contents : readFile(path);
    if (!bytes) return fail(bytes.error());
    Result<KindOfFile> kind = kindOf(path, *bytes, options);
    if (!kind) return fail(kind.error());
    out.kind = kind->kind;
    if (out.kind == InputKind::Spv) {
      Result<Words> binary = wordsOfBinary(*bytes);
      if (!binary) return fail(binary.error());
      words = std::move(*binary);
    } else {
      if (isBinaryModule(*bytes))
        return fail(failure("this is a SPIR-V binary, not text; name it .spv or give -x spv"));
      bytes->erase(0, bytes->size() - withoutByteOrderMark(*bytes).size());
      if (bytes->empty()) return fail(failure("the file is empty"));
      if (bytes->find('\0') != std::string::npos)
        return fail(failure("this is binary data, not text"));
      bool loaded =
          out.kind == InputKind::SpvAsm ? loadText(*bytes) : loadSource(*bytes, kind->stage);
      if (!loaded) return false;
      out.text = std::move(*bytes);
    }
    return check();
  }

  /// Of source: where it stands there, and what helps.
  Error byCompiler(const Module& module, Error refused) const {
    const bool isSource = out.kind == InputKind::Glsl || out.kind == InputKind::Hlsl;
    if (!isSource || !refused.wordOffset) return refused;
    SourceLocation at;
    for (InstRef i : module.insts())
      if (module.wordOffset(i) == refused.wordOffset) at = SourceLines(module).at(module, i);
    return failure(
        fmt::format("{}error: glslang {} compiled this to what is {}; {}",
                    at.line == 0 ? "" : fmt::format("{}:{}: ", at.file, at.line), glslangVersion(),
                    refused.message,
                    out.kind == InputKind::Hlsl
                        ? "write it otherwise, or compile with DXC and hand over its .spv"
                        : "write it otherwise, or hand over another compiler's .spv"));
  }

  /// Our reader first: it is quicker to say no, and what it accepts cannot surprise the passes.
  bool check() {
    Result<Module> module = Module::read(std::move(words));
    if (!module) return fail(module.error());
    out.read = KeptModule(std::move(*module));
    if (!checkValidity(*out.read)) return false;
    if (out.kind != InputKind::Hlsl)
      if (Status s = checkEntry(*out.read, options.entry); !s) return fail(s.error());
    return true;
  }

  bool checkValidity(const Module& module) {
    out.env = options.env.value_or(likelyEnv(module));
    if (!options.isValidated && (defaultValidation().isOff || checkModule(module))) return true;
    Result<Validated> validated = validate(module, options.env);
    if (!validated) return fail(byCompiler(module, validated.error()));
    out.env = validated->env;
    out.isValidated = true;
    out.doubt = std::move(validated->doubt);
    if (!validated->unknown.empty())
      out.warnings.push_back(
          fmt::format("{}: note: {}", displayName, notValidated(validated->unknown)));
    return true;
  }
};

} // namespace

bool isBinaryModule(std::string_view bytes) {
  return firstWord(bytes) == kMagic || firstWord(bytes) == kMagicSwapped;
}

KeptModule::KeptModule(Module module)
    : words_(module.sharedWords()), module_(std::make_shared<Module>(std::move(module))) {}

const Module& KeptModule::operator*() const {
  // It was read before, so it can be read.
  if (!module_) module_ = std::make_shared<Module>(std::move(*Module::read(*words_)));
  return *module_;
}

Module KeptModule::take() {
  const std::shared_ptr<Module> module = std::move(module_);
  if (!module) return std::move(*Module::read(*words_));
  return module.use_count() == 1 ? std::move(*module) : *module;
}

const Words& LoadedModule::words() const {
  return read.words();
}

bool parseInputKind(std::string_view name, LoadOptions& options) {
  constexpr std::pair<std::string_view, InputKind> kKinds[] = {{"spv", InputKind::Spv},
                                                               {"spvasm", InputKind::SpvAsm},
                                                               {"glsl", InputKind::Glsl},
                                                               {"hlsl", InputKind::Hlsl}};
  for (const auto& [known, kind] : kKinds)
    if (known == name) {
      options.kind = kind;
      return true;
    }
  if (!isShaderStage(name)) return false;
  options.kind = InputKind::Glsl;
  options.stage = name;
  return true;
}

bool isShaderFile(const std::string& path) {
  return kindByName(path).has_value();
}

Result<LoadedModule> loadModule(const std::string& path, const LoadOptions& options,
                                const std::string* contents) {
  Loader loader{path, options, contents, path == "-" ? "<stdin>" : path, {}, {}, {}};
  if (!loader.load()) return std::move(loader.error);
  return std::move(loader.out);
}

Words stripLines(std::span<const uint32_t> words) {
  constexpr size_t kHeader = 5;
  auto opcodeAt = [&](size_t at) { return spv::Op(words[at] & 0xFFFF); };
  auto countAt = [&](size_t at) { return std::max<size_t>(words[at] >> 16, 1); };
  // A string stays when an extended instruction may use it (debug printf). Any word that equals its
  // id counts as a use: keeping a string too many is harmless.
  std::unordered_set<uint32_t> used;
  for (size_t at = kHeader; at < words.size(); at += countAt(at))
    if (opcodeAt(at) == spv::Op::OpExtInst)
      for (size_t n = 3; n < countAt(at) && at + n < words.size(); ++n) used.insert(words[at + n]);

  Words out(words.begin(), words.begin() + std::min(words.size(), kHeader));
  out.reserve(words.size());
  for (size_t at = kHeader; at < words.size(); at += countAt(at)) {
    spv::Op op = opcodeAt(at);
    size_t count = std::min(countAt(at), words.size() - at);
    if (op == spv::Op::OpLine || op == spv::Op::OpNoLine || op == spv::Op::OpSourceContinued ||
        op == spv::Op::OpModuleProcessed)
      continue;
    if (op == spv::Op::OpString && count > 1 && !used.contains(words[at + 1])) continue;
    if (op == spv::Op::OpSource && count > 3)
      count = 3; // language and version, without file and text
    out.insert(out.end(), words.begin() + at, words.begin() + at + count);
    if (op == spv::Op::OpSource) out[out.size() - count] = uint32_t(count) << 16 | uint32_t(op);
  }
  return out;
}

} // namespace lanewise::driver
