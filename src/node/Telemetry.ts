import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import { web } from "../schema/Setting.ts"

/** How much is logged. */
export const Level = Config.logLevel("FINDABLE_LOG_LEVEL").pipe(
  Config.withDefault(LogLevel.Info),
  Config.withDescription("least severe level that is logged: `debug`, `info`, `warn`, `error` or `off`")
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

/** Where traces, logs and metrics are sent, if anywhere. */
export const Collector = Config.url("FINDABLE_OTLP_URL").pipe(
  web,
  Config.option,
  Config.withDescription("OpenTelemetry collector (OTLP over HTTP, JSON) for traces, logs and metrics; none by default")
)

const loggers = {
  json: Logger.withConsoleError(Logger.jsonLogger),
  logfmt: Logger.withConsoleError(Logger.logfmtLogger),
  pretty: Logger.prettyLogger({ stderr: true })
}

/** Spans cost a stack trace each, so without a collector none are made. */
const exporter = Option.match({
  onNone: () => Layer.setTracerEnabled(false),
  onSome: (url: URL) =>
    Otlp.layerJson({ baseUrl: url.href, resource: { serviceName: "findable" } }).pipe(
      Layer.provide(FetchHttpClient.layer)
    )
})

/** Logs on stderr, because stdout is for answers, and OpenTelemetry where a collector is named. */
export const layer = Layer.unwrapEffect(
  Effect.map(Effect.all({ collector: Collector, format: Format, level: Level }), ({ collector, format, level }) =>
    Layer.mergeAll(
      Logger.replace(Logger.defaultLogger, loggers[format]),
      Logger.minimumLogLevel(level),
      exporter(collector)
    )
  )
)
