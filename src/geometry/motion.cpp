#include "geometry/motion.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Progress s and its rate ds/du at the fraction u of an interval.
struct Eased {
    double value;
    double rate;
};

Eased ease(Easing easing, double u)
{
    switch (easing) {
    case Easing::Linear:
        return {u, 1};
    case Easing::Smooth:
        return {u * u * (3 - 2 * u), 6 * u * (1 - u)};
    case Easing::In:
        return {u * u, 2 * u};
    case Easing::Out:
        return {u * (2 - u), 2 * (1 - u)};
    case Easing::Step:
        break;
    }
    return {u < 1 ? 0.0 : 1.0, 0};
}

/// exp of a rotation vector.
Quat rotation_of(const Vec3& rotation_vector)
{
    const double angle = rotation_vector.norm();
    if (!(angle > 0)) return Quat::Identity();
    return Quat(Eigen::AngleAxisd(angle, rotation_vector / angle));
}

/// Left Jacobian J of the exponential map: d/dt exp(theta) = [J dtheta/dt]_x exp(theta).
///   J v = v + (1 - cos a)/a^2 theta x v + (a - sin a)/a^3 theta x (theta x v),  a = |theta|
Vec3 left_jacobian_times(const Vec3& theta, const Vec3& v)
{
    const double a2 = theta.squaredNorm(), a = std::sqrt(a2);
    // Series where the closed forms cancel: the next terms are below rounding.
    const double first = a < 1e-2 ? 0.5 - a2 / 24 + a2 * a2 / 720 : (1 - std::cos(a)) / a2;
    const double second = a < 1e-2 ? 1.0 / 6 - a2 / 120 + a2 * a2 / 5040 : (a - std::sin(a)) / (a2 * a);
    const Vec3 cross = theta.cross(v);
    return v + first * cross + second * theta.cross(cross);
}

/// Keyframed position and rotation vector with their time derivatives.
struct KeyframeState {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
    Vec3 rotation = Vec3::Zero(), rotation_rate = Vec3::Zero();
};

KeyframeState evaluate(const std::vector<Keyframe>& keys, double time)
{
    if (keys.empty()) return {};
    const auto after =
        std::upper_bound(keys.begin(), keys.end(), time, [](double t, const Keyframe& key) { return t < key.time; });
    if (after == keys.begin()) return {.position = keys.front().position, .rotation = keys.front().rotation};
    if (after == keys.end()) return {.position = keys.back().position, .rotation = keys.back().rotation};
    const Keyframe &a = *(after - 1), &b = *after;
    const double duration = b.time - a.time;
    const Eased s = ease(a.easing, (time - a.time) / duration);
    const double rate = s.rate / duration;
    return {.position = a.position + s.value * (b.position - a.position),
            .velocity = rate * (b.position - a.position),
            .rotation = a.rotation + s.value * (b.rotation - a.rotation),
            .rotation_rate = rate * (b.rotation - a.rotation)};
}

} // namespace

Pose Motion::pose(double time) const
{
    const KeyframeState state = evaluate(keyframes, time);
    return {state.position + time * drift, (rotation_of(time * spin) * rotation_of(state.rotation)).normalized()};
}

Twist Motion::twist(double time) const
{
    // R = exp(spin t) exp(theta): the keyframes' angular velocity is carried along by the spin.
    const KeyframeState state = evaluate(keyframes, time);
    const Vec3 keyed = left_jacobian_times(state.rotation, state.rotation_rate);
    return {state.velocity + drift, spin + rotation_of(time * spin) * keyed};
}

bool Motion::is_static() const
{
    if (drift != Vec3::Zero() || spin != Vec3::Zero()) return false;
    return std::all_of(keyframes.begin(), keyframes.end(), [&](const Keyframe& key) {
        return key.position == keyframes.front().position && key.rotation == keyframes.front().rotation;
    });
}

} // namespace rivulet
