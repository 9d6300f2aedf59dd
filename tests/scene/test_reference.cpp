#include "base/error.h"
#include "scene/materials.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "scene_texts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace rivulet {
namespace {

/// Compares a file of the project with what the generator prints; with RIVULET_REGENERATE set, writes it instead.
void expect_generated(const std::string& file, const std::string& text)
{
    const std::string path = std::string(RIVULET_SOURCE_DIR) + "/" + file;
    if (std::getenv("RIVULET_REGENERATE")) std::ofstream(path) << text;
    std::stringstream stored;
    stored << std::ifstream(path).rdbuf();
    EXPECT_TRUE(stored.str() == text) << file << " is stale: run test_scene with RIVULET_REGENERATE=1";
}

TEST(SceneReference, PageIsWhatTheSchemaSays)
{
    expect_generated("docs/scene_reference.md", scene_reference_markdown());
}
TEST(SceneReference, JsonSchemaAllowsWhatAnyKindOfTheTableDoes)
{
    const std::string schema = scene_json_schema();
    const std::size_t edges = schema.find("\"edges\": {");
    ASSERT_NE(edges, std::string::npos);
    const std::string line = schema.substr(edges, schema.find('\n', edges) - edges);
    EXPECT_NE(line.find("\"minimum\": 4, \"maximum\": 400"), std::string::npos) << line;
    EXPECT_NE(line.find("woven: Edges from crossing"), std::string::npos) << line;
}

TEST(SceneReference, JsonSchemaIsWhatTheSchemaSays) { expect_generated("scenes/schema.json", scene_json_schema()); }

/// Words for libFuzzer's mutator: keys and words of the schema, punctuation of TOML, units.
std::string fuzz_dictionary()
{
    std::set<std::string> words{
        "[[",       "{",      "}",  "= ",  ".",  "'''", "nan",  "inf", "1e308",  "-9223372036854775808",
        "0x",       "cm",     "um", "rpm", "Hz", "deg", "m/s2", "cP",  "dyn/cm", "kg/(m s)",
        "12:00:00", "#ff8000"};
    for (const Record& record : scene_records())
        for (const Key& key : record.keys) {
            words.insert(key.name);
            words.insert(key.words.begin(), key.words.end());
        }
    std::string out = "# Generated from the schema for the mutator of libFuzzer.\n";
    for (const std::string& word : words) out += "\"" + word + "\"\n";
    return out;
}
TEST(SceneReference, FuzzDictionaryIsWhatTheSchemaSays) { expect_generated("fuzz/scene.dict", fuzz_dictionary()); }

TEST(SceneReference, SeedsOfTheFuzzerNameEveryKey)
{
    std::string seeds;
    for (const auto& entry : std::filesystem::directory_iterator(RIVULET_SOURCE_DIR "/fuzz/corpus")) {
        std::stringstream stored;
        stored << std::ifstream(entry.path()).rdbuf();
        seeds += stored.str();
    }
    for (const Record& record : scene_records())
        for (const Key& key : record.keys)
            EXPECT_NE(seeds.find(key.name), std::string::npos) << record.name << "." << key.name;
    for (const char* whole : {"all_keys.toml", "strands.toml"}) // these are scenes as they stand
        EXPECT_NO_THROW(static_cast<void>(load_scene(RIVULET_SOURCE_DIR "/fuzz/corpus/" + std::string(whole))));
}

TEST(SceneReference, EveryKeyIsDocumentedInAllPlaces)
{
    const std::string page = scene_reference_markdown(), json = scene_json_schema();
    for (const Record& record : scene_records())
        for (const Key& key : record.keys) {
            SCOPED_TRACE(record.name + "." + key.name);
            EXPECT_GE(key.documentation.size(), 5u);
            EXPECT_EQ(key.documentation.back(), '.');
            EXPECT_TRUE(key.required || key.fallback || !key.fallback_text.empty());
            EXPECT_NE(page.find("| `" + key.name + "` | " + key.documentation), std::string::npos);
            EXPECT_NE(json.find("\"" + key.name + "\": {\"description\""), std::string::npos);
        }
}

TEST(SceneReference, DefaultsAreThoseOfTheProgram)
{
    const Scene scene =
        parse_scene("[simulation]\ncell_size = '1 cm'\n[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n", "a.toml");
    const Options expected, &options = scene.model.options;
    EXPECT_EQ(options.cell_size, expected.cell_size);
    EXPECT_EQ(options.gravity, expected.gravity);
    EXPECT_EQ(options.frame_interval, expected.frame_interval);
    EXPECT_EQ(options.end_time, expected.end_time);
    EXPECT_EQ(options.max_step, expected.max_step);
    EXPECT_DOUBLE_EQ(options.min_step, expected.min_step);
    EXPECT_EQ(options.cfl, expected.cfl);
    EXPECT_EQ(options.max_retries, expected.max_retries);
    EXPECT_EQ(options.pressure_tolerance, expected.pressure_tolerance);
    EXPECT_EQ(options.max_pressure_iterations, expected.max_pressure_iterations);
    EXPECT_EQ(options.surface_tension, expected.surface_tension);
    EXPECT_EQ(options.seed, expected.seed);
    const RenderSettings drawn;
    EXPECT_TRUE(scene.render.camera.automatic);
    EXPECT_EQ(scene.render.camera.field_of_view, drawn.camera.field_of_view);
    EXPECT_EQ(scene.render.width, drawn.width);
    EXPECT_EQ(scene.render.height, drawn.height);
    EXPECT_EQ(scene.render.samples, drawn.samples);
    EXPECT_EQ(scene.render.sun_direction, drawn.sun_direction);
    EXPECT_EQ(scene.render.ground, drawn.ground);
    EXPECT_EQ(scene.render.particles, drawn.particles);
}

TEST(Explain, TellsSentenceUnitRangeAndDefault)
{
    const std::string text = explain("simulation.cell_size");
    for (const char* part : {"Edge of a grid cell", "unit:    m (length)", "from 1e-06 to 1000 m", "must be given"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_NE(explain("obstacles.cup.friction").find("from 0 to 1"), std::string::npos);
    EXPECT_NE(explain("obstacles.*.shape.shapes[3].radius").find("only where type is sphere, capsule or cylinder"),
              std::string::npos);
    EXPECT_EQ(explain("shape.radius").substr(12), explain("bodies.b.shape.radius").substr(21));
    EXPECT_EQ(explain("strands.count"), explain("strands.*.count"));
    EXPECT_EQ(explain("obstacles.shape.radius"), explain("obstacles.*.shape.radius"));
    EXPECT_NE(explain("obstacles.cup").find("obstacles.cup.friction"), std::string::npos);
    const std::string materials = explain("liquids.w.material");
    EXPECT_NE(materials.find("allowed: water, ethanol"), std::string::npos);
    EXPECT_NE(materials.find("998.2 kg/m3 (checked: lsbu.ac.uk"), std::string::npos) << materials;
    EXPECT_NE(explain("strands.h.material").find("\nhuman_hair: "), std::string::npos);
    EXPECT_NE(explain("").find("obstacles.*.friction"), std::string::npos);
    EXPECT_NE(explain("domain.walls").find("domain.walls.+z"), std::string::npos);
}

TEST(Explain, UnknownKeysGetASuggestion)
{
    const auto hint = [](const char* key) -> std::string {
        try {
            return explain(key);
        } catch (const InputError& error) {
            return error.what();
        }
    };
    EXPECT_NE(hint("simulation.cel_size").find("did you mean \"simulation.cell_size\"?"), std::string::npos);
    EXPECT_NE(hint("cell_size").find("did you mean simulation.cell_size?"), std::string::npos) << hint("cell_size");
    EXPECT_NE(hint("simulation.").find("unknown key"), std::string::npos) << hint("simulation.");
}

TEST(Materials, EveryNumberHasASourceAndFitsTheSchema)
{
    for (const LiquidMaterial& material : liquid_materials()) {
        SCOPED_TRACE(std::string(material.name));
        for (const SourcedNumber& number :
             {material.density, material.viscosity, material.surface_tension, material.contact_angle})
            EXPECT_GE(number.source.size(), 10u);
        const Record& record = scene_record("liquid");
        const auto fits = [&](const char* key, double value) {
            const Range& range = record.find(key, "")->range;
            EXPECT_TRUE(value >= range.lower && value <= range.upper) << key;
        };
        fits("density", material.density.value);
        fits("viscosity", material.viscosity.value);
        fits("surface_tension", material.surface_tension.value);
        fits("contact_angle", material.contact_angle.value);
        EXPECT_TRUE((material.colour.array() >= 0).all() && (material.colour.array() <= 1).all());
    }
}

TEST(Materials, NoNumberIsLeftUnchecked)
{
    const std::string page = scene_reference_markdown();
    EXPECT_EQ(page.find("not checked against a source"), std::string::npos);
    EXPECT_EQ(page.find("| unchecked |"), std::string::npos);
    // The small test scenes to Fei et al. (2017): 0.95 g/cm3 and 20.6 dyn/cm.
    EXPECT_DOUBLE_EQ(liquid_material("silicone_oil").density.value, 950);
    EXPECT_DOUBLE_EQ(liquid_material("silicone_oil").surface_tension.value, 20.6e-3);
}

TEST(Materials, ApparentViscosityFollowsTheHerschelBulkleyConstants) // tau_Y [Pa], K [Pa s^n], n of Fei (2019) at 10/s
{
    const auto apparent = [](double yield, double consistency, double n) {
        return yield / 10 + consistency * std::pow(10, n - 1);
    };
    EXPECT_NEAR(liquid_material("drilling_mud").viscosity.value, apparent(1.6813, 0.6496, 0.5173), 1e-3);
    EXPECT_NEAR(liquid_material("acrylic_paint").viscosity.value, apparent(0.96, 17.356, 0.3162), 1e-2);
    EXPECT_NEAR(liquid_material("milk_cream").viscosity.value, apparent(120, 5.0, 0.27), 5e-2);
    EXPECT_NEAR(liquid_material("shaving_cream").viscosity.value, apparent(31.9, 27.2, 0.22), 1e-2);
    EXPECT_NEAR(liquid_material("oyster_sauce").viscosity.value, apparent(2.65, 1.61, 0.62), 1e-3);
    EXPECT_NEAR(liquid_material("milk_chocolate").viscosity.value, apparent(30, 2.8, 0.98), 1e-2);
}

} // namespace
} // namespace rivulet
