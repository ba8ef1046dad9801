#include "memory/detail/forgotten_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "memory/detail/item_store.h"
#include "memory/detail/provenance_codec.h"
#include "memory/provenance.h"

namespace anima::memory::detail {
namespace {

using store::RecordFate;
using store::RecordKind;

// Of a load, the second text holds numbers of things and rows alone: no value is one of them.
bool counts_rows(const ProvenanceRecord& record) { return record.kind == ProvenanceKind::kLoaded; }

Result<RecordFate> judge_provenance(std::string_view payload, const ForgottenNames& names,
                                    const std::set<std::string>& items,
                                    const store::IsForgotten& gone, bool whole) {
  Result<std::vector<ProvenanceRecord>> decoded = decode_provenance(payload);
  RecordFate fate;
  if (!decoded) {
    fate.note = "a record of provenance that cannot be read";
    return fate;
  }
  bool changed = false;
  for (ProvenanceRecord& record : *decoded) {
    const bool about = whole || gone(record.derived) ||
                       std::any_of(record.sources.begin(), record.sources.end(), gone) ||
                       names.in(record.text) || (!counts_rows(record) && names.in(record.text2)) ||
                       names.in(record.speaker) || items.contains(record.text2);
    if (!about || (record.text.empty() && record.text2.empty() && record.speaker.empty())) continue;
    record.text.clear();
    record.text2.clear();
    record.speaker.clear();
    changed = true;
  }
  if (!changed) return fate;
  fate.kind = RecordFate::Kind::kChanges;
  fate.text = encode_provenance(*decoded);
  return fate;
}

RecordFate goes() {
  RecordFate fate;
  fate.kind = RecordFate::Kind::kGoes;
  return fate;
}

RecordFate stays(Naming naming) {
  RecordFate fate;
  if (naming == Naming::kInDoubt) fate.note = "a record that may name it, or another thing";
  return fate;
}

}  // namespace

// Sealed members of every object, in the form of govern/ledger/sealed_members.h.
Status RecordJudge::open_sealed(Json& value, Opened& opened) const {
  if (value.is_array()) {
    for (Json& each : value.as_array()) ANIMA_TRY(open_sealed(each, opened));
    return {};
  }
  if (!value.is_object()) return {};
  for (JsonMember& member : value.as_object()) ANIMA_TRY(open_sealed(member.second, opened));
  const auto bytes = from_base64url(text_member(value, "sealed"));
  const std::string seal = text_member(value, "seal");
  if (!bytes || seal.empty()) return {};
  ANIMA_ASSIGN(const store::UnsealedText text, space_.unseal({seal, *bytes}));
  opened.sealed_away = opened.sealed_away || text.state == store::SealState::kSealed;
  if (text.state != store::SealState::kOpen) return {};
  const auto inside = parse_json(text.text);
  const std::string without =
      inside ? names_.evidence_without(*inside).dump() : names_.without(text.text);
  if (inside ? without == inside->dump() : without == text.text) return {};
  opened.named = true;
  if (dry_) return {};
  ANIMA_ASSIGN(const store::SealedText again,
               space_.seal(seal.substr(0, seal.rfind('#')), without));
  value.set("seal", again.seal);
  value.set("sealed", to_base64url(again.bytes));
  return {};
}

Result<RecordJudge::Opened> RecordJudge::without_names(const Json& record) const {
  Opened opened;
  opened.json = names_.evidence_without(record);
  opened.named = !(opened.json == record);
  ANIMA_TRY(open_sealed(opened.json, opened));
  return opened;
}

Result<Naming> RecordJudge::naming(std::string_view payload) const {
  const Naming naming = names_.judge_payload(payload);
  if (naming == Naming::kNames) return naming;
  auto json = parse_json(payload);
  if (!json) return naming;
  const RecordJudge looking(space_, names_, {}, true);
  Opened opened;
  ANIMA_TRY(looking.open_sealed(*json, opened));
  return opened.named ? Naming::kNames : naming;
}

Result<RecordFate> RecordJudge::judge_evidence(std::string_view payload) const {
  RecordFate fate;
  const auto json = parse_json(payload);
  if (!json) {
    if (!names_.in(payload)) return fate;
    fate.kind = RecordFate::Kind::kChanges;
    fate.text = names_.without(payload);
    return fate;
  }
  ANIMA_ASSIGN(const Opened opened, without_names(*json));
  if (opened.sealed_away) fate.note = "a record is sealed under a key that is not here";
  if (!opened.named) {
    if (fate.note.empty()) fate.note = stays(names_.judge_payload(payload)).note;
    return fate;
  }
  fate.kind = RecordFate::Kind::kChanges;
  fate.text = opened.json.dump();
  return fate;
}

Result<RecordFate> RecordJudge::judge_closed(std::string_view payload) const {
  if (items_.contains(item_of_record(payload))) return goes();
  const Naming naming = names_.judge_payload(payload);
  RecordFate fate = stays(naming);
  if (naming == Naming::kNames)
    fate.note = "a memory that was written meanwhile names it: forget it again";
  return fate;
}

Result<RecordFate> RecordJudge::judge(RecordKind kind, std::string_view payload,
                                      const store::IsForgotten& gone, bool whole) const {
  switch (kind) {
    case RecordKind::kProvenance:
      return judge_provenance(payload, names_, items_, gone, whole);
    case RecordKind::kQuarantine:
      return judge_closed(payload);
    case RecordKind::kModelAnswer:
    case RecordKind::kToolOutput:
    case RecordKind::kEvent:
    case RecordKind::kSession:
    case RecordKind::kRun:
    case RecordKind::kCall: {
      ANIMA_ASSIGN(const Naming named, naming(payload));
      return whole || named == Naming::kNames ? goes() : stays(named);
    }
    case RecordKind::kKeyRotation:
    case RecordKind::kUndo:
      return RecordFate();
    default:
      return judge_evidence(payload);
  }
}

}  // namespace anima::memory::detail
