#include "scene/problems.h"
#include "scene/resolve.h"
#include "scene/schema.h"
#include "scene_texts.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <limits>
#include <regex>
#include <set>

namespace rivulet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value value_of(auto data) { return Value{data, {}, {}}; }
Value list_of(std::vector<Value> items) { return Value{std::move(items), {}, {}}; }
Value text_value(const std::string& text) { return value_of(text); }

double below(const Range& r) { return r.lower_excluded ? r.lower : r.lower - 1 - std::abs(r.lower); }
double above(const Range& r) { return r.upper + 1 + std::abs(r.upper); }

/// Values that `key` must refuse, made from what the schema says about it.
std::vector<Value> bad_values(const Key& key)
{
    const Value zero = value_of(0.0), table = value_of(Value::Table{}), flag = value_of(true);
    std::vector<Value> bad;
    switch (key.kind) {
    case KeyKind::Number:
        bad = {flag,
               table,
               list_of({}),
               text_value("plenty"),
               text_value("1 furlong"),
               value_of(kNan),
               value_of(kInfinity),
               value_of(below(key.range)),
               value_of(above(key.range))};
        if (!key.any_dimension) bad.push_back(text_value("1 kg2"));
        break;
    case KeyKind::Integer:
        bad = {flag,
               text_value("1"),
               value_of(1.5),
               value_of(kNan),
               value_of(static_cast<std::int64_t>(below(key.range))),
               value_of(static_cast<std::int64_t>(above(key.range)))};
        break;
    case KeyKind::Boolean:
        bad = {value_of(std::int64_t{1}), text_value("true"), table};
        break;
    case KeyKind::Text:
        bad = {zero, flag, text_value(std::string(201, 'x'))};
        break;
    case KeyKind::Word:
        bad = {zero, flag, text_value("no_such_word"), text_value("")};
        break;
    case KeyKind::Reference:
        bad = {zero, flag, text_value("nobody")};
        break;
    case KeyKind::File:
        bad = {zero, text_value("no_such_file.obj"), text_value("")};
        break;
    case KeyKind::Vector:
    case KeyKind::Colour:
        bad = {flag,
               table,
               list_of({zero, zero}),
               list_of({zero, zero, zero, zero}),
               text_value("1 2"),
               list_of({text_value("1 kg2"), zero, zero}),
               list_of({value_of(kNan), zero, zero}),
               list_of({zero, value_of(kInfinity), zero}),
               list_of({zero, zero, value_of(below(key.range))}),
               list_of({zero, zero, value_of(above(key.range))})};
        if (!key.scalar_means_down) bad.push_back(zero);
        if (key.is_direction) bad.push_back(text_value("0 0 0"));
        if (key.kind == KeyKind::Colour) bad.push_back(text_value("#12345g"));
        break;
    case KeyKind::Table:
        bad = {zero, flag, list_of({}), text_value("no_such_word")};
        break;
    case KeyKind::Tables:
        bad = {zero, table, list_of({zero})};
        break;
    case KeyKind::NamedTables:
        bad = {zero, list_of({table})};
        break;
    case KeyKind::Texts:
        bad = {zero, list_of({zero})};
        break;
    }
    return bad;
}

/// Walks over a scene's tables with the records that they follow.
class SceneWalker {
public:
    using Visitor = std::function<void(const Record&, Value& table, const std::string& path)>;

    static void walk(const Record& record, Value& table, const std::string& path, const Visitor& visit)
    {
        visit(record, table, path);
        const std::string prefix = path.empty() ? "" : path + ".";
        for (auto& [name, value] : *table.as<Value::Table>()) {
            const Key& key = *record.find(name, selected(record, table));
            if (key.kind == KeyKind::Table) walk(scene_record(key.record), value, prefix + name, visit);
            if (key.kind == KeyKind::NamedTables)
                for (auto& [member, inner] : *value.as<Value::Table>())
                    walk(scene_record(key.record), inner, prefix + name + "." + member, visit);
            if (key.kind == KeyKind::Tables)
                for (std::size_t i = 0; i < value.as<Value::List>()->size(); ++i)
                    walk(scene_record(key.record), (*value.as<Value::List>())[i],
                         fmt::format("{}{}[{}]", prefix, name, i), visit);
        }
    }
    static std::string selected(const Record& record, const Value& table)
    {
        const Value* selector = table.find(record.selector);
        return selector ? *selector->as<std::string>() : "";
    }
};

/// Scenes that between them use every key.
std::vector<Value> covering_scenes()
{
    static const TemporaryFolder temporary; // for as long as scenes may be read again
    const std::filesystem::path& folder = temporary.path();
    std::ofstream(folder / "tetrahedron.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::vector<Value> scenes;
    const auto add = [&](const std::string& text, const std::vector<std::string>& overrides) {
        const Document document = read_document(text, folder / "bad.toml", overrides, FileAccess::Allowed);
        Problems problems(document.sources);
        scenes.push_back(resolve(document, FileAccess::Allowed, problems));
        problems.raise();
    };
    add(kFullScene, {});
    add(kStrandScene, {});
    add("[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\nframe_interval=0.1\n[obstacles.t]\n"
        "shape={type='mesh',file='tetrahedron.obj',scale=0.5}\nrotation={angle=1}\n[liquids.w]\n"
        "[sources.s]\nliquid='w'\nshape={type='sphere',radius=0.1,rotation={angle=1}}\nrotation={angle=1}\n"
        "[drains.d]\nshape={type='sphere',radius=0.1}\nrotation={angle=1}\n",
        {});
    std::ofstream(folder / "hair.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 1 1 1\nl 1 2 3 4\n";
    add("[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[strands.s]\nkind='file'\nfile='hair.obj'"
        "\n"
        "scale=0.1\nposition=[0.1,0,0]\nrotation={angle=1}\nvertices=5\ncount=1\n[strands.g]\nkind='groom'\n"
        "obstacle='o'\nroots_per_area=100\nlength=0.1\ntip_radius='10 "
        "um'\n[obstacles.o]\nshape={type='sphere',radius=0.1}\n",
        {});
    for (const char* group : {"sources.s", "drains.d"})
        add("[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[liquids.w]\n"
            "[drains.d]\nshape={type='sphere',radius=0.1}\n[sources.s]\nliquid='w'\nshape={type='sphere',radius=0.1}\n",
            {std::string(group) + ".motion={drift='1 0 0 m/s'}"});
    return scenes;
}

std::string problem_in(const Value& scene) { return problem_of(to_toml(scene)); }

void expect_located(const std::string& message, const std::string& path, const std::string& what)
{
    EXPECT_TRUE(std::regex_search(message, std::regex("^test\\.toml:[0-9]+:[0-9]+: "))) << message;
    EXPECT_NE(message.find(": " + path), std::string::npos) << path << "\n" << message;
    EXPECT_NE(message.find(what), std::string::npos) << "expected: " << what << "\n" << message;
}

/// Tries every bad value of every key that is present in the table that `target` finds in the scene.
class BadValues : public testing::Test {
protected:
    static void
    for_each_table(const std::function<void(Value& scene, const Record&, Value& table, const std::string&)>& visit)
    {
        for (Value& scene : covering_scenes_)
            SceneWalker::walk(scene_records().front(), scene, "",
                              [&](const Record& record, Value& table, const std::string& path) {
                                  visit(scene, record, table, path);
                              });
    }
    inline static std::vector<Value> covering_scenes_ = covering_scenes();
};

TEST_F(BadValues, EveryKeyRefusesThemAndSaysWhereAndWhatIsAllowed)
{
    std::set<const Key*> covered;
    int tried = 0;
    for_each_table([&](Value& scene, const Record& record, Value& table, const std::string& path) {
        const std::string selected = SceneWalker::selected(record, table);
        for (const Key& key : record.keys) {
            if (!applies(key, selected) || !table.find(key.name) || !covered.insert(&key).second) continue;
            Value& slot = table.as<Value::Table>()->find(key.name)->second;
            const Value good = slot;
            for (const Value& bad : bad_values(key)) {
                slot = bad;
                const std::string message = problem_in(scene), key_path = (path.empty() ? "" : path + ".") + key.name;
                const bool is_table = key.kind == KeyKind::Table || key.kind == KeyKind::Tables;
                const bool is_word = key.word_for_all && bad.as<std::string>();
                SCOPED_TRACE(key_path + " = " + to_text(bad, true));
                expect_located(message, key_path, is_table ? (is_word ? "open" : "keys of") : allowed(key));
                ++tried;
            }
            slot = good;
        }
    });
    for (const Record& record : scene_records())
        for (const Key& key : record.keys)
            EXPECT_TRUE(covered.contains(&key) || key.kind == KeyKind::Texts) << record.name << "." << key.name;
    EXPECT_GT(tried, 500);
}

TEST_F(BadValues, EveryTableRefusesUnknownKeys)
{
    std::set<const Record*> covered;
    for_each_table([&](Value& scene, const Record& record, Value& table, const std::string& path) {
        if (!covered.insert(&record).second) return;
        table.as<Value::Table>()->emplace("no_such_key", value_of(1.0));
        expect_located(problem_in(scene), (path.empty() ? "" : path + ".") + "no_such_key",
                       "unknown key; allowed here: ");
        table.as<Value::Table>()->erase("no_such_key");
    });
    EXPECT_EQ(covered.size(), scene_records().size());
}

TEST_F(BadValues, EveryRequiredKeyIsMissed)
{
    std::set<const Key*> covered;
    for_each_table([&](Value& scene, const Record& record, Value& table, const std::string& path) {
        const std::string selected = SceneWalker::selected(record, table);
        for (const Key& key : record.keys) {
            if (!key.required || !applies(key, selected) || !covered.insert(&key).second) continue;
            auto taken = table.as<Value::Table>()->extract(key.name);
            expect_located(problem_in(scene), (path.empty() ? "" : path + ".") + key.name,
                           "missing; expected " + allowed(key));
            table.as<Value::Table>()->insert(std::move(taken));
        }
    });
    EXPECT_GE(covered.size(), 20u);
}

} // namespace
} // namespace rivulet
