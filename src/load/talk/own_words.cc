#include "load/talk/own_words.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "load/file_words.h"

namespace anima::load {
namespace {

constexpr std::size_t kLinesOfOpening = 3;  // that mail programs break it into
constexpr std::size_t kLinesOfBlock = 6;
constexpr std::size_t kLongestMark = 300;  // bytes of a line that may mark a quotation

struct Line {
  std::string_view text;
  std::string folded;  // without stars around what is bold; empty: too long for a mark
};

std::string without_stars(std::string text) {
  std::erase(text, '*');
  return std::string(trim(text));
}

std::vector<Line> lines_of(std::string_view body) {
  std::vector<Line> lines;
  for (std::string_view text : split(body, '\n')) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    lines.push_back({text, text.size() > kLongestMark ? "" : without_stars(folded_line(text))});
  }
  return lines;
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// "from: ada" of the word "from".
bool is_field(std::string_view line, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return line.starts_with(word) && trim(line.substr(word.size())).starts_with(':');
  });
}

class Quotations {
 public:
  explicit Quotations(std::string_view body) : lines_(lines_of(body)) {}

  std::string own() const {
    std::string own;
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      const Line& line = lines_[at];
      if (line.text == "-- " || line.text == "--" || begins_whole_mail(at)) break;
      if (line.text.starts_with('>')) continue;
      const std::size_t opening = lines_of_opening(at);
      if (opening > 0 && is_quoted_behind(at + opening)) {
        at += opening - 1;
        continue;
      }
      if (opening > 0 && is_dated(at, opening)) break;
      own += std::string(line.text) + "\n";
    }
    return std::string(trim(own));
  }

 private:
  // The next line that is not blank, from `at` on.
  std::size_t filled(std::size_t at) const {
    while (at < lines_.size() && trim(lines_[at].text).empty()) ++at;
    return at;
  }

  bool is_quoted_behind(std::size_t at) const {
    at = filled(at);
    return at < lines_.size() && lines_[at].text.starts_with('>');
  }

  bool begins_whole_mail(std::size_t at) const {
    const std::string& line = lines_[at].folded;
    if (line.empty()) return false;
    // Outlook draws a line above the block.
    if (line.find_first_not_of('_') == line.npos && line.size() >= 10) {
      const std::size_t next = filled(at + 1);
      return next < lines_.size() && is_block(next);
    }
    return is_separator(line) || is_block(at);
  }

  static bool is_separator(std::string_view line) {
    const std::size_t begin = line.find_first_not_of("- ");
    if (begin == line.npos) return false;
    const std::string_view words =
        trim(line.substr(begin, line.find_last_not_of("-: ") + 1 - begin));
    const bool dashes = begin >= 3;
    return std::ranges::any_of(file_words(), [&](const FileWords& known) {
      return std::ranges::any_of(known.separators, [&](const std::string& separator) {
        // Without dashes it is a line of its own with a colon: "Begin forwarded message:".
        return dashes ? words.starts_with(separator) : words == separator && line.ends_with(':');
      });
    });
  }

  // From, then Sent and Subject, in one language.
  bool is_block(std::size_t at) const {
    return std::ranges::any_of(file_words(), [&](const FileWords& words) {
      if (!is_field(lines_[at].folded, words.from)) return false;
      bool sent = false, subject = false;
      std::size_t next = at;
      for (std::size_t seen = 1; seen < kLinesOfBlock; ++seen) {
        next = filled(next + 1);
        if (next >= lines_.size()) break;
        sent = sent || is_field(lines_[next].folded, words.sent);
        subject = subject || is_field(lines_[next].folded, words.subject);
      }
      return sent && subject;
    });
  }

  // How many lines the words above a quotation have here, "On Mon, 8 May 2023 Ada wrote:"; 0: there
  // are none. More than one only where the first begins as they do, with a date.
  std::size_t lines_of_opening(std::size_t at) const {
    std::string joined;
    std::size_t next = at;
    for (std::size_t count = 1; count <= kLinesOfOpening && next < lines_.size(); ++count) {
      const std::string& line = lines_[next].folded;
      if (line.empty()) return 0;
      joined += (joined.empty() ? "" : " ") + line;
      if (line.ends_with(':')) return says_who_wrote(joined) ? next + 1 - at : 0;
      if (count == 1 && !(has_digit(line) && begins_as_opening(line))) return 0;
      next = filled(next + 1);
    }
    return 0;
  }

  static bool begins_as_opening(std::string_view line) {
    return std::ranges::any_of(file_words(), [&](const FileWords& words) {
      return std::ranges::any_of(
          words.openings, [&](const std::string& word) { return line.starts_with(word + " "); });
    });
  }

  static bool says_who_wrote(const std::string& line) {
    // "2023-05-08 13:56 GMT Ada <ada@x.example>:"
    if (line.ends_with(">:") && line.find('@') != line.npos) return true;
    const std::string spaced = " " + line.substr(0, line.size() - 1) + " ";
    return std::ranges::any_of(file_words(), [&](const FileWords& words) {
      return std::ranges::any_of(words.wrote, [&](const std::string& word) {
        return spaced.find(" " + word + " ") != spaced.npos;
      });
    });
  }

  // Nobody writes so himself: a date, and an address or the beginning of such a line.
  bool is_dated(std::size_t at, std::size_t count) const {
    std::string joined;
    for (std::size_t i = at; i < at + count; ++i) joined += lines_[i].folded + " ";
    return has_digit(joined) && (joined.find('@') != joined.npos || begins_as_opening(joined));
  }

  std::vector<Line> lines_;
};

}  // namespace

std::string own_words(std::string_view body) { return Quotations(body).own(); }

}  // namespace anima::load
