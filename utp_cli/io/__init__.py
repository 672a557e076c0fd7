"""Floor 7: the only place that reads and writes: files, standard streams, the environment, the network."""
