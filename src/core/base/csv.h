#include "base/out.h"
