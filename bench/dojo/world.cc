#include "dojo/world.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "dojo/place.h"

namespace anima::dojo {
namespace {

bool holds_text(const Json& value, std::string_view folded) {
  if (value.is_array()) {
    return std::ranges::any_of(value.as_array(),
                               [&](const Json& each) { return holds_text(each, folded); });
  }
  return fold_case(shown(value)).find(folded) != std::string::npos;
}

bool equal(const Json& member, const Json& wanted) {
  if (member.is_array() && !wanted.is_array()) {
    return std::ranges::any_of(member.as_array(),
                               [&](const Json& each) { return equal(each, wanted); });
  }
  return member == wanted || (!member.is_array() && shown(member) == shown(wanted));
}

// -1, 0, 1 as numbers where both are, else as text.
int compare(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number())
    return a.as_number() < b.as_number() ? -1 : a.as_number() > b.as_number() ? 1 : 0;
  return shown(a).compare(shown(b));
}

// The steps of one tool for one call.
class Steps {
 public:
  Steps(Json& state, const Json& arguments) : state_(state), arguments_(arguments) {}

  Result<Json> run(const Json& steps) {
    for (const Json& step : steps.as_array()) ANIMA_TRY(run_step(step));
    return given_ ? *std::move(given_) : Json();
  }

 private:
  Status run_step(const Json& step) {
    if (const Json* place = step.find("value")) {
      ANIMA_ASSIGN(const Json* found, find_place(std::as_const(state_), place->as_string()));
      give(step, *found);
      return {};
    }
    if (const Json* place = step.find("change")) return change(step, place->as_string());
    for (const std::string_view kind : {"list", "get", "add", "put", "set", "remove"}) {
      const Json* name = step.find(kind);
      if (name == nullptr) continue;
      ANIMA_ASSIGN(Json * table, find_place(state_, name->as_string()));
      if (!table->is_array())
        return fail(ErrorCode::kInvalidArgument, "no table", name->as_string());
      return on_table(kind, step, table->as_array(), name->as_string());
    }
    return fail(ErrorCode::kInvalidArgument, "no such step: " + step.dump());
  }

  Status on_table(std::string_view kind, const Json& step, JsonArray& rows,
                  const std::string& name) {
    if (kind == "list") {
      list(step, rows);
    } else if (kind == "get") {
      return get(step, rows, name);
    } else if (kind == "add") {
      rows.push_back(item_of(step, rows));
      if (step.find("members") != nullptr || step.find("as") != nullptr)
        give(step, members_of(step, rows.back()));
    } else if (kind == "put") {
      put(step, rows);
    } else if (kind == "set") {
      return set(step, rows, name);
    } else {
      const auto gone = std::erase_if(rows, [&](const Json& row) { return fits(step, row); });
      if (gone == 0) return none_fits(step, name);
    }
    return {};
  }

  void list(const Json& step, const JsonArray& rows) {
    Json found = Json::array();
    for (const Json& row : rows) {
      if (fits(step, row)) found.push_back(members_of(step, row));
    }
    give(step, std::move(found));
  }

  Status get(const Json& step, const JsonArray& rows, const std::string& name) {
    const auto row = std::ranges::find_if(rows, [&](const Json& each) { return fits(step, each); });
    if (row != rows.end()) {
      give(step, members_of(step, *row));
      return {};
    }
    const Json* otherwise = step.find("else");
    if (otherwise == nullptr) return none_fits(step, name);
    give(step, *otherwise);
    return {};
  }

  void put(const Json& step, JsonArray& rows) {
    const auto row = std::ranges::find_if(rows, [&](const Json& each) { return fits(step, each); });
    if (row == rows.end()) {
      rows.push_back(item_of(step, rows));
    } else {
      write(step, rows, *row);
    }
  }

  Status set(const Json& step, JsonArray& rows, const std::string& name) {
    bool any = false;
    for (Json& row : rows) {
      if (!fits(step, row)) continue;
      write(step, rows, row);
      any = true;
    }
    return any ? Status() : none_fits(step, name);
  }

  Status change(const Json& step, const std::string& place) {
    ANIMA_ASSIGN(Json * number, find_place(state_, place));
    double value = number->as_number();
    if (const Json* plus = step.find("plus")) value += valued(*plus, {}).as_number();
    if (const Json* minus = step.find("minus")) value -= valued(*minus, {}).as_number();
    *number = Json(value);
    return {};
  }

  // An argument that the call leaves out writes nothing.
  void write(const Json& step, const JsonArray& rows, Json& row) const {
    const Json* item = step.find("item");
    if (item == nullptr) return;
    for (const auto& [name, value] : item->as_object()) {
      if (!is_missing(value)) row.set(name, valued(value, rows));
    }
  }

  Json item_of(const Json& step, const JsonArray& rows) const {
    Json row = Json::object();
    write(step, rows, row);
    return row;
  }

  bool is_missing(const Json& value) const {
    return value.is_string() && value.as_string().starts_with('$') &&
           arguments_.find(std::string_view(value.as_string()).substr(1)) == nullptr;
  }

  // With the arguments and new numbers put in.
  Json valued(const Json& value, const JsonArray& rows) const {
    if (value.is_array() || value.is_object()) {
      Json made = value;
      if (value.is_array()) {
        for (Json& each : made.as_array()) each = valued(each, rows);
      } else {
        for (auto& [name, each] : made.as_object()) each = valued(each, rows);
      }
      return made;
    }
    const std::string& text = value.as_string();
    if (text == "#") return Json(next_number(rows));
    if (!text.starts_with('$')) return value;
    const Json* argument = arguments_.find(std::string_view(text).substr(1));
    return argument == nullptr ? Json() : *argument;
  }

  static std::int64_t next_number(const JsonArray& rows) {
    std::int64_t most = 0;
    for (const Json& row : rows) {
      if (const Json* id = row.find("id")) most = std::max(most, id->as_integer());
    }
    return most + 1;
  }

  bool fits(const Json& step, const Json& row) const {
    const Json* where = step.find("where");
    if (where == nullptr) return true;
    return std::ranges::all_of(where->as_object(), [&](const JsonMember& condition) {
      return fits_one(row, condition.first, condition.second);
    });
  }

  bool fits_one(const Json& row, std::string_view names, const Json& condition) const {
    std::string_view kind = "is";
    const Json* wanted = &condition;
    if (condition.is_object() && condition.as_object().size() == 1) {
      kind = condition.as_object()[0].first;
      wanted = &condition.as_object()[0].second;
    }
    if (is_missing(*wanted)) return true;
    const Json value = valued(*wanted, {});
    if (kind == "words") return has_words(row, names, value.as_string());
    return std::ranges::any_of(split(names, '|'), [&](std::string_view name) {
      const Json* member = row.find(name);
      if (member == nullptr) return false;
      if (kind == "contains") return holds_text(*member, fold_case(shown(value)));
      if (kind == "from") return compare(*member, value) >= 0;
      if (kind == "until") return compare(*member, value) <= 0;
      return equal(*member, value);
    });
  }

  static bool has_words(const Json& row, std::string_view names, std::string_view words) {
    std::string all;
    for (const std::string_view name : split(names, '|')) {
      if (const Json* member = row.find(name)) all += fold_case(shown(*member)) + "\n";
    }
    const std::string folded = fold_case(words);
    return std::ranges::all_of(split(folded, ' '), [&](std::string_view word) {
      return all.find(word) != std::string::npos;
    });
  }

  static Json members_of(const Json& step, const Json& row) {
    const Json* names = step.find("members");
    if (names == nullptr) return row;
    Json made = Json::object();
    for (const Json& name : names->as_array()) {
      if (const Json* member = row.find(name.as_string())) made.set(name.as_string(), *member);
    }
    return made;
  }

  void give(const Json& step, Json value) {
    const std::string name = text_member(step, "as");
    if (name.empty()) {
      given_ = std::move(value);
      return;
    }
    if (!given_) given_ = Json::object();
    given_->set(name, std::move(value));
  }

  static Status none_fits(const Json& step, const std::string& name) {
    const Json* where = step.find("where");
    return fail(ErrorCode::kNotFound, "there is no such row",
                name + (where == nullptr ? "" : " " + where->dump()));
  }

  Json& state_;
  const Json& arguments_;
  std::optional<Json> given_;
};

}  // namespace

Result<Json> World::act(const Json& does, const Json& arguments) {
  Json changed = state_;
  ANIMA_ASSIGN(Json result, Steps(changed, arguments).run(does));
  state_ = std::move(changed);
  return result;
}

}  // namespace anima::dojo
