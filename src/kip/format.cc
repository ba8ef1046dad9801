#include "kip/format.h"

#include <charconv>

#include "kip/parser.h"

namespace anima::kip {

namespace {

constexpr std::size_t kLineWidth = 96;

class Writer {
 public:
  std::string take() { return std::move(out_); }

  void statement(const Statement& statement) {
    std::visit([this](const auto& body) { write(body); }, statement.body);
    out_ += '\n';
  }

 private:
  void line() {
    out_ += '\n';
    out_.append(indent_ * 2, ' ');
  }
  std::size_t column() const {
    const std::size_t start = out_.rfind('\n');
    return out_.size() - (start == std::string::npos ? 0 : start + 1);
  }

  void text(std::string_view value) { append_quoted_json(out_, value); }

  void atom(const Atom& atom, bool is_count) {
    if (atom.placeholder) {
      out_ += ':' + atom.text;
    } else if (is_count) {
      out_ += std::to_string(atom.count);
    } else {
      text(atom.text);
    }
  }

  void key(const std::string& key) {
    if (is_identifier(key)) {
      out_ += key;
    } else {
      text(key);
    }
  }

  void path(const DotPath& path) {
    out_ += '?' + path.variable;
    for (const std::string& field : path.fields) {
      out_ += '.';
      key(field);
    }
  }

  void number(double value) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    const std::string_view digits(buffer, static_cast<std::size_t>(result.ptr - buffer));
    out_ += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  }

  void value(const Value& value, bool flat) {
    switch (value.kind) {
      case Value::Kind::kNull:
        out_ += "null";
        break;
      case Value::Kind::kBool:
        out_ += value.boolean ? "true" : "false";
        break;
      case Value::Kind::kInteger:
        out_ += std::to_string(value.integer);
        break;
      case Value::Kind::kDouble:
        number(value.number);
        break;
      case Value::Kind::kString:
        text(value.text);
        break;
      case Value::Kind::kPlaceholder:
        out_ += ':' + value.text;
        break;
      case Value::Kind::kPath:
        path(value.path);
        break;
      case Value::Kind::kCall:
        out_ += value.text;
        list(value, '(', ')', true);
        break;
      case Value::Kind::kArray:
        collection(value, '[', ']', flat);
        break;
      case Value::Kind::kObject:
        collection(value, '{', '}', flat);
        break;
    }
  }

  void list(const Value& value, char open, char close, bool flat) {
    const bool braces = open == '{' && !value.items.empty();
    out_ += open;
    if (!flat) ++indent_;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out_ += ',';
      if (!flat) {
        line();
      } else if (i > 0 || braces) {
        out_ += ' ';
      }
      if (value.kind == Value::Kind::kObject) {
        key(value.keys[i]);
        out_ += ": ";
      }
      this->value(value.items[i], flat);
    }
    if (!flat) {
      --indent_;
      line();
    } else if (braces) {
      out_ += ' ';
    }
    out_ += close;
  }

  // On one line when it fits there, else one element a line.
  void collection(const Value& value, char open, char close, bool flat) {
    const std::size_t start = out_.size();
    const std::size_t before = column();
    list(value, open, close, true);
    if (flat || value.items.empty() || before + (out_.size() - start) <= kLineWidth) return;
    out_.resize(start);
    list(value, open, close, false);
  }

  void concept_match(const ConceptMatch& match) {
    const char* separator = "{";
    const auto field = [&](const char* name, const std::optional<Atom>& value) {
      if (!value) return;
      out_ += separator;
      separator = ", ";
      out_ += name;
      atom(*value, false);
    };
    field("id: ", match.id);
    field("type: ", match.type);
    field("name: ", match.name);
    out_ += *separator == '{' ? "{}" : "}";
  }

  void endpoint(const Endpoint& end) {
    switch (end.kind) {
      case Endpoint::Kind::kVariable:
        out_ += '?' + end.variable;
        break;
      case Endpoint::Kind::kConcept:
        concept_match(end.concept_match);
        break;
      case Endpoint::Kind::kLink:
        link_match(end.link.front());
        break;
    }
  }

  void predicate(const PredicateMatch& match) {
    if (match.names.empty()) out_ += '?' + match.variable;
    for (std::size_t i = 0; i < match.names.size(); ++i) {
      if (i > 0) out_ += " | ";
      atom(match.names[i], false);
    }
    if (!match.hops) return;
    out_ += '{' + std::to_string(match.hops->minimum);
    if (!match.hops->maximum) {
      out_ += ',';
    } else if (*match.hops->maximum != match.hops->minimum) {
      out_ += ',' + std::to_string(*match.hops->maximum);
    }
    out_ += '}';
  }

  void link_match(const LinkMatch& match) {
    out_ += '(';
    if (match.id) {
      out_ += "id: ";
      atom(*match.id, false);
    } else {
      endpoint(match.subject);
      out_ += ", ";
      predicate(match.predicate);
      out_ += ", ";
      endpoint(match.object);
    }
    out_ += ')';
  }

  static int strength(const Condition& condition) {
    return condition.kind == Condition::Kind::kOr    ? 0
           : condition.kind == Condition::Kind::kAnd ? 1
                                                     : 2;
  }

  void condition(const Condition& it, int minimum) {
    const bool parentheses = strength(it) < minimum;
    if (parentheses) out_ += '(';
    bare_condition(it);
    if (parentheses) out_ += ')';
  }

  void infix(const Condition& it, const char* mark, int minimum) {
    for (std::size_t i = 0; i < it.parts.size(); ++i) {
      if (i > 0) out_ += mark;
      condition(it.parts[i], minimum);
    }
  }

  void call(const char* name, const Condition& it) {
    out_ += name;
    out_ += '(';
    infix(it, ", ", 2);
    out_ += ')';
  }

  void bare_condition(const Condition& it) {
    switch (it.kind) {
      case Condition::Kind::kOr:
        infix(it, " || ", 1);
        break;
      case Condition::Kind::kAnd:
        infix(it, " && ", 2);
        break;
      case Condition::Kind::kNot: {
        const Condition& inner = it.parts.front();
        const bool bare = strength(inner) == 2 && (inner.kind == Condition::Kind::kNot ||
                                                   inner.kind >= Condition::Kind::kContains);
        out_ += bare ? "!" : "!(";
        condition(inner, 0);
        if (!bare) out_ += ')';
        break;
      }
      case Condition::Kind::kEqual:
        infix(it, " == ", 2);
        break;
      case Condition::Kind::kNotEqual:
        infix(it, " != ", 2);
        break;
      case Condition::Kind::kLess:
        infix(it, " < ", 2);
        break;
      case Condition::Kind::kLessEqual:
        infix(it, " <= ", 2);
        break;
      case Condition::Kind::kGreater:
        infix(it, " > ", 2);
        break;
      case Condition::Kind::kGreaterEqual:
        infix(it, " >= ", 2);
        break;
      case Condition::Kind::kContains:
        call("CONTAINS", it);
        break;
      case Condition::Kind::kStartsWith:
        call("STARTS_WITH", it);
        break;
      case Condition::Kind::kEndsWith:
        call("ENDS_WITH", it);
        break;
      case Condition::Kind::kRegex:
        call("REGEX", it);
        break;
      case Condition::Kind::kIsNull:
        call("IS_NULL", it);
        break;
      case Condition::Kind::kIsNotNull:
        call("IS_NOT_NULL", it);
        break;
      case Condition::Kind::kOperand:
        value(it.operand, true);
        break;
      case Condition::Kind::kIn:
        membership(it);
        break;
    }
  }

  void membership(const Condition& it) {
    out_ += "IN(";
    condition(it.parts[0], 2);
    out_ += ", ";
    const bool placeholder = it.whole_list;
    if (!placeholder) out_ += '[';
    for (std::size_t i = 1; i < it.parts.size(); ++i) {
      if (i > 1) out_ += ", ";
      condition(it.parts[i], 2);
    }
    out_ += placeholder ? ")" : "])";
  }

  void clause(const Clause& it) {
    switch (it.kind) {
      case Clause::Kind::kConcept:
        out_ += '?' + it.variable + ' ';
        concept_match(it.concept_match);
        return;
      case Clause::Kind::kLink:
        if (!it.variable.empty()) out_ += '?' + it.variable + ' ';
        link_match(it.link);
        return;
      case Clause::Kind::kFilter:
        out_ += "FILTER(";
        condition(it.condition, 0);
        out_ += ')';
        return;
      case Clause::Kind::kNot:
        out_ += "NOT ";
        break;
      case Clause::Kind::kOptional:
        out_ += "OPTIONAL ";
        break;
      case Clause::Kind::kUnion:
        out_ += "UNION ";
        break;
    }
    block(it.block);
  }

  void block(const std::vector<Clause>& clauses) {
    out_ += '{';
    ++indent_;
    for (const Clause& it : clauses) {
      line();
      clause(it);
    }
    --indent_;
    line();
    out_ += '}';
  }

  void where(const std::vector<Clause>& clauses) {
    line();
    out_ += "WHERE ";
    block(clauses);
  }

  void find_item(const FindItem& item) {
    static constexpr const char* kNames[] = {"", "COUNT", "SUM", "AVG", "MIN", "MAX"};
    if (item.aggregate != AggregateKind::kNone) {
      out_ += kNames[static_cast<std::size_t>(item.aggregate)];
      out_ += item.distinct ? "(DISTINCT " : "(";
    }
    path(item.path);
    if (item.aggregate != AggregateKind::kNone) out_ += ')';
  }

  void tail(const std::optional<Atom>& limit, const std::optional<Atom>& cursor) {
    if (limit) {
      line();
      out_ += "LIMIT ";
      atom(*limit, true);
    }
    if (cursor) {
      line();
      out_ += "CURSOR ";
      atom(*cursor, false);
    }
  }

  void write(const Find& find) {
    out_ += "FIND(";
    for (std::size_t i = 0; i < find.items.size(); ++i) {
      if (i > 0) out_ += ", ";
      find_item(find.items[i]);
    }
    out_ += ')';
    where(find.where);
    for (std::size_t i = 0; i < find.order.size(); ++i) {
      if (i == 0) {
        line();
        out_ += "ORDER BY ";
      } else {
        out_ += ", ";
      }
      find_item(find.order[i].item);
      out_ += find.order[i].descending ? " DESC" : " ASC";
    }
    tail(find.limit, find.cursor);
  }

  void metadata(const std::optional<Value>& value, bool own_line) {
    if (!value) return;
    if (own_line) {
      line();
    } else {
      out_ += ' ';
    }
    out_ += "WITH METADATA ";
    this->value(*value, false);
  }

  void write(const Upsert& upsert) {
    for (std::size_t i = 0; i < upsert.blocks.size(); ++i) {
      const UpsertBlock& block = upsert.blocks[i];
      if (i > 0) line();
      out_ += "UPSERT {";
      ++indent_;
      for (const UpsertItem& item : block.items) {
        line();
        upsert_item(item);
      }
      --indent_;
      line();
      out_ += '}';
      if (block.where) where(*block.where);
      metadata(block.metadata, true);
    }
  }

  void upsert_item(const UpsertItem& item) {
    out_ += item.is_proposition ? "PROPOSITION " : "CONCEPT ";
    if (!item.handle.empty()) out_ += '?' + item.handle + ' ';
    out_ += '{';
    ++indent_;
    line();
    if (item.is_proposition) {
      link_match(item.link);
    } else {
      concept_match(item.concept_match);
    }
    if (item.expected_version) {
      line();
      out_ += "EXPECT VERSION ";
      atom(*item.expected_version, true);
    }
    if (item.attributes) {
      line();
      out_ += "SET ATTRIBUTES ";
      value(*item.attributes, false);
    }
    if (!item.propositions.empty()) propositions(item.propositions);
    --indent_;
    line();
    out_ += '}';
    metadata(item.metadata, false);
  }

  void propositions(const std::vector<PropositionEntry>& entries) {
    line();
    out_ += "SET PROPOSITIONS {";
    ++indent_;
    for (const PropositionEntry& entry : entries) {
      line();
      out_ += '(';
      atom(entry.predicate, false);
      out_ += ", ";
      endpoint(entry.target);
      out_ += ')';
      metadata(entry.metadata, false);
    }
    --indent_;
    line();
    out_ += '}';
  }

  void write(const Delete& remove) {
    out_ += "DELETE ";
    if (!remove.keys.empty()) {
      out_ += remove.kind == Delete::Kind::kMetadata ? "METADATA {" : "ATTRIBUTES {";
      for (std::size_t i = 0; i < remove.keys.size(); ++i) {
        if (i > 0) out_ += ", ";
        text(remove.keys[i]);
      }
      out_ += "} FROM ?" + remove.variable;
    } else if (remove.kind == Delete::Kind::kPropositions) {
      out_ += "PROPOSITIONS ?" + remove.variable;
    } else {
      out_ += "CONCEPT ?" + remove.variable + " DETACH";
    }
    where(remove.where);
  }

  void write(const Update& update) {
    out_ += "UPDATE ?" + update.variable;
    const auto part = [this](const char* name, const std::optional<Value>& value) {
      if (!value) return;
      line();
      out_ += name;
      this->value(*value, false);
    };
    part("SET ATTRIBUTES ", update.attributes);
    part("SET METADATA ", update.metadata);
    where(update.where);
    tail(update.limit, std::nullopt);
  }

  void write(const Merge& merge) {
    out_ += "MERGE CONCEPT ?" + merge.source + " INTO ?" + merge.target;
    where(merge.where);
  }

  void write(const Describe& describe) {
    static constexpr const char* kWords[] = {"PRIMER",        "DOMAINS",
                                             "CONCEPT TYPES", "PROPOSITION TYPES",
                                             "CONCEPT TYPE ", "PROPOSITION TYPE "};
    out_ += "DESCRIBE ";
    out_ += kWords[static_cast<std::size_t>(describe.kind)];
    if (describe.name) atom(*describe.name, false);
    tail(describe.limit, describe.cursor);
  }

  void write(const Search& search) {
    out_ += search.propositions ? "SEARCH PROPOSITION " : "SEARCH CONCEPT ";
    atom(search.term, false);
    if (search.type) {
      out_ += " WITH TYPE ";
      atom(*search.type, false);
    }
    if (search.mode) {
      out_ += " MODE ";
      atom(*search.mode, false);
    }
    if (search.threshold) {
      out_ += " THRESHOLD ";
      value(*search.threshold, true);
    }
    if (search.limit) {
      out_ += " LIMIT ";
      atom(*search.limit, true);
    }
  }

  void write(const Export& it) {
    out_ += "EXPORT ?" + it.variable;
    where(it.where);
    tail(it.limit, it.cursor);
  }

  std::string out_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string format(const Statement& statement) {
  Writer writer;
  writer.statement(statement);
  return writer.take();
}

std::string format(const Script& script) {
  std::string text;
  for (std::size_t i = 0; i < script.statements.size(); ++i) {
    if (i > 0) {
      // Two UPSERTs side by side would read as one statement of two blocks.
      const bool fuses = std::holds_alternative<Upsert>(script.statements[i - 1].body) &&
                         std::holds_alternative<Upsert>(script.statements[i].body);
      text += fuses ? ";\n\n" : "\n";
    }
    text += format(script.statements[i]);
  }
  return text;
}

}  // namespace anima::kip
