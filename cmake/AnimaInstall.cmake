# The installed tree: bin/anima, libexec/anima/anima-fetch, anima-inspect and anima-machine, the libraries of the rooms, the public headers
# in include/anima/ and those that they stand on in include/anima/rooms/ (which has folders alone: a program that is given its path finds
# its own <memory.h>), the CMake package `anima` with the target anima::anima, and the pkg-config files `anima` and `anima-c`. Its components
# are the Debian packages of cmake/AnimaDebian.cmake: program, forge (which alone needs libclang), c and development.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What the program writes of itself: its manual pages, and what completes its command lines.
function(anima_install_told)
  set(told ${CMAKE_BINARY_DIR}/generated/told)
  install(CODE "
    file(REMOVE_RECURSE \"${told}\")
    execute_process(COMMAND \"$<TARGET_FILE:anima>\" help --man \"${told}/man1\" ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT program)
  install(DIRECTORY ${told}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  foreach(script bash/anima:bash-completion/completions zsh/_anima:zsh/site-functions fish/anima.fish:fish/vendor_completions.d)
    string(REGEX MATCH "^((.*)/.*):(.*)$" parts ${script})
    set(file ${told}/${CMAKE_MATCH_1})
    install(CODE "
      file(MAKE_DIRECTORY \"${told}/${CMAKE_MATCH_2}\")
      execute_process(COMMAND \"$<TARGET_FILE:anima>\" completion ${CMAKE_MATCH_2} OUTPUT_FILE \"${file}\" COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT program)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_3} COMPONENT program)
  endforeach()
endfunction()

function(anima_install)
  get_property(rooms GLOBAL PROPERTY ANIMA_ROOMS)
  list(REMOVE_ITEM rooms cli train)
  list(TRANSFORM rooms PREPEND anima_ OUTPUT_VARIABLE libraries)
  add_library(anima_all INTERFACE)
  target_link_libraries(anima_all INTERFACE ${libraries})
  set_target_properties(anima_all PROPERTIES EXPORT_NAME anima)
  foreach(room ${rooms})
    set_target_properties(anima_${room} PROPERTIES EXPORT_NAME ${room})
    get_property(inner GLOBAL PROPERTY ANIMA_INNER_ROOMS_${room})
    list(TRANSFORM inner PREPEND ${room}/)
    foreach(door ${room} ${inner})
      file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${door}/*.h)
      install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/anima/rooms/${door} COMPONENT development)
    endforeach()
  endforeach()
  install(TARGETS anima_options anima_all ${libraries} EXPORT anima_targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  if(TARGET anima)
    install(TARGETS anima RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    anima_install_told()
    install(TARGETS anima-fetch anima-machine RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/anima COMPONENT program)
    install(TARGETS anima-inspect RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/anima COMPONENT forge)
  endif()
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  # Written by ./dev release.
  install(FILES ${CMAKE_SOURCE_DIR}/build/release/notices.txt RENAME NOTICES.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT program OPTIONAL)

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/anima)
  install(EXPORT anima_targets NAMESPACE anima:: FILE anima-targets.cmake DESTINATION ${package} COMPONENT development)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/anima-config.cmake.in
                                ${CMAKE_BINARY_DIR}/anima-config.cmake INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/anima-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/anima-config.cmake ${CMAKE_BINARY_DIR}/anima-config-version.cmake
                ${CMAKE_SOURCE_DIR}/cmake/AnimaDependencies.cmake DESTINATION ${package} COMPONENT development)
  list(TRANSFORM libraries PREPEND -l OUTPUT_VARIABLE flags)
  list(JOIN flags " " ANIMA_PC_LIBRARIES)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/anima.pc.in ${CMAKE_BINARY_DIR}/anima.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/anima.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
