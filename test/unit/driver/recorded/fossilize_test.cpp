// Databases of Fossilize: what is taken from them, and that damage costs the entry and no more.
#include "recorded/fossilize.h"
#include "scratch_folder.h"
#include "support/files.h"
#include "support/sha256.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace lanewise::driver {
namespace {

const std::string kModuleHash = "00000000000000aa", kPipelineHash = "00000000000000bb";
/// No SPIR-V: nobody looks at it here. The words are of one to five bytes as varints.
const std::vector<uint32_t> kWords{0x07230203, 0, 127, 128, 1u << 21, 0xffffffff};

std::string word(uint32_t value) {
  return bytesOf(std::vector{value});
}

std::string head(char version = 6) {
  return std::string("\x81"
                     "FOSSILIZEDB\0\0\0",
                     15) +
         version;
}

std::string entry(int tag, const std::string& hash, const std::string& payload,
                  bool isDeflated = false) {
  std::string stored = payload;
  if (isDeflated) {
    uLongf size = compressBound(payload.size());
    stored.resize(size);
    compress(reinterpret_cast<Bytef*>(stored.data()), &size,
             reinterpret_cast<const Bytef*>(payload.data()), payload.size());
    stored.resize(size);
  }
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(stored.data()), uInt(stored.size()));
  return std::string(23, '0') + std::to_string(tag) + hash + word(uint32_t(stored.size())) +
         word(isDeflated ? 2 : 1) + word(uint32_t(crc)) + word(uint32_t(payload.size())) + stored;
}

std::string varint(const std::vector<uint32_t>& words) {
  std::string bytes;
  for (uint32_t rest : words) {
    for (; rest >= 0x80; rest >>= 7) bytes += char(0x80 | (rest & 0x7f));
    bytes += char(rest);
  }
  return bytes;
}

std::string moduleEntry(bool isDeflated = false) {
  const std::string code = varint(kWords);
  return entry(4, kModuleHash,
               R"({"version":6,"shaderModules":{"00000000000000aa":{"flags":0,"codeSize":24,)"
               R"("varintOffset":0,"varintSize":)" +
                   std::to_string(code.size()) + "}}}" + '\0' + code,
               isDeflated);
}

/// With `inStage` in the object of the stage.
std::string pipelineEntry(const std::string& hash, const std::string& inStage = "",
                          bool isDeflated = false) {
  return entry(7, hash,
               R"({"version":6,"computePipelines":{")" + hash +
                   R"(":{"flags":0,"stage":{"stage":32,"module":"00000000000000aa","name":"main")" +
                   inStage + "}}}}",
               isDeflated);
}

class Fossilize : public testing::Test {
protected:
  /// Of databases with these contents.
  FossilizePipelines read(const std::vector<std::string>& databases) {
    std::vector<std::string> paths;
    for (const std::string& database : databases)
      paths.push_back(folder_.write(std::to_string(paths.size()) + ".foz", database));
    modules_.clear();
    Result<FossilizePipelines> all =
        readFossilize(paths, [this](const std::string& hash, const std::string& m) {
          modules_.emplace(hash, m);
        });
    EXPECT_TRUE(all) << all.error().message;
    return all ? *all : FossilizePipelines();
  }
  std::string errorOf(const std::string& contents) {
    const std::string path = folder_.write("bad.foz", contents);
    const Result<FossilizePipelines> all = readFossilize({&path, 1});
    return all ? "" : all.error().message;
  }
  ScratchFolder folder_;
  std::map<std::string, std::string> modules_;
};

TEST_F(Fossilize, HasModulesAndWhatPipelinesAreMadeOf) {
  for (const bool isDeflated : {false, true}) {
    const FossilizePipelines all =
        read({head() + entry(0, kModuleHash, "{}") +
              pipelineEntry(
                  kPipelineHash,
                  R"(,"specializationInfo":{"dataSize":13,"data":"QAAAAAEAAAAAAADwPw==",)"
                  R"("mapEntries":[{"offset":0,"size":4,"constantID":3},)"
                  R"({"offset":4,"size":1,"constantID":5},{"offset":5,"size":8,"constantID":7},)"
                  R"({"offset":9,"size":8,"constantID":9}]},)"
                  R"("pNext":[{"sType":1,"x":0},{"sType":1000225001,"requiredSubgroupSize":16}])",
                  isDeflated) +
              moduleEntry(isDeflated)});
    EXPECT_EQ(all.notes, std::vector<std::string>());
    ASSERT_EQ(all.pipelines.size(), 1u);
    const RecordedPipeline& pipeline = all.pipelines.front();
    EXPECT_EQ(pipeline.module, hexOf(sha256(bytesOf(kWords))));
    EXPECT_EQ(pipeline.entry, "main");
    EXPECT_EQ(pipeline.name, kPipelineHash);
    EXPECT_EQ(pipeline.subgroupSize, 16u);
    // A value outside of the data is none.
    const std::map<uint32_t, uint64_t> constants{{3, 64}, {5, 1}, {7, 0x3ff0000000000000}};
    EXPECT_EQ(pipeline.constants, constants);
    EXPECT_EQ(modules_, (std::map<std::string, std::string>{{pipeline.module, bytesOf(kWords)}}));
  }
}

TEST_F(Fossilize, OlderModulesAreBase64) {
  const std::string module = R"({"version":5,"shaderModules":{"00000000000000aa":)"
                             R"({"flags":0,"codeSize":8,"code":"AwIjBwEAAAA="}}})";
  const FossilizePipelines all =
      read({head(5) + entry(4, kModuleHash, module) + pipelineEntry(kPipelineHash)});
  ASSERT_EQ(all.pipelines.size(), 1u);
  EXPECT_EQ(modules_.begin()->second, bytesOf(std::vector<uint32_t>{0x07230203, 1}));
}

TEST_F(Fossilize, PipelinesOfTheSameAreOne) {
  const std::string other = R"(,"specializationInfo":{"dataSize":1,"data":"AQ==",)"
                            R"("mapEntries":[{"offset":0,"size":1,"constantID":0}]})";
  const FossilizePipelines all =
      read({head() + moduleEntry() + pipelineEntry("00000000000000b1") +
            pipelineEntry("00000000000000b0") + pipelineEntry("00000000000000b2", other)});
  ASSERT_EQ(all.pipelines.size(), 2u);
  EXPECT_EQ(all.pipelines[0].name, "00000000000000b0");
  EXPECT_EQ(all.pipelines[1].name, "00000000000000b2");
}

TEST_F(Fossilize, ModulesMayBeInAnotherDatabase) {
  EXPECT_EQ(read({head() + pipelineEntry(kPipelineHash), head() + moduleEntry()}).pipelines.size(),
            1u);
  const FossilizePipelines alone = read({head() + pipelineEntry(kPipelineHash)});
  EXPECT_TRUE(alone.pipelines.empty());
  ASSERT_EQ(alone.notes.size(), 1u);
  EXPECT_NE(alone.notes[0].find("compute pipelines without a module that is there: 1"),
            std::string::npos);
}

TEST_F(Fossilize, DamageCostsTheEntry) {
  std::string module = moduleEntry();
  module.back() ^= 1;
  FossilizePipelines all = read({head() + module + pipelineEntry(kPipelineHash)});
  EXPECT_TRUE(all.pipelines.empty());
  EXPECT_NE(all.notes.at(0).find("module 00000000000000aa is damaged"), std::string::npos);
  std::string pipeline = pipelineEntry("00000000000000b0");
  pipeline.back() ^= 1;
  all = read({head() + pipeline + moduleEntry() + pipelineEntry("00000000000000b1")});
  EXPECT_EQ(all.pipelines.size(), 1u);
  EXPECT_NE(all.notes.at(0).find("compute pipeline 00000000000000b0 is damaged"),
            std::string::npos);
  // A process that was killed leaves half an entry.
  all = read({head() + moduleEntry() + pipelineEntry("00000000000000b0") +
              pipelineEntry("00000000000000b1").substr(0, 80)});
  EXPECT_EQ(all.pipelines.size(), 1u);
  EXPECT_NE(all.notes.at(0).find("it ends within an entry"), std::string::npos);
}

TEST_F(Fossilize, OtherFilesAreErrors) {
  EXPECT_NE(errorOf("[[pipeline]]").find("it is no Fossilize database"), std::string::npos);
  EXPECT_NE(errorOf("").find("it is no Fossilize database"), std::string::npos);
  EXPECT_NE(errorOf(head(7)).find("a Fossilize database of version 7; 5 to 6 are understood"),
            std::string::npos);
  const std::string missing = folder_.path("missing.foz");
  EXPECT_NE(readFossilize({&missing, 1}).error().message.find("No such file"), std::string::npos);
}

/// Whatever a byte says, there is an end, and memory goes by the size of the file.
TEST_F(Fossilize, AnyByteMayBeWrong) {
  const std::string whole = head() + moduleEntry() + pipelineEntry(kPipelineHash);
  for (size_t at = 16; at < whole.size(); ++at)
    for (const unsigned value : {at % 2 == 0 ? 0x00u : 0xffu, 0x7fu}) {
      std::string changed = whole;
      // Without the checksums, which would end it early.
      const size_t second = 16 + moduleEntry().size();
      for (const size_t start : {size_t(16), second}) changed.replace(start + 48, 4, word(0));
      changed[at] = char(value);
      EXPECT_LE(read({changed}).pipelines.size(), 1u);
    }
  for (size_t size = 16; size < whole.size(); ++size)
    EXPECT_TRUE(read({whole.substr(0, size)}).pipelines.empty());
}

} // namespace
} // namespace lanewise::driver
