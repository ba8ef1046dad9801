#include "serve/v1/routes.h"

#include "serve/v1/api.h"

namespace anima::serve::v1 {
namespace {

using agent::Act;

constexpr Parameter kId{"id", In::kPath, "string", "Its handle", true};
constexpr Parameter kAsOf{"as_of", In::kQuery, "string",
                          "The state that is asked: the number of a log entry, a time or a date"};

constexpr const char* kOnlySpeaker =
    "Only what this person said, and what nobody in particular did";

// A request of KIP (kip/detail/request.cc).
std::vector<Parameter> kip_parameters(Act act) {
  std::vector<Parameter> list = {
      {"command", In::kBody, "string", "One command, or a text of several"},
      {"commands", In::kBody, "array", "Several, in order"},
      {"parameters", In::kBody, "object", "What stands for :names"},
      {"shape", In::kBody, "string", "\"columns\" or \"rows\""},
      {"strict", In::kBody, "boolean", "Types and predicates that are not defined are errors"},
      {"graph", In::kBody, "string", "The graph that is asked, or written"},
      {"valid_at", In::kBody, "string", "What held then: a time, a date, or any"},
      {"valid_until", In::kBody, "string", "The end of a time that valid_at begins"},
      {"min_trust", In::kBody, "string", "Only what is stated with this trust or more"},
      {"decay_factor", In::kBody, "number", "Of a confidence what is left after a week"},
      {"books", In::kBody, "boolean", "Anima's own records, too"},
      {"full", In::kBody, "boolean", "Hits of SEARCH whole"},
      {"dry_run", In::kBody, "boolean", "Write nothing"},
      {"atomic", In::kBody, "boolean", "All commands or none"},
      {"readonly", In::kBody, "boolean", "Refuse what writes"}};
  if (act == Act::kReads) {
    list.push_back(kAsOf);
  } else {
    list.push_back({"as_of", In::kBody, "string", kAsOf.description});
  }
  return list;
}

std::vector<Route> memory_routes() {
  return {
      {"POST",
       "/v1/memories",
       "remember",
       Act::kWrites,
       "keeps a text, and as facts what it states",
       {{"text", In::kBody, "string", "What to remember, one subject", true, 1},
        {"speaker", In::kBody, "string", "The person whose words they are, who says \"I\""}},
       R"({"text":"I work at Initech","speaker":"Ada"})",
       &Api::remember},
      {"GET",
       "/v1/memories",
       "list memories",
       Act::kReads,
       "what is remembered, the newest first, or what has the words of `query`",
       {{"query", In::kQuery, "string", "Words to look for"},
        {"limit", In::kQuery, "integer", "1 to 100; default 20", false, 1, 100},
        {"cursor", In::kQuery, "string", "next_cursor of the page before"},
        {"speaker", In::kQuery, "string", kOnlySpeaker}},
       "limit=10",
       &Api::list_memories},
      {"GET",
       "/v1/memories/{id}",
       "show memory",
       Act::kReads,
       "one memory, with its ETag",
       {kId},
       "",
       &Api::show_memory},
      {"PATCH",
       "/v1/memories/{id}",
       "update memory",
       Act::kWrites,
       "puts a text in its place; `If-Match` makes sure of what was seen",
       {kId,
        {"text", In::kBody, "string", "What is to be remembered instead", true, 1},
        {"speaker", In::kBody, "string", "The person whose words they are; default: as before"}},
       R"({"text":"Ada works at Globex"})",
       &Api::update_memory},
      {"DELETE",
       "/v1/memories/{id}",
       "forget memory",
       Act::kWrites,
       "withdraws it, and takes back what it stated",
       {kId, {"dry_run", In::kQuery, "boolean", "Only say what would be taken back"}},
       "",
       &Api::forget_memory},
      {"POST",
       "/v1/recall",
       "recall",
       Act::kReads,
       "what memory and graph hold on a question, as fenced text for a prompt",
       {{"question", In::kBody, "string", "What it is about", true, 1},
        {"budget", In::kBody, "integer", "Tokens of four bytes, at least 150; default 1500", false,
         150},
        {"speaker", In::kBody, "string", kOnlySpeaker}},
       R"({"question":"Where does Ada work?","budget":500})",
       &Api::recall},
      {"POST",
       "/v1/ask",
       "ask",
       Act::kReads,
       "answers a question in plain words, with its query",
       {{"question", In::kBody, "string", "In plain words", true, 1},
        {"session", In::kBody, "string", "Questions of one session may follow up"},
        {"language", In::kBody, "string", "Of the question: en, or another language pack"},
        {"speaker", In::kBody, "string",
         "The person who asks, \"I\" and \"my\": of remembered texts only his count, and those of "
         "nobody in particular"},
        kAsOf},
       R"({"question":"Where does Ada work?"})",
       &Api::ask},
      {"POST",
       "/v1/why",
       "why",
       Act::kReads,
       "why a fact holds, and who stated it; or why a call was refused",
       {{"about", In::kBody, "string", "A fact in words or in Datalog, or the id of a refusal",
         true, 1},
        {"steps", In::kBody, "boolean", "The proof as steps with their depths, not as text"}},
       R"({"about":"Ada works at Initech"})",
       &Api::why},
      {"POST", "/v1/kip", "kip", Act::kWrites, "a request of KIP, answered as its protocol has it",
       kip_parameters(Act::kWrites), R"({"command":"DESCRIBE PRIMER"})", &Api::kip, true},
      {"POST", "/v1/kip/readonly", "kip readonly", Act::kReads,
       "the same for what only reads, also with a token that only reads",
       kip_parameters(Act::kReads), R"({"command":"DESCRIBE PRIMER"})", &Api::kip_readonly, true},
  };
}

std::vector<Route> space_routes() {
  return {
      {"GET",
       "/v1/me",
       "me",
       Act::kReads,
       "who the caller is here, how far trusted, and what it may",
       {},
       "",
       &Api::me},
      {"GET",
       "/v1/things",
       "things",
       Act::kReads,
       "things with the words of `query`, the best first, or the newest first",
       {{"query", In::kQuery, "string", "Words of names, attributes and metadata", false, 1},
        {"type", In::kQuery, "string", "Only things of this type"},
        {"limit", In::kQuery, "integer", "1 to 1000; default 50", false, 1, 1000},
        {"cursor", In::kQuery, "string", "next_cursor of the page before"}},
       "query=Ada",
       &Api::things},
      {"GET",
       "/v1/facts",
       "facts",
       Act::kReads,
       "what is stated of a thing, and the links to it, with who stated each",
       {{"about", In::kQuery, "string", "A name, or C:12", true},
        {"limit", In::kQuery, "integer", "1 to 1000; default 200", false, 1, 1000},
        kAsOf},
       "about=Ada",
       &Api::facts},
      {"GET",
       "/v1/history",
       "history",
       Act::kReads,
       "what happened to a thing, entry by entry",
       {{"about", In::kQuery, "string", "A name, or C:12", true},
        {"limit", In::kQuery, "integer", "The newest so many, 1 to 1000; default 100", false, 1,
         1000},
        kAsOf},
       "about=Ada",
       &Api::history},
      {"GET",
       "/v1/entries/{id}",
       "entry",
       Act::kReads,
       "what one entry of the log changed, and whose it is",
       {{"id", In::kPath, "integer", "Its number", true, 1}},
       "",
       &Api::entry},
      {"POST",
       "/v1/undo",
       "undo",
       Act::kWrites,
       "takes back what the caller itself did, act by act",
       {{"entries", In::kBody, "string", "\"last\", \"120\" or \"120..124\"", true, 1},
        {"cascade", In::kBody, "boolean", "Later acts that depend on it, too"},
        {"dry_run", In::kBody, "boolean", "Only say what would go and come"}},
       R"({"entries":"last","dry_run":true})",
       &Api::undo},
      {"GET",
       "/v1/changes",
       "changes",
       Act::kReads,
       "what is known now and was not, and what is known no more",
       {{"since", In::kQuery, "string", "The number of a log entry, a time, a date, yesterday",
         true},
        {"limit", In::kQuery, "integer", "Of each, 1 to 1000; default 100", false, 1, 1000}},
       "since=1",
       &Api::changes},
      {"GET",
       "/v1/events",
       "events",
       Act::kReads,
       "each change as it comes, as server-sent events; `Last-Event-ID` goes on behind one",
       {{"after", In::kQuery, "integer", "The entry behind which it begins; else with the next"}},
       "after=1",
       &Api::events,
       false,
       true},
      {"GET",
       "/v1/statistics",
       "statistics",
       Act::kReads,
       "what the space holds, and its size",
       {},
       "",
       &Api::statistics},
      {"GET",
       "/v1/questions",
       "list questions",
       Act::kReads,
       "what was asked back about the caller's texts and nobody has answered, the newest first",
       {},
       "",
       &Api::list_questions},
      {"POST",
       "/v1/questions/{id}",
       "answer question",
       Act::kWrites,
       "answers one of them, and notes what that decides",
       {kId, {"answer", In::kBody, "string", "\"yes\", \"no\", or one of its choices", true}},
       R"({"answer":"yes"})",
       &Api::answer_question},
      {"GET",
       "/v1/approvals",
       "list approvals",
       Act::kReads,
       "the calls that wait for the owner: at the socket all, with a token its own or, made so, "
       "all",
       {{"all", In::kQuery, "boolean", "The answered and expired ones too"}},
       "",
       &Api::list_approvals},
      {"GET",
       "/v1/approvals/{id}",
       "show approval",
       Act::kReads,
       "one of them, whole",
       {kId},
       "",
       &Api::show_approval},
      {"POST",
       "/v1/approvals/{id}/grant",
       "grant approval",
       Act::kGoverns,
       "answered by 403 and the owner's command, unless the rules let the caller govern",
       {kId},
       "",
       &Api::grant_approval},
      {"POST",
       "/v1/approvals/{id}/deny",
       "deny approval",
       Act::kGoverns,
       "likewise",
       {kId, {"reason", In::kBody, "string", "What the agent is told"}},
       R"({"reason":"not this folder"})",
       &Api::deny_approval},
      {"POST",
       "/v1/approvals/{id}/statement",
       "approval statement",
       Act::kReads,
       "what an approver of the space signs with their key to answer a call that waits",
       {kId,
        {"approver", In::kBody, "string", "Their name", true, 1},
        {"answer", In::kBody, "string", "\"grant\" or \"deny\"", true, 1},
        {"reason", In::kBody, "string", "Of a denial: what the agent is told"}},
       R"({"approver":"ada","answer":"grant"})",
       &Api::statement_of_approval},
      {"POST",
       "/v1/approvals/{id}/answer",
       "answer approval",
       Act::kWrites,
       "grants or denies it by that signature",
       {kId,
        {"approver", In::kBody, "string", "Their name", true, 1},
        {"answer", In::kBody, "string", "\"grant\" or \"deny\"", true, 1},
        {"reason", In::kBody, "string", "As in the statement"},
        {"at", In::kBody, "string", "As in the statement", true, 1},
        {"signature", In::kBody, "string", "Ed25519, of the statement's `text`, in hexadecimal",
         true, 128}},
       R"({"approver":"ada","answer":"grant","at":"1764543600000000","signature":"00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"})",
       &Api::answer_approval},
  };
}

std::vector<Route> upkeep_routes() {
  return {
      {"GET",
       "/v1/sleep",
       "sleep cycles",
       Act::kReads,
       "the cycles of sleep, the newest first, with the memory's measures before and after each",
       {{"limit", In::kQuery, "integer", "1 to 1000; default 50", false, 1, 1000}},
       "limit=10",
       &Api::sleep_cycles},
      {"GET",
       "/v1/runs",
       "runs",
       Act::kReads,
       "the runs of agents, the newest first: at the socket, and with a token made with "
       "`--approvals`",
       {{"limit", In::kQuery, "integer", "1 to 1000; default 50", false, 1, 1000}},
       "limit=10",
       &Api::runs},
      {"GET",
       "/v1/runs/{id}",
       "show run",
       Act::kReads,
       "one run: its cycles with what was weighed and done, and how often tools and models "
       "answered",
       {kId,
        {"after", In::kQuery, "integer", "Only what came behind that log entry", false, 0},
        {"limit", In::kQuery, "integer", "1 to 1000 cycles; default 100", false, 1, 1000}},
       "limit=10",
       &Api::show_run},
  };
}

std::vector<Route> openai_routes() {
  return {
      {"POST",
       "/v1/chat/completions",
       "chat completions",
       Act::kWrites,
       "OpenAI's chat completions: a configured model with memory before it, its calls of tools "
       "judged",
       {{"model", In::kBody, "string", "As `GET /v1/models` names it; or auto", true, 1},
        {"messages", In::kBody, "array", "Texts, calls of tools and their results", true},
        {"tools", In::kBody, "array", "Functions, each declared by `anima serve --tools`"},
        {"stream", In::kBody, "boolean", "As server-sent events"}},
       R"({"model":"local","messages":[{"role":"user","content":"Where does Ada work?"}]})",
       &Api::chat_completion,
       true,
       false,
       true},
      {"GET",
       "/v1/models",
       "models",
       Act::kReads,
       "the models of the configuration, as OpenAI lists them",
       {},
       "",
       &Api::models,
       false,
       false,
       true},
  };
}

// Whether `path` has the form of `pattern`, and what stands for {id}.
bool fits(std::string_view pattern, std::string_view path, std::string& id) {
  constexpr std::string_view kPlace = "{id}";
  const std::size_t place = pattern.find(kPlace);
  if (place == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, place);
  const std::string_view behind = pattern.substr(place + kPlace.size());
  if (!path.starts_with(before) || !path.ends_with(behind) ||
      path.size() <= before.size() + behind.size())
    return false;
  const std::string_view found =
      path.substr(before.size(), path.size() - before.size() - behind.size());
  if (found.find('/') != std::string_view::npos) return false;
  id = found;
  return true;
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> list = memory_routes();
    for (Route& route : space_routes()) list.push_back(std::move(route));
    for (Route& route : upkeep_routes()) list.push_back(std::move(route));
    for (Route& route : openai_routes()) list.push_back(std::move(route));
    return list;
  }();
  return all;
}

Match match(std::string_view method, std::string_view path) {
  Match match;
  for (const Route& route : routes()) {
    std::string id;
    if (!fits(route.path, path, id)) continue;
    match.others += (match.others.empty() ? "" : ", ") + std::string(route.method);
    const bool head = method == "HEAD" && route.method == "GET" && !route.streams;
    if (route.method != method && !head) continue;
    match.route = &route;
    match.id = std::move(id);
  }
  return match;
}

}  // namespace anima::serve::v1
