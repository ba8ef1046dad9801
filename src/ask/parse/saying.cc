#include "ask/parse/saying.h"

#include <algorithm>

#include "ask/parse/columns/value_kind.h"
#include "ask/parse/held_facts.h"
#include "ask/parse/saying_contrast.h"
#include "ask/parse/sentence_lead.h"
#include "ask/parse/statement_reader.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::EntityId;
using store::Triple;

constexpr std::size_t kMostPieces = 24;
constexpr std::size_t kMostMeant = 5;
constexpr std::string_view kPauses = ",.:;!-";

class SayingReader {
 public:
  SayingReader(const Lexicon& lexicon, std::string_view sentence, AskTime now,
               const SayingContext& context)
      : lexicon_(lexicon),
        pack_(lexicon.pack()),
        snapshot_(lexicon.snapshot()),
        sentence_(sentence),
        body_(sentence),
        now_(now),
        context_(context),
        marks_(sentence, pack_.language()),
        lead_of_(pack_, marks_, sentence, context.speaker),
        facts_(lexicon, now) {
    for (const SaidFact& one : context.last.facts) {
      if (!facts_.holds(one.fact)) continue;
      last_.push_back(one.fact);
      if (one.object_asked) asked_.push_back(one.fact);
    }
    for (const Triple& one : context.last.ended) {
      if (!facts_.holds(one)) ended_.push_back(one);
    }
  }

  Said run() {
    if (sentence_.find('?') != std::string_view::npos ||
        sentence_.find('\n') != std::string_view::npos)
      return {};
    pieces_ = cut_told(sentence_, pack_);
    if (pieces_.empty() || pieces_.size() > kMostPieces) return {};
    if (language::is_agreement(sentence_)) return {Saying::kAgrees};
    drop_what_changes_nothing();
    name_speaker();
    Said said = read();
    said.of_speaker = of_speaker_;
    said.corrects = lead_.corrects;
    return said;
  }

 private:
  StatementReader reader_of(std::vector<Piece> pieces) const {
    return StatementReader(lexicon_, marks_, body_, std::move(pieces), now_);
  }

  // --- what a sentence may have around and in what it says

  // The one sign, of these, that parts two pieces of the sentence.
  void blank_sign(std::size_t from, std::size_t to, std::string_view signs) {
    if (from >= to) return;
    const std::string_view gap = trim(std::string_view(body_).substr(from, to - from));
    if (gap.size() == 1 && signs.find(gap[0]) != std::string_view::npos)
      body_.replace(from, to - from, to - from, ' ');
  }
  // Takes the pieces out of the sentence.
  void take_out(std::size_t from, std::size_t count) {
    const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<Piece> out(first, first + static_cast<std::ptrdiff_t>(count));
    pieces_.erase(first, first + static_cast<std::ptrdiff_t>(count));
    blank_unless_kept(out, pieces_);
  }
  void blank_unless_kept(const std::vector<Piece>& out, const std::vector<Piece>& kept) {
    body_ = blanked(std::move(body_), out, kept);
  }
  // "not" of "isn't" is where its "is" is.
  static std::string blanked(std::string body, const std::vector<Piece>& out,
                             const std::vector<Piece>& kept) {
    for (const Piece& piece : out) {
      const bool stays = std::any_of(kept.begin(), kept.end(), [&](const Piece& one) {
        return one.begin == piece.begin && one.end == piece.end;
      });
      if (!stays) body.replace(piece.begin, piece.end - piece.begin, piece.end - piece.begin, ' ');
    }
    return body;
  }

  // "By the way, ..", ".., thanks.", ".. now ..", and the sign that ends a sentence.
  void drop_what_changes_nothing() {
    for (;;) {
      const std::size_t count = begins(Mark::kOpening, 0);
      if (count == 0 || count >= pieces_.size() || is_named_so(0)) break;
      blank_sign(pieces_[count - 1].end, pieces_[count].begin, kPauses);
      take_out(0, count);
    }
    drop_relative();
    drop_end();
    const StatementReader reader = reader_of(pieces_);
    for (std::size_t at = pieces_.size(); at-- > 1;) {
      const std::size_t count = begins(Mark::kPassing, at);
      if (count > 0 && at + count <= pieces_.size() && !reader.inside_a_name(at))
        take_out(at, count);
    }
  }
  void drop_end() {
    std::size_t end = body_.find_last_not_of(" \t");
    if (end != std::string::npos && (body_[end] == '.' || body_[end] == '!')) {
      const char mark = body_[end];
      while (end > 0 && body_[end] == '!') --end;
      if (mark == '.' && end > 0) --end;
      body_.resize(end + 1);  // of "..." two stay, and say that something is missing
    }
    for (std::size_t at = pieces_.size(); at-- > 1;) {
      const std::size_t count = begins(Mark::kClosing, at);
      if (count == 0 || at + count != pieces_.size()) continue;
      blank_sign(pieces_[at - 1].end, pieces_[at].begin, kPauses);
      take_out(at, count);
      at = pieces_.size();
    }
    body_.resize(body_.find_last_not_of(" \t") + 1);
  }
  // "Hi" may be called so.
  bool is_named_so(std::size_t at) const { return reader_of(pieces_).inside_a_name(at); }

  void name_speaker() {
    if (context_.speaker.empty()) return;
    for (const Piece& piece : pieces_)
      of_speaker_ = of_speaker_ || is_class(pack_, piece, WordClass::kSpeaker) ||
                    is_class(pack_, piece, WordClass::kOfSpeaker);
    pieces_ = with_speaker(pieces_, who_speaks(snapshot_, context_.speaker, true), pack_);
  }

  // "that the port of x is 1", behind "remember".
  void drop_relative() {
    if (pieces_.size() > 2 && is_class(pack_, pieces_[0], WordClass::kRelative) &&
        !is_class(pack_, pieces_[1], WordClass::kBe) &&
        !is_class(pack_, pieces_[0], WordClass::kWho) && lead_of_.taking_back(pieces_).pieces == 0)
      take_out(0, 1);
  }

  std::size_t begins(Mark mark, std::size_t at) const { return marks_.count_of(mark, pieces_, at); }

  bool pronoun_at(std::size_t at) const {
    return at < pieces_.size() && (is_class(pack_, pieces_[at], WordClass::kPronounThing) ||
                                   is_class(pack_, pieces_[at], WordClass::kPronounPerson));
  }

  // --- the kinds

  Said read() {
    const std::vector<Piece> whole = pieces_;
    lead_ = lead_of_.take(pieces_);
    if (pieces_.size() < whole.size()) {
      const std::size_t taken = whole.size() - pieces_.size();
      for (std::size_t i = 0; i < taken && i + 1 < whole.size(); ++i)
        blank_sign(whole[i].end, whole[i + 1].begin, kPauses);
      blank_unless_kept({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(taken)},
                        pieces_);
    }
    if (pieces_.empty()) return lead_.takes_back ? withdraw() : Said{};
    if (lead_.corrects && pieces_.size() > 1 && !is_class(pack_, pieces_[1], WordClass::kBe))
      pieces_ = with_last_subject(std::move(pieces_));
    if (auto change = changed()) return std::move(*change);
    if (begins_otherwise()) return {};
    if (auto end = ended()) return std::move(*end);
    if (auto correction = corrected()) return std::move(*correction);
    const StatementReader reader = reader_of(pieces_);
    auto fact = speakers_name(reader);
    if (!fact) fact = reader.stated();
    if (fact && !fact->left_over.empty()) return text(fact->left_over);
    if (fact && !is_past(*fact)) return of_fact(std::move(*fact));
    if (auto left = left_something(reader)) return std::move(*left);
    if (auto several = several_things(reader)) return std::move(*several);
    if (tells_something(reader)) return text(reader.left_over().unknown_word());
    return states_behind_a_label() ? text(pieces_.front().text) : Said{};
  }

  // "Untrue: Ada lives in Rome."
  bool states_behind_a_label() const {
    for (std::size_t at = 1; at + 2 < pieces_.size(); ++at) {
      if (pieces_[at].begin <= pieces_[at - 1].end) continue;
      const std::string_view gap = std::string_view(sentence_).substr(
          pieces_[at - 1].end, pieces_[at].begin - pieces_[at - 1].end);
      if (gap.find_first_of(kPauses) == std::string_view::npos) continue;
      const auto label = pieces_.begin() + static_cast<std::ptrdiff_t>(at);
      const std::vector<Piece> rest(label, pieces_.end());
      std::string body = body_;
      body.replace(0, pieces_[at].begin, pieces_[at].begin, ' ');
      if (StatementReader(lexicon_, marks_, body, rest, now_).stated()) return true;
    }
    return false;
  }

  Said text(std::string left_over) const {
    Said said;
    said.saying = Saying::kText;
    said.left_over = std::move(left_over);
    return said;
  }
  Said unclear(std::string asks) const {
    Said said;
    said.saying = Saying::kUnclear;
    said.asks = std::move(asks);
    return said;
  }
  // One of these is meant.
  Said unclear(std::vector<Said> choices) const {
    std::vector<Triple> meant;
    for (const Said& one : choices) meant.push_back(*one.ends);
    Said said = unclear(which(meant));
    if (choices.size() <= kMostMeant) said.choices = std::move(choices);
    return said;
  }
  std::vector<Said> closing_each(Saying saying, const std::vector<Triple>& ends) const {
    std::vector<Said> all;
    for (const Triple& one : ends) all.push_back(closing(saying, one));
    return all;
  }
  Said closing(Saying saying, const Triple& ends) const {
    Said said;
    said.saying = saying;
    said.ends = ends;
    return said;
  }

  // A question, or an order.
  bool begins_otherwise() const {
    const StatementReader reader = reader_of(pieces_);
    for (const WordClass first :
         {WordClass::kWhich, WordClass::kWho, WordClass::kWhose, WordClass::kWhere,
          WordClass::kWhen, WordClass::kWhy, WordClass::kHow, WordClass::kDo, WordClass::kBe,
          WordClass::kHave, WordClass::kModal, WordClass::kListVerb, WordClass::kImperative}) {
      if (reader.is(0, first) && !reader.inside_a_name(0) && begins(Mark::kCondition, 0) == 0)
        return true;
    }
    if (begins(Mark::kQuestion, 0) > 0 && !reader.inside_a_name(0) &&
        begins(Mark::kCondition, 0) == 0)
      return true;
    if (begins(Mark::kCondition, 0) == 0) return false;
    // "If borea is removed, what breaks"
    for (std::size_t i = 1; i < pieces_.size(); ++i) {
      for (const WordClass asks : {WordClass::kWhich, WordClass::kWhere, WordClass::kHow}) {
        if (reader.is(i, asks)) return true;
      }
    }
    return false;
  }

  // "Change Ada's phone to 333".
  std::optional<Said> changed() const {
    const std::size_t from = begins(Mark::kChanging, 0);
    if (from == 0) return std::nullopt;
    const auto begin = pieces_.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<Piece> rest(begin, pieces_.end());
    const std::string body = blanked(body_, {pieces_.begin(), begin}, rest);
    const StatementReader reader(lexicon_, marks_, body, rest, now_);
    for (std::size_t to = rest.size() - 1; to > 0 && to < rest.size(); --to) {
      if (marks_.end_of(Mark::kChangingTo, rest[to]) == 0 || to + 1 >= rest.size()) continue;
      auto fact = reader.value_stated(to, to + 1);
      if (!fact) continue;
      if (!fact->left_over.empty()) return text(fact->left_over);
      // A word that is no value yet is meant, for it is said to be one.
      if (to + 2 == rest.size()) fact->other_kind = false;
      return of_fact(std::move(*fact));
    }
    return std::nullopt;
  }

  // --- what holds no longer

  bool denies(const Piece& piece) const {
    return marks_.covers(Mark::kNegation, piece) || marks_.covers(Mark::kEnded, piece) ||
           is_class(pack_, piece, WordClass::kNot) || is_class(pack_, piece, WordClass::kNo);
  }

  // What ends a fact is "no longer", or a denial with "any more" at the end; nothing else may deny.
  struct Ending {
    std::size_t at = 0, count = 0;      // "no longer", "any more"
    std::optional<std::size_t> denial;  // of the second
  };
  std::optional<Ending> ending() const {
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      const std::size_t count = begins(Mark::kEnded, at);
      if (count == 0) continue;
      std::optional<std::size_t> denial;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const bool itself = i >= at && i < at + count;
        if (!itself && denies(pieces_[i]) && is_class(pack_, pieces_[i], WordClass::kNot))
          denial = i;
      }
      return Ending{at, count, denial};
    }
    return std::nullopt;
  }

  // Where the grammar has a denial: behind a verb that helps, or behind the subject.
  bool is_place_of_denial(std::size_t at) const {
    if (at == 0 || at >= pieces_.size()) return at == 0;
    const StatementReader reader = reader_of(pieces_);
    if (reader.is(at - 1, WordClass::kBe) || reader.is(at - 1, WordClass::kDo) ||
        pronoun_at(at - 1))
      return true;
    return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
      return sense.kind == Sense::Kind::kThing && sense.cost == 0 && sense.end == at;
    });
  }

  // Is it the only one, with the words of one denial as one?
  bool is_only_denial(const Ending& ending) const {
    std::size_t others = 0, last = std::string::npos;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool itself = i >= ending.at && i < ending.at + ending.count;
      if (itself || !denies(pieces_[i]) || pieces_[i].begin == last) continue;
      last = pieces_[i].begin;
      ++others;
    }
    return others == (ending.denial ? 1U : 0U);
  }

  std::optional<Said> ended() {
    const auto end = ending();
    if (!end) return std::nullopt;
    const bool by_itself = is_class(pack_, pieces_[end->at], WordClass::kNot) ||
                           marks_.covers(Mark::kNegation, pieces_[end->at]) ||
                           is_class(pack_, pieces_[end->at], WordClass::kNo);
    if (by_itself == end->denial.has_value() || !is_only_denial(*end))
      return text(word_at(end->at));
    const bool last = end->at + end->count == pieces_.size();
    const bool placed =
        by_itself ? is_place_of_denial(end->at) : last && is_place_of_denial(*end->denial);
    if (!placed) return text(word_at(end->at));
    // Without the words that deny it, it is what holds no longer.
    std::vector<Piece> rest, out;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool helps =
          end->denial && i + 1 == *end->denial && is_class(pack_, pieces_[i], WordClass::kDo);
      const bool gone = (i >= end->at && i < end->at + end->count) || i == end->denial || helps;
      (gone ? out : rest).push_back(pieces_[i]);
    }
    blank_unless_kept(out, rest);
    body_.resize(body_.find_last_not_of(" \t") + 1);
    return end_of(std::move(rest));
  }
  std::string word_at(std::size_t at) const { return pieces_[at].text; }

  // "She works": of the one thing that was spoken of last.
  std::vector<Piece> with_last_subject(std::vector<Piece> pieces) const {
    const bool stands_for =
        !pieces.empty() && (is_class(pack_, pieces[0], WordClass::kPronounPerson) ||
                            is_class(pack_, pieces[0], WordClass::kPronounThing));
    if (!stands_for || last_.empty()) return pieces;
    const EntityId subject = last_.front().subject;
    for (const Triple& one : last_) {
      if (one.subject != subject) return pieces;
    }
    const Piece first = pieces.front();
    pieces.erase(pieces.begin());
    std::vector<Piece> named;
    for (const std::string& word : cut_name(snapshot_.name(subject))) {
      named.push_back(first);
      named.back().folded = word;
    }
    pieces.insert(pieces.begin(), named.begin(), named.end());
    return pieces;
  }

  Said end_of(std::vector<Piece> rest) const {
    // "It is no longer 111", "no longer 111"
    std::size_t from = 0;
    if (from < rest.size() && (is_class(pack_, rest[from], WordClass::kPronounThing))) ++from;
    if (from < rest.size() && is_class(pack_, rest[from], WordClass::kBe)) ++from;
    const bool whole = reader_of(rest).left_over().sign_before(rest.size()).empty();
    for (const Triple& one : last_) {
      if (whole && from < rest.size() && names_object(one, rest, from, rest.size()))
        return closing(Saying::kEnds, one);
    }
    const StatementReader reader = reader_of(with_last_subject(std::move(rest)));
    const auto fact = reader.stated();
    if (!fact) return {reader.names_a_thing() ? Saying::kText : Saying::kNothing};
    if (!fact->left_over.empty()) return text(fact->left_over);
    if (const auto held = facts_.held_as(*fact)) return closing(Saying::kEnds, *held);
    Said said = unclear(fill(pack_, "not_stated", {{"fact", fact->text}}));
    said.denied = fact;
    return said;
  }

  // Do the pieces from .. to name what the fact says?
  bool names_object(const Triple& fact, const std::vector<Piece>& pieces, std::size_t from,
                    std::size_t to) const {
    const StatementReader reader = reader_of(pieces);
    from = reader.after_articles(from);
    if (fact.object.is_entity()) {
      if (reader.is(from, WordClass::kPreposition) && from + 1 < to) ++from;
      const auto things = reader.things(from, to);
      return std::find(things.begin(), things.end(), fact.object.as_entity()) != things.end();
    }
    return same_text(store::term_label(snapshot_, fact.object), reader.as_said(from, to));
  }

  // "Ada left Initech": the one thing that joins the two.
  std::optional<Said> left_something(const StatementReader& reader) const {
    for (std::size_t at = 1; at + 1 < pieces_.size(); ++at) {
      const std::size_t count = begins(Mark::kLeaving, at);
      if (count == 0) continue;
      const auto who = reader.things(0, at), what = reader.things(at + count, pieces_.size());
      if (who.size() != 1 || what.size() != 1) continue;
      if (auto sign = reader.left_over().sign_before(pieces_.size()); !sign.empty())
        return text(std::move(sign));
      const std::vector<Triple> between = facts_.between(who[0], what[0]);
      if (between.size() == 1) return closing(Saying::kEnds, between[0]);
      if (between.size() > 1) return unclear(closing_each(Saying::kEnds, between));
      return unclear(fill(pack_, "not_stated",
                          {{"fact", std::string(snapshot_.name(who[0])) + " .. " +
                                        std::string(snapshot_.name(what[0]))}}));
    }
    return std::nullopt;
  }

  // --- corrections

  // "It is 333", "333", "not 111 but 333", "333, not 111" of what was spoken of last.
  std::optional<Said> corrected() {
    std::size_t from = 0;
    bool points = false;
    if (pronoun_at(0) && pieces_.size() > 2 && is_class(pack_, pieces_[1], WordClass::kBe)) {
      from = 2;
      points = true;
    }
    if (auto contrast = contrasted(from)) return contrast;
    if (!lead_.corrects && !points) return std::nullopt;
    const StatementReader reader = reader_of(pieces_);
    // A whole sentence says itself what it is about.
    if (!points) {
      auto fact = reader.stated();
      if (fact) return std::nullopt;
    }
    Said said = replaced(from, pieces_.size(), std::nullopt);
    const bool sure = said.saying != Saying::kCorrects || is_meant(reader, *said.fact, from);
    if (!sure && !points) return std::nullopt;
    if (said.saying == Saying::kCorrects && (!lead_.corrects || !sure)) {
      // Nobody said that it corrects something, or "sorry, it is late" may say anything.
      said = asking(std::move(*said.fact), said.ends);
    }
    if (said.saying == Saying::kOtherKind && !points && !lead_.meant) return std::nullopt;
    if (said.saying == Saying::kNothing && points && lead_.corrects)
      return unclear(fill(pack_, "corrects_nothing", {}));
    if (said.saying == Saying::kNothing) return std::nullopt;
    return said;
  }

  // Words may be anything ("no, thanks") where they are no value that is known there, and nothing
  // says that they were meant ("I meant").
  bool is_meant(const StatementReader& reader, const Statement& fact, std::size_t from) const {
    if (lead_.meant || fact.is_link() || text_kind(fact.said) != TextKind::kWords) return true;
    return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
      return sense.kind == Sense::Kind::kValue && sense.begin == reader.after_articles(from) &&
             sense.end == pieces_.size() &&
             lexicon_.schema().attributes[static_cast<std::size_t>(sense.attribute)].key ==
                 fact.key;
    });
  }

  std::optional<Said> contrasted(std::size_t from) {
    std::size_t denied = from;
    while (denied < pieces_.size() && !is_class(pack_, pieces_[denied], WordClass::kNot)) ++denied;
    if (denied >= pieces_.size()) return std::nullopt;
    std::size_t instead = denied + 1;
    while (instead < pieces_.size() && begins(Mark::kInstead, instead) == 0) ++instead;
    const bool but = instead + 1 < pieces_.size();  // not OLD but NEW; else NEW, not OLD
    if (!but && (denied == from || denied + 1 >= pieces_.size())) return std::nullopt;
    for (const std::size_t at : {denied, instead}) {
      if (at > 0 && at < pieces_.size()) blank_sign(pieces_[at - 1].end, pieces_[at].begin, ",");
    }
    if (auto odd = odd_in_contrast(denied, but ? instead : 0))
      return but ? std::optional(text(std::move(*odd))) : std::nullopt;
    Said said;
    if (but) {
      const std::size_t value = instead + begins(Mark::kInstead, instead);
      if (denied == from)
        said = replaced(value, pieces_.size(), std::pair(denied + 1, instead));
      else
        said = contrasted_of(denied, instead, value);
      if (said.saying == Saying::kNothing && denied == from)
        return unclear(fill(pack_, "corrects_nothing", {}));
    } else {
      said = replaced(from, denied, std::pair(denied + 1, pieces_.size()));
    }
    if (said.saying == Saying::kNothing) return std::nullopt;
    return said;
  }

  // A second denial, or a sign between the two values.
  std::optional<std::string> odd_in_contrast(std::size_t denied, std::size_t instead) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i != denied && denies(pieces_[i]) && pieces_[i].begin != pieces_[denied].begin)
        return pieces_[i].text;
    }
    const std::size_t end = instead > 0 ? instead : pieces_.size();
    const StatementReader reader = reader_of(pieces_);
    auto sign = reader.left_over().sign_before(end);
    return sign.empty() ? std::nullopt : std::optional(std::move(sign));
  }

  // "Ada's phone is not 111 but 333"
  Said contrasted_of(std::size_t denied, std::size_t instead, std::size_t value) const {
    std::vector<Piece> whole(pieces_.begin(),
                             pieces_.begin() + static_cast<std::ptrdiff_t>(denied));
    whole.insert(whole.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(value), pieces_.end());
    const std::vector<Piece> out(pieces_.begin() + static_cast<std::ptrdiff_t>(denied),
                                 pieces_.begin() + static_cast<std::ptrdiff_t>(value));
    const std::string old = text_of(denied + 1, instead);
    const std::string body = blanked(body_, out, whole);
    auto fact = StatementReader(lexicon_, marks_, body, whole, now_).stated();
    if (!fact || !fact->left_over.empty()) return {};
    for (const Triple& one : facts_.about(fact->subject, *fact)) {
      if (!names_object(one, pieces_, denied + 1, instead)) continue;
      if (fact->other_kind) return asking(std::move(*fact), one);
      Said said = closing(Saying::kCorrects, one);
      said.fact = std::move(fact);
      return said;
    }
    return unclear(fill(pack_, "not_stated", {{"fact", old}}));
  }

  std::string text_of(std::size_t from, std::size_t to) const {
    return reader_of(pieces_).as_said(from, to);
  }

  // The pieces from .. to in the place of what one of the last facts says; of the one that says
  // `old`, where that is named.
  Said replaced(std::size_t from, std::size_t to,
                const std::optional<std::pair<std::size_t, std::size_t>>& old) const {
    const std::vector<Piece> value(pieces_.begin(),
                                   pieces_.begin() + static_cast<std::ptrdiff_t>(to));
    const std::string_view body = body_;
    const StatementReader reader(lexicon_, marks_,
                                 to < pieces_.size() ? body.substr(0, pieces_[to - 1].end) : body,
                                 value, now_);
    std::vector<Said> found, unsure;
    for (const Triple& one : old ? last_ : asked_) {
      if (old && !names_object(one, pieces_, old->first, old->second)) continue;
      auto fact = one.object.is_entity() ? reader.object_of(one.subject, predicate_of(one), from)
                                         : value_in_place(reader, one, from);
      if (!fact || !fact->left_over.empty() || facts_.says_the_same(one, *fact)) continue;
      if (fact->other_kind) {
        unsure.push_back(asking(std::move(*fact), one));
        continue;
      }
      found.push_back(closing(Saying::kCorrects, one));
      found.back().fact = std::move(fact);
    }
    if (found.size() == 1) return std::move(found[0]);
    if (found.empty()) return unsure.size() == 1 ? std::move(unsure[0]) : Said{};
    return unclear(std::move(found));
  }

  // Whether that is meant; a yes puts it in the place of the other.
  Said asking(Statement fact, const std::optional<Triple>& ends) const {
    Said said;
    said.saying = Saying::kOtherKind;
    said.asks = ask_kind(fact);
    said.fact = std::move(fact);
    said.ends = ends;
    return said;
  }

  std::optional<Statement> value_in_place(const StatementReader& reader, const Triple& fact,
                                          std::size_t from) const {
    const int attribute = lexicon_.schema().find_attribute(key_of(fact));
    return attribute < 0 ? std::nullopt : reader.value_of(fact.subject, attribute, from);
  }

  int predicate_of(const Triple& fact) const {
    const std::string name = store::predicate_label(snapshot_, fact.predicate);
    return lexicon_.schema().find_predicate(name);
  }

  std::string key_of(const Triple& fact) const {
    return store::predicate_label(snapshot_, fact.predicate);
  }

  Said withdrawing(const Triple& fact) const {
    Said said = closing(Saying::kWithdraws, fact);
    said.denies = lead_.of_it;
    return said;
  }

  Said withdraw() const {
    if (const auto sign = first_sign(); !sign.empty()) return text(sign);
    if (last_.empty() && ended_.empty()) return unclear(fill(pack_, "corrects_nothing", {}));
    std::vector<Said> meant;
    for (const Triple& fact : last_) meant.push_back(withdrawing(fact));
    for (const Triple& fact : ended_) {
      meant.push_back(closing(Saying::kWithdraws, fact));
      meant.back().reopens = true;
    }
    const bool told = context_.last.told || lead_.of_it || last_.empty();
    if (meant.size() == 1 && context_.last.of_last_line && told) return std::move(meant[0]);
    Said said = unclear(std::move(meant));
    // Of what was answered nothing is forgotten by the way.
    if (!context_.last.told && !lead_.of_it) said.choices.clear();
    return said;
  }
  // Of a sentence of which no word is left.
  std::string first_sign() const { return std::string(trim(body_)); }

  std::string which(const std::vector<Triple>& meant) const {
    std::string list;
    for (std::size_t i = 0; i < std::min(meant.size(), kMostMeant); ++i) {
      list += (i == 0 ? "" : "; ") + what_it_is_about(lexicon_, meant[i]) + " " +
              store::term_label(snapshot_, meant[i].object);
    }
    return fill(pack_, "which_meant", {{"list", list}});
  }

  std::string ask_kind(const Statement& fact) const {
    if (fact.key == kSaidToBe || fact.key == kAlsoCalled) {
      const std::string name(snapshot_.name(fact.subject));
      return fill(pack_, "keep_as", {{"value", fact.said}, {"fact", name + " " + fact.key}});
    }
    std::string old;
    for (const Triple& one : facts_.about(fact.subject, fact))
      old += (old.empty() ? "" : ", ") + store::term_label(snapshot_, one.object);
    if (!old.empty()) old = fill(pack_, "holds_now", {{"old", old}});
    const Triple about_it{fact.subject, predicate_named(fact), store::Term{}};
    return fill(
        pack_, "other_kind",
        {{"value", fact.said}, {"fact", what_it_is_about(lexicon_, about_it)}, {"old", old}});
  }

  store::Predicate predicate_named(const Statement& fact) const {
    if (fact.is_link()) return fact.predicate;
    const auto key = snapshot_.find_string(fact.key);
    return key ? store::Predicate::attribute(*key) : store::Predicate{};
  }

  // --- facts

  Said of_fact(Statement fact) const {
    if (fact.other_kind) return asking(std::move(fact), std::nullopt);
    Said said;
    said.saying = Saying::kFact;
    if (lead_.corrects) {
      // "No, Ada lives in Berlin": in place of the one thing that is said of it.
      std::vector<Triple> others;
      for (const Triple& one : facts_.about(fact.subject, fact)) {
        if (!facts_.says_the_same(one, fact)) others.push_back(one);
      }
      std::vector<Triple> last;
      for (const Triple& one : others) {
        if (std::find(last_.begin(), last_.end(), one) != last_.end()) last.push_back(one);
      }
      if (last.size() == 1) others = last;
      if (others.size() > 1 && fact.is_link()) {
        std::vector<Said> meant = closing_each(Saying::kCorrects, others);
        for (Said& one : meant) one.fact = fact;
        return unclear(std::move(meant));
      }
      if (others.size() == 1) {
        said.saying = Saying::kCorrects;
        said.ends = others[0];
      } else if (const auto of_another = said_of_another(fact)) {
        said.saying = Saying::kCorrects;
        said.ends = of_another;
      }
    }
    said.fact = std::move(fact);
    return said;
  }

  // "No, Bob's phone is 333", behind "Ada's phone is 333": the same was said of somebody else.
  std::optional<Triple> said_of_another(const Statement& fact) const {
    std::vector<Triple> found;
    for (const Triple& one : last_) {
      Statement of_it = fact;
      of_it.subject = one.subject;
      if (one.subject != fact.subject && predicate_named(fact) == one.predicate &&
          facts_.says_the_same(one, of_it))
        found.push_back(one);
    }
    return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
  }

  // "My name is Ada", where nobody else is called so.
  std::optional<Statement> speakers_name(const StatementReader& reader) const {
    const std::size_t name = cut_name(context_.speaker).size();
    const bool named = name > 0 && of_speaker_ && name + 3 < pieces_.size() &&
                       pieces_[name].kind == Piece::Kind::kPossessive &&
                       reader.is(name + 1, WordClass::kNamed) && reader.is_copula(name + 2);
    const auto speaker = named ? reader.things(0, name) : std::vector<EntityId>();
    if (speaker.size() != 1) return std::nullopt;
    const auto others = reader.things(name + 3, pieces_.size());
    if (!others.empty() && others != speaker) return std::nullopt;
    Statement stated;
    stated.subject = speaker[0];
    stated.key = kAlsoCalled;
    const bool quoted = pieces_[name + 3].kind == Piece::Kind::kQuoted;
    stated.said = quoted ? pieces_[name + 3].folded : reader.as_said(name + 3, pieces_.size());
    stated.other_kind = !reader.is_name(name + 3);
    stated.left_over = reader.left_over().sign_before(quoted ? name + 2 : pieces_.size());
    stated.value = store::Value::string(stated.said);
    stated.text = std::string(snapshot_.name(speaker[0])) + " " + std::string(kAlsoCalled) + " " +
                  stated.said;
    return stated;
  }

  // "Karl" of "Karl Berg".
  static bool is_in_longer_name(const StatementReader& reader, const Sense& part) {
    return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& whole) {
      return whole.kind == Sense::Kind::kThing && whole.cost == 0 && whole.begin <= part.begin &&
             part.end <= whole.end && whole.end - whole.begin > part.end - part.begin;
    });
  }

  // A name of several things is nobody's.
  std::optional<Said> several_things(const StatementReader& reader) const {
    std::vector<EntityId> named;
    for (const Sense& one : reader.senses()) {
      if (one.kind != Sense::Kind::kThing || named.size() > 1 || is_in_longer_name(reader, one))
        continue;
      named.clear();
      for (const Sense& other : reader.senses()) {
        const bool same = other.kind == Sense::Kind::kThing && other.begin == one.begin &&
                          other.end == one.end &&
                          std::find(named.begin(), named.end(), other.thing) == named.end();
        if (same) named.push_back(other.thing);
      }
    }
    std::sort(named.begin(), named.end());
    if (named.size() < 2 || !has_verb(reader, 1)) return std::nullopt;
    std::string list;
    for (std::size_t i = 0; i < std::min(named.size(), kMostMeant); ++i)
      list += (i == 0 ? "" : "; ") + std::string(snapshot_.name(named[i]));
    return unclear(fill(pack_, "which_meant", {{"list", list}}));
  }

  // "Ada worked at Acme", where the predicate says "works at".
  bool is_past(const Statement& fact) const {
    if (!fact.is_link()) return false;
    bool past = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      past = past || (marks_.covers(Mark::kPast, pieces_[i]) && i > 0);
    if (!past) return false;
    const std::string name =
        replace_all(store::predicate_label(snapshot_, fact.predicate), "_", " ");
    const SentenceMarks named(name, pack_.language());
    const std::vector<Piece> words = cut_told(name, pack_);
    // Who "owned" something is no longer who it is "owned by".
    if (!words.empty() && is_class(pack_, words.back(), WordClass::kBy)) {
      return std::none_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return is_class(pack_, piece, WordClass::kBy);
      });
    }
    for (const Piece& word : words) {
      if (named.covers(Mark::kPast, word)) return false;
    }
    return true;
  }

  bool has_verb(const StatementReader& reader, std::size_t from) const {
    for (std::size_t i = from; i < reader.pieces().size(); ++i) {
      for (const WordClass verb :
           {WordClass::kBe, WordClass::kHave, WordClass::kDo, WordClass::kModal}) {
        if (reader.is(i, verb) && !reader.is(i - 1, WordClass::kRelative)) return true;
      }
      if (marks_.covers(Mark::kPast, reader.pieces()[i]) ||
          marks_.covers(Mark::kHearsay, reader.pieces()[i]))
        return true;
    }
    return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
      return sense.kind == Sense::Kind::kVerb && sense.begin >= from &&
             !reader.is(sense.begin - 1, WordClass::kRelative);
    });
  }

  // A whole sentence about something that is known here.
  bool tells_something(const StatementReader& reader) const {
    if (pieces_.size() < 3 || (!reader.names_a_thing() && !of_speaker_)) return false;
    bool opens = reader.is(0, WordClass::kSpeakersGroup);
    opens = opens || (of_speaker_ && pieces_[0].kind == Piece::Kind::kWord &&
                      !cut_name(context_.speaker).empty() &&
                      pieces_[0].folded == cut_name(context_.speaker)[0]);
    std::size_t behind = 1;
    const std::size_t first = reader.after_articles(reader.is(0, WordClass::kOnly) ? 1 : 0);
    for (const Sense& sense : reader.senses()) {
      const bool thing = sense.kind == Sense::Kind::kThing && sense.cost == 0;
      const bool attribute = sense.kind == Sense::Kind::kAttribute;
      if ((thing || attribute) && sense.begin == first) {
        opens = true;
        behind = std::max(behind, sense.end);
      }
    }
    const bool doubts = begins(Mark::kCondition, 0) > 0 ||
                        std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
                          return marks_.covers(Mark::kHearsay, piece);
                        });
    if (doubts) return has_verb(reader, 1);
    if (!opens && !lead_.corrects && !pronoun_at(0)) return false;
    if (has_verb(reader, behind)) return true;
    // "Ada loves pizza." has a verb that is not known here.
    const bool closed = sentence_.find_last_of(".!") != std::string_view::npos &&
                        sentence_.find_last_of(".!") >= pieces_.back().end;
    return closed && opens && behind < pieces_.size();
  }

  const Lexicon& lexicon_;
  const Pack& pack_;
  const store::Snapshot& snapshot_;
  std::string_view sentence_;
  std::string body_;  // the sentence, with blanks for what was taken out of it
  AskTime now_;
  const SayingContext& context_;
  SentenceMarks marks_;
  SentenceLead lead_of_;
  HeldFacts facts_;
  std::vector<Triple> last_, asked_;  // those of the context that hold by now
  std::vector<Triple> ended_;         // and that do not
  std::vector<Piece> pieces_;
  SentenceLead::Taken lead_;
  bool of_speaker_ = false;
};

// "The owner of gitea is Ben, not Ada": where Ada is what the space says by now. Another word
// behind the "not" may say anything of what was told ("not sure").
std::optional<Said> read_contrast(const Lexicon& lexicon, std::string_view sentence, AskTime now,
                                  const SayingContext& context) {
  const auto contrast = contrast_in(sentence, lexicon.pack().language());
  if (!contrast) return std::nullopt;
  Said said = SayingReader(lexicon, contrast->told, now, context).run();
  if ((said.saying != Saying::kFact && said.saying != Saying::kCorrects) || !said.fact)
    return std::nullopt;
  const auto held = HeldFacts(lexicon, now).about(said.fact->subject, *said.fact);
  const bool known = std::ranges::any_of(held, [&](const Triple& one) {
    return same_text(store::term_label(lexicon.snapshot(), one.object), contrast->other);
  });
  return known ? std::optional(std::move(said)) : std::nullopt;
}

}  // namespace

Said read_saying(const Lexicon& lexicon, std::string_view sentence, AskTime now,
                 const SayingContext& context) {
  Said said = SayingReader(lexicon, sentence, now, context).run();
  if (said.saying != Saying::kText) return said;
  return read_contrast(lexicon, sentence, now, context).value_or(std::move(said));
}

}  // namespace anima::ask
