// The layout manifest as JSON: what is written is read back, formulas say what the functions
// compute, and whatever else a file holds is an error of one line.
#include "json_schema.h"
#include "layout/layout_manifest.h"
#include "layouts.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace lanewise;
using namespace lanewise::driver;
using nlohmann::json;

namespace {

LayoutManifest manifestOf(std::vector<BufferLayout> buffers) {
  LayoutManifest manifest;
  manifest.buffers = std::move(buffers);
  return manifest;
}

json written(const BufferLayout& layout) {
  return json::parse(layoutManifestToJson(manifestOf({layout})));
}

std::string errorOf(const json& value) {
  Result<LayoutManifest> read = parseLayoutManifest(value.dump(), "m.json");
  return read ? "" : read.error().message;
}

const JsonSchema& schema() {
  static const JsonSchema read = [] {
    std::ifstream file(LANEWISE_SOURCE_DIR "/docs/layout-manifest.schema.json");
    return JsonSchema(json::parse(file));
  }();
  return read;
}

/// Evaluates a formula as the documentation defines it.
class Formula {
public:
  Formula(std::string text, uint64_t index, uint64_t count)
      : text_(std::move(text)), index_(index), count_(count) {}
  uint64_t value() {
    uint64_t v = sum();
    EXPECT_EQ(at_, text_.size()) << text_;
    return v;
  }

private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    skip();
    return true;
  }
  uint64_t sum() {
    uint64_t v = product();
    while (take("+")) v += product();
    return v;
  }
  uint64_t product() {
    uint64_t v = atom();
    for (;;) {
      if (take("*")) {
        v *= atom();
      } else if (take("/")) {
        v /= atom();
      } else if (take("%")) {
        v %= atom();
      } else {
        return v;
      }
    }
  }
  uint64_t atom() {
    if (take("ceil(")) {
      uint64_t n = atom();
      EXPECT_TRUE(take("/"));
      uint64_t d = atom();
      EXPECT_TRUE(take(")"));
      return (n + d - 1) / d;
    }
    if (take("align(")) {
      uint64_t n = sum();
      EXPECT_TRUE(take(","));
      uint64_t a = atom();
      EXPECT_TRUE(take(")"));
      return (n + a - 1) / a * a;
    }
    if (take("(")) {
      uint64_t v = sum();
      EXPECT_TRUE(take(")"));
      return v;
    }
    if (take("index")) return index_;
    if (take("count")) return count_;
    size_t digits = 0;
    uint64_t v = std::stoull(text_.substr(at_), &digits);
    at_ += digits;
    skip();
    return v;
  }
  std::string text_;
  uint64_t index_, count_;
  size_t at_ = 0;
};

TEST(LayoutManifest, ReadsWhatItWrites) {
  LayoutManifest manifest = manifestOf({agentLayout(32), narrowedLayout(0), narrowedLayout(128)});
  manifest.buffers[2].name = "others";
  manifest.buffers[2].count = 256;
  manifest.buffers[2].needsWholeTiles = true;
  manifest.assumesDistinctBindings = true;
  Result<LayoutManifest> read = parseLayoutManifest(layoutManifestToJson(manifest), "m.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, manifest);
  manifest.isRobust = true;
  read = parseLayoutManifest(layoutManifestToJson(manifest), "m.json");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->isRobust);
  Result<LayoutManifest> empty = parseLayoutManifest(layoutManifestToJson({}), "m.json");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->buffers.empty());
}

TEST(LayoutManifest, FormulasSayWhatIsComputed) {
  // A run of 12 * count bytes before one that is aligned to 16, and one after it.
  BufferLayout uneven = narrowedLayout(0);
  uneven.groups = {{4, 4}, {12, 16}, {4, 8}};
  uneven.fields[3].group = 2;
  uneven.fields[3].offsetInGroup = 0;
  for (BufferLayout layout :
       {agentLayout(0), agentLayout(32), narrowedLayout(0), narrowedLayout(7), uneven})
    for (uint64_t count : {1, 2, 5, 31, 32, 33, 100, 257}) {
      EXPECT_EQ(Formula(sizeFormula(layout), 0, count).value(), layout.bytesAfter(count))
          << sizeFormula(layout);
      for (const LayoutField& field : layout.fields)
        for (uint64_t index : {uint64_t(0), count / 2, count - 1})
          EXPECT_EQ(Formula(addressFormula(layout, field), index, count).value(),
                    layout.addressAfter(field, index, count))
              << addressFormula(layout, field);
    }
  EXPECT_EQ(sizeFormula(agentLayout(32)), "1408 * ceil(count / 32)");
  EXPECT_EQ(addressFormula(agentLayout(32), agentLayout(32).fields[1]),
            "128 + 1408 * (index / 32) + 4 * (index % 32)");
  EXPECT_EQ(tilePadding(agentLayout(32)), 0u);
  EXPECT_EQ(tilePadding(narrowedLayout(7)), 4u); // 28 bytes before a run aligned to 16
}

TEST(LayoutManifest, FollowsItsSchema) {
  BufferLayout counted = agentLayout(32);
  counted.count = 64;
  for (const BufferLayout& layout :
       {agentLayout(0), counted, narrowedLayout(0), narrowedLayout(32)}) {
    EXPECT_EQ(schema().check(written(layout)), "");
    json bad = written(layout);
    bad["buffers"][0]["more"] = 1;
    EXPECT_NE(schema().check(bad), "");
    bad = written(layout);
    bad["buffers"][0]["fields"][0]["type"] = "u33";
    EXPECT_NE(schema().check(bad), "");
    bad = written(layout);
    bad["buffers"][0]["groups"][0]["align"] = 3;
    EXPECT_NE(schema().check(bad), "");
    bad = written(layout);
    bad["buffers"][0]["fields"][0].erase("size");
    EXPECT_NE(schema().check(bad), "");
  }
}

TEST(LayoutManifest, NamesPlaceAndMend) {
  json good = written(narrowedLayout(32));
  EXPECT_EQ(errorOf(good), "");
  json bad = good;
  bad["buffers"][0]["fields"][2]["size"] = 30;
  EXPECT_EQ(errorOf(bad).rfind("m.json: /buffers/0/fields/2", 0), 0u) << errorOf(bad);
  bad = good;
  bad["buffers"][0]["fields"][0]["naarowed"] = nullptr;
  EXPECT_EQ(errorOf(bad),
            "m.json: /buffers/0/fields/0: unknown key \"naarowed\"; did you mean \"narrowed\"?");
  bad = good;
  bad["buffers"][0].erase("stride");
  EXPECT_EQ(errorOf(bad), "m.json: /buffers/0: key \"stride\" is missing");
  bad = good;
  bad["version"] = 2;
  EXPECT_NE(errorOf(bad).find("m.json: /version: is 2"), std::string::npos) << errorOf(bad);
  bad = good;
  bad["buffers"][0]["fields"][1]["address"] = "4 * index";
  EXPECT_NE(errorOf(bad).find("does not match the other values"), std::string::npos);
  bad["buffers"][0]["fields"][1].erase("address");
  EXPECT_EQ(errorOf(bad), "");
  bad = good;
  bad["buffers"].push_back(good["buffers"][0]);
  EXPECT_EQ(errorOf(bad), "m.json: /buffers/1/name: \"things\" is given twice");
  Result<LayoutManifest> text = parseLayoutManifest("{\n \"version\": 1,\n oops", "m.json");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message.rfind("m.json:3:2: not JSON", 0), 0u) << text.error().message;
  Result<LayoutManifest> twice = parseLayoutManifest(R"({"version": 1, "version": 1})", "m.json");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "m.json: duplicate key \"version\" in one object");
  EXPECT_FALSE(parseLayoutManifest(std::string(100000, '['), "m.json"));
  EXPECT_FALSE(readLayoutManifest("/nonexistent/m.json"));
}

/// Each rule of checkLayout() by a layout that breaks it alone.
TEST(LayoutManifest, RefusesWhatContradictsItself) {
  struct Case {
    const char* why;
    void (*breakIt)(BufferLayout&);
    const char* message;
  };
  const Case cases[] = {
      {"no name", [](BufferLayout& l) { l.name.clear(); }, "/name"},
      {"bindings twice",
       [](BufferLayout& l) {
         l.bindings = {{0, 1}, {0, 1}};
       },
       "ascending"},
      {"array in the header", [](BufferLayout& l) { l.arrayOffsetAfter = 0; }, "header"},
      {"array not aligned", [](BufferLayout& l) { l.arrayOffsetAfter = 24; }, "multiple of 16"},
      {"no groups", [](BufferLayout& l) { l.groups.clear(); }, "/groups"},
      {"alignment", [](BufferLayout& l) { l.groups[0].align = 3; }, "power of two"},
      {"zero alignment", [](BufferLayout& l) { l.groups[0].align = 0; }, "power of two"},
      {"huge tile", [](BufferLayout& l) { l.tile = 1u << 30; }, "tile"},
      {"empty group",
       [](BufferLayout& l) {
         l.groups.push_back({4, 4});
       },
       "no fields"},
      {"no fields", [](BufferLayout& l) { l.fields.clear(); }, "/fields"},
      {"leaves the element", [](BufferLayout& l) { l.strideBefore = 27; }, "outside the element"},
      {"leaves the group", [](BufferLayout& l) { l.fields[3].offsetInGroup = 13; },
       "outside the group's part"},
      {"wraps", [](BufferLayout& l) { l.fields[3].offsetBefore = 0xFFFFFFFE; }, "outside"},
      {"no such group", [](BufferLayout& l) { l.fields[3].group = 2; }, "no group 2"},
      {"overlaps before", [](BufferLayout& l) { l.fields[1].offsetBefore = 2; }, "starts before"},
      {"overlaps after", [](BufferLayout& l) { l.fields[3].offsetInGroup = 11; }, "overlap"},
      {"bits overlap", [](BufferLayout& l) { l.fields[1].firstBit = 7; }, "overlap"},
      {"bits leave the word", [](BufferLayout& l) { l.fields[1].firstBit = 24; }, "exceed the 32"},
      {"narrowed float", [](BufferLayout& l) { l.fields[0].type = "f32"; }, "narrowed"},
      {"narrowed half", [](BufferLayout& l) { l.fields[0].size = 2; }, "4 bytes"},
      {"no type", [](BufferLayout& l) { l.fields[3].type = "u33"; }, "not a type"},
      {"type too large", [](BufferLayout& l) { l.fields[3].type = "u32x2"; }, "cannot hold"},
      {"count too large", [](BufferLayout& l) { l.count = UINT64_MAX; }, "/count"},
      {"count not whole tiles",
       [](BufferLayout& l) {
         l.count = 33;
         l.needsWholeTiles = true;
       },
       "whole-tiles"},
  };
  ASSERT_TRUE(checkLayout(narrowedLayout(32)));
  for (const Case& c : cases) {
    BufferLayout layout = narrowedLayout(32);
    c.breakIt(layout);
    Status checked = checkLayout(layout);
    ASSERT_FALSE(checked) << c.why;
    EXPECT_NE(checked.error().message.find(c.message), std::string::npos)
        << c.why << ": " << checked.error().message;
  }
}

TEST(LayoutManifest, SizesThatNoFileHasAreSeen) {
  EXPECT_TRUE(sizesFor(agentLayout(32), uint64_t(1) << 40));
  EXPECT_FALSE(sizesFor(agentLayout(32), uint64_t(1) << 60));
  EXPECT_FALSE(sizesFor(agentLayout(0), UINT64_MAX));
}

TEST(LayoutManifest, FieldTypes) {
  EXPECT_EQ(parseFieldType("f32x4x4")->count, 16u);
  EXPECT_EQ(parseFieldType("u8")->scalarBytes, 1u);
  for (const char* bad : {"", "u", "u33", "f8", "x3", "u32x", "u32x0", "u32x3x", "u32x-1", "b32",
                          "u32 ", "u32x99999999999", "u32x99999x99999x99999"})
    EXPECT_FALSE(parseFieldType(bad)) << bad;
}

/// Every value at every place replaced by hostile ones: an error of one line or a sound manifest.
TEST(LayoutManifest, HostileValuesNeverCrash) {
  const json hostile[] = {nullptr,
                          true,
                          "",
                          "x",
                          -1,
                          0,
                          1,
                          3,
                          0.5,
                          1u << 30,
                          4294967295u,
                          UINT64_MAX,
                          INT64_MIN,
                          json::array(),
                          json::object(),
                          json::array({json::object()}),
                          1e300};
  uint32_t accepted = 0, refused = 0;
  for (BufferLayout layout : {narrowedLayout(32), narrowedLayout(0)}) {
    const json good = written(layout);
    const json flat = good.flatten();
    for (const auto& [pointer, unused] : flat.items()) {
      for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
        for (const json& value : hostile) {
          json bad = good;
          bad[at] = value;
          Result<LayoutManifest> read = parseLayoutManifest(bad.dump(), "m.json");
          if (!read) {
            ++refused;
            EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
            continue;
          }
          ++accepted;
          EXPECT_EQ(schema().check(bad), "");
          for (const BufferLayout& l : read->buffers) {
            EXPECT_TRUE(checkLayout(l));
            for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(1) << 20}) (void)sizesFor(l, n);
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 10u); // names, counts, types left empty
}

TEST(LayoutManifest, DamagedTextNeverCrashes) {
  std::mt19937 random(7);
  const std::string good = layoutManifestToJson(manifestOf({narrowedLayout(32), agentLayout(0)}));
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (int n = 0; n < 3; ++n) {
      const size_t at = random() % bad.size();
      switch (random() % 3) {
      case 0:
        bad[at] = char(random());
        break;
      case 1:
        bad.erase(at, random() % 20);
        break;
      default:
        bad.insert(at, 1, "0123456789[]{},:\""[random() % 17]);
      }
    }
    Result<LayoutManifest> read = parseLayoutManifest(bad, "m.json");
    if (read) continue;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
  }
}

} // namespace
