#include "store/text/text_segment.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace anima::store::detail {
namespace {

constexpr std::uint32_t kSegmentMagic = 0x31585441;  // "ATX1"
constexpr unsigned kExactLengths = 64;
constexpr unsigned kStepsPerDoubling = 8;

using LengthTable = std::array<std::uint64_t, 256>;

const LengthTable& length_table() {
  static const LengthTable table = [] {
    LengthTable lengths{};
    for (unsigned code = 0; code < lengths.size(); ++code) {
      if (code < kExactLengths) {
        lengths[code] = code;
        continue;
      }
      // (8 + step) / 8 of a power of two: whole numbers, the same on every machine.
      const unsigned doubling = (code - kExactLengths) / kStepsPerDoubling;
      const unsigned step = (code - kExactLengths) % kStepsPerDoubling;
      lengths[code] = (std::uint64_t{kStepsPerDoubling} + step) << (doubling + 3);
    }
    return lengths;
  }();
  return table;
}

// Reads a varint of at most five bytes' worth from [at, end).
bool read_varint(const char*& at, const char* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::size_t padded(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

}  // namespace

std::uint8_t length_code(std::uint64_t words) {
  if (words < kExactLengths) return static_cast<std::uint8_t>(words);
  const LengthTable& table = length_table();
  const auto above = std::upper_bound(table.begin(), table.end(), words);
  return static_cast<std::uint8_t>(above - table.begin() - 1);
}

std::uint64_t length_of_code(std::uint8_t code) { return length_table()[code]; }

bool PostingCursor::varint(std::uint64_t& value) {
  if (read_varint(at_, end_, value)) return true;
  at_ = end_;
  return false;
}

Result<std::shared_ptr<const TextSegment>> TextSegment::open(
    std::string_view bytes, std::shared_ptr<const void> keep_alive) {
  const auto corrupt = [] {
    return fail(ErrorCode::kCorrupt, "the text index is damaged", "text section",
                "it is rebuilt from the log");
  };
  auto segment = std::make_shared<TextSegment>();
  Header& header = segment->header_;
  if (bytes.size() < sizeof header) return corrupt();
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kSegmentMagic) return corrupt();
  if (header.version != kVersion) {
    return fail(ErrorCode::kVersionMismatch,
                "the text index has format " + std::to_string(header.version));
  }
  if (header.bound < header.first) return corrupt();
  const std::size_t lengths = header.bound - header.first;
  segment->blocks_ = (header.terms + kTermsPerBlock - 1) / kTermsPerBlock;
  const std::uint64_t fixed = sizeof header + padded(lengths) + segment->blocks_ * sizeof(Block);
  if (header.dictionary_bytes > bytes.size() || header.postings_bytes > bytes.size() ||
      fixed + header.dictionary_bytes + header.postings_bytes != bytes.size()) {
    return corrupt();
  }
  segment->bytes_ = bytes;
  segment->keep_alive_ = std::move(keep_alive);
  segment->lengths_ = bytes.data() + sizeof header;
  segment->block_table_ = segment->lengths_ + padded(lengths);
  segment->dictionary_ = bytes.substr(fixed, header.dictionary_bytes);
  segment->postings_ = bytes.substr(fixed + header.dictionary_bytes);
  for (std::size_t i = 0; i < segment->blocks_; ++i) {
    const Block block = segment->block(i);
    if (block.dictionary >= header.dictionary_bytes || block.postings > header.postings_bytes) {
      return corrupt();
    }
  }
  return segment;
}

std::uint32_t documents_below(const TextSegment& segment, const TextTerm& term,
                              std::uint32_t bound) {
  if (segment.bound() <= bound) return term.documents;
  PostingCursor postings = segment.postings(term);
  std::uint32_t count = 0;
  std::uint32_t place = 0;
  std::uint32_t times = 0;
  while (postings.next(place, times) && place < bound) ++count;
  return count;
}

std::shared_ptr<const TextSegment> own_segment(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  auto opened = TextSegment::open(*owner, owner);
  ANIMA_CHECK(opened.has_value());
  std::const_pointer_cast<TextSegment>(*opened)->owns_heap_ = true;
  return *opened;
}

TextSegment::Block TextSegment::block(std::size_t index) const {
  Block block;
  std::memcpy(&block, block_table_ + index * sizeof block, sizeof block);
  return block;
}

std::string_view TextSegment::block_head(std::size_t index) const {
  const char* at = dictionary_.data() + block(index).dictionary;
  const char* end = dictionary_.data() + dictionary_.size();
  std::uint64_t size = 0;
  if (!read_varint(at, end, size) || size > static_cast<std::uint64_t>(end - at)) return {};
  return {at, static_cast<std::size_t>(size)};
}

std::size_t TextSegment::block_of(std::string_view word) const {
  std::size_t low = 0;
  std::size_t high = blocks_;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    if (block_head(middle) <= word) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

bool TextSegment::find(std::string_view word, TextTerm& out) const {
  Cursor cursor(*this);
  cursor.seek(word);
  if (!cursor.valid() || cursor.term() != word) return false;
  out = cursor.info();
  return true;
}

void TextSegment::Cursor::seek(std::string_view word) {
  open_block(segment_->block_of(word));
  while (valid_ && term() < word) next();
}

void TextSegment::Cursor::open_block(std::size_t block) {
  valid_ = false;
  if (block >= segment_->blocks_) return;
  const Block place = segment_->block(block);
  block_ = block;
  in_block_ = 0;
  at_ = segment_->dictionary_.data() + place.dictionary;
  postings_at_ = place.postings;
  valid_ = read_term(true);
}

void TextSegment::Cursor::next() {
  if (++in_block_ == kTermsPerBlock) {
    open_block(block_ + 1);
  } else if (block_ * kTermsPerBlock + in_block_ >= segment_->header_.terms) {
    valid_ = false;
  } else {
    valid_ = read_term(false);
  }
}

bool TextSegment::Cursor::read_term(bool head) {
  const char* end = segment_->dictionary_.data() + segment_->dictionary_.size();
  std::uint64_t shared = 0;
  std::uint64_t size = 0;
  if (!head && !read_varint(at_, end, shared)) return false;
  if (!read_varint(at_, end, size)) return false;
  if ((!head && shared > size_) || size > term_.size() || shared + size > term_.size() ||
      size > static_cast<std::uint64_t>(end - at_)) {
    return false;
  }
  std::memcpy(term_.data() + shared, at_, size);
  at_ += size;
  size_ = static_cast<std::size_t>(shared + size);
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
  if (!read_varint(at_, end, documents) || !read_varint(at_, end, bytes)) return false;
  const std::string_view postings = segment_->postings_;
  if (documents > 0xffffffffu || postings_at_ > postings.size() ||
      bytes > postings.size() - postings_at_)
    return false;
  info_ = {static_cast<std::uint32_t>(documents), postings.substr(postings_at_, bytes)};
  postings_at_ += bytes;
  return true;
}

}  // namespace anima::store::detail
