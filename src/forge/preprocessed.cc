#include "forge/preprocessed.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace anima::forge {
namespace {

struct Marker {
  std::size_t line = 0;
  std::string_view file;
};

std::optional<std::size_t> number_at(std::string_view& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// `# 12 "file"`, with or without numbers behind it.
std::optional<Marker> marker_of(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  line.remove_prefix(2);
  const auto number = number_at(line);
  if (!number || !line.starts_with(" \"")) return std::nullopt;
  line.remove_prefix(2);
  const std::size_t close = line.rfind('"');
  if (close == std::string_view::npos) return std::nullopt;
  for (const char c : line.substr(close + 1)) {
    if (c != ' ' && (c < '1' || c > '4')) return std::nullopt;
  }
  return Marker{*number, line.substr(0, close)};
}

// `#include <vector> /* clang -E -dI */`
std::optional<Inclusion> inclusion_of(std::string_view line) {
  if (!line.starts_with('#') || !line.ends_with(kInclusionMark)) return std::nullopt;
  line.remove_suffix(kInclusionMark.size());
  line = trim(line);
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  Inclusion inclusion;
  inclusion.plain = line.substr(0, blank) == "#include";
  std::string_view name = trim(line.substr(blank));
  if (name.size() < 2) return std::nullopt;
  inclusion.quoted = name.front() == '"';
  inclusion.header = std::string(name.substr(1, name.size() - 2));
  return inclusion;
}

class Reader {
 public:
  Reader(std::string_view path, std::size_t lines) : path_(path), lines_(lines) {}

  Preprocessed read(std::string_view printed) {
    const std::string begin = "# 1 \"" + std::string(path_) + "\" 2";
    bool inside = false;  // past the prelude
    for (const std::string_view line : split(printed, '\n')) {
      if (inside) {
        step(line);
      } else {
        inside = line == begin;
      }
    }
    return std::move(out_);
  }

 private:
  void step(std::string_view line) {
    if (const auto marker = marker_of(line)) return turn_to(*marker);
    if (auto inclusion = inclusion_of(line)) {
      if (own_) {
        inclusion->line = here_;
        out_.inclusions.push_back(*std::move(inclusion));
        emit({});
      }
      return;
    }
    if (own_) return emit(line);
    if (!trim(line).empty()) adds();
  }

  void turn_to(const Marker& marker) {
    own_ = marker.file == path_;
    told_ = false;
    if (!own_) return;
    if (marker.line > lines_ + 1) return refuse("cgo", "#line");
    while (here_ < marker.line) emit({});
  }

  // A header that is read a second time, in another way, or one that is not of the prelude.
  void adds() {
    if (std::exchange(told_, true)) return;
    refuse("forbidden_import",
           out_.inclusions.empty() ? "text of another file" : out_.inclusions.back().header);
  }

  void emit(std::string_view line) {
    out_.program.append(line);
    out_.program += '\n';
    ++here_;
  }

  void refuse(std::string type, std::string subject) {
    const std::uint32_t line = out_.inclusions.empty() ? here_ : out_.inclusions.back().line;
    out_.violations.push_back({std::move(type), Severity::kBlocking, std::move(subject), line});
  }

  std::string_view path_;
  std::size_t lines_;
  Preprocessed out_;
  bool own_ = true;  // the text is of the source itself
  bool told_ = false;
  std::uint32_t here_ = 1;  // the line of the program that comes next
};

}  // namespace

Preprocessed read_preprocessed(std::string_view printed, std::string_view path, std::size_t lines) {
  return Reader(path, lines).read(printed);
}

std::vector<Violation> errors_told(std::string_view said, std::string_view path) {
  std::vector<Violation> errors;
  for (const std::string_view line : split(said, '\n')) {
    const std::size_t at = line.find("error: ");
    if (at == std::string_view::npos) continue;
    std::uint32_t number = 0;
    if (line.starts_with(path)) {
      std::string_view rest = line.substr(path.size());
      if (rest.starts_with(':')) rest.remove_prefix(1);
      number = static_cast<std::uint32_t>(number_at(rest).value_or(0));
    }
    errors.push_back(
        {"parse_error", Severity::kBlocking, std::string(line.substr(at + 7)), number});
  }
  return errors;
}

}  // namespace anima::forge
