// anima datalog repl: a Mangle shell. Clauses and declarations are added, queries answered, files
// loaded and taken back; what does not compile leaves everything as it was.
#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/terminal/line_editor.h"
#include "cli/terminal/line_reader.h"
#include "cli/verbs/ask/datalog_session.h"
#include "cli/verbs/ask/shell_output.h"
#include "memory/grounds.h"

namespace anima::cli {
namespace {

constexpr std::string_view kReplHelp =
    "?p(X, /a)            what matches; ?p for all rows; ?- p(X). works too\n"
    "p(1).                adds a fact; p(X) :- q(X). adds a rule; Decl p(X). declares\n"
    "::retract p(1)       takes a typed fact back\n"
    "::load a.mg,b.mg     loads files; ::pop takes the last load back\n"
    "::show p|all         declarations, rules and facts of a predicate\n"
    "::explain p(1)       why it holds; ::whynot p(1) why it does not\n"
    "::clear              forgets what was typed\n"
    "::help  ::quit\n"
    "\\d [P]         the same as ::show; \\? this text; and for results:\n";

// Input is complete when it ends with the dot of a clause: not inside a string, a comment or
// brackets.
bool complete(std::string_view text) {
  char quote = 0;
  int depth = 0;
  char last = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (c == '"' || c == '\'' || c == '`') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ' ' && c != '\t' && c != '\n') last = c;
  }
  return quote == 0 && depth <= 0 && (last == '.' || last == '!');
}

class Shell {
 public:
  Shell(Context& context, std::vector<std::string> files, std::vector<std::string> facts,
        DatalogLimits limits, std::shared_ptr<store::Space> space)
      : context_(context),
        facts_(std::move(facts)),
        limits_(limits),
        space_(std::move(space)),
        output_(context) {
    if (!files.empty()) loads_.push_back(std::move(files));
  }

  int run();

 private:
  int run_edited();  // at a terminal
  int run_read();    // from a pipe
  // Takes a line in; false: the end. Whole texts are handled, `pending` is what is not whole yet.
  bool take(const std::string& line, std::string& pending);
  LineEditor::Completions completions(std::string_view line) const;
  void backslash(std::string_view line);
  bool handle(const std::string& text);  // false: the end
  void command(std::string_view line);
  void add(const std::string& text);
  void retract(std::string_view text);
  void ask(std::string_view text);
  void show(std::string_view name);
  void explain(std::string_view text, bool why_not);
  // Loads everything again; with errors nothing changes and they are shown.
  bool rebuild();
  // What was written to the space since; complains when that fails.
  void follow_space();
  Result<datalog::Query> compile(std::string_view text);
  std::string rows_text(const datalog::Rows& rows, datalog::PredicateId id) const;
  void say(std::string_view text) { context_.print(text); }
  void help() {
    say(kReplHelp);
    say(kShellOutputHelp);
  }
  void complain(const Error& error) { context_.err.write(error.describe() + "\n"); }

  Context& context_;
  std::vector<std::vector<std::string>> loads_;
  std::vector<std::string> typed_;
  std::vector<std::string> facts_;
  DatalogLimits limits_;
  std::shared_ptr<store::Space> space_;  // null: none
  LoadedDatalog loaded_;
  std::unique_ptr<datalog::Engine> engine_;
  ShellOutput output_;
};

bool Shell::rebuild() {
  DatalogInput input;
  for (const auto& load : loads_) input.files.insert(input.files.end(), load.begin(), load.end());
  input.facts = facts_;
  input.space = space_;
  std::size_t number = 0;
  for (const std::string& text : typed_) {
    auto source = std::make_shared<datalog::Source>();
    source->name = "<typed " + std::to_string(++number) + ">";
    source->text = text;
    datalog::ParsedUnit parsed = parse_unit(std::move(source));
    if (datalog::has_errors(parsed.diagnostics)) {
      complain(datalog::first_error(parsed.diagnostics));
      return false;
    }
    input.extra.push_back(std::move(parsed.unit));
  }
  auto loaded = load_datalog(context_, std::move(input));
  if (!loaded) {
    complain(loaded.error());
    return false;
  }
  for (const datalog::Diagnostic& diagnostic : loaded->diagnostics)
    context_.err.write(diagnostic_text(context_, diagnostic));
  if (!loaded->program) return false;
  const InterruptibleLimits limits(limits_);
  auto engine = start_engine(*loaded, limits.limits());
  if (!engine) {
    complain(engine.error());
    return false;
  }
  loaded_ = std::move(*loaded);
  engine_ = std::move(*engine);
  return true;
}

void Shell::add(const std::string& text) {
  typed_.push_back(text);
  if (!rebuild()) typed_.pop_back();
}

void Shell::retract(std::string_view text) {
  auto fact = datalog::compile_fact(engine_->program(), text, engine_->values());
  if (!fact) return complain(fact.error());
  const auto wanted =
      datalog::parse_program(std::string(trim(text)) + (trim(text).ends_with(".") ? "" : "."));
  if (!wanted) return complain(wanted.error());
  const auto before = typed_;
  const auto same = [&](const std::string& line) {
    const auto unit = datalog::parse_program(line);
    return unit && unit->same_program(*wanted);
  };
  typed_.erase(std::remove_if(typed_.begin(), typed_.end(), same), typed_.end());
  if (typed_.size() == before.size()) {
    say("that fact was not typed here\n");
  } else if (!rebuild()) {
    typed_ = before;
  }
}

void Shell::follow_space() {
  if (space_ == nullptr) return;
  const InterruptibleLimits limits(limits_);
  const auto current = catch_up(loaded_, *space_, *engine_, limits.limits());
  if (!current) complain(current.error());
  if (!current || !*current) rebuild();
}

// A relation that is new to the space is taken in when it is asked for.
Result<datalog::Query> Shell::compile(std::string_view text) {
  if (space_ != nullptr) {
    const auto parsed = datalog::parse_query(text);
    const bool unknown = parsed &&
                         engine_->program().find(parsed->atom.predicate) == datalog::kNone &&
                         loaded_.space->has_relation(parsed->atom.predicate);
    if (unknown) rebuild();
  }
  return compile_asked(loaded_, text);
}

// Facts as they are written in a program, or a table where one is asked for.
std::string Shell::rows_text(const datalog::Rows& rows, datalog::PredicateId id) const {
  const std::string count = rows.count == 1 ? "1 fact\n" : std::to_string(rows.count) + " facts\n";
  if (context_.table == TableForm::kText) {
    std::string out;
    for (const std::string& line : fact_lines(*engine_, rows, id)) out += line + "\n";
    return out + count;
  }
  const datalog::Predicate& predicate = engine_->program().predicates[id];
  std::vector<std::string> titles;
  for (std::uint32_t i = 0; i < predicate.columns; ++i) {
    titles.push_back(i < predicate.argument_names.size() ? predicate.argument_names[i]
                                                         : "_" + std::to_string(i + 1));
  }
  Table table(std::move(titles));
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::vector<std::string> cells;
    for (const auto value : rows.row(i)) cells.push_back(engine_->values().text(value));
    table.add(std::move(cells));
  }
  return table.render(context_) + (context_.table == TableForm::kExpanded ? count : "");
}

void Shell::ask(std::string_view text) {
  follow_space();
  const auto query = compile(text);
  if (!query) return complain(query.error());
  const Result<datalog::Rows> rows = engine_->query(*query);
  if (!rows) return complain(rows.error());
  output_.execute([&](std::string& text) { text = rows_text(*rows, query->predicate); });
}

void Shell::show(std::string_view name) {
  const datalog::Program& program = engine_->program();
  const bool all = name.empty() || name == "all";
  std::vector<datalog::PredicateId> ids;
  for (datalog::PredicateId id = 0; id < program.predicates.size(); ++id) {
    if (!program.predicates[id].internal && (all || program.predicates[id].name == name))
      ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](datalog::PredicateId a, datalog::PredicateId b) {
    return program.predicates[a].name < program.predicates[b].name;
  });
  if (ids.empty()) return say("there is no predicate " + std::string(name) + "\n");
  std::string out;
  for (const datalog::PredicateId id : ids) {
    const datalog::Predicate& predicate = program.predicates[id];
    out += context_.paint(Paint::kBold, predicate.name + "/" + std::to_string(predicate.arity)) +
           "  " + std::to_string(engine_->snapshot()->count(id)) + " rows";
    if (!predicate.documentation.empty()) out += "  # " + predicate.documentation;
    out += '\n';
    for (const datalog::Rule& rule : program.rules) {
      if (rule.head == id && !rule.internal) out += "  " + rule.text + "\n";
    }
  }
  output_.show(out);
}

void Shell::explain(std::string_view text, bool why_not) {
  follow_space();
  const auto query = compile(text);
  if (!query) return complain(query.error());
  datalog::QueryOptions one;
  one.max_rows = 1;
  const Result<datalog::Rows> rows = engine_->query(*query, one);
  if (!rows) return complain(rows.error());
  if (rows->count > 0 && !why_not) {
    const auto proof = engine_->explain(query->predicate, rows->row(0));
    if (!proof) return complain(proof.error());
    say(proof->text());
    if (loaded_.space != nullptr) say(memory::grounds_text(loaded_.space->grounds(*proof)));
    return;
  }
  const auto answer = engine_->why_not(*query);
  if (!answer) return complain(answer.error());
  say(answer->text());
}

void Shell::command(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, blank);
  const std::string_view rest = trim(line.substr(blank));
  if (word == "::help") {
    help();
  } else if (word == "::load") {
    std::vector<std::string> files;
    for (const std::string_view part : split(rest, ',')) {
      if (!trim(part).empty()) files.emplace_back(trim(part));
    }
    loads_.push_back(std::move(files));
    if (!rebuild()) loads_.pop_back();
  } else if (word == "::pop") {
    if (loads_.empty()) return say("nothing is loaded\n");
    auto last = std::move(loads_.back());
    loads_.pop_back();
    if (!rebuild()) loads_.push_back(std::move(last));
  } else if (word == "::clear") {
    typed_.clear();
    rebuild();
  } else if (word == "::retract") {
    retract(rest);
  } else if (word == "::show") {
    show(rest);
  } else if (word == "::explain") {
    explain(rest, false);
  } else if (word == "::whynot") {
    explain(rest, true);
  } else {
    say("unknown command " + std::string(word) + "; ::help lists them\n");
  }
}

bool Shell::handle(const std::string& text) {
  const std::string_view line = trim(text);
  if (line.empty()) return true;
  if (line == "::quit" || line == "::exit" || line == "\\q") return false;
  if (line.starts_with("\\")) {
    backslash(line);
  } else if (line.starts_with("::")) {
    command(line);
  } else if (line.starts_with("?")) {
    ask(line);
  } else {
    add(text);
  }
  return true;
}

void Shell::backslash(std::string_view line) {
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string argument(trim(line.substr(name.size())));
  if (name == "\\?" || name == "\\h") {
    help();
  } else if (name == "\\d") {
    follow_space();
    show(argument);
  } else if (!output_.command(name, argument)) {
    context_.note("there is no command " + std::string(name) + "; \\? lists them");
  }
}

// Predicates, the relations of the space, and commands.
LineEditor::Completions Shell::completions(std::string_view line) const {
  std::size_t start = line.size();
  constexpr std::string_view kEnds = " \t(){}[],!?|";
  while (start > 0 && kEnds.find(line[start - 1]) == std::string_view::npos) --start;
  LineEditor::Completions found{line.substr(start), {}};
  if (found.typed.empty()) return found;
  const auto add = [&](std::string_view word) {
    if (word.starts_with(found.typed)) found.words.emplace_back(word);
  };
  if (start == 0) {
    for (const std::string_view word : {"::retract", "::load", "::pop", "::show", "::explain",
                                        "::whynot", "::clear", "::help", "::quit"})
      add(word);
  }
  for (const datalog::Predicate& predicate : engine_->program().predicates) {
    if (!predicate.internal) add(predicate.name);
  }
  if (space_ != nullptr) {
    if (const auto now = space_->snapshot()) {
      store::Scratch scratch;
      for (const std::uint32_t code : now->subjects(
               store::kTypePredicate, store::Term::entity(store::kPropositionType), scratch))
        add(now->name(store::EntityId{code}));
    }
  }
  std::sort(found.words.begin(), found.words.end());
  found.words.erase(std::unique(found.words.begin(), found.words.end()), found.words.end());
  return found;
}

bool Shell::take(const std::string& line, std::string& pending) {
  const std::string_view start =
      trim(pending.empty() ? std::string_view(line) : std::string_view(pending));
  const bool one_line = start.empty() || start.starts_with("?") || start.starts_with("::") ||
                        start.starts_with("#") || start.starts_with("\\");
  pending += pending.empty() ? line : "\n" + line;
  if (!one_line && !complete(pending)) return true;
  const std::string text = std::exchange(pending, {});
  const bool more = handle(text);
  context_.out.flush();
  return more;
}

int Shell::run_read() {
  LineReader reader;
  std::string pending;
  while (const auto line = reader.next({})) {
    if (!take(*line, pending)) return kDone;
  }
  if (!trim(pending).empty()) handle(pending);
  return kDone;
}

int Shell::run_edited() {
  LineEditor editor(context_, "datalog_history",
                    [this](std::string_view line) { return completions(line); });
  if (!editor.works()) return run_read();
  context_.note("Mangle shell; Tab completes, \\? helps, \\d shows what there is, Ctrl-D leaves");
  std::string pending, line;
  for (;;) {
    const auto got = editor.next(pending.empty() ? "mangle> " : "   ...> ", line);
    if (got == LineEditor::Read::kEnd) break;
    if (got == LineEditor::Read::kInterrupted) {
      pending.clear();
      say("\n");
      context_.out.flush();
      continue;
    }
    const std::string typed = pending.empty() ? line : pending + "\n" + line;
    const bool more = take(line, pending);
    if (pending.empty() && !trim(typed).empty()) editor.remember(typed);
    take_interrupt();
    if (!more) return kDone;
  }
  say("\n");
  return interrupted() ? kInterrupted : kDone;
}

int Shell::run() {
  if (!rebuild()) return kFailed;
  return LineReader().interactive() ? run_edited() : run_read();
}

int run_datalog_repl(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  std::vector<std::string> facts;
  DatalogLimits limits;
  bool alone = false;
  Options options;
  options.positional("FILE", files, "Mangle programs to begin with");
  options.values("--facts DIR", facts, "read DIR/<predicate>.facts as base facts");
  options.value("--timeout MS", limits.timeout_ms, "stop an evaluation after so many milliseconds");
  options.value("--max-rows N", limits.max_rows, "stop when rules have added so many rows");
  options.value("--max-memory MB", limits.max_megabytes, "stop when relations take so much memory");
  options.flag("--no-space", alone, kAloneHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto space = datalog_space(context, alone);
  if (!space) return context.fail(space.error());
  return Shell(context, std::move(files), std::move(facts), limits, std::move(*space)).run();
}

}  // namespace

extern const Verb kDatalogRepl;
const Verb kDatalogRepl{"datalog repl",
                        Group::kKnowledge,
                        "opens a Mangle shell: rules, facts, queries, explanations",
                        "[FILE...] [--facts DIR] [--no-space]",
                        "anima datalog repl family.mg",
                        run_datalog_repl};

}  // namespace anima::cli
