max_published_workers=256
check_experiment() { :; }
