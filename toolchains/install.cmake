# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Install rules: the headers, tessera.cpp, a CMake package with its components and a pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS tessera EXPORT tesseraTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tessera" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/tessera")
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION "${_package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/tesseraConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tesseraConfig.cmake" INSTALL_DESTINATION "${_package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
# Headers have no architecture: one install serves native and cross builds alike.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/tesseraConfig.cmake" "${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake"
        "${CMAKE_CURRENT_LIST_DIR}/components.cmake" "${CMAKE_CURRENT_LIST_DIR}/c_library.cmake"
        DESTINATION "${_package_dir}")

configure_file("${CMAKE_CURRENT_LIST_DIR}/tessera.pc.in" "${PROJECT_BINARY_DIR}/tessera.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tessera.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
