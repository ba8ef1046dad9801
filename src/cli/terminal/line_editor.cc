#include "cli/terminal/line_editor.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cwchar>
#include <utility>

#include "cli/frame/interrupt.h"
#include "cli/terminal/line_reader.h"

namespace anima::cli {
namespace {

struct Typing {
  const char* prompt = "";
  LineEditor::Complete complete;
};

char* prompt_of(EditLine* line) {
  void* data = nullptr;
  el_get(line, EL_CLIENTDATA, &data);
  return const_cast<char*>(static_cast<Typing*>(data)->prompt);
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
  const LineEditor::Completions found = static_cast<Typing*>(data)->complete(before);
  const std::vector<std::string>& words = found.words;
  if (words.empty()) {
    el_beep(line);
    return {};
  }
  const std::string start = common_start(words);
  if (start.size() > found.typed.size()) {
    return start.substr(found.typed.size());
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

  Editor(Context& context, std::string_view history_name, Typing* typing) {
    line = el_init("anima", stdin, stdout, stderr);
    history = history_init();
    if (line == nullptr || history == nullptr) return;
    ::history(history, &event, H_SETSIZE, 2000);
    ::history(history, &event, H_SETUNIQUE, 1);
    path = history_file(context.files, history_name);
    if (!path.empty()) ::history(history, &event, H_LOAD, path.c_str());
    el_set(line, EL_CLIENTDATA, typing);
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
};

}  // namespace

struct LineEditor::State {
  State(Context& context, std::string_view history, Complete complete)
      : typing{"", std::move(complete)}, editor(context, history, &typing) {}
  Typing typing;
  Editor editor;
};

LineEditor::LineEditor(Context& context, std::string_view history, Complete complete)
    : state_(std::make_unique<State>(context, history, std::move(complete))) {}
LineEditor::~LineEditor() = default;

bool LineEditor::works() const {
  return state_->editor.line != nullptr && state_->editor.history != nullptr;
}

LineEditor::Read LineEditor::next(const char* prompt, std::string& line) {
  state_->typing.prompt = prompt;
  int count = 0;
  const char* read = el_gets(state_->editor.line, &count);
  if (take_interrupt()) return Read::kInterrupted;
  if (read == nullptr || count <= 0 || interrupted()) return Read::kEnd;
  line.assign(read, static_cast<std::size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Read::kLine;
}

void LineEditor::remember(const std::string& text) {
  std::string flat = text;
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  Editor& editor = state_->editor;
  ::history(editor.history, &editor.event, H_ENTER, flat.c_str());
}

void LineEditor::drop_pasted() {
  constexpr int kPauseMilliseconds = 30;  // a terminal hands a paste over in pieces
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!interrupted() && poll(&input, 1, kPauseMilliseconds) > 0) {
    int count = 0;
    if (el_gets(state_->editor.line, &count) == nullptr || count <= 0) return;
  }
}

}  // namespace anima::cli
