// Members of an object that is read leniently: what is not there, or of another type, is empty.
// Thread-safety: functions without state. Complexity: that of Json::find().
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima {

std::string text_member(const Json& json, std::string_view name);

}  // namespace anima
