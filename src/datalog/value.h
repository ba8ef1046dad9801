// Values of the Mangle language as 32-bit codes.
//
// A code's top two bits say where its value lives:
//
//   00  an entity of the memory's store          (known to the ParentDictionary)
//   01  a signed integer of 30 bits, inline
//   10  a literal of the memory's store          (known to the ParentDictionary)
//   11  a value of this table: its own name, string, number, pair, list, map or struct
//
// Invariant: one value has one code, so equality of values is equality of codes and a list joins as
// fast as an integer. Structured values are hash-consed; map and struct entries are kept sorted by
// compare(). A value that the parent dictionary knows keeps the parent's code, so facts of the
// memory are read as they lie.
//
// Equality is by type and value without conversions: 1, 1.0, "1" and /1 are four values; floats are
// compared by their bits (0.0 and -0.0 differ, a NaN equals itself).
//
// Thread-safety: interning and finding take a lock; view(), kind() and compare() of a code that was
// handed over with the usual synchronisation take none. Values are never removed; their bytes are
// counted by bytes().
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace anima::datalog {

using Code = std::uint32_t;

// Also the order of values of different kinds in sorted output.
enum class ValueKind : std::uint8_t {
  kName,
  kString,
  kBytes,
  kInt,
  kFloat,
  kTime,      // nanoseconds since 1970-01-01T00:00:00Z
  kDuration,  // nanoseconds
  kPair,
  kNil,  // the empty list
  kCons,
  kMap,
  kStruct,
};

// What a code stands for. `text` and `entries` live as long as the table (or the parent
// dictionary).
struct ValueView {
  ValueKind kind = ValueKind::kNil;
  std::int64_t number = 0;        // kInt, kTime, kDuration; the length of a kCons list
  double real = 0;                // kFloat
  std::string_view text;          // kName (with its first slash), kString, kBytes
  Code first = 0;                 // kPair; head of kCons
  Code second = 0;                // kPair; tail of kCons
  std::span<const Code> entries;  // kMap, kStruct: key, value, key, value .. sorted by key
};

// Codes of the memory's store. Any number of threads may read one; it may come to know more values
// (ValueTable::parent_grows), never fewer or others. It is asked while the table is locked, so it
// must not call the table.
class ParentDictionary {
 public:
  virtual ~ParentDictionary() = default;
  // The code (tag 00 or 10) of a name, string, bytes, number that does not fit 30 bits, float, time
  // or duration.
  virtual std::optional<Code> find(const ValueView& value) const = 0;
  // `code` has tag 00 or 10 and came from this dictionary. Its kind is one of those that find()
  // takes.
  virtual ValueView view(Code code) const = 0;
};

inline constexpr Code kTagMask = 0xC0000000U;
inline constexpr Code kTagEntity = 0x00000000U;
inline constexpr Code kTagInt = 0x40000000U;
inline constexpr Code kTagLiteral = 0x80000000U;
inline constexpr Code kTagOverlay = 0xC0000000U;
inline constexpr std::int64_t kMaxInlineInt = (std::int64_t{1} << 29) - 1;
inline constexpr std::int64_t kMinInlineInt = -(std::int64_t{1} << 29);

constexpr bool is_inline_int(Code code) { return (code & kTagMask) == kTagInt; }
constexpr bool fits_inline(std::int64_t number) {
  return number >= kMinInlineInt && number <= kMaxInlineInt;
}
constexpr Code inline_int(std::int64_t number) {
  return kTagInt | (static_cast<Code>(number) & ~kTagMask);
}
constexpr std::int32_t inline_value(Code code) { return static_cast<std::int32_t>(code << 2) >> 2; }

class ValueTable {
 public:
  struct Text {
    std::string_view text;
    ValueKind kind = ValueKind::kString;  // kName, kString or kBytes
  };

  // `parent` may be null; it must outlive the table.
  explicit ValueTable(const ParentDictionary* parent = nullptr);
  ~ValueTable();
  ValueTable(const ValueTable&) = delete;
  ValueTable& operator=(const ValueTable&) = delete;

  // Constructors: amortised O(size of the argument). A name includes its first slash: "/a/b".
  Code integer(std::int64_t number) {
    return fits_inline(number) ? inline_int(number) : boxed(ValueKind::kInt, number);
  }
  Code real(double number);
  Code name(std::string_view text) { return textual(ValueKind::kName, text); }
  Code string(std::string_view text) { return textual(ValueKind::kString, text); }
  Code bytes(std::string_view content) { return textual(ValueKind::kBytes, content); }
  Code time(std::int64_t nanoseconds) { return boxed(ValueKind::kTime, nanoseconds); }
  Code duration(std::int64_t nanoseconds) { return boxed(ValueKind::kDuration, nanoseconds); }
  Code pair(Code first, Code second);
  Code nil() const { return kNilCode; }
  Code cons(Code head, Code tail);  // `tail` is nil or a cons
  Code list(std::span<const Code> items);
  // Key, value, key, value ..; of two entries with one key the later stays.
  Code map(std::span<const Code> entries) { return keyed(ValueKind::kMap, entries); }
  Code structure(std::span<const Code> entries) { return keyed(ValueKind::kStruct, entries); }
  // The names /true and /false.
  Code boolean(bool truth) const { return truth ? kTrueCode : kFalseCode; }

  // The codes of many names, strings and bytes at once: one lock, and memory fetched ahead of its
  // use. Requires as many codes as texts.
  void intern_texts(std::span<const Text> texts, std::span<Code> codes);

  ValueView view(Code code) const;
  ValueKind kind(Code code) const;

  // Elements of a list (kNil or kCons), first to last. O(length).
  std::vector<Code> list_items(Code list) const;
  std::size_t list_length(Code list) const;
  // The value of `key` in a map or struct. O(log entries).
  std::optional<Code> entry(Code keyed, Code key) const;

  // Total order: by kind, then by value (numbers by size, text by bytes, lists and pairs from the
  // left). Negative, zero, positive. Independent of the codes, so sorted output is the same in
  // every run.
  int compare(Code a, Code b) const;

  // Appends the value in Mangle syntax, so that it reads back. Shared structure is written out, so
  // a small value may have a huge text: false, and `out` is cut, when more than `max_bytes` would
  // be appended.
  bool append_text(Code code, std::string& out, std::size_t max_bytes = std::size_t{1} << 24) const;
  std::string text(Code code) const;

  std::size_t size() const;   // values of this table
  std::size_t bytes() const;  // memory held

  const ParentDictionary* parent() const { return parent_; }
  // Runs `grow`, which lets the parent know more values, while nobody interns: what this table
  // already holds of them (`own` says so) keeps this table's code, and the parent must give that
  // code for it.
  using Own = std::function<std::optional<Code>(const ValueView&)>;
  void parent_grows(const std::function<void(const Own& own)>& grow);

 private:
  struct Entry;
  static constexpr Code kNilCode = kTagOverlay;
  static constexpr Code kTrueCode = kTagOverlay | 1U;
  static constexpr Code kFalseCode = kTagOverlay | 2U;
  static constexpr std::size_t kFirstSegmentBits = 10;
  static constexpr std::size_t kSegments = 21;

  Code boxed(ValueKind kind, std::int64_t number);
  Code textual(ValueKind kind, std::string_view text);
  Code keyed(ValueKind kind, std::span<const Code> entries);
  const Entry& entry_at(Code code) const;
  Code find_or_add(const ValueView& value);
  std::optional<Code> find_here(const ValueView& value, std::uint32_t hash) const
      ANIMA_REQUIRES(mutex_);
  Code add(const ValueView& value, std::uint32_t hash) ANIMA_REQUIRES(mutex_);
  void grow() ANIMA_REQUIRES(mutex_);
  void* allocate(std::size_t bytes, std::size_t alignment) ANIMA_REQUIRES(mutex_);

  const ParentDictionary* parent_;
  mutable Mutex mutex_;
  std::atomic<Entry*> segments_[kSegments] = {};
  std::atomic<std::uint32_t> size_{0};
  // Open addressing: the hash in the upper half, the index in the lower; all ones is empty.
  std::vector<std::uint64_t> slots_ ANIMA_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<std::byte[]>> blocks_ ANIMA_GUARDED_BY(mutex_);
  std::byte* block_next_ ANIMA_GUARDED_BY(mutex_) = nullptr;
  std::size_t block_left_ ANIMA_GUARDED_BY(mutex_) = 0;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace anima::datalog
