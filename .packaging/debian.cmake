# SPDX-License-Identifier: GPL-2.0-or-later
# cpack runs this when the files of the packages are in their places, and before it packs them. It adds
# what Debian wants of each package, and lets nothing depend on when and where the packages are made.

# Seconds since 1970 of what is packed: SOURCE_DATE_EPOCH, the commit's time, or that of the changelog,
# which source tarballs keep.
function(find_date result)
  set(date "$ENV{SOURCE_DATE_EPOCH}")
  if(date STREQUAL "" AND EXISTS ${CPACK_QUAKESHARK_SOURCE_DIR}/.git)
    execute_process(
      COMMAND git -c safe.directory=${CPACK_QUAKESHARK_SOURCE_DIR} log -1 --format=%ct
      WORKING_DIRECTORY ${CPACK_QUAKESHARK_SOURCE_DIR}
      OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(date STREQUAL "")
    file(TIMESTAMP ${CPACK_QUAKESHARK_SOURCE_DIR}/CHANGELOG.md date %s UTC)
  endif()
  set(${result} ${date} PARENT_SCOPE)
endfunction()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(write_documents folder package date)
  execute_process(COMMAND date --utc --date=@${date} "+%a, %d %b %Y %H:%M:%S +0000"
    OUTPUT_VARIABLE when OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${folder}/changelog.Debian
"quakeshark (${CPACK_QUAKESHARK_DEBIAN_VERSION}) unstable; urgency=medium

  * See changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${when}
")
  configure_file(${CPACK_QUAKESHARK_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog COPYONLY)
  file(READ ${CPACK_QUAKESHARK_SOURCE_DIR}/.packaging/copyright copyright)
  set(upstream "Upstream-Name: quakeshark\n")
  if(CPACK_QUAKESHARK_CONTACT)
    string(APPEND upstream "Upstream-Contact: ${CPACK_QUAKESHARK_CONTACT}\n")
  endif()
  if(CPACK_QUAKESHARK_HOMEPAGE)
    string(APPEND upstream "Source: ${CPACK_QUAKESHARK_HOMEPAGE}\n")
  endif()
  string(REPLACE "Upstream-Name: quakeshark\n" "${upstream}" copyright "${copyright}")
  file(WRITE ${folder}/copyright "${copyright}")
  run(gzip -9n ${folder}/changelog ${folder}/changelog.Debian)
endfunction()

# Units name the program by the prefix of the build tree, which may be another than that of packages.
function(correct_units folder)
  file(GLOB units ${folder}/usr/lib/systemd/system/*.service)
  foreach(unit IN LISTS units)
    file(READ ${unit} text)
    string(REPLACE "=${CPACK_QUAKESHARK_BINDIR}/" "=/usr/bin/" text "${text}")
    file(WRITE ${unit} "${text}")
  endforeach()
endfunction()

function(finish folder package date)
  correct_units(${folder})
  write_documents(${folder}/usr/share/doc/${package} ${package} ${date})
  file(GLOB_RECURSE manuals ${folder}/usr/share/man/*)
  run(gzip -9nf ${manuals})
  if(EXISTS ${folder}/usr/share/zsh/site-functions)
    file(RENAME ${folder}/usr/share/zsh/site-functions ${folder}/usr/share/zsh/vendor-completions)
  endif()
  run(chmod -R u=rwX,go=rX ${folder})
  run(find ${folder} -exec touch -h -d @${date} {} +)
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
  find_date(date)
  set(ENV{SOURCE_DATE_EPOCH} ${date})
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    finish(${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}
      ${CPACK_DEBIAN_${upper}_PACKAGE_NAME} ${date})
  endforeach()
endif()
