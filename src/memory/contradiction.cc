#include "memory/contradiction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/json/json.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;
using store::Triple;

constexpr std::string_view kFunctional = "functional";
constexpr std::string_view kDisjoint = "disjoint_with";
constexpr std::string_view kObservedAt = "observed_at";

// The texts of an attribute that holds one or several.
std::vector<std::string> texts_of(const store::Snapshot& snapshot, EntityId entity,
                                  std::string_view key) {
  std::vector<std::string> texts;
  const auto name = snapshot.find_string(key);
  if (!name) return texts;
  store::Scratch scratch;
  for (const std::uint32_t code : snapshot.objects(entity, Predicate::attribute(*name), scratch)) {
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

bool is_true(const store::Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  if (!term) return false;
  const store::ValueView value = snapshot.value(*term);
  return value.kind == store::ValueKind::kBoolean && value.integer != 0;
}

}  // namespace

// When a statement was seen last, as it is compared.
struct Contradictions::Observed {
  std::int64_t time = 0;
  std::uint64_t entry = 0;
  std::uint32_t object = 0;
  std::uint32_t predicate = 0;
  auto tie() const { return std::tie(time, entry, object, predicate); }
};

Contradictions::Contradictions(const store::Snapshot& snapshot) : snapshot_(snapshot) {
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
    if (is_true(snapshot, entity, kFunctional)) functional_.push_back(predicate);
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

Contradictions::Observed Contradictions::observed(const Triple& triple) const {
  Observed seen;
  seen.object = triple.object.code;
  seen.predicate = triple.predicate.code;
  for (const store::Assertion& assertion : snapshot_.assertions(triple)) {
    const auto entry = static_cast<std::uint64_t>(assertion.born);
    if (entry < seen.entry) continue;
    seen.entry = entry;
    seen.time = snapshot_.entry(assertion.born).time.microseconds;
  }
  if (const auto proposition = snapshot_.find_proposition(triple)) {
    if (const auto term = snapshot_.metadata(*proposition, kObservedAt)) {
      const auto time = parse_timestamp(snapshot_.value(*term).text);
      if (time) seen.time = time->microseconds;
    }
  }
  return seen;
}

std::string Contradictions::relation(Predicate predicate) const {
  return store::predicate_label(snapshot_, predicate);
}

Conflict Contradictions::settle(const Triple& a, const Triple& b, std::string why) const {
  const Observed first = observed(a), second = observed(b);
  const bool a_wins = first.tie() > second.tie();
  Conflict conflict{a_wins ? a : b, a_wins ? b : a, std::move(why)};
  const Observed& winner = a_wins ? first : second;
  conflict.reason += fmt::format("; \"{}\" {} \"{}\" was observed last ({})",
                                 store::symbol_label(snapshot_, conflict.effective.subject),
                                 relation(conflict.effective.predicate),
                                 store::term_label(snapshot_, conflict.effective.object),
                                 format_timestamp(Timestamp{winner.time}));
  return conflict;
}

std::vector<Conflict> Contradictions::conflicts_of(const Triple& triple) const {
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
    if (conflict.superseded == triple) return conflict.reason;
  }
  return {};
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
        if (conflict.superseded == triple) conflicts.push_back(std::move(conflict));
      }
    }
  }
  return conflicts;
}

}  // namespace anima::memory
