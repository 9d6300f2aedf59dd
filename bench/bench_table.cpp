#include "bench.h"

namespace rivulet {

const std::vector<Bench>& bench_table()
{
    static const std::vector<Bench> kTable{
        {"transfers", "particles to grid and back against plain loops", bench_transfers},
        {"pressure", "multigrid pressure solver against incomplete Cholesky and Jacobi", bench_pressure},
        {"liquid", "whole steps of a box of water: growth of the cost, memory, stages, two threads", bench_liquid},
        {"surfacing", "mesh of a liquid's surface: how time and memory grow with the surface", bench_surfacing},
        {"strands", "strands: band solve against LAPACK and Eigen, assembly, whole steps, growth, memory",
         bench_strands},
        {"wet_hair", "wet strands: a hair drawn through a pool, stages of a shaking cylinder and a hair flip, growth",
         bench_wet_hair},
        {"wet_solver", "hair in wet bundles: factored strands against diagonal preconditioning and a direct solution",
         bench_wet_solver},
        {"hash", "state hash against one pass of memory copying", bench_hash},
        {"checkpoint", "checkpoint image against a copy of the arrays", bench_checkpoint},
        {"timers", "a step of a small pool against the same less the cost of timing its stages", bench_timers},
    };
    return kTable;
}

} // namespace rivulet
