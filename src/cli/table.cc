#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace anima::cli {
namespace {

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

}  // namespace

void Table::add(std::vector<std::string> cells) {
  ANIMA_CHECK(cells.size() == titles_.size());
  for (std::string& cell : cells) cell = without_control_characters(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::render(const Context& context) const {
  std::vector<std::size_t> widths;
  for (const std::string& title : titles_) widths.push_back(display_width(title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - display_width(cells[i]), ' ');
      const bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      text += right ? padding + cells[i] : cells[i] + padding;
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = context.paint(Paint::kBold, line(titles_)) + '\n';
  for (const auto& row : rows_) text += line(row) + '\n';
  return text;
}

}  // namespace anima::cli
