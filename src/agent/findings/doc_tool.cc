#include "agent/findings/doc_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agent/findings/grammar.h"
#include "base/json/json.h"
#include "govern/trust.h"
#include "store/symbols.h"
#include "tools/graph.h"
#include "tools/workbench.h"

namespace anima::agent {
namespace {

using store::EntityId;
using store::PredicateClass;
using store::Snapshot;

constexpr std::size_t kMaxShown = 200;  // statements each way
constexpr std::size_t kMaxExamples = 20;

struct Statement {
  tools::Edge edge;
  std::string superseded;  // the reason, or empty
};

// Who stated how much of a page.
struct Voice {
  std::string author, source;
  store::Trust trust = store::Trust::kUntrusted;
  auto operator<=>(const Voice&) const = default;
};
struct Share {
  std::uint64_t statements = 0;
  std::uint64_t explained = 0;  // with a provenance record
  store::Sequence first = store::Sequence::kNone, last = store::Sequence::kNone;
};

struct Page {
  EntityId symbol = EntityId::kNone;
  std::string label, type;
  std::vector<Statement> attributes, out, in;
  std::uint64_t total_from = 0, total_to = 0;
  std::string used_as;                // "concepts" of a type, "statements" of a relation, or empty
  std::uint64_t used = 0;             // how often
  std::vector<std::string> examples;  // the first of them by number
  std::map<Voice, Share> voices;
};

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

tools::Finding finding_of(const tools::Edge& edge) {
  return {tools::FindingKind::kTriple,
          one_line(edge.subject),
          edge.predicate,
          one_line(edge.object),
          {},
          edge.confidence,
          0,
          0};
}

// Reads everything that a page tells.
class Gathering {
 public:
  Gathering(tools::Workbench& bench, EntityId symbol) : bench_(bench), snapshot_(bench.snapshot()) {
    page_.symbol = symbol;
    page_.label = store::symbol_label(snapshot_, symbol);
    const EntityId type = snapshot_.type_of(symbol);
    if (type != EntityId::kNone) page_.type = store::symbol_label(snapshot_, type);
  }

  Page take() {
    hear({page_.symbol, store::kTypePredicate,
          store::Term::entity(snapshot_.type_of(page_.symbol))});
    const tools::Edges from =
        tools::edges_of(snapshot_, page_.symbol, tools::Direction::kFrom, kMaxShown);
    const tools::Edges to =
        tools::edges_of(snapshot_, page_.symbol, tools::Direction::kTo, kMaxShown);
    page_.total_from = from.total;
    page_.total_to = to.total;
    for (const tools::Edge& edge : from.edges) {
      const bool link = edge.triple.predicate.predicate_class() == PredicateClass::kLink;
      keep(edge, link ? page_.out : page_.attributes);
    }
    for (const tools::Edge& edge : to.edges) keep(edge, page_.in);
    count_uses();
    return std::move(page_);
  }

 private:
  void keep(const tools::Edge& edge, std::vector<Statement>& list) {
    list.push_back({edge, bench_.superseded(edge.triple)});
    hear(edge.triple);
  }

  void hear(const store::Triple& triple) {
    for (const store::Assertion& assertion : snapshot_.assertions(triple)) {
      const store::EntryInfo entry = snapshot_.entry(assertion.born);
      Share& share =
          page_.voices[{std::string(entry.author), std::string(entry.source), entry.trust}];
      if (share.statements == 0 || assertion.born < share.first) share.first = assertion.born;
      share.last = std::max(share.last, assertion.born);
      ++share.statements;
      if (assertion.provenance != 0) ++share.explained;
    }
  }

  void count_uses() {
    const EntityId type = snapshot_.type_of(page_.symbol);
    store::Pattern pattern;
    if (type == store::kConceptType) {
      pattern.predicate = store::kTypePredicate;
      pattern.object = store::Term::entity(page_.symbol);
      page_.used_as = "concept";
    } else if (type == store::kPropositionType) {
      pattern.predicate = store::Predicate::link(page_.symbol);
      page_.used_as = "statement";
    } else {
      return;
    }
    page_.used = snapshot_.count(pattern);
    store::Cursor cursor = snapshot_.scan(pattern, store::Order::kPredicateObjectSubject);
    store::Triple first[kMaxExamples];
    const std::size_t count = cursor.next(first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string subject = one_line(store::symbol_label(snapshot_, first[i].subject));
      if (tools::is_bookkeeping(subject)) continue;
      const bool concept_of_type = type == store::kConceptType;
      page_.examples.push_back(
          concept_of_type ? subject
                          : fmt::format("{} {} {}", subject, page_.label,
                                        one_line(store::term_label(snapshot_, first[i].object))));
    }
  }

  tools::Workbench& bench_;
  const Snapshot& snapshot_;
  Page page_;
};

// A list of the page: its heading and lines.
struct Block {
  std::string heading;
  std::vector<std::string> lines;
};

std::string attribute_line(const Statement& statement) {
  std::string line =
      fmt::format("{}: {}", statement.edge.predicate, one_line(statement.edge.object));
  if (statement.edge.confidence < 1.0) {
    line += fmt::format(" (confidence {:.2f})", statement.edge.confidence);
  }
  return line;
}

std::string with_reason(std::string line, const Statement& statement) {
  if (!statement.superseded.empty()) line += fmt::format(" (superseded: {})", statement.superseded);
  return line;
}

Block links_block(std::string heading, const std::vector<Statement>& statements,
                  const Grammar& grammar) {
  Block block{std::move(heading), {}};
  for (const Statement& statement : statements) {
    block.lines.push_back(with_reason(linearize(finding_of(statement.edge), grammar), statement));
  }
  return block;
}

std::string voice_line(const Voice& voice, const Share& share) {
  const auto number = [](store::Sequence at) { return static_cast<std::uint64_t>(at); };
  std::string line =
      fmt::format("{} statement{} by {}", share.statements, share.statements == 1 ? "" : "s",
                  voice.author.empty() ? "nobody named" : voice.author);
  if (!voice.source.empty()) line += fmt::format(" from {}", voice.source);
  line += fmt::format(", trust {}, ", govern::trust_name(voice.trust));
  line += share.first == share.last
              ? fmt::format("entry {}", number(share.first))
              : fmt::format("entries {} to {}", number(share.first), number(share.last));
  if (share.explained != 0) {
    line += fmt::format(", {} with a provenance record", share.explained);
  }
  return line;
}

std::string counted_word(std::uint64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::vector<Block> blocks_of(const Page& page, const Grammar& grammar) {
  std::vector<Block> blocks;
  Block attributes{"Attributes", {}};
  for (const Statement& statement : page.attributes) {
    attributes.lines.push_back(with_reason(attribute_line(statement), statement));
  }
  blocks.push_back(std::move(attributes));
  blocks.push_back(links_block("Links from it", page.out, grammar));
  blocks.push_back(links_block("Links to it", page.in, grammar));
  const auto cut = [](Block& block, std::uint64_t total, std::size_t shown) {
    if (total > shown) block.lines.push_back(fmt::format(".. and {} more", total - shown));
  };
  cut(blocks[1], page.total_from, page.attributes.size() + page.out.size());
  cut(blocks[2], page.total_to, page.in.size());
  if (!page.used_as.empty()) {
    Block uses{"What uses it", {counted_word(page.used, page.used_as)}};
    uses.lines.insert(uses.lines.end(), page.examples.begin(), page.examples.end());
    if (page.used > page.examples.size()) {
      uses.lines.push_back(fmt::format(".. and {} more", page.used - page.examples.size()));
    }
    blocks.push_back(std::move(uses));
  }
  Block voices{"Where it comes from", {}};
  for (const auto& [voice, share] : page.voices) voices.lines.push_back(voice_line(voice, share));
  blocks.push_back(std::move(voices));
  std::erase_if(blocks, [](const Block& block) { return block.lines.empty(); });
  return blocks;
}

std::string opening(const Page& page) {
  std::string kind = fmt::format("is {} {}", article(page.type), page.type);
  if (page.type.empty() || page.type == "Entity") kind = "is known without a type";
  if (page.used_as == "concept") kind = "is a type";
  if (page.used_as == "statement") kind = "is a relation";
  return fmt::format("{} {} (sym:{}).", one_line(page.label), kind,
                     static_cast<std::uint32_t>(page.symbol));
}

std::string as_markdown(const Page& page) {
  std::string out = fmt::format("# {}\n\n{}\n", one_line(page.label), opening(page));
  for (const Block& block : blocks_of(page, *builtin_grammar("formal"))) {
    out += fmt::format("\n## {}\n\n", block.heading);
    for (const std::string& line : block.lines) out += "- " + line + "\n";
  }
  return out;
}

std::string as_text(const Page& page) {
  std::string out = opening(page) + "\n";
  for (const Block& block : blocks_of(page, *builtin_grammar("narrative"))) {
    out += "\n" + block.heading + ":\n";
    for (const std::string& line : block.lines) out += "  " + line + "\n";
  }
  return out;
}

Json value_json(const Snapshot& snapshot, store::Term term) {
  const store::ValueView value = snapshot.value(term);
  switch (value.kind) {
    case store::ValueKind::kNull:
      return {};
    case store::ValueKind::kBoolean:
      return value.integer != 0;
    case store::ValueKind::kInteger:
      return value.integer;
    case store::ValueKind::kDouble:
      return value.number;
    default:
      return store::term_label(snapshot, term);
  }
}

Json statements_json(const Snapshot& snapshot, const std::vector<Statement>& statements) {
  Json list = Json::array();
  for (const Statement& statement : statements) {
    const tools::Edge& edge = statement.edge;
    list.push_back(Json::object(
        {{"subject", edge.subject},
         {"predicate", edge.predicate},
         {"object", value_json(snapshot, edge.triple.object)},
         {"confidence", edge.confidence},
         {"superseded", statement.superseded.empty() ? Json() : Json(statement.superseded)}}));
  }
  return list;
}

std::string as_json(const Snapshot& snapshot, const Page& page) {
  Json voices = Json::array(), examples = Json::array();
  for (const auto& [voice, share] : page.voices) {
    voices.push_back(Json::object({{"author", voice.author},
                                   {"source", voice.source},
                                   {"trust", govern::trust_name(voice.trust)},
                                   {"statements", share.statements},
                                   {"with_provenance", share.explained},
                                   {"first_entry", static_cast<std::uint64_t>(share.first)},
                                   {"last_entry", static_cast<std::uint64_t>(share.last)}}));
  }
  for (const std::string& example : page.examples) examples.push_back(example);
  Json json = Json::object({{"symbol", static_cast<std::uint32_t>(page.symbol)},
                            {"label", page.label},
                            {"type", page.type},
                            {"attributes", statements_json(snapshot, page.attributes)},
                            {"links_from", statements_json(snapshot, page.out)},
                            {"links_to", statements_json(snapshot, page.in)},
                            {"statements_from", page.total_from},
                            {"statements_to", page.total_to},
                            {"voices", std::move(voices)}});
  if (!page.used_as.empty()) {
    json.set("uses", Json::object({{"what", page.used_as},
                                   {"count", page.used},
                                   {"examples", std::move(examples)}}));
  }
  return json.dump(2) + "\n";
}

class DocGen final : public tools::Tool {
 public:
  DocGen()
      : info_{"doc_gen",
              "Writes a page about a symbol from what the graph says.",
              {{"target", true, "a label or a number"},
               {"format", false, "markdown, json or text (markdown)"}},
              tools::Danger::kSafe,
              {"ReadGraph"},
              {"document", "documentation", "docs", "page", "manual", "reference", "describe",
               "summary", "summarise", "summarize"}} {}
  const tools::ToolInfo& info() const override { return info_; }

  Result<tools::ToolOutput> run(const tools::ToolInput& input,
                                tools::Workbench& bench) const override {
    const auto given = input.find("format");
    const std::string format =
        given == input.end() || given->second.empty() ? "markdown" : given->second;
    if (format != "markdown" && format != "json" && format != "text") {
      return failed(fmt::format("`format` is markdown, json or text, not \"{}\"", format));
    }
    const auto symbol = store::resolve_symbol(bench.snapshot(), input.at("target"));
    if (!symbol) return failed(symbol.error().describe());
    const Page page = Gathering(bench, *symbol).take();
    tools::ToolOutput output;
    output.result = format == "json"   ? as_json(bench.snapshot(), page)
                    : format == "text" ? as_text(page)
                                       : as_markdown(page);
    output.symbols_involved.push_back(*symbol);
    for (const auto* list : {&page.attributes, &page.out, &page.in}) {
      for (const Statement& statement : *list) tell(statement, output);
    }
    auto& symbols = output.symbols_involved;
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    return output;
  }

 private:
  static tools::ToolOutput failed(std::string why) {
    tools::ToolOutput output;
    output.success = false;
    output.result = std::move(why);
    return output;
  }

  static void tell(const Statement& statement, tools::ToolOutput& output) {
    const store::Triple& triple = statement.edge.triple;
    output.symbols_involved.push_back(triple.subject);
    if (triple.object.is_entity()) output.symbols_involved.push_back(triple.object.as_entity());
    if (statement.superseded.empty()) output.findings.push_back(finding_of(statement.edge));
  }

  tools::ToolInfo info_;
};

}  // namespace

std::unique_ptr<tools::Tool> make_doc_gen() { return std::make_unique<DocGen>(); }

void add_inside_tools(tools::ToolTable& table) {
  tools::add_graph_tools(table);
  table.add(make_doc_gen());
}

}  // namespace anima::agent
