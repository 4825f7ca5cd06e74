# What `cmake --install` copies, by component:
#
#   Development   library, public headers, CMake package with lanewise_compile_shaders()
#   Runtime       the program, and what install_runtime.cmake adds to it
#
# The tree may be moved afterwards: nothing in it knows where it was installed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LANEWISE_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Lanewise CACHE STRING
    "Folder of LanewiseConfig.cmake below the prefix")
mark_as_advanced(LANEWISE_INSTALL_CMAKEDIR)

install(TARGETS lanewise_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)

install(TARGETS lanewise EXPORT LanewiseTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/passes/include/lanewise
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Development)

install(EXPORT LanewiseTargets NAMESPACE Lanewise:: FILE LanewiseTargets.cmake
        DESTINATION ${LANEWISE_INSTALL_CMAKEDIR} COMPONENT Development)
# Not where find_package() would find it: bin/ beside it may be on PATH, and its targets are not written there.
set(package_dir ${PROJECT_BINARY_DIR}/package)
set(program ${CMAKE_INSTALL_BINDIR}/lanewise${CMAKE_EXECUTABLE_SUFFIX})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/LanewiseConfig.cmake.in ${package_dir}/LanewiseConfig.cmake
  INSTALL_DESTINATION ${LANEWISE_INSTALL_CMAKEDIR} PATH_VARS program)
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(${package_dir}/LanewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_dir}/LanewiseConfig.cmake ${package_dir}/LanewiseConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/LanewiseCompileShaders.cmake
        DESTINATION ${LANEWISE_INSTALL_CMAKEDIR} COMPONENT Development)
