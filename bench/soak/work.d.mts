export interface Work {
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
  readonly failure: string | undefined;
}

export function work(
  session: { request(method: string, params: object): Promise<unknown> },
  n: number,
  isOver: (calls: number) => boolean,
  options?: { readonly distinct?: boolean },
): Promise<Work>;
