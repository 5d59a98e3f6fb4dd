UPDATE series SET service = hex(zeroblob(600)), host = char(0, 27, 8238), labels = '{"a":{"b":1}}';
