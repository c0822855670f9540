import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { Count, field } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { IsoDate } from "../../rankings/Domain.ts"
import { identity, inAnyForm } from "../../rankings/PageIdentity.ts"
import { reader } from "../../rankings/PagePath.ts"

/** Enough for 10,000 pages with paths of 300 characters. */
export const bytesOfPages = 4 * 1024 * 1024

/** 10,000 pages with six values each, the pages themselves, and double that for safety. */
export const valuesOfPages = 100_000

/** The page lists of a design. */
export const listsOfDesign = ["design.treatment.pages", "design.control.pages", "design.exclude"]

/** Errors of finding the pages of a design's arms. */
export const noArms = failure("missing_data", "too_few_pages")

/** Errors of evaluating page totals. */
export const undecided = failure("missing_data", "too_few_pages", "not_assessable", "history_too_short")

/** Maximum pages of an arm. */
export const pagesAnArm = 5_000

/** Reads bare paths only, so any host will do. */
const read = reader({ host: "localhost" })

/** What is wrong with a page's path; undefined when it is valid. */
const pathProblem = (path: string): string | undefined => {
  if (!path.startsWith("/")) return "must be a path that starts with /, such as /blog/post?page=2, without the host"
  if (!path.isWellFormed()) return "must be valid text"
  const page = read(path)
  if (page._tag === "Refused") return page.reason
  return path.includes("#") ? "must not have a fragment (the part from #)" : undefined
}

/** One filter over the whole list: a schema for each of thousands of paths would delay other requests. */
const problemsOf = (paths: ReadonlyArray<string>) => {
  for (const [index, path] of paths.entries()) {
    const message = pathProblem(path)
    if (message !== undefined) return { message, path: [index] }
  }
  return undefined
}

/** A list of page paths, normalized. */
const Paths = (most: number, description: string, example: ReadonlyArray<string>) =>
  Schema.transform(PathTexts(most, description, example), Schema.Array(Schema.String), {
    strict: true,
    decode: (paths) => paths.map(identity),
    encode: (paths) => paths
  })

const PathTexts = (most: number, description: string, example: ReadonlyArray<string>) =>
  Schema.Array(Schema.String)
    .annotations({ message: () => "must be a list of paths" })
    .pipe(
      Schema.filter((paths) =>
        paths.length >= 1 && paths.length <= most
          ? (problemsOf(paths) ?? true)
          : { message: `must have 1 to ${most} paths`, path: [] }
      ),
      Schema.annotations({
        jsonSchema: {
          description,
          items: { maxLength: 8192, type: "string" },
          maxItems: most,
          minItems: 1,
          type: "array"
        },
        examples: [example],
        parseOptions: { errors: "first" }
      })
    )

/** Paths to exclude from a design. */
const Excluded = Paths(
  pagesAnArm,
  "Paths to exclude from test and control pages: pages that change for other reasons.",
  ["/blog/about-us"]
)

const Pattern = Schema.String.pipe(
  Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" }),
  Schema.filter((pattern) => pathProblem(pattern) ?? true),
  Schema.annotations({
    jsonSchema: { maxLength: 2048, pattern: "^/", type: "string" },
    description:
      "A path pattern: `*` matches any text, including none, so `/blog/*` matches every path that starts with `/blog/`. It matches path and query string as in Search Console, with or without percent-encoding.",
    examples: ["/blog/*"]
  }),
  inAnyForm
)

const oneOf = "must have either pages or pattern"

/** Pages by their paths, at most `most`, or by a pattern. */
const PageSet = (most: number) =>
  Schema.Struct({
    pages: Schema.optionalWith(
      Paths(most, "Paths with query strings, as in Search Console. Duplicates count once.", ["/blog/a", "/blog/b"]),
      { exact: true }
    ).annotations({ description: "Paths with query strings; either `pages` or `pattern`." }),
    pattern: Schema.optionalWith(Pattern, { exact: true }).annotations({
      description: "A path pattern in which `*` matches any text; either `pattern` or `pages`."
    })
  })
    .annotations({
      description: "Test or control pages: either `pages` or `pattern`.",
      message: () => ({ message: oneOf, override: false })
    })
    .pipe(Schema.filter(({ pages, pattern }) => (pages === undefined) !== (pattern === undefined) || oneOf))

/** The pages of an arm. */
export interface Arm {
  readonly pages?: ReadonlyArray<string>
  readonly pattern?: string
}

/** Body of `POST /experiments/{id}/assign`: the pages to assign randomly. */
export const Assign = Schema.Struct({
  pages: Schema.optionalWith(
    Paths(2 * pagesAnArm, "Paths of the pages to assign; pages without a click in the baseline are left out.", [
      "/blog/a",
      "/blog/b"
    ]),
    { exact: true }
  ).annotations({ description: "Paths of the pages to assign; either `pages` or `pattern`." }),
  pattern: Schema.optionalWith(Pattern, { exact: true }).annotations({
    description: "A path pattern of the pages to assign, in which `*` matches any text; either `pattern` or `pages`."
  }),
  seed: Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter(
        (seed) =>
          (seed.length >= 1 && seed.length <= 200 && !/[\p{Cc}]/u.test(seed) && seed.isWellFormed()) ||
          "must be 1 to 200 characters of valid text"
      ),
      Schema.annotations({
        jsonSchema: { maxLength: 200, minLength: 1, type: "string" },
        description:
          "Seed of the random assignment: the same seed, pages and data give the same groups. Random by default.",
        examples: ["2026-11 titles"]
      })
    ),
    { exact: true }
  ).annotations({
    description:
      "Seed of the random assignment, 1 to 200 characters: the same seed, pages and data give the same groups. Random by default."
  })
})
  .annotations({ description: "The pages to randomly assign to test and control." })
  .pipe(Schema.filter(({ pages, pattern }) => (pages === undefined) !== (pattern === undefined) || oneOf))
  .annotations({ identifier: "AssignPages" })
export type Assign = typeof Assign.Type

/** One message for any value outside the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

const PreDays = Schema.Literal(14, 28, 42, 56, 84).annotations({
  ...instead("must be 14, 28, 42, 56 or 84"),
  description: "Baseline: days before the change, 14, 28, 42, 56 or 84."
})

const SettleDays = Schema.Literal(0, 7, 14, 21, 28).annotations({
  ...instead("must be 0, 7, 14, 21 or 28"),
  description: "Settling: days after the change that do not count while search engines pick it up, 0, 7, 14, 21 or 28."
})

const PostDays = Schema.Literal(14, 28, 42, 56, 84).annotations({
  ...instead("must be 14, 28, 42, 56 or 84"),
  description: "Measurement: days after settling, 14, 28, 42, 56 or 84."
})

const Metric = Schema.Literal("clicks", "ctr").annotations({
  ...instead("must be clicks or ctr"),
  description: "Metric of the result; the other metric is reported as `secondary`."
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
    'The control pages, listed or by a pattern; or `"auto"`: the 5,000 most clicked pages, without test pages of this or a concurrent experiment, pages that share a query with a test page, and `exclude`.',
  examples: ["auto"]
})

const ChangeDate = IsoDate.annotations({
  description:
    "First day with the change, `YYYY-MM-DD` in Pacific time, as in Search Console. The start day by default; it may be in the past.",
  examples: ["2026-09-01"]
})

const SiteId = ProjectId.annotations({
  description: "UUID of your site on this domain; its Search Console data are compared"
})

const exact = { exact: true } as const

const excluded = "Paths to exclude from test and control pages."

/** A comparison of test pages with control pages, before and after the change. */
export const Design = Schema.Struct({
  site_id: SiteId,
  metric: Metric,
  treatment: Schema.optionalWith(Treatment, exact).annotations({
    description: "The test pages. A draft may leave them out until random assignment or the start."
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
    description: "The pages, days and metric of the experiment.",
    // Rejects unknown fields in files of the command line too.
    parseOptions: { onExcessProperty: "error" }
  })
export type Design = typeof Design.Type

/** The first path in both arms that `exclude` does not remove. */
const problemOf = ({
  control,
  exclude = [],
  treatment
}: {
  readonly control?: "auto" | Arm
  readonly exclude?: ReadonlyArray<string>
  readonly treatment?: Arm
}) => {
  if (control === undefined || control === "auto") return undefined
  const changed = new Set(treatment?.pages ?? [])
  for (const path of exclude) changed.delete(path)
  const both = (control.pages ?? []).find((path) => changed.has(path))
  return both === undefined ? undefined : inBothArms(both)
}

/** The error for a page in both arms. */
export const inBothArms = (path: string) => ({
  message: `has ${path}, which is also in treatment. Remove it from one of the two, or add it to exclude`,
  path: ["control"]
})

/** Changes of a draft's design: absent fields stay, and null removes an optional field. */
export const DesignPatch = Schema.Struct({
  site_id: Schema.optionalWith(SiteId, exact),
  metric: Schema.optionalWith(Metric, exact),
  treatment: Schema.optionalWith(Schema.NullOr(Treatment), exact).annotations({
    description: "The test pages; null removes them."
  }),
  control: Schema.optionalWith(Schema.NullOr(Control), exact).annotations({
    description: 'The control pages, or `"auto"`; null removes them.'
  }),
  exclude: Schema.optionalWith(Schema.NullOr(Excluded), exact).annotations({
    description: `${excluded} Null removes them.`
  }),
  change_date: Schema.optionalWith(Schema.NullOr(ChangeDate), exact).annotations({
    description: "First day with the change, `YYYY-MM-DD` in Pacific time; null removes it."
  }),
  pre_days: Schema.optionalWith(PreDays, exact),
  settle_days: Schema.optionalWith(SettleDays, exact),
  post_days: Schema.optionalWith(PostDays, exact)
}).annotations({
  identifier: "ExperimentDesignPatch",
  description:
    "Changes to the design: fields that you leave out stay the same, and null removes `treatment`, `control`, `exclude` or `change_date`. An experiment without a design gets one and then needs `site_id` and `metric`."
})
export type DesignPatch = typeof DesignPatch.Type

const StoredArm = Schema.Struct({
  pages: Schema.optionalWith(Schema.Array(Schema.String), exact).annotations({
    description: "Paths of the pages; absent in lists of experiments"
  }),
  page_count: Schema.optionalWith(Schema.Int, exact).annotations({
    description: "In lists of experiments: number of `pages`"
  }),
  pattern: Schema.optionalWith(Schema.String, exact).annotations({ description: "Path pattern of the pages" })
}).annotations({ identifier: "ExperimentArm", description: "Test or control pages: listed, or by a pattern" })

/** A design in storage and in responses. Its paths were validated on arrival. */
export const StoredDesign = Schema.Struct({
  site_id: SiteId,
  metric: Metric,
  treatment: Schema.optionalWith(StoredArm, exact).annotations({ description: "The test pages" }),
  control: Schema.optionalWith(Schema.Union(Schema.Literal("auto"), StoredArm), exact).annotations({
    description: "The control pages; `auto` when Findable chooses them"
  }),
  exclude: Schema.optionalWith(Schema.Array(Schema.String), exact).annotations({
    description: "Excluded paths; absent in lists of experiments"
  }),
  change_date: Schema.optionalWith(Schema.String, exact).annotations({
    description: "First day with the change, `YYYY-MM-DD`, Pacific time; the start sets it by default",
    jsonSchema: { format: "date", type: "string" }
  }),
  pre_days: PreDays,
  settle_days: SettleDays,
  post_days: PostDays
}).annotations({
  identifier: "ExperimentDesign",
  description: "The pages, days and metric of the experiment."
})
export type StoredDesign = typeof StoredDesign.Type

/** The random assignment of the pages. */
export const Assignment = Schema.Struct({
  seed: Schema.String.annotations({
    description: "Seed: the test page of a pair is the one with the smaller hex SHA-256 of seed, line feed and path"
  }),
  draws: Schema.Int.annotations({
    description: "Number of assignments; more than one means that one of several was chosen"
  }),
  assigned_at: field(Timestamp, "When the pages were assigned")
}).annotations({ identifier: "ExperimentAssignment", description: "The random assignment of the pages" })
export type Assignment = typeof Assignment.Type

const Share = Schema.Number.pipe(Schema.between(0, 1))

/** The pages of both arms, fixed at the start. */
export const FrozenPages = Schema.Struct({
  treatment: Schema.Array(Schema.String).annotations({ description: "Paths of the test pages" }),
  control: Schema.Array(Schema.String).annotations({ description: "Paths of the control pages" })
}).annotations({ identifier: "ExperimentPages", description: "Test and control pages as fixed at the start." })
export type FrozenPages = typeof FrozenPages.Type

/** The search totals of a design's pages on one day. */
export const SeriesDay = Schema.Struct({
  date: Schema.String.annotations({ description: "Day, YYYY-MM-DD, Pacific time" }),
  period: Schema.Literal("pre", "settle", "post").annotations({
    description: "`pre`: the baseline; `settle`: days from the change on that do not count; `post`: the measurement"
  }),
  treatment_clicks: Count.annotations({ description: "Clicks of the test pages" }),
  treatment_impressions: Count.annotations({ description: "Impressions of the test pages" }),
  treatment_ctr: Share.annotations({ description: "Clicks ÷ impressions of the test pages; 0 without impressions" }),
  control_clicks: Count.annotations({ description: "Clicks of the control pages" }),
  control_impressions: Count.annotations({ description: "Impressions of the control pages" }),
  control_ctr: Share.annotations({ description: "Clicks ÷ impressions of the control pages; 0 without impressions" })
}).annotations({
  identifier: "ExperimentSeriesDay",
  description: "Clicks and impressions of test and control pages on one day"
})
export type SeriesDay = typeof SeriesDay.Type
