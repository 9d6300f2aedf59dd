#pragma once

#include "base/vec.h"

#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

/// How far the source of a number goes.
enum class SourceKind {
    Checked, ///< the source was read and states the number
    Derived, ///< computed from numbers that the source states
    Chosen,  ///< a choice, guided by the source or for the reason that stands in its place
};

/// A number of the library and where it was found.
struct SourcedNumber {
    double value;
    SourceKind kind;
    std::string_view source;
};

/// A liquid of the library, as far as a Newtonian liquid needs it.
struct LiquidMaterial {
    std::string_view name;
    std::string_view description;
    SourcedNumber density;         ///< [kg/m^3]
    SourcedNumber viscosity;       ///< dynamic [Pa s]
    SourcedNumber surface_tension; ///< against air [N/m]
    SourcedNumber contact_angle;   ///< on a common solid [rad]
    Vec3 colour;                   ///< linear RGB, a choice
};

/// A strand's material of the library.
struct StrandMaterial {
    std::string_view name;
    std::string_view description;
    SourcedNumber density;            ///< [kg/m^3]
    SourcedNumber youngs_modulus;     ///< [Pa]
    SourcedNumber shear_modulus;      ///< [Pa]
    SourcedNumber internal_viscosity; ///< [Pa s]
    SourcedNumber radius;             ///< [m]
    SourcedNumber friction;           ///< Coulomb's coefficient [1]
    Vec3 colour;                      ///< linear RGB, a choice
};

[[nodiscard]] const std::vector<StrandMaterial>& strand_materials();
[[nodiscard]] std::vector<std::string> strand_material_names();
/// The material called `name`, which must be in the library.
[[nodiscard]] const StrandMaterial& strand_material(std::string_view name);
[[nodiscard]] std::string strand_material_table_markdown();
/// The library as text with its sources: what `explain` tells of the key `material`.
[[nodiscard]] std::string strand_material_sources();
/// "checked", "derived" or "chosen".
[[nodiscard]] std::string_view kind_name(SourceKind kind);

[[nodiscard]] const std::vector<LiquidMaterial>& liquid_materials();
[[nodiscard]] std::vector<std::string> liquid_material_names();
/// The material called `name`, which must be in the library.
[[nodiscard]] const LiquidMaterial& liquid_material(std::string_view name);
/// The library as a Markdown table with its sources: part of the scene reference.
[[nodiscard]] std::string material_table_markdown();
[[nodiscard]] std::string material_sources();

} // namespace rivulet
