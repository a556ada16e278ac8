// Checks the backend of own-backend.ts, with vitest where that runs, else with node:test.
import { testBackend } from "stet/testing";
import { backendOn, createStore } from "./own-backend.js";

const stores = new Map<string, ReturnType<typeof createStore>>();

await testBackend((name) => {
  const store = stores.get(name) ?? createStore();
  stores.set(name, store);
  return backendOn(store);
});
