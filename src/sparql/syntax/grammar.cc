#include "sparql/syntax/grammar.h"

#include <charconv>
#include <utility>

#include "base/text/text.h"

namespace anima::sparql::syntax {

namespace {

bool equals_word(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 32) : text[i];
    if (c != upper[i]) return false;
  }
  return true;
}

template <typename Tree>
Result<Tree> parsed(std::string_view text, std::size_t limit, std::string_view base,
                    Tree (Grammar::*rule)()) {
  if (text.size() > limit) {
    return anima::fail(ErrorCode::kLimitExceeded,
                       "the text is " + std::to_string(text.size()) + " bytes long; the limit is " +
                           std::to_string(limit),
                       {}, "split it");
  }
  Grammar grammar(text, base);
  Tree tree = (grammar.*rule)();
  if (grammar.failed()) return anima::fail(grammar.error());
  return tree;
}

}  // namespace

Result<ast::Query> parse_query(std::string_view text, std::string_view base) {
  return parsed<ast::Query>(text, kMaxQueryBytes, base, &Grammar::query);
}

Result<ast::Update> parse_update(std::string_view text, std::string_view base) {
  return parsed<ast::Update>(text, kMaxUpdateBytes, base, &Grammar::update);
}

Grammar::Grammar(std::string_view text, std::string_view base)
    : lexer_(text), base_(std::string(base)) {
  advance();
}

Grammar::Deeper::Deeper(Grammar& grammar) : grammar_(grammar) {
  if (++grammar_.depth_ > kMaxDepth) {
    grammar_.exceed("the text is nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }
}

// --- tokens

void Grammar::advance() {
  lexer_.next(token_);
  if (failed()) token_.kind = Kind::kEnd;
}

bool Grammar::is_mark(std::string_view mark) const {
  return token_.kind == Kind::kMark && token_.text == mark;
}
bool Grammar::is_word(std::string_view word) const {
  return token_.kind == Kind::kWord && equals_word(token_.text, word);
}
bool Grammar::take_mark(std::string_view mark) {
  if (!is_mark(mark)) return false;
  advance();
  return true;
}
bool Grammar::take_word(std::string_view word) {
  if (!is_word(word)) return false;
  advance();
  return true;
}
void Grammar::expect_mark(std::string_view mark) {
  if (!take_mark(mark)) expected("\"" + std::string(mark) + "\"");
}
void Grammar::expect_word(std::string_view word) {
  if (!take_word(word)) expected(word);
}

void Grammar::expected(std::string_view what, std::string hint) {
  if (failed()) return;
  fail_at(token_.place, "expected " + std::string(what) + ", found " + lexer_.shown(token_),
          std::move(hint));
}

void Grammar::fail_at(const ast::Place& place, std::string message, std::string hint) {
  lexer_.fail(place, std::move(message), std::move(hint));
  token_.kind = Kind::kEnd;
}

void Grammar::exceed(std::string message) {
  if (!failed()) {
    limit_ = Error{ErrorCode::kLimitExceeded, std::move(message), text_of(token_.place),
                   "write it flatter, or in several requests"};
  }
  token_.kind = Kind::kEnd;
}

// --- prologue and names

void Grammar::prologue() {
  while (!failed()) {
    const ast::Place place = token_.place;
    if (take_word("BASE")) {
      if (token_.kind != Kind::kIri) return expected("an IRI in angle brackets");
      base_ = IriBase(resolve(token_.text, place));
      advance();
    } else if (take_word("PREFIX")) {
      if (token_.kind != Kind::kName || !token_.text.empty())
        return expected("a prefix and a colon");
      const std::string prefix = token_.prefix;
      advance();
      if (token_.kind != Kind::kIri) return expected("an IRI in angle brackets");
      prefixes_[prefix] = resolve(token_.text, place);
      advance();
    } else {
      return;
    }
  }
}

std::string Grammar::resolve(const std::string& reference, const ast::Place& place) {
  std::string out;
  if (!base_.resolve(reference, out)) {
    fail_at(place, "the IRI <" + reference + "> is relative, and there is no base",
            "write BASE <...> first, or give a base with --base");
  }
  return out;
}

std::string Grammar::iri() {
  std::string out;
  if (token_.kind == Kind::kIri) {
    out = resolve(token_.text, token_.place);
  } else if (token_.kind == Kind::kName) {
    const auto found = prefixes_.find(token_.prefix);
    if (found == prefixes_.end()) {
      fail_at(token_.place, "nothing declares the prefix \"" + token_.prefix + ":\"",
              "write PREFIX " + token_.prefix + ": <...> first");
      return out;
    }
    out = found->second + token_.text;
  } else {
    expected("an IRI");
    return out;
  }
  advance();
  return out;
}

std::string Grammar::variable() {
  std::string name;
  if (token_.kind != Kind::kVariable) {
    expected("a variable");
    return name;
  }
  if (!variables_allowed_) fail_at(token_.place, "data has no variables");
  name = token_.text;
  advance();
  return name;
}

ast::Term Grammar::variable_or_iri() {
  if (token_.kind == Kind::kVariable) return {ast::Term::Kind::kVariable, variable(), {}};
  if (!at_iri()) expected("a variable or an IRI");
  return {ast::Term::Kind::kIri, iri(), {}};
}

// --- queries

ast::Query Grammar::query() {
  ast::Query query;
  prologue();
  if (is_word("SELECT")) {
    select(query);
  } else if (take_word("CONSTRUCT")) {
    construct(query);
  } else if (take_word("DESCRIBE")) {
    describe(query);
  } else if (take_word("ASK")) {
    ask(query);
  } else {
    expected("SELECT, CONSTRUCT, DESCRIBE or ASK");
  }
  query.grouped = query.grouped || aggregate_seen_;
  query.base = base_.text();
  if (!at_end()) expected("the end of the query");
  return query;
}

// Of a query, or of a sub-select, whose grammar differs in the dataset alone.
void Grammar::select(ast::Query& query) {
  const Deeper deeper(*this);
  const bool outer_seen = std::exchange(aggregate_seen_, false);
  select_clause(query);
  if (depth_ == 1) dataset(query.dataset, "FROM");
  where(query);
  modifiers(query);
  query.grouped = query.grouped || aggregate_seen_;
  check_select(query);
  query.base = base_.text();
  aggregate_seen_ = outer_seen;
}

void Grammar::select_clause(ast::Query& query) {
  expect_word("SELECT");
  query.form = ast::Query::Form::kSelect;
  query.distinct = take_word("DISTINCT");
  query.reduced = !query.distinct && take_word("REDUCED");
  if (take_mark("*")) {
    query.star = true;
    return;
  }
  const bool outer = std::exchange(aggregates_allowed_, true);
  while (token_.kind == Kind::kVariable || is_mark("(")) projection(query);
  aggregates_allowed_ = outer;
  if (query.projection.empty()) expected("\"*\", a variable or an expression in brackets");
}

void Grammar::projection(ast::Query& query) {
  ast::Projection one;
  if (take_mark("(")) {
    one.expression = expression();
    expect_word("AS");
    const ast::Place place = token_.place;
    one.variable = variable();
    for (const ast::Projection& before : query.projection) {
      if (before.variable == one.variable)
        fail_at(place, "?" + one.variable + " is selected already, and cannot be computed");
    }
    expect_mark(")");
  } else {
    one.variable = variable();
  }
  query.projection.push_back(std::move(one));
}

void Grammar::construct(ast::Query& query) {
  query.form = ast::Query::Form::kConstruct;
  if (take_mark("{")) {
    blank_rule_ = BlankRule::kTemplate;
    triples(query.construct, false);
    blank_rule_ = BlankRule::kPattern;
    expect_mark("}");
    dataset(query.dataset, "FROM");
    where(query);
    return modifiers(query);
  }
  // The short form: what is matched is what is made.
  dataset(query.dataset, "FROM");
  expect_word("WHERE");
  const ast::Place place = token_.place;
  expect_mark("{");
  ++pattern_number_;
  triples(query.construct, false);
  expect_mark("}");
  ast::Element element;
  element.triples = query.construct;
  element.place = place;
  if (!element.triples.empty()) query.where.elements.push_back(std::move(element));
  modifiers(query);
}

void Grammar::describe(ast::Query& query) {
  query.form = ast::Query::Form::kDescribe;
  if (take_mark("*")) {
    query.star = true;
  } else {
    while (token_.kind == Kind::kVariable || at_iri()) query.describe.push_back(variable_or_iri());
    if (query.describe.empty()) expected("\"*\", a variable or an IRI");
  }
  dataset(query.dataset, "FROM");
  query.has_where = is_word("WHERE") || is_mark("{");
  if (query.has_where) where(query);
  modifiers(query);
  if (!query.star) return;
  VariableSet visible;
  add_visible_of_where(query, visible);
  for (const std::string& name : visible.names())
    query.describe.push_back({ast::Term::Kind::kVariable, name, {}});
}

void Grammar::ask(ast::Query& query) {
  query.form = ast::Query::Form::kAsk;
  dataset(query.dataset, "FROM");
  where(query);
  modifiers(query);
}

void Grammar::dataset(ast::Dataset& dataset, std::string_view word) {
  while (take_word(word)) {
    const bool named = take_word("NAMED");
    (named ? dataset.named_graphs : dataset.default_graphs).push_back(iri());
  }
}

void Grammar::where(ast::Query& query) {
  take_word("WHERE");
  query.where = group();
}

void Grammar::modifiers(ast::Query& query) {
  if (is_word("GROUP")) group_by(query);
  const bool outer = std::exchange(aggregates_allowed_, true);
  if (take_word("HAVING")) {
    query.grouped = true;
    do {
      query.having.push_back(constraint());
    } while (at_constraint());
  }
  if (is_word("ORDER")) order_by(query);
  aggregates_allowed_ = outer;
  limits(query);
  if (take_word("VALUES")) query.values = inline_data();
}

void Grammar::group_by(ast::Query& query) {
  expect_word("GROUP");
  expect_word("BY");
  query.grouped = true;
  do {
    ast::GroupKey key;
    if (token_.kind == Kind::kVariable) {
      key.expression = primary();
      key.variable = key.expression.term.text;
    } else if (take_mark("(")) {
      key.expression = expression();
      if (take_word("AS")) key.variable = variable();
      expect_mark(")");
    } else {
      key.expression = constraint();
    }
    query.group_by.push_back(std::move(key));
  } while (token_.kind == Kind::kVariable || at_constraint());
}

void Grammar::order_by(ast::Query& query) {
  expect_word("ORDER");
  expect_word("BY");
  const auto begins = [this] {
    return is_word("ASC") || is_word("DESC") || token_.kind == Kind::kVariable || at_constraint();
  };
  do {
    ast::OrderKey key;
    key.descending = is_word("DESC");
    if (take_word("ASC") || take_word("DESC")) {
      key.expression = bracketed();
    } else if (token_.kind == Kind::kVariable) {
      key.expression = primary();
    } else {
      key.expression = constraint();
    }
    query.order_by.push_back(std::move(key));
  } while (begins());
}

void Grammar::limits(ast::Query& query) {
  bool offset = false;
  while (!failed()) {
    if (!query.limit && take_word("LIMIT")) {
      query.limit = whole_number("the limit");
    } else if (!offset && take_word("OFFSET")) {
      query.offset = whole_number("the offset");
      offset = true;
    } else {
      return;
    }
  }
}

std::uint64_t Grammar::whole_number(std::string_view what) {
  if (token_.kind != Kind::kInteger) {
    expected("a whole number");
    return 0;
  }
  std::uint64_t number = 0;
  const char* const begin = token_.text.data();
  const auto read = std::from_chars(begin, begin + token_.text.size(), number);
  if (read.ec != std::errc{}) fail_at(token_.place, std::string(what) + " is too large");
  advance();
  return number;
}

void Grammar::check_select(ast::Query& query) {
  if (failed()) return;
  VariableSet visible;
  add_visible_of_where(query, visible);
  if (query.star) {
    if (query.grouped) {
      return fail_at(query.where.elements.empty() ? token_.place : query.where.elements[0].place,
                     "a query that groups cannot select \"*\"", "name what it selects");
    }
    for (const std::string& name : visible.names()) query.projection.push_back({name, {}});
    return;
  }
  for (const ast::Projection& one : query.projection) {
    if (one.expression && visible.contains(one.variable)) {
      return fail_at(
          one.expression->place,
          "?" + one.variable + " is bound in the pattern already, and cannot be computed",
          "give what is computed another name");
    }
  }
  if (query.grouped) check_grouping(query);
}

// What a group has one of: its keys, and what is computed of them and of aggregates.
void Grammar::check_grouping(const ast::Query& query) {
  VariableSet known;
  for (const ast::GroupKey& key : query.group_by) {
    if (!key.variable.empty()) known.add(key.variable);
  }
  if (query.values) {
    for (const std::string& name : query.values->variables) known.add(name);
  }
  for (const ast::Projection& one : query.projection) {
    std::string lost;
    ast::Place place = token_.place;
    if (!one.expression && !known.contains(one.variable)) lost = one.variable;
    if (one.expression) {
      place = one.expression->place;
      if (const auto* const unknown = first_unknown(*one.expression, known))
        lost = unknown->term.text;
    }
    if (!lost.empty()) {
      return fail_at(place, "?" + lost + " is not what the query groups by",
                     "put it into GROUP BY, or into an aggregate such as SAMPLE(?" + lost + ")");
    }
    known.add(one.variable);
  }
}

}  // namespace anima::sparql::syntax
