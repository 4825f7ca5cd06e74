# Run by cpack on the files that it is about to pack: Debian has pages and changelogs compressed (policy 12.1 and
# 12.7), and the license in the file `copyright` alone, in each package (12.5).
find_program(GZIP gzip REQUIRED)
find_program(DATE date REQUIRED)
find_program(CHMOD chmod REQUIRED)

# Without name and time, so that the same build gives the same package.
function(compress)
  foreach(file IN LISTS ARGN)
    execute_process(COMMAND "${GZIP}" -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

execute_process(COMMAND "${DATE}" --utc --rfc-email --date=${CPACK_LANEWISE_DATE} OUTPUT_VARIABLE date
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB trees LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(tree IN LISTS trees)
  if(IS_DIRECTORY "${tree}/usr/bin")
    set(doc "${tree}/usr/share/doc/${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME}")
    file(REMOVE "${doc}/LICENSE")
    file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
    file(GLOB pages "${tree}/usr/share/man/man1/*.1")
    compress(${pages} "${doc}/changelog")
  elseif(IS_DIRECTORY "${tree}/usr/include")
    set(doc "${tree}/usr/share/doc/${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME}")
    file(COPY "${CMAKE_CURRENT_LIST_DIR}/../packaging/copyright" DESTINATION "${doc}")
  else()
    continue()
  endif()
  # One source makes both packages.
  file(WRITE "${doc}/changelog.Debian"
       "lanewise (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Version ${CPACK_PACKAGE_VERSION}: CHANGELOG.md of the sources says what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}")
  compress("${doc}/changelog.Debian")
  # Whatever the umask of whoever builds: cpack's own folders and the files above have it.
  execute_process(COMMAND "${CHMOD}" -R u=rwX,go=rX "${tree}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
