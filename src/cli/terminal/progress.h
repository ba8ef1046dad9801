// Progress on standard error while a verb works: a bar that redraws itself on a terminal, a line
// now and then elsewhere, JSON lines for programs, or nothing. Never mixed with results.
// Thread-safety: belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/frame/context.h"

namespace anima::cli {

class Progress {
 public:
  // `total` 0: unknown. `label` is what is being done, `unit` what is counted: ("import", "facts",
  // n).
  Progress(Context& context, std::string_view label, std::string_view unit,
           std::uint64_t total = 0);
  ~Progress();  // clears an unfinished bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: looks at the clock at most once in 1,024 calls or when `done` jumps, draws at most ten
  // times a second.
  void update(std::uint64_t done);
  void finish();

 private:
  void draw(bool last);
  std::string line(bool last);

  Context& context_;
  SystemClock clock_;
  std::string label_;
  std::string unit_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t looked_at_ = 0;
  std::int64_t start_ns_;
  std::int64_t drawn_ns_;
  ProgressMode mode_;
  bool on_screen_ = false;
};

}  // namespace anima::cli
