#include "run/vdb_export.h"

#include "io/vdb_writer.h"
#include "run/picture.h"

namespace rivulet {

void write_frame_vdb(const std::filesystem::path& path, const Scene& scene, const Frame& frame)
{
    const double cell = scene.model.options.cell_size;
    const TriangleMesh surface = liquid_surface(scene, frame);
    VdbWriter vdb;
    vdb.set_metadata("title", scene.model.title);
    vdb.set_metadata("time", frame.time);
    vdb.set_metadata("frame", static_cast<double>(frame.number));
    if (!surface.triangles.empty()) vdb.add_level_set("surface", surface.vertices, surface.triangles, 0.5 * cell);
    vdb.add_density("density", frame.position, frame.volume, cell);
    vdb.add_velocity("velocity", frame.position, frame.volume, frame.velocity, cell);
    vdb.write(path);
}

} // namespace rivulet
