#include "cli/render/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text/text.h"

namespace anima::cli {
namespace {

constexpr std::size_t kGap = 2;          // between columns
constexpr std::size_t kLeastColumn = 6;  // a column is cut no narrower
constexpr std::string_view kEllipsis = "…";

std::string without_control_characters(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out += c;
    } else {
      out += c == '\n'   ? std::string("\\n")
             : c == '\t' ? std::string("\\t")
                         : fmt::format("\\x{:02x}", byte);
    }
  }
  return out;
}

// The beginning of the text that takes at most so many columns.
std::string cut_to_width(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    const std::size_t wide = display_width(std::string_view(text).substr(end, next - end));
    if (used + wide + 1 > width) break;
    used += wide;
    end = next;
  }
  return text.substr(0, end) + std::string(kEllipsis);
}

// The widths cut from the widest on until all fit; empty when they cannot.
std::vector<std::size_t> fitted(std::vector<std::size_t> widths, std::size_t columns) {
  const std::size_t gaps = kGap * (widths.size() - 1);
  const auto total = [&](std::size_t most) {
    return std::accumulate(widths.begin(), widths.end(), gaps,
                           [&](std::size_t sum, std::size_t w) { return sum + std::min(w, most); });
  };
  std::size_t most = widths.empty() ? 0 : *std::ranges::max_element(widths);
  if (total(most) <= columns) return widths;
  if (total(kLeastColumn) > columns) return {};
  std::size_t least = kLeastColumn;
  while (least < most) {
    const std::size_t middle = least + (most - least + 1) / 2;
    if (total(middle) <= columns) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  for (std::size_t& width : widths) width = std::min(width, least);
  return widths;
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string tsv_cell(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_cell(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    if (c == '|' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "<br>";
    } else if (c != '\r') {
      out += c;
    }
  }
  return out;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  ANIMA_CHECK(cells.size() == titles_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::render(const Context& context) const {
  switch (context.table) {
    case TableForm::kCsv:
      return separated(',');
    case TableForm::kTsv:
      return separated('\t');
    case TableForm::kMarkdown:
      return markdown();
    case TableForm::kExpanded:
      return expanded(context);
    case TableForm::kText:
      break;
  }
  std::vector<std::size_t> widths = natural_widths();
  const std::size_t columns = context.out.columns();
  if (columns > 0) {
    widths = fitted(std::move(widths), columns);
    if (widths.empty() && !titles_.empty()) return expanded(context);
  }
  return text(context, widths);
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (const std::string& title : titles_) widths.push_back(display_width(title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(without_control_characters(row[i])));
    }
  }
  return widths;
}

std::string Table::text(const Context& context, const std::vector<std::size_t>& widths) const {
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = cut_to_width(without_control_characters(cells[i]), widths[i]);
      const std::string padding(widths[i] - display_width(cell), ' ');
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      text += right ? padding + cell : cell + padding;
      text.append(kGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = context.paint(Paint::kBold, line(titles_)) + '\n';
  for (const auto& row : rows_) text += line(row) + '\n';
  return text;
}

std::string Table::expanded(const Context& context) const {
  std::size_t width = 0;
  for (const std::string& title : titles_) width = std::max(width, display_width(title));
  std::string text;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    text += context.paint(Paint::kDim, fmt::format("-- row {}\n", k + 1));
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      const std::string padding(width - display_width(titles_[i]) + kGap, ' ');
      text += context.paint(Paint::kBold, titles_[i]) + padding +
              without_control_characters(rows_[k][i]);
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
  }
  return text;
}

std::string Table::separated(char separator) const {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += separator;
      text += separator == ',' ? csv_cell(cells[i]) : tsv_cell(cells[i]);
    }
    text += '\n';
  };
  line(titles_);
  for (const auto& row : rows_) line(row);
  return text;
}

std::string Table::markdown() const {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    text += '|';
    for (const std::string& cell : cells) text += ' ' + markdown_cell(cell) + " |";
    text += '\n';
  };
  line(titles_);
  text += '|';
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    text += std::find(right_.begin(), right_.end(), i) != right_.end() ? " ---: |" : " --- |";
  }
  text += '\n';
  for (const auto& row : rows_) line(row);
  return text;
}

}  // namespace anima::cli
