// Base: an immutable, checksummed image of a space at one sequence: sorted columns of 32-bit codes.
//
// The image is one block of bytes (a mapped file, or memory for spaces without a folder): a header,
// a table of sections each with its XXH3 checksum, and the sections, 64-byte aligned.
// docs/formats_views.md describes them; Section names them. Three sorted copies of the live
// statements answer every pattern as a contiguous range:
//   SPO (with CSR offsets by subject), POS (by predicate), OPS (with CSR offsets by object).
// Statements that died, and propositions never asserted, are in the retired table with [born,
// died). Places of rows are of one order; a row's address is its place in SPO. Thread-safety:
// immutable. Errors of open(): kCorrupt naming the section, kVersionMismatch.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "store/base/positions.h"
#include "store/base/records.h"
#include "store/ids.h"
#include "store/log.h"

namespace anima::store::detail {

using Column = std::span<const std::uint32_t>;

// Version 1 knows nothing of erasures and of keys: it has no BaseMarks and no section kSeals.
// Version 2 knows no causes of entries (BaseMarks::causes_from) and lacks two orders, which are
// made anew when it is opened. Version 3 has no section kActs.
inline constexpr std::uint32_t kBaseVersion = 4;

// On disk, never renumber.
enum class Section : std::uint32_t {
  kTermOffsets = 1,  // u64[terms + 1]: where each stored term starts in kTermBytes
  kTermBytes = 2,
  kTermHash = 3,    // u32[power of two]: open addressing, place or 0
  kEntityA = 4,     // u32[entities]: type of a concept, kPropositionMark, or 0
  kEntityB = 5,     // u32[entities]: name of a concept, row of a proposition (kRetiredMark: in the
                    // retired table)
  kSpoOffsets = 6,  // u32[entities + 1]
  kSpoS = 7,
  kSpoP = 8,
  kSpoO = 9,
  kSpoSet = 10,
  kSpoProposition = 11,
  kSpoBorn = 12,
  kPosDirectory = 13,  // u32 pairs: predicate, first place; ends with (0xffffffff, rows)
  kPosO = 14,
  kPosS = 15,
  kOpsEntityOffsets = 16,   // u32[entities + 1]
  kOpsIntegers = 17,        // u32 pairs: integer code, first place; ends with (0xffffffff, end)
  kOpsLiteralOffsets = 18,  // u32[terms + 1]
  kOpsP = 19,
  kOpsS = 20,
  kPosSet = 21,
  kOpsSet = 22,  // only when more than one graph asserts something
  kByBorn = 23,  // u32[rows]: rows by born
  kValueOrder =
      24,  // u32[rows of attributes and metadata]: places in POS by (predicate, value, subject)
  kRetiredS = 25,
  kRetiredP = 26,
  kRetiredO = 27,
  kRetiredProposition = 28,
  kRetiredSet = 29,
  kRetiredBorn = 30,
  kRetiredDied = 31,
  kRetiredByDied = 32,
  kContexts = 33,
  kSets = 34,
  kGraphOffsets = 35,
  kGraphBytes = 36,
  kGraphSizes = 37,  // u64 each, but the bytes
  kEntries = 38,     // StoredEntry[]
  kEntryBytes = 39,  // authors and sources
  kLabels = 40,      // u32 pairs: hash of the folded name, concept; sorted
  kText = 41,        // TextIndex::section
  kSeals = 42,       // encode_seals(); version 2
  // u32[retired rows]: rows of the retired table by (object, row); version 3
  kRetiredByObject = 43,
  // u32[assertions]: rows by (graph, row); the sizes of the graphs say where each begins. Only when
  // more than one graph asserts something. Version 3
  kByGraph = 44,
  // u32[entries]: the first entry of the act that each belongs to, 0 = itself; empty when no entry
  // belongs to the act of another. Version 4
  kActs = 45,
  kCount = 46,
};

inline constexpr std::uint32_t kPropositionMark = 0xffffffffu;
inline constexpr std::uint32_t kRetiredMark = 0x80000000u;

struct StoredEntry {
  std::int64_t time = 0;
  std::uint32_t author = 0, author_size = 0;  // in kEntryBytes
  std::uint32_t source = 0, source_size = 0;
  std::uint32_t trust = 0;  // with kUndoMark
  std::uint32_t cause = 0;  // the entry that led to it, 0 = none
};
inline constexpr std::uint32_t kUndoMark = 0x100;  // the entry holds a record kUndo

struct BaseCounts {
  std::uint64_t sequence = 0;
  std::int64_t time = 0;
  Digest hash{};
  std::uint64_t concepts = 0, propositions = 0, assertions = 0;
};

// What ties a base to the log, beside its entry's hash. On disk behind the counts; it grows at its
// end, with a new version.
struct BaseMarks {
  std::uint64_t erasure = 0;  // the newest erasure that is carried out in it, or 0
  // The first entry of which StoredEntry has the cause and kUndoMark; of those before it, which an
  // older program wrote into a base, the log knows. Version 3
  std::uint64_t causes_from = 1;
};

// Half-open range of places in one order.
struct Range {
  std::uint32_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
  std::uint32_t size() const { return end - begin; }
};

// The rows that only Anima's own books (store/own_graphs.h) assert, one bit a row in each order.
// Most bases have none, and then there are no bits.
class BookRows {
 public:
  bool none() const { return bits_[0].empty(); }
  bool holds(RowOrder order, std::uint32_t place) const {
    return !none() && (word(order, place) >> (place % 64) & 1) != 0;
  }
  bool touch(RowOrder order, Range range) const;  // O(rows of the range / 64)
  void reset(std::uint32_t rows);                 // no row is one, of so many
  void add(RowOrder order, std::uint32_t place);

 private:
  std::uint64_t word(RowOrder order, std::uint32_t place) const {
    return bits_[static_cast<std::size_t>(order)][place / 64];
  }
  std::vector<std::uint64_t> bits_[3];
};

// The sections of a base while they are made.
struct BaseImage {
  BaseCounts counts;
  BaseMarks marks;
  std::vector<std::string> sections{static_cast<std::size_t>(Section::kCount)};
  std::string& operator[](Section section) { return sections[static_cast<std::size_t>(section)]; }
};

class Base {
 public:
  static std::shared_ptr<const Base> empty();
  // Takes the sections as they are.
  static std::shared_ptr<const Base> from_image(BaseImage image);
  // Checks the header, every checksum, the sizes of the sections against each other, and every
  // number in them against what it names: a base that somebody wrote can answer wrongly, never
  // wildly.
  static Result<std::shared_ptr<const Base>> from_bytes(std::string_view bytes,
                                                        std::shared_ptr<const void> keep_alive);
  // The file's bytes, piece by piece.
  static std::vector<std::string_view> file_pieces(const BaseImage& image,
                                                   std::string& header_room);

  const BaseCounts& counts() const { return counts_; }
  const BaseMarks& marks() const { return marks_; }
  std::uint32_t version() const { return version_; }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t entity_bound() const { return entities_; }
  std::uint32_t term_bound() const { return terms_; }  // places are 1 .. term_bound - 1
  std::uint32_t graph_bound() const { return graphs_; }
  std::uint32_t retired_rows() const { return static_cast<std::uint32_t>(retired_s.size()); }
  LayerFirsts next_firsts() const;

  // --- statements
  // -----------------------------------------------------------------------------------------------
  Range of_subject(SubjectCode s) const {
    if (s >= entities_) return {};
    return {spo_offsets[s], spo_offsets[s + 1]};
  }
  Range of_subject_predicate(SubjectCode s, PredicateCode p) const {
    return narrow(spo_p, of_subject(s), p);
  }
  Range of_object(ObjectCode o) const {
    if (o < entities_) return {ops_entity_offsets[o], ops_entity_offsets[o + 1]};
    return of_value(o);
  }
  // Start fetching what of_object() looks at for a literal, and then its rows.
  void prefetch_object_place(ObjectCode o) const {
    if ((o & kPayloadMask) < terms_)
      __builtin_prefetch(ops_literal_offsets.data() + (o & kPayloadMask));
  }
  void prefetch_object_list(ObjectCode o) const {
    const std::uint32_t place = o & kPayloadMask;
    if (place >= terms_) return;
    const std::uint32_t at = ops_literal_offsets[place];
    if (at == ops_literal_offsets[place + 1]) return;
    __builtin_prefetch(ops_p.data() + at);
    __builtin_prefetch(ops_s.data() + at);
  }
  Range of_object_predicate(ObjectCode o, PredicateCode p) const {
    return narrow(ops_p, of_object(o), p);
  }
  Range of_predicate(PredicateCode p) const;
  Range of_predicates(std::uint32_t first, std::uint32_t last) const;  // codes in [first, last]
  // The place of the triple in SPO, or kNoRow.
  std::uint32_t find(SubjectCode s, PredicateCode p, ObjectCode o) const {
    const Range range = of_subject(s);
    if (range.size() > kShort) return find_long(range, p, o);
    const std::uint32_t* predicates = spo_p.data();
    const std::uint32_t* objects = spo_o.data();
    std::uint32_t at = range.begin;
#if defined(__SSE2__)
    // Four rows at a time: how many a subject has is what the processor guesses worst.
    const __m128i wanted_p = _mm_set1_epi32(static_cast<int>(p));
    const __m128i wanted_o = _mm_set1_epi32(static_cast<int>(o));
    for (; at < range.end && at + 4 <= spo_p.size(); at += 4) {
      const __m128i same_p = _mm_cmpeq_epi32(load(predicates + at), wanted_p);
      const __m128i same_o = _mm_cmpeq_epi32(load(objects + at), wanted_o);
      const int same = _mm_movemask_ps(_mm_castsi128_ps(_mm_and_si128(same_p, same_o)));
      if (same == 0) continue;
      at += static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(same)));
      return at < range.end ? at : kNoRow;
    }
#endif
    for (; at < range.end; ++at) {
      if (predicates[at] == p && objects[at] == o) return at;
    }
    return kNoRow;
  }
  // The same row's place in the other orders. Requires that the row exists.
  std::uint32_t pos_place(std::uint32_t row) const;
  std::uint32_t ops_place(std::uint32_t row) const;
  std::uint32_t ops_object(std::uint32_t place) const;     // for scans over all; O(log n)
  std::uint32_t pos_predicate(std::uint32_t place) const;  // O(log predicates)
  // The part of `range` (of an order whose column is sorted there) that holds `key`.
  static Range narrow(const Column& column, Range range, std::uint32_t key) {
    return between(column, range, key, key);
  }
  // The part of `range` with keys in [first, last].
  static Range between(const Column& column, Range range, std::uint32_t first, std::uint32_t last) {
    if (range.size() > kShort) return between_long(column.data(), range, first, last);
    const std::uint32_t* data = column.data();
    while (range.begin < range.end && data[range.begin] < first) ++range.begin;
    std::uint32_t end = range.begin;
    while (end < range.end && data[end] <= last) ++end;
    return {range.begin, end};
  }
  // Rows of the retired table with this triple, ascending by born.
  Range retired(SubjectCode s, PredicateCode p, ObjectCode o) const;
  Range retired_of_subject(SubjectCode s) const;
  // Places in retired_by_object of the retired rows with this object.
  Range retired_of_object(ObjectCode o) const;
  // Places in retired_by_died of the rows that died at this entry.
  Range retired_at(std::uint64_t sequence) const;
  const BookRows& books() const { return books_; }
  bool one_graph() const { return pos_set.empty(); }
  // The rows that the graph asserts, ascending; requires !one_graph().
  Column of_graph(std::uint32_t graph) const {
    if (graph >= graphs_) return {};
    return by_graph.subspan(graph_firsts_[graph], graph_firsts_[graph + 1] - graph_firsts_[graph]);
  }

  // --- dictionary
  // -----------------------------------------------------------------------------------------------
  std::uint32_t find_term(std::string_view stored, std::uint32_t hash) const;  // 0 = none
  // Start fetching what find_term() looks at: the slot of the hash, then what it points at.
  void prefetch_term_place(std::uint32_t hash) const {
    __builtin_prefetch(term_hash.data() + (hash & (term_hash.size() - 1)));
  }
  void prefetch_term(std::uint32_t hash) const {
    __builtin_prefetch(term_offsets.data() + term_hash[hash & (term_hash.size() - 1)]);
  }
  void prefetch_term_bytes(std::uint32_t hash) const {
    const std::uint32_t place = term_hash[hash & (term_hash.size() - 1)];
    if (place == 0) return;
    __builtin_prefetch(term_bytes.data() + term_offsets[place]);
  }
  std::string_view term(std::uint32_t place) const {
    return term_bytes.substr(term_offsets[place], term_offsets[place + 1] - term_offsets[place]);
  }
  std::string_view graph_name(std::uint32_t graph) const {
    return graph_bytes.substr(graph_offsets[graph],
                              graph_offsets[graph + 1] - graph_offsets[graph]);
  }
  EntryRecord entry(std::uint64_t sequence) const;  // 1 .. counts().sequence
  template <typename Visit>
  void labels(std::uint32_t hash, const Visit& visit) const {
    for (std::size_t i = first_label(hash); i < label_pairs.size() && label_pairs[i] == hash;
         i += 2) {
      visit(label_pairs[i + 1]);
    }
  }
  std::size_t heap_bytes() const { return heap_bytes_; }
  std::size_t image_bytes() const { return image_bytes_; }
  std::string_view text_section() const { return text; }
  const std::shared_ptr<const void>& keep_alive() const { return keep_alive_; }

  std::span<const std::uint64_t> term_offsets;
  std::string_view term_bytes;
  Column term_hash;
  Column entity_a, entity_b;
  Column spo_offsets, spo_s, spo_p, spo_o, spo_set, spo_proposition, spo_born;
  Column pos_directory, pos_o, pos_s, pos_set;
  Column ops_entity_offsets, ops_integers, ops_literal_offsets, ops_p, ops_s, ops_set;
  Column by_born, value_order;
  Column retired_s, retired_p, retired_o, retired_proposition, retired_set, retired_born,
      retired_died, retired_by_died, retired_by_object;
  Column by_graph;
  Column acts;
  std::span<const Context> contexts;
  Column sets;
  std::span<const std::uint64_t> graph_offsets, graph_sizes;
  std::string_view graph_bytes;
  std::span<const StoredEntry> entries;
  std::string_view entry_bytes;
  Column label_pairs;
  std::string_view text;
  std::string_view seals;  // empty: no key was destroyed or missed

 private:
  Range of_value(ObjectCode o) const;
#if defined(__SSE2__)
  static __m128i load(const std::uint32_t* four) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(four));
  }
#endif
  static constexpr std::uint32_t kShort = 16;  // ranges up to it are walked

  Base() = default;
  std::uint32_t find_long(Range range, PredicateCode p, ObjectCode o) const;
  static Range between_long(const std::uint32_t* data, Range range, std::uint32_t first,
                            std::uint32_t last);
  Status attach(const std::vector<std::string_view>& sections);
  Status check_sizes() const;
  // That every number in the columns names something; base_check.cc. O(base).
  Status check_contents() const;
  bool graphs_fit() const;
  Status make_orders();
  void find_books();  // requires checked contents; O(rows of the books)
  std::size_t first_label(std::uint32_t hash) const;

  BaseCounts counts_;
  BaseMarks marks_;
  std::uint32_t version_ = kBaseVersion;
  std::uint32_t rows_ = 0, entities_ = 1, terms_ = 1, graphs_ = 1;
  std::vector<std::size_t> graph_firsts_;  // in by_graph
  BookRows books_;
  std::vector<std::uint32_t> made_retired_by_object_,
      made_by_graph_;  // an older version lacks them
  std::size_t heap_bytes_ = 0, image_bytes_ = 0;
  std::shared_ptr<const void> keep_alive_;
};

}  // namespace anima::store::detail
