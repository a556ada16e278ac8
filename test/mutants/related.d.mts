export function isJudge(test: string): boolean;
export function importsOf(root: string, file: string): string[];
export function filesIn(root: string, folder: string): string[];
