#include "heap/graph.h"
