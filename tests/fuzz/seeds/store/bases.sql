UPDATE snapshot SET base_id = id; UPDATE snapshot SET base_id = 7 - id WHERE id < 4;
