import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { RunId } from "./Domain.ts"
import { HistoryPoint } from "./HistoryPoint.ts"

const Row = Schema.Struct({ id: RunId, created_at: Timestamp, point: HistoryPoint })

/** How the health of a site went, by what is stored of each run beside its result. */
export class History extends Effect.Service<History>()("sitehealth/History", {
  dependencies: [Projects.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const projects = yield* Projects

    const points = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId), rule: Schema.UndefinedOr(Schema.String) }),
      Result: Row,
      table: "r",
      rows: ({ project, rule }) => {
        const count = sql`(rules ->> ${rule ?? ""}::text)::integer`
        const verdict = sql`, 'rule', json_build_object('status',
          CASE WHEN ${count} > 0 THEN 'fail' WHEN ${count} = 0 THEN 'pass' ELSE 'not_assessed' END, 'count', coalesce(${count}, 0))`
        return sql`
          SELECT id, iso(created_at) AS created_at, json_build_object('run_id', id, 'finished_at', iso(finished_at), 'score', score,
            'findings', findings${rule === undefined ? sql`` : verdict}) AS point
          FROM site_health_runs r WHERE project_id = ${project} AND findings IS NOT NULL AND verify IS NULL`
      }
    })

    /** The runs of the whole site that had a result, newest first, each with what it says of a rule where one is named. */
    const list = Traced.fn("History.list")(function* (
      account: AccountId,
      project: ProjectId,
      rule: string | undefined,
      batch: Batch
    ) {
      if (rule !== undefined && !ruleIds.has(rule)) return yield* Invalid.of("rule", `there is no rule ${rule}`)
      return yield* points({ ...batch, project: yield* projects.own(account, project), rule })
    })

    return { list }
  })
}) {}
