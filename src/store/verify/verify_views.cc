#include "store/verify/verify_views.h"

#include <algorithm>
#include <map>
#include <memory>

#include "store/base/base_file.h"
#include "store/base/base_seals.h"
#include "store/checkpoint/base_compare.h"
#include "store/keys/folder_keys.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/log/sealed.h"
#include "store/space/views.h"
#include "store/state/state.h"

namespace anima::store {
namespace {

using detail::Base;
using detail::BaseSeals;
using detail::to_number;

class Verification {
 public:
  Verification(const std::string& folder, FileSystem& files, const AuditProgress& progress)
      : folder_(folder),
        files_(files),
        progress_(progress),
        keys_(files, join_path(folder, "keys")) {}

  Result<ViewsReport> run() {
    bases_ = detail::base_files(files_, folder_);
    std::reverse(bases_.begin(), bases_.end());
    ANIMA_ASSIGN(const std::unique_ptr<Log> log, open_log(folder_));
    // What was erased later is not there from the first entry on.
    ANIMA_TRY(log->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
      return detail::visit_erasures(entry, [&](const std::string& seal) {
        keys_.mark_destroyed(seal, to_number(entry.sequence));
      });
    }));
    ANIMA_ASSIGN(views_, detail::Views::open({}));
    ANIMA_TRY(log->read(Sequence{1}, [&](const LogEntry& entry) { return replay(entry); }));
    if (next_ != bases_.size()) {
      return fail(ErrorCode::kCorrupt, "the base is newer than the log",
                  join_path(folder_, bases_[next_].name));
    }
    return std::move(report_);
  }

 private:
  static constexpr std::uint64_t kStep = 1024;

  Status replay(const LogEntry& entry) {
    if (next_ == bases_.size()) return {};
    if (detail::is_archived(entry)) {
      return fail(ErrorCode::kUnsupported,
                  "the payload lies in an archive, so the log alone does not say what a base holds",
                  detail::entry_place(entry.sequence),
                  "bring it back with `anima archive --restore FILE`");
    }
    ANIMA_TRY(apply(entry));
    ++report_.entries;
    if (progress_ && report_.entries % kStep == 0 && !progress_(report_.entries)) {
      return fail(ErrorCode::kCancelled, "stopped while the views were made again");
    }
    for (; next_ < bases_.size() && bases_[next_].sequence == to_number(entry.sequence); ++next_) {
      const detail::BaseFile& file = bases_[next_];
      const std::string path = join_path(folder_, file.name);
      if (Status good = compare(path, file, entry); !good) {
        Error error = std::move(good).error();
        if (error.where.empty()) error.where = path;
        return fail(std::move(error));
      }
    }
    return {};
  }

  Status apply(const LogEntry& entry) {
    if (entry.seal.empty()) return views_->apply(entry);
    sealed_[entry.seal] = to_number(entry.sequence);
    ANIMA_ASSIGN(detail::OpenedPayload opened, detail::open_payload(entry, keys_));
    if (opened.state != SealState::kOpen) return views_->apply_erased(entry, opened.bounds);
    LogEntry open = entry;
    open.payload = std::move(opened.operations);
    return views_->apply(open);
  }

  Status compare(const std::string& path, const detail::BaseFile& file, const LogEntry& entry) {
    ANIMA_ASSIGN(auto mapped, files_.map(path));
    const std::shared_ptr<const MappedFile> bytes(std::move(mapped));
    ANIMA_ASSIGN(const auto stored, Base::from_bytes(bytes->bytes(), bytes));
    ComparedBase compared{file.name, entry.sequence, stored->counts().concepts, stored->rows(), {}};
    BaseSeals seals;
    if (stored->version() < 2) {
      compared.unused = "it is of a version that does not say what was erased";
    } else {
      ANIMA_ASSIGN(seals, detail::decode_seals(stored->seals));
      ANIMA_TRY(check_seals(seals, *stored, compared));
    }
    report_.bases.push_back(compared);
    if (!compared.unused.empty()) return {};
    const Snapshot truth = views_->publish();
    ANIMA_TRY(views_->write_base(truth, Head{entry.sequence, entry.time, entry.hash}, seals));
    ANIMA_ASSIGN(const bool installed,
                 views_->install_base([](auto, const auto&) { return true; }));
    if (!installed) return fail(ErrorCode::kInternal, "the views cannot be made again");
    return detail::compare_bases(*views_->snapshot().state().base, *stored, truth);
  }

  // What a base says of keys is partly of the time when it was made; it must fit the log.
  Status check_seals(const BaseSeals& seals, const Base& stored, ComparedBase& compared) {
    const auto differs = [](const std::string& seal) {
      return fail(ErrorCode::kCorrupt,
                  "the base does not say what the log says: what is sealed under " + seal);
    };
    const std::uint64_t at = stored.counts().sequence;
    const auto destroyed = keys_.destroyed();
    for (const auto& [seal, said] : seals.destroyed) {
      const auto found = destroyed.find(seal);
      if (found == destroyed.end() || found->second != said) return differs(seal);
    }
    if (stored.marks().erasure != seals.erasure()) return differs("a destroyed key");
    for (const auto& [seal, said] : destroyed) {
      if (!seals.destroyed.contains(seal)) {
        if (said <= at) return differs(seal);
        compared.unused = "it does not know of the erasure in entry " + std::to_string(said);
      }
    }
    for (const auto& [seal, last] : sealed_) {
      const auto away = seals.away.find(seal);
      if (away != seals.away.end() && away->second.last != last) return differs(seal);
      const bool named =
          away != seals.away.end() || seals.opened.contains(seal) || seals.destroyed.contains(seal);
      if (!named) return differs(seal);
    }
    for (const auto& [seal, away] : seals.away) {
      if (!sealed_.contains(seal)) return differs(seal);
      if (keys_.find(seal).state == SealState::kOpen)
        compared.unused = "the key " + seal + " is back, and it lacks what that seals";
    }
    for (const std::string& seal : seals.opened) {
      if (!sealed_.contains(seal)) return differs(seal);
      if (keys_.find(seal).state == SealState::kSealed) {
        return fail(ErrorCode::kUnsupported,
                    "the key " + seal + " is not here, so the log does not say what the base holds",
                    {}, "bring it back into keys/");
      }
    }
    return {};
  }

  const std::string& folder_;
  FileSystem& files_;
  const AuditProgress& progress_;
  detail::FolderKeys keys_;
  std::unique_ptr<detail::Views> views_;
  std::vector<detail::BaseFile> bases_;          // ascending
  std::size_t next_ = 0;                         // the first that is not compared
  std::map<std::string, std::uint64_t> sealed_;  // by seal: the last entry under it
  ViewsReport report_;
};

}  // namespace

Result<ViewsReport> verify_views(const std::string& folder, FileSystem& files,
                                 const AuditProgress& progress) {
  return Verification(folder, files, progress).run();
}

}  // namespace anima::store
