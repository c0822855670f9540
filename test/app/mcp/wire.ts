import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"

/** Headers that clients of the protocol send. */
export const accepting = { accept: "application/json, text/event-stream" }

/** Sends one message. */
export const ask = (key: string | undefined, message: unknown, headers: Record<string, string> = {}) =>
  Server.send("POST", "/mcp", { body: message, headers: { ...accepting, ...headers }, key })

let ids = 0

/** Calls a tool, and returns its text as JSON, with the tags of its evidence. */
export const call = (key: string, name: string, args: object = {}) =>
  Effect.map(
    ask(key, { id: `call-${++ids}`, jsonrpc: "2.0", method: "tools/call", params: { arguments: args, name } }),
    ({ body, headers, status }) => {
      const text: string = body.result?.content?.[0]?.text ?? "null"
      return {
        answer: JSON.parse(text),
        error: body.error,
        headers,
        isError: body.result?.isError ?? false,
        status,
        text
      }
    }
  )

/** Fields of a message of 2026-07-28, and the headers that repeat them. */
export const modern = (method: string, params: Record<string, unknown> = {}) => ({
  headers: {
    "mcp-method": method,
    "mcp-protocol-version": "2026-07-28",
    ...(typeof params.name === "string" && { "mcp-name": params.name })
  },
  message: {
    id: "m",
    jsonrpc: "2.0",
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/protocolVersion": "2026-07-28"
      }
    }
  }
})
