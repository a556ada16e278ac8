// The review as an MCP App: what a session has changed, in a frame of the client that shows it. It talks to that client alone.
import { signal } from "@preact/signals";
import { type JSX, render } from "preact";
import { leavePlain } from "./diff/colours.ts";
import { Diffs } from "./parts/diff.tsx";
import { counted } from "./shown.ts";
import { layout, toggleLayout } from "./state/layout.ts";
import type { NetAnswer } from "./wire.ts";

const net = signal<NetAnswer | undefined>(undefined);
const words = signal("Waiting for the changes…");

function Review(): JSX.Element {
  const now = net.value;
  if (now === undefined) return <p class="state">{words.value}</p>;
  if (now.files.length === 0) return <p class="state">Nothing was changed, or nothing is left of it.</p>;
  return (
    <main class="detail">
      <header class="head">
        <h1>What this session changed</h1>
        <div class="acts">
          <span>
            {counted(now.files.length + now.moreFiles, "file")} in {counted(now.entries, "step")}
          </span>
          <button type="button" aria-pressed={layout.value === "split"} onClick={toggleLayout}>
            Side by side
          </button>
        </div>
      </header>
      <Diffs w="" files={now.files} label="What this session changed" />
    </main>
  );
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly structuredContent?: unknown; readonly isError?: boolean; readonly content?: unknown };
  readonly result?: { readonly hostContext?: { readonly theme?: string } };
}

const HELLO = 1;
const HEIGHT = 480;

function post(message: object): void {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

addEventListener("message", ({ data, source }: MessageEvent<Message>) => {
  if (source !== parent || typeof data !== "object" || data === null) return;
  if (data.id === HELLO && data.result !== undefined) {
    const { theme } = data.result.hostContext ?? {};
    if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
    post({ method: "ui/notifications/initialized" });
    post({ method: "ui/notifications/size-changed", params: { height: HEIGHT } });
  } else if (data.method === "ui/notifications/tool-result") take(data.params);
  else if (data.id !== undefined && data.method !== undefined) post({ id: data.id, result: {} });
});

function take(result: Message["params"]): void {
  const told = result?.structuredContent as NetAnswer | undefined;
  if (result?.isError === true || !Array.isArray(told?.files)) words.value = "The changes could not be shown.";
  else net.value = told;
}

leavePlain();
render(<Review />, document.getElementById("app")!);
const appInfo = { name: "stet", version: "1" };
post({ id: HELLO, method: "ui/initialize", params: { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" } });
