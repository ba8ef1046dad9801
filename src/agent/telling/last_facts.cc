#include "agent/telling/last_facts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/json_fields.h"

namespace anima::agent {

namespace {

Json triple_json(const store::Triple& triple) {
  return Json::array({static_cast<std::uint64_t>(triple.subject),
                      static_cast<std::uint64_t>(triple.predicate.code),
                      static_cast<std::uint64_t>(triple.object.code)});
}

std::optional<store::Triple> triple_from(const Json& json) {
  if (!json.is_array() || json.as_array().size() != 3) return std::nullopt;
  std::array<std::uint32_t, 3> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Json& code = json.as_array()[i];
    if (!code.is_integer() || code.as_integer() < 0 || code.as_integer() > UINT32_MAX)
      return std::nullopt;
    codes[i] = static_cast<std::uint32_t>(code.as_integer());
  }
  store::Triple triple;
  triple.subject = store::EntityId{codes[0]};
  triple.predicate.code = codes[1];
  triple.object.code = codes[2];
  return triple;
}

}  // namespace

std::string session_source(std::string_view session) { return "session " + std::string(session); }

std::string conversation_of(std::string_view source) {
  return std::string(source.substr(0, source.find(", turn ")));
}

SaidBy::SaidBy(std::string by, std::string whose, std::string from)
    : author(std::move(by)), speaker(std::move(whose)), source(std::move(from)) {
  if (speaker == author) speaker.clear();
}

SaidBy said_by(const memory::NewMemory& item) {
  return {item.created_by, item.speaker, item.source};
}

bool is_same_talk(const SaidBy& a, const SaidBy& b) {
  return a.author == b.author && a.speaker == b.speaker &&
         conversation_of(a.source) == conversation_of(b.source);
}

const LastFacts::Source* LastFacts::Last::source_of(const store::Triple& fact) const {
  const auto found = std::ranges::find(sources, fact, &Source::fact);
  return found == sources.end() ? nullptr : &*found;
}

std::string LastFacts::Last::memory_of_it_alone(const store::Triple& fact) const {
  const Source* const of = source_of(fact);
  if (of == nullptr) return {};
  return std::ranges::count(sources, of->memory, &Source::memory) == 1 ? of->memory : std::string();
}

Json LastFacts::Last::to_json() const {
  Json said = Json::array(), over = Json::array(), from = Json::array();
  for (const ask::SaidFact& one : facts)
    said.push_back(
        Json::object({{"fact", triple_json(one.fact)}, {"object_asked", one.object_asked}}));
  for (const store::Triple& one : ended) over.push_back(triple_json(one));
  for (const Source& one : sources)
    from.push_back(Json::object({{"fact", triple_json(one.fact)},
                                 {"memory", one.memory},
                                 {"entry", static_cast<std::uint64_t>(one.entry)}}));
  return Json::object({{"facts", std::move(said)},
                       {"ended", std::move(over)},
                       {"sources", std::move(from)},
                       {"told", told},
                       {"lines", lines}});
}

LastFacts::Last LastFacts::Last::from_json(const Json& json) {
  const auto fact_of = [](const Json& one) {
    const Json* const fact = one.find("fact");
    return fact == nullptr ? std::nullopt : triple_from(*fact);
  };
  Last last;
  for (const Json& one : items_of(json, "facts")) {
    if (const auto triple = fact_of(one))
      last.facts.push_back({*triple, flag_of(one, "object_asked")});
  }
  for (const Json& one : items_of(json, "ended")) {
    if (const auto triple = triple_from(one)) last.ended.push_back(*triple);
  }
  for (const Json& one : items_of(json, "sources")) {
    if (const auto triple = fact_of(one))
      last.sources.push_back(
          {*triple, text_of(one, "memory"), store::Sequence{count_of(one, "entry")}});
  }
  last.told = flag_of(json, "told");
  last.lines = static_cast<unsigned>(count_of(json, "lines"));
  return last;
}

LastFacts::Key LastFacts::key(const SaidBy& by) {
  return {by.author, by.speaker, conversation_of(by.source)};
}

void LastFacts::begin_line(const SaidBy& by) {
  const Key of = key(by);
  ++lines_[of];
  if (const auto found = last_.find(of); found != last_.end()) ++found->second.lines;
  if (const auto found = asked_.find(of); found != asked_.end() && ++found->second.lines > 1)
    asked_.erase(found);
}

bool LastFacts::is_first_line(const SaidBy& by) const {
  const auto found = lines_.find(key(by));
  return found == lines_.end() || found->second <= 1;
}

void LastFacts::set(const SaidBy& by, Last last) { last_[key(by)] = std::move(last); }

void LastFacts::add(const SaidBy& by, Last told) {
  Last& last = last_[key(by)];
  if (!last.told || last.lines != 0) {
    last = std::move(told);
    return;
  }
  last.facts.insert(last.facts.end(), told.facts.begin(), told.facts.end());
  last.ended.insert(last.ended.end(), told.ended.begin(), told.ended.end());
  last.sources.insert(last.sources.end(), told.sources.begin(), told.sources.end());
}

void LastFacts::drop(const SaidBy& by, const store::Triple& fact) {
  const auto found = last_.find(key(by));
  if (found == last_.end()) return;
  std::erase_if(found->second.facts, [&](const ask::SaidFact& one) { return one.fact == fact; });
  std::erase(found->second.ended, fact);
  std::erase_if(found->second.sources, [&](const Source& one) { return one.fact == fact; });
}

const LastFacts::Last* LastFacts::find(const SaidBy& by) const {
  const auto found = last_.find(key(by));
  return found == last_.end() ? nullptr : &found->second;
}

void LastFacts::set_asked(const SaidBy& by, std::string question) {
  asked_[key(by)] = {std::move(question)};
}

void LastFacts::settle(const SaidBy& by) { asked_.erase(key(by)); }

std::string LastFacts::asked(const SaidBy& by) const {
  const auto found = asked_.find(key(by));
  return found == asked_.end() ? std::string() : found->second.question;
}

}  // namespace anima::agent
