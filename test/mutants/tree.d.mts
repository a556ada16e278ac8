export const COPIED: readonly string[];
export const LINKED: readonly string[];
export function copiedTree(root: string): string;
