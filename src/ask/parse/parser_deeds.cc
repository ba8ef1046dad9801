// What those do whom an attribute names: of `owner`, "who owns Aurora", "ships owned by Acme".
#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {

// The members whose attribute has this value.
Mod Parser::done_by(const Sense& deed, const Sense& doer, std::size_t end) const {
  Mod mod;
  mod.end = end;
  mod.cost = deed.cost + doer.cost;
  mod.attribute = deed.attribute;
  mod.doer = true;
  mod.apply = [this, attribute = deed.attribute, text = doer.value](const SetRef& set) {
    Constant value;
    value.kind = Constant::Kind::kText;
    value.text = text;
    const SetRef own = joins_.compare(set, attribute, Compare::kEqual, value);
    const TypeSet types = joins_.attribute_types(attribute);
    // "(boats) that Tess drove", where outings have a driver and a boat.
    const bool rows = own == nullptr && !set->anything && !set->best && tells_past();
    if (!rows || !joins_.happens(types)) return single(own);
    return joins_.led_to_by(
        set, joins_.compare(joins_.of_types(types), attribute, Compare::kEqual, value));
  };
  return mod;
}

Mod Parser::done_by_nobody(const Sense& deed, std::size_t end) const {
  Mod mod;
  mod.end = end;
  mod.cost = deed.cost;
  mod.apply = [this, attribute = deed.attribute](const SetRef& set) {
    const SetRef some = joins_.has_value(set, attribute);
    return single(some == nullptr ? nullptr : joins_.negated(set, some));
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
      append(out, value_choices(by, deed->attribute), deed->cost);
      for (const std::size_t end : after(by, WordClass::kNobody))
        out.push_back(done_by_nobody(*deed, end));
    }
  }
}

// "(is) owned": by anybody.
void Parser::bare_deeds(std::size_t at, Mods& out) const {
  // "Lent", where a date is called so: it has come, whoever did it.
  if (std::ranges::any_of(senses(at, Sense::Kind::kAttribute),
                          [&](const Sense* one) { return is_past_deed(*one); }))
    return;
  for (const Sense* deed : senses(at, Sense::Kind::kDeed)) {
    if (!pack_.is_participle(pieces_[at].folded) || shares_what_follows(deed->end, false)) continue;
    Mod mod;
    mod.end = deed->end;
    mod.cost = deed->cost;
    mod.open = true;
    mod.apply = [this, attribute = deed->attribute](const SetRef& set) {
      return single(joins_.is_filled(set, attribute));
    };
    out.push_back(std::move(mod));
  }
}

// "(that) Acme owns", "(does) Acme own", "(does) Acme not own", "(does) nobody own"
Parser::Mods Parser::deed_gaps(std::size_t at) {
  Mods mods;
  if (at_end(at) || !step()) return mods;
  const auto deeds = [&](std::size_t from, const auto& visit) {
    for (const Sense* deed : senses(skip(from, WordClass::kHave), Sense::Kind::kDeed))
      visit(*deed, false);
    for (const std::size_t no : after(from, WordClass::kNot)) {
      for (const Sense* deed : senses(no, Sense::Kind::kDeed)) visit(*deed, true);
    }
  };
  for (const Sense* doer : doers(at)) {
    deeds(doer->end, [&](const Sense& deed, bool no) {
      if (doer->attribute != deed.attribute) return;
      const Mod mod = done_by(deed, *doer, deed.end);
      mods.push_back(no ? turned(mod) : mod);
    });
    for (const Joint& joint : verbs_joined(doer->end, Sense::Kind::kDeed))
      done_by_text(joint, *doer, joint.end, mods);
  }
  for (Mod& any : value_choices(at, -1)) {
    deeds(any.end, [&](const Sense& deed, bool no) {
      if (any.attribute != deed.attribute) return;
      Mod mod = any;
      mod.end = deed.end;
      mod.cost += deed.cost;
      mods.push_back(no ? turned(mod) : mod);
    });
  }
  for (const std::size_t nobody : after(at, WordClass::kNobody)) {
    deeds(nobody, [&](const Sense& deed, bool no) {
      if (!no) mods.push_back(done_by_nobody(deed, deed.end));
    });
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
        most_counted(*deed, deed->end);
        for (const Noun& noun : nouns(deed->end)) {
          value_reading(deed->attribute, noun.phrase, noun.end, deed->cost + noun.cost);
          doers_in_rows(*deed, noun);
        }
      }
    }
    for (const std::size_t be : after(who, WordClass::kBe)) {
      each_done(be, [&](const Noun& noun, const Sense& deed) {
        for (const std::size_t by : after(deed.end, WordClass::kBy))
          value_reading(deed.attribute, noun.phrase, by, deed.cost + noun.cost);
      });
    }
  }
  // "which trainer trains the most horses"
  for (const std::size_t which : after(at, WordClass::kWhich)) {
    for (const Sense* doer : senses(which, Sense::Kind::kAttribute)) {
      for (const Sense* deed : senses(skip(doer->end, WordClass::kHave), Sense::Kind::kDeed)) {
        if (deed->attribute == doer->attribute) most_counted(*deed, deed->end);
      }
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

// Whether it was done to the things behind the gap: "(Acme own) Aurora", "(Acme own) all ships".
void Parser::exists_reading(const Mod& gap) {
  for (const Noun& noun : nouns(gap.end)) {
    if (noun.phrase.quantity == Quantity::kAll) {
      Mod of_all = gap;
      of_all.end = noun.end;
      truths_of_all(noun, {of_all});
    }
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
