// From whatever the user has to a module: SPIR-V binaries and assembly, GLSL and HLSL through
// glslang.
#pragma once

#include "lanewise/result.h"
#include "spirv/spirv_tools.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {
class Module;
}

namespace lanewise::driver {

enum class InputKind { Spv, SpvAsm, Glsl, Hlsl };

/// Whether a file begins as SPIR-V of either byte order does.
bool isBinaryModule(std::string_view bytes);

/// The binding at which each class of HLSL's registers begins.
struct RegisterBases {
  uint32_t constantBuffers = 0; ///< b
  uint32_t readable = 0;        ///< t: textures and buffers that are only read
  uint32_t writable = 0;        ///< u
  uint32_t samplers = 0;        ///< s
  bool operator==(const RegisterBases&) const = default;
};

struct LoadOptions {
  /// `-x`; without it the extension decides, and for a file without a known one its first bytes.
  std::optional<InputKind> kind;
  /// Of source, as file extensions name it; "": the extension decides, then a
  /// `#pragma shader_stage`, and without either it is a compute shader.
  std::string stage;
  std::vector<std::string> includeDirs;                     ///< -I
  std::vector<std::pair<std::string, std::string>> defines; ///< -D, name and value
  std::string entry;                 ///< --entry; "" for main or whatever there is
  std::optional<spv_target_env> env; ///< --target-env
  std::string projectFile;           ///< that options came from; "" for none
  RegisterBases registers;
  bool bindsUniforms = false; ///< GLSL without layout(binding) gets free ones; HLSL always does
  /// HLSL whose registers share a binding is refused: a host has to bind what is made of it.
  bool isForHost = false;
  /// Whether SPIRV-Tools validate the module; otherwise only Lanewise's own checker looks at it,
  /// and they are asked where it finds something.
  bool isValidated = true;
};

/// A file that was looked for while the input was read.
struct FileProbe {
  std::string path;
  std::string digest; ///< SHA-256 of what it held, in hexadecimal; "" when it was not there
};

/// A module that may do without its index while nobody looks: it is read anew where somebody does.
class KeptModule {
public:
  KeptModule() = default;
  explicit KeptModule(Module module);

  explicit operator bool() const { return words_ != nullptr; }
  const Module& operator*() const;
  const Module* operator->() const { return &**this; }
  const Words& words() const { return *words_; }
  /// The module, for somebody who changes it: not copied where nobody else has it.
  Module take();

private:
  std::shared_ptr<const Words> words_; ///< null: none
  mutable std::shared_ptr<Module> module_;
};

struct LoadedModule {
  KeptModule read; ///< valid in `env`; probably, unless `isValidated`
  spv_target_env env = SPV_ENV_VULKAN_1_2;
  bool isValidated = false;
  /// What Lanewise's checker has against the module, though SPIRV-Tools take it; "" mostly. Passes
  /// rely on what it checks.
  std::string doubt;
  InputKind kind = InputKind::Spv;
  std::string text; ///< the input itself as it was read, when it is not a binary
  /// Files read besides the input itself, in the order of reading: its #includes.
  std::vector<std::string> dependencies;
  /// The same with what they held, and the places where an #include was looked for in vain: a file
  /// that appears there changes the module.
  std::vector<FileProbe> probes;
  /// Warnings of the compiler, each "FILE:LINE: warning: ..." and the line of source below it, and
  /// a note where SPIRV-Tools could not validate the module.
  std::vector<std::string> warnings;
  const Words& words() const;
  bool isSource() const { return kind == InputKind::Glsl || kind == InputKind::Hlsl; }
};

/// What `-x` takes: a kind, or a stage of GLSL ("frag"). False for a name that it does not.
bool parseInputKind(std::string_view name, LoadOptions& options);

/// Reads `path` ("-" for standard input), compiles or assembles it where it is text, and validates
/// it. Source is compiled with line information, which stripLines() takes out again. `contents` are
/// the file's where they have been read already, else null. The error is a line that names the
/// file; of compile errors a line each with the line of source below it, the most telling first.
Result<LoadedModule> loadModule(const std::string& path, const LoadOptions& options,
                                const std::string* contents = nullptr);

/// Takes out what compiling with line information added, so that the module is what it would have
/// been without: OpLine, OpNoLine, the file and text of OpSource, strings that nothing else uses.
/// Names stay.
Words stripLines(std::span<const uint32_t> words);

/// glslang's part (glslang_compile.cpp).
struct RegisterShifts {
  uint32_t uniformBuffers = 0, storageBuffers = 0, images = 0, textures = 0, samplers = 0;
};
struct CompileRequest {
  std::string name; ///< of the file, for messages and lines
  std::string text;
  std::string stage; ///< "comp", "vert", ... as in file extensions
  bool isHlsl = false;
  /// Of HLSL: what is added to the numbers of registers by the kind of the resource, so that b0,
  /// t0, u0 and s0 are not one binding. (glslang tells t and u apart for images, not for buffers.)
  std::optional<RegisterShifts> shifts = {};
  /// Of GLSL: uniforms outside of blocks need no location, as OpenGL has them.
  bool mapsLocations = false;
};
struct Compiled {
  Words words;
  std::vector<std::string> dependencies, warnings, errors; ///< with errors there are no words
  /// Lines of source to be shown below warnings and errors, by these.
  std::map<std::string, std::string> quotes;
  std::vector<FileProbe> probes;
};
/// An Error is a crash of the compiler or a target that it does not have.
Result<Compiled> compileSource(const CompileRequest& request, const LoadOptions& options);
/// The shader stages as file extensions name them: "comp", "vert", ...
std::vector<std::string> shaderStages();
/// The extension of a stage that is named by it or as glslc names it ("compute"); "" for none.
std::string stageNamed(std::string_view name);
/// Whether `stage` names a shader stage as file extensions do.
bool isShaderStage(std::string_view stage);
/// Whether a file of this name is a module or a shader, by its extension.
bool isShaderFile(const std::string& path);
std::string glslangVersion();

} // namespace lanewise::driver
