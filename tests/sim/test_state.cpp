#include "sim/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace rivulet {
namespace {

State sample_state()
{
    State s;
    s.clock.time = 0.25;
    s.liquid.position = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
    s.liquid.velocity = {Vec3(0, 0, 1), Vec3(0, 1, 0)};
    s.liquid.lead = {Vec3f(0, 0, 0.5F), Vec3f::Zero()};
    s.liquid.affine = {Mat3::Identity(), Mat3::Zero()};
    s.liquid.volume = {0.5, 0.25};
    s.liquid.pressure = {10, 20};
    s.liquid.colour = {Vec3f(1, 0, 0), Vec3f(0, 1, 0)};
    s.liquid.liquid = {0, 0};
    s.liquid.id = {7, 8};
    s.ledger = Ledger(1);
    s.ledger.initial[0].add(1.0);
    s.ledger.drained[0].add(0.25);
    s.loads.force = {Vec3(1, 1, 1)};
    s.loads.torque = {Vec3(2, 2, 2)};
    s.next_id = 9;
    return s;
}

// The registered members must tile the whole struct: a new array that is not registered leaves a hole.
TEST(StateRegistry, HasEveryMember)
{
    State s;
    auto arrays = state_arrays(s);
    std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.member < b.member; });
    const auto* begin = reinterpret_cast<const char*>(&s);
    const char* covered = begin;
    for (const ArrayView& a : arrays) {
        EXPECT_EQ(static_cast<const char*>(a.member), covered) << "an unregistered member stands before " << a.name;
        covered = static_cast<const char*>(a.member) + a.member_size;
    }
    EXPECT_EQ(covered, begin + sizeof(State)) << "an unregistered member stands at the end";
}

TEST(StateRegistry, EveryBitOfEveryArrayReachesTheHash)
{
    State s = sample_state();
    const std::uint64_t reference = state_hash(s);
    for (ArrayView& a : state_arrays(s)) {
        for (std::size_t byte = 0; byte < a.n_bytes(); ++byte) {
            a.data[byte] ^= std::byte{1};
            EXPECT_NE(state_hash(s), reference) << a.name << " byte " << byte;
            a.data[byte] ^= std::byte{1};
        }
    }
    EXPECT_EQ(state_hash(s), reference);
}

TEST(StateRegistry, DifferenceNamesArrayEntryAndValues)
{
    const State a = sample_state();
    State b = a;
    EXPECT_EQ(first_difference(a, b), "");
    b.liquid.velocity[1].y() = 0.5;
    EXPECT_EQ(first_difference(a, b), "liquid.velocity[1].1: 1 against 0.5");
    b.liquid.volume.push_back(1);
    b.liquid.velocity = a.liquid.velocity;
    EXPECT_EQ(first_difference(a, b), "liquid.volume: 2 entries against 3");
}

TEST(StateRegistry, ArraysAreResizedByName)
{
    State s;
    EXPECT_TRUE(resize_array(s, "liquid.affine", 5));
    EXPECT_EQ(s.liquid.affine.size(), 5u);
    EXPECT_FALSE(resize_array(s, "clock.time", 5));
    EXPECT_FALSE(resize_array(s, "no.such.array", 5));
}

TEST(Ledger, ClosesWhenTheBulkIsWhatTheAccountsSay)
{
    State s = sample_state();
    const LedgerBalance b = ledger_balance(s);
    EXPECT_EQ(b.bulk, 0.75);
    EXPECT_EQ(b.relative_error, 0);
    s.liquid.volume[0] += 1e-3;
    EXPECT_NEAR(ledger_balance(s).relative_error, 1e-3, 1e-15);
}

TEST(Account, AMillionSmallBookingsLoseNothing)
{
    Account a;
    a.add(1e6);
    for (int i = 0; i < 1'000'000; ++i) a.add(1e-11);
    EXPECT_NEAR(a.total() - 1e6, 1e-5, 1.2e-10); // half an ulp of the total
    a.add(-1e6);
    EXPECT_NEAR(a.total(), 1e-5, 1e-16);
}

} // namespace
} // namespace rivulet
