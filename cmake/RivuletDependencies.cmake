# Everything comes from Debian packages (tools/packages.txt). Their headers count as system headers: no warnings.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(PNG REQUIRED)
find_package(embree 3 REQUIRED)
find_package(GTest REQUIRED)
find_package(CLI11 REQUIRED)

find_package(HDF5 REQUIRED COMPONENTS C)
add_library(rivulet_hdf5 INTERFACE)
add_library(rivulet::hdf5 ALIAS rivulet_hdf5)
target_include_directories(rivulet_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(rivulet_hdf5 INTERFACE ${HDF5_C_LIBRARIES})

# Debian's FindOpenVDB asks for Boost components that the library itself does not need here: link it directly.
find_path(RIVULET_OPENVDB_INCLUDE openvdb/openvdb.h REQUIRED)
find_library(RIVULET_OPENVDB openvdb REQUIRED)
find_library(RIVULET_IMATH Imath-3_1 REQUIRED)
add_library(rivulet_openvdb INTERFACE)
add_library(rivulet::openvdb ALIAS rivulet_openvdb)
target_include_directories(rivulet_openvdb SYSTEM INTERFACE ${RIVULET_OPENVDB_INCLUDE} /usr/include/Imath)
target_link_libraries(rivulet_openvdb INTERFACE ${RIVULET_OPENVDB} ${RIVULET_IMATH} TBB::tbb)

add_library(rivulet_toml INTERFACE)
add_library(rivulet::toml ALIAS rivulet_toml)
find_path(RIVULET_TOMLPP toml++/toml.h REQUIRED)
target_include_directories(rivulet_toml SYSTEM INTERFACE ${RIVULET_TOMLPP})
