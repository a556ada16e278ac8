// stet as the storage of deepagents: `createDeepAgent({ backend: deepagentsBackend(session) })`. Nothing of theirs is imported.
export { deepagentsBackend } from "./native/deepagents-backend.ts";
export type { DeepagentsBackend, DeepagentsOptions } from "./native/deepagents-types.ts";
