/** Makes the files of the page in this folder. */
export function bundlePage(folder: string): Promise<void>;
