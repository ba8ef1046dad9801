#include "sleep/detail/proposals.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text/text.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"
#include "memory/contradiction.h"
#include "sleep/detail/actions.h"
#include "sleep/detail/duplicates.h"
#include "sleep/detail/supersede.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kMostCandidates = 200;  // of a kind in a cycle
constexpr std::size_t kMostText = 600;        // bytes of an event that are shown
constexpr std::size_t kMostValue = 160;       // bytes of an attribute
constexpr std::size_t kMostShown = 8;         // attributes, and links, of a thing
constexpr std::size_t kMostDomains = 60, kMostPredicates = 60;
constexpr std::size_t kMostFacts = 3;  // of an event
constexpr std::size_t kMostQuote = 300;
constexpr std::size_t kMostHolding = 4;  // statements of one subject and predicate
constexpr std::string_view kSource = "ModelProposal";
constexpr double kProposed = 0.6;

constexpr std::string_view kDomainTask =
    "Each candidate lies in an inbox. `domain` is the one of context.domains where it belongs.";
constexpr std::string_view kFactTask =
    "Each candidate is an old event with its text. Name the lasting facts that the text states "
    "itself. `subject` and `object` are names as they stand in the text (\"I\" for the speaker), "
    "`predicate` is one of context.predicates, `quote` is the sentence of the text that states it, "
    "word for word. No guesses, questions, plans, negations or hearsay.";
constexpr std::string_view kConflictTask =
    "Each candidate is two statements about one thing that were seen at different times. Name only "
    "those where both cannot hold at the same time, so that the newer ended the older.";
constexpr std::string_view kMergeTask =
    "Each candidate is two entries that are perhaps one thing under two names. Name only those "
    "that "
    "certainly are one and the same thing.";

Json text_schema() { return Json::object({{"type", "string"}}); }

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(beginning_of(text, most)) + "..";
}

// The trust of a statement, by who of the knowledge is trusted most with it.
Trust trust_of(const Reading& reading, const store::Triple& statement) {
  Trust trust = Trust::kUntrusted;
  for (const store::Assertion& assertion : reading.snapshot().assertions(statement))
    trust = std::max(trust, reading.snapshot().entry(assertion.born).trust);
  return trust;
}

// The text of an attribute; empty when somebody wrote it who is trusted less than `least`.
std::string text_of(const Reading& reading, EntityId entity, std::string_view key, Trust least) {
  const auto name = reading.snapshot().find_string(key);
  const auto value = reading.snapshot().attribute(entity, key);
  if (!name || !value) return {};
  if (trust_of(reading, {entity, Predicate::attribute(*name), *value}) < least) return {};
  return reading.text(entity, key);
}

// A thing with what those say of it who are trusted at least so much.
Json shown(const Reading& reading, EntityId item, Trust least) {
  const Snapshot& snapshot = reading.snapshot();
  Json attributes = Json::object(), links = Json::array();
  store::Scratch scratch;
  const store::Edges said = snapshot.outgoing(item, store::PredicateClass::kAttribute, scratch);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Predicate key{said.predicates[i]};
    const store::Triple statement{item, key, Term{said.others[i]}};
    const store::ValueView value = snapshot.value(statement.object);
    if (attributes.as_object().size() == kMostShown) break;
    if (value.text.empty() || trust_of(reading, statement) < least) continue;
    attributes.set(std::string(snapshot.value(key.key()).text), clipped(value.text, kMostValue));
  }
  const store::Edges to = snapshot.outgoing(item, store::PredicateClass::kLink, scratch);
  for (std::size_t i = 0; i < to.size() && links.as_array().size() < kMostShown; ++i) {
    const store::Triple link{item, Predicate{to.predicates[i]}, Term{to.others[i]}};
    const EntityId other = link.object.as_entity();
    if (snapshot.kind(other) != store::EntityKind::kConcept || reading.is_special_domain(other))
      continue;
    if (trust_of(reading, link) < least || reading.trust(other) < least) continue;
    links.push_back(std::string(snapshot.name(link.predicate.as_link())) + " " +
                    clipped(snapshot.name(other), kMostValue));
  }
  return Json::object({{"type", snapshot.name(snapshot.type_of(item))},
                       {"name", clipped(snapshot.name(item), kMostValue)},
                       {"attributes", std::move(attributes)},
                       {"links", std::move(links)}});
}

// How far a thing is trusted with what it is called and what it is.
Trust told_trust(const Reading& reading, EntityId item) {
  return std::min(reading.trust(item), reading.trust(reading.snapshot().type_of(item)));
}

// Why nobody may propose a change of it; empty when they may.
std::string untouchable(const Reading& reading, EntityId entity) {
  if (reading.is_protected(entity)) return reading.title(entity) + " is protected";
  if (reading.is_shared(entity)) return reading.title(entity) + " is stated by a compartment, too";
  if (reading.is_reviewed(entity)) return reading.title(entity) + " was reviewed";
  return {};
}

// What a merge or a move would rewrite.
std::string reviewed_link(const Reading& reading, EntityId item) {
  const Snapshot& snapshot = reading.snapshot();
  store::Scratch scratch;
  std::vector<store::Triple> links;
  const store::Edges from = snapshot.outgoing(item, store::PredicateClass::kLink, scratch);
  for (std::size_t i = 0; i < from.size(); ++i)
    links.push_back({item, Predicate{from.predicates[i]}, Term{from.others[i]}});
  const store::Edges to =
      snapshot.incoming(Term::entity(item), store::PredicateClass::kLink, scratch);
  for (std::size_t i = 0; i < to.size(); ++i)
    links.push_back({EntityId{to.others[i]}, Predicate{to.predicates[i]}, Term::entity(item)});
  for (const store::Triple& link : links) {
    const auto known = snapshot.find_proposition(link);
    if (known && reading.is_reviewed(*known)) return reading.title(*known) + " was reviewed";
  }
  return {};
}

void refuse(Cycle& cycle, const Proposal& proposal, std::string about, const std::string& why) {
  cycle.leave(std::string(kNotTaken), std::move(about),
              why + " (" + cycle.proposer().evidence(*proposal.said.find("reason")) + ")");
}

// --- domains of what nobody could file ----------------------------------------------------------

// By name, with as much trust as they are shown with.
std::map<std::string, EntityId> domains_for(const Reading& reading, Trust least) {
  std::map<std::string, EntityId> domains;
  store::Scratch scratch;
  for (const std::uint32_t code : reading.snapshot().subjects(
           store::kTypePredicate, Term::entity(reading.domain_type()), scratch)) {
    const EntityId domain{code};
    if (domains.size() == kMostDomains) break;
    if (reading.is_special_domain(domain) || reading.trust(domain) < least) continue;
    domains.emplace(reading.snapshot().name(domain), domain);
  }
  return domains;
}

std::vector<EntityId> unsorted_items(const Cycle& cycle, const Reading& reading) {
  std::vector<EntityId> items;
  const auto in_domain = reading.link("belongs_to_domain");
  if (!in_domain || reading.unsorted() == EntityId::kNone) return items;
  store::Scratch scratch;
  for (const std::uint32_t code :
       reading.snapshot().subjects(*in_domain, Term::entity(reading.unsorted()), scratch)) {
    const EntityId item{code};
    if (items.size() == kMostCandidates) break;
    if (!reading.is_concept(item) || !untouchable(reading, item).empty()) continue;
    if (cycle.work().is_everything() || cycle.work().concepts().contains(item))
      items.push_back(item);
  }
  return items;
}

Status propose_domains(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  const std::vector<EntityId> items = unsorted_items(cycle, reading);
  std::vector<Candidate> candidates;
  for (const EntityId item : items) {
    const Trust trust = told_trust(reading, item);
    candidates.push_back({shown(reading, item, trust), trust});
  }
  Question question{kDomainTask, Json::object({{"domain", text_schema()}}), {}, 1};
  question.context = [&](Trust trust) {
    Json names = Json::array();
    for (const auto& [name, domain] : domains_for(reading, trust)) names.push_back(name);
    return Json::object({{"domains", std::move(names)}});
  };
  for (const Proposal& proposal : cycle.proposer().ask(question, candidates)) {
    const EntityId item = items[proposal.candidate];
    const auto domains = domains_for(reading, candidates[proposal.candidate].trust);
    const auto domain = domains.find(proposal.said.find("domain")->as_string());
    if (domain == domains.end() || domain->second == item) {
      refuse(cycle, proposal, reading.title(item), "there is no such domain to choose");
      continue;
    }
    if (const std::string why = reviewed_link(reading, item); !why.empty()) {
      refuse(cycle, proposal, reading.title(item), why);
      continue;
    }
    Action action{"filed",
                  reading.title(item),
                  "Domain " + quote_json(domain->first) + ", " +
                      cycle.proposer().evidence(*proposal.said.find("reason")),
                  {},
                  candidates[proposal.candidate].trust};
    action.statements.push_back(put_into(reading, item, domain->second, kSource, kProposed));
    action.statements.push_back(take_out_of(reading, item, reading.unsorted()));
    if (!cycle.act(std::move(action))) return {};
    cycle.proposer().took();
  }
  return cycle.flush();
}

// --- facts that no form finds -------------------------------------------------------------------

// The words of the part stand in the whole, side by side.
bool stands_in(std::string_view part, std::string_view whole) {
  const std::vector<std::string> words = language::folded_words(part);
  const std::vector<std::string> all = language::folded_words(whole);
  return !words.empty() &&
         std::search(all.begin(), all.end(), words.begin(), words.end()) != all.end();
}

bool speaks_of_oneself(std::string_view quote) {
  return std::ranges::any_of(
      language::folded_words(quote, language::FoldStrength::kCase),
      [](const std::string& word) { return language::words_used_as("of_oneself").contains(word); });
}

// Predicates between things that are in use, and those of the forms.
std::set<std::string> known_predicates(const Reading& reading) {
  std::set<std::string> names;
  for (const std::string_view name : {"works_at", "lives_in", "reports_to", "owns"})
    names.emplace(name);
  for (const Predicate predicate : reading.snapshot().predicates(store::PredicateClass::kLink)) {
    if (names.size() == kMostPredicates) break;
    const EntityId definition = predicate.as_link();
    if (!reading.is_bookkeeping(predicate) && reading.trust(definition) >= Trust::kStandard)
      names.emplace(reading.snapshot().name(definition));
  }
  return names;
}

// Why a statement is not one of the text; empty when it is.
std::string fault_of(const Json& said, const std::string& text,
                     const std::set<std::string>& predicates) {
  const std::string& quote = said.find("quote")->as_string();
  const std::string& subject = said.find("subject")->as_string();
  if (quote.size() > kMostQuote || !stands_in(quote, text)) return "the text does not say so";
  if (!is_stated(quote)) return "it is a question, a negation, a condition, a wish or hearsay";
  if (!stands_in(quote, not_taken_back(text))) return "the text takes it back";
  const bool oneself = subject == "I" || subject == "Ich";
  if (oneself ? !speaks_of_oneself(quote) : !stands_in(subject, quote))
    return "the sentence does not name its subject";
  if (!stands_in(said.find("object")->as_string(), quote))
    return "the sentence does not name its object";
  if (!predicates.contains(said.find("predicate")->as_string()))
    return "there is no such predicate";
  return {};
}

// --- two statements that cannot both hold -------------------------------------------------------

struct Conflicting {
  EntityId older, newer;
};

// Links of the cycle's work beside another one of the same subject and predicate, seen at another
// time, where nobody declared that only one can hold.
std::vector<Conflicting> possible_conflicts(const Cycle& cycle, const Reading& reading) {
  const Snapshot& snapshot = reading.snapshot();
  const memory::Contradictions contradictions(snapshot);
  std::set<std::pair<EntityId, EntityId>> seen;
  std::vector<Conflicting> found;
  store::Scratch scratch;
  for (const EntityId link : cycle.work().links()) {
    if (found.size() >= kMostCandidates) break;
    if (!reading.is_link(link)) continue;
    const store::Triple triple = snapshot.triple_of(link);
    if (reading.is_bookkeeping(triple.predicate) || !triple.object.is_entity()) continue;
    if (snapshot.kind(triple.subject) != store::EntityKind::kConcept ||
        snapshot.type_of(triple.subject) == reading.event_type() ||
        !contradictions.conflicts_of(triple).empty())
      continue;
    const auto objects = snapshot.objects(triple.subject, triple.predicate, scratch);
    if (objects.size() < 2 || objects.size() > kMostHolding) continue;
    for (const std::uint32_t code : std::vector<std::uint32_t>(objects.begin(), objects.end())) {
      const auto other = snapshot.find_proposition({triple.subject, triple.predicate, Term{code}});
      if (!other || *other == link) continue;
      const std::string mine = observed(reading, link), theirs = observed(reading, *other);
      const bool over = !reading.metadata_text(link, "valid_to").empty() ||
                        !reading.metadata_text(*other, "valid_to").empty();
      if (mine == theirs || mine.empty() || theirs.empty() || over) continue;
      const Conflicting pair =
          mine < theirs ? Conflicting{link, *other} : Conflicting{*other, link};
      if (seen.emplace(pair.older, pair.newer).second) found.push_back(pair);
    }
  }
  return found;
}

// Of all that is shown of it.
Trust conflict_trust(const Reading& reading, const Conflicting& pair) {
  Trust trust = Trust::kSystem;
  for (const EntityId link : {pair.older, pair.newer}) {
    const store::Triple triple = reading.snapshot().triple_of(link);
    for (const EntityId told :
         {link, triple.subject, triple.predicate.as_link(), triple.object.as_entity()})
      trust = std::min(trust, reading.trust(told));
  }
  return trust;
}

std::string objection(const Reading& reading, const Conflicting& pair) {
  if (conflict_trust(reading, pair) < reading.trust(pair.older))
    return "it would be ended by what is trusted less";
  const store::Triple triple = reading.snapshot().triple_of(pair.older);
  for (const EntityId entity :
       {pair.older, pair.newer, triple.subject, triple.object.as_entity()}) {
    const bool is_link = entity == pair.older || entity == pair.newer;
    if (is_link && reading.is_reviewed(entity)) return reading.title(entity) + " was reviewed";
    if (!is_link && reading.is_protected(entity)) return reading.title(entity) + " is protected";
  }
  return {};
}

Status propose_conflicts(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  if (!reading.link("supersedes")) return {};
  const std::vector<Conflicting> pairs = possible_conflicts(cycle, reading);
  std::vector<Candidate> candidates;
  for (const Conflicting& pair : pairs) {
    candidates.push_back({Json::object({{"older", reading.title(pair.older)},
                                        {"older_seen", observed(reading, pair.older)},
                                        {"newer", reading.title(pair.newer)},
                                        {"newer_seen", observed(reading, pair.newer)}}),
                          conflict_trust(reading, pair)});
  }
  const Question question{kConflictTask, Json::object(), {}, 1};
  std::set<EntityId> settled;
  for (const Proposal& proposal : cycle.proposer().ask(question, candidates)) {
    const Conflicting& pair = pairs[proposal.candidate];
    if (const std::string why = objection(reading, pair); !why.empty()) {
      refuse(cycle, proposal, reading.title(pair.older), why);
      continue;
    }
    if (!settled.insert(pair.older).second) continue;
    const std::string evidence = cycle.proposer().evidence(*proposal.said.find("reason"));
    const bool allowed = reading.trust(pair.newer) >= reading.trust(pair.older) &&
                         !reading.is_shared(pair.older) && !reading.is_shared(pair.newer);
    if (!supersede(cycle, reading, pair.older, pair.newer, evidence)) return {};
    if (allowed) cycle.proposer().took();
  }
  return cycle.flush();
}

// --- pairs that are perhaps the same ------------------------------------------------------------

// Whether two things are one is for a person to say: what a model thinks is listed beside the pair.
Status propose_merges(Cycle& cycle) {
  ANIMA_ASSIGN(const Reading reading, cycle.read());
  DuplicateFinder finder(reading);
  std::vector<Pair> pairs;
  std::vector<Candidate> candidates;
  for (Pair& pair : finder.find(cycle.work().concepts(), cycle.work().is_everything())) {
    if (candidates.size() == kMostCandidates) break;
    if (pair.judgement.verdict != Verdict::kPossible || pair.judgement.veto) continue;
    const Trust trust = std::min(told_trust(reading, pair.a), told_trust(reading, pair.b));
    candidates.push_back(
        {Json::object({{"a", shown(reading, pair.a, trust)}, {"b", shown(reading, pair.b, trust)}}),
         trust});
    pairs.push_back(std::move(pair));
  }
  const Question question{kMergeTask, Json::object(), {}, 1};
  for (const Proposal& proposal : cycle.proposer().ask(question, candidates)) {
    const Pair& pair = pairs[proposal.candidate];
    cycle.leave(
        std::string(kSaidSame), reading.title(pair.a) + " and " + reading.title(pair.b),
        pair.judgement.reason + "; " + cycle.proposer().evidence(*proposal.said.find("reason")) +
            "; if they are: anima sleep merge " + reading.id(pair.a) + " " + reading.id(pair.b));
  }
  return {};
}

void tell_failure(Cycle& cycle) {
  const std::string why = cycle.proposer().take_failure();
  if (why.empty()) return;
  cycle.leave(std::string(kWithoutModel), "model " + quote_json(cycle.proposer().record().name),
              "the cycle goes on by its rules alone: " + why);
}

}  // namespace

void add_proposed_facts(Cycle& cycle, const Reading& reading, Consolidation& consolidation,
                        const std::vector<EntityId>& events) {
  if (!cycle.proposer().may_ask() || cycle.cut() || cycle.over()) return;
  std::vector<EntityId> told;
  std::vector<Candidate> candidates;
  std::vector<std::string> texts;
  for (const EntityId event : consolidation.silent(events)) {
    if (told.size() == kMostCandidates) break;
    std::string text = text_of(reading, event, "content_summary", reading.trust(event));
    if (text.empty() || !untouchable(reading, event).empty()) continue;
    text = clipped(text, kMostText);
    candidates.push_back({Json::object({{"text", text}}), reading.trust(event)});
    texts.push_back(std::move(text));
    told.push_back(event);
  }
  const std::set<std::string> predicates = known_predicates(reading);
  Question question{kFactTask,
                    Json::object({{"subject", text_schema()},
                                  {"predicate", text_schema()},
                                  {"object", text_schema()},
                                  {"quote", text_schema()}}),
                    {},
                    kMostFacts};
  question.context = [&](Trust) {
    Json names = Json::array();
    for (const std::string& name : predicates) names.push_back(name);
    return Json::object({{"predicates", std::move(names)}});
  };
  for (const Proposal& proposal : cycle.proposer().ask(question, candidates)) {
    const EntityId event = told[proposal.candidate];
    const Json& said = proposal.said;
    std::string why = fault_of(said, texts[proposal.candidate], predicates);
    LastingStatement statement{false,
                               said.find("subject")->as_string(),
                               said.find("predicate")->as_string(),
                               said.find("object")->as_string(),
                               said.find("quote")->as_string(),
                               cycle.proposer().evidence(*said.find("reason")),
                               kSource,
                               kProposed};
    if (why.empty()) why = consolidation.add(event, std::move(statement));
    if (!why.empty()) {
      refuse(cycle, proposal, reading.title(event), why);
    } else {
      cycle.proposer().took();
    }
  }
  tell_failure(cycle);
}

Status ask_for_proposals(Cycle& cycle, int phase) {
  if (phase < 4 || phase > 6) return {};
  ANIMA_TRY(cycle.flush());
  if (cycle.proposer().may_ask() && !cycle.cut() && !cycle.over()) {
    if (phase == 4) ANIMA_TRY(propose_domains(cycle));
    if (phase == 5) ANIMA_TRY(propose_conflicts(cycle));
    if (phase == 6) ANIMA_TRY(propose_merges(cycle));
  }
  tell_failure(cycle);
  return {};
}

}  // namespace anima::sleep::detail
