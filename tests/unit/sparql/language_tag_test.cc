// Language tags have one spelling in a space, whichever way they came in.
#include "sparql/detail/language_tag.h"

#include <gtest/gtest.h>

#include "sparql/engine.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_load.h"

namespace anima::sparql::language_tag_test {
namespace {

std::string usual(std::string_view tag) {
  std::string scratch;
  return std::string(usual_language_tag(tag, scratch));
}

// The examples of RFC 5646, section 2.1.1, and some that begin otherwise.
TEST(LanguageTag, IsSpelledAsRfc5646Recommends) {
  EXPECT_EQ(usual("EN"), "en");
  EXPECT_EQ(usual("en-us"), "en-US");
  EXPECT_EQ(usual("MN-cYRL-mn"), "mn-Cyrl-MN");
  EXPECT_EQ(usual("EN-ca-X-CA"), "en-CA-x-ca");
  EXPECT_EQ(usual("sgn-be-fr"), "sgn-BE-FR");
  EXPECT_EQ(usual("AZ-latn-x-LATN"), "az-Latn-x-latn");
  EXPECT_EQ(usual("x-PRIVATE"), "x-private");
  EXPECT_EQ(usual("de-1996"), "de-1996");
}

TEST(LanguageTag, KeepsATagThatIsSpelledSo) {
  constexpr std::string_view kTag = "zh-Hant-TW";
  std::string scratch;
  EXPECT_EQ(usual_language_tag(kTag, scratch).data(), kTag.data());
}

class LanguageTagInSpace : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    space_ = store::Space::in_memory(options).value();
    const auto written = space_->write({}, [](store::Transaction& transaction) -> Status {
      RdfLoadOptions load;
      load.format = RdfFormat::kTurtle;
      return load_rdf(transaction, "<urn:a> <urn:p> \"colour\"@EN-gb . <urn:b> <urn:p> \"x\"@en .",
                      load)
          .map([](std::uint64_t) {});
    });
    ASSERT_TRUE(written.has_value()) << written.error().describe();
    engine_ = Engine::open(space_).value();
    UpdateOptions update;
    ASSERT_TRUE(engine_->update("INSERT DATA { <urn:c> <urn:p> \"x\"@EN }", update));
  }
  std::size_t rows(std::string_view where) {
    return engine_->query("SELECT * WHERE { " + std::string(where) + " }").value().rows();
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
};

TEST_F(LanguageTagInSpace, FindsAStringByAnySpelling) {
  EXPECT_EQ(rows("?s ?p \"colour\"@en-GB"), 1u);
  EXPECT_EQ(rows("?s ?p \"colour\"@EN-GB"), 1u);
  EXPECT_EQ(rows("?s ?p \"x\"@eN"), 2u);
  EXPECT_EQ(rows("VALUES ?o { \"x\"@En } ?s ?p ?o"), 2u);
  EXPECT_EQ(rows("BIND(STRLANG(\"x\", \"EN\") AS ?o) ?s ?p ?o"), 2u);
  EXPECT_EQ(rows("<urn:b> ?p ?o . <urn:c> ?p ?o"), 1u);
  EXPECT_EQ(rows("?s ?p ?o FILTER(sameTerm(?o, \"x\"@EN))"), 2u);
  EXPECT_EQ(rows("?s ?p ?o FILTER(LANG(?o) = \"en-GB\")"), 1u);
}

TEST_F(LanguageTagInSpace, DeletesByAnySpelling) {
  UpdateOptions update;
  EXPECT_EQ(engine_->update("DELETE DATA { <urn:b> <urn:p> \"x\"@EN }", update)->deleted, 1u);
  EXPECT_EQ(export_rdf(space_->snapshot().value(), RdfFormat::kNTriples),
            "<urn:a> <urn:p> \"colour\"@en-GB .\n<urn:c> <urn:p> \"x\"@en .\n");
}

}  // namespace
}  // namespace anima::sparql::language_tag_test
