#include "values.h"

#include "calls.h"
#include "convert.h"

namespace anima::python {
namespace {

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

nb::list statements_of(const std::vector<Statement>& statements) {
  nb::list list;
  for (const Statement& one : statements)
    list.append(
        nb::make_tuple(str_from(one.subject), str_from(one.predicate), str_from(one.object)));
  return list;
}

nb::object member(const nb::dict& dict, const char* name) { return nb::borrow(dict[name]); }

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
