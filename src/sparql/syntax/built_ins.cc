#include "sparql/syntax/built_ins.h"

#include <algorithm>
#include <iterator>

namespace anima::sparql::syntax {

namespace {

// Sorted by name.
constexpr BuiltIn kBuiltIns[] = {
    {"ABS"},
    {"BNODE", 0, 1},
    {"BOUND"},
    {"CEIL"},
    {"COALESCE", 0, kAnyNumber},
    {"CONCAT", 0, kAnyNumber},
    {"CONTAINS", 2, 2},
    {"DATATYPE"},
    {"DAY"},
    {"ENCODE_FOR_URI"},
    {"FLOOR"},
    {"HOURS"},
    {"IF", 3, 3},
    {"IRI"},
    {"ISBLANK"},
    {"ISIRI"},
    {"ISLITERAL"},
    {"ISNUMERIC"},
    {"ISURI"},
    {"LANG"},
    {"LANGMATCHES", 2, 2},
    {"LCASE"},
    {"MD5"},
    {"MINUTES"},
    {"MONTH"},
    {"NOW", 0, 0},
    {"RAND", 0, 0},
    {"REGEX", 2, 3},
    {"REPLACE", 3, 4},
    {"ROUND"},
    {"SAMETERM", 2, 2},
    {"SECONDS"},
    {"SHA1"},
    {"SHA256"},
    {"SHA384"},
    {"SHA512"},
    {"STR"},
    {"STRAFTER", 2, 2},
    {"STRBEFORE", 2, 2},
    {"STRDT", 2, 2},
    {"STRENDS", 2, 2},
    {"STRLANG", 2, 2},
    {"STRLEN"},
    {"STRSTARTS", 2, 2},
    {"STRUUID", 0, 0},
    {"SUBSTR", 2, 3},
    {"TIMEZONE"},
    {"TZ"},
    {"UCASE"},
    {"URI"},
    {"UUID", 0, 0},
    {"YEAR"},
};

}  // namespace

const BuiltIn* find_built_in(std::string_view name) {
  const auto* const found =
      std::lower_bound(std::begin(kBuiltIns), std::end(kBuiltIns), name,
                       [](const BuiltIn& a, std::string_view b) { return a.name < b; });
  return found != std::end(kBuiltIns) && found->name == name ? found : nullptr;
}

bool is_aggregate(std::string_view name) {
  constexpr std::string_view kAggregates[] = {"COUNT", "SUM",    "MIN",         "MAX",
                                              "AVG",   "SAMPLE", "GROUP_CONCAT"};
  return std::find(std::begin(kAggregates), std::end(kAggregates), name) != std::end(kAggregates);
}

}  // namespace anima::sparql::syntax
