#include "tools/notion_page.h"

#include <array>

#include "base/text/text.h"

namespace anima::tools {
namespace {

constexpr std::size_t kMaxBlockDepth = 32;
constexpr std::size_t kMaxRun = 2000;  // code points of one piece of rich text

struct BlockSign {
  std::string_view type;
  std::string_view sign;
};
constexpr std::array<BlockSign, 9> kSigns = {{{"heading_3", "### "},
                                              {"heading_2", "## "},
                                              {"heading_1", "# "},
                                              {"bulleted_list_item", "- "},
                                              {"numbered_list_item", "1. "},
                                              {"quote", "> "},
                                              {"callout", "> "},
                                              {"toggle", "- "},
                                              {"paragraph", ""}}};

std::string text_of(const Json* value) {
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

std::string plain_text(const Json* runs) {
  std::string out;
  if (runs == nullptr || !runs->is_array()) return out;
  for (const Json& run : runs->as_array()) {
    const Json* plain = run.find("plain_text");
    const Json* text = run.find("text");
    out += plain != nullptr ? text_of(plain)
                            : text_of(text == nullptr ? nullptr : text->find("content"));
  }
  return out;
}

std::string_view sign_of(std::string_view type) {
  for (const BlockSign& each : kSigns) {
    if (each.type == type) return each.sign;
  }
  return {};
}

bool is_known(std::string_view type) {
  for (const BlockSign& each : kSigns) {
    if (each.type == type) return true;
  }
  return false;
}

std::string block_text(const std::string& type, const Json& content) {
  if (type == "divider") return "---";
  if (type == "code") return "```\n" + plain_text(content.find("rich_text")) + "\n```";
  if (type == "to_do") {
    const Json* checked = content.find("checked");
    const bool done = checked != nullptr && checked->is_bool() && checked->as_bool();
    return (done ? "[x] " : "[ ] ") + plain_text(content.find("rich_text"));
  }
  if (!is_known(type)) return "[" + type + "]";
  return std::string(sign_of(type)) + plain_text(content.find("rich_text"));
}

void append_blocks(std::string& out, const Json* blocks, std::size_t depth) {
  if (blocks == nullptr || !blocks->is_array() || depth > kMaxBlockDepth) return;
  for (const Json& block : blocks->as_array()) {
    const std::string type = text_of(block.find("type"));
    const Json* content = type.empty() ? nullptr : block.find(type);
    if (content == nullptr || !content->is_object()) continue;
    out += std::string(2 * depth, ' ') + block_text(type, *content) + "\n";
    // Children stand in the content when they are sent, beside it when they were fetched.
    append_blocks(out, content->find("children"), depth + 1);
    append_blocks(out, block.find("children"), depth + 1);
  }
}

Json rich_text(std::string_view text) {
  Json runs = Json::array();
  while (!text.empty()) {
    const std::string_view piece = substring_by_code_points(text, 0, kMaxRun);
    runs.push_back(Json::object(
        {{"type", "text"}, {"text", Json::object({{"content", piece}})}, {"plain_text", piece}}));
    text.remove_prefix(piece.size());
  }
  return runs;
}

Json block(std::string_view type, Json content) {
  Json made = Json::object({{"object", "block"}, {"type", type}});
  made.set(type, std::move(content));
  return made;
}

Json line_block(std::string_view line) {
  if (trim(line) == "---") return block("divider", Json::object());
  for (const auto& [sign, done] : {std::pair{"[ ] ", false}, std::pair{"[x] ", true}}) {
    if (!line.starts_with(sign)) continue;
    return block("to_do",
                 Json::object({{"rich_text", rich_text(line.substr(4))}, {"checked", done}}));
  }
  for (const BlockSign& each : kSigns) {
    if (!line.starts_with(each.sign)) continue;
    return block(each.type,
                 Json::object({{"rich_text", rich_text(line.substr(each.sign.size()))}}));
  }
  return block("paragraph", Json::object({{"rich_text", rich_text(line)}}));
}

Json text_blocks(std::string_view text) {
  Json blocks = Json::array();
  bool in_code = false;
  std::string code;
  const auto end_code = [&] {
    if (code.ends_with('\n')) code.pop_back();
    blocks.push_back(
        block("code", Json::object({{"rich_text", rich_text(code)}, {"language", "plain text"}})));
    code.clear();
  };
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("```")) {
      if (in_code) end_code();
      in_code = !in_code;
    } else if (in_code) {
      code += std::string(line) + "\n";
    } else if (!trim(line).empty()) {
      blocks.push_back(line_block(line));
    }
  }
  if (in_code) end_code();
  return blocks;
}

}  // namespace

Result<NotionPage> read_notion_page(const Json& page) {
  if (text_of(page.find("object")) != "page" || text_of(page.find("id")).empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "this is no page: it lacks \"object\":\"page\" or an id");
  }
  NotionPage read;
  read.id = text_of(page.find("id"));
  read.edited = text_of(page.find("last_edited_time"));
  const Json* properties = page.find("properties");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, property] : properties->as_object()) {
      if (text_of(property.find("type")) == "title") {
        read.title = plain_text(property.find("title"));
      }
    }
  }
  append_blocks(read.text, page.find("children"), 0);
  return read;
}

Json make_notion_page(std::string_view id, std::string_view title, std::string_view text,
                      std::string_view now) {
  Json name = Json::object({{"id", "title"}, {"type", "title"}, {"title", rich_text(title)}});
  return Json::object({{"object", "page"},
                       {"id", id},
                       {"created_time", now},
                       {"last_edited_time", now},
                       {"properties", Json::object({{"title", std::move(name)}})},
                       {"children", text_blocks(text)}});
}

}  // namespace anima::tools
