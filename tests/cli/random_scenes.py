"""Small wet scenes at random: strands on shapes or hanging, with films, pools, streams and drops of the liquids of the
library, violently moved. The same number gives the same scene. `random_scenes.py 7` prints scene 7."""
import json
import math
import random
import sys

LIQUIDS = ("water", "ethanol", "glycerol", "mercury", "olive_oil", "silicone_oil", "milk", "honey", "shampoo",
           "drilling_mud", "acrylic_paint", "milk_cream", "shaving_cream", "oyster_sauce", "milk_chocolate")
HAIR = {"human_hair": (20e-6, 60e-6), "brush_bristle": (60e-6, 200e-6), "noodle": (0.3e-3, 0.8e-3)}  # radii [m]


def metres(*values):
    return " ".join(f"{value:.6g}" for value in values) + " m"


class RandomScene:
    """Lengths are in metres; `size` is that of the domain, whose middle is the origin."""

    def __init__(self, number, end_time):
        self.random = random.Random(f"wet scene {number}")
        self.lines = [f'title = "Random wet scene {number}"']
        self.cell = self.random.choice((2.5e-3, 3e-3, 4e-3))
        # A cube, a slab, a tall column: always more cells across than what is put there needs.
        self.size = [self.cell * n for n in self.random.choice(((16, 16, 16), (24, 8, 16), (10, 10, 28), (20, 14, 12)))]
        self.reach = 0.5 * min(self.size)  # nothing that moves strays farther than this from the middle
        self.simulation(end_time)
        self.domain()
        self.liquid()
        self.wetting()
        self.holder()
        self.strands()
        self.others()

    def table(self, name, **values):
        self.lines += ["", f"[{name}]"]
        self.lines += [f"{key} = {value if isinstance(value, Raw) else json.dumps(value)}" for key, value in values.items()]

    def one_of(self, *weighted):
        """One of (weight, value) pairs."""
        return self.random.choices([value for _, value in weighted], [weight for weight, _ in weighted])[0]

    def chance(self, probability):
        return self.random.random() < probability

    def between(self, low, high):
        return self.random.uniform(low, high)

    def about(self, low, high):
        """Any order of magnitude alike."""
        return math.exp(self.between(math.log(low), math.log(high)))

    def simulation(self, end_time):
        self.contact = self.one_of((3, "cone"), (1, "penalty"), (1, "none"))
        self.table("simulation", cell_size=metres(self.cell), end_time=f"{end_time} s", frame_rate="20 Hz",
                   strand_step=f"{self.one_of((3, 1), (1, 0.5), (1, 2), (1, 4))} ms", strand_contact=self.contact,
                   surface_tension=self.chance(0.3), cfl=self.one_of((3, 1), (1, 0.5), (1, 2)))

    def domain(self):
        walls = self.one_of((2, "closed"), (2, "open"), (1, {"-x": "open", "+z": "open"}))
        inline = Raw("{ " + ", ".join(f'"{side}" = "{kind}"' for side, kind in walls.items()) + " }") \
            if isinstance(walls, dict) else walls
        self.floor_holds = walls != "open"
        half = [0.5 * edge for edge in self.size]
        self.table("domain", lower=metres(*(-h for h in half)), upper=metres(*half), walls=inline,
                   friction=self.one_of((2, 0), (1, 1)))

    def liquid(self):
        values = {"contact_angle": f"{self.between(0, 150):.4g} deg"} if self.chance(0.5) else {}
        self.table("liquids.wet", material=self.random.choice(LIQUIDS), **values)

    def wetting(self):
        values = {"contact_angle": f"{self.between(0, 90):.4g} deg"} if self.chance(0.5) else {}
        self.table("wetting", liquid="wet", thickest=self.about(1.5, 15), drip_factor=self.about(0.2, 3),
                   capture_time=f"{self.about(0.01, 0.5):.3g} s", capture=self.chance(0.8), bridges=self.chance(0.85),
                   beading=self.chance(0.8), drag=self.chance(0.85), buoyancy=self.chance(0.85), **values)

    def turn(self):
        return Raw("{ axis = [%.3f, %.3f, %.3f], angle = \"%.4g deg\" }"
                   % (*(self.random.gauss(0, 1) for _ in range(3)), self.between(-180, 180)))

    def motion(self, at, stray):
        """Keyframes about a place: jerks of a tenth of a second or more, then rest at times."""
        time, frames = 0.0, []
        while time < 2:
            place = [x + self.between(-stray, stray) for x in at]
            frames.append(f'{{ time = "{time:.4g} s", position = "{metres(*place)}", rotation = {self.turn()}, '
                          f'easing = "{self.random.choice(("linear", "smooth", "in", "out"))}" }}')
            time += self.between(0.1, 0.4)
        return Raw("{ keyframes = [" + ", ".join(frames) + "] }")

    def holder(self):
        """What strands grow on or hang from."""
        r = self.between(0.15, 0.3) * self.reach
        shape = self.random.choice((
            f'{{ type = "sphere", radius = "{metres(r)}" }}',
            f'{{ type = "ellipsoid", radii = "{metres(r, 0.6 * r, 0.8 * r)}" }}',
            f'{{ type = "box", lower = "{metres(-r, -r, -0.5 * r)}", upper = "{metres(r, r, 0.5 * r)}" }}',
            f'{{ type = "capsule", start = "{metres(-0.5 * r, 0, 0)}", end = "{metres(0.5 * r, 0, 0)}", '
            f'radius = "{metres(0.6 * r)}" }}'))
        stray = self.between(0, 0.5) * self.reach if self.chance(0.85) else 0
        if stray > 0:
            self.table("obstacles.holder", shape=Raw(shape), motion=self.motion((0, 0, 0), stray))
        else:
            self.table("obstacles.holder", shape=Raw(shape))

    def strands(self):
        for n in range(self.one_of((3, 1), (1, 2))):
            self.strand_group(f"strands.hair{n}")

    def strand_group(self, name):
        material = self.one_of((3, "human_hair"), (1, "brush_bristle"), (1, "noodle"))
        radius = self.about(*HAIR[material])
        length = self.between(0.5, 1.5) * self.reach
        count = self.random.randint(5, 20)
        values = {"count": count, "vertices": self.random.randint(8, 20), "material": material, "radius": metres(radius)}
        if self.chance(0.5):
            pitch = self.between(6.5 / (values["vertices"] - 1), 1) * length  # at least six edges a turn
            values |= {"curl_radius": metres(self.between(0.05, 0.2) * pitch), "curl_pitch": metres(pitch)}
        if self.chance(0.75):
            start = self.between(0, 0.5) if self.chance(0.4) else 0
            thickness = metres(radius * self.about(0.1, 5))
            values["film"] = Raw(f'{{ thickness = "{thickness}", from = {start:.3f}, to = {self.between(start, 1):.3f} }}')
        if self.chance(0.65):
            self.table(name, kind="groom", obstacle="holder", length=metres(length), seed=self.random.randrange(1000),
                       randomness=self.one_of((1, 0), (1, self.between(0, 1))),
                       bend=f"{self.between(0, 1.5):.3g} rad", **values)
        else:
            at = [self.between(-0.5, 0.5) * self.reach for _ in range(2)]
            held = self.one_of((2, {"held": "clamp"}), (2, {"held": "pin", "obstacle": "holder"}), (1, {"held": "free"}))
            top = self.between(0.3, 0.8) * self.reach
            self.table(name, kind="bundle", start=metres(*at, top), end=metres(*at, top - length),
                       spacing=metres(radius * self.between(2.2, 8)), **held, **values)

    def others(self):
        half = [0.5 * edge for edge in self.size]
        if self.floor_holds and self.chance(0.6):
            depth = self.between(0.15, 0.45) * self.size[2]
            upper = metres(half[0], half[1], depth - half[2])
            self.table("bodies.pool", liquid="wet",
                       shape=Raw(f'{{ type = "box", lower = "{metres(*(-h for h in half))}", upper = "{upper}" }}'))
        if self.chance(0.3):
            velocity = f"{self.between(-0.5, 0.5):.3g} 0 {self.between(-1, 0):.3g} m/s"
            radius = metres(self.between(1.2, 2.5) * self.cell)
            self.table("bodies.drop", liquid="wet", velocity=velocity, shape=Raw(
                f'{{ type = "sphere", centre = "{metres(0, 0, 0.7 * half[2])}", radius = "{radius}" }}'))
        if self.chance(0.4):
            x, y = (self.between(-0.4, 0.4) * self.reach for _ in range(2))
            self.table("sources.stream", liquid="wet", stop=f"{self.between(0.1, 0.6):.3g} s",
                       velocity=f"{self.between(-0.2, 0.2):.3g} 0 {self.between(-0.6, -0.1):.3g} m/s",
                       shape=Raw(f'{{ type = "cylinder", start = "{metres(x, y, half[2] - 1.5 * self.cell)}", '
                                 f'end = "{metres(x, y, half[2] - 3 * self.cell)}", '
                                 f'radius = "{metres(self.between(0.8, 1.5) * self.cell)}" }}'))
        if self.chance(0.5):
            place = [self.between(-0.5, 0.5) * edge for edge in half[:2]] + [-self.between(0.3, 0.7) * half[2]]
            r = self.between(1.5, 2.5) * self.cell
            shape = self.random.choice((
                f'{{ type = "sphere", radius = "{metres(r)}" }}',
                f'{{ type = "torus", major_radius = "{metres(r)}", minor_radius = "{metres(0.5 * r)}" }}',
                f'{{ type = "box", lower = "{metres(-r, -r, -r)}", upper = "{metres(r, r, r)}" }}'))
            moves = self.chance(0.5)
            moving = {"motion": self.motion(place, 0.3 * self.reach)} if moves else {"position": metres(*place)}
            self.table("obstacles.stone", shape=Raw(shape), friction=self.one_of((1, 0), (1, 1)), **moving)

    def text(self):
        return "\n".join(self.lines) + "\n"


class Raw(str):
    """A value that is TOML already."""


def random_scene(number, end_time=2):
    return RandomScene(number, end_time).text()


if __name__ == "__main__":
    print(random_scene(int(sys.argv[1])), end="")
