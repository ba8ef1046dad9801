#include "cli/render/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "base/version.h"

namespace anima::cli {
namespace {

// Text that troff prints as it stands.
std::string plain(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string title(std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), ' ', '-');
  return dashed;
}

std::string head(const std::string& name, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"anima {}\"\n.SH NAME\n{} \\- {}\n", to_upper(name), version(),
                     plain(name), plain(summary));
}

std::string block(std::string_view section, std::string_view text) {
  return fmt::format(".SH {}\n.nf\n{}{}.fi\n", section, plain(text),
                     text.ends_with('\n') ? "" : "\n");
}

// The help without its first line, which is the name, and its usage.
std::string_view body_of(std::string_view help) {
  const std::size_t usage = help.find("\nUsage: ");
  if (usage == std::string_view::npos) return help;
  const std::size_t end = help.find("\n\n", usage);
  return end == std::string_view::npos ? std::string_view() : help.substr(end + 2);
}

}  // namespace

std::string man_page_file(std::string_view verb) {
  return (verb.empty() ? std::string("anima") : "anima-" + title(verb)) + ".1";
}

std::string man_page(const Verb& verb, std::string_view help) {
  const std::string name = "anima-" + title(verb.name);
  return head(name, verb.summary) +
         block("SYNOPSIS",
               fmt::format("anima {}{}{}", verb.name, verb.usage.empty() ? "" : " ", verb.usage)) +
         block("DESCRIPTION", body_of(help)) + ".SH SEE ALSO\n.BR anima (1)\n";
}

std::string man_page_of_program(std::string_view overview) {
  return head("anima", "an agent runtime whose memory can be asked, explained and undone") +
         block("DESCRIPTION", overview) +
         "Each verb has a page of its own: the page of\n.B anima audit verify\nis\n"
         ".BR anima-audit-verify (1).\n";
}

}  // namespace anima::cli
