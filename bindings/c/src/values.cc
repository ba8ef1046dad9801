#include "values.h"

#include <string>

#include "base/json/text_array.h"

namespace anima::c {
namespace {

Json trust_word(TrustLevel level) { return std::string(to_string(level)); }

Json json_of(const Statement& statement) {
  return Json::object({{"subject", statement.subject},
                       {"predicate", statement.predicate},
                       {"object", statement.object}});
}

Json statements(const std::vector<Statement>& all) {
  Json list = Json::array();
  for (const Statement& each : all) list.push_back(json_of(each));
  return list;
}

Json json_of(const Assertion& one) {
  return Json::object({{"entry", one.entry},
                       {"time", one.time},
                       {"author", one.author},
                       {"source", one.source},
                       {"provenance", one.provenance},
                       {"trust", trust_word(one.trust)},
                       {"confidence", one.confidence}});
}

Json json_of(const ProofStep& step) {
  Json asserted = Json::array();
  for (const Assertion& one : step.asserted) asserted.push_back(json_of(one));
  return Json::object({{"depth", step.depth},
                       {"fact", step.fact},
                       {"because", step.because},
                       {"where", step.where},
                       {"given", step.given},
                       {"asserted", std::move(asserted)},
                       {"contradictions", text_array(step.contradictions)}});
}

void add_table(Json& json, const Rows& rows) {
  json.set("columns", text_array(rows.columns()));
  Json cells = Json::array();
  for (const Rows::Row row : rows) {
    JsonArray line;
    for (std::size_t column = 0; column < row.size(); ++column) line.push_back(row[column]);
    cells.push_back(Json(std::move(line)));
  }
  json.set("rows", std::move(cells));
}

}  // namespace

Json json_of(const Rows& rows) {
  Json json = Json::object();
  add_table(json, rows);
  return json;
}

Json json_of(const QuestionAnswer& answer) {
  Json json = Json::object({{"status", std::string(to_string(answer.status))},
                            {"text", answer.text},
                            {"reading", answer.reading},
                            {"query", answer.query}});
  add_table(json, answer.rows);
  json.set("unknown", text_array(answer.unknown));
  json.set("details", answer.details);
  return json;
}

Json json_of(const Commit& commit) {
  return Json::object({{"entry", commit.entry},
                       {"time", commit.time},
                       {"author", commit.author},
                       {"source", commit.source},
                       {"trust", trust_word(commit.trust)},
                       {"added", statements(commit.added)},
                       {"removed", statements(commit.removed)},
                       {"readable", commit.readable}});
}

Json json_of(const Hit& hit) {
  return Json::object(
      {{"id", hit.id}, {"type", hit.type}, {"name", hit.name}, {"score", hit.score}});
}

Json json_of(const Proof& proof) {
  Json steps = Json::array();
  for (const ProofStep& step : proof) steps.push_back(json_of(step));
  return Json::object({{"fact", proof.fact},
                       {"text", proof.text()},
                       {"steps", std::move(steps)},
                       {"confidence", proof.confidence},
                       {"trust", trust_word(proof.trust)},
                       {"superseded", proof.superseded}});
}

Json json_of(const CallResult& result) {
  return Json::object({{"outcome", std::string(to_string(result.outcome))},
                       {"result", result.result},
                       {"reason", result.reason},
                       {"trust", trust_word(result.trust)},
                       {"approval_id", result.approval_id},
                       {"refusal_id", result.refusal_id},
                       {"missing", text_array(result.missing)}});
}

Json json_of(const Response& response) {
  return Json::object({{"status", std::string(to_string(response.status))},
                       {"text", response.text},
                       {"missing", text_array(response.missing)},
                       {"approval_ids", text_array(response.approval_ids)},
                       {"refusal_id", response.refusal_id},
                       {"cycles", response.cycles},
                       {"details", response.details}});
}

Json json_of(const ApprovalRequest& request) {
  return Json::object({{"id", request.id},
                       {"tool", request.tool},
                       {"agent", request.agent},
                       {"arguments", request.arguments},
                       {"trust", trust_word(request.trust)},
                       {"reason", request.reason},
                       {"evidence", request.evidence},
                       {"status", request.status},
                       {"decided_by", request.decided_by},
                       {"asked", request.asked},
                       {"expires", request.expires}});
}

Json json_of(const Context& context) {
  return Json::object({{"text", context.text},
                       {"label", trust_word(context.label)},
                       {"items", static_cast<std::uint64_t>(context.items)},
                       {"left_out", static_cast<std::uint64_t>(context.left_out)},
                       {"quarantined", static_cast<std::uint64_t>(context.quarantined)},
                       {"withheld", static_cast<std::uint64_t>(context.withheld)},
                       {"details", context.details}});
}

Json json_of(const Remembered& remembered) {
  return Json::object({{"id", remembered.id},
                       {"known_before", remembered.known_before},
                       {"stated", remembered.stated},
                       {"corrected", remembered.corrected},
                       {"taken_back", text_array(remembered.taken_back)},
                       {"left_over", remembered.left_over},
                       {"asks", remembered.asks},
                       {"question", remembered.question},
                       {"proposes", remembered.proposes},
                       {"choices", text_array(remembered.choices)}});
}

Json json_of(const OpenQuestion& question) {
  return Json::object({{"id", question.id},
                       {"text", question.text},
                       {"asks", question.asks},
                       {"proposes", question.proposes},
                       {"choices", text_array(question.choices)},
                       {"memory", question.memory},
                       {"author", question.author},
                       {"source", question.source},
                       {"said", question.said},
                       {"trust", trust_word(question.trust)}});
}

Json json_of(const RememberedText& text) {
  return Json::object({{"id", text.id},
                       {"kind", text.kind},
                       {"type", text.type},
                       {"partition", text.partition},
                       {"readers", text_array(text.readers)},
                       {"content", text.content},
                       {"trust", trust_word(text.trust)},
                       {"confidence", text.confidence},
                       {"author", text.author},
                       {"source", text.source},
                       {"session", text.session},
                       {"created", text.created},
                       {"verified_by", text.verified_by},
                       {"score", text.score}});
}

}  // namespace anima::c
