#include "language/numbers/number_words.h"

#include <algorithm>
#include <array>

#include "language/numbers/word_files.h"

namespace anima::language {
namespace {

constexpr std::int64_t kGreatest = 1'000'000'000'000'000;

bool among(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

// What is said so far: `total` of the thousands that are closed, `open` of those that are not.
struct NumberWords::Sum {
  std::int64_t total = 0, open = 0;
  std::int64_t closed_at = kGreatest;  // the scale that closed the last thousands
  bool any = false;

  bool adds(std::int64_t value, const std::vector<std::int64_t>& teens_after) {
    const std::int64_t last = open % 100;
    const bool teen =
        value >= 10 && value < 20 && std::ranges::find(teens_after, last) != teens_after.end();
    const bool fits = !any || teen || (open > 0 && last == 0 && value < 100) ||
                      (open == 0 && value < closed_at) ||
                      (last != 0 && last % 10 == 0 && value < 10);
    if (!fits || (any && value == 0)) return false;
    open += value;
    any = true;
    return true;
  }
  bool multiplies(std::int64_t scale) {
    const std::int64_t factor = std::max<std::int64_t>(open, 1);
    if (scale < 1000) {
      // "two hundred", "二十": the last digit alone is multiplied.
      const std::int64_t digit = open % 10;
      if (open >= scale && (digit == 0 || open / 10 % 10 != 0)) return false;
      open += std::max<std::int64_t>(digit, 1) * scale - digit;
      any = true;
      return open < kGreatest;
    }
    if (scale >= closed_at || factor > kGreatest / scale) return false;
    total += factor * scale;
    open = 0;
    closed_at = scale;
    any = true;
    return total < kGreatest;
  }
};

Result<NumberWords> NumberWords::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  static constexpr std::array<std::string_view, 8> kKeys = {
      "language", "words", "scales", "ordinals", "joiners", "endings", "teens_after", "compounds"};
  ANIMA_TRY(only_known_keys(document, "", kKeys));
  NumberWords words;
  ANIMA_ASSIGN(words.language_, text_in(document, "language"));
  ANIMA_TRY(words.read_table(document, "words", Use::kAdds));
  ANIMA_TRY(words.read_table(document, "scales", Use::kMultiplies));
  ANIMA_TRY(words.read_table(document, "ordinals", Use::kOrdinal));
  ANIMA_ASSIGN(words.joiners_, texts_in(document, "joiners"));
  ANIMA_ASSIGN(words.endings_, texts_in(document, "endings"));
  if (const Json* list = document.root.find("teens_after")) {
    for (const Json& one : list->as_array()) words.teens_after_.push_back(one.as_integer());
  }
  ANIMA_TRY(words.read_compounds(document));
  for (auto& [first, entries] : words.firsts_) {
    std::ranges::stable_sort(
        entries, [](const Entry& a, const Entry& b) { return a.words.size() > b.words.size(); });
  }
  return words;
}

const NumberWords* NumberWords::of(std::string_view language) {
  return loaded_words<NumberWords>("packs/language/numbers/", language);
}

Status NumberWords::read_table(const TomlDocument& document, std::string_view key, Use use) {
  const Json* table = document.root.find(key);
  if (table == nullptr) return {};
  for (const JsonMember& one : table->as_object()) {
    if (!one.second.is_integer() || one.second.as_integer() < 0) {
      return fail(ErrorCode::kInvalidArgument, "\"" + one.first + "\" is to be a whole number",
                  document.where(std::string(key) + "." + one.first));
    }
    add(one.first, one.second.as_integer(), use);
  }
  return {};
}

// "dreiundzwanzig", "hundertfünf": made of the words that are there.
Status NumberWords::read_compounds(const TomlDocument& document) {
  const Json* table = document.root.find("compounds");
  if (table == nullptr) return {};
  const Json* joiner = table->find("joiner");
  const Json* ones = table->find("ones");
  const Json* hundred = table->find("hundred");
  const Json* words = document.root.find("words");
  if (joiner == nullptr || ones == nullptr || hundred == nullptr || words == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "compounds need joiner, ones and hundred",
                document.where("compounds"));
  }
  std::vector<std::pair<std::string, std::int64_t>> below_hundred;
  for (const JsonMember& ten : words->as_object()) {
    const std::int64_t value = ten.second.as_integer();
    if (value > 0 && value < 100) below_hundred.emplace_back(ten.first, value);
    if (value < 20 || value >= 100 || value % 10 != 0) continue;
    for (const JsonMember& one : ones->as_object()) {
      below_hundred.emplace_back(one.first + joiner->as_string() + ten.first,
                                 one.second.as_integer() + value);
      add(below_hundred.back().first, below_hundred.back().second, Use::kAdds);
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> hundreds = {{hundred->as_string(), 100}};
  for (const JsonMember& one : ones->as_object())
    hundreds.emplace_back(one.first + hundred->as_string(), 100 * one.second.as_integer());
  for (const auto& [word, value] : hundreds) {
    add(word, value, Use::kAdds);
    for (const auto& [rest, more] : below_hundred) add(word + rest, value + more, Use::kAdds);
  }
  return {};
}

void NumberWords::add(std::string_view phrase, std::int64_t value, Use use) {
  Entry entry{words_in(phrase), value, use};
  if (entry.words.empty()) return;
  std::string first = entry.words.front();
  firsts_[std::move(first)].push_back(std::move(entry));
}

const NumberWords::Entry* NumberWords::entry_at(const Lexemes& lexemes, std::size_t at) const {
  if (at >= lexemes.size()) return nullptr;
  const auto found = firsts_.find(lexemes[at].text);
  if (found == firsts_.end()) return nullptr;
  for (const Entry& entry : found->second) {
    if (stands_at(lexemes, at, entry.words)) return &entry;
  }
  return nullptr;
}

std::optional<int> NumberWords::digit(const std::string& word) const {
  const auto found = firsts_.find(word);
  if (found == firsts_.end()) return std::nullopt;
  for (const Entry& entry : found->second) {
    if (entry.words.size() == 1 && entry.use == Use::kAdds && entry.value < 10)
      return static_cast<int>(entry.value);
  }
  return std::nullopt;
}

bool NumberWords::joins(const Lexemes& lexemes, std::size_t at) const {
  return at + 1 < lexemes.size() && among(joiners_, lexemes[at].text);
}

std::optional<WholeNumber> NumberWords::read_digits(const Lexemes& lexemes, std::size_t at) const {
  if (lexemes[at].number < 0) return std::nullopt;
  WholeNumber number{lexemes[at].number, at + 1, false, false};
  if (at + 1 < lexemes.size() && !lexemes[at + 1].spaced && among(endings_, lexemes[at + 1].text)) {
    number.ordinal = true;
    ++number.end;
  }
  return number;
}

std::optional<WholeNumber> NumberWords::read(const Lexemes& lexemes, std::size_t at) const {
  if (at >= lexemes.size()) return std::nullopt;
  if (lexemes[at].kind == Lexeme::Kind::kDigits) return read_digits(lexemes, at);
  Sum sum;
  WholeNumber number;
  for (std::size_t next = at; next < lexemes.size();) {
    const std::size_t from = sum.any && joins(lexemes, next) ? next + 1 : next;
    const Entry* entry = entry_at(lexemes, from);
    if (entry == nullptr && from != next) break;
    if (entry == nullptr) break;
    if (entry->use == Use::kMultiplies ? !sum.multiplies(entry->value)
                                       : !sum.adds(entry->value, teens_after_))
      break;
    next = from + entry->words.size();
    number = {sum.total + sum.open, next, true, entry->use == Use::kOrdinal};
    if (number.ordinal) break;
  }
  if (!sum.any) return std::nullopt;
  return number;
}

}  // namespace anima::language
