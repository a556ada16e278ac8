// A client of MCP over HTTP with a session of its own (protocol 2025), as small as can be.
import http from "node:http";

const PROTOCOL = "2025-06-18";

export async function connect({ url, token }, agent) {
  let session;
  let next = 1;

  async function post(message) {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": PROTOCOL }),
    };
    const response = await exchange(url, { method: "POST", headers, agent }, JSON.stringify(message));
    if (response.status >= 300) throw new Error(`HTTP ${response.status}: ${response.body}`);
    session ??= response.headers["mcp-session-id"];
    return response;
  }

  async function request(method, params) {
    const id = next++;
    const { headers, body } = await post({ jsonrpc: "2.0", id, method, params });
    const messages = headers["content-type"]?.startsWith("text/event-stream") ? eventsIn(body) : [JSON.parse(body)];
    const answer = messages.find((message) => message.id === id);
    if (answer === undefined) throw new Error(`No answer to request ${id}: ${body}`);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result;
  }

  await request("initialize", {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: "stet-bench", version: "1" },
  });
  if (session === undefined) throw new Error("The server gave no session id.");
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { session, call: (name, input) => request("tools/call", { name, arguments: input }) };
}

function eventsIn(body) {
  const data = [...body.matchAll(/^data: ?(.+)$/gm)].map(([, text]) => text);
  return data.map((text) => JSON.parse(text));
}

function exchange(url, options, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
