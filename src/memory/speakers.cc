#include "memory/speakers.h"

#include <algorithm>
#include <limits>

#include "base/json/json.h"
#include "language/frames/frame_words.h"
#include "memory/names.h"
#include "store/act.h"
#include "store/holds.h"
#include "store/merged.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Sequence;
using store::Snapshot;

constexpr std::string_view kPerson = "Person", kAliases = "aliases";
constexpr Sequence kNoEnd{std::numeric_limits<std::uint64_t>::max()};

bool is_person(const Snapshot& now, EntityId thing) {
  return now.exists(thing) && now.kind(thing) == store::EntityKind::kConcept &&
         language::FrameRelations::shipped().fits(now.name(now.type_of(thing)), kPerson);
}

// Its aliases that somebody who is trusted gave it otherwise than by telling of them, as a merge
// does.
std::vector<std::string> merged_names(const Snapshot& all, EntityId thing) {
  std::vector<std::string> names;
  const Snapshot now = store::trusted_view(all, store::Trust::kStandard);
  const auto key = now.find_string(kAliases);
  if (!key) return names;
  const auto predicate = store::Predicate::attribute(*key);
  const auto told = now.find_graph(kToldGraph);
  store::Scratch scratch;
  const auto codes = now.objects(thing, predicate, scratch);
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
    const store::Term value{code};
    const auto words = now.assertions({thing, predicate, value});
    const bool given =
        std::ranges::any_of(words, [&](const store::Assertion& one) { return one.graph != told; });
    if (!given) continue;
    const std::string text(now.value(value).text);
    const auto list = parse_json(text);
    if (!list || !list->is_array()) {
      names.push_back(text);
      continue;
    }
    for (const Json& one : list->as_array())
      if (one.is_string()) names.push_back(one.as_string());
  }
  return names;
}

bool is_among(std::string_view name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<EntityId> person_speaking(const Snapshot& now, std::string_view speaker) {
  if (speaker.empty()) return std::nullopt;
  const auto type = now.find_type(kPerson);
  if (const auto own = type ? now.find_concept(*type, speaker) : std::nullopt) return own;
  std::vector<EntityId> called, merged;
  for (const EntityId one : now.concepts_named(speaker))
    if (is_person(now, one)) called.push_back(one);
  if (called.size() == 1) return called.front();
  if (!called.empty()) return std::nullopt;
  for (const EntityId one : store::concepts_by_alias(now, speaker))
    if (is_person(now, one) && is_among(speaker, merged_names(now, one))) merged.push_back(one);
  return merged.size() == 1 ? std::optional(merged.front()) : std::nullopt;
}

namespace {

// The act that made the thing anew whose name another one has by a merge; kNone: none did.
Sequence began_anew(const Snapshot& now, EntityId person) {
  const auto anew = store::made_anew(now, person);
  return anew && store::called_by_name_of(now, person) ? store::act_of(now, *anew)
                                                       : Sequence::kNone;
}

}  // namespace

Sequence era_of_speaker(const Snapshot& now, std::string_view speaker, Sequence said) {
  const auto person = person_speaking(now, speaker);
  const Sequence since = person ? began_anew(now, *person) : Sequence::kNone;
  return since <= said ? since : Sequence::kNone;
}

SpeakerNames::SpeakerNames(const Snapshot& now, std::string_view speaker) {
  if (speaker.empty()) return;
  const auto person = person_speaking(now, speaker);
  if (!person) {
    names_.push_back({std::string(speaker), Sequence::kNone, kNoEnd});
    return;
  }
  add(now, *person, std::string(speaker));
  add(now, *person, std::string(now.name(*person)));
  for (std::string& name : merged_names(now, *person)) add(now, *person, std::move(name));
}

void SpeakerNames::add(const Snapshot& now, EntityId person, std::string name) {
  if (contains(name)) return;
  // Who has the name himself speaks for himself, since there is such a one.
  const auto owner = person_speaking(now, name);
  const Sequence since = owner ? began_anew(now, *owner) : Sequence::kNone;
  if (owner == person) {
    names_.push_back({std::move(name), since, kNoEnd});
  } else if (since != Sequence::kNone && store::called_by_name_of(now, *owner) == person) {
    names_.push_back({std::move(name), Sequence::kNone, since});
  }
}

bool SpeakerNames::contains(std::string_view name) const {
  return std::ranges::find(names_, name, &Name::name) != names_.end();
}

bool SpeakerNames::contains(std::string_view name, Sequence said) const {
  return std::ranges::any_of(names_, [&](const Name& one) {
    return one.name == name && one.from <= said && said < one.until;
  });
}

}  // namespace anima::memory
