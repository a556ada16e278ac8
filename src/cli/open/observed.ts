// Logs and metrics of a server at work: lines on stderr, for people or programs, and numbers for Prometheus.
import { createMetrics, type Metrics } from "../../serve/http/metrics.ts";
import type { HttpOptions, RequestEvent } from "../../serve/http/options.ts";
import type { CallEvent, FactoryOptions } from "../../serve/server.ts";
import type { HttpSettings } from "../config/http.ts";
import { flag, type Given, type Terminal } from "../options/command.ts";
import { safeJson } from "../terminal/safe.ts";

export const OBSERVED_OPTIONS = {
  "log-json": flag("a line of JSON on stderr for every request, every call and every defect"),
};

export interface Observed {
  readonly http: Pick<HttpOptions, "onRequest" | "onError" | "metrics">;
  readonly factory: Pick<FactoryOptions, "onCall" | "log">;
  /** Undefined where there are no numbers to be had. */
  readonly metrics: Metrics | undefined;
  /** One line, where lines are of JSON. */
  log(event: string, what: object): void;
}

export function observed(terminal: Terminal, { values }: Given, { metricsToken }: HttpSettings): Observed {
  const metrics = metricsToken === undefined ? undefined : createMetrics();
  const asJson = values["log-json"] === true;
  const log = (event: string, what: object): void => {
    if (asJson) terminal.err(`${safeJson({ time: new Date().toISOString(), event, ...what })}\n`);
  };
  const onRequest = (request: RequestEvent): void => {
    if (metrics !== undefined) countRequest(metrics, request);
    log("request", request);
  };
  const onCall = (call: CallEvent): void => {
    if (metrics !== undefined) countCall(metrics, call);
    log("call", call);
  };
  const isWatched = metrics !== undefined || asJson;
  return {
    http: {
      ...(isWatched && { onRequest }),
      onError(error) {
        if (asJson) log("error", { message: withoutPaths(error.message), stack: withoutPaths(error.stack ?? "") });
        else terminal.err(`stet: ${error.stack ?? error.message}\n`);
      },
      ...(metrics !== undefined && { metrics: { token: metricsToken!, text: metrics.text } }),
    },
    factory: {
      ...(isWatched && { onCall }),
      ...(asJson && { log: (line: string) => log("error", { message: withoutPaths(line) }) }),
    },
    metrics,
    log,
  };
}

/** What is quoted, and what has a slash in it, but for the name of a source file and its line: that is where the defect is. */
function withoutPaths(text: string): string {
  return text
    .replaceAll(/(?:[\w+.-]+:)?[^\s'"`()]*[\\/]([\w.-]+:\d+:\d+)/g, "$1")
    .replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g, "…")
    .replaceAll(/[^\s'"`():]*[\\/][^\s'"`()]*/g, "…");
}

function countRequest(metrics: Metrics, { status }: RequestEvent): void {
  metrics.count("stet_http_requests_total", "Requests that were answered, by status.", { status: String(status) });
}

function countCall(metrics: Metrics, { tool, ms, refused, failed }: CallEvent): void {
  const outcome = refused !== undefined ? "refused" : failed === true ? "failed" : "ok";
  metrics.count("stet_calls_total", "Calls of tools, by tool and outcome.", { tool, outcome });
  metrics.observe("stet_call_seconds", "How long calls of tools took.", ms / 1000);
  if (refused !== undefined)
    metrics.count("stet_refusals_total", "Calls that were refused, by kind.", { kind: refused });
}
