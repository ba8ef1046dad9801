#include "cli/verbs/ask/kip_repl.h"

#include <algorithm>
#include <cstring>

#include "base/json/json.h"
#include "cli/frame/interrupt.h"
#include "cli/terminal/line_editor.h"
#include "kip/filter_functions.h"
#include "kip/format.h"
#include "kip/parser.h"
#include "store/act.h"

namespace anima::cli {

namespace {

constexpr std::string_view kWords[] = {"FIND(",
                                       "WHERE",
                                       "ORDER BY",
                                       "LIMIT",
                                       "CURSOR",
                                       "FILTER(",
                                       "NOT",
                                       "OPTIONAL",
                                       "UNION",
                                       "COUNT(",
                                       "SUM(",
                                       "AVG(",
                                       "MIN(",
                                       "MAX(",
                                       "DISTINCT",
                                       "ASC",
                                       "DESC",
                                       "UPSERT",
                                       "CONCEPT",
                                       "PROPOSITION",
                                       "SET ATTRIBUTES",
                                       "SET PROPOSITIONS",
                                       "SET METADATA",
                                       "WITH METADATA",
                                       "WITH TYPE",
                                       "EXPECT VERSION",
                                       "DELETE",
                                       "ATTRIBUTES",
                                       "METADATA",
                                       "PROPOSITIONS",
                                       "DETACH",
                                       "FROM",
                                       "UPDATE",
                                       "MERGE",
                                       "INTO",
                                       "DESCRIBE",
                                       "PRIMER",
                                       "DOMAINS",
                                       "TYPES",
                                       "TYPE",
                                       "SEARCH",
                                       "MODE",
                                       "THRESHOLD",
                                       "EXPORT",
                                       "ADD(",
                                       "MUL(",
                                       "COALESCE(",
                                       "CLAMP("};

std::string_view last_word(std::string_view line) {
  std::size_t start = line.size();
  while (start > 0 && std::strchr(" \t\n(){}[],:|", line[start - 1]) == nullptr) --start;
  return line.substr(start);
}

void add_names(const store::Snapshot& snapshot, store::EntityId type, std::string_view start,
               std::vector<std::string>* out) {
  store::Scratch scratch;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, store::Term::entity(type), scratch)) {
    std::string quoted = quote_json(snapshot.name(store::EntityId{code}));
    if (quoted.starts_with(start)) out->push_back(std::move(quoted));
  }
}

// The keys in use that go on with what stands behind the path's last point.
void add_keys(const store::Snapshot& snapshot, store::PredicateClass kind, std::string_view start,
              std::size_t path, std::vector<std::string>* out) {
  for (const store::Predicate key : snapshot.predicates(kind)) {
    const std::string_view name = snapshot.value(key.key()).text;
    if (name.starts_with(start.substr(path)))
      out->push_back(std::string(start.substr(0, path)) + std::string(name));
  }
}

// Names of concepts that begin as the quoted text does; in a large space the first that are found.
void add_concept_names(const store::Snapshot& snapshot, std::string_view start,
                       std::vector<std::string>* out) {
  constexpr std::size_t kMostNames = 200;
  store::Pattern names;
  names.predicate = store::kTypePredicate;
  names.predicate_class = store::PredicateClass::kStructural;
  store::Cursor cursor = snapshot.scan(names);
  std::vector<store::Triple> rows(1024);
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view name = snapshot.name(rows[i].subject);
      if (!name.starts_with(start.substr(1))) continue;
      out->push_back(quote_json(name));
      if (out->size() == kMostNames) return;
    }
  }
}

// The line before its last word, without white space at the end.
std::string_view line_before(std::string_view line, std::string_view last) {
  line.remove_suffix(last.size());
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return line;
}

// On one line a comment would swallow what follows it.
std::string on_one_line(const std::string& text) {
  const auto script = kip::parse(text);
  return script && text.find("//") != std::string::npos ? kip::format(*script) : text;
}

}  // namespace

std::vector<std::string> kip_completions(const store::Snapshot& snapshot, std::string_view line) {
  const std::string_view start = last_word(line);
  std::vector<std::string> words;
  if (start.empty()) return words;
  if (start[0] == '"') {
    add_names(snapshot, store::kConceptType, start, &words);
    add_names(snapshot, store::kPropositionType, start, &words);
    if (words.empty() || line_before(line, start).ends_with("name:"))
      add_concept_names(snapshot, start, &words);
  } else if (start[0] == '?') {
    const std::size_t dot = start.rfind('.');
    constexpr std::string_view kAttributes = ".attributes.", kMetadata = ".metadata.";
    const std::size_t key = start.find('.');
    const std::string_view path = key == std::string_view::npos ? "" : start.substr(key);
    if (path.starts_with(kAttributes)) {
      add_keys(snapshot, store::PredicateClass::kAttribute, start, key + kAttributes.size(),
               &words);
    } else if (path.starts_with(kMetadata)) {
      add_keys(snapshot, store::PredicateClass::kMetadata, start, key + kMetadata.size(), &words);
    } else if (dot != std::string_view::npos) {
      for (const char* field : {".id", ".type", ".name", ".subject", ".predicate", ".object",
                                ".attributes.", ".metadata."}) {
        if (std::string_view(field).starts_with(start.substr(dot)))
          words.push_back(std::string(start.substr(0, dot)) + field);
      }
    }
  } else {
    for (const std::string_view word : kWords) {
      if (word.starts_with(start)) words.emplace_back(word);
    }
    for (const kip::FilterFunction& each : kip::kFilterFunctions) {
      if (each.name.starts_with(start)) words.push_back(std::string(each.name) + "(");
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool kip_text_is_complete(std::string_view text) {
  const auto script = kip::parse(text);
  if (script) return true;
  // What is missing at the end, comments apart, may still come.
  const auto rest =
      kip::parse(text.substr(std::min<std::size_t>(script.error().offset, text.size())));
  return !rest || !rest->statements.empty();
}

int run_kip_repl(Context& context, kip::Engine& engine, KipShell& shell) {
  LineEditor editor(context, "kip_history", [&](std::string_view line) {
    LineEditor::Completions found{last_word(line), {}};
    // There is no room for an error between two keys; the request that is typed says it.
    if (const auto now = engine.space().snapshot()) found.words = kip_completions(*now, line);
    return found;
  });
  if (!editor.works()) {
    return context.fail({ErrorCode::kIo,
                         "the terminal cannot be edited on",
                         {},
                         "pipe the commands into `anima kip`"});
  }
  context.note(
      "an empty line or ';' ends a command; Tab completes, \\? helps, \\d shows what there is, "
      "Ctrl-C stops, Ctrl-D leaves");
  std::string text, read;
  for (;;) {
    const LineEditor::Read got = editor.next(text.empty() ? "kip> " : " ... ", read);
    if (got == LineEditor::Read::kInterrupted) {
      context.print("\n");
      context.out.flush();
      text.clear();
      continue;
    }
    if (got == LineEditor::Read::kEnd) break;
    if (text.empty() && (read == "exit" || read == "quit" || read == "\\q")) break;
    const bool blank = read.find_first_not_of(" \t") == std::string::npos;
    if (text.empty() && blank) continue;
    if (text.empty() && read.front() == '\\') {
      editor.remember(read);
      shell.command(read);
      context.out.flush();
      continue;
    }
    const bool first = text.empty();
    text += read;
    const bool ends =
        blank || (!read.empty() && read.back() == ';') || (first && kip::parse(text).has_value());
    const bool hopeless = kip_text_is_complete(text) && !kip::parse(text);
    if (!ends && !hopeless) {
      text += '\n';
      continue;
    }
    if (hopeless && !ends) editor.drop_pasted();
    editor.remember(on_one_line(text));
    const store::ActScope act("kip", store::ActKind::kOwn);
    shell.execute(text);
    take_interrupt();
    context.out.flush();
    text.clear();
  }
  context.print("\n");
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace anima::cli
