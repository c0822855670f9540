import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Created,
  Data,
  described,
  IdempotencyHeaders,
  inPath,
  read,
  remove
} from "../../../foundation/http/Contract.ts"
import { field, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { KeywordsRead, RankingsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { SentCredentials } from "../searchconsole/Credentials.ts"

const hoursIn: Readonly<Record<string, number>> = { d: 24, h: 1 }

const everyText = Schema.String.annotations({ jsonSchema: { pattern: "^(?:off|\\d{1,3}[hd])$" } })

/** Hours between two synchronisations, written `6h` or `1d`, up to 30 days; null, written `off`: no schedule. */
export const Every = Schema.transformOrFail(everyText, Schema.NullOr(Schema.Int), {
  strict: true,
  decode: (text, _, ast) => {
    if (text === "off") return ParseResult.succeed(null)
    const [, count = "", unit = ""] = /^(\d{1,3})([hd])$/.exec(text) ?? []
    const hours = Number(count) * (hoursIn[unit] ?? 0)
    return hours >= 1 && hours <= 720
      ? ParseResult.succeed(hours)
      : ParseResult.fail(new ParseResult.Type(ast, text, "must be 1h to 30d, such as 6h or 1d, or off"))
  },
  encode: (hours) => ParseResult.succeed(hours === null ? "off" : `${hours}h`)
})

/** Days that a synchronisation reaches back from the newest final day by default: four weeks. */
export const defaultDays = 28

export const SyncId = Uuid.pipe(Schema.brand("RankingSyncId"))
export type SyncId = typeof SyncId.Type

/** Why a synchronisation failed. Fetched days stay. */
export const SyncError = Schema.Struct({
  code: Schema.Literal(
    "unauthorised",
    "forbidden",
    "quota",
    "unavailable",
    "refused",
    "failed",
    "worker_lost"
  ).annotations({
    description:
      "`unauthorised`: Google rejects the credentials; `forbidden`: the credentials have no access to the property; `quota` and `unavailable`: temporary; `refused`: Google rejects the request; `failed`: server error; `worker_lost`: the server stopped during the sync, sync again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, in words" })
}).annotations({
  identifier: "RankingSyncError",
  description: "Why the sync failed. Days that were already fetched stay"
})
export type SyncError = typeof SyncError.Type

/** A synchronisation of a site with Search Console, requested or scheduled. */
export const Synchronisation = Schema.Struct({
  id: SyncId.annotations({ description: "UUID of the sync" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Status; `completed` and `failed` are final"
  }),
  days_done: Schema.NonNegativeInt.annotations({ description: "Days fetched so far" }),
  days_total: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description: "Days to fetch, without those fetched before; null until it is running"
  }),
  error: Schema.NullOr(SyncError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When it was requested, or started by its schedule"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it finished; null before that" })
}).annotations({ identifier: "RankingSync", description: "A sync of a site with Search Console" })
export type Synchronisation = typeof Synchronisation.Type

/** A site's connection to Search Console, without its credentials. */
export const Connection = Schema.Struct({
  site_id: ProjectId.annotations({ description: "UUID of the site" }),
  property: Schema.String.annotations({ description: "Search Console property, such as `sc-domain:example.com`" }),
  every_hours: Schema.NullOr(Schema.Int).annotations({
    description: "Hours between two syncs; null: syncs only on request"
  }),
  next_sync_at: Schema.NullOr(Timestamp).annotations({
    description: "When the next sync is due; null without a schedule"
  }),
  synced_at: Schema.NullOr(Timestamp).annotations({
    description: "When the last sync succeeded; null before the first"
  }),
  last_error: Schema.NullOr(Schema.String).annotations({
    description: "Why the latest sync failed; null when it succeeded"
  })
}).annotations({
  identifier: "RankingSource",
  description: "Connection of a site to Search Console, without the credentials"
})

/** Credentials, with the property and the schedule. */
const PutSource = Schema.Struct({
  property: Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => text.length >= 1 && text.length <= 500 && !text.includes("\0"), {
        jsonSchema: { maxLength: 500, minLength: 1 },
        message: () => "must be of 1 to 500 characters"
      })
    ),
    { exact: true }
  ).annotations({
    description:
      "Search Console property that covers the site's host, such as `sc-domain:example.com`; by default the URL-prefix property of the site's URL"
  }),
  credentials: SentCredentials.annotations({
    description: "Google credentials; stored encrypted and never returned. A `token_uri` is ignored"
  }),
  every: Schema.optionalWith(Every, { exact: true }).annotations({
    description:
      "Interval between two syncs: `1h` to `30d`, such as `6h` or `1d`, or `off`. By default `1d`, or the previous interval"
  })
}).annotations({ identifier: "PutRankingSource", description: "Credentials, property and interval" })

/** How far a synchronisation reaches back. */
const AskSync = Schema.Struct({
  days: Schema.optionalWith(
    Schema.Int.pipe(
      Schema.between(1, 500),
      Schema.annotations({ message: () => "must be a whole number from 1 to 500" })
    ),
    { default: () => defaultDays, exact: true }
  ).annotations({
    description: `Days to fetch back from the latest final day, 1 to 500, ${defaultDays} by default; days fetched before are skipped`
  })
}).annotations({ identifier: "AskRankingSync", description: "How many days to fetch; the body is optional" })

const path = "/projects/:project_id/rankings/source" as const
const ids = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSync = Schema.Struct({ ...ids.fields, sync_id: inPath(SyncId) })

/** The source of a project's search data. */
export class RankingSourceApi extends HttpApiGroup.make("ranking-source")
  .annotateContext(about("The connection of a site to Search Console."))
  .add(
    read("get", path, {
      summary: "Get the Search Console connection",
      description:
        "Returns the property, the sync interval, the next sync and the last error. Credentials are never returned. A site without a connection returns 404.",
      ids,
      of: Connection,
      scope: KeywordsRead
    })
  )
  .add(
    HttpApiEndpoint.put("put", path)
      .annotateContext(
        described(
          "Connect to Search Console",
          "Stores the credentials, encrypted, and starts the first sync. They replace earlier credentials. If Google rejects them, `last_error` says so after the first sync."
        )
      )
      .setPath(ids)
      .setPayload(body(PutSource))
      .addSuccess(Data(Connection))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(RankingsWrite)
  )
  .add(
    remove("remove", path, {
      summary: "Disconnect from Search Console",
      description:
        "Deletes the credentials and the sync history. A running sync stops within seconds. Imported data stay.",
      ids,
      scope: RankingsWrite
    })
  )
  .add(
    HttpApiEndpoint.post("sync", `${path}/sync`)
      .annotateContext(
        described(
          "Sync now",
          "Fetches the latest final days. While a sync is queued or running, this returns that sync instead of starting a second one; a queued sync is extended to the larger number of days."
        )
      )
      .setPath(ids)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(AskSync))
      .addSuccess(Created(Synchronisation), { status: 202 })
      .addSuccess(Created(Synchronisation))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(RankingsWrite)
  )
  .add(
    read("getSync", `${path}/syncs/:sync_id`, {
      summary: "Get a sync",
      description: "Returns the status and progress in days, for 30 days after the sync finished.",
      ids: OfSync,
      of: Synchronisation,
      scope: KeywordsRead
    })
  )
  .prefix("/api/v1") {}
