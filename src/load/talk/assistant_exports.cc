#include "load/talk/assistant_exports.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "load/talk/html_text.h"
#include "load/talk/talk_parts.h"

namespace anima::load {
namespace {

using memory::Turn;
using Nodes = std::unordered_map<std::string_view, const Json*>;  // by ids that the JSON holds

// From a node up to the first, oldest first. A circle ends.
std::vector<const Json*> branch_of(const Nodes& nodes, std::string at, std::string_view parent) {
  std::vector<const Json*> branch;
  while (branch.size() < nodes.size()) {
    const auto node = nodes.find(at);
    if (node == nodes.end()) break;
    branch.push_back(node->second);
    at = text_member(*node->second, parent);
  }
  std::ranges::reverse(branch);
  return branch;
}

Nodes nodes_of(const Json* object) {
  Nodes nodes;
  if (object == nullptr) return nodes;
  for (const auto& [id, node] : object->as_object()) nodes.emplace(id, &node);
  return nodes;
}

std::vector<const Json*> items_of(const Json* list) {
  std::vector<const Json*> items;
  if (list == nullptr) return items;
  for (const Json& item : list->as_array()) items.push_back(&item);
  return items;
}

// The branch that is shown, or all where the export does not say which.
std::vector<const Json*> shown_of(const Json* mapping, const std::string& current,
                                  std::string_view parent) {
  std::vector<const Json*> branch = branch_of(nodes_of(mapping), current, parent);
  if (!branch.empty() || mapping == nullptr) return branch;
  for (const auto& [id, node] : mapping->as_object()) branch.push_back(&node);
  return branch;
}

void finish(Turn turn, Talk& talk) {
  if (turn.id.empty()) turn.id = content_id({turn.speaker, turn.text});
  add_turn(talk, std::move(turn));
}

bool is_said(const std::string& role) { return role == "user" || role == "assistant"; }

// What its program hides, and what goes to a tool.
bool is_hidden(const Json& message) {
  const Json* metadata = message.find("metadata");
  const Json* hidden =
      metadata == nullptr ? nullptr : metadata->find("is_visually_hidden_from_conversation");
  const std::string recipient = text_member(message, "recipient");
  return (hidden != nullptr && hidden->as_bool()) || (!recipient.empty() && recipient != "all");
}

bool holds_words(const Json& content) {
  const std::string type = text_member(content, "content_type");
  return type.empty() || type == "text" || type == "multimodal_text";
}

}  // namespace

std::optional<TalkFormat> assistant_format(const Json& json) {
  const Json* first = &json;
  if (json.is_array()) {
    if (json.as_array().empty()) return std::nullopt;
    first = &json.as_array()[0];
  }
  if (!first->is_object()) return std::nullopt;
  if (first->find("mapping") != nullptr) return TalkFormat::kChatGpt;
  if (first->find("chat_messages") != nullptr) return TalkFormat::kClaude;
  const Json* chat = first->find("chat");
  if (chat != nullptr && chat->find("history") != nullptr) return TalkFormat::kOpenWebUi;
  if (text_member(*first, "header") == "Gemini Apps") return TalkFormat::kGemini;
  const Json* messages = first->find("messages");
  if (messages != nullptr && first->find("conversationId") != nullptr)
    return TalkFormat::kLibreChat;
  return std::nullopt;
}

bool is_claude_code(const Json& line) {
  const Json* message = line.find("message");
  return message != nullptr && message->is_object() && line.find("sessionId") != nullptr &&
         is_said(text_member(line, "type"));
}

// A message without a time of its own is of the one before it, the first of the conversation.
void read_chatgpt(const Json& conversation, Talk& talk) {
  const std::string id = words_in(member_of(conversation, {"conversation_id", "id", "title"}));
  const Json* time = conversation.find("create_time");
  for (const Json* node : shown_of(conversation.find("mapping"),
                                   text_member(conversation, "current_node"), "parent")) {
    const Json* message = node->find("message");
    if (message == nullptr || !message->is_object() || is_hidden(*message)) continue;
    const Json* author = message->find("author");
    const std::string role = author == nullptr ? std::string() : text_member(*author, "role");
    const Json* content = message->find("content");
    if (!is_said(role) || content == nullptr || !holds_words(*content)) continue;
    Turn turn;
    turn.session = "chatgpt " + id;
    turn.id = text_member(*message, "id");
    turn.speaker = role;
    turn.text = words_in(member_of(*content, {"parts", "text"}));
    if (const Json* own = message->find("create_time"); own != nullptr && !own->is_null())
      time = own;
    set_time(turn, time);
    finish(std::move(turn), talk);
  }
}

void read_claude(const Json& conversation, Talk& talk) {
  const std::string id = words_in(member_of(conversation, {"uuid", "name"}));
  for (const Json* message : items_of(conversation.find("chat_messages"))) {
    Turn turn;
    turn.session = "claude " + id;
    turn.id = text_member(*message, "uuid");
    turn.speaker = speaker_of_role(text_member(*message, "sender"));
    turn.text = text_member(*message, "text");
    if (turn.text.empty()) turn.text = said_in(message->find("content"));
    set_time(turn, message->find("created_at"));
    turn.attachment = names_of_files(message->find("attachments"));
    if (turn.attachment.empty()) turn.attachment = names_of_files(message->find("files"));
    finish(std::move(turn), talk);
  }
}

// What was asked stands in the title, behind a word of the account's language; only English is
// known to be no part of it.
void read_gemini(const Json& activity, Talk& talk) {
  constexpr std::string_view kAsked = "Prompted ";
  if (text_member(activity, "header") != "Gemini Apps") return;
  const std::string title = text_member(activity, "title");
  const Json* answers = activity.find("safeHtmlItem");
  if (answers == nullptr && !title.starts_with(kAsked)) return;  // a setting was changed
  Turn asked;
  asked.session = "gemini " + text_member(activity, "time").substr(0, 10);
  asked.speaker = "user";
  asked.text = title.starts_with(kAsked) ? title.substr(kAsked.size()) : title;
  set_time(asked, activity.find("time"));
  asked.id = content_id({"user", asked.text, text_member(activity, "time")});
  Turn answered = asked;
  answered.speaker = "assistant";
  answered.text.clear();
  for (const Json* item : items_of(answers)) {
    if (!answered.text.empty()) answered.text += "\n";
    answered.text += html_text(text_member(*item, "html"));
  }
  answered.id = content_id({"assistant", answered.text, text_member(activity, "time")});
  finish(std::move(asked), talk);
  finish(std::move(answered), talk);
}

void read_open_webui(const Json& conversation, Talk& talk) {
  const Json* chat = conversation.find("chat");
  if (chat == nullptr) return;
  const std::string id = words_in(member_of(conversation, {"id", "title"}));
  const Json* history = chat->find("history");
  const Json* messages = history == nullptr ? nullptr : history->find("messages");
  std::vector<const Json*> shown =
      messages == nullptr ? items_of(chat->find("messages"))
                          : shown_of(messages, text_member(*history, "currentId"), "parentId");
  for (const Json* message : shown) {
    Turn turn;
    turn.session = "openwebui " + id;
    turn.id = words_in(message->find("id"));
    turn.speaker = text_member(*message, "role");
    if (!is_said(turn.speaker)) continue;
    turn.text = said_in(message->find("content"));
    set_time(turn, message->find("timestamp"));
    turn.attachment = names_of_files(message->find("files"));
    finish(std::move(turn), talk);
  }
}

// The newest message ends the branch that is shown.
void read_librechat(const Json& conversation, Talk& talk) {
  const std::string id = words_in(member_of(conversation, {"conversationId", "title"}));
  Nodes nodes;
  const std::vector<const Json*> messages = items_of(conversation.find("messages"));
  for (const Json* message : messages) {
    const Json* own = message->find("messageId");
    if (own != nullptr) nodes.emplace(own->as_string(), message);
  }
  const std::string last =
      messages.empty() ? std::string() : text_member(*messages.back(), "messageId");
  for (const Json* message : branch_of(nodes, last, "parentMessageId")) {
    const Json* by_user = message->find("isCreatedByUser");
    Turn turn;
    turn.session = "librechat " + id;
    turn.id = text_member(*message, "messageId");
    turn.speaker = by_user != nullptr && by_user->as_bool() ? "user" : "assistant";
    turn.text = text_member(*message, "text");
    if (turn.text.empty()) turn.text = said_in(message->find("content"));
    set_time(turn, message->find("createdAt"));
    turn.attachment = names_of_files(message->find("files"));
    finish(std::move(turn), talk);
  }
}

void read_claude_code(const Json& line, Talk& talk) {
  const Json* meta = line.find("isMeta");
  if (!is_claude_code(line) || (meta != nullptr && meta->as_bool())) return;
  const Json& message = *line.find("message");
  Turn turn;
  turn.session = "claude-code " + text_member(line, "sessionId");
  turn.id = text_member(line, "uuid");
  turn.speaker = speaker_of_role(text_member(message, "role"));
  turn.text = said_in(message.find("content"));
  set_time(turn, line.find("timestamp"));
  finish(std::move(turn), talk);
}

}  // namespace anima::load
