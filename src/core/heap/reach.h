#include "heap/snapshot.h"
