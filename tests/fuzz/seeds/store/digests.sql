UPDATE snapshot SET digest = 'x' || digest WHERE id = 2; UPDATE snapshot SET digest = zeroblob(2000000) WHERE id = 1;
