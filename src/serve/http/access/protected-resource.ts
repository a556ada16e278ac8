// Whose tokens are taken here besides our own, and where a client without one finds that (RFC 9728).

export interface ProtectedResource {
  /** The address of this server, as its clients know it. */
  readonly resource: string;
  readonly issuer: string;
}

export const RESOURCE = "/.well-known/oauth-protected-resource";

/** Where a client finds what is told. */
export function metadataUrl({ resource }: ProtectedResource): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${RESOURCE}${pathname === "/" ? "" : pathname}`;
}

/** For a caller whose token is good, but not for this: with another scope it would be. */
export function scopeChallenge(about: ProtectedResource, scope: string): string {
  return `Bearer realm="stet", error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl(about)}"`;
}
