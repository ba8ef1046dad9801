// How a turn of a conversation lies in the graph: an Event (the type of KIP's genesis) whose
// summary is what was said, with who said it, when, in which session, and what went with it.
//
//   {type: "Event", name: "<session>#<id>"}
//     event_class      "Conversation"
//     content_summary  the words
//     start_time       RFC 3339
//     participants     ["Ada"]: who said it
//     session          what its neighbours share
//     attachment       the caption of what was sent along; from the second line on, words that
//                      find it and are not shown
//     mentioned        names, addresses and links in it
//     mentioned_days   what "last week" means here: ["2023-05-01/2023-05-07"]
//     consolidation_status  "pending", until sleep has looked at it
//
// Thread-safety: constant data. Source: KIP specification, the type Event; issue 19, "Ingest".
#pragma once

#include <string_view>

namespace anima::memory {

inline constexpr std::string_view kEventType = "Event";
inline constexpr std::string_view kEventClass = "event_class";
inline constexpr std::string_view kEventText = "content_summary";
inline constexpr std::string_view kEventTime = "start_time";
inline constexpr std::string_view kEventParticipants = "participants";
inline constexpr std::string_view kEventSession = "session";
inline constexpr std::string_view kEventAttachment = "attachment";
inline constexpr std::string_view kEventMentioned = "mentioned";
inline constexpr std::string_view kEventDays = "mentioned_days";
inline constexpr std::string_view kEventConsolidation = "consolidation_status";

}  // namespace anima::memory
