import type { RunMain, Teardown } from "@effect/platform/Runtime"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { absence, isAbsent, isSqlError } from "../../foundation/database/SqlState.ts"
import { shared, unshared } from "../../foundation/process/Turns.ts"
import * as LogPipe from "../../foundation/terminal/LogPipe.ts"
import { escapeInvisibleLines } from "../../foundation/text/Words.ts"
import { check, unknownNames, variableNames, watchSignals } from "./Settings.ts"
import * as Telemetry from "./Telemetry.ts"

const sentence = (error: unknown): string => {
  if (ConfigError.isConfigError(error)) return `Configuration: ${error.toString().replace(/^\(|\)$/g, "")}`
  return Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
}

/** Where a command looked for missing data. Only this message loads the database's code. */
const looked = Effect.promise(() => import("../../foundation/database/Location.ts")).pipe(
  Effect.flatMap(({ whereabouts }) => whereabouts),
  Effect.map((place) => `Looked in ${place}: if your data are elsewhere, set FINDABLE_DATA_DIR or DATABASE_URL.`),
  Effect.orElseSucceed(() => "")
)

/** Explains an end on stderr, unless a signal caused it. */
export const explain = (cause: Cause.Cause<unknown>, isSignalled: () => boolean) => {
  if (Cause.isInterruptedOnly(cause)) {
    return isSignalled()
      ? Effect.void
      : Console.error(
          "findable: The process stopped because one of its parts was interrupted. Please report this as a bug."
        )
  }
  const error = Cause.squash(cause)
  const away = isSqlError(error) && isAbsent(error)
  const known = away ? absence(error) : sentence(error)
  const line = away || Cause.isFailure(cause) ? `findable: ${known}` : Cause.pretty(cause)
  return Effect.flatMap(Predicate.isTagged(error, "NotFound") ? looked : Effect.succeed(""), (where) =>
    Console.error(escapeInvisibleLines(where === "" ? line : `${line.replace(/\.$/, "")}. ${where}`))
  )
}

/** The exit code of an error, or 1. */
export const codeOf = (cause: Cause.Cause<unknown>): number => {
  const error = Cause.squash(cause)
  return Predicate.hasProperty(error, "exitCode") && Predicate.isNumber(error.exitCode) ? error.exitCode : 1
}

/** Exit code 0 for success and for a signal; 1 for everything else, unless the error names another. */
const teardown =
  (isSignalled: () => boolean): Teardown =>
  (exit, end) =>
    end(Exit.isSuccess(exit) || (isSignalled() && Cause.isInterruptedOnly(exit.cause)) ? 0 : codeOf(exit.cause))

const warnOfUnknown = Effect.flatMap(unknownNames(variableNames()), (sentences) =>
  Effect.forEach(sentences, (sentence) => Effect.logWarning(sentence), { discard: true })
)

const runWith = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain, { reporting, through }: LogPipe.LogPipe) => {
  const isSignalled = watchSignals()
  const configured = Effect.zipRight(warnOfUnknown, program).pipe(reporting, Effect.provide(Telemetry.layer))
  const explained = Effect.zipRight(check, configured).pipe(
    Effect.tapErrorCause((cause) => explain(cause, isSignalled))
  )
  runMain(through(explained), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: teardown(isSignalled)
  })
}

/** Runs a command as the process. A failure prints one sentence on stderr, a defect prints its whole cause; both end with exit code 1. */
export const run = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain) =>
  runWith(unshared(program), runMain, LogPipe.direct)

/** Runs a server as the process, without ever waiting for the reader of its log. */
export const serve = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain) =>
  runWith(shared(program), runMain, LogPipe.make())
