#include "sleep/detail/duplicate_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "store/rare_words.h"

namespace anima::sleep::detail {
namespace {

constexpr std::string_view kIdentifiers[] = {"email",  "e_mail", "url", "website", "phone",
                                             "handle", "isbn",   "doi", "orcid",   "iban"};
constexpr std::string_view kAliases[] = {"aliases", "alias", "also_known_as"};
constexpr std::size_t kMostLinks = 256;    // of a profile
constexpr std::size_t kLargestBlock = 50;  // more that are alike are a pattern, not duplicates
constexpr std::size_t kHits = 8;
// A word of a name that more texts have tells no two things apart; looking at them all would cost
// what there is, not what changed.
constexpr std::size_t kCommonWord = 1'000;
constexpr std::size_t kEndLetters = 4;       // letters of a name's beginning or end
constexpr std::size_t kSharedLinks = 3;      // two colleagues have two in common soon
constexpr double kAlikeNeighbourhood = 0.3;  // of the links of both
constexpr double kContained = 0.75;          // of the links of the one with fewer

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

bool any_same(const NameForm& name, const std::vector<NameForm>& aliases) {
  return std::ranges::any_of(
      aliases, [&](const NameForm& alias) { return match_names(name, alias) == NameMatch::kSame; });
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
    const auto term = snapshot.attribute(item, key);
    if (!term) continue;
    for (const std::string& alias : texts_in(snapshot.value(*term)))
      profile.aliases.push_back(name_form(alias));
  }
  for (const std::string_view key : kIdentifiers) {
    const std::string value = reading_.text(item, key);
    if (!value.empty()) profile.identifiers.emplace(key, fold_for_search(trim(value)));
  }
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
  std::string equal_identifier;
  for (const auto& [key, value] : x.identifiers) {
    const auto other = y.identifiers.find(key);
    if (other == y.identifiers.end()) continue;
    if (other->second == value) equal_identifier = key;
    if (other->second != value) {
      return {match_names(x.name, y.name) == NameMatch::kSame ? Verdict::kPossible
                                                              : Verdict::kDifferent,
              "the names are alike, but " + key + " differs", true};
    }
  }
  const NameMatch names = match_names(x.name, y.name);
  const bool alias = any_same(x.name, y.aliases) || any_same(y.name, x.aliases);
  if (names == NameMatch::kNone && !alias && equal_identifier.empty()) return {};
  if (x.neighbours.contains(b) || y.neighbours.contains(a))
    return {Verdict::kPossible, "the names are alike, but a link joins the two", true};
  if (names == NameMatch::kSame) return {Verdict::kSame, "the same name in another spelling"};
  if (alias) return {Verdict::kSame, "the name of one is an alias of the other"};
  if (names == NameMatch::kNear && !equal_identifier.empty())
    return {Verdict::kSame, "names that are nearly the same, and an equal " + equal_identifier};
  if (names == NameMatch::kNone)
    return {Verdict::kPossible, "an equal " + equal_identifier + " under other names"};
  std::size_t shared = 0;
  for (const auto& link : x.links) shared += y.links.contains(link) ? 1 : 0;
  const std::size_t all = x.links.size() + y.links.size() - shared;
  const double alike = all == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(all);
  const std::string links = fmt::format("{} of {} links in common", shared, all);
  const std::size_t fewer = std::min(x.links.size(), y.links.size());
  const bool contained = static_cast<double>(shared) >= kContained * static_cast<double>(fewer);
  if (shared >= kSharedLinks && (alike >= kAlikeNeighbourhood || contained))
    return {Verdict::kSame, "names that are nearly the same, and " + links};
  return {Verdict::kPossible, "names that are nearly the same, but only " + links};
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
  for (const auto& [key, value] : it.identifiers) keys.insert(type + " i " + key + " " + value);
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
  std::vector<Pair> pairs;
  for (const auto& [a, b] : candidates) {
    Judgement judgement = judge(a, b);
    if (judgement.verdict != Verdict::kDifferent) pairs.push_back({a, b, std::move(judgement)});
  }
  return pairs;
}

}  // namespace anima::sleep::detail
