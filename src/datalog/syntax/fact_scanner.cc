#include "datalog/syntax/fact_scanner.h"

#include <cstring>

#include "datalog/syntax/scanner.h"

namespace anima::datalog::detail {
namespace {

void skip_blanks(const char*& at, const char* end) {
  while (at != end && has_class(*at, kSpace)) ++at;
}

}  // namespace

FactBlock* FactScanner::block(std::string_view predicate, std::uint32_t arity) {
  std::string key(predicate);
  key += '/';
  key += std::to_string(arity);
  const auto [entry, added] = by_name_.try_emplace(std::move(key), blocks_.size());
  if (added) {
    if (is_reserved(predicate) || predicate.starts_with("fn:")) {
      by_name_.erase(entry);
      return nullptr;
    }
    const auto at = static_cast<Offset>(predicate.data() - text_.data());
    blocks_.push_back({std::string(predicate), arity, 0, {}, at});
  }
  return &blocks_[entry->second];
}

void FactScanner::text(const char* from, const char* to, ValueKind kind) {
  row_texts_.push_back({static_cast<std::uint32_t>(row_.size()), kind,
                        std::string_view(from, static_cast<std::size_t>(to - from))});
  row_.push_back(0);
}

void FactScanner::flush() {
  batch_.flush([this](std::uint32_t list, std::uint64_t place, Code code) {
    blocks_[list].codes[place] = code;
  });
}

bool FactScanner::argument(const char*& at, const char* end) {
  const char* p = at;
  const char c = *p;
  if (has_class(c, kDigit) || c == '-') {
    const bool negative = c == '-';
    if (negative) ++p;
    const char* const digits = p;
    std::uint32_t value = 0;
    while (p != end && has_class(*p, kDigit)) {
      value = value * 10 + static_cast<std::uint32_t>(*p - '0');
      ++p;
    }
    if (p == end || p == digits || p - digits > 8 || *p == '.' || has_class(*p, kLower | kUpper)) {
      return false;  // long, a float, or no number: the slow path knows
    }
    const auto number = static_cast<std::int64_t>(value);
    row_.push_back(inline_int(negative ? -number : number));
  } else if (c == '/') {
    while (p != end && *p == '/') {
      const char* const part = ++p;
      while (p != end && has_class(*p, kConstantChar)) ++p;
      if (p == part) return false;
    }
    text(at, p, ValueKind::kName);
  } else if (c == '"' || c == '\'') {
    ++p;
    while (p != end && *p != c && *p != '\\') ++p;
    if (p == end || *p == '\\') return false;
    text(at + 1, p, ValueKind::kString);
    ++p;
  } else {
    return false;
  }
  at = p;
  return true;
}

bool FactScanner::fact(const char*& from, const char* end) {
  const char* p = from;
  if (!has_class(*p, kLower)) return false;
  ++p;
  while (p != end &&
         (has_class(*p, kNameChar) || (*p == '.' && p + 1 != end && has_class(p[1], kNameChar)))) {
    ++p;
  }
  if (p == end || *p != '(') return false;
  const std::string_view predicate(from, static_cast<std::size_t>(p - from));
  ++p;
  row_.clear();
  row_texts_.clear();
  skip_blanks(p, end);
  if (p != end && *p == ')') return false;
  for (;;) {
    if (p == end || !argument(p, end)) return false;
    skip_blanks(p, end);
    if (p == end) return false;
    if (*p == ')') break;
    if (*p != ',') return false;
    ++p;
    skip_blanks(p, end);
  }
  ++p;
  skip_blanks(p, end);
  if (p == end || *p != '.') return false;
  ++p;

  const auto arity = static_cast<std::uint32_t>(row_.size());
  if (last_ == nullptr || last_->arity != arity || last_->predicate != predicate) {
    last_ = block(predicate, arity);
    if (last_ == nullptr) return false;
    last_number_ = static_cast<std::uint32_t>(last_ - blocks_.data());
  }
  for (const RowText& one : row_texts_) {
    batch_.add(one.text, one.kind, last_number_, last_->codes.size() + one.place);
  }
  last_->codes.insert(last_->codes.end(), row_.begin(), row_.end());
  ++last_->rows;
  if (batch_.full()) flush();
  from = p;
  return true;
}

Offset FactScanner::scan(Offset start) {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* at = begin + start;
  last_ = nullptr;  // blocks may have moved
  for (;;) {
    skip_blanks(at, end);
    if (at == end) break;
    if (*at == '#') {
      const void* const line = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      at = line == nullptr ? end : static_cast<const char*>(line);
      continue;
    }
    if (!fact(at, end)) break;
  }
  flush();
  return static_cast<Offset>(at - begin);
}

}  // namespace anima::datalog::detail
