#include "scene/materials.h"

#include "base/assert.h"

#include <algorithm>
#include <fmt/format.h>

namespace rivulet {
namespace {

constexpr const char* kRobbins =
    "Robbins, Chemical and Physical Behavior of Human Hair, as quoted on biomch-l (18 August "
    "1998)";
constexpr const char* kFeiScenes = "value of the public scenes to Fei (2019), github.com/nepluno/creamystrand; not a "
                                   "measurement";
constexpr const char* kFeiShear = "E/(2 (1 + nu)) with nu = 0.39 of the public scenes to Fei (2019), "
                                  "github.com/nepluno/creamystrand; not a measurement";

/// Calls `visit(property, unit, number)` for each number of a material.
void for_each_strand_number(const StrandMaterial& m, const auto& visit)
{
    visit("density", "kg/m3", m.density);
    visit("Young's modulus", "Pa", m.youngs_modulus);
    visit("shear modulus", "Pa", m.shear_modulus);
    visit("internal viscosity", "Pa s", m.internal_viscosity);
    visit("friction", "", m.friction);
    visit("radius", "m", m.radius);
}

} // namespace

const std::vector<StrandMaterial>& strand_materials()
{
    using enum SourceKind;
    static const std::vector<StrandMaterial> kMaterials{
        {"human_hair",
         "dry human scalp hair",
         {1320, Chosen, kFeiScenes},
         {3.89e9, Checked, kRobbins},
         {0.89e9, Checked, kRobbins},
         {3.7e7, Chosen,
          "about E/100 s as in the public scenes to Fei (2019), github.com/nepluno/creamystrand; not a "
          "measurement"},
         {35e-6, Chosen,
          "about 60 um across says Yang et al., On the Strength of Hair across Species, Matter (2019), 57.1 +- 10.6 um "
          "BioNumbers 106859; here a thick one"},
         {0.16, Chosen, kFeiScenes},
         {0.16, 0.075, 0.03}},
        {"brush_bristle",
         "bristle of a paint brush",
         {1300, Chosen, kFeiScenes},
         {2.98e9, Chosen, kFeiScenes},
         {1.072e9, Derived, kFeiShear},
         {5.96e7, Chosen, kFeiScenes},
         {125e-6, Chosen, kFeiScenes},
         {0.13, Chosen, kFeiScenes},
         {0.45, 0.36, 0.22}},
        {"noodle",
         "boiled noodle",
         {1000, Chosen, kFeiScenes},
         {1e5, Chosen, kFeiScenes},
         {3.597e4, Derived, kFeiShear},
         {4e4, Chosen, kFeiScenes},
         {0.56e-3, Chosen, kFeiScenes},
         {0.1, Chosen, kFeiScenes},
         {0.72, 0.60, 0.38}},
    };
    return kMaterials;
}

std::vector<std::string> strand_material_names()
{
    std::vector<std::string> names;
    for (const StrandMaterial& material : strand_materials()) names.emplace_back(material.name);
    return names;
}

const StrandMaterial& strand_material(std::string_view name)
{
    const auto found = std::ranges::find(strand_materials(), name, &StrandMaterial::name);
    RIVULET_VERIFY(found != strand_materials().end());
    return *found;
}

std::string strand_material_table_markdown()
{
    std::string out;
    for (const StrandMaterial& m : strand_materials()) {
        out += fmt::format("### {}\n\n{}.\n\n| property | value | kind | source |\n|---|---|---|---|\n", m.name,
                           m.description);
        for_each_strand_number(m, [&](std::string_view property, std::string_view unit, const SourcedNumber& n) {
            out += fmt::format("| {} | {:.6g} {} | {} | {} |\n", property, n.value, unit, kind_name(n.kind), n.source);
        });
        out += "\n";
    }
    return out;
}

std::string strand_material_sources()
{
    std::string out;
    for (const StrandMaterial& m : strand_materials()) {
        out += fmt::format("\n{}: {}\n", m.name, m.description);
        for_each_strand_number(m, [&](std::string_view property, std::string_view unit, const SourcedNumber& n) {
            out += fmt::format("  {:<18} {:.6g} {} ({}: {})\n", property, n.value, unit, kind_name(n.kind), n.source);
        });
    }
    return out;
}

} // namespace rivulet
