#include "heap/names.h"
