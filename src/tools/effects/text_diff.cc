#include "tools/effects/text_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/files/file.h"
#include "base/text/text.h"
#include "tools/detail/arguments.h"
#include "tools/effects/folder_handle.h"

namespace anima::tools::effects {
namespace {

constexpr int kMostEdits = 500;
constexpr std::size_t kContext = 3;
constexpr std::size_t kMostLinesOfFile = 80;
constexpr std::uint64_t kLargestText = 262'144;
constexpr std::size_t kLongestLine = 300;

using Lines = std::vector<std::string_view>;

struct Edit {
  char sign = ' ';  // ' ' in both, '-' only before, '+' only after
  std::string_view line;
};

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// How far each diagonal reaches after 0, 1, 2 .. edits; empty when there are too many.
std::vector<std::vector<int>> reaches(const Lines& before, const Lines& after) {
  const int n = static_cast<int>(before.size()), m = static_cast<int>(after.size());
  std::vector<std::vector<int>> trace;
  std::vector<int> reach(2 * kMostEdits + 3, 0);
  const auto at = [&](int diagonal) -> int& {
    return reach[static_cast<std::size_t>(diagonal + kMostEdits + 1)];
  };
  for (int edits = 0; edits <= std::min(kMostEdits, n + m); ++edits) {
    trace.push_back(reach);
    for (int k = -edits; k <= edits; k += 2) {
      int x = k == -edits || (k != edits && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      at(k) = x;
      if (x >= n && x - k >= m) return trace;
    }
  }
  return {};
}

// The way back through the reaches: the edits of the part that differs, in order.
std::vector<Edit> edits_of(const Lines& before, const Lines& after) {
  std::vector<Edit> edits;
  const auto trace = reaches(before, after);
  int x = static_cast<int>(before.size()), y = static_cast<int>(after.size());
  if (trace.empty()) {
    for (const std::string_view line : before) edits.push_back({'-', line});
    for (const std::string_view line : after) edits.push_back({'+', line});
    return edits;
  }
  for (int count = static_cast<int>(trace.size()) - 1; count >= 0; --count) {
    const auto at = [&](int diagonal) {
      return trace[static_cast<std::size_t>(count)]
                  [static_cast<std::size_t>(diagonal + kMostEdits + 1)];
    };
    const int k = x - y;
    const int from = k == -count || (k != count && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const int from_x = count == 0 ? 0 : at(from), from_y = count == 0 ? 0 : from_x - from;
    while (x > from_x && y > from_y) {
      --x;
      --y;
      edits.push_back({' ', before[static_cast<std::size_t>(x)]});
    }
    if (count == 0) break;
    if (x > from_x) {
      edits.push_back({'-', before[static_cast<std::size_t>(--x)]});
    } else {
      edits.push_back({'+', after[static_cast<std::size_t>(--y)]});
    }
  }
  std::ranges::reverse(edits);
  return edits;
}

std::string shown_line(std::string_view line) {
  const std::string_view beginning = detail::cut_at_character(line, kLongestLine);
  return shown_path(beginning) + (beginning.size() < line.size() ? " .." : "");
}

// One hunk: edits [begin, end), and the line numbers at its beginning.
struct Hunk {
  std::size_t begin, end, line_before, line_after;
};

std::vector<Hunk> hunks_of(const std::vector<Edit>& edits) {
  std::vector<Hunk> hunks;
  std::size_t before = 1, after = 1;
  std::vector<std::pair<std::size_t, std::size_t>> numbers;  // of each edit
  for (const Edit& edit : edits) {
    numbers.emplace_back(before, after);
    before += edit.sign != '+' ? 1 : 0;
    after += edit.sign != '-' ? 1 : 0;
  }
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].sign == ' ') continue;
    const std::size_t begin = i < kContext ? 0 : i - kContext;
    const std::size_t end = std::min(edits.size(), i + kContext + 1);
    if (!hunks.empty() && begin <= hunks.back().end) {
      hunks.back().end = end;
    } else {
      hunks.push_back({begin, end, numbers[begin].first, numbers[begin].second});
    }
  }
  return hunks;
}

bool is_text(std::string_view bytes) {
  return is_valid_utf8(bytes) && bytes.find('\0') == std::string_view::npos;
}

std::string read_text(const std::string& path) {
  return read_file(system_files(), path, kLargestText).value_or("");
}

std::string old_text(const Staging& staging, const Change& change) {
  if (change.before.kind != EntryKind::kFile || change.before.size > kLargestText) return {};
  const auto root = open_folder(staging.work_folder());
  std::string name;
  if (!root) return {};
  const auto parent = open_parent_of(root->get(), change.path, name);
  if (!parent) return {};
  const auto file = open_file_in(parent->get(), name);
  return file ? read_text(fmt::format("/proc/self/fd/{}", file->get())) : std::string();
}

std::string content_text(const Staging& staging, const Staged& staged, std::size_t index) {
  const Change& change = staged.difference.changes[index];
  const bool has_text = change.has_new_content() && change.after.size <= kLargestText;
  const std::string after = has_text ? read_text(staging.content_of(staged, index)) : std::string();
  const std::string before = has_text ? old_text(staging, change) : std::string();
  if (!has_text || !is_text(before) || !is_text(after)) return {};
  return text_diff(before, after, kMostLinesOfFile);
}

std::string headline(const Change& change, std::string_view root) {
  const Entry& entry = change.after.kind == EntryKind::kAbsent ? change.before : change.after;
  std::string line = fmt::format("{:<8} {}", to_string(change.effect()), shown_path(change.path));
  if (entry.kind == EntryKind::kFolder) line += '/';
  if (entry.kind == EntryKind::kLink) line += " -> " + shown_path(entry.target);
  if (change.leads_out(root)) line += " (leads out of the folder)";
  if (!change.moved_to.empty()) line += " to " + shown_path(change.moved_to);
  if (change.effect() == Effect::kMode)
    return line + fmt::format(" ({:03o}, was {:03o})\n", change.after.mode, change.before.mode);
  if (entry.kind == EntryKind::kFile) line += fmt::format(" ({} bytes)", entry.size);
  return line + '\n';
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after, std::size_t most_lines) {
  if (before == after) return {};
  Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const auto [first, other] = std::ranges::mismatch(old_lines, new_lines);
  const std::size_t same = static_cast<std::size_t>(first - old_lines.begin());
  std::size_t end = 0;
  while (end < std::min(old_lines.size(), new_lines.size()) - same &&
         old_lines[old_lines.size() - 1 - end] == new_lines[new_lines.size() - 1 - end]) {
    ++end;
  }
  const Lines old_part(old_lines.begin() + static_cast<std::ptrdiff_t>(same),
                       old_lines.end() - static_cast<std::ptrdiff_t>(end));
  const Lines new_part(new_lines.begin() + static_cast<std::ptrdiff_t>(same),
                       new_lines.end() - static_cast<std::ptrdiff_t>(end));
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < same; ++i) edits.push_back({' ', old_lines[i]});
  std::ranges::copy(edits_of(old_part, new_part), std::back_inserter(edits));
  for (std::size_t i = old_lines.size() - end; i < old_lines.size(); ++i)
    edits.push_back({' ', old_lines[i]});
  std::string text;
  std::size_t written = 0, left = 0;
  for (const Hunk& hunk : hunks_of(edits)) {
    if (written >= most_lines) {
      left += hunk.end - hunk.begin;
      continue;
    }
    text += fmt::format("@@ -{} +{} @@\n", hunk.line_before, hunk.line_after);
    for (std::size_t i = hunk.begin; i < hunk.end; ++i) {
      if (written++ < most_lines) {
        text += edits[i].sign + shown_line(edits[i].line) + '\n';
      } else {
        ++left;
      }
    }
  }
  if (left != 0) text += fmt::format("({} more lines)\n", left);
  return text;
}

std::string difference_text(const Staging& staging, const Staged& staged, std::size_t most_bytes) {
  const Difference& difference = staged.difference;
  std::vector<std::size_t> order(difference.changes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // What is lost and what leads out first: nobody should have to look for it.
  const auto weight = [&](std::size_t i) {
    const Change& change = difference.changes[i];
    const Effect effect = change.effect();
    const bool loses = effect == Effect::kDeleted || effect == Effect::kReplaced;
    return loses ? 0 : change.leads_out(staging.work_folder()) ? 1 : 2;
  };
  std::ranges::stable_sort(order, {}, weight);
  std::string text;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (text.size() >= most_bytes) {
      return text + fmt::format("({} more paths)\n", order.size() - i);
    }
    text += headline(difference.changes[order[i]], staging.work_folder());
    text += content_text(staging, staged, order[i]);
  }
  for (const std::string& path : difference.left_out)
    text += fmt::format("left out {} (no file, folder or link)\n", shown_path(path));
  return text;
}

}  // namespace anima::tools::effects
