import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Guarded from "../../foundation/outbound/Guarded.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../foundation/schema/Time.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print } from "../../foundation/terminal/Output.ts"
import { account, listCommand } from "../accounts/Cli.ts"
import { Auditor } from "./Auditor.ts"
import { type AuditRecord, Audits, reportOutcome } from "./Audits.ts"
import { Device, PageAddress } from "./Domain.ts"
import { importReport, maxReportBytes, type ReportFile } from "./report/ReadPsi.ts"
import { Every, ScheduleId } from "./schedule/Api.ts"
import { Schedules } from "./schedule/Schedules.ts"

/** `--device mobile|desktop` */
export const device = Options.choice("device", Device.literals).pipe(
  Options.withDefault("mobile" as const),
  Options.withDescription("Device to audit as (default: mobile)")
)

/** `--psi` */
export const psi = Options.boolean("psi").pipe(
  Options.withDescription("Use PageSpeed Insights instead of Lighthouse on this machine")
)

/** `URL` */
export const page = argument("URL", PageAddress).pipe(Args.withDescription("URL of the page, http or https"))

/** Prints the recorded audit; a failed audit ends the command with its reason, so that a script notices. */
const report = (recorded: AuditRecord, asJson: boolean) =>
  Effect.zipRight(
    print(recorded, asJson),
    recorded.failure === null ? Effect.void : new Refused({ message: recorded.failure.message })
  )

const Runs = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 15) || "must be from 1 to 15")
)

const runs = option("runs", Runs).pipe(
  Options.withDefault(1),
  Options.withDescription("Lighthouse runs, 1 to 15 (default: 1). Findable records the median and the spread")
)

/** `audits run --account ID URL`: audits a page on this machine and records the outcome. */
export const run = Command.make(
  "run",
  { account, device, json, page, psi, runs },
  ({ account, device, json, page, psi, runs }) =>
    Effect.gen(function* () {
      const auditor = yield* Auditor
      const audits = yield* Audits
      const of = yield* account
      const source = psi ? "psi" : "lighthouse"
      const outcome = yield* auditor.audit(source, page, device, runs)
      yield* report(yield* audits.record({ account: of, schedule: null, source }, outcome), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Audit a page with Lighthouse or PageSpeed Insights now",
      "audits run --account $ACCOUNT --runs 5 https://example.com"
    )
  ),
  Command.provide(Auditor.Default),
  Command.provide(({ page }) => Guarded.layerFor(new URL(page)))
)

const file = (name: string, what: string) =>
  Options.optional(Options.file(name, { exists: "yes" }).pipe(Options.withDescription(what)))

const load = Effect.fnUntraced(function* <Format extends ReportFile["format"]>(format: Format, name: string) {
  const files = yield* FileSystem.FileSystem
  const { size } = yield* files.stat(name)
  if (size > maxReportBytes)
    return yield* new Refused({
      message: `${name} is larger than ${maxReportBytes / 1024 / 1024} MiB, the limit for a report`
    })
  return { bytes: yield* files.readFile(name), format, name }
})

const one = new Refused({ message: "Name exactly one report, with --lighthouse FILE or --psi FILE" })

/** `audits import --account ID --lighthouse FILE`: records a report from elsewhere. */
export const importAudit = Command.make(
  "import",
  {
    account,
    crux: file("crux", "CrUX record of the page or its origin. Replaces other field data"),
    json,
    lighthouse: file("lighthouse", "JSON report of Lighthouse 6 or later"),
    psi: file("psi", "JSON response of PageSpeed Insights v5")
  },
  ({ account, crux, json, lighthouse, psi }) =>
    Effect.gen(function* () {
      const audits = yield* Audits
      if (Option.isSome(lighthouse) === Option.isSome(psi)) return yield* one
      const format = Option.isSome(lighthouse) ? "lighthouse" : "psi"
      const main = yield* load(
        format,
        Option.getOrElse(lighthouse, () => Option.getOrElse(psi, () => ""))
      )
      const beside = Option.isSome(crux) ? yield* load("crux", crux.value) : null
      const outcome = reportOutcome(yield* importReport(main, beside))
      yield* report(yield* audits.record({ account: yield* account, schedule: null, source: "import" }, outcome), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Import a report of Lighthouse or PageSpeed Insights",
      "audits import --account $ACCOUNT --lighthouse report.json"
    )
  )
)

/** A schedule for output, with the minutes of its interval. */
const inMinutes = <S extends { readonly every: string }>({ every, ...schedule }: S) => ({
  ...schedule,
  every_minutes: minutesOf(every)
})

const add = Command.make(
  "add",
  {
    account,
    device,
    every: option("every", Every).pipe(
      Options.withDefault("1d"),
      Options.withDescription("Time between two audits, 15m to 365d (default: 1d)")
    ),
    json,
    page,
    psi
  },
  ({ account, device, every, json, page, psi }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const of = yield* account
      const schedule = yield* schedules.add(of, { device, every, source: psi ? "psi" : "lighthouse", url: page })
      yield* print(inMinutes({ ...schedule, account_id: of }), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Audit a page regularly, on any server with workers. Add it again to change its schedule",
      "audits schedule add --account $ACCOUNT --every 1d https://example.com"
    )
  )
)

const listSchedules = listCommand(
  (of) => Effect.flatMap(Schedules, ({ all }) => Effect.map(all(of), (schedules) => schedules.map(inMinutes))),
  described("List audit schedules of one account, or of all", "audits schedule list --account $ACCOUNT")
)

const remove = Command.make(
  "remove",
  {
    id: argument("id", ScheduleId).pipe(Args.withDescription("ID of the schedule, from `audits schedule list`")),
    json
  },
  ({ id, json }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      yield* print(inMinutes(yield* schedules.end(id)), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Stop auditing a page regularly. Its audits stay",
      "audits schedule remove 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `audits schedule …` */
export const schedule = Command.make("schedule").pipe(
  Command.withDescription("Audit pages regularly"),
  Command.withSubcommands([add, listSchedules, remove]),
  Command.provide(Schedules.Default)
)

const Limit = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 1000) || "must be from 1 to 1000")
)

const list = Command.make(
  "list",
  {
    account,
    json,
    limit: option("limit", Limit).pipe(
      Options.withDefault(20),
      Options.withDescription("Most audits to list, 1 to 1000 (default: 20)")
    )
  },
  ({ account, json, limit }) =>
    Effect.gen(function* () {
      const audits = yield* Audits
      yield* print(yield* audits.list(yield* account, limit), json)
    })
).pipe(
  Command.withDescription(
    described("List the latest audits of an account, with those that failed", "audits list --account $ACCOUNT")
  )
)

/** `audits …` */
export const audits = Command.make("audits").pipe(
  Command.withDescription("Audit pages with Lighthouse or PageSpeed Insights"),
  Command.withSubcommands([run, importAudit, list, schedule]),
  Command.provide(Audits.Default)
)
