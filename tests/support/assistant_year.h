// A year of an assistant's life, made up: people, places, projects in domains, what happened day by
// day, and the faults that sleep is there for, planted and written down. Everything follows from
// the seed. It is told to a space through KIP, week by week, by a clock that moves with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "kip/engine.h"

namespace anima::test_support {

struct YearOptions {
  std::uint64_t seed = 1;
  int concepts = 3000;
  int events = 20'000;
  int weeks = 52;
  int untouched = 0;  // facts that nothing else has to do with
};

class AssistantYear {
 public:
  using Pair = std::pair<std::string, std::string>;  // names

  explicit AssistantYear(const YearOptions& options) : options_(options), state_(options.seed) {}

  // Planted; each is a name, or two.
  std::vector<Pair> same, perhaps_same, different;  // duplicates, look-alikes, no duplicates
  std::vector<Pair> orphans, unsorted;              // (name, its domain)
  std::vector<std::string> strangers;               // orphans that nothing tells a domain for
  std::vector<Pair> moved;                          // (person, the company of the last word)
  std::vector<std::string> reviewed;                // subjects of `uses` links nobody may fade
  std::vector<std::string> preferences;             // names of Preference concepts to be found
  std::vector<std::string> archive_tasks;           // names of concepts to be archived on request
  std::int64_t stale_events = 0;                    // started more than 7 days before the end

  Timestamp end() const { return end_; }

  void tell(kip::Engine& engine, ManualClock& clock) {
    engine_ = &engine;
    begin_ = clock.now();
    end_ = {begin_.microseconds + options_.weeks * 7 * kMicrosecondsPerDay};
    define();
    make_concepts();
    plant();
    tell_untouched();
    for (int week = 0; week < options_.weeks; ++week) {
      clock.set({begin_.microseconds + week * 7 * kMicrosecondsPerDay});
      happen(week);
      flush();
    }
    clock.set(end_);
  }

 private:
  struct Thing {
    std::string type, name;
    int domain = 0;
  };
  static constexpr const char* kTypes[] = {"Person", "Project", "Company", "Place",
                                           "Tool",   "Book",    "Song"};

  std::uint64_t next() {  // SplitMix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int pick(std::size_t below) { return static_cast<int>(next() % below); }

  std::string word() {
    static constexpr const char* kSyllables[] = {
        "ka", "ro",  "mil", "bet", "su",  "no", "tar", "vel", "di",  "gor", "pha", "lun",
        "xe", "qui", "zor", "wim", "jas", "hy", "fen", "cor", "ubi", "ost", "ane", "ird"};
    std::string text;
    for (int i = 0; i < 4; ++i) text += kSyllables[pick(std::size(kSyllables))];
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }
  std::string fresh_name() {
    for (;;) {
      std::string name = word() + " " + word();
      if (names_.insert(name).second) return name;
    }
  }

  void add(std::string command, Json parameters) {
    queue_.push_back(
        Json::object({{"command", std::move(command)}, {"parameters", std::move(parameters)}}));
    if (queue_.size() >= 2000) flush();
  }
  void flush() {
    if (queue_.empty()) return;
    const Json answer = engine_->execute(
        Json::object({{"commands", Json(std::move(queue_))}, {"atomic", true}}), caller());
    queue_ = {};
    if (kip::has_error(answer)) throw std::runtime_error(answer.dump().substr(0, 2000));
  }
  static kip::Caller caller() {
    kip::Caller caller;
    caller.origin = {"assistant", "the year", store::Trust::kStandard, store::Sequence::kNone};
    return caller;
  }

  void define() {
    for (const char* type : kTypes)
      add("UPSERT { CONCEPT { {type: \"$ConceptType\", name: :n} SET PROPOSITIONS { "
          "(\"belongs_to_domain\", {type: \"Domain\", name: \"CoreSchema\"}) } } }",
          Json::object({{"n", type}}));
    for (const char* predicate : {"knows", "uses", "part_of", "near"})
      add("UPSERT { CONCEPT { {type: \"$PropositionType\", name: :n} SET PROPOSITIONS { "
          "(\"belongs_to_domain\", {type: \"Domain\", name: \"CoreSchema\"}) } } }",
          Json::object({{"n", predicate}}));
    add("UPSERT { CONCEPT { {type: \"$PropositionType\", name: \"works_at\"} SET ATTRIBUTES "
        "{functional: true} SET PROPOSITIONS { (\"belongs_to_domain\", {type: \"Domain\", name: "
        "\"CoreSchema\"}) } } }",
        Json::object());
    const int count = std::max(4, options_.concepts / 75);
    for (int i = 0; i < count; ++i) {
      domains_.push_back("Field " + word() + word());
      add("UPSERT { CONCEPT { {type: \"Domain\", name: :n} SET ATTRIBUTES {description: \"A field "
          "of life\"} } }",
          Json::object({{"n", domains_.back()}}));
    }
    // A shelf with one thing on it, inside a broader one; and one that stands alone.
    add("UPSERT { CONCEPT { {type: \"Domain\", name: \"Corner\"} SET PROPOSITIONS { "
        "(\"belongs_to_domain\", {type: \"Domain\", name: :d}) } } CONCEPT { {type: \"Domain\", "
        "name: \"TempProject\"} } }",
        Json::object({{"d", domains_[0]}}));
    flush();
  }

  // A thing of the type, in the domain (none: -1, the inbox: -2), linked to three of that domain.
  Thing make(const std::string& type, const std::string& name, int home, int neighbours) {
    add("UPSERT { CONCEPT { {type: :t, name: :n} } }", Json::object({{"t", type}, {"n", name}}));
    if (home != -1)
      add("UPSERT { PROPOSITION { ({type: :t, name: :n}, \"belongs_to_domain\", {type: \"Domain\", "
          "name: :d}) } }",
          Json::object({{"t", type},
                        {"n", name},
                        {"d", home == -2 ? std::string("Unsorted")
                                         : domains_[static_cast<std::size_t>(home)]}}));
    const int field = home >= 0 ? home : neighbours;
    if (field >= 0) {
      const auto& others = by_domain_[static_cast<std::size_t>(field)];
      for (int i = 0; i < 3 && !others.empty(); ++i)
        link({type, name, home}, i == 0 ? "part_of" : "near",
             others[static_cast<std::size_t>(pick(others.size()))]);
    }
    return {type, name, home};
  }
  void link(const Thing& from, const std::string& predicate, const Thing& to) {
    if (from.name == to.name) return;
    add("UPSERT { PROPOSITION { ({type: :t, name: :n}, :p, {type: :ot, name: :on}) } } WITH "
        "METADATA {source: \"talk\", confidence: 0.9}",
        Json::object({{"t", from.type},
                      {"n", from.name},
                      {"p", predicate},
                      {"ot", to.type},
                      {"on", to.name}}));
  }

  void make_concepts() {
    by_domain_.resize(domains_.size());
    for (int i = 0; i < options_.concepts; ++i) {
      const int home = i % static_cast<int>(domains_.size());
      Thing thing = make(kTypes[pick(std::size(kTypes))], fresh_name(), home, home);
      by_domain_[static_cast<std::size_t>(home)].push_back(thing);
      things_.push_back(thing);
      if (thing.type == "Person") people_.push_back(thing);
      if (thing.type == "Company") companies_.push_back(thing);
    }
    flush();
  }

  const Thing& some(const std::vector<Thing>& list) {
    return list[static_cast<std::size_t>(pick(list.size()))];
  }
  int scaled(int of_a_year) { return std::max(2, of_a_year * options_.concepts / 3000); }

  void plant() {
    plant_duplicates();
    for (int i = 0; i < scaled(50); ++i) {
      const int home = pick(domains_.size());
      orphans.emplace_back(make("Project", fresh_name(), -1, home).name,
                           domains_[static_cast<std::size_t>(home)]);
    }
    for (int i = 0; i < 4; ++i) strangers.push_back(make("Song", fresh_name(), -1, -1).name);
    for (int i = 0; i < scaled(40); ++i) {
      const int home = pick(domains_.size());
      unsorted.emplace_back(make("Book", fresh_name(), -2, home).name,
                            domains_[static_cast<std::size_t>(home)]);
    }
    for (int i = 0; i < scaled(20); ++i) {
      const Thing thing = make("Tool", fresh_name(), i % 4, i % 4);
      add("UPSERT { PROPOSITION { ({type: :t, name: :n}, \"uses\", {type: :ot, name: :on}) } } "
          "WITH METADATA {confidence: 0.9, reviewed_at: \"2025-02-01T00:00:00Z\"}",
          Json::object({{"t", thing.type},
                        {"n", thing.name},
                        {"ot", things_[0].type},
                        {"on", things_[0].name}}));
      reviewed.push_back(thing.name);
    }
    add("UPSERT { PROPOSITION { ({type: :t, name: :n}, \"belongs_to_domain\", {type: \"Domain\", "
        "name: \"Corner\"}) } PROPOSITION { ({type: :t, name: :n}, \"belongs_to_domain\", {type: "
        "\"Domain\", name: \"TempProject\"}) } }",
        Json::object({{"t", things_[1].type}, {"n", things_[1].name}}));
    for (int i = 0; i < 3; ++i) task("archive", make("Tool", fresh_name(), i, i).name);
    flush();
  }

  void task(const std::string& action, const std::string& target) {
    archive_tasks.push_back(target);
    add("UPSERT { CONCEPT { {type: \"SleepTask\", name: :name} SET ATTRIBUTES {target_type: "
        "\"Tool\", target_name: :target, requested_action: :action, status: \"pending\", priority: "
        "2, reason: \"done with it\"} SET PROPOSITIONS { (\"assigned_to\", {type: \"Person\", "
        "name: \"$system\"}) } } }",
        Json::object({{"name", action + " " + target}, {"target", target}, {"action", action}}));
  }

  void plant_duplicates() {
    const auto twin = [this](const Thing& thing, const std::string& name, bool shared) {
      add("UPSERT { CONCEPT { {type: :t, name: :n} SET ATTRIBUTES {note: \"the second\"} } }",
          Json::object({{"t", thing.type}, {"n", name}}));
      add("UPSERT { PROPOSITION { ({type: :t, name: :n}, \"belongs_to_domain\", {type: \"Domain\", "
          "name: :d}) } }",
          Json::object({{"t", thing.type},
                        {"n", name},
                        {"d", domains_[static_cast<std::size_t>(thing.domain)]}}));
      if (!shared) return;
      for (int i = 0; i < 4; ++i) {
        const Thing& other = some(by_domain_[static_cast<std::size_t>(thing.domain)]);
        link(thing, "uses", other);
        link({thing.type, name, thing.domain}, "uses", other);
      }
    };
    std::size_t at = 10;
    const auto one = [&]() -> const Thing& { return things_[at += 3]; };
    for (int i = 0; i < scaled(60); ++i) {
      const Thing& thing = one();
      std::string name = thing.name;
      const std::size_t blank = name.find(' ');
      if (i % 4 == 0) {  // case
        for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      } else if (i % 4 == 1) {  // white space
        name.insert(blank, " ");
      } else if (i % 4 == 2) {  // order
        name = name.substr(blank + 1) + ", " + name.substr(0, blank);
      } else {  // punctuation
        name[blank] = '-';
      }
      twin(thing, name, i % 3 == 0);
      (i % 4 < 2 ? same : perhaps_same).emplace_back(thing.name, name);
    }
    // A slip of the pen; one of three shares an id, one an address.
    for (int i = 0; i < scaled(60); ++i) {
      const Thing& thing = one();
      std::string name = thing.name;
      const std::size_t place = 2 + static_cast<std::size_t>(pick(5));
      std::swap(name[place], name[place + 1]);
      if (name == thing.name) name.erase(place, 1);
      const std::string_view shared[] = {"", "iri", "url"};
      const std::string attribute(shared[i % 3]);
      twin(thing, name, false);
      for (const std::string& each : {thing.name, name}) {
        if (!attribute.empty())
          add("UPSERT { CONCEPT { {type: :t, name: :n} SET ATTRIBUTES {" + attribute +
                  ": :url} } }",
              Json::object({{"t", thing.type},
                            {"n", each},
                            {"url", "https://things.harbour-index.net/" + std::to_string(at)}}));
      }
      (attribute == "iri" ? same : perhaps_same).emplace_back(thing.name, name);
    }
    for (int i = 0; i < scaled(12); ++i) {  // numbers tell things apart
      const Thing a = make("Place", fresh_name() + " 1" + std::to_string(i), 1, 1);
      const std::string name = a.name + "1";
      twin(a, name, true);
      different.emplace_back(a.name, name);
    }
    flush();
  }

  void tell_untouched() {
    for (int i = 0; i < options_.untouched; ++i) {
      const int n = i / 4;
      if (i % 4 == 0)
        add("UPSERT { CONCEPT { {type: \"Book\", name: :n} } }",
            Json::object({{"n", "volume " + std::to_string(n) + " of the archive"}}));
      add("UPSERT { PROPOSITION { ({type: \"Book\", name: :n}, :p, {type: :ot, name: :on}) } }",
          Json::object({{"n", "volume " + std::to_string(n) + " of the archive"},
                        {"p", i % 2 == 0 ? "near" : "part_of"},
                        {"ot", things_[static_cast<std::size_t>(i) % things_.size()].type},
                        {"on", things_[static_cast<std::size_t>(i) % things_.size()].name}}));
    }
    flush();
  }

  void happen(int week) {
    const int from = static_cast<int>(std::int64_t{options_.events} * week / options_.weeks);
    const int to = static_cast<int>(std::int64_t{options_.events} * (week + 1) / options_.weeks);
    const std::int64_t start = begin_.microseconds + week * 7 * kMicrosecondsPerDay;
    for (int i = from; i < to; ++i) {
      const std::int64_t at =
          start + std::int64_t{i - from} * 7 * kMicrosecondsPerDay / (to - from);
      event(i, {at});
    }
  }

  void event(int number, Timestamp at) {
    if (at.microseconds < end_.microseconds - 7 * kMicrosecondsPerDay) ++stale_events;
    const Thing& person = some(people_);
    const Thing& about = some(things_);
    std::string text = person.name + " and the assistant talked about " + about.name + ".";
    if (number % 25 == 3 && !companies_.empty()) {
      const Thing& company = some(companies_);
      text = person.name + " now works at " + company.name + ".";
      employ(person.name, company.name, at);
    } else if (number % 25 == 7) {
      std::string liked = word() + " tea";
      liked[0] = static_cast<char>(liked[0] - 'A' + 'a');
      text = person.name + " prefers " + liked + ".";
      if (at.microseconds < end_.microseconds - 7 * kMicrosecondsPerDay)
        preferences.push_back(person.name + " prefers " + liked);
    }
    add("UPSERT { CONCEPT { {type: \"Event\", name: :n} SET ATTRIBUTES {event_class: :c, "
        "start_time: :at, content_summary: :text, participants: :who} SET PROPOSITIONS { "
        "(\"mentions\", {type: :t, name: :on}) (\"belongs_to_domain\", {type: \"Domain\", name: "
        ":d}) } } }",
        Json::object({{"n", "event " + std::to_string(number)},
                      {"c", number % 3 == 0 ? "Observation" : "Conversation"},
                      {"at", format_timestamp(at)},
                      {"text", text},
                      {"who", Json::array({"$self", person.name})},
                      {"t", about.type},
                      {"on", about.name},
                      {"d", domains_[static_cast<std::size_t>(std::max(0, about.domain))]}}));
  }

  void employ(const std::string& person, const std::string& company, Timestamp at) {
    if (at.microseconds >= end_.microseconds - 7 * kMicrosecondsPerDay) return;
    for (Pair& known : moved) {
      if (known.first == person) {
        known.second = company;
        return;
      }
    }
    moved.emplace_back(person, company);
  }

  const YearOptions options_;
  std::uint64_t state_;
  kip::Engine* engine_ = nullptr;
  Timestamp begin_, end_;
  JsonArray queue_;
  std::set<std::string> names_;
  std::vector<std::string> domains_;
  std::vector<std::vector<Thing>> by_domain_;
  std::vector<Thing> things_, people_, companies_;
};

}  // namespace anima::test_support
