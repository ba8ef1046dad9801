#include "store/base/bulk_rows.h"

#include <algorithm>

#include "base/bytes.h"
#include "store/base/radix.h"

namespace anima::store::detail {

std::uint32_t BulkRows::links() const {
  return static_cast<std::uint32_t>(
      std::count_if(rows.begin(), rows.end(), [](const BulkRow& row) { return row.is_link(); }));
}

void sort_unique(std::vector<BulkRow>& rows) {
  if (!std::is_sorted(rows.begin(), rows.end())) {
    std::vector<BulkRow> room;
    radix_sort(rows, room, [](const BulkRow& row) { return row.o; });
    radix_sort(rows, room, [](const BulkRow& row) { return row.p; });
    radix_sort(rows, room, [](const BulkRow& row) { return row.s; });
  }
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

namespace {

// Room for the longest row is made once; the bytes are then written without looking.
class RowBytes {
 public:
  explicit RowBytes(std::string& out) : out_(out), at_(out.size()) {}
  ~RowBytes() { out_.resize(at_); }
  void reserve(std::size_t bytes) {
    if (out_.size() - at_ < bytes) out_.resize(out_.size() * 2 + bytes);
  }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_[at_++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    out_[at_++] = static_cast<char>(value);
  }

 private:
  std::string& out_;
  std::size_t at_;
};

}  // namespace

std::string encode_rows(const std::vector<BulkRow>& rows) {
  std::vector<std::uint32_t> predicates;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].p != rows[i - 1].p) predicates.push_back(rows[i].p);
  }
  std::sort(predicates.begin(), predicates.end());
  predicates.erase(std::unique(predicates.begin(), predicates.end()), predicates.end());
  std::string bytes;
  {
    RowBytes out(bytes);
    out.reserve(predicates.size() * 5 + 20);
    out.varint(predicates.size());
    for (const std::uint32_t predicate : predicates) out.varint(predicate);
    out.varint(rows.size());
    BulkRow last;
    std::size_t number = 0;
    for (const BulkRow& row : rows) {
      out.reserve(20);
      out.varint(row.s - last.s);
      if (row.p != last.p) {
        number = static_cast<std::size_t>(
            std::lower_bound(predicates.begin(), predicates.end(), row.p) - predicates.begin());
      }
      out.varint(number);
      if (row.s == last.s && row.p == last.p) {
        out.varint(row.o - last.o);
      } else {
        out.varint((std::uint64_t{row.o & kPayloadMask} << 2) | (row.o >> kTagShift));
      }
      last = row;
    }
  }
  return bytes;
}

Result<std::vector<BulkRow>> decode_rows(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto corrupt = [] { return fail(ErrorCode::kCorrupt, "the rows of a bulk do not decode"); };
  ANIMA_ASSIGN(const std::uint64_t predicate_count, reader.varint());
  if (predicate_count > reader.remaining()) return corrupt();
  std::vector<std::uint32_t> predicates;
  predicates.reserve(predicate_count);
  for (std::uint64_t i = 0; i < predicate_count; ++i) {
    ANIMA_ASSIGN(const std::uint64_t predicate, reader.varint());
    if (predicate > 0xffffffffu) return corrupt();
    predicates.push_back(static_cast<std::uint32_t>(predicate));
  }
  ANIMA_ASSIGN(const std::uint64_t count, reader.varint());
  if (count > reader.remaining() / 3) return corrupt();  // a row takes three bytes or more
  std::vector<BulkRow> rows;
  rows.reserve(count);
  BulkRow last;
  for (std::uint64_t i = 0; i < count; ++i) {
    ANIMA_ASSIGN(const std::uint64_t step, reader.varint());
    ANIMA_ASSIGN(const std::uint64_t number, reader.varint());
    ANIMA_ASSIGN(const std::uint64_t object, reader.varint());
    BulkRow row;
    if (step > kPayloadMask || last.s + step > kPayloadMask || number >= predicates.size() ||
        object > 0xffffffffu) {
      return corrupt();
    }
    row.s = SubjectCode{static_cast<std::uint32_t>(last.s + step)};
    row.p = PredicateCode{predicates[number]};
    if (row.s == last.s && row.p == last.p) {
      if (object > 0xffffffffu - last.o) return corrupt();
      row.o = ObjectCode{static_cast<std::uint32_t>(last.o + object)};
    } else {
      row.o = ObjectCode{static_cast<std::uint32_t>((object >> 2) | (object << kTagShift))};
    }
    if (i != 0 && !(last < row)) return corrupt();
    rows.push_back(row);
    last = row;
  }
  if (!reader.at_end()) return corrupt();
  return rows;
}

}  // namespace anima::store::detail
