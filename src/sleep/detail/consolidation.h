// An event becomes knowledge: the facts and preferences that its text states, each derived from it,
// or a share in the digest of its week. Thread-safety: one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sleep/detail/actions.h"
#include "sleep/evidence/lasting.h"

namespace anima::sleep::detail {

class Consolidation {
 public:
  Consolidation(Cycle& cycle, const Reading& reading) : cycle_(cycle), reading_(reading) {}

  // Events whose text states nothing by the forms, or nothing about things that are known.
  std::vector<EntityId> silent(const std::vector<EntityId>& events);
  // A fact of the event that a model found. Why it is not taken: its things are not known or are
  // protected, or the link is known and reviewed, shared with a compartment or ended; empty when it
  // is. Before definitions().
  std::string add(EntityId event, LastingStatement statement);
  // What the definitions lack that these events need; empty when nothing.
  std::optional<Action> definitions(const std::vector<EntityId>& events);
  // The action for an event whose text states something; nullopt: it goes into a digest.
  std::optional<Action> facts_of(EntityId event);
  // One action a digest and some hundred events, least trusted first.
  std::vector<Action> digests_of(std::vector<EntityId> events);

 private:
  struct Resolved {
    LastingStatement statement;
    EntityId subject = EntityId::kNone, object = EntityId::kNone;
  };
  struct Digest {
    std::string name, period, event_class, domain;
    std::int64_t events = 0;
    std::string first, last;
    std::map<std::string, std::int64_t> participants, topics;
  };
  const std::vector<Resolved>& resolve(EntityId event);
  std::optional<Resolved> resolve(EntityId event, LastingStatement statement) const;
  EntityId named(std::string_view label) const;
  // The link that says so already; kNone when there is none.
  EntityId known_link(const Resolved& it) const;
  EntityId speaker(EntityId event) const;
  void add_preference(const Resolved& it, EntityId event, Action* action);
  void add_fact(const Resolved& it, EntityId event, Action* action);
  std::int64_t& support(const std::string& key, EntityId known);
  Digest& digest_of(EntityId event);
  void count_in(EntityId event, Digest* digest) const;
  Statement digest_statement(const Digest& digest) const;
  Statement mark(EntityId event) const;
  void finish(EntityId event, Action* action) const;

  Cycle& cycle_;
  const Reading& reading_;
  std::map<EntityId, std::vector<Resolved>> resolved_;
  std::map<std::string, std::int64_t> support_;
  std::map<std::string, Digest> digests_;
};

}  // namespace anima::sleep::detail
