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
    for (const std::size_t be : after(much, WordClass::kBe)) sum_of_deed(be, -1, 0);
  }
  for (const std::size_t many : after(at, WordClass::kHowMany)) {
    for (const Sense* sense : senses(many, Sense::Kind::kAttribute)) {
      for (const std::size_t be : after(sense->end, WordClass::kBe))
        sum_of_deed(be, sense->attribute, sense->cost);
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
    append(said, after_noun(deed->end));
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
