import { memory } from "../../src/backends/memory/index.ts";
import { testBackend } from "../../src/testing/index.ts";

await testBackend((name) => memory({ name }));
