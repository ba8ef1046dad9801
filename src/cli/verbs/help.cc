// anima help: what the program and each verb can do, on the terminal or as manual pages.
#include <fmt/format.h>

#include "base/files/output_file.h"
#include "base/text/text.h"
#include "cli/frame/front_page.h"
#include "cli/frame/options.h"
#include "cli/frame/program.h"
#include "cli/render/man_page.h"

namespace anima::cli {
namespace {

class TextStream final : public Stream {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string help_of(Context& context, const Verb& verb) {
  TextStream out, err;
  Context own(out, err, context.files, context.environment);
  std::vector<std::string> words;
  for (const std::string_view word : split(verb.name, ' ')) words.emplace_back(word);
  words.emplace_back("--help");
  run_program(own, words);
  return out.text();
}

int write_man_pages(Context& context, const std::string& folder) {
  const auto put = [&](const std::string& file, const std::string& text) -> Status {
    constexpr std::uint32_t kForEverybody = 0644;
    ANIMA_ASSIGN(const auto page,
                 OutputFile::open(context.files, join_path(folder, file), kForEverybody));
    ANIMA_TRY(page->append(text));
    return page->commit();
  };
  std::size_t count = 1;
  const auto write = [&]() -> Status {
    ANIMA_TRY(context.files.make_directories(folder));
    ANIMA_TRY(put(man_page_file({}), man_page_of_program(overview(context))));
    for (const Verb* verb : all_verbs()) {
      if (verb->hidden) continue;
      ANIMA_TRY(put(man_page_file(verb->name), man_page(*verb, help_of(context, *verb))));
      ++count;
    }
    return {};
  };
  if (const Status done = write(); !done) return context.fail(done.error());
  context.note(fmt::format("{} manual pages are in {}", count, folder));
  return kDone;
}

int run_help(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  std::string man;
  Options options;
  options.without_config();
  bool all = false;
  options.positional("VERB", words, "the verb to explain; none for those that most people need");
  options.flag("--all", all, "list every verb");
  options.value("--man DIR", man, "write a manual page for each verb to the folder").output();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!man.empty()) return write_man_pages(context, man);
  if (words.empty()) {
    context.print(all ? overview(context) : front_page(context));
    return kDone;
  }
  words.emplace_back("--help");
  return run_program(context, words);
}

}  // namespace

extern const Verb kHelp;
const Verb kHelp{"help",
                 Group::kHelp,
                 "what the program can do",
                 "[VERB] [--all] [--man DIR]",
                 "anima help config show",
                 run_help};

}  // namespace anima::cli
