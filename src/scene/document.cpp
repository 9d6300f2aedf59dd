#include "scene/document.h"

#include "base/error.h"
#include "scene/nesting.h"
#include "scene/safe_unicode.h"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace rivulet {
namespace {

constexpr int kMaxIncludeDepth = 16;
constexpr std::size_t kMaxSources = 1000;

Where to_where(const toml::source_region& region, int source)
{
    const auto at_least_one = [](auto n) { return std::max(1, static_cast<int>(n)); };
    return {source, at_least_one(region.begin.line), at_least_one(region.begin.column)};
}

Value to_value(const toml::node& node, int source)
{
    Value value;
    value.where = to_where(node.source(), source);
    node.visit([&](const auto& item) {
        using Item = std::decay_t<decltype(item)>;
        if constexpr (std::is_same_v<Item, toml::table>) {
            Value::Table table;
            for (const auto& [key, child] : item) {
                Value& member = table[move_from_private_plane(key.str())] = to_value(child, source);
                member.key_where = to_where(key.source(), source);
            }
            value.data = std::move(table);
            value.in_braces = item.is_inline();
        } else if constexpr (std::is_same_v<Item, toml::array>) {
            Value::List list;
            for (const auto& child : item) list.push_back(to_value(child, source));
            value.data = std::move(list);
        } else if constexpr (toml::is_string<Item>) {
            value.data = move_from_private_plane(item.get());
        } else if constexpr (toml::is_integer<Item> || toml::is_floating_point<Item> || toml::is_boolean<Item>) {
            value.data = item.get();
        }
    });
    return value;
}

Value parse_text(const std::string& text, int source, const std::vector<SceneSource>& sources)
{
    const SceneSource& named = sources.at(static_cast<std::size_t>(source));
    if (text.size() > kMaxSceneBytes)
        throw InputError(fmt::format("{}: the scene is larger than {} bytes", named.name, kMaxSceneBytes));
    if (const auto deep = find_deep_nesting(text))
        throw InputError(fmt::format("{}: nested deeper than {} levels",
                                     place(named, {source, deep->line, deep->column}), kMaxNesting));
    if (const auto private_use = find_private_plane(text))
        throw InputError(fmt::format("{}: a character of the private plane 16; allowed: those below U+100000",
                                     place(named, {source, private_use->line, private_use->column})));
    try {
        return to_value(toml::parse(move_to_private_plane(text)), source);
    } catch (const toml::parse_error& error) {
        throw InputError(fmt::format("{}: {}", place(named, to_where(error.source(), source)),
                                     move_from_private_plane(error.description())));
    }
}

/// A shape of another type, or a probe of another kind, that is written as one { ... } replaces the one underneath as a
/// whole. Where the type alone is given, the other keys stay; those that do not go with it are found by resolve().
bool replaces(const Value& over, const Value& under)
{
    if (!over.in_braces) return false;
    for (const char* selector : {"type", "kind"}) {
        const Value *a = over.find(selector), *b = under.find(selector);
        if (a && b && to_text(*a) != to_text(*b)) return true;
    }
    return false;
}

/// Puts `under` beneath `over`: tables are merged member by member, anything else of `over` wins.
void merge_under(Value& over, Value&& under)
{
    auto* above = over.as<Value::Table>();
    auto* below = under.as<Value::Table>();
    if (!above || !below || replaces(over, under)) return;
    for (auto& [key, value] : *below) {
        const auto [place_of, is_new] = above->try_emplace(key, std::move(value));
        if (!is_new) merge_under(place_of->second, std::move(value));
    }
}

class IncludeReader {
public:
    IncludeReader(std::vector<SceneSource>& sources, FileAccess access) : sources_(sources), access_(access) {}

    /// Merges what `root` includes underneath it, later includes over earlier ones, and takes the key away.
    void expand(Value& root, int source, const std::vector<std::filesystem::path>& chain)
    {
        auto* table = root.as<Value::Table>();
        const auto found = table->find("include");
        if (found == table->end()) return;
        const Value include = std::move(found->second);
        table->erase(found);
        const auto* list = include.as<Value::List>();
        if (!list) fail(include, "expected a list of file names");
        for (auto item = list->rbegin(); item != list->rend(); ++item) merge_under(root, read(*item, source, chain));
    }

private:
    Value read(const Value& item, int source, std::vector<std::filesystem::path> chain)
    {
        const auto* name = item.as<std::string>();
        if (!name || name->empty()) fail(item, "expected a list of file names");
        if (access_ == FileAccess::Refused) fail(item, "other files may not be read here");
        const auto file = sources_.at(static_cast<std::size_t>(source)).directory / *name;
        std::error_code error;
        const auto absolute = std::filesystem::weakly_canonical(file, error);
        if (error) fail(item, fmt::format("\"{}\" cannot be read", file.string()));
        if (std::ranges::find(chain, absolute) != chain.end())
            fail(item, fmt::format("\"{}\" includes itself", file.string()));
        if (chain.size() > kMaxIncludeDepth || sources_.size() > kMaxSources) fail(item, "too many includes");
        chain.push_back(absolute);
        std::string text;
        try {
            text = read_text(file, kMaxSceneBytes);
        } catch (const IoError&) {
            fail(item, fmt::format("\"{}\" cannot be read", file.string()));
        }
        const int index = static_cast<int>(sources_.size());
        sources_.push_back({file.lexically_normal().string(), file.parent_path(), true});
        Value root = parse_text(text, index, sources_);
        expand(root, index, chain);
        return root;
    }

    [[noreturn]] void fail(const Value& value, const std::string& what) const
    {
        throw InputError(fmt::format(
            "{}: include: {}", place(sources_.at(static_cast<std::size_t>(value.where.source)), value.where), what));
    }

    std::vector<SceneSource>& sources_;
    FileAccess access_;
};

/// "a.b = value" as TOML; text that is no TOML value counts as a string ("2 cm" needs no quotes on a command line).
Value parse_override(const std::string& text, int source, const std::vector<SceneSource>& sources)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || text.find_first_of("\n\r") != std::string::npos)
        throw InputError(fmt::format("--set {}: expected path.to.key=value", text));
    const std::string path = text.substr(0, equals), value = text.substr(equals + 1);
    try {
        return parse_text(path + " = " + value, source, sources);
    } catch (const InputError&) {
        Value root = parse_text(path + " = \"\"", source, sources); // a bad path fails here, with its own message
        Value* leaf = &root;
        while (auto* table = leaf->as<Value::Table>()) leaf = &table->begin()->second;
        leaf->data = value;
        return root;
    }
}

} // namespace

std::string read_text(const std::filesystem::path& file, std::size_t max_bytes)
{
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) throw IoError(file.string() + ": is a folder, not a file");
    if (std::filesystem::is_fifo(file, error)) throw IoError(file.string() + ": is a pipe, not a file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw IoError(file.string() + ": cannot be read");
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    while (stream && text.size() <= max_bytes) {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) throw IoError(file.string() + ": reading failed");
    if (text.size() > max_bytes) throw InputError(fmt::format("{}: larger than {} bytes", file.string(), max_bytes));
    return text;
}

Document read_document(const std::string& text, const std::filesystem::path& file,
                       const std::vector<std::string>& overrides, FileAccess access)
{
    Document document;
    document.sources.push_back({file.string(), file.parent_path(), true});
    document.root = parse_text(text, 0, document.sources);
    std::error_code error;
    IncludeReader(document.sources, access).expand(document.root, 0, {std::filesystem::weakly_canonical(file, error)});
    for (const std::string& override_text : overrides) {
        const int index = static_cast<int>(document.sources.size());
        document.sources.push_back({"--set " + override_text, file.parent_path(), false});
        Value over = parse_override(override_text, index, document.sources);
        if (over.find("include"))
            throw InputError(fmt::format("--set {}: include: only a scene file may include others", override_text));
        merge_under(over, std::move(document.root));
        document.root = std::move(over);
    }
    return document;
}

} // namespace rivulet
