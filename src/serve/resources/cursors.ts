// Cursors of lists: text that the page before gave. Whatever else comes is refused as a parameter, not as a failure of stet.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

export interface PageParams {
  readonly cursor?: string;
}

type Validated = { readonly value: PageParams } | { readonly issues: readonly { readonly message: string }[] };

/** By itself the SDK calls parameters of a wrong type an internal error. */
export const pageParams = {
  params: {
    "~standard": {
      version: 1,
      vendor: "stet",
      types: undefined as { readonly input: PageParams; readonly output: PageParams } | undefined,
      validate(params: unknown): Validated {
        const { cursor } = params as { readonly cursor?: unknown };
        if (cursor === undefined) return { value: {} };
        if (typeof cursor === "string") return { value: { cursor } };
        return { issues: [{ message: "cursor must be a text that the page before gave" }] };
      },
    },
  },
} as const;

/** For a list of one page, which never gives one. */
export function refuseCursor(method: string, { cursor }: PageParams): void {
  if (cursor !== undefined) throw badCursor(method);
}

export function badCursor(method: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `The cursor is not one that ${method} returned.`);
}
