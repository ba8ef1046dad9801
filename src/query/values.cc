#include "query/values.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "query/detail/shelf.h"
#include "query/meter.h"
#include "query/value_keys.h"

namespace anima::query {

using store::Term;
using store::ValueKind;
using store::ValueView;

namespace {

std::size_t hash_of(const ValueView& value) {
  const std::hash<std::string_view> text;
  std::size_t hash = static_cast<std::size_t>(value.kind) * 0x9E3779B97F4A7C15ull;
  hash ^= std::hash<std::int64_t>{}(value.integer) + (hash << 6);
  hash ^= std::hash<double>{}(value.number) + (hash << 6);
  hash ^= text(value.text) + (hash << 6);
  return hash ^ (text(value.extra) + (hash << 6));
}

bool same_value(const ValueView& a, const ValueView& b) {
  return a.kind == b.kind && a.integer == b.integer && a.number == b.number &&
         a.entity == b.entity && a.text == b.text && a.extra == b.extra;
}

store::Value own(const ValueView& view) {
  store::Value value;
  value.kind = view.kind;
  value.integer = view.integer;
  value.number = view.number;
  value.entity = view.entity;
  value.text = view.text;
  value.extra = view.extra;
  return value;
}

constexpr std::uint32_t kMaxPlace = (std::uint32_t{1} << store::kTagShift) - 1;

std::uint64_t overlay_bytes(const ValueView& value) {
  constexpr std::uint64_t kNode = 4 * sizeof(void*);  // of a hash table: bucket, next, hash, place
  return sizeof(store::Value) + value.text.size() + value.extra.size() + kNode;
}

Error overlay_full() {
  return {ErrorCode::kLimitExceeded, "the query makes more than 2^30 values", {}, {}};
}

}  // namespace

// Terms, and their places in order by what they hold: the table of places reads the terms.
struct Values::Overlay {
  struct Hash {
    using is_transparent = void;
    const std::deque<store::Value>* terms;
    std::size_t operator()(const ValueView& value) const { return hash_of(value); }
    std::size_t operator()(std::uint32_t place) const { return hash_of((*terms)[place].view()); }
  };
  struct Equal {
    using is_transparent = void;
    const std::deque<store::Value>* terms;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(const ValueView& value, std::uint32_t place) const {
      return same_value(value, (*terms)[place].view());
    }
    bool operator()(std::uint32_t place, const ValueView& value) const {
      return (*this)(value, place);
    }
  };
  std::deque<store::Value> terms;
  std::unordered_set<std::uint32_t, Hash, Equal> places{16, Hash{&terms}, Equal{&terms}};
};

Values::Values(const store::Snapshot& snapshot) : snapshot_(snapshot) {}
Values::Values(std::shared_ptr<const Values> before)
    : snapshot_(before->snapshot_), before_(std::move(before)), first_place_(before_->places()) {}
Values::~Values() = default;

std::uint32_t Values::places() const {
  return first_place_ + (overlay_ ? static_cast<std::uint32_t>(overlay_->terms.size()) : 0);
}

std::optional<std::uint32_t> Values::find_place(const ValueView& value) const {
  if (overlay_) {
    const auto known = overlay_->places.find(value);
    if (known != overlay_->places.end()) return first_place_ + *known;
  }
  return before_ != nullptr ? before_->find_place(value) : std::nullopt;
}

const store::Value& Values::overlay_term(std::uint32_t place) const {
  return place < first_place_ ? before_->overlay_term(place)
                              : overlay_->terms[place - first_place_];
}

ValueView Values::view(std::uint32_t code) const {
  const Term term{code};
  if (term.tag() == store::Tag::kOverlay) return overlay_term(term.place()).view();
  if (term.tag() == store::Tag::kInteger) {
    ValueView view;
    view.kind = ValueKind::kInteger;
    view.integer = term.as_integer();
    return view;
  }
  return snapshot_.value(term);
}

const detail::Shelf* Values::shelf_of(store::Predicate predicate, std::size_t times) {
  if (shelves_ == nullptr || times < detail::Shelves::kManyRows) return nullptr;
  for (const auto& [known, shelf] : shelf_of_) {
    if (known == predicate) return shelf.get();
  }
  auto shelf = shelves_->ask(snapshot_, predicate, true, times);
  if (shelf == nullptr) return nullptr;
  return shelf_of_.emplace_back(predicate, std::move(shelf)).second.get();
}

void Values::objects(store::Predicate predicate, const ColumnView& subjects, std::size_t rows,
                     std::uint32_t* out) {
  constexpr std::size_t kPlaces = 16, kLists = 8;  // rows ahead
  const detail::Shelf* const shelf = shelf_of(predicate, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const Term subject{subjects[i]};
    if (i > 0 && subjects[i - 1] == subject.code) {  // joins and groups bring them in runs
      out[i] = out[i - 1];
      continue;
    }
    std::span<const std::uint32_t> list;
    if (shelf != nullptr) {
      if (i + kPlaces < rows) shelf->prefetch_place(subjects[i + kPlaces]);
      if (i + kLists < rows) shelf->prefetch_list(subjects[i + kLists]);
      list = shelf->of(subject.code);
    } else if (subject.is_entity()) {
      list = snapshot_.objects(subject.as_entity(), predicate, scratch);
    }
    out[i] = list.empty() ? 0 : list.size() == 1 ? list[0] : kSeveral;
  }
}

Term Values::intern(const ValueView& value) {
  if (value.kind == ValueKind::kEntity) return Term::entity(value.entity);
  if (const auto known = snapshot_.find(value)) return *known;
  if (const auto known = find_place(value)) return Term{(3u << store::kTagShift) | *known};
  const std::uint32_t place = places();
  if (place > kMaxPlace || (meter_ != nullptr && !meter_->take_memory(overlay_bytes(value)))) {
    if (meter_ != nullptr) meter_->fail(overlay_full());
    return Term{};
  }
  if (!overlay_) overlay_ = std::make_unique<Overlay>();
  overlay_->terms.push_back(own(value));
  overlay_->places.insert(place - first_place_);
  return Term{(3u << store::kTagShift) | place};
}

bool Values::take_memory(std::uint64_t bytes) {
  return meter_ == nullptr || meter_->take_memory(bytes);
}

Term Values::string(std::string_view text) {
  ValueView view;
  view.kind = ValueKind::kString;
  view.text = text;
  return intern(view);
}

Term Values::integer(std::int64_t value) {
  if (Term::fits_integer(value)) return Term::integer(value);
  ValueView view;
  view.kind = ValueKind::kInteger;
  view.integer = value;
  return intern(view);
}

Term Values::number(double value) {
  ValueView view;
  view.kind = ValueKind::kDouble;
  view.number = value;
  return intern(view);
}

Term Values::boolean(bool value) {
  ValueView view;
  view.kind = ValueKind::kBoolean;
  view.integer = value ? 1 : 0;
  return intern(view);
}

void Values::note_stray(StrayUse use, std::uint32_t code) {
  auto& list = strays_[static_cast<std::size_t>(use)];
  if (list.size() >= kMaxStrays || code == 0) return;
  const ValueKind kind = view(code).kind;
  if (kind != ValueKind::kString && kind != ValueKind::kLanguageString) return;
  if (std::find(list.begin(), list.end(), code) == list.end()) list.push_back(code);
}

Term Values::json(const Json& value) { return intern(store::Value::from_json(value).view()); }

bool Values::number_of(std::uint32_t code, double* out) const {
  const Term term{code};
  if (code == 0) return false;
  switch (term.tag()) {
    case store::Tag::kInteger:
      *out = static_cast<double>(term.as_integer());
      return true;
    case store::Tag::kEntity:
      return false;
    case store::Tag::kLiteral:
      return snapshot_.number(term, out);
    case store::Tag::kOverlay:
      break;
  }
  const store::Value& value = overlay_term(term.place());
  if (value.kind == ValueKind::kDouble) {
    *out = value.number;
    return true;
  }
  const auto key = store::number_key(value.view());
  if (key) *out = key->number;
  return key.has_value();
}

bool instant_of(std::string_view text, std::int64_t* microseconds) {
  // "2025-01-01T00:00Z" is the shortest; the marks sort out nearly all other text at once.
  if (text.size() < 17 || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != 't') || text[13] != ':') {
    return false;
  }
  const auto time = parse_timestamp(text);
  if (!time) return false;
  *microseconds = time->microseconds;
  return true;
}

namespace {

enum class Class : std::uint8_t { kNull, kBoolean, kNumber, kText, kJson, kEntity, kOther };

Class class_of(const ValueView& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return Class::kNull;
    case ValueKind::kBoolean:
      return Class::kBoolean;
    case ValueKind::kInteger:
    case ValueKind::kDouble:
      return Class::kNumber;
    case ValueKind::kDecimal:
    case ValueKind::kTyped:
      return store::number_key(value) ? Class::kNumber : Class::kOther;
    case ValueKind::kString:
    case ValueKind::kLanguageString:
    case ValueKind::kDateTime:
      return Class::kText;
    case ValueKind::kJson:
      return Class::kJson;
    case ValueKind::kEntity:
      return Class::kEntity;
    default:
      return Class::kOther;
  }
}

template <typename T>
int sign_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

Comparison compare_numbers(const ValueView& a, const ValueView& b) {
  if (a.kind == ValueKind::kInteger && b.kind == ValueKind::kInteger) {
    return {true, sign_of(a.integer, b.integer)};
  }
  const auto x = store::number_key(a), y = store::number_key(b);
  if (!x || !y || x->is_nan() || y->is_nan()) return {};
  return {true, sign_of(*x, *y)};
}

Comparison compare_text(const ValueView& a, const ValueView& b) {
  std::int64_t x = 0, y = 0;
  if (instant_of(a.text, &x) && instant_of(b.text, &y)) return {true, sign_of(x, y)};
  return {true, sign_of(a.text, b.text)};
}

// Of values that are written alike, a plain string is first; the others follow by what they are.
std::string_view text_key(Values& values, const ValueView& value) {
  if (value.kind == ValueKind::kString) return value.text;
  std::string text(value.text);
  text += '\0';
  text += static_cast<char>('a' + static_cast<int>(value.kind));
  text += value.extra;
  return keep_text(values, text);
}

// One instant can be written in many ways: its text stands behind it.
void put_instant(Values& values, std::int64_t microseconds, std::string_view text, SortKey* key) {
  constexpr std::int64_t kTold = std::int64_t{1} << 53;
  const store::NumberKey number = store::number_key(microseconds);
  key->rank = 3;
  key->number = number.number;
  key->text = text;
  if (microseconds > -kTold && microseconds < kTold) return;
  key->text = keep_text(values, number.beyond + " " + std::string(text));
}

}  // namespace

Comparison compare_values(const ValueView& a, const ValueView& b) {
  const Class kind = class_of(a);
  if (kind != class_of(b)) return {};
  switch (kind) {
    case Class::kBoolean:
      return {true, sign_of(a.integer, b.integer)};
    case Class::kNumber:
      return compare_numbers(a, b);
    case Class::kText:
      return compare_text(a, b);
    default:
      return {};
  }
}

bool equal_values(const ValueView& a, const ValueView& b) {
  const Class kind = class_of(a);
  if (kind != class_of(b)) return false;
  switch (kind) {
    case Class::kNull:
      return true;
    case Class::kEntity:
      return a.entity == b.entity;
    case Class::kJson: {
      if (a.text == b.text) return true;
      const auto x = parse_json(a.text), y = parse_json(b.text);
      return x && y && *x == *y;
    }
    case Class::kOther:
      return a.kind == b.kind && a.text == b.text && a.extra == b.extra;
    default: {
      const Comparison comparison = compare_values(a, b);
      return comparison.comparable && comparison.sign == 0;
    }
  }
}

int order_json(const Json& a, const Json& b) {
  const store::Value x = store::Value::from_json(a), y = store::Value::from_json(b);
  const auto rank = [](const store::Value& value) {
    std::int64_t ignored = 0;
    const Class kind = class_of(value.view());
    return kind == Class::kText && !instant_of(value.text, &ignored) ? Class::kOther : kind;
  };
  if (const int sign = sign_of(rank(x), rank(y)); sign != 0) return sign;
  const Comparison comparison = compare_values(x.view(), y.view());
  return comparison.comparable ? comparison.sign : sign_of(x.text, y.text);
}

// As a term of the run: those live as long as the values, and count in their memory.
std::string_view keep_text(Values& values, std::string_view text) {
  const Term term = values.string(text);
  return term.code == 0 ? std::string_view() : values.view(term.code).text;
}

void put_number(Values& values, const store::NumberKey& number, SortKey* key) {
  constexpr std::string_view kBehind = "~";  // what goes on behind a digit is before it
  key->number = number.is_nan() ? HUGE_VAL : number.number;
  if (number.is_nan()) {
    key->text = kBehind;
  } else if (!number.beyond.empty()) {
    key->text = keep_text(values, number.beyond);
  }
}

SortKey kip_sort_key(Values& values, std::uint32_t code) {
  SortKey key;
  if (const Term term{code}; term.tag() == store::Tag::kInteger) {
    key.rank = 2;
    key.number = static_cast<double>(term.as_integer());
    return key;
  }
  const ValueView value = values.view(code);
  switch (class_of(value)) {
    case Class::kNull:
      key.rank = 255;
      break;
    case Class::kBoolean:
      key.rank = 1;
      key.number = static_cast<double>(value.integer);
      break;
    case Class::kNumber:
      key.rank = 2;
      put_number(values, *store::number_key(value), &key);
      break;
    case Class::kText: {
      std::int64_t instant = 0;
      if (instant_of(value.text, &instant)) {
        put_instant(values, instant, text_key(values, value), &key);
      } else {
        key.rank = 4;
        key.text = text_key(values, value);
      }
      break;
    }
    case Class::kJson:
      key.rank = 5;
      key.text = value.text;
      break;
    case Class::kEntity:
      key.rank = 6;
      key.number = static_cast<double>(static_cast<std::uint32_t>(value.entity));
      break;
    case Class::kOther:
      key.rank = 7;
      key.text = text_key(values, value);
      break;
  }
  return key;
}

}  // namespace anima::query
