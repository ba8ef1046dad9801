// A certificate of erasure: what was forgotten, told so that it can be checked later.
//
// On disk, never change: JSON
// {"anima_certificate_of_erasure":2,"asked","by","time","space","reason","statements","things",
// "values","records","attachments","stays","entries":[[sequence, hash, left], ..],
// "keys_destroyed","not_touched","searched","backups","backups_note","archives","record","proof",
// "checkpoint","signature"}. `record` is the log's entry that tells of it (entry_to_json()),
// `proof` its place in the tree, `checkpoint` the tree's root, signed with the key of the space.
// `asked`, what the person named, stands in the certificate alone: the log keeps digests of it.
// `backups_note` says why `backups` may be too short, or nothing. `signature`, by the checkpoint's
// key, is over the line "anima certificate of erasure 2" and sorted_json() of everything else, so
// that nothing can be changed, added or left out. Version 1 had neither it nor `backups_note`: what
// it says beside the record is nobody's word. A record of version 2 (store/forget.cc) has only
// certificates of version 2. Thread-safety: functions without state.
// Source: DATA.md 9.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"
#include "store/forget.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store {

struct CertificateRequest {
  Sequence entry = Sequence::kNone;           // that tells of the forgetting
  std::string asked;                          // what the person named, or its digests
  std::vector<std::string> keys_destroyed;    // beside it
  std::vector<std::string> not_touched = {};  // things of a like name, which were not asked for
  // What was searched for the names afterwards: a list of {"place","how","files","left"}.
  Json searched = Json::array();
};

// What a certificate will need, asked before anything is taken: the note of backups can be read,
// and the signing key is here; it is made when there is none. Errors: kCorrupt (the key is missing,
// or not what it was), kIo, kDiskFull.
Status prepare_certificate(Space& space, const Origin& origin, FileSystem& files, Random& random);

// Signs with the key of the space, which is made when there is none. Errors: kNotFound (the entry
// tells of no forgetting), those of obtain_signing_key() and make_checkpoint().
Result<Json> make_certificate(Space& space, const CertificateRequest& request, const Origin& origin,
                              FileSystem& files, Random& random);

struct CertificateCheck {
  Sequence entry = Sequence::kNone;
  std::uint64_t entries = 0;  // that were changed
  PublicKey key{};            // that signed it
  bool signed_whole = false;  // false for version 1
};

// That the certificate says what its record says, that its proof and its signatures hold, and,
// where a log is given, that this log tells of the same forgetting and that every entry named has
// still lost what it lost (verify_log() with its checkpoint). Errors: kCorrupt, kSyntax, kNotFound,
// kVersionMismatch.
Result<CertificateCheck> verify_certificate(const Json& certificate, Log* log);

// The certificate as a page of plain text.
std::string certificate_text(const Json& certificate);

}  // namespace anima::store
