#include "scene/problems.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace rivulet {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    std::iota(d[0].begin(), d[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

} // namespace

void Problems::add(const Where& where, const std::string& key, const std::string& what)
{
    if (is_full()) {
        ++left_out_;
        return;
    }
    const SceneSource& source = sources_.at(static_cast<std::size_t>(where.source));
    lines_.push_back(place(source, where) + ": " + (key.empty() ? "" : key + ": ") + what);
}

void Problems::raise() const
{
    if (lines_.empty()) return;
    std::string message = fmt::format("{}", fmt::join(lines_, "\n"));
    if (left_out_ > 0) message += fmt::format("\nand {} more", left_out_);
    throw InputError(message);
}

std::string place(const SceneSource& source, const Where& where)
{
    return source.has_lines ? fmt::format("{}:{}:{}", source.name, where.line, where.column) : source.name;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongestCompared = 64;
    std::size_t best = 1 + word.size() / 3; // at most that many slips
    std::string nearest;
    if (word.size() > kLongestCompared) return "";
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance > best || (distance == best && !nearest.empty())) continue;
        best = distance;
        nearest = candidate;
    }
    return nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest);
}

std::string join_words(const std::vector<std::string>& words)
{
    constexpr std::size_t kMaxListed = 40;
    if (words.size() > kMaxListed)
        return fmt::format("{} and {} more", fmt::join(words.begin(), words.begin() + kMaxListed, ", "),
                           words.size() - kMaxListed);
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return out;
}

} // namespace rivulet
