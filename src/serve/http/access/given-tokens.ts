// What an owner may give as tokens. Complaints quote neither tokens nor names: the two are easily swapped.

/** A token that clients may call with. */
export interface GivenToken {
  /** Whose token it is; calls with it belong to one agent. At most one token may go without a name. */
  readonly name?: string;
  /** At least 16 printable characters. */
  readonly token: string;
}

/** What the token without a name is called, in logs and journals. */
export const UNNAMED = "default";
const LEAST_CHARACTERS = 16;

/** The first thing that is wrong with them, and with which. */
export function complaintAbout(
  given: readonly GivenToken[],
): { readonly index: number; readonly what: string } | undefined {
  for (const [index, one] of given.entries()) {
    const what = wrongWith(one) ?? repeated(one, given.slice(0, index));
    if (what !== undefined) return { index, what };
  }
  return undefined;
}

function wrongWith({ name, token }: GivenToken): string | undefined {
  if (name !== undefined && !/^[\w.@-]{1,64}$/.test(name))
    return "the name of a token may have up to 64 letters, digits and . _ @ - only";
  if (name === UNNAMED) return `"${UNNAMED}" is the name of the token without a name`;
  if (typeof token !== "string" || !/^[\x21-\x7e]*$/.test(token))
    return "a token must be of visible ASCII characters without spaces";
  if (token.length < LEAST_CHARACTERS)
    return `the token is too short to be safe: it has fewer than ${LEAST_CHARACTERS} characters`;
  return undefined;
}

function repeated({ name, token }: GivenToken, before: readonly GivenToken[]): string | undefined {
  if (before.some((other) => other.token === token)) return "another name has the same token";
  if (!before.some((other) => other.name === name)) return undefined;
  return name === undefined ? "it has no name, and more than one has none" : "another token has the same name";
}
