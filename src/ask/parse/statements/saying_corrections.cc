// Sentences that put something in the place of what was said or answered last, or take it back.
#include <algorithm>

#include "ask/parse/columns/value_kind.h"
#include "ask/parse/statements/saying_reader.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::Triple;

}  // namespace

// "It is 333", "333", "not 111 but 333", "333, not 111" of what was spoken of last.
std::optional<Said> SayingReader::corrected() {
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
bool SayingReader::is_meant(const StatementReader& reader, const Statement& fact,
                            std::size_t from) const {
  if (lead_.meant || fact.is_link() || text_kind(fact.said) != TextKind::kWords) return true;
  return std::any_of(reader.senses().begin(), reader.senses().end(), [&](const Sense& sense) {
    return sense.kind == Sense::Kind::kValue && sense.begin == reader.after_articles(from) &&
           sense.end == pieces_.size() &&
           lexicon_.schema().attributes[static_cast<std::size_t>(sense.attribute)].key == fact.key;
  });
}

std::optional<Said> SayingReader::contrasted(std::size_t from) {
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
std::optional<std::string> SayingReader::odd_in_contrast(std::size_t denied,
                                                         std::size_t instead) const {
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
Said SayingReader::contrasted_of(std::size_t denied, std::size_t instead, std::size_t value) const {
  std::vector<Piece> whole(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(denied));
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

std::string SayingReader::text_of(std::size_t from, std::size_t to) const {
  return reader_of(pieces_).as_said(from, to);
}

// The pieces from .. to in the place of what one of the last facts says; of the one that says
// `old`, where that is named.
Said SayingReader::replaced(std::size_t from, std::size_t to,
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
Said SayingReader::asking(Statement fact, const std::optional<Triple>& ends) const {
  Said said;
  said.saying = Saying::kOtherKind;
  said.asks = ask_kind(fact);
  said.fact = std::move(fact);
  said.ends = ends;
  return said;
}

std::optional<Statement> SayingReader::value_in_place(const StatementReader& reader,
                                                      const Triple& fact, std::size_t from) const {
  const int attribute = lexicon_.schema().find_attribute(key_of(fact));
  return attribute < 0 ? std::nullopt : reader.value_of(fact.subject, attribute, from);
}

int SayingReader::predicate_of(const Triple& fact) const {
  const std::string name = store::predicate_label(snapshot_, fact.predicate);
  return lexicon_.schema().find_predicate(name);
}

std::string SayingReader::key_of(const Triple& fact) const {
  return store::predicate_label(snapshot_, fact.predicate);
}

Said SayingReader::withdrawing(const Triple& fact) const {
  Said said = closing(Saying::kWithdraws, fact);
  said.denies = lead_.of_it;
  return said;
}

Said SayingReader::withdraw() const {
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
std::string SayingReader::first_sign() const { return std::string(trim(body_)); }

std::string SayingReader::which(const std::vector<Triple>& meant) const {
  std::string list;
  for (std::size_t i = 0; i < std::min(meant.size(), kMostMeant); ++i) {
    list += (i == 0 ? "" : "; ") + what_it_is_about(lexicon_, meant[i]) + " " +
            store::term_label(snapshot_, meant[i].object);
  }
  return fill(pack_, "which_meant", {{"list", list}});
}

std::string SayingReader::ask_kind(const Statement& fact) const {
  if (fact.key == kSaidToBe || fact.key == kAlsoCalled) {
    const std::string name(snapshot_.name(fact.subject));
    return fill(pack_, "keep_as", {{"value", fact.said}, {"fact", name + " " + fact.key}});
  }
  std::string old;
  for (const Triple& one : facts_.about(fact.subject, fact))
    old += (old.empty() ? "" : ", ") + store::term_label(snapshot_, one.object);
  if (!old.empty()) old = fill(pack_, "holds_now", {{"old", old}});
  const Triple about_it{fact.subject, predicate_named(fact), store::Term{}};
  return fill(pack_, "other_kind",
              {{"value", fact.said}, {"fact", what_it_is_about(lexicon_, about_it)}, {"old", old}});
}

store::Predicate SayingReader::predicate_named(const Statement& fact) const {
  if (fact.is_link()) return fact.predicate;
  const auto key = snapshot_.find_string(fact.key);
  return key ? store::Predicate::attribute(*key) : store::Predicate{};
}

}  // namespace anima::ask
