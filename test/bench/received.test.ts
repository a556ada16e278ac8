// The ten typical calls of the cost section: stet's own servers answer each that they have a tool for.
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";

interface Server {
  readonly stet: boolean;
}
interface Received {
  readonly calls: readonly { readonly title: string; readonly bytes: Readonly<Record<string, number>> }[];
  readonly skipped: readonly object[];
}

const { servers } = (await import("../../bench/received/servers.mjs" as string)) as { servers: readonly Server[] };
const { measureReceived } = (await import("../../bench/received.mjs" as string)) as {
  measureReceived(compared: readonly Server[]): Promise<Received>;
};

it.runIf(HEAVY)("are all answered, by every surface", async () => {
  const { calls, skipped } = await measureReceived(servers.filter(({ stet }) => stet));
  expect(skipped).toEqual([]);
  const answering = calls.map(({ bytes }) => Object.values(bytes).filter((each) => each > 0).length);
  // files and anchors neither list nor search
  expect(answering).toEqual([3, 3, 3, 3, 5, 5, 5, 5, 5, 5]);
});
