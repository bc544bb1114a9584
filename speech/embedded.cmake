# Turns the scripts and lists that must travel inside the binary into a C++ file: cmake -DOUT=... -DFILES=a;b -P this.
set(content "// Made by speech/embedded.cmake.\n#include \"speech/embedded.hpp\"\n\nnamespace gadget::speech::embedded {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND content "static constexpr char k_${name}[] = {${bytes} 0};\n"
    "std::string_view ${name}() { return {k_${name}, sizeof k_${name} - 1}; }\n")
endforeach()
string(APPEND content "}  // namespace gadget::speech::embedded\n")
file(WRITE ${OUT} "${content}")
