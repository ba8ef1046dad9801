#include "govern/detail/shell_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "govern/detail/shell_names.h"
#include "govern/detail/shell_paths.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kUsualArguments = 4;

bool ends_command(char c) { return c == '\n' || c == ';' || c == '&' || c == '|' || c == ')'; }

// "$name" or "${name}" as written; empty for anything else.
std::string_view plain_parameter(std::string_view text) {
  if (!text.starts_with('$')) return {};
  text.remove_prefix(1);
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  return is_name(text) ? text : std::string_view();
}

// [ $i -lt 5 ]: harmless as long as i holds a number.
void expect_numbers(SimpleCommand& command) {
  if (command.program != "[" && command.program != "test") return;
  for (std::size_t i = 0; i < command.forms.size(); ++i) {
    const std::string_view name = plain_parameter(command.arguments[i]);
    if (command.forms[i] != WordForm::kOpen || name.empty()) continue;
    command.evaluates.emplace_back(name);
    command.forms[i] = WordForm::kOne;
  }
}

bool may_be_path(std::string_view text) { return text.find_first_of("/$`*?[") != text.npos; }

// >, >>, <<-, &> ..: the longest that fits.
std::string_view operator_at(std::string_view text) {
  constexpr std::array<std::string_view, 12> kOperators = {"<<<", "<<-", "&>>", "<<", "<&", "<>",
                                                           ">>",  ">&",  ">|",  "&>", "<",  ">"};
  for (const std::string_view each : kOperators) {
    if (text.starts_with(each)) return each;
  }
  return {};
}

}  // namespace

std::size_t assignment_at(const Word& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos || equals == 0 || equals >= word.plain) return 0;
  std::string_view name = std::string_view(word.text).substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  return is_name(name) ? equals : 0;
}

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, is_name_byte);
}

tl::unexpected<Error> Parser::error(std::string message) const {
  return fail(ErrorCode::kSyntax, std::move(message), "offset " + std::to_string(offset_ + at_));
}

tl::unexpected<Error> Parser::give_up(std::string what) const {
  return fail(ErrorCode::kUnsupported, std::move(what), "offset " + std::to_string(offset_ + at_));
}

Status Parser::deeper() const {
  if (depth_ >= kDeepest)
    return fail(ErrorCode::kLimitExceeded, "more than 16 substitutions inside each other");
  return {};
}

Status Parser::parse_all() {
  const Flow::Saved outer = out_.flow.enter();
  ANIMA_TRY(parse_list('\0'));
  out_.flow.leave(outer);
  if (at_ < text_.size()) return error("a closing parenthesis without an opening one");
  if (cases_ != 0) return error("'case' without 'esac'");
  return {};
}

void Parser::skip_blanks() {
  while (!end()) {
    if (is_shell_blank(peek()))
      ++at_;
    else if (goes_on())
      at_ += 2;
    else if (peek() == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      break;
  }
}

void Parser::skip_lines() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) ++at_;
}

// Commands up to `closer` (left in place) or the end of the text.
Status Parser::parse_list(char closer) {
  bool joined = false;  // behind an operator that needs a command
  while (true) {
    skip_blanks();
    if (end()) {
      ANIMA_TRY(here_documents());
      return closer == '\0' ? Status{} : Status(error("the text ends inside brackets"));
    }
    const char c = peek();
    if (c == ')') {
      if (closer == ')') return {};
      return error("a closing parenthesis without an opening one");
    }
    if (c == '\n') {
      ++at_;
      if (!joined) out_.flow.ends();
      ANIMA_TRY(here_documents());
    } else if (starts(";;") || starts(";&")) {
      if (cases_ == 0) return error("';;' outside 'case'");
      at_ += starts(";;&") ? 3u : 2u;
      out_.flow.next_branch(Flow::Block::kCase);
      ANIMA_TRY(parse_patterns());
    } else if (c == ';' || c == '|' || (c == '&' && peek(1) != '>')) {
      ANIMA_TRY(step_over_operator(joined));
    } else if (starts("((")) {
      return give_up("((..)) is arithmetic to one shell and commands to another");
    } else {
      joined = false;
      ANIMA_TRY(c == '(' ? parse_brackets() : parse_command());
    }
  }
}

Status Parser::step_over_operator(bool& joined) {
  const bool two = starts("&&") || starts("||") || starts("|&");
  joined = two || peek() == '|';
  if (starts("&&"))
    out_.flow.if_done();
  else if (starts("||"))
    out_.flow.if_failed();
  else if (peek() == '|')
    out_.flow.pipe();
  else if (peek() == '&')
    out_.flow.background();
  else
    out_.flow.ends();
  at_ += two ? 2u : 1u;
  // An operator can go on behind an escaped end of the line.
  std::size_t next = at_;
  while (text_.substr(next).starts_with("\\\n")) next += 2;
  if (next != at_ && next < text_.size() &&
      std::string_view("&|;>").find(text_[next]) != std::string_view::npos)
    return give_up("an operator over the end of a line");
  return {};
}

Status Parser::parse_brackets() {
  ANIMA_TRY(deeper());
  if (!pending_.empty()) return give_up("brackets before the body of a here-document");
  ++at_;
  if (starts("\\\n")) return give_up("a bracket at the end of a line that goes on");
  ++depth_;
  const int cases = std::exchange(cases_, 0);
  const Flow::Saved outer = out_.flow.enter();
  ANIMA_TRY(parse_list(')'));
  out_.flow.leave(outer);
  if (cases_ != 0) return error("'case' without 'esac'");
  if (!pending_.empty()) return give_up("a here-document whose body lies outside its brackets");
  cases_ = cases;
  --depth_;
  ++at_;
  return {};
}

Status Parser::parse_command() {
  SimpleCommand command;
  command.offset = offset_ + at_;
  bool named = false;
  // No redirection, which leaves out the assignments where it fails (`>&9` too).
  bool plain = true;
  bool timed = false;       // to dash `time` is a program that runs what follows
  bool after_both = false;  // dash reads `a &>f b` as two commands
  while (true) {
    skip_blanks();
    const bool both = peek() == '&' && peek(1) == '>';
    if (!both && (end() || ends_command(peek()))) break;
    if (peek() == '(') {
      const bool bare = command.assignments.empty() && command.writes.empty() &&
                        command.reads.empty() && command.arguments.empty();
      if (bare && !named) break;  // a subshell after a control word
      if (!bare) return give_up("an opening parenthesis inside a command");
      ++at_;
      skip_blanks();
      if (peek() != ')') return error("an opening parenthesis inside a command");
      ++at_;
      command.unknown = true;  // a function: what its name runs from now on is not followed
      out_.flow.give_up();
      break;
    }
    if (after_both) return give_up("words behind '&>'");
    if (is_redirection()) {
      ANIMA_TRY(parse_redirection(command));
      plain = false;
      after_both = both;
      continue;
    }
    may_assign_ = !named;
    Word word;
    ANIMA_TRY(read_word(word));
    may_assign_ = false;
    if ((peek() == '<' || peek() == '>') && word.text.starts_with('{') && word.text.ends_with('}'))
      return give_up("a variable that receives a descriptor");
    if (!named) {
      ANIMA_ASSIGN(const bool control, take_control(command, word));
      timed = timed || (control && word.text == "time");
      if (control) continue;
    }
    ANIMA_TRY(take_word(command, named, std::move(word)));
  }
  // To dash `time x=a/b` runs a file of that name.
  command.unknown =
      command.unknown || (timed && std::ranges::any_of(command.assignments, may_be_path));
  return finish(std::move(command), named, plain && !timed);
}

Status Parser::take_word(SimpleCommand& command, bool& named, Word&& word) {
  keep(command, word);
  if (const std::size_t equals = named ? 0 : assignment_at(word); equals != 0) {
    command.unknown = !assign(word, equals) || command.unknown;
    command.assignments.push_back(std::move(word.text));
  } else if (!named) {
    named = true;
    command.arguments.reserve(kUsualArguments);
    command.forms.reserve(kUsualArguments);
    if (word.fixed() && !word.followed)
      command.program = std::move(word.text);
    else
      command.unknown = true;
  } else if (word.words) {
    for (std::string& each : *word.words) {
      command.forms.push_back(WordForm::kFixed);
      command.arguments.push_back(std::move(each));
    }
  } else {
    // [ $(wc -l <a) -gt 5 ]: numbers are no options of the test.
    const bool tested = command.program == "[" || command.program == "test";
    const bool count = word.form() == WordForm::kOpen && word.is_count(0);
    command.forms.push_back(tested && count ? WordForm::kOne : word.form());
    command.arguments.push_back(std::move(word.text));
  }
  return {};
}

void Parser::set_variables(const SimpleCommand& command, bool named, bool plain) {
  const auto name_of = [](std::string_view assignment) {
    return assignment.substr(0, assignment.find_first_of("+="));
  };
  for (const std::string& assignment : command.assignments) {
    const std::string_view name = name_of(assignment);
    if (!keeps_its_value(name) && !only_shapes_output(name) && name != "IFS") out_.flow.may_fail();
    // Whether the value stays behind the command depends on the shell.
    if (named) out_.values.add_anything(name);
  }
  for (const std::string& assignment : command.assignments) {
    if (!named && plain) out_.flow.assigns(std::string(name_of(assignment)));
  }
}

Status Parser::finish(SimpleCommand command, bool named, bool plain) {
  set_variables(command, named, plain);
  const bool any =
      named || !command.assignments.empty() || !command.writes.empty() || !command.reads.empty();
  if (!any && command.evaluates.empty() && !command.unknown) return {};
  expect_numbers(command);
  ANIMA_TRY(unwrap(command, depth_, out_));
  out_.commands.push_back(std::move(command));
  return {};
}

// False when the shell computes the value and it may be more than a number.
bool Parser::assign(const Word& word, std::size_t equals) {
  std::string name = word.text.substr(0, equals);
  const bool appends = name.ends_with('+');
  if (appends) name.pop_back();
  if (appends)
    out_.values.add_anything(name);
  else
    keep_values(name, word, equals + 1);
  const bool number = word.is_number(equals + 1);
  const bool harmless = number || !is_computed(name);
  if (!number) out_.loose.insert(std::move(name));
  return harmless;
}

// What the variable may hold that gets the word, or what stands in it from `at` on.
void Parser::keep_values(std::string_view variable, const Word& word, std::size_t at) {
  using Kind = Value::Kind;
  const WordForm form = word.form();
  const std::string_view text = std::string_view(word.text).substr(at);
  const bool names = form == WordForm::kNames || form == WordForm::kPattern;
  const bool counted = form == WordForm::kOpen && word.is_count(at);
  const bool computed = text.starts_with("$((") && text.find("$(", 1) == text.npos;
  if (form == WordForm::kFixed)
    out_.values.add(variable, text);
  else if (counted)
    out_.values.add(variable, kNumber, computed ? Kind::kNumber : Kind::kPattern);
  else if (word.shaped && !word.splits && (!word.globs || (names && at == 0)))
    out_.values.add(variable, text, Kind::kPattern);
  else if (names && at == 0)
    out_.values.add(variable, text.substr(0, word.known), Kind::kBeginning);
  else
    out_.values.add_anything(variable);
}

void Parser::keep(SimpleCommand& command, const Word& word) {
  command.unknown = command.unknown || word.unknown;
  command.evaluates.insert(command.evaluates.end(), word.evaluates.begin(), word.evaluates.end());
}

void Parser::own(const Word& word) {
  if (word.evaluates.empty() && !word.unknown) return;
  SimpleCommand command;
  command.offset = offset_ + at_;
  keep(command, word);
  out_.commands.push_back(std::move(command));
}

bool Parser::is_redirection() const {
  std::size_t digits = 0;
  while (peek(digits) >= '0' && peek(digits) <= '9') ++digits;
  const char c = peek(digits);
  if (c == '&' && digits == 0) return peek(1) == '>';
  if (c != '<' && c != '>') return false;
  return peek(digits + 1) != '(' || digits != 0;
}

Status Parser::parse_redirection(SimpleCommand& command) {
  while (peek() >= '0' && peek() <= '9') ++at_;
  const std::string_view op = operator_at(text_.substr(at_));
  at_ += op.size();
  // It can go on there too: <<\, a new line and -E.
  if (goes_on()) return give_up("a redirection over the end of a line");
  const bool duplicates = op == "<&" || op == ">&";
  if (duplicates && peek() == '-') {  // closes a descriptor
    ++at_;
    if (!end() && !is_shell_meta(peek())) return give_up("a word behind '&-'");
    return {};
  }
  skip_blanks();
  if (end() || (is_shell_meta(peek()) && !((peek() == '<' || peek() == '>') && peek(1) == '(')))
    return error("a redirection without a target");
  Word word;
  ANIMA_TRY(read_word(word));
  keep(command, word);
  if (op == "<<" || op == "<<-") {
    if (!word.fixed() || word.followed || word.text.find('\n') != std::string::npos)
      return give_up("the delimiter of a here-document");
    pending_.push_back({std::move(word), op == "<<-"});
    return {};
  }
  if (op == "<<<") return {};
  const bool descriptor =
      duplicates && std::ranges::all_of(word.text, [](char c) { return c >= '0' && c <= '9'; });
  if (descriptor && word.fixed()) return {};
  const WordForm form = word.form();
  // What begins with a slash may become a socket below /dev.
  const bool inside = (form == WordForm::kPrefixed || word.found) && !word.text.starts_with('/');
  const bool shaped = word.shaped && !word.splits && !word.globs && !duplicates;
  const bool known =
      form == WordForm::kFixed || (op == "<" && inside) || (shaped && !leads_out(word.text, form));
  if (!known) command.unknown = true;
  (op == "<" || op == "<&" ? command.reads : command.writes).push_back(std::move(word.text));
  return {};
}

// The bodies of the here-documents that the line before announced; their expansions run.
Status Parser::here_documents() {
  for (const HereDocument& document : std::exchange(pending_, {}))
    ANIMA_TRY(read_here_document(document.delimiter, document.strip_tabs));
  return {};
}

Status Parser::read_here_document(const Word& delimiter, bool strip_tabs) {
  const std::size_t start = at_;
  while (!end()) {
    const std::size_t line_start = at_;
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, line_end - at_);
    if (strip_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    at_ = std::min(line_end + 1, text_.size());
    if (line == delimiter.text) {
      if (delimiter.quoted) return {};
      const std::string_view body = text_.substr(start, line_start - start);
      // It is expanded with its command, before what stands behind that on the line.
      Flow flow = std::exchange(out_.flow, Flow());
      ANIMA_TRY(Parser(body, offset_ + start, depth_, out_).parse_here_document());
      if (!out_.flow.is_sure() || !out_.flow.followed()) flow.give_up();
      out_.flow = std::move(flow);
      return {};
    }
    if (!delimiter.quoted && line.ends_with('\\'))
      return give_up("a line of a here-document that goes on");
    // bash ends it there when the line closes the brackets around it.
    if (line.starts_with(delimiter.text)) return give_up("a line that begins as the delimiter");
  }
  return error("the here-document '" + delimiter.text + "' does not end");
}

Status parse_shell_into(std::string_view text, std::size_t offset, int depth, Findings& out) {
  if (depth > kDeepest)
    return fail(ErrorCode::kLimitExceeded, "more than 16 substitutions inside each other");
  return Parser(text, offset, depth, out).parse_all();
}

}  // namespace anima::govern::detail
