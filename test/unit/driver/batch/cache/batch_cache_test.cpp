// Every ingredient of a cached result's key counts, and nothing that is not exactly what was stored
// comes back.
#include "batch/cache/build_identity.h"
#include "batch/cache/result_cache.h"
#include "batch/cache/store.h"
#include "options/option_groups.h"
#include "report/version.h"
#include "scratch_folder.h"
#include "support/files.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace lanewise::driver {
namespace {

/// Keeps bytes in memory that outlives it, as a server does.
class MemoryStore : public Store {
public:
  using Entries = std::map<std::string, std::string>;
  explicit MemoryStore(Entries& entries) : entries_(entries) {}
  std::optional<std::string> get(const Digest& key) override {
    auto found = entries_.find(hexOf(key));
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const Digest& key, std::string_view bytes) override {
    entries_[hexOf(key)] = std::string(bytes);
  }

private:
  Entries& entries_;
};

RunKey someRun() {
  return {
      "lanewise 1", {"--robust", "true", "pass", "--pad-shared-memory"}, {{"t.toml", ""}}, "GPU 1"};
}

Product someProduct() {
  return {std::string("\x03\x02\0\x07", 4),
          {"a.h", "b.h"},
          "err",
          "out",
          "remark",
          "{}",
          "page",
          2,
          true};
}

bool isSame(const Product& a, const Product& b) {
  return a.module == b.module && a.dependencies == b.dependencies &&
         a.standardError == b.standardError && a.standardOutput == b.standardOutput &&
         a.remarks == b.remarks && a.facts == b.facts && a.page == b.page &&
         a.exitCode == b.exitCode && a.isChanged == b.isChanged;
}

class BatchCache : public testing::Test {
protected:
  ResultCache cache(RunKey run = someRun()) {
    return {std::make_unique<MemoryStore>(entries_), std::move(run)};
  }
  MemoryStore::Entries entries_;
  ScratchFolder folder_;
};

TEST_F(BatchCache, GivesBackWhatWasKept) {
  cache().keep("a.spv", "words", {}, someProduct());
  std::optional<Product> found = cache().find("a.spv", "words");
  ASSERT_TRUE(found);
  EXPECT_TRUE(isSame(*found, someProduct()));
}

TEST_F(BatchCache, EveryIngredientOfTheRunCounts) {
  cache().keep("a.spv", "words", {}, someProduct());
  const std::vector<std::function<void(RunKey&)>> changes = {
      [](RunKey& k) { k.program += "x"; },
      [](RunKey& k) { k.flags.push_back("--strict"); },
      [](RunKey& k) { k.flags.pop_back(); },
      [](RunKey& k) { k.flags[0] = "--skip"; },
      [](RunKey& k) { std::swap(k.flags[0], k.flags[1]); },
      [](RunKey& k) { k.files[0].path = "u.toml"; },
      [](RunKey& k) {
        k.files.push_back({"v.bin", ""});
      },
      [](RunKey& k) { k.files.clear(); },
      [](RunKey& k) { k.device = "GPU 2"; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    RunKey other = someRun();
    changes[i](other);
    EXPECT_FALSE(cache(other).find("a.spv", "words")) << "change " << i;
  }
  RunKey withFile = someRun();
  withFile.files[0].digest = "12";
  EXPECT_NE(digestOf(withFile), digestOf(someRun()));
}

TEST_F(BatchCache, NameAndContentsOfTheInputCount) {
  cache().keep("a.spv", "words", {}, someProduct());
  EXPECT_FALSE(cache().find("b.spv", "words"));
  EXPECT_FALSE(cache().find("a.spv", "wordt"));
  EXPECT_FALSE(cache().find("a.spvw", "ords"));
}

TEST_F(BatchCache, IncludedFilesCount) {
  const std::string header = folder_.write("a.h", "one");
  const std::vector<FileProbe> probes{{folder_.path("before.h"), ""},
                                      {header, digestOfFile(header)}};
  cache().keep("a.comp", "text", probes, someProduct());
  EXPECT_TRUE(cache().find("a.comp", "text"));
  folder_.write("a.h", "two");
  EXPECT_FALSE(cache().find("a.comp", "text"));
  folder_.write("a.h", "one");
  EXPECT_TRUE(cache().find("a.comp", "text"));
  // One that the compiler would find first.
  folder_.write("before.h", "");
  EXPECT_FALSE(cache().find("a.comp", "text"));
  std::filesystem::remove(folder_.path("before.h"));
  std::filesystem::remove(header);
  EXPECT_FALSE(cache().find("a.comp", "text"));
}

TEST_F(BatchCache, ResultsForSeveralStatesOfAnIncludeLieBesideEachOther) {
  const std::string header = folder_.path("a.h");
  for (int state = 0; state < 3; ++state) {
    folder_.write("a.h", std::to_string(state));
    Product product = someProduct();
    product.remarks = std::to_string(state);
    cache().keep("a.comp", "text", std::vector<FileProbe>{{header, digestOfFile(header)}}, product);
  }
  for (int state = 0; state < 3; ++state) {
    folder_.write("a.h", std::to_string(state));
    std::optional<Product> found = cache().find("a.comp", "text");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->remarks, std::to_string(state));
  }
}

TEST_F(BatchCache, NothingIsKeptOfFilesThatChangeMeanwhile) {
  const std::string header = folder_.write("a.h", "one");
  const std::vector<FileProbe> probes{{header, digestOfFile(header)}};
  folder_.write("a.h", "two");
  cache().keep("a.comp", "text", probes, someProduct());
  EXPECT_TRUE(entries_.empty());
  // The same for files of the run, such as the scenario.
  RunKey run = someRun();
  run.files = {{header, digestOfFile(header)}};
  ResultCache open = cache(run);
  folder_.write("a.h", "three");
  open.keep("a.comp", "text", {}, someProduct());
  EXPECT_TRUE(entries_.empty());
}

TEST_F(BatchCache, AnyDamageIsAMiss) {
  const std::vector<FileProbe> probes{{folder_.path("absent.h"), ""}};
  cache().keep("a.spv", "words", probes, someProduct());
  const MemoryStore::Entries whole = entries_;
  ASSERT_EQ(whole.size(), 2u);
  for (const auto& [key, bytes] : whole) {
    for (size_t i = 0; i < bytes.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        entries_[key][i] = char(bytes[i] ^ 1 << bit);
        EXPECT_FALSE(cache().find("a.spv", "words")) << i << ' ' << bit;
        entries_[key] = bytes;
      }
    for (size_t size = 0; size < bytes.size(); ++size) {
      entries_[key] = bytes.substr(0, size);
      EXPECT_FALSE(cache().find("a.spv", "words")) << size;
    }
    entries_[key] = bytes + "x";
    EXPECT_FALSE(cache().find("a.spv", "words"));
    entries_[key] = bytes;
  }
  EXPECT_TRUE(cache().find("a.spv", "words"));
}

TEST_F(BatchCache, AnEntryOfAnotherKeyIsAMiss) {
  cache().keep("a.spv", "words", {}, someProduct());
  const MemoryStore::Entries ofA = std::exchange(entries_, {});
  Product other = someProduct();
  other.module = "other";
  cache().keep("b.spv", "words", {}, other);
  // b's entries under a's names.
  MemoryStore::Entries mixed;
  for (const auto& [key, ignored] : ofA)
    for (const auto& [ignoredKey, bytes] : entries_) mixed.emplace(key, bytes);
  entries_ = mixed;
  EXPECT_FALSE(cache().find("a.spv", "words"));
}

TEST_F(BatchCache, FoldersKeepEntriesAndPruneTheOldest) {
  const std::string folder = folder_.path("cache");
  std::unique_ptr<Store> store = openFolderStore(folder);
  const Digest first = sha256("1"), second = sha256("2");
  EXPECT_FALSE(store->get(first));
  store->put(first, std::string(1000, 'a'));
  store->put(second, std::string(1000, 'b'));
  EXPECT_EQ(store->get(first), std::string(1000, 'a'));
  EXPECT_EQ(store->trouble(), "");
  // Other files are none of ours.
  folder_.write("cache/note.txt", std::string(50000, 'x'));
  namespace fs = std::filesystem;
  auto entries = [&] {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      count += entry.is_regular_file() && entry.path().extension() != ".txt";
    return count;
  };
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(store->get(first)); // is used last
  pruneFolderStore(folder, 2 * 4096);
  EXPECT_EQ(entries(), 2u);
  pruneFolderStore(folder, 2 * 4096 - 1);
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(store->get(first));
  EXPECT_TRUE(fs::exists(folder + "/note.txt"));
}

TEST_F(BatchCache, AFolderThatCannotBeWrittenSaysSoOnce) {
  const std::string file = folder_.write("file", "");
  std::unique_ptr<Store> store = openFolderStore(file + "/below");
  store->put(sha256("1"), "x");
  EXPECT_NE(store->trouble(), "");
  EXPECT_FALSE(store->get(sha256("1")));
}

TEST_F(BatchCache, TheProgramsBuildIsPartOfItsIdentity) {
  const std::string identity = buildIdentity();
  EXPECT_EQ(identity.find(versionText()), 0u);
  EXPECT_EQ(identity, buildIdentity());
  // The program and at least the C++ library.
  size_t objects = 0;
  for (size_t at = versionText().size(); at < identity.size(); ++at)
    objects += identity.compare(at, 9, "build id ") == 0 || identity.compare(at, 5, "file ") == 0;
  EXPECT_GE(objects, 2u);
}

TEST(RedisAddress, IsReadFromAUrl) {
  Result<RedisAddress> a = parseRedisAddress("redis://host");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->host, "host");
  EXPECT_EQ(a->port, 6379);
  EXPECT_EQ(a->database, 0);
  a = parseRedisAddress("redis://me:p%40ss@10.0.0.1:1234/7");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->user, "me");
  EXPECT_EQ(a->password, "p@ss");
  EXPECT_EQ(a->host, "10.0.0.1");
  EXPECT_EQ(a->port, 1234);
  EXPECT_EQ(a->database, 7);
  a = parseRedisAddress("redis://:secret@[::1]:99");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->user, "");
  EXPECT_EQ(a->password, "secret");
  EXPECT_EQ(a->host, "::1");
  EXPECT_EQ(a->port, 99);
  a = parseRedisAddress("unix://:pw@/run/redis@1.sock?db=2");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->password, "pw");
  EXPECT_EQ(a->socket, "/run/redis@1.sock");
  EXPECT_EQ(a->database, 2);
  for (const char* bad :
       {"redis://", "redis://h:0", "redis://h:65536", "redis://h:x", "redis://h/x", "redis://h/-1",
        "unix://run/x", "unix:///x?db=y", "redis://h:"})
    EXPECT_FALSE(parseRedisAddress(bad)) << bad;
}

TEST(CacheSize, IsReadWithItsUnit) {
  EXPECT_EQ(parseSize("0"), 0u);
  EXPECT_EQ(parseSize("123"), 123u);
  EXPECT_EQ(parseSize("5k"), 5120u);
  EXPECT_EQ(parseSize("2G"), uint64_t(2) << 30);
  for (const char* bad : {"", "G", "-1", "5X", "5GB", "1 G", "99999999999T"})
    EXPECT_FALSE(parseSize(bad)) << bad;
}

} // namespace
} // namespace lanewise::driver
