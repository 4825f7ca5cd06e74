# Run by cpack on the files that it is about to pack: Debian has pages and the changelog compressed (policy
# 12.1 and 12.7), and the license in the file `copyright` alone (12.5).
find_program(GZIP gzip REQUIRED)
find_program(DATE date REQUIRED)
file(GLOB trees LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*" "${CPACK_TEMPORARY_DIRECTORY}")
foreach(tree IN LISTS trees)
  set(doc "${tree}/usr/share/doc/lanewise")
  if(NOT IS_DIRECTORY "${doc}")
    continue()
  endif()
  file(REMOVE "${doc}/LICENSE")
  file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
  execute_process(COMMAND "${DATE}" --utc --rfc-email --date=${CPACK_LANEWISE_DATE} OUTPUT_VARIABLE date
                  COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${doc}/changelog.Debian"
       "lanewise (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Version ${CPACK_PACKAGE_VERSION}: changelog.gz says what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}")
  file(GLOB files "${tree}/usr/share/man/man1/*.1" "${doc}/changelog" "${doc}/changelog.Debian")
  foreach(file IN LISTS files)
    # Without name and time, so that the same build gives the same package.
    execute_process(COMMAND "${GZIP}" -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
