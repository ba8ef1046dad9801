// Mail as turns: who wrote what, when, in which thread. Headers are unfolded and decoded, the first
// readable part is taken (plain text before HTML), quotations and signatures are left out
// (own_words.h).
//
// Bodies: 7bit, 8bit, quoted-printable, base64; UTF-8, ASCII, Latin-1, Windows-1252. Parts within
// parts to a depth of 8, at most 64 of them. Nothing attached is opened: its name is the turn's
// attachment. Thread-safety: pure. Complexity: O(bytes x depth). Source: RFC 5322, RFC 2045 to
// 2047, RFC 4155 (mbox).
#pragma once

#include <string>
#include <string_view>

#include "load/talk.h"

namespace anima::load {

bool looks_like_mail(std::string_view text);
bool looks_like_mbox(std::string_view text);
Talk read_mail(std::string_view text, const std::string& file);
Talk read_mbox(std::string_view text, const std::string& file);

}  // namespace anima::load
