#include "world/daemons/vault.h"

#include <algorithm>

#include "world/daemons/nexus.h"

namespace anima::world {
namespace {

constexpr std::uint64_t kMostEntries = 50;

}  // namespace

const Snap* Vault::snap(const Digest& id) const {
  const auto found = snaps_.find(id);
  return found == snaps_.end() ? nullptr : &found->second;
}

const std::string* Vault::object(const Digest& id) const {
  const auto found = objects_.find(id);
  return found == objects_.end() ? nullptr : &found->second.bytes;
}

Answer Vault::handle(const Request& request) {
  Fields fields(request.body);
  switch (request.type) {
    case Message::kRepoCreate:
      return create_repository(request);
    case Message::kSnapCreate:
      return create_snap(request);
    case Message::kSnapGet: {
      const auto id = fields.need<Digest>("snap_id");
      if (fields.fault()) return fields.refusal();
      if (snap(id) == nullptr) return refuse(Category::kNotFound, "there is no such snapshot");
      return pack(*snap(id));
    }
    case Message::kObjectGet: {
      const auto id = fields.need<Digest>("object_id");
      if (fields.fault()) return fields.refusal();
      if (object(id) == nullptr) return refuse(Category::kNotFound, "there is no such object");
      return body_of({{"data", Binary{*object(id)}}});
    }
    case Message::kObjectPut:
      return put(request);
    case Message::kMerge:
      return merge(request);
    case Message::kChainCreate:
    case Message::kChainAdvance:
      return move_chain(request, request.type == Message::kChainCreate);
    case Message::kTagCreate:
      return tag(request);
    case Message::kDependencyAdd:
      return depend(request);
    case Message::kRegistryQuery:
      return registry(request);
    default:
      return refuse(Category::kInvalidRequest, "the vault does not answer that");
  }
}

Answer Vault::put(const Request& request) {
  Fields fields(request.body);
  const auto type = fields.need<std::uint8_t>("type_tag");
  auto data = fields.need<Binary>("data");
  if (fields.fault()) return fields.refusal();
  if (type < 1 || type > 7)
    return refuse(Category::kInvalidRequest, "the types of objects are 1 to 7");
  if (data.bytes.size() > kMaxObjectBytes)
    return refuse(Category::kQuotaExceeded, "an object takes 1,000,000 bytes at most");
  const Digest id = Sha256().update(big_endian(type, 1)).update(data.bytes).finish();
  if (add(id, std::move(data)))
    tell(EventKind::kObjectStored,
         body_of({{"object_id", pack(id)}, {"author", pack(request.sender)}}));
  return body_of({{"object_id", pack(id)}});
}

Answer Vault::create_snap(const Request& request) {
  Fields fields(request.body);
  Snap fresh;
  fresh.parent = fields.take<std::optional<Digest>>("parent");
  fresh.root = fields.need<Digest>("root");
  fresh.author = fields.need<AgentId>("author");
  fresh.message = fields.need<std::string>("message");
  fresh.tick = realm_.tick;
  if (fields.fault()) return fields.refusal();
  if (fresh.author != request.sender)
    return refuse(Category::kUnauthorized, "the author is not the sender");
  if (object(fresh.root) == nullptr) return refuse(Category::kNotFound, "the root is not there");
  if (fresh.parent && snap(*fresh.parent) == nullptr)
    return refuse(Category::kNotFound, "the parent is not there");
  const Digest id = sha256(pack(fresh).encode());
  add(id, fresh);
  realm_.nexus->credit_contribution(request.sender);
  tell(EventKind::kSnapCreated, body_of({{"snap_id", pack(id)}, {"author", pack(request.sender)}}));
  return body_of({{"snap_id", pack(id)}});
}

bool Vault::add(const Digest& id, Binary object) {
  const Digest content = sha256(object.bytes);
  if (!objects_.emplace(id, std::move(object)).second) return false;
  added_ =
      Sha256().update(bytes_of(added_)).update(bytes_of(id)).update(bytes_of(content)).finish();
  fresh_.push_back(id);
  return true;
}

bool Vault::add(const Digest& id, const Snap& snap) {
  if (!snaps_.emplace(id, snap).second) return false;
  const Digest content = sha256(pack(snap).encode());
  added_ =
      Sha256().update(bytes_of(added_)).update(bytes_of(id)).update(bytes_of(content)).finish();
  fresh_.push_back(id);
  return true;
}

Answer Vault::merge(const Request& request) {
  Fields fields(request.body);
  const auto base = fields.need<Digest>("base");
  const auto left = fields.need<Digest>("left");
  const auto right = fields.need<Digest>("right");
  if (fields.fault()) return fields.refusal();
  const Snap *origin = snap(base), *ours = snap(left), *theirs = snap(right);
  if (origin == nullptr || ours == nullptr || theirs == nullptr)
    return refuse(Category::kNotFound, "there is no such snapshot");
  // A snapshot has one root: who did not change it gives way.
  const bool conflict =
      ours->root != theirs->root && ours->root != origin->root && theirs->root != origin->root;
  const Digest result = conflict ? base : ours->root != origin->root ? left : right;
  return body_of({{"result", pack(result)}, {"conflicts", std::uint64_t{conflict ? 1U : 0U}}});
}

Answer Vault::create_repository(const Request& request) {
  Fields fields(request.body);
  Repository fresh;
  fresh.name = fields.need<std::string>("name");
  fresh.owner = request.sender;
  fresh.access_policy = fields.take<std::string>("access_policy", "public");
  if (fields.fault()) return fields.refusal();
  for (const auto& each : repositories_) {
    if (each.second.owner == request.sender && each.second.name == fresh.name)
      return refuse(Category::kConflict, "this agent has a repository of that name");
  }
  const Digest id = fresh_id("repository", request.sender);
  tell(EventKind::kRepoCreated,
       body_of({{"repo_id", pack(id)}, {"owner", pack(request.sender)}, {"name", fresh.name}}));
  repositories_[id] = std::move(fresh);
  return body_of({{"repo_id", pack(id)}});
}

Or<Repository*> Vault::own(const Digest& id, const AgentId& sender) {
  const auto found = repositories_.find(id);
  if (found == repositories_.end())
    return refuse(Category::kNotFound, "there is no such repository");
  if (found->second.owner != sender)
    return refuse(Category::kUnauthorized, "only its owner may write to it");
  return &found->second;
}

Answer Vault::move_chain(const Request& request, bool create) {
  Fields fields(request.body);
  const auto repo = fields.need<Digest>("repo");
  const auto name = fields.need<std::string>(create ? "name" : "chain_name");
  const auto head = fields.need<Digest>(create ? "from_snap" : "new_head");
  if (fields.fault()) return fields.refusal();
  const auto owned = own(repo, request.sender);
  if (!owned) return Unexpected<Refusal>(owned.error());
  if (snap(head) == nullptr) return refuse(Category::kNotFound, "there is no such snapshot");
  if ((*owned)->chains.contains(name) == create)
    return create ? refuse(Category::kConflict, "there is a chain of that name")
                  : refuse(Category::kNotFound, "there is no such chain");
  (*owned)->chains[name] = head;
  tell(EventKind::kChainMoved,
       body_of({{"repo", pack(repo)}, {"chain", name}, {"head", pack(head)}}));
  return MessagePack(MessagePack::Map());
}

Answer Vault::tag(const Request& request) {
  Fields fields(request.body);
  const auto repo = fields.need<Digest>("repo");
  const auto name = fields.need<std::string>("name");
  const auto target = fields.need<Digest>("target");
  if (fields.fault()) return fields.refusal();
  const auto owned = own(repo, request.sender);
  if (!owned) return Unexpected<Refusal>(owned.error());
  if (snap(target) == nullptr) return refuse(Category::kNotFound, "there is no such snapshot");
  if (!(*owned)->tags.emplace(name, target).second)
    return refuse(Category::kConflict, "a tag never moves");
  tell(EventKind::kTagCreated,
       body_of({{"repo", pack(repo)}, {"name", name}, {"target", pack(target)}}));
  // Who depends on it hears of it.
  for (const auto& each : repositories_) {
    const auto& on = each.second.depends_on;
    if (std::find(on.begin(), on.end(), repo) == on.end()) continue;
    notify(each.second.owner, Message::kDependencyNotify,
           body_of({{"repo", pack(each.first)}, {"on", pack(repo)}, {"tag", name}}));
  }
  return MessagePack(MessagePack::Map());
}

Answer Vault::depend(const Request& request) {
  Fields fields(request.body);
  const auto repo = fields.need<Digest>("repo");
  const auto on = fields.need<Digest>("on");
  if (fields.fault()) return fields.refusal();
  const auto owned = own(repo, request.sender);
  if (!owned) return Unexpected<Refusal>(owned.error());
  if (!repositories_.contains(on)) return refuse(Category::kNotFound, "no such repository");
  std::vector<Digest>& list = (*owned)->depends_on;
  if (on == repo || std::find(list.begin(), list.end(), on) != list.end())
    return refuse(Category::kConflict, "it depends on that already");
  list.push_back(on);
  realm_.nexus->dependency_made();
  tell(EventKind::kDependencyAdded, body_of({{"repo", pack(repo)}, {"on", pack(on)}}));
  return MessagePack(MessagePack::Map());
}

Answer Vault::registry(const Request& request) {
  Fields fields(request.body);
  const auto text = fields.take<std::string>("text_match");
  const auto limit = fields.take<std::uint64_t>("limit", kMostEntries);
  if (fields.fault()) return fields.refusal();
  MessagePack::Array entries;
  for (const auto& each : repositories_) {
    if (entries.size() == std::min(limit, kMostEntries)) break;
    if (each.second.tags.empty() || each.second.name.find(text) == std::string::npos) continue;
    entries.push_back(body_of({{"repo", pack(each.first)},
                               {"name", each.second.name},
                               {"owner", pack(each.second.owner)}}));
  }
  return body_of({{"entries", MessagePack(std::move(entries))}});
}

MessagePack Vault::additions() const {
  if (fresh_.empty()) return {};
  std::vector<Added> added;
  for (const Digest& id : fresh_) {
    Added& each = added.emplace_back();
    each.id = id;
    if (const auto found = snaps_.find(id); found != snaps_.end()) {
      each.snap = found->second;
    } else {
      each.object = objects_.at(id);
    }
  }
  return pack(added);
}

Status Vault::add_back(const MessagePack& additions) {
  std::vector<Added> added;
  if (!unpack_to(additions, added))
    return fail(ErrorCode::kCorrupt, "the objects of the vault cannot be read");
  for (Added& each : added) {
    if (each.snap) {
      add(each.id, *each.snap);
    } else if (each.object) {
      add(each.id, std::move(*each.object));
    }
  }
  settle();
  return {};
}

MessagePack Vault::state() const {
  return body_of({{"added", pack(added_)}, {"repositories", pack(repositories_)}});
}

Status Vault::restore(const MessagePack& state) {
  Fields fields(state);
  const auto added = fields.need<Digest>("added");
  repositories_ = fields.need<std::map<Digest, Repository>>("repositories");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the vault cannot be read");
  if (added != added_)
    return fail(ErrorCode::kCorrupt, "the objects of the vault are not those that were written");
  return {};
}

}  // namespace anima::world
