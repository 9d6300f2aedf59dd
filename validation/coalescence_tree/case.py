"""A row of 21 bristles, 1 mm apart, in oil that drains: the gallery's scene. Bristles nearer to each other than 6 radii count as one bundle there, at
seven heights. From root to tip bundles only ever join: never more of them further down, and each is the union of bundles above. So the
row is a tree, as in the photographs of [Bico 2004], of three levels at least, and bundles at the tips are more than pairs. Where drops fall off is left
to chance. Of eight seeds one was torn, or had pairs alone that were so near to each other (bridges join more), in this version and the one before: four
of five seeds have to give a tree.
"""
import h5py
import numpy

from harness import Figure, at_least
from svg_plot import Plot

TITLE = "Tree of wet bristles"
NEAR, BRISTLES, SEEDS, HEIGHTS = 6 * 50e-6, 21, (1, 2, 3, 4, 5), 7


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


def tree(run):
    """Bundles at every height, and how many of them part again further down."""
    last = max(int(path.stem) for path in (run.folder / "frames").glob("*.h5"))
    with h5py.File(run.folder / f"frames/{last:06d}.h5") as file:
        points = file["strands/position"][:].astype(float).reshape(BRISTLES, -1, 3)
    levels = [bundles(points, round(k)) for k in numpy.linspace(0, points.shape[1] - 1, HEIGHTS)]
    torn = sum(not any(upper <= lower for lower in below) for above, below in zip(levels, levels[1:]) for upper in above)
    return levels, torn


def judge(case):
    plot = Plot("Bundles", "from the roots [mm]", "number")
    roots, trees = [], 0
    for seed in SEEDS:
        levels, torn = tree(case.run("scenes/coalescence_tree.toml", f"seed{seed}", simulation__seed=seed))
        counts = [len(level) for level in levels]
        plot.line(f"seed {seed}", numpy.arange(len(counts)) * 50 / (len(counts) - 1), counts)
        roots.append(counts[0])
        only_join = torn == 0 and all(upper >= lower for upper, lower in zip(counts, counts[1:]))
        trees += only_join and len(set(counts)) >= 3 and max(map(len, levels[-1])) >= 3
    case.picture(plot)
    return [
        Figure("bundles at the roots, fewest of five seeds", min(roots), BRISTLES, 0, "all are alone"),
        at_least("seeds of five that give a tree", trees, 4, "bundles only join, beyond pairs"),
    ]
