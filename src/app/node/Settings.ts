import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as HashSet from "effect/HashSet"
import { CrawlerUrl } from "../../crawl/fetch/Headers.ts"
import { TrustedProxies } from "../../features/accounts/FailedKeyLimiter.ts"
import { AuditRetentionDays, AuditTimeout, PsiKey, PsiUrl } from "../../features/audits/Settings.ts"
import { LossAfter, Pause } from "../../features/backlinks/Settings.ts"
import { UploadRetentionDays } from "../../features/files/Settings.ts"
import { GitHubPoll, GitHubUrl } from "../../features/interventions/Settings.ts"
import { MaxBytes, RetentionMonths, WindowDays } from "../../features/rankings/Settings.ts"
import { Settings as SearchConsole } from "../../features/rankings/searchconsole/Settings.ts"
import { RunRetentionDays, RunsAtOnce } from "../../features/sitehealth/Settings.ts"
import { Prices } from "../../features/visibility/engines/Prices.ts"
import { DailyUsd, Engines, GeoRetentionDays } from "../../features/visibility/engines/Settings.ts"
import { DeliveriesAtOnce, RetentionDays } from "../../features/webhooks/deliveries/Settings.ts"
import { ChromePath } from "../../foundation/browser/Find.ts"
import { Rendering } from "../../foundation/browser/Settings.ts"
import { DatabaseSchema, DatabaseUrl, DataDirectory, PoolSize, Prepared } from "../../foundation/database/Settings.ts"
import { PublicBase } from "../../foundation/http/Request.ts"
import { AllowedNetworks } from "../../foundation/outbound/Address.ts"
import { Niceness } from "../../foundation/process/Child.ts"
import { FromEnvironment, OldFromEnvironment } from "../../foundation/secrets/MasterKey.ts"
import { nearest } from "../../foundation/text/Words.ts"
import { ApiKey, NodeUrl } from "../mcp/Settings.ts"
import { AccessLog, CorsOrigins, Host, Port, ReadTimeout, ReusePort } from "../server/Settings.ts"
import * as Telemetry from "./Telemetry.ts"
import { FirstKeyFile } from "./Welcome.ts"

/** Platform adapter: environment, role and signals of the process. */

/** Names of the environment variables. */
export const variableNames = (): ReadonlyArray<string> => Object.keys(process.env)

/**
 * Watches for SIGINT and SIGTERM; the function returns whether one has arrived. Ctrl-C reaches a process twice if its parent, such as npm, passes the signal
 * on. The process watches to its end, because the second signal would otherwise kill it during its stop.
 */
export const watchSignals = (): (() => boolean) => {
  let isSignalled = false
  const note = () => {
    isSignalled = true
  }
  process.on("SIGINT", note)
  process.on("SIGTERM", note)
  return () => isSignalled
}

/** Whether this server serves requests, works, or both. */
export const Role = Config.literal(
  "all",
  "api",
  "worker"
)("FINDABLE_ROLE").pipe(
  Config.withDefault("all" as const),
  Config.withDescription(
    "Work of this server: `api` answers requests, `worker` crawls and delivers webhooks, `all` does both"
  )
)

/** Every setting of the product; rooms declare their own. A test of the guide's table finds a setting that is missing here. */
const settings: ReadonlyArray<Config.Config<unknown>> = [
  AllowedNetworks,
  ApiKey,
  AuditRetentionDays,
  AuditTimeout,
  ChromePath,
  AccessLog,
  ApiKey,
  NodeUrl,
  CorsOrigins,
  CrawlerUrl,
  DatabaseSchema,
  DatabaseUrl,
  DailyUsd,
  DataDirectory,
  DeliveriesAtOnce,
  Engines,
  FirstKeyFile,
  FromEnvironment,
  GeoRetentionDays,
  GitHubPoll,
  GitHubUrl,
  Host,
  LossAfter,
  MaxBytes,
  Niceness,
  NodeUrl,
  OldFromEnvironment,
  Pause,
  PoolSize,
  Prepared,
  Prices,
  Port,
  ReadTimeout,
  Rendering,
  ReusePort,
  PsiKey,
  PsiUrl,
  PublicBase,
  RetentionDays,
  RetentionMonths,
  Role,
  RunRetentionDays,
  RunsAtOnce,
  SearchConsole,
  Telemetry.Collector,
  Telemetry.Format,
  Telemetry.Level,
  Telemetry.TraceRatio,
  TrustedProxies,
  UploadRetentionDays,
  WindowDays
]

/** All invalid settings; `message` has a line for each, with its problem. */
class SettingsWrong extends Data.TaggedError("SettingsWrong")<{ readonly problems: ReadonlyArray<string> }> {
  override get message() {
    const some = this.problems.length === 1 ? "a setting is" : `${this.problems.length} settings are`
    return `Configuration: ${some} not valid\n${this.problems.join("\n")}`
  }
}

const problemsOf = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or"
    ? [...problemsOf(error.left), ...problemsOf(error.right)]
    : [`${error.path.join("_")}: ${error.message}`]

/** Decodes every setting before anything starts, and reports all invalid ones. */
export const check: Effect.Effect<void, SettingsWrong> = Effect.flatMap(
  Effect.forEach(settings, (setting) => Effect.either(setting)),
  (decoded) => {
    const problems = decoded.flatMap(Either.match({ onLeft: problemsOf, onRight: () => [] }))
    return problems.length === 0 ? Effect.void : new SettingsWrong({ problems: [...new Set(problems)].sort() })
  }
)

/** The variables of the settings, collected by decoding them from an empty source. */
export const names: Effect.Effect<ReadonlyArray<string>> = Effect.suspend(() => {
  const read = new Set<string>()
  const flat = ConfigProvider.makeFlat({
    enumerateChildren: () => Effect.succeed(HashSet.empty()),
    load: (path) => {
      read.add(path.join("_"))
      return Effect.fail(ConfigError.MissingData([...path], "not set"))
    },
    patch: { _tag: "Empty" }
  })
  const provider = ConfigProvider.fromFlat(flat)
  return Effect.forEach(settings, (setting) => Effect.either(provider.load(setting)), { discard: true }).pipe(
    Effect.map(() => [...read].sort())
  )
})

/** A warning for each variable with a prefix of settings but no setting, with the most similar setting. */
export const unknownNames = (given: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(names, (known) =>
    given
      .filter((name) => /^FINDABLE_(?!TEST_)/.test(name) && !known.includes(name))
      .map((name) => {
        const meant = nearest(name, known)
        return `Unknown setting ${name}${meant === undefined ? "" : `. Did you mean ${meant}?`}`
      })
  )
