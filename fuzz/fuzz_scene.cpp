#include "base/error.h"
#include "scene/scene.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// Any bytes either are a scene or raise InputError: nothing else may happen. A scene that loads must load again from
/// its resolved text, to the same fingerprint. No other file is read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const rivulet::Scene scene = rivulet::parse_scene(text, "fuzz.toml", {}, rivulet::FileAccess::Refused);
        const rivulet::Scene again =
            rivulet::parse_scene(scene.resolved_toml, "fuzz.toml", {}, rivulet::FileAccess::Refused);
        if (again.fingerprint != scene.fingerprint) std::abort();
    } catch (const rivulet::InputError&) {
    }
    return 0;
}
