#include "govern/ledger/detail/record_stream.h"

#include <algorithm>

#include "base/bytes.h"

namespace anima::govern::detail {
namespace {

constexpr unsigned kKindBits = 3;
static_assert(kStreamKinds == std::size_t{1} << kKindBits, "every kind that bytes can name is one");
constexpr std::uint64_t kFarStep = 31;  // and then the rest as a varint
constexpr std::size_t kHeadCharacters = 4;
constexpr std::size_t kHeadBytes = 2;

unsigned nibble(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10u;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10u;
  return byte & 15u;
}

// Calls `visit` with each element until it says false. A million elements are read to find one, so
// nothing in here makes a Result for each.
template <typename Visit>
Status each_element(std::string_view bytes, const Visit& visit) {
  const auto damaged = [] { return fail(ErrorCode::kCorrupt, "the stream of records is damaged"); };
  std::uint64_t sequence = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at++]);
    const unsigned kind = first & ((1u << kKindBits) - 1);
    std::uint64_t step = first >> kKindBits;
    if (step == kFarStep) {
      ByteReader reader(bytes.substr(at));
      ANIMA_ASSIGN(const std::uint64_t rest, reader.varint());
      at += reader.position();
      step += rest;
    }
    sequence += step;
    std::uint16_t head = 0;
    if (kind == static_cast<unsigned>(StreamKind::kAudit)) {
      if (bytes.size() - at < kHeadBytes) return damaged();
      head = static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) << 8 |
                                        static_cast<unsigned char>(bytes[at + 1]));
      at += kHeadBytes;
    }
    if (!visit(static_cast<StreamKind>(kind), head, sequence)) return {};
  }
  return {};
}

}  // namespace

std::uint16_t id_head(std::string_view id) {
  unsigned head = 0;
  for (std::size_t i = 0; i < kHeadCharacters; ++i)
    head = head << 4 | (i < id.size() ? nibble(id[i]) : 0u);
  return static_cast<std::uint16_t>(head);
}

void RecordStream::add(const Element& element) {
  const auto sequence = static_cast<std::uint64_t>(element.sequence);
  const std::uint64_t step = sequence - last_;
  last_ = sequence;
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(static_cast<unsigned>(element.kind) |
                                   static_cast<unsigned>(std::min(step, kFarStep)) << kKindBits));
  if (step >= kFarStep) out.varint(step - kFarStep);
  if (element.kind == StreamKind::kAudit) {
    out.u8(static_cast<std::uint8_t>(element.id_head >> 8));
    out.u8(static_cast<std::uint8_t>(element.id_head & 0xff));
  }
  bytes_ += out.bytes();
}

Result<RecordStream> RecordStream::read(std::string bytes,
                                        const std::function<void(const Element&)>& visit) {
  RecordStream stream;
  stream.bytes_ = std::move(bytes);
  std::uint64_t last = 0;
  ANIMA_TRY(
      each_element(stream.bytes_, [&](StreamKind kind, std::uint16_t head, std::uint64_t sequence) {
        if (kind != StreamKind::kAudit) visit({kind, head, store::Sequence{sequence}});
        last = sequence;
        return true;
      }));
  stream.last_ = last;
  return stream;
}

Status RecordStream::find_audits(std::string_view prefix,
                                 const std::function<Result<bool>(store::Sequence)>& visit) const {
  const std::size_t characters = std::min(prefix.size(), kHeadCharacters);
  const auto mask = static_cast<std::uint16_t>(0xffffu << 4 * (kHeadCharacters - characters));
  const std::uint16_t wanted = id_head(prefix);
  std::uint64_t last = 0;
  Status status;
  ANIMA_TRY(each_element(bytes_, [&](StreamKind kind, std::uint16_t head, std::uint64_t sequence) {
    if (kind != StreamKind::kAudit || ((head ^ wanted) & mask) != 0) return true;
    if (sequence == last) return true;  // the entry was looked at
    last = sequence;
    const Result<bool> more = visit(store::Sequence{sequence});
    if (!more) status = fail(more.error());
    return more && *more;
  }));
  return status;
}

}  // namespace anima::govern::detail
