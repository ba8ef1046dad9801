// Writer: one operation at a time, as rows of the delta and, where it is recorded, for the log.
#include "store/state/writer.h"

#include <algorithm>

#include "base/text/text.h"
#include "store/state/writer_codes.h"

namespace anima::store::detail {

void Writer::attach(SnapshotState state, std::shared_ptr<Delta> delta) {
  state_ = std::make_shared<SnapshotState>(std::move(state));
  live_ = Snapshot(state_);
  delta_ = std::move(delta);
  moved();
}

void Writer::start(std::uint64_t sequence, bool record) {
  sequence_ = sequence;
  record_ = record;
  most_trust_ = Trust::kSystem;
  operations_.clear();
  attached_.clear();
  refresh();
}

Status Writer::lower_trust(Trust most) {
  if (!delta_->lower_trust(sequence_, most)) {
    return fail(ErrorCode::kLimitExceeded,
                "an entry with so much in it cannot be trusted less any more");
  }
  most_trust_ = std::min(most_trust_, most);
  return {};
}

void Writer::refresh() {
  state_->sequence = sequence_;
  state_->layers.back().sequence = sequence_;
  moved();
}

void Writer::moved() {
  LayerView& top = state_->layers.back();
  top.rows = delta_->rows();
  top.contexts = delta_->context_bound();
  top.sets = delta_->set_bound();
  state_->entity_bound = delta_->entity_bound();
  state_->term_bound = delta_->term_bound();
  state_->graph_bound = delta_->graph_bound();
  state_->plain = state_->plain && !delta_->has_rows() && !delta_->has_kills();
}

Snapshot Writer::view() const { return Snapshot(std::make_shared<const SnapshotState>(*state_)); }

void Writer::do_term(std::uint32_t place, std::string_view stored) {
  delta_->add_term_at(place, stored);
  state_->term_bound = delta_->term_bound();
  if (record_) operations_.write({.kind = OperationKind::kTerm, .id = place, .text = stored});
}

void Writer::do_graph(std::uint32_t id, std::string_view name) {
  while (delta_->graph_bound() < id) delta_->add_graph({});
  delta_->add_graph(name);
  state_->graph_bound = delta_->graph_bound();
  if (record_) operations_.write({.kind = OperationKind::kGraph, .id = id, .text = name});
}

void Writer::do_concept(std::uint32_t id, EntityId type, Term name) {
  delta_->add_entity(id,
                     {static_cast<std::uint32_t>(EntityKind::kConcept), code(type), name.code, 0});
  state_->entity_bound = delta_->entity_bound();
  delta_->add_label(fold_case(state_->value(name).text), id);
  if (record_)
    operations_.write({.kind = OperationKind::kConcept,
                       .id = id,
                       .type = type,
                       .triple = {EntityId::kNone, {}, name}});
}

void Writer::do_quote(std::uint32_t id, const Triple& link) {
  delta_->add_entity(id, {static_cast<std::uint32_t>(EntityKind::kProposition), code(link.subject),
                          link.predicate.code, link.object.code});
  delta_->add_row(link, id, 0, kQuotedBorn);
  moved();
  if (record_) operations_.write({.kind = OperationKind::kQuote, .id = id, .triple = link});
}

void Writer::do_assert(const Triple& triple, std::uint32_t proposition,
                       const AssertOptions& options, std::uint32_t said) {
  if (proposition != 0 && proposition >= delta_->entity_bound()) {
    delta_->add_entity(proposition,
                       {static_cast<std::uint32_t>(EntityKind::kProposition), code(triple.subject),
                        triple.predicate.code, triple.object.code});
  }
  Context context;
  context.born = sequence_;
  context.graph = code(options.graph);
  context.confidence = options.confidence;
  context.provenance = options.provenance;
  context.said = said;
  const std::uint32_t id = delta_->add_context(context);
  assert_row(triple, proposition, id);
  if (triple.predicate == kTypePredicate) {
    const Term name{state_->entity(code(triple.subject)).b};
    assert_row({triple.subject, kNamePredicate, name}, 0, id);
  }
  moved();
  if (record_)
    operations_.write({.kind = OperationKind::kAssert,
                       .id = proposition,
                       .triple = triple,
                       .graph = code(options.graph),
                       .confidence = options.confidence,
                       .provenance = options.provenance,
                       .said = said});
}

bool Writer::contexts_beside(RowRef row, std::uint32_t graph,
                             std::vector<std::uint32_t>* others) const {
  bool had = false;
  state_->each_context(state_->set_of(row), [&](std::uint32_t id, const Context& context) {
    if (context.graph == graph) {
      had = true;
    } else {
      others->push_back(id);
    }
  });
  return had;
}

void Writer::add_row(const Triple& triple, std::uint32_t proposition,
                     const std::vector<std::uint32_t>& contexts) {
  const std::uint32_t row =
      delta_->add_row(triple, proposition, delta_->add_set(contexts), sequence_);
  for (const std::uint32_t context : contexts) {
    delta_->list_in_graph(row, state_->context(context).graph);
  }
}

// A new version would be listed again in each graph that the row has already: what is said in many
// graphs at once, as the existence of their predicates, would take the square of their number.
bool Writer::extend_row(RowRef row, std::uint32_t proposition, std::uint32_t context) {
  if (row.layer != state_->layers.size() || state_->proposition_of(row) != proposition)
    return false;
  const std::uint32_t graph = delta_->context(context).graph;
  if (asserts(row, graph) || !delta_->extend_row(row.row, context, sequence_)) return false;
  delta_->list_in_graph(row.row, graph);
  return true;
}

void Writer::assert_row(const Triple& triple, std::uint32_t proposition, std::uint32_t context) {
  ++rows_written_;
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  const std::uint32_t graph = delta_->context(context).graph;
  if (!row) {
    delta_->list_in_graph(delta_->add_row(triple, proposition, context, sequence_), graph);
    count_row(triple.predicate, 1);
    count_graph(graph, 1);
    return;
  }
  if (extend_row(row, proposition, context)) return count_graph(graph, 1);
  std::vector<std::uint32_t> contexts;
  const bool had = contexts_beside(row, graph, &contexts);
  contexts.push_back(context);
  kill(row);
  add_row(triple, proposition, contexts);
  if (!had) count_graph(graph, 1);
}

void Writer::do_retract(const Triple& triple, GraphId graph) {
  retract_row(triple, code(graph));
  if (triple.predicate == kTypePredicate) {
    const Term name{state_->entity(code(triple.subject)).b};
    retract_row({triple.subject, kNamePredicate, name}, code(graph));
  }
  moved();
  if (record_)
    operations_.write({.kind = OperationKind::kRetract, .triple = triple, .graph = code(graph)});
}

bool Writer::retract_row(const Triple& triple, std::uint32_t graph) {
  ++rows_written_;
  const RowRef row = state_->find(triple.subject, triple.predicate, triple.object);
  if (!row) return false;
  std::vector<std::uint32_t> contexts;
  const bool had = contexts_beside(row, graph, &contexts);
  if (!had) return false;
  const std::uint32_t proposition = state_->proposition_of(row);
  kill(row);
  if (contexts.empty()) {
    count_row(triple.predicate, -1);
  } else {
    add_row(triple, proposition, contexts);
  }
  count_graph(graph, -1);
  return true;
}

void Writer::kill(RowRef row) {
  if (row.layer == state_->layers.size()) {
    delta_->kill_row(row.row, sequence_);
  } else if (row.layer == 0) {
    const std::uint32_t place[3] = {row.row, state_->base->pos_place(row.row),
                                    state_->base->ops_place(row.row)};
    delta_->kill_below(place, sequence_);
  } else {
    const std::uint32_t address = state_->layers[row.layer - 1].delta->firsts().row + row.row;
    const std::uint32_t place[3] = {address, kNoRow, kNoRow};
    delta_->kill_below(place, sequence_);
  }
  state_->plain = false;
}

template <typename Below>
void Writer::count(std::uint64_t key, std::int64_t change, const Below& below) {
  if (delta_->change_count(key, change, sequence_)) return;
  std::int64_t before = below(*state_->base);
  for (std::size_t k = 0; k + 1 < state_->layers.size(); ++k) {
    before = state_->layers[k].delta->count(key, state_->layers[k].sequence, before);
  }
  delta_->add_count(key, change, before, sequence_);
}

void Writer::count_row(PredicateCode predicate, std::int64_t change) {
  count(predicate_count_key(predicate), change, [predicate](const Base& base) {
    return std::int64_t{base.of_predicate(predicate).size()};
  });
  if (Predicate{predicate}.predicate_class() == PredicateClass::kLink) {
    count(kLinksKey, change,
          [](const Base& base) { return static_cast<std::int64_t>(base.counts().propositions); });
  }
}

void Writer::count_graph(std::uint32_t graph, std::int64_t change) {
  count(graph_count_key(graph), change, [graph](const Base& base) {
    return graph < base.graph_bound() ? static_cast<std::int64_t>(base.graph_sizes[graph])
                                      : std::int64_t{0};
  });
  count(kAssertionsKey, change,
        [](const Base& base) { return static_cast<std::int64_t>(base.counts().assertions); });
}

// A row that others assert too gets a new version, with a list of who does.
Status Writer::check_room_to_drop(GraphId graph) const {
  const std::uint64_t size = live_.graph_size(graph);
  const std::uint64_t list = 2 * (std::uint64_t{state_->graph_bound} + 1);
  if (size * list <
      limits_.numbers.lists - std::min<std::uint64_t>(delta_->set_bound(), limits_.numbers.lists)) {
    return check_room(size);
  }
  std::uint64_t rows = 0;
  std::uint64_t places = 0;
  for (const Triple& triple : rows_of(graph)) {
    std::uint64_t contexts = 0;
    state_->each_context(
        state_->set_of(state_->find(triple.subject, triple.predicate, triple.object)),
        [&](std::uint32_t, const Context&) { ++contexts; });
    if (contexts < 2) continue;
    ++rows;
    places += 2 * contexts;
  }
  ANIMA_TRY(check_limit(delta_->set_bound() + places, limits_.numbers.lists, kListsWords));
  return check_room(rows);
}

std::vector<Triple> Writer::rows_of(GraphId graph) const {
  SnapshotState narrow = *state_;
  narrow.narrow(std::make_shared<GraphScope>(GraphScope{{code(graph)}}));
  const Snapshot view(std::make_shared<const SnapshotState>(std::move(narrow)));
  std::vector<Triple> rows;
  for (std::uint32_t kind = 0; kind < 4; ++kind) {
    Pattern all;
    all.predicate_class = static_cast<PredicateClass>(kind);
    Cursor cursor = view.scan(all);
    for (Triple batch[256];;) {
      const std::size_t got = cursor.next(batch);
      if (got == 0) break;
      rows.insert(rows.end(), batch, batch + got);
    }
  }
  return rows;
}

void Writer::do_drop(GraphId graph) {
  const std::uint32_t id = code(graph);
  for (const Triple& row : rows_of(graph)) retract_row(row, id);
  moved();
  if (record_) operations_.write({.kind = OperationKind::kDropGraph, .graph = id});
}

}  // namespace anima::store::detail
