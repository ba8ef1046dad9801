# A sanitizer makes a program up to twenty times slower; a time limit is there for what hangs, not for what is slow.
if(ANIMA_SANITIZE)
  set(ANIMA_UNIT_TEST_SECONDS 1800)
  set(ANIMA_PROGRAM_TEST_SECONDS 3600)
else()
  set(ANIMA_UNIT_TEST_SECONDS 600)
  set(ANIMA_PROGRAM_TEST_SECONDS 900)
endif()

# A room is src/<name> with its door (headers directly in it) and the private folders in it.
function(anima_room name)
  cmake_parse_arguments(ROOM "" "" "ROOMS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/${name}/*.cc ${CMAKE_SOURCE_DIR}/src/${name}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(anima_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(ANIMA_UNITY)
      set_target_properties(anima_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
      # Types in unnamed namespaces of included files: builds of single files look at them.
      target_compile_options(anima_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
  else()
    add_library(anima_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(anima_${name} ${scope} anima_options Threads::Threads ${ROOM_LIBRARIES})
  foreach(room ${ROOM_ROOMS})
    target_link_libraries(anima_${name} ${scope} anima_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ANIMA_ROOMS ${name})
endfunction()

function(anima_program)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.cc)
    add_executable(anima ${CMAKE_SOURCE_DIR}/src/cli/main.cc)
    target_link_libraries(anima PRIVATE anima_cli)
  endif()
endfunction()

# src/tools/fetch: the program that fetches pages for a tool, alone in the sandbox with the network.
function(anima_fetcher)
  add_executable(anima-fetch ${CMAKE_SOURCE_DIR}/src/tools/fetch/main.cc)
  target_link_libraries(anima-fetch PRIVATE anima_tools Anima::curl)
endfunction()

# tests/unit/<room>/*.cc -> test_<room>; tests/conformance|crash|e2e/<name>_test.cc -> one program each.
function(anima_tests)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  get_property(rooms GLOBAL PROPERTY ANIMA_ROOMS)
  foreach(room ${rooms})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cc)
    if(sources)
      add_executable(test_${room} ${sources})
      target_link_libraries(test_${room} PRIVATE anima_${room} GTest::gtest GTest::gmock GTest::gtest_main)
      anima_test_settings(test_${room})
      gtest_discover_tests(test_${room} TEST_PREFIX "${room}." DISCOVERY_MODE PRE_TEST
        PROPERTIES TIMEOUT ${ANIMA_UNIT_TEST_SECONDS})
    endif()
  endforeach()
  file(GLOB programs CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/tests/conformance/*_test.cc ${CMAKE_SOURCE_DIR}/tests/crash/*_test.cc
    ${CMAKE_SOURCE_DIR}/tests/e2e/*_test.cc)
  foreach(source ${programs})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE anima_cli anima_library GTest::gtest GTest::gmock GTest::gtest_main)
    anima_test_settings(${name})
    gtest_discover_tests(${name} TEST_PREFIX "${folder}." DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT ${ANIMA_PROGRAM_TEST_SECONDS})
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
  set_tests_properties(install.package PROPERTIES TIMEOUT 300)
endfunction()

# Only the sources that name a folder get it: the others then compile the same in every checkout, and the compiler
# cache serves them all.
function(anima_test_settings target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    file(STRINGS ${source} uses REGEX "ANIMA_(SOURCE|BINARY)_DIR|support/(command|program_on_space|question_domains).h" LIMIT_COUNT 1)
    if(uses)
      set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS
        "ANIMA_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\";ANIMA_BINARY_DIR=\"${CMAKE_BINARY_DIR}\"")
    endif()
  endforeach()
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
    elseif(NOT room IN_LIST rooms)
      set(room cli)
    endif()
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE anima_${room})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/bench)
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
