// MCP over a pair of streams: each line one JSON-RPC message. What is none is answered with an error, never guessed at.
import { isUtf8 } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";
import { PassingId, tooLongWords } from "../message-bytes.ts";

export interface LineOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** A longer line is answered with an error, and not kept. */
  readonly maxBytes: number;
  /** Settles when what came before the end of the input has been answered. */
  readonly lastAnswers: () => Promise<void>;
}

/** Answers that are small go out together: to wake the client costs as much as a small call. */
const MAX_GATHERED = 64 * 1024;
/** With more than this unread, no more is asked for until the client has read on. */
const MAX_UNREAD = 16 * 1024 * 1024;
/** The only version in which several messages can stand in one array. */
const WITH_BATCHES = "2025-03-26";
const LF = 0x0a;

export class LineTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #options: LineOptions;
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** Of a line that is too long, until its end has come. */
  #passing: PassingId | undefined;
  #version: string | undefined;
  #gathered = "";
  #isFull = false;
  #closed = false;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on("data", this.#take);
    input.once("end", this.#end);
    input.once("error", this.#fail);
    output.on("error", this.#fail);
    if (input.readableEnded || input.destroyed) setImmediate(this.#end);
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error("The connection has ended.");
    this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#flush();
    this.#begun = [];
    this.#options.input.off("data", this.#take).pause();
    this.onclose?.();
  }

  readonly #end = async (): Promise<void> => {
    if (this.#passing !== undefined) this.#endOfLine();
    await this.#options.lastAnswers();
    await this.close();
  };

  readonly #fail = (error: Error): void => {
    if (this.#closed) return;
    this.onerror?.(error);
    void this.close();
  };

  readonly #take = (chunk: Buffer): void => {
    let from = 0;
    for (let lf = chunk.indexOf(LF); lf !== -1 && !this.#closed; lf = chunk.indexOf(LF, from)) {
      this.#begin(chunk.subarray(from, lf));
      this.#endOfLine();
      from = lf + 1;
    }
    if (from < chunk.length && !this.#closed) this.#begin(chunk.subarray(from));
  };

  #begin(part: Buffer): void {
    if (this.#passing !== undefined) {
      this.#passing.take(part);
      return;
    }
    this.#begun.push(part);
    this.#begunBytes += part.length;
    if (this.#begunBytes <= this.#options.maxBytes) return;
    this.#passing = new PassingId();
    for (const begun of this.#begun) this.#passing.take(begun);
    this.#begun = [];
  }

  #endOfLine(): void {
    const { maxBytes } = this.#options;
    if (this.#passing !== undefined)
      this.#refuse(ProtocolErrorCode.InvalidRequest, tooLongWords(maxBytes), this.#passing.id);
    else this.#line(this.#begun.length === 1 ? this.#begun[0]! : Buffer.concat(this.#begun));
    this.#passing = undefined;
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #line(line: Buffer): void {
    const read = messagesIn(line, this.#version === WITH_BATCHES);
    if ("problem" in read) this.#refuse(read.code, read.problem);
    else for (const each of read.messages) this.#deliver(each);
  }

  #deliver(value: unknown): void {
    if (isMessage(value)) this.onmessage?.(value);
    else this.#refuse(ProtocolErrorCode.InvalidRequest, "This is not a JSON-RPC 2.0 message.", idIn(value));
  }

  #refuse(code: number, message: string, id: string | number | null = null): void {
    if (this.#closed) return;
    this.onerror?.(new Error(`${message} It was answered with an error.`));
    this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  #write(message: object): void {
    if (this.#gathered === "") setImmediate(this.#flush);
    this.#gathered += `${JSON.stringify(message)}\n`;
    if (this.#gathered.length > MAX_GATHERED) this.#flush();
  }

  readonly #flush = (): void => {
    const { input, output } = this.#options;
    const text = this.#gathered;
    this.#gathered = "";
    if (text === "" || output.write(text)) return;
    if (output.writableLength > MAX_UNREAD) input.pause();
    if (this.#isFull) return;
    this.#isFull = true;
    output.once("drain", () => {
      this.#isFull = false;
      if (!this.#closed) input.resume();
    });
  };
}

type Read = { readonly messages: readonly unknown[] } | { readonly code: number; readonly problem: string };

function messagesIn(line: Buffer, batches: boolean): Read {
  if (!isUtf8(line)) return { code: ProtocolErrorCode.ParseError, problem: "This line is not valid UTF-8." };
  const text = line.toString();
  if (text.trim() === "") return { messages: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: ProtocolErrorCode.ParseError, problem: "This line is not valid JSON." };
  }
  if (!Array.isArray(value)) return { messages: [value] };
  if (batches && value.length > 0) return { messages: value };
  return { code: ProtocolErrorCode.InvalidRequest, problem: "Each line must be one JSON-RPC message." };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== "object" || value === null) return false;
  if (isPlainRequest(value)) return true;
  if (!("method" in value)) return isJSONRPCResponse(value);
  return "id" in value ? isJSONRPCRequest(value) : isJSONRPCNotification(value);
}

/** Fast path for most messages: the SDK's schemas take longer than a small call. */
function isPlainRequest(value: object): boolean {
  const { jsonrpc, id, method, params, ...others } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0" || typeof method !== "string" || Object.keys(others).length > 0) return false;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  return typeof params === "object" && params !== null && !Array.isArray(params) && !("_meta" in params);
}

function idIn(value: unknown): string | number | null {
  const id = (value as { readonly id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
