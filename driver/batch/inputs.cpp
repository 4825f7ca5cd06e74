#include "batch/inputs.h"

#include "input/front_end.h"
#include "pipeline/pipeline.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

using FileId = std::pair<uint64_t, uint64_t>; ///< device and number

std::optional<struct stat> statOf(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return info;
}

std::optional<FileId> idOf(const std::optional<struct stat>& info) {
  if (!info) return {};
  return FileId{info->st_dev, info->st_ino};
}

/// An input and its path below the folder or root.
struct Found {
  std::string path, relative;
  std::optional<struct stat> info;
};

class FolderSearch {
public:
  FolderSearch(const InputRequest& request, std::vector<Found>& found)
      : request_(request), found_(found), output_(idOf(statOf(request.output))) {}

  Status run() { return visit(request_.from, ""); }

private:
  bool isExcluded(const std::string& relative) const {
    return std::any_of(request_.exclude.begin(), request_.exclude.end(),
                       [&](const std::string& glob) { return matchesGlob(glob, relative); });
  }

  Status visit(const std::string& folder, const std::string& relative) {
    const std::optional<FileId> id = idOf(statOf(folder));
    // A link to a folder above leads round in circles.
    if (!id || std::find(above_.begin(), above_.end(), *id) != above_.end()) return ok();
    if (id == output_) return ok(); // what an earlier run made
    above_.push_back(*id);
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      names.push_back(at->path().filename().string());
    if (error) return failure(fmt::format("{}: cannot list: {}", folder, error.message()));
    std::sort(names.begin(), names.end());
    for (const std::string& name : names)
      if (!name.starts_with('.'))
        if (Status s = visitEntry(folder, relative, name); !s) return s;
    above_.pop_back();
    return ok();
  }

  Status visitEntry(const std::string& folder, const std::string& relative,
                    const std::string& name) {
    const std::string path = folder.ends_with('/') ? folder + name : folder + "/" + name;
    const std::string below = relative.empty() ? name : relative + "/" + name;
    if (isExcluded(below)) return ok();
    const std::optional<struct stat> info = statOf(path);
    if (info && S_ISDIR(info->st_mode)) return visit(path, below);
    // A link that leads nowhere has a shader's name: its failure is to be seen.
    if (isShaderFile(name) && (!info || S_ISREG(info->st_mode)))
      found_.push_back({path, below, info});
    return ok();
  }

  const InputRequest& request_;
  std::vector<Found>& found_;
  std::optional<FileId> output_;
  std::vector<FileId> above_; ///< the folders that the current one lies in
};

Status readList(const InputRequest& request, std::vector<Found>& found) {
  const std::string name = request.from == "-" ? "<stdin>" : request.from;
  if (isShaderFile(name))
    return failure(fmt::format("{}: it is a shader, not a folder of them or a list of paths; "
                               "`lanewise opt` takes it",
                               name));
  Result<std::string> text = readFile(request.from);
  if (!text) return failure(fmt::format("{}: {}", name, text.error().message));
  keepFile(request.from);
  if (text->find('\0') != std::string::npos)
    return failure(fmt::format("{}: neither a folder nor a list of paths, one a line", name));
  std::error_code ignored;
  const fs::path root = fs::absolute(request.root.empty() ? "." : request.root, ignored);
  std::set<std::string> seen;
  std::string_view rest = withoutByteOrderMark(*text);
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#') || !seen.insert(std::string(line)).second) continue;
    const fs::path absolute = fs::absolute(line, ignored).lexically_normal();
    const fs::path below = absolute.lexically_relative(root.lexically_normal());
    if (below.empty() || below == "." || *below.begin() == "..")
      return failure(fmt::format("{}: '{}' is not inside {}; give --root=FOLDER, the folder that "
                                 "output paths are relative to",
                                 name, line, root.lexically_normal().string()));
    if (std::any_of(request.exclude.begin(), request.exclude.end(),
                    [&](const std::string& glob) { return matchesGlob(glob, below.string()); }))
      continue;
    found.push_back({std::string(line), below.string(), statOf(std::string(line))});
  }
  return ok();
}

/// "blur.comp" becomes "blur.comp.spv", so that blur.frag beside it gets another name.
std::string outputFor(const InputRequest& request, const std::string& relative) {
  fs::path name(relative);
  const std::string old = name.extension().string();
  if (old == ".spv" || old == ".spvasm") name.replace_extension();
  name += request.asText ? ".spvasm" : ".spv";
  return (fs::path(request.output) / name).string();
}

/// No output may be another's, another's folder, or an input.
Status checkOutputs(const std::vector<BatchInput>& inputs, const std::set<FileId>& read) {
  std::map<std::string, const BatchInput*> byOutput;
  for (const BatchInput& input : inputs) {
    auto [other, isNew] = byOutput.emplace(input.output, &input);
    if (!isNew)
      return failure(fmt::format("{} and {} would both be written to {}; leave one out (--exclude)",
                                 other->second->path, input.path, input.output));
  }
  fs::path last; // most outputs have the folder of the one before
  for (const BatchInput& input : inputs) {
    const fs::path own = fs::path(input.output).parent_path();
    for (fs::path folder = own; folder != last && folder.has_relative_path();
         folder = folder.parent_path())
      if (auto other = byOutput.find(folder.string()); other != byOutput.end())
        return failure(fmt::format("{} would be written to {}, which is a folder for {}",
                                   other->second->path, folder.string(), input.path));
    last = own;
    if (std::optional<FileId> id = idOf(statOf(input.output)); id && read.count(*id))
      return failure(fmt::format("{}: an input would be overwritten; give another folder to -o",
                                 input.output));
  }
  return ok();
}

} // namespace

Result<std::vector<BatchInput>> collectInputs(const InputRequest& request) {
  std::vector<Found> found;
  // The outputs would be inputs of the next run.
  if (isFolder(request.from) && isSameFile(request.from, request.output))
    return failure(
        fmt::format("{}: inputs are read from it; give another folder to -o", request.output));
  Status collected =
      isFolder(request.from) ? FolderSearch(request, found).run() : readList(request, found);
  if (!collected) return collected.error();
  if (found.empty())
    return failure(fmt::format(
        "{}: {}", request.from,
        isFolder(request.from)
            ? "no module and no shader in it (.spv, .spvasm, .comp, .frag, .glsl, .hlsl, ...)"
            : "the list is empty"));
  std::vector<BatchInput> inputs;
  std::set<FileId> read;
  for (Found& f : found) {
    inputs.push_back(
        {f.path, outputFor(request, f.relative), f.info ? uint64_t(f.info->st_size) : 0});
    if (const std::optional<FileId> id = idOf(f.info)) read.insert(*id);
  }
  std::sort(inputs.begin(), inputs.end(),
            [](const BatchInput& a, const BatchInput& b) { return a.output < b.output; });
  if (Status s = checkOutputs(inputs, read); !s) return s.error();
  return inputs;
}

} // namespace lanewise::driver
