// Questions for a yes or no: of one thing, of several, of all that are something.
#include <algorithm>

#include "ask/parse/parser.h"

namespace anima::ask {

// Whether it is so of the subject. A superlative is of all of its noun: "is Heron the cheapest
// boat" is not asked of Heron alone, and "is the cheapest boat green" not of the green ones.
void Parser::truths(const Noun& subject, const Mods& said) {
  if (subject.phrase.own) {
    truths_of_own(subject, said);
    return;
  }
  const SetRef& named = subject.phrase.set;
  const SetRef of = named->best ? joins_.among(named) : named;
  for (const Mod& mod : said) {
    for (auto& [set, cost] : mod.apply(of)) {
      Reading reading;
      reading.form = Reading::Form::kExists;
      reading.set = set->best ? joins_.in_best_of_all(of, set) : set;
      const std::vector<Restriction>& all = reading.set->restrictions;
      const bool is_one = !all.empty() && all.back().kind == Restriction::Kind::kNamed;
      if (named->by_value || (named->best && !is_one)) reading.subject = named;
      reading.every = subject.phrase.each_name;
      reading.cost = subject.cost + mod.cost + cost;
      add(std::move(reading), mod.end);
    }
  }
}

// "Did the owner of the dog lead W1": asked of the row that is named. Of nothing else does it say
// whose owner is meant.
void Parser::truths_of_own(const Noun& subject, const Mods& said) {
  const std::size_t own = subject.phrase.set->restrictions.size();
  for (const Mod& mod : said) {
    for (auto& [set, cost] : mod.apply(subject.phrase.set)) {
      if (set->best || set->restrictions.size() != own + 1) continue;
      const Restriction& last = set->restrictions.back();
      if (last.kind != Restriction::Kind::kRelation || last.target->names.empty()) continue;
      const Edge back{last.edge.predicate, !last.edge.inverse, last.edge.closure};
      for (auto& [rows, more] : joins_.relate(last.target, back, subject.phrase)) {
        Reading reading;
        reading.form = Reading::Form::kExists;
        reading.set = rows;
        reading.cost = subject.cost + mod.cost + cost + more;
        add(std::move(reading), mod.end);
      }
    }
  }
}

// "are all huts open": one thing that is said of every one of them. Of two nothing tells whether
// the first belongs to the huts.
void Parser::truths_of_all(const Noun& subject, const Mods& said) {
  const SetRef& all = subject.phrase.set;
  if (!all->names.empty() || all->anything || all->best || all->numeral > 0) return;
  for (const Mod& mod : said) {
    for (auto& [set, cost] : mod.apply(all)) {
      const auto own = static_cast<std::ptrdiff_t>(all->restrictions.size());
      const auto first = set->restrictions.begin() + own;
      if (set->best || set->types != all->types || first == set->restrictions.end()) continue;
      if (std::any_of(first, set->restrictions.end(), [&](const Restriction& one) {
            return &one != &*first && (one.attribute < 0 || one.attribute != first->attribute);
          }))
        continue;
      Reading reading;
      reading.form = Reading::Form::kExists;
      reading.set = set;
      reading.of_all = all;
      reading.cost = subject.cost + mod.cost + cost;
      add(std::move(reading), mod.end);
    }
  }
}

// "is X public", "is Pluto a planet", "is it true that .."
void Parser::be_questions(std::size_t at) {
  const auto exists = [&](const SetRef& set, std::size_t end, double cost) {
    Reading reading;
    reading.form = Reading::Form::kExists;
    reading.set = set;
    reading.cost = cost;
    add(std::move(reading), end);
  };
  Ends starts = after(at, WordClass::kBe);
  // "Isn't Swift insured?" asks whether it is.
  for (const std::size_t be : after(at, WordClass::kBe)) {
    for (const std::size_t no : after(be, WordClass::kNot)) starts.push_back(no);
  }
  for (const std::size_t be : starts) {
    // "is the port of ssh 22", "is the port of ssh above 1000"
    for (const Property& one : properties(be)) {
      if (one.of == nullptr || one.fold || one.of->names.size() != 1) continue;
      for (const Mod& mod : attribute_tests(one.end, one.attribute, one.cost)) {
        for (auto& [set, cost] : mod.apply(one.of)) exists(set, mod.end, mod.cost + cost);
      }
    }
    for (const Noun& noun : nouns(be)) {
      if (noun.phrase.quantity == Quantity::kAll) truths_of_all(noun, complements(noun.end));
      if (noun.phrase.quantity != Quantity::kSome || noun.phrase.set->anything) continue;
      truths(noun, complements(noun.end));
      // What does not fit the types does not hold: "Is Pluto a planet?"
      const bool done = !at_end(noun.end) && pack_.is_participle(pieces_[noun.end].folded);
      for (const Noun& other : done ? Nouns{} : nouns(noun.end)) {
        if (other.phrase.quantity != Quantity::kSome || noun.phrase.set->names.empty() ||
            !noun.phrase.set->types.both(other.phrase.set->types).empty() ||
            !other.phrase.set->names.empty())
          continue;
        Restriction in;
        in.kind = Restriction::Kind::kIn;
        in.target = other.phrase.set;
        exists(joins_.with(noun.phrase.set, in), other.end, noun.cost + other.cost);
      }
    }
    for (const std::size_t there : after(be, WordClass::kThere)) {
      for (const Noun& noun : nouns(there))
        if (noun.phrase.quantity == Quantity::kSome && !noun.phrase.set->anything)
          exists(noun.phrase.set, noun.end, noun.cost);
      for (const std::size_t any : after(there, WordClass::kAnybody)) {
        for (const Mod& mod : after_noun(any)) {
          for (auto& [set, cost] : mod.apply(joins_.of_types(schema_.all_types(), true)))
            exists(set, mod.end, mod.cost + cost);
        }
      }
    }
    for (const std::size_t that : after(be, WordClass::kTrueThat)) {
      for (const Noun& noun : nouns(that)) {
        if (noun.phrase.quantity != Quantity::kSome) continue;
        truths(noun, verbs(noun.end));
      }
    }
  }
}

// "does X need Y", "has X borrowed Y"
void Parser::do_questions(std::size_t at) {
  for (const WordClass helper : {WordClass::kDo, WordClass::kHave, WordClass::kModal}) {
    Ends starts = after(at, helper);
    for (const std::size_t end : after(at, helper)) {
      for (const std::size_t no : after(end, WordClass::kNot)) starts.push_back(no);
    }
    for (const std::size_t end : starts) {
      const bool modal = helper == WordClass::kModal;
      for (const Noun& noun : nouns(end)) {
        Mods said = modal ? timed_alone(verbs(noun.end)) : verbs(noun.end);
        for (const std::size_t no : after(noun.end, WordClass::kNot)) {
          for (const Mod& mod : verbs(no)) {
            if (!modal) said.push_back(turned(mod));
          }
        }
        if (noun.phrase.quantity == Quantity::kAll) truths_of_all(noun, said);
        if (noun.phrase.quantity == Quantity::kSome) truths(noun, said);
      }
    }
  }
}

}  // namespace anima::ask
