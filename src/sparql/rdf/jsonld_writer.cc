// JSON-LD, expanded and flattened: every thing once in its graph, one a line, sorted.
//
// Source: JSON-LD 1.1 Processing Algorithms and API, chapter 8.1 ("Serialize RDF as JSON-LD").
// Lists in lists stay cells, so that no nesting is deeper than the format's own.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/json/json.h"
#include "sparql/rdf/jsonld_reader.h"
#include "sparql/rdf/vocabulary.h"
#include "sparql/rdf/writers.h"

namespace anima::sparql::rdf {
namespace {

struct JsonLdNode;

struct JsonLdValue {
  KeptTerm term;
  std::vector<JsonLdValue> list;  // instead of the term, where is_list
  bool is_list = false;

  auto key() const { return std::tie(term.kind, term.text, term.extra); }
};

struct JsonLdNode {
  bool removed = false;  // its place is in a list
  std::map<std::string, std::vector<JsonLdValue>> properties;
};

// Where a blank node stands as an object.
struct JsonLdUsage {
  std::string node, property;
  std::size_t value = 0;
  std::size_t count = 0;  // everywhere
};

using JsonLdGraph = std::map<std::string, JsonLdNode>;

class JsonLdWriter : public RdfWriter {
 public:
  explicit JsonLdWriter(TextSink sink) : out_(std::move(sink)) {}

  Status add(const RdfTriple& triple, const RdfTerm* graph) override {
    for (const std::string_view iri :
         {iri_of(triple.subject), std::string_view(triple.predicate.text), iri_of(triple.object),
          graph == nullptr ? std::string_view() : iri_of(*graph)}) {
      if (!iri.empty() && !is_jsonld_iri(iri)) {
        return fail(ErrorCode::kUnsupported,
                    "JSON-LD cannot hold the IRI <" + std::string(iri) + ">", {},
                    "write another format, such as Turtle");
      }
    }
    const std::string name = graph == nullptr ? std::string() : id_of(*graph);
    JsonLdNode& node = graphs_[name][id_of(triple.subject)];
    std::vector<JsonLdValue>& values = node.properties[std::string(triple.predicate.text)];
    JsonLdValue value;
    value.term = KeptTerm(triple.object);
    values.push_back(std::move(value));
    return {};
  }

  Status finish() override {
    JsonLdGraph& plain = graphs_[std::string()];
    // A named graph stands in the node of its name.
    for (const auto& [name, unused] : graphs_) {
      if (!name.empty()) plain[name];
    }
    for (auto& [name, nodes] : graphs_) sort_values(nodes);
    count_usages();
    for (auto& [name, nodes] : graphs_) make_lists(nodes);
    out_.text() += "[";
    bool first = true;
    for (const auto& [id, node] : plain) {
      if (node.removed) continue;
      out_.text() += first ? "\n" : ",\n";
      first = false;
      append_node(id, node, true);
      ANIMA_TRY(out_.flush_if_large());
    }
    out_.text() += first ? "]\n" : "\n]\n";
    return out_.flush();
  }

 private:
  // The IRI that a term is or is typed by; empty when there is none.
  static std::string_view iri_of(const RdfTerm& term) {
    if (term.kind == RdfKind::kIri) return term.text;
    return term.kind == RdfKind::kTyped ? term.extra : std::string_view();
  }
  static std::string id_of(const RdfTerm& term) {
    return term.kind == RdfKind::kBlank ? "_:" + std::string(term.text) : std::string(term.text);
  }

  // Values are a set.
  static void sort_values(JsonLdGraph& nodes) {
    for (auto& [id, node] : nodes) {
      for (auto& [property, values] : node.properties) {
        std::sort(values.begin(), values.end(),
                  [](const JsonLdValue& a, const JsonLdValue& b) { return a.key() < b.key(); });
        values.erase(std::unique(values.begin(), values.end(),
                                 [](const JsonLdValue& a, const JsonLdValue& b) {
                                   return a.key() == b.key();
                                 }),
                     values.end());
      }
    }
  }

  void count_usages() {
    for (const auto& [name, nodes] : graphs_) {
      // A name of a graph, and a subject of several graphs, must keep its own place.
      if (name.starts_with("_:")) usages_[name].count += 2;
      for (const auto& [id, node] : nodes) {
        if (id.starts_with("_:") && !subjects_.insert(id).second) usages_[id].count += 2;
        for (const auto& [property, values] : node.properties) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i].term.kind != RdfKind::kBlank) continue;
            JsonLdUsage& usage = usages_["_:" + values[i].term.text];
            usage.node = id;
            usage.property = property;
            usage.value = i;
            ++usage.count;
          }
        }
      }
    }
  }

  static bool is_cell(const JsonLdNode& node) {
    for (const auto& [property, values] : node.properties) {
      const bool link = property == kFirst || property == kRest;
      const bool type = property == kType && values.size() == 1 && values[0].term.text == kList;
      if (!type && !(link && values.size() == 1)) return false;
    }
    return node.properties.count(std::string(kFirst)) != 0 &&
           node.properties.count(std::string(kRest)) != 0;
  }

  // From every cell that ends a list backwards to what holds it.
  void make_lists(JsonLdGraph& nodes) {
    for (auto& [id, node] : nodes) {
      const auto rest = node.properties.find(std::string(kRest));
      if (rest == node.properties.end() || rest->second.size() != 1) continue;
      const KeptTerm& end = rest->second[0].term;
      if (end.kind != RdfKind::kIri || end.text != kNil) continue;
      make_list(nodes, id);
    }
    for (auto& [id, node] : nodes) {
      for (auto& [property, values] : node.properties) {
        if (property == kRest || property == kFirst || property == kType) continue;
        for (JsonLdValue& value : values) {
          if (value.term.kind == RdfKind::kIri && value.term.text == kNil) value.is_list = true;
        }
      }
    }
  }

  void make_list(JsonLdGraph& nodes, const std::string& last) {
    std::vector<JsonLdNode*> cells;
    std::string id = last;
    const JsonLdUsage* usage = nullptr;
    for (;;) {
      const auto node = nodes.find(id);
      const auto used = usages_.find(id);
      if (!id.starts_with("_:") || node == nodes.end() || used == usages_.end() ||
          used->second.count != 1 || !is_cell(node->second)) {
        break;
      }
      cells.push_back(&node->second);
      usage = &used->second;
      if (usage->property != kRest) break;
      id = usage->node;
    }
    // The cells of a list in a list, and of one that nothing but a cell holds, stay.
    if (usage == nullptr || usage->property == kRest || usage->property == kFirst) return;
    const auto holder = nodes.find(usage->node);
    if (holder == nodes.end()) return;
    JsonLdValue& value = holder->second.properties.at(usage->property)[usage->value];
    value.is_list = true;
    for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
      value.list.push_back(std::move((*cell)->properties.at(std::string(kFirst))[0]));
      (*cell)->removed = true;
    }
  }

  void append_key(std::string_view key) {
    append_quoted_json(out_.text(), key);
    out_.text().push_back(':');
  }

  void append_node(const std::string& id, const JsonLdNode& node, bool with_graph) {
    std::string& out = out_.text();
    out.push_back('{');
    append_key("@id");
    append_quoted_json(out, id);
    for (const auto& [property, values] : node.properties) {
      out.push_back(',');
      const bool types =
          property == kType && std::all_of(values.begin(), values.end(),
                                           [](const JsonLdValue& value) { return is_node(value); });
      append_key(types ? "@type" : property);
      out.push_back('[');
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out.push_back(',');
        if (types) {
          append_quoted_json(out, id_of(values[i].term.view()));
        } else {
          append_value(values[i]);
        }
      }
      out.push_back(']');
    }
    const auto graph = graphs_.find(id);
    if (with_graph && graph != graphs_.end()) append_graph(graph->second);
    out.push_back('}');
  }

  void append_graph(const JsonLdGraph& nodes) {
    std::string& out = out_.text();
    out.push_back(',');
    append_key("@graph");
    out.push_back('[');
    bool first = true;
    for (const auto& [id, node] : nodes) {
      if (node.removed) continue;
      out += first ? "\n  " : ",\n  ";
      first = false;
      append_node(id, node, false);
    }
    out.push_back(']');
  }

  static bool is_node(const JsonLdValue& value) {
    return !value.is_list &&
           (value.term.kind == RdfKind::kIri || value.term.kind == RdfKind::kBlank);
  }

  void append_value(const JsonLdValue& value) {
    std::string& out = out_.text();
    out.push_back('{');
    if (value.is_list) {
      append_key("@list");
      out.push_back('[');
      for (std::size_t i = 0; i < value.list.size(); ++i) {
        if (i > 0) out.push_back(',');
        append_value(value.list[i]);
      }
      out.push_back(']');
    } else if (is_node(value)) {
      append_key("@id");
      append_quoted_json(out, id_of(value.term.view()));
    } else {
      append_literal(value.term);
    }
    out.push_back('}');
  }

  void append_literal(const KeptTerm& term) {
    std::string& out = out_.text();
    if (term.kind == RdfKind::kTyped && term.extra == kJsonType && is_canonical(term.text)) {
      append_key("@type");
      out += "\"@json\",";
      append_key("@value");
      out += term.text;
      return;
    }
    if (term.kind != RdfKind::kString) {
      append_key(term.kind == RdfKind::kTyped ? "@type" : "@language");
      append_quoted_json(out, term.extra);
      out.push_back(',');
    }
    append_key("@value");
    append_quoted_json(out, term.text);
  }

  // Whether reading the text as JSON and writing it again gives the same text.
  static bool is_canonical(std::string_view text) {
    constexpr std::size_t kDepth = 32;
    JsonLimits limits;
    limits.max_depth = kDepth;
    const auto json = parse_json(text, limits);
    if (!json) return false;
    std::string canonical;
    append_canonical_json(canonical, *json);
    return canonical == text;
  }

  TextBuffer out_;
  std::map<std::string, JsonLdGraph> graphs_;
  std::map<std::string, JsonLdUsage> usages_;  // of blank nodes as objects
  std::set<std::string> subjects_;             // blank nodes
};

}  // namespace

std::unique_ptr<RdfWriter> make_jsonld_writer(TextSink sink) {
  return std::make_unique<JsonLdWriter>(std::move(sink));
}

}  // namespace anima::sparql::rdf
