#include "agent/plans/detail/plan_templates.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::agent::detail {
namespace {

constexpr std::int64_t kDay = 86'400LL * 1'000'000;
constexpr std::int64_t kHour = 3'600LL * 1'000'000;

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> lower_words(std::string_view text) {
  return language::folded_words(text, language::FoldStrength::kCase);
}

Json output_of(std::string_view task) { return Json::object({{"task", std::string(task)}}); }

Task step(std::string id, std::string name, std::string tool, Json parameters,
          std::vector<std::string> dependencies) {
  Task task;
  task.id = std::move(id);
  task.name = std::move(name);
  task.tool = std::move(tool);
  task.parameters = std::move(parameters);
  task.dependencies = std::move(dependencies);
  return task;
}

Result<RequestPlan> meeting_summary() {
  RequestPlan plan;
  plan.intent = Intent::kMultiStep;
  plan.done = "Meeting summary sent";
  ANIMA_TRY(plan.graph.add(step("1", "Get calendar events", "calendar:query", Json::object(), {})));
  ANIMA_TRY(plan.graph.add(
      step("2", "Summarize each meeting", "", Json::object({{"text", output_of("1")}}), {"1"})));
  ANIMA_TRY(plan.graph.add(
      step("3", "Get team list", "memory:lookup", Json::object({{"name", "team"}}), {})));
  ANIMA_TRY(plan.graph.add(step("4", "Format summary", "",
                                Json::object({{"text", output_of("2")}, {"heading", "Meetings"}}),
                                {"2"})));
  ANIMA_TRY(plan.graph.add(step("5", "Send message", "sms:send",
                                Json::object({{"to", output_of("3")}, {"text", output_of("4")}}),
                                {"3", "4"})));
  return plan;
}

// Where `wanted` last stands, in any case of ASCII: other letters change their length with their
// case.
std::size_t last_place(std::string_view text, std::string_view wanted) {
  for (std::size_t left = text.size() + 1; left-- > wanted.size();) {
    const std::size_t at = left - wanted.size();
    if (equals_ignoring_ascii_case(text.substr(at, wanted.size()), wanted)) return at;
  }
  return std::string_view::npos;
}

// Cuts " WORD value" off the end of the text; the value up to the next blank.
std::string cut_value(std::string& text, std::string_view joint) {
  const std::string wanted = " " + std::string(joint) + " ";
  const std::size_t at = last_place(text, wanted);
  if (at == std::string::npos) return {};
  const std::size_t from = at + wanted.size();
  const std::size_t end = std::min(text.find(' ', from), text.size());
  std::string value = text.substr(from, end - from);
  text.erase(at, end - at);
  return value;
}

// "09:30" as microseconds of the day.
std::optional<std::int64_t> parse_hour(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t i : {0u, 1u, 3u, 4u}) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  }
  const int hour = (text[0] - '0') * 10 + (text[1] - '0');
  const int minute = (text[3] - '0') * 10 + (text[4] - '0');
  if (hour > 23 || minute > 59) return std::nullopt;
  return (hour * 60LL + minute) * 60'000'000;
}

RequestPlan ask_for_time(const std::string& text) {
  RequestPlan plan;
  plan.question = "\"" + text + "\": when?";
  plan.options = {"on 2026-03-01 at 09:30"};
  return plan;
}

// Without a day it is tomorrow, without a time nine o'clock (UTC), for an hour. The request begins
// with the verb.
Result<RequestPlan> schedule(std::string_view request, Timestamp now) {
  const language::PlainWord verb = language::plain_words(request).front();
  std::string title(trim(request.substr(verb.begin + verb.written.size())));
  for (const std::string_view article : {"a ", "the ", "my "}) {
    if (to_lower(title).starts_with(article)) title.erase(0, article.size());
  }
  const std::string hour_text = cut_value(title, "at");
  const std::string day_text = cut_value(title, "on");
  std::int64_t day = now.microseconds - now.microseconds % kDay + kDay;
  if (!day_text.empty()) {
    const auto named = parse_timestamp(day_text);
    if (!named) return ask_for_time(std::string(request));
    day = named->microseconds;
  }
  std::int64_t hour = 9 * kHour;
  if (!hour_text.empty()) {
    const auto named = parse_hour(hour_text);
    if (!named) return ask_for_time(std::string(request));
    hour = *named;
  }
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  const std::string start = format_timestamp({day + hour});
  RequestPlan plan;
  plan.intent = Intent::kMultiStep;
  plan.done = "Meeting scheduled: " + title + ", " + start;
  ANIMA_TRY(plan.graph.add(step(
      "1", "Look at the calendar", "calendar:query",
      Json::object({{"from", format_timestamp({day})}, {"to", format_timestamp({day + kDay})}}),
      {})));
  ANIMA_TRY(plan.graph.add(step(
      "2", "Create the event", "calendar:create",
      Json::object(
          {{"title", title}, {"start", start}, {"end", format_timestamp({day + hour + kHour})}}),
      {"1"})));
  return plan;
}

}  // namespace

Result<std::optional<RequestPlan>> decompose(std::string_view request, Timestamp now) {
  const std::vector<std::string> words = lower_words(request);
  if (words.empty()) return std::optional<RequestPlan>();
  if (words[0] == "send" && has_word(words, "meeting") && has_word(words, "summary")) {
    ANIMA_ASSIGN(RequestPlan plan, meeting_summary());
    return std::optional<RequestPlan>(std::move(plan));
  }
  const bool schedules = words[0] == "schedule" || words[0] == "book" || words[0] == "arrange";
  if (schedules && words.size() > 1) {
    ANIMA_ASSIGN(RequestPlan plan, schedule(trim(request), now));
    return std::optional<RequestPlan>(std::move(plan));
  }
  return std::optional<RequestPlan>();
}

}  // namespace anima::agent::detail
