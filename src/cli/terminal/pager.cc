#include "cli/terminal/pager.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/text/shown_text.h"

namespace anima::cli {
namespace {

std::string pager_command(const Context& context) {
  const auto named = context.environment.find("PAGER");
  if (named == context.environment.end()) return "less";
  return named->second == "cat" ? std::string() : named->second;
}

// A signal's action, back as it was at the end.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int number) : number_(number) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(number_, &ignore, &before_);
  }
  ~IgnoredSignal() { sigaction(number_, &before_, nullptr); }
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

 private:
  int number_;
  struct sigaction before_ {};
};

// False when nothing of it was shown.
bool show_in(const std::string& pager, const std::string& text) {
  // Quits by itself when all fits, keeps colours, leaves the screen as it was.
  setenv("LESS", "FRX", 0);
  const IgnoredSignal no_reader(SIGPIPE);
  const IgnoredSignal interrupt(SIGINT);  // it belongs to the pager now
  // The shell ends at once with 127 when there is no such program; `cat` takes its place.
  std::FILE* const pipe = popen(("{ " + pager + "\n} || [ $? -ne 127 ]").c_str(), "we");
  if (pipe == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  return pclose(pipe) == 0;
}

}  // namespace

void page(Context& context, const std::string& text) {
  const std::size_t lines = context.out.lines();
  const auto needed = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (lines == 0 || needed < lines || isatty(STDIN_FILENO) == 0) return context.print(text);
  const std::string pager = pager_command(context);
  context.out.flush();
  if (pager.empty() || !show_in(pager, terminal_text(text))) context.print(text);
}

}  // namespace anima::cli
