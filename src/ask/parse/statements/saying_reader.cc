// What a sentence is: a fact, a correction, an end, a text, or nothing that says something.
#include "ask/parse/statements/saying_reader.h"

#include <algorithm>

#include "ask/parse/columns/value_kind.h"
#include "ask/parse/statements/other_spelling.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::EntityId;
using store::Triple;

constexpr std::size_t kMostPieces = 24;
constexpr std::string_view kPauses = ",.:;!-";

}  // namespace

SayingReader::SayingReader(const Lexicon& lexicon, std::string_view sentence, AskTime now,
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

Said SayingReader::run() {
  if (sentence_.find('?') != std::string_view::npos ||
      sentence_.find('\n') != std::string_view::npos)
    return {};
  pieces_ = cut_told(sentence_, pack_);
  if (pieces_.empty() || pieces_.size() > kMostPieces) return {};
  if (language::is_agreement(sentence_)) return {Saying::kAgrees};
  drop_what_changes_nothing();
  name_speaker();
  Said said = asked_where_spelt_otherwise(lexicon_, sentence_, read());
  said.of_speaker = of_speaker_;
  said.corrects = lead_.corrects;
  return said;
}

StatementReader SayingReader::reader_of(std::vector<Piece> pieces) const {
  return StatementReader(lexicon_, marks_, body_, std::move(pieces), now_);
}

// The one sign, of these, that parts two pieces of the sentence.
void SayingReader::blank_sign(std::size_t from, std::size_t to, std::string_view signs) {
  if (from >= to) return;
  const std::string_view gap = trim(std::string_view(body_).substr(from, to - from));
  if (gap.size() == 1 && signs.find(gap[0]) != std::string_view::npos)
    body_.replace(from, to - from, to - from, ' ');
}

// Takes the pieces out of the sentence.
void SayingReader::take_out(std::size_t from, std::size_t count) {
  const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(from);
  const std::vector<Piece> out(first, first + static_cast<std::ptrdiff_t>(count));
  pieces_.erase(first, first + static_cast<std::ptrdiff_t>(count));
  blank_unless_kept(out, pieces_);
}

void SayingReader::blank_unless_kept(const std::vector<Piece>& out,
                                     const std::vector<Piece>& kept) {
  body_ = blanked(std::move(body_), out, kept);
}

// "not" of "isn't" is where its "is" is.
std::string SayingReader::blanked(std::string body, const std::vector<Piece>& out,
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
void SayingReader::drop_what_changes_nothing() {
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
    if (count > 0 && at + count <= pieces_.size() && !reader.inside_a_name(at)) take_out(at, count);
  }
}

void SayingReader::drop_end() {
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
bool SayingReader::is_named_so(std::size_t at) const {
  return reader_of(pieces_).inside_a_name(at);
}

void SayingReader::name_speaker() {
  if (context_.speaker.empty()) return;
  for (const Piece& piece : pieces_)
    of_speaker_ = of_speaker_ || is_class(pack_, piece, WordClass::kSpeaker) ||
                  is_class(pack_, piece, WordClass::kOfSpeaker);
  pieces_ = with_speaker(pieces_, who_speaks(snapshot_, context_.speaker, true), pack_);
}

// "that the port of x is 1", behind "remember".
void SayingReader::drop_relative() {
  if (pieces_.size() > 2 && is_class(pack_, pieces_[0], WordClass::kRelative) &&
      !is_class(pack_, pieces_[1], WordClass::kBe) &&
      !is_class(pack_, pieces_[0], WordClass::kWho) && lead_of_.taking_back(pieces_).pieces == 0)
    take_out(0, 1);
}

std::size_t SayingReader::begins(Mark mark, std::size_t at) const {
  return marks_.count_of(mark, pieces_, at);
}

bool SayingReader::pronoun_at(std::size_t at) const {
  return at < pieces_.size() && (is_class(pack_, pieces_[at], WordClass::kPronounThing) ||
                                 is_class(pack_, pieces_[at], WordClass::kPronounPerson));
}

Said SayingReader::read() {
  const std::vector<Piece> whole = pieces_;
  lead_ = lead_of_.take(pieces_);
  if (pieces_.size() < whole.size()) {
    const std::size_t taken = whole.size() - pieces_.size();
    for (std::size_t i = 0; i < taken && i + 1 < whole.size(); ++i)
      blank_sign(whole[i].end, whole[i + 1].begin, kPauses);
    blank_unless_kept({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(taken)}, pieces_);
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
bool SayingReader::states_behind_a_label() const {
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

Said SayingReader::text(std::string left_over) const {
  Said said;
  said.saying = Saying::kText;
  said.left_over = std::move(left_over);
  return said;
}

Said SayingReader::unclear(std::string asks) const {
  Said said;
  said.saying = Saying::kUnclear;
  said.asks = std::move(asks);
  return said;
}

// One of these is meant.
Said SayingReader::unclear(std::vector<Said> choices) const {
  std::vector<Triple> meant;
  for (const Said& one : choices) meant.push_back(*one.ends);
  Said said = unclear(which(meant));
  if (choices.size() <= kMostMeant) said.choices = std::move(choices);
  return said;
}

std::vector<Said> SayingReader::closing_each(Saying saying, const std::vector<Triple>& ends) const {
  std::vector<Said> all;
  for (const Triple& one : ends) all.push_back(closing(saying, one));
  return all;
}

Said SayingReader::closing(Saying saying, const Triple& ends) const {
  Said said;
  said.saying = saying;
  said.ends = ends;
  return said;
}

// A question, or an order.
bool SayingReader::begins_otherwise() const {
  const StatementReader reader = reader_of(pieces_);
  for (const WordClass first :
       {WordClass::kWhich, WordClass::kWho, WordClass::kWhose, WordClass::kWhere, WordClass::kWhen,
        WordClass::kWhy, WordClass::kHow, WordClass::kDo, WordClass::kBe, WordClass::kHave,
        WordClass::kModal, WordClass::kListVerb, WordClass::kImperative}) {
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
std::optional<Said> SayingReader::changed() const {
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

Said SayingReader::of_fact(Statement fact) const {
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
std::optional<Triple> SayingReader::said_of_another(const Statement& fact) const {
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
std::optional<Statement> SayingReader::speakers_name(const StatementReader& reader) const {
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
  stated.text =
      std::string(snapshot_.name(speaker[0])) + " " + std::string(kAlsoCalled) + " " + stated.said;
  return stated;
}

// "Karl" of "Karl Berg".
bool SayingReader::is_in_longer_name(const StatementReader& reader, const Sense& part) {
  return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& whole) {
    return whole.kind == Sense::Kind::kThing && whole.cost == 0 && whole.begin <= part.begin &&
           part.end <= whole.end && whole.end - whole.begin > part.end - part.begin;
  });
}

// A name of several things is nobody's.
std::optional<Said> SayingReader::several_things(const StatementReader& reader) const {
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
bool SayingReader::is_past(const Statement& fact) const {
  if (!fact.is_link()) return false;
  bool past = false;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    past = past || (marks_.covers(Mark::kPast, pieces_[i]) && i > 0);
  if (!past) return false;
  const std::string name = replace_all(store::predicate_label(snapshot_, fact.predicate), "_", " ");
  const SentenceMarks named(name, pack_.language());
  const std::vector<Piece> words = cut_told(name, pack_);
  // Who "owned" something is no longer who it is "owned by".
  if (!words.empty() && is_class(pack_, words.back(), WordClass::kBy)) {
    return std::none_of(pieces_.begin(), pieces_.end(),
                        [&](const Piece& piece) { return is_class(pack_, piece, WordClass::kBy); });
  }
  for (const Piece& word : words) {
    if (named.covers(Mark::kPast, word)) return false;
  }
  return true;
}

bool SayingReader::has_verb(const StatementReader& reader, std::size_t from) const {
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
bool SayingReader::tells_something(const StatementReader& reader) const {
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

}  // namespace anima::ask
