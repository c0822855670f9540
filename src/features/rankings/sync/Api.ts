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

/** Hours between two synchronisations, written `6h` or `1d`, up to 30 days; null, written `off`: none by itself. */
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

/** Default number of days that a synchronisation reaches back from the newest final one: four weeks. */
export const defaultDays = 28

export const SyncId = Uuid.pipe(Schema.brand("RankingSyncId"))
export type SyncId = typeof SyncId.Type

/** Why a synchronisation failed. The days that it had fetched stay. */
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
      "`unauthorised`: Google refuses the credentials; `forbidden`: they have no access to the property; `quota` and `unavailable` pass by themselves; `refused`: Google refuses the request; `failed`: a fault of the server; `worker_lost`: its worker died, ask again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, for people" })
}).annotations({
  identifier: "RankingSyncError",
  description: "Why a synchronisation failed; the days that it had fetched stay"
})
export type SyncError = typeof SyncError.Type

/** A synchronisation of a site with Search Console, asked for or made by its schedule. */
export const Synchronisation = Schema.Struct({
  id: SyncId.annotations({ description: "UUID of the synchronisation" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Where it stands; `completed` and `failed` are final"
  }),
  days_done: Schema.NonNegativeInt.annotations({ description: "Days that were fetched" }),
  days_total: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description: "Days that it fetches, those that were fetched before left out; null until it runs"
  }),
  error: Schema.NullOr(SyncError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When it was asked for, or when its schedule began it"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended; null before that" })
}).annotations({ identifier: "RankingSync", description: "A synchronisation of a project with Search Console" })
export type Synchronisation = typeof Synchronisation.Type

/** How a site is connected to Search Console, without its credentials. */
export const Connection = Schema.Struct({
  site_id: ProjectId.annotations({ description: "UUID of the project" }),
  property: Schema.String.annotations({ description: "Property of Search Console, such as `sc-domain:example.com`" }),
  every_hours: Schema.NullOr(Schema.Int).annotations({
    description: "Hours between two synchronisations; null: it is synchronised by command alone"
  }),
  next_sync_at: Schema.NullOr(Timestamp).annotations({
    description: "When the next synchronisation is due; null without a schedule"
  }),
  synced_at: Schema.NullOr(Timestamp).annotations({
    description: "When the last one succeeded; null before the first"
  }),
  last_error: Schema.NullOr(Schema.String).annotations({
    description: "Why the newest one failed; null when it did not"
  })
}).annotations({
  identifier: "RankingSource",
  description: "How a site is connected to Search Console, without its credentials"
})

/** Credentials, and what is synchronised with them. */
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
      "Property of Search Console that covers the project's host, such as `sc-domain:example.com`; absent: the URL prefix that is the project's address"
  }),
  credentials: SentCredentials.annotations({
    description: "Credentials of Google; stored encrypted and never answered. A `token_uri` is ignored"
  }),
  every: Schema.optionalWith(Every, { exact: true }).annotations({
    description:
      "Interval between two synchronisations: `1h` to `30d`, such as `6h` or `1d`, or `off`. Absent: `1d`, or what it was before"
  })
}).annotations({ identifier: "PutRankingSource", description: "Credentials, and what is synchronised with them" })

/** How far a synchronisation reaches back. */
const AskSync = Schema.Struct({
  days: Schema.optionalWith(
    Schema.Int.pipe(
      Schema.between(1, 500),
      Schema.annotations({ message: () => "must be a whole number from 1 to 500" })
    ),
    { default: () => defaultDays, exact: true }
  ).annotations({
    description: `Days to look back from the newest final one, 1 to 500, ${defaultDays} by default; those fetched before are left out`
  })
}).annotations({ identifier: "AskRankingSync", description: "How far it reaches back; the body may be absent" })

const path = "/projects/:project_id/rankings/source" as const
const ids = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSync = Schema.Struct({ ...ids.fields, sync_id: inPath(SyncId) })

/** The source of a project's search data. */
export class RankingSourceApi extends HttpApiGroup.make("ranking-source")
  .annotateContext(about("The source of a project's search data: its connection to Search Console."))
  .add(
    read("get", path, {
      summary: "Read the connection to Search Console",
      description:
        "The property that a project is synchronised with, how often, when next, and what went wrong the last time. Credentials are never shown. A project that is not connected is answered with 404.",
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
          "Stores credentials, encrypted, instead of those before, and begins to synchronise. Whether Google accepts them shows with the first synchronisation: in `last_error`."
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
        "Deletes the credentials and the record of synchronisations; one that is under way ends within seconds. The data stay.",
      ids,
      scope: RankingsWrite
    })
  )
  .add(
    HttpApiEndpoint.post("sync", `${path}/sync`)
      .annotateContext(
        described(
          "Synchronise now",
          "Asks for the newest final days. Where a synchronisation is not over, asked for or made by the schedule, it is answered instead of a second one; one that has not begun then reaches back as far as either asks."
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
      summary: "Read a synchronisation",
      description: "Its status and progress in days. It can be read for 30 days after its end.",
      ids: OfSync,
      of: Synchronisation,
      scope: KeywordsRead
    })
  )
  .prefix("/api/v1") {}
