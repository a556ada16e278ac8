// What a call that took too long is answered, in both eras, also when its stream has begun.

export const OVERDUE = {
  code: -32001,
  message:
    "The call took too long and was given up. A change may have been made all the same: read before you try again.",
} as const;

/** The same response; but a stream that ends without an answer, because time was up, gets this one. */
export function endedBy(overdue: AbortSignal, id: string | number, response: Response): Response {
  const { body, status, headers } = response;
  if (body === null || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
  let last: Uint8Array | undefined;
  const ended = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      last = chunk;
      controller.enqueue(chunk);
    },
    flush(controller) {
      if (!overdue.aborted || isAnswer(last, id)) return;
      const message = JSON.stringify({ jsonrpc: "2.0", id, error: OVERDUE });
      controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${message}\n\n`));
    },
  });
  return new Response(body.pipeThrough(ended), { status, headers });
}

function isAnswer(event: Uint8Array | undefined, id: string | number): boolean {
  const data = /^data: ?(.*)$/m.exec(new TextDecoder().decode(event))?.[1];
  try {
    const message = JSON.parse(data ?? "null") as { id?: unknown; method?: unknown } | null;
    return message?.id === id && message.method === undefined;
  } catch {
    return false;
  }
}
