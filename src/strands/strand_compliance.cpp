#include "strands/strand_compliance.h"

#include "base/parallel.h"
#include "contact/contact_frame.h"
#include "strands/strand_springs.h"

#include <algorithm>
#include <numeric>

namespace rivulet {
namespace {

/// Batches that one task takes after each other, with one set of scratch arrays.
constexpr std::int64_t kBatchesPerComplianceTask = 4;
constexpr std::int64_t kMotionGrain = 512;
/// Axes of contacts, for each vertex of a strand, beyond which its block is that of vertices: a force then changes the
/// motions of 3 n of them through six rows instead of those of all axes through three, or one of a bridge.
constexpr std::size_t kAxesOfVertex = 6;

/// body(i, scratch) for i in [0, n).
template <class Body>
void for_batches(std::size_t n, Body&& body)
{
    const auto count = static_cast<std::int64_t>(n);
    parallel_for((count + kBatchesPerComplianceTask - 1) / kBatchesPerComplianceTask, "contact compliance",
                 [&](std::int64_t task) {
                     AlignedVector<Lane> scratch;
                     const std::int64_t begin = task * kBatchesPerComplianceTask;
                     for (std::int64_t i = begin; i < std::min(count, begin + kBatchesPerComplianceTask); ++i)
                         body(static_cast<std::size_t>(i), scratch);
                 });
}

/// Motions of first sides become those of contacts.
void add_seconds(std::span<const Vec3> second, std::span<Vec3> motion)
{
    parallel_for(
        static_cast<std::int64_t>(motion.size()), "contact compliance",
        [&](std::int64_t c) { motion[static_cast<std::size_t>(c)] += second[static_cast<std::size_t>(c)]; },
        kMotionGrain);
}

} // namespace

StrandCompliance::StrandCompliance(const StrandModel& model, std::span<const Hold> hold,
                                   std::span<const RodMatrix> factors, std::span<const StrandContact> contacts)
    : model_(model), factors_(factors), n_contacts_(contacts.size())
{
    // Lane 0 of the first batch is seat 0, then come its other lanes, then those of the next.
    std::vector<std::int32_t> seat_of(static_cast<std::size_t>(model.n_strands()));
    for (std::size_t b = 0; b < model.batches.size(); ++b)
        for (std::size_t l = 0; l < kStrandLanes; ++l) {
            const std::int32_t s = model.batches[b].strand[l];
            if (s >= 0) seat_of[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(kStrandLanes * b + l);
        }
    const auto is_free = [&](std::size_t v) { return hold.empty() || hold[v] == Hold::Free; };
    const auto strand_of = [&](std::int32_t vertex) {
        const auto after = std::upper_bound(model.first.begin(), model.first.end(), vertex);
        return static_cast<std::size_t>(after - model.first.begin() - 1);
    };
    const auto side = [&](std::size_t contact, std::size_t strand, std::int32_t vertex, double at, bool is_second) {
        const auto v = static_cast<std::size_t>(vertex);
        return Side{static_cast<std::int32_t>(contact),
                    vertex - model.first[strand],
                    at,
                    static_cast<std::uint8_t>(seat_of[strand] % kStrandLanes),
                    is_second,
                    {is_free(v), is_free(v + 1)}};
    };
    std::vector<std::array<std::int32_t, 2>> strands(contacts.size(), {0, -1});
    parallel_for(
        static_cast<std::int64_t>(contacts.size()), "contact compliance",
        [&](std::int64_t i) {
            const StrandContact& c = contacts[static_cast<std::size_t>(i)];
            auto& [a, b] = strands[static_cast<std::size_t>(i)];
            a = static_cast<std::int32_t>(strand_of(c.a));
            if (!c.is_with_obstacle()) b = static_cast<std::int32_t>(strand_of(c.b));
        },
        kMotionGrain);
    // Sides go to their seats in the order of contacts.
    std::vector<std::size_t> next(kStrandLanes * model.batches.size() + 1, 0);
    for (const auto& both : strands)
        for (const std::int32_t s : both)
            if (s >= 0) ++next[static_cast<std::size_t>(seat_of[static_cast<std::size_t>(s)]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    sides_.resize(next.back());
    std::vector<std::int32_t> seat(sides_.size());
    for (std::size_t c = 0; c < contacts.size(); ++c)
        for (const bool is_second : {false, true}) {
            if (strands[c][is_second] < 0) continue;
            const auto strand = static_cast<std::size_t>(strands[c][is_second]);
            const std::size_t place = next[static_cast<std::size_t>(seat_of[strand])]++;
            seat[place] = seat_of[strand];
            sides_[place] = is_second ? side(c, strand, contacts[c].b, contacts[c].t, true)
                                      : side(c, strand, contacts[c].a, contacts[c].s, false);
        }
    index_sides(seat);
}

void StrandCompliance::solve(std::size_t i, std::span<const Side> sides, std::span<const Vec3> force,
                             std::span<const Vec3> second, AlignedVector<Lane>& u) const
{
    const RodMatrix& matrix = factors_[static_cast<std::size_t>(batches_[i])];
    u.assign(static_cast<std::size_t>(matrix.size()), Lane{});
    for (const Side& side : sides)
        add_to(u, side, (side.is_second ? second : force)[static_cast<std::size_t>(side.contact)]);
    matrix.solve(u.data());
}

/// Between some of the contacts, whose sides it copies: where most rest, those of all would be far more to go through.
class StrandCompliance::Part final : public ContactCompliance {
public:
    Part(const StrandCompliance& whole, std::span<const std::int32_t> contacts)
        : whole_(whole), second_motion_(contacts.size(), Vec3::Zero())
    {
        std::vector<std::int32_t> place(whole.n_contacts_, -1);
        for (std::size_t k = 0; k < contacts.size(); ++k)
            place[static_cast<std::size_t>(contacts[k])] = static_cast<std::int32_t>(k);
        sides_.reserve(2 * contacts.size());
        for (std::size_t i = 0; i < whole.batches_.size(); ++i) {
            const std::size_t begin = sides_.size();
            for (Side side : whole.sides_of_batch(i)) {
                side.contact = place[static_cast<std::size_t>(side.contact)];
                if (side.contact >= 0) sides_.push_back(side);
            }
            if (sides_.size() == begin) continue;
            batches_.push_back(i);
            begin_.push_back(begin);
        }
        begin_.push_back(sides_.size());
    }

    void apply(std::span<const Vec3> force, std::span<Vec3> motion) override
    {
        for_batches(batches_.size(), [&](std::size_t n, AlignedVector<Lane>& u) {
            const std::span<const Side> sides(sides_.data() + begin_[n], begin_[n + 1] - begin_[n]);
            whole_.solve(batches_[n], sides, force, force, u);
            for (const Side& side : sides)
                (side.is_second ? std::span(second_motion_) : motion)[static_cast<std::size_t>(side.contact)] =
                    at_side(u, side);
        });
        add_seconds(second_motion_, motion);
    }

private:
    const StrandCompliance& whole_;
    std::vector<Side> sides_;          ///< with the number of their contact among these
    std::vector<std::size_t> batches_; ///< numbers among those of the whole
    std::vector<std::size_t> begin_;   ///< of the sides of each
    std::vector<Vec3> second_motion_;
};

std::unique_ptr<ContactCompliance> StrandCompliance::only(std::span<const std::int32_t> contacts)
{
    return std::make_unique<Part>(*this, contacts);
}

void StrandCompliance::index_sides(std::span<const std::int32_t> seat)
{
    sides_of_.assign(n_contacts_, {-1, -1});
    for (std::size_t k = 0; k < sides_.size(); ++k) {
        const std::int32_t batch = seat[k] / kStrandLanes;
        if (batches_.empty() || batches_.back() != batch) {
            batches_.push_back(batch);
            begin_.push_back(k);
        }
        if (k == 0 || seat[k - 1] != seat[k]) strand_.push_back(k);
        auto& both = sides_of_[static_cast<std::size_t>(sides_[k].contact)];
        both[both[0] < 0 ? 0 : 1] = static_cast<std::int32_t>(k);
    }
    begin_.push_back(sides_.size());
    strand_.push_back(sides_.size());
    second_motion_.assign(n_contacts_, Vec3::Zero());
}

void StrandCompliance::add_to(AlignedVector<Lane>& u, const Side& side, const Vec3& force) const
{
    Lane* at = u.data() + static_cast<std::ptrdiff_t>(4 * side.vertex);
    const double w0 = side.weight(0), w1 = side.weight(1);
    for (int a = 0; a < 3; ++a) {
        at[a][side.lane] += w0 * force[a];
        at[4 + a][side.lane] += w1 * force[a];
    }
}

Vec3 StrandCompliance::at_side(const AlignedVector<Lane>& u, const Side& side)
{
    const Lane* at = u.data() + static_cast<std::ptrdiff_t>(4 * side.vertex);
    const double w0 = side.weight(0), w1 = side.weight(1);
    Vec3 motion;
    for (int a = 0; a < 3; ++a) motion[a] = w0 * at[a][side.lane] + w1 * at[4 + a][side.lane];
    return motion;
}

void StrandCompliance::apply(std::span<const Vec3> force, std::span<const Vec3> second, std::span<Vec3> motion)
{
    for_batches(batches_.size(), [&](std::size_t i, AlignedVector<Lane>& u) {
        solve(i, sides_of_batch(i), force, second, u);
        for (const Side& side : sides_of_batch(i))
            (side.is_second ? std::span(second_motion_) : motion)[static_cast<std::size_t>(side.contact)] =
                at_side(u, side);
    });
    add_seconds(second_motion_, motion);
}

std::size_t StrandCompliance::n_axes_of(std::size_t strand, std::span<const ConeContact> cones) const
{
    std::size_t n = 0;
    for (std::size_t k = strand_[strand]; k < strand_[strand + 1]; ++k)
        n += n_axes(cones[static_cast<std::size_t>(sides_[k].contact)]);
    return n;
}

std::vector<std::size_t> StrandCompliance::nodes_of(std::span<const ConeContact> cones, Blocks kind) const
{
    std::vector<std::size_t> nodes(strand_.size() - 1, 0);
    if (kind == Blocks::OfContacts) return nodes;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
        const auto n = static_cast<std::size_t>(model_.batches[static_cast<std::size_t>(batches_[i])].n_vertices);
        const auto begin = std::lower_bound(strand_.begin(), strand_.end(), begin_[i]);
        for (auto s = begin; *s < begin_[i + 1]; ++s) {
            const auto strand = static_cast<std::size_t>(s - strand_.begin());
            if (n_axes_of(strand, cones) > kAxesOfVertex * n) nodes[strand] = n;
        }
    }
    return nodes;
}

std::size_t StrandCompliance::block_bytes(std::span<const ConeContact> cones, Blocks kind) const
{
    const std::vector<std::size_t> nodes = nodes_of(cones, kind);
    std::size_t n = 0;
    for (std::size_t s = 0; s + 1 < strand_.size(); ++s) {
        const std::size_t width = nodes[s] > 0 ? 3 * nodes[s] : n_axes_of(s, cones);
        n += width * width;
    }
    return n * sizeof(double);
}

BlockCompliance StrandCompliance::blocks(std::span<const ConeContact> cones, Blocks kind) const
{
    BlockCompliance out;
    out.first = strand_;
    out.sides = sides_of_;
    out.body.resize(sides_.size());
    out.place.resize(sides_.size());
    out.node = nodes_of(cones, kind);
    out.node.insert(out.node.begin(), 0);
    std::partial_sum(out.node.begin(), out.node.end(), out.node.begin());
    for (std::size_t s = 0; s + 1 < strand_.size(); ++s)
        for (std::size_t k = strand_[s]; k < strand_[s + 1]; ++k) {
            const Side& side = sides_[k];
            out.body[k] = static_cast<std::int32_t>(s);
            out.place[k] = {out.node[s] + static_cast<std::size_t>(side.vertex), {side.weight(0), side.weight(1)}};
        }
    out.resize(cones);
    std::vector<Mat3> frame(cones.size());
    for (std::size_t c = 0; c < cones.size(); ++c) frame[c] = contact_frame(cones[c].normal);
    parallel_for(static_cast<std::int64_t>(batches_.size()), "contact compliance", [&](std::int64_t i) {
        fill_blocks(static_cast<std::size_t>(i), frame, out);
        fill_nodes(static_cast<std::size_t>(i), out);
    });
    return out;
}

/// Unit forces on each vertex along x, y and z.
void StrandCompliance::fill_nodes(std::size_t i, BlockCompliance& out) const
{
    const RodMatrix& matrix = factors_[static_cast<std::size_t>(batches_[i])];
    std::vector<std::pair<std::size_t, std::uint8_t>> strands; // that have nodes, and their lanes
    std::size_t n = 0;
    for (std::size_t k = begin_[i]; k < begin_[i + 1]; ++k) {
        const auto strand = static_cast<std::size_t>(out.body[k]);
        if (out.n_nodes(strand) == 0 || k != strand_[strand]) continue;
        strands.emplace_back(strand, sides_[k].lane);
        n = out.n_nodes(strand);
    }
    const auto unknown = [](std::size_t m) { return 4 * (m / 3) + m % 3; };
    AlignedVector<Lane> u;
    for (std::size_t m = 0; m < 3 * n; ++m) {
        u.assign(static_cast<std::size_t>(matrix.size()), Lane{});
        for (const auto& [strand, lane] : strands) u[unknown(m)][lane] = 1;
        matrix.solve(u.data());
        for (const auto& [strand, lane] : strands) {
            double* row = out.values.data() + out.block[strand] + 3 * n * m;
            for (std::size_t k = 0; k < 3 * n; ++k) row[k] = u[unknown(k)][lane];
        }
    }
}

/// Unit forces along the first axis of each of the four strands, then along the second, ...: one banded solve answers
/// for all four.
void StrandCompliance::fill_blocks(std::size_t i, std::span<const Mat3> frame, BlockCompliance& out) const
{
    const RodMatrix& matrix = factors_[static_cast<std::size_t>(batches_[i])];
    const auto begin = std::lower_bound(strand_.begin(), strand_.end(), begin_[i]);
    const auto end = std::lower_bound(strand_.begin(), strand_.end(), begin_[i + 1]);
    const auto frame_of = [&](std::size_t side) { return frame[static_cast<std::size_t>(sides_[side].contact)]; };
    std::size_t most = 0;
    const auto width_of = [&](auto s) { // 0 where it has nodes
        return out.n_nodes(static_cast<std::size_t>(s - strand_.begin())) > 0 ? 0 : out.axis[s[1]] - out.axis[s[0]];
    };
    for (auto s = begin; s != end; ++s) most = std::max(most, width_of(s));
    AlignedVector<Lane> u;
    for (std::size_t m = 0; m < most; ++m) {
        u.assign(static_cast<std::size_t>(matrix.size()), Lane{});
        for (auto s = begin; s != end; ++s) {
            const std::size_t axis = out.axis[s[0]] + m;
            if (m >= width_of(s)) continue;
            const auto after = std::upper_bound(out.axis.begin(), out.axis.end(), axis);
            const auto side = static_cast<std::size_t>(after - out.axis.begin() - 1);
            add_to(u, sides_[side], frame_of(side).row(static_cast<Eigen::Index>(axis - out.axis[side])).transpose());
        }
        matrix.solve(u.data());
        for (auto s = begin; s != end; ++s) {
            const std::size_t first = out.axis[s[0]], width = width_of(s);
            if (m >= width) continue;
            double* row = out.values.data() + out.block[static_cast<std::size_t>(s - strand_.begin())] + m * width;
            for (std::size_t j = s[0]; j < s[1]; ++j) {
                const Vec3 motion = frame_of(j) * at_side(u, sides_[j]);
                for (std::size_t a = out.axis[j]; a < out.axis[j + 1]; ++a)
                    row[a - first] = motion[static_cast<Eigen::Index>(a - out.axis[j])];
            }
        }
    }
}

std::vector<double> StrandCompliance::own_compliance() const
{
    std::vector<double> of_side(sides_.size());
    const auto count = static_cast<std::int64_t>(batches_.size());
    parallel_for(count, "contact compliance", [&](std::int64_t batch) {
        const auto i = static_cast<std::size_t>(batch);
        RodMatrix inverse;
        factors_[static_cast<std::size_t>(batches_[i])].inverse_band(inverse);
        for (std::size_t k = begin_[i]; k < begin_[i + 1]; ++k) {
            const Side& side = sides_[k];
            const double w0 = side.weight(0), w1 = side.weight(1);
            double trace = 0;
            for (int a = 0; a < 3; ++a) {
                const int row = 4 * side.vertex + a, next = row + 4;
                trace += w0 * w0 * inverse.at(row, row)[side.lane];
                trace += w1 * (2 * w0 * inverse.at(next, row)[side.lane] + w1 * inverse.at(next, next)[side.lane]);
            }
            of_side[k] = trace / 3;
        }
    });
    std::vector<double> own(n_contacts_, 0);
    for (std::size_t k = 0; k < sides_.size(); ++k) own[static_cast<std::size_t>(sides_[k].contact)] += of_side[k];
    return own;
}

void StrandCompliance::spread(std::size_t i, std::span<const Lane> u, std::span<Vec3> displacement,
                              std::span<double> spin) const
{
    const StrandBatch& batch = model_.batches[static_cast<std::size_t>(batches_[i])];
    for (std::size_t l = 0; l < batch.strand.size(); ++l) {
        if (batch.strand[l] < 0) continue;
        const auto first = static_cast<std::size_t>(model_.first[static_cast<std::size_t>(batch.strand[l])]);
        for (std::size_t k = 0; k < static_cast<std::size_t>(batch.n_vertices); ++k) {
            const Lane* at = u.data() + 4 * k;
            displacement[first + k] += Vec3(at[0][l], at[1][l], at[2][l]);
            if (k + 1 < static_cast<std::size_t>(batch.n_vertices)) spin[first + k] += at[3][l];
        }
    }
}

void StrandCompliance::add_response(std::span<const Vec3> force, std::span<const Vec3> second,
                                    std::span<Vec3> displacement, std::span<double> spin) const
{
    for_batches(batches_.size(), [&](std::size_t i, AlignedVector<Lane>& u) {
        solve(i, sides_of_batch(i), force, second, u);
        spread(i, u, displacement, spin);
    });
}

} // namespace rivulet
