// Verbs of roles that are said of what the rows are about, and not of the rows: "who drove Storm",
// "who never drove", "which boats did Tess drive in May".
#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {

// What is owned has an owner as long as it is there; what was driven was driven in some row.
bool Parser::tells_past() const {
  bool past = false, is = false;
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    if (at_class(at, WordClass::kPastTense) || at_class(at, WordClass::kHave)) return true;
    is = is || at_class(at, WordClass::kBe);
    past = past || pack_.is_past(pieces_[at].folded);
  }
  return past && !is;
}

Joined Parser::said_relation(const SetRef& set, const Edge& edge, const Phrase& target) const {
  return tells_past() ? joins_.relate_said(set, edge, target) : joins_.relate(set, edge, target);
}

// "(who) drove", "drove in April", where rows that happen have a driver: in any of those rows.
void Parser::bare_rows(std::size_t at, Mods& out) {
  if (!tells_past()) return;
  for (const Sense* sense : senses(at, Sense::Kind::kVerb)) {
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense->predicate)];
    if (!info.functional || info.derived || !joins_.happens(info.subjects())) continue;
    for (const auto& [preposition, inverse] : frames(*sense)) {
      if (!preposition.empty() || !inverse) continue;
      const Edge edge{sense->predicate, true, false};
      const SetRef rows = joins_.of_types(info.subjects());
      const auto in_rows = [&](std::size_t end, double cost,
                               const std::function<Joined(const SetRef&)>& said) {
        Mod mod;
        mod.end = end;
        mod.cost = sense->cost + cost;
        mod.open = end == sense->end;
        mod.apply = [this, edge, rows, said](const SetRef& set) {
          Joined joined;
          for (auto& [some, near] : said(rows)) {
            for (auto& [done, far] : joins_.relate(set, edge, Phrase{some}))
              joined.emplace_back(done, near + far);
          }
          return joined;
        };
        out.push_back(std::move(mod));
      };
      in_rows(sense->end, 0.05, [](const SetRef& all) { return single(all); });
      for (const Mod& mod : prepositional(sense->end)) {
        // "Paid for neither food nor toys" may also say that nothing of it was paid.
        if (mod.attribute != kDeniedAttribute) in_rows(mod.end, mod.cost, mod.apply);
      }
      most_done(*sense, edge, out);
    }
  }
}

// "(who) baked the most pieces", "paid the most": by the sum over the rows, of what is named or of
// the only amount.
void Parser::most_done(const Sense& verb, const Edge& edge, Mods& out) {
  const TypeSet rows = schema_.predicates[static_cast<std::size_t>(edge.predicate)].subjects();
  const auto by = [&](int attribute, bool most, std::size_t end, double cost) {
    if (!joins_.numeric(attribute, rows) || joins_.is_date(attribute, rows)) return;
    Mod mod;
    mod.end = end;
    mod.cost = verb.cost + cost;
    mod.apply = [this, edge, rows, attribute, most](const SetRef& set) {
      Best best;
      best.most = most;
      best.by.attribute = attribute;
      best.by.fold = Fold::kSum;
      best.by.edge = edge;
      best.by.counted = joins_.narrowed(joins_.of_types(rows), joins_.attribute_types(attribute));
      const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(edge.predicate)];
      const SetRef from = best.by.counted == nullptr
                              ? nullptr
                              : joins_.narrowed(set, info.follow(best.by.counted->types, false));
      return single(from == nullptr ? nullptr : joins_.best(from, best));
    };
    out.push_back(std::move(mod));
  };
  for (const bool most : {true, false}) {
    const WordClass word = most ? WordClass::kMost : WordClass::kLeast;
    Ends ends = after(skip_article(verb.end), word);
    for (const std::size_t end : after(verb.end, word)) ends.push_back(end);
    for (const std::size_t end : ends) {
      for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
        by(sense->attribute, most, sense->end, sense->cost);
        for (const std::size_t last : after(sense->end, WordClass::kInTotal))
          by(sense->attribute, most, last, sense->cost);
      }
      if (const int amount = amount_of(rows); amount >= 0 && at_end(end)) by(amount, most, end, 0);
    }
  }
}

// "(Who drove) Storm?", where outings have a driver and a boat: whoever stands in those rows.
void Parser::doers_in_rows(const Sense& deed, const Noun& noun) {
  const TypeSet types = joins_.attribute_types(deed.attribute);
  if (!tells_past() || noun.phrase.quantity != Quantity::kSome || noun.phrase.each_name ||
      noun.phrase.own || !types.both(noun.phrase.set->types).empty() ||
      joins_.has_lists(deed.attribute) || !joins_.happens(types))
    return;
  for (auto& [rows, cost] : joins_.rows_with(types, noun.phrase)) {
    Reading reading;
    reading.form = Reading::Form::kGroup;
    reading.set = rows;
    reading.group.emplace();
    reading.group->attribute = deed.attribute;
    reading.cost = deed.cost + noun.cost + cost;
    add(std::move(reading), noun.end);
  }
}

// "(which concerts did Ada conduct) in 2025": said of the rows that have the role.
void Parser::row_told_more(const SetRef& rows, std::size_t at,
                           const std::function<void(const SetRef&, std::size_t, double)>& found) {
  if (rows->restrictions.empty() || at_end(at) ||
      rows->restrictions.back().kind != Restriction::Kind::kRelation)
    return;
  const Restriction& last = rows->restrictions.back();
  if (last.edge.inverse) {
    // "(which boats did Tess drive) in May": said of the outings between.
    const bool between = last.target->names.empty() && !last.target->restrictions.empty() &&
                         joins_.happens(last.target->types);
    for (const Mod& mod : between ? prepositional(at) : Mods{}) {
      for (auto& [set, cost] : mod.apply(last.target)) {
        auto more = std::make_shared<SetExpr>(*rows);
        more->restrictions.back().target = set;
        found(more, mod.end, mod.cost + cost + 0.2);
      }
    }
    return;
  }
  for (const Mod& mod : prepositional(at)) {
    for (auto& [set, cost] : mod.apply(rows)) found(set, mod.end, mod.cost + cost + 0.2);
  }
}

}  // namespace anima::ask
