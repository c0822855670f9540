import { type Change, change, least, type Reason } from "./Comparison.ts"
import { type OfPrompt, type Rate, rateOf } from "./Rate.ts"

/** What a run measured of one engine, as far as rates and comparisons need it. */
interface Measured {
  readonly answered: number
  readonly engine: string
  readonly hasNames: boolean
  readonly models: ReadonlyArray<string>
  readonly planned: number
  readonly promptSet: string
  readonly prompts: ReadonlyArray<{
    readonly answers: number
    readonly cited: number
    readonly isNamed: boolean
    readonly key: string
    readonly mentioned: number
  }>
  readonly repeats: number
  readonly tool: string
}

const citing = ({ answers, cited }: Measured["prompts"][number]): OfPrompt => ({ answers, hits: cited })

/** The share of answers that cite the site. */
export const citedRate = ({ prompts, repeats }: Measured): Rate | null => rateOf(prompts.map(citing), repeats)

/** The share of answers that name the brand; of prompts that name it themselves it says nothing. */
export const mentionedRate = ({ hasNames, prompts, repeats }: Measured): Rate | null =>
  hasNames
    ? rateOf(
        prompts.filter(({ isNamed }) => !isNamed).map(({ answers, mentioned }) => ({ answers, hits: mentioned })),
        repeats
      )
    : null

/** Whether so much was answered that a rate may stand for its run. */
export const isWhole = ({ answered, planned }: Measured): boolean => answered >= least.answered * planned

/** Whether one model gave all the answers. */
const isOfOneModel = ({ models }: Measured) => models.length === 1

/** A run that may be compared with others: whole, and of one model. */
export const mayCompare = (measured: Measured): boolean => isWhole(measured) && isOfOneModel(measured)

interface Comparison {
  readonly change: Change | null
  readonly reasons: ReadonlyArray<Reason>
}

/** The change of the share of citing answers between two runs, and what forbids to call it one. */
export const compared = (before: Measured, after: Measured): Comparison => {
  const earlier = new Map(before.prompts.map((prompt) => [prompt.key, prompt]))
  const found = change(
    after.prompts.flatMap((prompt) => {
      const other = earlier.get(prompt.key)
      return other === undefined ? [] : [{ after: citing(prompt), before: citing(other) }]
    })
  )
  const isSameModel = isOfOneModel(before) && isOfOneModel(after) && before.models[0] === after.models[0]
  const missing: ReadonlyArray<readonly [boolean, Reason]> = [
    [before.engine !== after.engine, "other_engine"],
    [!isSameModel, "other_model"],
    [before.promptSet !== after.promptSet, "other_prompts"],
    [before.tool !== after.tool, "other_tool"],
    [(found?.prompts ?? 0) < least.prompts, "too_few_prompts"],
    [!isWhole(before) || !isWhole(after), "too_few_answers"]
  ]
  return { change: found, reasons: missing.flatMap(([is, reason]) => (is ? [reason] : [])) }
}
