#!/bin/sh
# deploy.sh INSTALLED SOURCE FOLDER: makes in FOLDER what docs/deploying.md says of an application of SOURCE, moves it, and runs it
# where nothing can be compiled and no home is set.
set -eu
installed=$1 source=$2 folder=$3
unset KMUX_DISABLE_CACHE
mkdir -p "$folder"
cd "$folder"
cp "$source" saxpy.cu
cat >app.cpp <<'TEXT'
#include <cstdio>

#include <kmux/kmux.hpp>
#include <kmux/par_compile.h>

int main(int count, char** words) {
  bool is_compiled = false;
  const auto watch = [&](const kmux::CompileProgress& event) { is_compiled |= event.step == kmux::JobStep::kCompiling; };
  const auto made = kmux::load_program(words[count - 1]).and_then([&](const kmux::Program& program) {
    return kmux::par_compile({&program, 1}, {.target = "cpu:x86-64-v2"}, {.progress = watch});
  });
  if (!made) return std::fprintf(stderr, "%s\n", made.error().message.c_str()), 1;
  std::printf("ready on %s, %s\n", made->front().device().name().c_str(), is_compiled ? "compiled" : "from the cache");
}
TEXT
# [build.begin]
export PKG_CONFIG_PATH=$installed/lib/pkgconfig
mkdir -p app/bin app/lib/kmux/plugins app/libexec/kmux app/share/cache
g++ -std=c++20 app.cpp $(pkg-config --cflags --libs kmux) -Wl,-rpath,'$ORIGIN/../lib' -o app/bin/app
# [build.end]
# [copy.begin]
cp -P "$installed"/lib/libkmux.so.0* app/lib/
cp "$installed"/lib/kmux/plugins/kmux_cpu* app/lib/kmux/plugins/
cp "$installed"/libexec/kmux/kmux-worker app/libexec/kmux/
cp -r "$installed"/lib/kmux/clang app/lib/kmux/
strip --strip-unneeded app/lib/libkmux.so.0 app/lib/kmux/plugins/*.so app/libexec/kmux/kmux-worker
# [copy.end]
# [cache.begin]
export KMUX_CACHE_DIR=$PWD/app/share/cache
"$installed"/bin/kmux compile saxpy.cu --target cpu:x86-64-v2 --option tier=full
# [cache.end]
mv app moved
unset KMUX_CACHE_DIR HOME XDG_CACHE_HOME PKG_CONFIG_PATH
moved/bin/app saxpy.cu | grep ', compiled$'
# [run.begin]
KMUX_CACHE_RO=$PWD/moved/share/cache moved/bin/app saxpy.cu
# [run.end]
KMUX_CACHE_RO=$PWD/moved/share/cache moved/bin/app saxpy.cu | grep ', from the cache$'
rm -r moved/lib/kmux/plugins/kmux_cpu_clang.so moved/lib/kmux/clang
KMUX_CACHE_RO=$PWD/moved/share/cache moved/bin/app saxpy.cu | grep ', from the cache$'
