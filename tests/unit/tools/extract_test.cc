// Tables, sentences and source files as statements.
#include "tools/detail/extract.h"

#include <gtest/gtest.h>

namespace anima::tools::detail {
namespace {

TEST(Extract, Tables) {
  const auto rows = read_csv("a,\"b \"\"q\"\", c\",d\r\n\n\"two\nlines\",x,\n", ',');
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (std::vector<std::vector<std::string>>{{"a", "b \"q\", c", "d"},
                                                          {"two\nlines", "x", ""}}));
  EXPECT_EQ(read_csv("a,b\n\"open", ',').error().where, "2:1");
  const auto spo =
      statements_of_csv("subject,predicate,object,confidence\nEarth,orbits,Sun,0.9\n", "spo", ',');
  ASSERT_TRUE(spo);
  EXPECT_EQ(*spo, (std::vector<Statement>{{"Earth", "orbits", "Sun", 0.9}}));
  const auto entity =
      statements_of_csv("name\tkind\tmoons\nMars\tplanet\t2\nSun\tstar\t\n", "entity", '\t');
  ASSERT_TRUE(entity);
  EXPECT_EQ(*entity,
            (std::vector<Statement>{
                {"Mars", "kind", "planet"}, {"Mars", "moons", "2"}, {"Sun", "kind", "star"}}));
  EXPECT_FALSE(statements_of_csv("a,b\n", "spo", ',').has_value());
  EXPECT_FALSE(statements_of_csv("a,b,c,7\n", "spo", ',').has_value());
  EXPECT_FALSE(statements_of_csv("a,b,c\n", "columns", ',').has_value());
}

TEST(Extract, Sentences) {
  const auto found = statements_of_text(
      "A cat is a mammal. The wheel is part of a car! Is a dog a cat? Version 2.5 contains "
      "fixes.\n\nIt rains.",
      100);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], (Statement{"cat", "is-a", "mammal", 0.7}));
  EXPECT_EQ(found[1], (Statement{"wheel", "part-of", "car", 0.7}));
  EXPECT_EQ(found[2], (Statement{"Version 2.5", "contains", "fixes", 0.7}));
  EXPECT_EQ(statements_of_text("A is a B. C is a D.", 1).size(), 1U);
}

TEST(Extract, Code) {
  EXPECT_EQ(statements_of_code("m.py", "import os.path\nclass A(B):\n  def run(self):\n    pass\n"),
            (std::vector<Statement>{{"m.py", "code:imports", "os.path"},
                                    {"m.py", "code:defines-type", "A"},
                                    {"m.py", "code:defines-function", "run"}}));
  EXPECT_EQ(statements_of_code("a.cc",
                               "#include <vector>\n#include \"x/y.h\"\nclass Later;\n"
                               "struct Now {\nnamespace a::b {\n"),
            (std::vector<Statement>{{"a.cc", "code:imports", "vector"},
                                    {"a.cc", "code:imports", "x/y.h"},
                                    {"a.cc", "code:defines-type", "Now"},
                                    {"a.cc", "code:defines-module", "a::b"}}));
  EXPECT_EQ(statements_of_code("a.go", "func (t *T) Run() {\n"),
            (std::vector<Statement>{{"a.go", "code:defines-function", "Run"}}));
  EXPECT_TRUE(statements_of_code("a.txt", "import os").empty());
  EXPECT_TRUE(is_source_file("x.rs"));
  EXPECT_FALSE(is_source_file("x"));
}

}  // namespace
}  // namespace anima::tools::detail
