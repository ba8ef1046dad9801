#include "serve/http/message.h"

#include <algorithm>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::serve::http {
namespace {

// One entry of an Accept header.
struct Range {
  std::string type;    // "text/*", "*/*", "text/turtle"
  int quality = 1000;  // thousandths
};

int quality_of(std::string_view text) {
  const auto value = read_number<double>(text);
  return value && *value >= 0 && *value <= 1 ? static_cast<int>(*value * 1000) : 0;
}

std::vector<Range> ranges_of(std::string_view accept) {
  std::vector<Range> ranges;
  for (const std::string_view each : split(accept, ',')) {
    Range range;
    bool first = true;
    for (const std::string_view part : split(each, ';')) {
      const std::string_view trimmed = trim(part);
      if (first) {
        range.type = to_lower(trimmed);
      } else if (trimmed.starts_with("q=") || trimmed.starts_with("Q=")) {
        range.quality = quality_of(trim(trimmed.substr(2)));
      }
      first = false;
    }
    if (!range.type.empty()) ranges.push_back(std::move(range));
  }
  return ranges;
}

// The quality of a type by the most exact range that covers it.
int quality_for(std::string_view type, const std::vector<Range>& ranges) {
  int exactness = 0;
  int quality = 0;
  for (const Range& range : ranges) {
    int fits = 0;
    if (range.type == type) {
      fits = 3;
    } else if (range.type == "*/*" || range.type == "*") {
      fits = 1;
    } else if (range.type.ends_with("/*") &&
               type.starts_with(std::string_view(range.type).substr(0, range.type.size() - 1))) {
      fits = 2;
    }
    if (fits > exactness) {
      exactness = fits;
      quality = range.quality;
    }
  }
  return quality;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

const std::string* Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string act_name(std::string_view door, std::string_view request_id) {
  return "http:" + std::string(door) + ", request " + std::string(request_id);
}

std::string media_type_of(std::string_view content_type) {
  return to_lower(trim(content_type.substr(0, content_type.find(';'))));
}

bool has_other_charset(std::string_view content_type) {
  const std::string text = to_lower(content_type);
  const std::size_t at = text.find("charset=");
  if (at == std::string::npos) return false;
  std::string_view charset = trim(std::string_view(text).substr(at + 8));
  charset = charset.substr(0, charset.find(';'));
  if (charset.starts_with('"')) charset.remove_prefix(1);
  return !(charset.starts_with("utf-8") || charset.starts_with("utf8") ||
           charset.starts_with("us-ascii"));
}

std::optional<std::string> decode_percent(std::string_view text, bool form) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (form && text[at] == '+') {
      out.push_back(' ');
    } else if (text[at] != '%') {
      out.push_back(text[at]);
    } else {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      at += 2;
    }
  }
  if (!is_valid_utf8(out)) return std::nullopt;
  return out;
}

std::optional<Fields> decode_form(std::string_view text) {
  Fields fields;
  if (text.empty()) return fields;
  for (const std::string_view pair : split(text, '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = decode_percent(pair.substr(0, equals), true);
    auto value = decode_percent(equals < pair.size() ? pair.substr(equals + 1) : "", true);
    if (!name || !value) return std::nullopt;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

std::size_t choose_media_type(std::string_view accept,
                              const std::vector<std::string_view>& offered) {
  if (trim(accept).empty()) return 0;
  const std::vector<Range> ranges = ranges_of(accept);
  std::size_t best = std::string_view::npos;
  int best_quality = 0;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const int quality = quality_for(offered[i], ranges);
    if (quality > best_quality) {
      best = i;
      best_quality = quality;
    }
  }
  return best;
}

}  // namespace anima::serve::http
