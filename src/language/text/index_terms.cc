// What an index holds of a text, and what a query asks it for (words.h).
#include <algorithm>
#include <array>

#include "base/text/identifier.h"
#include "base/text/text.h"
#include "language/text/compounds.h"
#include "language/text/emoji.h"
#include "language/text/script.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

constexpr std::size_t kShortWord = 2;  // bytes: "C", "F", of which a sign makes another thing

constexpr std::size_t kGroup = 3;  // digits

// What parts the groups of a number, '\'' for an apostrophe and ' ' for a blank of any kind; 0 for
// what parts none.
char group_sign(std::string_view between) {
  if (between == " " || between == "\u00a0" || between == "\u202f" || between == "\u2009")
    return ' ';
  if (between == "," || between == "\u066c" || between == "\uff0c") return ',';
  return between == "'" || between == "\u2019" ? '\'' : '\0';
}

// A card, whose digits check each other by Luhn's sum (ISO/IEC 7812).
bool is_card(std::string_view id) {
  if (id.size() < 13 || id.size() > 19 || !std::ranges::all_of(id, is_ascii_digit)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const int digit = id[id.size() - 1 - i] - '0';
    sum += i % 2 == 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 == 0;
}

constexpr std::size_t kFour = 4;
constexpr std::uint8_t kInFours = 0x80;  // Token::groups: of four letters, not of three digits

// How many of the tokens from `first` on are such a number in groups of four: "DE89 3704 0044 ..".
std::size_t fours_at(std::string_view text, std::span<const Token> tokens, std::size_t first) {
  constexpr std::size_t kMostGroups = 9, kFewest = 3;
  const auto goes_on = [&](std::size_t i) {
    if (i + 1 >= tokens.size() || tokens[i].folded.size() != kFour || tokens[i + 1].unbroken)
      return false;
    const std::string_view next = tokens[i + 1].folded;
    const std::string_view between =
        text.substr(tokens[i].end, tokens[i + 1].begin - tokens[i].end);
    return is_ascii(next) && next.size() <= kFour && (group_sign(between) == ' ' || between == "-");
  };
  if (tokens[first].unbroken || !is_ascii(tokens[first].folded)) return 1;
  std::size_t count = 1;
  while (count < kMostGroups && goes_on(first + count - 1)) ++count;
  for (; count >= kFewest; --count) {
    const std::string_view begin = tokens[first].folded, end = tokens[first + count - 1].folded;
    const std::string_view id(begin.data(), static_cast<std::size_t>(end.end() - begin.data()));
    if (is_card(id) || read_identifier(IdentifierScheme::kIban, id).sound) return count;
  }
  return 1;
}

// How many of the tokens from `first` on are the groups of one number: "128 000", "1,250,000". Of
// numbers with blanks between all belong to it, or none ("555 123 4567").
std::size_t groups_at(std::string_view text, std::span<const Token> tokens, std::size_t first) {
  const auto sign_behind = [&](std::size_t i) {
    if (i + 1 >= tokens.size() || !tokens[i].digits || !tokens[i + 1].digits) return '\0';
    return group_sign(text.substr(tokens[i].end, tokens[i + 1].begin - tokens[i].end));
  };
  const std::string_view begin = tokens[first].folded;
  const char sign = sign_behind(first);
  if (sign == 0 || begin.size() > kGroup || begin[0] == '0') return 1;
  if (first > 0 && sign_behind(first - 1) == sign) return 1;
  std::size_t last = first;
  while (sign_behind(last) == sign)
    if (tokens[++last].folded.size() != kGroup) return 1;
  return last - first + 1;
}

bool joins_whole(char joint) {
  constexpr auto kJoins = [] {
    std::array<bool, 128> joins{};
    for (const char c : std::string_view(".-_/\\:@+#&")) joins[static_cast<std::size_t>(c)] = true;
    return joins;
  }();
  return kJoins[static_cast<std::size_t>(joint)];
}

// "e-mail" and "user_session_id", which are also written as one word.
bool is_hyphened(std::span<const Token> tokens, std::size_t words) {
  if (words < 2 || tokens.size() < words) return false;
  const char joint = tokens[0].joint;
  if (joint != '_' && (joint != '-' || words > 2)) return false;
  for (std::size_t i = 0; i < words; ++i)
    if (tokens[i].digits || (i + 1 < words && tokens[i].joint != joint)) return false;
  return true;
}

// "v1.11" is the version 1.11.
bool is_marked_version(std::string_view whole) {
  return whole.size() > 2 && whole[0] == 'v' && is_ascii_digit(whole[1]) &&
         whole.find('.') != whole.npos;
}

// The tokens, a number in groups as one; `grouped` holds them where there is one.
std::span<const Token> with_groups(std::string_view text, std::span<const Token> tokens,
                                   std::vector<Token>& grouped) {
  grouped.clear();
  for (std::size_t i = 0; i < tokens.size();) {
    const bool four = tokens[i].folded.size() == kFour && has_digit(tokens[i].folded);
    const std::size_t fours = four ? fours_at(text, tokens, i) : 1;
    const std::size_t groups = fours > 1          ? fours
                               : tokens[i].digits ? groups_at(text, tokens, i)
                                                  : 1;
    // As long as there was none, nothing is copied.
    if (groups > 1 && grouped.empty())
      grouped.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i));
    if (groups > 1 || !grouped.empty()) grouped.push_back(tokens[i]);
    if (groups > 1) {
      Token& number = grouped.back();
      const Token& last = tokens[i + groups - 1];
      // The digits of neighbours lie side by side.
      number.folded = {number.folded.data(),
                       static_cast<std::size_t>(last.folded.end() - number.folded.data())};
      number.end = last.end;
      number.joint = last.joint;
      number.groups = static_cast<std::uint8_t>(std::min<std::size_t>(groups, kInFours - 1));
      if (fours > 1) number.groups |= kInFours;
    }
    i += groups;
  }
  return grouped.empty() ? tokens : std::span<const Token>(grouped);
}

// The tokens with the emoji between them as words; in a document with what they are made of, too.
std::span<const Token> with_emoji(std::string_view text, std::span<const Token> tokens,
                                  bool members, std::vector<Token>& together,
                                  std::deque<std::string>& kept) {
  const std::vector<Emoji> all = emoji_in(text);
  if (all.empty()) return tokens;
  std::vector<Token> merged;
  std::size_t next = 0;
  for (const Emoji& emoji : all) {
    while (next < tokens.size() && tokens[next].begin < emoji.begin)
      merged.push_back(tokens[next++]);
    Token token;
    token.begin = emoji.begin;
    token.end = emoji.end;
    token.ascii = false;
    token.folded = kept.emplace_back(emoji.text);
    merged.push_back(token);
    for (const std::string& member : emoji.members) {
      if (!members) break;
      token.folded = kept.emplace_back(member);
      merged.push_back(token);
    }
  }
  merged.insert(merged.end(), tokens.begin() + static_cast<std::ptrdiff_t>(next), tokens.end());
  together = std::move(merged);
  return together;
}

// The words that stand together from a token on.
struct Whole {
  std::string text;       // empty where the word stands alone
  std::size_t words = 1;  // that are of it
  bool has_digit = false;
};

Whole whole_of(std::string_view text, std::span<const Token> tokens) {
  Whole whole;
  const bool joined = tokens.size() > 1 && joins_whole(tokens[0].joint);
  if (!joined && tail_of_word(text, tokens[0].end).empty()) return whole;
  whole.text = tokens[0].folded;
  while (whole.words < tokens.size() && joins_whole(tokens[whole.words - 1].joint) &&
         !tokens[whole.words].unbroken) {
    whole.text += tokens[whole.words - 1].joint;
    whole.text += tokens[whole.words++].folded;
  }
  whole.text += ascii_tail(tail_of_word(text, tokens[whole.words - 1].end));
  whole.has_digit = whole.words > 1 && has_digit(whole.text);
  // What is longer is an address or a path: its parts say it.
  if (whole.text.size() == tokens[0].folded.size() || whole.text.size() > kLongestTerm)
    whole.text.clear();
  return whole;
}

// Whatever joins the two.
std::string inside_term(std::string_view before, std::string_view word) {
  std::string term(1, kInside);
  if (!before.empty()) term += std::string(before) + '-';
  return term += word;
}

// Letters that some languages write as two where they have not the letter.
bool may_be_spelled(std::string_view written) {
  return written.find('\xc3') != written.npos || written.find('\xcc') != written.npos;
}

// Of Han and Hangul one letter may be a word: 狗, 값.
bool is_written_in_syllables(Script script) {
  return script == Script::kHan || script == Script::kHangul;
}

// A word beside a run of a script without blanks.
bool touches_run(std::span<const Token> tokens) {
  return tokens[0].joint == kTouches && tokens.size() > 1;
}

// A word to which nothing is joined, as most are.
bool stands_alone(std::span<const Token> tokens) {
  return tokens.size() == 1 || (!joins_whole(tokens[0].joint) && tokens[0].joint != kTouches);
}

}  // namespace

void TermSplitter::add(std::string_view term, TermKind kind, const Token& token) {
  if (term.empty()) return;
  if (term.size() > kLongestTerm) term = beginning_of(term, kLongestTerm);
  cuts_.push_back({terms_.size(), term.size(), kind, &token, {token.begin, token.end}});
  terms_ += term;
}

// Each character starts a term, so that one character alone is found as a beginning; where no
// beginnings are found, it is a term itself.
void TermSplitter::add_run(const Token& token) {
  const std::vector<std::size_t> letters = reader_.letters_of(token);
  const std::size_t count = letters.size() - 1;
  const auto letter = [&](std::size_t i) {
    return token.folded.substr(letters[i], letters[i + 1] - letters[i]);
  };
  for (std::size_t i = 0; i + 1 < count; ++i)
    add(token.folded.substr(letters[i], letters[i + 2] - letters[i]), TermKind::kPair, token);
  if (count == 1 || use_ == TermUse::kDocument) {
    add(letter(count - 1), TermKind::kLone, token);
  } else if (use_ == TermUse::kLetters) {
    for (std::size_t i = 0; i < count; ++i)
      if (is_written_in_syllables(script_of(letter(i)))) add(letter(i), TermKind::kLone, token);
  }
}

// The run as it is asked for, and the words of three letters or more that a dictionary finds in it:
// each by its pairs of neighbours.
void TermSplitter::add_asked_run(const Token& token) {
  constexpr std::size_t kFewestLetters = 3;
  const auto add_part = [&](const TextSpan& part) {
    const std::string_view text = token.folded.substr(part.begin, part.end - part.begin);
    if (count_code_points(text) < kFewestLetters || text.size() > kLongestTerm) return;
    add(text, TermKind::kRun, token);
    Cut& cut = cuts_.back();
    cut.first_part = parts_.size();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = at + decode_utf8(text, at).size;
      if (next == text.size()) break;
      parts_.push_back(text.substr(at, next + decode_utf8(text, next).size - at));
      at = next;
    }
    cut.parts = parts_.size() - cut.first_part;
  };
  add_part({0, token.folded.size()});
  const std::vector<TextSpan> words = unbroken_words(token.folded);
  if (words.size() < 2) return;
  for (const TextSpan& word : words) add_part(word);
}

// Of a number in groups each of them: in a document as its parts, in a query as what a text has
// together.
void TermSplitter::add_groups(const Token& number) {
  if (number.groups < 2) return;
  const bool fours = (number.groups & kInFours) != 0;
  const std::size_t length = fours ? kFour : kGroup;
  std::size_t at = 0;
  std::size_t size =
      fours ? kFour : number.folded.size() - (number.groups - std::size_t{1}) * kGroup;
  if (use_ == TermUse::kQuery) cuts_.back().first_part = parts_.size();
  for (; at < number.folded.size(); at += size, size = length) {
    const std::string_view group = number.folded.substr(at, size);
    if (use_ == TermUse::kQuery) {
      parts_.push_back(group);
      ++cuts_.back().parts;
    } else {
      add(inside_term({}, group), TermKind::kPart, number);
    }
  }
}

// The term of a word that is but a part of a whole, or of it and the one before it there. In a
// query it belongs to the term that was added last.
void TermSplitter::add_inside(std::string_view before, const Token& token) {
  const std::string term = inside_term(before, token.folded);
  if (use_ != TermUse::kQuery) return add(term, TermKind::kPart, token);
  Cut& cut = cuts_.back();
  if (cut.inside == 0) cut.first_inside = inside_.size();
  ++cut.inside;
  inside_.push_back(marked_.emplace_back(beginning_of(term, kLongestTerm)));
}

// "mueller" of "Müller".
void TermSplitter::add_spelled(std::string_view text, const Token& token) {
  if (token.ascii || token.unbroken) return;
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  const bool same = strength_ == FoldStrength::kMarks && written.size() == token.folded.size();
  if (same || !may_be_spelled(written)) return;
  std::string spelled = transcribed(written);
  if (spelled == fold_for_finding(written)) return;
  if (use_ == TermUse::kQuery) {
    cuts_.back().spelled = marked_.emplace_back(std::move(spelled));
  } else {
    add(spelled, TermKind::kPart, token);
  }
}

void TermSplitter::add_word(std::string_view text, const Token& token, bool bare, bool inside) {
  if (bare && inside && has_digit(token.folded)) {
    add_inside({}, token);
  } else if (bare) {
    add(token.folded, TermKind::kWord, token);
    if (use_ == TermUse::kQuery && has_digit(token.folded)) add_inside({}, token);
    add_groups(token);
    add_spelled(text, token);
  }
  std::string_view word = token.folded;
  if (strength_ != FoldStrength::kMarks && !token.ascii && !is_ascii(word))
    word = marked_.emplace_back(fold_for_finding(word));
  const std::vector<TextSpan> compound = compound_parts(word);
  if (use_ == TermUse::kQuery && bare && !compound.empty()) {
    cuts_.back().first_part = parts_.size();
    cuts_.back().parts = compound.size();
  }
  for (const TextSpan& part : compound) {
    const std::string_view text_of_part = word.substr(part.begin, part.end - part.begin);
    if (use_ == TermUse::kDocument) {
      add(inside_term({}, text_of_part), TermKind::kPart, token);
    } else if (use_ != TermUse::kQuery) {
      add(text_of_part, TermKind::kPart, token);
    } else if (bare) {
      parts_.push_back(text_of_part);
    }
  }
  if (!token.capital_inside) return;
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  std::size_t from = 0;
  const std::vector<std::size_t> cuts = capital_cuts(written);
  for (std::size_t i = 0; i <= cuts.size() && !cuts.empty(); ++i) {
    const std::size_t to = i < cuts.size() ? cuts[i] : written.size();
    const std::string part = fold(written.substr(from, to - from), strength_);
    const bool marked = use_ != TermUse::kQuery && has_digit(part);
    add(marked ? inside_term({}, part) : part, TermKind::kPart, token);
    from = to;
  }
}

// A word and the letter of a run that it touches.
void TermSplitter::add_touching(std::span<const Token> tokens) {
  const std::string_view run = tokens[1].folded;
  add(std::string(tokens[0].folded) + std::string(run.substr(0, decode_utf8(run, 0).size)),
      TermKind::kWhole, tokens[0]);
}

void TermSplitter::add_joined(std::span<const Token> tokens) {
  std::string together;
  for (const Token& token : tokens) together += token.folded;
  add(together, TermKind::kPart, tokens[0]);
}

// Of "docs.example.org/start" the host.
void TermSplitter::add_host(std::span<const Token> tokens) {
  std::size_t words = 0;
  while (words < tokens.size() && tokens[words].joint == '.') ++words;
  if (words == 0 || words + 1 >= tokens.size() || tokens[words].joint != '/') return;
  std::string host(tokens[0].folded);
  for (std::size_t i = 1; i <= words; ++i) host += '.' + std::string(tokens[i].folded);
  if (host.size() <= kLongestTerm) add(host, TermKind::kPart, tokens[0]);
}

// What a query asks for by its next words; how many these are.
std::size_t TermSplitter::add_query(std::string_view text, std::span<const Token> tokens) {
  const Whole whole = whole_of(text, tokens);
  const TextSpan span{tokens[0].begin, tokens[whole.words - 1].end};
  if (whole.has_digit && !whole.text.empty()) {
    add(whole.text, TermKind::kWhole, tokens[0]);
    cuts_.back().span = span;
    cuts_.back().first_part = parts_.size();
    cuts_.back().parts = whole.words;
    for (const Token& token : tokens.first(whole.words)) parts_.push_back(token.folded);
    for (std::size_t i = 1; i < whole.words; ++i) add_inside(tokens[i - 1].folded, tokens[i]);
    if (is_marked_version(whole.text))
      cuts_.back().spelled = marked_.emplace_back(whole.text.substr(1));
    return whole.words;
  }
  for (std::size_t i = 0; i < whole.words; ++i) {
    const bool together = whole.words > 1 || touches_run(tokens.subspan(i));
    const bool letter = together && count_code_points(tokens[i].folded) == 1;
    add_word(text, tokens[i], !letter && tail_of_word(text, tokens[i].end).empty());
    if (i > 0 || whole.text.empty()) continue;
    add(whole.text, TermKind::kWhole, tokens[0]);
    cuts_.back().span = span;
  }
  if (is_hyphened(tokens, whole.words)) add_joined(tokens.first(whole.words));
  const std::span<const Token> rest = tokens.subspan(whole.words - 1);
  if (!touches_run(rest)) return whole.words;
  add_touching(rest);
  return whole.words + (decode_utf8(rest[1].folded, 0).size == rest[1].folded.size() ? 1 : 0);
}

void TermSplitter::add_document(std::string_view text, std::span<const Token> tokens) {
  std::size_t whole_until = 0;
  Whole whole;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.unbroken) {
      add_run(token);
      continue;
    }
    const bool begins = i >= whole_until;
    const std::string_view tail = tail_of_word(text, token.end);
    if (begins && tail.empty() && stands_alone(tokens.subspan(i))) {
      add_word(text, token, true);
      continue;
    }
    if (begins) {
      whole = whole_of(text, tokens.subspan(i));
      whole_until = i + whole.words;
    }
    add_word(text, token, tail.empty() || token.folded.size() > kShortWord, whole.words > 1);
    if (!begins && whole.has_digit) add_inside(tokens[i - 1].folded, token);
    if (begins) {
      add(whole.text, TermKind::kWhole, token);
      const std::span<const Token> words = tokens.subspan(i, whole.words);
      if (is_hyphened(words, whole.words)) add_joined(words);
      if (is_marked_version(whole.text)) add(whole.text.substr(1), TermKind::kPart, token);
      if (use_ == TermUse::kDocument) add_host(words);
    } else if (!tail.empty()) {
      add(std::string(token.folded) + ascii_tail(tail), TermKind::kWhole, token);
    }
    if (touches_run(tokens.subspan(i))) add_touching(tokens.subspan(i));
  }
}

void TermSplitter::cut(std::string_view text) {
  terms_.clear();
  cuts_.clear();
  parts_.clear();
  inside_.clear();
  marked_.clear();
  skipped_ = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
  text.remove_prefix(skipped_);
  std::span<const Token> tokens = reader_.read(text);
  if (use_ != TermUse::kWords) {
    tokens = with_groups(text, tokens, grouped_);
    tokens = with_emoji(text, tokens, use_ != TermUse::kQuery, grouped_, marked_);
  }
  if (use_ == TermUse::kDocument || use_ == TermUse::kLetters) return add_document(text, tokens);
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].unbroken) {
      if (use_ == TermUse::kQuery) add_asked_run(tokens[i]);
      add_run(tokens[i++]);
    } else if (use_ == TermUse::kWords) {
      add(tokens[i].folded, TermKind::kWord, tokens[i]);
      ++i;
    } else {
      i += add_query(text, tokens.subspan(i));
    }
  }
}

std::vector<WholeTerm> whole_terms(std::string_view text) {
  std::vector<WholeTerm> wholes;
  WordReader reader;
  std::vector<Token> grouped;
  const std::span<const Token> tokens = with_groups(text, reader.read(text), grouped);
  for (std::size_t i = 0; i < tokens.size();) {
    const Whole whole = whole_of(text, tokens.subspan(i));
    const std::span<const Token> words = tokens.subspan(i, whole.words);
    i += whole.words;
    if (words[0].unbroken) continue;
    // What is too long for a term is a whole all the same.
    std::string folded =
        words.size() == 1 ? std::string(words[0].folded)
        : whole.text.empty()
            ? fold_for_finding(text.substr(words[0].begin, words.back().end - words[0].begin))
            : whole.text;
    if (has_digit(folded))
      wholes.push_back({{words[0].begin, words.back().end}, std::move(folded)});
  }
  return wholes;
}

}  // namespace anima::language
