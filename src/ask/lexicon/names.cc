#include "ask/lexicon/names.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/json/json.h"
#include "base/text/text.h"
#include "language/text/fold.h"
#include "language/text/words.h"

namespace anima::ask {
namespace {

constexpr std::size_t kLeastMerge = 1024;  // how much comes before a list is made anew
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

// Every name of a thing, cut into words; `aliases`: its other names too.
template <typename Visit>
void each_name(const store::Snapshot& snapshot, store::EntityId entity, bool aliases,
               std::size_t most_words, const Visit& visit) {
  const auto take = [&](std::string_view name) {
    const auto words = cut_name(name);
    if (!words.empty() && words.size() <= most_words) visit(words);
  };
  take(snapshot.name(entity));
  if (aliases) each_alias(snapshot, entity, take);
}

Postings::Entry name_entry(const std::vector<std::string>& words, store::EntityId entity) {
  return {hash_of(language::fold_for_finding(joined(words, 0, words.size()))), entity};
}

// The words of a run without blanks, where it has several.
std::vector<std::string> inner_words(const std::string& word) {
  std::vector<std::string> inner;
  if (language::letter_kind(decode_utf8(word, 0).value) != language::LetterKind::kUnbroken)
    return inner;
  const std::vector<language::TextSpan> spans = language::unbroken_words(word);
  for (const language::TextSpan& span : spans)
    if (spans.size() > 1) inner.push_back(word.substr(span.begin, span.end - span.begin));
  return inner;
}

// Calls part(word, is_all) for each word of a name that it may be asked for by, folded for finding;
// `is_all`: the name is this word.
template <typename Visit>
void each_part(const std::vector<std::string>& words, const Visit& visit) {
  for (const std::string& word : words) {
    const std::string folded = language::fold_for_finding(word);
    visit(folded, words.size() == 1);
    for (const std::string& inner : inner_words(folded)) visit(inner, false);
  }
}

}  // namespace

void Postings::build(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  entries.shrink_to_fit();
  base_ = std::move(entries);
}

bool Postings::in_base(Entry entry) const {
  return std::binary_search(base_.begin(), base_.end(), entry);
}

void Postings::add(Entry entry) {
  if (removed_.erase(entry) > 0 || in_base(entry)) return;
  added_.insert(entry);
  merge_when_large();
}

void Postings::remove(Entry entry) {
  if (added_.erase(entry) > 0 || !in_base(entry)) return;
  removed_.insert(entry);
  merge_when_large();
}

void Postings::merge_when_large() {
  if (added_.size() + removed_.size() < std::max(kLeastMerge, base_.size() / 16)) return;
  std::vector<Entry> kept, merged;
  std::set_difference(base_.begin(), base_.end(), removed_.begin(), removed_.end(),
                      std::back_inserter(kept));
  std::merge(kept.begin(), kept.end(), added_.begin(), added_.end(), std::back_inserter(merged));
  base_ = std::move(merged);
  added_.clear();
  removed_.clear();
}

std::vector<store::EntityId> Postings::find(std::uint32_t hash) const {
  std::vector<store::EntityId> found;
  const Entry first{hash, store::EntityId::kNone};
  auto at = std::lower_bound(base_.begin(), base_.end(), first);
  for (; at != base_.end() && at->hash == hash; ++at) {
    if (!removed_.contains(*at)) found.push_back(at->entity);
  }
  const std::size_t of_base = found.size();
  for (auto it = added_.lower_bound(first); it != added_.end() && it->hash == hash; ++it)
    found.push_back(it->entity);
  std::inplace_merge(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(of_base),
                     found.end());
  return found;
}

std::size_t Postings::bytes() const {
  // A node of a set holds three pointers and a colour beside its entry.
  constexpr std::size_t kNode = sizeof(Entry) + 4 * sizeof(void*);
  return base_.capacity() * sizeof(Entry) + (added_.size() + removed_.size()) * kNode;
}

NameIndex NameIndex::build(const store::Snapshot& snapshot, const Schema& schema) {
  NameIndex index;
  std::vector<Postings::Entry> names, parts;
  bool aliases = false;
  for (const std::string_view key : kNameKeys) aliases = aliases || schema.find_attribute(key) >= 0;
  schema.types_of.each([&](store::EntityId entity) {
    each_name(snapshot, entity, aliases, kMaxWords * 2, [&](const std::vector<std::string>& words) {
      ++index.lengths_[std::min(words.size(), kMaxWords)];
      names.push_back(name_entry(words, entity));
      each_part(words, [&](const std::string& word, bool is_all) {
        if (!is_all) parts.push_back({hash_of(word), entity});
        index.words_.add(word);
      });
    });
  });
  index.names_.build(std::move(names));
  index.parts_.build(std::move(parts));
  return index;
}

void NameIndex::follow(const store::Snapshot& before, const store::Snapshot& now,
                       const NameChange& change) {
  const auto remove = [&](const std::vector<std::string>& words) {
    --lengths_[std::min(words.size(), kMaxWords)];
    names_.remove(name_entry(words, change.entity));
    each_part(words, [&](const std::string& word, bool is_all) {
      if (!is_all) parts_.remove({hash_of(word), change.entity});
      words_.remove(word);
    });
  };
  const auto add = [&](const std::vector<std::string>& words) {
    ++lengths_[std::min(words.size(), kMaxWords)];
    names_.add(name_entry(words, change.entity));
    each_part(words, [&](const std::string& word, bool is_all) {
      if (!is_all) parts_.add({hash_of(word), change.entity});
      words_.add(word);
    });
  };
  if (change.was) each_name(before, change.entity, true, kMaxWords * 2, remove);
  if (change.is) each_name(now, change.entity, true, kMaxWords * 2, add);
}

std::size_t NameIndex::longest() const {
  std::size_t longest = kMaxWords;
  while (longest > 1 && lengths_[longest] == 0) --longest;
  return longest;
}

std::vector<store::EntityId> NameIndex::called(const store::Snapshot& snapshot,
                                               const std::string& words) const {
  std::vector<store::EntityId> same, up_to_accents;
  const std::string folded = language::fold_for_finding(words);
  for (const store::EntityId entity : names_.find(hash_of(folded))) {
    bool is_same = false, is_close = false;
    const auto compare = [&](std::string_view name) {
      const std::string own = normal_name(name);
      is_same = is_same || own == words;
      is_close = is_close || language::fold_for_finding(own) == folded;
    };
    compare(snapshot.name(entity));
    if (!is_same) each_alias(snapshot, entity, compare);
    if (is_same) same.push_back(entity);
    if (is_close) up_to_accents.push_back(entity);
  }
  return same.empty() ? up_to_accents : same;
}

std::vector<std::string> NameIndex::near_words(const std::string& word, std::size_t edits) const {
  return words_.near(language::fold_for_finding(word), edits);
}

std::vector<store::EntityId> NameIndex::with_words(const store::Snapshot& snapshot,
                                                   const std::vector<std::string>& asked,
                                                   std::size_t limit) const {
  std::vector<store::EntityId> found;
  std::vector<std::string> words;
  for (const std::string& word : asked) words.push_back(language::fold_for_finding(word));
  // Names with the rarest of the words are looked at.
  const std::string* rarest = &words[0];
  std::uint32_t fewest = 0;
  for (const std::string& word : words) {
    const std::uint32_t uses = words_.count(word);
    if (uses == 0) return found;
    if (fewest != 0 && uses >= fewest) continue;
    fewest = uses;
    rarest = &word;
  }
  for (const store::EntityId entity : parts_.find(hash_of(*rarest))) {
    if (found.size() >= limit) break;
    const auto has_all = [&](std::string_view name) {
      std::vector<std::string> own = cut_name(name);
      for (std::string& word : own) word = language::fold_for_finding(word);
      if (own.size() > words.size() &&
          std::search(own.begin(), own.end(), words.begin(), words.end()) != own.end())
        return true;
      return words.size() == 1 && std::any_of(own.begin(), own.end(), [&](const std::string& word) {
               const std::vector<std::string> inner = inner_words(word);
               return std::find(inner.begin(), inner.end(), words[0]) != inner.end();
             });
    };
    bool fits = has_all(snapshot.name(entity));
    if (!fits)
      each_alias(snapshot, entity, [&](std::string_view name) { fits = fits || has_all(name); });
    if (fits) found.push_back(entity);
  }
  return found;
}

}  // namespace anima::ask
