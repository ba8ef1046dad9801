#include "ask/lexicon/word_table.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/text/text.h"

namespace anima::ask {
namespace {

constexpr std::uint32_t kLengthBits = 7;

// Which bytes a word has. An edit changes few of the bits: of letters beyond ASCII some more.
std::uint64_t letters_of(std::string_view word) {
  std::uint64_t bits = 0;
  for (const char c : word) bits |= std::uint64_t{1} << (static_cast<unsigned char>(c) % 64);
  return bits;
}

}  // namespace

// A word's place is kept with its length in one number; the length is never 0.
std::uint32_t WordTable::slot_of(std::size_t length, std::size_t at) {
  return static_cast<std::uint32_t>(at << kLengthBits | length);
}

std::string_view WordTable::word_in(std::uint32_t slot) const {
  const std::size_t length = slot & ((1u << kLengthBits) - 1);
  return rows_[length].word(slot >> kLengthBits, length);
}

std::uint32_t& WordTable::count_in(std::uint32_t slot) {
  return rows_[slot & ((1u << kLengthBits) - 1)].counts[slot >> kLengthBits];
}

std::size_t WordTable::place(std::string_view word) const {
  std::size_t at = std::hash<std::string_view>()(word) & (slots_.size() - 1);
  while (slots_[at] != 0 && word_in(slots_[at]) != word) at = (at + 1) & (slots_.size() - 1);
  return at;
}

void WordTable::grow() {
  std::vector<std::uint32_t> old(std::max<std::size_t>(64, slots_.size() * 2), 0);
  old.swap(slots_);
  for (const std::uint32_t slot : old) {
    if (slot != 0) slots_[place(word_in(slot))] = slot;
  }
}

void WordTable::add(std::string_view word) {
  if (word.empty() || word.size() > kMaxLength) return;
  if ((used_ + 1) * 4 > slots_.size() * 3) grow();
  const std::size_t at = place(word);
  if (slots_[at] == 0) {
    Row& row = rows_[word.size()];
    slots_[at] = slot_of(word.size(), row.counts.size());
    row.letters += word;
    row.counts.push_back(0);
    ++used_;
  }
  ++count_in(slots_[at]);
}

// A word that is used no more stays where it is, with no use: it may come again.
void WordTable::remove(std::string_view word) {
  if (word.empty() || word.size() > kMaxLength) return;
  const std::size_t at = place(word);
  if (slots_[at] != 0 && count_in(slots_[at]) > 0) --count_in(slots_[at]);
}

std::uint32_t WordTable::count(std::string_view word) const {
  if (word.size() > kMaxLength) return 1;
  if (word.empty() || slots_.empty()) return 0;
  const std::uint32_t slot = slots_[place(word)];
  return slot == 0 ? 0 : rows_[word.size()].counts[slot >> kLengthBits];
}

std::vector<std::string> WordTable::near(std::string_view word, std::size_t edits) const {
  std::vector<std::string> found;
  const std::uint64_t letters = letters_of(word);
  const bool ascii = std::all_of(word.begin(), word.end(), [](char c) { return c >= 0; });
  const std::size_t most = (ascii ? 4 : 6) * edits;
  const std::size_t shortest = word.size() > edits ? word.size() - edits : 1;
  const std::size_t longest = std::min(kMaxLength, word.size() + edits);
  for (std::size_t length = shortest; length <= longest; ++length) {
    const Row& row = rows_[length];
    for (std::size_t i = 0; i < row.counts.size(); ++i) {
      const std::string_view known = row.word(i, length);
      const auto differ = static_cast<std::size_t>(std::popcount(letters ^ letters_of(known)));
      if (row.counts[i] == 0 || differ > most) continue;
      if (edit_distance(word, known, edits) <= edits) found.emplace_back(known);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t WordTable::bytes() const {
  std::size_t total = slots_.capacity() * sizeof(std::uint32_t);
  for (const Row& row : rows_)
    total += row.letters.capacity() + row.counts.capacity() * sizeof(std::uint32_t);
  return total;
}

}  // namespace anima::ask
