// One of several, or none: "in Oslo or Bergen", "before 1940 or after 2000", "neither red nor
// blue".
#include <algorithm>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {
namespace {

constexpr std::size_t kMostValues = 8;

}  // namespace

// "Oslo, Bergen or Hamar": values of one attribute, with the word before the last of them.
std::vector<std::vector<const Sense*>> Parser::values_joined(std::size_t at, WordClass between,
                                                             int attribute) const {
  std::vector<std::vector<const Sense*>> open, whole;
  const auto go_on = [&](const std::vector<const Sense*>& values, std::size_t from, bool last) {
    for (const Sense* next : senses(skip_article(from), Sense::Kind::kValue)) {
      if (next->attribute != values.front()->attribute) continue;
      std::vector<const Sense*> longer = values;
      longer.push_back(next);
      if (last) whole.push_back(longer);
      open.push_back(std::move(longer));
    }
  };
  for (const Sense* first : senses(skip_article(at), Sense::Kind::kValue)) {
    if (attribute < 0 || first->attribute == attribute) open.push_back({first});
  }
  for (std::size_t i = 0; i < open.size() && open.size() < kMaxAlternatives; ++i) {
    const std::vector<const Sense*> values = open[i];
    if (values.size() >= kMostValues) continue;
    const std::size_t end = values.back()->end;
    for (const std::size_t next : after(end, between)) go_on(values, next, true);
    if (!at_end(end) && pieces_[end].begin > pieces_[end - 1].end + 1) go_on(values, end, false);
  }
  return whole;
}

Mod Parser::has_one_of(const std::vector<const Sense*>& values) {
  Mod mod = has_value(*values.front(), 0);
  for (std::size_t i = 1; i < values.size(); ++i)
    mod = both_or_either(mod, has_value(*values[i], 0), false);
  mod.attribute = values.front()->attribute;
  return mod;
}

void Parser::as_bare(std::size_t at, int attribute, Mod& mod) const {
  mod.attribute = attribute;
  mod.bare = true;
  mod.capital = pieces_[at].text != pieces_[at].folded;
}

// "Trained by Mona or Lea" is none whose rider is Lea, "in Oslo and Ada" none of Ada's; "in Oslo
// and married" says two things.
bool Parser::is_of_other_column(const Mod& first, const Mod& second) {
  if (!second.bare || first.bare) return false;
  const bool linked = first.said.is_whole() && first.said.role->kind == Sense::Kind::kVerb;
  if (first.attribute == kNoAttribute) return linked && second.capital;
  return second.attribute != first.attribute && (first.doer || second.capital);
}

// "(in) the Red stable": the column behind its value.
void Parser::named_by_column(const Mod& mod, int attribute, Mods& out) const {
  const Mod value = mod;
  for (const Sense* sense : senses(value.end, Sense::Kind::kAttribute)) {
    if (sense->attribute != attribute) continue;
    out.push_back(value);
    out.back().end = sense->end;
  }
}

// "Oslo or Bergen", "neither Oslo nor Bergen"; of "Oslo and Bergen" it is told that nothing is
// both.
Parser::Mods Parser::value_choices(std::size_t at, int attribute) {
  Mods mods;
  for (const auto& values : values_joined(at, WordClass::kAnd, attribute)) {
    Mod mod = has_value(*values.front(), 0);
    for (std::size_t i = 1; i < values.size(); ++i)
      mod = both_or_either(mod, has_value(*values[i], 0), true);
    mods.push_back(std::move(mod));
  }
  for (const auto& values : values_joined(at, WordClass::kOr, attribute))
    mods.push_back(has_one_of(values));
  for (const std::size_t end : after(at, WordClass::kNeither)) {
    for (const auto& values : values_joined(end, WordClass::kNor, attribute)) {
      mods.push_back(turned(has_one_of(values)));
      mods.back().attribute = values.front()->attribute;
    }
  }
  return mods;
}

// "(founded) before 1940 or after 2000": more of the same attribute. With "and" a number alone
// would be another thing.
void Parser::other_tests(int attribute, Mods& out) {
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count && out.size() < kMaxAlternatives * 2; ++i) {
    const Mod first = out[i];
    for (const bool all : {true, false}) {
      for (const std::size_t next : after(first.end, all ? WordClass::kAnd : WordClass::kOr)) {
        const bool ordered = !uses(next, PackUse::Kind::kCompare).empty() ||
                             at_class(next, WordClass::kBeforeTime) ||
                             at_class(next, WordClass::kAfterTime);
        if (all && !ordered) continue;
        for (const Mod& second : attribute_tests(next, attribute, 0))
          out.push_back(both_or_either(first, second, all));
      }
    }
  }
}

// "neither in Oslo nor Bergen": the preposition of the first is that of the others.
void Parser::neither_there(std::size_t at, Mods& out) {
  for (const std::size_t end : after(at, WordClass::kNeither)) {
    if (preposition_at(end).empty()) continue;
    for (const auto& values : values_joined(end + 1, WordClass::kNor, -1))
      out.push_back(turned(has_one_of(values)));
  }
}

// "neither in Oslo nor in Bergen": none of what is said.
void Parser::neither_said(std::size_t at, const std::function<const Mods&(std::size_t)>& more,
                          Mods& out) {
  for (const std::size_t end : after(at, WordClass::kNeither)) {
    const Mods firsts = more(end);
    for (const Mod& first : firsts) {
      for (const std::size_t nor : after(first.end, WordClass::kNor)) {
        for (const Mod& second : more(nor))
          out.push_back(both_or_either(turned(first), turned(second), true));
      }
    }
  }
}

}  // namespace anima::ask
