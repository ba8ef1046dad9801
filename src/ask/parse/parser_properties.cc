// Attributes that are asked for: "the port of orders-db", "Ada's salary", "the average salary".
#include <algorithm>

#include "ask/parse/parser.h"

namespace anima::ask {

const std::vector<Property>& Parser::properties(std::size_t at) {
  static const std::vector<Property> kNone;
  if (const auto found = properties_.find(at); found != properties_.end()) return found->second;
  if (at_end(at) || !step() || !open_.insert({PhraseKind::kProperty, at}).second) return kNone;
  auto list = read_properties(at);
  open_.erase({PhraseKind::kProperty, at});
  std::stable_sort(list.begin(), list.end(),
                   [](const Property& a, const Property& b) { return a.cost < b.cost; });
  for (const Property& one : list) reached_ = std::max(reached_, one.end);
  return properties_.emplace(at, std::move(list)).first->second;
}

std::vector<Property> Parser::read_properties(std::size_t at) {
  std::vector<Property> list;
  // [the] [average] [number of] port
  std::vector<std::pair<std::size_t, std::optional<Fold>>> starts;
  const std::size_t article = skip_article(at);
  starts.emplace_back(article, std::nullopt);
  for (const std::size_t from : {at, article}) {
    for (const auto& [end, use] : uses(from, PackUse::Kind::kFold)) {
      if (use->fold == Fold::kCount) continue;
      std::size_t next = skip_article(end);
      starts.emplace_back(next, use->fold);
      for (const std::size_t of : after(next, WordClass::kOf))
        starts.emplace_back(skip_article(of), use->fold);
      for (const std::size_t number : after(next, WordClass::kNumberOf))
        starts.emplace_back(skip_article(number), use->fold);
    }
    for (const std::size_t number : after(from, WordClass::kNumberOf))
      starts.emplace_back(skip_article(number), std::nullopt);
    if (article == at) break;
  }
  for (const auto& [start, fold] : starts) {
    for (const Sense* sense : senses(start, Sense::Kind::kAttribute)) {
      std::vector<std::size_t> ends{sense->end};
      for (const std::size_t kind : after(sense->end, WordClass::kKindNoun)) ends.push_back(kind);
      for (const std::size_t end : ends) {
        Property bare{end, sense->cost, sense->attribute, nullptr, fold};
        list.push_back(bare);
        if (at_end(end)) continue;
        if (fold) folded_over(bare, list);
        std::vector<std::size_t> of = after(end, WordClass::kOf);
        const std::string preposition = preposition_at(end);
        if (pack_.contains_things(preposition)) of.push_back(end + 1);
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
        for (const std::size_t next : of) {
          for (const Noun& whose : nouns(next)) {
            if (whose.phrase.quantity != Quantity::kSome && whose.phrase.quantity != Quantity::kAll)
              continue;
            if (whose.phrase.set->anything) continue;
            const SetRef set =
                joins_.narrowed(whose.phrase.set, joins_.attribute_types(sense->attribute));
            if (set == nullptr) {
              // "the average salary in Sales": of those who are in it.
              const SetRef all = joins_.of_types(joins_.attribute_types(sense->attribute));
              const std::string said = pack_.contains_things(preposition) ? preposition : "";
              if (fold && said.empty()) folded_of(bare, whose, list);
              for (auto& [inside, cost] : joins_.relate_unnamed(all, whose.phrase, said)) {
                if (whose.phrase.quantity != Quantity::kSome || said.empty()) break;
                list.push_back({whose.end, sense->cost + whose.cost + cost + 0.1, sense->attribute,
                                inside, fold});
              }
              continue;
            }
            list.push_back({whose.end, sense->cost + whose.cost, sense->attribute, set, fold});
          }
        }
      }
    }
  }
  // X's port, and "orders-db port"
  for (const Noun& whose : nouns(at)) {
    if (at_end(whose.end) || whose.phrase.set->anything || whose.phrase.quantity != Quantity::kSome)
      continue;
    const bool possessive = pieces_[whose.end].kind == Piece::Kind::kPossessive;
    if (!possessive && whose.phrase.set->names.empty()) continue;
    std::size_t next = whose.end + (possessive ? 1 : 0);
    for (const Sense* sense : senses(next, Sense::Kind::kAttribute)) {
      const SetRef set =
          joins_.narrowed(whose.phrase.set, joins_.attribute_types(sense->attribute));
      if (set == nullptr) continue;
      std::vector<std::size_t> ends{sense->end};
      for (const std::size_t kind : after(sense->end, WordClass::kKindNoun)) ends.push_back(kind);
      for (const std::size_t end : ends)
        list.push_back({end, whose.cost + sense->cost + (possessive ? 0 : 0.1), sense->attribute,
                        set, std::nullopt});
    }
  }
  // its port
  for (const std::size_t end : after(at, WordClass::kPossessive)) {
    used_pronoun_ = true;
    for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
      for (std::size_t i = 0; i < context_.pronouns.size(); ++i) {
        const SetRef set =
            joins_.narrowed(context_.pronouns[i], joins_.attribute_types(sense->attribute));
        if (set == nullptr) continue;
        list.push_back({sense->end, sense->cost + 0.3 * static_cast<double>(i), sense->attribute,
                        set, std::nullopt});
      }
    }
  }
  return list;
}

// "total amount approved by Karl": over the rows of which that is said.
void Parser::folded_over(const Property& bare, std::vector<Property>& out) {
  const SetRef rows = joins_.of_types(joins_.attribute_types(bare.attribute));
  for (const Mod& mod : after_noun(bare.end)) {
    for (auto& [set, cost] : mod.apply(rows)) {
      if (!set->best)
        out.push_back({mod.end, bare.cost + mod.cost + cost + 0.1, bare.attribute, set, bare.fold});
    }
  }
}

// "total fee of Ben Holt": of the rows that lead to him.
void Parser::folded_of(const Property& bare, const Noun& whose, std::vector<Property>& out) {
  const SetRef& owner = whose.phrase.set;
  if (owner->names.empty() || whose.phrase.quantity != Quantity::kSome) return;
  const SetRef rows = joins_.of_types(joins_.attribute_types(bare.attribute));
  for (const auto& [edge, cost] :
       joins_.unnamed_edges(rows->types, owner->types, "", owner.get(), rows.get())) {
    if (edge.inverse) continue;
    for (auto& [set, more] : joins_.relate(rows, edge, whose.phrase))
      out.push_back(
          {whose.end, bare.cost + whose.cost + cost + more + 0.1, bare.attribute, set, bare.fold});
  }
}

}  // namespace anima::ask
