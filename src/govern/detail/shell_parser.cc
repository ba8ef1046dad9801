#include "govern/detail/shell_parser.h"

#include <algorithm>
#include <array>

namespace anima::govern::detail {
namespace {

constexpr int kDeepest = 16;

struct Word {
  std::string text;       // after quote removal
  bool expanded = false;  // holds an expansion: its value is not known
  bool quoted = false;    // any part was quoted: no control word, no assignment name
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_meta(char c) {
  return std::string_view(" \t\r\n;&|()<>").find(c) != std::string_view::npos;
}
bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_control_word(std::string_view word) {
  constexpr std::array<std::string_view, 16> kWords = {
      "if",    "then", "else", "elif", "fi",   "do",   "done",   "while",
      "until", "!",    "{",    "}",    "time", "esac", "coproc", "function"};
  return std::ranges::find(kWords, word) != kWords.end();
}

bool is_assignment(const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos || equals == 0 || (word.text[0] >= '0' && word.text[0] <= '9'))
    return false;
  return std::all_of(word.text.begin(), word.text.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return is_name_byte(c) || c == '+'; });
}

struct HereDocument {
  std::string delimiter;
  bool strip_tabs = false;
  bool literal = false;  // the delimiter was quoted: no expansions inside
};

class Parser {
 public:
  Parser(std::string_view text, std::size_t offset, int depth, std::vector<SimpleCommand>& out)
      : text_(text), offset_(offset), depth_(depth), out_(out) {}

  Status parse_all() {
    ANIMA_TRY(parse_list('\0'));
    if (at_ < text_.size()) return error("a closing parenthesis without an opening one");
    return {};
  }

 private:
  tl::unexpected<Error> error(std::string message) const {
    return fail(ErrorCode::kSyntax, std::move(message), "offset " + std::to_string(offset_ + at_));
  }
  bool end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  Status deeper() const {
    if (depth_ >= kDeepest)
      return fail(ErrorCode::kLimitExceeded, "more than 16 substitutions inside each other");
    return {};
  }

  void skip_blanks() {
    while (!end()) {
      if (is_blank(peek()))
        ++at_;
      else if (starts("\\\n"))
        at_ += 2;
      else if (peek() == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        break;
    }
  }

  // Commands up to `closer` (left in place) or the end of the text.
  Status parse_list(char closer) {
    while (true) {
      skip_blanks();
      if (end()) {
        ANIMA_TRY(here_documents());
        return closer == '\0' ? Status{} : Status(error("the text ends inside brackets"));
      }
      const char c = peek();
      if (c == ')') {
        if (closer == ')') return {};
        if (case_depth_ > 0) {  // the end of a case pattern
          ++at_;
          continue;
        }
        return error("a closing parenthesis without an opening one");
      }
      if (c == '\n') {
        ++at_;
        ANIMA_TRY(here_documents());
      } else if (c == ';' || c == '&' || c == '|') {
        ++at_;
      } else if (c == '(') {
        ANIMA_TRY(parse_brackets());
      } else {
        ANIMA_TRY(parse_command());
      }
    }
  }

  Status parse_brackets() {
    ANIMA_TRY(deeper());
    ++at_;
    ++depth_;
    const int cases = std::exchange(case_depth_, 0);
    ANIMA_TRY(parse_list(')'));
    case_depth_ = cases;
    --depth_;
    ++at_;
    return {};
  }

  Status parse_command() {
    SimpleCommand command;
    command.offset = offset_ + at_;
    std::vector<bool> expanded;
    bool named = false;
    while (true) {
      skip_blanks();
      if (end() || std::string_view("\n;&|)").find(peek()) != std::string_view::npos) {
        if (!(peek() == '&' && peek(1) == '>')) break;
      }
      if (peek() == '(') {
        if (!named && command.assignments.empty()) break;  // a subshell after a control word
        if (named && command.arguments.empty()) break;  // a function definition: its body follows
        return error("an opening parenthesis inside a command");
      }
      if (is_redirection()) {
        ANIMA_TRY(parse_redirection(command));
        continue;
      }
      ANIMA_ASSIGN(Word word, read_word());
      if (!named && !word.quoted && is_control(word.text)) {
        if (word.text == "for" || word.text == "select" || word.text == "case") {
          ANIMA_TRY(parse_header(word.text));
        }
        if (word.text == "esac" && case_depth_ > 0) --case_depth_;
        command.offset = offset_ + at_;
        continue;
      }
      if (!named && is_assignment(word)) {
        command.assignments.push_back(word.text);
      } else if (!named) {
        named = true;
        command.unknown = word.expanded;
        if (!word.expanded) command.program = word.text;
      } else {
        command.arguments.push_back(word.text);
        expanded.push_back(word.expanded);
      }
    }
    if (peek() == '(' && peek(1) == ')') at_ += 2;
    const bool any =
        named || !command.assignments.empty() || !command.writes.empty() || !command.reads.empty();
    if (!any) return {};
    ANIMA_TRY(unwrap(command, expanded, depth_, out_));
    out_.push_back(std::move(command));
    return {};
  }

  static bool is_control(std::string_view word) {
    return is_control_word(word) || word == "for" || word == "select" || word == "case";
  }

  // for NAME [in WORD...], case WORD in: the words run nothing themselves, their substitutions do.
  Status parse_header(std::string_view kind) {
    while (true) {
      skip_blanks();
      if (end() || peek() == '\n' || peek() == ';') return {};
      if (is_meta(peek())) return error("an operator in the head of '" + std::string(kind) + "'");
      ANIMA_ASSIGN(const Word word, read_word());
      if (kind == "case" && word.text == "in" && !word.quoted) {
        ++case_depth_;
        return {};
      }
    }
  }

  bool is_redirection() const {
    std::size_t digits = 0;
    while (peek(digits) >= '0' && peek(digits) <= '9') ++digits;
    const char c = peek(digits);
    if (c == '&' && digits == 0) return peek(1) == '>';
    if (c != '<' && c != '>') return false;
    return peek(digits + 1) != '(' || digits != 0;
  }

  Status parse_redirection(SimpleCommand& command) {
    while (peek() >= '0' && peek() <= '9') ++at_;
    const bool both = peek() == '&';
    if (both) ++at_;
    const char direction = peek();
    std::size_t size = 1;
    while (size < 3 && std::string_view("<>&|-").find(peek(size)) != std::string_view::npos &&
           peek(size) != '\0')
      ++size;
    const std::string_view op = text_.substr(at_, size);
    at_ += size;
    skip_blanks();
    const bool here = op.starts_with("<<") && op != "<<<";
    if (op.ends_with('-') && op.find('&') != std::string_view::npos)
      return {};  // closes a descriptor
    if (end() || (is_meta(peek()) && !((peek() == '<' || peek() == '>') && peek(1) == '('))) {
      return error("a redirection without a target");
    }
    ANIMA_ASSIGN(Word word, read_word());
    if (here) {
      pending_.push_back({word.text, op == "<<-", word.quoted});
      return {};
    }
    if (op == "<<<") return {};
    const bool descriptor = op.ends_with('&') && std::ranges::all_of(word.text, [](char c) {
                              return c >= '0' && c <= '9';
                            });
    if (descriptor) return {};
    if (direction == '>' || both || op == "<>")
      command.writes.push_back(word.text);
    else
      command.reads.push_back(word.text);
    if (word.expanded) command.unknown = true;
    return {};
  }

  // The bodies of the here-documents that the line before announced; their expansions run.
  Status here_documents() {
    for (const HereDocument& document : std::exchange(pending_, {})) {
      bool closed = false;
      while (!end() && !closed) {
        const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, line_end - at_);
        if (document.strip_tabs)
          line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        closed = line == document.delimiter;
        if (!closed && !document.literal) {
          const std::size_t stop = line_end;
          while (at_ < stop) {
            if (peek() == '$' || peek() == '`') {
              Word ignored;
              ANIMA_TRY(read_expansion(ignored));
            } else {
              at_ += peek() == '\\' ? 2u : 1u;
            }
          }
          if (at_ > stop && at_ < text_.size() && text_[at_ - 1] != '\n') continue;
        }
        at_ = std::min(std::max(at_, line_end + 1), text_.size());
      }
      if (!closed) return error("the here-document '" + document.delimiter + "' does not end");
    }
    return {};
  }

  Result<Word> read_word() {
    Word word;
    const std::size_t start = at_;
    while (!end()) {
      const char c = peek();
      if ((c == '<' || c == '>') && peek(1) == '(') {
        word.expanded = true;
        ++at_;
        ANIMA_TRY(parse_brackets());
      } else if (is_meta(c)) {
        break;
      } else if (c == '\'') {
        ANIMA_TRY(read_single_quotes(word));
      } else if (c == '"') {
        ANIMA_TRY(read_double_quotes(word));
      } else if (c == '\\') {
        word.quoted = true;
        if (peek(1) != '\n' && at_ + 1 < text_.size()) word.text.push_back(peek(1));
        at_ += 2;
      } else if (c == '$' || c == '`') {
        ANIMA_TRY(read_expansion(word));
      } else {
        if (c == '*' || c == '?' || c == '[') word.expanded = word.expanded || at_ == start;
        word.text.push_back(c);
        ++at_;
      }
    }
    at_ = std::min(at_, text_.size());
    if (at_ == start) return error("there is no word here");
    return word;
  }

  Status read_single_quotes(Word& word) {
    const std::size_t close = text_.find('\'', at_ + 1);
    if (close == std::string_view::npos) return error("a single quote is not closed");
    word.text += text_.substr(at_ + 1, close - at_ - 1);
    word.quoted = true;
    at_ = close + 1;
    return {};
  }

  Status read_double_quotes(Word& word) {
    word.quoted = true;
    ++at_;
    while (!end() && peek() != '"') {
      if (peek() == '$' || peek() == '`') {
        ANIMA_TRY(read_expansion(word));
      } else if (peek() == '\\' &&
                 std::string_view("$`\"\\\n").find(peek(1)) != std::string_view::npos &&
                 at_ + 1 < text_.size()) {
        if (peek(1) != '\n') word.text.push_back(peek(1));
        at_ += 2;
      } else {
        word.text.push_back(peek());
        ++at_;
      }
    }
    if (end()) return error("a double quote is not closed");
    ++at_;
    return {};
  }

  Status read_expansion(Word& word) {
    const std::size_t start = at_;
    if (peek() == '`') {
      ANIMA_TRY(read_back_quotes());
    } else if (starts("$'")) {
      ANIMA_TRY(read_ansi_quotes(word));
      return {};
    } else if (starts("$((")) {
      ANIMA_TRY(skip_braced(3, "))"));
    } else if (starts("$(")) {
      ++at_;
      ANIMA_TRY(parse_brackets());
    } else if (starts("${")) {
      ANIMA_TRY(skip_braced(2, "}"));
    } else {
      ++at_;
      if (is_name_byte(peek())) {
        while (is_name_byte(peek())) ++at_;
      } else if (std::string_view("?$!#@*-").find(peek()) != std::string_view::npos && !end()) {
        ++at_;
      } else {
        word.text.push_back('$');
        return {};
      }
    }
    word.expanded = true;
    word.text += text_.substr(start, at_ - start);
    return {};
  }

  // $'...': escapes are kept as written, which only makes the word unknown.
  Status read_ansi_quotes(Word& word) {
    at_ += 2;
    const std::size_t start = at_;
    while (!end() && peek() != '\'') at_ += peek() == '\\' ? 2u : 1u;
    if (at_ >= text_.size()) return error("a single quote is not closed");
    const std::string_view body = text_.substr(start, at_ - start);
    word.text += body;
    word.quoted = true;
    word.expanded = word.expanded || body.find('\\') != std::string_view::npos;
    ++at_;
    return {};
  }

  // ${...} and $((...)): substitutions inside run; quotes hide the closer.
  Status skip_braced(std::size_t opener, std::string_view closer) {
    ANIMA_TRY(deeper());
    ++depth_;
    at_ += opener;
    Word ignored;
    while (!end() && !starts(closer)) {
      if (peek() == '\\')
        at_ += 2;
      else if (peek() == '$' || peek() == '`') {
        ANIMA_TRY(read_expansion(ignored));
      } else if (peek() == '\'' && closer == "}") {
        ANIMA_TRY(read_single_quotes(ignored));
      } else if (peek() == '"') {
        ANIMA_TRY(read_double_quotes(ignored));
      } else
        ++at_;
    }
    if (at_ >= text_.size()) return error("an expansion is not closed");
    at_ += closer.size();
    --depth_;
    return {};
  }

  Status read_back_quotes() {
    ANIMA_TRY(deeper());
    std::string body;
    const std::size_t start = ++at_;
    while (!end() && peek() != '`') {
      if (peek() == '\\' && std::string_view("`\\$").find(peek(1)) != std::string_view::npos &&
          at_ + 1 < text_.size())
        ++at_;
      body.push_back(peek());
      ++at_;
    }
    if (end()) return error("a back quote is not closed");
    ++at_;
    return parse_shell_into(body, offset_ + start, depth_ + 1, out_);
  }

  std::string_view text_;
  std::size_t offset_;
  int depth_;
  std::vector<SimpleCommand>& out_;
  std::size_t at_ = 0;
  int case_depth_ = 0;
  std::vector<HereDocument> pending_;
};

}  // namespace

Status parse_shell_into(std::string_view text, std::size_t offset, int depth,
                        std::vector<SimpleCommand>& out) {
  if (depth > kDeepest)
    return fail(ErrorCode::kLimitExceeded, "more than 16 substitutions inside each other");
  return Parser(text, offset, depth, out).parse_all();
}

}  // namespace anima::govern::detail
