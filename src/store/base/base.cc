#include "store/base/base.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <numeric>

#include "store/base/limits.h"
#include "store/own_graphs.h"

namespace anima::store::detail {
namespace {

constexpr std::uint64_t kMagic = 0x31455341424d4e41ull;  // "ANMBASE1"
constexpr std::size_t kSectionCount = static_cast<std::size_t>(Section::kCount);
constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kCheckedAlone = std::uint64_t{4} << 20;

struct SectionPlace {
  std::uint64_t offset = 0, size = 0, checksum = 0;
};

// A header is a front, the marks of its version, the places of its version's sections, and the
// checksum (u64) of all that.
struct HeaderFront {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kBaseVersion;
  std::uint32_t section_count = static_cast<std::uint32_t>(kSectionCount);
  std::uint64_t file_size = 0;
  BaseCounts counts;
};
static_assert(std::is_trivially_copyable_v<HeaderFront> &&
              std::is_trivially_copyable_v<BaseMarks> && sizeof(HeaderFront) == 96);

// What the header of a version holds.
struct Layout {
  std::size_t marks = 0;  // bytes of BaseMarks
  std::size_t sections = 0;
  std::size_t size() const {
    return sizeof(HeaderFront) + marks + sections * sizeof(SectionPlace) + sizeof(std::uint64_t);
  }
};

Layout layout_of(std::uint32_t version) {
  if (version == 1) return {0, 42};
  if (version == 2) return {offsetof(BaseMarks, causes_from), 43};
  if (version == 3) return {sizeof(BaseMarks), 45};
  return {sizeof(BaseMarks), kSectionCount};
}

struct FileHeader {
  HeaderFront front;
  BaseMarks marks;
  std::vector<SectionPlace> sections;

  std::string bytes() const {
    std::string out(reinterpret_cast<const char*>(&front), sizeof front);
    out.append(reinterpret_cast<const char*>(&marks), layout_of(front.version).marks);
    out.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(SectionPlace));
    const std::uint64_t checksum = checksum64(out);
    out.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return out;
  }

  static Result<FileHeader> read(std::string_view bytes) {
    FileHeader header;
    if (bytes.size() < 16) return fail(ErrorCode::kCorrupt, "the base file is too short");
    std::memcpy(&header.front, bytes.data(), std::min(sizeof header.front, bytes.size()));
    if (header.front.magic != kMagic) return fail(ErrorCode::kCorrupt, "this is no base file");
    const std::uint32_t version = header.front.version;
    if (version == 0 || version > kBaseVersion) {
      return fail(ErrorCode::kVersionMismatch, "the base file has format " +
                                                   std::to_string(version) + ", not " +
                                                   std::to_string(kBaseVersion));
    }
    const Layout layout = layout_of(version);
    const std::size_t checked = layout.size() - sizeof(std::uint64_t);
    std::uint64_t checksum = 0;
    if (bytes.size() >= layout.size())
      std::memcpy(&checksum, bytes.data() + checked, sizeof checksum);
    if (bytes.size() < layout.size() || header.front.section_count != layout.sections ||
        checksum != checksum64(bytes.substr(0, checked))) {
      return fail(ErrorCode::kCorrupt, "the header of the base file is damaged");
    }
    const char* at = bytes.data() + sizeof header.front;
    std::memcpy(&header.marks, at, layout.marks);
    header.sections.resize(layout.sections);
    std::memcpy(header.sections.data(), at + layout.marks, layout.sections * sizeof(SectionPlace));
    return header;
  }
};

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T>
Status view_as(std::string_view bytes, std::span<const T>& out) {
  if (bytes.size() % sizeof(T) != 0)
    return fail(ErrorCode::kCorrupt, "a section of the base has an odd size");
  out = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  return {};
}

template <typename T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

// The first section that does not match its checksum, or how many there are. Large files are read
// by two threads: most of the time goes into the page faults of a fresh process.
std::size_t first_damaged(const FileHeader& header, const std::vector<std::string_view>& sections) {
  const auto check = [&](std::size_t from, std::size_t to) {
    while (from < to && checksum64(sections[from]) == header.sections[from].checksum) ++from;
    return from;
  };
  const std::size_t count = sections.size();
  const std::uint64_t size = header.front.file_size;
  std::size_t middle = 0;
  for (std::uint64_t bytes = 0; middle < count && bytes < size / 2; ++middle) {
    bytes += sections[middle].size();
  }
  if (size < kCheckedAlone) middle = count;
  std::future<std::size_t> rest;
  if (middle != count) rest = std::async(std::launch::async, check, middle, count);
  const std::size_t damaged = check(0, middle);
  const std::size_t later = rest.valid() ? rest.get() : count;
  return damaged != middle ? damaged : later;
}

// Before a number is cut: what a base of a later program, or a damaged header, says it holds.
Status check_numbers(const FileHeader& header) {
  const NumberLimits limits;
  const auto size = [&](Section section, std::uint64_t each, std::uint64_t spare = 0) {
    const auto at = static_cast<std::size_t>(section);
    const std::uint64_t held = at < header.sections.size() ? header.sections[at].size / each : 0;
    return held - std::min(held, spare);
  };
  ANIMA_TRY(check_limit(header.front.counts.sequence, limits.entries, kEntriesWords));
  // The first id and the first place are nobody's, and offsets have one more at the end.
  ANIMA_TRY(check_limit(size(Section::kEntityA, 4, 1), limits.entities, kEntitiesWords));
  ANIMA_TRY(check_limit(size(Section::kTermOffsets, 8, 2), limits.literals, kLiteralsWords));
  ANIMA_TRY(check_limit(size(Section::kGraphSizes, 8, 1), limits.graphs, kGraphsWords));
  ANIMA_TRY(
      check_limit(size(Section::kSpoS, 4) + size(Section::kRetiredS, 4), limits.rows, kRowsWords));
  ANIMA_TRY(
      check_limit(size(Section::kContexts, sizeof(Context)), limits.contexts, kContextsWords));
  ANIMA_TRY(check_limit(size(Section::kSets, 4), limits.lists, kListsWords));
  return check_limit(size(Section::kEntryBytes, 1), limits.names, kNamesWords);
}

}  // namespace

std::shared_ptr<const Base> Base::empty() {
  BaseImage image;
  image[Section::kTermOffsets] = bytes_of<std::uint64_t>({0, 0});
  image[Section::kTermHash] = bytes_of<std::uint32_t>({0});
  image[Section::kEntityA] = bytes_of<std::uint32_t>({0});
  image[Section::kEntityB] = bytes_of<std::uint32_t>({0});
  image[Section::kSpoOffsets] = bytes_of<std::uint32_t>({0, 0});
  image[Section::kPosDirectory] = bytes_of<std::uint32_t>({0xffffffffu, 0});
  image[Section::kOpsEntityOffsets] = bytes_of<std::uint32_t>({0, 0});
  image[Section::kOpsIntegers] = bytes_of<std::uint32_t>({0xffffffffu, 0});
  image[Section::kOpsLiteralOffsets] = bytes_of<std::uint32_t>({0, 0});
  image[Section::kGraphOffsets] = bytes_of<std::uint64_t>({0, 0});
  image[Section::kGraphSizes] = bytes_of<std::uint64_t>({0});
  return from_image(std::move(image));
}

std::shared_ptr<const Base> Base::from_image(BaseImage image) {
  const auto held = std::make_shared<const BaseImage>(std::move(image));
  std::shared_ptr<Base> base(new Base);
  base->counts_ = held->counts;
  base->marks_ = held->marks;
  std::vector<std::string_view> views;
  for (const auto& section : held->sections) {
    views.push_back(section);
    base->heap_bytes_ += section.capacity();
  }
  ANIMA_CHECK(base->attach(views));
  base->find_books();
  base->keep_alive_ = held;
  return base;
}

std::vector<std::string_view> Base::file_pieces(const BaseImage& image, std::string& header_room) {
  static constexpr char kPadding[kAlignment] = {};
  FileHeader header;
  header.front.counts = image.counts;
  header.marks = image.marks;
  const Layout layout = layout_of(kBaseVersion);
  std::uint64_t at = aligned(layout.size());
  for (const std::string& section : image.sections) {
    header.sections.push_back({at, section.size(), checksum64(section)});
    at += aligned(section.size());
  }
  header.front.file_size = at;
  header_room = header.bytes();
  header_room.resize(aligned(header_room.size()));
  std::vector<std::string_view> pieces{header_room};
  for (const std::string& section : image.sections) {
    pieces.emplace_back(section);
    pieces.emplace_back(kPadding, aligned(section.size()) - section.size());
  }
  return pieces;
}

Result<std::shared_ptr<const Base>> Base::from_bytes(std::string_view bytes,
                                                     std::shared_ptr<const void> keep_alive) {
  ANIMA_ASSIGN(const FileHeader header, FileHeader::read(bytes));
  ANIMA_TRY(check_numbers(header));
  if (header.front.file_size != bytes.size())
    return fail(ErrorCode::kCorrupt, "the base file was cut");
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < header.sections.size(); ++i) {
    const SectionPlace& place = header.sections[i];
    if (place.offset > bytes.size() || place.size > bytes.size() - place.offset) {
      return fail(ErrorCode::kCorrupt,
                  "section " + std::to_string(i) + " of the base lies outside");
    }
    views.push_back(bytes.substr(place.offset, place.size));
  }
  if (const std::size_t damaged = first_damaged(header, views); damaged != views.size()) {
    return fail(ErrorCode::kCorrupt,
                "section " + std::to_string(damaged) + " of the base is damaged");
  }
  std::shared_ptr<Base> base(new Base);
  base->counts_ = header.front.counts;
  base->marks_ = header.marks;
  base->version_ = header.front.version;
  if (base->version_ < 3) base->marks_.causes_from = base->counts_.sequence + 1;
  views.resize(kSectionCount);
  ANIMA_TRY(base->attach(views));
  ANIMA_TRY(base->check_contents());
  base->find_books();
  base->keep_alive_ = std::move(keep_alive);
  base->image_bytes_ = bytes.size();
  return std::shared_ptr<const Base>(std::move(base));
}

Status Base::attach(const std::vector<std::string_view>& sections) {
  const auto at = [&](Section s) { return sections[static_cast<std::size_t>(s)]; };
  ANIMA_TRY(view_as(at(Section::kTermOffsets), term_offsets));
  term_bytes = at(Section::kTermBytes);
  const std::pair<Section, Column*> columns[] = {
      {Section::kTermHash, &term_hash},
      {Section::kEntityA, &entity_a},
      {Section::kEntityB, &entity_b},
      {Section::kSpoOffsets, &spo_offsets},
      {Section::kSpoS, &spo_s},
      {Section::kSpoP, &spo_p},
      {Section::kSpoO, &spo_o},
      {Section::kSpoSet, &spo_set},
      {Section::kSpoProposition, &spo_proposition},
      {Section::kSpoBorn, &spo_born},
      {Section::kPosDirectory, &pos_directory},
      {Section::kPosO, &pos_o},
      {Section::kPosS, &pos_s},
      {Section::kPosSet, &pos_set},
      {Section::kOpsEntityOffsets, &ops_entity_offsets},
      {Section::kOpsIntegers, &ops_integers},
      {Section::kOpsLiteralOffsets, &ops_literal_offsets},
      {Section::kOpsP, &ops_p},
      {Section::kOpsS, &ops_s},
      {Section::kOpsSet, &ops_set},
      {Section::kByBorn, &by_born},
      {Section::kValueOrder, &value_order},
      {Section::kRetiredS, &retired_s},
      {Section::kRetiredP, &retired_p},
      {Section::kRetiredO, &retired_o},
      {Section::kRetiredProposition, &retired_proposition},
      {Section::kRetiredSet, &retired_set},
      {Section::kRetiredBorn, &retired_born},
      {Section::kRetiredDied, &retired_died},
      {Section::kRetiredByDied, &retired_by_died},
      {Section::kRetiredByObject, &retired_by_object},
      {Section::kByGraph, &by_graph},
      {Section::kActs, &acts},
      {Section::kSets, &sets},
      {Section::kLabels, &label_pairs},
  };
  for (const auto& [section, column] : columns) ANIMA_TRY(view_as(at(section), *column));
  ANIMA_TRY(view_as(at(Section::kContexts), contexts));
  ANIMA_TRY(view_as(at(Section::kGraphOffsets), graph_offsets));
  ANIMA_TRY(view_as(at(Section::kGraphSizes), graph_sizes));
  graph_bytes = at(Section::kGraphBytes);
  ANIMA_TRY(view_as(at(Section::kEntries), entries));
  entry_bytes = at(Section::kEntryBytes);
  text = at(Section::kText);
  seals = at(Section::kSeals);
  if (version_ < 3) ANIMA_TRY(make_orders());
  ANIMA_TRY(check_sizes());
  rows_ = static_cast<std::uint32_t>(spo_s.size());
  entities_ = static_cast<std::uint32_t>(entity_a.size());
  terms_ = static_cast<std::uint32_t>(term_offsets.size() - 1);
  graphs_ = static_cast<std::uint32_t>(graph_sizes.size());
  if (one_graph()) return {};
  graph_firsts_.reserve(graph_sizes.size() + 1);
  std::uint64_t next = 0;
  for (const std::uint64_t size : graph_sizes) {
    graph_firsts_.push_back(next);
    next += size;
  }
  graph_firsts_.push_back(next);
  return {};
}

void BookRows::reset(std::uint32_t rows) {
  for (auto& bits : bits_) bits.assign((std::size_t{rows} + 63) / 64, 0);
}

void BookRows::add(RowOrder order, std::uint32_t place) {
  bits_[static_cast<std::size_t>(order)][place / 64] |= std::uint64_t{1} << (place % 64);
}

bool BookRows::touch(RowOrder order, Range range) const {
  if (none()) return false;
  for (std::uint32_t at = range.begin; at < range.end; at = (at | 63u) + 1) {
    std::uint64_t bits = word(order, at) >> (at % 64);
    if (const std::uint32_t left = range.end - at; left < 64)
      bits &= (std::uint64_t{1} << left) - 1;
    if (bits != 0) return true;
  }
  return false;
}

void Base::find_books() {
  std::vector<bool> own(graphs_, false);
  for (std::uint32_t graph = 0; graph < graphs_; ++graph)
    own[graph] = is_own_graph(graph_name(graph));
  const auto of_books = [&](std::uint32_t row) {
    const bool many = (spo_set[row] & kManySets) != 0;
    const std::uint32_t place = spo_set[row] & ~kManySets;
    const Column members = many ? sets.subspan(place + 1, sets[place]) : spo_set.subspan(row, 1);
    return std::all_of(members.begin(), members.end(),
                       [&](std::uint32_t context) { return own[contexts[context].graph]; });
  };
  const auto note = [&](std::uint32_t row) {
    if (!of_books(row)) return;
    if (books_.none()) books_.reset(rows_);
    books_.add(RowOrder::kSpo, row);
    books_.add(RowOrder::kPos, pos_place(row));
    books_.add(RowOrder::kOps, ops_place(row));
  };
  if (one_graph()) {
    if (rows_ == 0 || !of_books(0)) return;
    for (std::uint32_t row = 0; row < rows_; ++row) note(row);
    return;
  }
  for (std::uint32_t graph = 0; graph < graphs_; ++graph) {
    if (!own[graph]) continue;
    for (const std::uint32_t row : of_graph(graph)) note(row);
  }
}

// The orders that a file of an older version lacks.
Status Base::make_orders() {
  const auto damaged = [] {
    return fail(ErrorCode::kCorrupt, "the sections of the base do not fit together");
  };
  made_retired_by_object_.resize(retired_o.size());
  std::iota(made_retired_by_object_.begin(), made_retired_by_object_.end(), 0u);
  std::stable_sort(made_retired_by_object_.begin(), made_retired_by_object_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return retired_o[a] < retired_o[b]; });
  retired_by_object = made_retired_by_object_;
  if (one_graph()) return {};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> listed;  // graph and row
  for (std::uint32_t row = 0; row < spo_set.size(); ++row) {
    const bool many = (spo_set[row] & kManySets) != 0;
    const std::uint32_t place = spo_set[row] & ~kManySets;
    if (many && (place >= sets.size() || sets[place] > sets.size() - place - 1)) return damaged();
    const Column members = many ? sets.subspan(place + 1, sets[place]) : spo_set.subspan(row, 1);
    for (const std::uint32_t context : members) {
      if (context >= contexts.size()) return damaged();
      listed.emplace_back(contexts[context].graph, row);
    }
  }
  std::sort(listed.begin(), listed.end());
  for (const auto& [graph, row] : listed) made_by_graph_.push_back(row);
  by_graph = made_by_graph_;
  return {};
}

// What indexing relies on; the checksums answer for the rest.
Status Base::check_sizes() const {
  const std::size_t n = spo_s.size();
  const std::size_t e = entity_a.size();
  const std::size_t t = term_offsets.size();
  bool good = e > 0 && t > 1 && entity_b.size() == e && spo_offsets.size() == e + 1 &&
              ops_entity_offsets.size() == e + 1 && ops_literal_offsets.size() == t &&
              !term_hash.empty() && (term_hash.size() & (term_hash.size() - 1)) == 0 &&
              term_offsets.back() == term_bytes.size();
  for (const Column& column :
       {spo_p, spo_o, spo_set, spo_proposition, spo_born, pos_o, pos_s, ops_p, ops_s, by_born}) {
    good = good && column.size() == n;
  }
  good =
      good && (pos_set.empty() || pos_set.size() == n) && (ops_set.empty() || ops_set.size() == n);
  for (const Column& column : {retired_p, retired_o, retired_proposition, retired_set, retired_born,
                               retired_died, retired_by_died, retired_by_object}) {
    good = good && column.size() == retired_s.size();
  }
  good = good && pos_directory.size() >= 2 && pos_directory.size() % 2 == 0 &&
         ops_integers.size() >= 2 && ops_integers.size() % 2 == 0 && label_pairs.size() % 2 == 0 &&
         !graph_sizes.empty() && graph_offsets.size() == graph_sizes.size() + 1 &&
         graph_offsets.back() == graph_bytes.size() && entries.size() == counts_.sequence &&
         (acts.empty() || acts.size() == entries.size()) && graphs_fit();
  if (!good) return fail(ErrorCode::kCorrupt, "the sections of the base do not fit together");
  return {};
}

// Sizes that are added up must not wrap around to the right sum.
bool Base::graphs_fit() const {
  if (pos_set.empty()) return by_graph.empty();
  std::uint64_t left = by_graph.size();
  for (const std::uint64_t size : graph_sizes) {
    if (size > left) return false;
    left -= size;
  }
  return left == 0;
}

LayerFirsts Base::next_firsts() const {
  LayerFirsts firsts;
  firsts.row = rows_;
  firsts.term = terms_;
  firsts.entity = entities_;
  firsts.graph = graphs_;
  firsts.context = static_cast<std::uint32_t>(contexts.size());
  firsts.set = static_cast<std::uint32_t>(sets.size());
  firsts.sequence = counts_.sequence;
  firsts.base_rows = rows_;
  return firsts;
}

Range Base::between_long(const std::uint32_t* data, Range range, std::uint32_t first,
                         std::uint32_t last) {
  const std::uint32_t* begin = std::lower_bound(data + range.begin, data + range.end, first);
  const std::uint32_t* end = first == last && (begin == data + range.end || *begin != first)
                                 ? begin
                                 : std::upper_bound(begin, data + range.end, last);
  return {static_cast<std::uint32_t>(begin - data), static_cast<std::uint32_t>(end - data)};
}

Range Base::of_value(ObjectCode o) const {
  const std::uint32_t payload = o & kPayloadMask;
  switch (static_cast<Tag>(o >> kTagShift)) {
    case Tag::kEntity:
      if (payload >= entities_) return {};
      return {ops_entity_offsets[payload], ops_entity_offsets[payload + 1]};
    case Tag::kLiteral:
      if (payload >= terms_) return {};
      return {ops_literal_offsets[payload], ops_literal_offsets[payload + 1]};
    case Tag::kInteger: {
      std::size_t low = 0;
      std::size_t high = ops_integers.size() / 2 - 1;
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (ops_integers[2 * middle] < o) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (ops_integers[2 * low] != o) return {};  // the last pair is no integer
      return {ops_integers[2 * low + 1], ops_integers[2 * low + 3]};
    }
    case Tag::kOverlay:
      break;
  }
  return {};
}

Range Base::of_predicates(std::uint32_t first, std::uint32_t last) const {
  const std::size_t pairs = pos_directory.size() / 2 - 1;
  const auto place = [&](std::uint32_t key, bool after) {
    std::size_t low = 0;
    std::size_t high = pairs;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const std::uint32_t at = pos_directory[2 * middle];
      if (at < key || (after && at == key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return pos_directory[2 * low + 1];
  };
  return {place(first, false), place(last, true)};
}

Range Base::of_predicate(PredicateCode p) const { return of_predicates(p, p); }

std::uint32_t Base::find_long(Range range, PredicateCode p, ObjectCode o) const {
  range = between_long(spo_p.data(), range, p, p);
  const std::uint32_t* data = spo_o.data();
  const std::uint32_t* at = std::lower_bound(data + range.begin, data + range.end, o);
  if (at == data + range.end || *at != o) return kNoRow;
  return static_cast<std::uint32_t>(at - data);
}

std::uint32_t Base::pos_place(std::uint32_t row) const {
  Range range = of_predicate(PredicateCode{spo_p[row]});
  range = narrow(pos_o, range, spo_o[row]);
  return std::min(narrow(pos_s, range, spo_s[row]).begin, rows_ - 1);
}

std::uint32_t Base::ops_place(std::uint32_t row) const {
  return std::min(
      narrow(ops_s, of_object_predicate(ObjectCode{spo_o[row]}, PredicateCode{spo_p[row]}),
             spo_s[row])
          .begin,
      rows_ - 1);
}

std::uint32_t Base::pos_predicate(std::uint32_t place) const {
  std::size_t low = 0;
  std::size_t high = pos_directory.size() / 2 - 1;
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (pos_directory[2 * middle + 1] <= place ? low : high) = middle;
  }
  return pos_directory[2 * low];
}

std::uint32_t Base::ops_object(std::uint32_t place) const {
  const auto owner = [&](Column offsets) {
    return static_cast<std::uint32_t>(std::upper_bound(offsets.begin(), offsets.end(), place) -
                                      offsets.begin() - 1);
  };
  if (place < ops_entity_offsets.back()) return owner(ops_entity_offsets);
  if (place < ops_integers.back()) {
    std::size_t low = 0;
    std::size_t high = ops_integers.size() / 2 - 1;
    while (low + 1 < high) {
      const std::size_t middle = (low + high) / 2;
      (ops_integers[2 * middle + 1] <= place ? low : high) = middle;
    }
    return ops_integers[2 * low];
  }
  return Term::literal(owner(ops_literal_offsets)).code;
}

Range Base::retired_of_subject(SubjectCode s) const {
  return narrow(retired_s, {0, retired_rows()}, s);
}

Range Base::retired_of_object(ObjectCode o) const {
  const auto begin = retired_by_object.begin();
  const auto first = std::partition_point(begin, retired_by_object.end(),
                                          [&](std::uint32_t row) { return retired_o[row] < o; });
  const auto last = std::partition_point(first, retired_by_object.end(),
                                         [&](std::uint32_t row) { return retired_o[row] == o; });
  return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - begin)};
}

Range Base::retired_at(std::uint64_t sequence) const {
  const auto begin = retired_by_died.begin();
  const auto first = std::partition_point(begin, retired_by_died.end(), [&](std::uint32_t row) {
    return retired_died[row] < sequence;
  });
  const auto last = std::partition_point(first, retired_by_died.end(), [&](std::uint32_t row) {
    return retired_died[row] == sequence;
  });
  return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - begin)};
}

Range Base::retired(SubjectCode s, PredicateCode p, ObjectCode o) const {
  return narrow(retired_o, narrow(retired_p, retired_of_subject(s), p), o);
}

std::uint32_t Base::find_term(std::string_view stored, std::uint32_t hash) const {
  const auto mask = static_cast<std::uint32_t>(term_hash.size() - 1);
  for (std::uint32_t i = hash & mask;; i = (i + 1) & mask) {
    const std::uint32_t place = term_hash[i];
    if (place == 0) return 0;
    if (term(place) == stored) return place;
  }
}

EntryRecord Base::entry(std::uint64_t sequence) const {
  const StoredEntry& stored = entries[sequence - 1];
  EntryRecord record;
  record.time = {stored.time};
  record.cause = stored.cause;
  record.act = acts.empty() ? 0 : acts[sequence - 1];
  record.trust = static_cast<Trust>(stored.trust & ~kUndoMark);
  record.undo = (stored.trust & kUndoMark) != 0;
  record.author = entry_bytes.substr(stored.author, stored.author_size);
  record.source = entry_bytes.substr(stored.source, stored.source_size);
  return record;
}

std::size_t Base::first_label(std::uint32_t hash) const {
  std::size_t low = 0;
  std::size_t high = label_pairs.size() / 2;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (label_pairs[2 * middle] < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 2 * low;
}

}  // namespace anima::store::detail
