#include "ask/lexicon/names.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/json/json.h"
#include "base/text/text.h"
#include "language/names/equality.h"
#include "language/text/compounds.h"
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

// "Tom Smith" of "Tom Smith (7)": the name without what tells it from others; else empty.
std::string_view shared_name(std::string_view name) {
  const std::size_t open = name.rfind(" (");
  return name.ends_with(')') && open != std::string_view::npos ? name.substr(0, open)
                                                               : std::string_view();
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
  if (const auto shared = shared_name(snapshot.name(entity)); !shared.empty()) take(shared);
  if (aliases) each_alias(snapshot, entity, take);
}

// A text as it is looked for: folded, and as who lacks its letters writes it, where that differs.
std::vector<std::string> found_as(const std::string& text) {
  std::vector<std::string> forms{language::fold_for_finding(text)};
  if (is_ascii(text)) return forms;
  std::string spelled = language::transcribed(text);
  if (spelled != forms[0]) forms.push_back(std::move(spelled));
  return forms;
}

bool same_found(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::find_first_of(a, b) != a.end();
}

// Calls entry(Postings::Entry) for each way in which the whole name is looked for.
template <typename Visit>
void each_entry(const std::vector<std::string>& words, store::EntityId entity, const Visit& visit) {
  for (const std::string& form : found_as(joined(words, 0, words.size())))
    visit(Postings::Entry{hash_of(form), entity});
}

// The words inside a word, folded for finding: of a run without blanks, of a compound.
std::vector<std::string> inner_words(const std::string& word) {
  const bool unbroken =
      language::letter_kind(decode_utf8(word, 0).value) == language::LetterKind::kUnbroken;
  const std::vector<language::TextSpan> spans =
      unbroken ? language::unbroken_words(word) : language::compound_parts(word);
  std::vector<std::string> inner;
  for (const language::TextSpan& span : spans)
    if (spans.size() > 1) inner.push_back(word.substr(span.begin, span.end - span.begin));
  return inner;
}

// Calls part(word, is_all) for each word of a name that it may be asked for by, folded for finding;
// `is_all`: the name is this word.
template <typename Visit>
void each_part(const std::vector<std::string>& words, const Visit& visit) {
  for (const std::string& word : words) {
    const std::vector<std::string> forms = found_as(word);
    for (const std::string& form : forms) visit(form, words.size() == 1);
    for (const std::string& inner : inner_words(forms[0])) visit(inner, false);
  }
}

// Whether the words stand in a name among more, and are no part of a number or identifier of it.
bool has_words(std::string_view name, const std::vector<std::string>& words) {
  const std::vector<Piece> own = name_pieces(name);
  const auto is_same = [](const Piece& piece, const std::string& word) {
    const std::vector<std::string> forms = found_as(piece.folded);
    return std::ranges::find(forms, word) != forms.end();
  };
  const auto at = std::search(own.begin(), own.end(), words.begin(), words.end(), is_same);
  if (at != own.end() && own.size() > words.size()) {
    const auto last = at + static_cast<std::ptrdiff_t>(words.size() - 1);
    return !at->joined_before && !last->joined_behind;
  }
  return words.size() == 1 && std::ranges::any_of(own, [&](const Piece& piece) {
           const auto inner = inner_words(language::fold_for_finding(piece.folded));
           return std::ranges::find(inner, words[0]) != inner.end();
         });
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

bool is_called(const store::Snapshot& snapshot, store::EntityId entity, std::string_view text) {
  bool found = false;
  const auto look = [&](std::string_view name) {
    found = found || language::equal_names(name, text, language::NameEquality::kCase);
  };
  look(snapshot.name(entity));
  look(shared_name(snapshot.name(entity)));
  if (!found) each_alias(snapshot, entity, look);
  return found;
}

bool is_in_a_name(const store::Snapshot& snapshot, store::EntityId entity, std::string_view text) {
  bool found = false;
  const auto look = [&](std::string_view name) {
    found = found || name.find(text) != std::string_view::npos;
  };
  look(snapshot.name(entity));
  each_alias(snapshot, entity, look);
  return found;
}

NameIndex NameIndex::build(const store::Snapshot& snapshot, const Schema& schema) {
  NameIndex index;
  std::vector<Postings::Entry> names, parts;
  bool aliases = false;
  for (const std::string_view key : kNameKeys) aliases = aliases || schema.find_attribute(key) >= 0;
  schema.types_of.each([&](store::EntityId entity) {
    each_name(snapshot, entity, aliases, kMaxWords * 2, [&](const std::vector<std::string>& words) {
      ++index.lengths_[std::min(words.size(), kMaxWords)];
      each_entry(words, entity, [&](Postings::Entry entry) { names.push_back(entry); });
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
    each_entry(words, change.entity, [&](Postings::Entry entry) { names_.remove(entry); });
    each_part(words, [&](const std::string& word, bool is_all) {
      if (!is_all) parts_.remove({hash_of(word), change.entity});
      words_.remove(word);
    });
  };
  const auto add = [&](const std::vector<std::string>& words) {
    ++lengths_[std::min(words.size(), kMaxWords)];
    each_entry(words, change.entity, [&](Postings::Entry entry) { names_.add(entry); });
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

std::vector<store::EntityId> NameIndex::called(
    const store::Snapshot& snapshot, const std::string& words,
    const std::function<bool(std::string_view name)>& fits) const {
  std::vector<store::EntityId> same, up_to_accents;
  const std::vector<std::string> forms = found_as(words);
  std::vector<store::EntityId> entities = names_.find(hash_of(forms[0]));
  if (forms.size() > 1) {
    for (const store::EntityId entity : names_.find(hash_of(forms[1]))) entities.push_back(entity);
    std::ranges::sort(entities);
    entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
  }
  for (const store::EntityId entity : entities) {
    bool is_same = false, is_close = false;
    const auto compare = [&](std::string_view name) {
      const std::string own = normal_name(name);
      if (fits && !fits(name)) return;
      is_same = is_same || own == words;
      is_close = is_close || same_found(found_as(own), forms);
    };
    compare(snapshot.name(entity));
    if (const auto shared = shared_name(snapshot.name(entity)); !is_same && !shared.empty())
      compare(shared);
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
    bool fits = has_words(snapshot.name(entity), words);
    if (!fits)
      each_alias(snapshot, entity,
                 [&](std::string_view name) { fits = fits || has_words(name, words); });
    if (fits) found.push_back(entity);
  }
  return found;
}

}  // namespace anima::ask
