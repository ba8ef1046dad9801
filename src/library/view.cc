#include "anima/view.h"

#include <algorithm>
#include <utility>

#include "agent/house/space_reads.h"
#include "base/files/file.h"
#include "base/files/output_file.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "library/detail/reading.h"
#include "library/detail/sparql_state.h"
#include "library/detail/view_state.h"
#include "library/detail/watch.h"
#include "memory/compartments/compartments.h"
#include "memory/compartments/fact_words.h"
#include "memory/formats/transfer.h"
#include "store/history.h"
#include "store/symbols.h"
#include "store/text_hits.h"

namespace anima {
namespace {

constexpr std::size_t kMostHits = 10'000;

Result<memory::TransferFormat> format_of(std::string_view name) {
  const std::vector<std::string> names = memory::format_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return fail(ErrorCode::kInvalidArgument, "there is no such format", std::string(name),
                "one of " + join(names, ", "));
  return memory::transfer_format(std::string(name), {});
}

Result<std::string> text_of(const store::Snapshot& snapshot, memory::TransferFormat format,
                            std::string_view pack) {
  if (!memory::can_export(format))
    return fail(ErrorCode::kUnsupported, "this format can be read, but not written",
                std::string(memory::format_name(format)));
  if (pack.empty()) return memory::export_text(snapshot, format);
  ANIMA_ASSIGN(const store::Snapshot narrow, memory::of_compartment(snapshot, pack));
  return memory::export_text(narrow, format);
}

}  // namespace

// ---- Rules

Result<Rows> Rules::query(std::string_view goal, std::size_t limit) const {
  const memory::Reasoner& reasoner = *state_->reasoner;
  ANIMA_ASSIGN(std::vector<std::string> columns, reasoner.variables(goal));
  ANIMA_ASSIGN(const std::vector<memory::RuleRow> matches, reasoner.ask(goal, limit));
  std::vector<JsonArray> cells;
  for (const memory::RuleRow& match : matches)
    cells.emplace_back(match.values.begin(), match.values.end());
  return Rows(std::move(columns), std::move(cells));
}

Result<Proof> Rules::why(std::string_view fact) const {
  const memory::Reasoner& reasoner = *state_->reasoner;
  ANIMA_ASSIGN(const auto patterns, memory::fact_patterns(memory::fact_words(fact), reasoner));
  ANIMA_ASSIGN(const memory::FactProof proof,
               memory::prove_first(*state_->open->space, state_->snapshot, reasoner, patterns));
  return detail::proof_of(proof);
}

Result<std::string> Rules::why_not(std::string_view fact) const {
  const memory::Reasoner& reasoner = *state_->reasoner;
  ANIMA_ASSIGN(const auto patterns, memory::fact_patterns(memory::fact_words(fact), reasoner));
  return reasoner.why_not(patterns.front());
}

std::vector<std::string> Rules::predicates() const { return state_->reasoner->predicates(); }

// ---- View

std::uint64_t View::entry() const {
  return static_cast<std::uint64_t>(state_->snapshot.sequence());
}

Result<Rows> View::find(std::string_view kip, const Json& parameters,
                        const CallLimits& limits) const {
  Json request = Json::object({{"command", kip}, {"as_of", entry()}});
  if (!parameters.is_null()) request.set("parameters", parameters);
  return detail::find_rows(*state_->open, std::move(request), limits);
}

Result<SparqlAnswer> View::sparql(std::string_view query, const SparqlSettings& settings) const {
  ANIMA_ASSIGN(
      sparql::QueryAnswer answer,
      state_->open->sparql_engine->query(state_->snapshot, query, detail::query_options(settings)));
  return SparqlAnswer(std::make_shared<const SparqlAnswer::State>(std::move(answer)));
}

Result<QuestionAnswer> View::ask(std::string_view question, const AskSettings& settings) const {
  return detail::ask_space(*state_->open, question, settings, state_->snapshot.sequence());
}

Result<std::vector<Hit>> View::search(std::string_view text, const SearchSettings& settings) const {
  if (settings.limit < 1 || settings.limit > kMostHits)
    return fail(ErrorCode::kInvalidArgument, "the limit is 1 to 10000");
  if (is_only_white_space(text))
    return fail(ErrorCode::kInvalidArgument, "the text to look for is missing");
  const store::Snapshot& snapshot = state_->snapshot;
  store::TextQuery query;
  query.text = text;
  query.propositions = settings.links;
  query.prefix = query.fuzzy = query.parts = !settings.exact;
  query.limit = settings.limit;
  if (!settings.type.empty()) {
    if (settings.links) {
      query.type = snapshot.find_predicate(settings.type);
      if (!query.type)
        return fail(ErrorCode::kNotFound, "there is no such predicate", settings.type);
    } else {
      ANIMA_ASSIGN(query.type, agent::type_called(snapshot, settings.type));
    }
  }
  std::vector<Hit> hits;
  for (const store::TextHit& hit : snapshot.search(query)) {
    store::FoundText found = store::found_text(snapshot, hit);
    hits.push_back(
        {std::move(found.id), std::move(found.type), std::move(found.name), found.score});
  }
  return hits;
}

Result<std::vector<Commit>> View::history(std::string_view entity, std::size_t limit) const {
  const store::Snapshot& snapshot = state_->snapshot;
  ANIMA_ASSIGN(const store::EntityId thing, store::find_entity(snapshot, entity));
  std::vector<Commit> commits;
  for (const store::EntityChange& change : store::entity_changes(snapshot, thing, limit)) {
    const store::EntryInfo info = snapshot.entry(change.sequence);
    Commit& commit = commits.emplace_back();
    commit.entry = static_cast<std::uint64_t>(change.sequence);
    commit.time = format_timestamp(info.time);
    commit.author = info.author;
    commit.source = info.source;
    commit.trust = detail::level_of(info.trust);
    for (const store::Triple& triple : change.added)
      commit.added.push_back(detail::statement_of(snapshot, triple));
    for (const store::Triple& triple : change.removed)
      commit.removed.push_back(detail::statement_of(snapshot, triple));
  }
  return commits;
}

Result<Rules> View::rules(const std::vector<RuleText>& beside, const CallLimits& limits) const {
  const detail::Watch watch(limits.stop, limits.time);
  ANIMA_TRY(watch.ended());
  memory::CompartmentManager packs(*state_->open->space, system_files(), "");
  ANIMA_TRY(packs.refresh());
  std::vector<memory::RuleSource> sources = packs.rules();
  const std::vector<memory::RuleSource> loaded = sources;
  for (const RuleText& text : beside) {
    sources.push_back({"rules", text.name, text.text, store::Trust::kOperator});
    ANIMA_TRY(memory::check_rules(text.text, text.name));
    ANIMA_TRY(memory::check_rule_names(state_->snapshot, loaded, sources.back()));
  }
  memory::RuleLimits bounds;
  bounds.stop = watch.token();
  if (limits.time.count() > 0) bounds.deadline_ms = limits.time.count();
  auto reasoner = memory::Reasoner::create(state_->snapshot, sources, {}, bounds);
  if (!reasoner) {
    ANIMA_TRY(watch.ended());
    return fail(reasoner.error());
  }
  ANIMA_TRY((*reasoner)->check("rules"));
  return Rules(std::make_shared<const Rules::State>(
      Rules::State{state_->open, state_->snapshot, std::move(*reasoner)}));
}

Result<Rules> View::kept_rules(const CallLimits& limits) const {
  const MutexLock guard(state_->mutex);
  if (!state_->rules) {
    ANIMA_ASSIGN(state_->rules, rules({}, limits));
  }
  return *state_->rules;
}

Result<Proof> View::why(std::string_view fact, const CallLimits& limits) const {
  ANIMA_ASSIGN(const Rules rules, kept_rules(limits));
  return rules.why(fact);
}

Result<std::string> View::why_not(std::string_view fact, const CallLimits& limits) const {
  ANIMA_ASSIGN(const Rules rules, kept_rules(limits));
  return rules.why_not(fact);
}

Result<std::string> View::export_text(std::string_view format, std::string_view pack) const {
  ANIMA_ASSIGN(const memory::TransferFormat known, format_of(format));
  return text_of(state_->snapshot, known, pack);
}

Status View::export_file(const std::string& path, std::string_view pack) const {
  ANIMA_ASSIGN(const memory::TransferFormat format, memory::transfer_format({}, path));
  ANIMA_ASSIGN(const std::string text, text_of(state_->snapshot, format, pack));
  return write_output(system_files(), path, text);
}

// ---- ChangeFeed

Result<std::optional<Commit>> ChangeFeed::next(const CallLimits& limits) {
  constexpr std::int64_t kLookMilliseconds = 50;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + limits.time;
  while (true) {
    ANIMA_ASSIGN(const store::Snapshot now, state_->open->space->snapshot());
    if (static_cast<std::uint64_t>(now.sequence()) > after_) {
      ANIMA_ASSIGN(Commit commit,
                   detail::commit_at(*state_->open, now, store::Sequence{after_ + 1}));
      ++after_;
      return std::optional(std::move(commit));
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (limits.stop.stop_requested() || (limits.time.count() > 0 && left <= 0))
      return std::optional<Commit>();
    const std::int64_t wait = limits.time.count() > 0
                                  ? std::min<std::int64_t>(left, kLookMilliseconds)
                                  : kLookMilliseconds;
    ANIMA_TRY(state_->open->space->log().follow(store::Sequence{after_}, wait));
  }
}

}  // namespace anima
