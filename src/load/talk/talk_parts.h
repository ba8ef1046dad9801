// What the readers of conversations share: names of files, ids made of contents, lenient JSON.
//
// Thread-safety: pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json/json.h"
#include "load/talk.h"

namespace anima::load {

// "chats/general/2023-05-08.json": "2023-05-08", and its folder "general".
std::string stem_of(std::string_view file);
std::string folder_of(std::string_view file);

// Twelve hexadecimal digits of the parts' hash.
std::string content_id(std::initializer_list<std::string_view> parts);

// The first of these members that is there, or null.
const Json* member_of(const Json& object, std::initializer_list<std::string_view> names);
// A text; a number as it is written; of a list of parts the texts, each on a line; else empty.
std::string words_in(const Json* value);
// Of parts of a message those that are texts, not thoughts, calls of tools and what these gave.
std::string said_in(const Json* value);
// The names of files that were sent along, or empty.
std::string names_of_files(const Json* files);
// "human" is the user.
std::string speaker_of_role(const std::string& role);
// Unless it is blank and nothing was sent along.
void add_turn(Talk& talk, memory::Turn turn);
// RFC 3339, "2023-05-08 13:56:00", or seconds or milliseconds since 1970, as a number or text.
std::optional<Timestamp> time_in(const Json* value);
std::optional<Timestamp> time_in_text(std::string_view text);
// The same as the time of a turn, with the offset of the speaker's clock where it is written.
void set_time(memory::Turn& turn, const Json* value);

// Nothing for a date or time that no calendar or clock has.
std::optional<Timestamp> civil_time(int year, int month, int day, int hour, int minute, int second);

}  // namespace anima::load
