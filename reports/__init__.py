"""After the run: the run folder and all that is made from it. Knows nothing of how cases were run or judged."""
