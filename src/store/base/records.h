// What a base and the layers above it say of a space in the same words: one graph's word for a
// statement, an entity, an entry of the log, a stored term. Context is on disk, never change it.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "store/ids.h"

namespace anima::store::detail {

inline constexpr std::uint64_t kAlive = ~std::uint64_t{0};  // died: not yet
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};  // born: rolled back
inline constexpr std::uint64_t kQuotedBorn = kNever - 1;    // born: known, never asserted
inline constexpr std::uint32_t kManySets =
    0x80000000u;  // set code: place in the pool of context lists

// One graph's word for a statement; on disk.
struct Context {
  std::uint64_t born = 0;
  std::uint64_t provenance = 0;
  double confidence = 1.0;
  std::uint32_t graph = 0;
  std::uint32_t said = 0;  // the entry whose word it stays, if a later one wrote it again
  bool operator==(const Context&) const = default;
  std::uint64_t word_of() const { return said != 0 ? said : born; }
};
static_assert(sizeof(Context) == 32);

enum class RowOrder : std::uint8_t { kSpo = 0, kPos = 1, kOps = 2 };

struct EntityRecord {
  std::uint32_t kind = 0;             // EntityKind
  std::uint32_t a = 0, b = 0, c = 0;  // concept: type, name term; proposition: s, p, o
};

struct EntryRecord {
  Timestamp time;
  std::uint32_t cause = 0;  // the earlier entry that led to it, 0 = none
  Trust trust = Trust::kUntrusted;
  bool undo = false;      // it holds a record kUndo
  std::uint32_t act = 0;  // the first entry of the act that it belongs to, 0 = itself
  std::string_view author, source;
};

struct StoredTerm {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t hash = 0;
  std::string_view view() const { return {data, size}; }
};

std::uint32_t hash_term(std::string_view stored);

// Where a layer's numbers start: everything below belongs to the layers under it.
struct LayerFirsts {
  std::uint32_t row = 0;   // addresses of rows
  std::uint32_t term = 1;  // dictionary places
  std::uint32_t entity = 1;
  std::uint32_t graph = 1;
  std::uint32_t context = 0;
  std::uint32_t set = 0;       // places in the pool of context lists
  std::uint64_t sequence = 0;  // entries
  std::uint32_t base_rows = 0;
};

// No row of that kind.
inline constexpr std::uint32_t kNoRow = 0xffffffffu;

}  // namespace anima::store::detail
