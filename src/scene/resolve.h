#pragma once

#include "scene/document.h"
#include "scene/problems.h"
#include "scene/schema.h"

namespace rivulet {

/// The scene with every key checked against the schema, converted to SI, and defaults filled in. What is wrong goes to
/// `problems`, and the key is left out of the result.
[[nodiscard]] Value resolve(const Document& document, FileAccess access, Problems& problems);

/// Whether a resolved table has all that the schema promises: a key with a problem is left out of it.
[[nodiscard]] bool is_complete(const Record& record, const Value& table);

/// One value against one key, as resolve() does it for each. Returns false, with a problem added, if it does not fit.
[[nodiscard]] bool resolve_leaf(const Key& key, const Value& raw, const std::string& path, Problems& problems,
                                Value& resolved);

} // namespace rivulet
