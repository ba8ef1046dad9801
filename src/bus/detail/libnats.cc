#include "bus/detail/libnats.h"

#include "base/load_library.h"

namespace anima::bus {
namespace {

constexpr const char* kLibnatsFile = "libnats.so.3.4";  // Debian's name has both numbers

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_connection(void* library, Libnats& nats) {
  return find(library, "nats_GetVersionNumber", nats.version) &&
         find(library, "natsOptions_Create", nats.options_create) &&
         find(library, "natsOptions_Destroy", nats.options_destroy) &&
         find(library, "natsOptions_SetServers", nats.set_servers) &&
         find(library, "natsOptions_SetName", nats.set_name) &&
         find(library, "natsOptions_SetTimeout", nats.set_timeout) &&
         find(library, "natsOptions_SetMaxReconnect", nats.set_max_reconnect) &&
         find(library, "natsOptions_SetReconnectWait", nats.set_reconnect_wait) &&
         find(library, "natsOptions_SetReconnectBufSize", nats.set_reconnect_buffer) &&
         find(library, "natsOptions_SetPingInterval", nats.set_ping_interval) &&
         find(library, "natsOptions_SetMaxPingsOut", nats.set_max_pings_out) &&
         find(library, "natsOptions_SetErrorHandler", nats.set_error_handler) &&
         find(library, "natsOptions_SetSendAsap", nats.set_send_asap) &&
         find(library, "natsOptions_SetSecure", nats.set_secure) &&
         find(library, "natsConnection_Connect", nats.connect) &&
         find(library, "natsConnection_Destroy", nats.connection_destroy) &&
         find(library, "natsConnection_Status", nats.connection_status) &&
         find(library, "natsConnection_Publish", nats.publish) &&
         find(library, "natsConnection_FlushTimeout", nats.flush) &&
         find(library, "natsConnection_Request", nats.request) &&
         find(library, "natsConnection_Subscribe", nats.subscribe) &&
         find(library, "natsConnection_GetMaxPayload", nats.max_payload) &&
         find(library, "natsSubscription_Destroy", nats.subscription_destroy) &&
         find(library, "natsMsg_GetSubject", nats.subject) &&
         find(library, "natsMsg_GetData", nats.data) &&
         find(library, "natsMsg_GetDataLength", nats.data_length) &&
         find(library, "natsMsg_GetReply", nats.reply) &&
         find(library, "natsMsg_Destroy", nats.message_destroy) &&
         find(library, "natsStatus_GetText", nats.status_text);
}

bool find_jetstream(void* library, Libnats& nats) {
  return find(library, "natsConnection_JetStream", nats.jetstream) &&
         find(library, "natsSubscription_Fetch", nats.fetch) &&
         find(library, "natsMsgList_Destroy", nats.list_destroy) &&
         find(library, "jsCtx_Destroy", nats.context_destroy) &&
         find(library, "jsStreamConfig_Init", nats.stream_config_init) &&
         find(library, "js_AddStream", nats.add_stream) &&
         find(library, "js_GetStreamInfo", nats.stream_info) &&
         find(library, "jsStreamInfo_Destroy", nats.stream_info_destroy) &&
         find(library, "jsPubOptions_Init", nats.publish_options_init) &&
         find(library, "js_Publish", nats.stream_publish) &&
         find(library, "jsPubAck_Destroy", nats.acknowledgement_destroy) &&
         find(library, "jsSubOptions_Init", nats.subscribe_options_init) &&
         find(library, "js_PullSubscribe", nats.pull_subscribe) &&
         find(library, "js_DeleteConsumer", nats.delete_consumer);
}

Libnats load_libnats() {
  Libnats nats;
  void* const library = load_library(kLibnatsFile);
  if (library == nullptr) {
    const char* const why = dlerror();
    nats.problem = why == nullptr ? "libnats cannot be loaded" : why;
    return nats;
  }
  if (!find_connection(library, nats) || !find_jetstream(library, nats))
    nats.problem = "this libnats lacks functions of release 3.4";
  return nats;
}

}  // namespace

const Libnats& libnats() {
  static const Libnats& nats = *new Libnats(load_libnats());
  return nats;
}

}  // namespace anima::bus
