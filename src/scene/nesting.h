#pragma once

#include <optional>
#include <string_view>

namespace rivulet {

/// Brackets inside brackets, or dots in one key, that a scene may have.
inline constexpr int kMaxNesting = 32;

struct TextPosition {
    int line = 1;
    int column = 1;
};

/// Where TOML text first nests deeper than kMaxNesting. Runs before the TOML parser, which recurses without a limit
/// over dotted keys and would run out of stack on a hostile text.
[[nodiscard]] std::optional<TextPosition> find_deep_nesting(std::string_view text);

} // namespace rivulet
