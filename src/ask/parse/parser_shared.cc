// Several verbs that one doer or one time belongs to: "run or reviewed by Vera", "neither issued
// nor returned in March", "(did Gill) drive but not load".
#include <algorithm>
#include <array>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"
#include "ask/parse/times.h"

namespace anima::ask {
namespace {

constexpr std::size_t kMostVerbs = 4;

}  // namespace

// Whether a time begins there.
bool Parser::says_time(std::size_t at) const {
  constexpr std::array kWords = {WordClass::kInTime,    WordClass::kBeforeTime,
                                 WordClass::kAfterTime, WordClass::kSinceTime,
                                 WordClass::kUntilTime, WordClass::kBetween};
  return std::ranges::any_of(kWords, [&](WordClass word) { return at_class(at, word); }) ||
         !read_time(pieces_, at, pack_, context_.now).empty();
}

bool Parser::shares_what_follows(std::size_t end, bool time) const {
  for (const WordClass joiner : {WordClass::kAnd, WordClass::kOr, WordClass::kNor}) {
    for (const std::size_t next : after(end, joiner)) {
      const std::size_t verb = skip(skip(next, WordClass::kNot), WordClass::kBe);
      if (at_end(verb + 1) || !pack_.is_participle(pieces_[verb].folded)) continue;
      if (pack_.is_by(pieces_[verb + 1].folded) || (time && says_time(verb + 1)) ||
          shares_what_follows(verb + 1, time))
        return true;
    }
  }
  return false;
}

// "Not run but reviewed": what "not" is said of is clear before "but", and before another "not".
// Of "not run and reviewed" it may be both, so that this is none.
bool Parser::is_clear(const Joint& joint, bool denied, bool contrast) {
  return !joint.each.front().second || denied || (contrast && joint.all);
}

// One verb more behind a joiner that is that of all of them.
void Parser::join_verb(const Joint& joint, Sense::Kind kind, std::vector<Joint>& out) const {
  const auto go_on = [&](std::size_t next, bool all, bool contrast, bool neither) {
    if (joint.each.size() > 1 && joint.all != all) return;
    const std::size_t no = neither ? next : skip(next, WordClass::kNot);
    for (const Sense* sense : senses(skip(no, WordClass::kBe), kind)) {
      Joint more = joint;
      more.end = sense->end;
      more.cost += sense->cost;
      more.all = all;
      more.clear = joint.clear && !contrast && no == next;
      if (!is_clear(more, no != next || neither, contrast)) continue;
      more.each.emplace_back(sense, no != next || neither);
      out.push_back(std::move(more));
    }
  };
  if (joint.neither || joint.each.front().second) {
    for (const std::size_t next : after(joint.end, WordClass::kNor)) go_on(next, true, false, true);
  }
  if (joint.neither) return;
  for (const std::size_t next : after(joint.end, WordClass::kAnd))
    go_on(next, true, at_class(joint.end, WordClass::kContrast), false);
  if (joint.both) return;
  for (const std::size_t next : after(joint.end, WordClass::kOr)) go_on(next, false, false, false);
}

std::vector<Parser::Joint> Parser::verbs_joined(std::size_t at, Sense::Kind kind) const {
  std::vector<Joint> open, whole;
  const auto begin = [&](std::size_t from, const Joint& lead, bool denied) {
    for (const Sense* sense : senses(from, kind)) {
      Joint first = lead;
      first.end = sense->end;
      first.cost = sense->cost;
      first.each.emplace_back(sense, denied);
      open.push_back(std::move(first));
    }
  };
  begin(at, {}, false);
  for (const std::size_t from : after(at, WordClass::kNot)) {
    Joint lead;
    lead.clear = false;
    begin(from, lead, true);
  }
  for (const std::size_t from : after(at, WordClass::kNeither)) {
    Joint lead;
    lead.neither = true;
    lead.clear = false;
    begin(from, lead, true);
  }
  for (const std::size_t from : after(at, WordClass::kBoth)) {
    Joint lead;
    lead.both = true;
    begin(from, lead, false);
  }
  for (std::size_t i = 0; i < open.size() && open.size() < kMaxAlternatives; ++i) {
    const Joint one = open[i];
    if (one.each.size() > 1) whole.push_back(one);
    if (one.each.size() < kMostVerbs) join_verb(one, kind, open);
  }
  return whole;
}

// What is said with each of the verbs, or with any of them.
Mod Parser::with_each(const Joint& joint, const std::function<Mod(const Sense&)>& said) const {
  Mod mod;
  for (const auto& [sense, denied] : joint.each) {
    const Mod one = denied ? turned(said(*sense)) : said(*sense);
    mod = mod.apply == nullptr ? one : both_or_either(mod, one, joint.all);
  }
  mod.end = joint.end;
  mod.cost = joint.cost;
  mod.said = {joint.each.front().first, true};
  // "Not (run and reviewed)" may deny the first alone.
  mod.contrast = joint.all || !joint.clear;
  return mod;
}

// What leads from what it is done to to who does it.
std::optional<Edge> Parser::edge_by(const Sense& verb) const {
  for (const auto& [preposition, inverse] : frames(verb)) {
    if (preposition == "*" || pack_.is_by(preposition)) return Edge{verb.predicate, inverse, false};
  }
  return std::nullopt;
}

// "approved or checked by Ada"
void Parser::done_by_one(std::size_t at, Mods& out) {
  for (const Joint& joint : verbs_joined(at, Sense::Kind::kVerb)) {
    if (at_end(joint.end) || !pack_.is_by(pieces_[joint.end].folded)) continue;
    if (!std::ranges::all_of(joint.each,
                             [&](const auto& one) { return edge_by(*one.first).has_value(); }))
      continue;
    for (const Noun& noun : nouns(joint.end + 1)) {
      if (noun.phrase.quantity != Quantity::kSome) continue;
      out.push_back(with_each(joint, [this, noun](const Sense& verb) {
        Mod one;
        one.apply = [this, noun, edge = *edge_by(verb)](const SetRef& set) {
          return joins_.relate(set, edge, noun.phrase);
        };
        return one;
      }));
      out.back().end = noun.end;
      out.back().cost += noun.cost;
    }
  }
  for (const Joint& joint : verbs_joined(at, Sense::Kind::kDeed)) {
    for (const std::size_t by : after(joint.end, WordClass::kBy)) {
      for (const Sense* doer : doers(by)) done_by_text(joint, *doer, doer->end, out);
    }
  }
}

// Of columns of texts: a name that stands in one of them.
void Parser::done_by_text(const Joint& joint, const Sense& doer, std::size_t end, Mods& out) const {
  if (std::ranges::none_of(joint.each,
                           [&](const auto& one) { return one.first->attribute == doer.attribute; }))
    return;
  // In each column it stands there, and is read once.
  const auto first = std::ranges::find_if(joint.each, [&](const auto& one) {
    return std::ranges::any_of(senses(doer.begin, Sense::Kind::kValue), [&](const Sense* value) {
      return value->end == doer.end && value->attribute == one.first->attribute;
    });
  });
  if (first == joint.each.end() || first->first->attribute != doer.attribute) return;
  out.push_back(with_each(joint, [&](const Sense& deed) { return done_by(deed, doer, deed.end); }));
  out.back().end = end;
  out.back().cost += doer.cost;
  out.back().doer = true;
}

// "issued or returned in March", "start and end before 9:00"
void Parser::done_then(std::size_t at, Mods& out) {
  for (const Joint& joint : verbs_joined(at, Sense::Kind::kAttribute)) {
    if (!std::ranges::all_of(joint.each, [&](const auto& one) {
          return joins_.is_date(one.first->attribute,
                                joins_.attribute_types(one.first->attribute)) ||
                 joins_.holds_clocks(one.first->attribute);
        }))
      continue;
    std::map<int, Mods> tests;
    for (const auto& one : joint.each)
      tests[one.first->attribute] = attribute_tests(joint.end, one.first->attribute, 0);
    const Mods& first = tests[joint.each.front().first->attribute];
    for (std::size_t i = 0; i < first.size(); ++i) {
      const bool same = std::ranges::all_of(tests, [&](const auto& one) {
        return one.second.size() == first.size() && one.second[i].end == first[i].end;
      });
      if (!same) continue;
      out.push_back(with_each(joint, [&](const Sense& date) { return tests[date.attribute][i]; }));
      out.back().end = first[i].end;
      out.back().cost += first[i].cost;
    }
  }
}

// "(did Gill) drive but not load", of relations
void Parser::gaps_joined(std::size_t at, const Phrase& subject, Mods& out) const {
  if (subject.quantity != Quantity::kSome) return;
  for (const Joint& joint : verbs_joined(at, Sense::Kind::kVerb)) {
    const auto back = [this](const Sense& verb) -> std::optional<Edge> {
      for (const auto& [frame, inverse] : frames(verb)) {
        if (frame.empty()) return Edge{verb.predicate, !inverse, false};
      }
      return std::nullopt;
    };
    if (!std::ranges::all_of(joint.each,
                             [&](const auto& one) { return back(*one.first).has_value(); }))
      continue;
    out.push_back(with_each(joint, [&](const Sense& verb) {
      Mod one;
      one.apply = [this, subject, edge = *back(verb)](const SetRef& set) {
        return joins_.relate(set, edge, subject);
      };
      return one;
    }));
  }
}

}  // namespace anima::ask
