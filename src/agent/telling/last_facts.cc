#include "agent/telling/last_facts.h"

namespace anima::agent {

std::string session_source(std::string_view session) { return "session " + std::string(session); }

std::string conversation_of(std::string_view source) {
  return std::string(source.substr(0, source.find(", turn ")));
}

LastFacts::Key LastFacts::key(const std::string& speaker, const std::string& source) {
  return {speaker, conversation_of(source)};
}

void LastFacts::begin_line(const std::string& speaker, const std::string& source) {
  const Key of = key(speaker, source);
  if (const auto found = last_.find(of); found != last_.end()) ++found->second.lines;
  if (const auto found = asked_.find(of); found != asked_.end() && ++found->second.lines > 1)
    asked_.erase(found);
}

void LastFacts::set(const std::string& speaker, const std::string& source, Last last) {
  last_[key(speaker, source)] = std::move(last);
}

const LastFacts::Last* LastFacts::find(const std::string& speaker,
                                       const std::string& source) const {
  const auto found = last_.find(key(speaker, source));
  return found == last_.end() ? nullptr : &found->second;
}

void LastFacts::propose(const std::string& speaker, const std::string& source, Proposal proposal) {
  asked_[key(speaker, source)] = {std::move(proposal)};
}

void LastFacts::settle(const std::string& speaker, const std::string& source) {
  asked_.erase(key(speaker, source));
}

const Proposal* LastFacts::proposal(const std::string& speaker, const std::string& source) const {
  const auto found = asked_.find(key(speaker, source));
  return found == asked_.end() ? nullptr : &found->second.proposal;
}

}  // namespace anima::agent
