# What Debian's policy wants of the components that CPack has laid out, before it packs them: copyright and changelog of each package,
# compressed pages, and for the program the units of systemd, its defaults and the places where Debian's shells look.
# The date is that of SOURCE_DATE_EPOCH.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(debian ${CPACK_ANIMA_PACKAGING}/debian)

function(compress file)
  execute_process(COMMAND gzip -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# document(COMPONENT PACKAGE)
function(document component package)
  set(docs ${root}/${component}/usr/share/doc/${package})
  file(COPY ${debian}/copyright DESTINATION ${docs})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${docs}/changelog "anima (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
       "  * What is new: CHANGELOG.md in the package anima.\n\n -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  compress(${docs}/changelog)
  if(EXISTS ${debian}/lintian/${package})
    file(COPY ${debian}/lintian/${package} DESTINATION ${root}/${component}/usr/share/lintian/overrides)
  endif()
endfunction()

document(program anima)
document(forge anima-forge)
document(c libanima0)
document(development libanima-dev)

set(program ${root}/program)
# The copyright file says where Debian keeps the text of the licence.
file(REMOVE ${program}/usr/share/doc/anima/LICENSE)
compress(${program}/usr/share/doc/anima/CHANGELOG.md)
if(EXISTS ${program}/usr/share/doc/anima/NOTICES.txt)
  compress(${program}/usr/share/doc/anima/NOTICES.txt)
endif()
file(GLOB pages ${program}/usr/share/man/man1/*.1)
foreach(page ${pages})
  compress(${page})
endforeach()
file(RENAME ${program}/usr/share/zsh/site-functions ${program}/usr/share/zsh/vendor-completions)
file(COPY ${CPACK_ANIMA_PACKAGING}/systemd/system/anima.service DESTINATION ${program}/lib/systemd/system)
file(COPY ${CPACK_ANIMA_PACKAGING}/systemd/user/anima.service DESTINATION ${program}/usr/lib/systemd/user)
file(COPY ${debian}/default/anima DESTINATION ${program}/etc/default)
