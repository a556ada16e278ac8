// Tells clients without a token whose tokens are taken here, as the protocol asks of servers that take those of an identity provider.
import type { IncomingMessage, ServerResponse } from "node:http";
import { deny } from "./access/denial.ts";
import { methodDenied, pathOf, RESOURCE_PATHS } from "./access/guards.ts";
import type { ProtectedResource } from "./access/protected-resource.ts";

/** Answers the question; false when the request is not one. */
export function createResourceEndpoint(about: ProtectedResource | undefined) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (about === undefined || !RESOURCE_PATHS.includes(pathOf(request))) return false;
    const denial = methodDenied(request);
    if (denial !== undefined) {
      deny(request, response, denial);
      return true;
    }
    response.writeHead(200, { "content-type": "application/json" });
    const told = {
      resource: about.resource,
      authorization_servers: [about.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "stet",
    };
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(told));
    return true;
  };
}
