// Somebody who tells a space of his own one text after the other, and what it knows then.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/house/undo_acts.h"
#include "agent/telling/space_asker.h"
#include "agent/telling/told_facts.h"
#include "agent/telling/told_layout.h"
#include "agent/telling/told_undo.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "kip/engine.h"
#include "memory/contradiction.h"
#include "memory/forgetting.h"
#include "memory/merge_conflicts.h"
#include "store/forget.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/present.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::told_test {

inline std::string day(const std::optional<Timestamp>& time) {
  return time ? format_timestamp(*time).substr(0, 10) : "..";
}

class Speaker {
 public:
  // `memory`: the id of the memory that keeps it; empty: none does.
  Told say(const std::string& text, const std::string& memory = {}) {
    clock_.advance(kMicrosecondsPerDay);
    return say_now(text, memory);
  }

  // At noon of a day, day 0 being the first.
  Told say_on(int day, const std::string& text, const std::string& memory = {}) {
    clock_.set(Timestamp{first_.microseconds + day * kMicrosecondsPerDay});
    Told told = say_now(text, memory);
    for (int more = 0; more < 3 && !told.choices.empty(); ++more)
      told = say_now(told.choices.back(), {});
    return told;
  }

  Told say_now(const std::string& text, const std::string& memory) {
    const memory::NewMemory item = item_of(text);
    last_.begin_line(agent::said_by(item));
    memory::StoredMemory stored;
    stored.id = memory;
    if (!memory.empty()) keep_memory(memory);
    auto told = facts_.keep(item, memory.empty() ? nullptr : &stored, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    if (told) asked_ += told->asks;
    // "Acme Corp", which no list knows: a name.
    if (told && !told->proposes.empty()) return say_now("yes", {});
    return told ? *std::move(told) : Told();
  }
  // What was said back since this was called last, also what a yes answered.
  std::string asked() { return std::exchange(asked_, {}); }

  // What holds now began later: it stays, and what was said held before it, or held twice.
  void say_of_before(const std::string& text, const std::string& memory = {}) {
    Told asked = say(text, memory);
    for (int more = 0; more < 3 && !asked.choices.empty(); ++more)
      asked = say(asked.choices.back());
  }

  void speak_in(const std::string& session) { session_ = session; }
  void speak_as(store::Trust trust) { trust_ = trust; }
  // Another person, who tells of the same things.
  void speak_as(const std::string& author, store::Trust trust) {
    author_ = author;
    trust_ = trust;
  }

  // "phone 333 (Ada); age 34 (Ada, Ben)": each value that holds, and who states it.
  std::string values(std::span<const std::string> attributes) {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::string all;
    for (const std::string& name : attributes) {
      const auto key = now.find_string(name);
      if (!key) continue;
      store::Pattern pattern;
      pattern.predicate = store::Predicate::attribute(*key);
      std::set<std::string> lines;
      store::each_statement(now, pattern, [&](const store::Triple& row) {
        store::Scratch scratch;
        const auto codes = now.objects(row.subject, row.predicate, scratch);
        const auto held = store::holding_values(now, row.subject, row.predicate,
                                                std::vector(codes.begin(), codes.end()));
        std::string line(now.name(row.subject));
        line += " " + name + " " + store::term_label(now, row.object);
        for (const store::Assertion& one : now.assertions(row))
          line += " (" + std::string(now.entry(one.born).author) + ")";
        if (std::ranges::find(held, row.object.code) == held.end()) line += " beside";
        lines.insert(line);
      });
      for (const std::string& line : lines) all += line + "; ";
    }
    return all;
  }

  // What there is: things, links with their times, values, what has room for one.
  std::string state() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::set<std::string> lines;
    for (const auto kind : {store::PredicateClass::kStructural, store::PredicateClass::kLink,
                            store::PredicateClass::kAttribute}) {
      store::Pattern pattern;
      pattern.predicate_class = kind;
      store::each_statement(now, pattern, [&](const store::Triple& row) {
        std::string line = std::string(now.name(row.subject)) + " " +
                           store::predicate_label(now, row.predicate) + " " +
                           store::term_label(now, row.object);
        for (const store::Assertion& one : now.assertions(row))
          line += " (" + day(now.entry(one.born).time) + ")";
        const auto link = now.find_proposition(row);
        if (link && kind == store::PredicateClass::kLink)
          for (const store::Period& one : store::periods_of(now, *link))
            line += " " + day(one.from) + "/" + day(one.to);
        lines.insert(line);
      });
    }
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  void merge(const std::string& other, const std::string& kept) {
    kip("MERGE CONCEPT ?o INTO ?k WHERE { ?o {type: \"Person\", name: " + quote_json(other) +
        "} ?k {type: \"Person\", name: " + quote_json(kept) + "} }");
  }

  void kip(const std::string& command, store::Trust trust = store::Trust::kOperator) {
    const Json answer = ask_kip(command, trust);
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
  }
  Json ask_kip(const std::string& command, store::Trust trust = store::Trust::kOperator) {
    kip::EngineOptions options;
    options.load_genesis = false;
    auto engine = kip::Engine::open(space_, options);
    EXPECT_TRUE(engine);
    kip::Caller caller;
    caller.origin = {"Ada", "kip", trust, store::Sequence::kNone};
    caller.define_on_use = true;
    return (*engine)->execute(command, Json::object(), caller);
  }

  void set_day(int day) { clock_.set(Timestamp{first_.microseconds + day * kMicrosecondsPerDay}); }

  // As KIP, or a file that is loaded, states it in the knowledge; `compartment`: in this one.
  void state(const std::string& thing, const std::string& attribute, const std::string& value,
             const std::string& compartment = {}) {
    clock_.advance(kMicrosecondsPerDay);
    ASSERT_TRUE(space_->write(
        {author_, "kip", trust_, store::Sequence::kNone},
        [&](store::Transaction& transaction) -> Status {
          store::AssertOptions place;
          if (!compartment.empty()) place.graph = transaction.graph(compartment);
          ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("Person", place));
          ANIMA_ASSIGN(const store::EntityId entity,
                       transaction.upsert_concept(type, thing, place));
          ANIMA_ASSIGN(const store::Term term,
                       transaction.term(store::Value::string(value).view()));
          return transaction.set_attribute(entity, attribute, std::span(&term, 1), place);
        }));
  }

  void forget(const std::string& memory) {
    const auto gone = facts_.take_back(item_of("forget it"), memory);
    EXPECT_TRUE(gone) << gone.error().describe();
    forget_memory(memory);
  }

  // As `anima forget` does it.
  void forget_for_good(memory::ForgetRequest request) {
    const auto plan = memory::plan_forgetting(*space_, request);
    ASSERT_TRUE(plan) << plan.error().describe();
    const store::Origin origin{"Ada", "anima forget", store::Trust::kOperator,
                               store::Sequence::kNone};
    const ToldLayout told(space_->snapshot().value());
    const auto gone = store::forget(*space_, origin, plan->what, clock_.now(), false);
    ASSERT_TRUE(gone) << gone.error().describe();
    ASSERT_TRUE(told.lay_out_again(*space_, origin));
  }

  void forget_memory(const std::string& id) {
    ASSERT_TRUE(space_->write(
        {"Ada", "chat", store::Trust::kOperator, store::Sequence::kNone},
        [&](store::Transaction& transaction) -> Status {
          const store::Snapshot items = store::in_graph(transaction.view(), memory::kMemoryGraph);
          const auto type = items.find_type(memory::kItemType);
          const auto item = type ? items.find_concept(*type, id) : std::nullopt;
          if (!item) return {};
          return transaction.retract_concept(*item, transaction.graph(memory::kMemoryGraph), true);
        }));
  }

  // New words for what was told on that day.
  Told update(const std::string& memory, const std::string& text, int day,
              const std::string& new_memory) {
    keep_memory(new_memory);
    forget(memory);
    memory::NewMemory item = item_of(text);
    item.said_at = Timestamp{first_.microseconds + day * kMicrosecondsPerDay};
    memory::StoredMemory stored;
    stored.id = new_memory;
    last_.begin_line(agent::said_by(item));
    auto told = facts_.keep(item, &stored, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    if (told && !told->proposes.empty()) return say_now("yes", {});
    return told ? *std::move(told) : Told();
  }

  // A text that takes the place of one that was said on that day.
  Told say_instead(const std::string& text, int day) {
    memory::NewMemory item = item_of(text);
    item.said_at = Timestamp{first_.microseconds + day * kMicrosecondsPerDay};
    auto told = facts_.keep(item, nullptr, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    return told ? *std::move(told) : Told();
  }

  // "Oslo 2010-01-01/2015-01-01 2020-01-01/..; Rome .."
  std::string times() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::map<std::string, std::string> times;
    for (const store::Triple& link : links(now)) {
      std::string& text = times[std::string(now.name(link.object.as_entity()))];
      const auto proposition = now.find_proposition(link);
      for (const store::Period& one : store::periods_of(now, *proposition))
        text += " " + day(one.from) + "/" + day(one.to);
    }
    std::string all;
    for (const auto& [name, text] : times) all += (all.empty() ? "" : "; ") + name + text;
    return all;
  }

  // The same with how far whoever states it is trusted: "Oslo ../.. op".
  std::string times_by_trust() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::string all;
    std::set<std::string> lines;
    for (const store::Triple& link : links(now)) {
      std::string line(now.name(link.object.as_entity()));
      for (const store::Period& one : store::periods_of(now, *now.find_proposition(link)))
        line += " " + day(one.from) + "/" + day(one.to);
      const store::Trust trust = store::standing_of(now, link).trust;
      lines.insert(line + (trust == store::Trust::kOperator   ? " op"
                           : trust == store::Trust::kStandard ? " st"
                                                              : " un"));
    }
    for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
    return all;
  }

  // Of Ada: in the evening of each day, and on the first of June of each year before.
  std::string holds_when(int days) {
    std::string all;
    for (int year = 2008; year < 2026; ++year)
      all += std::to_string(year) + " " + holds_in(year) + "\n";
    for (int day = 0; day < days; ++day) {
      const Timestamp evening{first_.microseconds + day * kMicrosecondsPerDay +
                              kMicrosecondsPerDay / 4};
      all += "day " + std::to_string(day) + " " + holds_at(evening) + "\n";
    }
    return all;
  }

  std::string holds_on(int day) {
    return holds_at(
        Timestamp{first_.microseconds + day * kMicrosecondsPerDay + kMicrosecondsPerDay / 4});
  }

  // By the time of the space.
  std::string holds_now() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    const Timestamp time = store::present(now, clock_);
    std::set<std::string> lines;
    for (const store::Triple& link : links(now)) {
      const Timestamp until{time.microseconds + 1};
      const auto held = store::holders(now, link.subject, link.predicate, time, until);
      const bool one = store::is_functional(now, link.predicate);
      if (one ? std::ranges::find(held, link.object) == held.end()
              : !store::is_valid(store::standing_of(now, link), time, until))
        continue;
      lines.insert(std::string(now.name(link.subject)) + " " +
                   store::predicate_label(now, link.predicate) + " " +
                   std::string(now.name(link.object.as_entity())) + "; ");
    }
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
  }

  // What Anima answers, whatever the clock shows.
  std::string answer(const std::string& question) {
    if (asker_ == nullptr) asker_ = SpaceAsker::open(space_, system_files(), shared_clock_).value();
    ask::AskOptions options;
    options.speaker = "Ada";
    return asker_->ask(question, options).text;
  }

  // The rows of the answer: "Oslo", "2015".
  std::string rows_of(const std::string& question) {
    if (asker_ == nullptr) asker_ = SpaceAsker::open(space_, system_files(), shared_clock_).value();
    ask::AskOptions options;
    options.speaker = "Ada";
    std::string all(ask::to_string(asker_->ask(question, options).status));
    for (const JsonArray& row : asker_->ask(question, options).rows) all += " " + Json(row).dump();
    return all;
  }

  // "Ada lives_in Oslo ../2015-01-01": each link and value that stands on that trust, and the noun
  // of a link.
  std::string of_trust(store::Trust trust) {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::set<std::string> lines;
    for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
      store::Pattern pattern;
      pattern.predicate_class = kind;
      store::each_statement(now, pattern, [&](const store::Triple& row) {
        if (store::standing_of(now, row).trust != trust) return;
        std::string line = std::string(now.name(row.subject)) + " " +
                           store::predicate_label(now, row.predicate) + " " +
                           store::term_label(now, row.object);
        if (const auto link = now.find_proposition(row);
            link && kind == store::PredicateClass::kLink) {
          for (const store::Period& one : store::periods_of(now, *link))
            line += " " + day(one.from) + "/" + day(one.to);
          const auto noun = store::said_of_link(now, *link, "noun");
          if (noun) line += " " + store::term_label(now, *noun);
        }
        lines.insert(line + "\n");
      });
    }
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
  }

  void turn_clock(std::int64_t microseconds) { clock_.advance(microseconds); }

  std::string holds_in(int year) {
    return holds_at(parse_timestamp(std::to_string(year) + "-06-01").value());
  }

  std::string holds_at(Timestamp from) {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::set<std::string> all;
    for (const store::Triple& link : links(now)) {
      if (now.name(link.subject) != "Ada") continue;
      for (const Timestamp until :
           {Timestamp{from.microseconds + 1}, Timestamp{from.microseconds + kMicrosecondsPerDay}}) {
        const auto held = store::holders(now, link.subject, link.predicate, from, until);
        const bool one_of_many = !store::is_functional(now, link.predicate);
        const bool holds = one_of_many ? store::is_valid(store::standing_of(now, link), from, until)
                                       : std::ranges::find(held, link.object) != held.end();
        if (!holds) continue;
        all.insert(std::string(one_of_many ? now.name(link.predicate.as_link()) : "") + " " +
                   std::string(now.name(link.object.as_entity())));
      }
    }
    std::string names;
    for (const std::string& name : all)
      names += (names.empty() ? "" : ", ") + std::string(trim(name));
    return names;
  }

  // "Ada lives_in Rome; ": each link between things that holds now, by whoever states it.
  std::string holding() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    const Timestamp time = clock_.now();
    std::set<std::string> lines;
    store::Pattern pattern;
    pattern.predicate_class = store::PredicateClass::kLink;
    store::each_statement(now, pattern, [&](const store::Triple& row) {
      const auto held =
          store::holders(now, row.subject, row.predicate, time, {time.microseconds + 1});
      const bool holds = store::is_functional(now, row.predicate)
                             ? std::ranges::find(held, row.object) != held.end()
                             : store::is_valid(store::standing_of(now, row), time, time);
      if (!holds || !row.object.is_entity()) return;
      lines.insert(std::string(now.name(row.subject)) + " " +
                   store::predicate_label(now, row.predicate) + " " +
                   store::term_label(now, row.object));
    });
    std::string all;
    for (const std::string& line : lines) all += line + "; ";
    return all;
  }

  std::size_t contradictions() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    return memory::Contradictions(now).all().size();
  }

  // What `anima contradictions` lists of merges: "phone 41, other 42".
  std::string merge_conflicts() {
    std::string all;
    for (const memory::MergeConflict& one : memory::merge_conflicts(space_->snapshot().value()))
      all += one.key + " " + one.kept.dump() + ", other " + one.other.dump() + "; ";
    return all;
  }

  // What an act of these entries wrote, as `anima undo` takes it back; false: others depend on it.
  bool undo(store::Sequence first, store::Sequence last) {
    const store::Snapshot now = space_->snapshot().value();
    const auto undone =
        undo_acts(*space_, now, {"Ada", "undo", store::Trust::kOperator, store::Sequence::kNone},
                  {.entries = std::to_string(static_cast<std::uint64_t>(first)) + ".." +
                              std::to_string(static_cast<std::uint64_t>(last))});
    EXPECT_TRUE(undone || undone.error().code == ErrorCode::kConflict) << undone.error().describe();
    if (!undone) why_not_ = undone.error().describe();
    return undone.has_value();
  }
  const std::string& why_not() const { return why_not_; }
  store::Sequence newest() { return space_->snapshot().value().sequence(); }

  // As a program leaves it that kept no records of what each text said.
  void lose_records() {
    ASSERT_TRUE(space_->write(
        {"Ada", "chat", store::Trust::kOperator, store::Sequence::kNone},
        [&](store::Transaction& transaction) -> Status {
          const store::GraphId graph = transaction.graph(kToldGraph);
          std::vector<store::Triple> records;
          store::Pattern all;
          all.predicate_class = store::PredicateClass::kMetadata;
          store::each_statement(transaction.view(), all, [&](const store::Triple& row) {
            const std::string key = store::predicate_label(transaction.view(), row.predicate);
            if (key.starts_with("told_times")) records.push_back(row);
          });
          EXPECT_FALSE(records.empty());
          for (const store::Triple& row : records) ANIMA_TRY(transaction.retract(row, graph));
          return {};
        }));
  }

  void undo_last() {
    const store::Sequence last = space_->snapshot().value().sequence();
    ASSERT_TRUE(space_->undo({"Ada", "undo", store::Trust::kOperator, store::Sequence::kNone}, last,
                             last, false, false));
  }

 private:
  memory::NewMemory item_of(const std::string& text) const {
    memory::NewMemory item;
    item.content = text;
    item.created_by = author_;
    item.source = session_source(session_);
    item.trust = trust_;
    return item;
  }

  void keep_memory(const std::string& id) {
    ASSERT_TRUE(space_->write(
        {"Ada", "chat", store::Trust::kOperator, store::Sequence::kNone},
        [&](store::Transaction& transaction) -> Status {
          store::AssertOptions place;
          place.graph = transaction.graph(memory::kMemoryGraph);
          ANIMA_ASSIGN(const store::EntityId type,
                       transaction.upsert_type(memory::kItemType, place));
          return transaction.upsert_concept(type, id, place).map([](store::EntityId) {});
        }));
  }

  static std::vector<store::Triple> links(const store::Snapshot& now) {
    std::vector<store::Triple> found;
    for (const char* relation : {"lives_in", "works_at", "likes", "dislikes"}) {
      const auto predicate = now.find_predicate(relation);
      if (!predicate) continue;
      store::Pattern pattern;
      pattern.predicate = store::Predicate::link(*predicate);
      store::Cursor cursor = now.scan(pattern);
      std::vector<store::Triple> rows(50);
      rows.resize(cursor.next(rows));
      found.insert(found.end(), rows.begin(), rows.end());
    }
    return found;
  }

  const Timestamp first_ = parse_timestamp("2026-06-15T12:00:00Z").value();
  static store::SpaceOptions options_of(std::shared_ptr<Clock> clock) {
    store::SpaceOptions options;
    options.clock = std::move(clock);
    options.undo = told_undo_rules();
    return options;
  }
  std::shared_ptr<ManualClock> shared_clock_ = std::make_shared<ManualClock>(first_);
  ManualClock& clock_ = *shared_clock_;
  std::shared_ptr<store::Space> space_ = store::Space::in_memory(options_of(shared_clock_)).value();
  LastFacts last_;
  std::unique_ptr<SpaceAsker> asker_;
  std::string why_not_, asked_;
  std::string author_ = "Ada", session_ = "chat";
  store::Trust trust_ = store::Trust::kOperator;
  ToldFacts facts_{space_, system_files(), clock_, last_};
};

}  // namespace anima::agent::told_test
