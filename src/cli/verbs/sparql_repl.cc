#include "cli/verbs/sparql_repl.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/line_reader.h"
#include "cli/render/table.h"
#include "cli/verbs/kip_shell.h"
#include "sparql/engine.h"
#include "sparql/rdf_mapping.h"

namespace anima::cli {
namespace {

constexpr std::string_view kSparqlHelp =
    "SELECT, ASK, CONSTRUCT, DESCRIBE ask; INSERT, DELETE, LOAD, CLEAR .. change\n"
    "PREFIX ex: <http://example.org/>   stays for all that follows; so does BASE\n"
    "\\d            predicates with how many triples they have, and types\n"
    "\\p            the prefixes that were declared here\n";
constexpr std::string_view kTypingHelp =
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

std::string SparqlShell::with_prologue(const std::string& text) const {
  std::string whole;
  // What the text declares itself comes later, and wins.
  for (const auto& [prefix, iri] : prefixes_) whole += "PREFIX " + prefix + " " + iri + " ";
  return whole + text;
}

// PREFIX ex: <...> or BASE <...> alone.
bool SparqlShell::declare(const std::string& text) {
  const std::string_view line = trim(text);
  const std::string_view word = first_word(line);
  const std::size_t open = line.find('<'), close = line.find('>');
  if (open == std::string_view::npos || close != line.size() - 1) return false;
  if (equals_ignoring_ascii_case(word, "base")) {
    base_ = std::string(line.substr(open + 1, close - open - 1));
    return true;
  }
  if (!equals_ignoring_ascii_case(word, "prefix")) return false;
  const std::string prefix(trim(line.substr(word.size(), open - word.size())));
  if (!prefix.ends_with(":")) return false;
  prefixes_[prefix] = std::string(line.substr(open));
  return true;
}

void SparqlShell::execute(const std::string& text) {
  if (declare(text)) return;
  const std::string whole = with_prologue(text);
  const bool update = !sparql::check(whole, false, base_) && sparql::check(whole, true, base_);
  output_.execute([&](std::string& result) { run_(whole, update, result); });
}

void SparqlShell::command(std::string_view line) {
  line = trim(line);
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string argument(trim(line.substr(name.size())));
  if (name == "\\?" || name == "\\h") {
    for (const std::string_view part : {kSparqlHelp, kShellOutputHelp, kTypingHelp})
      context_.print(part);
  } else if (name == "\\d") {
    const auto snapshot = space_.snapshot();
    if (!snapshot) {
      context_.fail(snapshot.error());
      return;
    }
    output_.show(schema_text(context_, *snapshot));
  } else if (name == "\\p") {
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
    const std::string whole = with_prologue(pending);
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

LineEditor::Completions SparqlShell::completions(std::string_view line) const {
  std::size_t start = line.size();
  constexpr std::string_view kEnds = " \t(){}[],;.|/^*+!";
  while (start > 0 && kEnds.find(line[start - 1]) == std::string_view::npos) --start;
  LineEditor::Completions found{line.substr(start), {}};
  if (found.typed.empty()) return found;
  const auto add = [&found](std::string_view word) {
    if (word.starts_with(found.typed)) found.words.emplace_back(word);
  };
  for (const std::string_view word : kKeywords) add(word);
  for (const auto& [prefix, iri] : prefixes_) add(prefix);
  if (found.typed[0] == '<') {
    if (const auto now = space_.snapshot()) {
      for (const auto one : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
        for (const store::Predicate predicate : now->predicates(one))
          add("<" + sparql::predicate_iri(*now, predicate, true) + ">");
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
