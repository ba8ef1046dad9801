// Where the program writes: a standard stream.
// Thread-safety: a stream belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string_view>

namespace anima::cli {

class Stream {
 public:
  virtual ~Stream() = default;
  // A terminal gets nothing that it would obey, but for colours of ours (base/text/shown_text.h):
  // what is shown was often written by somebody else.
  virtual void write(std::string_view text) = 0;
  // As it is: for what draws on a terminal.
  virtual void draw(std::string_view text) { write(text); }
  virtual void flush() {}
  virtual bool is_terminal() const { return false; }
  // The size of the terminal now, in characters; 0 when there is none, or it does not say.
  virtual std::size_t columns() const { return 0; }
  virtual std::size_t lines() const { return 0; }
  // The errno of the first write that failed, or 0.
  virtual int failure() const { return 0; }
};

class FileStream final : public Stream {
 public:
  explicit FileStream(std::FILE* file);  // not owned
  void write(std::string_view text) override;
  void draw(std::string_view text) override;
  void flush() override;
  bool is_terminal() const override { return terminal_; }
  std::size_t columns() const override;
  std::size_t lines() const override;
  int failure() const override { return failure_; }

 private:
  std::FILE* file_;
  bool terminal_;
  int failure_ = 0;
};

}  // namespace anima::cli
