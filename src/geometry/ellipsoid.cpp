#include "base/error.h"
#include "geometry/shapes.h"

#include <cmath>

namespace rivulet {
namespace {

class Ellipsoid final : public Shape {
public:
    Ellipsoid(const Vec3& centre, const Vec3& radii) : centre_(centre), radii_(radii) {}

    double distance(const Vec3& x) const override
    {
        const Vec3 y = (x - centre_).cwiseAbs();
        const double d = (y - nearest(y)).norm();
        return y.cwiseQuotient(radii_).squaredNorm() < 1 ? -d : d;
    }
    Aabb bounds() const override { return {centre_ - radii_, centre_ + radii_}; }
    TriangleMesh tessellate(double edge) const override
    {
        TriangleMesh mesh = make_sphere(Vec3::Zero(), 1)->tessellate(edge / radii_.maxCoeff());
        for (Vec3& v : mesh.vertices) v = centre_ + radii_.cwiseProduct(v);
        return mesh;
    }

private:
    /// Nearest point of the surface to y >= 0, by Newton's method for the root u of
    ///   sum (r_i y_i / (q_i + u))^2 = 1,   nearest_i = r_i^2 y_i / (q_i + u),   q_i = r_i^2 - min r^2,
    /// from below: the sum is convex and falls, so every step stays below the root.
    [[nodiscard]] Vec3 nearest(Vec3 y) const
    {
        const double r_min = radii_.minCoeff();
        y = y.cwiseMax(1e-14 * r_min); // off the planes of symmetry, where the root may be at the pole u = 0
        const Vec3 q = (radii_.array() - r_min) * (radii_.array() + r_min);
        const Vec3 ry = radii_.cwiseProduct(y);
        double u = (ry - q).maxCoeff(); // one axis alone brings 1 here
        constexpr int kIterations = 100;
        for (int n = 0; n < kIterations; ++n) {
            const Vec3 below = q.array() + u;
            const Vec3 term = ry.cwiseQuotient(below).cwiseAbs2();
            const double step = 0.5 * (term.sum() - 1) / term.cwiseQuotient(below).sum();
            u += step;
            if (!(step > 1e-15 * u)) break;
        }
        return radii_.cwiseProduct(ry).cwiseQuotient((q.array() + u).matrix());
    }

    Vec3 centre_, radii_;
};

} // namespace

ShapePtr make_ellipsoid(const Vec3& centre, const Vec3& radii)
{
    if (!centre.allFinite()) throw InputError("centre must be finite");
    if (!radii.allFinite() || !(radii.minCoeff() > 0)) throw InputError("radii must be positive and finite");
    return std::make_shared<Ellipsoid>(centre, radii);
}

} // namespace rivulet
