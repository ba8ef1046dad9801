#include "world/daemons/portal.h"

#include <algorithm>

#include "base/text/url.h"
#include "base/text/valid_text.h"
#include "world/daemons/nexus.h"

namespace anima::world {
namespace {

constexpr Epoch kOpens = 3;
constexpr std::uint64_t kRequests = 5, kMoreEachEpoch = 2;

Json json_of(const WebPage& page) {
  return Json::object({{"status", page.status},
                       {"content_type", valid_text(page.content_type)},
                       {"content", valid_text(page.content)},
                       {"redirect", valid_text(page.redirect)},
                       {"truncated", page.truncated}});
}

}  // namespace

bool is_listed(std::string_view host, const std::vector<std::string>& hosts) {
  return std::ranges::any_of(hosts, [&](const std::string& listed) {
    if (!listed.starts_with("*.")) return host == listed;
    return host.size() >= listed.size() && host.ends_with(std::string_view(listed).substr(1));
  });
}

Answer Portal::handle(const Request& request) {
  Fields fields(request.body);
  const auto method = fields.need<std::string>("method");
  const auto url = fields.need<std::string>("url");
  if (fields.fault() || request.type != Message::kWebRequest) return fields.refusal();
  const Epoch epoch = realm_.nexus->epoch();
  if (epoch < kOpens)
    return refuse(Category::kUnauthorized, "the portal opens in epoch 3, " + epoch_name(kOpens));
  if (epoch == kOpens && method != "GET" && method != "HEAD")
    return refuse(Category::kUnauthorized, "only GET and HEAD in epoch 3");
  const auto address = read_url(url);
  if (!address) return refuse(Category::kInvalidRequest, address.error().describe());
  if (!is_listed(address->host, hosts_))
    return refuse(Category::kUnauthorized, "this world may not read " + address->host +
                                               "; its owner names hosts in world.web");
  std::uint64_t& used = requests_[request.sender];
  if (used == kRequests + kMoreEachEpoch * (epoch - kOpens))
    return refuse(Category::kQuotaExceeded, "no more requests in this cycle");
  ++used;
  tell(EventKind::kWebRequested,
       body_of({{"agent_id", pack(request.sender)}, {"method", method}, {"url", url}}));
  return fetch(method, url);
}

Answer Portal::fetch(const std::string& method, const std::string& url) {
  if (!stopped_) return refuse(Category::kInternal, "the web is out of reach");
  const auto get = [&]() -> Result<Json> {
    const auto page =
        fetcher_
            ? fetcher_(method, url)
            : Result<WebPage>(fail(ErrorCode::kUnsupported, "this world has no way to the web"));
    if (page) return json_of(*page);
    if (page.error().code == ErrorCode::kCancelled) return fail(page.error());
    return Json::object({{"failure", page.error().describe()}});
  };
  const Digest question = Sha256().update(method).update(" ").update(url).finish();
  const auto page =
      outside_ == nullptr ? get() : outside_->answer({"page", realm_.tick, question}, get);
  if (!page) {
    stopped_ = fail(page.error());
    return refuse(Category::kInternal, page.error().message);
  }
  if (const Json* failure = page->find("failure"); failure != nullptr)
    return refuse(Category::kInternal, failure->as_string());
  return screened(method, url, *page);
}

Answer Portal::screened(const std::string& method, const std::string& url, const Json& page) {
  const auto text = [&](const char* name) {
    const Json* found = page.find(name);
    return found == nullptr ? std::string() : found->as_string();
  };
  if (!guardian_) {
    auto patterns = govern::PatternSet::shipped();
    if (!patterns) return refuse(Category::kInternal, patterns.error().message);
    guardian_.emplace(*std::move(patterns));
  }
  std::string content = method == "HEAD" ? std::string() : text("content");
  const govern::Action judged = guardian_->assess(content, govern::Trust::kUntrusted).action;
  if (judged == govern::Action::kBlock) content.clear();
  const Json *status = page.find("status"), *truncated = page.find("truncated");
  return body_of({{"url", url},
                  {"status", status == nullptr ? std::int64_t{0} : status->as_integer()},
                  {"content_type", text("content_type")},
                  {"redirect", text("redirect")},
                  {"content", std::move(content)},
                  {"truncated", truncated != nullptr && truncated->as_bool()},
                  {"trust", "untrusted"},
                  {"guardian", govern::action_name(judged)}});
}

MessagePack Portal::state() const { return body_of({{"requests", pack(requests_)}}); }

Status Portal::restore(const MessagePack& state) {
  Fields fields(state);
  requests_ = fields.need<std::map<AgentId, std::uint64_t>>("requests");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the portal cannot be read");
  return {};
}

}  // namespace anima::world
