# The installed tree: bin/anima, libexec/anima/anima-fetch, anima-inspect and anima-machine, libanima.so, the public headers in
# include/anima/ with the three of `base` that they stand on, the CMake package `anima` with the target anima::anima, and the pkg-config
# files `anima` and `anima-c`. Its components are the Debian packages of cmake/AnimaDebian.cmake: program, forge (which alone needs
# libclang), c and development.
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

# The public headers, which find each other below anima/ alone: a program keeps the name base/ for itself.
function(anima_install_headers)
  set(public ${CMAKE_BINARY_DIR}/generated/public)
  install(CODE "
    file(REMOVE_RECURSE \"${public}\")
    file(GLOB headers \"${CMAKE_SOURCE_DIR}/include/anima/*.h\")
    list(TRANSFORM headers REPLACE \"^(.*/include/anima)/(.*)$\" \"\\\\1:\\\\2\")
    foreach(name expected.h result.h json/json.h)
      list(APPEND headers \"${CMAKE_SOURCE_DIR}/src:base/\${name}\")
    endforeach()
    foreach(header \${headers})
      string(REGEX MATCH \"^(.*):(.*)$\" parts \"\${header}\")
      set(to \"${public}/\${CMAKE_MATCH_2}\")
      file(READ \"\${CMAKE_MATCH_1}/\${CMAKE_MATCH_2}\" text)
      string(REPLACE \"#include \\\"base/\" \"#include \\\"anima/base/\" text \"\${text}\")
      file(WRITE \"\${to}\" \"\${text}\")
    endforeach()"
    COMPONENT development)
  install(DIRECTORY ${public}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/anima COMPONENT development)
endfunction()

function(anima_install)
  if(TARGET anima_c)
    anima_install_headers()
    install(TARGETS anima_c EXPORT anima_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c
            NAMELINK_COMPONENT development)
  endif()
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

  if(NOT TARGET anima_c)
    return()
  endif()
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/anima)
  install(EXPORT anima_targets NAMESPACE anima:: FILE anima-config.cmake DESTINATION ${package} COMPONENT development)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/anima-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/anima-config-version.cmake DESTINATION ${package} COMPONENT development)
  foreach(name anima anima-c)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  endforeach()
endfunction()
