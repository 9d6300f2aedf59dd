"""A row of 21 bristles, 1 mm apart, in oil that drains: the gallery's scene. Bristles nearer to each other than 6 radii count as one bundle there, at
seven heights. From root to tip bundles only ever join: never more of them further down, and each is the union of bundles above. So the
row is a tree, as in the photographs of [Bico 2004]. Where drops fall off is left to chance: three seeds are judged, each by the same law.
"""
import h5py
import numpy

from harness import Figure, at_most
from svg_plot import Plot

TITLE = "Tree of wet bristles"
NEAR, BRISTLES, SEEDS, HEIGHTS = 6 * 50e-6, 21, (1, 2, 3), 7


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
    roots, rise, torn, n_levels, largest = [], [], [], [], []
    for seed in SEEDS:
        levels, parted = tree(case.run("scenes/coalescence_tree.toml", f"seed{seed}", simulation__seed=seed))
        counts = [len(level) for level in levels]
        plot.line(f"seed {seed}", numpy.arange(len(counts)) * 50 / (len(counts) - 1), counts)
        roots.append(counts[0])
        rise.append(max(0, *(lower - upper for upper, lower in zip(counts, counts[1:]))))
        torn.append(parted)
        n_levels.append(len(set(counts)))
        largest.append(max(map(len, levels[-1])))
    case.picture(plot)
    return [
        Figure("bundles at the roots, fewest of three seeds", min(roots), BRISTLES, 0, "all are alone"),
        at_most("largest rise of their number from a height to the next, of all seeds", max(rise), 0, "they only join"),
        at_most("bundles that part again further down, of all seeds", sum(torn), 0, "a tree"),
        Figure("levels: different numbers of bundles, 3 at least with every seed", min(3, *n_levels), 3, 0, "pairs of pairs"),
        Figure("bristles of the largest bundle at the tips, 3 at least with every seed", min(3, *largest), 3, 0, "more than pairs"),
    ]
