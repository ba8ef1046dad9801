#include "tools/detail/extract.h"

#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::tools::detail {
namespace {

constexpr double kSentenceConfidence = 0.7;
constexpr std::size_t kMaxWords = 6;  // of a subject or object
constexpr std::size_t kMaxName = 200;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct SentencePattern {
  std::string_view words;
  std::string_view predicate;
};
// The longer ones first.
constexpr std::array<SentencePattern, 13> kPatterns = {{{" is a part of ", "part-of"},
                                                        {" is part of ", "part-of"},
                                                        {" are part of ", "part-of"},
                                                        {" is similar to ", "similar-to"},
                                                        {" are similar to ", "similar-to"},
                                                        {" is an ", "is-a"},
                                                        {" is a ", "is-a"},
                                                        {" has an ", "has-a"},
                                                        {" has a ", "has-a"},
                                                        {" contains ", "contains"},
                                                        {" contain ", "contains"},
                                                        {" causes ", "causes"},
                                                        {" cause ", "causes"}}};

// Without article and blanks; empty when it is no short name.
std::string noun(std::string_view text) {
  text = trim(text);
  for (const std::string_view article : {"the ", "a ", "an ", "The ", "A ", "An "}) {
    if (text.starts_with(article)) {
      text = trim(text.substr(article.size()));
      break;
    }
  }
  const auto words = std::ranges::count(text, ' ') + 1;
  if (text.empty() || text.size() > kMaxName || static_cast<std::size_t>(words) > kMaxWords ||
      text.find_first_of(",;:()[]{}<>\"\n\t") != std::string_view::npos) {
    return {};
  }
  return std::string(text);
}

void read_sentence(std::string_view sentence, std::vector<Statement>& out) {
  std::string flat(sentence);
  std::ranges::replace(flat, '\n', ' ');
  for (const SentencePattern& pattern : kPatterns) {
    const std::size_t at = flat.find(pattern.words);
    if (at == std::string::npos) continue;
    Statement found{noun(std::string_view(flat).substr(0, at)), std::string(pattern.predicate),
                    noun(std::string_view(flat).substr(at + pattern.words.size())),
                    kSentenceConfidence};
    if (!found.subject.empty() && !found.object.empty()) out.push_back(std::move(found));
    return;
  }
}

struct CodePattern {
  std::string_view endings;  // each after a blank
  std::string_view begin;    // of the line, behind blanks
  std::string_view predicate;
};
constexpr std::string_view kC = " .c .h .cc .hh .cpp .hpp .cxx ";
constexpr std::string_view kScript = " .js .mjs .ts .tsx .jsx ";
constexpr std::array<CodePattern, 27> kCode = {
    {{kC, "#include ", "code:imports"},
     {kC, "class ", "code:defines-type"},
     {kC, "struct ", "code:defines-type"},
     {kC, "enum class ", "code:defines-type"},
     {kC, "namespace ", "code:defines-module"},
     {" .py ", "import ", "code:imports"},
     {" .py ", "from ", "code:imports"},
     {" .py ", "class ", "code:defines-type"},
     {" .py ", "def ", "code:defines-function"},
     {" .py ", "async def ", "code:defines-function"},
     {" .rs ", "use ", "code:imports"},
     {" .rs ", "pub struct ", "code:defines-type"},
     {" .rs ", "struct ", "code:defines-type"},
     {" .rs ", "pub enum ", "code:defines-type"},
     {" .rs ", "enum ", "code:defines-type"},
     {" .rs ", "pub trait ", "code:defines-type"},
     {" .rs ", "trait ", "code:defines-type"},
     {" .rs ", "pub fn ", "code:defines-function"},
     {" .rs ", "fn ", "code:defines-function"},
     {" .rs ", "mod ", "code:defines-module"},
     {" .go ", "package ", "code:defines-module"},
     {" .go ", "type ", "code:defines-type"},
     {" .go ", "func ", "code:defines-function"},
     {kScript, "class ", "code:defines-type"},
     {kScript, "export class ", "code:defines-type"},
     {kScript, "function ", "code:defines-function"},
     {kScript, "export function ", "code:defines-function"}}};

// The name that follows; of an import, the module as it is written.
std::string code_name(std::string_view rest, bool import) {
  rest = trim(rest);
  if (import && (rest.starts_with('<') || rest.starts_with('"'))) {
    const std::size_t end = rest.find_first_of(">\"", 1);
    return end == std::string_view::npos ? std::string() : std::string(rest.substr(1, end - 1));
  }
  if (rest.starts_with('(')) {  // a method of Go: its receiver comes first
    const std::size_t close = rest.find(')');
    if (close == std::string_view::npos) return {};
    rest = trim(rest.substr(close + 1));
  }
  std::size_t size = 0;
  while (size < rest.size() &&
         (is_name_character(rest[size]) || rest[size] == ':' || (import && rest[size] == '.'))) {
    ++size;
  }
  std::string_view name = rest.substr(0, size);
  while (name.ends_with(':')) name.remove_suffix(1);
  return std::string(name.substr(0, kMaxName));
}

}  // namespace

Result<std::vector<std::vector<std::string>>> read_csv(std::string_view text, char delimiter) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string field;
  bool quoted = false, any = false;
  std::size_t line = 1, opened = 0;
  const auto end_field = [&] {
    row.push_back(std::move(field));
    field.clear();
  };
  const auto end_row = [&] {
    if (!any) return;
    end_field();
    rows.push_back(std::move(row));
    row.clear();
    any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '\n') {
      if (field.ends_with('\r')) field.pop_back();
      if (row.empty() && field.empty()) any = false;
      end_row();
    } else {
      any = true;
      if (c == '"' && field.empty()) {
        quoted = true;
        opened = line;
      } else if (c == delimiter) {
        end_field();
      } else {
        field += c;
      }
    }
  }
  if (quoted)
    return fail(ErrorCode::kSyntax, "a quote is not closed", std::to_string(opened) + ":1");
  if (field.ends_with('\r')) field.pop_back();
  end_row();
  return rows;
}

Result<std::vector<Statement>> statements_of_csv(std::string_view text, std::string_view format,
                                                 char delimiter) {
  ANIMA_ASSIGN(const auto rows, read_csv(text, delimiter));
  std::vector<Statement> found;
  if (format != "spo" && format != "entity") {
    return fail(ErrorCode::kInvalidArgument, "a table is of the format spo or entity",
                std::string(format));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<std::string>& row = rows[i];
    const auto cell = [&](std::size_t at) { return std::string(trim(row[at])); };
    if (format == "entity") {
      if (i == 0) continue;
      for (std::size_t at = 1; at < std::min(row.size(), rows[0].size()); ++at) {
        Statement each{cell(0), std::string(trim(rows[0][at])), cell(at)};
        if (each.subject.empty() || each.predicate.empty() || each.object.empty()) continue;
        found.push_back(std::move(each));
      }
      continue;
    }
    if (row.size() < 3) {
      return fail(ErrorCode::kInvalidArgument, "a row has fewer than three columns",
                  "row " + std::to_string(i + 1));
    }
    if (i == 0 && to_lower(cell(0)) == "subject" && to_lower(cell(1)) == "predicate") continue;
    Statement each{cell(0), cell(1), cell(2)};
    if (row.size() > 3 && !trim(row[3]).empty())
      each.confidence = read_number<double>(trim(row[3])).value_or(-1);
    if (each.confidence < 0 || each.confidence > 1) {
      return fail(ErrorCode::kInvalidArgument, "the confidence is no number from 0 to 1",
                  "row " + std::to_string(i + 1));
    }
    if (each.subject.empty() || each.predicate.empty() || each.object.empty()) continue;
    found.push_back(std::move(each));
  }
  return found;
}

std::vector<Statement> statements_of_text(std::string_view text, std::size_t max_sentences) {
  std::vector<Statement> found;
  std::size_t begin = 0;
  for (std::size_t read = 0; read < max_sentences && begin < text.size(); ++read) {
    std::size_t end = begin;
    // A full stop inside a number or a name ends nothing.
    while (end < text.size() &&
           !((text[end] == '.' || text[end] == '!' || text[end] == '?') &&
             (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n' ||
              text[end + 1] == '\r')) &&
           !(text[end] == '\n' && end + 1 < text.size() && text[end + 1] == '\n')) {
      ++end;
    }
    const bool question = end < text.size() && text[end] == '?';
    if (!question) read_sentence(text.substr(begin, end - begin), found);
    begin = end + 1;
  }
  return found;
}

bool is_source_file(std::string_view name) {
  const std::string ending = " " + std::string(extension(name)) + " ";
  return ending.size() > 2 && std::ranges::any_of(kCode, [&](const CodePattern& each) {
           return each.endings.find(ending) != std::string_view::npos;
         });
}

std::vector<Statement> statements_of_code(std::string_view file, std::string_view text) {
  std::vector<Statement> found;
  const std::string ending = " " + std::string(extension(file)) + " ";
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = trim(line);
    for (const CodePattern& each : kCode) {
      if (each.endings.find(ending) == std::string_view::npos || !code.starts_with(each.begin)) {
        continue;
      }
      const bool import = each.predicate == "code:imports";
      // A type that is only named is no definition.
      if (!import && each.endings == kC && code.ends_with(';')) break;
      const std::string name = code_name(code.substr(each.begin.size()), import);
      Statement made{std::string(file), std::string(each.predicate), name};
      if (!name.empty() && std::ranges::find(found, made) == found.end()) {
        found.push_back(std::move(made));
      }
      break;
    }
  }
  return found;
}

}  // namespace anima::tools::detail
