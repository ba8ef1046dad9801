// Expansion of JSON-LD: every term an IRI, every value an object, no context left.
//
// Thread-safety: one thread. Recursion is as deep as the document, whose depth the parser limits.
// Source: JSON-LD 1.1 Processing Algorithms and API, sections 5.1 (expansion) and 5.3 (values).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/json/json.h"
#include "base/result.h"
#include "sparql/rdf/json_path.h"
#include "sparql/rdf/jsonld_context.h"

namespace anima::sparql::rdf {

class JsonLdExpander {
 public:
  JsonLdExpander(JsonLdContexts& contexts, JsonPath& path) : contexts_(contexts), path_(path) {}

  // `property`: what the element is a value of; unset at the top. Null where nothing is left.
  Result<Json> expand(JsonLdContextPtr context, std::optional<std::string_view> property,
                      const Json& element, bool from_map = false);

 private:
  class Result_;  // an object being built
  struct Node;    // an element being expanded

  Result<Json> expand_array(const JsonLdContextPtr& context,
                            std::optional<std::string_view> property, const Json& element,
                            bool from_map);
  Result<Json> expand_object(JsonLdContextPtr context, std::optional<std::string_view> property,
                             const Json& element, bool from_map);
  Result<Json> expand_scalar(const JsonLdContextPtr& context,
                             std::optional<std::string_view> property, const Json& element);
  Result<JsonLdContextPtr> scoped(const JsonLdContextPtr& context, const TermDefinition& term,
                                  bool override_protected, bool propagate);
  Result<JsonLdContextPtr> with_type_contexts(JsonLdContextPtr context, const Json& element,
                                              std::string_view* input_type);
  Status expand_members(Node& node, const Json& element);
  Status expand_keyword(Node& node, std::string_view keyword, const Json& value);
  Status expand_types(Node& node, const Json& value);
  Status expand_included(Node& node, const Json& value);
  Status expand_value_member(Node& node, const Json& value);
  Status expand_text_member(Node& node, std::string_view keyword, const Json& value);
  Status expand_reverse(Node& node, const Json& value);
  Status expand_nests(Node& node, const Json& element);
  Status expand_property(Node& node, std::string_view key, std::string_view property,
                         const Json& value);
  Result<Json> expand_language_map(const Node& node, const TermDefinition& term, const Json& value);
  Result<Json> expand_index_map(const Node& node, std::string_view key, const TermDefinition& term,
                                const Json& value);
  Status mark_indexed(const Node& node, const TermDefinition& term, std::string_view index,
                      const std::optional<std::string>& meant, Json& item);
  Status add_reverse(Node& node, std::string_view property, Json& items);
  Result<Json> finish(Node& node);

  // What a context of the document makes of another context, which lives as long as this is kept.
  struct Scoped {
    JsonLdContextPtr before, after;
  };
  using ScopedKey = std::tuple<const JsonLdContext*, const Json*, bool, bool>;
  static constexpr std::size_t kMostScoped = 1000;

  JsonLdContexts& contexts_;
  JsonPath& path_;
  std::map<ScopedKey, Scoped> scoped_;  // things of one type are many, and their context is one
};

// What expanded objects are.
inline bool is_value_object(const Json& json) { return json.find("@value") != nullptr; }
inline bool is_list_object(const Json& json) { return json.find("@list") != nullptr; }
bool is_graph_object(const Json& json);

}  // namespace anima::sparql::rdf
