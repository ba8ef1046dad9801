// A table for people: columns as wide as what is in them, numbers to the right, and characters that
// hide something made visible.
#include <algorithm>

#include "base/text/text.h"
#include "sparql/results/escape.h"
#include "sparql/results/text_writer.h"

namespace anima::sparql::results {
namespace {

constexpr std::size_t kWidestColumn = 60;

bool is_number(const RdfTerm& term) {
  if (term.kind != RdfKind::kTyped || !term.extra.starts_with(kXsd)) return false;
  const std::string_view type = term.extra.substr(kXsd.size());
  return type == "integer" || type == "decimal" || type == "double" || type == "float";
}

// The text of a string, and other terms as Turtle writes them.
std::string shown(const RdfTerm& term) {
  std::string text;
  if (term.kind == RdfKind::kString) {
    text = term.text;
  } else if (is_number(term)) {
    text = term.text;
  } else {
    append_tsv(text, term);
  }
  text = visible_text(text);
  if (display_width(text) <= kWidestColumn) return text;
  std::string cut;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const std::string_view one = std::string_view(text).substr(at, point.size);
    width += display_width(one);
    if (width >= kWidestColumn) break;
    cut += one;
    at += point.size;
  }
  return cut + "…";
}

class TableWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Status begin(std::span<const std::string> variables) override {
    for (const std::string& variable : variables) {
      names_.push_back("?" + variable);
      widths_.push_back(display_width(names_.back()));
    }
    return {};
  }

  Status row(std::span<const RdfTerm* const> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Cell& cell = cells_.emplace_back();
      if (cells[i] == nullptr) continue;
      cell.text = shown(*cells[i]);
      cell.right = is_number(*cells[i]);
      widths_[i] = std::max(widths_[i], display_width(cell.text));
    }
    ++rows_;
    return {};
  }

  Status end() override {
    std::vector<Cell> heads;
    for (const std::string& name : names_) heads.push_back({name, false});
    line(heads.data());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      text_ += i > 0 ? "  " : "";
      text_.append(widths_[i], '-');
    }
    if (!names_.empty()) text_ += "\n";
    for (std::size_t row = 0; row < rows_; ++row) {
      line(cells_.data() + row * names_.size());
      ANIMA_TRY(pass(false));
    }
    text_ += rows_ == 1 ? "(1 row)\n" : "(" + std::to_string(rows_) + " rows)\n";
    return pass(true);
  }

 private:
  struct Cell {
    std::string text;
    bool right = false;
  };

  void line(const Cell* cells) {
    if (names_.empty()) return;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::size_t gap = widths_[i] - display_width(cells[i].text);
      text_ += i > 0 ? "  " : "";
      if (cells[i].right) text_.append(gap, ' ');
      text_ += cells[i].text;
      if (!cells[i].right && i + 1 < names_.size()) text_.append(gap, ' ');
    }
    while (!text_.empty() && text_.back() == ' ') text_.pop_back();
    text_.push_back('\n');
  }

  std::vector<std::string> names_;
  std::vector<std::size_t> widths_;
  std::vector<Cell> cells_;  // row by row
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ResultWriter> make_table_writer(ResultWriter::Out out) {
  return std::make_unique<TableWriter>(std::move(out));
}

}  // namespace anima::sparql::results
