#include "contact/cone_solver.h"

#include "base/parallel.h"
#include "cone_problems.h"

namespace rivulet {
namespace {

/// Fifty bodies of six sides each, contacts between them at random, two sides of one body among them.
struct ManyBodies {
    explicit ManyBodies(std::uint64_t seed)
    {
        RandomNumbers random(seed);
        std::vector<double> values;
        for (std::size_t b = 0; b < 50; ++b) {
            const Matrix w = random_compliance(6, 24, seed + b);
            for (int i = 0; i < 18; ++i)
                for (int j = 0; j < 18; ++j) values.push_back(w(i, j));
        }
        for (std::size_t b = 0; b <= 50; ++b) blocks.first.push_back(6 * b);
        for (std::int32_t i = 0; i < 150; ++i) {
            blocks.body.insert(blocks.body.end(), {i / 3, i / 3});
            const std::int32_t other = (i * 7 + 11) % 150; // 7 and 150 have no common factor: each is met once
            blocks.sides.push_back({2 * i, 2 * other + 1});
            contacts.push_back({random.vector().normalized(), 0.1, 0.4, 0, 8.0 / 3 * 2});
            motion.push_back(random.vector() - 0.7 * contacts.back().normal);
        }
        blocks.resize(contacts);
        blocks.values = values;
    }
    BlockCompliance blocks;
    std::vector<ConeContact> contacts;
    std::vector<Vec3> motion;
};

TEST(ConeSweeps, ContactsOfOneColourShareNoBody)
{
    const ManyBodies m(3);
    std::vector<int> times(150, 0);
    for (const auto& colour : colour_contacts(m.blocks)) {
        std::vector<int> uses(50, 0);
        for (const std::int32_t c : colour) {
            ++times[static_cast<std::size_t>(c)];
            const auto [a, b] = m.blocks.sides[static_cast<std::size_t>(c)];
            const std::int32_t first = m.blocks.body[static_cast<std::size_t>(a)];
            const std::int32_t second = m.blocks.body[static_cast<std::size_t>(b)];
            EXPECT_EQ(++uses[static_cast<std::size_t>(first)], 1);
            uses[static_cast<std::size_t>(second)] += second != first;
            EXPECT_EQ(uses[static_cast<std::size_t>(second)], 1);
        }
    }
    EXPECT_EQ(times, std::vector<int>(150, 1));
}

TEST(ConeSweeps, HaveTheSameBitsOnAnyNumberOfThreads)
{
    const auto forces_on = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            ManyBodies m(4);
            const std::vector<Vec3> guess(150, Vec3::Zero());
            std::vector<Vec3> force = guess;
            EXPECT_TRUE(sweep_cones(m.contacts, m.blocks, {1e-8, 2000}, guess, force, m.motion).converged);
            return force;
        });
    };
    const auto one = forces_on(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, forces_on(n));
}

/// Bodies that obey the law already are left alone, to the bit, while others are swept.
TEST(ConeSweeps, LeaveAloneWhatObeysTheLaw)
{
    ManyBodies a(4), b(5);
    const std::vector<Vec3> none(150, Vec3::Zero());
    std::vector<Vec3> solved = none;
    std::vector<Vec3> moved = a.motion;
    ASSERT_TRUE(sweep_cones(a.contacts, a.blocks, {1e-8, 2000}, none, solved, moved).converged);

    // Both problems side by side: one begins with its solution, the other with nothing.
    const std::size_t n_bodies = a.blocks.first.size() - 1, n_sides = a.blocks.body.size();
    BlockCompliance both = a.blocks;
    both.first.pop_back();
    for (const std::size_t first : b.blocks.first) both.first.push_back(first + n_sides);
    for (const std::int32_t body : b.blocks.body) both.body.push_back(body + static_cast<std::int32_t>(n_bodies));
    const auto shift = static_cast<std::int32_t>(n_sides);
    for (const auto& [one, two] : b.blocks.sides) both.sides.push_back({one + shift, two < 0 ? two : two + shift});
    std::vector<ConeContact> contacts = a.contacts;
    contacts.insert(contacts.end(), b.contacts.begin(), b.contacts.end());
    both.resize(contacts);
    std::copy(a.blocks.values.begin(), a.blocks.values.end(), both.values.begin());
    std::copy(b.blocks.values.begin(), b.blocks.values.end(),
              both.values.begin() + static_cast<std::ptrdiff_t>(a.blocks.values.size()));
    std::vector<Vec3> force = solved, motion = moved;
    force.resize(300, Vec3::Zero());
    motion.insert(motion.end(), b.motion.begin(), b.motion.end());
    const std::vector<Vec3> guess = force;
    EXPECT_TRUE(sweep_cones(contacts, both, {1e-7, 2000}, guess, force, motion).converged);
    EXPECT_TRUE(std::equal(solved.begin(), solved.end(), force.begin()));
    const auto is_pushed = [](const Vec3& f) { return f != Vec3::Zero(); };
    EXPECT_GT(std::count_if(force.begin() + 150, force.end(), is_pushed), 20);
}

/// A body between two solids that leave it no room, by a and b: hard contacts have no solution, soft ones give way by e
/// for a force, and the body by w, so f + g = (a + b)/e and f - g = (a - b)/(2 w + e).
TEST(ConeSweeps, SoftContactsBearWhatThereIsNoRoomFor)
{
    const double w = 0.3, e = 0.02, a = 1.5e-4, b = 0.5e-4;
    Matrix both = Matrix::Zero(6, 6);
    for (int i = 0; i < 3; ++i) both(i, i) = both(i + 3, i + 3) = both(i, i + 3) = both(i + 3, i) = w;
    const DenseCompliance compliance(both);
    for (const double softness : {0.0, e}) {
        ConeProblem p;
        p.contacts = {{.normal = Vec3::UnitZ(), .gap = -a, .friction = 0.2, .compliance = w, .softness = softness},
                      {.normal = -Vec3::UnitZ(), .gap = -b, .friction = 0.2, .compliance = w, .softness = softness}};
        p.guess = p.force = p.motion = {Vec3::Zero(), Vec3::Zero()};
        const ConeSolution found =
            sweep_cones(p.contacts, compliance.blocks(p.contacts), {1e-12, 3000}, p.guess, p.force, p.motion);
        EXPECT_EQ(found.converged, softness > 0);
        if (softness == 0) continue;
        const double f = 0.5 * ((a + b) / e + (a - b) / (2 * w + e)), g = (a + b) / e - f;
        EXPECT_NEAR((p.force[0] - f * Vec3::UnitZ()).norm(), 0, 1e-8 * f);
        EXPECT_NEAR((p.force[1] + g * Vec3::UnitZ()).norm(), 0, 1e-8 * f);
        EXPECT_NEAR(p.motion[0].z(), w * (f - g), 1e-8 * a); // the body's own
    }
}

/// A body drawn along a solid that it is pressed against: what sticks does not give way along the surface. By hand,
/// with the free motion (t, 0, -p): t/w along it, p/(w + e) across.
TEST(ConeSweeps, SoftContactsGiveWayAlongTheNormalOnly)
{
    const double w = 0.3, e = 0.02, p = 2e-4, t = 0.5e-4;
    const DenseCompliance compliance(w * Matrix::Identity(3, 3));
    const std::vector<ConeContact> contact{{.normal = Vec3::UnitZ(), .friction = 0.5, .compliance = w, .softness = e}};
    const std::vector<Vec3> guess{Vec3::Zero()};
    std::vector<Vec3> force = guess, motion{Vec3(t, 0, -p)};
    EXPECT_TRUE(sweep_cones(contact, compliance.blocks(contact), {1e-14, 1000}, guess, force, motion).converged);
    EXPECT_LT((force[0] - Vec3(-t / w, 0, p / (w + e))).norm(), 1e-8 * p / w);
    EXPECT_LT((motion[0] - Vec3(0, 0, -e * p / (w + e))).norm(), 1e-8 * p);
}

} // namespace
} // namespace rivulet
