#include "transpile/text_fixes.h"

#include "support/failure.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace lanewise::driver {

bool isWordCharacter(char c) {
  return std::isalnum(uint8_t(c)) || c == '_';
}

namespace {

/// Where `word` stands as a whole word from `from` on.
size_t findWord(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isWordCharacter(text[at - 1])) &&
        (end == text.size() || !isWordCharacter(text[end])))
      return at;
  }
  return std::string_view::npos;
}

constexpr std::string_view kPrintf = "printf(";

} // namespace

void declareSizeFirst(std::string& text) {
  constexpr std::string_view kLayout = "\nlayout(local_size_x";
  const size_t layout = text.find(kLayout);
  const size_t use = findWord(text, "gl_WorkGroupSize");
  if (layout == std::string::npos || use == std::string::npos || use > layout) return;
  const size_t begin = layout + 1, end = text.find('\n', begin) + 1;
  if (end == 0) return;
  const std::string line = text.substr(begin, end - begin);
  text.erase(begin, line.size());
  text.insert(text.rfind('\n', use) + 1, line);
}

void addExtensions(std::string& text, bool isEs, spv::ExecutionModel model) {
  using Model = spv::ExecutionModel;
  constexpr Model kAny = Model::Max;
  struct Need {
    bool isEs;
    Model model;
    std::string_view word, extension;
  };
  constexpr Need kNeeds[] = {
      {false, Model::Vertex, "gl_Layer", "GL_ARB_shader_viewport_layer_array"},
      {false, Model::Vertex, "gl_ViewportIndex", "GL_ARB_shader_viewport_layer_array"},
      {false, Model::TessellationEvaluation, "gl_Layer", "GL_ARB_shader_viewport_layer_array"},
      {false, Model::TessellationEvaluation, "gl_ViewportIndex",
       "GL_ARB_shader_viewport_layer_array"},
      {true, kAny, "gl_ClipDistance", "GL_EXT_clip_cull_distance"},
      {true, kAny, "gl_CullDistance", "GL_EXT_clip_cull_distance"},
      {true, Model::TessellationControl, "gl_PointSize", "GL_EXT_tessellation_point_size"},
      {true, Model::TessellationEvaluation, "gl_PointSize", "GL_EXT_tessellation_point_size"},
      {true, Model::Geometry, "gl_PointSize", "GL_EXT_geometry_point_size"},
  };
  for (const Need& need : kNeeds) {
    const bool isHere = need.isEs == isEs && (need.model == kAny || need.model == model);
    if (!isHere || findWord(text, need.word) == std::string_view::npos ||
        findWord(text, need.extension) != std::string_view::npos)
      continue;
    text.insert(text.find('\n') + 1, fmt::format("#extension {} : require\n", need.extension));
  }
}

void nameBuiltIns(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"gl_BuiltIn_14", "gl_PatchVerticesIn"}, {"gl_BuiltIn_5352", "gl_GeometryIndexEXT"}};
  for (const auto& [number, name] : kNames)
    for (size_t at = findWord(text, number); at != std::string::npos;
         at = findWord(text, number, at))
      text.replace(at, number.size(), name);
}

void addDefaultSizes(std::string& text, const std::array<std::optional<uint32_t>, 3>& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string name = std::string("local_size_") + "xyz"[d];
    const size_t at = text.find(name + "_id = ");
    if (sizes[d].value_or(1) != 1 && at != std::string::npos)
      text.insert(at, name + " = " + std::to_string(*sizes[d]) + ", ");
  }
}

void addVolatile(std::string& text) {
  constexpr std::string_view kLayout = "\nlayout(", kCoherent = " coherent ";
  for (size_t at = text.find(kLayout); at != std::string::npos; at = text.find(kLayout, at + 1)) {
    const size_t coherent = text.find(kCoherent, at);
    if (coherent < text.find('\n', at + 1)) text.insert(coherent + kCoherent.size(), "volatile ");
  }
}

Status renameHlslEntry(std::string& text, const std::string& name) {
  if (name == "main") return ok();
  if (findWord(text, name) != std::string_view::npos)
    return failure(
        fmt::format("--rename-entry={}: the output already uses that name; choose another", name));
  // A stage with outputs gives them back.
  for (std::string_view entry : {"\nvoid main(", "\nSPIRV_Cross_Output main("}) {
    const size_t at = text.find(entry);
    if (at == std::string::npos || text.find(entry, at + 1) != std::string::npos) continue;
    text.replace(at + entry.find("main"), 4, name);
    return ok();
  }
  return failure("--rename-entry: SPIRV-Cross wrote no entry point called main");
}

std::string countingBytes(std::string text) {
  constexpr std::string_view kCall = ".GetDimensions(";
  for (size_t at = text.find(kCall); at != std::string::npos; at = text.find(kCall, at + 1)) {
    const size_t begin = at + kCall.size(), end = text.find_first_of(",)", begin);
    // That of an image has several arguments.
    if (end == std::string::npos || text.compare(end, 2, ");") != 0) continue;
    text.insert(end + 2, fmt::format(" {} *= 4;", text.substr(begin, end - begin)));
  }
  return text;
}

void namePrintf(std::string& text) {
  constexpr std::string_view kWord = "debugPrintfEXT(";
  for (size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at))
    text.replace(at, kWord.size(), kPrintf);
}

std::string withoutPrintf(std::string text) {
  std::string kept;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const size_t word = line.find_first_not_of(' ');
    const bool prints = word != std::string_view::npos && line.substr(word).starts_with(kPrintf);
    kept += prints ? ";\n" : line; // lines keep their numbers, and arms their statement
    begin = end;
  }
  return kept;
}

std::vector<std::string> errorDirectives(const std::string& text) {
  constexpr std::string_view kError = "\n#error ";
  std::vector<std::string> messages;
  for (size_t at = text.find(kError); at != std::string::npos; at = text.find(kError, at + 1)) {
    const size_t begin = at + kError.size();
    std::string message = text.substr(begin, text.find('\n', begin) - begin);
    if (std::find(messages.begin(), messages.end(), message) == messages.end())
      messages.push_back(std::move(message));
  }
  return messages;
}

} // namespace lanewise::driver
