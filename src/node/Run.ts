import * as ValidationError from "@effect/cli/ValidationError"
import type { RunMain } from "@effect/platform/Runtime"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Telemetry from "./Telemetry.ts"

const sentence = (error: unknown): string => {
  if (ConfigError.isConfigError(error)) return `Configuration: ${error.toString().replace(/^\(|\)$/g, "")}`
  return Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
}

const explain = (cause: Cause.Cause<unknown>) => {
  // A command line that does not parse has been explained already.
  if (Cause.isInterruptedOnly(cause) || ValidationError.isValidationError(Cause.squash(cause))) return Effect.void
  return Console.error(Cause.isFailure(cause) ? `findable: ${sentence(Cause.squash(cause))}` : Cause.pretty(cause))
}

/** Runs a program of ours as the process: a failure is one sentence on stderr and exit code 1, a defect all that is known of it. */
export const run = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain) =>
  runMain(program.pipe(Effect.provide(Telemetry.layer), Effect.tapErrorCause(explain)), {
    disableErrorReporting: true,
    disablePrettyLogger: true
  })
