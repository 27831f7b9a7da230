# Writes a C file with kernel sources in it: cmake -DOUT=… -DROOTS=a;b -DFILES=… -DABSENT=… -P embed.cmake
# FILES are found below one of ROOTS, and keep the name they have there. ABSENT are names that kernels include but have
# no use for: each stands for the first source.
set(all "")
set(sources "")
set(names "")
set(count 0)
foreach(file IN LISTS FILES)
  foreach(root IN LISTS ROOTS)
    if(EXISTS ${root}/${file})
      set(path ${root}/${file})
    endif()
  endforeach()
  file(READ ${path} bytes HEX)
  string(APPEND all ${bytes})
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes
         "${bytes}")
  string(APPEND sources "static const unsigned char source_${count}[] = {\n${bytes}0 };\n")
  string(APPEND pointers "    (const char *)source_${count},\n")
  string(APPEND names "    \"${file}\",\n")
  math(EXPR count "${count} + 1")
endforeach()
foreach(name IN LISTS ABSENT)
  string(APPEND pointers "    (const char *)source_0,\n")
  string(APPEND names "    \"${name}\",\n")
  math(EXPR count "${count} + 1")
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUT} "/* Made by cmake/embed.cmake. */\n#include \"cuda/jit/embedded_sources.h\"\n\n${sources}
const int         tess__n_sources = ${count};
const char *const tess__sources[] = {\n${pointers}};
const char *const tess__source_names[] = {\n${names}};
const char        tess__sources_hash[] = \"${hash}\";\n")
