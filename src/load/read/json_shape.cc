#include "load/read/json_shape.h"

#include <algorithm>
#include <array>

#include "store/value.h"

namespace anima::load {
namespace {

constexpr std::size_t kMaxMembers = 200;  // more: its members are data, not columns

// Members that tell objects apart, best first.
constexpr std::array<std::string_view, 16> kKeys = {
    "id",    "uuid",  "key",   "code",     "name",   "slug", "login", "username",
    "title", "label", "email", "hostname", "number", "url",  "path",  "_id"};
// Those by which people call a thing come first for what is inside of it.
constexpr std::array<std::string_view, 8> kLabels = {"name", "title",    "label", "login",
                                                     "slug", "hostname", "code",  "id"};

bool is_scalar(const Json& value) {
  return value.is_bool() || value.is_number() || value.is_string();
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

bool is_candidate(std::string_view member) {
  return std::find(kKeys.begin(), kKeys.end(), member) != kKeys.end();
}

Cell scalar_cell(const Json& value) {
  Cell cell;
  switch (value.kind()) {
    case Json::Kind::kBool:
      cell.kind = CellKind::kBoolean;
      cell.integer = value.as_bool() ? 1 : 0;
      break;
    case Json::Kind::kInteger:
      cell.kind = CellKind::kInteger;
      cell.integer = value.as_integer();
      break;
    case Json::Kind::kDouble:
      cell.kind = CellKind::kNumber;
      cell.number = value.as_number();
      break;
    case Json::Kind::kString:
      if (value.as_string().empty()) break;
      cell.kind = CellKind::kText;
      cell.text = value.as_string();
      break;
    default:
      break;
  }
  return cell;
}

Cell text_cell(std::string text, std::deque<std::string>& own) {
  Cell cell;
  cell.kind = CellKind::kText;
  cell.text = own.emplace_back(std::move(text));
  return cell;
}

Cell json_cell(const Json& value, std::deque<std::string>& own) {
  Cell cell;
  cell.kind = CellKind::kJson;
  cell.text = own.emplace_back(store::Value::from_json(value).text);
  return cell;
}

bool is_list_of_objects_or_scalars(const Json& value) {
  return std::all_of(value.as_array().begin(), value.as_array().end(),
                     [](const Json& item) { return !item.is_array(); });
}

std::string inner_name(const std::string& outer, const JsonShape& shape, std::size_t place,
                       std::size_t count) {
  std::string name = outer + " " + shape.member();
  if (count > 1) name += " " + std::to_string(place + 1);
  return name;
}

// An object in the row of another: its key, or what it is called.
Cell object_cell(const JsonShape& child, const Json& object, const std::string& called,
                 std::deque<std::string>& own) {
  if (child.columns().empty()) return {};  // {} says nothing
  if (child.key().empty()) return text_cell(called, own);
  const Json* key = object.find(child.key());
  return key == nullptr ? Cell() : scalar_cell(*key);
}

}  // namespace

void JsonShape::add(const Json& object) {
  ++objects_;
  members_ += object.as_object().size();
  for (const auto& [name, value] : object.as_object()) {
    if (places_.try_emplace(name, columns_.size()).second) columns_.push_back(name);
    if (is_candidate(name) && is_scalar(value) && scalar_text(value) != "") {
      Candidate& candidate = candidates_[name];
      ++candidate.count;
      candidate.seen.insert(hash_text(scalar_text(value)));
    }
    const auto inner = [&, &name = name](const Json& item) {
      if (!item.is_object()) return;
      auto& child = children_[name];
      if (child == nullptr) child = std::make_unique<JsonShape>(name, this);
      child->add(item);
    };
    if (value.is_object()) inner(value);
    if (value.is_array() && is_list_of_objects_or_scalars(value)) {
      for (const Json& item : value.as_array()) inner(item);
    }
  }
}

void JsonShape::finish() {
  for (const std::string_view wanted : kKeys) {
    const auto found = candidates_.find(wanted);
    if (found == candidates_.end() || found->second.count < objects_) continue;
    key_ = wanted;
    break;
  }
  // As many names as there are things: the same object may stand in several rows.
  const std::size_t things = key_.empty() ? static_cast<std::size_t>(objects_)
                                          : candidates_.find(key_)->second.seen.size();
  label_ = key_;
  for (const std::string_view wanted : kLabels) {
    const auto found = candidates_.find(wanted);
    if (found == candidates_.end() || found->second.count < objects_ ||
        found->second.seen.size() < things)
      continue;
    label_ = wanted;
    break;
  }
  candidates_.clear();
  std::erase_if(children_, [](const auto& child) { return child.second->is_dictionary(); });
  for (auto& [name, child] : children_) child->finish();
}

bool JsonShape::is_dictionary() const {
  constexpr std::size_t kFewMembers = 12;
  if (columns_.size() > kMaxMembers) return true;
  const bool sparse = columns_.size() > kFewMembers && members_ < objects_ * columns_.size() / 3;
  const bool only_objects = columns_.size() >= 4 && children_.size() == columns_.size();
  return sparse || only_objects;
}

const JsonShape* JsonShape::child(std::string_view column) const {
  const auto found = children_.find(column);
  return found == children_.end() ? nullptr : found->second.get();
}

std::vector<const JsonShape*> JsonShape::children() const {
  std::vector<const JsonShape*> list;
  for (const std::string& column : columns_) {
    if (const JsonShape* found = child(column)) list.push_back(found);
  }
  return list;
}

std::string JsonShape::label(const Json& object, const std::string& otherwise) const {
  const Json* member = label_.empty() ? nullptr : object.find(label_);
  return member == nullptr ? otherwise : scalar_text(*member);
}

void fill_json_row(const JsonShape& shape, const Json& object, const std::string& called, Row& row,
                   std::deque<std::string>& own) {
  const std::string outer = shape.label(object, called);
  for (const std::string& column : shape.columns()) {
    Cell& cell = row.cells.emplace_back();
    const Json* value = object.find(column);
    if (value == nullptr || value->is_null()) continue;
    const JsonShape* child = shape.child(column);
    if (value->is_object()) {
      cell = child == nullptr ? json_cell(*value, own)
                              : object_cell(*child, *value, inner_name(outer, *child, 0, 1), own);
    } else if (!value->is_array()) {
      cell = scalar_cell(*value);
    } else if (!is_list_of_objects_or_scalars(*value)) {
      cell = json_cell(*value, own);
    } else {
      const JsonArray& items = value->as_array();
      cell.kind = CellKind::kList;
      cell.first = static_cast<std::uint32_t>(row.items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        Cell item = scalar_cell(items[i]);
        if (items[i].is_object()) {
          item = child == nullptr ? json_cell(items[i], own)
                                  : object_cell(*child, items[i],
                                                inner_name(outer, *child, i, items.size()), own);
        }
        if (item.kind != CellKind::kEmpty) row.items.push_back(item);
      }
      cell.count = static_cast<std::uint32_t>(row.items.size()) - cell.first;
      if (cell.count == 0) cell = Cell();
    }
  }
}

void objects_of(const JsonShape& from, const JsonShape& wanted, const Json& object,
                const std::string& called, std::vector<CalledObject>& out) {
  if (&from == &wanted) {
    out.push_back({&object, called});
    return;
  }
  const std::string outer = from.label(object, called);
  for (const JsonShape* child : from.children()) {
    const Json* value = object.find(child->member());
    if (value == nullptr) continue;
    if (value->is_object()) {
      objects_of(*child, wanted, *value, inner_name(outer, *child, 0, 1), out);
    } else if (value->is_array() && is_list_of_objects_or_scalars(*value)) {
      const JsonArray& items = value->as_array();
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].is_object())
          objects_of(*child, wanted, items[i], inner_name(outer, *child, i, items.size()), out);
      }
    }
  }
}

}  // namespace anima::load
