// Must not compile: the variable that KMUX_ASSIGN declares would be destroyed after the `if`.
#include "kmux/error.h"

kmux::Result<int> number();

kmux::Result<int> number_if(bool wanted) {
  int found = 0;
  if (wanted) KMUX_ASSIGN(found, number());
  return found;
}
