#include "sparql/rdf/jsonld_expand.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "sparql/ntriples.h"

namespace anima::sparql::rdf {
namespace {

using Mode = JsonLdContext::Mode;

Unexpected<Error> reject(const char* code, std::string why) {
  return fail(ErrorCode::kSyntax, std::string(code) + ": " + std::move(why));
}

bool is_scalar(const Json& json) { return json.is_bool() || json.is_number() || json.is_string(); }

// The items of an array, or the one value.
void append_items(JsonArray& to, Json from) {
  if (!from.is_array()) {
    to.push_back(std::move(from));
    return;
  }
  for (Json& item : from.as_array()) to.push_back(std::move(item));
}

Json as_array_of(Json value) {
  if (value.is_array()) return value;
  return Json::array({std::move(value)});
}

bool has_only(const Json& object, std::initializer_list<std::string_view> allowed) {
  return std::all_of(
      object.as_object().begin(), object.as_object().end(), [&](const JsonMember& member) {
        return std::find(allowed.begin(), allowed.end(), member.first) != allowed.end();
      });
}

// The value of a text as its term says. API 5.3.2.
Json expand_value(const JsonLdContext& context, const TermDefinition* term, const Json& value) {
  const std::string_view type =
      term != nullptr && term->type ? std::string_view(*term->type) : std::string_view();
  if (value.is_string() && (type == "@id" || type == "@vocab")) {
    const unsigned mode =
        type == "@id" ? unsigned{Mode::kRelative} : unsigned{Mode::kRelative} | Mode::kVocabulary;
    const auto meant = context.expand(value.as_string(), mode);
    return Json::object({{"@id", meant ? Json(*meant) : Json()}});
  }
  Json out = Json::object({{"@value", value}});
  if (!type.empty() && type != "@id" && type != "@vocab" && type != "@none") {
    out.set("@type", type);
  } else if (value.is_string()) {
    const auto& language =
        term != nullptr && term->has_language ? term->language : context.language;
    if (language) out.set("@language", *language);
  }
  return out;
}

}  // namespace

bool is_graph_object(const Json& json) {
  return json.find("@graph") != nullptr && has_only(json, {"@graph", "@id", "@index"});
}

// Members in the order they came, found by hash once they are many.
class JsonLdExpander::Result_ {
 public:
  Json* find(std::string_view key) {
    if (members_.size() <= kScanned) {
      for (auto& [name, value] : members_) {
        if (name == key) return &value;
      }
      return nullptr;
    }
    const auto found = places_.find(std::string(key));
    return found == places_.end() ? nullptr : &members_[found->second].second;
  }
  Json& at(std::string_view key) {
    if (Json* found = find(key)) return *found;
    members_.emplace_back(key, Json());
    if (members_.size() == kScanned + 1) {
      for (std::size_t i = 0; i < members_.size(); ++i) places_[members_[i].first] = i;
    } else if (members_.size() > kScanned) {
      places_[members_.back().first] = members_.size() - 1;
    }
    return members_.back().second;
  }
  void append(std::string_view key, Json value) {
    Json& to = at(key);
    if (!to.is_array()) to = to.is_null() ? Json::array() : Json::array({std::move(to)});
    append_items(to.as_array(), std::move(value));
  }
  Json take() { return Json(std::move(members_)); }

 private:
  static constexpr std::size_t kScanned = 16;
  JsonObject members_;
  std::unordered_map<std::string, std::size_t> places_;
};

struct JsonLdExpander::Node {
  JsonLdContextPtr context;
  JsonLdContextPtr type_context;
  std::optional<std::string_view> property;  // what the node is a value of
  std::string_view input_type;               // of a value object: the last of its types, as written
  bool is_json = false;
  Result_ result;
  std::vector<std::string_view> nests = {};
};

Result<JsonLdContextPtr> JsonLdExpander::scoped(const JsonLdContextPtr& context,
                                                const TermDefinition& term, bool override_protected,
                                                bool propagate) {
  const ScopedKey key{context.get(), term.context, override_protected, propagate};
  if (const auto found = scoped_.find(key); found != scoped_.end()) return found->second.after;
  ANIMA_ASSIGN(JsonLdContextPtr made,
               contexts_.process(context, *term.context, override_protected, propagate));
  if (scoped_.size() == kMostScoped) scoped_.clear();
  scoped_[key] = {context, made};
  return made;
}

Result<Json> JsonLdExpander::expand(JsonLdContextPtr context,
                                    std::optional<std::string_view> property, const Json& element,
                                    bool from_map) {
  if (element.is_null()) return Json();
  if (is_scalar(element)) return expand_scalar(context, property, element);
  if (element.is_array()) return expand_array(context, property, element, from_map);
  return expand_object(std::move(context), property, element, from_map);
}

Result<Json> JsonLdExpander::expand_scalar(const JsonLdContextPtr& context,
                                           std::optional<std::string_view> property,
                                           const Json& element) {
  if (!property || *property == "@graph") return Json();
  const TermDefinition* const term = context->find(*property);
  if (term == nullptr || term->context == nullptr) return expand_value(*context, term, element);
  ANIMA_ASSIGN(const JsonLdContextPtr inside, scoped(context, *term, true, true));
  return expand_value(*inside, inside->find(*property), element);
}

Result<Json> JsonLdExpander::expand_array(const JsonLdContextPtr& context,
                                          std::optional<std::string_view> property,
                                          const Json& element, bool from_map) {
  const TermDefinition* const term = property ? context->find(*property) : nullptr;
  const bool list = term != nullptr && (term->containers & kListContainer) != 0;
  Json out = Json::array();
  std::size_t index = 0;
  for (const Json& item : element.as_array()) {
    const JsonPath::Inside inside(path_, index++);
    ANIMA_ASSIGN(Json expanded, expand(context, property, item, from_map));
    if (list && expanded.is_array()) expanded = Json::object({{"@list", std::move(expanded)}});
    if (!expanded.is_null()) append_items(out.as_array(), std::move(expanded));
  }
  return out;
}

Result<Json> JsonLdExpander::expand_object(JsonLdContextPtr context,
                                           std::optional<std::string_view> property,
                                           const Json& element, bool from_map) {
  // The term of the property, as the context says that the property stood in.
  const JsonLdContextPtr outer = context;
  const TermDefinition* const term = property ? outer->find(*property) : nullptr;
  if (context->previous != nullptr && !from_map) {
    bool keeps = false;
    for (const auto& [key, value] : element.as_object()) {
      const auto meant = context->expand(key, Mode::kVocabulary);
      keeps =
          keeps ||
          (meant && (*meant == "@value" || (*meant == "@id" && element.as_object().size() == 1)));
    }
    if (!keeps) context = context->previous;
  }
  if (term != nullptr && term->context != nullptr) {
    ANIMA_ASSIGN(context, scoped(context, *term, true, true));
  }
  if (const Json* local = element.find("@context")) {
    const JsonPath::Inside inside(path_, "@context");
    ANIMA_ASSIGN(context, contexts_.process(context, *local));
  }
  Node node{context, context, property, {}, false, {}, {}};
  ANIMA_ASSIGN(node.context, with_type_contexts(context, element, &node.input_type));
  if (!node.input_type.empty()) {
    node.is_json = node.context->expand(node.input_type, Mode::kVocabulary | Mode::kRelative) ==
                   std::optional<std::string>("@json");
  }
  ANIMA_TRY(expand_members(node, element));
  return finish(node);
}

// API 5.1.2 step 11: the types bring their own contexts, in the order of their names.
Result<JsonLdContextPtr> JsonLdExpander::with_type_contexts(JsonLdContextPtr context,
                                                            const Json& element,
                                                            std::string_view* input_type) {
  const JsonLdContextPtr type_context = context;
  std::vector<const JsonMember*> said;
  for (const JsonMember& member : element.as_object()) {
    if (context->expand(member.first, Mode::kVocabulary) == std::optional<std::string>("@type")) {
      said.push_back(&member);
    }
  }
  std::sort(said.begin(), said.end(),
            [](const JsonMember* a, const JsonMember* b) { return a->first < b->first; });
  for (const JsonMember* member : said) {
    std::vector<std::string_view> types;
    if (member->second.is_string()) types.push_back(member->second.as_string());
    for (const Json& each : member->second.as_array()) {
      if (each.is_string()) types.push_back(each.as_string());
    }
    if (input_type->empty() && !types.empty()) *input_type = types.back();
    std::sort(types.begin(), types.end());
    for (const std::string_view type : types) {
      const TermDefinition* const term = type_context->find(type);
      if (term == nullptr || term->context == nullptr) continue;
      ANIMA_ASSIGN(context, scoped(context, *term, false, false));
    }
  }
  return context;
}

// API 5.1.2 steps 13 and 14.
Status JsonLdExpander::expand_members(Node& node, const Json& element) {
  const std::size_t nests_before = node.nests.size();
  for (const auto& [key, value] : element.as_object()) {
    if (key == "@context") continue;
    const auto meant = node.context->expand(key, Mode::kVocabulary);
    if (!meant) continue;
    const JsonPath::Inside inside(path_, key);
    if (*meant == "@nest") {
      node.nests.push_back(key);
    } else if (is_jsonld_keyword(*meant)) {
      ANIMA_TRY(expand_keyword(node, *meant, value));
    } else if (meant->find(':') != std::string::npos) {
      ANIMA_TRY(expand_property(node, key, *meant, value));
    }
  }
  std::vector<std::string_view> nests(
      node.nests.begin() + static_cast<std::ptrdiff_t>(nests_before), node.nests.end());
  node.nests.resize(nests_before);
  for (const std::string_view key : nests) {
    const JsonPath::Inside inside(path_, key);
    const Json& value = *element.find(key);
    const TermDefinition* const term = node.context->find(key);
    const JsonLdContextPtr outer = node.context;
    if (term != nullptr && term->context != nullptr) {
      ANIMA_ASSIGN(node.context, scoped(node.context, *term, true, true));
    }
    ANIMA_TRY(expand_nests(node, value));
    node.context = outer;
  }
  return {};
}

Status JsonLdExpander::expand_nests(Node& node, const Json& value) {
  const auto expand_one = [&](const Json& each) -> Status {
    bool fits = each.is_object();
    for (const auto& [key, unused] : each.as_object()) {
      fits = fits &&
             node.context->expand(key, Mode::kVocabulary) != std::optional<std::string>("@value");
    }
    if (!fits) return reject("invalid @nest value", "it is no object of properties");
    return expand_members(node, each);
  };
  if (!value.is_array()) return expand_one(value);
  std::size_t index = 0;
  for (const Json& each : value.as_array()) {
    const JsonPath::Inside inside(path_, index++);
    ANIMA_TRY(expand_one(each));
  }
  return {};
}

Status JsonLdExpander::expand_keyword(Node& node, std::string_view keyword, const Json& value) {
  if (node.property && *node.property == "@reverse") {
    return reject("invalid reverse property map", "keywords cannot stand in @reverse");
  }
  if (keyword != "@included" && keyword != "@type" && node.result.find(keyword) != nullptr) {
    return reject("colliding keywords", std::string(keyword) + " stands twice");
  }
  if (keyword == "@id") {
    if (!value.is_string()) return reject("invalid @id value", "it is no text");
    const auto meant = node.context->expand(value.as_string(), Mode::kRelative);
    node.result.at("@id") = meant ? Json(*meant) : Json();
    return {};
  }
  if (keyword == "@type") return expand_types(node, value);
  if (keyword == "@included") return expand_included(node, value);
  if (keyword == "@value") return expand_value_member(node, value);
  if (keyword == "@reverse") return expand_reverse(node, value);
  if (keyword == "@graph") {
    ANIMA_ASSIGN(Json graph, expand(node.context, "@graph", value));
    if (graph.is_null()) graph = Json::array();
    node.result.at("@graph") = as_array_of(std::move(graph));
    return {};
  }
  if (keyword == "@list") {
    if (!node.property || *node.property == "@graph") return {};
    ANIMA_ASSIGN(Json list, expand(node.context, node.property, value));
    if (list.is_null()) list = Json::array();
    node.result.at("@list") = as_array_of(std::move(list));
    return {};
  }
  if (keyword == "@set") {
    ANIMA_ASSIGN(Json set, expand(node.context, node.property, value));
    if (set.is_null()) set = Json::array();
    node.result.at("@set") = std::move(set);
    return {};
  }
  return expand_text_member(node, keyword, value);
}

Status JsonLdExpander::expand_types(Node& node, const Json& value) {
  const auto one = [&](const Json& type) -> Status {
    if (!type.is_string()) return reject("invalid type value", "@type is no text");
    const auto meant =
        node.type_context->expand(type.as_string(), Mode::kVocabulary | Mode::kRelative);
    if (meant) node.result.append("@type", *meant);
    return {};
  };
  if (!value.is_array()) return one(value);
  if (node.result.find("@type") == nullptr) node.result.at("@type") = Json::array();
  for (const Json& type : value.as_array()) ANIMA_TRY(one(type));
  return {};
}

Status JsonLdExpander::expand_included(Node& node, const Json& value) {
  ANIMA_ASSIGN(Json included, expand(node.context, "@included", value));
  Json items = as_array_of(std::move(included));
  for (const Json& item : items.as_array()) {
    if (!item.is_object() || is_value_object(item) || is_list_object(item)) {
      return reject("invalid @included value", "it is no node");
    }
  }
  node.result.append("@included", std::move(items));
  return {};
}

Status JsonLdExpander::expand_value_member(Node& node, const Json& value) {
  if (!node.is_json && !value.is_null() && !is_scalar(value)) {
    return reject("invalid value object value", "@value is no scalar");
  }
  node.result.at("@value") = value;
  return {};
}

// @language, @direction and @index; any other keyword means nothing here.
Status JsonLdExpander::expand_text_member(Node& node, std::string_view keyword, const Json& value) {
  if (keyword == "@language") {
    if (!value.is_string()) return reject("invalid language-tagged string", "@language is no text");
  } else if (keyword == "@direction") {
    if (value.as_string() != "ltr" && value.as_string() != "rtl") {
      return reject("invalid base direction", "@direction is neither ltr nor rtl");
    }
  } else if (keyword == "@index") {
    if (!value.is_string()) return reject("invalid @index value", "it is no text");
  } else {
    return {};
  }
  node.result.at(keyword) = value;
  return {};
}

Status JsonLdExpander::expand_reverse(Node& node, const Json& value) {
  if (!value.is_object()) return reject("invalid @reverse value", "it is no object");
  ANIMA_ASSIGN(Json expanded, expand(node.context, "@reverse", value));
  for (auto& [property, items] : expanded.as_object()) {
    if (property == "@reverse") {
      // The reverse of the reverse is the property itself.
      for (auto& [forward, values] : items.as_object()) {
        node.result.append(forward, std::move(values));
      }
    } else if (!is_jsonld_keyword(property)) {
      ANIMA_TRY(add_reverse(node, property, items));
    }
  }
  return {};
}

Status JsonLdExpander::add_reverse(Node& node, std::string_view property, Json& items) {
  Json& reverse = node.result.at("@reverse");
  if (!reverse.is_object()) reverse = Json::object();
  Json list = as_array_of(std::move(items));
  for (Json& item : list.as_array()) {
    if (is_value_object(item) || is_list_object(item)) {
      return reject("invalid reverse property value", "it is no node");
    }
    if (reverse.find(property) == nullptr) reverse.set(property, Json::array());
    reverse.find(property)->push_back(std::move(item));
  }
  return {};
}

// API 5.1.2 steps 13.5 to 13.14.
Status JsonLdExpander::expand_property(Node& node, std::string_view key, std::string_view property,
                                       const Json& value) {
  const TermDefinition* const found = node.context->find(key);
  const TermDefinition none;
  const TermDefinition& term = found != nullptr ? *found : none;
  Json expanded;
  if (term.type && *term.type == "@json") {
    expanded = Json::object({{"@value", value}, {"@type", "@json"}});
  } else if ((term.containers & kLanguageContainer) != 0 && value.is_object()) {
    ANIMA_ASSIGN(expanded, expand_language_map(node, term, value));
  } else if ((term.containers & (kIndexContainer | kTypeContainer | kIdContainer)) != 0 &&
             value.is_object()) {
    ANIMA_ASSIGN(expanded, expand_index_map(node, key, term, value));
  } else {
    ANIMA_ASSIGN(expanded, expand(node.context, key, value));
  }
  if (expanded.is_null()) return {};
  if ((term.containers & kListContainer) != 0 && !is_list_object(expanded)) {
    expanded = Json::object({{"@list", as_array_of(std::move(expanded))}});
  }
  if ((term.containers & kGraphContainer) != 0 &&
      (term.containers & (kIdContainer | kIndexContainer)) == 0) {
    Json graphs = Json::array();
    Json items = as_array_of(std::move(expanded));
    for (Json& item : items.as_array()) {
      graphs.push_back(Json::object({{"@graph", as_array_of(std::move(item))}}));
    }
    expanded = std::move(graphs);
  }
  if (term.is_reverse) return add_reverse(node, property, expanded);
  node.result.append(property, std::move(expanded));
  return {};
}

Result<Json> JsonLdExpander::expand_language_map(const Node& node, const TermDefinition&,
                                                 const Json& value) {
  Json out = Json::array();
  for (const auto& [language, texts] : value.as_object()) {
    const JsonPath::Inside inside(path_, language);
    const Json items = as_array_of(texts);
    const bool none =
        node.context->expand(language, Mode::kVocabulary) == std::optional<std::string>("@none");
    for (const Json& item : items.as_array()) {
      if (item.is_null()) continue;
      if (!item.is_string()) return reject("invalid language map value", "it is no text");
      Json text = Json::object({{"@value", item}});
      if (!none) text.set("@language", language);
      out.push_back(std::move(text));
    }
  }
  return out;
}

// Maps by @index, @id or @type, of values or of graphs.
Result<Json> JsonLdExpander::expand_index_map(const Node& node, std::string_view key,
                                              const TermDefinition& term, const Json& value) {
  Json out = Json::array();
  const bool by_name = (term.containers & (kIdContainer | kTypeContainer)) != 0;
  for (const auto& [index, entry] : value.as_object()) {
    const JsonPath::Inside inside(path_, index);
    JsonLdContextPtr context = node.context;
    if (by_name && context->previous != nullptr) context = context->previous;
    if ((term.containers & kTypeContainer) != 0) {
      const TermDefinition* const type = context->find(index);
      if (type != nullptr && type->context != nullptr) {
        ANIMA_ASSIGN(context, scoped(context, *type, false, false));
      }
    }
    const auto meant = node.context->expand(index, Mode::kVocabulary);
    // Of the document itself, for contexts in it are pointed at.
    ANIMA_ASSIGN(Json items, expand(context, key, entry, true));
    items = items.is_null() ? Json::array() : as_array_of(std::move(items));
    for (Json& item : items.as_array()) {
      if ((term.containers & kGraphContainer) != 0 && !is_graph_object(item)) {
        item = Json::object({{"@graph", as_array_of(std::move(item))}});
      }
      ANIMA_TRY(mark_indexed(node, term, index, meant, item));
      out.push_back(std::move(item));
    }
  }
  return out;
}

// Says in the item what its place in the map said.
Status JsonLdExpander::mark_indexed(const Node& node, const TermDefinition& term,
                                    std::string_view index, const std::optional<std::string>& meant,
                                    Json& item) {
  if (meant && *meant == "@none") return {};
  if ((term.containers & kIndexContainer) != 0) {
    if (term.index.empty() || term.index == "@index") {
      if (item.find("@index") == nullptr) item.set("@index", index);
      return {};
    }
    const Json value =
        expand_value(*node.context, node.context->find(term.index), Json(std::string(index)));
    const auto property = node.context->expand(term.index, Mode::kVocabulary);
    if (!property) return {};
    if (is_value_object(item)) {
      return reject("invalid value object", "a value cannot have the property of its index");
    }
    Json values = Json::array({value});
    if (const Json* said = item.find(*property)) append_items(values.as_array(), *said);
    item.set(*property, std::move(values));
  } else if ((term.containers & kIdContainer) != 0) {
    const auto id = node.context->expand(index, Mode::kRelative);
    if (item.find("@id") == nullptr && id) item.set("@id", *id);
  } else if (meant) {
    Json types = Json::array({Json(*meant)});
    if (const Json* said = item.find("@type")) append_items(types.as_array(), *said);
    item.set("@type", std::move(types));
  }
  return {};
}

// API 5.1.2 steps 15 to 20.
Result<Json> JsonLdExpander::finish(Node& node) {
  Json result = node.result.take();
  if (const Json* value = result.find("@value")) {
    if (!has_only(result, {"@direction", "@index", "@language", "@type", "@value"})) {
      return reject("invalid value object", "other members stand beside @value");
    }
    const bool tagged = result.find("@language") != nullptr;
    const Json* type = result.find("@type");
    if (type != nullptr && (tagged || result.find("@direction") != nullptr)) {
      return reject("invalid value object", "@type goes with neither @language nor @direction");
    }
    if (type != nullptr && type->is_array() && type->as_array().size() == 1) {
      result.set("@type", Json(type->as_array()[0]));
      type = result.find("@type");
    }
    value = result.find("@value");
    const bool json = type != nullptr && type->as_string() == "@json";
    if (!json && value->is_null()) return Json();
    if (!json && tagged && !value->is_string()) {
      return reject("invalid language-tagged value", "@value is no text");
    }
    if (type != nullptr && !json && (!type->is_string() || !is_absolute_iri(type->as_string()))) {
      return reject("invalid typed value", "@type is no IRI");
    }
  } else if (const Json* type = result.find("@type"); type != nullptr && !type->is_array()) {
    result.set("@type", Json::array({Json(*type)}));
  } else if (result.find("@set") != nullptr || result.find("@list") != nullptr) {
    if (!has_only(result, {"@set", "@index"}) && !has_only(result, {"@list", "@index"})) {
      return reject("invalid set or list object", "other members stand beside @set or @list");
    }
    if (Json* set = result.find("@set")) {
      Json items = std::move(*set);
      return items;
    }
  }
  const std::size_t members = result.as_object().size();
  if (members == 1 && result.find("@language") != nullptr) return Json();
  if (!node.property || *node.property == "@graph") {
    const bool only_id = members == 1 && result.find("@id") != nullptr;
    if (members == 0 || only_id || is_value_object(result) || is_list_object(result)) return Json();
  }
  return result;
}

}  // namespace anima::sparql::rdf
