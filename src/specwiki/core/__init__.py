"""Pure: no files, network, clock, randomness, printing or logging."""
