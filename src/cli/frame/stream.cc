#include "cli/frame/stream.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/text/shown_text.h"

namespace anima::cli {

FileStream::FileStream(std::FILE* file) : file_(file), terminal_(isatty(fileno(file)) == 1) {}

void FileStream::write(std::string_view text) {
  if (terminal_) {
    draw(terminal_text(text));
  } else {
    draw(text);
  }
}

void FileStream::draw(std::string_view text) {
  if (failure_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failure_ = errno;
}

std::size_t FileStream::columns() const {
  winsize size{};
  return terminal_ && ioctl(fileno(file_), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t FileStream::lines() const {
  winsize size{};
  return terminal_ && ioctl(fileno(file_), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void FileStream::flush() {
  if (failure_ == 0 && std::fflush(file_) != 0) failure_ = errno;
}

}  // namespace anima::cli
