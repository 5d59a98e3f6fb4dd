#include "base/cursor.h"
