#include "batch/cache/build_identity.h"

#include "batch/cache/result_cache.h"
#include "report/version.h"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <optional>
#include <string_view>

namespace lanewise::driver {

namespace {

/// The GNU build id among the notes of one segment.
std::optional<std::string_view> buildIdIn(std::string_view notes) {
  constexpr size_t kAlign = 4;
  auto aligned = [](size_t size) { return (size + kAlign - 1) / kAlign * kAlign; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const size_t nameSize = aligned(header.n_namesz), idSize = aligned(header.n_descsz);
    if (nameSize + idSize > notes.size()) return {};
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4))
      return notes.substr(nameSize, header.n_descsz);
    notes.remove_prefix(nameSize + idSize);
  }
  return {};
}

int addObject(dl_phdr_info* info, size_t, void* into) {
  std::string& identity = *static_cast<std::string*>(into);
  std::string path = info->dlpi_name ? info->dlpi_name : "";
  // The kernel's own object has no file, and no part in what becomes of a shader.
  if (path.starts_with("linux-")) return 0;
  if (path.empty()) path = "/proc/self/exe";
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    if (std::optional<std::string_view> id = buildIdIn({at, segment.p_memsz})) {
      identity += "build id ";
      identity += *id;
      identity += '\n';
      return 0;
    }
  }
  identity += "file " + digestOfFile(path) + '\n';
  return 0;
}

} // namespace

std::string buildIdentity() {
  std::string identity = versionText();
  ::dl_iterate_phdr(addObject, &identity);
  return identity;
}

} // namespace lanewise::driver
