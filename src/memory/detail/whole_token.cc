#include "memory/detail/whole_token.h"

#include <algorithm>
#include <array>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "memory/detail/forgotten_names.h"

namespace anima::memory::detail {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_one_of(char c, std::string_view signs) { return signs.find(c) != signs.npos; }
bool is_of_word(char c) { return is_word(c) || c < '\0'; }

bool begins_with_word(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] >= '\0') return is_word(text[0]);
  const CharClass kind = classify(decode_utf8(text, 0).value);
  return kind == CharClass::kLetter || kind == CharClass::kMark;
}

bool ends_with_word(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at - 1]) & 0xc0) == 0x80) --at;
  return at > 0 && begins_with_word(text.substr(at - 1));
}

// "1.2", "v1.11", "1.0.0-rc1".
bool is_version(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front()) || text.find('.') == text.npos) return false;
  return std::ranges::all_of(text, [](char c) { return is_word(c) || is_one_of(c, ".-+"); });
}

// A possessive is none of the token's own.
std::string_view without_possessive(std::string_view text) {
  for (const std::string_view mark : {"'", "\xe2\x80\x99"}) {
    const std::size_t at = text.rfind(mark);
    if (at != text.npos && text.size() - at <= mark.size() + 1) return text.substr(0, at);
  }
  return text;
}

std::string_view without_end(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

// What stands before in the same run of letters and signs.
std::string_view run_before(std::string_view text) {
  const std::size_t from = text.find_last_of(" \t\n\r\f\v\x1f\"'<>()[]{}|");
  return from == text.npos ? text : text.substr(from + 1);
}

bool all_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}
bool has_digit(std::string_view word) { return std::ranges::any_of(word, is_digit); }

// "INV-2024-0042", "A-128", "C3PO".
bool is_code(std::string_view text) {
  return has_digit(text) && text.find_first_of(" \t\n") == text.npos &&
         std::ranges::any_of(text, [](char c) { return is_letter(c) || c < '\0'; });
}

// "initech.com", "Node.js".
bool is_host(std::string_view text) {
  const std::size_t last = text.rfind('.');
  if (last == text.npos || text.size() - last < 3 || last == 0) return false;
  const auto fits = [](char c) { return is_word(c) || c == '-' || c == '.'; };
  return std::ranges::all_of(text, fits) && std::ranges::all_of(text.substr(last + 1), is_letter) &&
         is_word(text.front()) && text.find("..") == text.npos;
}

// "/home/ada", "~/notes", "github.com/ada".
bool is_path(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos || text.find_first_of(" \t\n") != text.npos) return false;
  const std::string_view first = text.substr(0, slash);
  return first.empty() || first == "~" || first == "." || first == ".." || is_host(first);
}

// The signs that it begins with.
std::string_view leading_signs(std::string_view path) {
  const auto word = std::ranges::find_if(path, is_of_word);
  return path.substr(0, static_cast<std::size_t>(word - path.begin()));
}

std::string letters_alone(std::string_view text) {
  std::string letters = same_written(text);
  std::erase_if(letters, [](char c) { return c >= '\0' && !is_word(c); });
  return letters;
}

// The sign that touches a place, and the word that it joins to it.
struct Neighbour {
  std::string_view sign = {}, word = {};
};

std::size_t sign_size(std::string_view text) {
  return text.empty() ? 0 : decode_utf8(text, 0).size;
}
Neighbour neighbour_behind(std::string_view text) {
  Neighbour found{text.substr(0, sign_size(text))};
  text.remove_prefix(found.sign.size());
  const auto end = std::ranges::find_if_not(text, is_of_word);
  found.word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  return found;
}
Neighbour neighbour_before(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at - 1]) & 0xc0) == 0x80) --at;
  if (at > 0) --at;
  Neighbour found{text.substr(at)};
  while (at > 0 && is_of_word(text[at - 1])) --at;
  found.word = text.substr(at, text.size() - at - found.sign.size());
  return found;
}

// Beside an identifier of somebody's own.
Naming code_beside(const Neighbour& other, bool is_behind) {
  const std::string_view word = other.word;
  if (word.empty() || other.sign.size() != 1) return Naming::kNames;
  const char sign = other.sign[0];
  if (is_one_of(sign, "-.")) {
    if (all_digits(word) || (is_behind && is_digit(word.front()))) return Naming::kNot;
    return sign == '-' ? Naming::kInDoubt : Naming::kNames;
  }
  return is_one_of(sign, "/_+#") && has_digit(word) ? Naming::kInDoubt : Naming::kNames;
}

// The numbers that a name begins and ends with, and what is beside them.
Naming edges_at(std::string_view text, std::size_t begin, std::size_t end) {
  Naming naming = Naming::kNames;
  const std::string_view own = text.substr(begin, end - begin);
  if (own.empty()) return naming;
  if (is_digit(own.back())) {
    const Neighbour other = neighbour_behind(text.substr(end));
    const std::size_t from = own.find_last_not_of("0123456789");
    const std::string_view last = from == own.npos ? own : own.substr(from + 1);
    const bool apart = from == own.npos || own[from] == ' ';
    naming = number_beside(to_nfkc(other.sign), other.word, false);
    if (apart && to_nfkc(other.sign) == " " && may_be_thousands(last, other.word))
      naming = std::min(naming, Naming::kInDoubt);
  }
  if (is_digit(own.front())) {
    const Neighbour other = neighbour_before(text.substr(0, begin));
    const std::size_t to = own.find_first_not_of("0123456789");
    const std::string_view first = own.substr(0, std::min(to, own.size()));
    naming = std::min(naming, number_beside(to_nfkc(other.sign), other.word, false));
    if (to_nfkc(other.sign) == " " && may_be_thousands(other.word, first))
      naming = std::min(naming, Naming::kInDoubt);
  }
  return naming;
}

}  // namespace

Naming number_beside(std::string_view sign, std::string_view word, bool in_groups) {
  constexpr std::string_view kMayJoin[] = {
      ",",           "/", "_", "'", "\xe2\x80\x99", "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x80\x90",
      "\xe2\x88\x92"};
  if (word.empty()) return Naming::kNames;
  if (!all_digits(word)) {
    // "v1.17" is a version.
    if (sign == "." && (is_digit(word.back()) || is_digit(word.front()))) return Naming::kNot;
    return sign == "-" && !in_groups ? Naming::kInDoubt : Naming::kNames;
  }
  if (sign == "." || sign == ":") return Naming::kNot;
  if (sign == "-") return in_groups ? Naming::kNot : Naming::kInDoubt;
  const bool joins = !in_groups && std::ranges::find(kMayJoin, sign) != std::end(kMayJoin);
  return joins ? Naming::kInDoubt : Naming::kNames;
}

bool may_be_thousands(std::string_view left, std::string_view right) {
  constexpr std::size_t kGroup = 3;
  return all_digits(left) && all_digits(right) && left.size() <= kGroup && right.size() == kGroup;
}

WholeToken::WholeToken(std::string_view name) {
  name = trim(name);
  const Identifier address = read_identifier(IdentifierScheme::kText, name);
  if (address.scheme == IdentifierScheme::kMail || address.scheme == IdentifierScheme::kWeb) {
    scheme_ = address.scheme;
    kind_ = scheme_ == IdentifierScheme::kMail ? Kind::kMail : Kind::kWeb;
    value_ = same_written(without_end(name));
    return;
  }
  for (const IdentifierScheme scheme :
       {IdentifierScheme::kUuid, IdentifierScheme::kIban, IdentifierScheme::kDoi,
        IdentifierScheme::kOrcid, IdentifierScheme::kIsbn, IdentifierScheme::kIssn}) {
    const Identifier read = read_identifier(scheme, name);
    if (!read.sound || read.scheme != scheme) continue;
    kind_ = Kind::kIdentifier;
    scheme_ = scheme;
    value_ = read.value;
    return;
  }
  if (is_path(name)) {
    kind_ = Kind::kPath;
    value_ = same_written(without_end(name));
  } else if (is_version(name)) {
    kind_ = Kind::kVersion;
    value_ = same_written(name);
  } else if (is_host(name)) {
    kind_ = Kind::kHost;
    value_ = same_written(name);
  } else if (is_code(name)) {
    kind_ = Kind::kCode;
  }
}

std::vector<std::string> WholeToken::spellings() const {
  if (kind_ != Kind::kIdentifier) return {};
  return spellings_of({scheme_, value_, true});
}

// Whether what stands before and behind makes it a part of something longer.
Naming WholeToken::beside(std::string_view before, std::string_view behind) const {
  const auto longer = [](bool is) { return is ? Naming::kNot : Naming::kNames; };
  const bool goes_on = behind.size() > 1 && is_word(behind[1]);
  switch (kind_) {
    case Kind::kMail: {
      if (ends_with_word(before) || before.ends_with('_') || before.ends_with('@'))
        return Naming::kNot;
      const bool joined = !before.empty() && is_one_of(before.back(), ".+-%") &&
                          ends_with_word(before.substr(0, before.size() - 1));
      return longer(joined || begins_with_word(behind) ||
                    (goes_on && is_one_of(behind[0], ".-_@")));
    }
    case Kind::kWeb: {
      if (ends_with_word(before) || run_before(before).find("://") != before.npos)
        return Naming::kNot;
      if (behind.starts_with('/')) behind.remove_prefix(1);
      if (begins_with_word(behind)) return Naming::kNot;
      const bool inner = behind.size() > 1 && (is_word(behind[1]) || behind[1] == '/');
      return longer(!behind.empty() && (is_one_of(behind[0], "/?#&=%_~") ||
                                        (inner && is_one_of(behind[0], ".,;:!@+-"))));
    }
    case Kind::kIdentifier:
    case Kind::kVersion: {
      if (ends_with_word(before) || begins_with_word(behind)) return Naming::kNot;
      // A full stop before letters begins the ending of a file's name.
      const bool ending = behind.starts_with('.') && goes_on && is_letter(behind[1]);
      if (goes_on && !ending && is_one_of(behind[0], ".-+")) {
        const bool range = kind_ == Kind::kVersion && behind[0] == '-' && is_digit(behind[1]);
        return range ? Naming::kInDoubt : Naming::kNot;
      }
      const bool follows =
          before.size() > 1 && is_one_of(before.back(), ".-") && is_word(before[before.size() - 2]);
      // "1.10-1.11", "anima-v1.11".
      if (follows) return before.back() == '-' ? Naming::kInDoubt : Naming::kNot;
      return Naming::kNames;
    }
    case Kind::kCode:
      return std::min(code_beside(neighbour_before(before), false),
                      code_beside(neighbour_behind(behind), true));
    case Kind::kHost:
    case Kind::kPath:
    case Kind::kNone:
      break;
  }
  return Naming::kNames;
}

// "/home/ada" is no part of "/mnt/home/ada" or "/home/ada/x".
Naming WholeToken::judge_path(std::string_view text, std::size_t begin, std::size_t end) const {
  const std::string_view leading = leading_signs(value_);
  const std::string_view written = without_end(without_possessive(text.substr(begin, end - begin)));
  if (same_written(written) != value_.substr(leading.size())) return Naming::kNot;
  std::string_view before = text.substr(0, begin), behind = text.substr(end);
  if (!before.ends_with(leading)) return Naming::kInDoubt;
  before.remove_suffix(leading.size());
  const std::string_view run = run_before(before);
  const bool scheme = run.ends_with("://") && run.find('/') == run.size() - 2;
  if (!scheme && (ends_with_word(before) || (!run.empty() && is_one_of(run.back(), "/.-_~@%"))))
    return Naming::kNot;
  if (behind.starts_with('/')) behind.remove_prefix(1);
  const bool goes_on = behind.size() > 1 && (is_of_word(behind[1]) || behind[1] == '/');
  if (begins_with_word(behind) || (goes_on && is_one_of(behind[0], "/?#&=%_~.:;@+-")))
    return Naming::kNot;
  return Naming::kNames;
}

// A part of an address may be meant, and so may the words without the stop.
Naming WholeToken::judge_host(std::string_view text, std::size_t begin, std::size_t end) const {
  const std::string_view written = without_possessive(text.substr(begin, end - begin));
  if (same_written(written) != value_)
    return letters_alone(written) == letters_alone(value_) ? Naming::kInDoubt : Naming::kNot;
  const std::string_view before = text.substr(0, begin), behind = text.substr(end);
  if (ends_with_word(before) || begins_with_word(behind)) return Naming::kNot;
  const Neighbour left = neighbour_before(before), right = neighbour_behind(behind);
  constexpr std::string_view kLonger = ".-_", kAddress = "/@";
  for (const Neighbour& one : {left, right}) {
    const bool sign = one.sign.size() == 1;
    if (sign && !one.word.empty() && is_one_of(one.sign[0], kLonger)) return Naming::kNot;
  }
  const bool address =
      (left.sign.size() == 1 && is_one_of(left.sign[0], kAddress)) ||
      (right.sign.size() == 1 && is_one_of(right.sign[0], kAddress) && !right.word.empty());
  return address ? Naming::kInDoubt : Naming::kNames;
}

bool WholeToken::is_same(std::string_view written) const {
  if (kind_ == Kind::kNone || kind_ == Kind::kCode) return true;
  if (kind_ == Kind::kIdentifier) return read_identifier(scheme_, written).value == value_;
  return same_written(kind_ == Kind::kWeb ? without_end(written) : written) == value_;
}

Naming WholeToken::judge_at(std::string_view text, std::size_t begin, std::size_t end) const {
  if (kind_ == Kind::kNone) return edges_at(text, begin, end);
  if (kind_ == Kind::kHost) return judge_host(text, begin, end);
  if (kind_ == Kind::kPath) return judge_path(text, begin, end);
  const std::string_view written = text.substr(begin, end - begin);
  if (!is_same(without_possessive(written))) return Naming::kNot;
  return beside(text.substr(0, begin), text.substr(end));
}

}  // namespace anima::memory::detail
