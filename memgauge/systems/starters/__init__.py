"""The files with which the test of a memory starts, one for each kind (`memgauge.systems.scaffold`)."""
