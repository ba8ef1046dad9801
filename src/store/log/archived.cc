#include "store/log/archived.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/json/json.h"
#include "store/log/entry_codec.h"

namespace anima::store::detail {
std::string encode_archived(const LogEntry& entry) {
  ByteWriter writer;
  writer.raw(view_of(entry.hash));
  writer.raw(view_of(entry.previous));
  writer.u8(kArchivedLayout);
  writer.u64(to_number(entry.sequence));
  writer.u64(static_cast<std::uint64_t>(entry.time.microseconds));
  writer.u8(static_cast<std::uint8_t>(entry.origin.trust));
  writer.varint(to_number(entry.origin.cause));
  writer.string(entry.origin.author);
  writer.string(entry.origin.source);
  return writer.take();
}

Unexpected<Error> archived_error(Sequence sequence) {
  return fail(ErrorCode::kNotFound, "its payload lies in an archive", entry_place(sequence),
              "bring it back with `anima archive --restore FILE`");
}

void Remains::add(const LogEntry& entry) {
  list_.push_back({entry.sequence, sha256(encode_archived(entry)), false});
}

std::string Remains::digest_of(const One* begin, const One* end) {
  Sha256 digest;
  for (const One* one = begin; one != end; ++one) digest.update(view_of(one->digest));
  return to_hex(digest.finish());
}

std::string Remains::record() const {
  return Json::object({{"archive", 1},
                       {"first", to_number(list_.front().sequence)},
                       {"last", to_number(list_.back().sequence)},
                       {"entries", list_.size()},
                       {"digest", digest_of(list_.data(), list_.data() + list_.size())}})
      .dump();
}

void Remains::see_record(std::string_view json) {
  const Result<Json> record = parse_json(json);
  if (!record) return;
  const Json* first = record->find("first");
  const Json* last = record->find("last");
  const Json* digest = record->find("digest");
  if (record->find("archive") == nullptr || first == nullptr || !first->is_integer() ||
      last == nullptr || !last->is_integer() || digest == nullptr || !digest->is_string()) {
    return;
  }
  const auto place = [&](std::int64_t sequence) {
    return std::lower_bound(list_.begin(), list_.end(), sequence,
                            [](const One& one, std::int64_t wanted) {
                              return static_cast<std::int64_t>(one.sequence) < wanted;
                            });
  };
  const auto begin = place(first->as_integer());
  const auto end = place(last->as_integer() + 1);
  if (begin >= end) return;
  if (digest_of(&*begin, &*begin + (end - begin)) != digest->as_string()) return;
  for (auto at = begin; at != end; ++at) at->answered = true;
}

Status Remains::check() const {
  for (const One& one : list_) {
    if (one.answered) continue;
    return fail(ErrorCode::kCorrupt,
                "what is left of it is not what the record of its archive answers for",
                entry_place(one.sequence));
  }
  return {};
}

}  // namespace anima::store::detail
