#include "base/arrays.h"
