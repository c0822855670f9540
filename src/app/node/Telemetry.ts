import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { CurrentRequest } from "../../foundation/http/Request.ts"
import { web } from "../../foundation/schema/Setting.ts"
import { escapedLine, visibleInput } from "../../foundation/terminal/Terminal.ts"

const levels = Object.fromEntries(LogLevel.allLevels.map((level) => [level.label.toLowerCase(), level]))

/** The least severe level that is logged. */
export const Level = Config.string("FINDABLE_LOG_LEVEL").pipe(
  Config.mapOrFail((name) =>
    Either.fromNullable(levels[name.toLowerCase()], () =>
      ConfigError.InvalidData([], `must be one of ${Object.keys(levels).join(", ")}`)
    )
  ),
  Config.withDefault(LogLevel.Info),
  Config.withDescription("Lowest level to log: `debug`, `info`, `warn`, `error` or `off`")
)

/** The form of a log line. */
export const Format = Config.literal(
  "logfmt",
  "json",
  "pretty"
)("FINDABLE_LOG_FORMAT").pipe(
  Config.withDefault("logfmt" as const),
  Config.withDescription("Format of log lines: `logfmt`, `json` or `pretty`")
)

/** Collector of traces, logs and metrics, if any. */
export const Collector = Config.url("FINDABLE_OTLP_URL").pipe(
  web,
  Config.option,
  Config.withDescription("OpenTelemetry collector for traces, logs and metrics (OTLP over HTTP, JSON). Default: none")
)

/** Share of the traces that are sent to the collector. */
export const TraceRatio = Config.number("FINDABLE_TRACE_RATIO").pipe(
  Config.validate({ message: "must be from 0 to 1", validation: (ratio) => ratio >= 0 && ratio <= 1 }),
  Config.withDefault(1),
  Config.withDescription("Share of traces to send, from 0 to 1. For a request with `traceparent`, its caller decides")
)

/** Annotates log lines during a request with its id, method and route. */
const ofRequest = <A>(logger: Logger.Logger<unknown, A>) =>
  Logger.make<unknown, A>((line) => {
    const { id, method, route } = Context.get(
      FiberRefs.getOrDefault(line.context, FiberRef.currentContext),
      CurrentRequest
    )
    if (id === "") return logger.log(line)
    const request = HashMap.fromIterable(Object.entries({ method, path: route ?? "unknown", request_id: id }))
    return logger.log({ ...line, annotations: HashMap.union(request, line.annotations) })
  })

const loggers = {
  json: Logger.withConsoleError(ofRequest(escapedLine(Logger.jsonLogger))),
  logfmt: Logger.withConsoleError(ofRequest(escapedLine(Logger.logfmtLogger))),
  pretty: ofRequest(visibleInput(Logger.prettyLogger({ stderr: true })))
}

/** Each span costs a stack trace, so there are no spans without a collector, and the exporter is loaded only for a collector. */
const exporter = (collector: Option.Option<URL>, ratio: number) =>
  Option.match(collector, {
    onNone: () => Layer.setTracerEnabled(false),
    onSome: (url) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("./Exporter.ts")),
          (exporter) => exporter.layer(url, ratio)
        )
      )
  })

/** Logs on stderr, because stdout is for results, and to OpenTelemetry if a collector is configured. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Effect.all({ collector: Collector, format: Format, level: Level, ratio: TraceRatio }),
    ({ collector, format, level, ratio }) =>
      Layer.mergeAll(
        Logger.replace(Logger.defaultLogger, loggers[format]),
        Logger.minimumLogLevel(level),
        exporter(collector, ratio)
      )
  )
)
