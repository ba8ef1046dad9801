#include "ask/parse/statements/left_over.h"

#include <algorithm>

#include "ask/parse/statements/sentence_lead.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

using language::Mark;

bool covers(const Sense& sense, std::size_t at) { return sense.begin <= at && at < sense.end; }

bool overlap(const Sense& a, const Sense& b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

bool LeftOver::is_class(std::size_t at, WordClass word_class) const {
  return at < pieces_.size() && ask::is_class(lexicon_.pack(), pieces_[at], word_class);
}

// "orders-db", "lives_in": the sign before the piece is one of the name, or joins its words.
bool LeftOver::is_within_a_name(std::size_t at, std::string_view gap) const {
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    if (sense.begin >= at || at >= sense.end) return false;
    if (sense.kind != Sense::Kind::kThing) return gap == "-" || gap == "_";
    return sense.cost == 0 &&
           lexicon_.snapshot().name(sense.thing).find(gap) != std::string_view::npos;
  });
}

std::string LeftOver::sign_before(std::size_t end) const {
  std::size_t from = 0;
  for (std::size_t at = 0; at <= std::min(end, pieces_.size()); ++at) {
    const bool behind = at == pieces_.size();
    const std::size_t to = behind ? sentence_.size() : pieces_[at].begin;
    if (to > from) {
      const std::string_view gap = trim(sentence_.substr(from, to - from));
      if (!gap.empty() && (behind || !is_within_a_name(at, gap))) return std::string(gap);
    }
    if (!behind) from = std::max(from, pieces_[at].end);
    if (at == end) break;
  }
  return {};
}

// Where the thing is named, apart from the other.
const Sense* LeftOver::span_of(store::EntityId thing, const Sense* other) const {
  const Sense* longest = nullptr;
  for (const Sense& sense : senses_) {
    const bool named = sense.kind == Sense::Kind::kThing && sense.cost == 0 &&
                       sense.thing == thing && (other == nullptr || !overlap(sense, *other));
    if (!named) continue;
    if (longest == nullptr || sense.end - sense.begin > longest->end - longest->begin)
      longest = &sense;
  }
  return longest;
}

const Sense* LeftOver::words_of(int predicate, const Sense& subject, const Sense& object) const {
  const Sense* longest = nullptr;
  for (const Sense& sense : senses_) {
    const bool said = sense.kind == Sense::Kind::kVerb || sense.kind == Sense::Kind::kNoun;
    if (!said || sense.predicate != predicate || overlap(sense, subject) || overlap(sense, object))
      continue;
    if (longest == nullptr || sense.end - sense.begin > longest->end - longest->begin)
      longest = &sense;
  }
  return longest;
}

// "service" in "the service wiki".
bool LeftOver::is_type_of(std::size_t at, const Sense& thing) const {
  const auto& types = lexicon_.schema().types_of_entity(thing.thing);
  return at + 1 == thing.begin &&
         std::any_of(senses_.begin(), senses_.end(), [&](const Sense& one) {
           return one.kind == Sense::Kind::kType && one.begin == at && one.end == thing.begin &&
                  std::find(types.begin(), types.end(), one.type) != types.end();
         });
}

bool LeftOver::is_preposition(std::size_t at) const {
  return is_class(at, WordClass::kPreposition) || is_class(at, WordClass::kBy) ||
         is_class(at, WordClass::kOf);
}

std::string LeftOver::of_link(store::EntityId subject, store::EntityId object,
                              int predicate) const {
  if (auto sign = sign_before(pieces_.size()); !sign.empty()) return sign;
  const Sense* const one = span_of(subject, nullptr);
  const Sense* const other = one == nullptr ? nullptr : span_of(object, one);
  const Sense* const verb = other == nullptr ? nullptr : words_of(predicate, *one, *other);
  if (verb == nullptr) return std::string(trim(sentence_));
  std::size_t copulas = 0;
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    if (covers(*one, at) || covers(*other, at) || covers(*verb, at)) continue;
    if (marks_.covers(Mark::kArticle, pieces_[at]) && at + 1 < pieces_.size()) continue;
    if (is_type_of(at, *one) || is_type_of(at, *other)) continue;
    const std::size_t next =
        at + 1 < pieces_.size() && marks_.covers(Mark::kArticle, pieces_[at + 1]) ? at + 2 : at + 1;
    const bool led = next == one->begin || next == other->begin || is_type_of(next, *one) ||
                     is_type_of(next, *other);
    if (is_preposition(at) && (at == verb->end || led)) continue;
    const bool owner =
        pieces_[at].kind == Piece::Kind::kPossessive && (at == one->end || at == other->end);
    if (owner) continue;
    const bool copula = is_class(at, WordClass::kBe) && marks_.covers(Mark::kPresent, pieces_[at]);
    if (copula && ++copulas == 1) continue;
    return pieces_[at].text;
  }
  return {};
}

std::string LeftOver::unknown_word() const {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    const bool known =
        pieces_[at].kind != Piece::Kind::kWord || is_class(at, WordClass::kSpeaker) ||
        fold_case(pieces_[at].text) != pieces_[at].folded ||
        lexicon_.pack().uses(pieces_[at].folded) != nullptr ||
        std::any_of(senses_.begin(), senses_.end(), [&](const Sense& one) {
          return covers(one, at) && (one.kind != Sense::Kind::kThing || one.cost == 0);
        });
    if (!known) return pieces_[at].text;
  }
  return {};
}

}  // namespace anima::ask
