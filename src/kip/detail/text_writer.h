// KIP text in the making: values, and the patterns that all statements share. What does not fit a
// line stands one element a line. Thread-safety: belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kip/syntax.h"

namespace anima::kip::detail {

class TextWriter {
 public:
  std::string take() { return std::move(out_); }

 protected:
  void line();  // a new one, indented
  void text(std::string_view value);
  void atom(const Atom& atom, bool is_count);  // a count stands bare, a text in quotes
  void path(const DotPath& path);
  void value(const Value& value, bool flat);  // flat: on one line, however long
  void concept_match(const ConceptMatch& match);
  void endpoint(const Endpoint& end);
  void link_match(const LinkMatch& match);
  void where(const std::vector<Clause>& clauses);

  std::string out_;
  std::size_t indent_ = 0;

 private:
  std::size_t column() const;
  void key(const std::string& key);
  void number(double value);
  void list(const Value& value, char open, char close, bool flat);
  // On one line when it fits there, else one element a line.
  void collection(const Value& value, char open, char close, bool flat);
  void predicate(const PredicateMatch& match);
  // In parentheses when it binds less than `minimum`: 0 or, 1 and, 2 all else.
  void condition(const Condition& it, int minimum);
  void infix(const Condition& it, const char* mark, int minimum);
  void call(std::string_view name, const Condition& it);
  void bare_condition(const Condition& it);
  void membership(const Condition& it);
  void clause(const Clause& it);
  void block(const std::vector<Clause>& clauses);
};

}  // namespace anima::kip::detail
