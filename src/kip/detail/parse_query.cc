// Graph patterns, conditions and FIND.
#include <optional>

#include "base/text/read_number.h"
#include "kip/detail/parser.h"

namespace anima::kip::detail {

Outcome<Find> Parser::find() {
  Find find;
  ANIMA_TRY(expect_word("FIND"));
  ANIMA_TRY(expect_punctuation("("));
  do {
    ANIMA_ASSIGN(FindItem item, find_item());
    find.items.push_back(std::move(item));
  } while (take_punctuation(","));
  ANIMA_TRY(expect_punctuation(")", "expressions in FIND are separated by commas"));
  ANIMA_ASSIGN(find.where, where());
  if (take_word("ORDER")) {
    ANIMA_TRY(expect_word("BY"));
    do {
      ANIMA_ASSIGN(OrderKey key, order_key());
      find.order.push_back(std::move(key));
    } while (take_punctuation(","));
  }
  if (take_word("LIMIT")) {
    ANIMA_ASSIGN(find.limit, count_atom("a limit", 1));
  }
  if (take_word("CURSOR")) {
    ANIMA_TRY(string_atom("a cursor", &find.cursor.emplace()));
  }
  if (at_word("ORDER") || at_word("LIMIT")) {
    return unexpected("the end of the command", "the order is WHERE, ORDER BY, LIMIT, CURSOR");
  }
  return find;
}

Outcome<FindItem> Parser::find_item() {
  FindItem item;
  if (token_.kind == TokenKind::kWord) {
    static constexpr std::pair<std::string_view, AggregateKind> kAggregates[] = {
        {"COUNT", AggregateKind::kCount},
        {"SUM", AggregateKind::kSum},
        {"AVG", AggregateKind::kAverage},
        {"MIN", AggregateKind::kMinimum},
        {"MAX", AggregateKind::kMaximum}};
    for (const auto& [name, kind] : kAggregates) {
      if (token_.text == name) item.aggregate = kind;
    }
    if (item.aggregate == AggregateKind::kNone) {
      return unexpected("a variable or one of COUNT, SUM, AVG, MIN, MAX");
    }
    advance();
    ANIMA_TRY(expect_punctuation("("));
    item.distinct = take_word("DISTINCT");
    ANIMA_ASSIGN(item.path, dot_path());
    ANIMA_TRY(expect_punctuation(")"));
    return item;
  }
  ANIMA_ASSIGN(item.path, dot_path());
  return item;
}

Outcome<OrderKey> Parser::order_key() {
  OrderKey key;
  ANIMA_ASSIGN(key.item, find_item());
  if (take_word("DESC")) {
    key.descending = true;
  } else {
    take_word("ASC");
  }
  return key;
}

Outcome<std::vector<Clause>> Parser::where() {
  ANIMA_TRY(expect_word("WHERE"));
  return block(true);
}

Outcome<std::vector<Clause>> Parser::block(bool may_be_empty) {
  ANIMA_TRY(deeper());
  ANIMA_TRY(expect_punctuation("{"));
  std::vector<Clause> clauses;
  while (!at_punctuation("}")) {
    ANIMA_ASSIGN(Clause next, clause());
    clauses.push_back(std::move(next));
    if (at_punctuation(","))
      return unexpected("a clause or '}'", "clauses stand side by side without commas");
  }
  if (clauses.empty() && !may_be_empty)
    return unexpected("a clause", "an empty block matches nothing");
  advance();
  shallower();
  return clauses;
}

Outcome<Clause> Parser::clause() {
  Clause clause;
  clause.place = place();
  if (token_.kind == TokenKind::kVariable) {
    ANIMA_ASSIGN(clause.variable, variable("a variable"));
    if (at_punctuation("{")) {
      ANIMA_TRY(concept_match(true, &clause.concept_match));
      return clause;
    }
    if (!at_punctuation("(")) {
      return unexpected(
          "'{' or '(' after ?" + clause.variable,
          "match a concept with {type: ..} or a link with (subject, predicate, object)");
    }
    clause.kind = Clause::Kind::kLink;
    ANIMA_TRY(link_match(&clause.link));
    return clause;
  }
  if (at_punctuation("(")) {
    clause.kind = Clause::Kind::kLink;
    ANIMA_TRY(link_match(&clause.link));
    return clause;
  }
  if (take_word("FILTER")) {
    clause.kind = Clause::Kind::kFilter;
    ANIMA_TRY(expect_punctuation("("));
    ANIMA_ASSIGN(clause.condition, condition());
    ANIMA_TRY(expect_punctuation(")"));
    return clause;
  }
  if (take_word("NOT")) {
    clause.kind = Clause::Kind::kNot;
  } else if (take_word("OPTIONAL")) {
    clause.kind = Clause::Kind::kOptional;
  } else if (take_word("UNION")) {
    clause.kind = Clause::Kind::kUnion;
  } else {
    return unexpected(
        "a clause (?x {..}, (s, p, o), FILTER, NOT, OPTIONAL, UNION) or '}'",
        at_punctuation("{") ? "a concept pattern in WHERE starts with its variable: ?x {..}" : "");
  }
  ANIMA_ASSIGN(clause.block, block(false));
  return clause;
}

Check Parser::concept_match(bool may_be_empty, ConceptMatch* into) {
  ConceptMatch& match = *into;
  match.place = place();
  ANIMA_TRY(expect_punctuation("{"));
  if (may_be_empty && take_punctuation("}")) return {};
  do {
    const Place key = place();
    std::optional<Atom>* field = at_word("type")   ? &match.type
                                 : at_word("name") ? &match.name
                                 : at_word("id")   ? &match.id
                                                   : nullptr;
    if (field == nullptr) {
      return unexpected("id, type or name", token_.kind == TokenKind::kString
                                                ? "the keys of a concept pattern are bare words"
                                                : "attributes are tested with FILTER");
    }
    if (*field) return syntax(key.offset, "this key stands twice in the pattern");
    advance();
    ANIMA_TRY(expect_colon());
    ANIMA_TRY(string_atom("a string or a placeholder", &field->emplace()));
  } while (take_punctuation(","));
  ANIMA_TRY(expect_punctuation("}"));
  if (match.id && (match.type || match.name)) {
    return syntax(match.place.offset, "an id excludes type and name", "use {id: ..} alone");
  }
  return {};
}

Check Parser::link_match(LinkMatch* into) {
  LinkMatch& match = *into;
  match.place = place();
  ANIMA_TRY(deeper());
  ANIMA_TRY(expect_punctuation("("));
  if (take_word("id")) {
    ANIMA_TRY(expect_colon());
    ANIMA_TRY(string_atom("a string or a placeholder", &match.id.emplace()));
  } else {
    ANIMA_TRY(endpoint(&match.subject));
    ANIMA_TRY(expect_punctuation(","));
    ANIMA_TRY(predicate(&match.predicate));
    ANIMA_TRY(expect_punctuation(","));
    ANIMA_TRY(endpoint(&match.object));
  }
  ANIMA_TRY(expect_punctuation(")"));
  shallower();
  return {};
}

Check Parser::endpoint(Endpoint* into) {
  Endpoint& end = *into;
  end.place = place();
  if (token_.kind == TokenKind::kVariable) {
    ANIMA_ASSIGN(end.variable, variable("a variable"));
    if (at_punctuation("{")) {
      return unexpected("','", "a pattern inside a link has no variable: put ?" + end.variable +
                                   " {..} on its own line");
    }
    return {};
  }
  if (at_punctuation("{")) {
    end.kind = Endpoint::Kind::kConcept;
    return concept_match(false, &end.concept_match);
  }
  if (at_punctuation("(")) {
    end.kind = Endpoint::Kind::kLink;
    return link_match(&end.link.emplace_back());
  }
  return unexpected("a variable, {..} or (..)");
}

Check Parser::predicate(PredicateMatch* into) {
  PredicateMatch& match = *into;
  match.place = place();
  if (token_.kind == TokenKind::kVariable) {
    ANIMA_ASSIGN(match.variable, variable("a variable"));
    if (at_punctuation("{") || at_punctuation("|")) {
      return unexpected("','", "a predicate variable takes neither hops nor alternatives");
    }
    return {};
  }
  do {
    ANIMA_TRY(string_atom("a predicate in double quotes", &match.names.emplace_back()));
  } while (take_punctuation("|"));
  if (at_punctuation("{")) {
    if (match.names.size() > 1) return unexpected("','", "alternatives take no hops");
    ANIMA_ASSIGN(match.hops, hops());
  }
  return {};
}

Outcome<Hops> Parser::hops() {
  const Place start = place();
  const auto count = [this]() -> Outcome<std::uint32_t> {
    const auto number =
        token_.kind == TokenKind::kInteger ? read_number<std::uint32_t>(token_.text) : std::nullopt;
    if (!number) return unexpected("a number of hops", "hops are written {n}, {m,n} or {m,}");
    advance();
    return *number;
  };
  Hops hops;
  ANIMA_TRY(expect_punctuation("{"));
  ANIMA_ASSIGN(hops.minimum, count());
  if (take_punctuation(",")) {
    if (!at_punctuation("}")) {
      ANIMA_ASSIGN(hops.maximum, count());
    }
  } else {
    hops.maximum = hops.minimum;
  }
  ANIMA_TRY(expect_punctuation("}"));
  if (hops.maximum && *hops.maximum < hops.minimum) {
    return syntax(
        start.offset, "the range of hops runs backwards",
        "write {" + std::to_string(*hops.maximum) + "," + std::to_string(hops.minimum) + "}");
  }
  return hops;
}

Outcome<Condition> Parser::condition() {
  ANIMA_TRY(deeper());
  Condition result;
  result.kind = Condition::Kind::kOr;
  result.place = place();
  do {
    ANIMA_ASSIGN(Condition part, conjunction());
    result.parts.push_back(std::move(part));
  } while (take_punctuation("||"));
  shallower();
  if (result.parts.size() > 1) return result;
  return std::move(result.parts.front());
}

Outcome<Condition> Parser::conjunction() {
  Condition result;
  result.kind = Condition::Kind::kAnd;
  result.place = place();
  do {
    ANIMA_ASSIGN(Condition part, unary());
    result.parts.push_back(std::move(part));
  } while (take_punctuation("&&"));
  if (result.parts.size() > 1) return result;
  return std::move(result.parts.front());
}

Outcome<Condition> Parser::unary() {
  if (at_punctuation("!")) {
    Condition result;
    result.kind = Condition::Kind::kNot;
    result.place = place();
    advance();
    ANIMA_TRY(deeper());
    ANIMA_ASSIGN(Condition part, unary());
    shallower();
    result.parts.push_back(std::move(part));
    return result;
  }
  if (take_punctuation("(")) {
    ANIMA_ASSIGN(Condition inner, condition());
    ANIMA_TRY(expect_punctuation(")"));
    return inner;
  }
  if (token_.kind == TokenKind::kWord) {
    if (const FilterFunction* const known = find_filter_function(token_.text))
      return function(*known);
  }
  return comparison();
}

Outcome<Condition> Parser::function(const FilterFunction& known) {
  Condition result;
  result.kind = known.kind;
  result.place = place();
  advance();
  ANIMA_TRY(expect_punctuation("("));
  ANIMA_ASSIGN(Condition first, operand());
  result.parts.push_back(std::move(first));
  if (known.arguments == FilterArguments::kValueList) {
    ANIMA_TRY(expect_punctuation(","));
    if (token_.kind == TokenKind::kPlaceholder) {
      result.whole_list = true;
      ANIMA_ASSIGN(Condition list, operand());
      result.parts.push_back(std::move(list));
    } else {
      ANIMA_TRY(expect_punctuation("[", "IN takes a list: IN(?x.name, [\"a\", \"b\"])"));
      do {
        ANIMA_ASSIGN(Condition item, operand());
        result.parts.push_back(std::move(item));
      } while (take_punctuation(","));
      ANIMA_TRY(expect_punctuation("]"));
    }
  } else if (known.arguments == FilterArguments::kTwo) {
    ANIMA_TRY(expect_punctuation(","));
    ANIMA_ASSIGN(Condition second, operand());
    result.parts.push_back(std::move(second));
  }
  ANIMA_TRY(expect_punctuation(")"));
  return result;
}

Outcome<Condition> Parser::comparison() {
  Condition result;
  result.place = place();
  ANIMA_ASSIGN(Condition left, operand());
  static constexpr std::pair<std::string_view, Condition::Kind> kComparisons[] = {
      {"==", Condition::Kind::kEqual},     {"!=", Condition::Kind::kNotEqual},
      {"<=", Condition::Kind::kLessEqual}, {">=", Condition::Kind::kGreaterEqual},
      {"<", Condition::Kind::kLess},       {">", Condition::Kind::kGreater}};
  for (const auto& [mark, kind] : kComparisons) {
    if (!take_punctuation(mark)) continue;
    result.kind = kind;
    ANIMA_ASSIGN(Condition right, operand());
    result.parts.push_back(std::move(left));
    result.parts.push_back(std::move(right));
    return result;
  }
  return unexpected("a comparison", "compare with == != < <= > >=, as in ?x.attributes.ok == true");
}

Outcome<Condition> Parser::operand() {
  Condition result;
  result.place = place();
  if (token_.kind == TokenKind::kVariable) {
    result.operand.kind = Value::Kind::kPath;
    result.operand.place = place();
    ANIMA_ASSIGN(result.operand.path, dot_path());
    return result;
  }
  if (at_punctuation("[") || at_punctuation("{")) {
    return unexpected("a scalar value, a placeholder or a dot path");
  }
  ANIMA_TRY(value(false, &result.operand));
  return result;
}

}  // namespace anima::kip::detail
