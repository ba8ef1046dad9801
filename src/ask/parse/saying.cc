#include "ask/parse/saying.h"

#include <algorithm>

#include "ask/parse/held_facts.h"
#include "ask/parse/sentence_lead.h"
#include "ask/parse/statement_reader.h"
#include "ask/parse/value_kind.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::EntityId;
using store::Triple;

constexpr std::size_t kMostPieces = 24;
constexpr std::size_t kMostMeant = 5;

class SayingReader {
 public:
  SayingReader(const Lexicon& lexicon, std::string_view sentence, Timestamp now,
               const SayingContext& context)
      : lexicon_(lexicon),
        pack_(lexicon.pack()),
        snapshot_(lexicon.snapshot()),
        sentence_(sentence),
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
  }

  Said run() {
    if (sentence_.find('?') != std::string_view::npos ||
        sentence_.find('\n') != std::string_view::npos)
      return {};
    pieces_ = cut_question(sentence_, pack_);
    if (pieces_.size() > kMostPieces) return {};
    drop_relative();
    if (!context_.speaker.empty()) {
      const std::size_t before = pieces_.size();
      const std::vector<Piece> named = with_speaker(pieces_, context_.speaker, pack_);
      for (std::size_t i = 0; i < before; ++i)
        of_speaker_ = of_speaker_ || is_class(pack_, pieces_[i], WordClass::kSpeaker) ||
                      is_class(pack_, pieces_[i], WordClass::kOfSpeaker);
      pieces_ = named;
    }
    Said said = read();
    said.of_speaker = of_speaker_;
    said.corrects = lead_.corrects;
    return said;
  }

 private:
  // "that the port of x is 1", behind "remember".
  void drop_relative() {
    if (pieces_.size() > 2 && is_class(pack_, pieces_[0], WordClass::kRelative) &&
        !is_class(pack_, pieces_[1], WordClass::kBe) &&
        !is_class(pack_, pieces_[0], WordClass::kWho) && lead_of_.taking_back(pieces_).pieces == 0)
      pieces_.erase(pieces_.begin());
  }

  std::size_t begins(Mark mark, std::size_t at) const { return marks_.count_of(mark, pieces_, at); }

  bool pronoun_at(std::size_t at) const {
    return at < pieces_.size() && (is_class(pack_, pieces_[at], WordClass::kPronounThing) ||
                                   is_class(pack_, pieces_[at], WordClass::kPronounPerson));
  }

  // --- the kinds

  Said read() {
    lead_ = lead_of_.take(pieces_);
    if (pieces_.empty()) return lead_.takes_back ? withdraw() : Said{};
    if (lead_.corrects && pieces_.size() > 1 && !is_class(pack_, pieces_[1], WordClass::kBe))
      pieces_ = with_last_subject(std::move(pieces_));
    if (auto change = changed()) return std::move(*change);
    if (begins_otherwise()) return {};
    if (auto end = ended()) return std::move(*end);
    if (auto correction = corrected()) return std::move(*correction);
    const StatementReader reader(lexicon_, sentence_, pieces_, now_);
    const bool unsure = says_no_fact(reader);
    if (!unsure) {
      auto fact = speakers_name(reader);
      if (!fact) fact = reader.stated();
      if (fact && !is_past(*fact)) return of_fact(std::move(*fact));
      if (auto left = left_something(reader)) return std::move(*left);
      if (auto several = several_things(reader)) return std::move(*several);
    }
    return {tells_something(reader, unsure) ? Saying::kText : Saying::kNothing};
  }

  Said unclear(std::string asks) const {
    Said said;
    said.saying = Saying::kUnclear;
    said.asks = std::move(asks);
    return said;
  }
  Said closing(Saying saying, const Triple& ends) const {
    Said said;
    said.saying = saying;
    said.ends = ends;
    return said;
  }

  // A question, or an order.
  bool begins_otherwise() const {
    const StatementReader reader(lexicon_, sentence_, pieces_, now_);
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
    const std::vector<Piece> rest(pieces_.begin() + static_cast<std::ptrdiff_t>(from),
                                  pieces_.end());
    const StatementReader reader(lexicon_, sentence_, rest, now_);
    for (std::size_t to = rest.size() - 1; to > 0 && to < rest.size(); --to) {
      if (marks_.end_of(Mark::kChangingTo, rest[to]) == 0 || to + 1 >= rest.size()) continue;
      auto fact = reader.value_stated(to, to + 1);
      if (!fact) continue;
      fact->other_kind = false;
      Said said;
      said.saying = Saying::kFact;
      said.fact = std::move(fact);
      return said;
    }
    return std::nullopt;
  }

  // --- what holds no longer

  // "It is not true that she no longer works": beside the one that ends it, another denies that.
  // The words of one denial stand together.
  bool is_denied_twice() const {
    std::size_t denials = 0;
    bool before = false;
    for (const Piece& piece : pieces_) {
      const bool denies =
          marks_.covers(Mark::kNegation, piece) || is_class(pack_, piece, WordClass::kNot);
      if (denies && !before) ++denials;
      before = denies;
    }
    return denials > 1;
  }

  std::optional<Said> ended() {
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      const std::size_t count = begins(Mark::kEnded, at);
      const bool denied =
          count > 0 && std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
            return marks_.covers(Mark::kNegation, piece) || is_class(pack_, piece, WordClass::kNot);
          });
      if (!denied) continue;
      if (is_denied_twice()) return Said{Saying::kText};
      // Without the words that deny it, it is what holds no longer.
      std::vector<Piece> rest;
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const bool out = (i >= at && i < at + count) ||
                         marks_.covers(Mark::kNegation, pieces_[i]) ||
                         is_class(pack_, pieces_[i], WordClass::kNot) ||
                         (is_class(pack_, pieces_[i], WordClass::kDo) && i < at);
        if (!out) rest.push_back(pieces_[i]);
      }
      return end_of(std::move(rest));
    }
    return std::nullopt;
  }

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
    for (const Triple& one : last_) {
      if (from < rest.size() && names_object(one, rest, from, rest.size()))
        return closing(Saying::kEnds, one);
    }
    const StatementReader reader(lexicon_, sentence_, with_last_subject(std::move(rest)), now_);
    if (says_no_fact(reader)) return {Saying::kText};
    const auto fact = reader.stated();
    if (!fact) return {reader.names_a_thing() ? Saying::kText : Saying::kNothing};
    const auto held = facts_.held_as(*fact);
    return held ? closing(Saying::kEnds, *held)
                : unclear(fill(pack_, "not_stated", {{"fact", fact->text}}));
  }

  // Do the pieces from .. to name what the fact says?
  bool names_object(const Triple& fact, const std::vector<Piece>& pieces, std::size_t from,
                    std::size_t to) const {
    const StatementReader reader(lexicon_, sentence_, pieces, now_);
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
      const std::vector<Triple> between = facts_.between(who[0], what[0]);
      if (between.size() == 1) return closing(Saying::kEnds, between[0]);
      if (between.size() > 1) return unclear(which(between));
      return unclear(fill(pack_, "not_stated",
                          {{"fact", std::string(snapshot_.name(who[0])) + " .. " +
                                        std::string(snapshot_.name(what[0]))}}));
    }
    return std::nullopt;
  }

  // --- corrections

  // "It is 333", "333", "not 111 but 333", "333, not 111" of what was spoken of last.
  std::optional<Said> corrected() const {
    std::size_t from = 0;
    bool points = false;
    if (pronoun_at(0) && pieces_.size() > 2 && is_class(pack_, pieces_[1], WordClass::kBe)) {
      from = 2;
      points = true;
    }
    if (auto contrast = contrasted(from)) return contrast;
    if (!lead_.corrects && !points) return std::nullopt;
    const StatementReader reader(lexicon_, sentence_, pieces_, now_);
    if (says_no_fact(reader)) return std::nullopt;
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
      said.saying = Saying::kOtherKind;
      said.asks = ask_kind(*said.fact);
    }
    if (said.saying == Saying::kNothing && points && lead_.corrects)
      return unclear(last_.empty() || pieces_.size() > 8 ? fill(pack_, "corrects_nothing", {})
                                                         : misfit(from));
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

  std::optional<Said> contrasted(std::size_t from) const {
    std::size_t denied = from;
    while (denied < pieces_.size() && !is_class(pack_, pieces_[denied], WordClass::kNot)) ++denied;
    if (denied >= pieces_.size()) return std::nullopt;
    std::size_t instead = denied + 1;
    while (instead < pieces_.size() && begins(Mark::kInstead, instead) == 0) ++instead;
    Said said;
    if (instead + 1 < pieces_.size()) {  // not OLD but NEW
      const std::size_t value = instead + begins(Mark::kInstead, instead);
      if (denied == from)
        said = replaced(value, pieces_.size(), std::pair(denied + 1, instead));
      else
        said = contrasted_of(denied, instead, value);
      if (said.saying == Saying::kNothing && denied == from)
        return unclear(fill(pack_, "corrects_nothing", {}));
    } else if (denied > from && denied + 1 < pieces_.size()) {  // NEW, not OLD
      said = replaced(from, denied, std::pair(denied + 1, pieces_.size()));
    }
    if (said.saying == Saying::kNothing) return std::nullopt;
    return said;
  }

  // "Ada's phone is not 111 but 333"
  Said contrasted_of(std::size_t denied, std::size_t instead, std::size_t value) const {
    std::vector<Piece> whole(pieces_.begin(),
                             pieces_.begin() + static_cast<std::ptrdiff_t>(denied));
    whole.insert(whole.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(value), pieces_.end());
    const StatementReader reader(lexicon_, sentence_, whole, now_);
    auto fact = reader.stated();
    if (!fact || fact->other_kind) return {};
    for (const Triple& one : facts_.about(fact->subject, *fact)) {
      if (!names_object(one, pieces_, denied + 1, instead)) continue;
      Said said = closing(Saying::kCorrects, one);
      said.fact = std::move(fact);
      return said;
    }
    return unclear(fill(pack_, "not_stated", {{"fact", text_of(denied + 1, instead)}}));
  }

  std::string text_of(std::size_t from, std::size_t to) const {
    return StatementReader(lexicon_, sentence_, pieces_, now_).as_said(from, to);
  }

  // The pieces from .. to in the place of what one of the last facts says; of the one that says
  // `old`, where that is named.
  Said replaced(std::size_t from, std::size_t to,
                const std::optional<std::pair<std::size_t, std::size_t>>& old) const {
    const std::vector<Piece> value(pieces_.begin(),
                                   pieces_.begin() + static_cast<std::ptrdiff_t>(to));
    const StatementReader reader(lexicon_, sentence_, value, now_);
    std::vector<Said> found;
    for (const Triple& one : old ? last_ : asked_) {
      if (old && !names_object(one, pieces_, old->first, old->second)) continue;
      auto fact = one.object.is_entity() ? reader.object_of(one.subject, predicate_of(one), from)
                                         : value_in_place(reader, one, from);
      if (!fact || fact->other_kind || facts_.says_the_same(one, *fact)) continue;
      found.push_back(closing(Saying::kCorrects, one));
      found.back().fact = std::move(fact);
    }
    if (found.size() == 1) return std::move(found[0]);
    if (found.size() < 2) return {};
    std::vector<Triple> meant;
    for (const Said& one : found) meant.push_back(*one.ends);
    return unclear(which(meant));
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
    if (last_.size() == 1 && (context_.last.told || lead_.of_it)) return withdrawing(last_[0]);
    return unclear(last_.empty() ? fill(pack_, "corrects_nothing", {}) : which(last_));
  }

  std::string which(const std::vector<Triple>& meant) const {
    std::string list;
    for (std::size_t i = 0; i < std::min(meant.size(), kMostMeant); ++i) {
      list += (i == 0 ? "" : "; ") + what_it_is_about(lexicon_, meant[i]) + " " +
              store::term_label(snapshot_, meant[i].object);
    }
    return fill(pack_, "which_meant", {{"list", list}});
  }

  // A value that fits none of the last facts.
  std::string misfit(std::size_t from) const {
    const StatementReader reader(lexicon_, sentence_, pieces_, now_);
    for (const Triple& one : asked_) {
      if (one.object.is_entity()) continue;
      const auto fact = value_in_place(reader, one, from);
      if (fact && fact->other_kind) return ask_kind(*fact);
    }
    return fill(pack_, "corrects_nothing", {});
  }

  std::string ask_kind(const Statement& fact) const {
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
    Said said;
    said.saying = fact.other_kind ? Saying::kOtherKind : Saying::kFact;
    if (fact.other_kind) said.asks = ask_kind(fact);
    if (lead_.corrects && !fact.other_kind) {
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
      if (others.size() > 1 && fact.is_link()) return unclear(which(others));
      if (others.size() == 1) {
        said.saying = Saying::kCorrects;
        said.ends = others[0];
      }
    }
    said.fact = std::move(fact);
    return said;
  }

  // "My name is Ada", where nobody else is called so.
  std::optional<Statement> speakers_name(const StatementReader& reader) const {
    const std::size_t name = cut_name(context_.speaker).size();
    const bool named = name > 0 && of_speaker_ && name + 3 < pieces_.size() &&
                       pieces_[name].kind == Piece::Kind::kPossessive &&
                       reader.is(name + 1, WordClass::kNamed) &&
                       reader.is(name + 2, WordClass::kBe);
    const auto speaker = named ? reader.things(0, name) : std::vector<EntityId>();
    if (speaker.size() != 1) return std::nullopt;
    const auto others = reader.things(name + 3, pieces_.size());
    if (!others.empty() && others != speaker) return std::nullopt;
    Statement stated;
    stated.subject = speaker[0];
    stated.key = kAlsoCalled;
    stated.said = reader.as_said(name + 3, pieces_.size());
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

  // What might be, what was, what somebody says, what is denied.
  bool says_no_fact(const StatementReader& reader) const {
    for (std::size_t i = 0; i < reader.pieces().size(); ++i) {
      if (reader.inside_a_name(i)) continue;
      for (const WordClass none :
           {WordClass::kNot, WordClass::kNo, WordClass::kNobody, WordClass::kWithout,
            WordClass::kIf, WordClass::kOr, WordClass::kNeither, WordClass::kOnly,
            WordClass::kModal, WordClass::kPastTense}) {
        if (reader.is(i, none)) return true;
      }
      const Piece& piece = reader.pieces()[i];
      for (const Mark none :
           {Mark::kHearsay, Mark::kCondition, Mark::kWish, Mark::kNegation, Mark::kFuture}) {
        if (marks_.covers(none, piece) && !names_schema(reader, i)) return true;
      }
    }
    return false;
  }

  // "due" may be an attribute, "said_by" a predicate.
  bool names_schema(const StatementReader& reader, std::size_t at) const {
    return is_class(pack_, reader.pieces()[at], WordClass::kBe) ||
           is_class(pack_, reader.pieces()[at], WordClass::kHave) ||
           std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
             return sense.kind != Sense::Kind::kScale && sense.begin <= at && at < sense.end;
           });
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
    for (const Piece& word : cut_question(name, pack_)) {
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
  bool tells_something(const StatementReader& reader, bool unsure) const {
    if (pieces_.size() < 3 || (!reader.names_a_thing() && !of_speaker_)) return false;
    bool opens = reader.is(0, WordClass::kSpeakersGroup);
    opens = opens || (of_speaker_ && pieces_[0].kind == Piece::Kind::kWord &&
                      !cut_name(context_.speaker).empty() &&
                      pieces_[0].folded == cut_name(context_.speaker)[0]);
    std::size_t behind = 1;
    const std::size_t first = reader.after_articles(reader.is(0, WordClass::kOnly) ? 1 : 0);
    for (const Sense& sense : reader.senses()) {
      const bool thing = sense.kind == Sense::Kind::kThing && sense.cost == 0;
      const bool attribute = sense.kind == Sense::Kind::kAttribute && unsure;
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
  Timestamp now_;
  const SayingContext& context_;
  SentenceMarks marks_;
  SentenceLead lead_of_;
  HeldFacts facts_;
  std::vector<Triple> last_, asked_;  // those of the context that hold by now
  std::vector<Piece> pieces_;
  SentenceLead::Taken lead_;
  bool of_speaker_ = false;
};

}  // namespace

Said read_saying(const Lexicon& lexicon, std::string_view sentence, Timestamp now,
                 const SayingContext& context) {
  return SayingReader(lexicon, sentence, now, context).run();
}

std::vector<Piece> with_speaker(const std::vector<Piece>& pieces, const std::string& speaker,
                                const Pack& pack) {
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    const bool owner = is_class(pack, piece, WordClass::kOfSpeaker);
    if (!owner && !is_class(pack, piece, WordClass::kSpeaker)) {
      out.push_back(piece);
      continue;
    }
    for (const std::string& word : cut_name(speaker)) {
      out.push_back(piece);
      out.back().folded = word;
    }
    if (!owner) continue;
    out.push_back(piece);
    out.back().kind = Piece::Kind::kPossessive;
    out.back().folded = "'s";
  }
  return out;
}

}  // namespace anima::ask
