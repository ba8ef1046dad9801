# Third-party libraries, all Debian 12 packages, each under one name in the Anima:: name space. Installed with the
# package, which includes it to find the same libraries.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

function(anima_pkg name module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  add_library(Anima::${name} ALIAS PkgConfig::${name})
endfunction()

anima_pkg(sodium libsodium)
anima_pkg(xxhash libxxhash)
anima_pkg(expat expat)
anima_pkg(utf8proc libutf8proc)
anima_pkg(sqlite3 sqlite3)
anima_pkg(re2 re2)
anima_pkg(tomlplusplus tomlplusplus)
add_library(Anima::crypto ALIAS OpenSSL::Crypto)
find_library(BOOST_JSON_LIBRARY boost_json REQUIRED)
add_library(Anima::boost_json INTERFACE IMPORTED)
target_link_libraries(Anima::boost_json INTERFACE ${BOOST_JSON_LIBRARY})
find_library(STEMMER_LIBRARY stemmer REQUIRED)
add_library(Anima::stemmer INTERFACE IMPORTED)
target_link_libraries(Anima::stemmer INTERFACE ${STEMMER_LIBRARY})

# What only the program needs; the installed package is used without it.
if(NOT ANIMA_PACKAGE)
  find_package(CLI11 REQUIRED)
  anima_pkg(edit libedit)
  anima_pkg(curl libcurl)
endif()
