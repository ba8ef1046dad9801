// A text segment: the postings of one range of dictionary places, immutable, in one string of bytes
// that may lie in a memory-mapped file. And its two makers: from literals, and from adjoining
// segments.
//
// Bytes, little-endian (on disk, do not change; version in the header):
//   header    Header below
//   lengths   one byte a place of [first, bound): words of the literal, as length_code()
//   blocks    one a kTermsPerBlock terms: u64 offset in the dictionary, u64 offset in the postings
//   dictionary  terms in byte order, front-coded: the first of a block is varint size, bytes; each
//   other is varint
//             shared with the one before, varint size, bytes; each is followed by varint documents,
//             varint bytes of its postings
//   postings  per term, places ascending: varint (gap << 1 | more), then varint (times - 2) when
//   `more`; the first
//             gap counts from `first`, each other from the place before plus one
// A reader checks every offset while it decodes, so damaged bytes give wrong words, never a wild
// read. Thread-safety: a TextSegment is immutable; a cursor or builder belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/text/words.h"
#include "store/text/literal_text.h"

namespace anima::store::detail {

// How many words a literal has, in one byte: exact up to 63, then in steps of an eighth of a
// doubling.
std::uint8_t length_code(std::uint64_t words);
std::uint64_t length_of_code(std::uint8_t code);

// A term's documents: places ascending with how often the term stands in each.
class PostingCursor {
 public:
  PostingCursor() = default;
  PostingCursor(std::string_view bytes, std::uint32_t first, std::uint32_t bound)
      : at_(bytes.data()), end_(at_ + bytes.size()), next_(first), bound_(bound) {}
  // False at the end, or where the bytes are damaged.
  bool next(std::uint32_t& place, std::uint32_t& times) {
    if (at_ == end_) return false;
    std::uint64_t gap = 0;
    if (static_cast<unsigned char>(*at_) < 0x80) {
      gap = static_cast<unsigned char>(*at_++);
    } else if (!varint(gap)) {
      return false;
    }
    times = 1;
    if ((gap & 1) != 0) {
      std::uint64_t more = 0;
      if (!varint(more)) return false;
      times = static_cast<std::uint32_t>(more) + 2;
    }
    gap >>= 1;
    if (gap >= bound_ - next_) {
      at_ = end_;
      return false;
    }
    place = static_cast<std::uint32_t>(next_ + gap);
    next_ = next_ + gap + 1;
    return true;
  }

 private:
  bool varint(std::uint64_t& value);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t next_ = 0;
  std::uint64_t bound_ = 0;
};

struct TextTerm {
  std::uint32_t documents = 0;
  std::string_view postings;
};

class TextSegment {
 public:
  static constexpr std::size_t kTermsPerBlock = 16;
  // On disk: raised when literals get other terms, so that their segments are made again.
  static constexpr std::uint32_t kVersion = 6;

  static Result<std::shared_ptr<const TextSegment>> open(std::string_view bytes,
                                                         std::shared_ptr<const void> keep_alive);

  std::uint32_t first() const { return header_.first; }
  std::uint32_t bound() const { return header_.bound; }
  std::uint32_t terms() const { return header_.terms; }
  std::uint32_t documents() const { return header_.documents; }  // literals that have words
  std::uint64_t words() const { return header_.words; }          // sum of their lengths as coded
  std::size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  bool owns_heap() const { return owns_heap_; }

  // The length code of a place in [first, bound).
  std::uint8_t length_code_at(std::uint32_t place) const {
    return static_cast<std::uint8_t>(lengths_[place - header_.first]);
  }
  PostingCursor postings(const TextTerm& term) const {
    return {term.postings, header_.first, header_.bound};
  }
  // O(log terms). False when the word is in no literal of the segment.
  bool find(std::string_view word, TextTerm& out) const;

  // Walks the terms in byte order.
  class Cursor {
   public:
    explicit Cursor(const TextSegment& segment) : segment_(&segment) {}
    void seek(std::string_view word);  // to the first term >= word
    void seek_first() { open_block(0); }
    bool valid() const { return valid_; }
    void next();
    std::string_view term() const { return {term_.data(), size_}; }
    const TextTerm& info() const { return info_; }

   private:
    void open_block(std::size_t block);
    bool read_term(bool head);

    const TextSegment* segment_;
    std::array<char, language::kLongestTerm> term_{};
    std::size_t size_ = 0;
    TextTerm info_;
    std::size_t block_ = 0;
    std::size_t in_block_ = 0;
    const char* at_ = nullptr;
    std::uint64_t postings_at_ = 0;
    bool valid_ = false;
  };

  struct Header {
    std::uint32_t magic, version;
    std::uint32_t first, bound;
    std::uint32_t terms, documents;
    std::uint64_t words;
    std::uint64_t dictionary_bytes, postings_bytes;
  };

 private:
  friend class Cursor;
  struct Block {
    std::uint64_t dictionary, postings;
  };
  Block block(std::size_t index) const;
  std::string_view block_head(std::size_t index) const;
  // The last block whose head is <= word; 0 when there is none.
  std::size_t block_of(std::string_view word) const;

  std::string_view bytes_;
  std::shared_ptr<const void> keep_alive_;
  bool owns_heap_ = false;
  Header header_{};
  std::size_t blocks_ = 0;
  const char* lengths_ = nullptr;
  const char* block_table_ = nullptr;
  std::string_view dictionary_;
  std::string_view postings_;

  friend std::shared_ptr<const TextSegment> own_segment(std::string bytes);
};

// How many literals below the bound have the word.
std::uint32_t documents_below(const TextSegment& segment, const TextTerm& term,
                              std::uint32_t bound);

// A segment over bytes in memory. Requires bytes that a maker below gave.
std::shared_ptr<const TextSegment> own_segment(std::string bytes);

// Makes a segment of literals: add() them in the order of their places, then finish().
class TextSegmentBuilder {
 public:
  explicit TextSegmentBuilder(std::uint32_t first);
  // The literal at the next place.
  void add(const ValueView& literal);
  std::size_t words() const { return places_.size(); }
  std::string finish();

 private:
  std::uint32_t intern(std::string_view word);
  void grow();
  std::vector<std::uint32_t> ranked_terms() const;
  std::string_view term(std::uint32_t id) const {
    return std::string_view(arena_).substr(begin_[id], begin_[id + 1] - begin_[id]);
  }

  std::uint32_t first_;
  std::uint32_t next_;
  std::string lengths_;
  std::uint32_t documents_ = 0;
  std::uint64_t total_ = 0;
  language::TermSplitter splitter_{language::TermUse::kDocument};
  std::string scratch_;
  std::string arena_;                   // the terms' bytes
  std::vector<std::uint64_t> begin_;    // term id -> place in the arena; one more at the end
  std::vector<std::uint64_t> slots_;    // open addressing: hash high half | id + 1
  std::vector<std::size_t> last_pair_;  // term id -> its last pair
  std::vector<std::uint32_t> terms_;    // the pairs, in the order of places
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> times_;
};

// One segment with the postings of adjoining segments (ascending) below `bound`.
std::string merge_segments(std::span<const std::shared_ptr<const TextSegment>> segments,
                           std::uint32_t bound);

}  // namespace anima::store::detail
