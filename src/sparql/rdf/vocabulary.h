// The IRIs that the formats of RDF know by themselves.
#pragma once

#include <string_view>

namespace anima::sparql::rdf {

inline constexpr std::string_view kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
inline constexpr std::string_view kType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
inline constexpr std::string_view kFirst = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
inline constexpr std::string_view kRest = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
inline constexpr std::string_view kNil = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil";
inline constexpr std::string_view kList = "http://www.w3.org/1999/02/22-rdf-syntax-ns#List";
inline constexpr std::string_view kJsonType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";
inline constexpr std::string_view kXmlLiteral =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral";
inline constexpr std::string_view kStringType = "http://www.w3.org/2001/XMLSchema#string";
inline constexpr std::string_view kBooleanType = "http://www.w3.org/2001/XMLSchema#boolean";
inline constexpr std::string_view kIntegerType = "http://www.w3.org/2001/XMLSchema#integer";
inline constexpr std::string_view kDecimalType = "http://www.w3.org/2001/XMLSchema#decimal";
inline constexpr std::string_view kDoubleType = "http://www.w3.org/2001/XMLSchema#double";

}  // namespace anima::sparql::rdf
