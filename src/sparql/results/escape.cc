#include "sparql/results/escape.h"

namespace anima::sparql::results {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text[0] == '-' || text[0] == '+') ? text.substr(1) : text;
}

// INTEGER, DECIMAL and DOUBLE of Turtle's grammar.
bool is_decimal_form(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return false;
  const std::string_view before = text.substr(0, point);
  return (before.empty() || is_digits(before)) && is_digits(text.substr(point + 1));
}

bool is_double_form(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || !is_digits(without_sign(text.substr(e + 1)))) return false;
  const std::string_view mantissa = text.substr(0, e);
  if (is_digits(mantissa) || is_decimal_form(mantissa)) return true;
  return mantissa.ends_with('.') && is_digits(mantissa.substr(0, mantissa.size() - 1));
}

// Whether the lexical form alone says what the term is.
bool speaks_for_itself(const RdfTerm& term) {
  if (term.kind != RdfKind::kTyped || !term.extra.starts_with(kXsd)) return false;
  const std::string_view type = term.extra.substr(kXsd.size());
  const std::string_view number = without_sign(term.text);
  if (type == "integer") return is_digits(number);
  if (type == "decimal") return is_decimal_form(number);
  if (type == "double") return is_double_form(number);
  return type == "boolean" && (term.text == "true" || term.text == "false");
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20) {
          out += "\\u00";
          out.append({kHexDigits[byte >> 4], kHexDigits[byte & 15]});
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

void append_csv(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

void append_tsv(std::string& out, const RdfTerm& term) {
  if (speaks_for_itself(term)) {
    out += term.text;
    return;
  }
  const std::size_t from = out.size();
  append_ntriples(out, term);
  // A tab is no separator here; N-Triples leaves it as it is.
  for (std::size_t at = out.find('\t', from); at != std::string::npos; at = out.find('\t', at))
    out.replace(at, 1, "\\t");
}

}  // namespace anima::sparql::results
