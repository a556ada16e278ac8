function load(path: string) {
	start(path);
	return read(path);
}
