"""Collapse of a column of liquid as plane potential flow: a second answer to the dam break that shares nothing with the program.

Lengths in widths a of the column, times in √(a/g). The liquid is bounded by a wall x = 0 and a floor y = 0, along both of which it
slips, and by its surface from the wall to the front on the floor. Nodes move with the surface and carry the potential (mixed Eulerian and
Lagrangian, Longuet-Higgins and Cokelet 1976):

    dx/dt = ∇φ        dφ/dt = ½ |∇φ|² - y

The normal velocity q on the surface follows from Green's identity with the kernel ln r, mirrored at wall and floor so that the
surface alone is left of the boundary. Between nodes φ and q are linear, and the integrals are exact. Along the surface, derivatives are
those of a cubic spline that continues as its mirror image. In every step the surface gets new nodes, finer towards the front.
"""
import math

import numpy

FAR = 20.0        # unit of length in the logarithm: with one the equation may have no solution
MIRRORED = 6      # nodes beyond each end of the spline


def spline(s, f):
    """Second derivatives at the knots of the natural cubic spline through f(s); f may have columns."""
    h = numpy.diff(s)
    matrix = numpy.eye(len(s))
    right = numpy.zeros_like(f)
    inner = numpy.arange(1, len(s) - 1)
    matrix[inner, inner - 1], matrix[inner, inner], matrix[inner, inner + 1] = h[:-1] / 6, (h[:-1] + h[1:]) / 3, h[1:] / 6
    slope = numpy.diff(f, axis=0) / h[:, None]
    right[1:-1] = slope[1:] - slope[:-1]
    return numpy.linalg.solve(matrix, right)


class Surface:
    """Spline through nodes x, y with the potential φ, from the wall to the front; columns x, y, φ."""

    def __init__(self, nodes):
        first, last = nodes[1:MIRRORED + 1][::-1], nodes[-MIRRORED - 1:-1][::-1]
        self.f = numpy.concatenate([first * [-1, 1, 1], nodes, last * [1, -1, 1]])
        step = numpy.hypot(*numpy.diff(self.f[:, :2], axis=0).T)
        self.s = numpy.concatenate([[0], numpy.cumsum(step)])
        self.s -= self.s[MIRRORED]
        self.m = spline(self.s, self.f)
        self.own = slice(MIRRORED, MIRRORED + len(nodes))

    def at(self, s):
        i = numpy.clip(numpy.searchsorted(self.s, s) - 1, 0, len(self.s) - 2)
        h = self.s[i + 1] - self.s[i]
        a, b = ((self.s[i + 1] - s) / h)[:, None], ((s - self.s[i]) / h)[:, None]
        bend = ((a**3 - a) * self.m[i] + (b**3 - b) * self.m[i + 1]) * h[:, None]**2 / 6
        return a * self.f[i] + b * self.f[i + 1] + bend

    def slopes(self):
        """d(x, y, φ)/ds at the nodes."""
        h = numpy.diff(self.s)[:, None]
        right = numpy.diff(self.f, axis=0) / h - h * (2 * self.m[:-1] + self.m[1:]) / 6
        return right[self.own]

    def renewed(self, spacing):
        """Nodes as far apart as spacing(distance to the front) says."""
        length = self.s[self.own][-1]
        fine = numpy.linspace(0, length, 4000)
        density = 1 / spacing(length - fine)
        count = numpy.concatenate([[0], numpy.cumsum(0.5 * (density[1:] + density[:-1]) * numpy.diff(fine))])
        n = max(int(math.ceil(count[-1])), 20)
        nodes = self.at(numpy.interp(numpy.linspace(0, count[-1], n + 1), count, fine))
        nodes[0, 0], nodes[-1, 1] = 0, 0
        return nodes

    def smoothed(self):
        """Nodes without what changes its sign from one to the next, as Longuet-Higgins and Cokelet do."""
        f = self.f
        nodes = (10 * f[2:-2] + 4 * (f[1:-3] + f[3:-1]) - f[:-4] - f[4:])[MIRRORED - 2:2 - MIRRORED] / 16
        nodes[0, 0], nodes[-1, 1] = 0, 0
        return nodes


def layers(points, nodes):
    """Matrices D and S: integrals of φ ∂ln r/∂n and q ln r over the surface and its mirror images, seen from the points."""
    begin, end = nodes[:-1, :2], nodes[1:, :2]
    length = numpy.hypot(*(end - begin).T)
    along = (end - begin) / length[:, None]
    normal = numpy.stack([-along[:, 1], along[:, 0]], axis=1)   # out of the liquid, for nodes from the wall to the front
    double, single = numpy.zeros((len(points), len(nodes))), numpy.zeros((len(points), len(nodes)))
    tiny = 1e-300
    for mirror in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        away = (points * mirror)[:, None, :] - begin[None]
        xi, eta = (away * along).sum(2), (away * normal).sum(2)
        eta = numpy.where(numpy.abs(eta) < 1e-13, 0, eta)
        w0, w1 = -xi, length - xi
        r0, r1 = w0**2 + eta**2 + tiny, w1**2 + eta**2 + tiny
        l0, l1 = 0.5 * numpy.log(r0) - math.log(FAR), 0.5 * numpy.log(r1) - math.log(FAR)
        angle = numpy.where(eta == 0, 0, numpy.arctan2(w1, eta) - numpy.arctan2(w0, eta))
        angle = (angle + math.pi) % (2 * math.pi) - math.pi
        s0 = w1 * l1 - w0 * l0 - length + eta * angle
        s1 = xi * s0 + 0.5 * (r1 * (l1 - 0.5) - r0 * (l0 - 0.5))
        d0 = -angle
        d1 = -eta * (l1 - l0) + xi * d0
        for whole, first, matrix in ((s0, s1, single), (d0, d1, double)):
            matrix[:, 1:] += first / length
            matrix[:, :-1] += whole - first / length
    return double, single


def normal_velocity(nodes, potential):
    double, single = layers(nodes[:, :2], nodes)
    return numpy.linalg.solve(single, double @ potential - double.sum(1) * potential)


def rates(nodes):
    """Of x, y and φ at the nodes."""
    slopes = Surface(nodes).slopes()
    tangent = slopes[:, :2] / numpy.hypot(*slopes[:, :2].T)[:, None]
    tangent[0], tangent[-1] = (1, 0), (0, -1)
    normal = numpy.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
    q = normal_velocity(nodes, nodes[:, 2])
    swirl = slopes[:, 2] / numpy.hypot(*slopes[:, :2].T)
    swirl[[0, -1]] = 0
    velocity = q[:, None] * normal + swirl[:, None] * tangent
    return numpy.column_stack([velocity, 0.5 * (velocity**2).sum(1) - nodes[:, 1]])


def column(height, corner, spacing):
    """Surface of a column at rest, its corner rounded with this radius."""
    turn = numpy.linspace(math.pi / 2, 0, 25)
    points = numpy.concatenate([
        numpy.column_stack([numpy.linspace(0, 1 - corner, 60)[:-1], numpy.full(59, float(height))]),
        numpy.column_stack([1 - corner + corner * numpy.cos(turn), height - corner + corner * numpy.sin(turn)]),
        numpy.column_stack([numpy.ones(119), numpy.linspace(height - corner, 0, 120)[1:]])])
    return Surface(numpy.column_stack([points, numpy.zeros(len(points))])).renewed(spacing)


def area(nodes):
    x, y = nodes[:, 0], nodes[:, 1]
    return 0.5 * ((y[1:] + y[:-1]) * numpy.diff(x)).sum()


def initial_acceleration(y, height, terms=20000):
    """Of the side of the column at rest, along x, from the series of the exact solution: ∂φ/∂t is harmonic, -y on the surface."""
    k = (numpy.arange(terms) + 0.5) * math.pi / height
    return numpy.array([(2 / height * numpy.tanh(k) / k * numpy.cos(k * v)).sum() for v in numpy.atleast_1d(y)])


def collapse(height=2.0, end=1.6, finest=0.008, coarsest=0.04, corner=0.1, courant=0.5):
    """Time, place of the front, height at the wall, and largest change of the area as a share."""
    def spacing(from_front):
        return numpy.minimum(coarsest, finest + 0.1 * from_front)

    nodes = column(height, corner, spacing)
    whole = area(nodes)
    time, worst, rows = 0.0, 0.0, [(0.0, nodes[-1, 0], nodes[0, 1])]
    while time < end - 1e-12:
        first = rates(nodes)
        step = numpy.hypot(*numpy.diff(nodes[:, :2], axis=0).T)
        speed = numpy.hypot(*first[:, :2].T)
        dt = min(end - time, 0.02, courant * (step / numpy.maximum(speed[1:], speed[:-1]).clip(1e-9)).min(),
                 0.25 * math.sqrt(finest))
        second = rates(nodes + 0.5 * dt * first)
        nodes = Surface(Surface(nodes + dt * second).renewed(spacing)).smoothed()
        time += dt
        worst = max(worst, abs(area(nodes) / whole - 1))
        rows.append((time, nodes[-1, 0], nodes[0, 1]))
    t, front, top = numpy.array(rows).T
    return t, front, top, worst
