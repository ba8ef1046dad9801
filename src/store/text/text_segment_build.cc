// The two makers of text segments: from literals, and from adjoining segments.
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>

#include "base/bytes.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// Takes terms in byte order, each with its postings in the order of places, and lays out the
// segment.
class SegmentWriter {
 public:
  explicit SegmentWriter(std::uint32_t first) : first_(first), next_(first) {}

  void begin_term(std::string_view term) {
    term_ = term;
    next_ = first_;
    documents_ = 0;
    begin_ = postings_.size();
  }
  void posting(std::uint32_t place, std::uint32_t times) {
    const std::uint64_t gap = place - next_;
    postings_.varint(gap << 1 | (times > 1 ? 1 : 0));
    if (times > 1) postings_.varint(times - 2);
    next_ = place + 1;
    ++documents_;
  }
  void end_term() {
    if (documents_ == 0) return;
    if (terms_ % TextSegment::kTermsPerBlock == 0) {
      blocks_.u64(dictionary_.size());
      blocks_.u64(begin_);
      dictionary_.string(term_);
    } else {
      const auto [end, other] = std::mismatch(
          term_.begin(),
          term_.begin() + static_cast<std::ptrdiff_t>(std::min(term_.size(), previous_.size())),
          previous_.begin());
      const auto shared = static_cast<std::size_t>(end - term_.begin());
      dictionary_.varint(shared);
      dictionary_.string(term_.substr(shared));
    }
    dictionary_.varint(documents_);
    dictionary_.varint(postings_.size() - begin_);
    previous_.assign(term_);
    ++terms_;
  }

  std::string finish(std::string_view lengths, std::uint32_t documents, std::uint64_t words) {
    TextSegment::Header header{0x31585441,      TextSegment::kVersion,
                               first_,          first_ + static_cast<std::uint32_t>(lengths.size()),
                               terms_,          documents,
                               words,           dictionary_.size(),
                               postings_.size()};
    std::string bytes;
    const std::size_t padding = (8 - lengths.size() % 8) % 8;
    bytes.reserve(sizeof header + lengths.size() + padding + blocks_.size() + dictionary_.size() +
                  postings_.size());
    bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(lengths);
    bytes.append(padding, '\0');
    bytes.append(blocks_.bytes());
    bytes.append(dictionary_.bytes());
    bytes.append(postings_.bytes());
    return bytes;
  }

 private:
  std::uint32_t first_;
  std::uint32_t next_;
  std::string_view term_;
  std::string previous_;
  std::uint32_t documents_ = 0;
  std::uint32_t terms_ = 0;
  std::size_t begin_ = 0;
  ByteWriter blocks_;
  ByteWriter dictionary_;
  ByteWriter postings_;
};

// The first eight bytes as a number that sorts as the bytes do.
std::uint64_t sort_key(std::string_view term) {
  std::uint64_t key = 0;
  std::memcpy(&key, term.data(), std::min<std::size_t>(term.size(), sizeof key));
  return __builtin_bswap64(key);
}

constexpr std::uint64_t kHashMask = 0xFFFFFFFF00000000u;

}  // namespace

TextSegmentBuilder::TextSegmentBuilder(std::uint32_t first)
    : first_(first), next_(first), begin_{0}, slots_(1024, 0) {}

void TextSegmentBuilder::add(const ValueView& literal) {
  std::uint64_t words = 0;
  const std::uint32_t place = next_++;
  for_each_text(literal, scratch_, [&](std::string_view text) {
    splitter_.split(text, [&](const language::IndexTerm& word) {
      ++words;
      const std::uint32_t id = intern(word.text);
      std::size_t& last = last_pair_[id];
      if (last < places_.size() && places_[last] == place && terms_[last] == id) {
        ++times_[last];
        return;
      }
      last = places_.size();
      terms_.push_back(id);
      places_.push_back(place);
      times_.push_back(1);
    });
  });
  const std::uint8_t code = length_code(words);
  lengths_.push_back(static_cast<char>(code));
  if (words > 0) ++documents_;
  total_ += length_of_code(code);
}

std::uint32_t TextSegmentBuilder::intern(std::string_view word) {
  const std::uint64_t hash = XXH3_64bits(word.data(), word.size());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (slot == 0) {
      const auto id = static_cast<std::uint32_t>(begin_.size() - 1);
      slots_[at] = (hash & kHashMask) | (id + 1);
      arena_.append(word);
      begin_.push_back(arena_.size());
      last_pair_.push_back(~std::size_t{0});
      if (begin_.size() * 2 > slots_.size()) grow();
      return id;
    }
    const std::uint32_t id = static_cast<std::uint32_t>(slot) - 1;
    if (((slot ^ hash) & kHashMask) == 0 && term(id) == word) return id;
  }
}

void TextSegmentBuilder::grow() {
  std::vector<std::uint64_t> slots(slots_.size() * 4, 0);
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t id = 0; id + 1 < begin_.size(); ++id) {
    const std::string_view word = term(id);
    const std::uint64_t hash = XXH3_64bits(word.data(), word.size());
    std::size_t at = hash & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = (hash & kHashMask) | (id + 1);
  }
  slots_ = std::move(slots);
}

std::vector<std::uint32_t> TextSegmentBuilder::ranked_terms() const {
  struct Keyed {
    std::uint64_t key;
    std::uint32_t id;
  };
  std::vector<Keyed> keyed(begin_.size() - 1);
  for (std::uint32_t id = 0; id < keyed.size(); ++id) keyed[id] = {sort_key(term(id)), id};
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : term(a.id) < term(b.id);
  });
  std::vector<std::uint32_t> ids(keyed.size());
  std::transform(keyed.begin(), keyed.end(), ids.begin(), [](const Keyed& k) { return k.id; });
  return ids;
}

std::string TextSegmentBuilder::finish() {
  // A counting sort by term keeps the places of each in order.
  const std::size_t terms = begin_.size() - 1;
  std::vector<std::size_t> start(terms + 1, 0);
  for (const std::uint32_t id : terms_) ++start[id + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::uint64_t> sorted(terms_.size());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    sorted[next[terms_[i]]++] = static_cast<std::uint64_t>(places_[i]) << 32 | times_[i];
  }
  SegmentWriter writer(first_);
  for (const std::uint32_t id : ranked_terms()) {
    writer.begin_term(term(id));
    for (std::size_t i = start[id]; i < start[id + 1]; ++i) {
      writer.posting(static_cast<std::uint32_t>(sorted[i] >> 32),
                     static_cast<std::uint32_t>(sorted[i]));
    }
    writer.end_term();
  }
  return writer.finish(lengths_, documents_, total_);
}

std::string merge_segments(std::span<const std::shared_ptr<const TextSegment>> segments,
                           std::uint32_t bound) {
  const std::uint32_t first = segments.empty() ? 0 : segments.front()->first();
  SegmentWriter writer(first);
  std::string lengths;
  std::uint32_t documents = 0;
  std::uint64_t words = 0;
  std::vector<TextSegment::Cursor> cursors;
  for (const auto& segment : segments) {
    for (std::uint32_t place = segment->first(); place < std::min(segment->bound(), bound);
         ++place) {
      const std::uint8_t code = segment->length_code_at(place);
      lengths.push_back(static_cast<char>(code));
      documents += code != 0 ? 1 : 0;
      words += length_of_code(code);
    }
    cursors.emplace_back(*segment).seek_first();
  }
  std::string term;
  for (;;) {
    const TextSegment::Cursor* least = nullptr;
    for (const auto& cursor : cursors) {
      if (cursor.valid() && (least == nullptr || cursor.term() < least->term())) least = &cursor;
    }
    if (least == nullptr) break;
    term.assign(least->term());
    writer.begin_term(term);
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (!cursors[i].valid() || cursors[i].term() != term) continue;
      PostingCursor postings = segments[i]->postings(cursors[i].info());
      std::uint32_t place = 0;
      std::uint32_t times = 0;
      while (postings.next(place, times) && place < bound) writer.posting(place, times);
      cursors[i].next();
    }
    writer.end_term();
  }
  return writer.finish(lengths, documents, words);
}

}  // namespace anima::store::detail
