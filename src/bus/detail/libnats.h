// libnats, loaded when the first server is spoken to: nobody else pays for it when the program
// starts (docs/decisions/012-loaded-curl.md). Thread-safety: from any thread.
#pragma once

#include <nats/nats.h>

#include <string>

namespace anima::bus {

struct Libnats {
  decltype(&::nats_GetVersionNumber) version = nullptr;
  decltype(&::natsOptions_Create) options_create = nullptr;
  decltype(&::natsOptions_Destroy) options_destroy = nullptr;
  decltype(&::natsOptions_SetServers) set_servers = nullptr;
  decltype(&::natsOptions_SetName) set_name = nullptr;
  decltype(&::natsOptions_SetTimeout) set_timeout = nullptr;
  decltype(&::natsOptions_SetMaxReconnect) set_max_reconnect = nullptr;
  decltype(&::natsOptions_SetReconnectWait) set_reconnect_wait = nullptr;
  decltype(&::natsOptions_SetReconnectBufSize) set_reconnect_buffer = nullptr;
  decltype(&::natsOptions_SetPingInterval) set_ping_interval = nullptr;
  decltype(&::natsOptions_SetMaxPingsOut) set_max_pings_out = nullptr;
  decltype(&::natsOptions_SetErrorHandler) set_error_handler = nullptr;
  decltype(&::natsOptions_SetSendAsap) set_send_asap = nullptr;
  decltype(&::natsOptions_SetSecure) set_secure = nullptr;
  decltype(&::natsConnection_Connect) connect = nullptr;
  decltype(&::natsConnection_Destroy) connection_destroy = nullptr;
  decltype(&::natsConnection_Status) connection_status = nullptr;
  decltype(&::natsConnection_JetStream) jetstream = nullptr;
  decltype(&::natsConnection_Publish) publish = nullptr;
  decltype(&::natsConnection_FlushTimeout) flush = nullptr;
  decltype(&::natsConnection_Request) request = nullptr;
  decltype(&::natsConnection_Subscribe) subscribe = nullptr;
  decltype(&::natsConnection_GetMaxPayload) max_payload = nullptr;
  decltype(&::natsSubscription_Destroy) subscription_destroy = nullptr;
  decltype(&::natsSubscription_Fetch) fetch = nullptr;
  decltype(&::natsMsg_GetSubject) subject = nullptr;
  decltype(&::natsMsg_GetData) data = nullptr;
  decltype(&::natsMsg_GetDataLength) data_length = nullptr;
  decltype(&::natsMsg_GetReply) reply = nullptr;
  decltype(&::natsMsg_Destroy) message_destroy = nullptr;
  decltype(&::natsMsgList_Destroy) list_destroy = nullptr;
  decltype(&::jsCtx_Destroy) context_destroy = nullptr;
  decltype(&::jsStreamConfig_Init) stream_config_init = nullptr;
  decltype(&::js_AddStream) add_stream = nullptr;
  decltype(&::js_GetStreamInfo) stream_info = nullptr;
  decltype(&::jsStreamInfo_Destroy) stream_info_destroy = nullptr;
  decltype(&::jsPubOptions_Init) publish_options_init = nullptr;
  decltype(&::js_Publish) stream_publish = nullptr;
  decltype(&::jsPubAck_Destroy) acknowledgement_destroy = nullptr;
  decltype(&::jsSubOptions_Init) subscribe_options_init = nullptr;
  decltype(&::js_PullSubscribe) pull_subscribe = nullptr;
  decltype(&::js_DeleteConsumer) delete_consumer = nullptr;
  decltype(&::natsStatus_GetText) status_text = nullptr;
  std::string problem;  // why it cannot be used; empty: it can
};

// Loaded once; never unloaded.
const Libnats& libnats();

}  // namespace anima::bus
