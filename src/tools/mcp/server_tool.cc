#include "tools/mcp/server_tool.h"

#include <algorithm>
#include <map>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "base/json/sorted_json.h"
#include "llm/json_schema.h"

namespace anima::tools {
namespace {

constexpr std::size_t kDeepestSchema = 48;

// Keywords whose value is a schema, a list of schemas, or an object of schemas.
constexpr std::string_view kOneSchema[] = {"additionalProperties", "items", "not"};
constexpr std::string_view kSchemaList[] = {"prefixItems", "anyOf", "oneOf", "allOf"};
constexpr std::string_view kSchemaMap[] = {"properties", "$defs", "definitions"};
// The others that llm/json_schema.h knows.
constexpr std::string_view kPlain[] = {
    "type",         "required", "minItems",    "maxItems",         "uniqueItems",
    "enum",         "const",    "minimum",     "maximum",          "minLength",
    "maxLength",    "pattern",  "$ref",        "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf",   "title",    "description", "default",          "examples",
    "format",       "$schema",  "$id",         "$comment",         "minProperties",
    "maxProperties"};

template <typename List>
bool is_in(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

class SchemaReader {
 public:
  explicit SchemaReader(std::vector<std::string>* left_out) : left_out_(left_out) {}

  Json read(const Json& schema, std::size_t depth = 0) {
    if (!schema.is_object() || depth > kDeepestSchema)
      return schema.is_bool() ? schema : leave("?");
    Json kept = Json::object();
    for (const auto& [name, value] : schema.as_object()) {
      if (is_in(kPlain, name)) {
        kept.set(name, value);
      } else if (is_in(kOneSchema, name)) {
        part(kept, name, [&, &value = value] { return read(value, depth + 1); });
      } else if (is_in(kSchemaList, name) && value.is_array()) {
        part(kept, name, [&, &value = value] { return list(value, depth); });
      } else if (is_in(kSchemaMap, name) && value.is_object()) {
        part(kept, name, [&, &value = value] { return map(value, depth); });
      } else {
        leave(name);
      }
    }
    return kept;
  }

 private:
  Json leave(std::string_view name) {
    ++count_;
    if (left_out_ != nullptr && !is_in(*left_out_, name)) left_out_->emplace_back(name);
    return true;
  }

  // What `not` or exactly one of several says turns round when a part of it is left out.
  template <typename Read>
  void part(Json& kept, const std::string& name, Read read_it) {
    const std::size_t before = count_;
    Json value = read_it();
    if (count_ != before && (name == "not" || name == "oneOf")) {
      leave(name);
    } else {
      kept.set(name, std::move(value));
    }
  }

  Json list(const Json& value, std::size_t depth) {
    Json kept = Json::array();
    for (const Json& each : value.as_array()) kept.push_back(read(each, depth + 1));
    return kept;
  }
  Json map(const Json& value, std::size_t depth) {
    Json kept = Json::object();
    for (const auto& [name, each] : value.as_object()) kept.set(name, read(each, depth + 1));
    return kept;
  }

  std::vector<std::string>* left_out_;
  std::size_t count_ = 0;
};

using ByName = std::map<std::string, const ServerTool*, std::less<>>;
ByName by_name(const std::vector<ServerTool>& tools) {
  ByName names;
  for (const ServerTool& tool : tools) names.emplace(tool.name, &tool);
  return names;
}

void note_change(std::vector<std::string>& lines, const std::string& tool, std::string_view part,
                 const std::string& before, const std::string& now) {
  if (before == now) return;
  lines.push_back("~ " + tool + ": " + std::string(part));
  lines.push_back("    was: " + before);
  lines.push_back("    is:  " + now);
}

}  // namespace

Json ServerTool::to_json() const {
  Json json = Json::object({{"name", name}});
  if (!title.empty()) json.set("title", title);
  json.set("description", description);
  json.set("inputSchema", input_schema);
  if (!output_schema.is_null()) json.set("outputSchema", output_schema);
  if (!annotations.as_object().empty()) json.set("annotations", annotations);
  return json;
}

Result<ServerTool> ServerTool::from_json(const Json& json) {
  ServerTool tool;
  tool.name = text_member(json, "name");
  tool.title = text_member(json, "title");
  tool.description = text_member(json, "description");
  if (tool.name.empty()) return fail(ErrorCode::kCorrupt, "a tool of the server has no name");
  const Json* schema = json.find("inputSchema");
  if (schema == nullptr || !schema->is_object()) {
    return fail(ErrorCode::kCorrupt, "a tool of the server has no \"inputSchema\"",
                quote_json(tool.name.substr(0, 64)));
  }
  tool.input_schema = *schema;
  if (const Json* output = json.find("outputSchema"); output != nullptr && output->is_object())
    tool.output_schema = *output;
  if (const Json* hints = json.find("annotations"); hints != nullptr && hints->is_object())
    tool.annotations = *hints;
  return tool;
}

bool ServerTool::hints_that_it_reads() const {
  const Json* hint = annotations.find("readOnlyHint");
  return hint != nullptr && hint->as_bool();
}

std::string hash_of_tool(const ServerTool& tool) {
  return to_hex(sha256(sorted_json(tool.to_json())));
}

std::string hash_of_tools(const std::vector<ServerTool>& tools) {
  Sha256 all;
  for (const auto& [name, tool] : by_name(tools)) all.update(hash_of_tool(*tool) + "\n");
  return to_hex(all.finish());
}

std::vector<std::string> difference_of_tools(const std::vector<ServerTool>& before,
                                             const std::vector<ServerTool>& now) {
  std::vector<std::string> lines;
  const ByName old_ones = by_name(before), new_ones = by_name(now);
  for (const auto& [name, tool] : new_ones) {
    const auto old = old_ones.find(name);
    if (old == old_ones.end()) {
      lines.push_back("+ " + name + ": " + tool->description);
      continue;
    }
    const ServerTool& was = *old->second;
    note_change(lines, name, "title", was.title, tool->title);
    note_change(lines, name, "description", was.description, tool->description);
    note_change(lines, name, "arguments", sorted_json(was.input_schema),
                sorted_json(tool->input_schema));
    note_change(lines, name, "results", sorted_json(was.output_schema),
                sorted_json(tool->output_schema));
    note_change(lines, name, "hints", sorted_json(was.annotations), sorted_json(tool->annotations));
  }
  for (const auto& [name, tool] : old_ones) {
    if (!new_ones.contains(name)) lines.push_back("- " + name);
  }
  return lines;
}

Json checkable_schema(const Json& schema, std::vector<std::string>* left_out) {
  Json kept = SchemaReader(left_out).read(schema);
  if (kept.is_object() && llm::check_schema(kept)) return kept;
  if (left_out != nullptr) left_out->emplace_back("all of it");
  return Json::object({{"type", "object"}});
}

}  // namespace anima::tools
