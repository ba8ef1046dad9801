// The external tool that runs the fetcher in the sandbox.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/enum_order.h"
#include "base/files/file.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "base/text/valid_text.h"
#include "tools/detail/arguments.h"
#include "tools/external.h"
#include "tools/sandbox/sandbox.h"
#include "tools/web_page.h"

namespace anima::tools {
namespace {

static_assert(ascend({Danger::kSafe, Danger::kCautious, Danger::kDangerous, Danger::kCritical}));

using detail::needed_text;
using detail::outside;

constexpr std::int64_t kFetchSeconds = 10, kMaxFetchSeconds = 120;
constexpr std::int64_t kFetchGraceMs = 2'000;  // for the fetcher to say that time is over
constexpr std::uint64_t kMaxBody = 262'144;
constexpr std::size_t kMaxErrorBody = 500;
constexpr std::string_view kFetcherName = "anima-fetch";

// What a danger level demands of the sandbox (docs/decisions/004-sandbox.md).
Containment demand_of(Danger danger) {
  return danger >= Danger::kDangerous ? Containment::kFull : Containment::kPartial;
}

Json sandbox_json(const SandboxRun& run) {
  return Json::object(
      {{"containment", to_string(run.containment)}, {"missing", text_array(run.missing)}});
}

std::string program_path() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path;
}

// A pair of local sockets, each end for one of two sandboxed programs.
struct Channel {
  Channel() = default;
  ~Channel() {
    let_go(0);
    let_go(1);
  }
  void let_go(std::size_t end) {
    if (ends[end] >= 0) close(std::exchange(ends[end], -1));
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Status make() {
    constexpr int kAboveThose = 10;  // that a sandboxed program is born with
    std::array<int, 2> made = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made.data()) != 0)
      return anima::fail(os_error(errno, "cannot make a channel", {}));
    for (std::size_t i = 0; i < made.size(); ++i) {
      ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, kAboveThose);
      close(made[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return {};
    return anima::fail(os_error(errno, "cannot make a channel", {}));
  }
  std::array<int, 2> ends = {-1, -1};
};

Error fetch_error(const Json& answer, const std::string& url) {
  const Json* code = answer.find("code");
  const std::string name = code != nullptr && code->is_string() ? code->as_string() : "";
  Error error{ErrorCode::kIo, answer.find("error")->as_string(), url, {}};
  if (name == "denied") {
    error.code = ErrorCode::kDenied;
    error.hint =
        "only addresses of the public internet are fetched; `tools.private_addresses` "
        "lifts that";
  }
  if (name == "timeout") error.code = ErrorCode::kTimeout;
  if (name == "invalid_argument") error.code = ErrorCode::kInvalidArgument;
  return error;
}

}  // namespace

std::string find_helper(std::string_view program) {
  const std::string folder(parent_path(program_path()));
  const std::string name(program);
  for (const std::string& path : {folder + "/" + name, folder + "/../libexec/anima/" + name}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::string find_fetcher() { return find_helper(kFetcherName); }

Result<Json> ExternalTools::http_fetch(const std::stop_token& stop, const Json& arguments,
                                       std::int64_t timeout) {
  ANIMA_ASSIGN(const std::string url, needed_text(arguments, "url"));
  ANIMA_ASSIGN(const std::int64_t seconds,
               detail::optional_integer(arguments, "timeout", kFetchSeconds, 1, kMaxFetchSeconds));
  PageRequest page;
  page.url = url;
  page.timeout_ms = timeout > 0 ? std::min(seconds * 1000, timeout) : seconds * 1000;
  page.private_addresses = options_.private_addresses;
  page.best_effort = options_.best_effort;
  page.fetcher = options_.fetcher;
  page.stop = stop;
  return fetch_page(page);
}

Result<Json> fetch_page(const PageRequest& page) {
  const std::string& url = page.url;
  ANIMA_TRY(read_url(url).map([](const Url&) {}));
  const std::string fetcher = page.fetcher.empty() ? find_fetcher() : page.fetcher;
  if (fetcher.empty()) {
    return fail(ErrorCode::kNotFound, "the program anima-fetch is not installed", {},
                "it belongs beside anima, or into ../libexec/anima");
  }
  SandboxRequest request;
  request.arguments = {fetcher};
  request.readable = {fetcher};
  request.input = Json::object({{"url", url},
                                {"timeout_ms", page.timeout_ms},
                                {"max_bytes", kMaxBody},
                                {"redirects", page.redirects}})
                      .dump();
  request.demand = demand_of(Danger::kCautious);
  request.best_effort = page.best_effort;
  request.limits.wall_ms = page.timeout_ms + kFetchGraceMs;
  request.limits.processes = 1;
  request.limits.file_bytes = 0;
  request.limits.output_bytes = std::size_t{4} << 20;  // the body, escaped
#ifdef ANIMA_SANITIZED
  // A checked build reserves most of the address space, and looks for leaks by tracing.
  request.limits.memory_bytes = ~std::uint64_t{0};
  request.environment = {{"ASAN_OPTIONS", "detect_leaks=0"}};
#endif
  request.stop = page.stop;
  // Two processes of the fetcher: one speaks HTTP and has no network, the other has the network,
  // judges addresses and hands connections over.
  Channel channel;
  ANIMA_TRY(channel.make());
  SandboxRequest broker = request;
  broker.arguments.emplace_back("--broker");
  if (page.private_addresses) broker.arguments.emplace_back("--private");
  broker.network = true;
  broker.channel = channel.ends[0];
  ANIMA_ASSIGN(const auto connections, SandboxedProcess::start(broker));
  channel.let_go(0);  // whoever waits for a broker that has ended is told
  request.channel = channel.ends[1];
  ANIMA_ASSIGN(const SandboxRun run, run_sandboxed(request));
  if (run.stopped) {
    return fail(ErrorCode::kCancelled, "the fetch was ended: its call was taken back", url);
  }
  if (run.process.timed_out) {
    return fail(ErrorCode::kTimeout, "the server did not answer in time", url);
  }
  auto answer = parse_json(run.process.out);
  if (!run.process.ok() || !answer || !answer->is_object()) {
    return fail(ErrorCode::kIo, "anima-fetch failed: " + valid_text(run.process.err), url);
  }
  if (const Json* error = answer->find("error"); error != nullptr && error->is_string()) {
    return fail(fetch_error(*answer, url));
  }
  const Json* status = answer->find("status");
  if (Json* body = answer->find("body"); status != nullptr && status->is_integer() &&
                                         status->as_integer() >= 400 && body != nullptr &&
                                         body->is_string()) {
    *body = detail::cut_at_character(body->as_string(), kMaxErrorBody);
  }
  // What the fetcher says of these it has from nobody but itself.
  for (const char* ours : {"sandbox", "trust"})
    std::erase_if(answer->as_object(), [&](const JsonMember& each) { return each.first == ours; });
  answer->set("sandbox", sandbox_json(run));
  return outside(std::move(answer->as_object()));
}

}  // namespace anima::tools
