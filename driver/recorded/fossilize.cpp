#include "recorded/fossilize.h"

#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <zlib.h>

namespace lanewise::driver {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic("\x81"
                                  "FOSSILIZEDB\0\0\0",
                                  15);
constexpr unsigned kOldestVersion = 5, kNewestVersion = 6;
/// "0000000000000000" and the tag and the hash, 16 hexadecimal digits each but for the first 8.
constexpr size_t kNameSize = 40, kHashDigits = 16;
constexpr size_t kSizesSize = 16; ///< four numbers of 32 bits, little-endian
constexpr std::string_view kShaderModule = "0000000000000004",
                           kComputePipeline = "0000000000000007";
enum : uint32_t { kStored = 1, kDeflated = 2 };
/// No deflated byte stands for more than so many.
constexpr uint64_t kMostInflation = 1032;

struct Entry {
  size_t file; ///< in the list of files
  uint64_t offset;
  uint32_t storedSize, format, crc, size;
};

/// An open database.
struct File {
  std::string path;
  std::ifstream stream;
};

uint32_t wordAt(const char* bytes) {
  uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// What an entry holds, as it was before it was stored; nothing where it is damaged.
std::optional<std::string> payloadOf(File& file, const Entry& entry) {
  std::string stored(entry.storedSize, '\0');
  file.stream.clear();
  file.stream.seekg(std::streamoff(entry.offset));
  if (!file.stream.read(stored.data(), std::streamsize(stored.size()))) return {};
  const auto* bytes = reinterpret_cast<const Bytef*>(stored.data());
  if (entry.crc != 0 && crc32(0, bytes, entry.storedSize) != entry.crc) return {};
  if (entry.format == kStored)
    return entry.size == entry.storedSize ? std::optional(stored) : std::nullopt;
  if (entry.format != kDeflated || entry.size > entry.storedSize * kMostInflation) return {};
  std::string payload(entry.size, '\0');
  uLongf size = entry.size;
  const int result =
      uncompress(reinterpret_cast<Bytef*>(payload.data()), &size, bytes, entry.storedSize);
  return result == Z_OK && size == entry.size ? std::optional(payload) : std::nullopt;
}

/// RFC 4648, section 4; nothing where it is none.
std::optional<std::string> fromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | uint32_t(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += char(bits >> count & 0xff);
  }
  return bytes;
}

/// Words of 7 bits a byte, the lowest first; all but a word's last byte have the highest bit.
std::optional<std::string> fromVarint(std::string_view bytes, size_t count) {
  if (count > bytes.size()) return {};
  std::vector<uint32_t> words(count);
  size_t at = 0;
  for (uint32_t& word : words) {
    for (unsigned shift = 0;; shift += 7) {
      if (at == bytes.size() || shift >= 32) return {};
      const auto byte = uint8_t(bytes[at++]);
      word |= uint32_t(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
  }
  return at == bytes.size() ? std::optional(bytesOf(words)) : std::nullopt;
}

/// An object of the payload, and the bytes behind it. Json::exception where it is not as it should
/// be.
struct Payload {
  Json json;
  std::string_view binary;

  explicit Payload(const std::string& text) {
    const size_t end = std::min(text.find('\0'), text.size());
    json = Json::parse(text.begin(), text.begin() + ptrdiff_t(end));
    if (end < text.size()) binary = std::string_view(text).substr(end + 1);
  }
};

/// SPIR-V of a module's entry.
std::optional<std::string> moduleOf(const std::string& text, const std::string& hash) try {
  const Payload payload(text);
  const Json& module = payload.json.at("shaderModules").at(hash);
  const size_t size = module.at("codeSize").get<size_t>();
  std::optional<std::string> code;
  if (module.contains("varintOffset")) {
    const size_t offset = module.at("varintOffset").get<size_t>();
    if (offset > payload.binary.size()) return {};
    code = fromVarint(payload.binary.substr(offset, module.at("varintSize").get<size_t>()),
                      size / sizeof(uint32_t));
  } else {
    code = fromBase64(module.at("code").get<std::string>());
  }
  return code && code->size() == size ? code : std::nullopt;
} catch (const Json::exception&) {
  return {};
}

void readConstants(const Json& info, std::map<uint32_t, uint64_t>& constants) {
  const std::string data = fromBase64(info.at("data").get<std::string>()).value_or("");
  for (const Json& entry : info.value("mapEntries", Json::array())) {
    const size_t offset = entry.at("offset").get<size_t>(), size = entry.at("size").get<size_t>();
    uint64_t bits = 0;
    if (size > sizeof bits || offset > data.size() || size > data.size() - offset) continue;
    std::memcpy(&bits, data.data() + offset, size);
    constants[entry.at("constantID").get<uint32_t>()] = bits;
  }
}

/// A compute pipeline's entry, `module` being the hash that the database gives its module.
std::optional<RecordedPipeline> pipelineOf(const std::string& text, const std::string& hash) try {
  constexpr uint32_t kRequiredSubgroupSize = 1000225001; // VkStructureType
  const Payload payload(text);
  const Json& stage = payload.json.at("computePipelines").at(hash).at("stage");
  RecordedPipeline pipeline;
  pipeline.module = stage.at("module").get<std::string>();
  pipeline.entry = stage.at("name").get<std::string>();
  pipeline.name = hash;
  if (stage.contains("specializationInfo"))
    readConstants(stage.at("specializationInfo"), pipeline.constants);
  for (const Json& next : stage.value("pNext", Json::array()))
    if (next.at("sType").get<uint32_t>() == kRequiredSubgroupSize)
      pipeline.subgroupSize = next.at("requiredSubgroupSize").get<uint32_t>();
  return pipeline;
} catch (const Json::exception&) {
  return {};
}

class DatabaseReader {
public:
  explicit DatabaseReader(const TakeModule& takeModule) : takeModule_(takeModule) {}

  /// Notes where its entries are; the same entry of an earlier file is the one to take.
  Status open(const std::string& path) {
    File& file = files_.emplace_back(File{path, std::ifstream(path, std::ios::binary)});
    if (!file.stream) return failure(fmt::format("{}: {}", path, std::strerror(errno)));
    std::array<char, kMagic.size() + 1> head{};
    if (!file.stream.read(head.data(), head.size()) ||
        std::string_view(head.data(), kMagic.size()) != kMagic)
      return failure(fmt::format("{}: it is no Fossilize database", path));
    const auto version = unsigned(uint8_t(head.back()));
    if (version < kOldestVersion || version > kNewestVersion)
      return failure(fmt::format("{}: a Fossilize database of version {}; {} to {} are understood",
                                 path, version, kOldestVersion, kNewestVersion));
    std::error_code failed;
    const uint64_t size = std::filesystem::file_size(path, failed);
    if (failed) return failure(fmt::format("{}: {}", path, failed.message()));
    for (uint64_t at = head.size(); at < size;) {
      std::array<char, kNameSize + kSizesSize> header{};
      const bool isWhole = size - at >= header.size() && file.stream.seekg(std::streamoff(at)) &&
                           file.stream.read(header.data(), header.size());
      const char* sizes = header.data() + kNameSize;
      const Entry entry{files_.size() - 1, at + header.size(), wordAt(sizes),
                        wordAt(sizes + 4), wordAt(sizes + 8),  wordAt(sizes + 12)};
      if (!isWhole || size - entry.offset < entry.storedSize) {
        notes_.push_back(fmt::format("{}: it ends within an entry, which is left out", path));
        break;
      }
      const std::string_view name(header.data(), kNameSize);
      const std::string_view tag = name.substr(kNameSize - 2 * kHashDigits, kHashDigits);
      const std::string hash(name.substr(kNameSize - kHashDigits));
      if (tag == kShaderModule) modules_.emplace(hash, entry);
      if (tag == kComputePipeline) pipelines_.emplace(hash, entry);
      at = entry.offset + entry.storedSize;
    }
    return ok();
  }

  FossilizePipelines read() {
    FossilizePipelines all;
    std::set<std::tuple<std::string, std::string, std::map<uint32_t, uint64_t>, uint32_t>> seen;
    for (const auto& [hash, entry] : pipelines_) {
      const std::optional<std::string> payload = payloadOf(files_[entry.file], entry);
      std::optional<RecordedPipeline> pipeline;
      if (payload) pipeline = pipelineOf(*payload, hash);
      if (!pipeline) {
        noteDamaged("compute pipeline", hash, entry);
        continue;
      }
      const std::string module = sha256OfModule(pipeline->module);
      if (module.empty()) continue;
      pipeline->module = module;
      if (seen.emplace(module, pipeline->entry, pipeline->constants, pipeline->subgroupSize).second)
        all.pipelines.push_back(std::move(*pipeline));
    }
    if (missing_ != 0)
      notes_.push_back(fmt::format("{}: compute pipelines without a module that is there: {}",
                                   files_.front().path, missing_));
    all.notes = std::move(notes_);
    return all;
  }

private:
  void noteDamaged(std::string_view what, const std::string& hash, const Entry& entry) {
    notes_.push_back(
        fmt::format("{}: {} {} is damaged, and left out", files_[entry.file].path, what, hash));
  }

  /// Of the module that the databases know by `hash`; "" where they do not have it.
  const std::string& sha256OfModule(const std::string& hash) {
    const auto [known, isNew] = hashes_.try_emplace(hash);
    std::string& sha = known->second;
    const auto entry = modules_.find(hash);
    if (isNew && entry != modules_.end()) {
      const std::optional<std::string> payload =
          payloadOf(files_[entry->second.file], entry->second);
      std::optional<std::string> module;
      if (payload) module = moduleOf(*payload, hash);
      if (module) {
        sha = hexOf(sha256(*module));
        if (takeModule_) takeModule_(sha, std::move(*module));
      } else {
        noteDamaged("module", hash, entry->second);
      }
    }
    if (sha.empty()) ++missing_;
    return sha;
  }

  const TakeModule& takeModule_;
  std::vector<File> files_;
  std::map<std::string, Entry> modules_, pipelines_; ///< by their hashes
  std::map<std::string, std::string> hashes_;        ///< SHA-256 of modules by their hashes
  std::vector<std::string> notes_;
  size_t missing_ = 0; ///< pipelines whose modules are not there
};

} // namespace

bool isFossilize(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMagic.size()> head{};
  return file.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

Result<FossilizePipelines> readFossilize(std::span<const std::string> paths,
                                         const TakeModule& takeModule) {
  DatabaseReader reader(takeModule);
  for (const std::string& path : paths)
    if (Status opened = reader.open(path); !opened) return opened.error();
  return reader.read();
}

} // namespace lanewise::driver
