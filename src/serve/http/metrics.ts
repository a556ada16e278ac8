// Metrics for Prometheus: counters, histograms, and gauges that are read when they are asked for.

type Labels = Readonly<Record<string, string>>;
type Numbers = Readonly<Record<string, number>>;

/** What a server counts, for `GET /metrics`. */
export interface Metrics {
  /** One more, or so many. */
  count(name: string, help: string, labels?: Labels): void;
  /** How long something took. */
  observe(name: string, help: string, seconds: number): void;
  /** Read when it is asked for: one number, or one for each value of the label. */
  gauge(name: string, help: string, read: () => number | { readonly label: string; readonly values: Numbers }): void;
  /** All of it, in the text format of Prometheus. */
  text(): string;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Of one name: what clients send must not fill the memory. */
const MAX_SERIES = 1000;

/** Counts nothing yet. */
export function createMetrics(): Metrics {
  const counters = new Map<string, { readonly help: string; readonly series: Map<string, number> }>();
  const histograms = new Map<
    string,
    { readonly help: string; readonly counts: number[]; sum: number; count: number }
  >();
  const gauges = new Map<string, { readonly help: string; readonly read: Parameters<Metrics["gauge"]>[2] }>();

  return {
    count(name, help, labels = {}) {
      const counter = counters.get(name) ?? { help, series: new Map<string, number>() };
      counters.set(name, counter);
      const key = labelled(labels);
      if (!counter.series.has(key) && counter.series.size >= MAX_SERIES) return;
      counter.series.set(key, (counter.series.get(key) ?? 0) + 1);
    },
    observe(name, help, seconds) {
      const known = histograms.get(name) ?? { help, counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
      histograms.set(name, known);
      known.sum += seconds;
      known.count += 1;
      for (const [at, most] of BUCKETS.entries()) if (seconds <= most) known.counts[at]! += 1;
    },
    gauge: (name, help, read) => void gauges.set(name, { help, read }),
    text() {
      const lines: string[] = [];
      for (const [name, { help, series }] of counters) {
        lines.push(
          ...head(name, help, "counter"),
          ...[...series].map(([labels, value]) => `${name}${labels} ${value}`),
        );
      }
      for (const [name, { help, counts, sum, count }] of histograms) {
        const buckets = BUCKETS.map((most, at) => `${name}_bucket{le="${most}"} ${counts[at]}`);
        const whole = [`${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`];
        lines.push(...head(name, help, "histogram"), ...buckets, ...whole);
      }
      for (const [name, { help, read }] of gauges) {
        const now = read();
        const rows =
          typeof now === "number"
            ? [`${name} ${now}`]
            : Object.entries(now.values).map(([of, value]) => `${name}${labelled({ [now.label]: of })} ${value}`);
        lines.push(...head(name, help, "gauge"), ...rows);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").slice(0, 200);
}

/** Numbers to be had with a token of their own. */
export interface MetricsOptions {
  /** At least 16 printable characters; opens nothing else. */
  readonly token: string;
  /** What is answered. */
  text(): string;
}
