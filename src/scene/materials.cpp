#include "scene/materials.h"

#include "base/assert.h"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr const char* kCrc = "CRC Handbook of Chemistry and Physics, 97th ed. (2016)";
constexpr const char* kFei = "Fei, Multi-Scale Models to Simulate Interactions between Liquid and Thin Structures, "
                             "Columbia University (2019), material table";
constexpr const char* kFeiViscosity =
    "apparent viscosity at 10/s, tau_Y/10 + K 10^(n-1), of the Herschel-Bulkley constants of Fei (2019)";
constexpr const char* kFeiScenes = "value of the public scenes to Fei (2019)";

} // namespace

const std::vector<LiquidMaterial>& liquid_materials()
{
    static const std::vector<LiquidMaterial> kMaterials{
        {"water",
         "water at 20 C",
         {998.2, kCrc},
         {1.002e-3, kCrc},
         {72.75e-3, "IAPWS R1-76 (2014), 20 C"},
         {60 * kDegree, kFeiScenes},
         {0.10, 0.30, 0.55}},
        {"ethanol",
         "ethanol",
         {789.3, kCrc},
         {1.074e-3, kCrc},
         {21.97e-3, kCrc},
         {0, "wets clean glass completely (de Gennes, Brochard-Wyart, Quere, Capillarity and Wetting Phenomena, 2004)"},
         {0.55, 0.60, 0.65}},
        {"glycerol",
         "pure glycerol at 20 C",
         {1261.3, kCrc},
         {1.41, "Segur and Oberstar, Ind. Eng. Chem. 43 (1951), 20 C"},
         {63.4e-3, kCrc},
         {60 * kDegree, kFeiScenes},
         {0.60, 0.62, 0.60}},
        {"mercury",
         "mercury",
         {13545.9, kCrc},
         {1.526e-3, kCrc},
         {485.5e-3, kCrc},
         {140 * kDegree, "on glass: Ellison, Klemm, Schwartz, Grubb, Petrash, J. Chem. Eng. Data 12 (1967)"},
         {0.55, 0.55, 0.57}},
        {"olive_oil",
         "olive oil at 20 C",
         {911, "Noureddini, Teoh, Clements, J. Am. Oil Chem. Soc. 69 (1992), vegetable oils"},
         {84e-3, "CRC Handbook of Chemistry and Physics, 62nd ed. (1981), 20 C"},
         {32e-3, "Esteban, Riba, Baquero, Puig, Rius, Biomass and Bioenergy 42 (2012), vegetable oils near 20 C"},
         {20 * kDegree, "a choice: oils spread on most solids"},
         {0.45, 0.38, 0.05}},
        {"silicone_oil",
         "polydimethylsiloxane of 100 cSt at 25 C",
         {964, "Dow Corning Xiameter PMX-200 100 cSt, product data"},
         {96.4e-3, "100 cSt times its density, Dow Corning Xiameter PMX-200, product data"},
         {20.9e-3, "Dow Corning Xiameter PMX-200 100 cSt, product data"},
         {0, "wets most solids completely (de Gennes, Brochard-Wyart, Quere, 2004)"},
         {0.60, 0.62, 0.65}},
        {"milk",
         "whole milk at 20 C",
         {1030, "Walstra, Wouters, Geurts, Dairy Science and Technology, 2nd ed. (2006)"},
         {2.0e-3, "Walstra, Wouters, Geurts (2006)"},
         {47e-3, "Walstra, Wouters, Geurts (2006)"},
         {60 * kDegree, kFeiScenes},
         {0.85, 0.83, 0.76}},
        {"honey",
         "honey of about 17 percent moisture at 25 C",
         {1420, "White, Composition of American Honeys, USDA Technical Bulletin 1261 (1962)"},
         {10, "Yanniotis, Skaltsi, Karaburnioti, J. Food Eng. 72 (2006), order of magnitude"},
         {60e-3, "a choice between water and sugar solutions"},
         {60 * kDegree, kFeiScenes},
         {0.60, 0.27, 0.02}},
        {"drilling_mud",
         "drilling mud as a Newtonian liquid",
         {1220, kFei},
         {0.382, kFeiViscosity},
         {20.6e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
         {0.16, 0.09, 0.04}},
        {"acrylic_paint",
         "acrylic paint as a Newtonian liquid",
         {950, kFei},
         {3.69, kFeiViscosity},
         {20.6e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
         {0.70, 0.05, 0.04}},
        {"milk_cream",
         "whipped milk cream as a Newtonian liquid",
         {275, kFei},
         {12.9, kFeiViscosity},
         {44.8e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
         {0.90, 0.86, 0.75}},
        {"shaving_cream",
         "shaving cream as a Newtonian liquid",
         {200, kFei},
         {7.70, kFeiViscosity},
         {44.8e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
         {0.92, 0.92, 0.92}},
        {"oyster_sauce",
         "oyster sauce as a Newtonian liquid",
         {1207, kFei},
         {0.936, kFeiViscosity},
         {20.6e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
         {0.10, 0.03, 0.01}},
        {"milk_chocolate",
         "molten milk chocolate as a Newtonian liquid",
         {950, kFei},
         {5.67, kFeiViscosity},
         {20.6e-3, kFeiScenes},
         {60 * kDegree, kFeiScenes},
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
    std::string out;
    for (const LiquidMaterial& m : liquid_materials()) {
        out += fmt::format("### {}\n\n{}.\n\n| property | value | source |\n|---|---|---|\n", m.name, m.description);
        const auto row = [&](std::string_view property, double value, std::string_view unit, std::string_view source) {
            out += fmt::format("| {} | {:.5g} {} | {} |\n", property, value, unit, source);
        };
        row("density", m.density.value, "kg/m3", m.density.source);
        row("viscosity", m.viscosity.value, "Pa s", m.viscosity.source);
        row("surface tension", m.surface_tension.value, "N/m", m.surface_tension.source);
        row("contact angle", m.contact_angle.value / kDegree, "deg", m.contact_angle.source);
        out += "\n";
    }
    return out;
}

} // namespace rivulet
