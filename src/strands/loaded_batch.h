#pragma once

#include "strands/rod_system.h"
#include "strands/strands.h"

#include <array>

namespace rivulet {

inline void put(LaneVec3& v, int lane, const Vec3& x)
{
    v.x[lane] = x.x();
    v.y[lane] = x.y();
    v.z[lane] = x.z();
}
[[nodiscard]] inline Vec3 get(const LaneVec3& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

/// One strand's place in a batch.
struct BatchSeat {
    int lane = 0;
    std::size_t begin = 0; ///< its first vertex
    const RodMaterial* material = nullptr;
    std::int32_t strand = -1; ///< -1: a copy that fills an empty lane
};

/// The strands of a batch, one in each lane, as the system of their step: what moves, resists and holds them.
class LoadedBatch {
public:
    LoadedBatch(const StrandModel& model, const StrandState& state, const StrandStep& step)
        : is_midpoint(step.integrator == StrandIntegrator::Midpoint), model_(model), state_(state), step_(step)
    {
    }

    /// `start` is left as the configuration at the start of the step.
    void load(const StrandBatch& batch, RodConfiguration& start);
    [[nodiscard]] Hold hold(std::size_t v) const { return step_.hold.empty() ? Hold::Free : step_.hold[v]; }

    bool is_midpoint;
    int n = 0; ///< vertices of each
    std::array<BatchSeat, kStrandLanes> seats;
    RodSystem system;
    AlignedVector<LaneVec3> target; ///< given displacements
    AlignedVector<LaneVec3> target_director;
    LaneMask is_clamped{}; ///< its first edge is held

private:
    void take_seats(const StrandBatch& batch);
    void load_vertex(const BatchSeat& seat, int i);
    void load_drag(const BatchSeat& seat);
    void load_coupling(const BatchSeat& seat);
    void load_stiffness();
    void load_law(const BatchSeat& seat, int i, const RodConfiguration& start);

    const StrandModel& model_;
    const StrandState& state_;
    const StrandStep& step_;
};

} // namespace rivulet
