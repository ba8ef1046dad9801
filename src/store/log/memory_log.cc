#include "store/log/memory_log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

class MemoryLog final : public Log {
 public:
  Result<Head> head() override {
    const std::lock_guard guard(mutex_);
    return head_;
  }

  std::optional<Sequence> known_head() override {
    return Sequence{known_.load(std::memory_order_acquire)};
  }

  Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) override {
    for (std::uint64_t next = std::max<std::uint64_t>(to_number(first), 1);; ++next) {
      const Result<LogEntry> found = entry(Sequence{next});
      if (!found) return {};
      ANIMA_TRY(visit(*found));
    }
  }

  Result<LogEntry> entry(Sequence sequence) override {
    const std::lock_guard guard(mutex_);
    const std::uint64_t number = to_number(sequence);
    if (number == 0 || number > entries_.size()) {
      return fail(ErrorCode::kNotFound, "there is no such entry", entry_place(sequence));
    }
    return entries_[number - 1];
  }

  Result<std::string> attachment(Sequence sequence) override {
    const std::lock_guard guard(mutex_);
    const auto found = attachments_.find(to_number(sequence));
    return found == attachments_.end() ? std::string() : found->second;
  }

  Result<std::uint64_t> stored_bytes() override {
    const std::lock_guard guard(mutex_);
    return bytes_;
  }

  Result<std::unique_ptr<Turn>> take_turn() override { return std::make_unique<MemoryTurn>(*this); }

  Result<bool> follow(Sequence after, std::int64_t timeout_milliseconds) override {
    std::unique_lock guard(mutex_);
    return moved_.wait_for(guard, std::chrono::milliseconds(timeout_milliseconds),
                           [&] { return head_.sequence > after; });
  }

 private:
  class MemoryTurn final : public Turn, public RedactingTurn {
   public:
    explicit MemoryTurn(MemoryLog& log) : log_(log), guard_(log.turn_), head_(*log.head()) {}
    Head head() const override { return head_; }

    Result<Head> append(LogEntry entry, Timestamp now) override {
      entry.sequence = Sequence{to_number(head_.sequence) + 1};
      entry.time = std::max(now, head_.time);
      entry.previous = head_.hash;
      encode_entry(entry, UINT64_MAX, row_);
      bytes_ += row_.size();
      head_ = Head{entry.sequence, entry.time, entry.hash};
      staged_.push_back(std::move(entry));
      return head_;
    }

    Result<std::uint64_t> drop_attachment(Sequence sequence) override {
      ANIMA_ASSIGN(const std::string attached, log_.attachment(sequence));
      if (!attached.empty()) dropped_.push_back(to_number(sequence));
      return attached.size();
    }

    Status redact(const LogEntry& entry) override {
      redacted_.push_back(entry);
      return {};
    }
    Status mark_compacted() override { return {}; }

    Status commit() override {
      {
        const std::lock_guard guard(log_.mutex_);
        for (LogEntry& entry : staged_) {
          if (!entry.attachment.empty()) {
            bytes_ += entry.attachment.size();
            log_.attachments_[to_number(entry.sequence)] = std::move(entry.attachment);
          }
          entry.attachment.clear();
          log_.entries_.push_back(std::move(entry));
        }
        staged_.clear();
        for (const std::uint64_t sequence : dropped_) {
          const auto found = log_.attachments_.find(sequence);
          if (found == log_.attachments_.end()) continue;
          log_.bytes_ -= found->second.size();
          log_.attachments_.erase(found);
        }
        dropped_.clear();
        for (LogEntry& entry : redacted_) {
          if (!detail::has_attachment(entry)) log_.attachments_.erase(to_number(entry.sequence));
          log_.entries_[to_number(entry.sequence) - 1] = std::move(entry);
        }
        redacted_.clear();
        log_.bytes_ += bytes_;
        log_.head_ = head_;
        log_.known_.store(to_number(head_.sequence), std::memory_order_release);
      }
      log_.moved_.notify_all();
      return {};
    }

   private:
    MemoryLog& log_;
    std::unique_lock<std::mutex> guard_;
    Head head_;
    std::vector<LogEntry> staged_;
    std::vector<std::uint64_t> dropped_;
    std::vector<LogEntry> redacted_;
    std::string row_;
    std::uint64_t bytes_ = 0;
  };

  std::mutex turn_;   // held by the writer
  std::mutex mutex_;  // guards what follows
  std::condition_variable moved_;
  std::deque<LogEntry> entries_;
  std::map<std::uint64_t, std::string> attachments_;  // by sequence
  Head head_;
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t> known_{0};
};

}  // namespace

std::unique_ptr<Log> make_memory_log() { return std::make_unique<MemoryLog>(); }

}  // namespace anima::store::detail
