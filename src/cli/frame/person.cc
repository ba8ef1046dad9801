#include "cli/frame/person.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cli/frame/interrupt.h"

namespace anima::cli {
namespace {

constexpr int kPatienceMs = 1000;  // with an input that is no terminal
constexpr std::size_t kMaxLine = std::size_t{1} << 16;

bool comes_soon() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, kPatienceMs) > 0;
}

}  // namespace

std::optional<std::string> Person::ask(const std::string& question) {
  if (gone_) return std::nullopt;
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  if (terminal) context_.note(question);
  std::array<char, 4096> chunk;
  std::size_t end = pending_.find('\n');
  while (end == std::string::npos && pending_.size() < kMaxLine) {
    const bool ready = terminal ? wait_for_input() : comes_soon();
    const ssize_t got = ready ? ::read(STDIN_FILENO, chunk.data(), chunk.size()) : 0;
    if (got <= 0) {
      gone_ = !interrupted();
      if (pending_.empty()) return std::nullopt;
      break;
    }
    pending_.append(chunk.data(), static_cast<std::size_t>(got));
    end = pending_.find('\n');
  }
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end == std::string::npos ? end : end + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

tools::AskPerson Person::asker() {
  return [this](const std::string& question) { return ask(question); };
}

}  // namespace anima::cli
