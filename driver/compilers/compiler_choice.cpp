#include "compilers/compiler_choice.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/suggest.h"
#include "verify/device/device_host.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// Variables by which people change what RADV makes of a shader.
constexpr const char* kDriverVariables[] = {"RADV_DEBUG", "RADV_PERFTEST", "ACO_DEBUG"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> splitAt(std::string_view text, char separator) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

/// Where the Vulkan loader looks for drivers, in its order ("Driver Discovery on Linux" in the
/// loader's documentation).
std::vector<fs::path> manifestPlaces() {
  std::vector<fs::path> places;
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"})
    for (const std::string& path : splitAt(variable(name), ':')) places.emplace_back(path);
  const std::string home = variable("HOME");
  std::vector<fs::path> roots;
  const std::string config = variable("XDG_CONFIG_HOME");
  roots.push_back(config.empty() ? fs::path(home) / ".config" : fs::path(config));
  for (const std::string& root : splitAt(variable("XDG_CONFIG_DIRS"), ':')) roots.push_back(root);
  roots.insert(roots.end(), {"/etc/xdg", "/usr/local/etc", "/etc"});
  const std::string data = variable("XDG_DATA_HOME");
  roots.push_back(data.empty() ? fs::path(home) / ".local/share" : fs::path(data));
  for (const std::string& root : splitAt(variable("XDG_DATA_DIRS"), ':')) roots.push_back(root);
  roots.insert(roots.end(), {"/usr/local/share", "/usr/share"});
  for (const fs::path& root : roots) places.push_back(root / "vulkan/icd.d");
  return places;
}

bool isOfRadv(const fs::path& manifest) {
  return manifest.extension() == ".json" &&
         manifest.filename().string().find("radeon") != std::string::npos;
}

std::string findManifest() {
  std::error_code ignored;
  for (const fs::path& place : manifestPlaces()) {
    if (isOfRadv(place) && fs::is_regular_file(place, ignored)) return place.string();
    std::vector<std::string> found;
    for (fs::directory_iterator entry(place, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
      if (isOfRadv(entry->path())) found.push_back(entry->path().string());
        // Of those for several architectures this one's.
#if defined(__x86_64__)
    constexpr std::string_view kOther = "i686";
#else
    constexpr std::string_view kOther = "x86_64";
#endif
    std::sort(found.begin(), found.end());
    for (const std::string& path : found)
      if (fs::path(path).filename().string().find(kOther) == std::string::npos) return path;
  }
  return {};
}

/// What the file system says of a library; a name without a folder is looked for where the dynamic
/// linker does.
std::string identityOfLibrary(const std::string& library, const std::string& manifest) {
  std::vector<fs::path> tried;
  if (library.find('/') != std::string::npos) {
    tried.push_back(fs::path(manifest).parent_path() / library); // an absolute one stays absolute
  } else {
    std::vector<std::string> folders = splitAt(variable("LD_LIBRARY_PATH"), ':');
    folders.insert(folders.end(), {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                   "/usr/lib64", "/usr/lib", "/usr/local/lib"});
    for (const std::string& folder : folders) tried.push_back(fs::path(folder) / library);
  }
  struct stat info {};
  for (const fs::path& path : tried)
    if (::stat(path.c_str(), &info) == 0)
      return fmt::format("{} {} {}.{:09}", path.string(), info.st_size, info.st_mtim.tv_sec,
                         info.st_mtim.tv_nsec);
  return library;
}

constexpr const char* kHowToInstall =
    "AMD's compiler is not installed: it is Mesa's RADV (mesa-vulkan-drivers)";

void add(std::vector<CompilerChoice>& choices, CompilerChoice choice) {
  for (CompilerChoice& known : choices)
    if (known.name == choice.name) {
      known.isAsked |= choice.isAsked;
      return;
    }
  choices.push_back(std::move(choice));
}

void addFamilies(std::vector<CompilerChoice>& choices, bool wantsAll) {
  for (const AmdFamily& family : amdFamilies())
    if (wantsAll || family.isDefault) add(choices, {std::string(family.name), &family, 0, false});
}

/// Those at hand; a machine without any has none, which is no error here.
std::vector<DeviceInfo> devicesAtHand() {
  Result<std::vector<DeviceInfo>> devices = listDevices();
  return devices ? *devices : std::vector<DeviceInfo>();
}

Error unknownCompiler(const std::string& name) {
  std::vector<std::string> known = {std::string(kDefaultCompilers), "all", "cpu"};
  for (const AmdFamily& family : amdFamilies()) known.emplace_back(family.name);
  return failure(fmt::format("no compiler is named '{}'{}", name,
                             didYouMean(name, known,
                                        "name one of AMD's GPUs, such as navi21, an index from "
                                        "`lanewise devices`, or all")));
}

bool namesDevice(const std::string& name) {
  return name == "cpu" ||
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Status addNamed(std::vector<CompilerChoice>& choices, const std::string& name) {
  if (name == kDefaultCompilers) {
    addFamilies(choices, false);
    return ok();
  }
  if (name == "all") {
    addFamilies(choices, true);
    for (const DeviceInfo& device : devicesAtHand())
      if (!device.onlyCompiles)
        add(choices, {std::to_string(device.index), nullptr, device.index, false});
    return ok();
  }
  if (const AmdFamily* family = findAmdFamily(name)) {
    add(choices, {std::string(family->name), family, 0, true});
    return ok();
  }
  if (!namesDevice(name)) return unknownCompiler(name);
  const std::vector<DeviceInfo> devices = devicesAtHand();
  Result<uint32_t> device = chooseDevice(devices, name);
  if (!device) return device.error();
  add(choices, {std::to_string(*device), nullptr, *device, true});
  return ok();
}

} // namespace

Result<NullDriver> findNullDriver() {
  NullDriver driver;
  driver.manifest = findManifest();
  if (driver.manifest.empty()) return failure(kHowToInstall);
  Result<std::string> text = readRegularFile(driver.manifest);
  if (!text) return text.error();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_object() && json.contains("ICD") && json["ICD"].is_object())
    driver.library = json["ICD"].value("library_path", std::string());
  if (driver.library.empty())
    return failure(fmt::format("{}: names no library_path", driver.manifest));
  driver.identity = identityOfLibrary(driver.library, driver.manifest);
  return driver;
}

Result<std::vector<CompilerChoice>> chooseCompilers(const std::string& on) {
  std::vector<CompilerChoice> choices;
  for (const std::string& name : splitAt(on, ','))
    if (Status s = addNamed(choices, name); !s) return s.error();
  if (choices.empty()) return failure("no compiler is named");
  return choices;
}

bool areCompilerNames(const std::string& on) {
  const std::vector<std::string> names = splitAt(on, ',');
  return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
    return name == kDefaultCompilers || name == "all" || findAmdFamily(name) || namesDevice(name);
  });
}

Result<std::string> identityOf(const std::vector<CompilerChoice>& choices) {
  std::string text;
  bool hasFamily = false, hasDevice = false;
  for (const CompilerChoice& choice : choices) {
    text += choice.name + '\n';
    (choice.family ? hasFamily : hasDevice) = true;
  }
  if (hasFamily) {
    Result<NullDriver> driver = findNullDriver();
    if (!driver) return driver.error();
    text += driver->identity + '\n';
  }
  if (hasDevice) {
    const std::vector<DeviceInfo> devices = devicesAtHand();
    for (const CompilerChoice& choice : choices)
      if (!choice.family && choice.device < devices.size())
        text += devices[choice.device].name + '\n' + devices[choice.device].driver + '\n';
  }
  for (const char* name : kDriverVariables) text += variable(name) + '\n';
  return text;
}

CompilerEnvironment::CompilerEnvironment(const NullDriver& driver, std::string_view driverName) {
  const std::string family(driverName), manifest = driver.manifest, yes = "true";
  // What other variables say of drivers and layers is for devices that run something.
  for (const char* name :
       {"VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE",
        "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"})
    set(name, nullptr);
  const std::string implicitLayers = "~implicit~";
  set("VK_LOADER_LAYERS_DISABLE", &implicitLayers);
  set("VK_DRIVER_FILES", &manifest);
  set("VK_ICD_FILENAMES", &manifest); // loaders before 1.3.207
  set("RADV_FORCE_FAMILY", &family);
  // Every figure is kept by whoever wants it: nothing is gained by another cache.
  set("MESA_SHADER_CACHE_DISABLE", &yes);
  set("MESA_VK_IGNORE_CONFORMANCE_WARNING", &yes); // nothing runs there
}

CompilerEnvironment::~CompilerEnvironment() {
  for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  for (const std::string& name : absent_) ::unsetenv(name.c_str());
}

void CompilerEnvironment::set(const char* name, const std::string* value) {
  if (const char* before = std::getenv(name))
    before_.emplace_back(name, before);
  else
    absent_.emplace_back(name);
  if (value)
    ::setenv(name, value->c_str(), 1);
  else
    ::unsetenv(name);
}

} // namespace lanewise::driver
