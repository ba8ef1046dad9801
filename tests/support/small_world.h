// The daemons of a world without its clock, files and store, for one agent that a test drives.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json/message_pack_fields.h"
#include "world/daemons/agora.h"
#include "world/daemons/forge.h"
#include "world/daemons/mint.h"
#include "world/daemons/nexus.h"
#include "world/daemons/oracle.h"
#include "world/daemons/portal.h"
#include "world/daemons/vault.h"
#include "world/runtime.h"

namespace anima::test {

struct SentMessage {
  world::Message type{};
  world::System to{};
  MessagePack body;
};

class SmallWorld {
 public:
  explicit SmallWorld(world::Mind& mind) {
    realm.nexus = &nexus;
    realm.vault = &vault;
    realm.agora = &agora;
    realm.oracle = &oracle;
    realm.forge = &forge;
    realm.mint = &mint;
    realm.portal = &portal;
    for (const world::Daemon* each : daemons_) nexus.introduce(each->identity().key.public_key);
    mint.found(8);
    portal.open(
        [](const std::string&, const std::string& url) -> Result<world::WebPage> {
          return world::WebPage{200, "text/plain", "the page of " + url, {}, false};
        },
        {"example.org"}, nullptr);
    realm.deliver = [this](const world::AgentId& to, std::string frame) {
      frames.push_back(frame);
      runtime->receive(to, frame);
    };
    world::Surroundings around;
    around.post = [this](world::System system, const std::string& frame) {
      return post(system, frame);
    };
    around.daemon = [this](world::System system) { return daemon(system)->id(); };
    around.introduce = [this](const PublicKey& key) { nexus.introduce(key); };
    around.keys = keys();
    around.bus = &bus;
    around.mind = &mind;
    around.now = &realm.tick;
    around.random = &random_;
    around.warn = [this](const std::string& text) { warnings.push_back(text); };
    runtime = std::make_unique<world::Runtime>(std::move(around));
  }
  SmallWorld(const SmallWorld&) = delete;
  SmallWorld& operator=(const SmallWorld&) = delete;

  world::KeyBook keys() const {
    return [this](const world::AgentId& id) { return nexus.key_of(id); };
  }

  void begin_cycle(std::uint64_t cycle) {
    realm.cycle = cycle;
    realm.tick = cycle * world::kTicksPerCycle;
    nexus.begin_cycle({});
  }

  world::EventBus bus;
  world::Realm realm = realm_on(bus);
  world::Nexus nexus{realm, {}};
  world::Vault vault{realm, {}};
  world::Agora agora{realm, {}};
  world::Oracle oracle{realm, {}};
  world::Forge forge{realm, {}};
  world::Mint mint{realm, {}};
  world::Portal portal{realm, {}};
  std::unique_ptr<world::Runtime> runtime;
  std::vector<SentMessage> sent;    // by agents
  std::vector<std::string> frames;  // of everybody
  std::vector<std::string> warnings;

 private:
  static world::Realm realm_on(world::EventBus& bus) {
    world::Realm realm;
    realm.bus = &bus;
    return realm;
  }

  world::Daemon* daemon(world::System system) {
    return *std::find_if(daemons_.begin(), daemons_.end(),
                         [&](const world::Daemon* each) { return each->system() == system; });
  }

  std::optional<std::string> post(world::System system, const std::string& frame) {
    world::Daemon* const target = daemon(system);
    world::ReplayGuard fresh;
    const world::Opened opened = world::open_envelope(frame, target->id(), keys(), fresh);
    if (opened.envelope)
      sent.push_back({static_cast<world::Message>(opened.envelope->type), system,
                      *decode_message_pack(opened.envelope->body)});
    frames.push_back(frame);
    auto reply = target->receive(frame);
    if (reply) frames.push_back(*reply);
    return reply;
  }

  std::vector<world::Daemon*> daemons_{&nexus, &vault, &agora, &oracle, &forge, &mint, &portal};
  SeededRandom random_{1};
};

}  // namespace anima::test
