#include "llm/cassette.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crypto.h"
#include "base/files/output_place.h"
#include "base/text/text.h"

namespace anima::llm {
namespace {

constexpr std::uint64_t kMaxCassette = std::uint64_t{1} << 30;
constexpr std::size_t kShownDifference = 60;

Json bytes_to_json(const std::string& bytes) {
  if (is_valid_utf8(bytes)) return bytes;
  return Json::object({{"base64url", to_base64url(bytes)}});
}

Result<std::string> bytes_from_json(const Json* json) {
  if (json == nullptr) return std::string();
  if (json->is_string()) return json->as_string();
  const Json* coded = json->find("base64url");
  if (coded == nullptr || !coded->is_string())
    return fail(ErrorCode::kCorrupt, "a recorded exchange holds bytes in no form that is known");
  return from_base64url(coded->as_string());
}

Json headers_to_json(const HttpHeaders& headers) {
  Json list = Json::array();
  for (const auto& [name, value] : headers)
    list.push_back(Json::array({name, bytes_to_json(value)}));
  return list;
}

Result<HttpHeaders> headers_from_json(const Json* json) {
  HttpHeaders headers;
  if (json == nullptr) return headers;
  for (const Json& each : json->as_array()) {
    if (each.as_array().size() != 2)
      return fail(ErrorCode::kCorrupt, "a recorded header is no pair");
    ANIMA_ASSIGN(std::string value, bytes_from_json(&each.as_array()[1]));
    headers.emplace_back(each.as_array()[0].as_string(), std::move(value));
  }
  return headers;
}

// Where two texts differ first, with what follows there.
std::string difference_of(std::string_view recorded, std::string_view now) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(recorded.begin(), recorded.end(), now.begin(), now.end()).first -
      recorded.begin());
  return fmt::format(
      "at byte {}: \"{}\", recorded \"{}\"", at,
      visible_text(beginning_of(now.substr(std::min(at, now.size())), kShownDifference)),
      visible_text(beginning_of(recorded.substr(at), kShownDifference)));
}

Status check_same(const Exchange& recorded, const HttpRequest& request) {
  if (recorded.url != request.url) {
    return fail(ErrorCode::kConflict,
                fmt::format("the call goes to {}, and {} was recorded", request.url, recorded.url));
  }
  if (recorded.headers != request.headers)
    return fail(ErrorCode::kConflict, "the call has other headers than were recorded");
  if (recorded.body != request.body) {
    return fail(ErrorCode::kConflict, "the call differs from what was recorded " +
                                          difference_of(recorded.body, request.body));
  }
  return {};
}

HttpOutcome handler_outcome(HttpHead head, Error error) {
  HttpOutcome outcome;
  outcome.end = HttpEnd::kCancelled;
  outcome.head = std::move(head);
  outcome.handler_error = std::move(error);
  outcome.by_handler = true;
  return outcome;
}

class RecordingTransport final : public HttpTransport {
 public:
  RecordingTransport(HttpTransport& inner, ExchangeKeeper& keeper, Clock& clock)
      : inner_(inner), keeper_(keeper), clock_(clock) {}

  HttpOutcome post(const HttpRequest& request, const HttpHandlers& handlers,
                   const std::stop_token& stop) override {
    Exchange exchange;
    exchange.url = request.url;
    exchange.headers = request.headers;
    exchange.body = request.body;
    exchange.started = clock_.now();
    const std::int64_t start = clock_.monotonic_nanoseconds();
    const auto elapsed_us = [&] { return (clock_.monotonic_nanoseconds() - start) / 1000; };
    HttpHandlers listening = handlers;
    listening.piece = [&](std::string_view bytes) -> Status {
      exchange.pieces.push_back({elapsed_us(), std::string(bytes)});
      return handlers.piece ? handlers.piece(bytes) : Status();
    };
    HttpOutcome outcome = inner_.post(request, listening, stop);
    exchange.head = outcome.head;
    exchange.end = outcome.end;
    exchange.detail = outcome.detail;
    exchange.duration_us = elapsed_us();
    if (const Status kept = keeper_.keep(exchange); !kept)
      return handler_outcome(std::move(outcome.head), kept.error());
    return outcome;
  }

 private:
  HttpTransport& inner_;
  ExchangeKeeper& keeper_;
  Clock& clock_;
};

}  // namespace

Json to_json(const Exchange& exchange) {
  Json pieces = Json::array();
  for (const Exchange::Piece& piece : exchange.pieces)
    pieces.push_back(Json::array({piece.at_us, bytes_to_json(piece.bytes)}));
  return Json::object({{"url", exchange.url},
                       {"headers", headers_to_json(exchange.headers)},
                       {"body", bytes_to_json(exchange.body)},
                       {"status", exchange.head.status},
                       {"answer_headers", headers_to_json(exchange.head.headers)},
                       {"pieces", std::move(pieces)},
                       {"end", to_string(exchange.end)},
                       {"detail", bytes_to_json(exchange.detail)},
                       {"started", exchange.started.microseconds},
                       {"duration_us", exchange.duration_us}});
}

Result<Exchange> exchange_from_json(const Json& json) {
  Exchange exchange;
  const Json* url = json.find("url");
  const Json* end = json.find("end");
  const Json* status = json.find("status");
  if (url == nullptr || !url->is_string() || end == nullptr || status == nullptr)
    return fail(ErrorCode::kCorrupt, "a recorded exchange lacks its url, status or end");
  exchange.url = url->as_string();
  exchange.head.status = static_cast<int>(status->as_integer());
  ANIMA_ASSIGN(exchange.end, http_end(end->as_string()));
  ANIMA_ASSIGN(exchange.headers, headers_from_json(json.find("headers")));
  ANIMA_ASSIGN(exchange.body, bytes_from_json(json.find("body")));
  ANIMA_ASSIGN(exchange.head.headers, headers_from_json(json.find("answer_headers")));
  ANIMA_ASSIGN(exchange.detail, bytes_from_json(json.find("detail")));
  if (const Json* started = json.find("started")) exchange.started = {started->as_integer()};
  if (const Json* duration = json.find("duration_us"))
    exchange.duration_us = duration->as_integer();
  const Json* pieces = json.find("pieces");
  if (pieces == nullptr) return exchange;
  for (const Json& each : pieces->as_array()) {
    if (each.as_array().size() != 2)
      return fail(ErrorCode::kCorrupt, "a recorded piece is no pair");
    ANIMA_ASSIGN(std::string bytes, bytes_from_json(&each.as_array()[1]));
    exchange.pieces.push_back({each.as_array()[0].as_integer(), std::move(bytes)});
  }
  return exchange;
}

Status CassetteFile::keep(const Exchange& exchange) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(check_output_place(path_));
  ANIMA_ASSIGN(const auto file, files_.open(path_, OpenMode::kCreate, 0600));
  ANIMA_TRY(file->append(to_json(exchange).dump() + "\n"));
  ANIMA_TRY(file->sync());
  return file->close();
}

Result<std::vector<Exchange>> read_cassette(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path, kMaxCassette));
  std::vector<Exchange> exchanges;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const auto json = parse_json(line);
    auto exchange = json ? exchange_from_json(*json) : Result<Exchange>(fail(json.error()));
    if (!exchange) {
      return fail(ErrorCode::kCorrupt, "this line is no exchange: " + exchange.error().message,
                  fmt::format("{}:{}", path, number));
    }
    exchanges.push_back(std::move(*exchange));
  }
  return exchanges;
}

std::unique_ptr<HttpTransport> make_recording_transport(HttpTransport& inner,
                                                        ExchangeKeeper& keeper, Clock& clock) {
  return std::make_unique<RecordingTransport>(inner, keeper, clock);
}

std::size_t PlayingTransport::left() const {
  const std::lock_guard lock(mutex_);
  return left_.size();
}

HttpOutcome PlayingTransport::post(const HttpRequest& request, const HttpHandlers& handlers,
                                   const std::stop_token&) {
  Exchange exchange;
  {
    const std::lock_guard lock(mutex_);
    if (left_.empty()) {
      return handler_outcome({}, {ErrorCode::kNotFound, "no further call was recorded", {}, {}});
    }
    if (const Status same = check_same(left_.front(), request); !same)
      return handler_outcome({}, same.error());
    exchange = std::move(left_.front());
    left_.pop_front();
  }
  if (exchange.head.status != 0 && handlers.head) {
    if (const Status told = handlers.head(exchange.head); !told)
      return handler_outcome(std::move(exchange.head), told.error());
  }
  for (const Exchange::Piece& piece : exchange.pieces) {
    const Status told = handlers.piece ? handlers.piece(piece.bytes) : Status();
    if (!told) return handler_outcome(std::move(exchange.head), told.error());
  }
  HttpOutcome outcome;
  outcome.end = exchange.end;
  outcome.head = std::move(exchange.head);
  outcome.detail = std::move(exchange.detail);
  return outcome;
}

}  // namespace anima::llm
