#include "sleep/detail/duplicate_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "sleep/evidence/mailbox.h"
#include "sleep/evidence/name_fit.h"
#include "store/rare_words.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kAliases[] = {"aliases", "alias", "also_known_as"};
constexpr std::size_t kMostLinks = 256;    // of a profile
constexpr std::size_t kLargestBlock = 50;  // more that are alike are a pattern, not duplicates
constexpr std::size_t kHits = 8;
// A word of a name that more texts have tells no two things apart; looking at them all would cost
// what there is, not what changed.
constexpr std::size_t kCommonWord = 1'000;
constexpr std::size_t kEndLetters = 4;  // letters of a name's beginning or end

std::vector<std::string> texts_in(const store::ValueView& value) {
  if (value.kind == store::ValueKind::kString) return {std::string(value.text)};
  std::vector<std::string> texts;
  if (value.kind != store::ValueKind::kJson) return texts;
  const auto list = parse_json(value.text);
  if (!list || !list->is_array()) return texts;
  for (const Json& item : list->as_array()) {
    if (item.is_string()) texts.push_back(item.as_string());
  }
  return texts;
}

bool any_alike(const NameForm& name, const std::vector<NameForm>& aliases) {
  return std::ranges::any_of(aliases, [&](const NameForm& alias) {
    return match_names(name, alias) >= NameMatch::kAlike;
  });
}

std::string block_of_key(EntityId type, const std::string& attribute, const Key& key) {
  return std::to_string(static_cast<std::uint32_t>(type)) + " i " + attribute + " " +
         key.identifier.value;
}

// An alias that spells one name out says who it is: "M. Rossi", also "Mario Rossi", is not Maria.
bool aliases_fit(const NameForm& name, const std::vector<NameForm>& aliases,
                 const NameForm& other) {
  return std::ranges::none_of(aliases, [&](const NameForm& alias) {
    return names_fit(alias, name) != NameFit::kNone && names_fit(alias, other) == NameFit::kNone;
  });
}

bool is_among(const NameForm& name, const std::vector<NameForm>& aliases) {
  return std::ranges::any_of(aliases, [&](const NameForm& alias) {
    return match_names(name, alias) >= NameMatch::kCased;
  });
}

}  // namespace

bool DuplicateFinder::is_comparable(EntityId item) const {
  if (!reading_.is_concept(item) || reading_.is_definition(item)) return false;
  const EntityId type = reading_.snapshot().type_of(item);
  if (type == reading_.event_type() || type == reading_.domain_type()) return false;
  const std::string_view name = reading_.snapshot().name(type);
  return name != "SleepTask" && name != "Digest";
}

const DuplicateFinder::Profile& DuplicateFinder::profile(EntityId item) {
  if (const auto known = profiles_.find(item); known != profiles_.end()) return known->second;
  Profile profile;
  const Snapshot& snapshot = reading_.snapshot();
  profile.name = name_form(snapshot.name(item));
  for (const std::string_view key : kAliases) {
    const auto name = snapshot.find_string(key);
    const auto term = snapshot.attribute(item, key);
    if (!term || !reading_.is_evidence({item, Predicate::attribute(*name), *term}, item)) continue;
    for (const std::string& alias : texts_in(snapshot.value(*term)))
      profile.aliases.push_back(name_form(alias));
  }
  profile.keys = identities_.keys_of(item);
  store::Scratch scratch;
  const auto take = [&](const store::Edges& edges, std::uint32_t direction) {
    for (std::size_t i = 0; i < edges.size() && i < kMostLinks; ++i) {
      const Predicate predicate{edges.predicates[i]};
      if (Term{edges.others[i]}.is_entity())
        profile.neighbours.insert(Term{edges.others[i]}.as_entity());
      if (!reading_.is_bookkeeping(predicate))
        profile.links.emplace(predicate.code ^ direction, edges.others[i]);
    }
  };
  take(snapshot.outgoing(item, store::PredicateClass::kLink, scratch), 0);
  take(snapshot.incoming(Term::entity(item), store::PredicateClass::kLink, scratch), 1u << 31);
  return profiles_.emplace(item, std::move(profile)).first->second;
}

Judgement DuplicateFinder::judge(EntityId a, EntityId b) {
  const Snapshot& snapshot = reading_.snapshot();
  if (a == b || snapshot.type_of(a) != snapshot.type_of(b)) return {};
  const Profile& x = profile(a);
  const Profile& y = profile(b);
  const NameMatch names = match_names(x.name, y.name);
  const bool alias = any_alike(x.name, y.aliases) || any_alike(y.name, x.aliases);
  Common common;
  const std::string differing = common_keys(a, x, y, &common);
  if (!differing.empty()) {
    return {names >= NameMatch::kAlike ? Verdict::kPossible : Verdict::kDifferent,
            "the names are alike, but " + differing + " differs", true};
  }
  if (names == NameMatch::kNone && !alias && !common.any()) return {};
  if (x.neighbours.contains(b) || y.neighbours.contains(a))
    return {Verdict::kPossible, "the names are alike, but a link joins the two", true};
  Judgement by_address;
  for (const std::string& attribute : common.addresses) {
    if (by_address.verdict != Verdict::kSame) by_address = judge_address(x, y, attribute);
  }
  const bool keyed = !common.identity.empty() || by_address.verdict == Verdict::kSame;
  const std::string conflict = identities_.conflict(a, b, !keyed);
  if (!conflict.empty())
    return {Verdict::kPossible, "they are alike, but " + conflict + " differs", true};
  if (!common.identity.empty()) return {Verdict::kSame, "an equal " + common.identity};
  if (names == NameMatch::kSame)
    return {Verdict::kSame, "names that are equal up to case and white space"};
  if (by_address.verdict != Verdict::kDifferent) return by_address;
  return judge_alike(x, y, names, alias, common);
}

std::string DuplicateFinder::common_keys(EntityId a, const Profile& x, const Profile& y,
                                         Common* common) const {
  for (const auto& [attribute, key] : x.keys) {
    const auto other = y.keys.find(attribute);
    if (other == y.keys.end()) continue;
    if (other->second.identifier.value != key.identifier.value) return attribute;
    if (key.strength == KeyStrength::kContact) common->contact = attribute;
    if (key.strength <= KeyStrength::kContact) continue;
    if (key.shared || other->second.shared ||
        shared_.contains(block_of_key(reading_.snapshot().type_of(a), attribute, key))) {
      common->shared = attribute;
    } else if (key.strength == KeyStrength::kIdentity) {
      common->identity = attribute;
    } else {
      common->addresses.push_back(attribute);
    }
  }
  return {};
}

// Of two with an equal address, account or author that nobody else has.
Judgement DuplicateFinder::judge_address(const Profile& x, const Profile& y,
                                         const std::string& attribute) const {
  const Identifier& address = x.keys.at(attribute).identifier;
  const bool mail = address.scheme == IdentifierScheme::kMail;
  const std::string equal = "an equal " + attribute;
  const bool told = is_among(x.name, y.aliases) || is_among(y.name, x.aliases);
  const NameFit fit = names_fit(x.name, y.name);
  const bool fits = fit != NameFit::kNone && aliases_fit(x.name, x.aliases, y.name) &&
                    aliases_fit(y.name, y.aliases, x.name);
  if (!told && !fits) return {Verdict::kPossible, equal + " under names that do not fit"};
  if (mail) {
    const bool personal =
        (told && (is_mailbox_of(address.value, x.name) || is_mailbox_of(address.value, y.name))) ||
        (fits && is_mailbox_of_both(address.value, x.name, y.name));
    if (personal) return {Verdict::kSame, equal + ", which is the mailbox of who has both names"};
    return {Verdict::kPossible, equal + ", which does not say that it is of one person"};
  }
  // An ORCID is of one person, whose papers have it, too.
  const bool alike = fit == NameFit::kSpelled || address.scheme == IdentifierScheme::kOrcid;
  if (told || (fits && alike)) return {Verdict::kSame, equal + " under names that fit"};
  return {Verdict::kPossible, equal + " under names that are not spelled alike"};
}

// Of two that say nothing against each other, and have neither an identity nor an address that
// nobody else has.
Judgement DuplicateFinder::judge_alike(const Profile& x, const Profile& y, NameMatch names,
                                       bool alias, const Common& common) const {
  if (!common.shared.empty())
    return {Verdict::kPossible, "an equal " + common.shared + ", which more than two have"};
  if (alias) return {Verdict::kPossible, "the name of one is an alias of the other"};
  if (names == NameMatch::kNone)
    return {Verdict::kPossible,
            "an equal " + common.contact + ", which may be of more than one thing"};
  std::size_t both = 0;
  for (const auto& link : x.links) both += y.links.contains(link) ? 1 : 0;
  const std::size_t all = x.links.size() + y.links.size() - both;
  const std::string_view how = names == NameMatch::kCased ? "names that differ in case"
                               : names == NameMatch::kAlike
                                   ? "names that differ in marks, accents or order"
                                   : "names that are nearly the same";
  return {Verdict::kPossible, fmt::format("{}, and {} of {} links in common", how, both, all)};
}

// The blocks that a concept is in: by its type, so that no others are compared.
void DuplicateFinder::block(EntityId item, std::map<std::string, std::vector<EntityId>>* blocks) {
  const Profile& it = profile(item);
  const std::string type =
      std::to_string(static_cast<std::uint32_t>(reading_.snapshot().type_of(item)));
  std::set<std::string> keys;
  keys.insert(type + " n " + it.name.compact);
  keys.insert(type + " w " + it.name.sorted);
  for (const NameForm& alias : it.aliases) keys.insert(type + " n " + alias.compact);
  keys.insert(type + " x " + it.name.exact);
  for (const auto& [attribute, key] : it.keys) {
    if (key.strength == KeyStrength::kNothing) continue;
    keys.insert(block_of_key(reading_.snapshot().type_of(item), attribute, key));
  }
  // A slip of the pen spoils one word, or one end of the name, but hardly all of it.
  for (const std::string& word : it.name.words) {
    if (word.size() >= kEndLetters) keys.insert(type + " o " + word);
  }
  if (it.name.compact.size() > kEndLetters) {
    keys.insert(type + " b " + it.name.compact.substr(0, kEndLetters));
    keys.insert(type + " e " + it.name.compact.substr(it.name.compact.size() - kEndLetters));
  }
  for (const std::string& key : keys) (*blocks)[key].push_back(item);
}

// What the indexes of the whole memory hold for the name: in any case, and nearly so.
std::vector<EntityId> DuplicateFinder::looked_up(EntityId item) {
  const Snapshot& snapshot = reading_.snapshot();
  const Profile& it = profile(item);
  std::vector<EntityId> found;
  const auto labelled = [&](std::string_view label) {
    for (const EntityId other : snapshot.concepts_labelled(label)) found.push_back(other);
  };
  labelled(snapshot.name(item));
  labelled(it.name.compact);
  labelled(join(it.name.words, " "));
  store::Scratch scratch;
  for (const auto& [attribute, key] : it.keys) {
    const auto name = snapshot.find_string(attribute);
    if (!name || key.strength == KeyStrength::kNothing) continue;
    for (const Term term : key.terms) {
      const auto same = snapshot.subjects(Predicate::attribute(*name), term, scratch);
      for (std::size_t i = 0; i < same.size() && i < kLargestBlock; ++i)
        found.push_back(EntityId{same[i]});
    }
  }
  store::TextQuery query;
  query.text = snapshot.name(item);
  query.type = snapshot.type_of(item);
  query.prefix = false;
  query.limit = kHits;
  for (const store::TextHit& hit : store::search_rare_words(snapshot, query, kCommonWord))
    found.push_back(hit.entity);
  return found;
}

std::vector<Pair> DuplicateFinder::find(const std::set<EntityId>& items, bool among_themselves) {
  std::set<std::pair<EntityId, EntityId>> candidates;
  std::map<std::string, std::vector<EntityId>> blocks;
  const auto add = [&](EntityId a, EntityId b) {
    if (a != b && is_comparable(b)) candidates.emplace(std::min(a, b), std::max(a, b));
  };
  for (const EntityId item : items) {
    if (!is_comparable(item)) continue;
    block(item, &blocks);
    if (among_themselves) continue;
    for (const EntityId other : looked_up(item)) add(item, other);
  }
  for (const auto& [key, members] : blocks) {
    if (members.size() > kLargestBlock) continue;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < members.size(); ++j) add(members[i], members[j]);
  }
  for (const auto& [key, members] : blocks) {
    if (members.size() > 2 && key.find(" i ") != std::string::npos) shared_.insert(key);
  }
  std::vector<Pair> pairs;
  for (const auto& [a, b] : candidates) {
    Judgement judgement = judge(a, b);
    if (judgement.verdict != Verdict::kDifferent) pairs.push_back({a, b, std::move(judgement)});
  }
  return pairs;
}

}  // namespace anima::sleep::detail
