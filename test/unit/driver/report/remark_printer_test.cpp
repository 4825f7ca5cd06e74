#include "report/remark_printer.h"

#include <gtest/gtest.h>

namespace lanewise::driver {
namespace {

Remark someRemark() {
  Remark r;
  r.kind = Remark::Kind::Applied;
  r.pass = "pad-shared-memory";
  r.name = "padded";
  r.function = "main";
  r.message = "row 32 -> 33";
  r.location = {"a.comp", 12, 3};
  r.args = {{"degree-before", "32"}, {"degree-after", "1"}};
  r.details = {{"a.comp:14", 14, {"load"}}};
  return r;
}

TEST(Remarks, AsText) {
  EXPECT_EQ(remarkAsText(someRemark(), "a.spv"),
            "a.comp:12:3: remark: row 32 -> 33 [pad-shared-memory:padded]\n    a.comp:14: load\n");
  Remark r = someRemark();
  r.kind = Remark::Kind::Missed;
  r.location = {};
  r.details.clear();
  EXPECT_EQ(remarkAsText(r, "a.spv"),
            "a.spv: missed: in 'main': row 32 -> 33 [pad-shared-memory:padded]\n");
}

TEST(Remarks, AsTextOfStrangeNames) {
  Remark r = someRemark();
  r.message = "padded 'a\nb'";
  r.function = "main\n";
  r.location = {};
  r.details.clear();
  EXPECT_EQ(remarkAsText(r, "a.spv"),
            "a.spv: remark: in 'main?': padded 'a?b' [pad-shared-memory:padded]\n");
}

TEST(Remarks, AsJson) {
  EXPECT_EQ(
      remarkAsJson(someRemark(), "a.spv"),
      R"({"kind":"applied","pass":"pad-shared-memory","name":"padded","input":"a.spv","function":"main",)"
      R"("file":"a.comp","line":12,"column":3,"message":"row 32 -> 33",)"
      R"("args":{"degree-before":"32","degree-after":"1"},"details":["a.comp:14: load"]})"
      "\n");
}

// Names come from the module and may hold any bytes; the line must stay one line of JSON.
TEST(Remarks, AsJsonOfStrangeNames) {
  Remark r;
  r.message = "name \xff\n\"quoted\"";
  std::string json = remarkAsJson(r, "a.spv");
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_NE(json.find("\\\"quoted\\\""), std::string::npos);
}

} // namespace
} // namespace lanewise::driver
