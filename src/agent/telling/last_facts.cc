#include "agent/telling/last_facts.h"

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

Json LastFacts::Last::to_json() const {
  Json said = Json::array(), over = Json::array();
  for (const ask::SaidFact& one : facts)
    said.push_back(
        Json::object({{"fact", triple_json(one.fact)}, {"object_asked", one.object_asked}}));
  for (const store::Triple& one : ended) over.push_back(triple_json(one));
  return Json::object({{"facts", std::move(said)},
                       {"ended", std::move(over)},
                       {"told", told},
                       {"memory", memory},
                       {"entry", static_cast<std::uint64_t>(entry)},
                       {"lines", lines}});
}

LastFacts::Last LastFacts::Last::from_json(const Json& json) {
  Last last;
  for (const Json& one : items_of(json, "facts")) {
    const Json* fact = one.find("fact");
    const auto triple = fact == nullptr ? std::nullopt : triple_from(*fact);
    if (triple) last.facts.push_back({*triple, flag_of(one, "object_asked")});
  }
  for (const Json& one : items_of(json, "ended")) {
    if (const auto triple = triple_from(one)) last.ended.push_back(*triple);
  }
  last.told = flag_of(json, "told");
  last.memory = text_of(json, "memory");
  last.entry = store::Sequence{count_of(json, "entry")};
  last.lines = static_cast<unsigned>(count_of(json, "lines"));
  return last;
}

LastFacts::Key LastFacts::key(const std::string& speaker, const std::string& source) {
  return {speaker, conversation_of(source)};
}

void LastFacts::begin_line(const std::string& speaker, const std::string& source) {
  const Key of = key(speaker, source);
  ++lines_[of];
  if (const auto found = last_.find(of); found != last_.end()) ++found->second.lines;
  if (const auto found = asked_.find(of); found != asked_.end() && ++found->second.lines > 1)
    asked_.erase(found);
}

bool LastFacts::is_first_line(const std::string& speaker, const std::string& source) const {
  const auto found = lines_.find(key(speaker, source));
  return found == lines_.end() || found->second <= 1;
}

void LastFacts::set(const std::string& speaker, const std::string& source, Last last) {
  last_[key(speaker, source)] = std::move(last);
}

const LastFacts::Last* LastFacts::find(const std::string& speaker,
                                       const std::string& source) const {
  const auto found = last_.find(key(speaker, source));
  return found == last_.end() ? nullptr : &found->second;
}

void LastFacts::set_asked(const std::string& speaker, const std::string& source,
                          std::string question) {
  asked_[key(speaker, source)] = {std::move(question)};
}

void LastFacts::settle(const std::string& speaker, const std::string& source) {
  asked_.erase(key(speaker, source));
}

std::string LastFacts::asked(const std::string& speaker, const std::string& source) const {
  const auto found = asked_.find(key(speaker, source));
  return found == asked_.end() ? std::string() : found->second.question;
}

}  // namespace anima::agent
