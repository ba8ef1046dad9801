#include "memory/forgetting.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/crypto.h"
#include "base/text/text.h"
#include "memory/detail/provenance_codec.h"
#include "memory/provenance.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::EntityKind;
using store::RecordFate;
using store::RecordKind;
using store::Snapshot;
using store::Term;

constexpr std::size_t kMostMentions = 1'000;

// Names as runs of folded words, to be found in texts.
class NameFinder {
 public:
  explicit NameFinder(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const std::string folded = fold_case(name);
      std::vector<std::string> words;
      for (const Word& word : split_words(folded)) words.emplace_back(word.text);
      if (!words.empty()) names_.push_back(std::move(words));
    }
  }
  bool in(std::string_view text) const {
    if (names_.empty()) return false;
    const std::string folded = fold_case(text);
    const std::vector<Word> words = split_words(folded);
    return std::any_of(names_.begin(), names_.end(), [&](const std::vector<std::string>& name) {
      return std::search(words.begin(), words.end(), name.begin(), name.end(),
                         [](const Word& word, const std::string& part) {
                           return word.text == part;
                         }) != words.end();
    });
  }

 private:
  std::vector<std::vector<std::string>> names_;
};

// --- records ------------------------------------------------------------------------------------

Result<RecordFate> judge_provenance(std::string_view payload, const NameFinder& names,
                                    const store::IsForgotten& gone, bool whole) {
  Result<std::vector<ProvenanceRecord>> decoded = decode_provenance(payload);
  RecordFate fate;
  if (!decoded) {
    fate.note = "a record of provenance that cannot be read";
    return fate;
  }
  bool changed = false;
  for (ProvenanceRecord& record : *decoded) {
    const bool about = whole || gone(record.derived) ||
                       std::any_of(record.sources.begin(), record.sources.end(), gone) ||
                       names.in(record.text) || names.in(record.text2);
    if (!about || (record.text.empty() && record.text2.empty())) continue;
    record.text.clear();
    record.text2.clear();
    changed = true;
  }
  if (!changed) return fate;
  fate.kind = RecordFate::Kind::kChanges;
  fate.text = detail::encode_provenance(*decoded);
  return fate;
}

std::string_view name_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::kDecision:
    case RecordKind::kAudit:
      return "a decision";
    case RecordKind::kApproval:
      return "an approval";
    case RecordKind::kCouncil:
      return "a vote of the council";
    case RecordKind::kCompartment:
      return "a record of a compartment";
    default:
      return "a record of governance";
  }
}

Result<RecordFate> judge_record(RecordKind kind, std::string_view payload, const NameFinder& names,
                                const store::IsForgotten& gone, bool whole) {
  RecordFate fate;
  switch (kind) {
    case RecordKind::kProvenance:
      return judge_provenance(payload, names, gone, whole);
    case RecordKind::kModelAnswer:
    case RecordKind::kToolOutput:
    case RecordKind::kEvent:
    case RecordKind::kSession:
    case RecordKind::kRun:
    case RecordKind::kQuarantine:
    case RecordKind::kCall:
      if (whole || names.in(payload)) fate.kind = RecordFate::Kind::kGoes;
      return fate;
    case RecordKind::kKeyRotation:
    case RecordKind::kUndo:
      return fate;
    default:
      if (names.in(payload)) fate.note = std::string(name_of(kind)) + " names it";
      return fate;
  }
}

// --- things -------------------------------------------------------------------------------------

// By the name alone, also where nobody asserts it any more. O(entities).
std::vector<EntityId> withdrawn_things(const Snapshot& snapshot, std::string_view name) {
  std::vector<EntityId> found;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    if (snapshot.kind(entity) == EntityKind::kConcept && snapshot.name(entity) == name) {
      found.push_back(entity);
    }
  }
  return found;
}

Result<EntityId> thing_named(const Snapshot& snapshot, const std::string& text) {
  Result<EntityId> found = store::find_entity(snapshot, text);
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  const std::vector<EntityId> withdrawn = withdrawn_things(snapshot, text);
  if (withdrawn.size() == 1) return withdrawn.front();
  if (withdrawn.empty()) return found;
  std::string ids;
  for (const EntityId entity : withdrawn) {
    ids += (ids.empty() ? "C:" : ", C:") + std::to_string(static_cast<std::uint32_t>(entity));
  }
  return fail(ErrorCode::kInvalidArgument, "several withdrawn things had this name: " + ids, text,
              "say which one by its number");
}

Status check_thing(const Snapshot& snapshot, EntityId entity) {
  const std::string_view name = snapshot.name(entity);
  const bool own = snapshot.kind(entity) == EntityKind::kConcept && name.starts_with('$');
  if (!own) return {};
  return fail(ErrorCode::kDenied, "no memory is without it", std::string(name));
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
    names.emplace_back(name);
}

void add_names(const Snapshot& snapshot, EntityId entity, std::vector<std::string>& names) {
  if (snapshot.kind(entity) != EntityKind::kConcept) return;
  add_name(names, snapshot.name(entity));
  store::Scratch scratch;
  for (const std::string_view key : {"alias", "aliases", "full_name"}) {
    const auto term = snapshot.find_string(key);
    if (!term) continue;
    for (const std::uint32_t value :
         snapshot.objects(entity, store::Predicate::attribute(*term), scratch)) {
      const store::ValueView view = snapshot.value(Term{value});
      if (view.kind == store::ValueKind::kString) add_name(names, view.text);
    }
  }
}

// Whether a text that is said of the entity names one of them.
bool names_in_texts(const Snapshot& snapshot, EntityId entity, const NameFinder& names) {
  if (snapshot.kind(entity) == EntityKind::kConcept && names.in(snapshot.name(entity))) return true;
  store::Scratch scratch;
  const store::Edges edges = snapshot.outgoing(entity, store::PredicateClass::kAttribute, scratch);
  return std::any_of(edges.others.begin(), edges.others.end(), [&](std::uint32_t code) {
    const store::ValueView value = snapshot.value(Term{code});
    return value.kind == store::ValueKind::kString && names.in(value.text);
  });
}

std::vector<Mention> mentions_of(const Snapshot& snapshot, const std::set<EntityId>& things,
                                 const std::vector<std::string>& names) {
  const NameFinder finder(names);
  std::set<EntityId> found;
  for (const std::string& name : names) {
    store::TextQuery query;
    query.text = name;
    query.prefix = query.fuzzy = false;
    query.limit = kMostMentions;
    for (const store::TextHit& hit : snapshot.search(query)) {
      if (things.contains(hit.entity) || !names_in_texts(snapshot, hit.entity, finder)) continue;
      const EntityId type = snapshot.type_of(hit.entity);
      if (type == store::kConceptType || type == store::kPropositionType) continue;
      if (check_thing(snapshot, hit.entity)) found.insert(hit.entity);
    }
  }
  std::vector<Mention> mentions;
  for (const EntityId entity : found) {
    mentions.push_back({entity, store::symbol_label(snapshot, entity)});
  }
  return mentions;
}

// --- values -------------------------------------------------------------------------------------

// Every literal that is the text, in any case, or a list of it alone; and those that name it.
struct NamingValues {
  std::vector<Term> same, texts;
};

// A text in any case; a number as it is written; a list of one of them.
bool is_value(const Snapshot& snapshot, Term term, std::string_view asked,
              std::string_view folded) {
  const store::ValueView value = snapshot.value(term);
  if (value.kind == store::ValueKind::kInteger || value.kind == store::ValueKind::kDouble)
    return snapshot.display(term) == asked;
  if (value.kind != store::ValueKind::kJson) return fold_case(trim(value.text)) == folded;
  const auto list = parse_json(value.text);
  if (!list || !list->is_array() || list->as_array().size() != 1) return false;
  const Json& only = list->as_array()[0];
  return only.is_string() ? fold_case(trim(only.as_string())) == folded : only.dump() == asked;
}

// Also of what was withdrawn: the dictionary has it as long as the log does.
NamingValues find_values(const Snapshot& snapshot, const std::string& text) {
  NamingValues found;
  const std::string asked(trim(text));
  const std::string folded = fold_case(asked);
  const NameFinder finder({text});
  for (std::uint32_t place = 1; place < snapshot.literal_bound(); ++place) {
    const Term term = Term::literal(place);
    if (is_value(snapshot, term, asked, folded)) {
      found.same.push_back(term);
    } else if (finder.in(snapshot.value(term).text)) {
      found.texts.push_back(term);
    }
  }
  return found;
}

void add_mention(const Snapshot& snapshot, EntityId entity, std::set<EntityId>& found) {
  if (snapshot.kind(entity) != EntityKind::kConcept || !check_thing(snapshot, entity)) return;
  const EntityId type = snapshot.type_of(entity);
  if (type != store::kConceptType && type != store::kPropositionType) found.insert(entity);
}

// The things that are called so or of which it is said. What is said of links as metadata goes as a
// statement, and is no mention.
std::set<EntityId> holders_of(const Snapshot& snapshot, const std::vector<Term>& texts) {
  std::set<EntityId> found;
  store::Scratch scratch;
  for (const Term text : texts) {
    const store::Edges edges = snapshot.incoming(text, store::PredicateClass::kAttribute, scratch);
    for (const std::uint32_t subject : edges.others)
      add_mention(snapshot, EntityId{subject}, found);
    for (const EntityId named : snapshot.concepts_named(snapshot.value(text).text))
      add_mention(snapshot, named, found);
  }
  return found;
}

Error named_in_texts(const Snapshot& snapshot, const std::set<EntityId>& holders,
                     const std::string& text) {
  constexpr std::size_t kMostNamed = 5;
  std::string list;
  std::size_t named = 0;
  for (const EntityId entity : holders) {
    if (named++ == kMostNamed) break;
    list += (list.empty() ? "C:" : ", C:") + std::to_string(static_cast<std::uint32_t>(entity)) +
            " " + store::symbol_label(snapshot, entity);
  }
  if (holders.size() > kMostNamed) list += ", ..";
  return {ErrorCode::kNotFound,
          "no thing is called so and no statement has it as its value, but " +
              std::to_string(holders.size()) + " things name it in a text: " + list,
          text, "--mentions takes these things (look with --dry-run); or name them one by one"};
}

// What no thing is called: the statements that have it as their value go.
Status add_value(const Snapshot& snapshot, const ForgetRequest& request, const std::string& text,
                 const Error& no_thing, std::set<EntityId>& things, ForgetPlan& plan) {
  const NamingValues values = find_values(snapshot, text);
  const std::set<EntityId> holders = holders_of(snapshot, values.texts);
  if (values.same.empty() && !request.mentions) {
    return fail(holders.empty() ? no_thing : named_in_texts(snapshot, holders, text));
  }
  add_name(plan.names, text);
  plan.values.push_back(text);
  plan.what.values.insert(plan.what.values.end(), values.same.begin(), values.same.end());
  for (const EntityId entity : holders)
    plan.mentions.push_back({entity, store::symbol_label(snapshot, entity)});
  if (!request.mentions) return {};
  plan.what.values.insert(plan.what.values.end(), values.texts.begin(), values.texts.end());
  things.insert(holders.begin(), holders.end());
  return {};
}

// What claims the source in its metadata, as KIP writes it.
std::vector<EntityId> claiming_source(const Snapshot& snapshot, const std::string& source) {
  const auto key = snapshot.find_string("source");
  const auto value = snapshot.find_string(source);
  if (!key || !value) return {};
  store::Scratch scratch;
  std::vector<EntityId> found;
  for (const std::uint32_t subject :
       snapshot.subjects(store::Predicate::metadata(*key), *value, scratch)) {
    const EntityId entity{subject};
    const EntityId type =
        snapshot.kind(entity) == EntityKind::kConcept ? snapshot.type_of(entity) : EntityId::kNone;
    if (type == store::kConceptType || type == store::kPropositionType) continue;
    if (check_thing(snapshot, entity)) found.push_back(entity);
  }
  return found;
}

bool is_own_entry(const store::LogEntry& entry) {
  return entry.origin.trust == store::Trust::kSystem;
}

Status add_things(const Snapshot& snapshot, const ForgetRequest& request, ForgetPlan& plan) {
  std::set<EntityId> things;
  std::vector<std::pair<std::string, Error>> values;
  for (const std::string& text : request.things) {
    if (trim(text).empty())
      return fail(ErrorCode::kInvalidArgument, "an empty name says nothing to be forgotten");
    const Result<EntityId> entity = thing_named(snapshot, text);
    if (!entity && entity.error().code != ErrorCode::kNotFound) return fail(entity.error());
    if (!entity) {
      values.push_back({text, entity.error()});
      continue;
    }
    ANIMA_TRY(check_thing(snapshot, *entity));
    things.insert(*entity);
    add_names(snapshot, *entity, plan.names);
  }
  plan.mentions = mentions_of(snapshot, things, plan.names);
  if (request.mentions) {
    for (const Mention& mention : plan.mentions) things.insert(mention.entity);
  }
  for (const auto& [text, no_thing] : values)
    ANIMA_TRY(add_value(snapshot, request, text, no_thing, things, plan));
  if (request.source && !request.between) {
    for (const EntityId entity : claiming_source(snapshot, *request.source)) things.insert(entity);
  }
  plan.what.entities.assign(things.begin(), things.end());
  return {};
}

void add_entries(const ForgetRequest& request, ForgetPlan& plan) {
  if (!request.source && !request.between) return;
  plan.what.entries = [source = request.source,
                       between = request.between](const store::LogEntry& entry) {
    if (is_own_entry(entry)) return false;
    if (source && entry.origin.source != *source) return false;
    return !between || (between->first <= entry.time && entry.time <= between->second);
  };
}

// Numbers and times only: the log must not keep the names of what it forgot.
Json request_json(const ForgetRequest& request, const ForgetPlan& plan) {
  JsonArray ids;
  for (const EntityId entity : plan.what.entities) {
    ids.emplace_back(static_cast<std::uint64_t>(static_cast<std::uint32_t>(entity)));
  }
  Json json = Json::object({{"things", std::move(ids)},
                            {"values", static_cast<std::uint64_t>(plan.what.values.size())},
                            {"mentions", request.mentions}});
  if (request.source) json.set("source", to_hex(sha256(*request.source)));
  if (request.between) {
    json.set("from", format_timestamp(request.between->first));
    json.set("to", format_timestamp(request.between->second));
  }
  return json;
}

std::string asked_words(const ForgetRequest& request) {
  std::string words;
  const auto add = [&](const std::string& part) { words += (words.empty() ? "" : "; ") + part; };
  for (const std::string& thing : request.things) add(thing);
  if (request.mentions) add("and what names it");
  if (request.source) add("all from the source " + *request.source);
  if (request.between) {
    add("all written from " + format_timestamp(request.between->first) + " to " +
        format_timestamp(request.between->second));
  }
  return words;
}

}  // namespace

Result<ForgetPlan> plan_forgetting(store::Space& space, const ForgetRequest& request) {
  if (request.things.empty() && !request.source && !request.between) {
    return fail(ErrorCode::kInvalidArgument, "nothing is said to be forgotten");
  }
  ANIMA_ASSIGN(const Snapshot knowledge, space.snapshot());
  ForgetPlan plan;
  ANIMA_TRY(add_things(knowledge.with_books(), request, plan));
  add_entries(request, plan);
  const auto names = std::make_shared<const NameFinder>(plan.names);
  plan.what.record = [names](RecordKind kind, std::string_view payload,
                             const store::IsForgotten& gone, bool whole) {
    return judge_record(kind, payload, *names, gone, whole);
  };
  plan.named = [names](std::string_view text) { return names->in(text); };
  plan.what.reason = request.reason;
  plan.asked = asked_words(request);
  plan.what.request = request_json(request, plan);
  ANIMA_ASSIGN(const std::vector<std::string> keys, space.keys());
  for (const std::string& key : keys) {
    const bool named = std::find(plan.names.begin(), plan.names.end(), key) != plan.names.end();
    if (named) plan.keys.push_back(key);
  }
  return plan;
}

}  // namespace anima::memory
