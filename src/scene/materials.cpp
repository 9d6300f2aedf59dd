#include "scene/materials.h"

#include "base/assert.h"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr const char* kWaterTable = "lsbu.ac.uk/water/data1.html, 20 C";
constexpr const char* kLiquidTable =
    "preproom.org, Viscosity of Liquids; no temperature is printed, its water is that of 25 C";
constexpr const char* kFei = "Fei, Multi-Scale Models to Simulate Interactions between Liquid and Thin Structures, "
                             "Columbia University (2019), Table 15.2";
constexpr const char* kFeiViscosity = "apparent viscosity at 10/s, tau_Y/10 + K 10^(n-1), of the Herschel-Bulkley "
                                      "constants of Fei (2019), Table 15.2, taken as those of simple shear";
constexpr const char* kFeiTension = "value of the public scenes to Fei (2019), github.com/nepluno/creamystrand; "
                                    "not a measurement";
constexpr const char* kFeiAngle = "default of the public code to Fei (2019), github.com/nepluno/creamystrand, of "
                                  "which some scenes have 40 deg; not a measurement";
constexpr const char* kWetting =
    "that of most organic liquids on glass; OpenStax, College Physics for AP Courses, answer "
    "to problem 64 of chapter 11; on other solids a choice";
constexpr const char* kFeiOil = "value of the small test scenes to Fei et al., A Multi-Scale Model for Simulating "
                                "Liquid-Hair Interactions, ACM Trans. Graph. 36 (2017), github.com/nepluno/libwethair; "
                                "not a measurement";
constexpr const char* kSomeSolid =
    "a modelling choice, that of the water above: the angle belongs to liquid and solid, and "
    "the solid is not known here; set it where it matters";

/// Calls `visit(property, value, unit, number)` for each number of a liquid, with the value in the unit that is shown.
void for_each_liquid_number(const LiquidMaterial& m, const auto& visit)
{
    visit("density", m.density.value, "kg/m3", m.density);
    visit("viscosity", m.viscosity.value, "Pa s", m.viscosity);
    visit("surface tension", m.surface_tension.value, "N/m", m.surface_tension);
    visit("contact angle", m.contact_angle.value / kDegree, "deg", m.contact_angle);
}

} // namespace

std::string_view kind_name(SourceKind kind)
{
    switch (kind) {
    case SourceKind::Checked:
        return "checked";
    case SourceKind::Derived:
        return "derived";
    case SourceKind::Chosen:
        return "chosen";
    }
    RIVULET_VERIFY(false);
    return "";
}

const std::vector<LiquidMaterial>& liquid_materials()
{
    using enum SourceKind;
    static const std::vector<LiquidMaterial> kMaterials{
        {"water",
         "water at 20 C",
         {998.2, Checked, kWaterTable},
         {1.002e-3, Checked, kWaterTable},
         {72.75e-3, Checked,
          "infotables.com, Surface tension of water, 20 C; the NBS/NRC Steam Tables (1984) say 72.74 mN/m"},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.10, 0.30, 0.55}},
        {"ethanol",
         "ethanol at 25 C",
         {785.3, Checked, "Engineering ToolBox, Ethanol - Thermophysical properties, 25 C"},
         {1.074e-3, Checked, kLiquidTable},
         {21.97e-3, Derived,
          "24.05 - 0.0832 t mN/m at t = 25 C; file Jasper-Lange in the data of the Python package chemicals"},
         {0, Chosen, kWetting},
         {0.55, 0.60, 0.65}},
        {"glycerol",
         "pure glycerol at 20 C",
         {1261.1, Checked,
          "table of Dow for glycerine of 100 percent at 20 C, as quoted by the University of Notre Dame, CHEG 459"},
         {1.41, Checked,
          "table of Dow for glycerine of 100 percent at 20 C, as quoted by the University of Notre Dame, CHEG 459"},
         {63.4e-3, Checked, "lambdageeks.com, Surface tension of glycerol, 20 C; other tables say 63.1 to 64.0 mN/m"},
         {60 * kDegree, Chosen, kSomeSolid},
         {0.60, 0.62, 0.60}},
        {"mercury",
         "mercury at 25 C",
         {13533.6, Derived,
          "molar volume in the file CRC Liquid Inorganic Constant Densities of the Python package chemicals"},
         {1.526e-3, Checked, kLiquidTable},
         {485.5e-3, Checked,
          "Adamson and Gast, Physical Chemistry of Surfaces, 6th ed. (1997), 25 C, as quoted by Wikipedia"},
         {140 * kDegree, Checked, "on soda lime glass in an exercise quoted by doubtora.com; the mercury of OpenPNM"},
         {0.55, 0.55, 0.57}},
        {"olive_oil",
         "olive oil at 20 to 25 C",
         {913.7, Checked, "table of aceitedelasvaldesas.com, Density of the olive oil, 20 C"},
         {81e-3, Checked, "Fei (2019), Figure 5.2, olive oil; preproom.org, Viscosity of Liquids"},
         {32e-3, Checked, "table of astarmathsandphysics.com, Discussion of Surface Tension, 20 C"},
         {5.1 * kDegree, Checked,
          "on glass: OpenStax, College Physics for AP Courses, answer to problem 64 of chapter 11, from its rise in a "
          "tube"},
         {0.45, 0.38, 0.05}},
        {"silicone_oil",
         "polydimethylsiloxane of 100 cSt",
         {950, Chosen, kFeiOil},
         {95e-3, Derived, "100 cSt, by which the oil is sold, times the density above"},
         {20.6e-3, Chosen, kFeiOil},
         {0, Chosen, kWetting},
         {0.60, 0.62, 0.65}},
        {"milk",
         "whole milk at 20 C",
         {1030, Derived,
          "1003.073 - 0.179 t - 0.368 F + 3.74 N kg/m3 at t = 20 C, F = 3.5 percent of fat, N = 8.5 percent of other "
          "solids; University of Illinois, ANSC 438"},
         {2.1e-3, Derived,
          "exp(-8.9 + 0.1 F + 2721.5/T) mPa s at T = 293.15 K, F = 3.5 percent of fat; Bakshi and Smith, J. Dairy Sci. "
          "67 (1984), abstract"},
         {52.4e-3, Derived,
          "1.8e-4 t^2 - 0.163 t + 55.6 mN/m at t = 20 C; Surface tension of whole and skim-milk between 18 and 135 C, "
          "J. Dairy Res. 50 (1983), abstract"},
         {60 * kDegree, Chosen, kSomeSolid},
         {0.85, 0.83, 0.76}},
        {"honey",
         "honey of about 17 percent moisture at 25 C",
         {1420, Chosen,
          "between the specific gravities 1.423 (15 percent) and 1.417 (18 percent moisture), 20 C; "
          "beeclubpellas.blogspot.com, Physical characteristics of Honey"},
         {10, Chosen, "between 40 Pa s (14 percent water) and 2 Pa s (20 percent), 25 C; Wikipedia, Honey"},
         {60e-3, Chosen,
          "a choice below that of water: Wikipedia, Honey, calls it rather low, and no measurement was found"},
         {60 * kDegree, Chosen, kSomeSolid},
         {0.60, 0.27, 0.02}},
        {"shampoo",
         "shampoo-like liquid as a Newtonian liquid",
         {1030, Chosen, "1000 to 1060 kg/m3; biologyinsights.com, What Is the Density of Shampoo?"},
         {3, Chosen,
          "usually around 2 to 7 Pa s; Cosmetics and Toiletries, Formula Anatomy Deciphered - Shampoos; the lower "
          "part, as "
          "shampoos thin under shear"},
         {30e-3, Chosen, "a choice: surfactants bring water to less than half of its own; no measurement was found"},
         {30 * kDegree, Chosen,
          "a modelling choice, half of that of water, as surfactants make it spread; the solid is not known here"},
         {0.80, 0.62, 0.25}},
        {"drilling_mud",
         "drilling mud as a Newtonian liquid",
         {1220, Checked, kFei},
         {0.382, Derived, kFeiViscosity},
         {20.6e-3, Chosen, kFeiTension},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.16, 0.09, 0.04}},
        {"acrylic_paint",
         "acrylic paint as a Newtonian liquid",
         {950, Checked, kFei},
         {3.69, Derived, kFeiViscosity},
         {20.6e-3, Chosen, kFeiTension},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.70, 0.05, 0.04}},
        {"milk_cream",
         "whipped milk cream as a Newtonian liquid",
         {275, Checked, kFei},
         {12.9, Derived, kFeiViscosity},
         {20.6e-3, Chosen, kFeiTension},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.90, 0.86, 0.75}},
        {"shaving_cream",
         "shaving cream as a Newtonian liquid",
         {200, Checked, kFei},
         {7.70, Derived, kFeiViscosity},
         {44.8e-3, Chosen,
          "value of the scene strand_split_cream to Fei (2019), github.com/nepluno/creamystrand; another has 20.6 "
          "mN/m; not a measurement"},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.92, 0.92, 0.92}},
        {"oyster_sauce",
         "oyster sauce as a Newtonian liquid",
         {1207, Checked, kFei},
         {0.936, Derived, kFeiViscosity},
         {20.6e-3, Chosen, kFeiTension},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.10, 0.03, 0.01}},
        {"milk_chocolate",
         "molten milk chocolate as a Newtonian liquid",
         {950, Checked, kFei},
         {5.67, Derived, kFeiViscosity},
         {22.6e-3, Chosen,
          "value of the scene flow_chocolate_45_deg to Fei (2019), github.com/nepluno/creamystrand; not a measurement"},
         {60 * kDegree, Chosen, kFeiAngle},
         {0.16, 0.06, 0.02}},
    };
    return kMaterials;
}

std::vector<std::string> liquid_material_names()
{
    std::vector<std::string> names;
    for (const LiquidMaterial& material : liquid_materials()) names.emplace_back(material.name);
    return names;
}

const LiquidMaterial& liquid_material(std::string_view name)
{
    const auto found = std::ranges::find(liquid_materials(), name, &LiquidMaterial::name);
    RIVULET_VERIFY(found != liquid_materials().end());
    return *found;
}

std::string material_table_markdown()
{
    std::string out = "The kind says how far the source of a number goes. Checked: the source was read and states the "
                      "number. Derived: computed from numbers that the source states. Chosen: a choice, guided by the "
                      "source or for the reason that is given.\n\n";
    for (const LiquidMaterial& m : liquid_materials()) {
        out += fmt::format("### {}\n\n{}.\n\n| property | value | kind | source |\n|---|---|---|---|\n", m.name,
                           m.description);
        for_each_liquid_number(m, [&](std::string_view property, double value, std::string_view unit,
                                      const SourcedNumber& n) {
            out += fmt::format("| {} | {:.6g} {} | {} | {} |\n", property, value, unit, kind_name(n.kind), n.source);
        });
        out += "\n";
    }
    return out;
}

std::string material_sources()
{
    std::string out;
    for (const LiquidMaterial& m : liquid_materials()) {
        out += fmt::format("\n{}: {}\n", m.name, m.description);
        for_each_liquid_number(
            m, [&](std::string_view property, double value, std::string_view unit, const SourcedNumber& n) {
                out += fmt::format("  {:<16} {:.6g} {} ({}: {})\n", property, value, unit, kind_name(n.kind), n.source);
            });
    }
    return out;
}

} // namespace rivulet
