#include "learn/patterns.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima::learn {
namespace {

constexpr std::string_view kArrow = "→";
constexpr std::size_t kShortestHex = 6;
constexpr std::array<std::string_view, 4> kPrefixes = {"style:", "tool:", "lang:", "pattern:"};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_wordy(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
// A path goes on with it. A colon ends it: a line number follows.
bool is_path_part(char c) {
  return !is_blank(c) && std::string_view(":,;'\"`()[]{}<>|=").find(c) == std::string_view::npos;
}

// Goes through a text in lower case once and writes it with placeholders.
class Normaliser {
 public:
  explicit Normaliser(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!quoted() && !path() && !number()) out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  bool starts_word() const { return at_ == 0 || !is_wordy(text_[at_ - 1]); }

  bool quoted() {
    const char mark = text_[at_];
    if (mark != '"' && mark != '\'' && mark != '`') return false;
    // An apostrophe within a word begins nothing.
    if (mark == '\'' && !starts_word()) return false;
    const std::size_t end = text_.find(mark, at_ + 1);
    if (end == std::string_view::npos) return false;
    if (mark == '\'' && end + 1 < text_.size() && is_wordy(text_[end + 1])) return false;
    return take(end + 1, "<q>");
  }

  bool path() {
    if (!is_path_part(text_[at_])) return false;
    if (at_ > 0 && is_path_part(text_[at_ - 1])) return false;
    std::size_t end = at_;
    while (end < text_.size() && is_path_part(text_[end])) ++end;
    while (end > at_ && std::string_view(".!?").find(text_[end - 1]) != std::string_view::npos)
      --end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.size() < 2 || word.find('/') == std::string_view::npos) return false;
    return take(end, "<path>");
  }

  bool number() {
    if (!is_hex(text_[at_])) return false;
    std::size_t end = at_;
    while (end < text_.size() && is_hex(text_[end])) ++end;
    const std::string_view run = text_.substr(at_, end - at_);
    const bool whole = starts_word() && (end == text_.size() || !is_wordy(text_[end]));
    const bool decimal = std::ranges::all_of(run, is_digit);
    if (whole && !decimal && run.size() >= kShortestHex && std::ranges::any_of(run, is_digit))
      return take(end, "<hex>");
    if (!is_digit(text_[at_])) return false;
    end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return take(end, "<n>");
  }

  bool take(std::size_t end, std::string_view placeholder) {
    out_ += placeholder;
    at_ = end;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string single_blanks(std::string_view text) {
  std::string out;
  for (const char c : trim(text)) {
    if (!is_blank(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

std::string encoded(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "%", "%25"), ":", "%3A"), kArrow, "%E2%86%92");
}

std::string decoded(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "%E2%86%92", kArrow), "%3A", ":"), "%25", "%");
}

}  // namespace

std::string_view to_string(PatternKind kind) {
  switch (kind) {
    case PatternKind::kRejection:
      return "rejection";
    case PatternKind::kAcceptance:
      return "acceptance";
    case PatternKind::kCorrection:
      return "correction";
    case PatternKind::kFailure:
      return "failure";
    case PatternKind::kSuccess:
      return "success";
  }
  return "rejection";
}

std::string normalise_reason(std::string_view reason, std::size_t bytes) {
  // What lies far behind the cut cannot matter, however long a tool's complaint is.
  const std::string lower = to_lower(beginning_of(reason, 64 * bytes + 4096));
  std::string text = single_blanks(Normaliser(lower).run());
  for (const std::string_view prefix : kPrefixes) {
    if (text.starts_with(std::string(prefix) + " ")) text.erase(prefix.size(), 1);
  }
  return std::string(trim(beginning_of(text, bytes)));
}

std::string rejection_key(std::string_view action, std::string_view reason) {
  return encoded(action) + ":" + normalise_reason(reason);
}

std::string acceptance_key(std::string_view action) { return encoded(action); }

std::string correction_key(std::string_view original, std::string_view corrected) {
  return encoded(original) + std::string(kArrow) + std::string(corrected);
}

PatternParts parts_of_key(PatternKind kind, std::string_view key) {
  if (kind == PatternKind::kAcceptance || kind == PatternKind::kSuccess) return {decoded(key), {}};
  const std::string_view joint = kind == PatternKind::kCorrection ? kArrow : ":";
  const std::size_t at = key.find(joint);
  if (at == std::string_view::npos) return {decoded(key), {}};
  return {decoded(key.substr(0, at)), std::string(key.substr(at + joint.size()))};
}

}  // namespace anima::learn
