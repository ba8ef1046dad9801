#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ask/answer/render.h"
#include "ask/attempt.h"
#include "base/text/text.h"

// What an attempt takes from the conversation, and leaves to it.

namespace anima::ask {
namespace {

constexpr std::size_t kKeptTurns = 8;

}  // namespace

Context Attempt::context_of_talk() const {
  Context context;
  context.now = now_;
  if (talk_ == nullptr) return context;
  const Joins joins(lexicon_);
  for (const Turn& turn : talk_->turns) {
    if (!turn.rows.empty()) context.pronouns.push_back(joins.of_things(turn.rows));
    if (!turn.names.empty() && turn.names != turn.rows)
      context.pronouns.push_back(joins.of_things(turn.names));
  }
  if (!talk_->turns.empty()) context.others = talk_->turns.front().names;
  return context;
}

// "And Saturn?": the last question with the part of the same kind put in its place.
std::vector<Reading> Attempt::ellipsis() {
  if (talk_ == nullptr || talk_->turns.empty()) return {};
  const Turn& last = talk_->turns.front();
  const Pack& pack = lexicon_.pack();
  const auto before = cut_question(last.question, pack);
  const auto old_senses = lexicon_.matches(before);
  const Context context = context_of_talk();
  std::vector<Reading> found;
  const auto try_with = [&](std::size_t from, std::size_t to, std::size_t new_from,
                            std::size_t new_to) {
    std::vector<Piece> whole(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(from));
    whole.insert(whole.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(new_from),
                 pieces_.begin() + static_cast<std::ptrdiff_t>(new_to));
    whole.insert(whole.end(), before.begin() + static_cast<std::ptrdiff_t>(to), before.end());
    for (Reading& one : read(whole, context)) found.push_back(std::move(one));
  };
  const auto function_word = [&](std::size_t at) {
    return pack.uses(pieces_[at].folded) != nullptr;
  };
  const auto rest_is_function = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if ((i < from || i >= to) && !function_word(i)) return false;
    }
    return true;
  };
  for (const Sense& now : senses_) {
    if (!rest_is_function(now.begin, now.end)) continue;
    for (const Sense& old : old_senses) {
      if (old.kind != now.kind) continue;
      const bool things =
          now.kind == Sense::Kind::kThing && !Joins(lexicon_)
                                                  .types_of({now.thing})
                                                  .both(Joins(lexicon_).types_of({old.thing}))
                                                  .empty();
      const bool same = now.kind == Sense::Kind::kScale && now.scale.degree == old.scale.degree;
      const bool attributes = now.kind == Sense::Kind::kAttribute ||
                              (now.kind == Sense::Kind::kValue && now.attribute == old.attribute);
      if (things || same || attributes) try_with(old.begin, old.end, now.begin, now.end);
    }
  }
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    for (const TimeRange& now : read_days(pieces_, at, pack, now_)) {
      if (!rest_is_function(at, now.end)) continue;
      for (std::size_t from = 0; from < before.size(); ++from) {
        for (const TimeRange& old : read_days(before, from, pack, now_))
          try_with(from, old.end, at, now.end);
      }
    }
  }
  // "How many?": the last question, counted.
  std::string phrase;
  for (const Piece& piece : pieces_) phrase += (phrase.empty() ? "" : " ") + piece.folded;
  if (const auto* uses = pack.uses(phrase); uses != nullptr) {
    for (const PackUse& use : *uses) {
      if (use.kind != PackUse::Kind::kClass || use.word_class != WordClass::kHowMany) continue;
      // The reading that was answered, or what it is where the space has other types by now.
      std::vector<Reading> again{last.reading};
      if (last.lexicon != keeper_.build_of(lexicon_)) again = read(before, context);
      for (Reading& counted : again) {
        if (counted.form != Reading::Form::kList) continue;
        counted.form = Reading::Form::kCount;
        found.push_back(std::move(counted));
      }
    }
  }
  return found;
}

// After an ambiguous answer: "the first", or a word of one of its readings.
std::optional<Answer> Attempt::choice(const std::vector<Reading>& choices) {
  if (choices.empty() || talk_->choices_lexicon != keeper_.build_of(lexicon_)) return std::nullopt;
  read_words();
  const Pack& pack = lexicon_.pack();
  std::optional<std::size_t> chosen;
  for (const Piece& piece : pieces_) {
    const auto* uses = pack.uses(piece.folded);
    if (uses == nullptr) continue;
    for (const PackUse& use : *uses) {
      if (use.kind == PackUse::Kind::kOrdinal && pieces_.size() <= 3)
        chosen = static_cast<std::size_t>(use.number - 1);
    }
  }
  if (!chosen) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::string text = " " + normal_name(describe(choices[i], lexicon_)) + " ";
      std::string words;
      for (const Piece& piece : pieces_) {
        if (pack.uses(piece.folded) == nullptr) words += (words.empty() ? "" : " ") + piece.folded;
      }
      if (words.empty() || text.find(" " + words + " ") == std::string::npos) continue;
      if (chosen) return std::nullopt;
      chosen = i;
    }
  }
  if (!chosen || *chosen >= choices.size()) return std::nullopt;
  return decide({choices[*chosen]});
}

void Attempt::keep(const Tried& tried) const {
  if (talk_ == nullptr) return;
  Turn turn;
  turn.question = question_;
  turn.reading = tried.reading;
  turn.lexicon = keeper_.build_of(lexicon_);
  turn.rows = tried.table.things;
  // The things that the question named.
  std::set<store::EntityId> seen;
  const std::function<void(const SetExpr&)> names = [&](const SetExpr& set) {
    for (const store::EntityId entity : set.names) {
      if (seen.insert(entity).second) turn.names.push_back(entity);
    }
    for (const Restriction& one : set.restrictions) {
      if (one.target != nullptr) names(*one.target);
    }
  };
  if (tried.reading.set != nullptr) names(*tried.reading.set);
  if (tried.reading.other != nullptr) names(*tried.reading.other);
  talk_->turns.push_front(std::move(turn));
  if (talk_->turns.size() > kKeptTurns) talk_->turns.pop_back();
}

}  // namespace anima::ask
