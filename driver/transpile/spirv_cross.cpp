#include "transpile/spirv_cross.h"

#include "ir/module.h"
#include "spirv/assembly.h"
#include "spirv/spirv_tools.h"
#include "support/failure.h"
#include "support/isolate.h"
#include "transpile/reserved_words.h"
#include "transpile/text_fixes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <spirv-tools/libspirv.h>
#include <spirv_cross/spirv_cross_c.h>
#include <stdexcept>

namespace lanewise::driver {

namespace {

using nlohmann::json;

/// A set that no module has, for the constant buffer that hands over the number of workgroups.
constexpr unsigned kWorkgroupCountSet = 0xFFFFFFF0;
/// Metal's index of the buffer with the lengths of runtime arrays, as SPIRV-Cross has it by
/// default.
constexpr uint32_t kLengthsIndex = 25;

/// Calls of the C API give a code; the message lies in the context.
class Cross {
public:
  Cross() {
    if (spvc_context_create(&context_) != SPVC_SUCCESS) throw std::bad_alloc();
  }
  ~Cross() { spvc_context_destroy(context_); }
  Cross(const Cross&) = delete;
  Cross& operator=(const Cross&) = delete;

  void check(spvc_result result) const {
    if (result != SPVC_SUCCESS)
      throw std::runtime_error(spvc_context_get_last_error_string(context_));
  }
  spvc_context get() const { return context_; }

private:
  spvc_context context_ = nullptr;
};

struct Options {
  const Cross& cross;
  spvc_compiler_options options = nullptr;
  void set(spvc_compiler_option option, bool value) const {
    cross.check(spvc_compiler_options_set_bool(options, option, value));
  }
  void setNumber(spvc_compiler_option option, unsigned value) const {
    cross.check(spvc_compiler_options_set_uint(options, option, value));
  }
};

struct ListedType {
  spvc_resource_type type;
  ResourceKind kind;
};
constexpr ListedType kListedTypes[] = {
    {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, ResourceKind::UniformBuffer},
    {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, ResourceKind::StorageBuffer},
    {SPVC_RESOURCE_TYPE_STORAGE_IMAGE, ResourceKind::StorageImage},
    {SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, ResourceKind::CombinedImage},
    {SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, ResourceKind::Texture},
    {SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, ResourceKind::Sampler},
    {SPVC_RESOURCE_TYPE_SUBPASS_INPUT, ResourceKind::InputAttachment},
    {SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, ResourceKind::AccelerationStructure},
    {SPVC_RESOURCE_TYPE_PUSH_CONSTANT, ResourceKind::PushConstants},
};

/// Runs in the isolated child; what SPIRV-Cross has against a module is thrown.
class Transpilation {
public:
  Transpilation(std::span<const uint32_t> words, const CrossRequest& request)
      : words_(words), request_(request), target_(request.target) {}

  Result<CrossText> run() {
    createCompiler();
    if (target_.isGlslOrEssl() && !target_.isVulkan) joinImagesAndSamplers();
    listResources();
    if (workgroupCount_) addWorkgroupCount();
    Result<std::vector<PlacedResource>> placed =
        placeResources(resources(), request_.binds, target_);
    if (!placed) return placed.error();
    out_.resources = std::move(*placed);
    if (Status s = checkAliases(); !s) return s.error();
    bindAll();
    install();
    const char* text = nullptr;
    cross_.check(spvc_compiler_compile(compiler_, &text));
    out_.text = text;
    if (out_.text.find("???") != std::string::npos) // in the place of a name
      return failure(fmt::format("it cannot be expressed in {}, which has no name for one of its "
                                 "types (such as 8-bit integers)",
                                 request_.target.str()));
    nameEntry();
    addNotes();
    return std::move(out_);
  }

private:
  struct Found {
    Resource resource;
    spvc_variable_id id;
  };

  std::vector<Resource> resources() const {
    std::vector<Resource> list;
    for (const Found& f : found_) list.push_back(f.resource);
    return list;
  }

  SpvExecutionModel model() const { return SpvExecutionModel(request_.model); }
  bool isStage(spv::ExecutionModel which) const { return request_.model == which; }
  bool reads(SpvBuiltIn builtIn) const {
    return spvc_compiler_has_active_builtin(compiler_, builtIn, SpvStorageClassInput);
  }
  bool writes(SpvBuiltIn builtIn) const {
    return spvc_compiler_has_active_builtin(compiler_, builtIn, SpvStorageClassOutput);
  }

  spvc_backend backend() const {
    return target_.language == Language::Hlsl  ? SPVC_BACKEND_HLSL
           : target_.language == Language::Msl ? SPVC_BACKEND_MSL
                                               : SPVC_BACKEND_GLSL;
  }

  void createCompiler() {
    spvc_parsed_ir ir = nullptr;
    cross_.check(spvc_context_parse_spirv(cross_.get(), words_.data(), words_.size(), &ir));
    cross_.check(spvc_context_create_compiler(cross_.get(), backend(), ir,
                                              SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_));
    cross_.check(spvc_compiler_set_entry_point(compiler_, request_.entry.c_str(), model()));
    if (const std::string name = newName(); !name.empty() && target_.language == Language::Msl)
      cross_.check(spvc_compiler_rename_entry_point(compiler_, request_.entry.c_str(), name.c_str(),
                                                    model()));
    spvc_compiler_update_active_builtins(compiler_);
    if (target_.language == Language::Hlsl)
      workgroupCount_ = spvc_compiler_hlsl_remap_num_workgroups_builtin(compiler_);
    // The variable that stands for the number of workgroups is not among the active ones, and would
    // be left out: then all are declared.
    if (workgroupCount_) return;
    // Direct3D counts the elements between two stages: an input that one of them does not read has
    // its place all the same.
    if (target_.language == Language::Hlsl && model() != SpvExecutionModelGLCompute) return;
    cross_.check(spvc_compiler_get_active_interface_variables(compiler_, &active_));
    cross_.check(spvc_compiler_set_enabled_interface_variables(compiler_, active_));
  }

  /// Of the entry point; empty if it keeps its own.
  std::string newName() const {
    if (!request_.newName.empty() || !isReserved(request_.entry, target_.language))
      return request_.newName;
    return "_" + request_.entry;
  }

  /// Plain GLSL has samplers only together with their image.
  void joinImagesAndSamplers() {
    spvc_variable_id dummy = 0;
    cross_.check(spvc_compiler_build_dummy_sampler_for_combined_images(compiler_, &dummy));
    cross_.check(spvc_compiler_build_combined_image_samplers(compiler_));
    const spvc_combined_image_sampler* pairs = nullptr;
    size_t count = 0;
    cross_.check(spvc_compiler_get_combined_image_samplers(compiler_, &pairs, &count));
    for (size_t i = 0; i < count; ++i) {
      const bool hasSampler = pairs[i].sampler_id != dummy;
      const std::string image = nameOf(pairs[i].image_id, "image");
      const std::string name =
          hasSampler ? fmt::format("{}_{}", image, nameOf(pairs[i].sampler_id, "sampler")) : image;
      spvc_compiler_set_name(compiler_, pairs[i].combined_id, name.c_str());
      Resource r = describe(pairs[i].image_id, ResourceKind::CombinedImage);
      r.name = name;
      r.isJoined = true;
      if (hasSampler)
        r.sampler = {decoration(pairs[i].sampler_id, SpvDecorationDescriptorSet),
                     decoration(pairs[i].sampler_id, SpvDecorationBinding)};
      found_.push_back({std::move(r), pairs[i].combined_id});
    }
    isJoining_ = true;
  }

  unsigned decoration(SpvId id, SpvDecoration which) const {
    return spvc_compiler_get_decoration(compiler_, id, which);
  }
  std::string nameOf(SpvId id, const char* fallback) const {
    const char* name = spvc_compiler_get_name(compiler_, id);
    return name && *name ? name : fmt::format("{}{}", fallback, id);
  }

  Resource describe(spvc_variable_id id, ResourceKind kind) const {
    Resource r;
    r.kind = kind;
    r.set = decoration(id, SpvDecorationDescriptorSet);
    r.binding = decoration(id, SpvDecorationBinding);
    r.name = spvc_compiler_get_name(compiler_, id);
    return r;
  }

  /// Descriptors of an array of any dimensions; 0 where one has no length.
  uint32_t countOf(spvc_type_id typeId) const {
    spvc_type type = spvc_compiler_get_type_handle(compiler_, typeId);
    uint32_t count = 1;
    for (unsigned d = 0; d < spvc_type_get_num_array_dimensions(type); ++d) {
      const SpvId length = spvc_type_get_array_dimension(type, d);
      if (spvc_type_array_dimension_is_literal(type, d)) {
        count *= length;
        continue;
      }
      spvc_constant constant = spvc_compiler_get_constant_handle(compiler_, length);
      count *= constant ? spvc_constant_get_scalar_u32(constant, 0, 0) : 1;
    }
    return count;
  }

  void listResources() {
    spvc_resources all = nullptr;
    if (active_)
      cross_.check(
          spvc_compiler_create_shader_resources_for_active_variables(compiler_, &all, active_));
    else
      cross_.check(spvc_compiler_create_shader_resources(compiler_, &all));
    for (const auto& [type, kind] : kListedTypes) {
      if (isJoining_ && (kind == ResourceKind::Texture || kind == ResourceKind::Sampler)) continue;
      if (kind == ResourceKind::PushConstants && target_.isForVulkan()) continue;
      const spvc_reflected_resource* list = nullptr;
      size_t count = 0;
      cross_.check(spvc_resources_get_resource_list_for_type(all, type, &list, &count));
      for (size_t i = 0; i < count; ++i) {
        const spvc_variable_id id = list[i].id;
        if (id == workgroupCount_) continue;
        if (std::any_of(found_.begin(), found_.end(), [&](const Found& f) { return f.id == id; }))
          continue; // a pair that was joined
        Resource r = describe(id, kind);
        if (r.name.empty()) r.name = list[i].name;
        r.count = countOf(list[i].type_id);
        if (kind == ResourceKind::StorageBuffer && isReadOnly(id, list[i].base_type_id))
          r.kind = ResourceKind::ReadOnlyStorageBuffer;
        found_.push_back({std::move(r), id});
      }
    }
  }

  /// SPIRV-Cross makes these shader resource views in HLSL: NonWritable on the variable or on every
  /// member.
  bool isReadOnly(spvc_variable_id id, spvc_type_id block) const {
    if (spvc_compiler_has_decoration(compiler_, id, SpvDecorationNonWritable)) return true;
    const unsigned members =
        spvc_type_get_num_member_types(spvc_compiler_get_type_handle(compiler_, block));
    for (unsigned m = 0; m < members; ++m)
      if (!spvc_compiler_has_member_decoration(compiler_, block, m, SpvDecorationNonWritable))
        return false;
    return members != 0;
  }

  void addWorkgroupCount() {
    Resource r;
    r.kind = ResourceKind::WorkgroupCount;
    found_.push_back({r, workgroupCount_});
  }

  /// Two views of one buffer: in HLSL and MSL each name has a register for itself, and two names at
  /// one would be two resources. (What glslang makes of b0, t0 and u0 is no such case: they are
  /// registers of different classes.)
  Status checkAliases() const {
    if (target_.isGlslOrEssl()) return ok();
    for (size_t a = 0; a < out_.resources.size(); ++a)
      for (size_t b = a + 1; b < out_.resources.size(); ++b) {
        const Resource &x = out_.resources[a].resource, &y = out_.resources[b].resource;
        if (!x.hasBinding() || !y.hasBinding() || x.set != y.set || x.binding != y.binding)
          continue;
        if (!haveSameClass(x.kind, y.kind, target_)) continue;
        return failure(fmt::format(
            "binding {}.{} is declared more than once (`{}` and `{}`), which {} cannot express",
            x.set, x.binding, x.name, y.name, lanewise::driver::nameOf(target_.language)));
      }
    return ok();
  }

  void bindAll() {
    for (size_t i = 0; i < found_.size(); ++i) {
      const Place& place = out_.resources[i].place;
      if (target_.language == Language::Hlsl)
        bindHlsl(found_[i], place);
      else if (target_.language == Language::Msl)
        bindMsl(found_[i].resource, place);
      else
        bindGlsl(found_[i].id, place);
    }
  }

  void bindGlsl(spvc_variable_id id, const Place& place) {
    spvc_compiler_set_decoration(compiler_, id, SpvDecorationBinding, place.numbers[0]);
    spvc_compiler_set_decoration(compiler_, id, SpvDecorationDescriptorSet, place.space);
  }

  /// One record says where a binding goes as each class of register.
  void bindHlsl(const Found& found, const Place& place) {
    spvc_hlsl_resource_binding b;
    spvc_hlsl_resource_binding_init(&b);
    b.stage = model();
    b.desc_set = found.resource.set;
    b.binding = found.resource.binding;
    for (size_t i = 0; i < found_.size(); ++i)
      if (isAtSameBinding(found_[i].resource, found.resource))
        fillHlsl(found_[i].resource, out_.resources[i].place, b);
    if (found.resource.kind == ResourceKind::PushConstants) {
      b.desc_set = SPVC_HLSL_PUSH_CONSTANT_DESC_SET;
      b.binding = SPVC_HLSL_PUSH_CONSTANT_BINDING;
    } else if (found.resource.kind == ResourceKind::WorkgroupCount) {
      spvc_compiler_set_decoration(compiler_, found.id, SpvDecorationDescriptorSet,
                                   kWorkgroupCountSet);
      spvc_compiler_set_decoration(compiler_, found.id, SpvDecorationBinding, 0);
      b.desc_set = kWorkgroupCountSet;
      b.binding = 0;
    }
    fillHlsl(found.resource, place, b);
    cross_.check(spvc_compiler_hlsl_add_resource_binding(compiler_, &b));
  }

  static bool isAtSameBinding(const Resource& a, const Resource& b) {
    return a.hasBinding() && b.hasBinding() && a.set == b.set && a.binding == b.binding;
  }

  static void fillHlsl(const Resource& resource, const Place& place,
                       spvc_hlsl_resource_binding& b) {
    const spvc_hlsl_resource_binding_mapping first{place.space, place.numbers[0]};
    switch (registerOf(resource.kind)) {
    case 'b':
      b.cbv = first;
      break;
    case 'u':
      b.uav = first;
      break;
    case 't':
      b.srv = first;
      break;
    default:
      b.sampler = first;
    }
    if (resource.kind == ResourceKind::CombinedImage) b.sampler = {place.space, place.numbers[1]};
  }

  void fillMsl(const Resource& resource, const Place& place, spvc_msl_resource_binding& b) const {
    switch (resource.kind) {
    case ResourceKind::CombinedImage:
      b.msl_sampler = place.numbers[1];
      [[fallthrough]];
    case ResourceKind::Texture:
    case ResourceKind::InputAttachment:
    case ResourceKind::StorageImage:
      b.msl_texture = place.numbers[0];
      break;
    case ResourceKind::Sampler:
      b.msl_sampler = place.numbers[0];
      break;
    default:
      b.msl_buffer = place.numbers[0];
    }
  }

  void bindMsl(const Resource& resource, const Place& place) {
    spvc_msl_resource_binding b;
    spvc_msl_resource_binding_init(&b);
    b.stage = model();
    const bool isPush = resource.kind == ResourceKind::PushConstants;
    b.desc_set = isPush ? SPVC_MSL_PUSH_CONSTANT_DESC_SET : resource.set;
    b.binding = isPush ? SPVC_MSL_PUSH_CONSTANT_BINDING : resource.binding;
    fillMsl(resource, place, b);
    for (size_t i = 0; i < found_.size(); ++i)
      if (isAtSameBinding(found_[i].resource, resource))
        fillMsl(found_[i].resource, out_.resources[i].place, b);
    cross_.check(spvc_compiler_msl_add_resource_binding(compiler_, &b));
  }

  void install() {
    Options options{cross_};
    cross_.check(spvc_compiler_create_compiler_options(compiler_, &options.options));
    if (target_.language == Language::Hlsl)
      setHlsl(options);
    else if (target_.language == Language::Msl)
      setMsl(options);
    else
      setGlsl(options);
    if (request_.movesLoads) options.set(SPVC_COMPILER_OPTION_FORCE_TEMPORARY, true);
    cross_.check(spvc_compiler_install_compiler_options(compiler_, options.options));
  }

  void setGlsl(const Options& options) const {
    const bool isEs = target_.language == Language::Essl;
    options.setNumber(SPVC_COMPILER_OPTION_GLSL_VERSION,
                      isEs ? target_.esslVersion : target_.glslVersion);
    options.set(SPVC_COMPILER_OPTION_GLSL_ES, isEs);
    options.set(SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, target_.isVulkan);
    options.set(SPVC_COMPILER_OPTION_GLSL_EMIT_PUSH_CONSTANT_AS_UNIFORM_BUFFER, !target_.isVulkan);
    // SPIRV-Cross writes the types' extension alone.
    if (!isEs && declares(spv::Capability::Int64Atomics))
      cross_.check(spvc_compiler_require_extension(compiler_, "GL_EXT_shader_atomic_int64"));
  }

  bool declares(spv::Capability capability) const {
    const SpvCapability* declared = nullptr;
    size_t count = 0;
    cross_.check(spvc_compiler_get_declared_capabilities(compiler_, &declared, &count));
    return std::any_of(declared, declared + count,
                       [&](SpvCapability c) { return spv::Capability(c) == capability; });
  }

  void setHlsl(const Options& options) const {
    options.setNumber(SPVC_COMPILER_OPTION_HLSL_SHADER_MODEL, target_.shaderModel);
    options.set(SPVC_COMPILER_OPTION_HLSL_ENABLE_16BIT_TYPES, target_.shaderModel >= 62);
    options.set(SPVC_COMPILER_OPTION_HLSL_POINT_SIZE_COMPAT, true); // see the note
  }

  void setMsl(const Options& options) {
    options.setNumber(SPVC_COMPILER_OPTION_MSL_VERSION, target_.mslVersion);
    options.setNumber(SPVC_COMPILER_OPTION_MSL_PLATFORM,
                      target_.isIos ? SPVC_MSL_PLATFORM_IOS : SPVC_MSL_PLATFORM_MACOS);
    // Before 2.1 a texel buffer is a texture of rows.
    options.set(SPVC_COMPILER_OPTION_MSL_TEXTURE_BUFFER_NATIVE, target_.mslVersion >= 20100);
    lengthsIndex_ = ownBuffer(kLengthsIndex);
    options.setNumber(SPVC_COMPILER_OPTION_MSL_BUFFER_SIZE_BUFFER_INDEX, lengthsIndex_);
    if (!isStage(spv::ExecutionModel::TessellationControl)) return;
    for (TessellationBuffer& buffer : tessellation_) {
      buffer.index = ownBuffer(buffer.index);
      options.setNumber(buffer.option, buffer.index);
    }
  }

  /// An index for a buffer that SPIRV-Cross adds: this one, or the next lower free one.
  uint32_t ownBuffer(uint32_t index) {
    for (uint32_t tried = 0; tried < 31 && isMslBufferTaken(index); ++tried)
      index = (index + 30) % 31;
    ownBuffers_.push_back(index);
    return index;
  }

  bool isMslBufferTaken(uint32_t index) const {
    if (std::find(ownBuffers_.begin(), ownBuffers_.end(), index) != ownBuffers_.end()) return true;
    return std::any_of(out_.resources.begin(), out_.resources.end(), [&](const PlacedResource& p) {
      return describePlace(p, target_) == fmt::format("[[buffer({})]]", index);
    });
  }

  void nameEntry() {
    out_.entry = "main";
    if (target_.language == Language::Msl) {
      const std::string name = newName().empty() ? request_.entry : newName();
      const char* cleansed =
          spvc_compiler_get_cleansed_entry_point_name(compiler_, name.c_str(), model());
      out_.entry = cleansed && *cleansed ? cleansed : name;
    }
    if (target_.language == Language::Hlsl) namePrintf(out_.text);
    if (!target_.isGlslOrEssl()) return;
    nameBuiltIns(out_.text);
    if (request_.hasVolatile) addVolatile(out_.text);
    addExtensions(out_.text, target_.language == Language::Essl, request_.model);
    declareSizeFirst(out_.text);
    addDefaultSizes(out_.text, defaultSizes());
  }

  /// Of the dimensions of a workgroup that specialization constants give.
  std::array<std::optional<uint32_t>, 3> defaultSizes() const {
    std::array<spvc_specialization_constant, 3> constants{};
    spvc_compiler_get_work_group_size_specialization_constants(compiler_, &constants[0],
                                                               &constants[1], &constants[2]);
    std::array<std::optional<uint32_t>, 3> sizes;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (constants[d].id != 0)
        sizes[d] = spvc_constant_get_scalar_u32(
            spvc_compiler_get_constant_handle(compiler_, constants[d].id), 0, 0);
    return sizes;
  }

  void note(const char* name, std::string text) { out_.notes.push_back({name, std::move(text)}); }

  void addNotes() {
    for (const PlacedResource& p : out_.resources) {
      const std::string where = describePlace(p, target_);
      if (p.resource.kind == ResourceKind::PushConstants)
        note("push-constants", fmt::format("the push constants are a {} buffer at {}",
                                           target_.language == Language::Hlsl  ? "constant"
                                           : target_.language == Language::Msl ? "constant"
                                                                               : "uniform",
                                           where));
      else if (p.resource.kind == ResourceKind::WorkgroupCount)
        note("workgroup-count",
             fmt::format("HLSL has no built-in for the number of workgroups: the host must pass it "
                         "as three 32-bit integers in a constant buffer at {}",
                         where));
      else if (p.resource.kind == ResourceKind::InputAttachment && !target_.isForVulkan())
        note("input-attachment", fmt::format("the input attachment at {} is a texture at {}: the "
                                             "host must bind what was drawn there",
                                             placeOf(p.resource), where));
      else if (p.isMoved)
        note("binding-moved", fmt::format("{} is at {}", placeOf(p.resource), where));
    }
    for (const std::string& message : errorDirectives(out_.text))
      note("extension",
           fmt::format("a compiler without a required extension stops at: {}", message));
    if (target_.language == Language::Hlsl) addVertexNotes();
    if (target_.isGlslOrEssl()) addUniformNotes();
    if (target_.language != Language::Msl) return;
    if (isStage(spv::ExecutionModel::TessellationControl)) addTessellationNote();
    if (spvc_compiler_msl_needs_buffer_size_buffer(compiler_))
      note("buffer-sizes",
           fmt::format("the shader queries the length of a buffer: the host must pass the buffer "
                       "sizes in bytes as 32-bit integers, by index, at [[buffer({})]]",
                       lengthsIndex_));
    if (spvc_compiler_msl_needs_swizzle_buffer(compiler_))
      note("swizzles", "the host must pass the texture swizzles in a buffer");
  }

  /// What Direct3D counts and draws otherwise.
  void addVertexNotes() {
    if (writes(SpvBuiltInPointSize))
      note("point-size", "HLSL has no size of points: what is written to gl_PointSize is dropped, "
                         "and points are one pixel wide");
    if (!isStage(spv::ExecutionModel::Vertex)) return;
    if (reads(SpvBuiltInBaseVertex) || reads(SpvBuiltInBaseInstance))
      note("base-vertex",
           "HLSL has no built-ins for the first vertex and the first instance of a draw: the host "
           "must pass them as two 32-bit integers in the constant buffer SPIRV_Cross_VertexInfo");
    const bool readsVertex = reads(SpvBuiltInVertexIndex);
    if (readsVertex || reads(SpvBuiltInInstanceIndex))
      note("vertex-index",
           fmt::format("{} becomes {}, which counts from 0 in every draw: right where the draw's "
                       "first vertex and first instance are 0",
                       readsVertex ? "gl_VertexIndex" : "gl_InstanceIndex",
                       readsVertex ? "SV_VertexID" : "SV_InstanceID"));
  }

  /// Uniforms that stand in for built-ins.
  void addUniformNotes() {
    for (const auto& [name, what] : {std::pair("SPIRV_Cross_BaseVertex", "vertex"),
                                     std::pair("SPIRV_Cross_BaseInstance", "instance")})
      if (out_.text.find(fmt::format("uniform int {};", name)) != std::string::npos)
        note("base-vertex",
             fmt::format("the host must set the uniform {} to the first {} of a draw{}", name, what,
                         out_.text.find("GL_ARB_shader_draw_parameters") == std::string::npos
                             ? ""
                             : " where GL_ARB_shader_draw_parameters is missing"));
  }

  void addTessellationNote() {
    note("tessellation",
         fmt::format(
             "the tessellation control shader is a compute kernel of {} lanes a patch: the "
             "host must dispatch it with the number of control points of a patch at "
             "[[buffer({})]] and take its results at [[buffer({})]] (control points), "
             "[[buffer({})]] (patches) and [[buffer({})]] (tessellation factors)",
             spvc_compiler_get_execution_mode_argument(compiler_, SpvExecutionModeOutputVertices),
             tessellation_[0].index, tessellation_[1].index, tessellation_[2].index,
             tessellation_[3].index));
  }

  std::span<const uint32_t> words_;
  const CrossRequest& request_;
  const TargetLanguage& target_;
  Cross cross_;
  spvc_compiler compiler_ = nullptr;
  spvc_set active_ = nullptr;
  std::vector<Found> found_;
  spvc_variable_id workgroupCount_ = 0; ///< 0: not asked for
  bool isJoining_ = false;
  uint32_t lengthsIndex_ = kLengthsIndex;
  std::vector<uint32_t> ownBuffers_;

  /// Of a tessellation control shader in MSL, which is a kernel; with SPIRV-Cross's defaults.
  struct TessellationBuffer {
    spvc_compiler_option option;
    uint32_t index;
  };
  TessellationBuffer tessellation_[4] = {
      {SPVC_COMPILER_OPTION_MSL_INDIRECT_PARAMS_BUFFER_INDEX, 29},
      {SPVC_COMPILER_OPTION_MSL_SHADER_OUTPUT_BUFFER_INDEX, 28},
      {SPVC_COMPILER_OPTION_MSL_SHADER_PATCH_OUTPUT_BUFFER_INDEX, 27},
      {SPVC_COMPILER_OPTION_MSL_SHADER_TESS_FACTOR_OUTPUT_BUFFER_INDEX, 26}};
  CrossText out_;
};

/// What the text calls whatever the names in the module are.
WordSet ownFunctions(const Words& nameless, const CrossRequest& request) {
  try {
    Result<CrossText> made = Transpilation(nameless, request).run();
    if (made) return functionsIn(made->text);
  } catch (const std::runtime_error&) { // the text with names fails in the same way, and says why
  }
  return {};
}

/// SPIRV-Cross knows some of the words that a text cannot use for what the module calls so.
Words withNamesFor(std::span<const uint32_t> words, const CrossRequest& request) {
  const Words nameless = withoutNames(words);
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module || nameless.size() == words.size()) return {words.begin(), words.end()};
  Id entry;
  for (InstRef i : module->globals())
    if (module->opcode(i) == spv::Op::OpEntryPoint &&
        spv::ExecutionModel(module->word(i, 1)) == request.model &&
        module->stringAt(i, 3) == request.entry)
      entry = module->idAt(i, 2);
  return renameReserved(std::move(*module), entry, request.target.language,
                        ownFunctions(nameless, request));
}

// The result crosses a pipe.

std::string pack(const CrossText& made) {
  json resources = json::array();
  for (const PlacedResource& p : made.resources) {
    const Resource& r = p.resource;
    json sampler = nullptr;
    if (r.sampler) sampler = {r.sampler->first, r.sampler->second};
    resources.push_back({int(r.kind), r.name, r.set, r.binding, r.count, r.isJoined, sampler,
                         p.place.space, p.place.numbers[0], p.place.numbers[1], p.isMoved});
  }
  json notes = json::array();
  for (const TranspileNote& n : made.notes) notes.push_back({n.name, n.text});
  const auto replace = json::error_handler_t::replace; // names of a module need not be UTF-8
  return packStrings(std::array{made.text, made.entry, resources.dump(-1, ' ', false, replace),
                                notes.dump(-1, ' ', false, replace)});
}

CrossText unpack(std::string_view bytes) {
  std::vector<std::string> parts = unpackStrings(bytes);
  CrossText made;
  made.text = std::move(parts[0]);
  made.entry = std::move(parts[1]);
  for (const json& r : json::parse(parts[2])) {
    PlacedResource p;
    p.resource.kind = ResourceKind(r[0].get<int>());
    p.resource.name = r[1];
    p.resource.set = r[2];
    p.resource.binding = r[3];
    p.resource.count = r[4];
    p.resource.isJoined = r[5];
    if (!r[6].is_null()) p.resource.sampler = {r[6][0], r[6][1]};
    p.place.space = r[7];
    p.place.numbers = {r[8], r[9]};
    p.isMoved = r[10];
    made.resources.push_back(std::move(p));
  }
  for (const json& n : json::parse(parts[3])) made.notes.push_back({n[0], n[1]});
  return made;
}

/// SPIRV-Cross says little in places.
std::string readable(std::string message) {
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  if (message == "nullptr") return "SPIRV-Cross does not support something it uses";
  if (message.starts_with("Push constant block cannot be expressed")) // says so of any block
    return "a block's layout is neither std140 nor std430, and there is no other in ESSL";
  return message;
}

/// "PointSize": as SPIRV-Tools' disassembler has it.
std::string nameOfBuiltIn(uint32_t number) {
  constexpr uint32_t kOpDecorate = 71, kBuiltIn = 11, kVersion = 0x00010600;
  const uint32_t words[] = {spv::MagicNumber,       kVersion, 0,        2,     0,
                            4u << 16 | kOpDecorate, 1,        kBuiltIn, number};
  Result<std::string> text = disassemble(words, TextHeader::No);
  const size_t at = text ? text->find("BuiltIn ") : std::string::npos;
  if (at == std::string::npos) return {};
  const size_t begin = at + std::string_view("BuiltIn ").size();
  return text->substr(begin, text->find_first_of(" \n", begin) - begin);
}

/// SPIRV-Cross gives built-ins by their number in places. Not in the isolated child: the
/// disassembler has one of its own.
std::string withBuiltInNamed(std::string message) {
  constexpr std::string_view kBuiltIn = "Unsupported builtin in HLSL: ";
  const size_t at = message.find(kBuiltIn);
  if (at == std::string::npos) return message;
  const std::string number = message.substr(at + kBuiltIn.size());
  message.resize(at);
  for (const auto& [builtIn, name] : {std::pair(SpvBuiltInNumSubgroups, "gl_NumSubgroups"),
                                      std::pair(SpvBuiltInSubgroupId, "gl_SubgroupID")})
    if (number == std::to_string(int(builtIn))) return message + "HLSL has no " + name;
  const bool isNumber =
      number.find_first_not_of("0123456789") == std::string::npos && number.size() < 9;
  const std::string name = isNumber ? nameOfBuiltIn(uint32_t(std::stoul(number))) : number;
  return fmt::format("{}SPIRV-Cross does not write the built-in {} in HLSL", message,
                     name.empty() ? number : name);
}

/// What of a module is probably newer than the installed SPIRV-Cross, which has no way to ask it:
/// the first instruction that SPIRV-Tools of the same age does not know, a float with an encoding
/// of its own, or an integer dot product, which SPIRV-Cross does not write at all. Empty if there
/// is none.
std::string probablyTooNew(std::span<const uint32_t> words) {
  const Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return {};
  for (InstRef i : module->insts()) {
    const OpcodeFacts& facts = module->facts(i);
    if (facts.opClass == OpClass::Unknown) continue;
    if (std::string_view(spvOpcodeString(uint32_t(facts.opcode))) == "unknown")
      return std::string(facts.name);
    if (facts.opcode == spv::Op::OpTypeFloat && module->wordCount(i) > 3)
      return "OpTypeFloat with an FP encoding";
    if (facts.opcode >= spv::Op::OpSDot && facts.opcode <= spv::Op::OpSUDotAccSat)
      return std::string(facts.name);
  }
  return {};
}

/// Which of our options writes what SPIRV-Cross says that only Vulkan's GLSL has.
std::string withVulkanNamed(const std::string& message) {
  const bool isVulkans = message.ends_with("only supported in Vulkan semantics");
  return isVulkans ? message + ", which --to=glsl --vulkan writes" : message;
}

/// SPIRV-Cross says of what it does not know where it noticed, not what it is.
std::string withNewestNamed(const std::string& message, std::span<const uint32_t> words) {
  for (std::string_view said :
       {"Currently no block to insert opcode", "Cannot resolve expression type",
        "Unrecognized bit-width of floating point type"}) {
    const size_t at = message.find(said);
    if (at == std::string::npos) continue;
    const std::string what = probablyTooNew(words);
    if (what.empty()) return message;
    return fmt::format("{}SPIRV-Cross probably does not know {} (it says: {})",
                       message.substr(0, at), what, message.substr(at));
  }
  return message;
}

} // namespace

Result<CrossText> crossCompile(std::span<const uint32_t> words, const CrossRequest& request) {
  Result<std::string> bytes = isolate(
      [&]() -> Result<std::string> {
        try {
          Result<CrossText> made = Transpilation(withNamesFor(words, request), request).run();
          if (!made) return made.error();
          return pack(*made);
        } catch (const std::runtime_error& e) {
          return failure(fmt::format("it cannot be expressed in {}: {}", request.target.str(),
                                     readable(e.what())));
        }
      },
      defaultIsolation());
  if (!bytes) {
    const std::string& why = bytes.error().message;
    const bool isCrash = why.starts_with("crashed") || why.starts_with("timed out") ||
                         why.starts_with("exited") || why.starts_with("threw");
    return failure(isCrash ? "SPIRV-Cross " + why
                           : withVulkanNamed(withNewestNamed(withBuiltInNamed(why), words)));
  }
  CrossText made = unpack(*bytes);
  made.model = request.model;
  if (!request.newName.empty() && request.target.language == Language::Hlsl) {
    if (Status s = renameHlslEntry(made.text, request.newName); !s) return s.error();
    made.entry = request.newName;
  }
  if (!request.newName.empty() && made.entry != request.newName)
    return failure(fmt::format("--rename-entry={}: {} uses that word itself", request.newName,
                               nameOf(request.target.language)));
  return made;
}

std::string spirvCrossVersion() {
  unsigned major = 0, minor = 0, patch = 0;
  spvc_get_version(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

} // namespace lanewise::driver
