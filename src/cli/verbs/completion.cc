#include "cli/frame/options.h"
#include "cli/frame/program.h"

namespace anima::cli {
namespace {

constexpr std::string_view kBash = R"(# bash completion of anima; put this in ~/.bashrc:
#   source <(anima completion bash)
_anima() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ ${#COMPREPLY[@]} -eq 0 ]; then compopt -o default; fi
}
complete -F _anima anima
)";

constexpr std::string_view kZsh = R"(#compdef anima
# zsh completion of anima; put this in ~/.zshrc:
#   source <(anima completion zsh)
_anima() {
  local -a found
  local word text
  while IFS=$'\t' read -r word text; do
    found+=("${word//:/\\:}:$text")
  done < <("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then _describe 'anima' found; else _files; fi
}
# From a folder of fpath this file is the function itself, called for the first time.
if [[ ${funcstack[1]} = _anima ]]; then _anima "$@"; else compdef _anima anima; fi
)";

constexpr std::string_view kFish =
    R"(# fish completion of anima; put this in ~/.config/fish/config.fish:
#   anima completion fish | source
function __anima_words
  set -l words (commandline -opc) (commandline -ct)
  anima completion words -- $words[2..-1] 2>/dev/null
end
complete -c anima -a '(__anima_words)'
)";

int run_script(Context& context, Arguments arguments) {
  std::string shell;
  Options options;
  options.without_config();
  options.positional("SHELL", shell, "whose script to print")
      .required()
      .choices({"bash", "zsh", "fish"});
  if (const auto exit = options.parse(context, arguments)) return *exit;
  context.print(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
  return kDone;
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

struct Candidate {
  std::string word;
  std::string help;
};

std::vector<Candidate> verb_candidates(const std::string& before, const std::string& current) {
  std::vector<Candidate> found;
  for (const Verb* verb : all_verbs()) {
    const std::string name(verb->name);
    if (verb->hidden || !starts_with(name, before + current)) continue;
    const std::string rest = name.substr(before.size());
    const std::string word = rest.substr(0, rest.find(' '));
    if (found.empty() || found.back().word != word) {
      found.push_back({word, word == rest ? std::string(verb->summary) : "..."});
    }
  }
  return found;
}

std::vector<Candidate> option_candidates(Context& context, const Verb& verb,
                                         const std::string& previous, const std::string& current) {
  std::vector<OptionInfo> infos;
  Context asked(context.out, context.err, context.files, context.environment);
  asked.describe = &infos;
  asked.verb = &verb;
  verb.run(asked, {});
  std::vector<Candidate> found;
  for (const OptionInfo& info : infos) {
    if (info.name == previous && !info.value_name.empty()) {
      for (const std::string& choice : info.choices) {
        if (starts_with(choice, current)) found.push_back({choice, info.help});
      }
      return found;  // empty: the shell offers files
    }
  }
  for (const OptionInfo& info : infos) {
    const bool positional = info.name[0] != '-';
    for (const std::string& choice : info.choices) {
      if (positional && starts_with(choice, current)) found.push_back({choice, info.help});
    }
    if (!positional && !current.empty() && current[0] == '-' && starts_with(info.name, current)) {
      found.push_back({info.name, info.help});
    }
  }
  return found;
}

// What the scripts ask: the candidates for the last of the words, one a line, with a tab before the
// explanation.
int run_words(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  options.without_config();
  options.positional("WORD", words, "the words typed so far; the last one is being typed");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const std::string current = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  std::vector<std::string> rest;
  const Verb* verb = find_verb(words, rest);
  std::vector<Candidate> found;
  if (verb != nullptr) {
    found = option_candidates(context, *verb, words.empty() ? "" : words.back(), current);
  } else {
    std::string before;
    for (const std::string& word : words) before += word + ' ';
    found = verb_candidates(before, current);
  }
  for (const Candidate& candidate : found)
    context.print(candidate.word + '\t' + candidate.help + '\n');
  return kDone;
}

}  // namespace

extern const Verb kCompletion;
const Verb kCompletion{"completion",
                       Group::kHelp,
                       "a script that completes command lines in your shell",
                       "bash|zsh|fish",
                       "source <(anima completion bash)",
                       run_script};

extern const Verb kCompletionWords;
const Verb kCompletionWords{"completion words",
                            Group::kHelp,
                            "what the completion scripts ask",
                            "-- WORD...",
                            "anima completion words -- conf",
                            run_words,
                            false,
                            true};

}  // namespace anima::cli
