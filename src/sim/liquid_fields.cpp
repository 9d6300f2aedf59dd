#include "sim/liquid_fields.h"

namespace rivulet {

const std::vector<FieldName>& liquid_fields()
{
    static const std::vector<FieldName> kFields = {
        {"speed", "m/s", "length of the velocity"}, {"velocity.x", "m/s", "velocity along x"},
        {"velocity.y", "m/s", "velocity along y"},  {"velocity.z", "m/s", "velocity along z"},
        {"position.x", "m", "position along x"},    {"position.y", "m", "position along y"},
        {"position.z", "m", "position along z"},    {"pressure", "Pa", "pressure of the last projection"},
        {"volume", "m3", "volume of a particle"},   {"density", "kg/m3", "density of the particle's liquid"},
    };
    return kFields;
}

} // namespace rivulet
