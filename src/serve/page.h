// The page of the server, for people: static files that the program carries (web/dist, made from
// web/src). They tell nothing of a space, so they are given without a token; what the page shows it
// asks /v1 for, with the token of who looks at it.
//
// The files come with headers that let the page run its own script and style and talk to its own
// server, and nothing else. Thread-safety: functions of constant data.
#pragma once

#include <optional>

#include "serve/http/message.h"

namespace anima::serve {

// Nullopt where the request is for none of the files, or came to a socket. A browser that asked by
// another name of the server's address is sent there: only a page of that origin is answered at
// /v1.
std::optional<http::Response> page_file(const http::Request& request);

}  // namespace anima::serve
