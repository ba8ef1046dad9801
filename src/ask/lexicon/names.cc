#include "ask/lexicon/names.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/json.h"
#include "base/text.h"

namespace anima::ask {
namespace {

constexpr std::size_t kMaxWords = 8;
constexpr std::array<std::string_view, 4> kNameKeys = {"aliases", "alias", "label", "title"};

std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

// The other names that a thing's attributes give it.
void each_alias(const store::Snapshot& snapshot, store::EntityId entity,
                const std::function<void(std::string_view)>& visit) {
  for (const std::string_view key : kNameKeys) {
    const auto term = snapshot.attribute(entity, key);
    if (!term) continue;
    const store::ValueView value = snapshot.value(*term);
    if (value.kind == store::ValueKind::kString) visit(value.text);
    if (value.kind != store::ValueKind::kJson) continue;
    const auto json = parse_json(value.text);
    if (!json) continue;
    for (const Json& one : json->as_array()) visit(one.as_string());
  }
}

}  // namespace

NameIndex NameIndex::build(const store::Snapshot& snapshot, const Schema& schema) {
  NameIndex index;
  const auto add = [&](store::EntityId entity, std::string_view name) {
    const auto words = cut_name(name);
    if (words.empty() || words.size() > kMaxWords * 2) return;
    index.longest_ = std::max(index.longest_, std::min(words.size(), kMaxWords));
    index.names_.push_back({hash_of(joined(words, 0, words.size())), entity});
    for (const std::string& word : words) {
      if (words.size() > 1) index.parts_.push_back({hash_of(word), entity});
      ++index.words_[word];
    }
  };
  bool aliases = false;
  for (const std::string_view key : kNameKeys) aliases = aliases || schema.find_attribute(key) >= 0;
  for (std::uint32_t i = 1; i < schema.types_of.size(); ++i) {
    if (schema.types_of[i].empty()) continue;
    const store::EntityId entity{i};
    add(entity, snapshot.name(entity));
    if (aliases) each_alias(snapshot, entity, [&](std::string_view name) { add(entity, name); });
  }
  for (auto* list : {&index.names_, &index.parts_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
    list->shrink_to_fit();
  }
  return index;
}

std::vector<store::EntityId> NameIndex::called(const store::Snapshot& snapshot,
                                               const std::string& words) const {
  std::vector<store::EntityId> found;
  const std::uint32_t hash = hash_of(words);
  auto at = std::lower_bound(names_.begin(), names_.end(), Entry{hash, store::EntityId::kNone});
  for (; at != names_.end() && at->hash == hash; ++at) {
    bool same = normal_name(snapshot.name(at->entity)) == words;
    if (!same) {
      each_alias(snapshot, at->entity,
                 [&](std::string_view name) { same = same || normal_name(name) == words; });
    }
    if (same) found.push_back(at->entity);
  }
  return found;
}

std::vector<store::EntityId> NameIndex::with_words(const store::Snapshot& snapshot,
                                                   const std::vector<std::string>& words,
                                                   std::size_t limit) const {
  std::vector<store::EntityId> found;
  // Names with the rarest of the words are looked at.
  const std::string* rarest = &words[0];
  std::uint32_t fewest = 0;
  for (const std::string& word : words) {
    const auto known = words_.find(word);
    if (known == words_.end()) return found;
    if (fewest != 0 && known->second >= fewest) continue;
    fewest = known->second;
    rarest = &word;
  }
  const std::uint32_t hash = hash_of(*rarest);
  auto at = std::lower_bound(parts_.begin(), parts_.end(), Entry{hash, store::EntityId::kNone});
  for (; at != parts_.end() && at->hash == hash && found.size() < limit; ++at) {
    const auto has_all = [&](std::string_view name) {
      const auto own = cut_name(name);
      return own.size() > words.size() &&
             std::search(own.begin(), own.end(), words.begin(), words.end()) != own.end();
    };
    bool fits = has_all(snapshot.name(at->entity));
    if (!fits) {
      each_alias(snapshot, at->entity,
                 [&](std::string_view name) { fits = fits || has_all(name); });
    }
    if (fits) found.push_back(at->entity);
  }
  return found;
}

std::vector<std::string> NameIndex::near_words(const std::string& word, std::size_t edits) const {
  std::vector<std::string> found;
  for (const auto& [known, count] : words_) {
    const std::size_t longer = std::max(known.size(), word.size());
    if (longer - std::min(known.size(), word.size()) > edits) continue;
    if (edit_distance(word, known, edits) <= edits) found.push_back(known);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace anima::ask
