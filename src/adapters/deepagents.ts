// stet as the storage of deepagents: `createDeepAgent({ backend: deepagentsBackend(session) })`. Nothing of theirs is imported.
export { deepagentsBackend } from "./storage/deepagents-backend.ts";
export type { DeepagentsBackend, DeepagentsOptions } from "./storage/deepagents-types.ts";
