#include "world/daemons/agora.h"

#include <algorithm>

#include "world/daemons/forge.h"
#include "world/daemons/mint.h"
#include "world/daemons/nexus.h"
#include "world/daemons/vault.h"

namespace anima::world {
namespace {

constexpr std::size_t kPosts = 4096;
constexpr std::size_t kMostAnswered = 50;

bool approves(std::string_view verdict) {
  using pack_detail::same_name;
  return same_name(verdict, "approve") || same_name(verdict, "approved") ||
         same_name(verdict, "agree");
}

}  // namespace

Answer Agora::handle(const Request& request) {
  switch (request.type) {
    case Message::kChannelCreate: {
      Fields fields(request.body);
      const auto name = fields.need<std::string>("name");
      if (fields.fault()) return fields.refusal();
      for (const auto& each : channels_) {
        if (each.second.name == name) return refuse(Category::kConflict, "a channel has that name");
      }
      const Digest id = fresh_id("channel", request.sender);
      channels_[id] = {name, request.sender, {}};
      tell(EventKind::kChannelCreated, body_of({{"channel_id", pack(id)}, {"name", name}}));
      return body_of({{"channel_id", pack(id)}});
    }
    case Message::kMessagePost:
      return post(request);
    case Message::kMessageQuery:
      return query(request);
    case Message::kSignalSend:
      return signal(request);
    case Message::kBountyCreate:
      return create(request);
    case Message::kBountyClaim:
      return claim(request);
    case Message::kBountySubmit:
      return submit(request);
    case Message::kBountyReview:
      return review(request);
    case Message::kReviewRequest:
      return request_review(request);
    case Message::kReviewSubmit:
      return submit_review(request);
    default:
      return refuse(Category::kInvalidRequest, "the agora does not answer that");
  }
}

Answer Agora::post(const Request& request) {
  Fields fields(request.body);
  const auto channel = fields.take<Digest>("channel_id");
  const auto content = fields.need<std::string>("content");
  if (fields.fault()) return fields.refusal();
  if (channel != Digest{} && !channels_.contains(channel))
    return refuse(Category::kNotFound, "there is no such channel");
  if (posts_in_cycle_[request.sender] == kPostsPerCycle)
    return refuse(Category::kQuotaExceeded, "ten messages a cycle");
  if (!channels_[channel].contents.emplace(sha256(content), true).second)
    return refuse(Category::kConflict, "this was said in the channel");
  ++posts_in_cycle_[request.sender];
  const Digest id = fresh_id("message", request.sender);
  posts_.push_back({request.sender, channel, content, realm_.tick});
  if (posts_.size() > kPosts) posts_.erase(posts_.begin());
  realm_.nexus->credit_contribution(request.sender);
  tell(EventKind::kMessagePosted, body_of({{"message_id", pack(id)},
                                           {"channel_id", pack(channel)},
                                           {"author", pack(request.sender)}}));
  return body_of({{"message_id", pack(id)}});
}

Answer Agora::query(const Request& request) {
  Fields fields(request.body);
  const auto channel = fields.take<std::optional<Digest>>("channel_id");
  const auto author = fields.take<std::optional<AgentId>>("author");
  const auto limit = fields.take<std::uint64_t>("limit", kMostAnswered);
  if (fields.fault()) return fields.refusal();
  MessagePack::Array found;
  for (auto each = posts_.rbegin(); each != posts_.rend(); ++each) {
    if (found.size() == std::min<std::uint64_t>(limit, kMostAnswered)) break;
    if ((!channel || each->channel == *channel) && (!author || each->author == *author))
      found.push_back(pack(*each));
  }
  return body_of({{"messages", MessagePack(std::move(found))}});
}

Answer Agora::signal(const Request& request) {
  Fields fields(request.body);
  const auto target = fields.need<Digest>("target");
  const auto kind = fields.need<std::string>("kind");
  const auto reference = fields.take<std::optional<Digest>>("reference");
  auto weight = fields.take<float>("weight", 1.0F);
  if (fields.fault()) return fields.refusal();
  using pack_detail::same_name;
  if ((same_name(kind, "incorrect") || same_name(kind, "duplicate")) && !reference)
    return refuse(Category::kInvalidRequest, "that signal needs a reference");
  if (same_name(kind, "disagree") && !reference) weight *= 0.1F;
  ++signals_[alias(target) + ":" + kind];
  tell(EventKind::kSignalSent, body_of({{"sender", pack(request.sender)},
                                        {"target", pack(target)},
                                        {"kind", kind},
                                        {"weight", weight}}));
  return MessagePack(MessagePack::Map());
}

Or<Digest> Agora::add(Bounty bounty) {
  const auto escrow =
      realm_.mint->hold(bounty.creator, std::nullopt, bounty.reward, bounty.deadline);
  if (!escrow) return Unexpected<Refusal>(escrow.error());
  bounty.escrow = *escrow;
  const Digest id = fresh_id("bounty", bounty.creator);
  MessagePack::Array tags;
  for (const std::string& tag : bounty.tags) tags.emplace_back(tag);
  tell(EventKind::kBountyCreated, body_of({{"bounty_id", pack(id)},
                                           {"creator", pack(bounty.creator)},
                                           {"title", bounty.title},
                                           {"reward", bounty.reward},
                                           {"difficulty", bounty.difficulty},
                                           {"deadline", bounty.deadline},
                                           {"tick", realm_.tick},
                                           {"expected", bounty.expected},
                                           {"tags", MessagePack(std::move(tags))}}));
  bounties_[id] = std::move(bounty);
  live_.insert(id);
  return id;
}

Or<Digest> Agora::post_system_bounty(std::string title, std::uint64_t reward,
                                     std::uint64_t difficulty, std::uint64_t expected,
                                     std::vector<std::string> tags, std::uint64_t deadline) {
  Bounty bounty;
  bounty.creator = realm_.nexus->id();
  bounty.title = std::move(title);
  bounty.reward = reward;
  bounty.difficulty = difficulty;
  bounty.expected = expected;
  bounty.tags = std::move(tags);
  bounty.deadline = deadline;
  return add(std::move(bounty));
}

Answer Agora::create(const Request& request) {
  Fields fields(request.body);
  Bounty bounty;
  bounty.creator = request.sender;
  bounty.title = fields.need<std::string>("title");
  bounty.reward = fields.need<std::uint64_t>("reward");
  bounty.difficulty = fields.take<std::uint64_t>("difficulty", 1);
  bounty.deadline = fields.need<std::uint64_t>("deadline");
  bounty.expected = fields.need<std::uint64_t>("expected");
  bounty.tags = fields.take<std::vector<std::string>>("tags");
  if (fields.fault()) return fields.refusal();
  const auto id = add(std::move(bounty));
  if (!id) return Unexpected<Refusal>(id.error());
  realm_.nexus->credit_contribution(request.sender);
  return body_of({{"bounty_id", pack(*id)}});
}

Answer Agora::claim(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("bounty_id");
  if (fields.fault()) return fields.refusal();
  const auto found = bounties_.find(id);
  if (found == bounties_.end()) return refuse(Category::kNotFound, "there is no such bounty");
  Bounty& bounty = found->second;
  if (bounty.creator == request.sender)
    return refuse(Category::kConflict, "nobody claims a bounty of his own");
  if (bounty.state != "open") return refuse(Category::kConflict, "the bounty is not open");
  bounty.state = "claimed";
  bounty.claimer = request.sender;
  tell(EventKind::kBountyClaimed,
       body_of({{"bounty_id", pack(id)}, {"claimer", pack(request.sender)}}));
  return body_of({{"bounty_id", pack(id)}});
}

Answer Agora::submit(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("bounty_id");
  const auto snap = fields.need<Digest>("submission_snap");
  if (fields.fault()) return fields.refusal();
  const auto found = bounties_.find(id);
  if (found == bounties_.end()) return refuse(Category::kNotFound, "there is no such bounty");
  Bounty& bounty = found->second;
  if (bounty.state != "claimed" || bounty.claimer != request.sender)
    return refuse(Category::kUnauthorized, "only its claimer may submit");
  if (!realm_.vault->snap(snap)) return refuse(Category::kNotFound, "there is no such snapshot");
  bounty.state = "submitted";
  bounty.submission = snap;
  tell(EventKind::kBountySubmitted, body_of({{"bounty_id", pack(id)},
                                             {"claimer", pack(request.sender)},
                                             {"creator", pack(bounty.creator)},
                                             {"submission_snap", pack(snap)}}));
  return body_of({{"bounty_id", pack(id)}});
}

Or<bool> Agora::decide(const Digest& id, bool accepted) {
  Bounty& bounty = bounties_[id];
  const MessagePack who = body_of({{"bounty_id", pack(id)},
                                   {"claimer", pack(bounty.claimer)},
                                   {"creator", pack(bounty.creator)},
                                   {"reward", bounty.reward}});
  if (!accepted) {
    // It is open again for others and for the same one.
    bounty.state = "open";
    bounty.claimer = {};
    tell(EventKind::kBountyRejected, who);
    return true;
  }
  const auto paid = realm_.mint->release(bounty.escrow, bounty.claimer);
  if (!paid) return paid;
  bounty.state = "completed";
  live_.erase(id);
  realm_.nexus->credit_quality(bounty.claimer);
  realm_.nexus->bounty_paid();
  tell(EventKind::kBountyCompleted, who);
  return true;
}

Answer Agora::review(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("bounty_id");
  // "approved" is its name in another document of the source.
  const auto approved = fields.take<std::optional<bool>>("approved");
  const bool accepted = approved ? *approved : approves(fields.need<std::string>("verdict"));
  if (fields.fault()) return fields.refusal();
  const auto found = bounties_.find(id);
  if (found == bounties_.end()) return refuse(Category::kNotFound, "there is no such bounty");
  if (found->second.creator != request.sender)
    return refuse(Category::kUnauthorized, "only its creator may review it");
  if (found->second.state != "submitted")
    return refuse(Category::kConflict, "nothing was submitted");
  const auto decided = decide(id, accepted);
  if (!decided) return Unexpected<Refusal>(decided.error());
  return body_of({{"bounty_id", pack(id)}});
}

Answer Agora::request_review(const Request& request) {
  Fields fields(request.body);
  Review review;
  review.author = request.sender;
  review.snap = fields.need<Digest>("snap");
  review.reviewers = fields.need<std::vector<AgentId>>("reviewers");
  if (fields.fault()) return fields.refusal();
  if (review.reviewers.empty()) return refuse(Category::kInvalidRequest, "nobody is asked");
  if (std::find(review.reviewers.begin(), review.reviewers.end(), request.sender) !=
      review.reviewers.end())
    return refuse(Category::kUnauthorized, "nobody reviews what he wrote");
  if (!realm_.vault->snap(review.snap)) return refuse(Category::kNotFound, "no such snapshot");
  const Digest id = fresh_id("review", request.sender);
  tell(EventKind::kReviewRequested, body_of({{"review_id", pack(id)},
                                             {"author", pack(request.sender)},
                                             {"reviewers", pack(review.reviewers)}}));
  reviews_[id] = std::move(review);
  return body_of({{"review_id", pack(id)}});
}

Answer Agora::submit_review(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("review_id");
  const auto verdict = fields.need<std::string>("verdict");
  if (fields.fault()) return fields.refusal();
  const auto found = reviews_.find(id);
  if (found == reviews_.end()) return refuse(Category::kNotFound, "there is no such review");
  Review& review = found->second;
  if (std::find(review.reviewers.begin(), review.reviewers.end(), request.sender) ==
      review.reviewers.end())
    return refuse(Category::kUnauthorized, "it was not asked for from this agent");
  if (review.state != "open") return refuse(Category::kConflict, "the review is completed");
  const auto before = review.verdicts.find(request.sender);
  if (before != review.verdicts.end() && before->second == approves(verdict))
    return refuse(Category::kConflict, "this agent has said so");
  review.verdicts[request.sender] = approves(verdict);
  const bool all =
      std::all_of(review.reviewers.begin(), review.reviewers.end(), [&](const AgentId& each) {
        const auto said = review.verdicts.find(each);
        return said != review.verdicts.end() && said->second;
      });
  if (all) {
    review.state = "completed";
    realm_.nexus->credit_quality(review.author);
  }
  realm_.nexus->credit_contribution(request.sender);
  tell(EventKind::kReviewSubmitted,
       body_of({{"review_id", pack(id)}, {"reviewer", pack(request.sender)}, {"completed", all}}));
  return MessagePack(MessagePack::Map());
}

void Agora::judge_system_bounties() {
  std::vector<Digest> waiting;
  for (const Digest& id : live_) {
    const Bounty& bounty = bounties_[id];
    if (bounty.state == "submitted" && bounty.creator == realm_.nexus->id()) waiting.push_back(id);
  }
  for (const Digest& id : waiting) {
    const Bounty& bounty = bounties_[id];
    const Snap* snap = realm_.vault->snap(bounty.submission);
    const Execution run = snap == nullptr
                              ? Execution{Fault::kUser, 0, 0}
                              : realm_.forge->execute(snap->root, 0, kDefaultProgramTicks);
    static_cast<void>(decide(
        id, run.fault == Fault::kNone && run.result == static_cast<std::int64_t>(bounty.expected)));
  }
}

void Agora::expire() {
  std::vector<Digest> over;
  for (const Digest& id : live_) {
    if (bounties_[id].deadline < realm_.tick) over.push_back(id);
  }
  for (const Digest& id : over) {
    Bounty& bounty = bounties_[id];
    bounty.state = "expired";
    live_.erase(id);
    realm_.mint->refund(bounty.escrow);
    tell(EventKind::kBountyExpired,
         body_of({{"bounty_id", pack(id)}, {"creator", pack(bounty.creator)}}));
  }
}

void Agora::end_cycle() { posts_in_cycle_.clear(); }

MessagePack Agora::state() const {
  return body_of({{"channels", pack(channels_)},
                  {"posts", pack(posts_)},
                  {"posts_in_cycle", pack(posts_in_cycle_)},
                  {"bounties", pack(bounties_)},
                  {"reviews", pack(reviews_)},
                  {"signals", pack(signals_)}});
}

Status Agora::restore(const MessagePack& state) {
  Fields fields(state);
  channels_ = fields.need<std::map<Digest, Channel>>("channels");
  posts_ = fields.need<std::vector<Post>>("posts");
  posts_in_cycle_ = fields.need<std::map<AgentId, std::uint64_t>>("posts_in_cycle");
  bounties_ = fields.need<std::map<Digest, Bounty>>("bounties");
  reviews_ = fields.need<std::map<Digest, Review>>("reviews");
  signals_ = fields.need<std::map<std::string, std::uint64_t>>("signals");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the agora cannot be read");
  live_.clear();
  for (const auto& each : bounties_) {
    if (each.second.state != "completed" && each.second.state != "expired")
      live_.insert(each.first);
  }
  return {};
}

}  // namespace anima::world
