// What rows have of a number together, by what was done: "how much was spent on food", "how many
// pieces were fired in January".
#include <algorithm>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {

// The only column of these types that is called as an amount: `amount_eur`. A price may be that of
// one piece.
int Parser::amount_of(const TypeSet& types) const {
  int found = -1;
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    const AttributeInfo& info = schema_.attributes[i];
    const std::size_t size = info.words.size() - (info.unit.empty() ? 0 : 1);
    const bool amount = size > 0 && pack_.names_amount(info.words[size - 1]) &&
                        !types.both(info.type_set()).empty() &&
                        joins_.numeric(attribute, types.both(info.type_set()));
    if (amount && found >= 0) return -1;
    if (amount) found = attribute;
  }
  return found;
}

void Parser::sums_done(std::size_t at) {
  for (const std::size_t much : after(at, WordClass::kHowMuch)) {
    for (const std::size_t be : after(much, WordClass::kBe)) {
      sum_of_deed(be, -1, 0);
      sum_of_rows(complements(be), -1, 0, nullptr);
    }
    sum_done_by(much, -1, 0, nullptr);
  }
  for (const std::size_t many : after(at, WordClass::kHowMany)) {
    for (const Sense* sense : senses(many, Sense::Kind::kAttribute)) {
      const auto sums = [&](std::size_t end, double cost, const Noun* of) {
        for (const std::size_t be : after(end, WordClass::kBe))
          sum_of_rows(complements(be), sense->attribute, cost, of);
        sum_done_by(end, sense->attribute, cost, of);
      };
      for (const std::size_t be : after(sense->end, WordClass::kBe))
        sum_of_deed(be, sense->attribute, sense->cost);
      sums(sense->end, sense->cost, nullptr);
      // "(how many) pieces of Rye"
      for (const std::size_t of : after(sense->end, WordClass::kOf)) {
        for (const Noun& noun : nouns(of)) sums(noun.end, sense->cost + noun.cost, &noun);
      }
    }
  }
}

// "(how much) did Karl pay", "(how many pieces) did Uma bake": over the rows that they did.
void Parser::sum_done_by(std::size_t at, int named, double cost, const Noun* of) {
  for (const std::size_t helper : after(at, WordClass::kDo)) {
    for (const Noun& subject : nouns(helper)) {
      if (subject.phrase.quantity != Quantity::kSome || subject.phrase.set->names.size() != 1)
        continue;
      Mods said;
      for (const Mod& gap : gaps(subject.end, subject.phrase, "")) {
        if (gap.end > subject.end && !senses(gap.end - 1, Sense::Kind::kVerb).empty())
          said.push_back(gap);
      }
      sum_of_rows(said, named, cost + subject.cost, of);
    }
    sum_of_rows(deed_gaps(helper), named, cost, of);
  }
}

// The sum over the rows of which that is said, or over those of one thing: of the attribute that is
// named, or of the only amount.
void Parser::sum_of_rows(const Mods& said, int named, double cost, const Noun* of) {
  for (std::size_t i = 0; i < schema_.types.size(); ++i) {
    const TypeSet type = TypeSet::of(static_cast<TypeId>(i));
    Reading reading;
    reading.form = Reading::Form::kFold;
    reading.fold = Fold::kSum;
    reading.attribute = named >= 0 ? named : amount_of(type);
    if (reading.attribute < 0 || !joins_.happens(type)) continue;
    const SetRef rows =
        joins_.narrowed(joins_.of_types(type), joins_.attribute_types(reading.attribute));
    if (rows == nullptr || !joins_.numeric(reading.attribute, type) ||
        joins_.is_date(reading.attribute, type) || joins_.has_lists(reading.attribute))
      continue;
    Joined whole{{rows, 0}};
    if (of != nullptr) whole = joins_.relate_unnamed(rows, of->phrase, "");
    for (const auto& [some, price] : whole) {
      reading.cost = cost + price;
      for (const Mod& mod : said) {
        // By somebody, or what a verb says: "were on floor 2" tells of no sum.
        if (mod.doer || mod.said.role != nullptr || mod.gap) sum_said(reading, some, mod);
      }
    }
  }
}

// "(Karl) pay", "pay in total at Lidl".
void Parser::sum_said(const Reading& sum, const SetRef& rows, const Mod& mod) {
  const auto take = [&](const SetRef& set, std::size_t end, double price) {
    if (set->best) return;
    Reading reading = sum;
    reading.set = set;
    reading.cost += price;
    add(reading, end);
    for (const std::size_t last : after(end, WordClass::kInTotal)) add(reading, last);
  };
  std::set<std::size_t> ends{mod.end, skip(mod.end, WordClass::kInTotal)};
  for (auto& [set, more] : mod.apply(rows)) {
    take(set, mod.end, mod.cost + more);
    for (const std::size_t end : ends) {
      for (const Mod& second : prepositional(end)) {
        for (auto& [both, last] : second.apply(set))
          take(both, second.end, mod.cost + more + second.cost + last);
      }
    }
  }
}

// "(how many pieces were) fired in January": over the rows whose date is called so.
void Parser::sum_of_deed(std::size_t at, int named, double cost) {
  for (const Sense* deed : senses(at, Sense::Kind::kAttribute)) {
    if (!is_past_deed(*deed)) continue;
    const TypeSet types = joins_.attribute_types(deed->attribute);
    Reading reading;
    reading.form = Reading::Form::kFold;
    reading.fold = Fold::kSum;
    reading.attribute = named >= 0 ? named : amount_of(types);
    if (reading.attribute < 0 || joins_.has_lists(reading.attribute)) continue;
    const SetRef rows =
        joins_.narrowed(joins_.of_types(types), joins_.attribute_types(reading.attribute));
    if (rows == nullptr || !joins_.numeric(reading.attribute, rows->types) ||
        joins_.is_date(reading.attribute, rows->types))
      continue;
    reading.cost = cost + deed->cost;
    const auto sum = [&](const SetRef& set, std::size_t end, double more) {
      if (set == nullptr || set->best) return;
      Reading one = reading;
      one.set = set;
      one.cost += more;
      add(one, end);
      finish_group(one, end);
    };
    const SetRef done = joins_.in_time(rows, deed->attribute, "", until_now(deed->attribute));
    sum(done, deed->end, 0);
    Mods said = time_tests(deed->end, deed->attribute, 0, true);
    // "Baked by Uma" says who baked, where somebody is known to.
    const bool by_doer =
        at_class(deed->end, WordClass::kBy) &&
        (!senses(at, Sense::Kind::kVerb).empty() || !senses(at, Sense::Kind::kDeed).empty());
    if (!by_doer) append(said, after_noun(deed->end));
    for (const Mod& mod : said) {
      for (auto& [set, more] : mod.apply(rows)) {
        sum(set, mod.end, mod.cost + more);
        for (const Mod& second : after_noun(mod.end)) {
          for (auto& [both, last] : second.apply(set))
            sum(both, second.end, mod.cost + more + second.cost + last);
        }
      }
    }
  }
}

}  // namespace anima::ask
