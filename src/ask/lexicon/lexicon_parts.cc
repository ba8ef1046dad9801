// What an attribute is called by a part of its name: "pages" of page_count, "weighs" of weight_kg.
#include <algorithm>

#include "ask/lexicon/lexicon.h"

namespace anima::ask {
namespace {

// "temp" of "temperature", "qty" of "quantity": its beginning, or few of its letters with the first
// and the last.
bool is_short_for(const std::string& word, const std::string& whole) {
  constexpr std::size_t kShortest = 3, kLeft = 3;
  if (word.size() < kShortest || whole.size() < word.size() + kLeft) return false;
  if (whole.starts_with(word)) return true;
  if (word.size() * 2 > whole.size() + 1 || word.front() != whole.front() ||
      word.back() != whole.back())
    return false;
  std::size_t at = 0;
  for (const char c : whole) at += at < word.size() && c == word[at] ? 1 : 0;
  return at == word.size();
}

}  // namespace

// What else an attribute is called by a part of its name.
void Lexicon::add_other_names(int index) {
  const AttributeInfo& attribute = schema().attributes[static_cast<std::size_t>(index)];
  std::vector<std::string> words = attribute.words;
  if (!attribute.unit.empty()) words.pop_back();
  Sense sense;
  sense.kind = Sense::Kind::kAttribute;
  sense.attribute = index;
  sense.cost = 0.05;
  // "Weighs", of a weight.
  const std::string own = words.size() == 1 ? pack_->stem(words[0]) : std::string();
  if (const std::string verb = pack_->verb_of(own); attribute.numeric() && verb != own)
    add_stemmed(verb, sense);
  // "Pages", of a page count.
  bool behind = false;
  std::vector<std::string> counted = pack_->counted_in(words, &behind);
  if (!counted.empty() && attribute.numeric() && !attribute.dates()) {
    Sense many = sense;
    many.counted = behind;
    add(counted, many);
  }
  // "The date" of a visit, of its visit_date.
  if (attribute.types.size() != 1 || !attribute.dates()) return;
  const std::vector<std::string> type =
      cut_key(schema().types[attribute.types.begin()->first].name);
  const bool of_type =
      words.size() == type.size() + 1 && std::equal(type.begin(), type.end(), words.begin());
  if (of_type && pack_->is_kind_noun(words.back())) add({words.back()}, sense);
}

// Means nothing but what a question may order ("start"), which is none in a question.
bool Lexicon::is_free(const std::string& word) const {
  const auto* uses = pack_->uses(word);
  const bool said =
      uses != nullptr && !std::ranges::all_of(*uses, [](const PackUse& use) {
        return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kImperative;
      });
  return !said && !exact_.contains(word) && !stemmed_.contains(pack_->stem(word));
}

std::string Lexicon::abbreviated(const std::string& word) const {
  std::string found;
  for (const AttributeInfo& attribute : schema().attributes) {
    const std::size_t size = attribute.words.size() - (attribute.unit.empty() ? 0 : 1);
    const bool one = std::any_of(
        attribute.words.begin(), attribute.words.begin() + static_cast<std::ptrdiff_t>(size),
        [&](const std::string& own) { return is_short_for(own, word) || is_short_for(word, own); });
    if (!one) continue;
    std::string name = joined(attribute.words, 0, size);
    if (!found.empty() && found != name) return {};
    found = std::move(name);
  }
  return found;
}

}  // namespace anima::ask
