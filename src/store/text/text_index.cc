#include "store/text/text_index.h"

#include <atomic>
#include <span>

#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// A bulk is indexed in pieces of about this many words, so that its working memory stays bounded.
constexpr std::size_t kWordsPerPiece = std::size_t{4} << 20;
// A segment that is not this many times its newer neighbour is merged with it.
constexpr std::size_t kGrowth = 2;

std::shared_ptr<const TextSegment> merged(const TextSegments& segments, std::size_t from) {
  const std::span<const std::shared_ptr<const TextSegment>> tail(segments.data() + from,
                                                                 segments.size() - from);
  return own_segment(merge_segments(tail, tail.back()->bound()));
}

void merge_tail(TextSegments& segments) {
  while (segments.size() >= 2) {
    const TextSegment& last = *segments.back();
    const TextSegment& before = *segments[segments.size() - 2];
    if (!before.owns_heap() || before.size() > kGrowth * last.size()) return;
    auto both = merged(segments, segments.size() - 2);
    segments.pop_back();
    segments.back() = std::move(both);
  }
}

}  // namespace

TextIndex::TextIndex() : segments_(std::make_shared<const TextSegments>()) {}
TextIndex::~TextIndex() = default;

Result<std::shared_ptr<TextIndex>> TextIndex::open(std::string_view section,
                                                   std::shared_ptr<const void> keep_alive) {
  ANIMA_ASSIGN(auto segment, TextSegment::open(section, std::move(keep_alive)));
  auto index = std::make_shared<TextIndex>();
  if (segment->bound() > 0) {
    if (segment->first() != 0) {
      return fail(ErrorCode::kCorrupt, "the text index does not begin at place 0", "text section");
    }
    index->segments_ = std::make_shared<const TextSegments>(TextSegments{std::move(segment)});
  }
  return index;
}

std::shared_ptr<const TextSegments> TextIndex::segments() const {
  return std::atomic_load(&segments_);
}

std::uint32_t TextIndex::bound() const {
  const auto segments = this->segments();
  return segments->empty() ? 0 : segments->back()->bound();
}

void TextIndex::catch_up(const TextSource& literals, std::uint32_t bound) {
  if (this->bound() >= bound) return;
  const MutexLock lock(writer_);
  std::uint32_t place = this->bound();
  while (place < bound) {
    TextSegmentBuilder builder(place);
    while (place < bound && builder.words() < kWordsPerPiece) {
      builder.add(place == 0 ? ValueView{} : literals.literal(place));
      ++place;
    }
    TextSegments segments = *this->segments();
    segments.push_back(own_segment(builder.finish()));
    merge_tail(segments);
    std::atomic_store(&segments_, std::make_shared<const TextSegments>(std::move(segments)));
  }
}

std::string TextIndex::section(std::uint32_t bound) const {
  const auto segments = this->segments();
  if (segments->size() == 1 && segments->front()->bound() == bound) {
    return std::string(segments->front()->bytes());
  }
  return merge_segments(*segments, bound);
}

std::size_t TextIndex::heap_bytes() const {
  std::size_t bytes = 0;
  for (const auto& segment : *segments()) bytes += segment->owns_heap() ? segment->size() : 0;
  return bytes;
}

}  // namespace anima::store::detail
