// Resolution against the examples of RFC 3986 5.4, which are written out in the RFC.
#include "sparql/iri.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace anima::sparql::iri_test {
namespace {

using Cases = std::vector<std::pair<std::string_view, std::string_view>>;

void expect_resolved(std::string_view base, const Cases& cases) {
  const IriBase below{std::string(base)};
  ASSERT_TRUE(below.given());
  for (const auto& [reference, wanted] : cases) {
    std::string out;
    ASSERT_TRUE(below.resolve(reference, out)) << reference;
    EXPECT_EQ(out, wanted) << reference;
  }
}

TEST(Iri, ResolvesTheNormalExamplesOfTheRfc) {
  expect_resolved("http://a/b/c/d;p?q", {{"g:h", "g:h"},
                                         {"g", "http://a/b/c/g"},
                                         {"./g", "http://a/b/c/g"},
                                         {"g/", "http://a/b/c/g/"},
                                         {"/g", "http://a/g"},
                                         {"//g", "http://g"},
                                         {"?y", "http://a/b/c/d;p?y"},
                                         {"g?y", "http://a/b/c/g?y"},
                                         {"#s", "http://a/b/c/d;p?q#s"},
                                         {"g#s", "http://a/b/c/g#s"},
                                         {"g?y#s", "http://a/b/c/g?y#s"},
                                         {";x", "http://a/b/c/;x"},
                                         {"g;x", "http://a/b/c/g;x"},
                                         {"g;x?y#s", "http://a/b/c/g;x?y#s"},
                                         {"", "http://a/b/c/d;p?q"},
                                         {".", "http://a/b/c/"},
                                         {"./", "http://a/b/c/"},
                                         {"..", "http://a/b/"},
                                         {"../", "http://a/b/"},
                                         {"../g", "http://a/b/g"},
                                         {"../..", "http://a/"},
                                         {"../../", "http://a/"},
                                         {"../../g", "http://a/g"}});
}

TEST(Iri, ResolvesTheAbnormalExamplesOfTheRfc) {
  expect_resolved("http://a/b/c/d;p?q", {{"../../../g", "http://a/g"},
                                         {"../../../../g", "http://a/g"},
                                         {"/./g", "http://a/g"},
                                         {"/../g", "http://a/g"},
                                         {"g.", "http://a/b/c/g."},
                                         {".g", "http://a/b/c/.g"},
                                         {"g..", "http://a/b/c/g.."},
                                         {"..g", "http://a/b/c/..g"},
                                         {"./../g", "http://a/b/g"},
                                         {"./g/.", "http://a/b/c/g/"},
                                         {"g/./h", "http://a/b/c/g/h"},
                                         {"g/../h", "http://a/b/c/h"},
                                         {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
                                         {"g;x=1/../y", "http://a/b/c/y"},
                                         {"g?y/./x", "http://a/b/c/g?y/./x"},
                                         {"g?y/../x", "http://a/b/c/g?y/../x"},
                                         {"g#s/./x", "http://a/b/c/g#s/./x"},
                                         {"g#s/../x", "http://a/b/c/g#s/../x"},
                                         {"http:g", "http:g"}});
}

TEST(Iri, TakesBasesOfOtherShapes) {
  expect_resolved("http://a", {{"g", "http://a/g"}, {"?q", "http://a?q"}, {"", "http://a"}});
  expect_resolved("urn:x:y", {{"g", "urn:g"}, {"#f", "urn:x:y#f"}});
  expect_resolved("file:///a/b", {{"c", "file:///a/c"}, {"/d", "file:///d"}, {"..", "file:///"}});
  expect_resolved("http://a/b/../c", {{"", "http://a/b/../c"}, {"d", "http://a/d"}});
  expect_resolved("http://a/b?",
                  {{"", "http://a/b?"}, {"?", "http://a/b?"}, {"#", "http://a/b?#"}});
}

TEST(Iri, KeepsAnAbsoluteIriAsItIs) {
  std::string out;
  ASSERT_TRUE(IriBase().resolve("http://a/./b/../c", out));
  EXPECT_EQ(out, "http://a/./b/../c");
}

TEST(Iri, RefusesARelativeReferenceWithoutABase) {
  std::string out;
  EXPECT_FALSE(IriBase().resolve("a", out));
  EXPECT_FALSE(IriBase("no/scheme").given());
  EXPECT_FALSE(IriBase("1a:b").given());
  const auto refused = resolve_iri("", "a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(*resolve_iri("http://a/b", "c"), "http://a/c");
}

TEST(Iri, SplitsWhatIsAbsentFromWhatIsEmpty) {
  const IriParts parts = split_iri("http://h/p?#");
  EXPECT_EQ(parts.scheme, "http");
  EXPECT_EQ(parts.authority, "h");
  EXPECT_EQ(parts.path, "/p");
  EXPECT_EQ(parts.query, "");
  EXPECT_EQ(parts.fragment, "");
  const IriParts bare = split_iri("p:q/r");
  EXPECT_EQ(bare.scheme, "p");
  EXPECT_FALSE(bare.authority);
  EXPECT_FALSE(bare.query);
  const IriParts path = split_iri("/p:q");
  EXPECT_FALSE(path.scheme);
  EXPECT_EQ(path.path, "/p:q");
}

TEST(Iri, NamesAFile) {
  EXPECT_EQ(file_iri("/a b/c#d?e%.ttl"), "file:///a%20b/c%23d%3Fe%25.ttl");
  EXPECT_EQ(file_iri("/Łódź.ttl"), "file:///Łódź.ttl");
}

}  // namespace
}  // namespace anima::sparql::iri_test
