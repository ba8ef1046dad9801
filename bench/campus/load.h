// The campus graph from N-Triples into a space: things as concepts, links and literals as what they
// are.
#pragma once

#include <charconv>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/bulk.h"
#include "store/transaction.h"

namespace anima::campus {

using store::EntityId;
using store::Predicate;
using store::Term;

// A line of N-Triples: its three tokens.
struct Statement {
  std::string_view s, p, o;
};

inline constexpr std::string_view kType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

inline std::string_view local(std::string_view iri) {
  const std::size_t at = iri.find_last_of("/#");
  return iri.substr(at + 1, iri.size() - at - 2);
}

inline std::vector<Statement> parse(std::string_view text) {
  std::vector<Statement> statements;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t a = line.find(' '), b = line.find(' ', a + 1);
    if (b == std::string_view::npos) continue;
    statements.push_back({line.substr(0, a), line.substr(a + 1, b - a - 1),
                          line.substr(b + 1, line.size() - b - 3)});
  }
  return statements;
}

// "text" or "12"^^<...#integer>
inline store::Value literal(std::string_view token) {
  const std::size_t close = token.rfind('"');
  const std::string_view inside = token.substr(1, close - 1);
  if (close + 1 < token.size()) {
    std::int64_t number = 0;
    std::from_chars(inside.data(), inside.data() + inside.size(), number);
    return store::Value::of(number);
  }
  return store::Value::string(inside);
}

inline Status load(store::Transaction& transaction, const std::vector<Statement>& statements) {
  std::unordered_map<std::string_view, EntityId> types, predicates;
  std::unordered_map<std::string_view, EntityId> type_of, things;
  std::unordered_map<std::string_view, Predicate> attributes;
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_type("Entity"));
  for (const Statement& it : statements) {
    if (it.p == kType) {
      if (types.find(it.o) == types.end()) {
        ANIMA_ASSIGN(types[it.o], transaction.upsert_type(local(it.o)));
      }
      type_of.emplace(it.s, types[it.o]);
    } else if (it.o[0] == '<') {
      if (predicates.find(it.p) == predicates.end()) {
        ANIMA_ASSIGN(predicates[it.p], transaction.upsert_predicate(local(it.p)));
      }
    } else if (attributes.find(it.p) == attributes.end()) {
      ANIMA_ASSIGN(const Term key, transaction.term(store::Value::string(local(it.p)).view()));
      attributes.emplace(it.p, Predicate::attribute(key));
    }
  }
  store::BulkWriter bulk(transaction, {});
  const auto thing = [&](std::string_view iri) -> Result<EntityId> {
    if (const auto known = things.find(iri); known != things.end()) return known->second;
    const auto type = type_of.find(iri);
    ANIMA_ASSIGN(const EntityId id,
                 bulk.upsert_concept(type == type_of.end() ? entity : type->second, local(iri)));
    things.emplace(iri, id);
    return id;
  };
  for (const Statement& it : statements) {
    ANIMA_ASSIGN(const EntityId subject, thing(it.s));
    if (it.p == kType) continue;
    if (it.o[0] == '<') {
      ANIMA_ASSIGN(const EntityId object, thing(it.o));
      bulk.add({subject, Predicate::link(predicates[it.p]), Term::entity(object)});
    } else {
      ANIMA_ASSIGN(const Term value, bulk.term(literal(it.o).view()));
      bulk.add({subject, attributes.find(it.p)->second, value});
    }
  }
  return bulk.finish();
}

}  // namespace anima::campus
