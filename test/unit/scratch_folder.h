// A folder for one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace lanewise::driver {

class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lanewise-test.XXXXXX").string();
    if (const char* made = ::mkdtemp(name.data())) folder_ = made;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Its whole path.
  std::string write(const std::string& name, std::string_view contents) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

private:
  std::string folder_;
};

} // namespace lanewise::driver
