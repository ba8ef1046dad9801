// Cassettes: exchanges with a model's server, recorded as {request without key, the bytes of the
// answer as they came, times} and played back bit for bit. A played call makes no connection, needs
// no key and gives the same reply, its pieces included; also what failed then fails again.
//
// Every attempt is an exchange of its own, so a 429 and the call after it are two. The keeper is an
// interface: a file (CassetteFile), or the log of a space (agent/conversation/recorded_calls.h).
// Thread-safety: keepers and transports from any thread; exchanges are plain values.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"
#include "llm/http.h"

namespace anima::llm {

struct Exchange {
  std::string url;
  HttpHeaders headers;  // of the request; never the key's
  std::string body;     // of the request
  HttpHead head;        // status 0: no answer came
  struct Piece {
    std::int64_t at_us = 0;  // since the exchange began
    std::string bytes;
  };
  std::vector<Piece> pieces;
  HttpEnd end = HttpEnd::kDone;
  std::string detail;
  Timestamp started;
  std::int64_t duration_us = 0;
};
// One form in files and logs (docs/formats.md, "Cassettes"). Bytes that are no UTF-8 are base64url.
Json to_json(const Exchange& exchange);
// Errors: kCorrupt.
Result<Exchange> exchange_from_json(const Json& json);

class ExchangeKeeper {
 public:
  virtual ~ExchangeKeeper() = default;
  virtual Status keep(const Exchange& exchange) = 0;
};

// A file of one exchange a line (mode 0600), added to. Errors of keep(): those of the file.
class CassetteFile final : public ExchangeKeeper {
 public:
  CassetteFile(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  Status keep(const Exchange& exchange) override;

 private:
  FileSystem& files_;
  const std::string path_;
  std::mutex mutex_;
};
// Errors: kCorrupt with PATH:LINE.
Result<std::vector<Exchange>> read_cassette(FileSystem& files, const std::string& path);

// Passes calls on to `inner` and keeps each. What is passed in outlives it. An exchange that could
// not be kept ends the call with the keeper's error.
std::unique_ptr<HttpTransport> make_recording_transport(HttpTransport& inner,
                                                        ExchangeKeeper& keeper, Clock& clock);

// Plays exchanges in their order. A call whose URL, headers or body are others than recorded, or
// for which nothing is left, ends as a handler's error (kConflict, kNotFound).
class PlayingTransport final : public HttpTransport {
 public:
  explicit PlayingTransport(std::vector<Exchange> exchanges)
      : left_(std::make_move_iterator(exchanges.begin()),
              std::make_move_iterator(exchanges.end())) {}
  HttpOutcome post(const HttpRequest& request, const HttpHandlers& handlers,
                   const std::stop_token& stop) override;
  std::size_t left() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Exchange> left_;
};

}  // namespace anima::llm
