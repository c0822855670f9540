import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A node of a plan, from EXPLAIN. */
interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number | undefined
  readonly Plans?: ReadonlyArray<Plan> | undefined
}
const Plan: Schema.Schema<Plan> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optional(Schema.String),
  "Actual Rows": Schema.Number,
  "Actual Loops": Schema.Number,
  "Rows Removed by Filter": Schema.optional(Schema.Number),
  Plans: Schema.optional(Schema.Array(Schema.suspend(() => Plan)))
})
const Explained = Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.Array(Schema.Struct({ Plan })) }))

const rowsOf = (relation: string, plan: Plan): number =>
  (plan["Relation Name"] === relation && plan["Node Type"] !== "ModifyTable"
    ? plan["Actual Loops"] * (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0))
    : 0) + (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(relation, below), 0)

/** The number of rows that each statement of an effect reads. */
export const rowsRead = Effect.fnUntraced(function* (relation: string, statements: Effect.Effect<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const explained: Array<number> = []
  yield* Statement.withTransformer((original) =>
    Effect.gen(function* () {
      const [text, parameters] = original.compile()
      const explain = sql.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters)
      const rows = yield* Statement.withTransformerDisabled(explain)
      for (const { "QUERY PLAN": plans } of yield* Schema.decodeUnknown(Explained)(rows))
        for (const { Plan } of plans) explained.push(rowsOf(relation, Plan))
      return sql`SELECT 1 WHERE false`
    }).pipe(Effect.orDie)
  )(statements)
  return explained
})
