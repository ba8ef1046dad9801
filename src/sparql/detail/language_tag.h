// The usual spelling of a language tag. Tags that differ in case alone are the same language, so
// what is written into a space has one spelling of each. Thread-safety: pure functions.
// Source: RFC 5646, section 2.1.1; RDF 1.1 Concepts, section 3.3 (tags may be normalised).
#pragma once

#include <string>
#include <string_view>

namespace anima::sparql {

// "en-US", "zh-Hant", "x-private": small letters, but for regions and scripts. The tag itself where
// it is spelled so, else a view of `scratch`. O(length).
std::string_view usual_language_tag(std::string_view tag, std::string& scratch);

}  // namespace anima::sparql
