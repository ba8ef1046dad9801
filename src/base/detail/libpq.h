// libpq, loaded when the first database is opened: nobody else pays for it when the program starts
// (docs/decisions/012-loaded-curl.md). Thread-safety: from any thread.
#pragma once

#include <postgresql/libpq-fe.h>

#include <string>

namespace anima::detail {

struct Libpq {
  decltype(&::PQconninfoParse) conninfo_parse = nullptr;
  decltype(&::PQconninfoFree) conninfo_free = nullptr;
  decltype(&::PQconnectdbParams) connect = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&::PQexec) exec = nullptr;
  decltype(&::PQprepare) prepare = nullptr;
  decltype(&::PQexecPrepared) exec_prepared = nullptr;
  decltype(&::PQsendQueryPrepared) send_query_prepared = nullptr;
  decltype(&::PQenterPipelineMode) enter_pipeline = nullptr;
  decltype(&::PQexitPipelineMode) exit_pipeline = nullptr;
  decltype(&::PQpipelineSync) pipeline_sync = nullptr;
  decltype(&::PQgetResult) get_result = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
  decltype(&::PQcmdStatus) command_status = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQntuples) rows = nullptr;
  decltype(&::PQgetvalue) value = nullptr;
  decltype(&::PQgetlength) length = nullptr;
  decltype(&::PQgetisnull) is_null = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQconsumeInput) consume_input = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQnotifies) notifies = nullptr;
  decltype(&::PQfreemem) free_memory = nullptr;
  std::string problem;  // why it cannot be used; empty: it can
};

// Loaded once; never unloaded.
const Libpq& libpq();

}  // namespace anima::detail
