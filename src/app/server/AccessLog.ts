import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import type { CurrentRequest } from "../../foundation/http/ServerContext.ts"
import { AccessLog } from "./Settings.ts"

/** Probes: machines send them every few seconds. */
const probes = new Set(["/healthz", "/readyz", "/metrics"])

/** Logs an answered request with its id, method, route, status and milliseconds, when lines of this level are wanted. The route is a pattern, so no caller writes into the log. */
export const make = Effect.map(
  Effect.all({ isEnabled: AccessLog, least: FiberRef.get(FiberRef.currentMinimumLogLevel) }),
  ({ isEnabled, least }) =>
    (
      { id, method, route = "none" }: CurrentRequest["Type"],
      status: number,
      seconds: number
    ): Effect.Effect<void> | undefined =>
      isEnabled && LogLevel.lessThanEqual(least, LogLevel.Info) && !probes.has(route)
        ? Effect.annotateLogs(Effect.logInfo(`${method} ${route}`), {
            request_id: id,
            status,
            ms: Math.round(seconds * 10_000) / 10
          })
        : undefined
)
