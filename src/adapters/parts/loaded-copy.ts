// Finds the copy of an SDK that a program uses: one that is CommonJS has loaded another one than `import` gives, with classes of its own.
import { createRequire } from "node:module";

/** Undefined where the SDK is not installed. */
export async function copyOf<T>(name: string, load: () => Promise<T>): Promise<T | undefined> {
  return (required(name) as T | undefined) ?? (await load().catch(() => undefined));
}

/** Only in a program that began as CommonJS: others may have that copy too, by way of a package that they use. */
function required(name: string): unknown {
  try {
    // a bundle may know of no address of its own
    const require = createRequire(import.meta.url);
    if (require.main === undefined) return undefined;
    return require.cache[require.resolve(name)]?.exports;
  } catch {
    return undefined;
  }
}
