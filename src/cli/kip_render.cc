#include "cli/kip_render.h"

#include <fmt/format.h>

#include "cli/table.h"

namespace anima::cli {

namespace {

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.as_string();
  const Json* type = value.find("_type");
  if (type == nullptr) return value.dump();
  if (const Json* name = value.find("name"))
    return value.find("type")->as_string() + " " + name->dump();
  return value.find("id")->as_string() + " " + value.find("predicate")->as_string();
}

bool is_list_of_objects(const Json& value) {
  if (value.kind() != Json::Kind::kArray || value.as_array().empty()) return false;
  for (const Json& item : value.as_array()) {
    if (item.kind() != Json::Kind::kObject) return false;
  }
  return true;
}

// Nodes show what they are; other objects one column a member.
std::string objects_table(const Context& context, const JsonArray& list) {
  std::vector<std::string> titles;
  for (const JsonMember& member : list.front().as_object()) titles.push_back(member.first);
  Table table(titles);
  for (std::size_t k = 0; k < titles.size(); ++k) {
    bool numbers = true;
    for (const Json& row : list) {
      const Json* value = row.find(titles[k]);
      numbers = numbers && value != nullptr && (value->is_number() || value->is_null());
    }
    if (numbers) table.align_right(k);
  }
  for (const Json& row : list) {
    std::vector<std::string> cells;
    for (const std::string& title : titles) {
      const Json* value = row.find(title);
      cells.push_back(value == nullptr ? "" : cell_text(*value));
    }
    table.add(std::move(cells));
  }
  return table.render(context);
}

void print_result(Context& context, const Json& result) {
  if (is_list_of_objects(result)) {
    context.print(objects_table(context, result.as_array()));
    context.print(context.paint(Paint::kDim, fmt::format("{} rows\n", result.as_array().size())));
  } else if (result.kind() == Json::Kind::kArray) {
    for (const Json& item : result.as_array()) context.print(cell_text(item) + "\n");
    if (result.as_array().empty()) context.print(context.paint(Paint::kDim, "nothing\n"));
  } else if (const Json* capsule = result.find("capsule")) {
    context.print(capsule->as_string());
  } else if (result.kind() == Json::Kind::kObject) {
    for (const JsonMember& member : result.as_object()) {
      const bool nested =
          member.second.kind() == Json::Kind::kObject || is_list_of_objects(member.second);
      context.print(member.first + ": " +
                    (nested ? member.second.dump(2) : cell_text(member.second)) + "\n");
    }
  } else {
    context.print(cell_text(result) + "\n");
  }
}

void print_error(Context& context, const Json& error) {
  std::string text = context.paint(Paint::kRed, error.find("code")->as_string());
  if (const Json* data = error.find("data")) {
    const Json *line = data->find("line"), *column = data->find("column");
    if (line != nullptr && column != nullptr)
      text += fmt::format(" at {}:{}", line->as_integer(), column->as_integer());
  }
  text += ": " + error.find("message")->as_string();
  if (const Json* hint = error.find("hint")) text += "\n  hint: " + hint->as_string();
  context.err.write(text + "\n");
}

bool is_envelope(const Json& value) {
  return value.kind() == Json::Kind::kObject &&
         (value.find("result") != nullptr || value.find("error") != nullptr);
}

bool is_list_of_envelopes(const Json& result) {
  if (result.kind() != Json::Kind::kArray || result.as_array().empty()) return false;
  for (const Json& item : result.as_array()) {
    if (!is_envelope(item)) return false;
  }
  return true;
}

}  // namespace

bool print_kip_response(Context& context, const Json& response) {
  if (const Json* error = response.find("error")) {
    print_error(context, *error);
    return true;
  }
  const Json& result = *response.find("result");
  if (is_list_of_envelopes(result)) {
    bool failed = false;
    for (std::size_t i = 0; i < result.as_array().size(); ++i) {
      if (i > 0) context.print("\n");
      failed = print_kip_response(context, result.as_array()[i]) || failed;
    }
    if (response.find("rolled_back") != nullptr) context.note("nothing was written");
    return failed;
  }
  print_result(context, result);
  if (const Json* notice = response.find("notice")) context.note(notice->as_string());
  if (const Json* cursor = response.find("next_cursor")) {
    context.print(context.paint(Paint::kDim, "more: CURSOR " + cursor->dump() + "\n"));
  }
  return false;
}

}  // namespace anima::cli
