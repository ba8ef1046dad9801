// Every piece of a text that is one of the @OPERATION@, each once, one a line.
#include <algorithm>
#include <string>
#include <vector>

#include "tool_api.hpp"

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c); }

// As many characters from `at` on as may stand in such a piece.
std::string run_of(const std::string& text, std::size_t at, const std::string& beside) {
  std::string out;
  while (at < text.size() && (is_letter(text[at]) || beside.find(text[at]) != std::string::npos)) {
    out += text[at];
    ++at;
  }
  return out;
}

std::string without_end(std::string text, const std::string& marks) {
  while (!text.empty() && marks.find(text.back()) != std::string::npos) text.pop_back();
  return text;
}

std::string email_at(const std::string& text, std::size_t at) {
  const std::string local = run_of(text, at, "._%+-");
  const std::size_t sign = at + local.size();
  if (local.empty() || sign >= text.size() || text[sign] != '@') return {};
  const std::string domain = without_end(run_of(text, sign + 1, ".-"), ".-");
  const std::size_t dot = domain.find('.');
  return dot == std::string::npos || dot == 0 ? std::string() : local + "@" + domain;
}

std::string url_at(const std::string& text, std::size_t at) {
  for (const std::string scheme : {"http://", "https://"}) {
    if (text.compare(at, scheme.size(), scheme) == 0)
      return without_end(run_of(text, at, ":/?#[]@!$&'*+,;=%._~-"), ".,;:!?'");
  }
  return {};
}

std::string date_at(const std::string& text, std::size_t at) {
  const std::string shape = "dddd-dd-dd";
  if (at > 0 && is_digit(text[at - 1])) return {};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (at + i >= text.size()) return {};
    const char c = text[at + i];
    if (shape[i] == 'd' ? !is_digit(c) : c != '-') return {};
  }
  return text.substr(at, shape.size());
}

std::string number_at(const std::string& text, std::size_t at) {
  std::string out;
  if (text[at] == '-' || text[at] == '+') out = text[at];
  std::size_t end = at + out.size();
  if (end >= text.size() || !is_digit(text[end])) return {};
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
    out += text[end];
    ++end;
  }
  return without_end(out, ".");
}

std::string piece_at(const std::string& text, std::size_t at) {
  const std::string operation = "@OPERATION@";
  if (operation == "emails") return email_at(text, at);
  if (operation == "urls") return url_at(text, at);
  if (operation == "dates") return date_at(text, at);
  return number_at(text, at);
}

}  // namespace

tool::Result run(const tool::Input& input, tool::Cancel cancel) {
  std::vector<std::string> found;
  for (const std::string& word : tool::words(input.input)) {
    if (cancel.requested()) return {{}, "it takes too long"};
    for (std::size_t at = 0; at < word.size();) {
      const std::string piece = piece_at(word, at);
      if (!piece.empty() && std::find(found.begin(), found.end(), piece) == found.end())
        found.push_back(piece);
      at += piece.empty() ? 1 : piece.size();
    }
  }
  std::string out;
  for (const std::string& each : found) out += each + "\n";
  return {out, {}};
}
