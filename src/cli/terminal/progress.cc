#include "cli/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima::cli {
namespace {

constexpr std::int64_t kRedrawNs = 100'000'000;    // a bar
constexpr std::int64_t kReportNs = 2'000'000'000;  // a line
constexpr std::uint64_t kCallsBetweenLooks = 1024;
constexpr int kBarColumns = 24;

}  // namespace

Progress::Progress(Context& context, std::string_view label, std::string_view unit,
                   std::uint64_t total)
    : context_(context), label_(label), unit_(unit), total_(total) {
  start_ns_ = drawn_ns_ = clock_.monotonic_nanoseconds();
  mode_ = context.progress;
  // Without a terminal nobody watches: only what was asked for is written.
  if (mode_ == ProgressMode::kAuto && !context.err.is_terminal()) mode_ = ProgressMode::kNone;
}

Progress::~Progress() {
  if (on_screen_) context_.err.draw("\r\x1b[K");
  context_.err.flush();
}

void Progress::update(std::uint64_t done) {
  done_ = done;
  if (mode_ == ProgressMode::kNone || done < looked_at_ + kCallsBetweenLooks) {
    if (mode_ == ProgressMode::kNone || total_ > kCallsBetweenLooks || total_ == 0) return;
  }
  looked_at_ = done;
  const std::int64_t now = clock_.monotonic_nanoseconds();
  const std::int64_t pause = mode_ == ProgressMode::kAuto ? kRedrawNs : kReportNs;
  if (now - drawn_ns_ < pause) return;
  drawn_ns_ = now;
  draw(false);
}

void Progress::finish() {
  if (mode_ != ProgressMode::kNone) draw(true);
  on_screen_ = false;
  mode_ = ProgressMode::kNone;
}

void Progress::draw(bool last) {
  context_.err.draw(line(last));
  context_.err.flush();
  on_screen_ = mode_ == ProgressMode::kAuto && !last;
}

std::string Progress::line(bool last) {
  const double seconds = static_cast<double>(clock_.monotonic_nanoseconds() - start_ns_) * 1e-9;
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  if (mode_ == ProgressMode::kJson) {
    Json json = Json::object({{"progress", label_}, {"done", done_}, {"unit", unit_}});
    if (total_ > 0) json.set("total", total_);
    json.set("seconds", seconds);
    json.set("finished", last);
    return json.dump() + '\n';
  }
  std::string text = fmt::format("{}: {}", label_, done_);
  if (total_ > 0) text += fmt::format("/{}", total_);
  text += fmt::format(" {}, {:.0f}/s, {:.1f} s", unit_, rate, seconds);
  if (mode_ == ProgressMode::kPlain) return text + '\n';
  std::string bar;
  if (total_ > 0) {
    const double part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const int full = static_cast<int>(part * kBarColumns);
    bar = fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(full), '#'),
                      std::string(static_cast<std::size_t>(kBarColumns - full), '.'));
  }
  return fmt::format("\r\x1b[K{}{}{}", bar, text, last ? "\n" : "");
}

}  // namespace anima::cli
