#include "cli/render/ask_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "cli/frame/exit_code.h"

namespace anima::cli {
namespace {

std::string row_text(const JsonArray& row) {
  std::string text;
  for (const Json& value : row)
    text += (text.empty() ? "" : "\t") + (value.is_string() ? value.as_string() : value.dump());
  return text;
}

}  // namespace

void show_answer(Context& context, const ask::Answer& answer) {
  context.print(answer.text + "\n");
  for (const auto& [word, names] : answer.near) {
    if (!names.empty()) context.note(fmt::format("near \"{}\": {}", word, join(names, ", ")));
  }
  for (const ask::ReadingShown& one : answer.readings) {
    context.print(fmt::format("  {}\n", one.reading));
    for (std::size_t i = 0; i < std::min<std::size_t>(one.rows.size(), 5); ++i)
      context.print("    " + row_text(one.rows[i]) + "\n");
    context.print(context.paint(Paint::kDim, "    " + one.query + "\n"));
  }
  if (answer.rows.size() > 10) {
    for (const JsonArray& row : answer.rows) context.print("  " + row_text(row) + "\n");
  }
  if (!answer.query.empty()) {
    context.print(context.paint(
        Paint::kDim, fmt::format("  read as: {}\n  {}: {}\n", answer.reading, answer.language,
                                 replace_all(answer.query, "\n", "\n    "))));
  }
  for (const std::string& next : answer.next) context.note("try: " + next);
}

int exit_of(const ask::Answer& answer) {
  const bool known =
      answer.status == ask::AnswerStatus::kAnswered || answer.status == ask::AnswerStatus::kEmpty;
  return known ? kDone : kMissing;
}

}  // namespace anima::cli
