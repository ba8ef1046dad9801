// What stands at a place of a question.
#include <algorithm>

#include "ask/parse/mods.h"
#include "base/decimal.h"
#include "base/text/text.h"

namespace anima::ask {

Parser::Parser(const Lexicon& lexicon, std::vector<Piece> pieces, std::vector<Sense> senses,
               const Context& context)
    : lexicon_(lexicon),
      schema_(lexicon.schema()),
      pack_(lexicon.pack()),
      joins_(lexicon),
      pieces_(std::move(pieces)),
      senses_(std::move(senses)),
      context_(context) {
  by_start_.resize(pieces_.size() + 1);
  for (const Sense& sense : senses_) by_start_[sense.begin].push_back(&sense);
  uses_.resize(pieces_.size() + 1);
  for (std::size_t from = 0; from < pieces_.size(); ++from) {
    std::string phrase;
    for (std::size_t to = from; to < pieces_.size() && to - from < pack_.longest_phrase(); ++to) {
      if (pieces_[to].kind != Piece::Kind::kWord && pieces_[to].kind != Piece::Kind::kSign) break;
      phrase += (to > from ? " " : "") + pieces_[to].folded;
      if (const auto* list = pack_.uses(phrase)) {
        for (const PackUse& use : *list) uses_[from].emplace_back(to + 1, &use);
      }
    }
  }
  asked_ = asked_for();
}

// By the words that the question begins with.
Asked Parser::asked_for() const {
  std::size_t at = 0;
  for (std::size_t next = at; (next = skip(at, WordClass::kFiller)) != at;) at = next;
  for (const auto& [word, asked] :
       {std::pair(WordClass::kHowMuch, Asked::kMuch), std::pair(WordClass::kHowMany, Asked::kMany),
        std::pair(WordClass::kWhen, Asked::kTime), std::pair(WordClass::kWhere, Asked::kPlace)}) {
    if (at_class(at, word)) return asked;
  }
  for (const std::size_t end : after(at, WordClass::kWho)) {
    if (at_class(end, WordClass::kDo)) return Asked::kThing;  // "what did Ada order"
  }
  // "Who", which is no "which" or "what".
  if (at_class(at, WordClass::kWho) && !at_class(at, WordClass::kWhich)) return Asked::kPerson;
  return Asked::kAny;
}

Parser::Ends Parser::after(std::size_t at, WordClass word_class) const {
  Ends ends;
  if (at >= uses_.size()) return ends;
  for (const auto& [end, use] : uses_[at]) {
    if (use->kind == PackUse::Kind::kClass && use->word_class == word_class) ends.push_back(end);
  }
  std::sort(ends.begin(), ends.end(), std::greater<>());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::vector<std::pair<std::size_t, const PackUse*>> Parser::uses(std::size_t at,
                                                                 PackUse::Kind kind) const {
  std::vector<std::pair<std::size_t, const PackUse*>> found;
  if (at >= uses_.size()) return found;
  for (const auto& one : uses_[at]) {
    if (one.second->kind == kind) found.push_back(one);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  return found;
}

std::vector<const Sense*> Parser::senses(std::size_t at, Sense::Kind kind) const {
  std::vector<const Sense*> found;
  if (at >= by_start_.size()) return found;
  for (const Sense* sense : by_start_[at]) {
    if (sense->kind == kind) found.push_back(sense);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Sense* a, const Sense* b) { return a->end > b->end; });
  return found;
}

std::size_t Parser::skip(std::size_t at, WordClass word_class) const {
  const Ends ends = after(at, word_class);
  return ends.empty() ? at : ends.front();
}

std::string Parser::preposition_at(std::size_t at) const {
  if (at >= pieces_.size() || pieces_[at].kind != Piece::Kind::kWord) return {};
  return pack_.is_preposition(pieces_[at].folded) ? pieces_[at].folded : std::string();
}

std::vector<std::pair<std::size_t, double>> Parser::numbers(std::size_t at) const {
  std::vector<std::pair<std::size_t, double>> found;
  if (at >= pieces_.size()) return found;
  if (pieces_[at].kind == Piece::Kind::kNumber) found.emplace_back(at + 1, pieces_[at].number);
  for (const auto& [end, use] : uses(at, PackUse::Kind::kNumber))
    found.emplace_back(end, use->number);
  return found;
}

bool Parser::compares_size(std::size_t at) const {
  const auto compares = uses(at, PackUse::Kind::kCompare);
  return std::any_of(compares.begin(), compares.end(), [](const auto& one) {
    return one.second->compare == Compare::kLess || one.second->compare == Compare::kMore;
  });
}

// What a number that is written here may be.
std::vector<Constant> Parser::meanings_of(std::size_t at, std::size_t end, double number) const {
  Constant value;
  value.number = number;
  const Piece& piece = pieces_[at];
  if (end != at + 1 || piece.kind != Piece::Kind::kNumber) return {value};
  value.written = piece.folded;
  // A serial number has more digits than a double; of "60k" they are not the number.
  const auto exact = Decimal::parse(piece.folded);
  if (exact && exact->number() == number) value.digits = exact->text();
  if (!piece.thousands) return {value};
  Constant thousands;
  thousands.number = number * 1000;
  value.unsure = thousands.unsure = true;
  return {value, thousands};
}

// "08:30", "8:30 pm", "8 am", "noon"
std::optional<std::pair<std::size_t, Constant>> Parser::clock_at(std::size_t at) const {
  constexpr int kHour = 3600, kHalf = 12;
  if (at >= pieces_.size()) return std::nullopt;
  Constant clock;
  clock.clock = true;
  if (const int* named = pack_.clock(pieces_[at].folded)) {
    clock.number = *named;
    clock.written = pieces_[at].text;
    return std::pair(at + 1, clock);
  }
  if (pieces_[at].kind != Piece::Kind::kNumber) return std::nullopt;
  const bool minutes = pieces_[at].colon_behind && at + 1 < pieces_.size() &&
                       pieces_[at + 1].begin == pieces_[at].end + 1;
  std::size_t end = at + (minutes ? 2 : 1);
  clock.written = pieces_[at].text + ":" + (minutes ? pieces_[at + 1].text : "00");
  auto second = second_of_day(clock.written);
  const int* half = end < pieces_.size() ? pack_.half_of_day(pieces_[end].folded) : nullptr;
  if (!second || (!minutes && half == nullptr)) return std::nullopt;
  if (half != nullptr) {
    if (*second < kHour || *second >= (kHalf + 1) * kHour) return std::nullopt;  // "14 pm"
    second = *second % (kHalf * kHour) + *half;
    clock.written += " " + pieces_[end++].text;
  }
  clock.number = static_cast<double>(*second);
  return std::pair(end, clock);
}

// Numbers that an attribute is compared with, with the unit that is said before or behind them.
std::vector<std::pair<std::size_t, Constant>> Parser::constants(std::size_t at) const {
  std::vector<std::pair<std::size_t, Constant>> found;
  const auto counted = [&](std::size_t end, Constant value, std::size_t said) {
    value.unit = pieces_[said].folded;
    const std::size_t sizes = pack_.unit(value.unit)->sizes.size();
    value.unsure = value.unsure || sizes > 1;
    for (value.size = 0; value.size < sizes; ++value.size) found.emplace_back(end, value);
  };
  const auto unit_at = [&](std::size_t place) {
    return place < pieces_.size() && pack_.unit(pieces_[place].folded) != nullptr;
  };
  if (const auto clock = clock_at(at)) return {*clock};
  const bool before = unit_at(at) && pieces_[at].kind == Piece::Kind::kSign;
  const std::size_t start = before ? at + 1 : at;
  for (const auto& [end, number] : numbers(start)) {
    for (const Constant& value : meanings_of(start, end, number)) {
      if (before) {
        counted(end, value, at);
        continue;
      }
      found.emplace_back(end, value);
      if (unit_at(end)) counted(end + 1, value, end);
    }
  }
  return found;
}

// "(between) 4 and 90 minutes": a unit that is said once is that of both.
std::vector<Parser::Bounds> Parser::bounds(std::size_t at) const {
  std::vector<Bounds> found;
  for (const auto& [middle, low] : constants(at)) {
    for (const std::size_t to : after(middle, WordClass::kTo)) {
      for (const auto& [end, high] : constants(to)) {
        Bounds both{end, low, high};
        if (low.unit.empty() && !high.unit.empty()) {
          both.low.unit = high.unit;
          both.low.size = high.size;
        }
        if (both.low.size == high.size) found.push_back(std::move(both));
      }
    }
  }
  return found;
}

Mod Parser::turned(const Mod& mod) const {
  Mod result = mod;
  result.open = mod.open || mod.deed;
  result.attribute = kDeniedAttribute;
  result.apply = [this, contrast = mod.contrast, apply = mod.apply](const SetRef& set) {
    Joined joined;
    if (contrast) return joined;
    for (auto& [modified, cost] : apply(set)) {
      if (SetRef none = joins_.negated(set, modified)) joined.emplace_back(std::move(none), cost);
    }
    return joined;
  };
  return result;
}

// A verb's frames: the preposition before what it leads to, and its direction.
std::vector<std::pair<std::string, bool>> Parser::frames(const Sense& sense) const {
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense.predicate)];
  std::vector<std::pair<std::string, bool>> list;
  if (sense.declared) {  // a verb of the user
    list.emplace_back("", sense.inverse);
    list.emplace_back("*", !sense.inverse);  // by
    if (!info.preposition.empty() && !pack_.is_by(info.preposition))
      list.emplace_back(info.preposition, sense.inverse);
    return list;
  }
  if (info.preposition.empty()) {
    list.emplace_back("", false);
    list.emplace_back("*", true);
  } else {
    list.emplace_back(info.preposition, false);
    // Who runs something has it on him; whom it is sent to sent nothing.
    if (pack_.is_by(info.preposition) || pack_.contains_things(info.preposition))
      list.emplace_back("", true);
  }
  return list;
}

// "directly or indirectly" behind a relation makes it any number of steps.

Parser::Mods Parser::closures(Mods mods) const {
  const std::size_t count = mods.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t end : after(mods[i].end, WordClass::kIndirectly)) {
      Mod closed = mods[i];
      closed.end = end;
      closed.apply = [this, apply = mods[i].apply](const SetRef& set) {
        const Joins::AnySteps any(joins_);
        Joined joined;
        for (auto& [modified, cost] : apply(set)) {
          if (modified->restrictions.size() != set->restrictions.size() + 1) continue;
          const Restriction& last = modified->restrictions.back();
          if (last.kind == Restriction::Kind::kRelation && last.edge.closure)
            joined.emplace_back(modified, cost);
        }
        return joined;
      };
      mods.push_back(std::move(closed));
    }
    for (const std::size_t end : after(mods[i].end, WordClass::kDirectly)) {
      Mod same = mods[i];
      same.end = end;
      mods.push_back(std::move(same));
    }
  }
  return mods;
}

Mod both_or_either(const Mod& first, const Mod& second, bool all) {
  Mod both;
  both.end = second.end;
  both.cost = first.cost + second.cost;
  if (first.attribute == second.attribute) both.attribute = first.attribute;
  both.bare = first.bare && second.bare;
  both.doer = first.doer;
  both.apply = [all, a = first.apply, b = second.apply](const SetRef& set) {
    Joined joined;
    for (auto& [left, cost] : a(set)) {
      if (all) {
        for (auto& [right, more_cost] : b(left)) joined.emplace_back(right, cost + more_cost);
        continue;
      }
      for (auto& [right, more_cost] : b(set)) {
        if ((left->best && !set->best) || (right->best && !set->best)) continue;
        const auto start = static_cast<std::ptrdiff_t>(set->restrictions.size());
        // What says more of a restriction that is there already is no alternative of its own.
        if (std::ssize(left->restrictions) == start || std::ssize(right->restrictions) == start)
          continue;
        Restriction any;
        any.kind = Restriction::Kind::kAny;
        any.alternatives.emplace_back(left->restrictions.begin() + start, left->restrictions.end());
        any.alternatives.emplace_back(right->restrictions.begin() + start,
                                      right->restrictions.end());
        auto result = std::make_shared<SetExpr>(*set);
        result->types = left->types.either(right->types);
        result->restrictions.push_back(std::move(any));
        joined.emplace_back(std::move(result), cost + more_cost);
      }
    }
    return joined;
  };
  return both;
}

// "A and B", "A or B" of what is said.
void Parser::coordinate(Mods& list, const std::function<Mods(std::size_t)>& more) {
  for (std::size_t i = 0; i < list.size() && list.size() < kMaxAlternatives * 2; ++i) {
    const Mod first = list[i];
    for (const bool all : {true, false}) {
      for (const std::size_t next : after(first.end, all ? WordClass::kAnd : WordClass::kOr)) {
        const Mods second = more(next);
        for (const Mod& one : second) {
          if (list.size() >= kMaxAlternatives * 2) return;
          if (share_a_name(first.said, one.said)) continue;
          if (is_of_other_column(first, one)) continue;
          list.push_back(both_or_either(first, one, all));
          list.back().contrast = first.contrast || one.contrast ||
                                 at_class(next, WordClass::kNot) ||
                                 (all && at_class(first.end, WordClass::kContrast));
        }
      }
    }
  }
}

}  // namespace anima::ask
