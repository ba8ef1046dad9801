#include "cli/verbs/ask/shell_output.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/files/output_place.h"
#include "cli/render/table.h"
#include "cli/terminal/pager.h"

namespace anima::cli {
namespace {

constexpr std::array<std::pair<std::string_view, TableForm>, 5> kForms{
    {{"text", TableForm::kText},
     {"expanded", TableForm::kExpanded},
     {"csv", TableForm::kCsv},
     {"tsv", TableForm::kTsv},
     {"markdown", TableForm::kMarkdown}}};

}  // namespace

bool ShellOutput::command(std::string_view name, const std::string& argument) {
  if (name == "\\timing") {
    timing_ = !timing_;
    context_.print(timing_ ? "timing is on\n" : "timing is off\n");
  } else if (name == "\\x") {
    set_form(context_.table == TableForm::kExpanded ? "text" : "expanded");
  } else if (name == "\\format") {
    set_form(argument);
  } else if (name == "\\o") {
    redirect(argument);
  } else {
    return false;
  }
  return true;
}

void ShellOutput::execute(const std::function<void(std::string&)>& run) {
  const auto begin = std::chrono::steady_clock::now();
  std::string result;
  run(result);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  show(result);
  if (timing_) context_.print(fmt::format("Time: {:.3f} ms\n", took.count()));
}

void ShellOutput::show(const std::string& text) {
  if (file_ == nullptr) return page(context_, text);
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0) {
    context_.note(
        fmt::format("cannot write {}: {}", path_, std::generic_category().message(errno)));
  }
}

void ShellOutput::redirect(const std::string& path) {
  file_.reset();
  path_ = path;
  if (path.empty()) return context_.print("results come here\n");
  if (const Status place = check_output_place(path, context_.space); !place)
    return context_.note(place.error().describe());
  file_.reset(std::fopen(path.c_str(), "we"));
  if (file_ == nullptr) {
    context_.note(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
  }
}

void ShellOutput::set_form(std::string_view name) {
  for (const auto& [known, form] : kForms) {
    if (known != name) continue;
    context_.table = form;
    return context_.print(fmt::format("results are shown as {}\n", name));
  }
  context_.note("\\format takes text, expanded, csv, tsv or markdown");
}

}  // namespace anima::cli
