#include "scene/resolve.h"

#include "scene/materials.h"

#include <algorithm>
#include <fmt/format.h>

namespace rivulet {
namespace {

constexpr std::size_t kMaxNameLength = 64;

bool is_good_name(const std::string& name)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= kMaxNameLength && std::ranges::all_of(name, fits);
}

/// Keys with odd characters are quoted in messages; "+x" needs no help.
std::string shown(const std::string& key)
{
    const bool plain = is_good_name(key) || (key.starts_with('+') && is_good_name(key.substr(1)));
    return plain ? key : to_text(Value{key, {}, {}}, true);
}

std::string joined(const std::string& path, const std::string& key)
{
    return path.empty() ? shown(key) : path + "." + shown(key);
}

/// Whether a key that takes the place of this one is given.
bool is_replaced(const Key& key, const Record& record, const Value& table)
{
    return std::ranges::any_of(record.keys, [&](const Key& other) {
        return table.find(other.name) && std::ranges::find(other.instead_of, key.name) != other.instead_of.end();
    });
}

bool is_complete_member(const Key& key, const Value& value)
{
    if (key.kind == KeyKind::Table) return is_complete(scene_record(key.record), value);
    if (key.kind != KeyKind::Tables) return true;
    return std::ranges::all_of(*value.as<Value::List>(),
                               [&](const Value& item) { return is_complete(scene_record(key.record), item); });
}

class Resolver {
public:
    Resolver(const Document& document, FileAccess access, Problems& problems)
        : document_(document), access_(access), problems_(problems)
    {
    }

    Value table(const Record& record, const Value& raw, const std::string& path)
    {
        Value result{Value::Table{}, raw.where, raw.key_where};
        if (!raw.as<Value::Table>()) {
            problems_.add(raw.where, path,
                          fmt::format("{} is {}; expected a table with keys of {}", to_text(raw, true), kind_name(raw),
                                      record.name));
            return result;
        }
        std::string selected;
        if (!record.selector.empty() && !select(record, raw, path, selected)) return result;
        report_unknown(record, raw, path, selected);
        for (const Key& key : record.keys)
            if (applies(key, selected)) member(key, record, raw, path, result);
        return result;
    }

private:
    /// Reads the selector; without a good one nothing can be said about the other keys but that they exist at all.
    bool select(const Record& record, const Value& raw, const std::string& path, std::string& selected)
    {
        const Key& key = *std::ranges::find(record.keys, record.selector, &Key::name);
        Value result{Value::Table{}, raw.where, raw.key_where};
        member(key, record, raw, path, result);
        const Value* found = result.find(key.name);
        if (found) selected = *found->as<std::string>();
        return found != nullptr;
    }

    void report_unknown(const Record& record, const Value& raw, const std::string& path, const std::string& selected)
    {
        for (const auto& [name, value] : *raw.as<Value::Table>()) {
            if (record.find(name, selected)) continue;
            if (problems_.is_full()) return;
            std::vector<std::string> known;
            for (const Key& key : record.keys)
                if (applies(key, selected)) known.push_back(key.name);
            const std::string what = record.has(name) ? misplaced(record, raw, value, selected)
                                                      : fmt::format("unknown key{}", suggestion(name, known));
            problems_.add(value.key_where, joined(path, name),
                          fmt::format("{}; allowed here: {}", what, join_words(known)));
        }
    }

    /// What is wrong with a key of another type or kind; where that was overridden, also by what, and the way out.
    [[nodiscard]] std::string misplaced(const Record& record, const Value& raw, const Value& key,
                                        const std::string& selected) const
    {
        std::string what = fmt::format("does not apply where {} is \"{}\"", record.selector, selected);
        const Value* selector = raw.find(record.selector);
        if (!selector || selector->where.source == key.where.source) return what;
        const SceneSource& source = document_.sources.at(static_cast<std::size_t>(selector->where.source));
        return what +
               fmt::format(", as set by {} (a table given as one, {{ {} = \"{}\", ... }}, replaces all of this one)",
                           place(source, selector->where), record.selector, selected);
    }

    void member(const Key& key, const Record& record, const Value& raw, const std::string& path, Value& result)
    {
        const std::string key_path = joined(path, key.name);
        const Value* given = raw.find(key.name);
        if (given) {
            for (const std::string& other : key.instead_of)
                if (raw.find(other))
                    problems_.add(given->key_where, key_path, fmt::format("give this or \"{}\", not both", other));
            value(key, *given, key_path, result);
        } else if (key.required) {
            problems_.add(raw.where, key_path, fmt::format("missing; expected {}", allowed(key)));
        } else if (key.fallback && !is_replaced(key, record, raw)) {
            Value fallback = *key.fallback;
            fallback.where = raw.where;
            value(key, fallback, key_path, result);
        }
    }

    void value(const Key& key, const Value& raw, const std::string& path, Value& result)
    {
        Value resolved{std::monostate{}, raw.where, raw.key_where};
        bool good = true;
        switch (key.kind) {
        case KeyKind::Table:
            good = one_table(key, expanded(key, raw), path, resolved);
            break;
        case KeyKind::Tables:
            good = list_of_tables(key, raw, path, resolved);
            break;
        case KeyKind::NamedTables:
            good = named_tables(key, raw, path, resolved);
            break;
        case KeyKind::Texts:
            good = false;
            break; // `include` was taken out when the document was read
        case KeyKind::Reference:
            good = reference(key, raw, path, resolved);
            break;
        case KeyKind::File:
            good = file(key, raw, path, resolved);
            break;
        default:
            good = resolve_leaf(key, raw, path, problems_, resolved);
            break;
        }
        if (good) result.as<Value::Table>()->insert_or_assign(key.name, std::move(resolved));
    }

    bool one_table(const Key& key, const Value& raw, const std::string& path, Value& resolved)
    {
        if (!raw.as<Value::Table>()) {
            problems_.add(raw.where, path,
                          fmt::format("{} is {}; allowed: {}", to_text(raw, true), kind_name(raw), allowed(key)));
            return false;
        }
        resolved = table(scene_record(key.record), raw, path);
        return true;
    }

    /// One word for all keys of a table, where the key allows it.
    [[nodiscard]] static Value expanded(const Key& key, const Value& raw)
    {
        if (!key.word_for_all || !raw.as<std::string>()) return raw;
        Value::Table all;
        for (const std::string& name : scene_record(key.record).key_names()) all[name] = raw;
        return {std::move(all), raw.where, raw.key_where};
    }

    bool list_of_tables(const Key& key, const Value& raw, const std::string& path, Value& resolved)
    {
        const auto* list = raw.as<Value::List>();
        if (!list || static_cast<double>(list->size()) < key.range.lower ||
            static_cast<double>(list->size()) > key.range.upper) {
            const std::string what = list ? fmt::format("a list of {}", list->size()) : kind_name(raw);
            problems_.add(raw.where, path,
                          fmt::format("{} is {}; allowed: {}", to_text(raw, true), what, allowed(key)));
            return false;
        }
        Value::List items;
        for (std::size_t i = 0; i < list->size(); ++i)
            items.push_back(table(scene_record(key.record), (*list)[i], fmt::format("{}[{}]", path, i)));
        resolved.data = std::move(items);
        return true;
    }

    bool named_tables(const Key& key, const Value& raw, const std::string& path, Value& resolved)
    {
        const auto* tables = raw.as<Value::Table>();
        if (!tables) {
            problems_.add(raw.where, path,
                          fmt::format("{} is {}; allowed: {}", to_text(raw, true), kind_name(raw), allowed(key)));
            return false;
        }
        Value::Table members;
        for (const auto& [name, member] : *tables) {
            if (!is_good_name(name))
                problems_.add(
                    member.key_where, joined(path, name),
                    fmt::format("not a good name; allowed: up to {} letters, digits, _ and -", kMaxNameLength));
            members[name] = table(scene_record(key.record), member, joined(path, name));
        }
        resolved.data = std::move(members);
        return true;
    }

    bool reference(const Key& key, const Value& raw, const std::string& path, Value& resolved)
    {
        if (!resolve_leaf(key, raw, path, problems_, resolved)) return false;
        const std::string& name = *resolved.as<std::string>();
        std::vector<std::string> known;
        for (const std::string& group : key.words) {
            const Value* members = document_.root.find(group);
            if (members && members->find(name)) return true;
            if (members && members->as<Value::Table>() && !problems_.is_full())
                for (const auto& [member_name, member] : *members->as<Value::Table>()) known.push_back(member_name);
        }
        const std::string there = known.empty() ? "none" : join_words(known);
        problems_.add(raw.where, path,
                      fmt::format("there is no {}{}; allowed: {}, which are: {}", to_text(raw, true),
                                  suggestion(name, known), allowed(key), there));
        return false;
    }

    bool file(const Key& key, const Value& raw, const std::string& path, Value& resolved)
    {
        if (!resolve_leaf(key, raw, path, problems_, resolved)) return false;
        if (access_ == FileAccess::Refused) {
            problems_.add(raw.where, path, "other files may not be read here; allowed: scenes without files");
            return false;
        }
        const SceneSource& source = document_.sources.at(static_cast<std::size_t>(raw.where.source));
        std::error_code error;
        const auto full = std::filesystem::absolute(source.directory / *resolved.as<std::string>(), error);
        if (error || !std::filesystem::is_regular_file(full, error)) {
            problems_.add(raw.where, path,
                          fmt::format("{} is not there or no file; allowed: {}", to_text(raw, true), allowed(key)));
            return false;
        }
        resolved.data = full.lexically_normal().string();
        return true;
    }

    const Document& document_;
    FileAccess access_;
    Problems& problems_;
};

/// Calls fill_from(table, material name) for the members of a group that name their material.
template <class FillFrom>
void fill_group(Value& root, const char* group, FillFrom&& fill_from)
{
    Value::Table& scene = *root.as<Value::Table>();
    const auto members = scene.find(group);
    if (members == scene.end()) return;
    for (auto& [name, member] : *members->second.as<Value::Table>())
        if (const Value* chosen = member.find("material")) fill_from(member, *chosen->as<std::string>());
}

template <class T>
void fill(Value& table, const char* key, const T& value)
{
    table.as<Value::Table>()->try_emplace(key, Value{value, table.where, table.key_where});
}

/// Values that a liquid or a group of strands leaves out are those of its material.
void fill_from_materials(Value& root)
{
    fill_group(root, "liquids", [](Value& liquid, const std::string& name) {
        const LiquidMaterial& material = liquid_material(name);
        fill(liquid, "density", material.density.value);
        fill(liquid, "viscosity", material.viscosity.value);
        fill(liquid, "surface_tension", material.surface_tension.value);
        fill(liquid, "contact_angle", material.contact_angle.value);
        fill(liquid, "colour", material.colour);
    });
    fill_group(root, "strands", [](Value& strands, const std::string& name) {
        const StrandMaterial& material = strand_material(name);
        fill(strands, "density", material.density.value);
        fill(strands, "youngs_modulus", material.youngs_modulus.value);
        fill(strands, "shear_modulus", material.shear_modulus.value);
        fill(strands, "internal_viscosity", material.internal_viscosity.value);
        fill(strands, "friction", material.friction.value);
        const Value* kind = strands.find("kind");
        if (kind && *kind->as<std::string>() == "file") return; // it may have radii and colours of its own
        fill(strands, "radius", material.radius.value);
        fill(strands, "colour", material.colour);
    });
}

} // namespace

Value resolve(const Document& document, FileAccess access, Problems& problems)
{
    Value root = Resolver(document, access, problems).table(scene_records().front(), document.root, "");
    fill_from_materials(root);
    return root;
}

bool is_complete(const Record& record, const Value& table)
{
    const Value* selector = table.find(record.selector);
    if (!record.selector.empty() && !selector) return false;
    const std::string selected = selector ? *selector->as<std::string>() : "";
    return std::ranges::all_of(record.keys, [&](const Key& key) {
        if (!applies(key, selected)) return true;
        if (const Value* value = table.find(key.name)) return is_complete_member(key, *value);
        return !key.required && (!key.fallback || is_replaced(key, record, table));
    });
}

} // namespace rivulet
