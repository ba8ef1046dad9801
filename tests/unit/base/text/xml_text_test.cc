// Text as XML writes it.
#include "base/text/xml_text.h"

#include <gtest/gtest.h>

namespace anima::xml_text_test {
namespace {

std::string text(std::string_view plain) {
  std::string out;
  append_xml(out, plain, XmlPlace::kText);
  return out;
}

std::string attribute(std::string_view plain) {
  std::string out;
  append_xml(out, plain, XmlPlace::kAttribute);
  return out;
}

TEST(XmlText, MarkupIsWrittenAsReferences) {
  EXPECT_EQ(text("a < b && c > \"d\""), "a &lt; b &amp;&amp; c &gt; \"d\"");
  EXPECT_EQ(attribute("a < b && c > \"d\""), "a &lt; b &amp;&amp; c > &quot;d&quot;");
  EXPECT_EQ(text("]]>"), "]]&gt;");
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("caf\u00e9"), "caf\u00e9");
}

// A reader makes one line feed of "\r\n", and blanks of what an attribute has of these.
TEST(XmlText, LineEndsAndTabsComeBack) {
  EXPECT_EQ(text("a\tb\nc\r\n"), "a\tb\nc&#xD;\n");
  EXPECT_EQ(attribute("a\tb\nc\r\n"), "a&#x9;b&#xA;c&#xD;&#xA;");
}

TEST(XmlText, WhatNoDocumentCanHold) {
  const auto none = std::string_view::npos;
  EXPECT_EQ(no_xml_character_at("a\tb\r\n\u00e9\U0001F600"), none);
  EXPECT_EQ(no_xml_character_at("ab\x01"), 2u);
  EXPECT_EQ(no_xml_character_at("\u00e9\uFFFE"), 2u);
  EXPECT_EQ(no_xml_character_at("a\xff"), 1u);
  EXPECT_EQ(no_xml_character_at(std::string_view("\0", 1)), 0u);
  EXPECT_EQ(with_xml_characters("a\x01\uFFFF\u00e9"), "a\uFFFD\uFFFD\u00e9");
}

}  // namespace
}  // namespace anima::xml_text_test
