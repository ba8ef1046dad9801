#include "memory/detail/whole_token.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "memory/detail/forgotten_names.h"

namespace anima::memory::detail {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_one_of(char c, std::string_view signs) { return signs.find(c) != signs.npos; }

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

}  // namespace

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
  if (!is_version(name)) return;
  kind_ = Kind::kVersion;
  value_ = same_written(name);
}

std::vector<std::string> WholeToken::spellings() const {
  if (kind_ != Kind::kIdentifier) return {};
  return spellings_of({scheme_, value_, true});
}

bool WholeToken::is_longer(std::string_view before, std::string_view behind) const {
  const bool goes_on = behind.size() > 1 && is_word(behind[1]);
  switch (kind_) {
    case Kind::kMail: {
      if (ends_with_word(before) || before.ends_with('_') || before.ends_with('@')) return true;
      const bool joined = !before.empty() && is_one_of(before.back(), ".+-%") &&
                          ends_with_word(before.substr(0, before.size() - 1));
      return joined || begins_with_word(behind) || (goes_on && is_one_of(behind[0], ".-_@"));
    }
    case Kind::kWeb: {
      if (ends_with_word(before) || run_before(before).find("://") != before.npos) return true;
      if (behind.starts_with('/')) behind.remove_prefix(1);
      if (begins_with_word(behind)) return true;
      const bool inner = behind.size() > 1 && (is_word(behind[1]) || behind[1] == '/');
      return !behind.empty() &&
             (is_one_of(behind[0], "/?#&=%_~") || (inner && is_one_of(behind[0], ".,;:!@+-")));
    }
    case Kind::kIdentifier:
    case Kind::kVersion: {
      if (ends_with_word(before) || begins_with_word(behind)) return true;
      const bool follows =
          before.size() > 1 && is_one_of(before.back(), ".-") && is_word(before[before.size() - 2]);
      // A full stop before letters begins the ending of a file's name.
      const bool ending = behind.starts_with('.') && goes_on && is_letter(behind[1]);
      return follows || (goes_on && !ending && is_one_of(behind[0], ".-+"));
    }
    case Kind::kNone:
      break;
  }
  return false;
}

bool WholeToken::stands_at(std::string_view text, std::size_t begin, std::size_t end) const {
  const std::string_view written = without_possessive(text.substr(begin, end - begin));
  const bool same =
      kind_ == Kind::kIdentifier
          ? read_identifier(scheme_, written).value == value_
          : same_written(kind_ == Kind::kWeb ? without_end(written) : written) == value_;
  return same && !is_longer(text.substr(0, begin), text.substr(end));
}

}  // namespace anima::memory::detail
