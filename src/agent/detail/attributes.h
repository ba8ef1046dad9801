// Writing one attribute with one value. Thread-safety: functions over a transaction.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "store/transaction.h"

namespace anima::agent::detail {

inline Status set_value(store::Transaction& transaction, store::EntityId entity,
                        std::string_view key, const store::Value& value,
                        const store::AssertOptions& options) {
  ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1), options);
}

}  // namespace anima::agent::detail
