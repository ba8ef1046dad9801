// Sentences that end a fact: "no longer", "not .. any more", "left".
#include <algorithm>

#include "ask/parse/statements/saying_reader.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::EntityId;
using store::Triple;

}  // namespace

bool SayingReader::denies(const Piece& piece) const {
  return marks_.covers(Mark::kNegation, piece) || marks_.covers(Mark::kEnded, piece) ||
         is_class(pack_, piece, WordClass::kNot) || is_class(pack_, piece, WordClass::kNo);
}

std::optional<SayingReader::Ending> SayingReader::ending() const {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    const std::size_t count = begins(Mark::kEnded, at);
    if (count == 0) continue;
    std::optional<std::size_t> denial;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool itself = i >= at && i < at + count;
      if (!itself && denies(pieces_[i]) && is_class(pack_, pieces_[i], WordClass::kNot)) denial = i;
    }
    return Ending{at, count, denial};
  }
  return std::nullopt;
}

// Where the grammar has a denial: behind a verb that helps, or behind the subject.
bool SayingReader::is_place_of_denial(std::size_t at) const {
  if (at == 0 || at >= pieces_.size()) return at == 0;
  const StatementReader reader = reader_of(pieces_);
  if (reader.is(at - 1, WordClass::kBe) || reader.is(at - 1, WordClass::kDo) || pronoun_at(at - 1))
    return true;
  return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
    return sense.kind == Sense::Kind::kThing && sense.cost == 0 && sense.end == at;
  });
}

// Is it the only one, with the words of one denial as one?
bool SayingReader::is_only_denial(const Ending& ending) const {
  std::size_t others = 0, last = std::string::npos;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const bool itself = i >= ending.at && i < ending.at + ending.count;
    if (itself || !denies(pieces_[i]) || pieces_[i].begin == last) continue;
    last = pieces_[i].begin;
    ++others;
  }
  return others == (ending.denial ? 1U : 0U);
}

std::optional<Said> SayingReader::ended() {
  const auto end = ending();
  if (!end) return std::nullopt;
  const bool by_itself = is_class(pack_, pieces_[end->at], WordClass::kNot) ||
                         marks_.covers(Mark::kNegation, pieces_[end->at]) ||
                         is_class(pack_, pieces_[end->at], WordClass::kNo);
  if (by_itself == end->denial.has_value() || !is_only_denial(*end)) return text(word_at(end->at));
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

std::string SayingReader::word_at(std::size_t at) const { return pieces_[at].text; }

// "She works": of the one thing that was spoken of last.
std::vector<Piece> SayingReader::with_last_subject(std::vector<Piece> pieces) const {
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

Said SayingReader::end_of(std::vector<Piece> rest) const {
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
bool SayingReader::names_object(const Triple& fact, const std::vector<Piece>& pieces,
                                std::size_t from, std::size_t to) const {
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
std::optional<Said> SayingReader::left_something(const StatementReader& reader) const {
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

}  // namespace anima::ask
