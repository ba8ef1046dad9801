// The members of the library's plain values by name, each list once, for the languages that take
// them as records: C as JSON (bindings/c/src/values.cc), Python as dicts
// (bindings/python/src/values.cc). The names are those of the structs in include/anima.
//
// members_of(value, to) calls to(name, member) for each, in the order in which they are told. `to`
// takes texts, lists of texts, truths, numbers, TrustLevel, Json, and lists of values that have
// members themselves. Rows are not among them, nor the events of a Response, which a program
// hears as they come. Thread-safety: pure.
#pragma once

#include <string>
#include <vector>

#include "anima/agent.h"
#include "anima/calls.h"
#include "anima/governance.h"
#include "anima/guarded_session.h"
#include "anima/view.h"

namespace anima::bindings {

template <typename To>
void members_of(const Statement& statement, To&& to) {
  to("subject", statement.subject);
  to("predicate", statement.predicate);
  to("object", statement.object);
}

template <typename To>
void members_of(const Assertion& one, To&& to) {
  to("entry", one.entry);
  to("time", one.time);
  to("author", one.author);
  to("source", one.source);
  to("provenance", one.provenance);
  to("trust", one.trust);
  to("confidence", one.confidence);
}

template <typename To>
void members_of(const ProofStep& step, To&& to) {
  to("depth", step.depth);
  to("fact", step.fact);
  to("because", step.because);
  to("where", step.where);
  to("given", step.given);
  to("asserted", step.asserted);
  to("contradictions", step.contradictions);
}

template <typename To>
void members_of(const Proof& proof, To&& to) {
  to("fact", proof.fact);
  to("text", proof.text());
  to("steps", std::vector<ProofStep>(proof.begin(), proof.end()));
  to("confidence", proof.confidence);
  to("trust", proof.trust);
  to("superseded", proof.superseded);
}

template <typename To>
void members_of(const Commit& commit, To&& to) {
  to("entry", commit.entry);
  to("time", commit.time);
  to("author", commit.author);
  to("source", commit.source);
  to("trust", commit.trust);
  to("added", commit.added);
  to("removed", commit.removed);
  to("readable", commit.readable);
}

template <typename To>
void members_of(const Hit& hit, To&& to) {
  to("id", hit.id);
  to("type", hit.type);
  to("name", hit.name);
  to("score", hit.score);
}

template <typename To>
void members_of(const CallResult& result, To&& to) {
  to("outcome", std::string(to_string(result.outcome)));
  to("result", result.result);
  to("reason", result.reason);
  to("trust", result.trust);
  to("approval_id", result.approval_id);
  to("refusal_id", result.refusal_id);
  to("missing", result.missing);
  to("entry", result.entry);
}

template <typename To>
void members_of(const Response& response, To&& to) {
  to("outcome", std::string(to_string(response.outcome)));
  to("text", response.text);
  to("missing", response.missing);
  to("options", response.options);
  to("approval_ids", response.approval_ids);
  to("refusal_id", response.refusal_id);
  to("plan_id", response.plan_id);
  to("cycles", response.cycles);
  to("entry", response.entry);
  to("details", response.details);
}

template <typename To>
void members_of(const ApprovalRequest& request, To&& to) {
  to("id", request.id);
  to("tool", request.tool);
  to("agent", request.agent);
  to("arguments", request.arguments);
  to("trust", request.trust);
  to("reason", request.reason);
  to("evidence", request.evidence);
  to("status", request.status);
  to("decided_by", request.decided_by);
  to("asked", request.asked);
  to("expires", request.expires);
}

template <typename To>
void members_of(const Context& context, To&& to) {
  to("text", context.text);
  to("label", context.label);
  to("items", context.items);
  to("left_out", context.left_out);
  to("quarantined", context.quarantined);
  to("withheld", context.withheld);
  to("details", context.details);
}

template <typename To>
void members_of(const Remembered& remembered, To&& to) {
  to("id", remembered.id);
  to("known_before", remembered.known_before);
  to("stated", remembered.stated);
  to("corrected", remembered.corrected);
  to("taken_back", remembered.taken_back);
  to("left_over", remembered.left_over);
  to("asks", remembered.asks);
  to("question", remembered.question);
  to("proposes", remembered.proposes);
  to("choices", remembered.choices);
  to("entry", remembered.entry);
}

template <typename To>
void members_of(const OpenQuestion& question, To&& to) {
  to("id", question.id);
  to("text", question.text);
  to("asks", question.asks);
  to("proposes", question.proposes);
  to("choices", question.choices);
  to("memory", question.memory);
  to("author", question.author);
  to("source", question.source);
  to("said", question.said);
  to("trust", question.trust);
  to("speaker", question.speaker);
}

template <typename To>
void members_of(const RememberedText& text, To&& to) {
  to("id", text.id);
  to("kind", text.kind);
  to("type", text.type);
  to("partition", text.partition);
  to("readers", text.readers);
  to("content", text.content);
  to("speaker", text.speaker);
  to("trust", text.trust);
  to("confidence", text.confidence);
  to("author", text.author);
  to("source", text.source);
  to("session", text.session);
  to("created", text.created);
  to("verified_by", text.verified_by);
  to("score", text.score);
}

template <typename To>
void members_of(const Judgement& judgement, To&& to) {
  members_of(static_cast<const CallResult&>(judgement), to);
  to("call", judgement.call);
  to("because", judgement.because);
  to("arguments", judgement.arguments);
}

template <typename To>
void members_of(const AuditRecord& record, To&& to) {
  to("entry", record.entry);
  to("id", record.id);
  to("time", record.time);
  to("action", record.action);
  to("actor", record.actor);
  to("trust", record.trust);
  to("details", record.details);
}

template <typename To>
void members_of(const LoadedTable& table, To&& to) {
  to("file", table.file);
  to("table", table.table);
  to("type", table.type);
  to("rows", table.rows);
  to("created", table.created);
  to("changed", table.changed);
  to("unchanged", table.unchanged);
  to("facts", table.facts);
  to("withdrawn", table.withdrawn);
  to("outranked", table.outranked);
  to("overruled", table.overruled);
  to("mentioned", table.mentioned);
}

template <typename To>
void members_of(const LoadedFacts& file, To&& to) {
  to("file", file.file);
  to("format", file.format);
  to("statements", file.statements);
}

template <typename To>
void members_of(const LoadReport& report, To&& to) {
  to("tables", report.tables);
  to("facts", report.facts);
  to("notes", report.notes);
  to("mapping", report.mapping);
  to("changed", report.changed);
  to("entry", report.entry);
}

}  // namespace anima::bindings
