#include "agent/house/governed_house.h"

#include <filesystem>
#include <set>

#include "agent/house/detail/gated_space.h"
#include "agent/mind/core_memory.h"
#include "base/files/file.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "store/act.h"
#include "tools/made_tools.h"

namespace anima::agent {
namespace {

constexpr std::string_view kBuiltinTools = "packs/tools/builtin.json";
constexpr std::size_t kEarlierMemories = 32;
// A search goes by whole texts, and one piece must not drown among the words of a long one.
constexpr std::size_t kSearchedBytes = 1024;
constexpr std::size_t kMostSearches = 64;

// How far what this message says is trusted: its channel's most, or less when it claims less.
govern::Trust trust_of(const govern::IncomingMessage& message) {
  const auto most = govern::channel_trust(message.channel).value_or(govern::Trust::kUntrusted);
  if (!message.source) return most;
  return govern::lowest(most,
                        govern::parse_trust(*message.source).value_or(govern::Trust::kUntrusted));
}

}  // namespace

Result<std::unique_ptr<GovernedHouse>> GovernedHouse::open(std::shared_ptr<store::Space> space,
                                                           Clock& clock, Random& random,
                                                           HouseOptions options) {
  GateOptions settings;
  settings.approvals = options.approvals;
  settings.approver_pins = options.approver_pins;
  settings.rule_folders = options.rule_folders;
  settings.rules = options.rules;
  settings.work_folder = options.tools.work_folder;
  ANIMA_ASSIGN(auto gate, Gate::open(std::move(space), clock, random, std::move(settings)));
  return open(std::move(gate), std::move(options));
}

Result<std::unique_ptr<GovernedHouse>> GovernedHouse::open(std::shared_ptr<Gate> gate,
                                                           HouseOptions options) {
  auto patterns = options.patterns ? Result<govern::PatternSet>(*std::move(options.patterns))
                                   : govern::PatternSet::shipped();
  if (!patterns) return fail(patterns.error());
  const std::string& folder = gate->space().folder();
  if (options.tools.state_folder.empty() && !folder.empty()) {
    options.tools.state_folder =
        (std::filesystem::absolute(folder) / "staged").lexically_normal().string();
  }
  ANIMA_TRY(tools::check_folders(options.tools, folder, gate->rule_folders()));
  std::unique_ptr<GovernedHouse> house(
      new GovernedHouse(std::move(gate), std::move(options), *std::move(patterns)));
  ANIMA_ASSIGN(govern::PermissionTable permissions, house->permissions());
  ANIMA_TRY(house->declare_tools(permissions));
  ANIMA_TRY(house->furnish(std::move(permissions)));
  return house;
}

GovernedHouse::GovernedHouse(std::shared_ptr<Gate> gate, HouseOptions options,
                             govern::PatternSet patterns)
    : gate_(std::move(gate)),
      space_(gate_->shared_space()),
      door_space_(gate_->space_for(options.door, options.judged, options.writes)),
      loop_space_(std::make_shared<detail::GatedSpace>(
          gate_, options.door, DoorCall{"loop", "cycle", std::string(kLoopName), kLoopTrust},
          Judged::kAtOnce, Act::kWrites)),
      agent_(options.agent),
      clock_(gate_->clock()),
      thresholds_(options.learning),
      kept_(*gate_, *door_space_, std::move(patterns), std::move(options.model), options.vectors),
      memory_(kept_.manager),
      tool_memory_(*space_, gate_->ledger(), kept_.guardian, gate_->events(), clock_,
                   gate_->random()),
      gateway_(kept_.guardian, gate_->ledger(), gate_->events(), clock_, gate_->random(),
               options.gateway, &gate_->ledger()),
      external_(clock_, gate_->random(), options.tools),
      others_(*space_, gate_->ledger(), clock_,
              {options.tools.environment, options.tools.best_effort}, external_),
      own_(std::move(options.own_tools), others_),
      outputs_(gate_->ledger()),
      recorded_(own_, outputs_, clock_),
      tools_(tool_memory_, recorded_, agent_),
      told_facts_(door_space_, system_files(), clock_, last_facts_),
      told_by_tools_(space_, system_files(), clock_, last_facts_),
      memory_changes_(memory_, told_facts_) {
  tool_memory_.use_vectors(std::move(options.vectors));
  tools_.keep = [this](const memory::NewMemory& item, const memory::StoredMemory* stored,
                       const std::string& speaker) {
    return told_by_tools_.keep(item, stored, speaker);
  };
  tools_.only_withdraws = [this](const memory::NewMemory& item,
                                 const std::string& speaker) -> Result<bool> {
    ANIMA_ASSIGN(const bool kept, told_by_tools_.is_kept_as_text(item, speaker));
    return !kept;
  };
  tools_.edit_core = [this](const store::Origin& origin, const Json& arguments) {
    return edit_core_memory(*space_, origin, arguments);
  };
}

Result<govern::PermissionTable> GovernedHouse::permissions() {
  govern::PermissionTable table = govern::PermissionTable::of_the_source();
  tools::add_external_policies(table);
  MemoryTools::add_policies(table);
  ANIMA_TRY(others_.load(table));
  others_.add_policies(table);
  ANIMA_TRY(add_own_policies(own_.all(), others_, table));
  return table;
}

Status GovernedHouse::furnish(govern::PermissionTable permissions) {
  ANIMA_TRY(gate_->add_tools(std::move(permissions), tools_, outputs_));
  ANIMA_ASSIGN(executor_, gate_->executor());
  path_ = std::make_unique<MessagePath>(
      gateway_, *executor_, gate_->plans(), tool_memory_, gate_->events(), clock_, agent_,
      WordOrigins{
          [this](const govern::IncomingMessage& message, govern::Trust trust) {
            learn(message, trust);
          },
          [this](govern::CallRequest& request) {
            // What the owner asks to remember is his word, whoever said the same before.
            tools_.stored_as = govern::effective_trust(request, nullptr);
            label(request);
            if (request.trust < govern::Trust::kOperator)
              tools_.stored_as = govern::effective_trust(request, nullptr);
          },
          [this](const govern::IncomingMessage& message) { return told_sentences(message); },
          [this](const govern::IncomingMessage& message, Reply& reply) {
            return ask_again(message, reply);
          }});
  return {};
}

Status GovernedHouse::declare_tools(const govern::PermissionTable& table) {
  ANIMA_ASSIGN(const Json shipped, parse_json(pack_file(kBuiltinTools).value_or("[]")));
  for (const Json& each : shipped.as_array()) {
    ANIMA_ASSIGN(govern::ToolDeclaration tool, govern::ToolDeclaration::from_json(each));
    std::string name = tool.name;
    declarations_.insert_or_assign(std::move(name), std::move(tool));
  }
  const auto by_row = [this](const tools::ToolInfo& info, const govern::ToolPolicy& row) {
    std::vector<std::string> arguments;
    for (const tools::ToolParameter& each : info.parameters) arguments.push_back(each.name);
    declarations_.try_emplace(info.name, govern::declared_by_row(info.description, row, arguments));
  };
  for (const auto list : {tools::external_tools(), MemoryTools::tools()}) {
    for (const tools::ExternalTool& tool : list) {
      if (const govern::ToolPolicy* row = table.find(tool.info.name)) by_row(tool.info, *row);
    }
  }
  for (const govern::ToolDeclaration& tool : others_.declarations())
    declarations_.insert_or_assign(tool.name, tool);
  for (const OwnTool& tool : own_.all()) {
    if (tool.declaration) {
      declarations_.insert_or_assign(tool.info.name, *tool.declaration);
    } else {
      by_row(tool.info, tool.policy);
    }
  }
  return {};
}

const govern::ToolDeclaration* GovernedHouse::declaration(std::string_view tool) const {
  const auto found = declarations_.find(tool);
  return found == declarations_.end() ? nullptr : &found->second;
}

Result<govern::Admission> GovernedHouse::admit(const govern::IncomingMessage& sent) {
  const store::ActScope act("message");
  govern::IncomingMessage message = sent;
  for (std::string* text : {&message.content, &message.sender, &message.session})
    *text = valid_text(*text);
  begin_line({message.sender, {}, session_source(message.session)});
  Result<govern::Admission> admission = store::as_whole_act(*space_, [&] {
    Result<govern::Admission> admitted = gateway_.admit(message);
    (void)gate_->journal().flush();
    return admitted;
  });
  if (admission && admission->accepted()) {
    asked_ = true;
    learn(message, admission->trust);
  }
  return admission;
}

Result<Reply> GovernedHouse::handle(const govern::IncomingMessage& sent) {
  begin_line({sent.sender, {}, session_source(sent.session)});
  return go_on_in_line(sent);
}

Result<Reply> GovernedHouse::go_on_in_line(const govern::IncomingMessage& sent) {
  const store::ActScope act("message");
  govern::IncomingMessage message = sent;
  // From the door on: what keeps or tells them is JSON.
  for (std::string* text : {&message.content, &message.sender, &message.session})
    *text = valid_text(*text);
  // Without a name its exchange could not be kept, after all was done.
  if (message.session.empty()) message.session = govern::IncomingMessage().session;
  tools_.stored_as = trust_of(message);
  tools_.said_by = message.sender;
  tools_.said_in = message.session;
  return store::as_whole_act(*space_, [&] { return told(message, path_->handle(message)); });
}

Result<Reply> GovernedHouse::go_on(std::string_view id, StepAnswer answer) {
  const store::ActScope act("plan");
  ANIMA_ASSIGN(const KeptPlan plan, gate_->plans().find(id));
  tools_.stored_as = trust_of(plan.message);
  tools_.said_by = plan.message.sender;
  tools_.said_in = plan.message.session;
  return told(plan.message, path_->go_on(plan, answer));
}

Result<Reply> GovernedHouse::told(const govern::IncomingMessage& message, Result<Reply> reply) {
  // What was decided and done is in the log, told of or not; the journal keeps the rest to tell.
  (void)gate_->journal().flush();
  if (!reply) return reply;
  const Json said = Json::object({{"message", message.content}});
  for (const TaskReport& task : reply->tasks) {
    learn(task.tool, said, task.outcome);
    if (!task.earlier) feed_back(task.tool, task.outcome);
  }
  return reply;
}

// Who plans for the owner reads what others send too, and could copy out of it.
void GovernedHouse::learn(const govern::IncomingMessage& message, govern::Trust trust) {
  handed_out(trust);
  const std::string source = "message of " + message.channel;
  if (trust < govern::Trust::kOperator) return recalled_.add(message.content, trust, source);
  recall_earlier(message.content);
  recalled_.vouch(message.content, source);
}

// What other processes handed out of memory, as far as it shares words with these texts.
void GovernedHouse::recall_earlier(const Json& texts) {
  if (!memory::RecalledTexts::tells_something(texts)) return;
  const std::string all = texts.is_string() ? texts.as_string() : texts.dump();
  for (std::size_t at = 0, n = 0; at < all.size() && n < kMostSearches; at += kSearchedBytes, ++n) {
    const auto found = tool_memory_.handed_out(
        valid_text(all.substr(at, kSearchedBytes + kSearchedBytes / 8)), kEarlierMemories);
    if (!found) return;  // no memory can be read: recalling would have failed as well
    for (const memory::MemoryItem& item : *found)
      recalled_.add(item.content, item.trust, "memory:" + item.id);
  }
}

// Whoever has seen a result can put parts of it into the next call, and an error of a tool quotes
// what it read.
void GovernedHouse::learn(std::string_view tool, const Json& arguments,
                          const govern::Outcome& outcome) {
  const bool says = outcome.result.is_string() || outcome.result.is_object() ||
                    outcome.result.is_array() || outcome.kind == govern::Outcome::Kind::kFailed;
  if (says) handed_out(outcome.output_trust);
  const std::string source = "output of " + std::string(tool);
  if (outcome.kind == govern::Outcome::Kind::kFailed)
    recalled_.add(outcome.reason, outcome.output_trust, source, arguments);
  if (outcome.kind != govern::Outcome::Kind::kDone) return;
  const Json* hits = tool == "memory:search" ? outcome.result.find("hits") : nullptr;
  if (hits == nullptr) {
    recalled_.add_result(outcome.result, outcome.output_trust, source, arguments);
    return;
  }
  for (const Json& hit : hits->as_array()) {  // each with the trust that it was kept with
    const auto trust = govern::parse_trust(hit.find("trust")->as_string());
    recalled_.add_result(hit, trust.value_or(govern::Trust::kUntrusted), source, arguments);
  }
}

void GovernedHouse::handed_out(govern::Trust trust) { least_ = govern::lowest(least_, trust); }

void GovernedHouse::learn(const memory::MemoryItem& item) {
  handed_out(item.trust);
  recalled_.add(item.content, item.trust, "memory:" + item.id);
}

Result<std::vector<memory::MemoryItem>> GovernedHouse::due_cards(Timestamp by) {
  ANIMA_ASSIGN(std::vector<memory::MemoryItem> items, memory_.due(by));
  for (const memory::MemoryItem& item : items) learn(item);
  return items;
}

Result<memory::Card> GovernedHouse::review_card(std::string_view id, int quality) {
  ANIMA_ASSIGN(memory::Card card, memory_.review(id, quality));
  ANIMA_ASSIGN(const auto item, memory_.read(id, agent_));
  if (item) {
    learn(*item);
  } else {  // not for this agent to read: nobody says how far it is trusted
    recalled_.add(card.front + "\n" + card.back, govern::Trust::kUntrusted, "memory:" + card.id);
  }
  return card;
}

Result<GovernedHouse::Remembered> GovernedHouse::remember(const memory::NewMemory& item,
                                                          const std::string& self) {
  ANIMA_TRY(check_text(item.content));
  const std::string& speaker = item.speaker.empty() ? self : item.speaker;
  return store::as_whole_act(*space_, [&]() -> Result<Remembered> {
    Remembered remembered;
    ANIMA_ASSIGN(const bool kept, told_facts_.is_kept_as_text(item, speaker));
    if (kept) {
      ANIMA_ASSIGN(remembered.stored, memory_.store(item));
    }
    ANIMA_ASSIGN(remembered.told,
                 told_facts_.keep(item, kept ? &remembered.stored : nullptr, speaker));
    if (!remembered.told.withdrawn.empty()) {
      const Status gone = memory_.forget(remembered.told.withdrawn, agent_);
      if (!gone && gone.error().code != ErrorCode::kNotFound) return fail(gone.error());
    }
    return remembered;
  });
}

void GovernedHouse::begin_line(const SaidBy& by) { last_facts_.begin_line(by); }

namespace {

// A message as what its sender says in his conversation.
memory::NewMemory said_in(const govern::IncomingMessage& message, govern::Trust trust) {
  memory::NewMemory item;
  item.content = message.content;
  item.created_by = message.sender;
  item.source = session_source(message.session);
  item.trust = trust;
  return item;
}

}  // namespace

Result<bool> GovernedHouse::ask_again(const govern::IncomingMessage& message, Reply& reply) {
  if (!learns_what_is_said_ || trust_of(message) < govern::Trust::kOperator) return false;
  ANIMA_ASSIGN(const Told told, told_by_tools_.ask_again(said_in(message, trust_of(message))));
  if (told.question.empty()) return false;
  reply.text = "That answers nothing. " + told.asks;
  reply.options = told.choices;
  return true;
}

std::optional<GovernedHouse::ToldAndAsked> GovernedHouse::told_and_asked(
    const govern::IncomingMessage& message) {
  if (!learns_what_is_said_ || trust_of(message) < govern::Trust::kOperator) return std::nullopt;
  const memory::NewMemory item = said_in(message, trust_of(message));
  const auto read = told_by_tools_.read_text(item, message.sender);
  if (!read || read->too_long) return std::nullopt;
  std::vector<std::string> told, asked;
  for (const language::ToldSentence& one : read->sentences) {
    if (one.act == language::SentenceAct::kGreets) continue;
    if (one.act == language::SentenceAct::kNothing && !one.of_group) return std::nullopt;
    (one.act == language::SentenceAct::kAsks ? asked : told).emplace_back(one.text);
  }
  if (told.empty() || asked.empty()) return std::nullopt;
  return ToldAndAsked{join(told, " "), join(asked, " ")};
}

// A message that tells something, sentence by sentence where it teaches, else as one text.
std::vector<std::string> GovernedHouse::told_sentences(const govern::IncomingMessage& message) {
  if (!learns_what_is_said_ || trust_of(message) < govern::Trust::kOperator) return {};
  const memory::NewMemory item = said_in(message, trust_of(message));
  const auto answer = told_by_tools_.answer_in(item);
  if (answer && *answer) return {message.content};
  const auto read = told_by_tools_.read_text(item, message.sender);
  if (!read) return {};
  if (read->too_long) return {};
  std::vector<std::string> told;
  for (const language::ToldSentence& one : read->sentences) {
    if (one.act == language::SentenceAct::kGreets) continue;
    // "We moved to Oslo": nothing of it is read, but it is no request.
    const bool tells = one.act != language::SentenceAct::kNothing || one.of_group;
    if (!tells || one.act == language::SentenceAct::kAsks) return {};
    told.emplace_back(one.text);
  }
  if (told.size() > 1 && !read->teaches()) return {message.content};
  return told;
}

void GovernedHouse::answered(const SaidBy& by, const std::vector<ask::SaidFact>& facts) {
  const LastFacts::Last* last = last_facts_.find(by);
  const bool as_told = last != nullptr && last->told && last->facts == facts;
  if (facts.empty()) return;
  LastFacts::Last answered = as_told ? *last : LastFacts::Last{.facts = facts};
  answered.lines = 0;
  last_facts_.set(by, std::move(answered));
}

Result<std::vector<memory::MemoryHit>> GovernedHouse::memories(std::string_view words,
                                                               std::string_view reader,
                                                               std::optional<memory::ItemKind> kind,
                                                               std::size_t limit,
                                                               std::string_view speaker) {
  std::vector<memory::MemoryHit> hits;
  if (words.empty()) {
    ANIMA_ASSIGN(std::vector<memory::MemoryItem> items, memory_.list(reader, kind, speaker));
    for (memory::MemoryItem& item : items) {
      if (hits.size() < limit) hits.push_back({std::move(item), 0});
    }
  } else {
    ANIMA_ASSIGN(std::vector<memory::MemoryHit> found,
                 memory_.search(words, reader, limit, speaker));
    for (memory::MemoryHit& hit : found) {
      if (!kind || hit.item.kind == *kind) hits.push_back(std::move(hit));
    }
  }
  for (const memory::MemoryHit& hit : hits) learn(hit.item);
  return hits;
}

Result<std::optional<memory::MemoryItem>> GovernedHouse::memory(std::string_view id,
                                                                std::string_view reader) {
  ANIMA_ASSIGN(std::optional<memory::MemoryItem> item, memory_.read(id, reader));
  if (item) learn(*item);
  return item;
}

void GovernedHouse::heard(const Json& answer, govern::Trust trust, std::string_view source,
                          const Json& arguments) {
  handed_out(trust);
  recalled_.add_result(answer, trust, source, arguments);
}

void GovernedHouse::address(govern::CallRequest& request) const {
  if (request.agent.empty()) request.agent = agent_;
  if (!request.stop.stop_possible()) request.stop = stop_;
}

void GovernedHouse::label(govern::CallRequest& request) {
  address(request);
  recall_earlier(request.arguments);
  for (govern::ArgumentOrigin& origin : recalled_.origins(request.arguments))
    request.origins.push_back(std::move(origin));
  const govern::Trust own = govern::lowest(request.trust, govern::Trust::kOperator);
  if (!asked_ || least_ >= own || !request.arguments.is_object()) return;
  std::set<std::string, std::less<>> named;
  for (const govern::ArgumentOrigin& origin : request.origins) named.insert(origin.argument);
  for (const auto& [name, value] : request.arguments.as_object()) {
    if (!named.contains(name) && recalled_.is_news(name, value))
      request.origins.push_back({name, "what was read before", least_});
  }
}

Status GovernedHouse::check_arguments(std::string_view tool, const Json& arguments) const {
  if (!arguments.is_object())
    return fail(ErrorCode::kInvalidArgument, "the arguments of a call are an object");
  for (const OwnTool& each : own_.all()) {
    if (each.info.name != tool) continue;
    return each.declaration ? each.declaration->check_arguments(arguments)
                            : tools::check_arguments(each.info, arguments);
  }
  if (const tools::ExternalTool* external = tools::find_external_tool(tool))
    return tools::check_arguments(external->info, arguments);
  if (const govern::ToolDeclaration* declared = others_.declaration(tool))
    return declared->check_arguments(arguments);
  for (const tools::ExternalTool& each : MemoryTools::tools()) {
    if (each.info.name == tool) return tools::check_arguments(each.info, arguments);
  }
  return {};
}

govern::Outcome GovernedHouse::call(govern::CallRequest request) {
  if (const Status good = check_arguments(request.tool, request.arguments); !good) {
    govern::Outcome wrong;
    wrong.kind = govern::Outcome::Kind::kFailed;
    wrong.reason = good.error().describe();
    if (!good.error().hint.empty()) wrong.reason += "; " + good.error().hint;
    return wrong;
  }
  if (request.values == nullptr) {
    label(request);
  } else {
    address(request);
  }
  tools_.stored_as = govern::effective_trust(request, nullptr);
  tools_.said_by = request.agent;
  tools_.said_in.clear();
  govern::Outcome outcome = executor_->execute(request);
  learn(request.tool, request.arguments, outcome);
  feed_back(request.tool, outcome);
  return outcome;
}

// What cannot be counted keeps nothing else from going on.
void GovernedHouse::feed_back(std::string_view tool, const govern::Outcome& outcome) {
  if (outcome.kind != govern::Outcome::Kind::kFailed || tool.empty()) return;
  const auto own = learnings();
  if (own && *own != nullptr) (void)(*own)->failed(tool, outcome.reason, outcome.output_trust);
}

govern::Outcome GovernedHouse::judge(govern::CallRequest request) {
  tools_.judged_only = own_.judged_only = true;
  govern::Outcome outcome = call(std::move(request));
  tools_.judged_only = own_.judged_only = false;
  return outcome;
}

Result<std::unique_ptr<Agent>> GovernedHouse::start_agent(memory::CompartmentManager& compartments,
                                                          FileSystem& files, AgentConfig config) {
  // What cannot be read of them keeps nobody from acting; the agent says so.
  const auto avoided = [&]() -> Result<std::vector<AvoidedAction>> {
    ANIMA_ASSIGN(OwnLearnings* const own, learnings());
    if (own == nullptr) return std::vector<AvoidedAction>();
    ANIMA_TRY(own->catch_up(gate_->approvals()));
    return own->avoided();
  }();
  if (avoided) {
    config.avoid.insert(config.avoid.end(), avoided->begin(), avoided->end());
  } else {
    config.warnings.push_back("what was learnt is left out: " + avoided.error().describe());
  }
  config.judge = [gate = gate_](const std::string& tool, const tools::ToolInput& input,
                                bool changes) {
    Json arguments = Json::object();
    for (const auto& [name, value] : input) arguments.set(name, value);
    return gate->pass({"loop", tool, std::string(kLoopName), kLoopTrust, std::move(arguments)},
                      changes ? Act::kWrites : Act::kReads);
  };
  ANIMA_ASSIGN(auto agent, Agent::create(*loop_space_, compartments, files, std::move(config)));
  tools::add_external_tools(agent->tools(),
                            [this](const govern::CallRequest& asked) { return call(asked); },
                            {.agent = std::string(kLoopName), .trust = kLoopTrust});
  tools::add_made_tools(agent->tools(), others_,
                        [this](const govern::CallRequest& asked) { return call(asked); },
                        {.agent = std::string(kLoopName), .trust = kLoopTrust});
  return agent;
}

Result<OwnLearnings*> GovernedHouse::learnings() {
  if (learnings_ == nullptr) {
    ANIMA_ASSIGN(learnings_, OwnLearnings::open(*space_, clock_, thresholds_));
  }
  return learnings_.get();
}

Status GovernedHouse::learn_answers() {
  ANIMA_ASSIGN(OwnLearnings* const own, learnings());
  return own == nullptr ? Status() : own->catch_up(gate_->approvals());
}

govern::Decision GovernedHouse::decide(govern::CallRequest request) {
  label(request);
  return executor_->decide(request);
}

govern::Decision GovernedHouse::preview(govern::CallRequest request) {
  label(request);
  return executor_->preview(request);
}

// Announced like a call: what cannot be audited is not done.
Status GovernedHouse::undo_command(std::string_view id, std::string_view by) {
  const Json details = Json::object({{"tool", "shell:execute"}, {"undo", std::string(id)}});
  ANIMA_TRY(ledger().announce(by, govern::Trust::kOperator, details));
  const Status undone = staging().undo(id);
  Json ended = details;
  ended.set("success", undone.has_value());
  if (!undone) ended.set("error", undone.error().describe());
  ANIMA_TRY(ledger()
                .write("command_undone", by, govern::Trust::kOperator, std::move(ended))
                .map([](const std::string&) {}));
  return undone;
}

Result<memory::RecalledContext> GovernedHouse::recall(std::string_view question,
                                                      const memory::ContextOptions& options) {
  ANIMA_ASSIGN(const store::Snapshot now, door_space_->snapshot());
  ANIMA_ASSIGN(memory::RecalledContext context,
               memory::recall_context(memory_, now, question, options));
  recalled_.add(context);
  handed_out(context.label);
  return context;
}

}  // namespace anima::agent
