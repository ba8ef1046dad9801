#include "base/text/identifier.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text/normal_forms.h"
#include "base/text/text.h"

namespace anima {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
unsigned digit(char c) { return static_cast<unsigned>(c - '0'); }
char as_digit(unsigned number) { return static_cast<char>('0' + number); }

bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_ascii_digit); }

// --- placeholders

constexpr std::size_t kShortestRun = 3;
// Zero days of clocks, and the last one that four digits can write.
constexpr std::string_view kEdgesOfTime[] = {"0000-00-00", "0001-01-01", "1900-01-01", "1970-01-01",
                                             "9999-12-31"};

bool is_repetition(std::string_view text) {
  return text.find_first_not_of(text.front()) == std::string_view::npos;
}

// Each sign the next of the one before, up or down; behind 9 comes 0.
bool is_run(std::string_view text) {
  if (text.size() < kShortestRun) return false;
  const auto follows = [](char a, char b) {
    return b == a + 1 ? !(a == '9' || a == 'z') : (a == '9' && b == '0');
  };
  bool up = true, down = true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    up = up && follows(text[i - 1], text[i]);
    down = down && follows(text[i], text[i - 1]);
  }
  return up || down;
}

bool is_filler(std::string_view text) {
  if (text.empty()) return false;
  if (is_repetition(text) || is_run(text)) return true;
  for (std::size_t size = 2; size <= text.size() / 2; ++size) {
    if (text.size() % size != 0) continue;
    const std::string_view block = text.substr(0, size);
    bool repeated = true;
    for (std::size_t at = size; at < text.size() && repeated; at += size)
      repeated = text.substr(at, size) == block;
    if (repeated && (text.size() / size >= 3 || is_filler(block))) return true;
  }
  return false;
}

// --- reading

// Without what joins groups of digits: blanks, full stops and every hyphen.
std::string without_joints(std::string_view text) {
  std::string out;
  const std::string plain = to_nfkc(text);
  for (std::size_t at = 0; at < plain.size();) {
    const CodePoint point = decode_utf8(plain, at);
    const bool joint = point.value == U' ' || point.value == U'\t' || point.value == U'-' ||
                       point.value == U'.' || (point.value >= 0x2010 && point.value <= 0x2015) ||
                       point.value == 0x2212;
    if (!joint) out += plain.substr(at, point.size);
    at += point.size;
  }
  return out;
}

// Takes one of the beginnings away, in any case.
void take_away(std::string& text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (text.size() < beginning.size() ||
        !equals_ignoring_ascii_case(std::string_view(text).substr(0, beginning.size()), beginning))
      continue;
    text.erase(0, beginning.size());
    return;
  }
}

// The last digit of a number whose others are weighed by 1, 3, 1, 3 ..
char check_of_isbn13(std::string_view twelve) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < twelve.size(); ++i) sum += digit(twelve[i]) * (i % 2 == 0 ? 1 : 3);
  return as_digit((10 - sum % 10) % 10);
}

// Weighed by their distance from the check digit's place, modulo 11: ISBN of ten digits, ISSN.
char check_modulo_11(std::string_view digits) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) sum += digit(digits[i]) * (digits.size() + 1 - i);
  const auto rest = static_cast<unsigned>((11 - sum % 11) % 11);
  return rest == 10 ? 'X' : as_digit(rest);
}

// ISO 7064, MOD 11-2.
char check_of_orcid(std::string_view fifteen) {
  unsigned total = 0;
  for (const char c : fifteen) total = (total + digit(c)) * 2;
  const unsigned rest = (12 - total % 11) % 11;
  return rest == 10 ? 'X' : as_digit(rest);
}

bool is_number_with_check(std::string_view text, std::size_t size,
                          char (*check)(std::string_view)) {
  if (text.size() != size || !all_digits(text.substr(0, size - 1))) return false;
  return text.back() == check(text.substr(0, size - 1));
}

Identifier sound(IdentifierScheme scheme, std::string value) {
  return {scheme, std::move(value), true};
}

Identifier unsound(IdentifierScheme scheme, std::string_view text) {
  return {scheme, to_nfc(trim(text)), false};
}

// A number of a register by its check digit, and a placeholder there: 978-1-234567-89-7.
bool is_filler_of_register(std::string_view text) {
  const std::string bare = to_upper(without_joints(text));
  const std::string_view number = bare;
  if (is_number_with_check(number, 13, check_of_isbn13))
    return (number.starts_with("978") || number.starts_with("979")) &&
           is_filler(number.substr(3, 9));
  if (is_number_with_check(number, 10, check_modulo_11)) return is_filler(number.substr(0, 9));
  if (is_number_with_check(number, 8, check_modulo_11)) return is_filler(number.substr(0, 7));
  if (!is_number_with_check(number, 16, check_of_orcid)) return false;
  const std::size_t first = number.find_first_not_of('0');
  return first >= 15 || is_filler(number.substr(first, 15 - first));
}

Identifier read_isbn(std::string_view text) {
  std::string bare = to_upper(without_joints(text));
  take_away(bare, {"URN:ISBN:", "ISBN13", "ISBN10", "ISBN"});
  take_away(bare, {":"});
  std::string body;
  if (is_number_with_check(bare, 10, check_modulo_11)) {
    body = "978" + bare.substr(0, 9);
  } else if (is_number_with_check(bare, 13, check_of_isbn13) &&
             (bare.starts_with("978") || bare.starts_with("979"))) {
    body = bare.substr(0, 12);
  } else {
    return unsound(IdentifierScheme::kIsbn, text);
  }
  if (is_filler(std::string_view(body).substr(3))) return unsound(IdentifierScheme::kIsbn, text);
  const char check = check_of_isbn13(body);
  return sound(IdentifierScheme::kIsbn, body + check);
}

Identifier read_issn(std::string_view text) {
  std::string bare = to_upper(without_joints(text));
  take_away(bare, {"URN:ISSN:", "EISSN", "ISSN"});
  take_away(bare, {":"});
  if (!is_number_with_check(bare, 8, check_modulo_11) ||
      is_filler(std::string_view(bare).substr(0, 7)))
    return unsound(IdentifierScheme::kIssn, text);
  return sound(IdentifierScheme::kIssn, bare.substr(0, 4) + "-" + bare.substr(4));
}

Identifier read_orcid(std::string_view text) {
  std::string address(trim(text));
  take_away(address, {"https://", "http://"});
  take_away(address, {"www."});
  take_away(address, {"orcid.org/", "orcid:"});
  if (address.ends_with('/')) address.pop_back();
  const std::string bare = to_upper(without_joints(address));
  if (!is_number_with_check(bare, 16, check_of_orcid))
    return unsound(IdentifierScheme::kOrcid, text);
  // Numbers begin with zeros, for there are fewer people than digits.
  const std::size_t first = bare.find_first_not_of('0');
  if (first >= 15 || is_filler(std::string_view(bare).substr(first, 15 - first)))
    return unsound(IdentifierScheme::kOrcid, text);
  return sound(IdentifierScheme::kOrcid, bare.substr(0, 4) + "-" + bare.substr(4, 4) + "-" +
                                             bare.substr(8, 4) + "-" + bare.substr(12));
}

Identifier read_iban(std::string_view text) {
  constexpr std::size_t kShortest = 15, kLongest = 34, kHead = 4;
  std::string bare = to_upper(without_joints(text));
  take_away(bare, {"IBAN:", "IBAN"});
  const auto is_sign = [](char c) { return is_ascii_digit(c) || is_ascii_letter(c); };
  if (bare.size() < kShortest || bare.size() > kLongest || !std::ranges::all_of(bare, is_sign) ||
      !is_ascii_letter(bare[0]) || !is_ascii_letter(bare[1]) || !is_ascii_digit(bare[2]) ||
      !is_ascii_digit(bare[3]))
    return unsound(IdentifierScheme::kIban, text);
  unsigned rest = 0;
  for (const char c : bare.substr(kHead) + bare.substr(0, kHead)) {
    const unsigned value = is_ascii_digit(c) ? digit(c) : static_cast<unsigned>(c - 'A') + 10;
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  if (rest != 1 || is_filler(std::string_view(bare).substr(kHead)))
    return unsound(IdentifierScheme::kIban, text);
  return sound(IdentifierScheme::kIban, std::move(bare));
}

Identifier read_doi(std::string_view text) {
  std::string bare(trim(text));
  take_away(bare, {"https://", "http://"});
  take_away(bare, {"www."});
  take_away(bare, {"dx.doi.org/", "doi.org/", "doi:", "urn:doi:"});
  bare = to_lower(trim(bare));
  const std::size_t slash = bare.find('/');
  if (!bare.starts_with("10.") || slash == std::string::npos || slash + 1 == bare.size() ||
      bare.find_first_of(" \t\r\n") != std::string::npos)
    return unsound(IdentifierScheme::kDoi, text);
  const std::string_view registrant = std::string_view(bare).substr(3, slash - 3);
  const bool numbered = registrant.size() >= 4 && std::ranges::all_of(registrant, [](char c) {
                          return is_ascii_digit(c) || c == '.';
                        });
  if (!numbered || is_filler(registrant) || is_placeholder(bare.substr(slash + 1)))
    return unsound(IdentifierScheme::kDoi, text);
  return sound(IdentifierScheme::kDoi, std::move(bare));
}

Identifier read_uuid(std::string_view text) {
  std::string bare = to_lower(trim(text));
  take_away(bare, {"urn:uuid:"});
  if (bare.starts_with('{') && bare.ends_with('}')) bare = bare.substr(1, bare.size() - 2);
  std::string signs = without_joints(bare);
  const bool hexadecimal = std::ranges::all_of(
      signs, [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
  if (signs.size() != 32 || !hexadecimal) return unsound(IdentifierScheme::kUuid, text);
  // Blocks and runs that a hand types, and one that only counts on from zero.
  const bool typed = is_filler(signs) || signs.find_first_not_of('0') >= 24;
  for (const std::size_t at : {std::size_t{8}, std::size_t{13}, std::size_t{18}, std::size_t{23}})
    signs.insert(at, "-");
  const std::vector<std::string_view> groups = split(std::string_view(signs), '-');
  const bool runs = std::ranges::all_of(groups, [](std::string_view group) {
    return is_run(group.substr(0, std::min<std::size_t>(group.size(), 9)));
  });
  if (typed || runs || is_placeholder(signs)) return unsound(IdentifierScheme::kUuid, text);
  return sound(IdentifierScheme::kUuid, std::move(signs));
}

// --- addresses

constexpr std::size_t kFewestSigns = 4;  // letters and digits of an address
constexpr std::string_view kReservedTops[] = {"example", "test", "invalid", "localhost"};

// Of one machine or one network, so that another's is the same (RFC 1122, 1918, 3927), or kept for
// examples (RFC 5737).
bool is_reserved_ipv4(const std::vector<std::string_view>& labels) {
  const auto is_number = [](std::string_view label) {
    return !label.empty() && label.size() <= 3 && std::ranges::all_of(label, is_ascii_digit);
  };
  if (labels.size() != 4 || !std::ranges::all_of(labels, is_number)) return false;
  const std::string_view first = labels[0], second = labels[1], third = labels[2];
  const bool example = (first == "192" && second == "0" && third == "2") ||
                       (first == "198" && second == "51" && third == "100") ||
                       (first == "203" && second == "0" && third == "113");
  return example || first == "0" || first == "10" || first == "127" ||
         (first == "192" && second == "168") || (first == "169" && second == "254") ||
         (first == "172" && second.size() == 2 && second >= "16" && second <= "31");
}

// Sixteen bits in hexadecimal; nothing: they are zeros that were left out.
unsigned group_of_ipv6(std::string_view text) {
  unsigned value = 0;
  for (const char c : text) value = value * 16 + (is_ascii_digit(c) ? digit(c) : digit(c) - 39);
  return value;
}

// The same of version 6: RFC 4291, 4193; for examples RFC 3849, 9637.
bool is_reserved_ipv6(std::string_view address) {
  const std::vector<std::string_view> groups = split(address, ':');
  for (const std::string_view group : groups)
    if (group.size() > 4 || group.find_first_not_of("0123456789abcdef") != group.npos) return false;
  const unsigned first = group_of_ipv6(groups[0]), second = group_of_ipv6(groups[1]);
  const bool example = (first == 0x2001 && second == 0xdb8) || (first == 0x3fff && second < 0x1000);
  const bool local = (first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfe80;
  const bool loopback = address.find_first_not_of("0:1") == address.npos && first == 0;
  return example || local || loopback;
}

// Kept for examples and tests, or of one network, so that it names nothing everywhere.
bool is_reserved_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::vector<std::string_view> labels = split(host, '.');
  if (is_reserved_ipv4(labels)) return true;
  if (host.find(':') != std::string_view::npos) {
    const std::string_view last = host.substr(host.rfind(':') + 1);  // ::ffff:192.0.2.1
    return is_reserved_ipv6(host) || is_reserved_ipv4(split(last, '.'));
  }
  if (std::ranges::find(kReservedTops, labels.back()) != std::ranges::end(kReservedTops))
    return true;
  return labels.size() >= 2 && labels[labels.size() - 2] == "example";
}

std::size_t signs_in(std::string_view text) {
  const std::u32string points = to_utf32(text);
  return static_cast<std::size_t>(std::ranges::count_if(points, [](char32_t c) {
    const CharClass kind = classify(c);
    return kind != CharClass::kOther && kind != CharClass::kMark;
  }));
}

bool is_one_word(std::string_view text) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos;
}

bool has_form_of_mail(std::string_view text) {
  const std::size_t at = text.find('@');
  return is_one_word(text) && at != std::string_view::npos && signs_in(text.substr(0, at)) != 0 &&
         text.find("://") == std::string_view::npos &&
         text.find('.', at) != std::string_view::npos && text.find('@', at + 1) == text.npos &&
         signs_in(text) >= kFewestSigns;
}

// The case of an address of mail says nothing.
Identifier read_mail(std::string_view text) {
  std::string address = to_nfc(to_lower(trim(text)));
  take_away(address, {"mailto:"});
  if (!has_form_of_mail(address) || is_reserved_host(address.substr(address.find('@') + 1)))
    return unsound(IdentifierScheme::kMail, text);
  return sound(IdentifierScheme::kMail, std::move(address));
}

// Without who asks and the port.
std::string_view host_in(std::string_view authority) {
  authority = authority.substr(authority.rfind('@') + 1);
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : authority.npos;
  return authority.substr(0, authority.find(':', bracket == authority.npos ? 0 : bracket));
}

// In an address of the web the case of the scheme and the host says nothing; of the path it does.
Identifier read_web(std::string_view text) {
  std::string address = to_nfc(trim(text));
  const std::size_t colon = address.find("://");
  if (colon == std::string::npos || colon == 0) {
    const bool urn = address.starts_with("urn:") && signs_in(address.substr(4)) >= kFewestSigns &&
                     !is_placeholder(address.substr(4)) &&
                     !is_filler_of_register(address.substr(address.rfind(':') + 1));
    return urn && is_one_word(address) ? sound(IdentifierScheme::kWeb, std::move(address))
                                       : unsound(IdentifierScheme::kWeb, text);
  }
  const std::size_t end = std::min(address.find_first_of("/?#", colon + 3), address.size());
  const std::string authority = to_lower(address.substr(0, end));
  std::string path = address.substr(end);
  if (path.empty()) path = "/";
  if (!is_one_word(address) || signs_in(address.substr(colon + 3)) < kFewestSigns ||
      is_reserved_host(host_in(std::string_view(authority).substr(colon + 3))))
    return unsound(IdentifierScheme::kWeb, text);
  return sound(IdentifierScheme::kWeb, authority + path);
}

Identifier read_text(std::string_view text) {
  const std::string_view bare = trim(text);
  if (has_form_of_mail(bare)) return read_mail(bare);
  const std::size_t colon = bare.find("://");
  if ((colon != std::string_view::npos && colon != 0 && is_one_word(bare)) ||
      bare.starts_with("urn:"))
    return read_web(bare);
  const bool stands = !bare.empty() && !is_placeholder(bare) && !is_filler_of_register(bare);
  return {IdentifierScheme::kText, to_nfc(bare), stands};
}

// --- spellings

// Registrants and publishers have numbers of any length: every place of the two hyphens inside.
void add_hyphenations(std::string_view nine, const std::string& before, const std::string& after,
                      std::vector<std::string>& out) {
  constexpr std::size_t kLongestGroup = 5, kLongestPublisher = 7;
  for (std::size_t group = 1; group <= kLongestGroup; ++group) {
    for (std::size_t publisher = 1;
         publisher <= kLongestPublisher && group + publisher < nine.size(); ++publisher) {
      for (const std::string_view joint : {"-", " "}) {
        std::string spelling = before.empty() ? "" : before + std::string(joint);
        spelling += nine.substr(0, group);
        spelling += joint;
        spelling += nine.substr(group, publisher);
        spelling += joint;
        spelling += nine.substr(group + publisher);
        spelling += joint;
        out.push_back(spelling + after);
      }
    }
  }
}

void add_isbn(const std::string& value, std::vector<std::string>& out) {
  const std::string nine = value.substr(3, 9);
  out.push_back(value.substr(0, 3) + "-" + value.substr(3));
  add_hyphenations(nine, value.substr(0, 3), value.substr(12), out);
  if (!value.starts_with("978")) return;
  const std::string check(1, check_modulo_11(nine));
  out.push_back(nine + check);
  add_hyphenations(nine, {}, check, out);
}

std::string in_fours(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 4)
    out.append(at == 0 ? "" : " ").append(text.substr(at, 4));
  return out;
}

}  // namespace

bool is_placeholder(std::string_view text) {
  const std::string plain = to_lower(to_nfkc(trim(text)));
  for (const std::string_view edge : kEdgesOfTime)
    if (plain.starts_with(edge) &&
        (plain.size() == edge.size() || !is_ascii_digit(plain[edge.size()])))
      return true;
  std::string digits, group;
  bool any = false, filled = true;
  const auto end_group = [&] {
    if (group.empty()) return;
    any = true;
    filled = filled && is_filler(group);
    group.clear();
  };
  for (std::size_t at = 0; at < plain.size();) {
    const CodePoint point = decode_utf8(plain, at);
    const char c = point.size == 1 ? plain[at] : '\0';
    if (point.size > 1 && classify(point.value) != CharClass::kOther) return false;
    if (is_ascii_digit(c)) digits += c;
    if (is_ascii_digit(c) || is_ascii_letter(c)) {
      group += c;
    } else {
      end_group();
    }
    at += point.size;
  }
  end_group();
  return !any || filled || (digits.size() >= kShortestRun && is_filler(digits));
}

IdentifierScheme scheme_of_attribute(std::string_view attribute) {
  std::string name;
  for (const char c : attribute)
    if (is_ascii_letter(c) || is_ascii_digit(c))
      name += static_cast<char>(is_ascii_letter(c) ? c | 0x20 : c);
  struct Promise {
    std::string_view name;
    IdentifierScheme scheme;
  };
  static constexpr std::array<Promise, 13> kPromises = {{{"isbn", IdentifierScheme::kIsbn},
                                                         {"isbn10", IdentifierScheme::kIsbn},
                                                         {"isbn13", IdentifierScheme::kIsbn},
                                                         {"issn", IdentifierScheme::kIssn},
                                                         {"eissn", IdentifierScheme::kIssn},
                                                         {"orcid", IdentifierScheme::kOrcid},
                                                         {"iban", IdentifierScheme::kIban},
                                                         {"doi", IdentifierScheme::kDoi},
                                                         {"uuid", IdentifierScheme::kUuid},
                                                         {"guid", IdentifierScheme::kUuid},
                                                         {"url", IdentifierScheme::kWeb},
                                                         {"email", IdentifierScheme::kMail},
                                                         {"mail", IdentifierScheme::kMail}}};
  const auto found = std::ranges::find(kPromises, name, &Promise::name);
  return found == kPromises.end() ? IdentifierScheme::kText : found->scheme;
}

Identifier read_identifier(IdentifierScheme scheme, std::string_view text) {
  switch (scheme) {
    case IdentifierScheme::kUuid:
      return read_uuid(text);
    case IdentifierScheme::kIsbn:
      return read_isbn(text);
    case IdentifierScheme::kIssn:
      return read_issn(text);
    case IdentifierScheme::kOrcid:
      return read_orcid(text);
    case IdentifierScheme::kIban:
      return read_iban(text);
    case IdentifierScheme::kDoi:
      return read_doi(text);
    case IdentifierScheme::kWeb:
      return read_web(text);
    case IdentifierScheme::kMail:
      return read_mail(text);
    case IdentifierScheme::kText:
      break;
  }
  return read_text(text);
}

std::vector<std::string> spellings_of(const Identifier& identifier) {
  std::vector<std::string> all{identifier.value};
  if (!identifier.sound) return all;
  const std::string& value = identifier.value;
  switch (identifier.scheme) {
    case IdentifierScheme::kIsbn:
      add_isbn(value, all);
      break;
    case IdentifierScheme::kIssn:
    case IdentifierScheme::kUuid:
      all.push_back(without_joints(value));
      all.push_back(to_upper(value));
      break;
    case IdentifierScheme::kOrcid:
      for (const std::string_view before :
           {"https://orcid.org/", "http://orcid.org/", "orcid.org/"})
        all.push_back(std::string(before) + value);
      all.push_back(without_joints(value));
      break;
    case IdentifierScheme::kIban:
      all.push_back(in_fours(value));
      break;
    case IdentifierScheme::kDoi:
      for (const std::string_view before : {"", "https://doi.org/", "http://doi.org/", "doi.org/",
                                            "https://dx.doi.org/", "http://dx.doi.org/", "doi:"}) {
        all.push_back(std::string(before) + value);
        all.push_back(std::string(before) + to_upper(value));
      }
      break;
    case IdentifierScheme::kWeb:
      if (value.ends_with('/')) all.push_back(value.substr(0, value.size() - 1));
      break;
    case IdentifierScheme::kMail:
    case IdentifierScheme::kText:
      break;
  }
  return all;
}

}  // namespace anima
