import * as Effect from "effect/Effect"
import type { Exchange } from "../http/Exchange.ts"
import { AccessLog } from "./Settings.ts"

/** What machines ask every few seconds says nothing about anybody's requests. */
const quiet = new Set(["/healthz", "/readyz", "/metrics"])

/** Logs an answered request: its id, method, route, status and milliseconds. The route is its pattern, so that no caller writes into the log. */
export const make = Effect.map(
  AccessLog,
  (asked) =>
    ({ id, method, route = "none" }: Exchange["Type"], status: number, seconds: number): Effect.Effect<void> =>
      asked && !quiet.has(route)
        ? Effect.annotateLogs(Effect.logInfo(`${method} ${route}`), {
            request_id: id,
            status,
            ms: Math.round(seconds * 10_000) / 10
          })
        : Effect.void
)
