#pragma once

#include "scene/value.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rivulet {

/// Something that scene text came from: a file, or one --set.
struct SceneSource {
    std::string name;                ///< as messages show it
    std::filesystem::path directory; ///< relative paths in this source start here
    bool has_lines = true;           ///< false: messages leave out line and column
};

/// Everything that is wrong with a scene, in the order in which it was found.
class Problems {
public:
    explicit Problems(const std::vector<SceneSource>& sources) : sources_(sources) {}

    /// "file:line:column: key: what"
    void add(const Where& where, const std::string& key, const std::string& what);
    [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
    /// No more will be shown: not worth the work of a suggestion.
    [[nodiscard]] bool is_full() const noexcept { return lines_.size() == kMaxShown; }
    /// Throws InputError with one problem a line, if there is one.
    void raise() const;

private:
    static constexpr std::size_t kMaxShown = 100;

    const std::vector<SceneSource>& sources_;
    std::vector<std::string> lines_;
    std::size_t left_out_ = 0;
};

/// "file:line:column", or the source's name alone where it has no lines.
[[nodiscard]] std::string place(const SceneSource& source, const Where& where);
/// ` (did you mean "x"?)` with the candidate nearest in spelling; empty when none is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
/// "a, b or c"; of very many, the first few.
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);

} // namespace rivulet
