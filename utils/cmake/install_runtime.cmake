# What the component Runtime has beside the program (docs/install.md): its man pages and completion scripts, both
# written by the program itself, the documentation, the samples, and the module for lit suites.
include(GNUInstallDirs)

set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/lanewise) # as Debian names it; CMAKE_INSTALL_DOCDIR has a capital
set(written ${PROJECT_BINARY_DIR}/runtime)
set(man_stamp ${written}/man.stamp)
add_custom_command(
  OUTPUT ${man_stamp}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${written}/man # a page of a command that is gone
  COMMAND ${CMAKE_COMMAND} -E make_directory ${written}/man
  COMMAND lanewise_program man --write-all=${written}/man
  COMMAND ${CMAKE_COMMAND} -E touch ${man_stamp}
  DEPENDS lanewise_program VERBATIM)
# Where each shell looks for the script, and under which name.
set(scripts)
foreach(place IN ITEMS bash:lanewise zsh:_lanewise fish:lanewise.fish)
  string(REPLACE ":" ";" place ${place})
  list(GET place 0 shell)
  list(GET place 1 name)
  set(script ${written}/completion/${shell}/${name})
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${written}/completion/${shell}
    COMMAND lanewise_program completion ${shell} > ${script}
    DEPENDS lanewise_program VERBATIM)
  list(APPEND scripts ${script})
endforeach()
add_custom_target(lanewise_runtime_files ALL DEPENDS ${man_stamp} ${scripts})

install(DIRECTORY ${written}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT Runtime)
install(FILES ${written}/completion/bash/lanewise
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT Runtime)
install(FILES ${written}/completion/zsh/_lanewise
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT Runtime)
install(FILES ${written}/completion/fish/lanewise.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT Runtime)

install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${doc} COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/utils/packaging/copyright
        DESTINATION ${doc} COMPONENT Runtime)
install(DIRECTORY docs DESTINATION ${doc} COMPONENT Runtime)
install(DIRECTORY samples DESTINATION ${doc} COMPONENT Runtime
        PATTERN "__pycache__" EXCLUDE)

install(FILES utils/lit/lanewise_lit.py DESTINATION ${CMAKE_INSTALL_DATADIR}/lanewise/lit COMPONENT Runtime)
install(PROGRAMS utils/update_checks DESTINATION ${CMAKE_INSTALL_DATADIR}/lanewise/lit COMPONENT Runtime)
