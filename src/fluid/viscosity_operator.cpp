#include "fluid/viscosity_operator.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "fluid/viscosity_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rivulet {
namespace {

/// Neither smooth nor without slip.
bool is_between(double friction) { return friction > 0 && friction < 1; }

/// Room for a field that is filled tile by tile; the tile that stands for the outside is zero.
void make_room(FaceField& field, std::size_t size)
{
    for (auto& f : field) {
        f.resize(size);
        if (size > 0) std::fill(f.end() - kTileCells, f.end(), 0.0);
    }
}

void fill_tile(FaceField& field, std::size_t tile, double value)
{
    for (auto& f : field)
        if (!f.empty()) std::fill_n(&f[tile * kTileCells], kTileCells, value);
}

} // namespace

/// One strain sample and the faces it reads: s = sum of factor * u.
struct ViscosityOperator::Sample {
    struct Face {
        std::size_t axis = 0;
        std::size_t index = 0;
        Vec3i cell = Vec3i::Zero();
        double factor = 0;
        FaceKind kind = FaceKind::Empty;
    };
    int tile = 0;
    std::size_t index = 0; ///< of the cell it belongs to
    Vec3 position = Vec3::Zero();
    std::array<Face, 4> face; ///< differences in pairs: upper, lower
    int n_faces = 0;
    double volume = 0;
    double viscosity = 0; ///< times 2 for cells
    std::array<double, 2> stretch{1, 1};

    [[nodiscard]] bool touches(FaceKind kind) const
    {
        return std::any_of(face.begin(), face.begin() + n_faces, [&](const Face& f) { return f.kind == kind; });
    }
    void add(const ViscosityOperator& op, std::size_t axis, const Vec3i& cell, double factor)
    {
        const std::size_t n = op.grid().index(tile, cell.x(), cell.y(), cell.z());
        face[std::size_t(n_faces++)] = {axis, n, cell, factor, op.kind(axis, n)};
    }
};

ViscosityOperator::Sample ViscosityOperator::cell_sample(int t, const Vec3i& cell, std::size_t axis) const
{
    Sample s;
    s.tile = t;
    s.index = grid().index(t, cell.x(), cell.y(), cell.z());
    s.position = grid().cell_centre(t, cell.x(), cell.y(), cell.z());
    s.volume = volumes_.cell[s.index];
    s.add(*this, axis, cell + Vec3i::Unit(int(axis)), 1);
    s.add(*this, axis, cell, -1);
    s.viscosity = 2 * (in_.viscosity.empty() ? in_.uniform_viscosity : in_.viscosity[s.index]);
    return s;
}

ViscosityOperator::Sample ViscosityOperator::edge_sample(int t, const Vec3i& cell, std::size_t axis) const
{
    const std::size_t a = next(axis), b = previous(axis);
    Sample s;
    s.tile = t;
    s.index = grid().index(t, cell.x(), cell.y(), cell.z());
    Vec3 x = cell.cast<double>();
    x[int(axis)] += 0.5;
    s.position = grid().node(t, x.x(), x.y(), x.z());
    s.volume = volumes_.edge[axis][s.index];
    s.add(*this, a, cell, 1);
    s.add(*this, a, cell - Vec3i::Unit(int(b)), -1);
    s.add(*this, b, cell, 1);
    s.add(*this, b, cell - Vec3i::Unit(int(a)), -1);
    s.viscosity = edge_viscosity(t, cell, axis);
    return s;
}

/// Harmonic mean over the cells around an edge: across an interface the shear stress is continuous, not the strain.
double ViscosityOperator::edge_viscosity(int t, const Vec3i& cell, std::size_t axis) const
{
    if (in_.viscosity.empty()) return in_.uniform_viscosity;
    double sum = 0;
    for (int n = 0; n < 4; ++n) {
        const Vec3i at = cell - (n & 1) * Vec3i::Unit(int(next(axis))) - (n >> 1) * Vec3i::Unit(int(previous(axis)));
        const double mu = in_.viscosity[grid().index(t, at.x(), at.y(), at.z())];
        if (!(mu > 0)) return 0;
        sum += 1 / mu;
    }
    return 4 / sum;
}

/// Where a wall cuts a difference, the slope is that between the liquid face and the wall.
void ViscosityOperator::stretch_at_wall(Sample& s) const
{
    for (int pair = 0; pair < s.n_faces / 2; ++pair) {
        const auto& upper = s.face[std::size_t(2 * pair)];
        const auto& lower = s.face[std::size_t(2 * pair + 1)];
        if ((upper.kind == FaceKind::Held) == (lower.kind == FaceKind::Held)) continue;
        const auto& wet = upper.kind == FaceKind::Held ? lower : upper;
        const auto& dry = upper.kind == FaceKind::Held ? upper : lower;
        const double outside = volumes_.solid_distance(wet.axis, wet.index);
        const double inside = volumes_.solid_distance(dry.axis, dry.index);
        s.stretch[std::size_t(pair)] = 1 / std::clamp(outside / (outside - inside), kLeastWallTheta, 1.0);
    }
}

/// Slip length of the wall that holds a face, for the velocity along its axis, in cells: none across the wall. Smooth
/// solids hold nothing but what comes straight at them.
double ViscosityOperator::slip_at(int t, const Vec3i& cell, std::size_t axis) const
{
    if (!has_slip_) return 0;
    const Vec3 x = grid().face_centre(t, static_cast<int>(axis), cell);
    const int body = in_.solids->nearest(x).body;
    const double friction = in_.solids->friction(body);
    if (!is_between(friction)) return 0;
    const double across = in_.solids->normal(x, body)[int(axis)];
    return (1 - std::min(1.0, across * across)) * kSlipLength / grid().cell_size() * (1 - friction) / friction;
}

/// Part of the stress of liquid that sticks to the walls that is left where it slips. The stress s of the liquid is
/// that on the wall, mu (slip) / (slip length), and (slip) takes its part in s.
double ViscosityOperator::stress_left(const Sample& s) const
{
    double inverse = 1;
    for (int pair = 0; pair < s.n_faces / 2; ++pair) {
        const auto& upper = s.face[std::size_t(2 * pair)];
        const auto& held = upper.kind == FaceKind::Held ? upper : s.face[std::size_t(2 * pair + 1)];
        if (held.kind == FaceKind::Held)
            inverse += s.stretch[std::size_t(pair)] * slip_at(s.tile, held.cell, held.axis);
    }
    return 1 / inverse;
}

void ViscosityOperator::limit_volume(Sample& s) const
{
    bool has_unknown = false;
    for (int n = 0; n < s.n_faces; ++n) {
        const auto& f = s.face[std::size_t(n)];
        if (f.kind == FaceKind::Held) continue;
        if (f.kind != FaceKind::Liquid) s.volume = 0;
        s.volume = std::min(s.volume, kStressPerMass * volumes_.face[f.axis][f.index]);
        has_unknown = true;
    }
    if (!has_unknown) s.volume = 0;
}

/// Minus what the solid's motion, continued into the liquid, would read: velocities at a wall are relative to it.
double ViscosityOperator::body_shift(const Sample& s) const
{
    if (!s.touches(FaceKind::Held)) return 0;
    const int body = in_.solids->nearest(s.position).body;
    double sum = 0;
    for (int n = 0; n < s.n_faces; ++n) {
        const auto& f = s.face[std::size_t(n)];
        if (f.kind != FaceKind::Liquid) continue;
        const Vec3 u = in_.solids->velocity(grid().face_centre(s.tile, int(f.axis), f.cell), body);
        sum -= s.stretch[std::size_t(n / 2)] * f.factor * u[int(f.axis)];
    }
    return sum;
}

double ViscosityOperator::face_mass(std::size_t axis, std::size_t face, std::size_t below) const
{
    if (volumes_.kind[axis][face] != FaceKind::Liquid) return 0;
    const double dx = grid().cell_size();
    if (in_.is_free(face / kTileCells)) return in_.carried[axis][face] / (dx * dx * dx);
    const double rho = density_at(in_, face, below);
    const bool is_driven = !in_.driven[axis].empty() && in_.driven[axis][face] != 0;
    return (is_driven ? kDrivenMass : 1) * rho * volumes_.face[axis][face];
}

void ViscosityOperator::build_mass(int t)
{
    for (int c = 0; c < kTileCells; ++c) {
        const Vec3i cell(c % 8, c / 8 % 8, c / 64);
        const CellNeighbours at(grid(), t, cell.x(), cell.y(), cell.z());
        for (std::size_t a = 0; a < 3; ++a)
            mass_[a][at.own] = volumes_.face[a][at.own] > 0 ? face_mass(a, at.own, at.down[a]) : 0;
    }
}

/// Calls body(sample volume, is on an edge, axis, cell, its faces as {axis, index}) for the samples of a tile that have
/// any volume.
template <class Body>
void ViscosityOperator::for_samples(int t, Body&& body) const
{
    using Face = std::pair<std::size_t, std::size_t>;
    for (int c = 0; c < kTileCells; ++c) {
        const auto n = std::size_t(t * kTileCells + c);
        const double volume = volumes_.cell[n];
        if (volume == 0 && volumes_.edge[0][n] == 0 && volumes_.edge[1][n] == 0 && volumes_.edge[2][n] == 0) continue;
        const Vec3i cell(c % 8, c / 8 % 8, c / 64);
        const CellNeighbours at(grid(), t, cell.x(), cell.y(), cell.z());
        for (std::size_t e = 0; e < 3; ++e) {
            const std::size_t a = next(e), b = previous(e);
            if (volume > 0) body(volume, false, e, cell, std::array{Face{e, at.up[e]}, Face{e, n}});
            if (volumes_.edge[e][n] > 0)
                body(volumes_.edge[e][n], true, e, cell,
                     std::array{Face{a, n}, Face{a, at.down[b]}, Face{b, n}, Face{b, at.down[a]}});
        }
    }
}

/// Whether a solid holds one of the faces.
template <class Faces>
bool ViscosityOperator::touches_wall(const Faces& faces) const
{
    return std::any_of(faces.begin(), faces.end(),
                       [&](const auto& f) { return kind(f.first, f.second) == FaceKind::Held; });
}

/// A sample at a wall.
void ViscosityOperator::build_wall_sample(Sample s, bool is_edge, std::size_t a)
{
    const double scale = in_.dt / (grid().cell_size() * grid().cell_size());
    limit_volume(s);
    if (s.volume == 0) return;
    stretch_at_wall(s);
    (is_edge ? edge_weight_ : cell_weight_)[a][s.index] = scale * s.viscosity * s.volume * stress_left(s);
    for (std::size_t pair = 0; pair < (is_edge ? 2U : 1U); ++pair)
        (is_edge ? edge_stretch_[pair] : cell_stretch_)[a][s.index] = s.stretch[pair];
    if (has_moving_) (is_edge ? edge_shift_ : cell_shift_)[a][s.index] = body_shift(s);
}

void ViscosityOperator::build_samples(int t)
{
    const double scale = in_.dt / (grid().cell_size() * grid().cell_size());
    for_samples(t, [&](double volume, bool is_edge, std::size_t a, const Vec3i& cell, const auto& faces) {
        if (touches_wall(faces)) {
            begin_walls(t);
            return build_wall_sample(is_edge ? edge_sample(t, cell, a) : cell_sample(t, cell, a), is_edge, a);
        }
        for (const auto& [axis, face] : faces)
            volume = kind(axis, face) == FaceKind::Liquid ? std::min(volume, kStressPerMass * volumes_.face[axis][face])
                                                          : 0.0;
        if (volume == 0) return;
        const auto n = std::size_t(t * kTileCells + cell_in_tile(cell.x(), cell.y(), cell.z()));
        const double mu = is_edge ? edge_viscosity(t, cell, a)
                                  : 2 * (in_.viscosity.empty() ? in_.uniform_viscosity : in_.viscosity[n]);
        (is_edge ? edge_weight_ : cell_weight_)[a][n] = scale * mu * volume;
    });
}

/// Before the first sample at a wall of a tile: stretches of 1 and no shifts for the others.
void ViscosityOperator::begin_walls(int t)
{
    if (std::exchange(has_wall_[std::size_t(t)], 1) != 0) return;
    for (FaceField* field : {&cell_stretch_, &edge_stretch_[0], &edge_stretch_[1]})
        fill_tile(*field, std::size_t(t), 1);
    for (FaceField* field : {&cell_shift_, &edge_shift_}) fill_tile(*field, std::size_t(t), 0);
}

/// The same for a tile around which no solid holds a face: all slopes are plain.
void ViscosityOperator::build_plain_samples(int t)
{
    const TileRows rows(grid(), volumes_.is_wet, t);
    const double scale = in_.dt / (grid().cell_size() * grid().cell_size());
    std::array<double, kTileEdge> one, two, three, four;
    // Volume of two faces along the same axis, the smaller; none unless both are unknowns.
    const auto smaller = [&](std::size_t axis, int j, int k, std::size_t along, int step, auto& least) {
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        const double *m = &mass_[axis][n], *m_other = rows.shifted(mass_[axis], j, k, along, step, three);
        const double *v = &volumes_.face[axis][n],
                     *v_other = rows.shifted(volumes_.face[axis], j, k, along, step, four);
        for (std::size_t i = 0; i < kTileEdge; ++i)
            least[i] = m[i] > 0 && m_other[i] > 0 ? std::min(v[i], v_other[i]) : 0;
    };
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t a = next(c), b = previous(c);
            smaller(c, j, k, c, 1, one);
            for (std::size_t i = 0; i < kTileEdge; ++i) {
                const double v = std::min(volumes_.cell[n + i], kStressPerMass * one[i]);
                const double mu = in_.viscosity.empty() ? in_.uniform_viscosity : in_.viscosity[n + i];
                cell_weight_[c][n + i] = scale * (2 * mu) * v;
            }
            smaller(a, j, k, b, -1, one);
            smaller(b, j, k, a, -1, two);
            for (std::size_t i = 0; i < kTileEdge; ++i) {
                const double v = std::min(volumes_.edge[c][n + i], kStressPerMass * std::min(one[i], two[i]));
                edge_weight_[c][n + i] = v > 0 ? scale * edge_viscosity(t, {int(i), j, k}, c) * v : 0;
            }
        }
    }
}

bool ViscosityOperator::is_near_held(int t) const
{
    for (int n = 0; n < 27; ++n)
        if (volumes_.has_held[std::size_t(grid().neighbour(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1))] != 0) return true;
    return false;
}

void ViscosityOperator::build_tile(int t)
{
    if (!is_near_held(t)) return build_plain_samples(t);
    for (FaceField* field : {&cell_weight_, &edge_weight_}) fill_tile(*field, std::size_t(t), 0);
    build_samples(t);
}

void ViscosityOperator::find_tiles()
{
    const auto count = [&](int t) {
        std::int64_t unknowns = 0, samples = 0;
        for (int c = 0; c < kTileCells; ++c)
            for (std::size_t a = 0; a < 3; ++a) {
                const auto n = std::size_t(t * kTileCells + c);
                unknowns += kind(a, n) == FaceKind::Liquid;
                samples += cell_weight_[a][n] > 0 || edge_weight_[a][n] > 0;
            }
        return std::pair(unknowns, samples);
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> counts(std::size_t(grid().n_tiles()));
    parallel_for(grid().n_tiles(), "viscous tiles", [&](std::int64_t t) {
        if (volumes_.is_wet[std::size_t(t)] != 0) counts[std::size_t(t)] = count(int(t));
    });
    tiles_.clear();
    n_unknowns_ = 0;
    for (int t = 0; t < grid().n_tiles(); ++t) {
        n_unknowns_ += counts[std::size_t(t)].first;
        if (counts[std::size_t(t)] != std::pair<std::int64_t, std::int64_t>(0, 0)) tiles_.push_back(t);
    }
    partial_.resize(tiles_.size());
}

void ViscosityOperator::find_viscous_number()
{
    const double scale = in_.dt / (grid().cell_size() * grid().cell_size());
    parallel_for(
        std::int64_t(tiles_.size()), "viscous number",
        [&](std::int64_t n) {
            double largest = 0;
            for (int c = 0; c < kTileCells; ++c) {
                const auto at = std::size_t(tiles_[std::size_t(n)] * kTileCells + c);
                const double mu = in_.viscosity.empty() ? in_.uniform_viscosity : in_.viscosity[at];
                const bool known = !in_.density.empty() && in_.density[at] > 0;
                if (volumes_.cell[at] > 0)
                    largest = std::max(largest, scale * mu / (known ? in_.density[at] : in_.uniform_density));
            }
            partial_[std::size_t(n)] = largest;
        },
        kSlotGrain);
    viscous_number_ = partial_.empty() ? 0 : *std::max_element(partial_.begin(), partial_.end());
}

void ViscosityOperator::build(const ViscosityInput& input)
{
    in_ = input;
    solids_ = *input.solids;
    in_.solids = &solids_;
    const Solids& solids = solids_;
    has_held_ =
        !solids.bodies.empty() || std::find(solids.closed.begin(), solids.closed.end(), true) != solids.closed.end();
    has_moving_ = std::any_of(solids.bodies.begin(), solids.bodies.end(), [](const SolidBody& body) {
        return body.twist.linear.norm() > 0 || body.twist.angular.norm() > 0;
    });
    has_slip_ = is_between(solids.wall_friction) ||
                std::any_of(solids.bodies.begin(), solids.bodies.end(),
                            [](const SolidBody& body) { return is_between(body.friction); });
    compute_control_volumes(in_, volumes_);
    const std::size_t size = grid().field_size();
    for (FaceField* field : {&mass_, &cell_weight_, &edge_weight_, &cell_stress_, &edge_stress_[0]})
        make_room(*field, size);
    for (FaceField* field : {&edge_stress_[1], &cell_stretch_, &edge_stretch_[0], &edge_stretch_[1]})
        make_room(*field, has_held_ ? size : 0);
    for (FaceField* field : {&cell_shift_, &edge_shift_}) make_room(*field, has_moving_ ? size : 0);
    has_wall_.assign(std::size_t(grid().n_tiles()) + 1, 0);
    const auto for_wet_tiles = [&](const char* name, auto&& body) {
        parallel_for(grid().n_tiles(), name, [&](std::int64_t t) {
            if (volumes_.is_wet[std::size_t(t)] != 0) body(int(t));
        });
    };
    for_wet_tiles("viscous mass", [&](int t) { build_mass(t); });
    for_wet_tiles("viscous system", [&](int t) { build_tile(t); });
    find_tiles();
    find_viscous_number();
    auto listed = tiles_.begin();
    for (std::int32_t t = 0; t < grid().n_tiles(); ++t) // the others' stress is never written, but read beside them
        if (listed != tiles_.end() && *listed == t)
            ++listed;
        else if (volumes_.is_wet[std::size_t(t)] != 0)
            for (FaceField* field : {&cell_stress_, &edge_stress_[0], &edge_stress_[1]})
                fill_tile(*field, std::size_t(t), 0);
}

std::vector<ViscousLoad> ViscosityOperator::loads(const FaceField& u) const
{
    std::vector<ViscousLoad> total(in_.solids->bodies.size());
    if (!has_held_ || total.empty()) return total;
    const double dx = grid().cell_size();
    const double scale = dx * dx * dx / in_.dt; // from change of momentum per volume to force
    std::vector<std::vector<ViscousLoad>> loads(tiles_.size());
    parallel_for(std::int64_t(tiles_.size()), "viscous loads", [&](std::int64_t nt) {
        const int t = tiles_[std::size_t(nt)];
        if (has_wall_[std::size_t(t)] == 0) return;
        loads[std::size_t(nt)].resize(total.size());
        for_samples(t, [&](double, bool is_edge, std::size_t a, const Vec3i& cell, const auto& faces) {
            if (!touches_wall(faces)) return;
            Sample s = is_edge ? edge_sample(t, cell, a) : cell_sample(t, cell, a);
            const double w = (is_edge ? edge_weight_ : cell_weight_)[a][s.index];
            if (w == 0) return;
            const int body = in_.solids->nearest(s.position).body;
            if (body < 0) return;
            stretch_at_wall(s);
            double strain = has_moving_ ? (is_edge ? edge_shift_ : cell_shift_)[a][s.index] : 0;
            for (int n = 0; n < s.n_faces; ++n) {
                auto& f = s.face[std::size_t(n)];
                f.factor *= s.stretch[std::size_t(n / 2)];
                if (f.kind == FaceKind::Liquid) strain += f.factor * u[f.axis][f.index];
            }
            ViscousLoad& load = loads[std::size_t(nt)][std::size_t(body)];
            for (int n = 0; n < s.n_faces; ++n) {
                const auto& f = s.face[std::size_t(n)];
                if (f.kind != FaceKind::Liquid) continue;
                const Vec3 force = scale * w * strain * f.factor * Vec3::Unit(int(f.axis));
                const Vec3 arm =
                    grid().face_centre(t, int(f.axis), f.cell) - in_.solids->bodies[std::size_t(body)].pose.position;
                load.force += force;
                load.torque += arm.cross(force);
            }
        });
    });
    for (const auto& tile : loads)
        for (std::size_t b = 0; b < tile.size(); ++b) {
            total[b].force += tile[b].force;
            total[b].torque += tile[b].torque;
        }
    return total;
}

std::size_t ViscosityOperator::bytes() const noexcept
{
    std::size_t n = volumes_.bytes();
    for (const FaceField* f :
         {&mass_, &cell_weight_, &edge_weight_, &cell_stretch_, &edge_stretch_[0], &edge_stretch_[1], &cell_shift_,
          &edge_shift_, &cell_stress_, &edge_stress_[0], &edge_stress_[1]})
        for (const auto& field : *f) n += field.capacity() * sizeof(double);
    return n;
}

} // namespace rivulet
