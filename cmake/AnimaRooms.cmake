# A sanitizer makes a program up to twenty times slower; a time limit is there for what hangs, not for what is slow.
if(ANIMA_SANITIZE)
  set(ANIMA_UNIT_TEST_SECONDS 1800)
  set(ANIMA_PROGRAM_TEST_SECONDS 3600)
else()
  set(ANIMA_UNIT_TEST_SECONDS 600)
  set(ANIMA_PROGRAM_TEST_SECONDS 900)
endif()

# Files that each include about `batch` of the sources, to be compiled in their place. They name files from `folder`, not by
# absolute paths as CMake's own UNITY_BUILD does, so that the compiler cache serves every checkout. A hash of its name says
# which unit a file is in, so that a new file changes one unit. What ANIMA_ALONE names (./dev writes there what differs from
# the main branch) is compiled alone, so that an edit compiles one file, not two dozen.
function(anima_units name folder batch sources_variable)
  set(sources ${${sources_variable}})
  list(LENGTH sources count)
  math(EXPR parts "(${count} + ${batch} / 2) / ${batch}")
  if(parts EQUAL 0)
    set(parts 1)
  endif()
  set(compiled)
  foreach(source ${sources})
    if(source IN_LIST ANIMA_ALONE_SOURCES)
      list(APPEND compiled ${source})
      continue()
    endif()
    file(RELATIVE_PATH path ${folder} ${source})
    string(MD5 hash ${path})
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR part "0x${hash} % ${parts}")
    list(APPEND members_${part} ${source})
    string(APPEND text_${part} "#include \"${path}\"\n")
  endforeach()
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    if(NOT members_${part})
      continue()
    endif()
    set(unit ${CMAKE_BINARY_DIR}/generated/units/${name}_${part}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text_${part}}")
    anima_test_folders(${unit} ${members_${part}})
    list(APPEND compiled ${unit})
  endforeach()
  set(${sources_variable} ${compiled} PARENT_SCOPE)
endfunction()

function(anima_unity_options target)
  # Types in unnamed namespaces of included files: builds of single files look at them.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Only the sources that name a folder get it: the others then compile the same in every checkout, and the compiler
# cache serves them all.
function(anima_test_folders compiled)
  foreach(source ${ARGN})
    file(STRINGS ${source} uses REGEX "ANIMA_(SOURCE|BINARY)_DIR|support/(command|node|program_on_space|question_domains|mcp_program|forge_cache).h" LIMIT_COUNT 1)
    if(uses)
      set_source_files_properties(${compiled} PROPERTIES COMPILE_DEFINITIONS
        "ANIMA_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\";ANIMA_BINARY_DIR=\"${CMAKE_BINARY_DIR}\"")
    endif()
  endforeach()
endfunction()

set(ANIMA_ENGINES base language store query datalog kip sparql)
# Rooms that wait for people, programs, files and networks, and leave what is counted in millions to the rooms below them;
# and those of one question or one text, whose time is that of the engines they ask.
set(ANIMA_DOORS bus llm tools guard ask govern sleep agent world learn forge serve library cli)

# A room is src/<name> with its door (headers directly in it), the rooms inside it, whose headers are doors too (INNER), and
# the private folders in it.
function(anima_room name)
  cmake_parse_arguments(ROOM "" "" "ROOMS;INNER;LIBRARIES" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/*/*.cc ${folder}/*/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    if(ANIMA_UNITY)
      anima_units(${name} ${CMAKE_SOURCE_DIR}/src ${ANIMA_UNITY} sources)
    endif()
    add_library(anima_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(ANIMA_UNITY)
      anima_unity_options(anima_${name})
    endif()
  else()
    add_library(anima_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(anima_${name} ${scope} anima_options Threads::Threads ${ROOM_LIBRARIES})
  # What -O3 adds to a compilation, it gives back only where rows are counted in millions (docs/BENCHMARKS.md, "Building").
  if(sources AND name IN_LIST ANIMA_DOORS)
    target_compile_options(anima_${name} PRIVATE
      $<$<CONFIG:Release>:-O1> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-tree-pta>
      $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-tree-dominator-opts>)
    # What reads command lines and writes pages of help is a fifth of the program.
    if(name STREQUAL cli)
      target_compile_options(anima_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
    endif()
  elseif(sources AND NOT name IN_LIST ANIMA_ENGINES)
    target_compile_options(anima_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  # g++ bounds what inlining adds to a unit, and a unit of many files reaches the bound: the campus questions take up to
  # 1.4 times as long (docs/BENCHMARKS.md).
  if(ANIMA_UNITY AND name STREQUAL query AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(anima_${name} PRIVATE
      $<$<CONFIG:Release>:--param=inline-unit-growth=200> $<$<CONFIG:Release>:--param=large-unit-insns=100000>)
  endif()
  # Position-independent code takes no function of its own unit for granted, and what is inlined in the place of those is a
  # matter of luck: one negation took 1.17 times as long when the units were cut anew.
  if(name STREQUAL datalog AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(anima_${name} PRIVATE $<$<CONFIG:Release>:-fno-semantic-interposition>)
  endif()
  foreach(room ${ROOM_ROOMS})
    target_link_libraries(anima_${name} ${scope} anima_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ANIMA_ROOMS ${name})
  set_property(GLOBAL PROPERTY ANIMA_INNER_ROOMS_${name} ${ROOM_INNER})
endfunction()

# What base/version.h says of the build, in a file of its own: another commit compiles nothing else anew.
function(anima_build_facts target)
  set(source ${CMAKE_BINARY_DIR}/generated/build_facts.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "base/version.h"

namespace anima {

std::string_view build_type() { return "@CMAKE_BUILD_TYPE@"; }
std::string_view processor() { return "@CMAKE_SYSTEM_PROCESSOR@"; }
std::string_view commit() { return "@ANIMA_COMMIT@"; }

}  // namespace anima
]])
  target_sources(${target} PRIVATE ${source})
endfunction()

# One copy of functions that came out the same, where nothing takes the address of them: 2 % of what is downloaded. Of the linkers
# of Debian 12 gold alone knows which those are for g++.
function(anima_fold_functions target)
  if(GOLD_PROGRAM AND CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_link_options(${target} PRIVATE -fuse-ld=gold -Wl,--icf=safe)
  endif()
endfunction()

function(anima_program)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.cc)
    add_executable(anima ${CMAKE_SOURCE_DIR}/src/cli/main.cc)
    target_link_libraries(anima PRIVATE anima_cli)
    anima_fold_functions(anima)
  endif()
endfunction()

# A helper names the libraries alone that it calls: it starts faster, and libcurl's OpenSSL meets no other one. GNU ld counts what
# is called by functions that it leaves out.
function(anima_needs_little target)
  if(LLD_PROGRAM AND CMAKE_BUILD_TYPE STREQUAL Release)
    target_link_options(${target} PRIVATE -fuse-ld=lld)
  endif()
endfunction()

# src/tools/fetch: the program that fetches pages for a tool: one process that speaks HTTP, and one with the network.
function(anima_fetcher)
  add_executable(anima-fetch ${CMAKE_SOURCE_DIR}/src/tools/fetch/main.cc)
  target_link_libraries(anima-fetch PRIVATE anima_tools Anima::curl)
  anima_needs_little(anima-fetch)
  add_dependencies(anima anima-fetch)
endfunction()

# src/forge/inspect: the program that reads generated source with libclang, alone in the sandbox.
function(anima_inspector)
  add_executable(anima-inspect ${CMAKE_SOURCE_DIR}/src/forge/inspect/main.cc)
  target_link_libraries(anima-inspect PRIVATE anima_base Anima::clang)
  anima_needs_little(anima-inspect)
  add_dependencies(anima anima-inspect)
endfunction()

# src/world/machine: the program that runs what agents of a world wrote, alone in the sandbox. It needs nothing of a system.
function(anima_machine)
  add_executable(anima-machine ${CMAKE_SOURCE_DIR}/src/world/machine/main.cc ${CMAKE_SOURCE_DIR}/src/world/program.cc)
  target_link_libraries(anima-machine PRIVATE anima_options)
  target_include_directories(anima-machine PRIVATE ${CMAKE_SOURCE_DIR}/src)
  if(NOT ANIMA_SANITIZE)
    target_link_options(anima-machine PRIVATE -static)
  endif()
  add_dependencies(anima anima-machine)
endfunction()

# The program test_<name> of some sources; its tests are called <name>.<suite>.<case>.
function(anima_test_program name sources_variable libraries seconds)
  include(GoogleTest)  # its variables are of the scope that includes it
  set(sources ${${sources_variable}})
  if(ANIMA_UNITY)
    math(EXPR batch "(${ANIMA_UNITY} + 2) / 3")
    anima_units(test_${name} ${CMAKE_SOURCE_DIR}/tests ${batch} sources)
  endif()
  add_executable(test_${name} ${sources})
  if(ANIMA_UNITY)
    anima_unity_options(test_${name})
  endif()
  target_link_libraries(test_${name} PRIVATE ${libraries} GTest::gtest GTest::gmock GTest::gtest_main)
  anima_test_settings(test_${name})
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${seconds})
endfunction()

# tests/unit/<room>/*.cc and those of its inner rooms -> test_<room>; tests/conformance|crash|e2e|promises/*_test.cc -> test_conformance and so on.
function(anima_tests)
  find_package(GTest REQUIRED)
  get_property(rooms GLOBAL PROPERTY ANIMA_ROOMS)
  foreach(room ${rooms})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cc
      ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*/*.cc)
    if(sources)
      anima_test_program(${room} sources anima_${room} ${ANIMA_UNIT_TEST_SECONDS})
    endif()
  endforeach()
  foreach(kind conformance crash e2e promises)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${kind}/*_test.cc)
    anima_test_program(${kind} sources "anima_cli;anima_library" ${ANIMA_PROGRAM_TEST_SECONDS})
  endforeach()
endfunction()

# examples/cpp/<name>.cc -> example_<name>, run on the folder of examples.
function(anima_examples)
  file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/cpp/*.cc)
  foreach(source ${programs})
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE anima_agent)
    add_test(NAME e2e.example_${name} COMMAND example_${name} ${CMAKE_SOURCE_DIR}/examples)
    set_tests_properties(e2e.example_${name} PROPERTIES TIMEOUT 60)
  endforeach()
endfunction()

# tests/tools/*_test.py, and the test that uses the installed package as a stranger would.
function(anima_script_tests)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/tools/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME tools.${name} COMMAND ${Python3_EXECUTABLE} ${script})
    set_tests_properties(tools.${name} PROPERTIES TIMEOUT ${ANIMA_PROGRAM_TEST_SECONDS} ENVIRONMENT "ANIMA=$<TARGET_FILE:anima>")
  endforeach()
  add_test(NAME install.package
           COMMAND ${CMAKE_SOURCE_DIR}/tests/install/run.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
                   ${CMAKE_CXX_COMPILER})
  # Both write the manual pages that are installed.
  set_tests_properties(install.package PROPERTIES TIMEOUT 300 RESOURCE_LOCK manual_pages)
  if(NOT ANIMA_SANITIZE)
    add_test(NAME install.debian COMMAND ${CMAKE_SOURCE_DIR}/tests/install/debian.sh ${CMAKE_BINARY_DIR})
    set_tests_properties(install.debian PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 RESOURCE_LOCK manual_pages)
  endif()
  add_test(NAME install.signature COMMAND ${CMAKE_SOURCE_DIR}/tests/install/signature.sh)
  set_tests_properties(install.signature PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

function(anima_test_settings target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  # Tests are compiled once and run once: more optimizing costs more than it saves.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    anima_test_folders(${source} ${source})
  endforeach()
endfunction()

# bench/dojo/*.cc -> the library of the dojo, for its benchmark and for test_dojo of tests/unit/dojo/*.cc.
function(anima_dojo)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/dojo/*.cc)
  if(ANIMA_UNITY)
    anima_units(dojo ${CMAKE_SOURCE_DIR}/bench ${ANIMA_UNITY} sources)
  endif()
  add_library(anima_dojo STATIC EXCLUDE_FROM_ALL ${sources})
  if(ANIMA_UNITY)
    anima_unity_options(anima_dojo)
  endif()
  target_link_libraries(anima_dojo PUBLIC anima_agent)
  target_include_directories(anima_dojo PUBLIC ${CMAKE_SOURCE_DIR}/bench ${CMAKE_SOURCE_DIR}/tests)
  if(ANIMA_BUILD_TESTS)
    file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/dojo/*.cc)
    anima_test_program(dojo tests anima_dojo ${ANIMA_PROGRAM_TEST_SECONDS})
  endif()
endfunction()

# bench/<name>_bench.cc -> one program each, linked to the room of that name when there is one.
function(anima_benchmarks)
  get_property(rooms GLOBAL PROPERTY ANIMA_ROOMS)
  file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*_bench.cc)
  find_library(LMDB_LIBRARY lmdb)  # a peer of the store, measured beside it where it is installed
  foreach(source ${programs})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_.*" "" room ${name})
    if(room STREQUAL "graph")
      set(room kip)  # the algebra and what asks it
    elseif(room STREQUAL "govern")
      set(room agent)  # an act, with the record that the tools leave
    elseif(room STREQUAL "runtime")
      set(room world)  # of the agents of a world
    elseif(NOT room STREQUAL "dojo" AND NOT room IN_LIST rooms)
      set(room cli)
    endif()
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE anima_${room})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/bench ${CMAKE_SOURCE_DIR}/tests)
    if(LMDB_LIBRARY AND room STREQUAL "store")
      target_link_libraries(${name} PRIVATE ${LMDB_LIBRARY})
      target_compile_definitions(${name} PRIVATE ANIMA_HAVE_LMDB)
    endif()
  endforeach()
endfunction()

# Compiled with the tests and never linked, so that a change which breaks a fuzzer is seen at once.
function(anima_fuzzer_sources)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
  add_library(fuzzer_sources OBJECT ${sources})
  target_link_libraries(fuzzer_sources PRIVATE anima_cli)
  target_compile_options(fuzzer_sources PRIVATE -O0)
  target_include_directories(fuzzer_sources PRIVATE ${CMAKE_SOURCE_DIR}/tests)
endfunction()

# tests/fuzz/<room>_<what>_fuzz.cc -> one libFuzzer program each, linked to its room.
function(anima_fuzzers)
  get_property(rooms GLOBAL PROPERTY ANIMA_ROOMS)
  file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
  foreach(source ${programs})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_.*" "" room ${name})
    if(NOT room IN_LIST rooms)
      set(room cli)
    endif()
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE anima_${room})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  endforeach()
endfunction()
