// Operations: what a log entry did, with explicit ids, so that replaying it gives the same ids
// everywhere.
//
// Format 1 (on disk, never change): a sequence of operations, each a byte for its kind and its
// fields. A code is written with its tag in the low bits; subjects as the difference to the one
// before. The decoder takes any bytes: it fails with kCorrupt, allocates nothing that the input
// does not hold, and hands out views into the payload. docs/formats_views.md has them.
// Thread-safety: an encoder belongs to one thread; decoding is pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "store/ids.h"
#include "store/log.h"
#include "store/transaction.h"

namespace anima::store::detail {

inline constexpr std::uint32_t kOperationsFormat = 1;

// On disk, never renumber.
enum class OperationKind : std::uint8_t {
  kTerm = 1,       // id = place, text = stored value
  kGraph = 2,      // id, text = name
  kConcept = 3,    // id, type, triple.object = name
  kQuote = 4,      // id = proposition, triple
  kAssert = 5,     // triple, id = proposition or 0, graph, confidence, provenance, said
  kRetract = 6,    // triple, graph
  kDropGraph = 7,  // graph
  kRecord = 8,     // id = RecordKind, text = payload
  kBulk = 9,  // id = first proposition, graph, confidence, provenance, text = rows (bulk_rows.h)
  kAttachment = 10,  // text = SHA-256 of what is attached to the entry (attachment.h)
  kTaken = 11,  // id = bound of entities, graph = bound of terms: the numbers below were given, and
                // what those that nothing defines stood for was forgotten (redacted.h)
  kAct = 12,    // provenance = the first entry of its act, or 0; text = what is done, in the first;
                // id = mark of an act that is to be whole (act.h), or 0
};

struct Operation {
  OperationKind kind = OperationKind::kRecord;
  std::uint32_t id = 0;
  EntityId type = EntityId::kNone;
  Triple triple = {};
  std::uint32_t graph = 0;
  double confidence = 1.0;
  std::uint64_t provenance = 0;
  std::uint32_t said = 0;  // the entry whose word an assertion stays; 0: of the one that holds it
  std::string_view text = {};
};

class OperationWriter {
 public:
  void write(const Operation& operation);
  bool empty() const { return bytes_.size() == 0; }
  std::size_t size() const { return bytes_.size(); }
  std::string take();
  std::string_view bytes() const { return bytes_.bytes(); }
  void clear();

 private:
  void code(std::uint32_t code);
  void triple(const Triple& triple);

  ByteWriter bytes_;
  std::uint32_t last_subject_ = 0;
  std::uint32_t last_id_ = 0;
};

Status read_operations(std::string_view payload,
                       const std::function<Status(const Operation&)>& visit);

// The entry's place in the log, for errors.
std::string place_of(const LogEntry& entry);
// Errors: kVersionMismatch when the entry's operations have a format that this program does not
// know.
Status check_format(const LogEntry& entry);
Unexpected<Error> with_place(Error error, const LogEntry& entry);

// Calls `visit` for each record among the operations.
Status visit_encoded_records(std::string_view operations,
                             const std::function<Status(RecordKind, std::string_view)>& visit);
// Calls `visit` for each record of the entry's payload; an archived entry held none.
Status visit_entry_records(const LogEntry& entry,
                           const std::function<Status(RecordKind, std::string_view)>& visit);

}  // namespace anima::store::detail
