# Warnings, sanitizers and the compiler cache, the same for every target.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(anima_options INTERFACE)
# GNU ld takes most of the time between an edit and its test.
find_program(LLD_PROGRAM ld.lld)
find_program(GOLD_PROGRAM ld.gold)
if(LLD_PROGRAM AND CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT ANIMA_SANITIZE)
  target_link_options(anima_options INTERFACE -fuse-ld=lld)
endif()
# The builds of developers and of CI look for what is to be warned of; the release is the same text, and looking takes a
# tenth of its compilation.
if(ANIMA_WARNINGS)
  target_compile_options(anima_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
else()
  target_compile_options(anima_options INTERFACE -w)
endif()
# g++ stops a dozen times in a large unit to collect garbage. It takes 1.2 GB for the largest then, not 0.75.
if(ANIMA_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(anima_options INTERFACE --param=ggc-min-heapsize=1000000)
endif()
# g++ 12 sees overlaps that are none when it inlines std::string at -O3 (GCC bug 105651).
target_compile_options(anima_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# What a mutex guards is said beside it (base/mutex.h); clang alone can check it.
target_compile_options(anima_options INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
# A program takes what it calls of a unit of two dozen files, not the unit: anima-fetch alone would hold most of the rooms.
target_compile_options(anima_options INTERFACE
  $<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
# And it names no library that nothing of it calls.
target_link_options(anima_options INTERFACE $<$<CONFIG:Release>:-Wl,--gc-sections>
  $<$<CONFIG:Release>:-Wl,--as-needed>)
target_compile_features(anima_options INTERFACE cxx_std_20)
target_include_directories(anima_options INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR}/src
  ${CMAKE_CURRENT_SOURCE_DIR}/include)
if(ANIMA_SANITIZE)
  # What bounds its own memory cannot do so beside a sanitizer's shadow. g++ and clang tell of a sanitizer in ways of their own.
  target_compile_definitions(anima_options INTERFACE ANIMA_SANITIZED)
  target_compile_options(anima_options INTERFACE
    -fsanitize=${ANIMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Under a sanitizer g++ 12 takes std::regex for uninitialized; -Wall of the other builds still looks.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # Asio's fences, which the thread sanitizer does not see; what they order is ordered by mutexes, too.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_options(anima_options INTERFACE -fsanitize=${ANIMA_SANITIZE})
endif()
