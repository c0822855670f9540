import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { block, type Steps, withList } from "../../../foundation/schema/Steps.ts"

/** A count that a double holds exactly: an integer from `minimum` to 2^53 − 1. */
const Count = (description: string, minimum: number) => {
  const message = () => `must be an integer from ${minimum} to ${Number.MAX_SAFE_INTEGER}`
  return Schema.Number.pipe(
    Schema.int({ message }),
    Schema.between(minimum, Number.MAX_SAFE_INTEGER, { message, description, title: "count" })
  )
}

/** Counts before (`pre`) and after (`post`) a change. */
export interface Counts {
  readonly preImpressions: number
  readonly postImpressions: number
  readonly preConversions: number
  readonly postConversions: number
}

const tooManyConversions = (period: "pre" | "post") => ({
  path: [`${period}Conversions`],
  message: `must not exceed ${period}Impressions`
})

/** Faults of counts with more conversions than impressions. */
const conversionsWithinImpressions = (counts: Counts) => [
  ...(counts.preConversions > counts.preImpressions ? [tooManyConversions("pre")] : []),
  ...(counts.postConversions > counts.postImpressions ? [tooManyConversions("post")] : [])
]

/** The two arms of an experiment. */
export const Arm = Schema.Literal("control", "treatment").annotations({
  message: () => ({ message: "must be control or treatment", override: true })
})
export type Arm = typeof Arm.Type

/** The counts of one page of one arm; a page may have no impressions in either period. */
export const PageMetrics = Schema.Struct({
  arm: Arm.annotations({ description: "Whether it is a test page (`treatment`) or a control page" }),
  page: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters" })).annotations({
      description: "Name of the page, such as its path."
    }),
    { exact: true }
  ),
  preImpressions: Count("Impressions of the page before the change.", 0),
  postImpressions: Count("Impressions of the page after the change.", 0),
  preConversions: Count("Conversions of the page before the change, at most its preImpressions.", 0),
  postConversions: Count("Conversions of the page after the change, at most its postImpressions.", 0)
})
  .annotations({ message: () => "must be an object with `arm` and the counts of a page" })
  .pipe(
    Schema.filter(conversionsWithinImpressions, { jsonSchema: {} }),
    Schema.brand("PageMetrics", {
      identifier: "PageMetrics",
      description: "Counts of one page before and after the change."
    })
  )
export type PageMetrics = typeof PageMetrics.Type

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
      description: "Counts of test or control pages before and after the change; conversions never exceed impressions."
    })
  )
export type ArmMetrics = typeof ArmMetrics.Type

/** How many pages an arm may list. */
const pagesAnArm = { minimum: 2, maximum: 5_000 } as const

/** Message for more pages than both arms may have. */
const tooMany = `must contain ${pagesAnArm.minimum} to ${pagesAnArm.maximum} pages each for control and treatment`

/** Message for pages other than a list. */
const notList = "must be a list of pages"

const Pages = Schema.Array(PageMetrics)
  .annotations({ message: () => notList })
  .pipe(Schema.maxItems(2 * pagesAnArm.maximum, { message: () => tooMany }))
  .annotations({
    // Only the first wrong page is reported: there may be thousands.
    parseOptions: { errors: "first" },
    description:
      "The same counts by page, which make the p-value more reliable. They add up to `controlMetrics` and `treatmentMetrics`."
  })

type Pages = typeof Pages.Type

const counted = ["preImpressions", "postImpressions", "preConversions", "postConversions"] as const

/** The low bits of a count, summed separately from the others. */
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
        `must contain ${pagesAnArm.minimum} to ${pagesAnArm.maximum} pages each for control and treatment; ${arm} has ${pages.length}`
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
const problemsOf = ({ controlMetrics, pages, treatmentMetrics }: Fields) =>
  pages === undefined
    ? []
    : [...problemsOfArm("control", controlMetrics, pages), ...problemsOfArm("treatment", treatmentMetrics, pages)]

/** The counts of both arms. */
const arms = { controlMetrics: ArmMetrics, treatmentMetrics: ArmMetrics }
/** Message for input without fields. */
const notObject = "must be an object with controlMetrics and treatmentMetrics"

const Fields = Schema.Struct({ ...arms, pages: Schema.optionalWith(Pages, { exact: true }) }).annotations({
  message: () => notObject
})
type Fields = typeof Fields.Type

/** The input of an evaluation: the control arm without the change, the treatment arm with the change, and optionally the pages of both. */
export const ExperimentMetrics = Fields.pipe(Schema.filter(problemsOf, { jsonSchema: {} })).annotations({
  identifier: "ExperimentMetrics",
  description: "Counts of test and control pages, and optionally of each page"
})
export type ExperimentMetrics = typeof ExperimentMetrics.Type

const exact = { exact: true } as const

/** Body of an evaluation: the counts of both arms, or nothing for an evaluation of the stored page totals. */
export const Evaluation = Schema.Struct({
  controlMetrics: Schema.optionalWith(ArmMetrics, exact),
  treatmentMetrics: Schema.optionalWith(ArmMetrics, exact),
  pages: Schema.optionalWith(Pages, exact)
}).annotations({
  identifier: "Evaluation",
  description:
    "Counts of test and control pages: `controlMetrics` and `treatmentMetrics` together. Empty for an experiment with a design, which uses stored Search Console data."
})

/** The cost of writing a page, in characters. */
const worth = 50

/** The bytes of the counts as JSON, in steps: thousands of pages take long. */
export const metricsJson = function* ({ pages, ...arms }: ExperimentMetrics): Steps<Uint8Array> {
  if (pages === undefined) return new TextEncoder().encode(JSON.stringify(arms))
  // The work before may have been long.
  yield block
  return yield* withList(arms, "pages", pages, worth, (page) => JSON.stringify(page))
}

/** Faults of the input, by field. */
type Problems = ReadonlyArray<ParseResult.ArrayFormatterIssue>

const PageList = Schema.Array(Schema.Unknown).annotations({ message: () => notList })
const strictly = { onExcessProperty: "error" } as const
const readArms = Schema.decodeUnknownEither(
  Schema.Struct({ ...arms, pages: Schema.optionalWith(PageList, { exact: true }) }).annotations({
    message: () => notObject
  }),
  { ...strictly, errors: "all" }
)
const readPage = Schema.decodeUnknownEither(PageMetrics, { ...strictly, errors: "first" })

const faultsOf = ({ issue }: ParseResult.ParseError, path: ReadonlyArray<PropertyKey> = []): Problems =>
  ParseResult.ArrayFormatter.formatIssueSync(issue).map((one) => ({ ...one, path: [...path, ...one.path] }))

const ofPages = (message: string) => ({ _tag: "Type", message, path: ["pages"] }) as const

const problemsIn = (read: Either.Either<unknown, Problems>): Problems => (Either.isLeft(read) ? read.left : [])

/** The cost of reading one page, in characters: about 5 µs when the code is compiled, and 16 µs before. */
const pageWorth = 500

/** Reads the pages in steps, up to the first invalid one. */
const readPages = function* (sent: ReadonlyArray<unknown>): Steps<Either.Either<ReadonlyArray<PageMetrics>, Problems>> {
  if (sent.length > 2 * pagesAnArm.maximum) return Either.left([ofPages(tooMany)])
  const pages: Array<PageMetrics> = []
  for (const [index, page] of sent.entries()) {
    const read = readPage(page)
    if (Either.isLeft(read)) return Either.left(faultsOf(read.left, ["pages", index]))
    pages.push(read.right)
    yield pageWorth
  }
  return Either.right(pages)
}

/** Decodes like the schema of `ExperimentMetrics`, one page per step, because thousands of pages take long. */
export const readMetrics = function* (input: unknown): Steps<Either.Either<ExperimentMetrics, Problems>> {
  const ofArms = Either.mapLeft(readArms(input), (error) => faultsOf(error))
  const sent = Predicate.hasProperty(input, "pages") && Array.isArray(input.pages) ? input.pages : undefined
  const pages = sent === undefined ? Either.right(undefined) : yield* readPages(sent)
  if (Either.isLeft(ofArms) || Either.isLeft(pages)) {
    return Either.left([...problemsIn(ofArms), ...problemsIn(pages)])
  }
  const { controlMetrics, treatmentMetrics } = ofArms.right
  const metrics = {
    controlMetrics,
    treatmentMetrics,
    ...(pages.right === undefined ? {} : { pages: pages.right })
  }
  const problems = problemsOf(metrics)
  return problems.length === 0 ? Either.right(metrics) : Either.left(problems.map(({ message }) => ofPages(message)))
}
