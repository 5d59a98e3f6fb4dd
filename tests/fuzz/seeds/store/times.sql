UPDATE snapshot SET taken_at = 9e999, recorded_at = -1e300; UPDATE series SET started_at = 'x', pid = -1;
