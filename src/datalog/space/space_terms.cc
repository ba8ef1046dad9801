#include "datalog/space/space_terms.h"

#include <algorithm>

#include "base/text/read_number.h"

namespace anima::datalog {

namespace {

constexpr std::string_view kLinkPrefix = "/link/";

// Does the store's term for it serve as its code?
bool is_plain(store::ValueKind kind) {
  return kind == store::ValueKind::kString || kind == store::ValueKind::kInteger ||
         kind == store::ValueKind::kDouble;
}

ValueView plain_view(const store::ValueView& value) {
  ValueView out;
  switch (value.kind) {
    case store::ValueKind::kInteger:
      out.kind = ValueKind::kInt;
      out.number = value.integer;
      return out;
    case store::ValueKind::kDouble:
      out.kind = ValueKind::kFloat;
      out.real = value.number;
      return out;
    default:  // what was a string once and was erased since has no text
      out.kind = ValueKind::kString;
      out.text = value.text;
      return out;
  }
}

}  // namespace

// A long chain of states goes link by link, not by recursion.
SpaceTerms::Epoch::~Epoch() {
  std::shared_ptr<Epoch> after = std::move(next);
  while (after != nullptr && after.use_count() == 1) {
    std::shared_ptr<Epoch> further = std::move(after->next);
    after = std::move(further);
  }
}

SpaceTerms::SpaceTerms(const store::Snapshot& snapshot)
    : epoch_(std::make_shared<Epoch>(snapshot)),
      now_(epoch_.get()),
      segments_(new std::atomic<std::atomic<Code>*>[kSegments]()) {}

SpaceTerms::~SpaceTerms() {
  for (std::size_t i = 0; i < kSegments; ++i) {
    delete[] segments_[i].load(std::memory_order_relaxed);
  }
}

std::shared_ptr<const void> SpaceTerms::pin() const {
  const MutexLock lock(epoch_mutex_);
  return epoch_;
}

std::optional<Code> SpaceTerms::find(const ValueView& value) const {
  const store::Snapshot& snapshot = now_.load(std::memory_order_acquire)->snapshot;
  store::ValueView wanted;
  switch (value.kind) {
    case ValueKind::kString:
      wanted.kind = store::ValueKind::kString;
      wanted.text = value.text;
      break;
    case ValueKind::kInt:
      wanted.kind = store::ValueKind::kInteger;
      wanted.integer = value.number;
      break;
    case ValueKind::kFloat:
      wanted.kind = store::ValueKind::kDouble;
      wanted.number = value.real;
      break;
    case ValueKind::kName: {
      if (!value.text.starts_with(kLinkPrefix)) return std::nullopt;
      const std::string_view digits = value.text.substr(kLinkPrefix.size());
      const auto id = read_number<std::uint32_t>(digits);
      if (!id || digits.starts_with('0') || *id >= snapshot.entity_bound()) return std::nullopt;
      if (snapshot.kind(store::EntityId{*id}) != store::EntityKind::kProposition) {
        return std::nullopt;
      }
      return id;
    }
    default:
      return std::nullopt;
  }
  const std::optional<store::Term> term = snapshot.find(wanted);
  if (!term) return std::nullopt;
  return literal(*term);
}

ValueView SpaceTerms::view(Code code) const {
  if ((code & kTagMask) == kTagLiteral) {
    return plain_view(now_.load(std::memory_order_acquire)->snapshot.value(store::Term{code}));
  }
  const MutexLock lock(names_mutex_);
  std::string& name = names_[code];
  if (name.empty()) name = std::string(kLinkPrefix) + std::to_string(code);
  ValueView out;
  out.kind = ValueKind::kName;
  out.text = name;
  return out;
}

void SpaceTerms::advance(const store::Snapshot& next, ValueTable& values) {
  const std::uint32_t first = bound_;
  const std::uint32_t end = std::max(first, next.literal_bound());
  std::vector<std::uint32_t> odd;
  const bool nothing_own = values.size() <= 3;  // nil, /true and /false
  std::shared_ptr<Epoch> before;
  values.parent_grows([&](const ValueTable::Own& own) {
    for (std::uint32_t place = first; place < end; ++place) {
      const store::ValueView value = next.value(store::Term::literal(place));
      if (!is_plain(value.kind)) {
        odd.push_back(place);
      } else if (!nothing_own) {
        if (const auto code = own(plain_view(value))) set_code(store::Term::literal(place), *code);
      }
    }
    auto fresh = std::make_shared<Epoch>(next);
    const MutexLock lock(epoch_mutex_);
    before = epoch_;
    epoch_->next = fresh;
    now_.store(fresh.get(), std::memory_order_release);
    epoch_ = std::move(fresh);
  });
  for (const std::uint32_t place : odd) {
    const store::ValueView value = next.value(store::Term::literal(place));
    const Code code = value.kind == store::ValueKind::kNull ? values.name("/null")
                      : value.kind == store::ValueKind::kBoolean
                          ? values.boolean(value.integer != 0)
                          : values.string(value.text);
    set_code(store::Term::literal(place), code);
  }
  bound_ = end;
}

void SpaceTerms::set_code(store::Term term, Code code) {
  auto& segment = segments_[term.place() >> kSegmentBits];
  std::atomic<Code>* codes = segment.load(std::memory_order_relaxed);
  if (codes == nullptr) {
    codes = new std::atomic<Code>[std::size_t{1} << kSegmentBits]();
    segment.store(codes, std::memory_order_release);
  }
  codes[term.place() & ((1U << kSegmentBits) - 1)].store(code, std::memory_order_release);
  const std::unique_lock lock(others_mutex_);
  others_[code].push_back(term);
  any_others_.store(true, std::memory_order_release);
}

Code SpaceTerms::literal(store::Term term) const {
  if (term.tag() != store::Tag::kLiteral) return term.code;
  const std::atomic<Code>* codes =
      segments_[term.place() >> kSegmentBits].load(std::memory_order_acquire);
  if (codes == nullptr) return term.code;
  const Code code =
      codes[term.place() & ((1U << kSegmentBits) - 1)].load(std::memory_order_acquire);
  return code == 0 ? term.code : code;
}

void SpaceTerms::literals_of(Code code, std::vector<store::Term>& out) const {
  const Code tag = code & kTagMask;
  if (tag == kTagLiteral || tag == kTagInt) out.push_back(store::Term{code});
  if (!any_others_.load(std::memory_order_acquire)) return;
  const std::shared_lock lock(others_mutex_);
  if (const auto found = others_.find(code); found != others_.end()) {
    out.insert(out.end(), found->second.begin(), found->second.end());
  }
}

bool SpaceTerms::has_others(Code code) const {
  if (!any_others_.load(std::memory_order_acquire)) return false;
  const std::shared_lock lock(others_mutex_);
  return others_.contains(code);
}

}  // namespace anima::datalog
