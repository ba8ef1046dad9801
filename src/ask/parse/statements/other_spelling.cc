#include "ask/parse/statements/other_spelling.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ask/lexicon/names.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

using store::EntityId;

// The things of a fact that is told, or that ends.
std::vector<EntityId> things_of(const Said& said) {
  std::vector<EntityId> things;
  const auto add = [&](EntityId thing) {
    if (thing != EntityId::kNone && std::ranges::find(things, thing) == things.end())
      things.push_back(thing);
  };
  if (said.fact) {
    add(said.fact->subject);
    add(said.fact->object);
  }
  if (said.ends && said.saying == Saying::kEnds) {
    add(said.ends->subject);
    if (said.ends->object.is_entity()) add(said.ends->object.as_entity());
  }
  return things;
}

// What has no capital is a code, and "orders db" is orders-db.
bool is_spelt_so(const store::Snapshot& snapshot, EntityId thing, const std::string& written) {
  const std::string_view name = snapshot.name(thing);
  return is_called(snapshot, thing, written) ||
         (to_lower(name) == name && normal_name(written) == normal_name(name));
}

}  // namespace

Said asked_where_spelt_otherwise(const Lexicon& lexicon, std::string_view sentence, Said said) {
  const std::vector<EntityId> things = things_of(said);
  if (things.empty()) return said;
  const Pack& pack = lexicon.pack();
  const std::vector<Piece> pieces = cut_told(sentence, pack);
  const std::vector<Sense> senses = lexicon.matches(pieces);
  std::string asks;
  for (const EntityId thing : things) {
    std::string other;
    bool as_spelt = false;
    for (const Sense& sense : senses) {
      if (sense.kind != Sense::Kind::kThing || sense.cost > 0 || sense.thing != thing) continue;
      const Piece &first = pieces[sense.begin], &last = pieces[sense.end - 1];
      other = first.kind == Piece::Kind::kQuoted
                  ? first.folded
                  : std::string(sentence.substr(first.begin, last.end - first.begin));
      as_spelt = as_spelt || is_spelt_so(lexicon.snapshot(), thing, other);
    }
    if (as_spelt || other.empty()) continue;
    asks += (asks.empty() ? "" : " ") +
            fill(pack, "other_spelling",
                 {{"written", other}, {"name", std::string(lexicon.snapshot().name(thing))}});
  }
  if (asks.empty()) return said;
  Said asked;
  asked.saying = said.fact ? Saying::kOtherKind : Saying::kUnclear;
  asked.asks = said.asks.empty() ? asks : asks + " " + said.asks;
  asked.other_spelling = true;
  if (said.fact) {
    asked.fact = std::move(said.fact);
    asked.ends = said.ends;
  } else {
    asked.choices.push_back(std::move(said));
  }
  return asked;
}

}  // namespace anima::ask
