#include <algorithm>
#include <utility>

#include "ask/answer/render.h"
#include "ask/attempt.h"
#include "ask/parse/columns/persons.h"
#include "base/text/text.h"

// What a question that is not understood may be meant as, offered as another question. "How much
// did Ada spend?" over rows with an amount and an Ada does not say that she is who spent it, so
// that it is asked back and never taken.

namespace anima::ask {

// Behind the longest phrase of the class that stands there; else the same place.
std::size_t Attempt::behind(std::size_t at, WordClass word_class) const {
  const Pack& pack = lexicon_.pack();
  std::size_t end = at;
  std::string phrase;
  for (std::size_t to = at; to < pieces_.size() && to - at < pack.longest_phrase(); ++to) {
    phrase += (to > at ? " " : "") + pieces_[to].folded;
    const auto* uses = pack.uses(phrase);
    if (uses != nullptr && std::ranges::any_of(*uses, [&](const PackUse& use) {
          return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
        }))
      end = to + 1;
  }
  return end;
}

std::string Attempt::written(std::size_t from, std::size_t to) const {
  if (from >= to || to > pieces_.size()) return {};
  return question_.substr(pieces_[from].begin, pieces_[to - 1].end - pieces_[from].begin);
}

// The words of the only attribute that is called as an amount.
std::string Attempt::only_amount() const {
  std::string found;
  for (const AttributeInfo& info : lexicon_.schema().attributes) {
    const std::size_t size = info.words.size() - (info.unit.empty() ? 0 : 1);
    if (size == 0 || !info.numeric() || !lexicon_.pack().names_amount(info.words[size - 1]))
      continue;
    if (!found.empty()) return {};
    found = joined(info.words, 0, size);
  }
  return found;
}

// "How much did Ada spend in May?", "How many hours did each plumber work?"
std::string Attempt::sum_asked() const {
  const std::size_t much = behind(0, WordClass::kHowMuch), many = behind(0, WordClass::kHowMany);
  std::size_t at = std::max(much, many);
  std::string attribute = much > 0 ? only_amount() : std::string();
  for (const Sense& sense : senses_) {
    if (many == 0 || sense.kind != Sense::Kind::kAttribute || sense.begin != many ||
        !lexicon_.schema().attributes[static_cast<std::size_t>(sense.attribute)].numeric())
      continue;
    attribute = written(sense.begin, sense.end);
    at = sense.end;
  }
  const std::size_t helper = behind(at, WordClass::kDo);
  if (attribute.empty() || helper == at) return {};
  const std::size_t each = behind(helper, WordClass::kEach);
  for (const Sense& doer : senses_) {
    const bool one = each == helper && doer.begin == helper && doer.cost == 0 &&
                     (doer.kind == Sense::Kind::kThing || doer.kind == Sense::Kind::kValue);
    const bool all = each > helper && doer.begin == each &&
                     (doer.kind == Sense::Kind::kType || doer.kind == Sense::Kind::kAttribute);
    if ((!one && !all) || doer.end >= pieces_.size()) continue;
    return fill(lexicon_.pack(), all ? "offer_totals" : "offer_total",
                {{"attribute", attribute},
                 {"name", written(doer.begin, doer.end)},
                 {"rest", written(behind(doer.end + 1, WordClass::kInTotal), pieces_.size())}});
  }
  return {};
}

// "Who spent the most in March?": of the persons in the only column that has some.
std::string Attempt::most_asked() const {
  const std::string attribute = only_amount();
  const std::size_t who = behind(0, WordClass::kWho);
  if (attribute.empty() || who == 0 || who >= pieces_.size()) return {};
  const std::size_t article = behind(who + 1, WordClass::kArticle);
  for (const bool most : {true, false}) {
    const WordClass word = most ? WordClass::kMost : WordClass::kLeast;
    const std::size_t end = std::max(behind(who + 1, word), behind(article, word));
    if (end == who + 1 || end == article) continue;
    std::string person;
    const Schema& schema = lexicon_.schema();
    for (std::size_t type = 0; type < schema.types.size(); ++type) {
      for (const PersonColumn& one : person_columns(lexicon_, static_cast<TypeId>(type))) {
        if (!person.empty()) return {};
        const auto& words = one.attribute >= 0
                                ? schema.attributes[static_cast<std::size_t>(one.attribute)].words
                                : schema.predicates[static_cast<std::size_t>(one.predicate)].words;
        person = joined(words, 0, words.size());
      }
    }
    if (person.empty()) return {};
    return fill(
        lexicon_.pack(), most ? "offer_most" : "offer_least",
        {{"attribute", attribute}, {"name", person}, {"rest", written(end, pieces_.size())}});
  }
  return {};
}

// Whether that would be a question.
bool Attempt::is_read(const std::string& question) {
  const std::vector<Piece> asked = std::exchange(pieces_, cut_question(question, lexicon_.pack()));
  const bool any = !read(pieces_, context_of_talk()).empty() || !timed().empty();
  pieces_ = asked;
  return any;
}

Answer Attempt::offer_sum(Answer refused) {
  const bool asked_back = talk_ != nullptr && !talk_->meant.empty();
  if (refused.reason == "not_a_question" || refused.reason == "unread" || asked_back)
    return refused;
  for (const std::string& offer : {sum_asked(), most_asked()}) {
    const std::string meant(trim(offer));
    if (meant.empty() || !is_read(meant)) continue;
    refused.text += " " + fill(lexicon_.pack(), "did_you_mean", {{"names", "\"" + meant + "\""}});
    refused.next.insert(refused.next.begin(), meant);
    if (talk_ != nullptr) talk_->meant = meant;
    break;
  }
  return refused;
}

// "Which huts are green?" where nothing is, but a hut is called Green Hut.
std::string Attempt::part_of_name() const {
  for (const Sense& sense : senses_) {
    const std::size_t at = sense.begin;
    if (sense.kind != Sense::Kind::kThing || sense.cost == 0 || sense.end != at + 1 || at == 0 ||
        pieces_[at].text != pieces_[at].folded)
      continue;
    if (!is_word(at - 1, WordClass::kBe) && !is_word(at - 1, WordClass::kNot) &&
        at + 1 < pieces_.size())
      continue;
    const bool other = std::ranges::any_of(senses_, [&](const Sense& one) {
      return one.begin <= at && one.end > at && one.kind != Sense::Kind::kThing;
    });
    if (other) continue;
    return fill(
        lexicon_.pack(), "part_of_name",
        {{"word", pieces_[at].text}, {"name", std::string(lexicon_.snapshot().name(sense.thing))}});
  }
  return {};
}

}  // namespace anima::ask
