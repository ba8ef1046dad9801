#include "memory/speakers.h"

#include <algorithm>

#include "base/json/json.h"
#include "language/frames/frame_words.h"
#include "memory/names.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::string_view kPerson = "Person", kAliases = "aliases";

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

SpeakerNames::SpeakerNames(const Snapshot& now, std::string_view speaker) {
  if (speaker.empty()) return;
  names_.emplace_back(speaker);
  const auto person = person_speaking(now, speaker);
  if (!person) return;
  const auto add = [&](std::string name) {
    // Who has the name himself speaks for himself.
    const bool of_another = person_speaking(now, name) != person;
    if (!of_another && !is_among(name, names_)) names_.push_back(std::move(name));
  };
  add(std::string(now.name(*person)));
  for (std::string& name : merged_names(now, *person)) add(std::move(name));
}

bool SpeakerNames::contains(std::string_view name) const { return is_among(name, names_); }

}  // namespace anima::memory
