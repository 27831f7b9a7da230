# Targets tessera::shared and tessera::static; tessera::tessera is the shared one.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/tessera-targets.cmake")
if(NOT TARGET tessera::tessera)
  add_library(tessera::tessera INTERFACE IMPORTED)
  set_target_properties(tessera::tessera PROPERTIES INTERFACE_LINK_LIBRARIES tessera::shared)
endif()
