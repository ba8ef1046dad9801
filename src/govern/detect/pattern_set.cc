#include "govern/detect/pattern_set.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "govern/detect/detail/near_miss.h"
#include "govern/detect/detail/word_runs.h"

namespace anima::govern {
namespace {

constexpr std::string_view kShippedPath = "packs/guardian/patterns.toml";
constexpr std::int64_t kAutomatonBytes = 64 << 20;

RE2::Options re2_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kAutomatonBytes);
  return options;
}

// Every blank of the expression stands for one white-space character.
std::string expression_of(std::string_view match) {
  return "(?m)" + replace_all(match, " ", "[ \\n]");
}

Result<std::string> string_key(const Json& table, std::string_view key, const std::string& where) {
  const Json* value = table.find(key);
  if (value == nullptr || !value->is_string() || value->as_string().empty()) {
    return fail(ErrorCode::kInvalidArgument, "the key '" + std::string(key) + "' must be a text",
                where);
  }
  return value->as_string();
}

Result<bool> flag_key(const Json& table, std::string_view key, const std::string& where) {
  const Json* value = table.find(key);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->as_bool();
  return fail(ErrorCode::kInvalidArgument,
              "the key '" + std::string(key) + "' must be true or false", where);
}

Result<Pattern> read_pattern(const Json& table, const std::string& where) {
  Pattern pattern;
  ANIMA_ASSIGN(pattern.id, string_key(table, "id", where));
  ANIMA_ASSIGN(pattern.family, string_key(table, "family", where));
  const Json* risk = table.find("risk");
  if (risk == nullptr || !risk->is_integer() || risk->as_integer() < 1 ||
      risk->as_integer() > 1000) {
    return fail(ErrorCode::kInvalidArgument,
                "the key 'risk' must be between 1 and 1000 thousandths",
                where + ", pattern " + pattern.id);
  }
  pattern.risk_thousandths = static_cast<int>(risk->as_integer());
  ANIMA_ASSIGN(pattern.weak, flag_key(table, "weak", where + ", pattern " + pattern.id));
  ANIMA_ASSIGN(pattern.spelling, flag_key(table, "spelling", where + ", pattern " + pattern.id));
  return pattern;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_ascii_byte(char c) { return static_cast<unsigned char>(c) < 0x80; }

// One ASCII character, or from another one to the end of its word, and on through single blanks as
// long as words begin beyond ASCII.
void append_next(std::string& out, std::string_view text, std::size_t& at) {
  if (is_ascii_byte(text[at])) {
    const char c = text[at++];
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
    return;
  }
  const std::size_t begin = at;
  const auto joins = [&](std::size_t blank) {
    return text[blank] == ' ' && blank + 1 < text.size() && !is_ascii_byte(text[blank + 1]);
  };
  while (at < text.size() && (!is_space(text[at]) || joins(at))) ++at;
  append_lower(out, text.substr(begin, at - begin));
}

// Eight bytes at a time, for as long as they are printable ASCII and no two blanks meet: there,
// normal text is the text in lower case. Gives where that ends.
std::size_t append_plain(std::string& out, std::string_view text, std::size_t at) {
  using detail::bytes_between;
  using detail::kHighBits;
  std::array<char, 512> lower;
  std::size_t filled = 0;
  // The byte behind the eight is looked at too: a blank there may join one at their end.
  while (text.size() - at > 8) {
    const std::uint64_t word = detail::load_eight(text.data() + at);
    if ((word & kHighBits) != 0 || bytes_between(word, ' ', '~') != kHighBits) break;
    const std::uint64_t blanks = bytes_between(word, ' ', ' ');
    if ((blanks & blanks << 8) != 0 || ((blanks >> 63) != 0 && is_space(text[at + 8]))) break;
    const std::uint64_t folded = word | bytes_between(word, 'A', 'Z') >> 2;
    std::memcpy(lower.data() + filled, &folded, sizeof folded);
    at += 8;
    filled += 8;
    if (filled == lower.size()) out.append(lower.data(), std::exchange(filled, 0));
  }
  out.append(lower.data(), filled);
  return at;
}

}  // namespace

struct PatternSet::Automaton {
  RE2::Set set{re2_options(), RE2::UNANCHORED};
  std::vector<std::unique_ptr<RE2>> single;
};

PatternSet::PatternSet()
    : near_miss_words_(std::make_unique<detail::NearMissWords>()),
      automaton_(std::make_unique<Automaton>()) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

Result<PatternSet> PatternSet::shipped() {
  const auto text = pack_file(kShippedPath);
  ANIMA_CHECK(text.has_value());
  return load(*text, kShippedPath);
}

Result<PatternSet> PatternSet::load(std::string_view toml, std::string_view where_view) {
  const std::string where(where_view);
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(toml, where));
  const Json* tables = document.root.find("pattern");
  if (tables == nullptr || !tables->is_array() || tables->as_array().empty()) {
    return fail(ErrorCode::kInvalidArgument, "there is no [[pattern]] table", where);
  }
  PatternSet set;
  for (const Json& table : tables->as_array()) {
    ANIMA_ASSIGN(Pattern pattern, read_pattern(table, where));
    ANIMA_ASSIGN(const std::string match,
                 string_key(table, "match", where + ", pattern " + pattern.id));
    const std::string expression = expression_of(match);
    std::string problem;
    if (set.automaton_->set.Add(expression, &problem) < 0) {
      return fail(ErrorCode::kSyntax, "the expression does not compile: " + problem,
                  where + ", pattern " + pattern.id);
    }
    set.automaton_->single.push_back(std::make_unique<RE2>(expression, re2_options()));
    set.patterns_.push_back(std::move(pattern));
  }
  if (!set.automaton_->set.Compile()) {
    return fail(ErrorCode::kLimitExceeded, "the patterns together need more than 64 MiB", where);
  }
  if (const Json* near = document.root.find("near_miss"); near != nullptr) {
    ANIMA_TRY(set.read_near_miss(*near, document.where("near_miss")));
  }
  return set;
}

Status PatternSet::read_near_miss(const Json& table, const std::string& where) {
  const Json* words = table.find("words");
  if (words == nullptr || !words->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "near_miss needs 'words', a list of words", where);
  }
  for (const Json& word : words->as_array()) {
    if (!word.is_string() || word.as_string().empty() ||
        word.as_string().size() > detail::NearMissWords::kLongest) {
      return fail(ErrorCode::kInvalidArgument, "a near-miss word is a text of 1 to 24 bytes",
                  where);
    }
    near_miss_words_->add(word.as_string());
  }
  return {};
}

std::vector<std::size_t> PatternSet::matching(std::string_view normal_text) const {
  std::vector<int> places;
  if (!automaton_->set.Match(normal_text, &places)) return {};
  std::ranges::sort(places);
  return {places.begin(), places.end()};
}

PatternMatch PatternSet::locate(std::size_t pattern, std::string_view normal_text) const {
  re2::StringPiece span;
  automaton_->single[pattern]->Match(normal_text, 0, normal_text.size(), RE2::UNANCHORED, &span, 1);
  return {pattern, static_cast<std::size_t>(span.data() - normal_text.data()), span.size()};
}

std::string normal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 8);
  for (std::size_t at = 0; at < text.size();) {
    at = append_plain(out, text, at);
    if (at == text.size()) break;
    if (!is_space(text[at])) {
      append_next(out, text, at);
      continue;
    }
    bool line_break = false;
    for (; at < text.size() && is_space(text[at]); ++at)
      line_break |= text[at] == '\n' || text[at] == '\r';
    out.push_back(line_break ? '\n' : ' ');
  }
  return out;
}

}  // namespace anima::govern
