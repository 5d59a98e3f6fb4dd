#include "base/workers.h"
