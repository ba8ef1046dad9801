#include "store/space/views.h"

#include <algorithm>
#include <optional>

#include "base/mutex.h"
#include "store/base/base.h"
#include "store/base/base_file.h"
#include "store/checkpoint/base_builder.h"
#include "store/checkpoint/rebase.h"
#include "store/log/archived.h"
#include "store/log/operations.h"
#include "store/own_graphs.h"
#include "store/state/as_of.h"
#include "store/state/branch.h"
#include "store/state/state.h"
#include "store/state/state_text.h"
#include "store/state/writer.h"
#include "store/text/text_index.h"

namespace anima::store::detail {

struct ViewsData {
  explicit ViewsData(const ViewsOptions& given) : options(given), writer(limits()) {}

  WriterLimits limits() const {
    return {options.max_value_bytes, options.max_nesting, options.big_bulk_rows, options.numbers};
  }

  ViewsOptions options;
  std::vector<std::string> notes;
  bool text_outdated = false;  // the base's words are those of an older program

  // Writer side.
  std::shared_ptr<const Base> base;
  std::shared_ptr<Delta> delta;
  std::shared_ptr<TextIndex> text;
  Writer writer;
  Head head;
  struct Saved {
    std::shared_ptr<const Base> base;
    std::shared_ptr<Delta> delta;
    Delta::Mark mark;
    Head head;
  };
  std::vector<Saved> marks;
  std::optional<Saved> entry_start;  // while an entry is open

  mutable Mutex published_mutex;
  std::shared_ptr<const SnapshotState> published ANIMA_GUARDED_BY(published_mutex);
  std::shared_ptr<const SnapshotState> knowledge ANIMA_GUARDED_BY(published_mutex);

  Mutex written_mutex;
  std::shared_ptr<const Base> written
      ANIMA_GUARDED_BY(written_mutex);  // by write_base(), not installed yet
  std::shared_ptr<const Base> found
      ANIMA_GUARDED_BY(written_mutex);  // by find_newer_base(), not installed yet
  Head written_head ANIMA_GUARDED_BY(written_mutex);

  std::shared_ptr<const Horizon> horizon;
  std::shared_ptr<const GraphScope> all_but_books;  // null while there are no books
  std::uint32_t graphs_looked_at = 0;               // whose names it rests on

  SnapshotState state_at_head() const;
  void start_over(std::shared_ptr<const Base> from);
  void open_text(const Base& from);
  Saved here() const { return {base, delta, delta->mark(), head}; }
  bool absorb(const BulkRows& bulk, std::uint32_t context);
  void back_to(const Saved& saved);
  Status check_entry(const EntryInfo& entry) const;
  void open_entry(const EntryInfo& entry, Sequence cause, bool record);
  std::shared_ptr<const SnapshotState> without_books(
      const std::shared_ptr<const SnapshotState>& state);
};

SnapshotState ViewsData::state_at_head() const {
  SnapshotState state;
  state.base = base;
  state.sequence = static_cast<std::uint64_t>(head.sequence);
  state.time = head.time;
  state.layers.push_back(LayerView::of(delta, state.sequence));
  state.shared_layers = 1;
  state.entity_bound = delta->entity_bound();
  state.term_bound = state.shared_term_bound = delta->term_bound();
  state.graph_bound = delta->graph_bound();
  state.text = text;
  state.owner = this;
  state.horizon = horizon;
  state.refresh_plain();
  return state;
}

void ViewsData::start_over(std::shared_ptr<const Base> from) {
  base = std::move(from);
  delta = std::make_shared<Delta>(base->next_firsts(), base);
  head.sequence = static_cast<Sequence>(base->counts().sequence);
  head.time = {base->counts().time};
  head.hash = base->counts().hash;
  marks.clear();
  entry_start.reset();
  all_but_books = nullptr;
  graphs_looked_at = 0;
  open_text(*base);
  writer.attach(state_at_head(), delta);
}

void ViewsData::open_text(const Base& from) {
  text = nullptr;
  text_outdated = false;
  if (!options.text_index) return;
  if (!from.text_section().empty()) {
    auto opened = TextIndex::open(from.text_section(), from.keep_alive());
    if (opened) {
      text = std::move(*opened);
    } else {
      text_outdated = opened.error().code == ErrorCode::kVersionMismatch;
    }
  }
  if (text == nullptr) text = std::make_shared<TextIndex>();
}

void ViewsData::back_to(const Saved& saved) {
  base = saved.base;
  delta = saved.delta;
  delta->rollback(saved.mark);
  head = saved.head;
  entry_start.reset();
  writer.attach(state_at_head(), delta);
}

// The open entry's bulk becomes a base in memory, with everything before it; the next checkpoint
// writes it to disk.
bool ViewsData::absorb(const BulkRows& bulk, std::uint32_t context) {
  const SnapshotState& state = writer.state();
  Head at;
  at.sequence = static_cast<Sequence>(state.sequence);
  at.time = state.entry(state.sequence).time;
  BuildOptions build;
  build.bulk = &bulk;
  build.bulk_context = context;
  build.value_order = false;
  Result<BaseImage> image = build_base(state, at, build, options.numbers);
  if (!image) return false;
  base = Base::from_image(std::move(*image));
  delta = std::make_shared<Delta>(base->next_firsts(), base);
  SnapshotState next = state;
  next.base = base;
  next.layers = {LayerView::of(delta, state.sequence)};
  next.refresh_plain();
  writer.attach(std::move(next), delta);
  return true;
}

Status ViewsData::check_entry(const EntryInfo& entry) const {
  ANIMA_TRY(check_limit(static_cast<std::uint64_t>(entry.sequence), options.numbers.entries,
                        kEntriesWords));
  const std::uint64_t names =
      base->entry_bytes.size() + delta->name_bytes() + entry.author.size() + entry.source.size();
  return check_limit(names, options.numbers.names, kNamesWords);
}

void ViewsData::open_entry(const EntryInfo& entry, Sequence cause, bool record) {
  entry_start = here();
  EntryRecord stored;
  stored.time = entry.time;
  // An older program wrote down whatever cause it was told.
  stored.cause = cause < entry.sequence ? static_cast<std::uint32_t>(cause) : 0;
  stored.trust = entry.trust;
  stored.author = entry.author;
  stored.source = entry.source;
  delta->add_entry(stored);
  writer.start(static_cast<std::uint64_t>(entry.sequence), record);
}

// Names of published graphs never change, so only new ones are looked at.
std::shared_ptr<const SnapshotState> ViewsData::without_books(
    const std::shared_ptr<const SnapshotState>& state) {
  for (; graphs_looked_at < state->graph_bound; ++graphs_looked_at) {
    if (!is_own_graph(state->graph_name(graphs_looked_at))) continue;
    auto wider = all_but_books == nullptr ? std::make_shared<GraphScope>()
                                          : std::make_shared<GraphScope>(*all_but_books);
    wider->all_but = true;
    wider->graphs.push_back(graphs_looked_at);
    all_but_books = std::move(wider);
  }
  if (all_but_books == nullptr) return state;
  auto narrow = std::make_shared<SnapshotState>(*state);
  narrow->narrow(all_but_books);
  return narrow;
}

Views::Views(std::unique_ptr<ViewsData> data) : data_(std::move(data)) {}
Views::~Views() = default;

Result<std::unique_ptr<Views>> Views::open(const ViewsOptions& options) {
  auto data = std::make_unique<ViewsData>(options);
  data->writer.set_absorb([self = data.get()](const BulkRows& bulk, std::uint32_t context) {
    return self->absorb(bulk, context);
  });
  std::shared_ptr<const Base> base;
  if (!options.folder.empty()) base = open_newest_base(*options.files, options.folder, data->notes);
  data->start_over(base != nullptr ? std::move(base) : Base::empty());
  std::unique_ptr<Views> views(new Views(std::move(data)));
  views->publish();
  return views;
}

Head Views::head() const { return data_->head; }
IdBounds Views::bounds() const {
  const Delta& delta = *data_->delta;
  return {delta.entity_bound(), delta.term_bound(), delta.graph_bound()};
}

const std::vector<std::string>& Views::notes() const { return data_->notes; }

// --- replay
// -------------------------------------------------------------------------------------------------------

namespace {

EntryInfo info_of(const LogEntry& entry) {
  EntryInfo info;
  info.sequence = entry.sequence;
  info.time = entry.time;
  info.trust = entry.origin.trust;
  info.author = entry.origin.author;
  info.source = entry.origin.source;
  return info;
}

}  // namespace

Status Views::apply(const LogEntry& entry) {
  ViewsData& data = *data_;
  ANIMA_TRY(check_format(entry));
  if (static_cast<std::uint64_t>(entry.sequence) !=
      static_cast<std::uint64_t>(data.head.sequence) + 1) {
    return fail(ErrorCode::kCorrupt, "the entry does not follow the one before", place_of(entry));
  }
  ANIMA_TRY(data.check_entry(info_of(entry)));
  data.open_entry(info_of(entry), entry.origin.cause, false);
  const Status applied = read_operations(
      entry.payload, [&](const Operation& operation) { return data.writer.apply(operation); });
  if (!applied) {
    const ViewsData::Saved start = *data.entry_start;
    data.back_to(start);
    return with_place(applied.error(), entry);
  }
  data.entry_start.reset();
  data.head = {entry.sequence, entry.time, {}};
  return {};
}

Status Views::apply_erased(const LogEntry& entry, const IdBounds& bounds) {
  ViewsData& data = *data_;
  if (static_cast<std::uint64_t>(entry.sequence) !=
      static_cast<std::uint64_t>(data.head.sequence) + 1) {
    return fail(ErrorCode::kCorrupt, "the entry does not follow the one before", place_of(entry));
  }
  const NumberLimits& limits = data.options.numbers;
  const auto last = [](std::uint64_t bound) { return bound - std::min<std::uint64_t>(bound, 1); };
  const auto fits = [&]() -> Status {
    ANIMA_TRY(data.check_entry(info_of(entry)));
    ANIMA_TRY(check_limit(last(bounds.entities), limits.entities, kEntitiesWords));
    ANIMA_TRY(check_limit(last(bounds.literals), limits.literals, kLiteralsWords));
    return check_limit(last(bounds.graphs), limits.graphs, kGraphsWords);
  };
  if (const Status room = fits(); !room) return with_place(room.error(), entry);
  data.open_entry(info_of(entry), entry.origin.cause, false);
  data.writer.pad(bounds.entities, bounds.literals, bounds.graphs);
  data.entry_start.reset();
  data.head = {entry.sequence, entry.time, {}};
  return {};
}

Status Views::clear() {
  data_->start_over(Base::empty());
  return {};
}

Status Views::restart() {
  ViewsData& data = *data_;
  std::shared_ptr<const Base> base;
  if (!data.options.folder.empty()) {
    std::vector<std::string> said;  // notes() may be read meanwhile
    base = open_newest_base(*data.options.files, data.options.folder, said);
  }
  data.start_over(base != nullptr ? std::move(base) : Base::empty());
  return {};
}

// --- commit
// -------------------------------------------------------------------------------------------------------

Status Views::check_entry(const EntryInfo& entry, Sequence cause) const {
  if (cause != Sequence::kNone && cause >= entry.sequence) {
    return fail(ErrorCode::kInvalidArgument,
                "entry " + std::to_string(static_cast<std::uint64_t>(cause)) +
                    " is not there yet, and cannot have led to anything");
  }
  return data_->check_entry(entry);
}

Writer& Views::begin(const EntryInfo& entry, Sequence cause) {
  ViewsData& data = *data_;
  data.open_entry(entry, cause, true);
  if (data.head.sequence == Sequence::kNone) ANIMA_CHECK(data.writer.genesis());
  data.head = {entry.sequence, entry.time, {}};
  return data.writer;
}

void Views::mark_act(std::uint32_t first) { data_->delta->mark_act(first); }

Result<Finished> Views::finish() {
  ViewsData& data = *data_;
  Finished finished;
  finished.attached = data.writer.take_attached();
  if (!data.writer.changed() && finished.attached.empty()) {
    const ViewsData::Saved start = *data.entry_start;
    data.back_to(start);
  } else {
    finished.payload = data.writer.take_operations();
    data.entry_start.reset();
  }
  finished.bounds = bounds();
  finished.most_trust = data.writer.most_trust();
  return finished;
}

Mark Views::mark() const {
  data_->marks.push_back(data_->here());
  return {data_->marks.size() - 1};
}

void Views::rollback(Mark mark) {
  const ViewsData::Saved saved = data_->marks[mark.value];
  data_->marks.resize(mark.value + 1);
  data_->back_to(saved);
}

// Readers may stand on what was rolled back, so it stays where it is; a delta of what is left takes
// its place, and the old one goes with its last reader.
void Views::settle() {
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  constexpr std::size_t kShare = 32;
  ViewsData& data = *data_;
  data.marks.clear();
  const std::size_t garbage = data.delta->garbage_bytes();
  if (garbage < kLeast || garbage < data.delta->heap_bytes() / kShare) return;
  data.delta = rebase_delta(data.state_at_head(), data.base);
  data.writer.attach(data.state_at_head(), data.delta);
  publish();
}

std::uint64_t Views::rows_written() const { return data_->writer.rows_written(); }

void Views::set_horizon(std::shared_ptr<const Horizon> horizon) {
  data_->horizon = std::move(horizon);
}

Snapshot Views::publish() {
  ViewsData& data = *data_;
  auto state = std::make_shared<const SnapshotState>(data.state_at_head());
  data.delta->forget_journal();
  data.marks.clear();
  auto knowledge = data.without_books(state);
  const MutexLock guard(data.published_mutex);
  data.published = state;
  data.knowledge = std::move(knowledge);
  return Snapshot(std::move(state));
}

// --- reading
// ------------------------------------------------------------------------------------------------------

Snapshot Views::snapshot() const {
  const MutexLock guard(data_->published_mutex);
  return Snapshot(data_->published);
}

Snapshot Views::knowledge() const {
  const MutexLock guard(data_->published_mutex);
  return Snapshot(data_->knowledge);
}

bool Views::text_outdated() const { return data_->text_outdated; }

Views::BaseSize Views::base_size() const {
  const Base& base = *data_->base;
  return {base.image_bytes(), std::uint64_t{base.rows()} + base.retired_rows()};
}

void Views::stats(SpaceStats& out) const {
  const Snapshot now = snapshot();
  const SnapshotState& state = now.state();
  const auto total = [&](std::uint64_t key, std::uint64_t below) {
    auto count = static_cast<std::int64_t>(below);
    for (const LayerView& layer : state.layers)
      count = layer.delta->count(key, layer.sequence, count);
    return static_cast<std::uint64_t>(count);
  };
  out.concepts = state.predicate_count(kTypePredicate);
  out.propositions = total(kLinksKey, state.base->counts().propositions);
  out.assertions = total(kAssertionsKey, state.base->counts().assertions);
  out.literals = state.term_bound - 1;
  out.graphs = now.graphs().size();
  out.base_sequence = static_cast<Sequence>(state.base->counts().sequence);
  out.base_bytes = state.base->image_bytes();
  out.heap_bytes = state.base->heap_bytes();
  for (const LayerView& layer : state.layers) out.heap_bytes += layer.delta->heap_bytes();
  if (state.text != nullptr) out.heap_bytes += state.text->heap_bytes();
}

// --- branches
// -----------------------------------------------------------------------------------------------------

std::unique_ptr<WhatIf> Views::branch(const Snapshot& from) {
  return std::make_unique<Branch>(from.state().shared_from_this(), data_->limits());
}

Status Views::merge(WhatIf& branch) {
  const auto* own = dynamic_cast<const Branch*>(&branch);
  if (own == nullptr || own->from().owner != data_.get()) {
    return fail(ErrorCode::kInvalidArgument, "the branch belongs to another space");
  }
  if (own->from().layers.size() > own->from().shared_layers) {
    return fail(ErrorCode::kUnsupported, "a branch of a branch cannot be committed", {},
                "commit the outer branch first and begin again");
  }
  return merge_branch(*own, data_->writer);
}

// --- checkpoint
// ---------------------------------------------------------------------------------------------------

namespace {

Result<BaseSeals> seals_of(const Base& base) {
  if (base.version() < 2) {
    return fail(ErrorCode::kVersionMismatch, "the base does not say what was erased");
  }
  ANIMA_ASSIGN(BaseSeals seals, decode_seals(base.seals));
  if (seals.erasure() == base.marks().erasure) return seals;
  return fail(ErrorCode::kCorrupt, "the base names two newest erasures");
}

bool accepted(const Base& base, const Views::AcceptBase& accept) {
  const Result<BaseSeals> seals = seals_of(base);
  return seals &&
         accept(Head{Sequence{base.counts().sequence}, {base.counts().time}, base.counts().hash},
                *seals);
}

}  // namespace

Result<BaseSeals> Views::base_seals() const { return seals_of(*data_->base); }

Sequence Views::base_sequence() const {
  return static_cast<Sequence>(data_->base->counts().sequence);
}

Status Views::write_base(const Snapshot& snapshot, const Head& head, const BaseSeals& seals) {
  ViewsData& data = *data_;
  const SnapshotState& state = snapshot.state();
  ANIMA_ASSIGN(BaseImage image, build_base(state, head, {}, data.options.numbers));
  image.marks.erasure = seals.erasure();
  image[Section::kSeals] = encode_seals(seals);
  if (state.text != nullptr) {
    state.text->catch_up(StateText(state), state.shared_term_bound);
    image[Section::kText] = state.text->section(state.term_bound);
  }
  std::shared_ptr<const Base> base;
  if (data.options.folder.empty()) {
    base = Base::from_image(std::move(image));
  } else {
    ANIMA_ASSIGN(base, write_base_file(*data.options.files, data.options.folder, std::move(image)));
  }
  const MutexLock guard(data.written_mutex);
  data.written = std::move(base);
  data.written_head = head;
  return {};
}

void Views::find_newer_base() {
  ViewsData& data = *data_;
  if (data.options.folder.empty()) return;
  const std::uint64_t known = snapshot().state().base->counts().sequence;
  auto newer = open_newer_base(*data.options.files, data.options.folder, known);
  const MutexLock guard(data.written_mutex);
  data.found = std::move(newer);
}

Result<bool> Views::install_base(const AcceptBase& accept) {
  ViewsData& data = *data_;
  const ViewsOptions& options = data.options;
  std::shared_ptr<const Base> next, newer;
  {
    const MutexLock guard(data.written_mutex);
    next = std::move(data.written);
    newer = std::move(data.found);
  }
  if (next != nullptr && !accepted(*next, accept)) {
    if (!options.folder.empty() && !options.read_only)
      ANIMA_TRY(remove_base_file(*options.files, options.folder, next->counts().sequence));
    next = nullptr;
  }
  if (newer != nullptr && (next == nullptr || newer->counts().sequence > next->counts().sequence) &&
      accepted(*newer, accept)) {
    next = std::move(newer);
  }
  if (next == nullptr || next->counts().sequence < data.base->counts().sequence ||
      next->counts().sequence > static_cast<std::uint64_t>(data.head.sequence)) {
    return false;
  }
  data.delta = rebase_delta(data.state_at_head(), next);
  data.base = std::move(next);
  data.open_text(*data.base);
  data.marks.clear();
  data.writer.attach(data.state_at_head(), data.delta);
  publish();
  if (!options.folder.empty() && !options.read_only) {
    ANIMA_TRY(
        remove_base_files(*options.files, options.folder, data.base->counts().sequence, false));
  }
  return true;
}

Status Views::remove_bases(bool also_current) {
  if (data_->options.folder.empty()) return {};
  return remove_base_files(*data_->options.files, data_->options.folder,
                           data_->base->counts().sequence, also_current);
}

// --- payloads
// -----------------------------------------------------------------------------------------------------

namespace {

WrittenKey key_of(const Triple& triple, std::uint32_t graph) {
  WrittenKey key;
  key.graph = static_cast<GraphId>(graph);
  key.subject = triple.subject;
  key.predicate = triple.predicate;
  if (triple.predicate.predicate_class() < PredicateClass::kAttribute) key.object = triple.object;
  return key;
}

Status relies(const Triple& triple, const std::function<Status(EntityId)>& relies_on) {
  ANIMA_TRY(relies_on(triple.subject));
  if (triple.predicate.predicate_class() == PredicateClass::kLink) {
    ANIMA_TRY(relies_on(triple.predicate.as_link()));
  }
  if (triple.object.is_entity()) ANIMA_TRY(relies_on(triple.object.as_entity()));
  return {};
}

}  // namespace

Status Views::visit_written(const LogEntry& entry,
                            const std::function<Status(const WrittenKey&)>& wrote,
                            const std::function<Status(EntityId)>& relies_on) const {
  ANIMA_TRY(check_format(entry));
  const Snapshot now = snapshot();
  const Status read = read_operations(entry.payload, [&](const Operation& operation) -> Status {
    switch (operation.kind) {
      case OperationKind::kTerm:
      case OperationKind::kGraph:
      case OperationKind::kRecord:
      case OperationKind::kAttachment:
      case OperationKind::kTaken:
      case OperationKind::kAct:
        return {};
      case OperationKind::kConcept:
        return relies_on(operation.type);
      case OperationKind::kQuote:
        return relies(operation.triple, relies_on);
      case OperationKind::kAssert:
      case OperationKind::kRetract:
        ANIMA_TRY(wrote(key_of(operation.triple, operation.graph)));
        return relies(operation.triple, relies_on);
      case OperationKind::kBulk: {
        ANIMA_ASSIGN(const std::vector<BulkRow> rows, decode_rows(operation.text));
        for (const BulkRow& row : rows) {
          const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
          ANIMA_TRY(wrote(key_of(triple, operation.graph)));
          ANIMA_TRY(relies(triple, relies_on));
        }
        return {};
      }
      case OperationKind::kDropGraph:
        return visit_dropped(now.state(), static_cast<std::uint64_t>(entry.sequence),
                             operation.graph, [&](const Triple& triple) -> Status {
                               if (triple.predicate == kNamePredicate) return {};
                               return wrote(key_of(triple, operation.graph));
                             });
    }
    return {};
  });
  if (!read) return with_place(read.error(), entry);
  return {};
}

}  // namespace anima::store::detail
