// How many kinds of callers a server is ready for at once. From outside, the others show only in its memory.
import { surfaceNamed } from "stet/surfaces";
import { expect, it } from "vitest";
import { definePolicy } from "../../../src/kernel/policy/policy.ts";
import { serveFleetOverHttp } from "../../../src/page/server/serve.ts";
import { closing, modern, send } from "../../serve/http-support.ts";

const MOST = 256;

it("lets go of the kind that called longest ago, and of no other", async () => {
  const policy = definePolicy({});
  const made: string[] = [];
  const serving = closing(
    await serveFleetOverHttp({
      surface: surfaceNamed("workspace"),
      version: "0",
      principals: {
        authenticate: (header = "") => ({
          name: header,
          named: true,
          granted: { kind: header, agent: header, mayChange: true },
        }),
      },
      lookupFor({ name }) {
        made.push(name);
        return { policy, find: async () => undefined };
      },
      ready: async () => {},
      close: async () => {},
    }),
  );
  const comes = async (token: string): Promise<void> => {
    expect((await send({ ...serving, token }, modern("tools/list"))).status).toBe(200);
  };
  for (let n = 0; n <= MOST; n++) await comes(`kind-${n}`);
  expect(made).toHaveLength(MOST + 1);
  await comes("kind-1");
  expect(made).toHaveLength(MOST + 1);
  await comes("kind-0");
  expect(made.filter((name) => name.endsWith("kind-0"))).toHaveLength(2);
});
