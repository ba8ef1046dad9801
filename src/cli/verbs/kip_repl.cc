#include "cli/verbs/kip_repl.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cwchar>

#include "base/file.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/line_reader.h"
#include "kip/format.h"
#include "kip/parser.h"

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
                                       "CONTAINS(",
                                       "STARTS_WITH(",
                                       "ENDS_WITH(",
                                       "REGEX(",
                                       "IN(",
                                       "IS_NULL(",
                                       "IS_NOT_NULL(",
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

struct Prompt {
  const char* text = "kip> ";
  kip::Engine* engine = nullptr;
};

char* prompt_of(EditLine* line) {
  void* data = nullptr;
  el_get(line, EL_CLIENTDATA, &data);
  return const_cast<char*>(static_cast<Prompt*>(data)->text);
}

std::string common_start(const std::vector<std::string>& words) {
  std::string start = words.front();
  for (const std::string& word : words) {
    std::size_t length = 0;
    while (length < start.size() && length < word.size() && start[length] == word[length]) ++length;
    start.resize(length);
  }
  return start;
}

// What to type for the person; where several words are possible, they are shown.
std::string completion(EditLine* line) {
  void* data = nullptr;
  el_get(line, EL_CLIENTDATA, &data);
  const LineInfo* info = el_line(line);
  const std::string_view before(info->buffer,
                                static_cast<std::size_t>(info->cursor - info->buffer));
  const auto now = static_cast<Prompt*>(data)->engine->space().snapshot();
  // There is no room for an error between two keys; the request that is typed says it.
  const auto words =
      now ? kip_completions(*now, before) : decltype(kip_completions(*now, before))();
  if (words.empty()) {
    el_beep(line);
    return {};
  }
  const std::string_view typed = last_word(before);
  const std::string start = common_start(words);
  if (start.size() > typed.size()) {
    return start.substr(typed.size());
  }
  if (words.size() > 1) {
    std::FILE* out = nullptr;
    el_get(line, EL_GETFP, 1, &out);
    std::fputc('\n', out);
    for (std::size_t i = 0; i < words.size() && i < 60; ++i)
      std::fprintf(out, "%s  ", words[i].c_str());
    std::fputc('\n', out);
    el_set(line, EL_REFRESH);
  }
  return {};
}

// libedit's own reader loses a signal that comes between its look at the flag and read(), and it
// never frees what EL_ADDFN gives it, so Tab is taken here. Returns, as libedit wants, 1 with a
// character, 0 at the end of input, -1 when interrupted.
int read_character(EditLine* line, wchar_t* character) {
  std::mbstate_t state{};
  for (;;) {
    if (!wait_for_input()) {
      if (interrupted()) return -1;
      el_set(line, EL_REFRESH);  // the window changed, or the program was stopped meanwhile
      continue;
    }
    char byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return static_cast<int>(got);
    const std::size_t length = std::mbrtowc(character, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-2)) continue;  // more bytes of the character follow
    if (length == 1 && byte == '\t') {
      const std::string typed = completion(line);
      if (typed.empty()) continue;
      // The editor reads it like keys, and so draws what is new and no line twice.
      const std::size_t first = std::mbrtowc(character, typed.data(), typed.size(), &state);
      if (first == 0 || first > typed.size()) {
        state = {};
        continue;
      }
      if (first < typed.size()) el_push(line, typed.c_str() + first);
      return 1;
    }
    if (length != static_cast<std::size_t>(-1)) return 1;
    state = {};  // no character of this locale
  }
}

// libedit's handles, released together.
struct Editor {
  EditLine* line = nullptr;
  History* history = nullptr;
  std::string path;
  HistEvent event{};

  Editor(Context& context, Prompt* prompt) {
    line = el_init("anima", stdin, stdout, stderr);
    history = history_init();
    if (line == nullptr || history == nullptr) return;
    ::history(history, &event, H_SETSIZE, 2000);
    ::history(history, &event, H_SETUNIQUE, 1);
    path = history_file(context.files, "kip_history");
    if (!path.empty()) ::history(history, &event, H_LOAD, path.c_str());
    el_set(line, EL_CLIENTDATA, prompt);
    el_set(line, EL_PROMPT, prompt_of);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_HIST, ::history, history);
    el_set(line, EL_SIGNAL, 1);
    el_set(line, EL_GETCFN, read_character);
    el_source(line, nullptr);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  ~Editor() {
    if (history != nullptr) {
      if (!path.empty()) ::history(history, &event, H_SAVE, path.c_str());
      history_end(history);
    }
    if (line != nullptr) el_end(line);
  }
  void remember(const std::string& text) {
    std::string flat = text;
    // On one line a comment would swallow what follows it.
    if (const auto script = kip::parse(text); script && text.find("//") != std::string::npos)
      flat = kip::format(*script);
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    ::history(history, &event, H_ENTER, flat.c_str());
  }
};

// Lines that came with one that is wrong already: the rest of what was pasted.
void drop_pasted(EditLine* editor) {
  constexpr int kPauseMilliseconds = 30;  // a terminal hands a paste over in pieces
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!interrupted() && poll(&input, 1, kPauseMilliseconds) > 0) {
    int count = 0;
    if (el_gets(editor, &count) == nullptr || count <= 0) return;
  }
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
  Prompt prompt;
  prompt.engine = &engine;
  Editor editor(context, &prompt);
  if (editor.line == nullptr || editor.history == nullptr) {
    return context.fail({ErrorCode::kIo,
                         "the terminal cannot be edited on",
                         {},
                         "pipe the commands into `anima kip`"});
  }
  context.note(
      "an empty line or ';' ends a command; Tab completes, \\? helps, \\d shows what there is, "
      "Ctrl-C stops, Ctrl-D leaves");
  std::string text;
  for (;;) {
    prompt.text = text.empty() ? "kip> " : " ... ";
    int count = 0;
    const char* line = el_gets(editor.line, &count);
    if (take_interrupt()) {
      context.print("\n");
      context.out.flush();
      text.clear();
      continue;
    }
    if (line == nullptr || count <= 0 || interrupted()) break;
    std::string_view read(line, static_cast<std::size_t>(count));
    while (!read.empty() && (read.back() == '\n' || read.back() == '\r')) read.remove_suffix(1);
    if (text.empty() && (read == "exit" || read == "quit" || read == "\\q")) break;
    const bool blank = read.find_first_not_of(" \t") == std::string_view::npos;
    if (text.empty() && blank) continue;
    if (text.empty() && read.front() == '\\') {
      editor.remember(std::string(read));
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
    if (hopeless && !ends) drop_pasted(editor.line);
    editor.remember(text);
    shell.execute(text);
    take_interrupt();
    context.out.flush();
    text.clear();
  }
  context.print("\n");
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace anima::cli
