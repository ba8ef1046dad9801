#include "errors.h"

#include "convert.h"

namespace anima::python {

void raise(ErrorCode code, ErrorText message, ErrorText where, ErrorText hint) {
  throw Failure(Error{code, message.take(), where.take(), hint.take()});
}

void raise_type(const std::string& message, const std::string& hint) {
  const nb::object made =
      nb::module_::import_("anima._errors").attr("wrong_type")(str_from(message), str_from(hint));
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const Error& error = failure.error();
      const nb::object made =
          nb::module_::import_("anima._errors")
              .attr("error_of")(str_from(to_string(error.code)), str_from(error.message),
                                str_from(error.where), str_from(error.hint));
      PyErr_SetObject(made.type().ptr(), made.ptr());
    }
  });
}

}  // namespace anima::python
