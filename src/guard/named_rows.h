// NamedRows: the rows of results in which values stood, with the words that name each row. So it
// can be told whether a message means a value that it does not say: "Answer Ada's mail" means the
// id in the row whose sender is ada@example.org.
//
// A row is an item of a list that is an object, else the whole result. A message means it
//  * surely, when a word of it stands in a short field of the row that is trusted (standard at
//    least), and in no more than half of the rows that the tool gave; when trusted values alone
//    looked the row up, and it was the only one; when they did, the message speaks of all of them,
//    and a word by which they were looked up stands in the row; when a call that acts gave it, for
//    that was judged itself;
//  * likely, when the word stands in a field that outsiders write: they can name their own rows;
//  and
//    when trusted values looked up more than the row.
// Thread-safety: one thread at a time. Complexity: of add(), the words of the short fields; of
// meant(), the rows of the value by their words. Source: issue "any model", 3;
// docs/governance_values.md.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json/json.h"
#include "govern/rules/call_values.h"
#include "govern/trust.h"
#include "guard/owner_words.h"
#include "guard/result_walk.h"

namespace anima::guard {

using govern::Meant;

// By what the rows of a result were found.
struct LookUp {
  bool trusted = false;  // all values of the call were, and there were some
  std::set<std::string, std::less<>> words = {};  // of the values that choose no container
};

class NamedRows {
 public:
  // The rows of one result of the tool: begin(), add() for each scalar, end().
  void begin(std::string_view tool, LookUp look_up, bool acted);
  void add(const ScalarPlace& at, const Json& value, const std::string& normal,
           govern::Trust trust);
  void end();

  // By the best of the rows in which the value stood. Numbers of one service are not those of
  // another: rows of tools with the prefix of `tool` ("mail:") count alone where there are such.
  Meant meant(const std::string& normal, std::string_view tool, const OwnerWords& words) const;
  // Whether the message calls another row of these tools by the whole of a short, trusted field,
  // and no row of the value so.
  bool named_less(const std::string& normal, const OwnerWords& words) const;
  // Whether one of the words stands in a short field of a row of the value.
  bool row_has(const std::string& normal, const std::vector<std::string>& words) const;

 private:
  struct Row {
    std::size_t result = 0;
    bool whole = false;                                  // the result itself
    std::set<std::string, std::less<>> trusted, others;  // words
    std::vector<std::string> titles;                     // short, trusted, of two words or more
    std::string content;                                 // until end()
  };
  struct GivenRows {
    std::string tool;
    LookUp look_up;
    bool acted = false;
    std::map<std::string, std::size_t> rows = {};  // by their places
  };
  // Of one tool, each row once.
  struct Frequency {
    std::set<std::size_t> seen;  // hashes of rows
    std::map<std::string, std::size_t, std::less<>> rows_with;
  };
  Meant meant_row(const Row& row, const OwnerWords& words) const;
  static bool is_called(const Row& row, const OwnerWords& words);
  bool names_few(const GivenRows& given, const std::string& word) const;

  std::vector<GivenRows> results_;
  std::vector<Row> rows_;
  std::map<std::string, Frequency, std::less<>> frequencies_;         // by tool
  std::unordered_map<std::string, std::vector<std::size_t>> places_;  // normal -> rows
};

}  // namespace anima::guard
