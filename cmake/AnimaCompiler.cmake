# Warnings, sanitizers and the compiler cache, the same for every target.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(anima_options INTERFACE)
target_compile_options(anima_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
target_include_directories(anima_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
if(ANIMA_SANITIZE)
  target_compile_options(anima_options INTERFACE
    -fsanitize=${ANIMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(anima_options INTERFACE -fsanitize=${ANIMA_SANITIZE})
endif()
