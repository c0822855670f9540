import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { IsoDate } from "../../rankings/Domain.ts"
import { type Arm as ArmOf, Excluded, PageSet, pagesAnArm } from "./PageSet.ts"

/** One message for a value that is none of the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

const PreDays = Schema.Literal(14, 28, 42, 56, 84).annotations({
  ...instead("must be 14, 28, 42, 56 or 84"),
  description: "Days before the change that are compared: 14, 28, 42, 56 or 84."
})

const SettleDays = Schema.Literal(0, 7, 14, 21, 28).annotations({
  ...instead("must be 0, 7, 14, 21 or 28"),
  description:
    "Days from the change on that count for neither side, while search engines take notice: 0, 7, 14, 21 or 28."
})

const PostDays = Schema.Literal(14, 28, 42, 56, 84).annotations({
  ...instead("must be 14, 28, 42, 56 or 84"),
  description: "Days after the settling time that are compared: 14, 28, 42, 56 or 84."
})

const Metric = Schema.Literal("clicks", "ctr").annotations({
  ...instead("must be clicks or ctr"),
  description: "What the verdict is about; the other metric is answered beside it, under `secondary`."
})

const Treatment = PageSet(pagesAnArm).annotations({
  identifier: "NewExperimentArm",
  examples: [{ pattern: "/blog/*" }]
})

const Control = Schema.Union(
  Schema.Literal("auto").annotations(instead('must be "auto", or an object with pages or pattern')),
  Treatment
).annotations({
  description:
    'The pages that stay as they are, listed or by a pattern; or `"auto"`: the 5,000 most clicked pages, less those that are treated here or in another experiment at the time, those that share a query with a treated page, and `exclude`.',
  examples: ["auto"]
})

const ChangeDate = IsoDate.annotations({
  description:
    "The first day with the change, `YYYY-MM-DD` in Pacific time, as all days of Search Console. Without it, the day of the start. It may lie in the past: the data that are stored decide.",
  examples: ["2026-09-01"]
})

const SiteId = ProjectId.annotations({
  description: "a site of the caller on the growth project's domain; its page totals are compared"
})

const exact = { exact: true } as const

const excluded = "Paths that are in no arm, whatever a pattern or `auto` would take."

/** A comparison of pages that are changed with pages that are not, before and after the change. */
export const Design = Schema.Struct({
  site_id: SiteId,
  metric: Metric,
  treatment: Schema.optionalWith(Treatment, exact).annotations({
    description: "The pages that are changed. A draft may lack them until `assign` or the start."
  }),
  control: Schema.optionalWith(Control, exact),
  exclude: Schema.optionalWith(Excluded, exact).annotations({ description: excluded }),
  change_date: Schema.optionalWith(ChangeDate, exact),
  pre_days: Schema.optionalWith(PreDays, { default: () => 28 as const, exact: true }),
  settle_days: Schema.optionalWith(SettleDays, { default: () => 7 as const, exact: true }),
  post_days: Schema.optionalWith(PostDays, { default: () => 28 as const, exact: true })
})
  .pipe(Schema.filter((design) => problemOf(design) ?? true))
  .annotations({
    identifier: "NewExperimentDesign",
    description: "Which pages are compared, over which days, by which metric.",
    // In files of the command line too.
    parseOptions: { onExcessProperty: "error" }
  })
export type Design = typeof Design.Type

/** The first path that both arms list, and `exclude` does not take out. */
const problemOf = ({
  control,
  exclude = [],
  treatment
}: {
  readonly control?: "auto" | ArmOf
  readonly exclude?: ReadonlyArray<string>
  readonly treatment?: ArmOf
}) => {
  if (control === undefined || control === "auto") return undefined
  const changed = new Set(treatment?.pages ?? [])
  for (const path of exclude) changed.delete(path)
  const both = (control.pages ?? []).find((path) => changed.has(path))
  return both === undefined ? undefined : inBothArms(both)
}

/** The problem of a page that is in both arms. */
export const inBothArms = (path: string) => ({
  message: `has ${path}, which is in treatment too: a page is in one arm only, so take it out of one, or name it in exclude`,
  path: ["control"]
})

/** Changes of a draft's design: what is absent stays, and null takes an optional field away. */
export const DesignPatch = Schema.Struct({
  site_id: Schema.optionalWith(SiteId, exact),
  metric: Schema.optionalWith(Metric, exact),
  treatment: Schema.optionalWith(Schema.NullOr(Treatment), exact).annotations({
    description: "The pages that are changed; null takes them away."
  }),
  control: Schema.optionalWith(Schema.NullOr(Control), exact).annotations({
    description: 'The pages that stay as they are, or `"auto"`; null takes them away.'
  }),
  exclude: Schema.optionalWith(Schema.NullOr(Excluded), exact).annotations({
    description: `${excluded} Null takes them away.`
  }),
  change_date: Schema.optionalWith(Schema.NullOr(ChangeDate), exact).annotations({
    description: "The first day with the change, `YYYY-MM-DD` in Pacific time; null takes it away."
  }),
  pre_days: Schema.optionalWith(PreDays, exact),
  settle_days: Schema.optionalWith(SettleDays, exact),
  post_days: Schema.optionalWith(PostDays, exact)
}).annotations({
  identifier: "ExperimentDesignPatch",
  description:
    "Changes of the design: a field that is absent stays as it is, null takes `treatment`, `control`, `exclude` or `change_date` away. An experiment without a design gets one; it then needs `site_id` and `metric`."
})
export type DesignPatch = typeof DesignPatch.Type

const StoredArm = Schema.Struct({
  pages: Schema.optionalWith(Schema.Array(Schema.String), exact).annotations({
    description: "paths of its pages; absent in lists of experiments"
  }),
  page_count: Schema.optionalWith(Schema.Int, exact).annotations({
    description: "in lists of experiments: how many paths `pages` has"
  }),
  pattern: Schema.optionalWith(Schema.String, exact).annotations({ description: "the pattern that its pages fit" })
}).annotations({ identifier: "ExperimentArm", description: "Pages of an arm: listed, or by a pattern" })

/** A design as it is stored and answered. Its paths were validated when they came. */
export const StoredDesign = Schema.Struct({
  site_id: SiteId,
  metric: Metric,
  treatment: Schema.optionalWith(StoredArm, exact).annotations({ description: "the pages that are changed" }),
  control: Schema.optionalWith(Schema.Union(Schema.Literal("auto"), StoredArm), exact).annotations({
    description: "the pages that stay as they are; `auto` where the service takes them"
  }),
  exclude: Schema.optionalWith(Schema.Array(Schema.String), exact).annotations({
    description: "paths that are in no arm; absent in lists of experiments"
  }),
  change_date: Schema.optionalWith(Schema.String, exact).annotations({
    description: "the first day with the change, `YYYY-MM-DD`, Pacific time; the start sets it where it is absent",
    jsonSchema: { format: "date", type: "string" }
  }),
  pre_days: PreDays,
  settle_days: SettleDays,
  post_days: PostDays
}).annotations({
  identifier: "ExperimentDesign",
  description: "Which pages are compared, over which days, by which metric."
})
export type StoredDesign = typeof StoredDesign.Type

/** How the service dealt the pages to the arms. */
export const Assignment = Schema.Struct({
  seed: Schema.String.annotations({
    description:
      "decides, with the paths, which page of a pair is treated: the smaller hex SHA-256 of seed, line feed and path"
  }),
  draws: Schema.Int.annotations({
    description: "how many times pages were assigned: more than one is a choice among draws"
  }),
  assigned_at: field(Timestamp, "when the pages were dealt out")
}).annotations({ identifier: "ExperimentAssignment", description: "How the service dealt the pages to the arms" })
export type Assignment = typeof Assignment.Type

/** The pages of both arms as the start fixed them. */
export const FrozenPages = Schema.Struct({
  treatment: Schema.Array(Schema.String).annotations({ description: "paths of the pages that are changed" }),
  control: Schema.Array(Schema.String).annotations({ description: "paths of the pages that stay as they are" })
}).annotations({ identifier: "ExperimentPages", description: "The pages of both arms as the start fixed them." })
export type FrozenPages = typeof FrozenPages.Type
