#pragma once

#include "geometry/drop_volumes.h"

namespace rivulet {

/// Makes the smallest drops of a liquid's surface round: the lattice gives the drop of a single particle no more than
/// the eight triangles of an octahedron, or an egg between its nodes. Drops of few triangles are subdivided; of up to
/// two particles of nominal size they become balls around their centre, of up to four less and less so. All keep their
/// volume.
void round_drops(const std::vector<DrawnDrop>& drops, double cell_size, TriangleMesh& mesh);

} // namespace rivulet
