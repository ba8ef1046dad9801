// Where a log holds the records that governance looks for, as bytes: a function of the log alone,
// so that whoever reads the same entries makes the same stream, and a hash of it in the log vouches
// for a copy of it outside. Written entry by entry, read from its beginning.
// On disk, never renumber: docs/formats.md. Thread-safety: a plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"

namespace anima::govern::detail {

// The low three bits of an element.
enum class StreamKind : std::uint8_t {
  kAudit = 0,
  kApproval,
  kCouncil,
  kLine,
  kMessage,
  kAnchor,
  kCall,
  kPlan,
};
inline constexpr std::size_t kStreamKinds = 8;

// The first four characters of an id, as two bytes: ids are hexadecimal.
std::uint16_t id_head(std::string_view id);

class RecordStream {
 public:
  struct Element {
    StreamKind kind = StreamKind::kAudit;
    std::uint16_t id_head = 0;  // of an audit record
    store::Sequence sequence = store::Sequence::kNone;
  };

  // Requires that no earlier element has a later sequence.
  void add(const Element& element);
  const std::string& bytes() const { return bytes_; }

  // A stream that was written before; `visit` is told of each element but audits. Errors: kCorrupt.
  static Result<RecordStream> read(std::string bytes,
                                   const std::function<void(const Element&)>& visit);
  // The entries of audit records whose id may begin with `prefix`, oldest first, until `visit` says
  // false. O(elements), a nanosecond or two each.
  Status find_audits(std::string_view prefix,
                     const std::function<Result<bool>(store::Sequence)>& visit) const;

 private:
  std::string bytes_;
  std::uint64_t last_ = 0;  // sequence of the last element
};

}  // namespace anima::govern::detail
