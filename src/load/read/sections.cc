#include "load/read/sections.h"

#include "base/text/text.h"

namespace anima::load {
namespace {

struct Heading {
  std::size_t level = 0;  // 0: none
  std::string_view title;
};

Heading heading_of(std::string_view line) {
  std::size_t level = 0;
  while (level < line.size() && line[level] == '#') ++level;
  if (level == 0 || level > 6 || level == line.size() || line[level] != ' ') return {};
  std::string_view title = trim(line.substr(level));
  while (!title.empty() && title.back() == '#') title.remove_suffix(1);
  return {level, trim(title)};
}

std::string_view without_front_matter(std::string_view text) {
  if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return text;
  const std::size_t end = text.find("\n---", 3);
  if (end == std::string_view::npos) return text;
  const std::size_t line = text.find('\n', end + 1);
  return line == std::string_view::npos ? std::string_view() : text.substr(line + 1);
}

}  // namespace

std::vector<TextSection> sections_of(std::string_view text, bool markdown) {
  std::vector<TextSection> sections;
  std::vector<Heading> above;
  std::string title, body;
  const auto end_section = [&] {
    const std::string_view trimmed = trim(body);
    if (!trimmed.empty()) sections.push_back({title, std::string(trimmed)});
    body.clear();
  };
  bool fenced = false;
  for (std::string_view line : split(markdown ? without_front_matter(text) : text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (markdown && (trim(line).starts_with("```") || trim(line).starts_with("~~~")))
      fenced = !fenced;
    const Heading heading = markdown && !fenced ? heading_of(line) : Heading();
    if (heading.level == 0) {
      body += line;
      body += '\n';
      continue;
    }
    end_section();
    while (!above.empty() && above.back().level >= heading.level) above.pop_back();
    above.push_back(heading);
    title.clear();
    for (const Heading& each : above) {
      if (!title.empty()) title += " \xe2\x80\xba ";
      title += each.title;
    }
  }
  end_section();
  return sections;
}

}  // namespace anima::load
