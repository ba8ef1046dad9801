#include "sleep/evidence/mailbox.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "language/names/romanised.h"
#include "language/text/script.h"
#include "sleep/evidence/name_words.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kMostLetters = 64, kMostWords = 6;

struct Mailbox {
  std::vector<std::u32string> blocks;  // of letters, between separators
  std::vector<std::string> domains;    // labels but the last
  std::size_t letters = 0;
};

bool is_letter(char32_t c) {
  const CharClass kind = classify(c);
  return kind == CharClass::kLetter || kind == CharClass::kMark || kind == CharClass::kIdeograph;
}

// No blocks: it holds what no name does.
Mailbox read_mailbox(std::string_view address) {
  Mailbox mailbox;
  const std::size_t at = std::min(address.find('@'), address.size());
  std::u32string local = to_utf32(to_lower(address.substr(0, std::min(address.find('+'), at))));
  while (!local.empty() && classify(local.back()) == CharClass::kDigit) local.pop_back();
  bool open = false;
  for (const char32_t c : local) {
    if (is_letter(c)) {
      if (!open) mailbox.blocks.emplace_back();
      mailbox.blocks.back() += c;
      ++mailbox.letters;
      open = true;
    } else if (c == U'.' || c == U'_' || c == U'-') {
      open = false;
    } else {
      return {};
    }
  }
  if (at < address.size()) {
    for (const std::string_view label : split(address.substr(at + 1), '.'))
      mailbox.domains.emplace_back(label);
    mailbox.domains.pop_back();
  }
  return mailbox;
}

NameWord word_of(std::u32string_view letters) { return {to_utf8(letters), false, true}; }

// O'Brien is "obrien".
NameWord without_apostrophes(NameWord word) {
  std::u32string letters = to_utf32(word.written);
  std::erase_if(letters, [](char32_t c) { return c == U'\'' || c == 0x2019; });
  word.letters = std::ranges::all_of(letters, is_letter);
  word.written = to_utf8(letters);
  return word;
}

struct Piece {
  std::size_t word = 0;
  bool full = false;
  std::size_t block = 0;
};

// Takes the blocks of a mailbox apart into words of a name.
class MailboxReader {
 public:
  // `needed`: words that must be written out.
  MailboxReader(const Mailbox& mailbox, std::vector<NameWord> words, std::set<std::size_t> needed)
      : mailbox_(mailbox), words_(std::move(words)), needed_(std::move(needed)) {}

  bool fits() {
    const std::size_t count = words_.size();
    if (count < 2 || count > kMostWords || mailbox_.blocks.empty() ||
        mailbox_.letters > kMostLetters)
      return false;
    const std::ptrdiff_t last_first = static_cast<std::ptrdiff_t>(count) - 1;
    for (const std::ptrdiff_t turn : {std::ptrdiff_t{0}, last_first, std::ptrdiff_t{1}}) {
      order_.resize(count);
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      std::rotate(order_.begin(), order_.begin() + turn, order_.end());
      if (reads_from(0, 0, 0)) return true;
    }
    return false;
  }

 private:
  bool is_written(std::u32string_view piece, const NameWord& word) const {
    return piece.size() > 1 && !word.initial && fit_words(word_of(piece), word) >= WordFit::kPlain;
  }
  bool is_initial(std::u32string_view piece, const NameWord& word) const {
    if (piece.size() != 1) return false;
    return fit_words({to_utf8(piece), true, true}, {word.written, false, word.letters}) !=
           WordFit::kNone;
  }

  bool reads_from(std::size_t block, std::size_t at, std::size_t first) {
    if (block == mailbox_.blocks.size()) return is_enough();
    const std::u32string_view rest = std::u32string_view(mailbox_.blocks[block]).substr(at);
    for (std::size_t next = first; next < order_.size(); ++next) {
      const NameWord& word = words_[order_[next]];
      for (std::size_t size = 1; size <= rest.size(); ++size) {
        const std::u32string_view piece = rest.substr(0, size);
        const bool full = is_written(piece, word);
        if (!full && !is_initial(piece, word)) continue;
        pieces_.push_back({order_[next], full, block});
        const bool ends = size == rest.size();
        const bool fits = reads_from(ends ? block + 1 : block, ends ? 0 : at + size, next + 1);
        pieces_.pop_back();
        if (fits) return true;
      }
    }
    return false;
  }

  bool is_enough() const {
    std::set<std::size_t> written;
    for (const Piece& piece : pieces_)
      if (piece.full) written.insert(piece.word);
    if (written.empty()) return false;
    if (pieces_.size() == 1) {
      const std::size_t other = word_of_domain(pieces_.front().word);
      if (other == words_.size()) return false;
      written.insert(other);
    }
    return std::ranges::includes(written, needed_) && joints_are_plain();
  }

  // The word, but `but`, that the domain writes out; how many there are: none.
  std::size_t word_of_domain(std::size_t but) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i == but) continue;
      for (const std::string& label : mailbox_.domains)
        if (is_written(to_utf32(label), words_[i])) return i;
    }
    return words_.size();
  }

  // An initial joined to a word could be the end of a longer one, unless the word is the last name.
  bool joints_are_plain() const {
    for (const Piece& initial : pieces_) {
      if (initial.full) continue;
      for (const Piece& piece : pieces_) {
        if (piece.full && piece.block == initial.block && piece.word + 1 != words_.size())
          return false;
      }
    }
    return true;
  }

  const Mailbox& mailbox_;
  const std::vector<NameWord> words_;
  const std::set<std::size_t> needed_;
  std::vector<std::size_t> order_;
  std::vector<Piece> pieces_;
};

std::vector<NameWord> bare_words(const NameForm& name) {
  std::vector<NameWord> words = name_words(name).words;
  for (NameWord& word : words) word = without_apostrophes(std::move(word));
  return words;
}

// A name of Han, kana or Hangul that is written as one word: as it is read, or with the family name
// last.
bool reads_whole(const Mailbox& mailbox, const NameWord& name) {
  using language::Script;
  const Script script = language::script_of(std::string_view(name.written));
  if (script != Script::kHan && script != Script::kKana && script != Script::kHangul) return false;
  std::u32string all;
  for (const std::u32string& block : mailbox.blocks) all += block;
  if (all.empty() || all.size() > kMostLetters) return false;
  if (language::is_romanised(to_utf8(all), name.written)) return true;
  if (mailbox.blocks.size() < 2) return false;
  const std::u32string& last = mailbox.blocks.back();
  return language::is_romanised(to_utf8(last + all.substr(0, all.size() - last.size())),
                                name.written);
}

bool is_mailbox_of_words(const Mailbox& mailbox, const std::vector<NameWord>& words,
                         std::set<std::size_t> needed) {
  if (words.size() == 1) return reads_whole(mailbox, words.front());
  return MailboxReader(mailbox, words, std::move(needed)).fits();
}

}  // namespace

bool is_mailbox_of(std::string_view address, const NameForm& name) {
  return is_mailbox_of_words(read_mailbox(address), bare_words(name), {});
}

bool is_mailbox_of_both(std::string_view address, const NameForm& a, const NameForm& b) {
  const Mailbox mailbox = read_mailbox(address);
  std::vector<NameWord> x = bare_words(a), y = bare_words(b);
  std::set<std::size_t> needed;
  if (x.size() == y.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool outer = i == 0 || i + 1 == x.size();
      if (outer && (x[i].initial || y[i].initial)) needed.insert(i);
      if (x[i].initial && !y[i].initial) {
        x[i] = y[i];
      } else if (y[i].initial && !x[i].initial) {
        y[i] = x[i];
      }
    }
  }
  return is_mailbox_of_words(mailbox, x, needed) && is_mailbox_of_words(mailbox, y, needed);
}

}  // namespace anima::sleep::detail
