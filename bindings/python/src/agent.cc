#include "anima/agent.h"

#include <limits>

#include "anima/guarded_session.h"
#include "calls.h"
#include "convert.h"
#include "memory.h"
#include "values.h"

namespace anima::python {
namespace {

using AgentBox = Held<Agent>;
// It ends without the GIL, which a handler that runs meanwhile may want.
using SubscriptionBox = Held<Subscription>;

LanguageModel model_from(const nb::dict& given) {
  LanguageModel model;
  model.provider = text_of(member(given, "provider"), "provider");
  model.url = text_of(member(given, "url"), "url");
  model.model = text_of(member(given, "model"), "model");
  model.key_env = text_of(member(given, "key_env"), "key_env");
  model.key_file = text_of(member(given, "key_file"), "key_file");
  model.context_tokens = nb::cast<std::int64_t>(member(given, "context_tokens"));
  model.max_tokens = nb::cast<std::int64_t>(member(given, "max_tokens"));
  return model;
}

// What an agent and a guarded session are opened with.
AgentOptions options_from(const nb::dict& given) {
  AgentOptions options;
  options.work_folder = text_of(member(given, "work_folder"), "work_folder");
  options.readable = texts_of(member(given, "readable"), "readable");
  options.rules = texts_of(member(given, "rules"), "rules");
  options.tools = tools_from(nb::cast<nb::list>(member(given, "tools")));
  options.fetcher = text_of(member(given, "fetcher"), "fetcher");
  return options;
}

AgentBox* open_agent(const MemoryBox& box, const nb::dict& given) {
  AgentOptions options = options_from(given);
  options.name = text_of(member(given, "name"), "name");
  const nb::object model = member(given, "model");
  if (!model.is_none()) options.model = model_from(nb::cast<nb::dict>(model));
  return new AgentBox(
      value_of(with(box, [&](const Memory& memory) { return Agent::over(memory, options); })),
      box.folder());
}

nb::dict agent_run(const AgentBox& box, nb::handle goal, nb::handle stop, nb::handle timeout,
                   std::uint64_t cycles) {
  const std::string text = text_of(goal, "a goal");
  return dict_of(value_of(with_limits(box, stop, timeout, [&](Agent& agent, const CallLimits& to) {
    return agent.run(text, {to.stop, to.time, cycles});
  })));
}

nb::dict agent_chat(const AgentBox& box, nb::handle line, nb::handle session, nb::handle stop,
                    nb::handle timeout) {
  const std::string text = text_of(line, "a line"), talk = text_of(session, "session");
  return dict_of(value_of(with_limits(box, stop, timeout, [&](Agent& agent, const CallLimits& to) {
    return agent.chat(text, talk, {.stop = to.stop, .time = to.time});
  })));
}

nb::dict agent_ask(const AgentBox& box, nb::handle question, nb::handle session,
                   nb::handle speaker) {
  const std::string text = text_of(question, "a question"), talk = text_of(session, "session");
  const auto who = text_if_any(speaker, "speaker");
  return dict_of(value_of(with(box, [&](Agent& agent) { return agent.ask(text, talk, who); })));
}

nb::dict agent_remember(const AgentBox& box, nb::handle text, int trust, nb::handle source,
                        nb::handle speaker, nb::handle author) {
  const std::string kept = text_of(text, "a text");
  const Keeping keeping{.trust = trust_from(trust),
                        .source = text_of(source, "source"),
                        .speaker = text_if_any(speaker, "speaker"),
                        .author = text_of(author, "author")};
  return dict_of(value_of(with(box, [&](Agent& agent) { return agent.remember(kept, keeping); })));
}

nb::list agent_memories(const AgentBox& box, nb::handle query, std::size_t limit,
                        nb::handle speaker) {
  MemoryQuery asked;
  asked.speaker = text_if_any(speaker, "speaker");
  asked.text = text_of(query, "words");
  asked.kind = "knowledge";
  asked.reader = "operator";
  asked.limit = limit;
  return dicts_of(value_of(with(box, [&](Agent& agent) { return agent.memories(asked); })));
}

nb::dict agent_update(const AgentBox& box, nb::handle id, nb::handle text, nb::handle speaker,
                      nb::handle author) {
  const std::string memory = text_of(id, "an id"), now = text_of(text, "a text");
  const std::string by = text_of(author, "author");
  const auto who = text_if_any(speaker, "speaker");
  return dict_of(
      value_of(with(box, [&](Agent& agent) { return agent.update_memory(memory, now, who, by); })));
}

nb::list agent_forget(const AgentBox& box, nb::handle id, bool dry_run) {
  const std::string memory = text_of(id, "an id");
  return list_from(value_of(with(box, [&](Agent& agent) {
    return dry_run ? agent.would_forget(memory) : agent.forget_memory(memory);
  })));
}

nb::list agent_questions(const AgentBox& box) {
  return dicts_of(value_of(with(box, [](Agent& agent) { return agent.questions(); })));
}

nb::dict agent_answer(const AgentBox& box, nb::handle id, nb::handle answer) {
  const std::string question = text_of(id, "a question's id"), said = text_of(answer, "an answer");
  return dict_of(value_of(with(box, [&](Agent& agent) { return agent.answer(question, said); })));
}

nb::dict agent_recall(const AgentBox& box, nb::handle question, std::size_t budget,
                      nb::handle speaker) {
  const std::string text = text_of(question, "a question");
  const RecallSettings settings{.budget_tokens = budget,
                                .speaker = text_if_any(speaker, "speaker")};
  return dict_of(value_of(with(box, [&](Agent& agent) { return agent.recall(text, settings); })));
}

// `labels`: tuples (argument, trust, source).
nb::dict agent_call(const AgentBox& box, nb::handle tool, nb::handle arguments, int caller,
                    int label, const nb::list& labels) {
  ToolCall wanted;
  wanted.tool = text_of(tool, "a tool's name");
  wanted.arguments = json_from(arguments);
  wanted.caller = trust_from(caller);
  wanted.label = trust_from(label);
  for (const nb::handle each : labels) {
    const auto one = nb::cast<nb::tuple>(each);
    wanted.labels.push_back({text_of(one[0], "an argument"), trust_from(nb::cast<int>(one[1])),
                             text_of(one[2], "a source")});
  }
  return dict_of(value_of(with(box, [&](Agent& agent) { return agent.call(wanted); })));
}

using GuardBox = Held<GuardedSession>;

Shown shown_if(bool to_model) { return to_model ? Shown::kToModel : Shown::kToNobody; }

GuardBox* open_guard(const MemoryBox& box, nb::handle session, const nb::dict& given) {
  const AgentOptions options = options_from(given);
  const std::string name = text_of(session, "session");
  const auto open = [&](const Memory& memory) -> Result<GuardedSession> {
    ANIMA_ASSIGN(const Agent agent, Agent::over(memory, options));
    return GuardedSession::open(agent, name);
  };
  return new GuardBox(value_of(with(box, open)), box.folder());
}

// (content, channel, trust or None, sender)
nb::dict guard_begin(const GuardBox& box, const nb::tuple& given) {
  Message message;
  message.content = text_of(given[0], "a message");
  message.channel = text_of(given[1], "channel");
  if (!nb::handle(given[2]).is_none()) message.trust = trust_from(nb::cast<int>(given[2]));
  message.sender = text_of(given[3], "sender");
  return dict_of(value_of(with(box, [&](GuardedSession& guard) { return guard.begin(message); })));
}

// `calls`: tuples (tool, most, arguments).
void guard_plan(const GuardBox& box, const nb::list& calls) {
  std::vector<PlannedCall> planned;
  for (const nb::handle each : calls) {
    const auto one = nb::cast<nb::tuple>(each);
    planned.push_back(
        {text_of(one[0], "a tool's name"), nb::cast<std::int64_t>(one[1]), json_from(one[2])});
  }
  check(with(box, [&](GuardedSession& guard) { return guard.plan(planned); }));
}

void guard_contacts(const GuardBox& box, nb::handle values) {
  const Json given = json_from(values);
  check(with(box, [&](GuardedSession& guard) { return guard.contacts(given.as_array()); }));
}

nb::dict guard_judge(const GuardBox& box, nb::handle tool, nb::handle arguments) {
  const std::string name = text_of(tool, "a tool's name");
  const Json given = json_from(arguments);
  return dict_of(
      value_of(with(box, [&](GuardedSession& guard) { return guard.judge(name, given); })));
}

void guard_observe(const GuardBox& box, std::int64_t number, nb::handle result, bool shown) {
  const Json given = json_from(result);
  check(with(box,
             [&](GuardedSession& guard) { return guard.observe(number, given, shown_if(shown)); }));
}

nb::dict guard_call(const GuardBox& box, nb::handle tool, nb::handle arguments, bool shown) {
  const std::string name = text_of(tool, "a tool's name");
  const Json given = json_from(arguments);
  return dict_of(value_of(
      with(box, [&](GuardedSession& guard) { return guard.call(name, given, shown_if(shown)); })));
}

}  // namespace

void bind_agent(nb::module_& module) {
  nb::class_<SubscriptionBox>(module, "Subscription").def("cancel", &SubscriptionBox::close);
  nb::class_<AgentBox>(module, "Agent")
      .def_static("over", &open_agent, nb::rv_policy::take_ownership)
      .def("close", &AgentBox::close)
      .def("closed", &AgentBox::closed)
      .def("ask", &agent_ask)
      .def("run", &agent_run, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
      .def("chat", &agent_chat, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("remember", &agent_remember)
      .def("memories", &agent_memories)
      .def("update_memory", &agent_update)
      .def("forget_memory", &agent_forget)
      .def("questions", &agent_questions)
      .def("answer", &agent_answer)
      .def("recall", &agent_recall)
      .def("call", &agent_call)
      .def("waiting",
           [](const AgentBox& box) {
             return dicts_of(value_of(with(box, [](Agent& agent) { return agent.waiting(); })));
           })
      .def("grant",
           [](const AgentBox& box, nb::handle id) {
             const std::string approval = text_of(id, "an approval's id");
             check(with(box, [&](Agent& agent) { return agent.grant(approval); }));
           })
      .def("deny",
           [](const AgentBox& box, nb::handle id, nb::handle reason) {
             const std::string approval = text_of(id, "an approval's id");
             const std::string because = text_of(reason, "a reason");
             check(with(box, [&](Agent& agent) { return agent.deny(approval, because); }));
           })
      .def("why",
           [](const AgentBox& box, nb::handle id) {
             const std::string refusal = text_of(id, "a refusal's id");
             return dict_of(value_of(with(box, [&](Agent& agent) { return agent.why(refusal); })));
           })
      .def(
          "subscribe",
          [](const AgentBox& box, nb::handle type, nb::object handler) {
            const std::string name = text_of(type, "a type of events");
            auto hear = handler_from(std::move(handler));
            return new SubscriptionBox(
                with(box, [&](Agent& agent) { return agent.subscribe(name, std::move(hear)); }),
                box.folder());
          },
          nb::rv_policy::take_ownership);
}

void bind_guard(nb::module_& module) {
  nb::class_<GuardBox>(module, "GuardedSession")
      .def_static("over", &open_guard, nb::rv_policy::take_ownership)
      .def("close", &GuardBox::close)
      .def("closed", &GuardBox::closed)
      .def("begin", &guard_begin)
      .def("plan", &guard_plan)
      .def("contacts", &guard_contacts)
      .def("judge", &guard_judge)
      .def("observe", &guard_observe, nb::arg(), nb::arg().none(), nb::arg())
      .def("call", &guard_call)
      .def("told",
           [](const GuardBox& box, int trust) {
             const TrustLevel level = trust_from(trust);
             check(with(box, [&](GuardedSession& guard) { return guard.told(level); }));
           })
      .def("cleared",
           [](const GuardBox& box) {
             check(with(box, [](GuardedSession& guard) { return guard.cleared(); }));
           })
      .def("end",
           [](const GuardBox& box) {
             check(with(box, [](GuardedSession& guard) { return guard.end(); }));
           })
      .def("floor",
           [](const GuardBox& box) {
             return number_of(
                 value_of(with(box, [](GuardedSession& guard) { return guard.floor(); })));
           })
      .def("waiting",
           [](const GuardBox& box) {
             return dicts_of(
                 value_of(with(box, [](GuardedSession& guard) { return guard.waiting(); })));
           })
      .def("why",
           [](const GuardBox& box, nb::handle id) {
             const std::string refusal = text_of(id, "a refusal's id");
             return dict_of(
                 value_of(with(box, [&](GuardedSession& guard) { return guard.why(refusal); })));
           })
      .def("grant",
           [](const GuardBox& box, nb::handle id) {
             const std::string approval = text_of(id, "an approval's id");
             check(with(box, [&](GuardedSession& guard) { return guard.grant(approval); }));
           })
      .def("deny", [](const GuardBox& box, nb::handle id, nb::handle reason) {
        const std::string approval = text_of(id, "an approval's id");
        const std::string because = text_of(reason, "a reason");
        check(with(box, [&](GuardedSession& guard) { return guard.deny(approval, because); }));
      });
}

}  // namespace anima::python
