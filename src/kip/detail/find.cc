// FIND: patterns, then a set of solutions, then groups, order, page, and the columns or rows of the
// answer.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "base/crypto.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "kip/detail/context.h"
#include "kip/detail/cursor.h"
#include "kip/detail/pattern.h"
#include "kip/detail/schema.h"
#include "kip/format.h"

namespace anima::kip::detail {

using query::ColumnView;
using query::Expr;
using query::NodePtr;
using query::Slot;
using query::SortKey;
using query::Truth;
using query::Values;

namespace {

using KipAggregate = anima::kip::AggregateKind;

// Keeps the rows that come behind a page's last row in the order of its keys.
class Behind final : public query::Condition {
 public:
  Behind(std::vector<query::OrderKey> order, std::vector<SortKey> last,
         std::deque<std::string> texts)
      : order_(std::move(order)), last_(std::move(last)), texts_(std::move(texts)) {}
  std::string name() const override { return "behind the cursor"; }

  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      int sign = 0;
      for (std::size_t k = 0; k < order_.size() && sign == 0; ++k) {
        sign =
            compare(key_of(values, order_[k], arguments[k][row]), last_[k], order_[k].descending);
      }
      out[row] = sign > 0 ? Truth::kTrue : Truth::kFalse;
    }
  }

  static SortKey key_of(Values& values, const query::OrderKey& order, std::uint32_t code) {
    SortKey key;
    if (code == 0) {
      key.rank = 255;
    } else if (order.maker != nullptr) {
      key = order.maker(values, code);
    } else {
      key.number = code;
    }
    return key;
  }

 private:
  static int compare(const SortKey& a, const SortKey& b, bool descending) {
    if (a.rank == 255 || b.rank == 255) return (a.rank == 255 ? 1 : 0) - (b.rank == 255 ? 1 : 0);
    const int sign = a < b ? -1 : b < a ? 1 : 0;
    return descending ? -sign : sign;
  }
  std::vector<query::OrderKey> order_;
  std::vector<SortKey> last_;
  std::deque<std::string> texts_;  // of the keys
};

// One expression of FIND.
struct Output {
  const FindItem* item = nullptr;
  Slot slot = 0;    // in a grouped query: key or aggregate; else the variable
  Expr projection;  // in a plain query: applied to the page's rows
  bool show_nodes = false;
};

class FindRunner {
 public:
  FindRunner(const Find& find, Context& context)
      : find_(find),
        context_(context),
        planner_(context.snapshot, context.binder,
                 {context.strict, false, context.derived, context.valid_at, context.fading,
                  context.what_holds}) {
    for (const FindItem& item : find.items)
      grouped_ = grouped_ || item.aggregate != KipAggregate::kNone;
  }

  Outcome<Reply> run() {
    ANIMA_ASSIGN(query::Plan plan, prepare());
    ANIMA_ASSIGN(query::Answer answer, query::run(plan, context_.run));
    ANIMA_ASSIGN(Reply reply, render(answer));
    answer.values->count_in(nullptr);
    if (context_.meter != nullptr && context_.meter->failed())
      return fail(Fault(*context_.meter->error()));
    return reply;
  }

  Outcome<std::string> explain(bool analyze) {
    ANIMA_ASSIGN(query::Plan plan, prepare());
    if (!analyze) return as_outcome(query::explain(plan, context_.run));
    query::RunOptions options = context_.run;
    options.analyze = true;
    ANIMA_ASSIGN(query::Answer answer, query::run(plan, options));
    return answer.explanation;
  }

 private:
  template <typename T>
  static Outcome<T> as_outcome(Result<T> result) {
    if (!result) return fail(Fault(result.error()));
    return std::move(*result);
  }

  Outcome<query::Plan> prepare() {
    if (find_.limit) {
      ANIMA_ASSIGN(const std::int64_t limit, context_.binder.count(*find_.limit, "LIMIT", 1));
      limit_ = static_cast<std::uint64_t>(limit);
    }
    ANIMA_ASSIGN(NodePtr node, planner_.where(find_.where));
    ANIMA_TRY(note_variables());
    node = query::distinct(std::move(node), solution_slots());
    if (grouped_) {
      ANIMA_ASSIGN(node, group(std::move(node)));
    } else {
      ANIMA_ASSIGN(node, plain(std::move(node)));
    }
    ANIMA_ASSIGN(node, page(std::move(node)));
    return planner_.finish(std::move(node), results_);
  }

  // The variables that FIND mentions make a solution; those of ORDER BY only order it.
  Check note_variables() {
    for (const FindItem& item : find_.items) {
      ANIMA_ASSIGN(const auto variable, planner_.require(item.path));
      add_once(&found_, variable.slot);
    }
    for (const anima::kip::OrderKey& key : find_.order) {
      ANIMA_ASSIGN(const auto variable, planner_.require(key.item.path));
      if (std::find(found_.begin(), found_.end(), variable.slot) == found_.end())
        add_once(&ordering_, variable.slot);
    }
    return {};
  }

  static void add_once(std::vector<Slot>* slots, Slot slot) {
    if (std::find(slots->begin(), slots->end(), slot) == slots->end()) slots->push_back(slot);
  }

  std::vector<Slot> solution_slots() const {
    std::vector<Slot> slots = found_;
    if (!grouped_) slots.insert(slots.end(), ordering_.begin(), ordering_.end());
    return slots;
  }

  // --- plain queries

  Outcome<NodePtr> plain(NodePtr node) {
    for (const FindItem& item : find_.items) {
      Output output;
      output.item = &item;
      ANIMA_ASSIGN(const auto variable, planner_.require(item.path));
      output.slot = variable.slot;
      output.show_nodes = item.path.fields.empty() && variable.kind != VariableKind::kPredicate;
      ANIMA_ASSIGN(output.projection, planner_.expression(item.path));
      outputs_.push_back(std::move(output));
    }
    for (const anima::kip::OrderKey& key : find_.order) {
      if (key.item.aggregate != KipAggregate::kNone) {
        return refuse(Code::kInvalidSyntax, "ORDER BY an aggregate needs an aggregate in FIND", {},
                      key.item.path.place.offset);
      }
      ANIMA_ASSIGN(Expr expr, planner_.expression(key.item.path));
      node = order_by_expression(std::move(node), std::move(expr), key.descending);
    }
    results_ = found_;
    for (const Slot slot : found_) ties_.push_back({slot, false, true, nullptr});
    return node;
  }

  NodePtr order_by_expression(NodePtr node, Expr expr, bool descending) {
    if (expr.kind == Expr::Kind::kSlot) {
      order_.push_back({expr.slot, descending, true, nullptr});
      return node;
    }
    const Slot slot = planner_.fresh();
    order_.push_back({slot, descending, true, query::kip_sort_key});
    return query::extend(std::move(node), slot, std::move(expr));
  }

  // --- grouped queries

  Outcome<Slot> as_slot(const DotPath& path, NodePtr* node) {
    ANIMA_ASSIGN(Expr expr, planner_.expression(path));
    if (expr.kind == Expr::Kind::kSlot) return expr.slot;
    const Slot slot = planner_.fresh();
    *node = query::extend(std::move(*node), slot, canonical(std::move(expr)));
    return slot;
  }

  Outcome<Slot> add_aggregate(const FindItem& item, NodePtr* node) {
    query::Aggregate aggregate;
    switch (item.aggregate) {
      case KipAggregate::kCount:
        aggregate.kind = query::AggregateKind::kCount;
        break;
      case KipAggregate::kSum:
        aggregate.kind = query::AggregateKind::kSum;
        break;
      case KipAggregate::kAverage:
        aggregate.kind = query::AggregateKind::kAverage;
        break;
      case KipAggregate::kMinimum:
        aggregate.kind = query::AggregateKind::kMinimum;
        break;
      default:
        aggregate.kind = query::AggregateKind::kMaximum;
        break;
    }
    aggregate.distinct = item.distinct;
    ANIMA_ASSIGN(aggregate.argument, as_slot(item.path, node));
    aggregate.result = planner_.fresh();
    aggregates_.push_back(aggregate);
    return aggregate.result;
  }

  Outcome<NodePtr> group(NodePtr node) {
    std::vector<Slot> keys;
    for (const FindItem& item : find_.items) {
      Output output;
      output.item = &item;
      if (item.aggregate == KipAggregate::kNone) {
        ANIMA_ASSIGN(output.slot, as_slot(item.path, &node));
        ANIMA_ASSIGN(const auto variable, planner_.require(item.path));
        output.show_nodes = item.path.fields.empty() && variable.kind != VariableKind::kPredicate;
        add_once(&keys, output.slot);
      } else {
        ANIMA_ASSIGN(output.slot, add_aggregate(item, &node));
      }
      outputs_.push_back(std::move(output));
    }
    std::vector<std::pair<Slot, Expr>> late;
    for (const anima::kip::OrderKey& key : find_.order) ANIMA_TRY(order_group(key, &node, &late));
    node = query::group(std::move(node), keys, std::move(aggregates_));
    for (auto& [slot, expr] : late) node = query::extend(std::move(node), slot, std::move(expr));
    for (const Output& output : outputs_) add_once(&results_, output.slot);
    for (const Slot key : keys) ties_.push_back({key, false, true, query::kip_sort_key});
    return node;
  }

  // What FIND shows, any aggregate, or a field of a variable that FIND shows whole.
  Check order_group(const anima::kip::OrderKey& key, NodePtr* node,
                    std::vector<std::pair<Slot, Expr>>* late) {
    for (const Output& output : outputs_) {
      if (*output.item == key.item) {
        order_.push_back({output.slot, key.descending, true, query::kip_sort_key});
        return {};
      }
    }
    if (key.item.aggregate != KipAggregate::kNone) {
      ANIMA_ASSIGN(const Slot slot, add_aggregate(key.item, node));
      order_.push_back({slot, key.descending, true, query::kip_sort_key});
      return {};
    }
    ANIMA_ASSIGN(const auto variable, planner_.require(key.item.path));
    for (const Output& output : outputs_) {
      if (output.item->aggregate != KipAggregate::kNone || output.slot != variable.slot) continue;
      ANIMA_ASSIGN(Expr expr, planner_.expression(key.item.path));
      const Slot slot = planner_.fresh();
      late->emplace_back(slot, std::move(expr));
      order_.push_back({slot, key.descending, true, query::kip_sort_key});
      return {};
    }
    return refuse(Code::kInvalidSyntax, "a grouped FIND is ordered by what it shows",
                  "add ?" + key.item.path.variable + " to FIND, or order by one of its aggregates",
                  key.item.path.place.offset);
  }

  // --- order, cursor, limit

  Outcome<NodePtr> page(NodePtr node) {
    const bool everything = grouped_ && results_.size() == find_.items.size() && ties_.empty();
    const bool ordered =
        !order_.empty() || limit_ || find_.cursor || context_.room != nullptr;  // may end anywhere
    if (!ordered || everything) return node;
    keys_ = order_;
    keys_.insert(keys_.end(), ties_.begin(), ties_.end());
    for (const query::OrderKey& key : keys_) add_once(&results_, key.slot);
    // A solution that several rows order differently stands where its first row stands.
    const bool repeats = !grouped_ && !ordering_.empty();
    const std::uint64_t wanted = limit_ ? *limit_ + 1 : ~std::uint64_t{0};
    if (!repeats) {
      ANIMA_ASSIGN(node, behind_cursor(std::move(node)));
      return query::order_by(std::move(node), keys_, wanted);
    }
    node = query::distinct(query::order_by(std::move(node), keys_), found_);
    ANIMA_ASSIGN(node, behind_cursor(std::move(node)));
    return query::slice(std::move(node), 0, wanted);
  }

  Outcome<NodePtr> behind_cursor(NodePtr node) {
    if (!find_.cursor) return node;
    ANIMA_ASSIGN(const std::string_view token, context_.binder.text(*find_.cursor, "CURSOR"));
    const std::uint32_t offset = find_.cursor->place.offset;
    ANIMA_ASSIGN(const JsonArray stored, decode_cursor(token, fingerprint(), offset));
    if (stored.size() != keys_.size())
      return refuse(Code::kInvalidSyntax, "this is no cursor of this engine", {}, offset);
    std::deque<std::string> texts;
    std::vector<SortKey> last;
    std::vector<Expr> arguments;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto key = key_of_json(stored[i], &texts.emplace_back());
      if (!key) return refuse(Code::kInvalidSyntax, "this is no cursor of this engine", {}, offset);
      last.push_back(*key);
      arguments.push_back(Expr::of_slot(keys_[i].slot));
    }
    std::vector<Expr> conditions;
    conditions.push_back(Expr::test(
        std::make_shared<Behind>(keys_, std::move(last), std::move(texts)), std::move(arguments)));
    return query::filter(std::move(node), std::move(conditions));
  }

  std::uint64_t fingerprint() const {
    Statement statement;
    Find bare = find_;
    bare.limit.reset();
    bare.cursor.reset();
    statement.body = std::move(bare);
    return checksum64(format(statement));
  }

  // --- the answer

  const std::vector<std::uint32_t>& column(const query::Answer& answer, Slot slot) const {
    const auto at = std::find(results_.begin(), results_.end(), slot);
    return answer.table.columns[static_cast<std::size_t>(at - results_.begin())];
  }

  Json cell(const query::Answer& answer, const Output& output, std::uint32_t code) const {
    if (code == 0) return {};
    if (output.show_nodes && Term{code}.is_entity())
      return node_of(context_.snapshot, EntityId{code});
    return json_of(*answer.values, code);
  }

  static constexpr std::size_t kTogether = 256;

  // Appends at most kTogether rows; fewer when the meter says so.
  void add_cells(query::Answer& answer, const Output& output, std::size_t first, std::size_t count,
                 JsonArray& array) {
    const auto& codes = column(answer, output.slot);
    if (grouped_ || output.projection.kind != Expr::Kind::kFunction) {
      for (std::size_t row = first; row < first + count; ++row) {
        array.push_back(cell(answer, output, codes[row]));
        if (!pay(array.back())) return;
      }
      return;
    }
    std::array<std::uint32_t, kTogether> out{};
    const ColumnView view{codes.data() + first, false};
    output.projection.function->apply(*answer.values, {&view, 1}, count, out.data());
    for (std::size_t i = 0; i < count; ++i) {
      array.push_back(json_of(*answer.values, out[i]));
      if (!pay(array.back())) return;
    }
  }

  // The columns of the page, and how many of the rows there is room for.
  Outcome<std::size_t> fill(query::Answer& answer, std::size_t rows,
                            std::vector<JsonArray>& columns) {
    columns.resize(outputs_.size());
    for (JsonArray& each : columns) each.reserve(rows);
    for (std::size_t first = 0; first < rows; first += kTogether) {
      const std::size_t count = std::min(kTogether, rows - first);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        add_cells(answer, outputs_[i], first, count, columns[i]);
        if (context_.meter != nullptr && context_.meter->failed())
          return fail(Fault(*context_.meter->error()));
      }
      for (std::size_t row = first; row < first + count && context_.room != nullptr; ++row) {
        if (!context_.room->take(bytes_of_row(columns, row))) return row;
      }
    }
    return rows;
  }

  std::uint64_t bytes_of_row(const std::vector<JsonArray>& columns, std::size_t row) const {
    std::uint64_t bytes = 2;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      bytes += columns[i][row].dump().size() + 1;
      if (context_.rows_shape) bytes += label(*outputs_[i].item).size() + 3;
    }
    return bytes;
  }

  // What is answered takes room as a value and again as the text that is sent.
  bool pay(const Json& json) const {
    query::Meter* const meter = context_.meter.get();
    return meter == nullptr || (meter->take_memory(2 * bytes_of(json)) && meter->spend(1));
  }
  static std::uint64_t bytes_of(const Json& json) {
    std::uint64_t bytes = sizeof(Json);
    if (json.is_string()) bytes += json.as_string().size();
    if (json.kind() == Json::Kind::kArray) {
      for (const Json& item : json.as_array()) bytes += bytes_of(item);
    } else if (json.is_object()) {
      for (const JsonMember& member : json.as_object())
        bytes += sizeof(std::string) + member.first.size() + bytes_of(member.second);
    }
    return bytes;
  }

  Outcome<Reply> render(query::Answer& answer) {
    Reply reply;
    const std::size_t all = answer.table.rows;
    const std::size_t page =
        limit_ ? static_cast<std::size_t>(std::min<std::uint64_t>(*limit_, all)) : all;
    if (context_.meter != nullptr && !context_.meter->take_memory(page * sizeof(Json)))
      return fail(Fault(*context_.meter->error()));
    std::vector<JsonArray> columns;
    ANIMA_ASSIGN(const std::size_t rows, fill(answer, page, columns));
    if (rows == 0 && page > 0) return fail(context_.room->exceeded());
    for (JsonArray& each : columns) each.resize(rows);
    if (rows < all) reply.next_cursor = cursor_behind(answer, rows - 1);
    const bool only_aggregates =
        grouped_ && std::all_of(find_.items.begin(), find_.items.end(), [](const FindItem& item) {
          return item.aggregate != KipAggregate::kNone;
        });
    if (context_.rows_shape) {
      reply.result = as_rows(columns, rows);
    } else if (only_aggregates) {
      JsonArray scalars;
      for (JsonArray& it : columns) scalars.push_back(std::move(it[0]));
      reply.result = scalars.size() == 1 ? std::move(scalars[0]) : Json(std::move(scalars));
    } else if (columns.size() == 1) {
      reply.result = Json(std::move(columns[0]));
    } else {
      JsonArray all;
      for (JsonArray& it : columns) all.emplace_back(std::move(it));
      reply.result = Json(std::move(all));
    }
    Json warnings = warnings_of(*answer.values);
    if (!warnings.as_array().empty()) reply.extra.emplace_back("warnings", std::move(warnings));
    return reply;
  }

  // What was no number where one was wanted is told beside the result, never passed over in
  // silence.
  static Json warnings_of(const Values& values) {
    Json warnings = Json::array();
    const auto tell = [&](Values::StrayUse use, const std::string& what) {
      const auto& strays = values.strays(use);
      if (strays.empty()) return;
      std::string list;
      const std::size_t shown = std::min(strays.size(), Values::kMaxStrays - 1);
      for (std::size_t i = 0; i < shown; ++i) {
        list += (i == 0 ? "" : ", ") + quote_json(beginning_of(values.view(strays[i]).text, 60));
      }
      warnings.push_back(what + list + (strays.size() > shown ? ", .." : ""));
    };
    tell(Values::StrayUse::kAggregate, "SUM and AVG left out texts that are no numbers: ");
    tell(Values::StrayUse::kComparison, "no number compares with these texts: ");
    return warnings;
  }

  Json as_rows(std::vector<JsonArray>& columns, std::size_t rows) const {
    std::vector<std::string> names;
    for (const Output& output : outputs_) names.push_back(label(*output.item));
    JsonArray array;
    for (std::size_t row = 0; row < rows; ++row) {
      JsonObject object;
      for (std::size_t k = 0; k < names.size(); ++k)
        object.emplace_back(names[k], std::move(columns[k][row]));
      array.emplace_back(std::move(object));
    }
    return Json(std::move(array));
  }

  static std::string label(const FindItem& item) {
    static constexpr const char* kNames[] = {"", "COUNT", "SUM", "AVG", "MIN", "MAX"};
    std::string path = "?" + item.path.variable;
    for (const std::string& field : item.path.fields) path += "." + field;
    if (item.aggregate == KipAggregate::kNone) return path;
    return std::string(kNames[static_cast<std::size_t>(item.aggregate)]) +
           (item.distinct ? "(DISTINCT " : "(") + path + ")";
  }

  std::string cursor_behind(const query::Answer& answer, std::size_t row) const {
    JsonArray keys;
    for (const query::OrderKey& key : keys_) {
      keys.push_back(key_json(Behind::key_of(*answer.values, key, column(answer, key.slot)[row])));
    }
    return encode_cursor(fingerprint(), keys);
  }

  const Find& find_;
  Context& context_;
  PatternPlanner planner_;
  bool grouped_ = false;
  std::optional<std::uint64_t> limit_;
  std::vector<Slot> found_, ordering_, results_;
  std::vector<Output> outputs_;
  std::vector<query::Aggregate> aggregates_;
  std::vector<query::OrderKey> order_, ties_, keys_;
};

}  // namespace

Outcome<Reply> run_find(const Find& find, Context& context) {
  return FindRunner(find, context).run();
}

Outcome<std::string> explain_find(const Find& find, Context& context, bool analyze) {
  return FindRunner(find, context).explain(analyze);
}

}  // namespace anima::kip::detail
