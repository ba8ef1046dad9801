#include "cli/render/kip_render.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "cli/render/table.h"

namespace anima::cli {

namespace {

// Other forms hold the rows and nothing else.
bool for_people(const Context& context) {
  return context.table == TableForm::kText || context.table == TableForm::kExpanded;
}

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

std::string result_text(const Context& context, const Json& result) {
  if (is_list_of_objects(result)) {
    const JsonArray& rows = result.as_array();
    std::string text = objects_table(context, rows);
    if (for_people(context))
      text += context.paint(Paint::kDim,
                            fmt::format("{} {}\n", rows.size(), rows.size() == 1 ? "row" : "rows"));
    return text;
  }
  std::string text;
  if (result.kind() == Json::Kind::kArray) {
    for (const Json& item : result.as_array()) text += cell_text(item) + "\n";
    if (result.as_array().empty() && for_people(context))
      text = context.paint(Paint::kDim, "nothing\n");
  } else if (const Json* capsule = result.find("capsule")) {
    text = capsule->as_string();
  } else if (result.kind() == Json::Kind::kObject) {
    for (const JsonMember& member : result.as_object()) {
      const bool nested =
          member.second.kind() == Json::Kind::kObject || is_list_of_objects(member.second);
      text +=
          member.first + ": " + (nested ? member.second.dump(2) : cell_text(member.second)) + "\n";
    }
  } else {
    text = cell_text(result) + "\n";
  }
  return text;
}

// The line of the text with a mark below the place; empty where the text has no such line.
std::string pointed_at(std::string_view text, std::int64_t line, std::int64_t column) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  const std::string shown = visible_text(text.substr(0, text.find('\n')));
  if (column < 1 || shown.empty()) return {};
  const std::string_view before =
      substring_by_code_points(shown, 0, static_cast<std::size_t>(column - 1));
  return "  " + shown + "\n  " + std::string(display_width(before), ' ') + "^\n";
}

void print_error(Context& context, const Json& error, std::string_view source) {
  std::string text = context.paint(Paint::kRed, error.find("code")->as_string());
  std::string pointer;
  if (const Json* data = error.find("data")) {
    const Json *line = data->find("line"), *column = data->find("column");
    if (line != nullptr && column != nullptr) {
      text += fmt::format(" at {}:{}", line->as_integer(), column->as_integer());
      pointer = pointed_at(source, line->as_integer(), column->as_integer());
    }
  }
  text += ": " + error.find("message")->as_string() + '\n' + pointer;
  if (const Json* hint = error.find("hint")) text += "  hint: " + hint->as_string() + '\n';
  context.err.write(text);
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

bool kip_response_text(Context& context, const Json& response, std::string_view source,
                       std::string& text) {
  if (const Json* error = response.find("error")) {
    print_error(context, *error, source);
    return true;
  }
  const Json& result = *response.find("result");
  if (is_list_of_envelopes(result)) {
    bool failed = false;
    for (std::size_t i = 0; i < result.as_array().size(); ++i) {
      if (i > 0) text += '\n';
      failed = kip_response_text(context, result.as_array()[i], source, text) || failed;
    }
    if (response.find("rolled_back") != nullptr) context.note("nothing was written");
    return failed;
  }
  text += result_text(context, result);
  if (const Json* notice = response.find("notice")) context.note(notice->as_string());
  if (const Json* warnings = response.find("warnings")) {
    for (const Json& warning : warnings->as_array()) context.warn(warning.as_string());
  }
  if (const Json* cursor = response.find("next_cursor")) {
    const std::string more = "more: CURSOR " + cursor->dump() + "\n";
    if (for_people(context)) {
      text += context.paint(Paint::kDim, more);
    } else {
      context.note(more.substr(0, more.size() - 1));
    }
  }
  return false;
}

}  // namespace anima::cli
