#include "memory/contradiction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "govern/trust.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;
using store::Triple;

constexpr std::string_view kFunctional = "functional";
constexpr std::string_view kDisjoint = "disjoint_with";
constexpr std::string_view kBegin = "valid_from", kEnd = "valid_to", kNewer = "superseded_by";
constexpr std::string_view kLinkId = "P:";

// The texts of an attribute of a definition that holds one or several.
std::vector<std::string> texts_of(const store::Snapshot& snapshot, EntityId entity,
                                  std::string_view key) {
  std::vector<std::string> texts;
  const auto name = snapshot.find_string(key);
  if (!name) return texts;
  store::Scratch scratch;
  const Predicate attribute = Predicate::attribute(*name);
  for (const std::uint32_t code : snapshot.objects(entity, attribute, scratch)) {
    if (!store::defines(snapshot, entity, attribute, Term{code})) continue;
    const store::ValueView value = snapshot.value(Term{code});
    if (value.kind == store::ValueKind::kString) {
      texts.emplace_back(value.text);
    } else if (value.kind == store::ValueKind::kJson) {
      const auto list = parse_json(value.text);
      if (!list || !list->is_array()) continue;
      for (const Json& item : list->as_array()) {
        if (item.is_string()) texts.push_back(item.as_string());
      }
    }
  }
  return texts;
}

}  // namespace

Contradictions::Contradictions(const store::Snapshot& snapshot)
    : snapshot_(snapshot), now_(snapshot.entry(snapshot.sequence()).time) {
  if (!snapshot.find_string(kFunctional) && !snapshot.find_string(kDisjoint)) return;
  // The definitions, not the predicates in use: there are few, and finding these reads their links.
  store::Scratch scratch;
  const auto codes =
      snapshot.subjects(store::kTypePredicate, Term::entity(store::kPropositionType), scratch);
  std::vector<std::uint32_t> definitions(codes.begin(), codes.end());
  std::sort(definitions.begin(), definitions.end());
  for (const std::uint32_t code : definitions) {
    const EntityId entity{code};
    const Predicate predicate = Predicate::link(entity);
    if (store::is_functional(snapshot, predicate)) functional_.push_back(predicate);
    for (const std::string& other : texts_of(snapshot, entity, kDisjoint)) {
      const auto known = snapshot.find_predicate(other);
      if (!known || Predicate::link(*known) == predicate) continue;
      disjoint_[predicate].push_back(Predicate::link(*known));
      disjoint_[Predicate::link(*known)].push_back(predicate);
    }
  }
  for (auto& [predicate, others] : disjoint_) {
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
  }
}

std::string Contradictions::relation(Predicate predicate) const {
  return store::predicate_label(snapshot_, predicate);
}

Conflict Contradictions::settle(const Triple& a, const Triple& b, std::string why) const {
  const store::Standing first = store::standing_of(snapshot_, a);
  const store::Standing second = store::standing_of(snapshot_, b);
  const bool valid = is_valid_now(first);
  const bool equal = !store::outranks(first, second) && !store::outranks(second, first);
  const bool a_wins = valid != is_valid_now(second) ? valid
                      : equal ? std::tie(a.object, a.predicate) < std::tie(b.object, b.predicate)
                              : store::outranks(first, second);
  return a_wins ? judged(a, b, std::move(why)) : judged(b, a, std::move(why));
}

bool Contradictions::is_valid_now(const store::Standing& standing) const {
  return store::is_valid(standing, now_, Timestamp{now_.microseconds + 1});
}

Conflict Contradictions::judged(const Triple& effective, const Triple& other,
                                std::string why) const {
  Conflict conflict{effective, other, Verdict::kOlder, std::move(why)};
  const store::Standing winner = store::standing_of(snapshot_, effective);
  const store::Standing loser = store::standing_of(snapshot_, other);
  conflict.reason +=
      fmt::format("; \"{}\" {} \"{}\" ", store::symbol_label(snapshot_, effective.subject),
                  relation(effective.predicate), store::term_label(snapshot_, effective.object));
  if (!store::overlap(winner, loser)) {
    conflict.verdict = Verdict::kEnded;
    conflict.reason += "is valid at another time than the other";
  } else if (is_valid_now(winner) != is_valid_now(loser)) {
    conflict.verdict = Verdict::kEnded;
    conflict.reason += "is valid now, the other is not";
  } else if (winner.trust != loser.trust) {
    conflict.verdict = Verdict::kOutranked;
    conflict.reason +=
        fmt::format("is trusted more ({}, the other {})", govern::trust_name(winner.trust),
                    govern::trust_name(loser.trust));
  } else if (!store::outranks(winner, loser)) {
    conflict.verdict = Verdict::kEven;
    conflict.reason += "was said in the same breath, and nothing tells which is right";
  } else {
    conflict.reason += fmt::format("was observed last ({})", format_timestamp(winner.observed));
  }
  return conflict;
}

std::vector<Conflict> Contradictions::conflicts_of_value(const Triple& triple) const {
  store::Scratch scratch;
  const auto codes = snapshot_.objects(triple.subject, triple.predicate, scratch);
  if (codes.size() < 2) return {};
  const std::vector<std::uint32_t> all(codes.begin(), codes.end());
  const auto held = store::holding_values(snapshot_, triple.subject, triple.predicate, all);
  const auto holds = [&](std::uint32_t code) {
    return std::find(held.begin(), held.end(), code) != held.end();
  };
  const bool effective = holds(triple.object.code);
  std::vector<Conflict> conflicts;
  for (const std::uint32_t code : all) {
    if (holds(code) == effective) continue;
    const Triple other{triple.subject, triple.predicate, Term{code}};
    std::string why = relation(triple.predicate) + " is said differently";
    conflicts.push_back(effective ? judged(triple, other, std::move(why))
                                  : judged(other, triple, std::move(why)));
  }
  return conflicts;
}

std::vector<Conflict> Contradictions::conflicts_of(const Triple& triple) const {
  if (triple.predicate.predicate_class() == store::PredicateClass::kAttribute)
    return conflicts_of_value(triple);
  std::vector<Conflict> conflicts;
  if (std::binary_search(functional_.begin(), functional_.end(), triple.predicate)) {
    store::Scratch scratch;
    const auto objects = snapshot_.objects(triple.subject, triple.predicate, scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(objects.begin(), objects.end())) {
      if (Term{code} == triple.object) continue;
      conflicts.push_back(settle(triple, {triple.subject, triple.predicate, Term{code}},
                                 relation(triple.predicate) + " is functional"));
    }
  }
  const auto disjoint = disjoint_.find(triple.predicate);
  if (disjoint == disjoint_.end()) return conflicts;
  for (const Predicate other : disjoint->second) {
    const Triple opposite{triple.subject, other, triple.object};
    if (!snapshot_.contains(opposite)) continue;
    conflicts.push_back(
        settle(triple, opposite,
               fmt::format("{} and {} are disjoint", relation(triple.predicate), relation(other))));
  }
  return conflicts;
}

std::string Contradictions::superseded(const Triple& triple) const {
  for (const Conflict& conflict : conflicts_of(triple)) {
    if (conflict.superseded == triple && conflict.verdict != Verdict::kEven) return conflict.reason;
  }
  return out_of_time(triple);
}

std::string Contradictions::out_of_time(const Triple& triple) const {
  const store::Standing standing = store::standing_of(snapshot_, triple);
  if (is_valid_now(standing)) return {};
  const auto link = snapshot_.find_proposition(triple);
  if (!link) return {};
  if (standing.valid_to && *standing.valid_to <= now_) {
    return fmt::format("ended on {}{}{}", format_timestamp(*standing.valid_to).substr(0, 10),
                       said_by(*link, kEnd), newer_of(*link));
  }
  return fmt::format("holds from {} on{}", format_timestamp(*standing.valid_from).substr(0, 10),
                     said_by(*link, kBegin));
}

// ", by Ada": whoever said so last of those who are trusted most.
std::string Contradictions::said_by(EntityId link, std::string_view key) const {
  const auto value = store::said_of_link(snapshot_, link, key);
  const auto name = snapshot_.find_string(key);
  if (!value || !name) return {};
  const auto entry =
      store::standing_of(snapshot_, {link, Predicate::metadata(*name), *value}).asserted;
  return entry == store::Sequence::kNone ? std::string()
                                         : fmt::format(", by {}", snapshot_.entry(entry).author);
}

std::string Contradictions::newer_of(EntityId link) const {
  const auto said = store::said_of_link(snapshot_, link, kNewer);
  std::string_view id = said ? snapshot_.value(*said).text : std::string_view();
  if (!id.starts_with(kLinkId)) return {};
  id.remove_prefix(kLinkId.size());
  const auto number = read_number<std::uint32_t>(id);
  if (!number) return {};
  const EntityId newer{*number};
  if (*number >= snapshot_.entity_bound() || !snapshot_.exists(newer) ||
      snapshot_.kind(newer) != store::EntityKind::kProposition)
    return {};
  const Triple triple = snapshot_.triple_of(newer);
  return fmt::format("; since then \"{}\" {} \"{}\"",
                     store::symbol_label(snapshot_, triple.subject), relation(triple.predicate),
                     store::term_label(snapshot_, triple.object));
}

std::vector<Triple> Contradictions::statements(Predicate predicate) const {
  std::vector<Triple> list;
  store::Pattern pattern;
  pattern.predicate = predicate;
  store::Cursor cursor = snapshot_.scan(pattern);
  std::vector<Triple> batch(1024);
  for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
    list.insert(list.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::sort(list.begin(), list.end(), [](const Triple& a, const Triple& b) {
    return std::tie(a.subject, a.predicate, a.object) < std::tie(b.subject, b.predicate, b.object);
  });
  return list;
}

std::vector<Conflict> Contradictions::all() const {
  std::set<Predicate> declared(functional_.begin(), functional_.end());
  for (const auto& [predicate, others] : disjoint_) declared.insert(predicate);
  std::vector<Conflict> conflicts;
  for (const Predicate predicate : declared) {
    for (const Triple& triple : statements(predicate)) {
      for (Conflict& conflict : conflicts_of(triple)) {
        if (conflict.superseded == triple && conflict.verdict != Verdict::kEnded)
          conflicts.push_back(std::move(conflict));
      }
    }
  }
  add_values(conflicts);
  return conflicts;
}

// Each value beside those that hold, once, against the first that does.
void Contradictions::add_values(std::vector<Conflict>& conflicts) const {
  store::Pattern pattern;
  pattern.predicate_class = store::PredicateClass::kAttribute;
  store::Cursor cursor = snapshot_.scan(pattern, store::Order::kSubjectPredicateObject);
  std::vector<Triple> batch(1024);
  std::vector<Triple> key;  // the values of one key
  const auto finish = [&] {
    if (key.size() > 1) {
      for (const Triple& triple : key) {
        for (Conflict& conflict : conflicts_of_value(triple)) {
          if (conflict.superseded != triple) continue;
          conflicts.push_back(std::move(conflict));
          break;
        }
      }
    }
    key.clear();
  };
  for (std::size_t count = cursor.next(batch); count != 0; count = cursor.next(batch)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!key.empty() &&
          (key.back().subject != batch[i].subject || key.back().predicate != batch[i].predicate))
        finish();
      key.push_back(batch[i]);
    }
  }
  finish();
}

}  // namespace anima::memory
