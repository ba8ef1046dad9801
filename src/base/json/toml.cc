#include "base/json/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "base/text/text.h"

namespace anima {
namespace {

std::string place(const toml::source_position& position) {
  return fmt::format("{}:{}", position.line, position.column);
}

template <typename Value>
std::string in_toml_notation(const Value& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

class Converter {
 public:
  explicit Converter(TomlDocument& document) : document_(document) {}

  Json table(const toml::table& source, const std::string& prefix) {
    struct Entry {
      toml::source_position at;
      const toml::key* key;
      const toml::node* node;
    };
    std::vector<Entry> entries;
    for (const auto& [key, node] : source) entries.push_back({key.source().begin, &key, &node});
    // toml++ sorts by name; the file's own order reads better in messages and listings.
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
    JsonObject object;
    for (const Entry& entry : entries) {
      const std::string name(entry.key->str());
      const std::string path = prefix.empty() ? name : prefix + '.' + name;
      document_.places.emplace(path, place(entry.at));
      object.emplace_back(name, value(*entry.node, path));
    }
    return object;
  }

 private:
  Json value(const toml::node& node, const std::string& path) {
    switch (node.type()) {
      case toml::node_type::table:
        return table(*node.as_table(), path);
      case toml::node_type::array:
        return array(*node.as_array(), path);
      case toml::node_type::string:
        return node.as_string()->get();
      case toml::node_type::integer:
        return node.as_integer()->get();
      case toml::node_type::floating_point:
        return node.as_floating_point()->get();
      case toml::node_type::boolean:
        return node.as_boolean()->get();
      case toml::node_type::date:
        return in_toml_notation(node.as_date()->get());
      case toml::node_type::time:
        return in_toml_notation(node.as_time()->get());
      case toml::node_type::date_time:
        return in_toml_notation(node.as_date_time()->get());
      case toml::node_type::none:
        break;
    }
    return nullptr;
  }

  Json array(const toml::array& source, const std::string& path) {
    JsonArray items;
    for (const toml::node& node : source) {
      const std::string item = fmt::format("{}[{}]", path, items.size());
      document_.places.emplace(item, place(node.source().begin));
      items.push_back(value(node, item));
    }
    return items;
  }

  TomlDocument& document_;
};

const Json* table_at(const Json& root, std::string_view prefix) {
  const Json* table = &root;
  if (prefix.empty()) return table;
  for (const std::string_view name : split(prefix, '.')) {
    table = table->find(name);
    if (table == nullptr) return nullptr;
  }
  return table->is_object() ? table : nullptr;
}

}  // namespace

std::string TomlDocument::where(std::string_view key) const {
  const auto found = places.find(key);
  return found == places.end() ? source : source + ':' + found->second;
}

Result<TomlDocument> parse_toml(std::string_view text, std::string source) {
  TomlDocument document;
  document.source = std::move(source);
  try {
    const toml::table root = toml::parse(text);
    document.root = Converter(document).table(root, {});
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kSyntax, std::string(error.description()),
                document.source + ':' + place(error.source().begin));
  }
  return document;
}

std::vector<Error> unknown_toml_keys(const TomlDocument& document, std::string_view prefix,
                                     std::span<const std::string_view> known) {
  std::vector<Error> errors;
  const Json* table = table_at(document.root, prefix);
  if (table == nullptr || std::find(known.begin(), known.end(), "*") != known.end()) return errors;
  for (const JsonMember& member : table->as_object()) {
    if (std::find(known.begin(), known.end(), member.first) != known.end()) continue;
    const std::string path =
        prefix.empty() ? member.first : std::string(prefix) + '.' + member.first;
    errors.push_back({ErrorCode::kInvalidArgument, fmt::format("unknown key \"{}\"", path),
                      document.where(path), did_you_mean(nearest_names(member.first, known))});
  }
  return errors;
}

}  // namespace anima
