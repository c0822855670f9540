import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { installationLayer } from "../../foundation/secrets/Cipher.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { isTerminal, json, option, print, replaceLine } from "../../foundation/terminal/Output.ts"
import { importFiles, limit, project, siteOf } from "./CliImport.ts"
import { IsoDate, SnapshotId } from "./Domain.ts"
import { FileImports } from "./import/FileImports.ts"
import { DropDay } from "./import/Imports.ts"
import { Device, Kind, Opportunity } from "./opportunities/Domain.ts"
import { Opportunities } from "./opportunities/Opportunities.ts"
import { untilComputed } from "./opportunities/Worker.ts"
import { SitesRepo } from "./Site.ts"
import * as Credentials from "./searchconsole/Credentials.ts"
import * as SearchAnalytics from "./searchconsole/SearchAnalytics.ts"
import { Snapshots } from "./snapshots/Snapshots.ts"
import { defaultDays, Every } from "./sync/Api.ts"
import { Connections } from "./sync/Connections.ts"
import { Sync } from "./sync/Sync.ts"

/** `rankings connect`: stores the credentials for reading a site's data. */
export const connect = Command.make(
  "connect",
  {
    credentials: Options.fileText("credentials").pipe(
      Options.withDescription(
        "JSON file of Google credentials: a service account key, or an authorized_user file with a refresh token"
      )
    ),
    json,
    project,
    property: Options.optional(
      Options.text("property").pipe(
        Options.withDescription("Search Console property, such as sc-domain:example.com (default: the site's URL)")
      )
    )
  },
  ({ credentials: [, text], json, project, property }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      const read = Credentials.parse(text)
      if (Either.isLeft(read)) return yield* new Refused({ message: `The credentials file is ${read.left}` })
      const request = { credentials: read.right, property: Option.getOrUndefined(property) }
      const connection = yield* Effect.catchTag(
        connections.connect(project, request),
        "Invalid",
        ({ details }) => new Refused({ message: details.map(({ message }) => message).join(", ") })
      )
      yield* print(connection, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Connect a site to Search Console. Findable then synchronizes it daily",
      "rankings connect --project $PROJECT --property sc-domain:example.com --credentials key.json"
    )
  )
)

/** `rankings schedule`: how often a connected site is synchronised. */
export const schedule = Command.make(
  "schedule",
  {
    every: option("every", Every).pipe(
      Options.withDescription("Time between two synchronizations, 1h to 30d. `off` leaves only `rankings sync`")
    ),
    json,
    project
  },
  ({ every, json, project }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      yield* print(yield* connections.schedule(project, every), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Set how often Findable synchronizes a connected site",
      "rankings schedule --project $PROJECT --every 12h"
    )
  )
)

/** `rankings drop-day`: removes all search data of a day. */
export const dropDay = Command.make(
  "drop-day",
  { day: option("day", IsoDate).pipe(Options.withDescription("Day to remove, YYYY-MM-DD")), json, project },
  ({ day, json, project }) =>
    Effect.gen(function* () {
      const { run } = yield* DropDay
      yield* print(yield* run(yield* siteOf(project), day), json)
      yield* untilComputed(project)
    })
).pipe(
  Command.withDescription(
    described(
      "Remove all search data of one day, for example after a wrong import",
      "rankings drop-day --project $PROJECT --day 2026-11-20"
    )
  )
)

const decode = Schema.decodeUnknown(Schema.parseJson(Opportunity))

/** `rankings opportunities`: opportunities in the search data. */
export const opportunities = Command.make(
  "opportunities",
  {
    brand: Options.choice("brand", ["true", "false"]).pipe(
      Options.withDescription("true: only queries with a brand term of the site. false: only the others"),
      Options.optional
    ),
    device: Options.choice("device", Device.literals).pipe(
      Options.withDescription("Count only searches on this device"),
      Options.optional
    ),
    json,
    kind: Options.choice("kind", Kind.literals).pipe(Options.withDescription("Kind of opportunity")),
    limit,
    project
  },
  ({ brand, device, json, kind, limit, project }) =>
    Effect.gen(function* () {
      const { list } = yield* Opportunities
      const site = yield* siteOf(project)
      const filters = {
        kind,
        ...(Option.isSome(brand) ? { brand: brand.value } : {}),
        ...(Option.isSome(device) ? { device: device.value } : {})
      }
      const { beside, records } = yield* list(site.account, site.id, filters, { after: undefined, count: limit }).pipe(
        Effect.catchTags({
          ApiError: ({ message }) => new Refused({ message }),
          Invalid: ({ details }) =>
            new Refused({ message: details.map(({ message, path }) => `--${path} ${message}`).join("; ") })
        })
      )
      const [reason] = beside.not_assessed
      if (reason !== undefined)
        return yield* new Refused({
          message: `Not enough data for ${kind}: it needs ${reason.needed_days} consecutive days up to the latest day, and ${reason.reason === "missing_days" ? "some days are missing. Import the missing days" : "your data begin later. Import older days"}`
        })
      const found = yield* Effect.forEach(records, (record) => Effect.orDie(decode(record.json)))
      yield* print(found, json)
    })
).pipe(
  Command.withDescription(
    described(
      "List what to improve next, based on the latest 28 days of search data",
      "rankings opportunities --project $PROJECT --kind low_ctr"
    )
  )
)

const snapshotId = option("id", SnapshotId)

/** `rankings snapshots`: imported files without dates, or the rows of such a file. */
export const snapshots = Command.make(
  "snapshots",
  {
    id: Options.optional(snapshotId.pipe(Options.withDescription("List the rows of this snapshot, most clicks first"))),
    json,
    limit,
    project
  },
  ({ id, json, limit, project }) =>
    Effect.gen(function* () {
      const snapshots = yield* Snapshots
      const { account } = yield* siteOf(project)
      const batch = { after: undefined, count: limit }
      if (Option.isNone(id)) return yield* print(yield* snapshots.list(account, project, batch), json)
      const { rows } = yield* snapshots.rows(account, project, id.value, batch)
      yield* print(
        rows.map(({ place: _, ...row }) => row),
        json
      )
    })
).pipe(
  Command.withDescription(
    described(
      "List snapshots (imported files without a date column, like Queries.csv), or the rows of one",
      "rankings snapshots --project $PROJECT"
    )
  )
)

/** `rankings drop-snapshot`: deletes an imported file without dates. */
export const dropSnapshot = Command.make(
  "drop-snapshot",
  { id: snapshotId.pipe(Options.withDescription("ID of the snapshot, from `rankings snapshots`")), json, project },
  ({ id, json, project }) =>
    Effect.gen(function* () {
      const snapshots = yield* Snapshots
      const { account } = yield* siteOf(project)
      yield* snapshots.remove(account, project, id)
      yield* print({ id }, json)
    })
).pipe(
  Command.withDescription(
    described("Delete a snapshot. Daily data stay", "rankings drop-snapshot --project $PROJECT --id $SNAPSHOT")
  )
)

const Days = Schema.NumberFromString.pipe(
  Schema.filter((days) => (Number.isInteger(days) && days >= 1 && days <= 500) || "must be from 1 to 500")
)

/** `rankings sync`: synchronises now, without waiting for the schedule. */
export const synchronise = Command.make(
  "sync",
  {
    days: option("days", Days).pipe(
      Options.withDefault(defaultDays),
      Options.withDescription(
        "Days to fetch, counted back from the latest final day, 1 to 500. Days fetched before are skipped"
      )
    ),
    json,
    project
  },
  ({ days, json, project }) =>
    Effect.gen(function* () {
      const sync = yield* Sync
      const shown = yield* isTerminal
      const watch = (done: number, all: number) =>
        Effect.asVoid(Effect.when(replaceLine(`${done} of ${all} days`), () => shown))
      const synced = sync.run(project, days, watch)
      yield* print(
        yield* Effect.ensuring(
          synced,
          Effect.when(replaceLine(""), () => shown)
        ),
        json
      )
      yield* untilComputed(project)
    })
).pipe(
  Command.withDescription(
    described(
      "Fetch the latest final days of a connected site from Search Console now",
      "rankings sync --project $PROJECT --days 28"
    )
  )
)

/** `rankings …`; `other` is the subcommand from a room above. */
export const rankings = <Name extends string, R, E, A>(other: Command.Command<Name, R, E, A>) =>
  Command.make("rankings").pipe(
    Command.withDescription("Import Search Console data and see rankings"),
    Command.withSubcommands([
      importFiles.pipe(Command.provide(Layer.merge(FileImports.Default, SitesRepo.Default))),
      snapshots.pipe(Command.provide(Layer.merge(SitesRepo.Default, Snapshots.Default))),
      dropSnapshot.pipe(Command.provide(Layer.merge(SitesRepo.Default, Snapshots.Default))),
      dropDay.pipe(Command.provide(Layer.merge(DropDay.Default, SitesRepo.Default))),
      opportunities.pipe(Command.provide(Layer.merge(Opportunities.Default, SitesRepo.Default))),
      synchronise.pipe(Command.provide(Sync.Default.pipe(Layer.provide([installationLayer, SearchAnalytics.layer])))),
      connect.pipe(Command.provide(Connections.Default.pipe(Layer.provide(installationLayer)))),
      schedule.pipe(Command.provide(Connections.Default.pipe(Layer.provide(installationLayer)))),
      other
    ])
  )
