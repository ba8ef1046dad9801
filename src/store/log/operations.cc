#include "store/log/operations.h"

#include <cmath>

#include "store/log/archived.h"
#include "store/log/attachment.h"

namespace anima::store::detail {
namespace {

constexpr std::uint8_t kPlain = 0x80;  // beside kAssert: confidence 1, no provenance
constexpr std::uint8_t kSaid = 0x40;   // beside kAssert: the entry whose word it stays comes last

std::uint32_t rotate(std::uint32_t code) { return (code << 2) | (code >> kTagShift); }
std::uint32_t rotate_back(std::uint32_t code) { return (code >> 2) | (code << kTagShift); }

class OperationReader {
 public:
  explicit OperationReader(std::string_view payload) : bytes_(payload) {}
  bool at_end() const { return bytes_.at_end(); }
  Status read(Operation& operation);

 private:
  Result<std::uint32_t> number() {
    ANIMA_ASSIGN(const std::uint64_t value, bytes_.varint());
    if (value > 0xffffffffu)
      return fail(ErrorCode::kCorrupt, "an operation holds a number above 32 bits");
    return static_cast<std::uint32_t>(value);
  }
  Result<std::uint32_t> code() {
    ANIMA_ASSIGN(const std::uint32_t value, number());
    return rotate_back(value);
  }
  Status id(Operation& operation) {
    ANIMA_ASSIGN(const std::int64_t change, bytes_.signed_varint());
    if (change > 0xffffffffll || change < -0xffffffffll) {
      return fail(ErrorCode::kCorrupt, "an operation names an impossible id");
    }
    const std::int64_t id = std::int64_t{last_id_} + 1 + change;
    if (id < 0 || id > 0xffffffffll)
      return fail(ErrorCode::kCorrupt, "an operation names an impossible id");
    operation.id = last_id_ = static_cast<std::uint32_t>(id);
    return {};
  }
  Status triple(Triple& triple) {
    ANIMA_ASSIGN(const std::int64_t change, bytes_.signed_varint());
    if (change > 0xffffffffll || change < -0xffffffffll) {
      return fail(ErrorCode::kCorrupt, "an operation names an impossible subject");
    }
    const std::int64_t subject = std::int64_t{last_subject_} + change;
    if (subject < 0 || subject > kPayloadMask) {
      return fail(ErrorCode::kCorrupt, "an operation names an impossible subject");
    }
    last_subject_ = static_cast<std::uint32_t>(subject);
    triple.subject = static_cast<EntityId>(last_subject_);
    ANIMA_ASSIGN(triple.predicate.code, code());
    ANIMA_ASSIGN(triple.object.code, code());
    return {};
  }

  ByteReader bytes_;
  std::uint32_t last_subject_ = 0;
  std::uint32_t last_id_ = 0;
};

Status OperationReader::read(Operation& operation) {
  ANIMA_ASSIGN(const std::uint8_t kind, bytes_.u8());
  operation = {};
  operation.kind = static_cast<OperationKind>(kind & ~(kPlain | kSaid));
  if ((kind & (kPlain | kSaid)) != 0 && operation.kind != OperationKind::kAssert) {
    return fail(ErrorCode::kCorrupt, "an operation of unknown kind " + std::to_string(kind));
  }
  switch (operation.kind) {
    case OperationKind::kTerm:
    case OperationKind::kGraph: {
      ANIMA_TRY(id(operation));
      ANIMA_ASSIGN(operation.text, bytes_.string());
      return {};
    }
    case OperationKind::kConcept: {
      ANIMA_TRY(id(operation));
      ANIMA_ASSIGN(const std::uint32_t type, number());
      operation.type = static_cast<EntityId>(type);
      ANIMA_ASSIGN(operation.triple.object.code, code());
      return {};
    }
    case OperationKind::kQuote: {
      ANIMA_TRY(id(operation));
      return triple(operation.triple);
    }
    case OperationKind::kAssert: {
      ANIMA_TRY(triple(operation.triple));
      if (operation.triple.predicate.predicate_class() == PredicateClass::kLink)
        ANIMA_TRY(id(operation));
      ANIMA_ASSIGN(operation.graph, number());
      if ((kind & kPlain) == 0) {
        ANIMA_ASSIGN(operation.confidence, bytes_.f64());
        ANIMA_ASSIGN(operation.provenance, bytes_.varint());
        if (!(operation.confidence >= 0 && operation.confidence <= 1)) {
          return fail(ErrorCode::kCorrupt, "an operation holds a confidence outside 0 to 1");
        }
      }
      if ((kind & kSaid) == 0) return {};
      ANIMA_ASSIGN(operation.said, number());
      return {};
    }
    case OperationKind::kRetract: {
      ANIMA_TRY(triple(operation.triple));
      ANIMA_ASSIGN(operation.graph, number());
      return {};
    }
    case OperationKind::kDropGraph: {
      ANIMA_ASSIGN(operation.graph, number());
      return {};
    }
    case OperationKind::kBulk: {
      ANIMA_TRY(id(operation));
      ANIMA_ASSIGN(operation.graph, number());
      ANIMA_ASSIGN(operation.confidence, bytes_.f64());
      ANIMA_ASSIGN(operation.provenance, bytes_.varint());
      ANIMA_ASSIGN(operation.text, bytes_.string());
      if (!(operation.confidence >= 0 && operation.confidence <= 1)) {
        return fail(ErrorCode::kCorrupt, "an operation holds a confidence outside 0 to 1");
      }
      return {};
    }
    case OperationKind::kRecord: {
      ANIMA_ASSIGN(operation.id, number());
      ANIMA_ASSIGN(operation.text, bytes_.string());
      return {};
    }
    case OperationKind::kAttachment: {
      ANIMA_ASSIGN(operation.text, bytes_.string());
      return {};
    }
    case OperationKind::kTaken: {
      ANIMA_ASSIGN(operation.id, number());
      ANIMA_ASSIGN(operation.graph, number());
      return {};
    }
    case OperationKind::kAct: {
      ANIMA_ASSIGN(operation.provenance, bytes_.varint());
      ANIMA_ASSIGN(operation.id, number());
      ANIMA_ASSIGN(operation.text, bytes_.string());
      return {};
    }
  }
  return fail(ErrorCode::kCorrupt, "an operation of unknown kind " + std::to_string(kind));
}

}  // namespace

void OperationWriter::code(std::uint32_t code) { bytes_.varint(rotate(code)); }

void OperationWriter::triple(const Triple& triple) {
  const auto subject = static_cast<std::uint32_t>(triple.subject);
  bytes_.signed_varint(std::int64_t{subject} - last_subject_);
  last_subject_ = subject;
  code(triple.predicate.code);
  code(triple.object.code);
}

void OperationWriter::write(const Operation& operation) {
  const bool plain = operation.kind == OperationKind::kAssert && operation.confidence == 1.0 &&
                     operation.provenance == 0;
  const bool said = operation.kind == OperationKind::kAssert && operation.said != 0;
  bytes_.u8(static_cast<std::uint8_t>(static_cast<std::uint8_t>(operation.kind) |
                                      (plain ? kPlain : 0) | (said ? kSaid : 0)));
  const auto id = [&] {
    bytes_.signed_varint(std::int64_t{operation.id} - last_id_ - 1);
    last_id_ = operation.id;
  };
  switch (operation.kind) {
    case OperationKind::kTerm:
    case OperationKind::kGraph:
      id();
      bytes_.string(operation.text);
      return;
    case OperationKind::kConcept:
      id();
      bytes_.varint(static_cast<std::uint32_t>(operation.type));
      code(operation.triple.object.code);
      return;
    case OperationKind::kQuote:
      id();
      triple(operation.triple);
      return;
    case OperationKind::kAssert:
      triple(operation.triple);
      if (operation.triple.predicate.predicate_class() == PredicateClass::kLink) id();
      bytes_.varint(operation.graph);
      if (!plain) {
        bytes_.f64(operation.confidence);
        bytes_.varint(operation.provenance);
      }
      if (said) bytes_.varint(operation.said);
      return;
    case OperationKind::kRetract:
      triple(operation.triple);
      bytes_.varint(operation.graph);
      return;
    case OperationKind::kDropGraph:
      bytes_.varint(operation.graph);
      return;
    case OperationKind::kBulk:
      id();
      bytes_.varint(operation.graph);
      bytes_.f64(operation.confidence);
      bytes_.varint(operation.provenance);
      bytes_.string(operation.text);
      return;
    case OperationKind::kRecord:
      bytes_.varint(operation.id);
      bytes_.string(operation.text);
      return;
    case OperationKind::kAttachment:
      bytes_.string(operation.text);
      return;
    case OperationKind::kTaken:
      bytes_.varint(operation.id);
      bytes_.varint(operation.graph);
      return;
    case OperationKind::kAct:
      bytes_.varint(operation.provenance);
      bytes_.varint(operation.id);
      bytes_.string(operation.text);
      return;
  }
}

std::string OperationWriter::take() {
  std::string bytes = bytes_.take();
  clear();
  return bytes;
}

void OperationWriter::clear() {
  bytes_.clear();
  last_subject_ = last_id_ = 0;
}

Status read_operations(std::string_view payload,
                       const std::function<Status(const Operation&)>& visit) {
  OperationReader reader(payload);
  Operation operation;
  while (!reader.at_end()) {
    ANIMA_TRY(reader.read(operation));
    ANIMA_TRY(visit(operation));
  }
  return {};
}

std::string place_of(const LogEntry& entry) {
  return "entry " + std::to_string(static_cast<std::uint64_t>(entry.sequence));
}

Status check_format(const LogEntry& entry) {
  const std::uint32_t format = format_without_act(entry);
  if (format >= kOperationsFormat && format <= kTakenAttachedFormat) return {};
  return fail(ErrorCode::kVersionMismatch,
              "the operations have format " + std::to_string(entry.format) +
                  ", this program knows those up to " +
                  std::to_string(kTakenAttachedFormat + kWithAct),
              place_of(entry));
}

Unexpected<Error> with_place(Error error, const LogEntry& entry) {
  if (error.where.empty()) error.where = place_of(entry);
  return fail(std::move(error));
}

Status visit_encoded_records(std::string_view operations,
                             const std::function<Status(RecordKind, std::string_view)>& visit) {
  return read_operations(operations, [&](const Operation& operation) -> Status {
    if (operation.kind != OperationKind::kRecord) return {};
    return visit(static_cast<RecordKind>(operation.id), operation.text);
  });
}

Status visit_entry_records(const LogEntry& entry,
                           const std::function<Status(RecordKind, std::string_view)>& visit) {
  if (is_archived(entry)) return {};  // it held none
  ANIMA_TRY(check_format(entry));
  const Status read = visit_encoded_records(entry.payload, visit);
  if (!read) return with_place(read.error(), entry);
  return {};
}

}  // namespace anima::store::detail
