// anima compartment sign, verify, accept, keys: signed packs and whose are trusted.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "memory/compartments/pack_signature.h"

namespace anima::cli {
namespace {

int run_sign(Context& context, Arguments arguments) {
  std::string directory, path;
  bool fresh = false;
  Options options;
  options.positional("DIR", directory, "the compartment's folder").required();
  options.value("--key FILE", path, "the secret key").required();
  options.flag("--new-key", fresh, "make the key first");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  SystemRandom random;
  const auto key = fresh ? memory::make_pack_key(context.files, path, random)
                         : memory::read_pack_key(context.files, path);
  if (!key) return context.fail(key.error());
  if (Status done = memory::sign_pack(context.files, directory, *key); !done) {
    return context.fail(done.error());
  }
  const std::string shown = to_hex(key->public_key);
  if (context.json) {
    context.print_json(Json::object({{"directory", directory}, {"key", shown}}));
  } else {
    context.print(
        fmt::format("signed {}\nthe public key is {}\nwho trusts it: anima compartment "
                    "accept {}\n",
                    directory, shown, shown));
  }
  return kDone;
}

Result<std::vector<memory::AcceptedKey>> accepted_keys(Context& context) {
  ANIMA_ASSIGN(const auto space, open_space(context, Access::kRead));
  return memory::read_accepted_keys(context.files, space->folder());
}

int run_compartment_pack_verify(Context& context, Arguments arguments) {
  std::string directory;
  Options options;
  options.positional("DIR", directory, "the compartment's folder").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto manifest = memory::read_manifest(directory);
  if (!manifest) return context.fail(manifest.error());
  const auto content = memory::read_content(context.files, *manifest);
  if (!content) return context.fail(content.error());
  const auto signer = memory::check_pack(context.files, *manifest, *content);
  if (!signer) return context.fail(signer.error());
  const auto keys = accepted_keys(context);
  bool accepted = false;
  for (const auto& key : keys.value_or(std::vector<memory::AcceptedKey>())) {
    accepted = accepted || (*signer && key.key == **signer);
  }
  const std::string shown = *signer ? to_hex(**signer) : "";
  if (context.json) {
    context.print_json(Json::object({{"id", manifest->id},
                                     {"signed", signer->has_value()},
                                     {"key", *signer ? Json(shown) : Json()},
                                     {"accepted", accepted}}));
  } else if (!*signer) {
    context.print(fmt::format("{} is not signed: loaded, its trust is standard\n", manifest->id));
  } else {
    context.print(fmt::format("{} is as {} signed it: loaded, its trust is {}\n", manifest->id,
                              shown, accepted ? "verified" : "standard (the key is not accepted)"));
  }
  return kDone;
}

int run_accept(Context& context, Arguments arguments) {
  std::string text, name;
  bool remove = false;
  Options options;
  options.positional("KEY", text, "the public key, 64 hexadecimal digits").required();
  options.value("--name TEXT", name, "whose it is");
  options.flag("--remove", remove, "accept it no longer");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto key = memory::public_key_from_hex(text);
  if (!key) return context.fail(key.error());
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  auto keys = memory::read_accepted_keys(context.files, (*space)->folder());
  if (!keys) return context.fail(keys.error());
  const auto known =
      std::find_if(keys->begin(), keys->end(), [&](const auto& each) { return each.key == *key; });
  if (remove && known == keys->end()) {
    return context.fail(
        {ErrorCode::kNotFound, "this key is not accepted", text, "see: anima compartment keys"});
  }
  if (known != keys->end()) keys->erase(known);
  if (!remove) keys->push_back({*key, std::string(trim(name))});
  if (Status done = memory::write_accepted_keys(context.files, (*space)->folder(), *keys); !done) {
    return context.fail(done.error());
  }
  if (context.json) {
    context.print_json(Json::object({{"key", to_hex(*key)}, {"accepted", !remove}}));
  } else {
    context.print(fmt::format("{} is {}accepted\n", to_hex(*key), remove ? "no longer " : ""));
  }
  return kDone;
}

int run_keys(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto keys = accepted_keys(context);
  if (!keys) return context.fail(keys.error());
  Json list = Json::array();
  Table table({"key", "name"});
  for (const memory::AcceptedKey& key : *keys) {
    list.push_back(Json::object({{"key", to_hex(key.key)}, {"name", key.name}}));
    table.add({to_hex(key.key), key.name});
  }
  if (context.json) {
    context.print_json(list);
  } else {
    context.print(table.empty() ? "No key is accepted. Accept one: anima compartment accept KEY\n"
                                : table.render(context));
  }
  return kDone;
}

}  // namespace

extern const Verb kCompartmentSign, kCompartmentVerify, kCompartmentAccept, kCompartmentKeys;
const Verb kCompartmentSign{"compartment sign",
                            Group::kKnowledge,
                            "signs a compartment's folder",
                            "DIR --key FILE [--new-key]",
                            "anima compartment sign ./astronomy --key ~/pack.key --new-key",
                            run_sign};
const Verb kCompartmentVerify{"compartment verify",
                              Group::kKnowledge,
                              "checks a signed folder without loading it",
                              "DIR",
                              "anima compartment verify ./astronomy",
                              run_compartment_pack_verify};
const Verb kCompartmentAccept{"compartment accept",
                              Group::kKnowledge,
                              "trusts the packs that a key signed as verified",
                              "KEY [--name TEXT] [--remove]",
                              "anima compartment accept "
                              "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                              run_accept};
const Verb kCompartmentKeys{"compartment keys",           Group::kKnowledge,
                            "the keys that are accepted", "",
                            "anima compartment keys",     run_keys};

}  // namespace anima::cli
