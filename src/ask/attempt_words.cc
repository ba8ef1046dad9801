// Which words of a question are explained, as what they are read, and what they say of its time.
#include <algorithm>

#include "ask/attempt.h"
#include "base/text/text.h"

namespace anima::ask {

// "web02": a word and the digits that follow it, as one.
bool Attempt::written_together(std::size_t at) const {
  return at > 0 && at < pieces_.size() && pieces_[at].kind == Piece::Kind::kNumber &&
         pieces_[at - 1].kind == Piece::Kind::kWord && pieces_[at].begin == pieces_[at - 1].end;
}

bool Attempt::joined_by_sign(std::size_t at) const {
  if (at == 0 || at >= pieces_.size() || pieces_[at].begin != pieces_[at - 1].end + 1) return false;
  const char sign = question_[pieces_[at].begin - 1];
  return sign == '-' || sign == '_';
}

std::vector<bool> Attempt::explained(const std::vector<Sense>& senses) const {
  const Pack& pack = lexicon_.pack();
  const std::vector<Piece>& pieces = pieces_;
  std::vector<bool> known(pieces.size(), false);
  const auto mark = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) known[i] = true;
  };
  for (const Sense& sense : senses) mark(sense.begin, sense.end);
  for (std::size_t from = 0; from < pieces.size(); ++from) {
    if (pieces[from].kind != Piece::Kind::kWord && pieces[from].kind != Piece::Kind::kQuoted &&
        pieces[from].kind != Piece::Kind::kSign)
      known[from] = true;
    for (const TimeRange& time : read_time(pieces, from, pack, now_)) mark(from, time.end);
    const bool unit_place = pieces[from].kind == Piece::Kind::kSign ||
                            (from > 0 && (pieces[from - 1].kind == Piece::Kind::kNumber ||
                                          pack.is_preposition(pieces[from - 1].folded)));
    if (unit_place && pack.unit(pieces[from].folded) != nullptr) known[from] = true;
    const bool half = from > 0 && pieces[from - 1].kind == Piece::Kind::kNumber &&
                      pack.half_of_day(pieces[from].folded) != nullptr;
    if (half || pack.clock(pieces[from].folded) != nullptr) known[from] = true;
    std::string phrase;
    for (std::size_t to = from; to < pieces.size() && to - from < pack.longest_phrase(); ++to) {
      if (pieces[to].kind != Piece::Kind::kWord && pieces[to].kind != Piece::Kind::kSign) break;
      phrase += (to > from ? " " : "") + pieces[to].folded;
      if (pack.uses(phrase) != nullptr) mark(from, to + 1);
    }
  }
  // What explains both parts explains "web02"; neither part does alone.
  for (std::size_t at = 1; at < pieces.size(); ++at) {
    if (!written_together(at)) continue;
    bool whole = std::any_of(senses.begin(), senses.end(), [&](const Sense& sense) {
      return sense.begin < at && sense.end > at;
    });
    for (const TimeRange& time : read_time(pieces, at - 1, pack, now_))
      whole = whole || time.end > at;
    if (!whole) known[at - 1] = known[at] = false;
  }
  return known;
}

// Words that nothing explains; those that a sign joins are one: payments-db.
std::vector<std::string> Attempt::unexplained() const {
  const auto known = explained(senses_);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (known[i]) continue;
    std::size_t from = i, to = i;
    while (joined_by_sign(from) || written_together(from)) --from;
    while (joined_by_sign(to + 1) || written_together(to + 1)) ++to;
    words.push_back(question_.substr(pieces_[from].begin, pieces_[to].end - pieces_[from].begin));
    i = to;
  }
  return words;
}

// Signs that are neither read nor a part of a name or a value that stands there.
std::vector<std::string> Attempt::unread() const {
  const auto is_of = [&](const UnreadSign& sign, const Sense& sense) {
    const bool thing = sense.kind == Sense::Kind::kThing && sense.cost == 0;
    if (!thing && sense.kind != Sense::Kind::kValue) return false;
    const std::size_t from = sense.begin == 0 ? 0 : pieces_[sense.begin - 1].end;
    const std::size_t to = sense.end < pieces_.size() ? pieces_[sense.end].begin : question_.size();
    if (sign.begin < from || sign.end > to) return false;
    return thing ? is_in_a_name(lexicon_.snapshot(), sense.thing, sign.text)
                 : sense.value.find(sign.text) != std::string::npos;
  };
  std::vector<std::string> signs;
  for (const UnreadSign& sign : unread_signs(question_, pieces_)) {
    const bool known =
        std::ranges::any_of(senses_, [&](const Sense& sense) { return is_of(sign, sense); });
    if (!known) signs.push_back(sign.text);
  }
  return signs;
}

std::string Attempt::pronoun() const {
  for (const Piece& piece : pieces_) {
    const auto* uses = lexicon_.pack().uses(piece.folded);
    if (uses == nullptr) continue;
    bool stands_for = false, other = false;
    for (const PackUse& use : *uses) {
      const bool one =
          use.kind == PackUse::Kind::kClass &&
          (use.word_class == WordClass::kPronounThing ||
           use.word_class == WordClass::kPronounPerson ||
           use.word_class == WordClass::kPronounMany || use.word_class == WordClass::kPossessive ||
           use.word_class == WordClass::kOfSpeaker || use.word_class == WordClass::kSpeaker ||
           use.word_class == WordClass::kSpeakersGroup);
      stands_for = stands_for || one;
      other = other || !one;
    }
    if (stands_for && !other) return piece.text;
  }
  return {};
}

bool Attempt::imperative() const {
  if (pieces_.empty()) return false;
  const auto* uses = lexicon_.pack().uses(pieces_[0].folded);
  if (uses == nullptr) return false;
  return std::any_of(uses->begin(), uses->end(), [](const PackUse& use) {
    return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kImperative;
  });
}

bool Attempt::is_word(std::size_t at, WordClass word_class) const {
  const auto* uses = at < pieces_.size() ? lexicon_.pack().uses(pieces_[at].folded) : nullptr;
  return uses != nullptr && std::any_of(uses->begin(), uses->end(), [&](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
         });
}

bool Attempt::about_the_past() const {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    if (is_word(at, WordClass::kPastTense) || is_past_verb(at)) return true;
  }
  return false;
}

// "lived", "ran": a verb of the space in its past form, and no participle ("is owned by", "owned
// by", "services deployed on").
bool Attempt::is_past_verb(std::size_t at) const {
  if (pieces_[at].kind != Piece::Kind::kWord || !lexicon_.pack().is_past(pieces_[at].folded) ||
      is_word(at + 1, WordClass::kBy))
    return false;
  for (std::size_t before = 0; before < at; ++before) {
    for (const WordClass helper : {WordClass::kBe, WordClass::kDo, WordClass::kHave}) {
      if (is_word(before, helper)) return false;
    }
  }
  const bool behind_who = at == 1 && is_word(0, WordClass::kWho);
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    return sense.kind == Sense::Kind::kVerb && sense.begin == at && (behind_who || !sense.exact);
  });
}

// "Where do I work?": "I" is who asks, where that can be asked.
void Attempt::take_speaker() {
  if (options_.speaker.empty()) return;
  std::vector<Piece> named =
      with_speaker(pieces_, who_speaks(lexicon_.snapshot(), options_.speaker, options_.own_texts),
                   lexicon_.pack());
  const bool same = std::equal(named.begin(), named.end(), pieces_.begin(), pieces_.end(),
                               [](const Piece& a, const Piece& b) { return a.folded == b.folded; });
  if (!same && !read(named, context_of_talk()).empty()) pieces_ = std::move(named);
}

// The words as they are meant: another form of a known one is that.
void Attempt::read_words() {
  if (!written_.empty() || question_.size() > kMaxQuestionBytes) return;
  const Pack& pack = lexicon_.pack();
  written_ = pieces_ = cut_question(question_, pack);
  if (pieces_.size() > kMaxQuestionWords) return;
  take_speaker();
  written_ = pieces_;
  senses_ = lexicon_.matches(pieces_);
  const auto known = explained(senses_);
  // What somebody who is not trusted calls so is not misspelt.
  const auto known_to_all = trusted_only_ ? explained(asked_.all.lexicon->matches(pieces_)) : known;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    if (!known[i] && !known_to_all[i]) guess_spelling(i);
  }
  senses_ = lexicon_.matches(pieces_);
}

}  // namespace anima::ask
