#include "store/space/undo_dependents.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "store/act.h"
#include "store/merged.h"
#include "store/state/versions.h"

namespace anima::store::detail {
namespace {

// Entities that would be there no more, each with the entry that had brought it.
using Removed = std::unordered_map<std::uint32_t, Sequence>;

// Those of concepts and links that no graph would state any more.
Removed removed_by(std::span<const Restore> restores, const Snapshot& now, const Members& members) {
  // Of one statement in all its graphs: how many words go, and the newest entry that they go back
  // before.
  struct Loss {
    std::size_t words = 0;
    bool stays = false;
    Sequence made = Sequence::kNone;
  };
  std::map<Triple, Loss> losses;
  for (const Restore& restore : restores) {
    if (!names_existence(restore.key) && !names_link(restore.key)) continue;
    const KeyWords words = words_without(now, restore.key, members);
    Loss& loss = losses[statement_of(restore.key)];
    loss.stays = loss.stays || !words.was.empty();
    loss.words += words.is.size();
    loss.made = std::max(loss.made, restore.start);
  }
  Removed removed;
  for (const auto& [triple, loss] : losses) {
    if (loss.stays || loss.words == 0 || loss.words != now.assertions(triple).size()) continue;
    const EntityId entity = triple.predicate == kTypePredicate
                                ? triple.subject
                                : now.find_proposition(triple).value_or(EntityId::kNone);
    if (entity != EntityId::kNone) removed.emplace(static_cast<std::uint32_t>(entity), loss.made);
  }
  return removed;
}

class Dependents {
 public:
  Dependents(const Members& members, const Later& later, const Snapshot& now,
             const UndoRules* rules)
      : members_(members), later_(later), now_(now), state_(now.state()), rules_(rules) {}

  Sequences find(std::span<const WrittenKey> keys, std::span<const Restore> restores) {
    caused();
    for (const WrittenKey& key : keys) {
      if (!names_existence(key)) continue;
      for (const Word& one : words_of(state_, key))
        if (members_.has_say(Sequence{one.to})) took_things_.insert(Sequence{one.to});
    }
    for (const WrittenKey& key : keys) moved(key);
    Removed removed = removed_by(restores, now_, members_);
    quoted(removed);
    for (const auto& [entity, made] : removed) standing_on(entity, made);
    if (removed.empty()) return std::move(found_);
    for (const Restore& restore : restores) restored_on(restore, removed);
    return std::move(found_);
  }

 private:
  void take(Sequence sequence) {
    if (members_.contains(sequence) || members_.silent(sequence)) return;
    if (!notes_readings(now_.entry(sequence))) found_.insert(sequence);
  }

  void caused() {
    for (const auto& [sequence, cause] : later_.causes) {
      if (members_.has_say(cause)) take(sequence);
    }
  }

  // A merge moved on what the entries had moved to its thing, or had put in the place of another
  // value: without them it would have moved something else.
  void moved(const WrittenKey& key) {
    if (!is_merged(key.subject) &&
        !(names_link(key) && key.object.is_entity() && is_merged(key.object.as_entity())))
      return;
    const std::vector<Word> words = words_of(state_, key);
    const auto replaced = [&](const Word& one) {
      return std::ranges::any_of(words, [&](const Word& other) {
        return other.to == one.from && other.object != one.object && other.context.provenance == 0;
      });
    };
    for (const Word& one : words) {
      const bool moved_here = one.context.said != 0 && took_things_.contains(Sequence{one.from});
      if (!members_.has_say(Sequence{one.from}) || one.to == kAlive) continue;
      if (moved_here || (one.context.provenance == 0 && replaced(one))) take(Sequence{one.to});
    }
  }

  bool is_merged(EntityId entity) {
    if (now_.kind(entity) != EntityKind::kConcept) return false;
    const auto [found, fresh] = merged_.try_emplace(entity, false);
    if (fresh) found->second = merged_into(now_, entity).has_value();
    return found->second;
  }

  // Links that nobody states, but that were named about what is removed: what is said about them
  // relies on it too.
  void quoted(Removed& removed) const {
    std::vector<std::pair<std::uint32_t, Sequence>> open(removed.begin(), removed.end());
    while (!open.empty()) {
      const auto [entity, made] = open.back();
      open.pop_back();
      const auto offer = [&, since = made](const Version& version) {
        if (version.proposition == 0 || now_.contains(version.triple)) return;
        if (removed.emplace(version.proposition, since).second) {
          open.emplace_back(version.proposition, since);
        }
      };
      visit_versions(state_, SubjectCode{entity}, {}, {}, offer);
      visit_versions_of_object(state_, ObjectCode{entity}, offer);
    }
  }

  // Statements about the entity that stand and would stay.
  void standing_on(std::uint32_t entity, Sequence made) {
    const Edges out = now_.outgoing(static_cast<EntityId>(entity), scratch_);
    for (std::size_t i = 0; i < out.size(); ++i) {
      offer({static_cast<EntityId>(entity), {out.predicates[i]}, {out.others[i]}}, made);
    }
    const Edges in = now_.incoming(Term{entity}, scratch_);
    for (std::size_t i = 0; i < in.size(); ++i) {
      offer({static_cast<EntityId>(in.others[i]), {in.predicates[i]}, {entity}}, made);
    }
    if (now_.type_of(static_cast<EntityId>(entity)) != kPropositionType) return;
    Pattern pattern;
    pattern.predicate = Predicate::link(static_cast<EntityId>(entity));
    Cursor cursor = now_.scan(pattern);
    Triple rows[64];
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) offer(rows[i], made);
    }
  }

  void offer(const Triple& triple, Sequence made) {
    const RowRef row = state_.find(triple.subject, triple.predicate, triple.object);
    if (!row) return;
    state_.each_context(state_.set_of(row), [&](std::uint32_t, const Context& context) {
      // What maintenance wrote again stays the word of who said it.
      if (!members_.stands(Sequence{context.word_of()})) return;
      Sequence writer{context.born};
      if (writer <= made || members_.has_say(writer)) return;
      if (members_.silent(writer)) writer = with_say(triple, context.graph);
      if (writer > made && !is_laid_out(triple, context)) take(writer);
    });
  }

  bool is_laid_out(const Triple& triple, const Context& context) const {
    if (rules_ == nullptr || !rules_->is_laid_out) return false;
    return rules_->is_laid_out(now_, triple,
                               {static_cast<GraphId>(context.graph), context.confidence,
                                context.provenance, Sequence{context.word_of()}, Sequence::kNone});
  }

  // Who wrote last what an undo put back.
  Sequence with_say(const Triple& triple, std::uint32_t graph) const {
    WrittenKey key{static_cast<GraphId>(graph), triple.subject, triple.predicate, {}};
    if (triple.predicate.predicate_class() < PredicateClass::kAttribute) key.object = triple.object;
    const std::vector<Sequence> writers = writers_of(words_of(state_, key));
    const auto last = std::find_if(writers.rbegin(), writers.rend(),
                                   [&](Sequence writer) { return !members_.silent(writer); });
    return last == writers.rend() ? Sequence::kNone : *last;
  }

  // What comes back may rely on what goes.
  void restored_on(const Restore& restore, const Removed& removed) {
    for (const Word& word : words_without(now_, restore.key, members_).was) {
      const auto on = [&](std::uint32_t entity) {
        const auto made = removed.find(entity);
        if (made != removed.end() && Sequence{word.context.born} > made->second) {
          take(Sequence{word.context.born});
        }
      };
      on(static_cast<std::uint32_t>(restore.key.subject));
      on(word.object.code);
      if (names_link(restore.key)) on(restore.key.predicate.code);
    }
  }

  const Members& members_;
  const Later& later_;
  const Snapshot& now_;
  const SnapshotState& state_;
  const UndoRules* const rules_;
  Scratch scratch_;
  Sequences found_;
  std::map<EntityId, bool> merged_;
  Sequences took_things_;
};

}  // namespace

Sequences dependents_of(const Members& members, const Later& later, const Snapshot& now,
                        std::span<const WrittenKey> keys, std::span<const Restore> restores,
                        const UndoRules* rules) {
  return Dependents(members, later, now, rules).find(keys, restores);
}

}  // namespace anima::store::detail
