"""A row of 21 bristles, 1 mm apart, in oil that drains: the gallery's scene, with eight seeds. Bristles nearer to each other than 6 radii
count as one bundle there, at each of the 30 vertices. From root to tip bundles join, as in the photographs of [Bico 2004], and at three of four joinings
exactly two meet, mostly a single bristle and a bundle; where one parts, it touches at one vertex and again further down, or ends apart. A bundle has grown in as many generations
as it was joined by others one after the other. Which bundles meet hangs on where drops fall off, so figures of single seeds change with every version. Nearly all partings are at the last two vertices, where drops hang.
"""
import h5py
import numpy

from harness import Figure, at_least, at_most
from svg_plot import Plot

TITLE = "Tree of wet bristles"
CHANCE = ("which bundles meet hangs on where drops fall off; nearly all partings are at the last two vertices, where drops hang. With every version other seeds have them.")
SPRINGS = "a bridge keeps its liquid, so it pulls the more the longer it is, and near neighbours do not attract each other more than far ones do."
NEAR, BRISTLES, VERTICES, SEEDS = 6 * 50e-6, 21, 30, range(1, 9)


def bundles(points, k):
    """Sets of strands whose vertices k, or neighbours of these, are near to each other."""
    n = len(points)
    root = list(range(n))

    def find(i):
        while root[i] != i:
            i = root[i]
        return i

    for i in range(n):
        for j in range(i):
            start, way = points[j, :-1], numpy.diff(points[j], axis=0)
            at = numpy.clip(((points[i, k] - start) * way).sum(1) / (way * way).sum(1), 0, 1)
            if numpy.linalg.norm(start + at[:, None] * way - points[i, k], axis=1).min() < NEAR:
                root[find(i)] = find(j)
    return {frozenset(j for j in range(n) if find(j) == find(i)) for i in range(n)}


def read_levels(run):
    """Bundles at every vertex, from the roots to the tips."""
    last = max(int(path.stem) for path in (run.folder / "frames").glob("*.h5"))
    with h5py.File(run.folder / f"frames/{last:06d}.h5") as file:
        points = file["strands/position"][:].astype(float).reshape(BRISTLES, VERTICES, 3)
    return [bundles(points, k) for k in range(VERTICES)]


def parted(above, below):
    """Bundles that are not whole one vertex further down."""
    return [upper for upper in above if not any(upper <= lower for lower in below)]


def grow(levels):
    """How often the bundles at the tips were joined, one generation after the other, at most, and the sizes of what met at each
    joining. A part of a bundle that parted has the generation of the whole."""
    generation, joinings = {bundle: int(len(bundle) > 1) for bundle in levels[0]}, []
    for below in levels[1:]:
        older, generation = generation, {}
        for bundle in below:
            parts = [part for part in older if part & bundle]
            generation[bundle] = max(older[part] for part in parts) + (len(parts) > 1)
            if len(parts) > 1:
                joinings.append(sorted(map(len, parts)))
    return max(generation.values()), joinings


def judge(case):
    plot = Plot("Bundles", "from the roots [mm]", "number")
    roots, tips, torn, more, generations, joinings, met = [], [], [], [], [], [], []
    for seed in SEEDS:
        levels = read_levels(case.run("scenes/coalescence_tree.toml", f"seed{seed}", simulation__seed=seed))
        counts = numpy.array([len(level) for level in levels])
        plot.line(f"seed {seed}", numpy.arange(VERTICES) * 50 / (VERTICES - 1), counts)
        apart = {k + 1: parted(levels[k], levels[k + 1]) for k in range(VERTICES - 1)}
        apart = {k: [sorted(bundle) for bundle in those] for k, those in apart.items() if those}
        oldest, joined = grow(levels)
        print(f"  seed {seed}: {counts[0]} to {counts[-1]} bundles, {oldest} generations, joinings {joined}, apart at {apart}")
        roots.append(int(counts[0]))
        tips.append(int(counts[-1]))
        torn.append(sum(map(len, apart.values())))
        more.append(int((counts - numpy.minimum.accumulate(counts)).max()))
        generations.append(oldest)
        joinings += joined
        met.append(sum(sizes[-2] > 1 for sizes in joined))
    case.picture(plot)
    return [
        Figure("bundles at the roots, fewest of eight seeds", min(roots), BRISTLES, 0, "all are alone"),
        at_most("bundles at the tips, most of eight seeds", max(tips), 12, "more than pairs have joined"),
        at_least("generations of joining, fewest of eight seeds", min(generations), 3, "three levels at least"),
        at_least("part of all joinings at which exactly two meet", sum(len(sizes) == 2 for sizes in joinings) / len(joinings), 2 / 3,
                 "a binary tree: all of them"),
        at_least("seeds of eight in which two bundles meet", sum(m > 0 for m in met), len(SEEDS), "not single bristles alone", known_miss=SPRINGS),
        at_least("seeds of eight in which bundles only join, are never more further down, and have three generations",
                 sum(t == 0 and m == 0 and g >= 3 for t, m, g in zip(torn, more, generations)), len(SEEDS), "a tree", known_miss=CHANCE),
        at_most("seeds of eight in which a bundle parts again", sum(t > 0 for t in torn), 0, "they only join", known_miss=CHANCE),
        at_most("bundles more than somewhere above, most of any seed", max(more), 0, "never more of them further down", known_miss=CHANCE),
    ]
