import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Finding, FindingStatus, Severity } from "../../../crawl/report/Finding.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { RunId } from "../Domain.ts"
import { decodeResult, StoredResult } from "./StoredResult.ts"

/** A part of a result's list: `count` entries behind the position `after`. */
const Part = { after: Schema.UndefinedOr(Schema.Array(Schema.String)), count: Schema.Int, run: OwnedId(RunId) }

/** A row whose result was read. */
const whole = <A extends { readonly result: typeof StoredResult.Type }>(row: Effect.Effect<Option.Option<A>>) =>
  Effect.flatMap(
    row,
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (found) => Effect.asSome(Effect.map(decodeResult(found.result), (result) => ({ ...found, result })))
    })
  )

/** Reading the results of runs, whole and in parts. */
export class ResultsRepo extends Effect.Service<ResultsRepo>()("sitehealth/ResultsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const result = Query.first({
      Request: OwnedId(RunId),
      Result: Schema.Struct({ result: StoredResult }),
      execute: (run) => sql`SELECT result FROM site_health_runs WHERE id = ${run} AND result IS NOT NULL`
    })

    /** The newest earlier run of the project from the same start that has a result. */
    const earlier = Query.first({
      Request: RunId,
      Result: Schema.Struct({ id: RunId, result: StoredResult }),
      execute: (id) => sql`
        SELECT e.id, e.result FROM site_health_runs r
        JOIN site_health_runs e ON e.project_id = r.project_id AND e.url = r.url
          AND (e.created_at, e.id) < (r.created_at, r.id) AND e.result IS NOT NULL AND e.verify IS NULL
        WHERE r.id = ${id} ORDER BY e.created_at DESC, e.id DESC LIMIT 1`
    })

    /** The result that a run verifies, and the rules in question; none for a run of the whole site. */
    const verified = Query.first({
      Request: RunId,
      Result: Schema.Struct({ result: StoredResult, rules: Schema.NullOr(Schema.Array(Schema.String)) }),
      execute: (id) => sql`
        SELECT e.result, r.verify_rules AS rules FROM site_health_runs r JOIN site_health_runs e ON e.id = r.verify
        WHERE r.id = ${id} AND e.result IS NOT NULL`
    })

    const pages = Query.all({
      Request: Schema.Struct(Part),
      Result: Schema.Struct({ entry: MeasuredPage, place: Schema.String }),
      execute: ({ after, count, run }) => sql`
        SELECT entry, place::text FROM site_health_runs r,
          json_array_elements(r.result -> 'pages') WITH ORDINALITY AS list(entry, place)
        WHERE r.id = ${run} AND place > ${after?.[0] ?? "0"}::bigint ORDER BY list.place LIMIT ${count}`
    })

    /** The findings that pass the filters, in the order of the catalogue. */
    const findings = Query.all({
      Request: Schema.Struct({
        run: OwnedId(RunId),
        rule: Schema.UndefinedOr(Schema.String),
        severity: Schema.UndefinedOr(Severity),
        status: Schema.UndefinedOr(FindingStatus)
      }),
      Result: Schema.Struct({ entry: Finding }),
      execute: ({ rule, run, severity, status }) => sql`
        SELECT entry FROM site_health_runs r,
          json_array_elements(r.result -> 'findings') WITH ORDINALITY AS list(entry, place)
        WHERE r.id = ${run}
          AND (${rule ?? null}::text IS NULL OR entry ->> 'rule' = ${rule ?? null}::text)
          AND (${severity ?? null}::text IS NULL OR entry ->> 'severity' = ${severity ?? null}::text)
          AND (${status ?? null}::text IS NULL OR entry ->> 'status' = ${status ?? null}::text)
        ORDER BY list.place`
    })

    return {
      earlier: (run: Parameters<typeof earlier>[0]) => whole(earlier(run)),
      findings,
      pages,
      result: (run: Parameters<typeof result>[0]) => whole(result(run)),
      verified: (run: Parameters<typeof verified>[0]) => whole(verified(run))
    }
  })
}) {}
