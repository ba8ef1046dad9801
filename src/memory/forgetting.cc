#include "memory/forgetting.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "memory/detail/carried_words.h"
#include "memory/detail/forgotten_mentions.h"
#include "memory/detail/forgotten_names.h"
#include "memory/detail/forgotten_records.h"
#include "memory/detail/forgotten_things.h"
#include "memory/detail/item_store.h"
#include "memory/detail/told_alone.h"
#include "memory/forgetting_record.h"
#include "memory/memory_manager.h"
#include "memory/told_texts.h"
#include "store/history.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using detail::add_name;
using detail::add_names;
using detail::ForgottenNames;
using detail::is_book_entry;
using detail::is_thing;
using detail::Naming;
using store::EntityId;
using store::EntityKind;
using store::RecordKind;
using store::Snapshot;
using store::Term;

// --- values -------------------------------------------------------------------------------------

// A whole number that a term holds itself.
std::optional<Term> small_integer(std::string_view text) {
  const auto number = read_number<std::int64_t>(text);
  if (!number || !Term::fits_integer(*number) || std::to_string(*number) != text)
    return std::nullopt;
  return Term::integer(*number);
}

// A text in any case; a number as it is written; a list of one of them.
bool is_value(const Snapshot& snapshot, Term term, std::string_view asked,
              std::string_view folded) {
  const store::ValueView value = snapshot.value(term);
  if (value.kind == store::ValueKind::kInteger || value.kind == store::ValueKind::kDouble)
    return snapshot.display(term) == asked;
  if (value.kind != store::ValueKind::kJson) return detail::same_written(value.text) == folded;
  const auto list = parse_json(value.text);
  if (!list || !list->is_array() || list->as_array().size() != 1) return false;
  const Json& only = list->as_array()[0];
  return only.is_string() ? detail::same_written(only.as_string()) == folded : only.dump() == asked;
}

// Every literal that is the text, in any case, or a list of it alone. Also of what was withdrawn:
// the dictionary has it as long as the log does.
std::vector<Term> find_values(const Snapshot& snapshot, const std::string& text) {
  std::vector<Term> found;
  const std::string asked(trim(text));
  const std::string folded = detail::same_written(asked);
  if (const auto number = small_integer(asked)) found.push_back(*number);
  for (std::uint32_t place = 1; place < snapshot.literal_bound(); ++place) {
    const Term term = Term::literal(place);
    if (is_value(snapshot, term, asked, folded)) found.push_back(term);
  }
  return found;
}

Error named_in_texts(const Snapshot& snapshot, const ForgetPlan& plan, const std::string& text) {
  constexpr std::size_t kMostNamed = 5;
  const auto listed = [&](const std::vector<Mention>& mentions) {
    std::string list;
    for (std::size_t i = 0; i < mentions.size() && i < kMostNamed; ++i) {
      list += (i == 0 ? "C:" : ", C:") +
              std::to_string(static_cast<std::uint32_t>(mentions[i].entity)) + " " +
              store::symbol_label(snapshot, mentions[i].entity);
    }
    return list + (mentions.size() > kMostNamed ? ", .." : "");
  };
  if (plan.mentions.empty() && !plan.in_doubt.empty()) {
    std::string others =
        plan.others.empty() ? "" : "; and this resembles it: " + listed(plan.others);
    if (!plan.places.empty()) others += "; and it stands here: " + join(plan.places, "; ");
    return {ErrorCode::kNotFound,
            "nothing is called so and no text names it, but these may: " + listed(plan.in_doubt) +
                others,
            text,
            "--in-doubt takes these texts (look with --dry-run); or forget them by their ids"};
  }
  if (plan.mentions.empty() && !plan.others.empty()) {
    return {
        ErrorCode::kNotFound,
        "nothing is called so and no text names it, but this resembles it: " + listed(plan.others),
        text, "forget it by its id"};
  }
  if (plan.mentions.empty() && plan.others.empty()) {
    return {ErrorCode::kNotFound,
            "no thing is called so and no statement has it as its value, but it stands here: " +
                join(plan.places, "; "),
            text,
            {}};
  }
  return {ErrorCode::kNotFound,
          "no thing is called so and no statement has it as its value, but " +
              std::to_string(plan.mentions.size()) +
              " things name it in a text: " + listed(plan.mentions),
          text, "--mentions takes these texts (look with --dry-run)"};
}

// Who states a value that no thing is called.
struct ValueUses {
  bool bootstrap = false;         // what a new space begins with
  bool elsewhere = false;         // somebody, as no word of Anima's own
  std::vector<Term> own;          // words that the program decides by in its own books
  std::set<std::string> read_by;  // memories of which it is a reader
};

ValueUses uses_of_value(const Snapshot& snapshot, const std::string& text) {
  ValueUses uses;
  for (const Term value : find_values(snapshot, text)) {
    if (value.tag() != store::Tag::kLiteral) continue;
    bool own = false;
    detail::each_statement_of(snapshot, value, [&](const store::Triple& triple) {
      const std::string_view key = snapshot.value(triple.predicate.key()).text;
      const bool in_books = detail::is_said_in_books(snapshot, triple);
      if (key == detail::kReadersKey && in_books && !is_memory_guardian(text)) {
        uses.read_by.emplace(snapshot.name(triple.subject));
        return;
      }
      uses.bootstrap = uses.bootstrap || detail::is_said_by_bootstrap(snapshot, triple);
      // Whoever wrote a memory, and where, is somebody's name, but for Anima's own.
      const bool word =
          in_books &&
          (detail::is_program_key(key) ||
           (detail::is_origin_key(key) && detail::is_own_origin(snapshot.value(value).text)));
      (word ? own : uses.elsewhere) = true;
    });
    if (own) uses.own.push_back(value);
  }
  return uses;
}

// What no thing is called: the statements that have it as their value go, but for Anima's own words
// about its books.
void add_value(const Snapshot& snapshot, const std::string& text, ForgetPlan& plan) {
  const std::vector<Term> values = find_values(snapshot, text);
  add_name(plan.names, text);
  plan.values.push_back(text);
  plan.what.values.insert(plan.what.values.end(), values.begin(), values.end());
  const ValueUses uses = uses_of_value(snapshot, text);
  plan.what.words_of_books.insert(plan.what.words_of_books.end(), uses.own.begin(), uses.own.end());
}

// What a new space begins with, and what only the program decides by in its own books, is no value
// that somebody gave.
Status check_not_own_value(const Snapshot& snapshot, const std::string& text) {
  const ValueUses uses = uses_of_value(snapshot, text);
  constexpr const char* kOwnWord = "it is a word that Anima itself reads its own books by";
  if (uses.bootstrap || (!uses.own.empty() && !uses.elsewhere))
    return fail(ErrorCode::kDenied, kOwnWord, text);
  const std::set<std::string>& read_by = uses.read_by;
  if (read_by.empty()) return {};
  return fail(ErrorCode::kDenied,
              "it is the name of a reader of memories: " +
                  join(std::vector<std::string>(read_by.begin(), read_by.end()), ", "),
              text,
              "anima forget " + *read_by.begin() + " --confirm takes a memory with its readers");
}

// Memories that go with what is forgotten: closed ones, whose text lies in a record, by what they
// say, and all of which nothing but what goes says the text.
struct GoingItems {
  std::set<std::string> ids;
  std::vector<bool> whole;  // by entry: it goes as a whole
};

Result<GoingItems> items_in_records(store::Space& space, const ForgetPlan& plan,
                                    const ForgottenNames& names) {
  GoingItems going;
  std::set<std::string> said_by_others;
  ANIMA_TRY(space.changes(store::Sequence::kNone, [&](const store::LogEntry& entry) -> Status {
    const bool whole = plan.what.entries && plan.what.entries(entry);
    going.whole.resize(static_cast<std::size_t>(entry.sequence) + 1, false);
    going.whole.back() = whole;
    // What is sealed away, or in an archive, says nothing.
    if (entry.payload.empty()) return {};
    return store::visit_records(entry, [&](RecordKind kind, std::string_view payload) -> Status {
      if (kind != RecordKind::kQuarantine) return {};
      const std::string id = detail::item_of_record(payload);
      if (whole || names.in_payload(payload)) {
        going.ids.insert(id);
      } else {
        said_by_others.insert(id);
      }
      return {};
    });
  }));
  // One version that names it is enough; of a source, somebody else's version keeps the memory.
  if (!plan.names.empty()) return going;
  for (const std::string& id : said_by_others) going.ids.erase(id);
  return going;
}

// A name that no thing has, that is no value, and that nothing to be taken has, no closed memory
// either, and that was not forgotten before.
Status check_found(store::Space& space, const Snapshot& snapshot, const ForgetRequest& request,
                   const std::string& text, const Error& no_thing) {
  if (!find_values(snapshot, text).empty()) return {};
  ForgetPlan alone;
  alone.names = {text};
  alone.values = {text};
  std::set<EntityId> things;
  const detail::TextsWanted wanted(request);
  const bool takes = detail::add_mentions(snapshot, wanted, things, alone);
  if (takes || (wanted.mentions && !alone.mentions.empty())) return {};
  ANIMA_ASSIGN(const GoingItems closed,
               items_in_records(space, alone, ForgottenNames({text}, {}, wanted.doubt())));
  if (!closed.ids.empty()) return {};
  if (!alone.mentions.empty() || !alone.others.empty() || !alone.places.empty() ||
      !alone.in_doubt.empty())
    return fail(named_in_texts(snapshot, alone, text));
  // Where it was forgotten before, what was sealed away then may be back.
  ANIMA_ASSIGN(const bool again, was_asked(space, text));
  return again ? Status() : fail(no_thing);
}

// What is stated with the source as metadata, as KIP writes it, is the source's. Entries of Anima's
// own books that have it go as a whole.
void add_claims(const Snapshot& snapshot, const std::string& source, std::set<EntityId>& things,
                ForgetPlan& plan) {
  const auto key = snapshot.find_string("source");
  const auto value = snapshot.find_string(source);
  if (!key || !value) return;
  plan.what.claim = {*key, *value};
  store::Scratch scratch;
  for (const std::uint32_t subject :
       snapshot.subjects(store::Predicate::metadata(*key), *value, scratch)) {
    const EntityId entity{subject};
    if (is_thing(snapshot, entity) && is_book_entry(snapshot, entity) &&
        !detail::is_of_bootstrap(snapshot, entity))
      things.insert(entity);
  }
}

bool is_own_entry(const store::LogEntry& entry) {
  return entry.origin.trust == store::Trust::kSystem;
}

// A type or a predicate that something uses stays, and so does a loaded compartment.
Status add_thing(const Snapshot& snapshot, EntityId entity, std::set<EntityId>& things) {
  ANIMA_TRY(detail::check_not_own(snapshot, entity));
  if (detail::is_of_loaded_compartment(snapshot, entity)) {
    const std::string name(snapshot.name(entity));
    return fail(ErrorCode::kDenied, "it is a loaded compartment", name,
                "unload it with `anima compartment unload " + name + "`, then forget again");
  }
  things.insert(entity);
  if (!detail::is_vocabulary(snapshot, entity)) return {};
  const detail::VocabularyUses uses = detail::vocabulary_uses(snapshot, entity, things);
  if (uses.count > 0) {
    return fail(ErrorCode::kDenied,
                "it is a type or a predicate that " + std::to_string(uses.count) +
                    " statements use: " + join(uses.some, "; ") +
                    (uses.count > uses.some.size() ? "; .." : ""),
                std::string(snapshot.name(entity)), "forget first what uses it");
  }
  detail::add_vocabulary(snapshot, entity, things);
  return {};
}

// Who is forgotten as a person: under the own name of a person, to the letter, or under a name that
// no thing has.
bool is_forgotten_speaker(const Snapshot& snapshot, const std::set<EntityId>& things,
                          const ForgetPlan& plan, std::string_view speaker) {
  const std::string written = detail::same_written(speaker);
  const bool by_name = std::ranges::any_of(plan.values, [&](const std::string& value) {
    return detail::same_written(value) == written;
  });
  return by_name || std::ranges::any_of(things, [&](EntityId thing) {
           return snapshot.kind(thing) == EntityKind::kConcept && snapshot.name(thing) == speaker &&
                  !is_book_entry(snapshot, thing);
         });
}

// What an attribute of a memory says, or ever said where it was withdrawn: an undo would bring that
// back.
std::vector<Term> said_of_item(const Snapshot& items, EntityId item, std::string_view attribute) {
  std::vector<Term> said;
  const auto key = items.find_string(attribute);
  if (!key) return said;
  const store::Predicate predicate = store::Predicate::attribute(*key);
  if (items.exists(item)) {
    store::Scratch scratch;
    for (const std::uint32_t code : items.objects(item, predicate, scratch))
      said.push_back(Term{code});
    return said;
  }
  for (const store::StatedWord& word : store::words_about(items, item))
    if (word.statement.predicate == predicate) said.push_back(word.statement.object);
  return said;
}

// What the person said, and what was asked back about it.
void add_said(const Snapshot& snapshot, std::set<EntityId>& things, ForgetPlan& plan) {
  const Snapshot items = detail::items_in(snapshot);
  std::set<EntityId> said;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    const bool item = detail::is_item(snapshot, entity);
    const bool question = !item && snapshot.kind(entity) == EntityKind::kConcept &&
                          snapshot.name(snapshot.type_of(entity)) == kQuestionType;
    if (!item && !question) continue;
    const std::vector<Term> speakers = said_of_item(items, entity, kSpeakerKey);
    if (std::ranges::none_of(speakers, [&](Term speaker) {
          return is_forgotten_speaker(snapshot, things, plan,
                                      std::string(items.value(speaker).text));
        }))
      continue;
    said.insert(entity);
    if (!item) continue;
    const std::vector<Term> texts = said_of_item(items, entity, "content");
    plan.said.push_back({entity, std::string(texts.empty() ? items.name(entity)
                                                           : items.value(texts.front()).text)});
  }
  things.merge(said);
}

Status add_things(store::Space& space, const Snapshot& snapshot, const ForgetRequest& request,
                  ForgetPlan& plan) {
  std::set<EntityId> things;
  std::vector<std::pair<std::string, Error>> values;
  for (const std::string& text : request.things) {
    if (trim(text).empty())
      return fail(ErrorCode::kInvalidArgument, "an empty name says nothing to be forgotten");
    const auto found = detail::things_named(snapshot, text);
    if (!found && found.error().code != ErrorCode::kNotFound) return fail(found.error());
    if (!found) {
      values.push_back({text, found.error()});
      continue;
    }
    for (const EntityId entity : *found) ANIMA_TRY(add_thing(snapshot, entity, things));
  }
  detail::add_merged_and_withdrawn(snapshot, things, plan.names);
  for (const auto& [text, no_thing] : values) {
    ANIMA_TRY(check_not_own_value(snapshot, text));
    ANIMA_TRY(check_found(space, snapshot, request, text, no_thing));
    add_value(snapshot, text, plan);
  }
  add_said(snapshot, things, plan);
  (void)detail::add_mentions(snapshot, detail::TextsWanted(request), things, plan);
  if (request.source && !request.between) add_claims(snapshot, *request.source, things, plan);
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

// --- memories -----------------------------------------------------------------------------------

// Open ones: every entry that says the text goes.
void add_open_items(const Snapshot& snapshot, GoingItems& going) {
  const auto key = snapshot.find_string("content");
  const Snapshot items = detail::items_in(snapshot);
  if (!key) return;
  for (const EntityId entity : detail::all_items(items)) {
    const auto text = items.attribute(entity, "content");
    if (!text) continue;
    const auto said = items.assertions({entity, store::Predicate::attribute(*key), *text});
    const bool all = std::ranges::all_of(said, [&](const store::Assertion& assertion) {
      const auto at = static_cast<std::size_t>(assertion.born);
      return at < going.whole.size() && going.whole[at];
    });
    if (all && !said.empty()) going.ids.emplace(items.name(entity));
  }
}

// What the texts of memories that go told goes with them, whatever it is about, and so do things of
// which nothing else is known.
void add_told(const Snapshot& snapshot, std::set<EntityId>& things, ForgetPlan& plan) {
  const Snapshot items = detail::items_in(snapshot);
  const auto told_key = items.find_string(detail::kToldRecords);
  if (!told_key) return;
  detail::ToldAndGoing going;
  for (const EntityId entity : things) {
    if (!detail::is_item(snapshot, entity)) continue;
    for (const store::StatedWord& word : store::words_about(items, entity)) {
      if (word.statement.predicate != store::Predicate::attribute(*told_key)) continue;
      const store::ValueView record = items.value(word.statement.object);
      if (record.kind != store::ValueKind::kInteger || record.integer <= 0) continue;
      going.records.insert(static_cast<std::uint64_t>(record.integer));
      going.entries.insert(word.said == store::Sequence::kNone ? word.from : word.said);
      for (const std::string_view prefix : {kToldTimes, kToldValue, kToldGone}) {
        const auto kept =
            snapshot.find_string(std::string(prefix) + std::to_string(record.integer));
        if (kept) going.keys.insert(*kept);
      }
    }
  }
  plan.what.provenances.assign(going.records.begin(), going.records.end());
  plan.what.keys.insert(plan.what.keys.end(), going.keys.begin(), going.keys.end());
  const std::vector<EntityId> alone = detail::things_told_alone(snapshot, going);
  things.insert(alone.begin(), alone.end());
}

// Adds the memories to what goes, and gives the ids of all memories that do.
Result<std::set<std::string>> add_items(store::Space& space, const Snapshot& snapshot,
                                        const ForgottenNames& names, ForgetPlan& plan) {
  ANIMA_ASSIGN(GoingItems going, items_in_records(space, plan, names));
  if (plan.what.entries) add_open_items(snapshot, going);
  std::set<EntityId> things(plan.what.entities.begin(), plan.what.entities.end());
  const auto whole = [&](store::Sequence entry) {
    const auto at = static_cast<std::size_t>(entry);
    return at < going.whole.size() && going.whole[at];
  };
  if (plan.what.entries) detail::add_carried(snapshot, whole, things, plan);
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const EntityId entity{id};
    if (!detail::is_item(snapshot, entity)) continue;
    const std::string name(snapshot.name(entity));
    if (things.contains(entity)) {
      going.ids.insert(name);
    } else if (going.ids.contains(name)) {
      things.insert(entity);
      plan.memories.push_back(name);
    }
  }
  add_told(snapshot, things, plan);
  plan.what.entities.assign(things.begin(), things.end());
  return std::move(going.ids);
}

// What the program reads by when it looks for entries of its own stays: "anima forget", "terminal".
std::string header_without(const ForgottenNames& names, std::string_view text) {
  if (text.starts_with("anima ") || detail::is_own_origin(text)) return std::string(text);
  for (const std::string_view own : {"sleep undo of cycle ", "world "}) {
    if (text.starts_with(own)) return std::string(own) + names.without(text.substr(own.size()));
  }
  return names.without(text);
}

std::vector<EntityId> entities_of(const std::vector<Mention>& mentions) {
  std::vector<EntityId> entities;
  for (const Mention& mention : mentions) entities.push_back(mention.entity);
  return entities;
}

// Keys that are named as a thing is; a value names none, for "audit" is a word like others.
Result<std::vector<std::string>> keys_named(store::Space& space, const Snapshot& snapshot,
                                            const ForgetPlan& plan) {
  std::vector<std::string> things;
  for (const std::string& name : plan.names) {
    if (std::ranges::find(plan.values, name) == plan.values.end()) things.push_back(name);
  }
  const ForgottenNames names =
      detail::names_beside(snapshot, things, plan.shared, entities_of(plan.others));
  ANIMA_ASSIGN(std::vector<std::string> keys, space.keys());
  std::erase_if(keys, [&](const std::string& key) { return !names.in(key); });
  return keys;
}

}  // namespace

std::function<bool(std::string_view)> naming(const std::vector<std::string>& names) {
  return [finder = std::make_shared<const ForgottenNames>(names)](std::string_view text) {
    return finder->in_payload(text);
  };
}

Result<ForgetPlan> plan_forgetting(store::Space& space, const ForgetRequest& request) {
  if (request.things.empty() && !request.source && !request.between) {
    return fail(ErrorCode::kInvalidArgument, "nothing is said to be forgotten");
  }
  ANIMA_ASSIGN(const Snapshot knowledge, space.snapshot());
  const Snapshot snapshot = knowledge.with_books();
  ForgetPlan plan;
  ANIMA_TRY(add_things(space, snapshot, request, plan));
  add_entries(request, plan);
  const auto beside = [&](detail::Doubt doubt) {
    return std::make_shared<const ForgottenNames>(
        detail::names_beside(snapshot, plan.names, plan.shared, entities_of(plan.others), doubt));
  };
  const auto names = beside(detail::TextsWanted(request).doubt());
  ANIMA_ASSIGN(std::set<std::string> items, add_items(space, snapshot, *names, plan));
  const auto judge =
      std::make_shared<const detail::RecordJudge>(space, *names, std::move(items), request.dry_run);
  // The judge reads the names.
  plan.what.record = [names, judge](RecordKind kind, std::string_view payload,
                                    const store::IsForgotten& gone, bool whole) {
    return judge->judge(kind, payload, gone, whole);
  };
  const auto sure = beside(detail::Doubt::kIsListed);
  plan.what.header = [sure](std::string_view text) { return header_without(*sure, text); };
  plan.around = [sure](std::string_view text) { return sure->around_doubt(text); };
  for (const store::GraphId graph : snapshot.graphs()) {
    if (store::is_own_graph(snapshot.graph_name(graph))) plan.what.books.push_back(graph);
  }
  plan.named = [names](std::string_view text) { return names->in_payload(text); };
  plan.without = [names](const Json& record) { return names->evidence_without(record); };
  plan.what.reason = names->without(request.reason);
  plan.asked = asked_words(request) + said_words(plan.said.size());
  ANIMA_ASSIGN(plan.keys, keys_named(space, snapshot, plan));
  ANIMA_ASSIGN(const std::string id, space_id(space));
  plan.what.request = request_json(request, plan, id);
  return plan;
}

}  // namespace anima::memory
