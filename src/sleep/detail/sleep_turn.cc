#include "sleep/detail/sleep_turn.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/text/text.h"

namespace anima::sleep::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStep{20};
constexpr std::uint64_t kMostHolderBytes = 1024;

std::string holder_at(const std::string& path) {
  const auto text = read_file(system_files(), path, kMostHolderBytes);
  return text && !text->empty() ? visible_text(trim(*text)) : "another program";
}

}  // namespace

Result<std::unique_ptr<SleepTurn>> SleepTurn::take(const store::Space& space, std::string_view what,
                                                   Timestamp now, std::int64_t wait_milliseconds,
                                                   const std::atomic<bool>* stop) {
  if (space.folder().empty()) return std::unique_ptr<SleepTurn>();
  const std::string path = join_path(space.folder(), "sleep.lock");
  std::string holder = join_path(space.folder(), "sleep.holder");
  const auto end = steady_clock::now() + milliseconds(wait_milliseconds);
  while (true) {
    auto lock = system_files().lock(path, LockMode::kExclusive, false);
    if (lock) {
      const std::string text =
          fmt::format("process {}, since {}: {}\n", getpid(), format_timestamp(now), what);
      ANIMA_TRY(replace_file(system_files(), holder, text, 0600));
      return std::unique_ptr<SleepTurn>(new SleepTurn(std::move(holder), std::move(*lock)));
    }
    if (lock.error().code != ErrorCode::kBusy) return fail(lock.error());
    if (stop != nullptr && stop->load())
      return fail(ErrorCode::kCancelled, "stopped while another cycle of sleep runs");
    if (steady_clock::now() >= end) {
      return fail(ErrorCode::kBusy, "this memory sleeps already: " + holder_at(holder), path,
                  "try again when that cycle has ended");
    }
    std::this_thread::sleep_for(kStep);
  }
}

bool SleepTurn::is_taken(const store::Space& space) {
  if (space.folder().empty()) return false;
  const std::string path = join_path(space.folder(), "sleep.lock");
  if (!system_files().info(path)) return false;
  const auto lock = system_files().lock(path, LockMode::kShared, false);
  return !lock && lock.error().code == ErrorCode::kBusy;
}

SleepTurn::~SleepTurn() { (void)system_files().remove(holder_); }

}  // namespace anima::sleep::detail
