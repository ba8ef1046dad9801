// Results as JSON, XML, CSV, TSV and a table, written out by hand after the recommendations.
#include "sparql/results.h"

#include <gtest/gtest.h>

namespace anima::sparql::results_test {
namespace {

const RdfTerm kIri{RdfKind::kIri, "http://a/?x=1&y=<2>", {}};
const RdfTerm kBlank{RdfKind::kBlank, "b1", {}};
const RdfTerm kText{RdfKind::kString, "say \"hi\",\n\ttab \\ \x01", {}};
const RdfTerm kFrench{RdfKind::kLanguageString, "\u00e9t\u00e9", "fr"};
const RdfTerm kFive{RdfKind::kTyped, "5", "http://www.w3.org/2001/XMLSchema#integer"};
const RdfTerm kHalf{RdfKind::kTyped, ".5", "http://www.w3.org/2001/XMLSchema#decimal"};
const RdfTerm kBad{RdfKind::kTyped, "x", "http://www.w3.org/2001/XMLSchema#integer"};
const RdfTerm kBig{RdfKind::kTyped, "-1.5e3", "http://www.w3.org/2001/XMLSchema#double"};

std::string written(ResultFormat format) {
  std::string out;
  const auto writer = ResultWriter::make(format, [&](std::string_view piece) -> Status {
    out += piece;
    return {};
  });
  const std::vector<std::string> variables{"x", "y"};
  EXPECT_TRUE(writer->begin(variables));
  const RdfTerm* const rows[][2] = {
      {&kIri, &kText}, {&kBlank, &kFrench}, {nullptr, &kFive}, {&kHalf, &kBad}, {&kBig, nullptr}};
  for (const auto& row : rows) EXPECT_TRUE(writer->row(row));
  EXPECT_TRUE(writer->end());
  return out;
}

TEST(SparqlResults, Json) {
  EXPECT_EQ(written(ResultFormat::kJson),
            "{\"head\":{\"vars\":[\"x\",\"y\"]},\"results\":{\"bindings\":[\n"
            "{\"x\":{\"type\":\"uri\",\"value\":\"http://a/?x=1&y=<2>\"},"
            "\"y\":{\"type\":\"literal\",\"value\":\"say \\\"hi\\\",\\n\\ttab \\\\ \\u0001\"}},\n"
            "{\"x\":{\"type\":\"bnode\",\"value\":\"b1\"},"
            "\"y\":{\"type\":\"literal\",\"xml:lang\":\"fr\",\"value\":\"\u00e9t\u00e9\"}},\n"
            "{\"y\":{\"type\":\"literal\",\"datatype\":\"http://www.w3.org/2001/"
            "XMLSchema#integer\",\"value\":\"5\"}},\n"
            "{\"x\":{\"type\":\"literal\",\"datatype\":\"http://www.w3.org/2001/"
            "XMLSchema#decimal\",\"value\":\".5\"},"
            "\"y\":{\"type\":\"literal\",\"datatype\":\"http://www.w3.org/2001/"
            "XMLSchema#integer\",\"value\":\"x\"}},\n"
            "{\"x\":{\"type\":\"literal\",\"datatype\":\"http://www.w3.org/2001/"
            "XMLSchema#double\",\"value\":\"-1.5e3\"}}\n]}}\n");
  EXPECT_EQ(boolean_result(ResultFormat::kJson, true), "{\"head\":{},\"boolean\":true}\n");
}

TEST(SparqlResults, Xml) {
  const std::string text = written(ResultFormat::kXml);
  EXPECT_TRUE(
      text.starts_with("<?xml version=\"1.0\"?>\n<sparql "
                       "xmlns=\"http://www.w3.org/2005/sparql-results#\">\n  <head>\n    "
                       "<variable name=\"x\"/>\n    <variable name=\"y\"/>\n  </head>\n"))
      << text;
  for (const char* part :
       {"<binding name=\"x\"><uri>http://a/?x=1&amp;y=&lt;2&gt;</uri></binding>",
        "<literal>say \"hi\",\n\ttab \\ \uFFFD</literal>", "<bnode>b1</bnode>",
        "<literal xml:lang=\"fr\">\u00e9t\u00e9</literal>",
        "<literal datatype=\"http://www.w3.org/2001/XMLSchema#integer\">5</literal>",
        "  </results>\n</sparql>\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_NE(boolean_result(ResultFormat::kXml, false).find("<boolean>false</boolean>"),
            std::string::npos);
}

TEST(SparqlResults, Csv) {
  EXPECT_EQ(
      written(ResultFormat::kCsv),
      "x,y\r\nhttp://a/?x=1&y=<2>,\"say \"\"hi\"\",\n\ttab \\ \x01\"\r\n_:b1,\u00e9t\u00e9\r\n"
      ",5\r\n.5,x\r\n-1.5e3,\r\n");
}

TEST(SparqlResults, Tsv) {
  const std::string text = written(ResultFormat::kTsv);
  EXPECT_TRUE(text.starts_with("?x\t?y\n<http://a/?x=1&y=<2>>\t\"say \\\"hi\\\",\\n\\ttab \\\\ ") ||
              text.starts_with("?x\t?y\n<http://a/?x=1&y=\\u003C2\\u003E>\t"))
      << text;
  EXPECT_NE(text.find("\n_:b1\t\"\u00e9t\u00e9\"@fr\n\t5\n.5\t\"x\"^^<http://www.w3.org/2001/"
                      "XMLSchema#integer>\n-1.5e3\t\n"),
            std::string::npos)
      << text;
}

TEST(SparqlResults, ATableForPeople) {
  const std::string text = written(ResultFormat::kTable);
  EXPECT_TRUE(text.starts_with("?x")) << text;
  EXPECT_TRUE(text.ends_with("(5 rows)\n")) << text;
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST(SparqlResults, PiecesComeAsTheyAreFull) {
  std::size_t pieces = 0, bytes = 0;
  const auto writer = ResultWriter::make(ResultFormat::kCsv, [&](std::string_view piece) -> Status {
    ++pieces;
    bytes += piece.size();
    return {};
  });
  const std::vector<std::string> variables{"x"};
  ASSERT_TRUE(writer->begin(variables));
  const RdfTerm* const row[] = {&kIri};
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(writer->row(row));
  ASSERT_TRUE(writer->end());
  EXPECT_GT(pieces, 4u);
  EXPECT_EQ(bytes, 3 + 20'000 * (kIri.text.size() + 2));
}

TEST(SparqlResults, WhatCannotBeWrittenEndsTheWriting) {
  const auto writer = ResultWriter::make(ResultFormat::kTsv, [](std::string_view) -> Status {
    return fail(ErrorCode::kIo, "no room");
  });
  const std::vector<std::string> variables{"x"};
  ASSERT_TRUE(writer->begin(variables));
  EXPECT_FALSE(writer->end());
}

TEST(SparqlResults, FormatsByName) {
  EXPECT_EQ(result_format_named("tsv"), ResultFormat::kTsv);
  EXPECT_FALSE(result_format_named("html"));
  EXPECT_EQ(result_format_of_media_type("application/sparql-results+xml"), ResultFormat::kXml);
  EXPECT_EQ(media_type_of(ResultFormat::kCsv), "text/csv");
}

}  // namespace
}  // namespace anima::sparql::results_test
