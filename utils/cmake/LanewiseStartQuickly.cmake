# lanewise_start_quickly(TARGET): a program that is started once for each small shader spends most of its time on being
# loaded. Most of that is relocation: of some 20 thousand addresses in tables, page by page, and of names that it shares
# with the C++ library. So it stands at one address, and has its libraries inside, all but those of C.
function(lanewise_start_quickly target)
  if(NOT PROJECT_IS_TOP_LEVEL OR LANEWISE_SANITIZE)
    return()
  endif()
  # What a Vulkan driver brings uses a C++ library of its own.
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL)
  if(NOT LANEWISE_PIE)
    target_link_options(${target} PRIVATE -no-pie)
  endif()
endfunction()
