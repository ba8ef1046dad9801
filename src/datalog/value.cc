#include "datalog/value.h"

#include <algorithm>

#include "base/enum_order.h"
#include "base/result.h"
#include "datalog/values/value_view.h"

namespace anima::datalog {

// 16 bytes a value. Text and entries lie in the table's blocks.
struct ValueTable::Entry {
  std::uint32_t length = 0;  // bytes of text, codes of entries, elements of a list
  ValueKind kind = ValueKind::kNil;
  struct Both {
    Code first;
    Code second;
  };
  union {
    std::int64_t number;
    double real;
    const char* text;
    const Code* entries;
    Both both;
  };

  Entry() : number(0) {}

  ValueView view() const {
    ValueView out;
    out.kind = kind;
    switch (kind) {
      case ValueKind::kName:
      case ValueKind::kString:
      case ValueKind::kBytes:
        out.text = std::string_view(text, length);
        break;
      case ValueKind::kInt:
      case ValueKind::kTime:
      case ValueKind::kDuration:
        out.number = number;
        break;
      case ValueKind::kFloat:
        out.real = real;
        break;
      case ValueKind::kCons:
        out.number = length;
        [[fallthrough]];
      case ValueKind::kPair:
        out.first = both.first;
        out.second = both.second;
        break;
      case ValueKind::kNil:
        break;
      case ValueKind::kMap:
      case ValueKind::kStruct:
        out.entries = std::span<const Code>(entries, length);
        break;
    }
    return out;
  }
};

namespace {

constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};
constexpr std::size_t kBlockBytes = 64 * 1024;

static_assert(follow_each_other({ValueKind::kName, ValueKind::kString, ValueKind::kBytes,
                                 ValueKind::kInt, ValueKind::kFloat, ValueKind::kTime,
                                 ValueKind::kDuration, ValueKind::kPair, ValueKind::kNil,
                                 ValueKind::kCons, ValueKind::kMap, ValueKind::kStruct}));

bool parent_may_know(ValueKind kind) { return kind <= ValueKind::kDuration; }

}  // namespace

ValueTable::ValueTable(const ParentDictionary* parent) : parent_(parent) {
  slots_.assign(64, kEmptySlot);
  ValueView nil;
  ANIMA_CHECK(add(nil, hash_value(nil)) == kNilCode);
  for (std::string_view word : {"/true", "/false"}) {
    ValueView truth;
    truth.kind = ValueKind::kName;
    truth.text = word;
    add(truth, hash_value(truth));
  }
}

ValueTable::~ValueTable() {
  for (auto& segment : segments_) delete[] segment.load(std::memory_order_relaxed);
}

const ValueTable::Entry& ValueTable::entry_at(Code code) const {
  // Segment s holds the indexes [2^10 (2^s - 1), 2^10 (2^(s+1) - 1)).
  const std::uint32_t index = (code & ~kTagMask) + (1U << kFirstSegmentBits);
  const auto top = static_cast<std::size_t>(std::bit_width(index)) - 1;
  const Entry* segment = segments_[top - kFirstSegmentBits].load(std::memory_order_acquire);
  return segment[index - (1U << top)];
}

void* ValueTable::allocate(std::size_t size, std::size_t alignment) {
  const std::size_t waste =
      (alignment - reinterpret_cast<std::uintptr_t>(block_next_) % alignment) % alignment;
  if (block_left_ < size + waste) {
    const std::size_t wanted = std::max(size, kBlockBytes);
    blocks_.emplace_back(new std::byte[wanted]);
    bytes_.fetch_add(wanted, std::memory_order_relaxed);
    if (wanted > kBlockBytes) return blocks_.back().get();
    block_next_ = blocks_.back().get();
    block_left_ = wanted;
  } else {
    block_next_ += waste;
    block_left_ -= waste;
  }
  void* out = block_next_;
  block_next_ += size;
  block_left_ -= size;
  return out;
}

std::optional<Code> ValueTable::find_here(const ValueView& value, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i] != kEmptySlot; i = (i + 1) & mask) {
    if (slots_[i] >> 32 != hash) continue;
    const Code code = kTagOverlay | static_cast<std::uint32_t>(slots_[i]);
    const Entry& entry = entry_at(code);
    if (entry.kind == value.kind && same_value(entry.view(), value)) return code;
  }
  return std::nullopt;
}

Code ValueTable::add(const ValueView& value, std::uint32_t hash) {
  const std::uint32_t index = size_.load(std::memory_order_relaxed);
  ANIMA_CHECK(index < ~kTagMask);
  if ((std::size_t{index} + 1) * 2 > slots_.size()) grow();
  const std::uint32_t place = index + (1U << kFirstSegmentBits);
  const auto top = static_cast<std::size_t>(std::bit_width(place)) - 1;
  auto& segment = segments_[top - kFirstSegmentBits];
  if (segment.load(std::memory_order_relaxed) == nullptr) {
    segment.store(new Entry[std::size_t{1} << top], std::memory_order_release);
    bytes_.fetch_add(sizeof(Entry) << top, std::memory_order_relaxed);
  }
  Entry& entry = segment.load(std::memory_order_relaxed)[place - (1U << top)];
  entry.kind = value.kind;
  switch (value.kind) {
    case ValueKind::kName:
    case ValueKind::kString:
    case ValueKind::kBytes: {
      auto* copy = static_cast<char*>(allocate(std::max<std::size_t>(value.text.size(), 1), 1));
      std::copy(value.text.begin(), value.text.end(), copy);
      entry.text = copy;
      entry.length = static_cast<std::uint32_t>(value.text.size());
      break;
    }
    case ValueKind::kInt:
    case ValueKind::kTime:
    case ValueKind::kDuration:
      entry.number = value.number;
      break;
    case ValueKind::kFloat:
      entry.real = value.real;
      break;
    case ValueKind::kCons:
      entry.length = static_cast<std::uint32_t>(list_length(value.second) + 1);
      [[fallthrough]];
    case ValueKind::kPair:
      entry.both.first = value.first;
      entry.both.second = value.second;
      break;
    case ValueKind::kNil:
      break;
    case ValueKind::kMap:
    case ValueKind::kStruct: {
      auto* copy = static_cast<Code*>(
          allocate(std::max<std::size_t>(value.entries.size_bytes(), 1), alignof(Code)));
      std::copy(value.entries.begin(), value.entries.end(), copy);
      entry.entries = copy;
      entry.length = static_cast<std::uint32_t>(value.entries.size());
      break;
    }
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i] != kEmptySlot) i = (i + 1) & mask;
  slots_[i] = std::uint64_t{hash} << 32 | index;
  size_.store(index + 1, std::memory_order_release);
  return kTagOverlay | index;
}

void ValueTable::grow() {
  std::vector<std::uint64_t> old(slots_.size() * 2, kEmptySlot);
  old.swap(slots_);
  bytes_.fetch_add(old.size() * sizeof(std::uint64_t), std::memory_order_relaxed);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t slot : old) {
    if (slot == kEmptySlot) continue;
    std::size_t i = (slot >> 32) & mask;
    while (slots_[i] != kEmptySlot) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Three passes over a handful of texts: hash and fetch the slot, fetch the entry and then its text,
// compare or add. What a look-up would wait for is under way while the others are looked at.
void ValueTable::intern_texts(std::span<const Text> texts, std::span<Code> codes) {
  constexpr std::size_t kChunk = 32;
  ValueView views[kChunk];
  std::uint32_t hashes[kChunk];
  for (std::size_t from = 0; from < texts.size(); from += kChunk) {
    const std::size_t count = std::min(kChunk, texts.size() - from);
    for (std::size_t i = 0; i < count; ++i) {
      views[i].kind = texts[from + i].kind;
      views[i].text = texts[from + i].text;
      hashes[i] = hash_value(views[i]);
    }
    if (parent_ != nullptr) {
      for (std::size_t i = 0; i < count; ++i) codes[from + i] = find_or_add(views[i]);
      continue;
    }
    const MutexLock lock(mutex_);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[hashes[i] & mask]);
    const Entry* entries[kChunk] = {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t slot = slots_[hashes[i] & mask];
      if (slot == kEmptySlot || slot >> 32 != hashes[i]) continue;
      entries[i] = &entry_at(kTagOverlay | static_cast<std::uint32_t>(slot));
      __builtin_prefetch(entries[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (entries[i] != nullptr && entries[i]->kind == views[i].kind) {
        __builtin_prefetch(entries[i]->text);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto known = find_here(views[i], hashes[i]);
      codes[from + i] = known ? *known : add(views[i], hashes[i]);
    }
  }
}

Code ValueTable::find_or_add(const ValueView& value) {
  const std::uint32_t hash = hash_value(value);
  const MutexLock lock(mutex_);
  if (auto known = find_here(value, hash)) return *known;
  if (parent_ != nullptr && parent_may_know(value.kind)) {
    if (auto known = parent_->find(value)) return *known;
  }
  return add(value, hash);
}

void ValueTable::parent_grows(const std::function<void(const Own& own)>& grow) {
  const MutexLock lock(mutex_);
  grow([this](const ValueView& value)
           ANIMA_REQUIRES(mutex_) { return find_here(value, hash_value(value)); });
}

Code ValueTable::boxed(ValueKind kind, std::int64_t number) {
  ValueView value;
  value.kind = kind;
  value.number = number;
  return find_or_add(value);
}

Code ValueTable::real(double number) {
  ValueView value;
  value.kind = ValueKind::kFloat;
  value.real = number;
  return find_or_add(value);
}

Code ValueTable::textual(ValueKind kind, std::string_view text) {
  ValueView value;
  value.kind = kind;
  value.text = text;
  return find_or_add(value);
}

Code ValueTable::pair(Code first, Code second) {
  ValueView value;
  value.kind = ValueKind::kPair;
  value.first = first;
  value.second = second;
  return find_or_add(value);
}

Code ValueTable::cons(Code head, Code tail) {
  ValueView value;
  value.kind = ValueKind::kCons;
  value.first = head;
  value.second = tail;
  return find_or_add(value);
}

Code ValueTable::list(std::span<const Code> items) {
  Code out = kNilCode;
  for (std::size_t i = items.size(); i > 0; --i) out = cons(items[i - 1], out);
  return out;
}

Code ValueTable::keyed(ValueKind kind, std::span<const Code> entries) {
  struct Pair {
    Code key;
    Code value;
  };
  std::vector<Pair> sorted;
  sorted.reserve(entries.size() / 2);
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    sorted.push_back({entries[i], entries[i + 1]});
  }
  std::ranges::stable_sort(
      sorted, [this](const Pair& a, const Pair& b) { return compare(a.key, b.key) < 0; });
  std::vector<Code> flat;
  flat.reserve(sorted.size() * 2);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i + 1 < sorted.size() && sorted[i].key == sorted[i + 1].key) continue;
    flat.push_back(sorted[i].key);
    flat.push_back(sorted[i].value);
  }
  ValueView value;
  value.kind = kind;
  value.entries = flat;
  return find_or_add(value);
}

ValueView ValueTable::view(Code code) const {
  switch (code & kTagMask) {
    case kTagInt: {
      ValueView out;
      out.kind = ValueKind::kInt;
      out.number = inline_value(code);
      return out;
    }
    case kTagOverlay:
      return entry_at(code).view();
    default:
      ANIMA_CHECK(parent_ != nullptr);
      return parent_->view(code);
  }
}

ValueKind ValueTable::kind(Code code) const {
  if (is_inline_int(code)) return ValueKind::kInt;
  if ((code & kTagMask) == kTagOverlay) return entry_at(code).kind;
  return view(code).kind;
}

std::size_t ValueTable::list_length(Code list) const {
  return list == kNilCode ? 0 : entry_at(list).length;
}

std::vector<Code> ValueTable::list_items(Code list) const {
  std::vector<Code> out;
  out.reserve(list_length(list));
  while (list != kNilCode) {
    const Entry& cell = entry_at(list);
    out.push_back(cell.both.first);
    list = cell.both.second;
  }
  return out;
}

std::optional<Code> ValueTable::entry(Code keyed, Code key) const {
  const std::span<const Code> entries = view(keyed).entries;
  std::size_t low = 0;
  std::size_t high = entries.size() / 2;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const int order = compare(entries[2 * middle], key);
    if (order == 0) return entries[2 * middle + 1];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

// With an explicit stack: nesting is as deep as a program likes. Equal parts have equal codes, so
// only the first differing part is entered and the walk is linear in the depth.
int ValueTable::compare(Code a, Code b) const {
  if (a == b) return 0;
  if (is_inline_int(a) && is_inline_int(b)) return inline_value(a) < inline_value(b) ? -1 : 1;
  while (true) {
    const ValueView x = view(a);
    const ValueView y = view(b);
    if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
    if (x.kind == ValueKind::kPair || x.kind == ValueKind::kCons) {
      const bool first = x.first != y.first;
      a = first ? x.first : x.second;
      b = first ? y.first : y.second;
    } else if (x.kind == ValueKind::kMap || x.kind == ValueKind::kStruct) {
      const std::size_t common = std::min(x.entries.size(), y.entries.size());
      std::size_t i = 0;
      while (i < common && x.entries[i] == y.entries[i]) ++i;
      if (i == common) return x.entries.size() < y.entries.size() ? -1 : 1;
      a = x.entries[i];
      b = y.entries[i];
    } else {
      return compare_scalars(x, y);
    }
  }
}

std::size_t ValueTable::size() const { return size_.load(std::memory_order_acquire); }
std::size_t ValueTable::bytes() const { return bytes_.load(std::memory_order_relaxed); }

}  // namespace anima::datalog
