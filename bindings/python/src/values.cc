#include "values.h"

#include "calls.h"
#include "convert.h"

namespace anima::python {
namespace {

// Filled member by member: what is given as a text is decoded.
class Members {
 public:
  Members& set(const char* name, const std::string& text) { return put(name, str_from(text)); }
  Members& set(const char* name, const std::vector<std::string>& texts) {
    return put(name, list_from(texts));
  }
  Members& set(const char* name, const Json& value) { return put(name, python_from(value)); }
  Members& set(const char* name, TrustLevel level) { return put(name, nb::int_(number_of(level))); }
  template <typename Number>
  requires std::is_arithmetic_v<Number> Members& set(const char* name, Number number) {
    return put(name, nb::cast(number));
  }
  Members& put(const char* name, const nb::object& value) {
    dict_[name] = value;
    return *this;
  }
  nb::dict take() { return std::move(dict_); }

 private:
  nb::dict dict_;
};

nb::list statements_of(const std::vector<Statement>& statements) {
  nb::list list;
  for (const Statement& one : statements)
    list.append(
        nb::make_tuple(str_from(one.subject), str_from(one.predicate), str_from(one.object)));
  return list;
}

nb::dict dict_of(const Assertion& one) {
  return Members()
      .set("entry", one.entry)
      .set("time", one.time)
      .set("author", one.author)
      .set("source", one.source)
      .set("provenance", one.provenance)
      .set("trust", one.trust)
      .set("confidence", one.confidence)
      .take();
}

nb::dict dict_of(const ProofStep& step) {
  nb::list asserted;
  for (const Assertion& one : step.asserted) asserted.append(dict_of(one));
  return Members()
      .set("depth", step.depth)
      .set("fact", step.fact)
      .set("because", step.because)
      .set("where", step.where)
      .set("given", step.given)
      .put("asserted", asserted)
      .set("contradictions", step.contradictions)
      .take();
}

// A reference to something of Python that ends without the GIL, on any thread. Once the
// interpreter is gone it is left alone.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::gil_scoped_acquire locked;
            if (!locked) held->release();
            delete held;
          }};
}

std::string describe(const nb::python_error& error) {
  const std::string type = nb::type_name(error.type()).c_str();
  try {
    return type + ": " + text_of(nb::str(error.value()), "a message");
  } catch (...) {
    return type;
  }
}

Result<Json> run_tool(const nb::object& run, const Json& arguments) {
  const nb::gil_scoped_acquire locked;
  if (!locked) return fail(ErrorCode::kCancelled, "the interpreter has ended");
  try {
    return json_from(run(python_from(arguments)));
  } catch (nb::python_error& error) {
    const std::string text = describe(error);
    if (!error.matches(PyExc_Exception)) keep_for_caller(std::move(error));
    return fail(ErrorCode::kInternal, text);
  } catch (const Failure& failure) {
    return fail(failure.error());
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, std::string("its result: ") + error.what());
  }
}

}  // namespace

nb::object member(const nb::dict& dict, const char* name) { return nb::borrow(dict[name]); }

nb::dict dict_of(const Commit& commit) {
  return Members()
      .set("entry", commit.entry)
      .set("time", commit.time)
      .set("author", commit.author)
      .set("source", commit.source)
      .set("trust", commit.trust)
      .put("added", statements_of(commit.added))
      .put("removed", statements_of(commit.removed))
      .set("readable", commit.readable)
      .take();
}

nb::dict dict_of(const Hit& hit) {
  return Members()
      .set("id", hit.id)
      .set("type", hit.type)
      .set("name", hit.name)
      .set("score", hit.score)
      .take();
}

nb::dict dict_of(const Proof& proof) {
  nb::list steps;
  for (const ProofStep& step : proof) steps.append(dict_of(step));
  return Members()
      .set("fact", proof.fact)
      .put("steps", steps)
      .set("confidence", proof.confidence)
      .set("trust", proof.trust)
      .set("superseded", proof.superseded)
      .set("text", proof.text())
      .take();
}

nb::dict dict_of(const CallResult& result) {
  return Members()
      .set("outcome", std::string(to_string(result.outcome)))
      .set("result", result.result)
      .set("reason", result.reason)
      .set("trust", result.trust)
      .set("approval_id", result.approval_id)
      .set("refusal_id", result.refusal_id)
      .set("missing", result.missing)
      .take();
}

nb::dict dict_of(const Response& response) {
  return Members()
      .set("status", std::string(to_string(response.status)))
      .set("text", response.text)
      .set("missing", response.missing)
      .set("approval_ids", response.approval_ids)
      .set("refusal_id", response.refusal_id)
      .set("cycles", response.cycles)
      .set("details", response.details)
      .take();
}

nb::dict dict_of(const ApprovalRequest& request) {
  return Members()
      .set("id", request.id)
      .set("tool", request.tool)
      .set("agent", request.agent)
      .set("arguments", request.arguments)
      .set("trust", request.trust)
      .set("reason", request.reason)
      .set("evidence", request.evidence)
      .set("status", request.status)
      .set("decided_by", request.decided_by)
      .set("asked", request.asked)
      .set("expires", request.expires)
      .take();
}

nb::dict dict_of(const Context& context) {
  return Members()
      .set("text", context.text)
      .set("label", context.label)
      .set("items", context.items)
      .set("left_out", context.left_out)
      .set("quarantined", context.quarantined)
      .set("withheld", context.withheld)
      .set("details", context.details)
      .take();
}

nb::dict dict_of(const Remembered& remembered) {
  return Members()
      .set("id", remembered.id)
      .set("known_before", remembered.known_before)
      .set("stated", remembered.stated)
      .set("corrected", remembered.corrected)
      .set("taken_back", remembered.taken_back)
      .set("left_over", remembered.left_over)
      .set("asks", remembered.asks)
      .set("question", remembered.question)
      .set("proposes", remembered.proposes)
      .set("choices", remembered.choices)
      .take();
}

nb::dict dict_of(const OpenQuestion& question) {
  return Members()
      .set("id", question.id)
      .set("text", question.text)
      .set("asks", question.asks)
      .set("proposes", question.proposes)
      .set("choices", question.choices)
      .set("memory", question.memory)
      .set("author", question.author)
      .set("source", question.source)
      .set("said", question.said)
      .set("trust", question.trust)
      .take();
}

nb::dict dict_of(const RememberedText& text) {
  return Members()
      .set("id", text.id)
      .set("text", text.content)
      .set("trust", text.trust)
      .set("author", text.author)
      .set("source", text.source)
      .set("created", text.created)
      .take();
}

nb::dict dict_of(const Judgement& judgement) {
  return Members()
      .set("outcome", std::string(to_string(judgement.outcome)))
      .set("call", judgement.call)
      .set("reason", judgement.reason)
      .set("because", judgement.because)
      .set("approval_id", judgement.approval_id)
      .set("refusal_id", judgement.refusal_id)
      .set("arguments", judgement.arguments)
      .set("result", judgement.result)
      .set("trust", judgement.trust)
      .take();
}

Author author_from(const nb::tuple& author) {
  return {text_of(author[0], "an author's name"), text_of(author[1], "an author's source"),
          trust_from(nb::cast<int>(author[2]))};
}

OwnTool tool_from(const nb::dict& tool) {
  OwnTool own;
  own.name = text_of(member(tool, "name"), "a tool's name");
  own.description = text_of(member(tool, "description"), "a tool's description");
  own.tier = static_cast<ToolTier>(nb::cast<int>(member(tool, "tier")));
  for (const nb::handle each : nb::cast<nb::list>(member(tool, "parameters"))) {
    const auto parameter = nb::cast<nb::tuple>(each);
    own.parameters.push_back({text_of(parameter[0], "a parameter's name"),
                              nb::cast<bool>(parameter[1]),
                              text_of(parameter[2], "a parameter's description")});
  }
  own.carried = texts_of(member(tool, "carried"), "carried");
  own.output_trust = trust_from(nb::cast<int>(member(tool, "output_trust")));
  own.declaration = json_from(member(tool, "declaration"));
  const nb::object run = member(tool, "run");
  if (!run.is_none()) {
    own.run = [held = shared(run)](const Json& arguments) { return run_tool(*held, arguments); };
  }
  return own;
}

std::vector<OwnTool> tools_from(const nb::list& tools) {
  std::vector<OwnTool> own;
  for (const nb::handle tool : tools) own.push_back(tool_from(nb::cast<nb::dict>(tool)));
  return own;
}

std::function<void(const Event&)> handler_from(nb::object handler) {
  return [held = shared(std::move(handler))](const Event& event) {
    const nb::gil_scoped_acquire locked;
    if (!locked) return;
    try {
      (*held)(str_from(event.type), python_from(event.payload));
    } catch (nb::python_error& error) {
      const std::string text = describe(error);
      if (!error.matches(PyExc_Exception)) keep_for_caller(std::move(error));
      throw std::runtime_error(text);
    }
  };
}

}  // namespace anima::python
