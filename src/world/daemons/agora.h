// The agora: channels and messages, signals, bounties with their money in escrow, and reviews.
// Source: governance_and_runtime 2.8. Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"

namespace anima::world {

inline constexpr std::uint64_t kPostsPerCycle = 10;

struct Bounty {
  AgentId creator{};
  std::string title;
  std::uint64_t reward = 0;
  std::uint64_t difficulty = 0;
  std::uint64_t deadline = 0;
  std::uint64_t expected = 0;  // what the program asked for has to leave
  std::vector<std::string> tags;
  std::string state = "open";
  AgentId claimer{};
  Digest submission{};
  Digest escrow{};
  ANIMA_FIELDS(ANIMA_FIELD(creator) ANIMA_FIELD(title) ANIMA_FIELD(reward) ANIMA_FIELD(difficulty)
                   ANIMA_FIELD(deadline) ANIMA_FIELD(expected) ANIMA_FIELD(tags) ANIMA_FIELD(state)
                       ANIMA_FIELD(claimer) ANIMA_FIELD(submission) ANIMA_FIELD(escrow))
};
struct Channel {
  std::string name;
  AgentId creator{};
  std::map<Digest, bool> contents;  // hashes of what was said in it
  ANIMA_FIELDS(ANIMA_FIELD(name) ANIMA_FIELD(creator) ANIMA_FIELD(contents))
};
struct Post {
  AgentId author{};
  Digest channel{};
  std::string content;
  std::uint64_t tick = 0;
  ANIMA_FIELDS(ANIMA_FIELD(author) ANIMA_FIELD(channel) ANIMA_FIELD(content) ANIMA_FIELD(tick))
};
struct Review {
  AgentId author{};
  Digest snap{};
  std::vector<AgentId> reviewers;
  std::map<AgentId, bool> verdicts;
  std::string state = "open";
  ANIMA_FIELDS(ANIMA_FIELD(author) ANIMA_FIELD(snap) ANIMA_FIELD(reviewers) ANIMA_FIELD(verdicts)
                   ANIMA_FIELD(state))
};

class Agora final : public Daemon {
 public:
  Agora(Realm& realm, std::string_view secret) : Daemon(realm, System::kAgora, secret) {}

  // A bounty of the treasury. Refusals: those of the mint.
  Or<Digest> post_system_bounty(std::string title, std::uint64_t reward, std::uint64_t difficulty,
                                std::uint64_t expected, std::vector<std::string> tags,
                                std::uint64_t deadline);
  // The nexus looks at what came for bounties of the treasury: it runs the program.
  void judge_system_bounties();
  void expire();
  void end_cycle();
  const std::map<Digest, Bounty>& bounties() const { return bounties_; }

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer post(const Request& request);
  Answer query(const Request& request);
  Answer signal(const Request& request);
  Answer create(const Request& request);
  Answer claim(const Request& request);
  Answer submit(const Request& request);
  Answer review(const Request& request);
  Answer request_review(const Request& request);
  Answer submit_review(const Request& request);
  Or<Digest> add(Bounty bounty);
  Or<bool> decide(const Digest& id, bool accepted);

  std::map<Digest, Channel> channels_;
  std::vector<Post> posts_;  // the newest kPosts
  std::map<AgentId, std::uint64_t> posts_in_cycle_;
  std::map<Digest, Bounty> bounties_;
  std::set<Digest> live_;  // bounties that are neither completed nor expired
  std::map<Digest, Review> reviews_;
  std::map<std::string, std::uint64_t> signals_;  // by target and kind
};

}  // namespace anima::world
