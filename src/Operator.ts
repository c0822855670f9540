import * as ValidationError from "@effect/cli/ValidationError"
import type { RunMain } from "@effect/platform/Runtime"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"

/** How much is logged. */
export const Level = Config.logLevel("FINDABLE_LOG_LEVEL").pipe(
  Config.withDefault(LogLevel.Info),
  Config.withDescription("least severe level that is logged: `debug`, `info`, `warning`, `error`, `none`")
)

/** How a log line looks. */
export const Format = Config.literal(
  "logfmt",
  "json",
  "pretty"
)("FINDABLE_LOG_FORMAT").pipe(
  Config.withDefault("logfmt" as const),
  Config.withDescription("form of a log line: `logfmt`, `json` or `pretty`")
)

const loggers = {
  json: Logger.withConsoleError(Logger.jsonLogger),
  logfmt: Logger.withConsoleError(Logger.logfmtLogger),
  pretty: Logger.prettyLogger({ stderr: true })
}

/** Logs go to stderr: stdout is for answers. Spans are made only where somebody collects them. */
const logging = Layer.unwrapEffect(
  Effect.map(Effect.all({ format: Format, level: Level }), ({ format, level }) =>
    Layer.mergeAll(
      Logger.replace(Logger.defaultLogger, loggers[format]),
      Logger.minimumLogLevel(level),
      Layer.setTracerEnabled(false)
    )
  )
)

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
  runMain(program.pipe(Effect.provide(logging), Effect.tapErrorCause(explain)), {
    disableErrorReporting: true,
    disablePrettyLogger: true
  })
