#include "base/detail/libpq.h"

#include "base/load_library.h"

namespace anima::detail {
namespace {

constexpr const char* kLibpqFile = "libpq.so.5";

template <typename Function>
bool find_in_libpq(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Libpq load_libpq() {
  Libpq pq;
  void* const library = load_library(kLibpqFile);
  if (library == nullptr) {
    const char* const why = dlerror();
    pq.problem = why == nullptr ? "libpq cannot be loaded" : why;
    return pq;
  }
  const bool whole = find_in_libpq(library, "PQconninfoParse", pq.conninfo_parse) &&
                     find_in_libpq(library, "PQconninfoFree", pq.conninfo_free) &&
                     find_in_libpq(library, "PQconnectdbParams", pq.connect) &&
                     find_in_libpq(library, "PQfinish", pq.finish) &&
                     find_in_libpq(library, "PQstatus", pq.status) &&
                     find_in_libpq(library, "PQerrorMessage", pq.error_message) &&
                     find_in_libpq(library, "PQsetNoticeReceiver", pq.set_notice_receiver) &&
                     find_in_libpq(library, "PQexec", pq.exec) &&
                     find_in_libpq(library, "PQprepare", pq.prepare) &&
                     find_in_libpq(library, "PQexecPrepared", pq.exec_prepared) &&
                     find_in_libpq(library, "PQsendQueryPrepared", pq.send_query_prepared) &&
                     find_in_libpq(library, "PQenterPipelineMode", pq.enter_pipeline) &&
                     find_in_libpq(library, "PQexitPipelineMode", pq.exit_pipeline) &&
                     find_in_libpq(library, "PQpipelineSync", pq.pipeline_sync) &&
                     find_in_libpq(library, "PQgetResult", pq.get_result) &&
                     find_in_libpq(library, "PQresultStatus", pq.result_status) &&
                     find_in_libpq(library, "PQresultErrorField", pq.result_error_field) &&
                     find_in_libpq(library, "PQcmdStatus", pq.command_status) &&
                     find_in_libpq(library, "PQclear", pq.clear) &&
                     find_in_libpq(library, "PQntuples", pq.rows) &&
                     find_in_libpq(library, "PQgetvalue", pq.value) &&
                     find_in_libpq(library, "PQgetlength", pq.length) &&
                     find_in_libpq(library, "PQgetisnull", pq.is_null) &&
                     find_in_libpq(library, "PQsocket", pq.socket) &&
                     find_in_libpq(library, "PQconsumeInput", pq.consume_input) &&
                     find_in_libpq(library, "PQisBusy", pq.is_busy) &&
                     find_in_libpq(library, "PQnotifies", pq.notifies) &&
                     find_in_libpq(library, "PQfreemem", pq.free_memory);
  if (!whole) pq.problem = "this libpq is older than 14";
  return pq;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq& pq = *new Libpq(load_libpq());
  return pq;
}

}  // namespace anima::detail
