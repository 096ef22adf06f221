# What `cmake --install` puts where. The installed tree finds its own libraries by relative run
# paths, so it may be moved as a whole and needs no LD_LIBRARY_PATH.
include(CMakePackageConfigHelpers)
set(CUMULO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cumulo)

file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(cumulo PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS cumulo EXPORT cumulo_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET cumulo_command)
  set_target_properties(cumulo_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS cumulo_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cumulo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${CUMULO_WGPU_NATIVE_DIR}/include/webgpu
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(PROGRAMS ${CUMULO_WGPU_NATIVE_DIR}/lib/libwgpu_native.so
  DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT cumulo_targets NAMESPACE cumulo:: DESTINATION ${CUMULO_PACKAGE_DIR})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/cumuloConfig.cmake.in ${PROJECT_BINARY_DIR}/cumuloConfig.cmake
  INSTALL_DESTINATION ${CUMULO_PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cumuloConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cumuloConfig.cmake ${PROJECT_BINARY_DIR}/cumuloConfigVersion.cmake
  DESTINATION ${CUMULO_PACKAGE_DIR})
