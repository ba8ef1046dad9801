#include "sparql/rdf/jsonld_reader.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "sparql/detail/rdf_chars.h"
#include "sparql/detail/text_place.h"
#include "sparql/rdf/blank_labels.h"
#include "sparql/rdf/emitter.h"
#include "sparql/rdf/jsonld_context.h"
#include "sparql/rdf/jsonld_expand.h"
#include "sparql/rdf/vocabulary.h"
#include "sparql/rdf_mapping.h"

namespace anima::sparql::rdf {
namespace {

// A term that owns its texts; `good` is false where nothing can be said with it.
struct JsonLdTerm {
  RdfKind kind = RdfKind::kIri;
  std::string text;
  std::string extra;
  bool good = true;
  RdfTerm view() const { return {kind, text, extra}; }
};

class JsonLdReader {
 public:
  JsonLdReader(std::string_view text, const RdfReadOptions& options, const QuadSink& sink)
      : text_(text),
        options_(options),
        emitter_(options, sink),
        contexts_(options.base_iri, path_),
        expander_(contexts_, path_) {}

  Result<std::uint64_t> run();

 private:
  using Graph = std::optional<JsonLdTerm>;  // unset: the default graph

  Status read(const Json& document);
  Status read_items(const JsonLdContextPtr& context, std::optional<std::string_view> property,
                    const Json& items);
  Status read_one(const JsonLdContextPtr& context, std::optional<std::string_view> property,
                  const Json& item);

  Result<JsonLdTerm> say_node(const Json& node, const Graph& graph);
  Status say_members(const Json& node, const JsonLdTerm& subject, const Graph& graph);
  Status say_graph(const Json& items, const JsonLdTerm& name);
  Status say_reverse(const Json& reverse, const JsonLdTerm& subject, const Graph& graph);
  Status say(const JsonLdTerm& subject, const std::string& predicate, const JsonLdTerm& object,
             const Graph& graph);
  Result<JsonLdTerm> object_of(const Json& value, const Graph& graph);
  Result<JsonLdTerm> list_of(const Json& items, const Graph& graph);
  static JsonLdTerm literal_of(const Json& value);
  JsonLdTerm named(std::string_view id) const;
  JsonLdTerm fresh() {
    JsonLdTerm term{RdfKind::kBlank, {}, {}, true};
    labels_.append_new(term.text);
    return term;
  }

  std::string_view text_;
  const RdfReadOptions& options_;
  Emitter emitter_;
  JsonPath path_;
  JsonLdContexts contexts_;
  JsonLdExpander expander_;
  BlankLabels labels_;
  bool emitter_failed_ = false;
};

Result<std::uint64_t> JsonLdReader::run() {
  JsonLimits limits;
  limits.max_depth = options_.max_depth;
  auto document = parse_json(text_, limits);
  if (!document) {
    Error error = std::move(document).error();
    if (!options_.file_name.empty()) error.where = options_.file_name + ":" + error.where;
    return fail(std::move(error));
  }
  if (Status status = read(*document); !status) {
    Error error = std::move(status).error();
    if (!emitter_failed_ && error.where.empty()) {
      error.where = detail::text_place(text_, path_.last_offset_in(text_), options_.file_name);
    }
    return fail(std::move(error));
  }
  return emitter_.count();
}

Status JsonLdReader::read(const Json& document) {
  JsonLdContextPtr context = contexts_.initial();
  if (document.is_array()) return read_items(context, std::nullopt, document);
  bool streams = document.find("@graph") != nullptr;
  for (const auto& [key, value] : document.as_object()) {
    streams = streams && (key == "@context" || key == "@graph");
  }
  if (!streams) return read_one(context, std::nullopt, document);
  // Only a graph stands in it: the statements are those of the default graph.
  if (const Json* local = document.find("@context")) {
    const JsonPath::Inside inside(path_, "@context");
    ANIMA_ASSIGN(context, contexts_.process(context, *local));
  }
  const JsonPath::Inside inside(path_, "@graph");
  return read_items(context, "@graph", *document.find("@graph"));
}

Status JsonLdReader::read_items(const JsonLdContextPtr& context,
                                std::optional<std::string_view> property, const Json& items) {
  if (!items.is_array()) return read_one(context, property, items);
  std::size_t index = 0;
  for (const Json& item : items.as_array()) {
    const JsonPath::Inside inside(path_, index++);
    ANIMA_TRY(read_one(context, property, item));
  }
  return {};
}

Status JsonLdReader::read_one(const JsonLdContextPtr& context,
                              std::optional<std::string_view> property, const Json& item) {
  ANIMA_ASSIGN(Json expanded, expander_.expand(context, property, item));
  if (!property && expanded.is_object() && expanded.as_object().size() == 1) {
    if (Json* graph = expanded.find("@graph")) {
      Json items = std::move(*graph);
      expanded = std::move(items);
    }
  }
  if (expanded.is_object()) ANIMA_TRY(say_node(expanded, std::nullopt));
  for (const Json& node : expanded.as_array()) ANIMA_TRY(say_node(node, std::nullopt));
  return {};
}

JsonLdTerm JsonLdReader::named(std::string_view id) const {
  JsonLdTerm term;
  if (id.starts_with("_:")) {
    term.kind = RdfKind::kBlank;
    const std::string_view label = id.substr(2);
    term.good = !label.empty() && detail::label_end(label, true) == label.size();
    BlankLabels::append_given(term.text, label);
  } else {
    term.text = id;
    term.good = is_jsonld_iri(id);
  }
  return term;
}

Status JsonLdReader::say(const JsonLdTerm& subject, const std::string& predicate,
                         const JsonLdTerm& object, const Graph& graph) {
  if (!subject.good || !object.good || (graph && !graph->good) || !is_jsonld_iri(predicate)) {
    return {};
  }
  const RdfTriple triple{subject.view(), {RdfKind::kIri, predicate, {}}, object.view()};
  const RdfTerm name = graph ? graph->view() : RdfTerm();
  if (emitter_.emit(triple, graph ? &name : nullptr, text_.size())) return {};
  emitter_failed_ = true;
  return fail(std::move(emitter_).failed());
}

Result<JsonLdTerm> JsonLdReader::say_node(const Json& node, const Graph& graph) {
  // A value or list may stand in @graph by itself, and says nothing there.
  if (is_value_object(node) || is_list_object(node)) return JsonLdTerm{{}, {}, {}, false};
  const Json* const id = node.find("@id");
  // An @id that means nothing names nothing.
  const JsonLdTerm nothing{RdfKind::kIri, {}, {}, false};
  const JsonLdTerm subject = id == nullptr     ? fresh()
                             : id->is_string() ? named(id->as_string())
                                               : nothing;
  ANIMA_TRY(say_members(node, subject, graph));
  return subject;
}

Status JsonLdReader::say_members(const Json& node, const JsonLdTerm& subject, const Graph& graph) {
  for (const auto& [property, value] : node.as_object()) {
    if (property == "@type") {
      for (const Json& type : value.as_array()) {
        ANIMA_TRY(say(subject, std::string(kType), named(type.as_string()), graph));
      }
    } else if (property == "@graph") {
      ANIMA_TRY(say_graph(value, subject));
    } else if (property == "@included") {
      for (const Json& item : value.as_array()) ANIMA_TRY(say_node(item, graph));
    } else if (property == "@reverse") {
      ANIMA_TRY(say_reverse(value, subject, graph));
    } else if (!property.starts_with('@')) {
      for (const Json& item : value.as_array()) {
        ANIMA_ASSIGN(const JsonLdTerm object, object_of(item, graph));
        ANIMA_TRY(say(subject, property, object, graph));
      }
    }
  }
  return {};
}

Status JsonLdReader::say_graph(const Json& items, const JsonLdTerm& name) {
  const Graph graph = name;
  for (const Json& item : items.as_array()) ANIMA_TRY(say_node(item, graph));
  return {};
}

Status JsonLdReader::say_reverse(const Json& reverse, const JsonLdTerm& subject,
                                 const Graph& graph) {
  for (const auto& [property, items] : reverse.as_object()) {
    for (const Json& item : items.as_array()) {
      ANIMA_ASSIGN(const JsonLdTerm other, say_node(item, graph));
      ANIMA_TRY(say(other, property, subject, graph));
    }
  }
  return {};
}

Result<JsonLdTerm> JsonLdReader::object_of(const Json& value, const Graph& graph) {
  if (is_value_object(value)) return literal_of(value);
  if (const Json* items = value.find("@list")) return list_of(*items, graph);
  return say_node(value, graph);
}

Result<JsonLdTerm> JsonLdReader::list_of(const Json& items, const Graph& graph) {
  const JsonLdTerm nil{RdfKind::kIri, std::string(kNil), {}, true};
  if (items.as_array().empty()) return nil;
  const JsonLdTerm head = fresh();
  JsonLdTerm cell = head;
  std::size_t left = items.as_array().size();
  for (const Json& item : items.as_array()) {
    ANIMA_ASSIGN(const JsonLdTerm object, object_of(item, graph));
    ANIMA_TRY(say(cell, std::string(kFirst), object, graph));
    const JsonLdTerm next = --left == 0 ? nil : fresh();
    ANIMA_TRY(say(cell, std::string(kRest), next, graph));
    cell = next;
  }
  return head;
}

// API 8.2.2.
JsonLdTerm JsonLdReader::literal_of(const Json& object) {
  const Json& value = *object.find("@value");
  const Json* const type = object.find("@type");
  JsonLdTerm term{RdfKind::kTyped, {}, type == nullptr ? "" : type->as_string(), true};
  if (term.extra == "@json") {
    term.extra = kJsonType;
    append_canonical_json(term.text, value);
    return term;
  }
  if (value.is_bool()) {
    term.text = value.as_bool() ? "true" : "false";
    if (term.extra.empty()) term.extra = kBooleanType;
  } else if (value.is_number()) {
    const double number = value.as_number();
    const bool whole =
        value.is_integer() || (std::floor(number) == number && std::abs(number) < 1e21);
    if (whole && term.extra != kDoubleType) {
      char digits[40];
      const auto [end, error] =
          value.is_integer()
              ? std::to_chars(digits, digits + sizeof digits, value.as_integer())
              : std::to_chars(digits, digits + sizeof digits, number + 0.0,  // no "-0"
                              std::chars_format::fixed);
      term.text.assign(digits, end);
      if (term.extra.empty()) term.extra = kIntegerType;
    } else {
      store::ValueView view;
      view.kind = store::ValueKind::kDouble;
      view.number = number;
      std::string scratch;
      term.text = value_term(view, scratch).text;
      if (term.extra.empty()) term.extra = kDoubleType;
    }
  } else {
    term.text = value.as_string();
    if (const Json* language = object.find("@language")) {
      term.kind = RdfKind::kLanguageString;
      term.extra = language->as_string();
      term.good = !term.extra.empty() && detail::language_end(term.extra) == term.extra.size();
      return term;
    }
  }
  if (term.extra.empty() || term.extra == kStringType) {
    term.kind = RdfKind::kString;
    term.extra.clear();
  }
  term.good = term.extra.empty() || is_jsonld_iri(term.extra);
  return term;
}

}  // namespace

bool is_jsonld_iri(std::string_view text) {
  return is_absolute_iri(text) && text.find('#') == text.rfind('#');
}

Result<std::uint64_t> read_jsonld(std::string_view text, const RdfReadOptions& options,
                                  const QuadSink& sink) {
  return JsonLdReader(text, options, sink).run();
}

}  // namespace anima::sparql::rdf
