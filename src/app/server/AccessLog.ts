import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import type { Exchange } from "../../foundation/http/Exchange.ts"
import { AccessLog } from "./Settings.ts"

/** What machines ask every few seconds says nothing about anybody's requests. */
const quiet = new Set(["/healthz", "/readyz", "/metrics"])

/** Logs an answered request, unless nobody reads that: its id, method, route, status and milliseconds. The route is its pattern, so that no caller writes into the log. */
export const make = Effect.map(
  Effect.all({ asked: AccessLog, least: FiberRef.get(FiberRef.currentMinimumLogLevel) }),
  ({ asked, least }) =>
    (
      { id, method, route = "none" }: Exchange["Type"],
      status: number,
      seconds: number
    ): Effect.Effect<void> | undefined =>
      asked && LogLevel.lessThanEqual(least, LogLevel.Info) && !quiet.has(route)
        ? Effect.annotateLogs(Effect.logInfo(`${method} ${route}`), {
            request_id: id,
            status,
            ms: Math.round(seconds * 10_000) / 10
          })
        : undefined
)
