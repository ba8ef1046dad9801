#include "memory/detail/forgotten_mentions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "memory/detail/forgotten_places.h"
#include "memory/detail/forgotten_records.h"
#include "memory/detail/forgotten_things.h"
#include "memory/memory_manager.h"
#include "memory/names.h"
#include "memory/turns.h"
#include "store/history.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::memory::detail {

using store::EntityId;
using store::EntityKind;
using store::Snapshot;
using store::Term;

ForgottenNames names_beside(const Snapshot& snapshot, const std::vector<std::string>& names,
                            const std::vector<std::string>& shared,
                            const std::vector<EntityId>& others, Doubt doubt) {
  std::vector<std::string> alone, other_names = shared;
  std::set<std::string> own;
  for (const std::string& name : names) {
    if (std::ranges::find(shared, name) != shared.end()) continue;
    alone.push_back(name);
    own.insert(same_written(name));
  }
  for (const EntityId other : others) {
    std::vector<std::string> called;
    add_names(snapshot, other, called);
    for (const std::string& name : called)
      if (!own.contains(same_written(name))) add_name(other_names, name);
  }
  return ForgottenNames(std::move(alone), std::move(other_names), doubt);
}

bool is_of_loaded_compartment(const Snapshot& snapshot, EntityId entity) {
  return store::in_graph(snapshot, kCompartmentsGraph).exists(entity);
}

bool is_said_by_bootstrap(const Snapshot& snapshot, const store::Triple& triple) {
  const auto said = snapshot.assertions(triple);
  return std::ranges::any_of(said, [&](const store::Assertion& assertion) {
    return snapshot.entry(assertion.born).source == store::kBootstrapSource;
  });
}

bool is_said_in_books(const Snapshot& snapshot, const store::Triple& triple) {
  const auto said = snapshot.assertions(triple);
  return std::ranges::any_of(said, [&](const store::Assertion& assertion) {
    return store::is_own_graph(snapshot.graph_name(assertion.graph));
  });
}

void each_statement_of(const Snapshot& snapshot, Term literal,
                       const std::function<void(const store::Triple&)>& visit) {
  store::Scratch scratch;
  for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
    const store::Edges edges = snapshot.incoming(literal, kind, scratch);
    for (std::size_t i = 0; i < edges.size(); ++i)
      visit(store::Triple{EntityId{edges.others[i]}, {edges.predicates[i]}, literal});
  }
}

namespace {

// Whether the literal is a text that names one of them, or holds one.
// A data type and a language of RDF are texts, too.
Naming naming_of(const Snapshot& snapshot, Term literal, const ForgottenNames& names) {
  const store::ValueView value = snapshot.value(literal);
  if (value.kind == store::ValueKind::kJson) return names.judge_value(value.text);
  const Naming text = names.judge(value.text);
  return value.extra.empty() ? text : std::max(text, names.judge(value.extra));
}

struct NamingLiterals {
  std::vector<Term> sure, in_doubt;
};

// Literals that name one of them, and those that are the beginning of one that does, cut inside the
// name: Anima's own summaries have so many characters, and other shortened texts end with two dots.
NamingLiterals literals_naming(const Snapshot& snapshot, const ForgottenNames& names) {
  constexpr std::size_t kSummaryCharacters = 80;
  NamingLiterals found;
  std::vector<std::pair<Term, std::string_view>> cut;
  std::vector<std::string_view> whole;
  for (std::uint32_t place = 1; place < snapshot.literal_bound(); ++place) {
    const Term term = Term::literal(place);
    const std::string_view text = snapshot.value(term).text;
    const Naming naming = naming_of(snapshot, term, names);
    if (naming == Naming::kInDoubt) found.in_doubt.push_back(term);
    if (naming == Naming::kNames) {
      found.sure.push_back(term);
      whole.push_back(text);
    } else if (text.ends_with("..")) {
      cut.emplace_back(term, text.substr(0, text.size() - 2));
    } else if (text.size() >= kSummaryCharacters && count_code_points(text) == kSummaryCharacters) {
      cut.emplace_back(term, text);
    }
  }
  std::ranges::sort(whole);
  for (const auto& [term, text] : cut) {
    for (auto at = std::ranges::lower_bound(whole, text);
         at != whole.end() && at->starts_with(text); ++at) {
      if (!names.cut_in(text, *at)) continue;
      found.sure.push_back(term);
      break;
    }
  }
  std::ranges::sort(found.sure);
  return found;
}

// Things that stay of which a name contains or resembles one of the names: they are others.
std::vector<EntityId> others_of(const Snapshot& snapshot, const std::set<EntityId>& things,
                                const std::vector<std::string>& names) {
  std::vector<EntityId> others;
  const ForgottenNames finder(names);
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    if (things.contains(entity) || !is_thing(snapshot, entity)) continue;
    std::vector<std::string> called;
    add_names(snapshot, entity, called);
    const bool resembles = std::ranges::any_of(
        called, [&](const std::string& name) { return finder.judge(name) != Naming::kNot; });
    if (resembles && !is_book_entry(snapshot, entity)) others.push_back(entity);
  }
  return others;
}

// Names that one of `others` has, too, and that are its own as much: a name is whose own it is
// before it is anybody's alias. What a person typed and no thing is called is nobody's alias.
std::vector<std::string> shared_names(const Snapshot& snapshot, const std::set<EntityId>& things,
                                      const ForgetPlan& plan, const std::vector<EntityId>& others) {
  const auto written_names = [&](EntityId entity) {
    std::vector<std::string> called;
    add_names(snapshot, entity, called);
    std::set<std::string> written;
    for (const std::string& name : called) written.insert(same_written(name));
    return written;
  };
  std::set<std::string> first;
  for (const EntityId thing : things) {
    if (snapshot.kind(thing) == EntityKind::kConcept)
      first.insert(same_written(snapshot.name(thing)));
  }
  for (const std::string& value : plan.values) first.insert(same_written(value));
  std::set<std::string> theirs;
  for (const EntityId other : others) {
    if (!snapshot.exists(other)) continue;
    const std::string its_own = same_written(snapshot.name(other));
    for (const std::string& name : written_names(other))
      if (name == its_own || !first.contains(name)) theirs.insert(name);
  }
  std::vector<std::string> shared;
  for (const std::string& name : plan.names)
    if (theirs.contains(same_written(name))) shared.push_back(name);
  return shared;
}

// What a statement of Anima's own books says of a memory, a turn or a goal, beside its text.
enum class BookWord : std::uint8_t { kNone, kStays, kGoes };

// A word that the program writes and decides by stays ("operator" as an author, "FACT" as a kind);
// who or what something came from goes where it has the name, and what it is said of stays.
BookWord book_word(const Snapshot& snapshot, const store::Triple& triple) {
  const std::string_view key = snapshot.value(triple.predicate.key()).text;
  const bool decides = is_program_key(key);
  if ((!decides && !is_origin_key(key)) ||
      triple.predicate.predicate_class() != store::PredicateClass::kAttribute ||
      snapshot.kind(triple.subject) != EntityKind::kConcept ||
      !is_book_entry(snapshot, triple.subject))
    return BookWord::kNone;
  const bool own = decides || is_own_origin(snapshot.value(triple.object).text);
  return own ? BookWord::kStays : BookWord::kGoes;
}

// Who holds a text now. What is said of links as metadata goes as a statement, and is no mention.
struct Holders {
  std::set<EntityId> things;  // types and predicates, too
  std::set<EntityId> beside;  // entries of books that only came from it
  bool anybody = false;       // states it, of whatever, or is called so and stays
  bool needed = false;        // by Anima itself
};

// Of Anima's own books also those that are called so.
Holders holders_of(const Snapshot& snapshot, Term text, const std::set<EntityId>& things) {
  Holders found;
  const auto hold = [&](EntityId entity, bool needed) {
    if (needed || is_of_loaded_compartment(snapshot, entity)) {
      found.needed = true;
    } else {
      found.things.insert(entity);
    }
  };
  each_statement_of(snapshot, text, [&](const store::Triple& triple) {
    found.anybody = true;
    const BookWord word = book_word(snapshot, triple);
    if (word == BookWord::kGoes) {
      found.beside.insert(triple.subject);
      return;
    }
    const bool needed = word == BookWord::kStays || is_said_by_bootstrap(snapshot, triple);
    if (snapshot.kind(triple.subject) == EntityKind::kConcept || needed)
      hold(triple.subject, needed);
  });
  for (const EntityId named : snapshot.concepts_named(snapshot.value(text).text)) {
    found.anybody = found.anybody || !things.contains(named);
    if (is_thing(snapshot, named) && is_book_entry(snapshot, named)) hold(named, false);
  }
  return found;
}

// That was withdrawn, and was called by a text that names them.
bool was_named_so(const Snapshot& snapshot, EntityId entity, const ForgottenNames& names) {
  return is_thing(snapshot, entity) && !snapshot.exists(entity) && names.in(snapshot.name(entity));
}

// The record that a book keeps of something, as of a cycle of sleep: it does without the name, and
// what it is of does not do without it. Its text then; nothing for any other text, and for one that
// another would be equal to.
std::optional<std::string> record_without(const Snapshot& snapshot, Term text,
                                          const ForgottenNames& names) {
  constexpr std::string_view kRecord = "record";
  if (snapshot.value(text).kind != store::ValueKind::kJson) return std::nullopt;
  const auto json = parse_json(snapshot.value(text).text);
  if (!json || !json->is_object()) return std::nullopt;
  bool any = false, all = true;
  each_statement_of(snapshot, text, [&](const store::Triple& triple) {
    any = true;
    all = all && snapshot.value(triple.predicate.key()).text == kRecord &&
          snapshot.kind(triple.subject) == EntityKind::kConcept &&
          is_book_entry(snapshot, triple.subject);
  });
  if (!any || !all) return std::nullopt;
  const Json rest = names.evidence_without(*json);
  const store::Value value = store::Value::from_json(rest);
  if (rest == *json || snapshot.find(value.view())) return std::nullopt;
  return value.text;
}

// What has a name that another thing has, too, and none that is only of what goes.
std::vector<EntityId> named_alike(const Snapshot& snapshot, const ForgottenNames& names,
                                  const ForgetPlan& plan, const std::set<EntityId>& things,
                                  const std::vector<EntityId>& others) {
  if (plan.shared.empty()) return {};
  std::set<EntityId> alike;
  const ForgottenNames finder(plan.shared);
  for (std::uint32_t place = 1; place < snapshot.literal_bound(); ++place) {
    const Term term = Term::literal(place);
    if (naming_of(snapshot, term, finder) != Naming::kNames ||
        naming_of(snapshot, term, names) == Naming::kNames)
      continue;
    for (const EntityId holder : holders_of(snapshot, term, things).things)
      if (!things.contains(holder)) alike.insert(holder);
  }
  for (const EntityId other : others) alike.erase(other);
  return {alike.begin(), alike.end()};
}

// Of what a text is said that names them.
struct Named {
  std::set<EntityId> holders;
  // Entries of books that stay: their record only loses the name, or they came from it.
  std::set<EntityId> stay;
  std::set<EntityId> in_doubt, in_doubt_stay;  // the same of what may name them
};

// What was taken from a turn's words as its mentions, where one is the name in a form that says
// nothing alone ("Anna Berts").
void add_taken_from(const Snapshot& snapshot, Term text, const ForgottenNames& names,
                    std::vector<Term>& texts) {
  const std::string_view said = snapshot.value(text).text;
  each_statement_of(snapshot, text, [&](const store::Triple& triple) {
    if (triple.predicate.predicate_class() != store::PredicateClass::kAttribute ||
        snapshot.value(triple.predicate.key()).text != kEventText)
      return;
    const auto mentioned = snapshot.attribute(triple.subject, kEventMentioned);
    if (!mentioned || std::ranges::find(texts, *mentioned) != texts.end()) return;
    const auto list = parse_json(snapshot.value(*mentioned).text);
    if (!list || !list->is_array()) return;
    const bool named = std::ranges::any_of(list->as_array(), [&](const Json& one) {
      return one.is_string() && names.shares_place(one.as_string(), said);
    });
    if (named) texts.push_back(*mentioned);
  });
}

// Texts that go, or lose the name: all that are wanted, else what nobody states any more.
class TextTaker {
 public:
  TextTaker(const Snapshot& snapshot, const TextsWanted& wanted, const std::set<EntityId>& things,
            const std::set<std::uint32_t>& keys, ForgetPlan& plan)
      : snapshot_(snapshot), wanted_(wanted), things_(things), keys_(keys), plan_(plan) {}

  // `taken` are the names as texts lose them.
  Named take(const NamingLiterals& literals, const ForgottenNames& taken) {
    Named named;
    for (const Term term : literals.in_doubt) take_doubtful(term, taken, named);
    for (const Term term : literals.sure) {
      if (!goes_as_value(term)) take_one(term, taken, wanted_.mentions, named.holders, named.stay);
    }
    return named;
  }

 private:
  // What goes as a value anyway is no mention.
  bool goes_as_value(Term term) const {
    return std::ranges::find(plan_.what.values, term) != plan_.what.values.end();
  }

  void take_doubtful(Term term, const ForgottenNames& taken, Named& named) {
    const std::set<EntityId> holders = holders_of(snapshot_, term, things_).things;
    for (const EntityId holder : holders) {
      if (things_.contains(holder)) continue;
      plan_.doubtful.push_back({{holder, store::symbol_label(snapshot_, holder)},
                                std::string(snapshot_.value(term).text)});
    }
    if (wanted_.in_doubt && !goes_as_value(term)) {
      take_one(term, taken, true, named.in_doubt, named.in_doubt_stay);
    } else {
      named.in_doubt.insert(holders.begin(), holders.end());
    }
  }

  void take_one(Term term, const ForgottenNames& names, bool wanted, std::set<EntityId>& holders,
                std::set<EntityId>& stay) {
    const Holders found = holders_of(snapshot_, term, things_);
    auto record = record_without(snapshot_, term, names);
    (record ? stay : holders).insert(found.things.begin(), found.things.end());
    stay.insert(found.beside.begin(), found.beside.end());
    if (record) {
      if (wanted) plan_.what.rewritten.emplace_back(term, std::move(*record));
    } else if (found.needed) {
      plan_.places.push_back("the text " + snapshot_.display(term) +
                             ": Anima itself reads it (a compartment is unloaded first)");
    } else if (wanted || (!found.anybody && !keys_.contains(term.code))) {
      plan_.what.texts.push_back(term);
      add_taken_from(snapshot_, term, names, plan_.what.texts);
    }
  }

  const Snapshot& snapshot_;
  const TextsWanted& wanted_;
  const std::set<EntityId>& things_;
  const std::set<std::uint32_t>& keys_;
  ForgetPlan& plan_;
};

// What is asked back about somebody who is forgotten nobody can answer.
void add_questions(const Snapshot& snapshot, const NamingLiterals& literals,
                   std::set<EntityId>& things) {
  std::set<EntityId> questions;
  for (const Term term : literals.sure) {
    for (const EntityId one : holders_of(snapshot, term, things).things)
      if (snapshot.name(snapshot.type_of(one)) == kQuestionType) questions.insert(one);
  }
  things.merge(questions);
}

}  // namespace

bool add_mentions(const Snapshot& snapshot, const TextsWanted& wanted, std::set<EntityId>& things,
                  ForgetPlan& plan) {
  if (plan.names.empty()) return false;
  const std::size_t before = things.size();
  const std::vector<EntityId> others = others_of(snapshot, things, plan.names);
  plan.shared = shared_names(snapshot, things, plan, others);
  const ForgottenNames names = names_beside(snapshot, plan.names, plan.shared, others);
  const std::set<std::uint32_t> keys = keys_in_use(snapshot);
  const NamingLiterals literals = literals_naming(snapshot, names);
  add_questions(snapshot, literals, things);
  const Named named =
      TextTaker(snapshot, wanted, things, keys, plan)
          .take(literals, names_beside(snapshot, plan.names, plan.shared, others, wanted.doubt()));
  const auto mention = [&](EntityId entity) {
    return Mention{entity, store::symbol_label(snapshot, entity)};
  };
  for (const EntityId other : others) plan.others.push_back(mention(other));
  for (const EntityId like : named_alike(snapshot, names, plan, things, others))
    plan.alike.push_back(mention(like));
  std::set<EntityId> all = named.holders;
  all.insert(named.stay.begin(), named.stay.end());
  for (const EntityId holder : all)
    if (!things.contains(holder)) plan.mentions.push_back(mention(holder));
  std::set<EntityId> doubtful = named.in_doubt;
  doubtful.insert(named.in_doubt_stay.begin(), named.in_doubt_stay.end());
  for (const EntityId holder : doubtful)
    if (!things.contains(holder)) plan.in_doubt.push_back(mention(holder));
  const NamedPlaces places = named_places(snapshot, names, things, wanted.mentions);
  plan.what.keys = places.keys;
  for (const Term text : plan.what.texts)
    if (!keys.contains(text.code)) plan.what.keys.push_back(text);
  plan.what.graphs = places.graphs;
  plan.places.insert(plan.places.end(), places.stay.begin(), places.stay.end());
  things.insert(places.things.begin(), places.things.end());
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    const bool book = (wanted.mentions && named.holders.contains(entity)) ||
                      (wanted.in_doubt && named.in_doubt.contains(entity)) ||
                      was_named_so(snapshot, entity, names);
    if (book && is_book_entry(snapshot, entity)) things.insert(entity);
  }
  return !plan.what.texts.empty() || !plan.what.rewritten.empty() || !places.keys.empty() ||
         !places.graphs.empty() || things.size() > before;
}

}  // namespace anima::memory::detail
