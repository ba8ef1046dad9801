#include "agent/house/detail/answer_text.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace anima::agent::detail {
namespace {

std::string member(const Json& value, std::string_view name) {
  const Json* text = value.find(name);
  return text != nullptr && text->is_string() ? text->as_string() : std::string();
}

// A calendar's events, one a line: when, what and where.
std::string event_lines(const JsonArray& events) {
  std::string lines;
  for (const Json& event : events) {
    lines += member(event, "start") + " " + member(event, "title");
    if (const std::string place = member(event, "location"); !place.empty()) lines += ", " + place;
    lines += "\n";
  }
  return lines.empty() ? "none" : lines;
}

std::string plain(const Json& value) {
  return value.is_string() ? std::string(trim(value.as_string())) : value.dump();
}

// What an item of a list says, but for its ids and labels.
std::string item_line(const Json& item) {
  if (!item.is_object()) return plain(item);
  std::string line;
  for (const auto& [key, value] : item.as_object()) {
    if (key == "id" || key == "uid" || key == "trust" || value.is_array() || value.is_object())
      continue;
    line += (line.empty() ? "" : ", ") + plain(value);
  }
  return line;
}

// Its members, a line each.
std::string members_text(const Json& value) {
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [key, part] : value.as_object()) {
    if (key == "trust") continue;
    if (!part.is_array()) {
      text += key + ": " + plain(part) + "\n";
      continue;
    }
    text += key + ":" + (part.as_array().empty() ? " none\n" : "\n");
    for (const Json& item : part.as_array()) text += "- " + item_line(item) + "\n";
  }
  return std::string(trim(text));
}

// The texts that a search of memory found.
std::string hits_text(const JsonArray& hits) {
  if (hits.empty()) return "Nothing that fits is remembered.";
  std::string text = fmt::format("{} remembered:", hits.size());
  for (const Json& hit : hits) text += "\n- " + member(hit, "content");
  return text;
}

// What a program printed; when it failed, what it complained of too.
std::string printed(const Json& result) {
  std::string text = member(result, "stdout");
  const Json* code = result.find("exit_code");
  if (code != nullptr && code->is_integer() && code->as_integer() != 0) {
    text += member(result, "stderr");
    return text + fmt::format("It ended with exit code {}.", code->as_integer());
  }
  return text.empty() ? "Done; it printed nothing." : text;
}

// What came of a sentence that was told.
std::string told_text(const std::string& stated, const std::string& corrected,
                      const std::string& asks, const std::string& left_over) {
  if (!stated.empty()) {
    std::string text = fmt::format("Remembered, and noted as a fact: {}.", stated);
    if (!corrected.empty()) text += fmt::format(" Corrected: {}.", corrected);
    if (!left_over.empty()) text += fmt::format(" Only as a text: \"{}\".", left_over);
    return asks.empty() ? text : text + " " + asks;
  }
  if (!corrected.empty()) return fmt::format("Corrected: {}.", corrected);
  if (!asks.empty())
    return fmt::format("No fact was changed; it is remembered as a text. {}", asks);
  if (left_over.find(' ') != left_over.npos)
    return fmt::format("Remembered as a text. Not understood: \"{}\".", left_over);
  if (!left_over.empty())
    return fmt::format("Remembered as a text: I do not know what '{}' does there.", left_over);
  return "Remembered as a text: nothing in it states a fact in words that the space knows.";
}

// For tools whose result is no text of its own.
std::optional<std::string> done_text(std::string_view tool, const Json& result) {
  if (tool == "file:write") return fmt::format("Wrote {}.", member(result, "path"));
  if (tool == "file:delete") return fmt::format("Deleted {}.", member(result, "path"));
  if (tool == "notion:create") return fmt::format("Made the page {}.", member(result, "title"));
  if (tool == "calendar:create") return fmt::format("Scheduled {}.", member(result, "title"));
  if (tool == "calendar:delete") return "Deleted the event.";
  if (tool == "sms:send") return "The message is in the outbox.";
  if (tool == "memory:store") {
    const Json* quarantined = result.find("quarantined");
    const bool kept = quarantined == nullptr || *quarantined != Json(true);
    if (!kept) return "It is quarantined: it reads like an order to the agent.";
    if (result.find("stated") == nullptr) return "Remembered.";
    if (result.find("dropped") != nullptr) return "Nothing was noted.";
    return told_text(member(result, "stated"), member(result, "corrected"), member(result, "asks"),
                     member(result, "left_over"));
  }
  if (tool == "shell:execute") return printed(result);
  const Json* hits = tool == "memory:search" ? result.find("hits") : nullptr;
  if (hits != nullptr && hits->is_array()) return hits_text(hits->as_array());
  return std::nullopt;
}

}  // namespace

std::optional<std::string> content_of(const Json& value) {
  if (value.is_null()) return std::string();
  if (value.is_string()) return value.as_string();
  if (const Json* events = value.find("events"); events != nullptr && events->is_array())
    return event_lines(events->as_array());
  for (const std::string_view key : {"content", "body", "stdout"}) {
    const Json* text = value.find(key);
    if (text != nullptr && text->is_string()) return text->as_string();
  }
  return std::nullopt;
}

std::string answer_text(std::string_view tool, const Json& result) {
  if (auto done = done_text(tool, result)) return *std::move(done);
  if (auto content = content_of(result)) return *std::move(content);
  return members_text(result);
}

}  // namespace anima::agent::detail
