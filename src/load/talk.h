// Conversations, mail and documents as turns (memory/ingest.h): who said what, when, in which
// session. No model reads them.
//
//   turns      JSON, or an object a line: {"text", "speaker"?, "time"?, "session"?, "id"?,
//              "attachment"?}, by these or other usual names; {"messages": [{"role", "content"}]}
//   chatgpt    conversations.json of its export, or one conversation: the branch that is shown
//   claude     conversations.json of its export, or one conversation
//   gemini     MyActivity.json of Google Takeout
//   openwebui  an export of Open WebUI: the branch that is shown
//   librechat  a conversation that LibreChat exports as JSON
//   claude-code  a session of Claude Code: its log, an object a line
//   slack      a day of a channel, named by its folder; users.json beside it names the people
//   discord    what DiscordChatExporter writes as JSON
//   telegram   result.json of one chat or of all
//   whatsapp   the text of an exported chat
//   mail, mbox a message, or a box of them: what is quoted and signatures are left out
//   html, markdown, text   paragraphs, without a speaker
//
// A turn's id is that of its source, or made of its content, so reading the same file again gives
// the same ids. Thread-safety: pure. Errors: kSyntax, kInvalidArgument, with file and place.
// Complexity: O(bytes); memory: a few times that. Source: the files that these programs write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/ingest.h"

namespace anima::load {

enum class TalkFormat : std::uint8_t {
  kTurns,
  kChatGpt,
  kClaude,
  kGemini,
  kOpenWebUi,
  kLibreChat,
  kClaudeCode,
  kSlack,
  kDiscord,
  kTelegram,
  kWhatsApp,
  kMail,
  kMbox,
  kHtml,
  kMarkdown,
  kText,
};
std::string_view to_string(TalkFormat format);
std::optional<TalkFormat> parse_talk_format(std::string_view name);
std::vector<std::string> talk_format_names();

struct TalkOptions {
  std::optional<TalkFormat> format = {};           // default: by what is in the file
  std::map<std::string, std::string> people = {};  // names by ids, of Slack
};

struct Talk {
  TalkFormat format = TalkFormat::kText;
  std::vector<memory::Turn> turns;  // in the order of each session
  std::vector<std::string> notes;   // for people: what was guessed, what was left out
};

// `file` is its path: its name, and of Slack its folder's, are part of the sessions' names.
Result<Talk> read_talk(std::string_view bytes, const std::string& file,
                       const TalkOptions& options = {});

// users.json of a Slack export; empty for other files.
std::map<std::string, std::string> slack_people(std::string_view bytes);

}  // namespace anima::load
