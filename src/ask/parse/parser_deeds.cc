// What those do whom an attribute names: of `owner`, "who owns Aurora", "ships owned by Acme".
#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {

// The members whose attribute has this value.
Mod Parser::done_by(const Sense& deed, const Sense& doer, std::size_t end) const {
  Mod mod;
  mod.end = end;
  mod.cost = deed.cost + doer.cost;
  mod.apply = [this, attribute = deed.attribute, text = doer.value](const SetRef& set) {
    Constant value;
    value.kind = Constant::Kind::kText;
    value.text = text;
    return single(joins_.compare(set, attribute, Compare::kEqual, value));
  };
  return mod;
}

// Values of the deed's attribute at a place, with or without an article.
std::vector<const Sense*> Parser::doers(std::size_t at) const {
  std::vector<const Sense*> found = senses(at, Sense::Kind::kValue);
  if (const std::size_t article = skip_article(at); article != at) {
    for (const Sense* sense : senses(article, Sense::Kind::kValue)) found.push_back(sense);
  }
  return found;
}

// "owned by Acme", "owned by nobody"
void Parser::deed_verbs(std::size_t at, Mods& out) {
  for (const Sense* deed : senses(at, Sense::Kind::kDeed)) {
    for (const std::size_t by : after(deed->end, WordClass::kBy)) {
      for (const Sense* doer : doers(by)) {
        if (doer->attribute == deed->attribute) out.push_back(done_by(*deed, *doer, doer->end));
      }
      for (const std::size_t end : after(by, WordClass::kNobody)) {
        Mod mod;
        mod.end = end;
        mod.cost = deed->cost;
        mod.apply = [this, attribute = deed->attribute](const SetRef& set) {
          const SetRef some = joins_.has_value(set, attribute);
          return single(some == nullptr ? nullptr : joins_.negated(set, some));
        };
        out.push_back(std::move(mod));
      }
    }
  }
}

// "(that) Acme owns", "(does) Acme own"
Parser::Mods Parser::deed_gaps(std::size_t at) {
  Mods mods;
  if (at_end(at) || !step()) return mods;
  for (const Sense* doer : doers(at)) {
    for (const Sense* deed : senses(skip(doer->end, WordClass::kHave), Sense::Kind::kDeed)) {
      if (doer->attribute == deed->attribute) mods.push_back(done_by(*deed, *doer, deed->end));
    }
  }
  return mods;
}

// "who owns Aurora", "who has owned Aurora", "who is Aurora owned by", "by whom is Aurora owned",
// "does Acme own Aurora"
void Parser::deed_questions(std::size_t at) {
  for (const std::size_t who : after(at, WordClass::kWho)) {
    Ends starts{who};
    for (const WordClass helper : {WordClass::kDo, WordClass::kHave, WordClass::kBe}) {
      for (const std::size_t end : after(who, helper)) starts.push_back(end);
    }
    for (const std::size_t start : starts) {
      for (const Sense* deed : senses(start, Sense::Kind::kDeed)) {
        for (const Noun& noun : nouns(deed->end))
          value_reading(deed->attribute, noun.phrase, noun.end, deed->cost + noun.cost);
      }
    }
    for (const std::size_t be : after(who, WordClass::kBe)) {
      each_done(be, [&](const Noun& noun, const Sense& deed) {
        for (const std::size_t by : after(deed.end, WordClass::kBy))
          value_reading(deed.attribute, noun.phrase, by, deed.cost + noun.cost);
      });
    }
  }
  for (const std::size_t by : after(at, WordClass::kBy)) {
    for (const std::size_t who : after(by, WordClass::kWho)) {
      for (const std::size_t be : after(who, WordClass::kBe)) {
        each_done(be, [&](const Noun& noun, const Sense& deed) {
          value_reading(deed.attribute, noun.phrase, deed.end, deed.cost + noun.cost);
        });
      }
    }
  }
  for (const std::size_t helper : after(at, WordClass::kDo)) {
    for (const Mod& gap : deed_gaps(helper)) exists_reading(gap);
  }
}

// "Aurora owned": a thing and a deed behind it.
void Parser::each_done(std::size_t at,
                       const std::function<void(const Noun&, const Sense&)>& visit) {
  for (const Noun& noun : nouns(at)) {
    for (const Sense* deed : senses(noun.end, Sense::Kind::kDeed)) visit(noun, *deed);
  }
}

// Whether it was done to the things behind the gap: "(Acme own) Aurora".
void Parser::exists_reading(const Mod& gap) {
  for (const Noun& noun : nouns(gap.end)) {
    if (noun.phrase.quantity != Quantity::kSome || noun.phrase.set->anything) continue;
    for (auto& [set, cost] : gap.apply(noun.phrase.set)) {
      Reading reading;
      reading.form = Reading::Form::kExists;
      reading.set = set;
      reading.every = noun.phrase.each_name;
      reading.cost = gap.cost + noun.cost + cost;
      add(std::move(reading), noun.end);
    }
  }
}

}  // namespace anima::ask
