import type { RunMain, Teardown } from "@effect/platform/Runtime"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { absence, isAbsent, isSqlError } from "../../foundation/database/SqlState.ts"
import * as LogPipe from "../../foundation/terminal/LogPipe.ts"
import { escapeInvisibleLines } from "../../foundation/text/EscapeInvisible.ts"
import { variableNames, watchSignals } from "./Process.ts"
import * as Settings from "./Settings.ts"
import * as Telemetry from "./Telemetry.ts"

const sentence = (error: unknown): string => {
  if (ConfigError.isConfigError(error)) return `Configuration: ${error.toString().replace(/^\(|\)$/g, "")}`
  return Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)
}

/** What is said on stderr of an end; nothing when it was asked for. */
const explain = (cause: Cause.Cause<unknown>, asked: () => boolean) => {
  if (Cause.isInterruptedOnly(cause)) {
    return asked() ? Effect.void : Console.error("findable: The process ended by itself: a part of it was interrupted")
  }
  const error = Cause.squash(cause)
  const away = isSqlError(error) && isAbsent(error)
  const known = away ? absence(error) : sentence(error)
  const said = away || Cause.isFailure(cause) ? `findable: ${known}` : Cause.pretty(cause)
  return Console.error(escapeInvisibleLines(said))
}

/** An error may bring an exit code of its own. */
const codeOf = (cause: Cause.Cause<unknown>): number => {
  const error = Cause.squash(cause)
  return Predicate.hasProperty(error, "exitCode") && Predicate.isNumber(error.exitCode) ? error.exitCode : 1
}

/** Exit code 0 is for a program that ended well, or because a signal asked it to; whatever else ends it is 1, unless its error says otherwise. */
const teardown =
  (asked: () => boolean): Teardown =>
  (exit, end) =>
    end(Exit.isSuccess(exit) || (asked() && Cause.isInterruptedOnly(exit.cause)) ? 0 : codeOf(exit.cause))

const tellStrangers = Effect.flatMap(Settings.strangers(variableNames()), (sentences) =>
  Effect.forEach(sentences, (sentence) => Effect.logWarning(sentence), { discard: true })
)

const runWith = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain, { reporting, through }: LogPipe.LogPipe) => {
  const asked = watchSignals()
  const configured = Effect.zipRight(tellStrangers, program).pipe(reporting, Effect.provide(Telemetry.layer))
  const explained = Effect.zipRight(Settings.check, configured).pipe(
    Effect.tapErrorCause((cause) => explain(cause, asked))
  )
  runMain(through(explained), { disableErrorReporting: true, disablePrettyLogger: true, teardown: teardown(asked) })
}

/** Runs a command of ours as the process: a failure is one sentence on stderr and exit code 1, a defect all that is known of it. */
export const run = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain) => runWith(program, runMain, LogPipe.direct)

/** Runs a server in the same way, but it never waits for the reader of its log. */
export const serve = <A, E>(program: Effect.Effect<A, E>, runMain: RunMain) => runWith(program, runMain, LogPipe.make())
