// Somebody in a role, and in more than one: "Ada as foreman or driver", "the foreman or driver
// Ada", "the foreman or driver of H1". Whoever is named before or behind the roles is in each of
// them.
#include <algorithm>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {
namespace {

constexpr double kAnybodyCost = 0.1;  // of "a driver", who may be anybody

}  // namespace

// A noun or a verb of a relation, or a column of texts that may be names.
bool Parser::is_role(const Sense& sense) const {
  if (sense.kind == Sense::Kind::kNoun || sense.kind == Sense::Kind::kVerb) return true;
  if (sense.kind != Sense::Kind::kAttribute) return false;
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(sense.attribute)];
  return !info.numeric() && !info.flags();
}

// Two of those that the same may be in, or do: relations to things of one type, and columns that
// have a text in common. O(values) of columns.
bool Parser::are_alike(const Sense& a, const Sense& b) const {
  if ((a.kind == Sense::Kind::kAttribute) != (b.kind == Sense::Kind::kAttribute)) return false;
  if (a.kind != Sense::Kind::kAttribute && a.kind != b.kind) {  // "approved" is a noun, too
    const PredicateInfo &one = schema_.predicates[static_cast<std::size_t>(a.predicate)],
                        &other = schema_.predicates[static_cast<std::size_t>(b.predicate)];
    return !one.subjects().both(other.subjects()).empty() &&
           !one.objects().both(other.objects()).empty();
  }
  if (a.kind != Sense::Kind::kAttribute) {
    const auto ends = [&](const Sense& sense) {
      const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense.predicate)];
      return sense.inverse ? info.subjects() : info.objects();
    };
    return !ends(a).both(ends(b)).empty();
  }
  std::set<std::string> texts;
  each_in_column(lexicon_, a.attribute, [&](const ColumnValue& value) {
    texts.insert(value.text);
    return true;
  });
  bool shared = false;
  each_in_column(lexicon_, b.attribute, [&](const ColumnValue& value) {
    shared = texts.contains(value.text);
    return !shared;
  });
  return shared;
}

// "Ada as foreman or driver": the one lacks what the other names.
bool Parser::share_a_name(const RoleSaid& a, const RoleSaid& b) const {
  if (a.is_whole() == b.is_whole()) return false;
  const RoleSaid &whole = a.is_whole() ? a : b, &half = a.is_whole() ? b : a;
  if (half.role == nullptr) return half.name;
  // "Lent to Ada or reserved" needs nobody who reserved it. "A driver" behind "as foreman" may be
  // anybody, and so may the first of "the foreman and the driver Ada".
  const bool behind = &half == &b;
  if (behind && half.role->kind == Sense::Kind::kVerb) return false;
  if (b.article && !(behind && a.article)) return false;
  return are_alike(*whole.role, *half.role);
}

// "foreman", "the foreman or the driver", "foreman and as driver"
std::vector<Parser::Roles> Parser::roles(std::size_t at) const {
  std::vector<Roles> found;
  const std::size_t start = skip_article(at);
  for (const Sense::Kind kind : {Sense::Kind::kNoun, Sense::Kind::kAttribute}) {
    for (const Sense* sense : senses(start, kind)) {
      if (is_role(*sense))
        found.push_back({sense->end, sense->cost, start != at, false, false, {sense}});
    }
  }
  for (std::size_t i = 0; i < found.size() && found.size() < kMaxAlternatives; ++i) {
    for (Roles& more : more_roles(found[i])) found.push_back(std::move(more));
  }
  return found;
}

// One more behind "and" or "or", which stands between all of them.
std::vector<Parser::Roles> Parser::more_roles(const Roles& first) const {
  std::vector<Roles> found;
  for (const bool all : {true, false}) {
    if (first.each.size() > 1 && first.all != all) continue;
    for (const std::size_t end : after(first.end, all ? WordClass::kAnd : WordClass::kOr)) {
      const std::size_t start = skip_article(skip(end, WordClass::kAs));
      for (const Sense* sense : senses(start, first.each.front()->kind)) {
        if (!is_role(*sense) || !are_alike(*first.each.front(), *sense)) continue;
        Roles more = first;
        more.end = sense->end;
        more.cost += sense->cost;
        more.apart = first.apart || at_class(skip(end, WordClass::kAs), WordClass::kArticle);
        more.all = all;
        more.each.push_back(sense);
        found.push_back(std::move(more));
      }
    }
  }
  return found;
}

// What is said with each of the roles, or with any of them.
Mod Parser::in_each(const Roles& roles,
                    const std::function<Joined(const SetRef&, const Sense&)>& said) const {
  Mod mod;
  for (const Sense* role : roles.each) {
    Mod one;
    one.apply = [said, role](const SetRef& set) { return said(set, *role); };
    mod = mod.apply == nullptr ? one : both_or_either(mod, one, roles.all);
  }
  mod.end = roles.end;
  mod.cost = roles.cost + (roles.apart ? kAnybodyCost : 0);
  mod.said = {roles.each.front(), true, roles.article};
  return mod;
}

// "Greta as manager", "Rovers at home": what is had, and as what.
void Parser::in_role(const Noun& noun, Mods& out) {
  if (at_end(noun.end) || noun.phrase.set->names.empty()) return;
  Ends ends = after(noun.end, WordClass::kAs);
  if (pack_.contains_things(preposition_at(noun.end))) ends.push_back(noun.end + 1);
  for (const std::size_t end : ends) {
    for (const Roles& each : roles(end)) {
      if (each.each.front()->kind != Sense::Kind::kNoun) continue;
      out.push_back(in_each(each, [this, noun](const SetRef& set, const Sense& role) {
        return joins_.relate(set, Edge{role.predicate, role.inverse, false}, noun.phrase);
      }));
      out.back().cost = noun.cost + (each.apart && !each.article ? kAnybodyCost : 0);
    }
  }
}

// "the mentor Sina", "the mentor or coach Sina"
void Parser::named_role(std::size_t at, Mods& out) {
  for (const Roles& each : roles(at)) {
    const bool column = each.each.front()->kind == Sense::Kind::kAttribute;
    if (column && each.each.size() == 1) continue;  // attribute_possessions
    for (const Noun& noun : column ? Nouns{} : nouns(each.end)) {
      if (noun.phrase.set->names.empty()) continue;
      out.push_back(in_each(each, [this, noun](const SetRef& set, const Sense& role) {
        return joins_.relate(set, Edge{role.predicate, role.inverse, false}, noun.phrase);
      }));
      out.back().end = noun.end;
      out.back().cost += noun.cost;
    }
    for (const Sense* value :
         column ? senses(each.end, Sense::Kind::kValue) : std::vector<const Sense*>{}) {
      if (!is_of_one(*value, each)) continue;
      out.push_back(with_text(*value, each));
      out.back().end = value->end;
    }
  }
}

// "Greta as manager", where that is a column of names.
void Parser::text_in_role(std::size_t at, Mods& out) {
  for (const Sense* value : senses(at, Sense::Kind::kValue)) {
    for (const std::size_t as : after(value->end, WordClass::kAs)) {
      for (const Roles& each : roles(as)) {
        if (is_of_one(*value, each)) out.push_back(with_text(*value, each));
      }
    }
  }
}

// Whether the text stands in the column of one of the roles.
bool Parser::is_of_one(const Sense& value, const Roles& roles) const {
  return std::ranges::any_of(roles.each, [&](const Sense* role) {
    return role->kind == Sense::Kind::kAttribute && role->attribute == value.attribute;
  });
}

Mod Parser::with_text(const Sense& value, const Roles& roles) const {
  Constant text;
  text.kind = Constant::Kind::kText;
  text.text = value.value;
  Mod mod = in_each(roles, [this, text](const SetRef& set, const Sense& role) {
    return single(joins_.compare(set, role.attribute, Compare::kEqual, text));
  });
  mod.cost += value.cost;
  return mod;
}

// "The owner", of one, with nothing that says which one.
bool Parser::is_definite(const Sense& sense, const Modified& state, const Phrase& start) const {
  return start.definite && start.quantity == Quantity::kSome && state.mods.empty() &&
         sense.end == sense.begin + 1 && pack_.is_base(pieces_[sense.begin].folded);
}

// "The owner of the dog", "the coach of the driver": of which dog only the row says.
std::optional<OwnRole> Parser::own_role(const Sense& sense, const Phrase& whole,
                                        const Modified& state, const Phrase& start) const {
  if (!is_definite(sense, state, start)) return std::nullopt;
  const Edge role{sense.predicate, sense.inverse, false};
  if (whole.own) {
    OwnRole own = *whole.own;
    own.roles.push_back(role);
    return own;
  }
  if (whole.own_of.empty()) return std::nullopt;
  return OwnRole{{role}, whole.own_of};
}

// "the foreman or driver of H1"; with "and" they may be two, or one who is both.
void Parser::roles_of(const Modified& state, const Phrase& start, Nouns& out) {
  for (const Roles& each : roles(state.at)) {
    if (each.each.size() < 2 || each.each.front()->kind != Sense::Kind::kNoun) continue;
    TypeSet types;
    for (const Sense* role : each.each) {
      const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(role->predicate)];
      types = types.either(role->inverse ? info.subjects() : info.objects());
    }
    for (const std::size_t next : after(each.end, WordClass::kOf)) {
      for (const Noun& whole : nouns(next)) {
        for (const bool all : {false, true}) {
          if (all && !each.all) continue;
          Roles meant = each;
          meant.all = all;
          const Mod mod = in_each(meant, [this, whole](const SetRef& set, const Sense& role) {
            return joins_.relate(set, Edge{role.predicate, !role.inverse, false}, whole.phrase);
          });
          const std::size_t before = out.size();
          for (auto& [set, cost] : mod.apply(joins_.of_types(types)))
            add_head(set, whole.end, each.cost + whole.cost + cost, state, start, out);
          for (std::size_t i = before; i < out.size(); ++i) {
            out[i].attached = 1;
            out[i].said = mod.said;
          }
        }
      }
    }
  }
}

}  // namespace anima::ask
