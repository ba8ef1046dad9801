#include "store/log/salvaged_log.h"

#include "store/log/entry_codec.h"

namespace anima::store::detail {
namespace {

class SalvagedLog final : public Log {
 public:
  SalvagedLog(std::unique_ptr<Log> damaged, Head last)
      : damaged_(std::move(damaged)), last_(last) {}

  Result<Head> head() override { return last_; }
  std::optional<Sequence> known_head() override { return last_.sequence; }

  Status read(Sequence first, const std::function<Status(const LogEntry&)>& visit) override {
    bool over = first > last_.sequence;
    if (over) return {};
    const Status read = damaged_->read(first, [&](const LogEntry& entry) -> Status {
      ANIMA_TRY(visit(entry));
      over = entry.sequence == last_.sequence;
      return over ? fail(ErrorCode::kCancelled, "read far enough") : Status();
    });
    return over ? Status() : read;
  }

  Result<LogEntry> entry(Sequence sequence) override {
    if (sequence > last_.sequence) {
      return fail(ErrorCode::kNotFound, "it does not come before the damage",
                  entry_place(sequence));
    }
    return damaged_->entry(sequence);
  }

  Result<std::string> attachment(Sequence sequence) override {
    if (sequence > last_.sequence) return std::string();
    return damaged_->attachment(sequence);
  }
  Result<std::uint64_t> stored_bytes() override { return damaged_->stored_bytes(); }
  Result<std::unique_ptr<Turn>> take_turn() override {
    return fail(ErrorCode::kDenied, "what was salvaged of a log is for reading");
  }
  Result<bool> follow(Sequence after, std::int64_t) override { return last_.sequence > after; }
  StoredRows* rows() override { return damaged_->rows(); }

 private:
  const std::unique_ptr<Log> damaged_;
  const Head last_;
};

}  // namespace

Result<Salvaged> salvage_log(std::unique_ptr<Log> damaged) {
  Head last;
  const Status read = damaged->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    last = {entry.sequence, entry.time, entry.hash};
    return {};
  });
  if (!read && read.error().code != ErrorCode::kCorrupt) return fail(read.error());
  Salvaged salvaged;
  if (!read) salvaged.damage = read.error();
  salvaged.log = std::make_unique<SalvagedLog>(std::move(damaged), last);
  return salvaged;
}

}  // namespace anima::store::detail
