# lanewise_compile_shaders(): optimizes shaders as a part of the build. docs/cmake.md has every option.
#
#   lanewise_compile_shaders(
#     TARGET target
#     SOURCES file...
#     [OPTIONS option...] [INCLUDE_DIRECTORIES folder...] [DEFINES NAME[=VALUE]...]
#     [SCENARIO file | PIPELINES file] [TUNING file] [VERIFY] [REQUIRE_VERIFIED]
#     [TO language...] [TRANSPILE_OPTIONS option...]
#     [EMBED] [NAMESPACE name]
#     [OUTPUT_DIRECTORY folder] [BASE_DIRECTORY folder] [DEPENDS file-or-target...]
#     [JOB_POOL pool] [OUTPUTS variable])
#
# How a build stays small: `opt` writes a depfile, and modules and headers are written only where they change.
# Ninja sees that an output kept its time and builds nothing behind it (restat, which CMake sets for all custom
# commands). Make has no such thing and would call again and again for an output that stays old; elsewhere than in
# Ninja, each output therefore has a stamp file beside it, which is what Make compares.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.22...3.31)

# Sets `out` to `path` made absolute from the caller's source folder; generator expressions stay.
function(_lanewise_absolute out path)
  if(NOT path MATCHES "^\\$<")
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

# Sets `out` to what the outputs of `source` are called below OUTPUT_DIRECTORY, without a suffix: its place
# below `base`, and for modules without .spv or .spvasm.
function(_lanewise_stem out source base)
  if(base STREQUAL "")
    set(bases "${CMAKE_CURRENT_BINARY_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  else()
    set(bases "${base}")
  endif()
  get_filename_component(stem "${source}" NAME)
  foreach(folder IN LISTS bases)
    file(RELATIVE_PATH relative "${folder}" "${source}")
    if(NOT relative MATCHES "^\\.\\./" AND NOT IS_ABSOLUTE "${relative}")
      set(stem "${relative}")
      break()
    endif()
  endforeach()
  string(REGEX REPLACE "\\.(spv|spvasm)$" "" stem "${stem}")
  set(${out} "${stem}" PARENT_SCOPE)
endfunction()

# One call of the program that makes `output`: a custom command with launcher, pool and, where there is no
# Ninja, stamp. Sets `out` to the file that others have to wait for.
#   COMMAND   arguments behind `lanewise`
#   DEPENDS, DEPFILE, COMMENT   as for add_custom_command; the program is told to write the depfile
#   POOL      Ninja's pool, or empty
function(_lanewise_step out output)
  cmake_parse_arguments(PARSE_ARGV 2 step "" "DEPFILE;COMMENT;POOL" "COMMAND;DEPENDS")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    set(pool)
    if(NOT "${step_POOL}" STREQUAL "")
      set(pool JOB_POOL "${step_POOL}")
    endif()
    set(waited "${output}")
    set(files OUTPUT "${output}")
    set(before)
    set(after)
  else()
    set(pool)
    set(waited "${output}.stamp")
    set(files OUTPUT "${waited}" BYPRODUCTS "${output}")
    get_filename_component(folder "${output}" DIRECTORY)
    set(before COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}")
    set(after COMMAND "${CMAKE_COMMAND}" -E touch "${waited}")
  endif()
  set(depfile)
  if(DEFINED step_DEPFILE)
    set(depfile DEPFILE "${step_DEPFILE}")
    list(APPEND step_COMMAND -MD -MF "${step_DEPFILE}" -MT "${waited}")
  endif()
  add_custom_command(
    ${files}
    ${before}
    COMMAND ${LANEWISE_LAUNCHER} "$<TARGET_FILE:Lanewise::lanewise_program>" ${step_COMMAND}
    ${after}
    DEPENDS ${step_DEPENDS} "$<TARGET_FILE:Lanewise::lanewise_program>"
    ${depfile} ${pool}
    COMMENT "${step_COMMENT}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set(${out} "${waited}" PARENT_SCOPE)
endfunction()
# Stops where `options` holds what the function itself says to the program.
function(_lanewise_check_options)
  foreach(option IN LISTS ARGN)
    if(option MATCHES "^(-o.*|-MD|-MF.*|-MT.*|--write-dependencies|--dependency-.*|--write-if-changed)$")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option}: outputs and depfiles are the function's "
                          "own affair; OUTPUT_DIRECTORY says where they go")
    elseif(option STREQUAL "-S")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS -S: for assembly, say TO spvasm")
    elseif(option MATCHES "^--(diff|print-.*)$")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option} is for looking, not for builds")
    elseif(option MATCHES "^--scenario")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option}: say SCENARIO file")
    elseif(option MATCHES "^--pipelines")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option}: say PIPELINES file")
    elseif(option MATCHES "^--tuning(=|$)")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option}: say TUNING file")
    elseif(option STREQUAL "--per-pipeline")
      message(FATAL_ERROR "lanewise_compile_shaders: OPTIONS ${option}: a source has one output here; call "
                          "'lanewise opt' in a custom command")
    endif()
  endforeach()
endfunction()

# Sets `out` to the absolute path of a source, which exists or will be made by the build.
function(_lanewise_source out source)
  _lanewise_absolute(file "${source}")
  get_source_file_property(is_generated "${file}" GENERATED)
  file(RELATIVE_PATH in_build "${CMAKE_BINARY_DIR}" "${file}")
  if(NOT EXISTS "${file}" AND NOT is_generated AND in_build MATCHES "^\\.\\./")
    message(FATAL_ERROR "lanewise_compile_shaders: SOURCES ${source}: there is no file '${file}', and nothing in "
                        "this folder generates it")
  elseif(IS_DIRECTORY "${file}")
    message(FATAL_ERROR "lanewise_compile_shaders: SOURCES ${source}: it is a folder")
  endif()
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

# Claims `stem` below the output folder for this target. Sets `out` to the target that builds it already with
# the same options, or to nothing; with other options there would be two rules for one file.
function(_lanewise_claim out place signature builder)
  get_property(known GLOBAL PROPERTY "LANEWISE_SIGNATURE:${place}")
  get_property(owner GLOBAL PROPERTY "LANEWISE_OWNER:${place}")
  if("${owner}" STREQUAL "")
    set(owner "${builder}")
    set_property(GLOBAL PROPERTY "LANEWISE_SIGNATURE:${place}" "${signature}")
    set_property(GLOBAL PROPERTY "LANEWISE_OWNER:${place}" "${builder}")
  elseif(NOT "${known}" STREQUAL "${signature}")
    message(FATAL_ERROR "lanewise_compile_shaders: '${place}' is made already for '${owner}', of another source or "
                        "with other options; give one of the two another OUTPUT_DIRECTORY")
  endif()
  set(${out} "${owner}" PARENT_SCOPE)
endfunction()

# Two arrays of one name in one namespace would be one array to the linker, whichever it takes.
function(_lanewise_claim_name target space name header)
  get_property(other GLOBAL PROPERTY "LANEWISE_NAME:${target}:${space}:${name}")
  if(NOT "${other}" STREQUAL "" AND NOT "${other}" STREQUAL "${header}")
    message(FATAL_ERROR "lanewise_compile_shaders: '${other}' and '${header}' would both define ${space}::${name}; "
                        "give one source the property LANEWISE_NAME, or another NAMESPACE")
  endif()
  set_property(GLOBAL PROPERTY "LANEWISE_NAME:${target}:${space}:${name}" "${header}")
endfunction()

# At the end of the folder's CMakeLists.txt: stops where a property was set behind the call that read it.
function(_lanewise_check_properties source options defines name)
  foreach(property IN ITEMS OPTIONS DEFINES NAME)
    string(TOLOWER "${property}" argument)
    get_source_file_property(now "${source}" LANEWISE_${property})
    if(now STREQUAL "NOTFOUND")
      set(now)
    endif()
    if(NOT "${now}" STREQUAL "${${argument}}")
      message(FATAL_ERROR "lanewise_compile_shaders: LANEWISE_${property} of '${source}' was set to '${now}' behind the "
                          "call, which does not see it; set it before")
    endif()
  endforeach()
endfunction()

# Builds what one source becomes. Reads the caller's arg_* variables, `builder` and `base_options`; appends to
# `waited`, `owners` and `all_products` there.
function(_lanewise_compile_one source stem)
  get_source_file_property(own_options "${source}" LANEWISE_OPTIONS)
  get_source_file_property(own_defines "${source}" LANEWISE_DEFINES)
  get_source_file_property(own_name "${source}" LANEWISE_NAME)
  foreach(property IN ITEMS own_options own_defines own_name)
    if("${${property}}" STREQUAL "NOTFOUND")
      set(${property})
    endif()
  endforeach()
  # Evaluated here: what a deferred call names is looked up when it runs.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _lanewise_check_properties [==[${source}]==]
    [==[${own_options}]==] [==[${own_defines}]==] [==[${own_name}]==])")
  _lanewise_check_options(${own_options})
  set(command opt "${source}" ${base_options})
  foreach(define IN LISTS arg_DEFINES own_defines)
    list(APPEND command "-D${define}")
  endforeach()
  list(APPEND command ${own_options})
  set(place "${arg_OUTPUT_DIRECTORY}/${stem}")
  file(RELATIVE_PATH shown "${CMAKE_SOURCE_DIR}" "${source}")
  if(shown MATCHES "^\\.\\./")
    set(shown "${source}")
  endif()

  set(module "${place}.spv")
  set(products "${module}")
  if(DEFINED arg_TO AND NOT "spv" IN_LIST arg_TO)
    set(products)
  endif()
  foreach(language IN LISTS arg_TO)
    if(NOT language STREQUAL "spv")
      list(APPEND products "${place}.${language}")
    endif()
  endforeach()
  set(headers)
  set(names)
  if(arg_EMBED)
    foreach(product IN LISTS products)
      string(REGEX REPLACE "\\.spv$" "" header "${product}")
      get_filename_component(name "${header}" NAME)
      if(NOT "${own_name}" STREQUAL "")
        string(REPLACE "${place}" "${own_name}" name "${header}")
      endif()
      string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name "${name}")
      list(APPEND headers "${header}.h")
      list(APPEND names "${name}")
    endforeach()
  endif()

  _lanewise_claim(owner "${place}" "${source};${command};${arg_TO};${arg_TRANSPILE_OPTIONS};${headers};${arg_NAMESPACE};${own_name}"
                  "${builder}")
  if(NOT owner STREQUAL builder)
    set(owners ${owners} "${owner}" PARENT_SCOPE)
    set(all_products ${all_products} ${products} ${headers} PARENT_SCOPE)
    return()
  endif()

  _lanewise_step(module_made "${module}" POOL "${arg_JOB_POOL}"
    COMMAND ${command} -o "${module}" --write-if-changed
    DEPENDS "${source}" ${arg_SCENARIO} ${arg_PIPELINES} ${arg_TUNING} ${arg_DEPENDS}
    DEPFILE "${module}.d" COMMENT "Optimizing shader ${shown}")
  set(made "${module_made}")
  set(products_made)
  foreach(product IN LISTS products)
    set(product_made "${module_made}")
    if(NOT product STREQUAL module)
      get_filename_component(language "${product}" LAST_EXT)
      string(SUBSTRING "${language}" 1 -1 language)
      _lanewise_step(product_made "${product}" POOL "${arg_JOB_POOL}"
        COMMAND transpile "${module}" "--to=${language}" ${arg_TRANSPILE_OPTIONS} -o "${product}"
        DEPENDS "${module_made}" COMMENT "Translating shader ${shown} to ${language}")
      list(APPEND made "${product_made}")
    endif()
    list(APPEND products_made "${product_made}")
  endforeach()
  foreach(product product_made header name IN ZIP_LISTS products products_made headers names)
    if(arg_EMBED)
      _lanewise_claim_name("${arg_TARGET}" "${arg_NAMESPACE}" "${name}" "${header}")
      set(option)
      if(NOT "${own_name}" STREQUAL "")
        set(option "--name=${name}")
      endif()
      _lanewise_step(header_made "${header}" POOL "${arg_JOB_POOL}"
        COMMAND embed "${product}" -o "${header}" "--namespace=${arg_NAMESPACE}" ${option} --write-if-changed
        DEPENDS "${product_made}" COMMENT "Embedding shader ${shown}")
      list(APPEND made "${header_made}")
    endif()
  endforeach()
  set(waited ${waited} ${made} PARENT_SCOPE)
  set(all_products ${all_products} ${products} ${headers} PARENT_SCOPE)
endfunction()

# Stops where the caller's arg_* variables make no sense.
function(_lanewise_check_arguments)
  set(me "lanewise_compile_shaders")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 first)
    message(FATAL_ERROR "${me}: unknown argument '${first}'")
  elseif(DEFINED arg_KEYWORDS_MISSING_VALUES)
    list(GET arg_KEYWORDS_MISSING_VALUES 0 first)
    message(FATAL_ERROR "${me}: nothing stands behind ${first}")
  elseif(NOT DEFINED arg_TARGET)
    message(FATAL_ERROR "${me}: TARGET is missing: the target that needs the shaders")
  elseif(NOT DEFINED arg_SOURCES)
    message(FATAL_ERROR "${me}: SOURCES is missing: the shaders of '${arg_TARGET}'")
  elseif(NOT TARGET Lanewise::lanewise_program)
    message(FATAL_ERROR "${me}: there is no program lanewise in this installation; install the component Runtime "
                        "as well, or set LANEWISE_EXECUTABLE to one before find_package(Lanewise)")
  elseif(DEFINED arg_NAMESPACE AND NOT arg_EMBED)
    message(FATAL_ERROR "${me}: NAMESPACE is of the headers that EMBED writes; say EMBED as well")
  elseif(DEFINED arg_TRANSPILE_OPTIONS AND NOT DEFINED arg_TO)
    message(FATAL_ERROR "${me}: TRANSPILE_OPTIONS without TO: there is nothing to translate to")
  endif()
  foreach(language IN LISTS arg_TO)
    if(NOT language MATCHES "^(spv|spvasm|glsl|essl|hlsl|msl)$")
      message(FATAL_ERROR "${me}: TO ${language}: it is spv, spvasm, glsl, essl, hlsl or msl")
    endif()
  endforeach()
  if(TARGET ${arg_TARGET})
    get_target_property(aliased ${arg_TARGET} ALIASED_TARGET)
    get_target_property(is_imported ${arg_TARGET} IMPORTED)
    if(aliased)
      message(FATAL_ERROR "${me}: TARGET ${arg_TARGET} is an alias; say ${aliased}")
    elseif(is_imported)
      message(FATAL_ERROR "${me}: TARGET ${arg_TARGET} is imported; nothing is built for it")
    endif()
  endif()
  _lanewise_check_options(${arg_OPTIONS})
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi_config AND "${arg_OPTIONS};${arg_DEFINES};${arg_INCLUDE_DIRECTORIES}" MATCHES "\\$<CONFIG"
     AND NOT "${arg_OUTPUT_DIRECTORY}" MATCHES "\\$<CONFIG")
    message(FATAL_ERROR "${me}: shaders that differ by $<CONFIG> need an OUTPUT_DIRECTORY that does: "
                        "OUTPUT_DIRECTORY \"${arg_TARGET}_shaders/$<CONFIG>\"")
  endif()
endfunction()

# Sets `out` to the name of the target that builds: the caller's where there is none of this name yet, else one
# more, which that depends on.
function(_lanewise_builder out target)
  set(builder "${target}")
  set(number 1)
  while(TARGET ${builder})
    set(builder "${target}_compile_shaders") # no name of a folder, which Ninja would take for the same thing
    if(number GREATER 1)
      string(APPEND builder "_${number}")
    endif()
    math(EXPR number "${number} + 1")
  endwhile()
  set(${out} "${builder}" PARENT_SCOPE)
endfunction()

# Sets `out` to what `lanewise opt` is told for all sources alike, by the caller's arg_* variables.
function(_lanewise_base_options out)
  set(options "-O")
  if(DEFINED arg_OPTIONS)
    set(options ${arg_OPTIONS})
  endif()
  if(NOT "${arg_OPTIONS}" MATCHES "(^|;)(--remarks|-q|--quiet)")
    list(APPEND options -q)
  endif()
  foreach(folder IN LISTS arg_INCLUDE_DIRECTORIES)
    _lanewise_absolute(folder "${folder}")
    list(APPEND options "-I${folder}")
  endforeach()
  if(DEFINED arg_SCENARIO)
    list(APPEND options "--scenario=${arg_SCENARIO}")
  endif()
  if(DEFINED arg_PIPELINES)
    list(APPEND options "--pipelines=${arg_PIPELINES}")
  endif()
  if(DEFINED arg_TUNING)
    list(APPEND options "--tuning=${arg_TUNING}")
  endif()
  if(arg_VERIFY OR arg_REQUIRE_VERIFIED)
    list(APPEND options --verify --no-timing)
  endif()
  if(arg_REQUIRE_VERIFIED)
    list(APPEND options --require-verified)
  endif()
  set(${out} ${options} PARENT_SCOPE)
endfunction()

function(lanewise_compile_shaders)
  cmake_parse_arguments(PARSE_ARGV 0 arg
    "EMBED;VERIFY;REQUIRE_VERIFIED"
    "TARGET;SCENARIO;PIPELINES;TUNING;NAMESPACE;OUTPUT_DIRECTORY;BASE_DIRECTORY;JOB_POOL;OUTPUTS"
    "SOURCES;OPTIONS;TO;TRANSPILE_OPTIONS;INCLUDE_DIRECTORIES;DEFINES;DEPENDS")
  _lanewise_check_arguments()
  if(DEFINED arg_TO)
    list(REMOVE_DUPLICATES arg_TO)
  endif()
  if(NOT DEFINED arg_NAMESPACE)
    string(MAKE_C_IDENTIFIER "${arg_TARGET}_shaders" arg_NAMESPACE)
  endif()
  if(NOT DEFINED arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${arg_TARGET}_shaders")
  endif()
  # Outputs belong to the build folder, unlike all other paths.
  get_filename_component(arg_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(DEFINED arg_BASE_DIRECTORY)
    _lanewise_absolute(arg_BASE_DIRECTORY "${arg_BASE_DIRECTORY}")
  endif()
  if(DEFINED arg_SCENARIO)
    if(DEFINED arg_PIPELINES)
      message(FATAL_ERROR "lanewise_compile_shaders: SCENARIO and PIPELINES both say constants; drop one")
    endif()
    _lanewise_absolute(arg_SCENARIO "${arg_SCENARIO}")
    if(NOT EXISTS "${arg_SCENARIO}")
      message(FATAL_ERROR "lanewise_compile_shaders: SCENARIO: there is no file '${arg_SCENARIO}'")
    endif()
  endif()
  if(DEFINED arg_PIPELINES)
    _lanewise_absolute(arg_PIPELINES "${arg_PIPELINES}")
    if(NOT EXISTS "${arg_PIPELINES}")
      message(FATAL_ERROR "lanewise_compile_shaders: PIPELINES: there is no file '${arg_PIPELINES}'")
    endif()
  endif()
  if(DEFINED arg_TUNING)
    _lanewise_absolute(arg_TUNING "${arg_TUNING}")
    if(NOT EXISTS "${arg_TUNING}")
      message(FATAL_ERROR "lanewise_compile_shaders: TUNING: there is no file '${arg_TUNING}'")
    endif()
  endif()
  _lanewise_builder(builder "${arg_TARGET}")
  _lanewise_base_options(base_options)

  set(waited)
  set(owners)
  set(all_products)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    _lanewise_source(source "${source}")
    _lanewise_stem(stem "${source}" "${arg_BASE_DIRECTORY}")
    _lanewise_compile_one("${source}" "${stem}")
    if(EXISTS "${source}")
      list(APPEND sources "${source}") # for IDEs
    endif()
  endforeach()

  if(builder STREQUAL arg_TARGET)
    add_custom_target(${builder} ALL DEPENDS ${waited} SOURCES ${sources})
  else()
    add_custom_target(${builder} DEPENDS ${waited} SOURCES ${sources})
    add_dependencies(${arg_TARGET} ${builder})
  endif()
  list(REMOVE_DUPLICATES owners)
  if(NOT "${owners}" STREQUAL "")
    add_dependencies(${builder} ${owners})
  endif()
  get_target_property(type ${arg_TARGET} TYPE)
  if(arg_EMBED AND type STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(${arg_TARGET} INTERFACE "${arg_OUTPUT_DIRECTORY}")
  elseif(arg_EMBED AND NOT type STREQUAL "UTILITY")
    target_include_directories(${arg_TARGET} PRIVATE "${arg_OUTPUT_DIRECTORY}")
  endif()
  if(DEFINED arg_OUTPUTS)
    set(${arg_OUTPUTS} ${all_products} PARENT_SCOPE)
  endif()
endfunction()
cmake_policy(POP)
