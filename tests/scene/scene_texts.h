#pragma once

#include "base/error.h"
#include "scene/scene.h"

#include <string>
#include <vector>

namespace rivulet {

/// A scene that uses every key of the language (except files) once, or every one but its alternative.
inline const std::string kFullScene = R"(title = "All keys"

[simulation]
cell_size = "2 cm"
gravity = "9.81 m/s2"
end_time = "0.5 s"
frame_rate = "30 Hz"
max_step = "5 ms"
min_step = "1 us"
cfl = 2
max_retries = 4
pressure_tolerance = 1e-7
max_pressure_iterations = 300
surface_tension = true
seed = 7

[domain]
lower = [0, 0, 0]
upper = ["1 m", "100 cm", 1]
walls = { "+z" = "open", -x = "closed" }
friction = 0.25
strand_friction = 0.6

[liquids.oil]
material = "olive_oil"
density = "0.9 g/cm3"
viscosity = "80 cP"
surface_tension = "32 dyn/cm"
contact_angle = "20 deg"
colour = "#ff8000"

[liquids.water]

[bodies.pool]
liquid = "water"
shape = { type = "box", lower = "0 0 0 m", upper = "1 1 0.2 m" }
velocity = "1 0 0 cm/s"

[bodies.ring]
liquid = "oil"
shape = { type = "torus", major_radius = "10 cm", minor_radius = "3 cm", centre = "0 0 0 m", axis = [1, 0, 0] }
position = "0.5 0.5 0.7 m"
rotation = { axis = [0, 0, 1], angle = "90 deg" }
angular_velocity = "0 0 60 rpm"
jitter = true

[obstacles.stick]
shape = { type = "capsule", start = "0 0 -10 cm", end = "0 0 10 cm", radius = "2 cm" }
friction = 1
colour = [0.1, 0.2, 0.3]
visible = false
motion.drift = "1 0 0 cm/s"
motion.spin = { axis = [0, 1, 0], rate = "2 rpm" }
motion.keyframes = [
  { time = 0, position = "50 50 50 cm" },
  { time = "1 s", position = "60 50 50 cm", rotation = { angle = "1 turn" }, easing = "smooth" },
]

[obstacles.bowl]
position = "0.2 0.2 0.3 m"
shape.type = "difference"
shape.shapes = [
  { type = "sphere", radius = "10 cm" },
  { type = "union", shapes = [
    { type = "sphere", centre = [0, 0, "2 cm"], radius = "9 cm" },
    { type = "ellipsoid", centre = [0, 0, "2 cm"], radii = "9.5 8 3 cm" },
    { type = "cylinder", start = "0 0 0 m", end = "0 0 1 m", radius = "1 cm", position = "1 0 0 cm" } ] },
  { type = "plane", point = "0 0 9 cm", normal = [0, 0, -1] },
]

[sources.tap]
liquid = "oil"
shape = { type = "box", lower = "40 40 90 cm", upper = "45 45 95 cm" }
velocity = "0 0 -1 m/s"
start = "0.1 s"
stop = "0.2 s"

[drains.hole]
shape = { type = "box", lower = "90 90 0 cm", upper = "95 95 2 cm" }
start = 0
stop = 9

[probes.level]
kind = "mean"
field = "position.z"
object = "water"
region = { type = "box", lower = "0 0 0 m", upper = "0.5 1 1 m" }
every = "step"

[probes.push]
kind = "force"
object = "stick"

[probes.here]
kind = "value"
field = "pressure"
point = "50 50 10 cm"

[camera]
position = "3 -2 1 m"
target = "0.5 0.5 0.3 m"
up = [0, 0, 1]
field_of_view = "30 deg"

[render]
width = 640
height = 360
samples = 4
sun_direction = [1, 0, 1]
ground = false
particles = true

[test.volume_kept]
quantity = "level"
when = "mean"
value = "1 l"
tolerance = "1 ml"
)";

/// Strands in all ways.
inline const std::string kStrandScene = R"(title = "Strands"

[simulation]
cell_size = "2 cm"
strand_step = "2 ms"
strand_integrator = "euler"
strand_contact = "none"
strand_penalty_stiffness = "2 kPa"
strand_penalty_range = 1.2

[domain]
lower = [-1, -1, -1]
upper = [1, 1, 1]

[air]
density = "1.1 kg/m3"
viscosity = "1.9e-5 Pa s"
wind = "1 0 0 m/s"

[liquids.rinse]

[wetting]
liquid = "rinse"
contact_angle = "50 deg"
tension = true
beading = false
friction = true
momentum = "transport"
bridges = true
shares = "alike"
spreading = false
capture = false
capture_time = "0.2 s"
thickest = 5
dripping = false
drip_factor = 0.4
drag = false
buoyancy = true

[render]
colour_by = "speed"
colour_from = "10 cm/s"
colour_to = 2

[obstacles.head]
shape = { type = "sphere", radius = "10 cm" }
strand_friction = 0.4
motion.keyframes = [
  { time = 0, position = "0 0 20 cm", rotation = { angle = "90 deg" } },
  { time = "1 s", position = "10 0 20 cm" },
]

[strands.fur]
kind = "groom"
obstacle = "head"
region = { type = "box", lower = "-1 -1 0.02 m", upper = "1 1 1 m" }
count = 10
vertices = 40
length = "8 cm"
length_variation = 0.2
curl_radius = "2 mm"
curl_pitch = "3 cm"
seed = 5
bend = "20 deg"
bend_direction = [0, 1, -1]
randomness = 0.2
clumps = 3
clump = 0.6
taper = 0.1
material = "human_hair"
density = "1.3 g/cm3"
youngs_modulus = "4 GPa"
shear_modulus = "1 GPa"
internal_viscosity = "1e6 Pa s"
friction = 0.3
radius = "40 um"
flatness = 0.5
colour = [0.5, 0.25, 0.1]
picture_radius = "0.2 mm"
picture_strands = 3
picture_spread = "1 mm"
picture_clump = 0.4
held = "pin"
release = "0.5 s"

[strands.reed]
kind = "polyline"
obstacle = "head"
points = [{ position = "0 0 0 m" }, { position = "1 0 0 cm" }, { position = "2 0 0 cm" }, { position = "3 1 0 cm" }]
director = [0, 0, 1]
tip_load = "0 0 1e-6 N"
sag_free = true

[strands.noodle]
kind = "polyline"
material = "noodle"
held = "free"
points = [{ position = "0 0 50 cm" }, { position = "1 0 50 cm" }, { position = "2 0 50 cm" }]

[strands.tow]
kind = "bundle"
count = 7
vertices = 31
start = "0 0 0 m"
end = "0 0 -6 cm"
row = [1, 0, 0]
spacing = "0.2 mm"
curl_radius = "1 mm"
curl_pitch = "2 cm"
held = "free"
pins = [
  { vertex = 3, obstacle = "head", held = "pin", release = "1 s" },
  { vertex = -2, held = "clamp" },
]
loads = [{ vertex = 12, force = "1 0 0 mN", start = "0.1 s", stop = "0.2 s" }]
joints = [{ vertex = 20, strands = "tow", within = "5 mm" }]
film = { thickness = "0.1 mm", from = 0.1, to = 0.5 }

[strands.weave]
kind = "woven"
obstacle = "head"
rows = 4
columns = 5
spacing = "2 mm"
amplitude = "0.1 mm"
edges = 6
held = "free"
position = "0 0 50 cm"
rotation = { angle = "45 deg" }

[strands.yarn]
kind = "knitted"
rows = 3
columns = 4
spacing = "5 mm"
edges = 24
held = "free"

[strands.ziti]
kind = "noodles"
material = "noodle"
count = 25
per_layer = 10
vertices = 50
length = "10 cm"
spacing = "1.5 mm"
wave_height = "1 cm"
wave_length = "3 cm"
seed = 3
radius_variation = 0.2
stiffness_variation = 0.1
held = "free"

[probes.tip]
kind = "strand_position"
object = "fur"
strand = 9
vertex = -1
every = "step"

[probes.pull]
kind = "strand_tension"
object = "tow"
vertex = 1

[probes.tufts]
kind = "clusters"
object = "tow"
vertex = -2

[probes.dripped]
kind = "shed_volume"
object = "rinse"

[probes.caught]
kind = "caught_volume"

[probes.strain]
kind = "strand_strain"
object = "fur"
)";

/// The message of the InputError that parsing raises; empty when it raises none.
inline std::string problem_of(const std::string& text, const std::vector<std::string>& overrides = {})
{
    try {
        static_cast<void>(parse_scene(text, "test.toml", overrides));
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

} // namespace rivulet
