import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FindingCounts } from "../../crawl/report/Finding.ts"
import { field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { Project, type ProjectId } from "./Domain.ts"

/** Data that a list of projects can include, with the additional scope. */
export const scopeOf = { health: "site-health:read", rankings: "keywords:read" } as const
export type Included = keyof typeof scopeOf

const names = Schema.Literal("health", "rankings")
const isName = Schema.is(names)

/** Names separated by commas; empty for none. */
export const Include = Schema.String.pipe(
  Schema.filter((text) => text === "" || text.split(",").every(isName), {
    message: () => `must be some of ${names.literals.join(", ")}, separated by commas`
  }),
  Schema.transform(Schema.Array(names), {
    strict: true,
    decode: (text) => text.split(",").filter(isName),
    encode: (included) => included.join(",")
  }),
  Schema.annotations({ jsonSchema: { type: "string", pattern: "^((health|rankings)(,(health|rankings))*)?$" } })
)

const Point = Schema.Struct({
  at: field(Timestamp, "When the crawl finished"),
  score: Schema.Int.annotations({ description: "Score, 0 to 100" })
}).annotations({ identifier: "ProjectHealthPoint", description: "Score of one crawl" })

const Failed = Schema.Struct({
  run_id: Uuid.annotations({ description: "UUID of the crawl" }),
  finished_at: field(Timestamp, "When it failed"),
  message: Schema.String.annotations({ description: "Explanation for people" })
}).annotations({ identifier: "ProjectHealthFailure", description: "A crawl that failed" })

/** The health of a site by its newest result. */
export const Health = Schema.Struct({
  run_id: Schema.NullOr(Uuid).annotations({
    description: "UUID of the latest finished crawl of the whole site; null before the first"
  }),
  status: Schema.NullOr(Schema.Literal("completed", "partial")).annotations({
    description: "`partial` when a limit ended it before every page was crawled; null before the first crawl"
  }),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it finished; null before the first crawl" }),
  score: Schema.NullOr(Schema.Int).annotations({
    description: "Score, 0 to 100; null before the first crawl, and when no page could be crawled"
  }),
  delta: Schema.NullOr(Schema.Int).annotations({
    description:
      "Score change from the previous crawl with the same start URL; null when the two scores cannot be compared"
  }),
  findings: Schema.NullOr(FindingCounts).annotations({
    description: "Issues by severity; null before the first crawl"
  }),
  running_run_id: Schema.NullOr(Uuid).annotations({
    description: "UUID of the crawl of the whole site that is queued or running; null when there is none"
  }),
  failed: Schema.NullOr(Failed).annotations({
    description: "Latest crawl of the whole site that failed after `run_id`; null when there is none"
  }),
  next_at: Schema.NullOr(Timestamp).annotations({
    description: "When a schedule starts the next crawl; null without a schedule"
  }),
  scores: Schema.Array(Point).annotations({
    description: "Up to 12 scores, latest first, of crawls with the same start URL as the latest"
  })
}).annotations({ identifier: "ProjectHealth", description: "Score, issues and schedule of a site" })
export type Health = typeof Health.Type

/** The days of a site's rankings. */
export const RankingDays = Schema.Struct({
  first_day: Schema.String.annotations({ description: "First day with query data, such as `2026-11-01`" }),
  last_day: Schema.String.annotations({ description: "Last day with query data" })
}).annotations({ identifier: "ProjectRankingDays", description: "Days with rankings" })
export type RankingDays = typeof RankingDays.Type

/** A listed project with its requested `include` parts. */
export const ListedProject = Schema.Struct({
  ...Project.fields,
  health: Schema.optionalWith(Health, { exact: true }).annotations({
    description: "With `include=health`: score and issues of the site; absent otherwise"
  }),
  rankings: Schema.optionalWith(Schema.NullOr(RankingDays), { exact: true }).annotations({
    description: "With `include=rankings`: days with rankings, null when there are none; absent otherwise"
  })
}).annotations({
  identifier: "ListedProject",
  description: "A site of the account, with the parts that `include` asks for"
})

/** Reads one kind of data of several projects of an account, without projects that lack it. */
type Reader<A> = (account: AccountId, projects: ReadonlyArray<ProjectId>) => Effect.Effect<ReadonlyMap<ProjectId, A>>

/** The health of projects, which the room of site health provides. */
export class ProjectHealth extends Context.Tag("projects/ProjectHealth")<ProjectHealth, Reader<Health>>() {}

/** The days of projects' rankings, which the room of rankings provides. */
export class ProjectRankings extends Context.Tag("projects/ProjectRankings")<ProjectRankings, Reader<RankingDays>>() {}
