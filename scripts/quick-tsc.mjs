// How the compiler takes least of all cores together: in one thread, without clearing up in between. It needs a gigabyte or two.
export const QUICK_TSC = { args: ["--singleThreaded"], env: { GOGC: "off" } };
