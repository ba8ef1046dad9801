// What a tool that Anima makes for itself is written against. One file, one function:
//
//   tool::Result run(const tool::Input& input, tool::Cancel cancel);
//
// It computes a text from a text. It has no files, no network and no other programs. It reports
// what is wrong as Result::error and never throws. Loops that could be long ask cancel.requested().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tool {

struct Input {
  std::string input;
  std::vector<std::string> args;
};

struct Result {
  std::string output;
  std::string error;  // empty: it went well
};

class Cancel {
 public:
  bool requested() const;
};

// --- text ----------------------------------------------------------------------------------------
std::string lower(std::string_view text);  // ASCII
std::string trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::vector<std::string> words(std::string_view text);  // runs without white space
std::optional<double> parse_number(std::string_view text);
std::string number_text(double number);  // "3", "0.5": the shortest that reads back

// --- JSON ----------------------------------------------------------------------------------------
struct Value {
  struct Member;
  enum class Kind { null, boolean, number, text, list, object };
  Kind kind = Kind::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Value> items;
  std::vector<Member> members;

  bool has(std::string_view name) const;
  Value member(std::string_view name) const;  // null when it is not there
};
struct Value::Member {
  Member(std::string its_name, Value its_value)
      : name(std::move(its_name)), value(std::move(its_value)) {}
  std::string name;
  Value value;
};
Value text_value(std::string text);
Value number_value(double number);
std::optional<Value> parse_json(std::string_view text);
std::string emit_json(const Value& value);

// --- CSV -----------------------------------------------------------------------------------------
using Row = std::vector<std::string>;
// RFC 4180; commas, semicolons or tabs, whichever the first line has most of. Empty lines are left
// out.
std::vector<Row> parse_csv(std::string_view text);
std::string emit_csv(const std::vector<Row>& rows);
// The column that a word names, whatever its case.
std::optional<std::size_t> find_column(const Row& header, std::string_view word);

// --- codes ---------------------------------------------------------------------------------------
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);
std::string hex_encode(std::string_view bytes);
std::optional<std::string> hex_decode(std::string_view text);
struct Url {
  std::string scheme, host, port, path, query, fragment;
};
std::optional<Url> split_url(std::string_view text);

}  // namespace tool
