import * as Schema from "effect/Schema"
import { withList } from "../../../foundation/schema/LongJson.ts"
import { block, type Steps } from "../../../foundation/schema/Steps.ts"
import { Count, type Counts, conversionsWithinImpressions } from "./Count.ts"
import { type Arm, PageMetrics } from "./pages/PageMetrics.ts"

/** The counts of one arm before (`pre`) and after (`post`) the change: integers up to 2^53 − 1, conversions out of impressions. */
export const ArmMetrics = Schema.Struct({
  preImpressions: Count("Impressions before the change, at least 1.", 1),
  postImpressions: Count("Impressions after the change, at least 1.", 1),
  preConversions: Count("Conversions before the change, at most preImpressions.", 0),
  postConversions: Count("Conversions after the change, at most postImpressions.", 0)
})
  .annotations({ message: () => "must be an object of counts" })
  .pipe(
    Schema.filter(conversionsWithinImpressions, { jsonSchema: {} }),
    Schema.brand("ArmMetrics", {
      identifier: "ArmMetrics",
      description: "Counts of one arm, before and after the change; conversions never exceed impressions."
    })
  )
export type ArmMetrics = typeof ArmMetrics.Type

/** How many pages an arm may list. */
export const pagesAnArm = { minimum: 2, maximum: 5_000 } as const

/** Message for more pages than both arms may list. */
export const tooMany = `must contain ${pagesAnArm.minimum} to ${pagesAnArm.maximum} pages of each arm`

/** Message for pages that are not a list. */
export const notList = "must be a list of pages"

const Pages = Schema.Array(PageMetrics)
  .annotations({ message: () => notList })
  .pipe(Schema.maxItems(2 * pagesAnArm.maximum, { message: () => tooMany }))
  .annotations({
    // Only the first wrong page is reported: there may be thousands.
    parseOptions: { errors: "first" },
    description:
      "The same counts page by page; the pages of an arm add up to its metrics. With them the test respects that impressions of one page belong together."
  })

type Pages = typeof Pages.Type

const counted = ["preImpressions", "postImpressions", "preConversions", "postConversions"] as const

/** The least significant bits of a count that are summed apart from the others. */
const low = 2 ** 27

/** Exact, also beyond 2^53, where the sum of doubles would be rounded. */
const sum = (pages: Pages, name: keyof Counts): bigint => {
  let lows = 0
  let highs = 0
  for (const { [name]: count } of pages) {
    lows += count % low
    highs += Math.floor(count / low)
  }
  return BigInt(highs) * BigInt(low) + BigInt(lows)
}

const problem = (message: string) => ({ path: ["pages"], message })

const problemsOfArm = (arm: Arm, metrics: ArmMetrics, all: Pages) => {
  const pages = all.filter((page) => page.arm === arm)
  if (pages.length < pagesAnArm.minimum || pages.length > pagesAnArm.maximum)
    return [
      problem(
        `must contain ${pagesAnArm.minimum} to ${pagesAnArm.maximum} pages of each arm; ${arm} has ${pages.length}`
      )
    ]
  return counted.flatMap((name) => {
    const total = sum(pages, name)
    return total === BigInt(metrics[name])
      ? []
      : [problem(`${name} of the ${arm} pages add up to ${total}, but ${arm}Metrics.${name} is ${metrics[name]}`)]
  })
}

/** Differences between the pages and the counts of their arms. */
export const problemsOf = ({ controlMetrics, pages, treatmentMetrics }: Fields) =>
  pages === undefined
    ? []
    : [...problemsOfArm("control", controlMetrics, pages), ...problemsOfArm("treatment", treatmentMetrics, pages)]

/** The counts of both arms. */
export const arms = { controlMetrics: ArmMetrics, treatmentMetrics: ArmMetrics }
/** Message for input without fields. */
export const notObject = "must be an object with the counts of both arms"

const Fields = Schema.Struct({ ...arms, pages: Schema.optionalWith(Pages, { exact: true }) }).annotations({
  message: () => notObject
})
type Fields = typeof Fields.Type

/** What an evaluation needs: the control arm, which did not get the change, the treatment arm, which did, and the pages of both where they are known. */
export const ExperimentMetrics = Fields.pipe(Schema.filter(problemsOf, { jsonSchema: {} })).annotations({
  identifier: "ExperimentMetrics",
  description: "Counts of both arms, and of their pages where they are known"
})
export type ExperimentMetrics = typeof ExperimentMetrics.Type

const exact = { exact: true } as const

/** Body of an evaluation: the counts of both arms, or nothing, where the page totals that are stored decide. */
export const Evaluation = Schema.Struct({
  controlMetrics: Schema.optionalWith(ArmMetrics, exact),
  treatmentMetrics: Schema.optionalWith(ArmMetrics, exact),
  pages: Schema.optionalWith(Pages, exact)
}).annotations({
  identifier: "Evaluation",
  description:
    "Counts of both arms, `controlMetrics` and `treatmentMetrics` together. Empty for an experiment with a design, which the page totals that are stored decide."
})

/** The cost of writing a page, in characters. */
const worth = 50

/** The bytes of the counts as JSON, in steps: thousands of pages take long. */
export const metricsJson = function* ({ pages, ...arms }: ExperimentMetrics): Steps<Uint8Array> {
  if (pages === undefined) return new TextEncoder().encode(JSON.stringify(arms))
  // What was done before may have been long.
  yield block
  return yield* withList(arms, "pages", pages, worth, (page) => JSON.stringify(page))
}
