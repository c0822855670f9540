import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { read, remove } from "../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { body, Data, inPath } from "../../../foundation/http/RequestSchemas.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { KeywordsRead, RankingsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { SentCredentials } from "../searchconsole/Credentials.ts"
import { Every } from "./Every.ts"
import { defaultDays, Synchronisation, SyncId } from "./Synchronisation.ts"

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
