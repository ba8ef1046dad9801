// anima llm: the language models of the configuration: what there is, whether it works, and one
// question.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "llm/structured_reply.h"

namespace anima::cli {
namespace {

constexpr std::int64_t kCheckTokens = 512;  // room for a model that thinks before it speaks
constexpr std::string_view kAnyModel = "auto";

// --- list ----------------------------------------------------------------------------------------

// "set", "not set", "none needed", or what is wrong with the file.
std::string key_state(Context& context, const llm::ModelConfig& model) {
  if (model.key.kind == llm::KeySource::Kind::kNone) return "none";
  const auto key = llm::read_key(model.key, context.environment, context.files);
  return model.key.describe() + (key ? ""
                                 : key.error().code == ErrorCode::kNotFound
                                     ? " (not there)"
                                     : " (" + key.error().message + ")");
}

Json model_json(Context& context, const llm::ModelConfig& model) {
  return Json::object({{"name", model.name},
                       {"provider", llm::to_string(model.provider)},
                       {"model", model.model},
                       {"url", model.url},
                       {"tier", model.tier.value_or(2)},
                       {"key", key_state(context, model)},
                       {"max_tokens", model.max_tokens},
                       {"context_tokens", model.context_tokens},
                       {"price_in", model.price_in},
                       {"price_out", model.price_out}});
}

std::string budget_line(const llm::BudgetState& state) {
  std::string line = fmt::format("used ({}): {} tokens, {:.4f} of money", state.period,
                                 state.spent.tokens, state.spent.money);
  if (state.limit.tokens > 0) line += fmt::format("; at most {} tokens", state.limit.tokens);
  if (state.limit.money > 0) line += fmt::format("; at most {:.2f} of money", state.limit.money);
  return line + fmt::format("; {:.0f} % left, level {}\n", 100 * state.fraction_left,
                            llm::to_string(state.level));
}

int run_llm_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto access = open_models(context);
  if (!access) return context.fail(access.error());
  llm::Models& models = *(*access)->models;
  const auto budget = models.budget().state();
  if (!budget) return context.fail(budget.error());
  Json list = Json::array(), faults = Json::array();
  Table table({"name", "tier", "provider", "model", "url", "key"});
  for (const llm::ModelConfig& model : models.router().models()) {
    list.push_back(model_json(context, model));
    table.add({model.name, std::to_string(model.tier.value_or(2)),
               std::string(llm::to_string(model.provider)), model.model, model.url,
               key_state(context, model)});
  }
  for (const Error& fault : models.configs().faults) {
    faults.push_back(error_json(fault));
    context.warn(fault.describe());
  }
  if (context.json) {
    context.print_json(Json::object({{"models", std::move(list)},
                                     {"faults", std::move(faults)},
                                     {"budget", llm::to_json(*budget)}}));
  } else if (table.empty()) {
    context.print(
        "There is no model. Add one to the configuration:\n"
        "  [llm.local]\n  provider = \"openai\"\n  url = \"http://127.0.0.1:8080/v1\"\n"
        "  model = \"NAME\"\n");
  } else {
    context.print(table.render(context));
    context.print(budget_line(*budget));
  }
  return models.configs().faults.empty() ? kDone : kFailed;
}

// --- check ---------------------------------------------------------------------------------------

int run_llm_check(Context& context, Arguments arguments) {
  std::string name;
  bool offline = false;
  Options options;
  options.positional("NAME", name, "the model, as [llm.NAME] names it").required();
  options.flag("--offline", offline, "only the settings and the key: nobody is called");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status let_in = offline ? Status() : pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  const auto access = open_models(context);
  if (!access) return context.fail(access.error());
  const auto model = (*access)->models->find(name);
  if (!model) return context.fail(model.error());
  const llm::ModelConfig& config = (*model)->config();
  const auto key = llm::read_key(config.key, context.environment, context.files);
  if (!key) return context.fail(key.error());
  Json json = model_json(context, config);
  if (!offline) {
    llm::Request request;
    request.messages.push_back(llm::user_message("Answer with the single word: ready"));
    request.max_tokens = std::min(config.max_tokens, kCheckTokens);
    const StopOnInterrupt stop;
    const std::int64_t start = (*access)->clock.monotonic_nanoseconds();
    const auto reply = (*model)->complete(request, {{}, stop.token()});
    if (!reply) return fail_of_model(context, reply.error());
    json.set("milliseconds", ((*access)->clock.monotonic_nanoseconds() - start) / 1'000'000);
    json.set("reply", llm::to_json(*reply));
  }
  if (context.json) {
    context.print_json(json);
    return kDone;
  }
  context.print(fmt::format("{}: {} at {}, with {}\n", config.name, config.model, config.url,
                            config.key.kind == llm::KeySource::Kind::kNone
                                ? "no key"
                                : "the key from " + config.key.describe()));
  if (const Json* reply = json.find("reply")) {
    const Json* usage = reply->find("usage");
    context.print(fmt::format(
        "it answers \"{}\" after {} ms ({} tokens in, {} out)\n", reply->find("text")->as_string(),
        json.find("milliseconds")->as_integer(), usage->find("input_tokens")->as_integer(),
        usage->find("output_tokens")->as_integer()));
  }
  return kDone;
}

// --- ask -----------------------------------------------------------------------------------------

struct AskModel {
  std::string name, text;
  std::optional<std::string> system, schema;
  std::optional<std::int64_t> max_tokens;
  bool stream = false;
  ModelTapes tapes;
};

Result<llm::Request> request_of(Context& context, const AskModel& asked) {
  llm::Request request;
  if (asked.system) request.messages.push_back(llm::system_message(*asked.system));
  std::string text = asked.text;
  if (text == "-") {
    ANIMA_ASSIGN(text, context.read_input("-", std::uint64_t{16} << 20));
  }
  request.messages.push_back(llm::user_message(std::move(text)));
  request.max_tokens = asked.max_tokens;
  if (asked.schema) {
    ANIMA_ASSIGN(const std::string schema, context.read_input(*asked.schema));
    auto json = parse_json(schema);
    if (!json) {
      Error error = json.error();
      error.where = *asked.schema + ":" + error.where;
      return fail(std::move(error));
    }
    request.output = llm::OutputSchema{"answer", std::move(*json)};
  }
  return request;
}

// Shows what comes, as it comes.
llm::StreamSink sink_to(Context& context) {
  return [&context](const llm::StreamEvent& event) {
    using Kind = llm::StreamEvent::Kind;
    if (context.json) {
      const std::string_view type = event.kind == Kind::kText       ? "text"
                                    : event.kind == Kind::kToolCall ? "tool_call"
                                                                    : "restart";
      context.out.write(Json::object({{"type", type}, {"text", event.text}}).dump() + "\n");
    } else if (event.kind == Kind::kText) {
      context.out.write(event.text);
    } else if (event.kind == Kind::kRestart) {
      context.out.write("\n");
      context.note("the answer broke off and begins anew");
    }
    context.out.flush();
  };
}

void show_reply(Context& context, const AskModel& asked, const llm::StructuredReply& reply) {
  if (context.json) {
    Json json = llm::to_json(reply.reply);
    if (asked.schema) json.set("value", reply.value);
    if (asked.stream) json.set("type", "reply");
    if (asked.stream) {
      context.out.write(json.dump() + "\n");
    } else {
      context.print_json(json);
    }
  } else if (asked.schema) {
    context.print((asked.stream ? "\n" : "") + reply.value.dump(2) + "\n");
  } else {
    context.print((asked.stream ? "" : llm::text_of(reply.reply.message)) + "\n");
  }
  if (reply.reply.stop == llm::StopReason::kLength)
    context.warn("the answer was cut at max_tokens");
}

int run_llm_ask(Context& context, Arguments arguments) {
  AskModel asked;
  Options options;
  options.positional("NAME", asked.name, "the model; auto takes one by tier and budget").required();
  options.positional("TEXT", asked.text, "what is said to it; - for standard input").required();
  options.flag("--stream", asked.stream, "shows the answer while it is made");
  options.value("--system TEXT", asked.system, "instructions that go before");
  options.value("--schema FILE", asked.schema,
                "the answer is JSON of this schema, checked and repaired once");
  options.value("--max-tokens N", asked.max_tokens, "the longest answer");
  options.value("--record FILE", asked.tapes.record, "adds every exchange to a cassette");
  options.value("--replay FILE", asked.tapes.replay, "plays a cassette; nobody is called")
      .excludes("--record");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (asked.max_tokens && *asked.max_tokens < 1)
    return context.usage_error("--max-tokens must be 1 or more");
  if (const Status let_in = pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  const auto access = open_models(context, asked.tapes);
  if (!access) return context.fail(access.error());
  llm::Models& models = *(*access)->models;
  const auto model = asked.name == kAnyModel ? models.route({}) : models.find(asked.name);
  if (!model) return fail_of_model(context, model.error());
  const auto request = request_of(context, asked);
  if (!request) return context.fail(request.error());
  const StopOnInterrupt stop;
  llm::CallOptions call{asked.stream ? sink_to(context) : llm::StreamSink(), stop.token()};
  llm::StructuredReply answer;
  if (asked.schema) {
    auto reply = llm::complete_structured(**model, *request, call);
    if (!reply) return fail_of_model(context, reply.error());
    answer = std::move(*reply);
  } else {
    auto reply = (*model)->complete(*request, call);
    if (!reply) return fail_of_model(context, reply.error());
    answer.reply = std::move(*reply);
  }
  if (!asked.schema && !context.json && answer.reply.message.parts.empty()) {
    return context.fail({ErrorCode::kIo,
                         "the model said nothing (it stopped: " +
                             std::string(llm::to_string(answer.reply.stop)) + ")",
                         asked.name,
                         answer.reply.stop == llm::StopReason::kLength
                             ? "its thoughts may have taken all of --max-tokens"
                             : "ask again, or in other words"});
  }
  show_reply(context, asked, answer);
  return answer.reply.stop == llm::StopReason::kRefused ? kRefused : kDone;
}

}  // namespace

extern const Verb kLlmList;
const Verb kLlmList{"llm list", Group::kActing,   "the language models of the configuration",
                    "[--json]", "anima llm list", run_llm_list};

extern const Verb kLlmCheck;
const Verb kLlmCheck{"llm check",
                     Group::kActing,
                     "whether a model's settings, key and server work",
                     "NAME [--offline] [--json]",
                     "anima llm check local",
                     run_llm_check};

extern const Verb kLlmAsk;
const Verb kLlmAsk{"llm ask",
                   Group::kActing,
                   "says something to a model and shows its answer",
                   "NAME TEXT [--stream] [--system TEXT] [--schema FILE] [--max-tokens N] "
                   "[--record FILE | --replay FILE] [--json]",
                   "anima llm ask local \"What is a monad?\" --stream",
                   run_llm_ask};

}  // namespace anima::cli
