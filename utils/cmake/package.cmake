# What `cpack` makes: a Debian package of the component Runtime, lanewise, and one of Development, liblanewise-dev
# (docs/install.md).
set(CPACK_PACKAGE_NAME lanewise)
set(CPACK_PACKAGE_VENDOR "The Lanewise developers")
set(LANEWISE_MAINTAINER "The Lanewise developers <maintainers@lanewise.invalid>" CACHE STRING
    "Who answers for the package, as NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${LANEWISE_MAINTAINER}")
set(CPACK_LANEWISE_DATE ${LANEWISE_DATE})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "optimizer for SPIR-V compute shaders that checks its rewrites")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"Lanewise rewrites SPIR-V compute shaders where a GPU driver cannot: how the
lanes of a workgroup meet in memory, at barriers and at branches. It takes
SPIR-V, GLSL and HLSL, runs the original and the rewritten shader on the
same inputs, and keeps a rewrite only if the outputs agree.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"This package has what other projects build with: the library behind
lanewise/lanewise.h, and the CMake package Lanewise with the function
lanewise_compile_shaders().")
set(CPACK_PACKAGE_INSTALL_DIRECTORY lanewise)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256) # PACKAGE.deb.sha256 beside each
set(CPACK_COMPONENTS_ALL Runtime Development)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME lanewise)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblanewise-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "lanewise (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, g++")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries that the program is linked with, as dpkg-shlibdeps finds them.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# The loader is opened at run time, and only to verify.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "vulkan-validationlayers, spirv-tools, llvm, python3")
include(CPack)
