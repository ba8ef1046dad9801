#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ask/parse/columns/value_kind.h"
#include "ask/parse/parser.h"
#include "ask/parse/statements/sentence_lead.h"
#include "ask/parse/statements/statement_reader.h"
#include "ask/parse/times.h"
#include "base/text/text.h"
#include "base/text/white_space.h"

namespace anima::ask {
namespace {

using language::Mark;
using store::EntityId;

constexpr double kMostCost = 0.4;  // of a reading that is stated
constexpr double kAlike = 0.05;    // readings of about one cost must say the same
constexpr std::size_t kMostText = 80;
constexpr std::int64_t kMicrosecondsOfDay = 86'400'000'000;

std::optional<EntityId> only(const std::vector<EntityId>& names) {
  return names.size() == 1 ? std::optional(names[0]) : std::nullopt;
}

Piece word_piece(std::string folded) {
  Piece piece;
  piece.text = folded;
  piece.folded = std::move(folded);
  return piece;
}

}  // namespace

StatementReader::StatementReader(const Lexicon& lexicon, const SentenceMarks& marks,
                                 std::string_view sentence, std::vector<Piece> pieces, AskTime now)
    : lexicon_(lexicon),
      pack_(lexicon.pack()),
      marks_(marks),
      sentence_(sentence),
      now_(now),
      pieces_(std::move(pieces)),
      senses_(lexicon.matches(pieces_)),
      left_over_(lexicon, marks, sentence_, pieces_, senses_) {}

std::optional<Statement> StatementReader::stated() const {
  if (pieces_.size() < 2) return std::nullopt;
  auto value = value_stated();
  if (value && !value->other_kind) return value;
  if (auto found = link_stated()) return found;
  return value ? value : said_to_be();
}

bool StatementReader::is(std::size_t at, WordClass word_class) const {
  return at < pieces_.size() && is_class(pack_, pieces_[at], word_class);
}

bool StatementReader::inside_a_name(std::size_t at) const {
  if (at >= pieces_.size()) return false;
  const Piece& piece = pieces_[at];
  const bool capital = piece.text != piece.folded;
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    if (sense.kind != Sense::Kind::kThing || sense.cost > 0 || at < sense.begin || at >= sense.end)
      return false;
    // "may" is May only where it is written so.
    return sense.end - sense.begin > 1 || capital || pack_.uses(piece.folded) == nullptr ||
           lexicon_.snapshot().name(sense.thing) == piece.text;
  });
}

bool StatementReader::names_a_thing() const {
  return std::any_of(senses_.begin(), senses_.end(), [](const Sense& sense) {
    return sense.kind == Sense::Kind::kThing && sense.cost == 0;
  });
}

std::size_t StatementReader::after_articles(std::size_t at) const {
  const auto is_article = [&](const Piece& piece) {
    const bool alone =
        piece.end >= sentence_.size() || is_white_space(decode_utf8(sentence_, piece.end).value);
    return alone && marks_.covers(Mark::kArticle, piece);  // not of "a/b", "A-12"
  };
  while (is(at, WordClass::kArticle) && is_article(pieces_[at])) ++at;
  return at;
}

std::vector<EntityId> StatementReader::things(std::size_t from, std::size_t to) const {
  std::vector<EntityId> found;
  from = after_articles(from);
  for (const Sense& sense : senses_) {
    const bool named = sense.kind == Sense::Kind::kThing && sense.cost == 0 &&
                       sense.begin == from && sense.end == to;
    if (named) found.push_back(sense.thing);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string StatementReader::as_said(std::size_t from, std::size_t to) const {
  if (from >= to || to > pieces_.size()) return {};
  return std::string(
      sentence_.substr(pieces_[from].begin, pieces_[to - 1].end - pieces_[from].begin));
}

// All that is written where the value stands, with the signs before and behind its words.
std::string StatementReader::value_text(std::size_t from) const {
  if (from >= pieces_.size()) return {};
  const std::size_t begin = from == 0 ? 0 : std::min(pieces_[from - 1].end, pieces_[from].begin);
  return std::string(trim(sentence_.substr(begin)));
}

// Nothing but white space and one of these signs stands between two of the pieces from .. on, and
// nothing around them but a plus.
bool StatementReader::is_written_so(std::size_t from, std::string_view between) const {
  const std::string text = value_text(from);
  const std::string pieces = as_said(from, pieces_.size());
  if (text != pieces && text != "+" + pieces) return false;
  for (std::size_t at = from + 1; at < pieces_.size(); ++at) {
    const std::size_t begin = pieces_[at - 1].end;
    if (pieces_[at].begin <= begin) continue;
    const std::string_view gap = trim(sentence_.substr(begin, pieces_[at].begin - begin));
    if (gap.size() > 1 || gap.find_first_not_of(between) != std::string_view::npos) return false;
  }
  return true;
}

// --- "the ATTRIBUTE of THING is VALUE", "THING's ATTRIBUTE is VALUE"

bool StatementReader::is_copula(std::size_t at) const {
  return is(at, WordClass::kBe) && marks_.covers(Mark::kPresent, pieces_[at]);
}

std::optional<Statement> StatementReader::value_stated() const {
  for (std::size_t copula = 2; copula + 1 < pieces_.size(); ++copula) {
    if (!is_copula(copula)) continue;
    if (auto found = value_stated(copula, copula + 1)) return found;
  }
  return std::nullopt;
}

std::optional<Statement> StatementReader::value_stated(std::size_t to, std::size_t from) const {
  // As it is written ("role") goes before what has its stem ("rolle").
  std::optional<Statement> found;
  double best = kMostCost;
  bool several = false;
  for (const Sense& sense : senses_) {
    if (sense.kind != Sense::Kind::kAttribute || sense.cost > best) continue;
    for (const EntityId thing : whose(sense, to)) {
      auto one = value_of(thing, sense.attribute, from);
      if (!one) continue;
      const bool same = found && found->subject == one->subject && found->key == one->key;
      several = sense.cost < best ? false : several || (found && !same);
      best = sense.cost;
      found = std::move(one);
    }
  }
  return several ? std::nullopt : found;
}

// The things whose attribute it is, where the words before `to` say nothing else.
std::vector<EntityId> StatementReader::whose(const Sense& attribute, std::size_t to) const {
  const bool of = after_articles(0) == attribute.begin && attribute.end + 1 < to &&
                  is(attribute.end, WordClass::kOf);
  if (of) return things(attribute.end + 1, to);
  const bool owned = attribute.end == to && attribute.begin > 1 &&
                     pieces_[attribute.begin - 1].kind == Piece::Kind::kPossessive;
  if (owned) return things(0, attribute.begin - 1);
  return {};
}

std::optional<Statement> StatementReader::value_of(EntityId thing, int attribute,
                                                   std::size_t from) const {
  const Schema& schema = lexicon_.schema();
  const AttributeInfo& info = schema.attributes[static_cast<std::size_t>(attribute)];
  ValueCounts counts;
  for (const TypeId type : schema.types_of_entity(thing)) {
    const auto known = info.types.find(type);
    if (known == info.types.end()) continue;
    counts.numbers += known->second.numbers;
    counts.days += known->second.days;
    counts.texts += known->second.texts;
  }
  if (counts.all() == 0) return std::nullopt;
  from = after_articles(from);
  if (from >= pieces_.size()) return std::nullopt;
  const Piece& first = pieces_[from];
  const bool alone = from + 1 == pieces_.size();
  const bool quoted = first.kind == Piece::Kind::kQuoted && alone && is_written_so(from, "");
  if (!quoted && is_clause(from)) return std::nullopt;
  const bool with_unit =
      from + 2 == pieces_.size() && !info.unit.empty() && pieces_[from + 1].folded == info.unit;
  Statement stated;
  stated.subject = thing;
  stated.key = info.key;
  stated.said = quoted ? first.folded : value_text(from);
  if (from > 0) stated.left_over = left_over_.sign_before(from - 1);
  if (stated.left_over.empty() && !quoted) stated.left_over = negation_in(from);
  const bool number = first.kind == Piece::Kind::kNumber && (alone || with_unit) &&
                      counts.numbers > 0 && is_written_so(from, "") && keeps_its_digits(first);
  const auto day = counts.days > 0 && is_written_so(from, ",.") ? day_said(from) : std::nullopt;
  if (number) {
    const bool whole = first.number == std::floor(first.number) && std::abs(first.number) < 1e15;
    stated.value = whole ? store::Value::of(static_cast<std::int64_t>(first.number))
                         : store::Value::of(first.number);
  } else if (day) {
    stated.said = *day;
    stated.value = store::Value::string(*day);
  } else {
    stated.value = store::Value::string(stated.said);
    stated.other_kind = !quoted && (counts.texts == 0 || counts.numbers > 0 ||
                                    !is_sure(thing, attribute, from, stated.said));
  }
  stated.text = fmt::format("{} {} {}", lexicon_.snapshot().name(thing), info.key, stated.said);
  if (info.link && (stated.other_kind || !to_named_value(first, stated))) return std::nullopt;
  return stated;
}

// Whether the number is kept as it is written: "007", "2.900" and 9007199254740993 are not.
bool StatementReader::keeps_its_digits(const Piece& number) {
  const bool grouped = number.text.find(',') != std::string::npos;
  const bool whole = number.number == std::floor(number.number) && std::abs(number.number) < 1e15;
  return (grouped ? number.folded : number.text) ==
         (whole ? std::to_string(static_cast<std::int64_t>(number.number))
                : fmt::format("{}", number.number));
}

// What is written is a value of the attribute for certain.
bool StatementReader::is_sure(EntityId thing, int attribute, std::size_t from,
                              const std::string& text) const {
  const AttributeInfo& info = lexicon_.schema().attributes[static_cast<std::size_t>(attribute)];
  if (!fits_value(lexicon_.snapshot(), thing, info.key, text)) return false;
  if (text_kind(text) != TextKind::kWords || is_known_value(attribute, from, text)) return true;
  return is_name(from) && !speaks_of_others(from);
}

bool StatementReader::is_known_value(int attribute, std::size_t from,
                                     const std::string& text) const {
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    return sense.kind == Sense::Kind::kValue && sense.attribute == attribute &&
           sense.begin == from && sense.end == pieces_.size() &&
           (sense.value == text || is_written_so(from, "-"));
  });
}

bool StatementReader::is_name(std::size_t from) const {
  const bool quoted = from + 1 == pieces_.size() && pieces_[from].kind == Piece::Kind::kQuoted;
  if (quoted) return is_written_so(from, "");
  for (std::size_t at = from; at < pieces_.size(); ++at) {
    const Piece& piece = pieces_[at];
    const bool doubts = std::ranges::any_of(
        std::array{Mark::kHearsay, Mark::kCondition, Mark::kWish, Mark::kRetraction},
        [&](Mark mark) { return marks_.covers(mark, piece); });
    // "Oslo#": a name may end so, as "C#" does, and it may be a slip.
    const bool signs = piece.text.find_first_of("+#") != std::string::npos;
    const bool named = piece.kind == Piece::Kind::kWord && piece.text != piece.folded && !doubts &&
                       !signs && pack_.uses(piece.folded) == nullptr;
    if (!named && piece.kind != Piece::Kind::kNumber) return false;
  }
  return pieces_[from].kind == Piece::Kind::kWord && is_written_so(from, "-.");
}

// "not 333", "no longer there".
std::string StatementReader::negation_in(std::size_t from) const {
  for (std::size_t at = from; at < pieces_.size(); ++at) {
    if (is(at, WordClass::kNot) || is(at, WordClass::kNo) ||
        marks_.covers(Mark::kNegation, pieces_[at]))
      return pieces_[at].text;
  }
  return {};
}

// The one day that the pieces from .. say, whenever it is asked: "March 13 1984".
std::optional<std::string> StatementReader::day_said(std::size_t from) const {
  const bool alone = from + 1 == pieces_.size();
  if (alone && pieces_[from].kind == Piece::Kind::kDate) return pieces_[from].folded;
  for (const TimeRange& time : read_days(pieces_, from, pack_, now_)) {
    const bool one_day = time.end == pieces_.size() && time.until == day_after(time.from, 1);
    if (one_day && !time.any_year && !moves(from)) return time.from;
  }
  return std::nullopt;
}

// "director and Karl is analyst", "director since May": a value that says more.
bool StatementReader::is_clause(std::size_t from) const {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    for (const WordClass more : {WordClass::kBe, WordClass::kHave, WordClass::kDo,
                                 WordClass::kModal, WordClass::kSinceTime, WordClass::kUntilTime}) {
      if (is(i, more)) return true;
    }
  }
  return false;
}

// "Karl", "Karl's role", "the same as Karl": words that stand for something else.
bool StatementReader::speaks_of_others(std::size_t from) const {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    if (pieces_[i].kind == Piece::Kind::kPossessive || is(i, WordClass::kSame)) return true;
  }
  return !things(from, pieces_.size()).empty();
}

// Where values only have names, it is a link to what is called like the value.
bool StatementReader::to_named_value(const Piece& value, Statement& stated) const {
  const auto predicate = lexicon_.snapshot().find_predicate(stated.key);
  if (!predicate || value.kind == Piece::Kind::kWord) return false;
  stated.predicate = store::Predicate::link(*predicate);
  stated.object_name = value.folded;
  stated.key.clear();
  return true;
}

std::optional<Statement> StatementReader::object_of(EntityId thing, int predicate,
                                                    std::size_t from) const {
  if (predicate < 0) return std::nullopt;
  const PredicateInfo& info = lexicon_.schema().predicates[static_cast<std::size_t>(predicate)];
  // "Not at Initech": the preposition is the predicate's.
  if (is(from, WordClass::kPreposition) && from + 1 < pieces_.size()) ++from;
  const auto object = only(things(from, pieces_.size()));
  if (!object || !info.link || info.derived) return std::nullopt;
  const TypeSet objects = info.objects();
  const auto& types = lexicon_.schema().types_of_entity(*object);
  if (std::none_of(types.begin(), types.end(), [&](TypeId one) { return objects.contains(one); }))
    return std::nullopt;
  Statement stated;
  stated.subject = thing;
  stated.predicate = *info.link;
  stated.object = *object;
  stated.said = lexicon_.snapshot().name(*object);
  stated.text = fmt::format("{} {} {}", lexicon_.snapshot().name(thing), info.name, stated.said);
  stated.left_over = left_over_.sign_before(pieces_.size());
  return stated;
}

// --- a link: the yes/no question that the sentence answers

std::vector<std::vector<Piece>> StatementReader::questions() const {
  std::vector<std::vector<Piece>> questions;
  const std::string does = pack_.word_of(WordClass::kDo);
  if (!does.empty()) {
    questions.push_back({word_piece(does)});
    questions.back().insert(questions.back().end(), pieces_.begin(), pieces_.end());
  }
  for (std::size_t copula = 1; copula + 1 < pieces_.size(); ++copula) {
    if (!is(copula, WordClass::kBe)) continue;
    const auto at = pieces_.begin() + static_cast<std::ptrdiff_t>(copula);
    std::vector<Piece> straight{*at}, turned{*at};
    straight.insert(straight.end(), pieces_.begin(), at);
    straight.insert(straight.end(), at + 1, pieces_.end());
    turned.insert(turned.end(), at + 1, pieces_.end());
    turned.insert(turned.end(), pieces_.begin(), at);
    questions.push_back(std::move(straight));
    questions.push_back(std::move(turned));
  }
  return questions;
}

std::optional<Statement> StatementReader::link_stated() const {
  std::optional<Statement> found;
  double best = kMostCost;
  for (const std::vector<Piece>& question : questions()) {
    Context context;
    context.now = now_;
    Parser parser(lexicon_, question, lexicon_.matches(question), context);
    for (const Reading& reading : parser.readings()) {
      if (reading.cost > best + kAlike) continue;
      auto one = link_of(reading);
      // A better reading, or one as good, that is no link: who knows which is meant.
      const bool same = one && found && one->subject == found->subject &&
                        one->predicate == found->predicate && one->object == found->object;
      if (found && !same && reading.cost > best - kAlike) return std::nullopt;
      if (!one || same) continue;
      found = std::move(one);
      best = std::min(best, reading.cost);
    }
  }
  return found;
}

std::optional<Statement> StatementReader::link_of(const Reading& reading) const {
  if (reading.form != Reading::Form::kExists || reading.set == nullptr || reading.set->best ||
      reading.other != nullptr)
    return std::nullopt;
  auto thing = only(reading.set->names);
  const Restriction* relation = nullptr;
  for (const Restriction& one : reading.set->restrictions) {
    if (one.kind == Restriction::Kind::kNamed && one.rule < 0 && !thing) {
      thing = only(one.names);
    } else if (one.kind == Restriction::Kind::kRelation && relation == nullptr) {
      relation = &one;
    } else {
      return std::nullopt;
    }
  }
  if (!thing || relation == nullptr || relation->target == nullptr || relation->edge.closure)
    return std::nullopt;
  const SetExpr& target = *relation->target;
  const auto other = only(target.names);
  const auto& predicates = lexicon_.schema().predicates;
  const PredicateInfo& info = predicates[static_cast<std::size_t>(relation->edge.predicate)];
  if (!other || !target.restrictions.empty() || target.best || info.derived || !info.link)
    return std::nullopt;
  Statement stated;
  stated.subject = relation->edge.inverse ? *other : *thing;
  stated.object = relation->edge.inverse ? *thing : *other;
  stated.predicate = *info.link;
  const store::Snapshot& snapshot = lexicon_.snapshot();
  stated.said = snapshot.name(stated.object);
  stated.text = fmt::format("{} {} {}", snapshot.name(stated.subject), info.name, stated.said);
  stated.left_over = left_over_.of_link(stated.subject, stated.object, relation->edge.predicate);
  return stated;
}

// --- "THING is ..", in words that nothing here explains

std::optional<Statement> StatementReader::said_to_be() const {
  for (std::size_t copula = 1; copula + 1 < pieces_.size(); ++copula) {
    if (!is_copula(copula)) continue;
    const auto thing = only(things(0, copula));
    const Piece& first = pieces_[copula + 1];
    const bool quoted = first.kind == Piece::Kind::kQuoted && copula + 2 == pieces_.size() &&
                        is_written_so(copula + 1, "");
    const std::string text = quoted ? first.folded : value_text(copula + 1);
    if (!thing || text.size() > kMostText) return std::nullopt;
    const bool open = is_clause(copula + 1) || !has_unknown_word(copula + 1) ||
                      names_schema(copula + 1) || moves(copula + 1);
    if (open && !quoted) return std::nullopt;
    Statement stated;
    stated.subject = *thing;
    stated.key = kSaidToBe;
    stated.value = store::Value::string(text);
    stated.said = text;
    stated.text = fmt::format("{} {} {}", lexicon_.snapshot().name(*thing), kSaidToBe, text);
    stated.left_over = left_over_.sign_before(copula);
    if (stated.left_over.empty() && !quoted) stated.left_over = negation_in(copula + 1);
    stated.other_kind = !quoted;
    return stated;
  }
  return std::nullopt;
}

// Of a sentence whose words all mean something here, and which is none of the above, nobody knows
// what it states.
bool StatementReader::has_unknown_word(std::size_t from) const {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    const bool known =
        pieces_[i].kind != Piece::Kind::kWord || pack_.uses(pieces_[i].folded) != nullptr ||
        std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
          const bool said_before =
              sense.kind == Sense::Kind::kValue &&
              lexicon_.schema().attributes[static_cast<std::size_t>(sense.attribute)].key ==
                  kSaidToBe;
          return sense.begin <= i && i < sense.end && !said_before;
        });
    if (!known) return true;
  }
  return false;
}

// "going to live in Rome"
bool StatementReader::names_schema(std::size_t from) const {
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    const bool thing = sense.kind == Sense::Kind::kThing && sense.cost == 0;
    return sense.begin >= from && (thing || sense.kind == Sense::Kind::kVerb) &&
           (!thing || inside_a_name(sense.begin));
  });
}

// "next week": another time when it is asked for tomorrow or in some weeks.
bool StatementReader::moves(std::size_t from) const {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    const auto today = read_days(pieces_, i, pack_, now_);
    for (const int days : {-40, -9, -1, 1, 9, 40}) {
      const AskTime other{{now_.time.microseconds + days * kMicrosecondsOfDay},
                          now_.offset_seconds};
      // A month without a year is this year's, as people mean it.
      if (ask::day_of(other).substr(0, 4) != ask::day_of(now_).substr(0, 4)) continue;
      const auto then = read_days(pieces_, i, pack_, other);
      for (std::size_t k = 0; k < std::min(today.size(), then.size()); ++k) {
        if (today[k].from != then[k].from) return true;
      }
    }
  }
  return false;
}

}  // namespace anima::ask
