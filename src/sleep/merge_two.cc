#include "sleep/merge_two.h"

#include "base/json/json_member.h"
#include "kip/engine.h"
#include "sleep/evidence/reading.h"

namespace anima::sleep {

Result<Json> merge_two(const std::shared_ptr<store::Space>& space, const store::Origin& who,
                       store::EntityId kept, store::EntityId other) {
  ANIMA_ASSIGN(const store::Snapshot now, space->snapshot());
  const detail::Reading reading(now);
  for (const store::EntityId item : {kept, other}) {
    if (!reading.is_concept(item))
      return fail(ErrorCode::kNotFound, "there is no such thing", reading.id(item));
    if (reading.is_protected(item))
      return fail(ErrorCode::kDenied, "it is protected", reading.title(item));
  }
  ANIMA_ASSIGN(const auto engine, kip::Engine::open(space));
  kip::Caller caller;
  caller.origin = who;
  const Json answer = engine->execute(
      "MERGE CONCEPT ?other INTO ?kept WHERE { ?other {id: :other} ?kept {id: :kept} }",
      Json::object({{"other", reading.id(other)}, {"kept", reading.id(kept)}}), caller);
  if (const Json* error = answer.find("error")) {
    return fail(ErrorCode::kDenied, text_member(*error, "message"), reading.title(other),
                text_member(*error, "hint"));
  }
  const Json* result = answer.find("result");
  return result == nullptr ? Json() : *result;
}

}  // namespace anima::sleep
