#include "datalog/facts_file.h"

#include <memory>

#include "base/files/file.h"
#include "base/text/byte_order_mark.h"
#include "datalog/analysis/constants.h"
#include "datalog/parser.h"
#include "datalog/values/text_batch.h"

namespace anima::datalog {
namespace {

// A field is a constant only when it begins like one.
bool may_be_constant(char first) {
  return first == '/' || first == '"' || first == '\'' || first == '`' || first == '[' ||
         first == '{' || first == 'b' || first == 'f' || first == '-' || first == '.' ||
         (first >= '0' && first <= '9');
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, ValueTable& values, std::uint32_t arity)
      : text_(text), name_(name), batch_(values) {
    file_.arity = arity;
  }

  Result<FactsFile> read();

 private:
  bool small_integer(const char*& at, const char* end);
  void field(std::string_view text);
  void text(std::string_view text, ValueKind kind);
  void flush();
  bool plain_name(std::string_view text) const;
  Status finish_row(std::uint32_t fields, std::uint64_t line);

  std::string_view text_;
  const std::string& name_;
  detail::TextBatch batch_;
  FactsFile file_;
};

// The usual field: up to eight digits and a separator behind them.
bool Reader::small_integer(const char*& at, const char* end) {
  const char* p = at;
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  const char* const digits = p;
  std::uint32_t value = 0;
  while (p != end && *p >= '0' && *p <= '9') {
    value = value * 10 + static_cast<std::uint32_t>(*p - '0');
    ++p;
  }
  if (p == digits || p - digits > 8 || (p != end && *p != '\t' && *p != '\n')) return false;
  const auto number = static_cast<std::int64_t>(value);
  file_.codes.push_back(inline_int(negative ? -number : number));
  at = p;
  return true;
}

bool Reader::plain_name(std::string_view text) const {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '~' ||
                        c == '%';
    if (!letter && (c != '/' || i + 1 == text.size() || text[i + 1] == '/')) return false;
  }
  return text.size() > 1;
}

void Reader::text(std::string_view text, ValueKind kind) {
  batch_.add(text, kind, 0, file_.codes.size());
  file_.codes.push_back(0);
  if (batch_.full()) flush();
}

void Reader::flush() {
  batch_.flush(
      [this](std::uint32_t, std::uint64_t place, Code code) { file_.codes[place] = code; });
}

void Reader::field(std::string_view from) {
  if (from.empty() || !may_be_constant(from.front())) return text(from, ValueKind::kString);
  if (from.front() == '/') {
    return text(from, plain_name(from) ? ValueKind::kName : ValueKind::kString);
  }
  const Result<ast::Term> term = parse_term(from);
  Code code = 0;
  if (term && detail::constant_code(*term, batch_.values(), code)) {
    file_.codes.push_back(code);
  } else {
    text(from, ValueKind::kString);
  }
}

Status Reader::finish_row(std::uint32_t fields, std::uint64_t line) {
  if (file_.arity == kUnknownArity) file_.arity = fields;
  if (fields != file_.arity) {
    return fail(ErrorCode::kInvalidArgument,
                "the row has " + std::to_string(fields) + " fields, " +
                    std::to_string(file_.arity) + " are needed",
                name_ + ":" + std::to_string(line), "fields are separated by one tab");
  }
  ++file_.rows;
  return {};
}

Result<FactsFile> Reader::read() {
  const char* at = text_.data();
  const char* const end = at + text_.size();
  if (file_.arity == 0) {  // a proposition: there when the file has a line
    file_.rows = text_.empty() ? 0 : 1;
    return std::move(file_);
  }
  std::uint64_t line = 1;
  std::uint32_t fields = 0;
  while (at != end) {
    if (fields == 0 && (*at == '\n' || (*at == '\r' && at + 1 != end && at[1] == '\n'))) {
      // An empty line holds no row, unless one empty string is a row.
      if (file_.arity == 1) {
        text("", ValueKind::kString);
        ++file_.rows;
      }
      at += *at == '\r' ? 2 : 1;
      ++line;
      continue;
    }
    if (!small_integer(at, end)) {
      const char* const from = at;
      while (at != end && *at != '\t' && *at != '\n') ++at;
      const char* last = at;
      if ((at == end || *at == '\n') && last != from && last[-1] == '\r') --last;
      field({from, static_cast<std::size_t>(last - from)});
    }
    ++fields;
    if (at != end && *at == '\t') {
      ++at;
      if (at == end || *at == '\n') {  // an empty last field
        text("", ValueKind::kString);
        ++fields;
      } else {
        continue;
      }
    }
    ANIMA_TRY(finish_row(fields, line));
    fields = 0;
    if (at != end) ++at;
    ++line;
  }
  flush();
  return std::move(file_);
}

}  // namespace

Result<FactsFile> read_facts_text(std::string_view text, const std::string& name,
                                  ValueTable& values, std::uint32_t arity) {
  return Reader(text, name, values, arity).read();
}

Result<FactsFile> read_facts_file(const std::string& path, ValueTable& values,
                                  std::uint32_t arity) {
  ANIMA_ASSIGN(const std::unique_ptr<MappedFile> file, system_files().map(path));
  return read_facts_text(without_byte_order_mark(file->bytes()), path, values, arity);
}

}  // namespace anima::datalog
