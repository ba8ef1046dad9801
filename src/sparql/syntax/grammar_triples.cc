// Triples, the terms in them, and property paths.
#include <utility>

#include "sparql/ntriples.h"
#include "sparql/rdf_mapping.h"
#include "sparql/syntax/grammar.h"

namespace anima::sparql::syntax {

namespace {

constexpr std::string_view kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

ast::Term iri_term(std::string_view text) { return {ast::Term::Kind::kIri, std::string(text), {}}; }
ast::Term rdf_term(std::string_view local) {
  return iri_term(std::string(kRdf) + std::string(local));
}

ast::Term typed(std::string text, std::string_view datatype) {
  return {ast::Term::Kind::kTyped, std::move(text), std::string(kXsd) + std::string(datatype)};
}

ast::Path iri_path(std::string iri) {
  ast::Path path;
  path.iri = std::move(iri);
  return path;
}

ast::Path path_over(ast::Path::Kind kind, ast::Path part) {
  ast::Path path;
  path.kind = kind;
  path.parts.push_back(std::move(part));
  return path;
}

ast::TriplePattern triple(const ast::Term& subject, std::variant<ast::Term, ast::Path> verb,
                          ast::Term object, const ast::Place& place) {
  return {subject, std::move(verb), std::move(object), place};
}

}  // namespace

// --- triples

bool Grammar::at_node() const {
  switch (token_.kind) {
    case Kind::kIri:
    case Kind::kName:
    case Kind::kBlank:
    case Kind::kVariable:
    case Kind::kInteger:
    case Kind::kDecimal:
    case Kind::kDouble:
    case Kind::kString:
      return true;
    case Kind::kMark:
      return is_mark("(") || is_mark("[") || is_mark("+") || is_mark("-");
    case Kind::kWord:
      return is_word("TRUE") || is_word("FALSE");
    default:
      return false;
  }
}

void Grammar::triples(Triples& out, bool paths) {
  while (at_node()) {
    same_subject(out, paths);
    if (!take_mark(".")) return;
  }
}

void Grammar::same_subject(Triples& out, bool paths) {
  bool stands_alone = false;
  const ast::Term subject = node(out, paths, &stands_alone);
  if (stands_alone && !at_verb(paths)) return;
  property_list(subject, out, paths);
}

bool Grammar::at_verb(bool paths) const {
  if (token_.kind == Kind::kVariable || at_iri()) return true;
  if (token_.kind == Kind::kWord) return token_.text == "a";
  return paths && (is_mark("^") || is_mark("!") || is_mark("("));
}

void Grammar::property_list(const ast::Term& subject, Triples& out, bool paths) {
  if (!at_verb(paths)) return expected("a predicate");
  while (!failed()) {
    const ast::Place place = token_.place;
    const std::variant<ast::Term, ast::Path> predicate = verb(paths);
    do {
      bool stands_alone = false;
      ast::Term object = node(out, paths, &stands_alone);
      out.push_back(triple(subject, predicate, std::move(object), place));
    } while (take_mark(","));
    if (!is_mark(";")) return;
    while (take_mark(";")) {
    }
    if (!at_verb(paths)) return;
  }
}

std::variant<ast::Term, ast::Path> Grammar::verb(bool paths) {
  if (token_.kind == Kind::kVariable) return ast::Term{ast::Term::Kind::kVariable, variable(), {}};
  if (paths) return path();
  if (token_.kind == Kind::kWord && token_.text == "a") {
    advance();
    return iri_path(std::string(kRdfType));
  }
  return iri_path(iri());
}

// A term, a collection or a blank node with its properties. `stands_alone`: it says something
// without a predicate behind it.
ast::Term Grammar::node(Triples& out, bool paths, bool* stands_alone) {
  if (is_mark("(")) {
    ast::Term term = collection(out, paths);
    *stands_alone = term.kind == ast::Term::Kind::kBlank;
    return term;
  }
  if (is_mark("[")) {
    const std::size_t before = out.size();
    ast::Term term = blank_property_list(out, paths);
    *stands_alone = out.size() > before;
    return term;
  }
  auto term = plain_term();
  if (!term) {
    expected("a variable, an IRI, a literal or a blank node");
    return {};
  }
  return std::move(*term);
}

ast::Term Grammar::collection(Triples& out, bool paths) {
  const Deeper deeper(*this);
  expect_mark("(");
  if (take_mark(")")) return rdf_term("nil");
  const ast::Place place = token_.place;
  const ast::Term first = fresh_blank();
  ast::Term cell = first;
  while (!failed()) {
    bool stands_alone = false;
    ast::Term member = node(out, paths, &stands_alone);
    out.push_back(triple(cell, iri_path(rdf_term("first").text), std::move(member), place));
    const bool last = is_mark(")");
    const ast::Term rest = last ? rdf_term("nil") : fresh_blank();
    out.push_back(triple(cell, iri_path(rdf_term("rest").text), rest, place));
    if (last) break;
    cell = rest;
  }
  expect_mark(")");
  return first;
}

ast::Term Grammar::blank_property_list(Triples& out, bool paths) {
  const Deeper deeper(*this);
  expect_mark("[");
  ast::Term term = fresh_blank();
  if (take_mark("]")) return term;
  property_list(term, out, paths);
  expect_mark("]");
  return term;
}

std::optional<ast::Term> Grammar::plain_term() {
  if (token_.kind == Kind::kVariable) return ast::Term{ast::Term::Kind::kVariable, variable(), {}};
  if (at_iri()) return iri_term(iri());
  if (token_.kind == Kind::kBlank) {
    ast::Term term = blank(token_.text, token_.place);
    advance();
    return term;
  }
  return literal();
}

std::optional<ast::Term> Grammar::literal() {
  if (token_.kind == Kind::kString) return string_literal();
  for (const std::string_view word : {"true", "false"}) {
    if (!is_word(word == "true" ? "TRUE" : "FALSE")) continue;
    advance();
    return typed(std::string(word), "boolean");
  }
  return number();
}

// With its sign, when that stands right before it.
std::optional<ast::Term> Grammar::number() {
  std::string text;
  if (is_mark("+") || is_mark("-")) {
    const std::size_t end = token_.end;
    text = token_.text;
    advance();
    const bool adjacent = token_.begin == end;
    if (!adjacent || (token_.kind != Kind::kInteger && token_.kind != Kind::kDecimal &&
                      token_.kind != Kind::kDouble)) {
      expected("a number right behind its sign");
      return std::nullopt;
    }
  }
  std::string_view datatype;
  if (token_.kind == Kind::kInteger) datatype = "integer";
  if (token_.kind == Kind::kDecimal) datatype = "decimal";
  if (token_.kind == Kind::kDouble) datatype = "double";
  if (datatype.empty()) return std::nullopt;
  text += token_.text;
  advance();
  return typed(std::move(text), datatype);
}

ast::Term Grammar::string_literal() {
  ast::Term term;
  term.kind = ast::Term::Kind::kString;
  term.text = token_.text;
  advance();
  if (token_.kind == Kind::kLanguage) {
    term.kind = ast::Term::Kind::kLanguageString;
    term.extra = token_.text;
    advance();
  } else if (take_mark("^^")) {
    term.extra = iri();
    term.kind = ast::Term::Kind::kTyped;
    if (term.extra == std::string(kXsd) + "string") {
      term.kind = ast::Term::Kind::kString;
      term.extra.clear();
    }
  }
  return term;
}

// --- blank nodes

ast::Term Grammar::fresh_blank() {
  if (blank_rule_ == BlankRule::kForbidden)
    fail_at(token_.place, "what is deleted has no blank nodes", "use a variable and WHERE");
  return {ast::Term::Kind::kBlank, "." + std::to_string(++fresh_), {}};
}

ast::Term Grammar::blank(const std::string& label, const ast::Place& place) {
  switch (blank_rule_) {
    case BlankRule::kForbidden:
      fail_at(place, "what is deleted has no blank nodes", "use a variable and WHERE");
      break;
    case BlankRule::kPattern:
      if (pattern_of_label_.try_emplace(label, pattern_number_).first->second != pattern_number_) {
        fail_at(place, "the blank node _:" + label + " stands in two basic graph patterns",
                "use a variable");
      }
      break;
    case BlankRule::kData:
      if (operation_of_label_.try_emplace(label, operation_number_).first->second !=
          operation_number_) {
        fail_at(place, "the blank node _:" + label + " stands in two operations",
                "use another label");
      }
      break;
    case BlankRule::kTemplate:
      break;
  }
  return {ast::Term::Kind::kBlank, label, {}};
}

// --- property paths

ast::Path Grammar::path() {
  const Deeper deeper(*this);
  ast::Path first = path_sequence();
  if (!is_mark("|")) return first;
  ast::Path path = path_over(ast::Path::Kind::kAlternative, std::move(first));
  while (take_mark("|") && within_chain(path.parts.size())) path.parts.push_back(path_sequence());
  return path;
}

ast::Path Grammar::path_sequence() {
  ast::Path first = path_element(true);
  if (!is_mark("/")) return first;
  ast::Path path = path_over(ast::Path::Kind::kSequence, std::move(first));
  while (take_mark("/") && within_chain(path.parts.size()))
    path.parts.push_back(path_element(true));
  return path;
}

ast::Path Grammar::path_element(bool inverse_allowed) {
  if (inverse_allowed && take_mark("^"))
    return path_over(ast::Path::Kind::kInverse, path_element(false));
  ast::Path path = path_primary();
  if (take_mark("*")) return path_over(ast::Path::Kind::kZeroOrMore, std::move(path));
  if (take_mark("+")) return path_over(ast::Path::Kind::kOneOrMore, std::move(path));
  if (take_mark("?")) return path_over(ast::Path::Kind::kZeroOrOne, std::move(path));
  return path;
}

ast::Path Grammar::path_primary() {
  if (take_mark("(")) {
    ast::Path inner = path();
    expect_mark(")");
    return inner;
  }
  if (take_mark("!")) {
    ast::Path negated;
    negated.kind = ast::Path::Kind::kNegated;
    path_negated(negated);
    return negated;
  }
  if (token_.kind == Kind::kWord && token_.text == "a") {
    advance();
    return iri_path(std::string(kRdfType));
  }
  if (!at_iri()) expected("a predicate or a property path");
  return iri_path(iri());
}

void Grammar::path_negated(ast::Path& path) {
  if (!take_mark("(")) return path_negated_one(path);
  if (take_mark(")")) return;
  do {
    path_negated_one(path);
  } while (take_mark("|") && !failed());
  expect_mark(")");
}

void Grammar::path_negated_one(ast::Path& path) {
  auto& side = take_mark("^") ? path.backward : path.forward;
  if (token_.kind == Kind::kWord && token_.text == "a") {
    advance();
    side.emplace_back(kRdfType);
  } else {
    if (!at_iri()) expected("a predicate");
    side.push_back(iri());
  }
}

}  // namespace anima::sparql::syntax
