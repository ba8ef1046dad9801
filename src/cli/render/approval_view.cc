#include "cli/render/approval_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/shown_text.h"
#include "base/text/text.h"
#include "tools/external.h"

namespace anima::cli {
namespace {

// What the arguments were made from.
std::string labels_text(const govern::Approval& approval) {
  std::string text;
  const Json* labels = approval.evidence.find("labels");
  if (labels == nullptr) return text;
  for (const Json& label : labels->as_array()) {
    text += fmt::format(
        "  made from  {}: {}, {}\n", visible_text(label.find("argument")->as_string()),
        visible_text(label.find("source")->as_string()), label.find("trust")->as_string());
  }
  return text;
}

// Where the values of a guarded call came from.
std::string values_text(const govern::Approval& approval) {
  std::string text;
  if (approval.request.values == nullptr) return text;
  for (const std::string& line : approval.request.values->explain())
    text += "  value      " + visible_text(line) + "\n";
  return text;
}

// What a reader could take the call for and it is not.
std::string warnings_text(const govern::Approval& approval) {
  std::string text;
  std::string letters;
  for (const char32_t c : look_alikes(approval.request.arguments.dump())) {
    append_utf8(letters += letters.empty() ? "" : ", ", c);
    letters += fmt::format(" (U+{:04X})", static_cast<std::uint32_t>(c));
  }
  if (!letters.empty()) text += "  beware     characters that look like others: " + letters + "\n";
  const tools::ExternalTool* tool = tools::find_external_tool(approval.request.tool);
  if (tool == nullptr || !approval.request.arguments.is_object()) return text;
  for (const auto& [name, value] : approval.request.arguments.as_object()) {
    const bool taken = std::ranges::any_of(
        tool->info.parameters,
        [&name = name](const tools::ToolParameter& each) { return each.name == name; });
    if (!taken) text += fmt::format("  beware     the tool takes no \"{}\"\n", visible_text(name));
  }
  return text;
}

}  // namespace

std::string approval_text(const govern::Approval& approval) {
  std::string text = fmt::format(
      "{} ({})\n  tool       {}\n  agent      {}\n  trust      {}\n  arguments  {}\n"
      "  because    {}\n  asked      {}\n  {}    {}\n",
      approval.id, to_string(approval.status), visible_text(approval.request.tool),
      visible_text(approval.request.agent), govern::trust_name(approval.effective_trust),
      approval.erased ? "(erased, or their key is not here)"
                      : visible_text(approval.request.arguments.dump()),
      visible_text(approval.reason), format_timestamp(approval.asked),
      approval.status == govern::ApprovalStatus::kRejected ? "until  " : "expires",
      format_timestamp(approval.expires));
  if (!approval.decided_by.empty()) {
    text += "  answered   by " + approval.decided_by;
    text += approval.signature ? ", signed by " + approval.signature->approver + "\n" : "\n";
  }
  text += approval.request.values == nullptr ? labels_text(approval) : values_text(approval);
  text += warnings_text(approval);
  // What it would change, as it was seen; nothing else is done when it is approved.
  const Json* changes = approval.evidence.find("changes");
  const Json* shown = changes == nullptr ? nullptr : changes->find("text");
  const Json* summary = changes == nullptr ? nullptr : changes->find("summary");
  if (shown == nullptr || summary == nullptr) return text;
  text += "  changes    " + visible_text(summary->as_string()) + "\n";
  for (const std::string_view line : split(shown->as_string(), '\n')) {
    if (!line.empty()) text += "    " + visible_text(line) + "\n";
  }
  return text;
}

}  // namespace anima::cli
