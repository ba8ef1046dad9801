// The parser behind parse_shell: shell_parser.cc reads the grammar, shell_blocks.cc its control
// words, shell_words.cc words, quotes and expansions, shell_wrappers.cc what a program runs through
// its arguments. One parser a text; no state is shared.
//
// A variable whose value is known where it stands (Findings::valuation, Flow) is read as that
// value.
//
// A text is only read where bash and dash read it alike. Where they do not, or where the construct
// is not modelled, the parser stops with kUnsupported, and parse_shell makes one unknown command of
// the rest: it is never guessed what the shell would skip.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "govern/detail/shell_flow.h"
#include "govern/detail/shell_values.h"
#include "govern/shell_command.h"

namespace anima::govern::detail {

constexpr int kDeepest = 16;

// NAME in WORD.. of a loop, read alike whatever variables hold.
struct LoopHead {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string variable;
};

struct Findings {
  std::vector<SimpleCommand> commands;
  std::set<std::string> loose;  // variables that may hold more than a number
  Values values;                // what the text gives its variables
  Flow flow;
  const Valuation* valuation = nullptr;  // what variables hold, where they are surely set
  std::vector<LoopHead> heads;           // of the text itself; `values` has their words
};

struct Word {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string text;           // after quote removal
  std::string literal;        // of it, what is no expansion; kept once there is one
  bool expanded = false;      // there is one
  bool quoted = false;        // any part was quoted: no control word
  std::size_t plain = kNone;  // where in `text` the first quote or expansion stood
  std::size_t known = kNone;  // where in `text` the value ceases to be known
  bool splits = false;        // an expansion that can become several words
  bool globs = false;
  bool inside = false;    // an expansion within quotes
  bool numbers = true;    // every expansion gives numbers
  bool unknown = false;   // an expansion runs what is not known
  bool followed = false;  // the value of a variable stands in it
  bool found = false;     // it is the name of a file that a pattern found
  bool shaped = true;     // what is unknown stands in `text` as a pattern (Value::Kind)
  bool pieced = false;    // such a pattern stands in it
  bool single = false;    // the last expansion gives one number or nothing
  // The words that it becomes as an argument, if that is known and they are not one.
  std::optional<std::vector<std::string>> words = std::nullopt;
  std::vector<std::string> evaluates = {};

  void put(std::string_view bytes) {
    text += bytes;
    if (expanded) literal += bytes;
  }
  void put_expansion(std::string_view bytes) {
    if (!expanded) literal = text;
    expanded = true;
    text += bytes;
  }
  std::string_view without_expansions() const { return expanded ? literal : text; }
  WordForm form() const;
  bool fixed() const { return form() == WordForm::kFixed; }
  // Is what stands from `at` on a number, or several?
  bool is_number(std::size_t at) const;
  // Digits and minuses alone, from expansions; perhaps none.
  bool is_count(std::size_t at) const;
};

class Parser {
 public:
  Parser(std::string_view text, std::size_t offset, int depth, Findings& out)
      : text_(text),
        offset_(offset),
        depth_(depth),
        out_(out),
        last_bracket_(text.rfind(']')),
        braces_(text.find('{') != std::string_view::npos) {}

  Status parse_all();
  Status parse_here_document();  // the body: expansions alone count

 private:
  tl::unexpected<Error> error(std::string message) const;
  tl::unexpected<Error> give_up(std::string what) const;
  bool end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view prefix) const {  // of two characters or more
    return peek() == prefix[0] && peek(1) == prefix[1] && text_.substr(at_).starts_with(prefix);
  }
  // An escaped end of the line.
  bool goes_on() const { return peek() == '\\' && peek(1) == '\n'; }
  Status deeper() const;

  // The grammar.
  void skip_blanks();
  void skip_lines();
  Status parse_list(char closer);
  Status parse_brackets();
  Status parse_command();
  Status take_word(SimpleCommand& command, bool& named, Word&& word);
  Result<bool> take_control(SimpleCommand& command, const Word& word);
  Status finish(SimpleCommand command, bool named, bool plain);
  void set_variables(const SimpleCommand& command, bool named, bool plain);
  Status step_over_operator(bool& joined);
  void take_block(std::string_view word);
  Status parse_for();
  Result<std::string> read_loop_head();
  Status parse_case();
  Status parse_patterns();
  bool is_redirection() const;
  Status parse_redirection(SimpleCommand& command);
  Status here_documents();
  Status read_here_document(const Word& delimiter, bool strip_tabs);
  bool assign(const Word& word, std::size_t equals);
  void keep_values(std::string_view variable, const Word& word, std::size_t at);
  void keep(SimpleCommand& command, const Word& word);
  void own(const Word& word);  // what the expansions of a word outside any command evaluate

  // Words.
  Status read_word(Word& word);
  Status read_single_quotes(Word& word);
  Status read_double_quotes(Word& word);
  Status read_expansion(Word& word, bool in_quotes);
  bool read_followed(Word& word, bool in_quotes);
  void put_value(Word& word, const std::string& value, std::string_view written, bool in_quotes);
  void put_found(Word& word, const Value& value, std::string_view written);
  bool at_end_of_word() const;
  bool in_bash(bool is);
  Status read_parameter(Word& word);
  Status read_operation(Word& word, bool in_quotes);
  Status read_substitution(Word& word, std::optional<std::string>& printed);
  Status read_arithmetic(Word& word);
  Status read_back_quotes(bool in_quotes);
  Status read_ansi_quotes(Word& word);

  struct HereDocument {
    Word delimiter;
    bool strip_tabs = false;
  };

  std::string_view text_;
  std::size_t offset_;
  int depth_;
  Findings& out_;
  std::size_t last_bracket_;  // kNone without one
  bool braces_;               // the text holds one
  std::size_t at_ = 0;
  int cases_ = 0;
  bool may_assign_ = false;  // the word that is read stands where an assignment can
  std::vector<HereDocument> pending_;
};

// Where the value of "NAME=value" begins, without the sign; 0: this is no assignment.
std::size_t assignment_at(const Word& word);

inline bool is_shell_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_shell_meta(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
         c == ')' || c == '<' || c == '>';
}
inline bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_name(std::string_view text);

// Appends every command of `text`, which stands at `offset` of the whole, `depth` substitutions
// deep.
Status parse_shell_into(std::string_view text, std::size_t offset, int depth, Findings& out);

// What `command` runs through its arguments, if it is such a program: appended to `out`, or
// `command` is marked unknown.
Status unwrap(SimpleCommand& command, int depth, Findings& out);

// bash -n FILE.., of a shell: the file is read and not run.
bool only_checks_grammar(const SimpleCommand& command);

}  // namespace anima::govern::detail
