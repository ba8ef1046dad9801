#include "world/daemons/portal.h"

#include "world/daemons/nexus.h"

namespace anima::world {
namespace {

constexpr Epoch kOpens = 3;
constexpr std::uint64_t kRequests = 5, kMoreEachEpoch = 2;

}  // namespace

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
  std::uint64_t& used = requests_[request.sender];
  if (used == kRequests + kMoreEachEpoch * (epoch - kOpens))
    return refuse(Category::kQuotaExceeded, "no more requests in this cycle");
  ++used;
  tell(EventKind::kWebRequested,
       body_of({{"agent_id", pack(request.sender)}, {"method", method}, {"url", url}}));
  if (!fetcher_) return refuse(Category::kInternal, "this world has no way to the web");
  const auto page = fetcher_(method, url);
  if (!page) return refuse(Category::kInternal, page.error().message);
  return body_of({{"url", url}, {"content", *page}});
}

MessagePack Portal::state() const { return body_of({{"requests", pack(requests_)}}); }

Status Portal::restore(const MessagePack& state) {
  Fields fields(state);
  requests_ = fields.need<std::map<AgentId, std::uint64_t>>("requests");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the portal cannot be read");
  return {};
}

}  // namespace anima::world
