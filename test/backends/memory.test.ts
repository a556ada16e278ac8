import { memory } from "stet/backends/memory";
import { testBackend } from "stet/testing";

await testBackend((name) => memory({ name }));
