# The Debian packages, which CPack makes of the components of the installation (cmake/AnimaInstall.cmake): anima, anima-forge,
# libanima0 and libanima-dev. What only Debian wants of them is in packaging/debian: stage.cmake lays it out. `./dev release` runs cpack.
set(ANIMA_MAINTAINER "The Anima authors <maintainers@anima.example>" CACHE STRING "Whom the Debian packages name as their maintainer")

function(anima_debian)
  if(SKBUILD OR NOT TARGET anima)
    return()
  endif()
  set(room ${CMAKE_SOURCE_DIR}/packaging/debian)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME anima)
  set(CPACK_PACKAGE_VENDOR "The Anima authors")
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_COMPONENTS_ALL program forge c development)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_PRE_BUILD_SCRIPTS ${room}/stage.cmake)
  set(CPACK_ANIMA_PACKAGING ${CMAKE_SOURCE_DIR}/packaging)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${ANIMA_MAINTAINER})
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(same "anima (= ${PROJECT_VERSION})")

  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME anima)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS adduser)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ca-certificates)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "anima-forge, libpq5, libnats3.4")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${room}/postinst ${room}/prerm ${room}/postrm ${room}/conffiles)
  set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "memory for AI agents that can be asked, explained and undone
Anima keeps what it is told as facts in one append-only log. It answers
questions in plain words, KIP, Datalog and SPARQL, says why a fact holds and
who stated it, and takes back what was done. Agents reach it over MCP and
HTTP, and each of their acts is judged by rules.
.
It needs no server, no network and no model.")

  set(CPACK_DEBIAN_FORGE_PACKAGE_NAME anima-forge)
  set(CPACK_DEBIAN_FORGE_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_FORGE_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_FORGE_PACKAGE_DEPENDS "${same}, clang-14")
  set(CPACK_DEBIAN_FORGE_DESCRIPTION "tools that Anima makes for itself
Anima can make a tool that it lacks, as a small program. This package has the
checker that reads such a program before it is compiled, and brings the
compiler.")

  set(CPACK_DEBIAN_C_PACKAGE_NAME libanima${PROJECT_VERSION_MAJOR})
  set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_C_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_C_DESCRIPTION "memory for AI agents, as a library
The shared library of Anima, for programs in C++, C and languages that call C.
A program opens a space in its own process, beside the program anima.")

  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libanima-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libanima${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), pkg-config")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "anima, cmake")
  set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "memory for AI agents, as a C++ library
Headers of Anima for C++20 and C, with a CMake package and pkg-config files.
A program opens a space in its own process, beside the program anima.")
  include(CPack)
endfunction()
