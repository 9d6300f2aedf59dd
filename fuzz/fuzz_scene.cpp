#include "base/error.h"
#include "scene/scene.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {
/// The parser alone: no other file is read, and the million strands that a short text may ask for are not grown.
constexpr rivulet::ParseOptions kTextAlone{.files = rivulet::FileAccess::Refused, .grows_strands = false};
} // namespace

/// Any bytes either are a scene or raise InputError: nothing else may happen. A scene that loads must load again from
/// its resolved text, to the same fingerprint.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const rivulet::Scene scene = rivulet::parse_scene(text, "fuzz.toml", {}, kTextAlone);
        const rivulet::Scene again = rivulet::parse_scene(scene.resolved_toml, "fuzz.toml", {}, kTextAlone);
        if (again.fingerprint != scene.fingerprint) std::abort();
    } catch (const rivulet::InputError&) {
    }
    return 0;
}
