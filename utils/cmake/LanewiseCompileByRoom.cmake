# Half of the time to compile a file goes into headers that its neighbours include as well, so the files of a room (a
# folder) are compiled as one. Names in their unnamed namespaces must differ within a room.
option(LANEWISE_UNITY_BUILD "Compile the files of each folder as one: quicker as a whole, slower after a change of one file" ON)

# lanewise_compile_by_room(TARGET [ALONE FILE...]): all sources of the target but those that are ALONE, and those with flags of
# their own.
function(lanewise_compile_by_room target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" ALONE)
  if(NOT LANEWISE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  if(arg_ALONE)
    list(REMOVE_ITEM sources ${arg_ALONE})
  endif()
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH room)
    string(REPLACE "/" "_" room ${room})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It warns of unnamed namespaces where the file is not the one that the compiler was called with.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
