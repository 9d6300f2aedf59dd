#include "io/vdb_writer.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/atomic_file.h"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <cmath>
#include <sstream>

namespace rivulet {
namespace {

openvdb::Vec3s to_vdb(const Vec3& v)
{
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

/// Calls visit(voxel, weight) for the eight voxels around x; the weights sum up to one.
template <class Visit>
void for_each_voxel(const Vec3& x, double voxel_size, Visit&& visit)
{
    const Vec3 p = x / voxel_size, base = p.array().floor(), s = p - base;
    RIVULET_VERIFY(p.cwiseAbs().maxCoeff() < 1e9);
    for (int c = 0; c < 8; ++c) {
        const Vec3i o(c & 1, (c >> 1) & 1, c >> 2);
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) weight *= o[axis] ? s[axis] : 1 - s[axis];
        const Vec3i v = base.cast<int>() + o;
        if (weight > 0) visit(openvdb::Coord(v.x(), v.y(), v.z()), weight);
    }
}

/// Weight of each voxel [m^3].
openvdb::DoubleGrid::Ptr splat_volume(std::span<const Vec3> positions, std::span<const double> volumes,
                                      double voxel_size)
{
    RIVULET_VERIFY(positions.size() == volumes.size() && voxel_size > 0);
    auto grid = openvdb::DoubleGrid::create(0);
    auto voxels = grid->getAccessor();
    for (std::size_t i = 0; i < positions.size(); ++i)
        for_each_voxel(positions[i], voxel_size, [&](const openvdb::Coord& c, double weight) {
            voxels.setValue(c, voxels.getValue(c) + weight * volumes[i]);
        });
    return grid;
}

void place(openvdb::GridBase& grid, const std::string& name, double voxel_size)
{
    grid.setName(name);
    grid.setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
    grid.setCreator("rivulet " RIVULET_VERSION);
}

/// OpenVDB gives every file a random identity, 36 letters after the magic number, three versions and a flag; in its
/// place one that comes from the content, so that the same frame is the same file.
void identify_by_content(std::string& bytes)
{
    constexpr std::size_t kBegin = 8 + 3 * 4 + 1, kLength = 36;
    constexpr std::size_t kDashes[] = {8, 13, 18, 23};
    RIVULET_VERIFY(bytes.size() > kBegin + kLength);
    for (const std::size_t dash : kDashes) RIVULET_VERIFY(bytes[kBegin + dash] == '-');
    bytes.replace(kBegin, kLength, kLength, '0');
    Hasher hasher;
    hasher.text(bytes);
    std::string identity = hex(hasher.value());
    hasher.text("second half");
    identity += hex(hasher.value());
    identity[12] = '8'; // a UUID of the kind that its maker defines
    identity[16] = '8';
    for (const std::size_t dash : kDashes) identity.insert(dash, 1, '-');
    bytes.replace(kBegin, kLength, identity);
}

} // namespace

struct VdbWriter::Grids {
    openvdb::GridPtrVec grids;
    openvdb::MetaMap metadata;
};

VdbWriter::VdbWriter() : grids_(std::make_unique<Grids>()) { openvdb::initialize(); }

VdbWriter::~VdbWriter() = default;

void VdbWriter::set_metadata(const std::string& key, const std::string& value)
{
    grids_->metadata.insertMeta(key, openvdb::StringMetadata(value));
}

void VdbWriter::set_metadata(const std::string& key, double value)
{
    grids_->metadata.insertMeta(key, openvdb::DoubleMetadata(value));
}

void VdbWriter::add_level_set(const std::string& name, std::span<const Vec3> vertices,
                              std::span<const std::array<std::int32_t, 3>> triangles, double voxel_size,
                              double half_width)
{
    RIVULET_VERIFY(voxel_size > 0 && half_width >= 1);
    std::vector<openvdb::Vec3s> points;
    points.reserve(vertices.size());
    for (const Vec3& x : vertices) points.push_back(to_vdb(x));
    std::vector<openvdb::Vec3I> faces;
    faces.reserve(triangles.size());
    for (const auto& t : triangles) {
        for (const std::int32_t v : t) RIVULET_VERIFY(v >= 0 && static_cast<std::size_t>(v) < vertices.size());
        faces.emplace_back(static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]),
                           static_cast<std::uint32_t>(t[2]));
    }
    const auto transform = openvdb::math::Transform::createLinearTransform(voxel_size);
    const auto grid =
        openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, points, faces, static_cast<float>(half_width));
    place(*grid, name, voxel_size);
    grids_->grids.push_back(grid);
}

void VdbWriter::add_density(const std::string& name, std::span<const Vec3> positions, std::span<const double> volumes,
                            double voxel_size)
{
    const auto volume = splat_volume(positions, volumes, voxel_size);
    const auto grid = openvdb::FloatGrid::create(0);
    auto voxels = grid->getAccessor();
    const double voxel_volume = voxel_size * voxel_size * voxel_size;
    for (auto it = volume->cbeginValueOn(); it; ++it)
        voxels.setValue(it.getCoord(), static_cast<float>(*it / voxel_volume));
    place(*grid, name, voxel_size);
    grid->setGridClass(openvdb::GRID_FOG_VOLUME);
    grids_->grids.push_back(grid);
}

void VdbWriter::add_velocity(const std::string& name, std::span<const Vec3> positions, std::span<const double> volumes,
                             std::span<const Vec3> velocities, double voxel_size)
{
    RIVULET_VERIFY(velocities.size() == positions.size());
    const auto volume = splat_volume(positions, volumes, voxel_size);
    const auto weight = volume->getConstAccessor();
    const auto grid = openvdb::Vec3SGrid::create(openvdb::Vec3s(0));
    auto voxels = grid->getAccessor();
    for (std::size_t i = 0; i < positions.size(); ++i)
        for_each_voxel(positions[i], voxel_size, [&](const openvdb::Coord& c, double share) {
            const double total = weight.getValue(c);
            if (total > 0) voxels.setValue(c, voxels.getValue(c) + to_vdb(share * volumes[i] / total * velocities[i]));
        });
    place(*grid, name, voxel_size);
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    grids_->grids.push_back(grid);
}

void VdbWriter::write(const std::filesystem::path& path) const
{
    // Through memory: OpenVDB does not look whether its own file could be written.
    std::ostringstream stream(std::ios::binary);
    openvdb::io::Stream(stream).write(grids_->grids, grids_->metadata);
    if (!stream) throw IoError(path.string() + ": cannot write: not enough memory");
    std::string bytes = std::move(stream).str();
    identify_by_content(bytes);
    write_file_atomically(path, bytes);
}

} // namespace rivulet
