#include "cli/verbs/ask/sparql_repl.h"

#include <algorithm>
#include <utility>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "cli/frame/interrupt.h"
#include "cli/render/table.h"
#include "cli/terminal/line_reader.h"
#include "cli/verbs/ask/kip_shell.h"
#include "sparql/engine.h"
#include "sparql/rdf_mapping.h"
#include "store/act.h"

namespace anima::cli {
namespace {

constexpr std::string_view kSparqlHelp =
    "SELECT, ASK, CONSTRUCT, DESCRIBE ask; INSERT, DELETE, LOAD, CLEAR .. change\n"
    "PREFIX ex: <http://example.org/>   stays for all that follows; so does BASE\n"
    "\\d            predicates with how many triples they have, and types\n"
    "\\p            the prefixes that were declared here\n";
constexpr std::string_view kTypingSparqlHelp =
    "A text may run over several lines: it ends where it is whole, or with an empty line.\n"
    "Tab completes, Ctrl-C drops what was typed or stops what runs. docs/sparql.md has more.\n";

constexpr std::string_view kKeywords[] = {
    "ADD",      "ASC(",       "ASK",    "BASE",     "BIND(",    "CLEAR",  "CONSTRUCT",
    "COPY",     "COUNT(",     "CREATE", "DATA",     "DEFAULT",  "DELETE", "DESC(",
    "DESCRIBE", "DISTINCT",   "DROP",   "EXISTS",   "FILTER(",  "FROM",   "GRAPH",
    "GROUP BY", "HAVING(",    "INSERT", "LIMIT",    "LOAD",     "MINUS",  "MOVE",
    "NAMED",    "NOT EXISTS", "OFFSET", "OPTIONAL", "ORDER BY", "PREFIX", "REGEX(",
    "SELECT",   "SILENT",     "UNION",  "USING",    "VALUES",   "WHERE",  "WITH"};

std::string_view first_word(std::string_view text) {
  text = trim(text);
  return text.substr(0, text.find_first_of(" \t\n<{("));
}

// What is to be known of a text that does not parse: whether more of it may still come. The place
// of the fault is then the end.
bool ends_too_early(std::string_view text, const Error& error) {
  std::uint64_t line = 1, column = 1;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80) {
      ++column;
    }
  }
  if (error.message.find("the end of the text") != std::string::npos) return true;
  // A string that is not closed begins before the end.
  return error.message.find("not closed") != std::string::npos ||
         error.where == std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace

SparqlShell::SparqlShell(Context& context, store::Space& space, std::string base, Run run)
    : context_(context),
      space_(space),
      base_(std::move(base)),
      run_(std::move(run)),
      output_(context) {}

// What was declared before, on a line of its own before the text. What the text declares itself
// comes later, and wins.
std::string SparqlShell::prologue() const {
  std::string line = declared_base_.empty() ? "" : "BASE <" + declared_base_ + "> ";
  for (const auto& [prefix, iri] : prefixes_) line += "PREFIX " + prefix + " " + iri + " ";
  return line.empty() ? line : line + "\n";
}

// A place in what was typed, and the line with a mark under it.
void SparqlShell::show_fault(Error error, std::string_view text) {
  const std::string_view where = error.where;
  const std::size_t colon = where.find(':');
  const std::size_t last = colon == std::string_view::npos ? where.size() : colon + 1;
  std::size_t line = read_number<std::size_t>(where.substr(0, colon)).value_or(0);
  const std::size_t column = read_number<std::size_t>(where.substr(last)).value_or(0);
  if (line == 0 || column == 0) {
    context_.fail(error);
    return;
  }
  if (!prologue().empty() && line > 1) --line;
  error.where = std::to_string(line) + ":" + std::to_string(column);
  context_.fail(error);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() < 2 && column <= 1) return;  // the mark would say nothing
  if (line > lines.size()) return;
  context_.err.write("  " + std::string(lines[line - 1]) + "\n  " + std::string(column - 1, ' ') +
                     "^\n");
}

// PREFIX ex: <...> or BASE <...> alone.
bool SparqlShell::declare(const std::string& text) {
  const std::string_view line = trim(text);
  const std::string_view word = first_word(line);
  const std::size_t open = line.find('<'), close = line.find('>');
  if (open == std::string_view::npos || close != line.size() - 1) return false;
  if (equals_ignoring_ascii_case(word, "base")) {
    declared_base_ = std::string(line.substr(open + 1, close - open - 1));
    return true;
  }
  if (!equals_ignoring_ascii_case(word, "prefix")) return false;
  const std::string prefix(trim(line.substr(word.size(), open - word.size())));
  if (!prefix.ends_with(":")) return false;
  prefixes_[prefix] = std::string(line.substr(open));
  return true;
}

// A `;` behind a query ends it, as at the prompts of databases. Behind an update it is SPARQL's
// own.
void SparqlShell::execute(const std::string& typed) {
  std::string text = typed;
  if (trim(typed).ends_with(";")) {
    const std::string query(trim(typed).substr(0, trim(typed).size() - 1));
    if (declare(query) || sparql::check(prologue() + query, false, base_)) text = query;
  }
  if (declare(text)) return;
  const std::string whole = prologue() + text;
  const bool update = !sparql::check(whole, false, base_) && sparql::check(whole, true, base_);
  output_.execute([&](std::string& result) {
    if (const Status done = run_(whole, update, result); !done) show_fault(done.error(), text);
  });
}

void SparqlShell::command(std::string_view line) {
  line = trim(line);
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string argument(trim(line.substr(name.size())));
  if (name == "\\?" || name == "\\h") {
    for (const std::string_view part : {kSparqlHelp, kShellOutputHelp, kTypingSparqlHelp})
      context_.print(part);
  } else if (name == "\\d") {
    const auto snapshot = space_.snapshot();
    if (!snapshot) {
      context_.fail(snapshot.error());
      return;
    }
    output_.show(schema_text(context_, *snapshot));
  } else if (name == "\\p") {
    if (!declared_base_.empty()) context_.print("BASE <" + declared_base_ + ">\n");
    for (const auto& [prefix, iri] : prefixes_)
      context_.print("PREFIX " + prefix + " " + iri + "\n");
  } else if (!output_.command(name, argument)) {
    context_.note("there is no command " + std::string(name) + "; \\? lists them");
  }
}

bool SparqlShell::take(const std::string& line, std::string& pending) {
  const bool blank = trim(line).empty();
  if (pending.empty()) {
    if (blank || trim(line).starts_with("#")) return true;
    const std::string_view word = trim(line);
    if (word == "exit" || word == "quit" || word == "\\q") return false;
    if (word.starts_with("\\")) {
      command(word);
      return true;
    }
  }
  pending += pending.empty() ? line : "\n" + line;
  bool ends = blank || declare(pending);
  if (!ends) {
    const std::string whole = prologue() + pending;
    const Status query = sparql::check(whole, false, base_);
    const Status update = sparql::check(whole, true, base_);
    const bool more =
        !query && !update &&
        (ends_too_early(whole, query.error()) || ends_too_early(whole, update.error()));
    // A text that is whole may go on with LIMIT or another operation: only `}` or `;` end it.
    const bool closed = trim(pending).ends_with("}") || trim(pending).ends_with(";");
    ends = !more && ((!query && !update) || closed || sparql::check(whole, false, base_));
  }
  if (!ends) return true;
  const std::string text = std::exchange(pending, {});
  if (!trim(text).empty()) execute(text);
  context_.out.flush();
  return true;
}

std::vector<std::string> SparqlShell::predicate_iris() const {
  std::vector<std::string> iris;
  const auto now = space_.snapshot();
  if (!now) return iris;
  for (const auto one : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
    for (const store::Predicate predicate : now->predicates(one))
      iris.push_back(sparql::predicate_iri(*now, predicate, true));
  }
  return iris;
}

LineEditor::Completions SparqlShell::completions(std::string_view line) const {
  constexpr std::string_view kEnds = " \t(){}[],;.|/^*+!";
  std::size_t start = line.rfind('<');
  if (start == std::string_view::npos ||
      line.find_first_of(" \t>", start) != std::string_view::npos) {
    start = line.size();
    while (start > 0 && kEnds.find(line[start - 1]) == std::string_view::npos) --start;
  }
  LineEditor::Completions found{line.substr(start), {}};
  if (found.typed.empty()) return found;
  const auto add = [&found](std::string_view word) {
    if (word.starts_with(found.typed)) found.words.emplace_back(word);
  };
  for (const std::string_view word : kKeywords) add(word);
  const bool iri = found.typed[0] == '<', prefixed = found.typed.find(':') != std::string::npos;
  if (!prefixed) {
    for (const auto& [prefix, named] : prefixes_) add(prefix);
  }
  if (iri || prefixed) {
    for (const std::string& one : predicate_iris()) {
      if (iri) add("<" + one + ">");
      for (const auto& [prefix, named] : prefixes_) {
        const std::string_view space = std::string_view(named).substr(1, named.size() - 2);
        if (!iri && one.starts_with(space)) add(prefix + one.substr(space.size()));
      }
    }
  }
  std::sort(found.words.begin(), found.words.end());
  found.words.erase(std::unique(found.words.begin(), found.words.end()), found.words.end());
  return found;
}

int SparqlShell::run_read() {
  LineReader reader;
  std::string pending;
  while (const auto line = reader.next({})) {
    const store::ActScope act("sparql", store::ActKind::kOwn);
    if (!take(*line, pending)) return kDone;
  }
  if (!trim(pending).empty()) execute(pending);
  return kDone;
}

int SparqlShell::run_edited() {
  LineEditor editor(context_, "sparql_history",
                    [this](std::string_view line) { return completions(line); });
  if (!editor.works()) return run_read();
  context_.note(
      "an empty line ends a text; Tab completes, \\? helps, \\d shows what there is, "
      "Ctrl-C stops, Ctrl-D leaves");
  std::string pending, line;
  for (;;) {
    const auto got = editor.next(pending.empty() ? "sparql> " : "   ...> ", line);
    if (got == LineEditor::Read::kEnd) break;
    if (got == LineEditor::Read::kInterrupted) {
      pending.clear();
      context_.print("\n");
      context_.out.flush();
      continue;
    }
    const std::string typed = pending.empty() ? line : pending + " " + line;
    const store::ActScope act("sparql", store::ActKind::kOwn);
    const bool more = take(line, pending);
    if (pending.empty() && !trim(typed).empty()) editor.remember(typed);
    take_interrupt();
    if (!more) return kDone;
  }
  context_.print("\n");
  return interrupted() ? kInterrupted : kDone;
}

int SparqlShell::run() { return LineReader().interactive() ? run_edited() : run_read(); }

}  // namespace anima::cli
