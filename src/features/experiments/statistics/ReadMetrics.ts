import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Steps } from "../../../foundation/schema/Steps.ts"
import {
  arms,
  type ExperimentMetrics,
  notList,
  notObject,
  pagesAnArm,
  problemsOf,
  tooMany
} from "./ExperimentMetrics.ts"
import { PageMetrics } from "./pages/PageMetrics.ts"

/** Faults of the input, by field. */
type Problems = ReadonlyArray<ParseResult.ArrayFormatterIssue>

const Pages = Schema.Array(Schema.Unknown).annotations({ message: () => notList })
const strictly = { onExcessProperty: "error" } as const
const readArms = Schema.decodeUnknownEither(
  Schema.Struct({ ...arms, pages: Schema.optionalWith(Pages, { exact: true }) }).annotations({
    message: () => notObject
  }),
  { ...strictly, errors: "all" }
)
const readPage = Schema.decodeUnknownEither(PageMetrics, { ...strictly, errors: "first" })

const faultsOf = ({ issue }: ParseResult.ParseError, path: ReadonlyArray<PropertyKey> = []): Problems =>
  ParseResult.ArrayFormatter.formatIssueSync(issue).map((one) => ({ ...one, path: [...path, ...one.path] }))

const ofPages = (message: string) => ({ _tag: "Type", message, path: ["pages"] }) as const

const problemsIn = (read: Either.Either<unknown, Problems>): Problems => (Either.isLeft(read) ? read.left : [])

/** The cost of reading one page, in characters: some 5 µs when the code is compiled, and 16 before. */
const pageWorth = 500

/** The pages in steps, until one is wrong. */
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

/** Decodes as the schema of `ExperimentMetrics` does, one page a step, because thousands of pages take long. */
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
