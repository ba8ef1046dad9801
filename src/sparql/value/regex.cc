#include "sparql/value/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

namespace anima::sparql::value {
namespace {

// Classes of XML Schema within brackets; the complement of all that a text may hold is the other.
struct ClassEscape {
  char letter;
  std::string_view members;
};
constexpr ClassEscape kClassEscapes[] = {
    {'d', "\\p{Nd}"},  {'w', "\\p{L}\\p{M}\\p{N}\\p{S}"},         {'s', " \\t\\n\\r"},
    {'i', "\\p{L}_:"}, {'c', "\\p{L}\\p{M}\\p{Nd}_:.\\-\\x{B7}"},
};

const ClassEscape* class_escape(char letter) {
  for (const ClassEscape& it : kClassEscapes) {
    if (it.letter == letter) return &it;
  }
  return nullptr;
}

// What \W is within brackets, where nothing can be taken away.
std::string_view other_members(char letter) {
  switch (letter) {
    case 'W':
      return "\\p{P}\\p{Z}\\p{C}";
    case 'D':
      return "\\P{Nd}";
    case 'S':
      return "\\x{0}-\\x{8}\\x{B}\\x{C}\\x{E}-\\x{1F}\\x{21}-\\x{10FFFF}";
    default:
      return {};
  }
}

class Translator {
 public:
  Translator(std::string_view pattern, bool ignore_blanks)
      : pattern_(pattern), ignore_blanks_(ignore_blanks) {}

  // False: not a pattern of XPath that RE2 can match.
  bool run(std::string* out) {
    for (; at_ < pattern_.size(); ++at_) {
      const char c = pattern_[at_];
      if (ignore_blanks_ && depth_ == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
        continue;
      if (c == '\\') {
        if (!escape(out)) return false;
      } else if (depth_ > 0) {
        if (!within_class(c, out)) return false;
      } else if (c == '(' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] == '?') {
        if (pattern_.substr(at_, 3) != "(?:") return false;
        out->push_back(c);
      } else {
        if (c == '[') {
          depth_ = 1;
          class_begins_ = true;
        }
        out->push_back(c);
      }
    }
    return depth_ == 0;
  }

 private:
  bool within_class(char c, std::string* out) {
    const bool first = class_begins_;
    class_begins_ = first && c == '^';
    if (c == ']') {
      if (first) return false;
      depth_ = 0;
    } else if (c == '[') {
      return false;  // a class that is taken away, or one that should be escaped
    }
    out->push_back(c);
    return true;
  }

  bool escape(std::string* out) {
    if (++at_ == pattern_.size()) return false;
    class_begins_ = false;
    const char c = pattern_[at_];
    if (const ClassEscape* const it = class_escape(c)) {
      *out += depth_ > 0 ? std::string(it->members) : "[" + std::string(it->members) + "]";
      return true;
    }
    const char lower = static_cast<char>(c | 0x20);
    if (const ClassEscape* const it = class_escape(lower)) {
      const std::string_view members = other_members(c);
      if (depth_ > 0 && members.empty()) return false;
      *out += depth_ > 0 ? std::string(members) : "[^" + std::string(it->members) + "]";
      return true;
    }
    constexpr std::string_view kPlain = "nrt\\|.?*+(){}-[]^$pP";
    if (kPlain.find(c) == std::string_view::npos) return false;
    out->push_back('\\');
    out->push_back(c);
    return c != 'p' && c != 'P' ? true : category(out);
  }

  // The name behind \p: RE2 knows the categories of Unicode, but not its blocks ("IsGreek").
  bool category(std::string* out) {
    const std::size_t end = pattern_.find('}', at_);
    if (at_ + 1 >= pattern_.size() || pattern_[at_ + 1] != '{' || end == std::string_view::npos)
      return false;
    const std::string_view name = pattern_.substr(at_ + 2, end - at_ - 2);
    if (name.empty() || name.size() > 2) return false;
    *out += "{" + std::string(name) + "}";
    at_ = end;
    return true;
  }

  std::string_view pattern_;
  bool ignore_blanks_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool class_begins_ = false;
};

// A replacement in pieces: text, and the number of a group behind it (-1: none).
struct Piece {
  std::string text;
  int group = -1;
};

bool read_replacement(std::string_view replacement, int groups, std::vector<Piece>* pieces) {
  pieces->emplace_back();
  for (std::size_t at = 0; at < replacement.size(); ++at) {
    const char c = replacement[at];
    const char next = at + 1 < replacement.size() ? replacement[at + 1] : '\0';
    if (c == '\\') {
      if (next != '\\' && next != '$') return false;
      pieces->back().text.push_back(next);
      ++at;
    } else if (c == '$') {
      if (next < '0' || next > '9') return false;
      int group = next - '0';
      for (++at; at + 1 < replacement.size(); ++at) {
        // As many digits as still name a group.
        const char digit = replacement[at + 1];
        if (digit < '0' || digit > '9' || group * 10 + (digit - '0') > groups) break;
        group = group * 10 + (digit - '0');
      }
      pieces->back().group = group;
      pieces->emplace_back();
    } else {
      pieces->back().text.push_back(c);
    }
  }
  return true;
}

void append(const std::vector<Piece>& pieces, const std::vector<re2::StringPiece>& groups,
            std::string* out) {
  for (const Piece& piece : pieces) {
    *out += piece.text;
    if (piece.group < 0 || piece.group >= static_cast<int>(groups.size())) continue;
    const re2::StringPiece& group = groups[static_cast<std::size_t>(piece.group)];
    if (group.data() != nullptr) out->append(group.data(), group.size());
  }
}

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> regex, bool literal)
    : regex_(std::move(regex)), literal_(literal) {}
Regex::~Regex() = default;

std::unique_ptr<Regex> Regex::compile(std::string_view pattern, std::string_view flags) {
  if (pattern.size() > kMostBytes || flags.find_first_not_of("smixq") != std::string_view::npos)
    return nullptr;
  const auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  options.set_case_sensitive(!has('i'));
  options.set_literal(has('q'));
  std::string translated;
  if (has('q')) {
    translated = pattern;
  } else {
    if (has('s')) translated += "(?s)";
    if (has('m')) translated += "(?m)";
    if (!Translator(pattern, has('x')).run(&translated)) return nullptr;
  }
  auto regex = std::make_unique<re2::RE2>(translated, options);
  if (!regex->ok()) return nullptr;
  return std::unique_ptr<Regex>(new Regex(std::move(regex), has('q')));
}

bool Regex::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

std::optional<std::string> Regex::replace(std::string_view text,
                                          std::string_view replacement) const {
  if (matches({})) return std::nullopt;
  const int count = literal_ ? 0 : regex_->NumberOfCapturingGroups();
  std::vector<Piece> pieces;
  if (literal_) {
    pieces.push_back({std::string(replacement), -1});
  } else if (!read_replacement(replacement, count, &pieces)) {
    return std::nullopt;
  }
  const re2::StringPiece whole(text.data(), text.size());
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(count) + 1);
  std::string out;
  std::size_t at = 0;
  while (at <= text.size() &&
         regex_->Match(whole, at, text.size(), re2::RE2::UNANCHORED, groups.data(), count + 1)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    out += text.substr(at, begin - at);
    append(pieces, groups, &out);
    if (groups[0].empty() || out.size() > kMostResult) return std::nullopt;
    at = begin + groups[0].size();
  }
  out += text.substr(std::min(at, text.size()));
  if (out.size() > kMostResult) return std::nullopt;
  return out;
}

}  // namespace anima::sparql::value
