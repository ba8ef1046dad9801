#include "library/detail/reading.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/files/file.h"
#include "base/json/json_member.h"
#include "base/text/white_space.h"
#include "library/detail/watch.h"
#include "memory/grounds.h"
#include "memory/memory_item.h"
#include "store/history.h"

namespace anima::detail {
namespace {

ErrorCode code_of(std::string_view kip) {
  unsigned number = 0;
  const std::size_t digits = std::min(kip.find('_'), kip.size() - 1) + 1;
  std::from_chars(kip.data() + digits, kip.data() + kip.size(), number);
  switch (static_cast<kip::Code>(number)) {
    case kip::Code::kInvalidSyntax:
    case kip::Code::kInvalidIdentifier:
      return ErrorCode::kSyntax;
    case kip::Code::kUndefinedName:
    case kip::Code::kConstraintViolation:
    case kip::Code::kInvalidValueType:
    case kip::Code::kUnboundReference:
      return ErrorCode::kInvalidArgument;
    case kip::Code::kNotFound:
      return ErrorCode::kNotFound;
    case kip::Code::kAmbiguous:
      return ErrorCode::kAlreadyExists;
    case kip::Code::kImmutableTarget:
      return ErrorCode::kDenied;
    case kip::Code::kVersionConflict:
      return ErrorCode::kConflict;
    case kip::Code::kTimeout:
      return ErrorCode::kTimeout;
    case kip::Code::kResourceExhausted:
      return ErrorCode::kLimitExceeded;
    case kip::Code::kInternal:
      break;
  }
  return ErrorCode::kInternal;
}

Error error_of(const Json& fault) {
  Error error;
  const std::string code = text_member(fault, "code");
  error.code = code.empty() ? ErrorCode::kInternal : code_of(code);
  error.message = code + ": " + text_member(fault, "message");
  error.hint = text_member(fault, "hint");
  const Json* data = fault.find("data");
  const Json* line = data == nullptr ? nullptr : data->find("line");
  const Json* column = data == nullptr ? nullptr : data->find("column");
  if (line != nullptr && column != nullptr)
    error.where = std::to_string(line->as_integer()) + ":" + std::to_string(column->as_integer());
  return error;
}

std::size_t column_of(std::vector<std::string>& columns, const std::string& name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  columns.push_back(name);
  return columns.size() - 1;
}

// Objects of one member a column; whatever else stands in a column "result".
Rows rows_of(const Json& result) {
  std::vector<std::string> columns;
  std::vector<JsonArray> cells;
  const JsonArray one{result};
  for (const Json& item : result.is_array() ? result.as_array() : one) {
    JsonArray& row = cells.emplace_back();
    row.resize(columns.size());
    const JsonObject whole{{"result", item}};
    for (const auto& [name, value] : item.is_object() ? item.as_object() : whole) {
      const std::size_t column = column_of(columns, name);
      if (column >= row.size()) row.resize(column + 1);
      row[column] = value;
    }
  }
  for (JsonArray& row : cells) row.resize(columns.size());
  return {std::move(columns), std::move(cells)};
}

QuestionStatus status_of(ask::AnswerStatus status) {
  switch (status) {
    case ask::AnswerStatus::kAnswered:
      return QuestionStatus::kAnswered;
    case ask::AnswerStatus::kEmpty:
      return QuestionStatus::kEmpty;
    case ask::AnswerStatus::kAmbiguous:
      return QuestionStatus::kAmbiguous;
    case ask::AnswerStatus::kNotUnderstood:
      break;
  }
  return QuestionStatus::kNotUnderstood;
}

Assertion assertion_of(const memory::ToldAssertion& told) {
  const datalog::Assertion& from = told.assertion;
  Assertion assertion;
  assertion.entry = static_cast<std::uint64_t>(from.entry);
  assertion.time = format_timestamp(from.time);
  assertion.author = from.author;
  assertion.source = from.source;
  assertion.provenance = told.told;
  assertion.trust = level_of(from.trust);
  assertion.confidence = from.confidence;
  return assertion;
}

// The rows of one command. A text of several answers a list of results, which no row looks like:
// its members have the names of columns.
Status check_single(const Json& result) {
  if (!result.is_array() || result.as_array().size() < 2) return {};
  for (const Json& each : result.as_array()) {
    if (!each.is_object()) return {};
    if (const Json* fault = each.find("error")) return fail(error_of(*fault));
    if (each.find("result") == nullptr) return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              "the text holds " + std::to_string(result.as_array().size()) +
                  " commands, and these are the rows of one",
              {}, "kip() gives the results of several");
}

}  // namespace

TrustLevel level_of(store::Trust trust) { return static_cast<TrustLevel>(trust); }

Result<Json> last_result(const Json& answer) {
  if (const Json* fault = answer.find("error")) return fail(error_of(*fault));
  const Json* result = answer.find("result");
  return result == nullptr ? Json() : *result;
}

Result<Rows> find_rows(OpenSpace& open, Json request, const CallLimits& limits) {
  const Json* command = request.find("command");
  if (command != nullptr && command->is_string() && is_only_white_space(command->as_string()))
    return fail(ErrorCode::kInvalidArgument, "the query is empty");
  const Watch watch(limits.stop, limits.time);
  const Json* dry = request.find("dry_run");
  kip::Caller caller;
  caller.readonly = dry == nullptr;
  caller.stop = watch.token();
  request.set("shape", "rows");
  const Json answer = open.engine->execute(request, caller);
  Result<Json> result = last_result(answer);
  if (result && dry != nullptr) {
    const Json all = std::move(*result);
    for (const Json& one : all.as_array()) {
      result = last_result(one);
      if (!result) break;
    }
  }
  if (!result) {
    ANIMA_TRY(watch.ended());
    return fail(result.error());
  }
  ANIMA_TRY(check_single(*result));
  return rows_of(*result);
}

Result<QuestionAnswer> ask_space(OpenSpace& open, std::string_view question,
                                 const AskSettings& settings,
                                 std::optional<store::Sequence> as_of) {
  const Watch watch(settings.limits.stop, settings.limits.time);
  ask::AskOptions options;
  options.language = settings.language;
  ANIMA_TRY(ask::check_language(options.language));
  ANIMA_ASSIGN(options.speaker, memory::speaker_given(settings.speaker));
  options.own_texts = !options.speaker.empty();
  options.all = settings.all;
  options.stop = watch.token();
  if (as_of) options.as_of = Json(static_cast<std::uint64_t>(*as_of));
  if (!settings.now.empty()) {
    ANIMA_ASSIGN(options.now, parse_timestamp(settings.now));
  }
  // A space that may not be read is an error, and no question that was not understood.
  ANIMA_TRY(open.space->snapshot().map([](const store::Snapshot&) {}));
  const MutexLock guard(open.asking);
  if (open.asker == nullptr) {
    ANIMA_ASSIGN(open.asker, agent::SpaceAsker::open(open.space, system_files()));
  }
  ask::Conversation* talk =
      settings.session.empty() ? nullptr : &open.talks[talk_of(settings.session, options.speaker)];
  const ask::Answer answer = open.asker->ask(question, options, talk);
  ANIMA_TRY(watch.ended());
  QuestionAnswer given;
  given.status = status_of(answer.status);
  given.text = answer.text;
  given.reading = answer.reading;
  given.query = answer.query;
  given.rows = Rows(answer.columns, answer.rows);
  given.unknown = answer.unknown;
  given.details = answer.to_json();
  return given;
}

std::string talk_of(std::string_view session, std::string_view speaker) {
  return std::string(speaker) + '\n' + std::string(session);
}

Statement statement_of(const store::Snapshot& snapshot, const store::Triple& triple) {
  store::StatementWords words = store::statement_words(snapshot, triple);
  return {std::move(words.subject), std::move(words.predicate), std::move(words.object)};
}

Result<Commit> commit_at(OpenSpace& open, const store::Snapshot& now, store::Sequence entry) {
  ANIMA_ASSIGN(const store::LogEntry written, open.space->log().entry(entry));
  Commit commit;
  commit.entry = static_cast<std::uint64_t>(entry);
  commit.time = format_timestamp(written.time);
  commit.author = written.origin.author;
  commit.source = written.origin.source;
  commit.trust = level_of(written.origin.trust);
  const auto changes = store::entry_changes(*open.space, now, entry);
  if (!changes && changes.error().code != ErrorCode::kNotFound) return fail(changes.error());
  commit.readable = changes.has_value();
  if (!changes) return commit;
  for (const store::Triple& triple : changes->added)
    commit.added.push_back(statement_of(now, triple));
  for (const store::Triple& triple : changes->removed)
    commit.removed.push_back(statement_of(now, triple));
  return commit;
}

Proof proof_of(const memory::FactProof& from) {
  Proof proof;
  proof.fact = from.fact;
  proof.confidence = from.confidence;
  proof.trust = level_of(from.trust);
  proof.superseded = from.superseded;
  for (const memory::FactStep& one : from.steps) {
    ProofStep& step = proof.steps.emplace_back();
    step.depth = one.line.depth;
    step.fact = one.line.fact;
    step.because = one.line.because;
    step.where = one.line.where;
    step.given = one.line.given;
    for (const memory::ToldAssertion& told : one.asserted)
      step.asserted.push_back(assertion_of(told));
    step.contradictions = one.out_of_time;
    for (const memory::Dispute& dispute : one.disputes) {
      step.contradictions.push_back(dispute.words() + ": " + dispute.reason);
    }
  }
  return proof;
}

}  // namespace anima::detail
