function load(path: string) {
	if (path) {
		start(path);
	}
	return read(path);
}
