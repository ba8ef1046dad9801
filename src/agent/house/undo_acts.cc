#include "agent/house/undo_acts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/loop/undone_sessions.h"
#include "agent/talk_notes.h"
#include "base/text/read_number.h"
#include "bus/event_journal.h"
#include "memory/memory_manager.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/symbols.h"
#include "store/undone_acts.h"

namespace anima::agent {
namespace {

using store::Sequence;

constexpr std::string_view kLast = "last";
// All that goes and comes, the shelves that things stand on among it.
constexpr store::ChangesShown kToldOfAnUndo{.upkeep = true};
constexpr std::string_view kTimesToTell[] = {"valid_from", "valid_to", store::kHeldBefore};

std::uint64_t entry_number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

// The numbers that were named.
struct Range {
  Sequence first = Sequence::kNone, last = Sequence::kNone;
};

Result<Sequence> parse_entry(std::string_view text) {
  const auto read = read_number<std::uint64_t>(text);
  if (read && *read > 0) return Sequence{*read};
  return fail(ErrorCode::kInvalidArgument, "this is no number of a log entry", text);
}

Result<Range> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    ANIMA_ASSIGN(const Sequence one, parse_entry(text));
    return Range{one, one};
  }
  ANIMA_ASSIGN(const Sequence first, parse_entry(text.substr(0, dots)));
  ANIMA_ASSIGN(const Sequence last, parse_entry(text.substr(dots + 2)));
  return Range{first, last};
}

// What Anima notes of a conversation, beside what was told in it: the exchanges, and what is kept
// of its lines. Who asked something did nothing that "the last" could mean.
bool is_note_of_talk(const store::Snapshot& now, const store::WrittenKey& key) {
  const std::string_view graph = now.graph_name(key.graph);
  if (!store::is_own_graph(graph)) return false;
  const store::EntityId type = now.type_of(key.subject);
  const bool defines = type == store::kConceptType || type == store::kPropositionType;
  if (defines || graph == kUnlearntGraph || now.name(type) == kModelSessionType) return true;
  if (graph != memory::kMemoryGraph || now.name(type) != memory::kItemType) return false;
  const store::Snapshot items = store::in_graph(now.with_books(), memory::kMemoryGraph);
  const auto kind = items.attribute(key.subject, "kind");
  return kind && items.value(*kind).text == memory::to_string(memory::ItemKind::kSession);
}

bool is_nobodys(const store::Act& act) { return !store::is_of_somebody(act.info); }

// The acts that have an entry in the range, as far as the log goes. What nobody did is among them
// only where nothing else is named.
Result<std::vector<store::Act>> acts_in(store::Space& space, const store::Snapshot& now,
                                        const Range& range) {
  std::vector<store::Act> acts;
  std::set<Sequence> taken;
  const std::uint64_t last = std::min(entry_number(range.last), entry_number(now.sequence()) + 1);
  for (std::uint64_t at = entry_number(range.first); at <= last; ++at) {
    if (taken.contains(Sequence{at})) continue;
    ANIMA_ASSIGN(store::Act act, store::act_at(space, now, Sequence{at}));
    taken.insert(act.entries.begin(), act.entries.end());
    acts.push_back(std::move(act));
  }
  if (!std::ranges::all_of(acts, is_nobodys)) std::erase_if(acts, is_nobodys);
  if (acts.empty())
    return fail(ErrorCode::kInvalidArgument, "there are no such entries", {},
                "`anima audit log` lists them");
  return acts;
}

// What Anima itself noted of an act, its events, belongs to whose act it is.
Status check_authors(const store::Snapshot& now, const std::vector<Sequence>& entries,
                     const UndoAsked& asked) {
  for (const Sequence entry : entries) {
    const store::EntryInfo info = now.entry(entry);
    const bool events = info.author == bus::kEventAuthor && info.trust == store::Trust::kSystem;
    const bool own = info.author == asked.only_of && info.time >= asked.since;
    if (asked.only_of.empty() || own || events || store::notes_readings(info)) continue;
    return fail(
        ErrorCode::kDenied,
        "entry " + std::to_string(entry_number(entry)) + " was written by " +
            std::string(info.author) + (info.author == asked.only_of ? " of an earlier token" : ""),
        {},
        "the owner of the space takes it back: anima undo " + std::to_string(entry_number(entry)));
  }
  return {};
}

// What cascades is looked at before it goes: then exactly that is undone, and nothing that came to
// depend on it meanwhile.
Result<store::UndoneActs> undo_of(store::Space& space, const store::Snapshot& before,
                                  const store::Origin& origin, std::vector<Sequence> entries,
                                  const UndoAsked& asked, std::vector<std::string>& psyche) {
  ANIMA_TRY(check_authors(before, entries, asked));
  store::UndoActsOptions options{asked.cascade, asked.dry_run, keeps_states(space, &psyche)};
  if (!asked.only_of.empty() && asked.cascade) {
    ANIMA_ASSIGN(store::UndoneActs tried,
                 store::undo_entries(space, origin, entries, {.cascade = true, .dry_run = true}));
    ANIMA_TRY(check_authors(before, tried.report.entries, asked));
    entries = tried.report.entries;
    options.cascade = false;
  }
  return store::undo_entries(space, origin, entries, options);
}

Json told_json(const std::vector<std::string>& lines, std::size_t all, std::size_t most) {
  JsonArray list;
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) list.emplace_back(lines[i]);
  return Json::object({{"count", all}, {"facts", std::move(list)}});
}

// What cascaded is an act as well.
Status add_cascaded(store::Space& space, const store::Snapshot& before, UndoShown& shown) {
  std::set<Sequence> known;
  for (const store::Act& act : shown.acts) known.insert(act.entries.begin(), act.entries.end());
  for (const Sequence entry : shown.undone.report.entries) {
    if (known.contains(entry)) continue;
    ANIMA_ASSIGN(store::Act act, store::act_at(space, before, entry));
    known.insert(act.entries.begin(), act.entries.end());
    shown.acts.push_back(std::move(act));
  }
  std::ranges::sort(shown.acts, {}, &store::Act::first);
  return {};
}

// Of links that stay as they are the times that come and go: when they began, ended, or held
// before.
void tell_times(const store::Snapshot& before, UndoShown& shown) {
  std::set<store::Triple> told;
  for (const auto* list : {&shown.undone.going, &shown.undone.coming})
    told.insert(list->statements.begin(), list->statements.end());
  const auto add = [&](const store::StatementsTold& changed, std::vector<std::string>& lines) {
    for (const store::Triple& triple : changed.statements) {
      if (triple.predicate.predicate_class() != store::PredicateClass::kMetadata ||
          before.kind(triple.subject) != store::EntityKind::kProposition)
        continue;
      const std::string key = store::predicate_label(before, triple.predicate);
      const store::Triple link = before.triple_of(triple.subject);
      if (std::ranges::find(kTimesToTell, key) == std::end(kTimesToTell) || told.contains(link))
        continue;
      for (const std::string& line : store::statement_lines(before, {&link, 1}, kToldOfAnUndo)) {
        lines.push_back(line + ", " + key + " " + store::term_label(before, triple.object));
        shown.about.emplace_back(before.name(link.subject));
      }
    }
  };
  add(shown.undone.going, shown.going);
  add(shown.undone.coming, shown.coming);
}

void name_things(const store::Snapshot& before, UndoShown& shown) {
  for (const auto* told : {&shown.undone.going, &shown.undone.coming}) {
    for (const store::Triple& triple : told->statements) {
      if (store::statement_lines(before, {&triple, 1}, kToldOfAnUndo).empty()) continue;
      std::string name(before.name(triple.subject));
      if (!name.empty()) shown.about.push_back(std::move(name));
    }
  }
  std::ranges::sort(shown.about);
  shown.about.erase(std::unique(shown.about.begin(), shown.about.end()), shown.about.end());
}

}  // namespace

store::UndoCheck keeps_states(store::Space& space, std::vector<std::string>* psyche) {
  return [&space, psyche](const store::Snapshot& before, const store::Snapshot& after) -> Status {
    ANIMA_ASSIGN(std::vector<std::string> told, undone_psyches(space, before, after));
    if (psyche != nullptr) *psyche = std::move(told);
    return {};
  };
}

Status check_undo_range(std::string_view entries) {
  if (entries == kLast) return {};
  const auto range = parse_range(entries);
  return range ? Status() : fail(range.error());
}

Result<UndoShown> undo_acts(store::Space& space, const store::Snapshot& before,
                            const store::Origin& origin, const UndoAsked& asked) {
  UndoShown shown;
  shown.dry_run = asked.dry_run;
  if (asked.entries == kLast) {
    ANIMA_ASSIGN(store::Act last, store::newest_act_of(space, before, asked.only_of,
                                                       [&](const store::WrittenKey& key) {
                                                         return !is_note_of_talk(before, key);
                                                       }));
    shown.acts.push_back(std::move(last));
  } else {
    ANIMA_ASSIGN(const Range range, parse_range(asked.entries));
    ANIMA_ASSIGN(shown.acts, acts_in(space, before, range));
  }
  std::vector<Sequence> entries;
  for (const store::Act& act : shown.acts)
    entries.insert(entries.end(), act.entries.begin(), act.entries.end());
  ANIMA_ASSIGN(shown.undone,
               undo_of(space, before, origin, std::move(entries), asked, shown.psyche));
  ANIMA_TRY(add_cascaded(space, before, shown));
  shown.going = store::statement_lines(before, shown.undone.going.statements, kToldOfAnUndo);
  shown.coming = store::statement_lines(before, shown.undone.coming.statements, kToldOfAnUndo);
  tell_times(before, shown);
  name_things(before, shown);
  return shown;
}

std::size_t fact_count(const std::vector<std::string>& lines, const store::StatementsTold& told) {
  return lines.size() + (told.count - told.statements.size());
}

Json undo_json(const UndoShown& shown, std::size_t most) {
  const store::UndoReport& report = shown.undone.report;
  JsonArray acts, entries;
  for (const store::Act& act : shown.acts) {
    JsonArray members;
    for (const Sequence entry : act.entries) members.emplace_back(entry_number(entry));
    acts.emplace_back(Json::object({{"act", entry_number(act.first)},
                                    {"name", act.name},
                                    {"time", format_timestamp(act.info.time)},
                                    {"author", act.info.author},
                                    {"entries", std::move(members)}}));
  }
  for (const Sequence entry : report.entries) entries.emplace_back(entry_number(entry));
  Json json = Json::object(
      {{"dry_run", shown.dry_run},
       {"acts", std::move(acts)},
       {"entries", std::move(entries)},
       {"keys", report.keys},
       {"forgotten_in", static_cast<std::uint64_t>(shown.undone.taken_from)},
       {"going", told_json(shown.going, fact_count(shown.going, shown.undone.going), most)},
       {"coming", told_json(shown.coming, fact_count(shown.coming, shown.undone.coming), most)}});
  JsonArray psyche;
  for (const std::string& change : shown.psyche) psyche.emplace_back(change);
  if (!psyche.empty()) json.set("psyche", std::move(psyche));
  if (!shown.dry_run) json.set("sequence", entry_number(report.receipt.sequence));
  return json;
}

}  // namespace anima::agent
