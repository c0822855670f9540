import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type { Reply } from "../site/MemoryOutbound.ts"
import { serve } from "../site/Server.ts"
import { answer } from "./Answers.ts"
import { generate } from "./Generate.ts"
import type { Site } from "./Site.ts"

const send = (response: ServerResponse, reply: Reply): void => {
  if ("fault" in reply) {
    // A fault of time is an answer that never comes; the others cut the connection.
    if (reply.fault !== "timeout") response.socket?.destroy()
    return
  }
  const headers = Array.isArray(reply.headers) ? reply.headers : Object.entries(reply.headers ?? {})
  // Over a kept connection a reset before any answer is tried again unseen; here every reset is to be seen.
  response.shouldKeepAlive = false
  response.writeHead(reply.status ?? 200, headers.flat())
  response.end(reply.body ?? "")
}

/** A generated site on 127.0.0.1, for as long as its scope lasts. */
export const serveSite = (seed: number) =>
  Effect.gen(function* () {
    let site: Site | null = null
    const server = yield* serve((origin) => (request, response, asked) => {
      if (site !== null)
        send(
          response,
          answer(site, new URL(request.url ?? "/", origin), asked, request.method === "HEAD" ? "HEAD" : "GET")
        )
    })
    site = generate(seed, { origin: server.origin })
    return site
  })
