import { groupedBy } from "../../foundation/schema/Groups.ts"
import type { Verification, VerifyVerdict } from "../report/CrawlResult.ts"
import { columns, type Paint, paintOf, wrap } from "./Text.ts"
import { ruleName } from "./Wording.ts"

const words: Readonly<Record<VerifyVerdict, string>> = {
  fixed: "fixed",
  still_failing: "still failing",
  not_assessable: "not assessable"
}

const shade = (paint: Paint, verdict: VerifyVerdict): ((text: string) => string) =>
  verdict === "fixed" ? paint.green : verdict === "still_failing" ? paint.red : paint.yellow

const line = ({ detail, url, verdict }: Verification, paint: Paint): string => {
  const said = detail === "" ? url : `${url}  ${detail}`
  return `  ${shade(paint, verdict)(words[verdict].padEnd(16))}${wrap(said, columns - 18, " ".repeat(18))}`
}

/** What became of the faults of an earlier report as text for a terminal, rule by rule; nothing of the site can move the cursor. */
export const renderVerification = (verification: ReadonlyArray<Verification>, color: boolean): string => {
  const paint = paintOf(color)
  const count = (verdict: VerifyVerdict) => verification.filter((each) => each.verdict === verdict).length
  const counts = `${count("fixed")} fixed, ${count("still_failing")} still failing, ${count("not_assessable")} not assessable`
  const rules = [...groupedBy(verification, ({ rule }) => rule)]
  const lines = rules.flatMap(([rule, each]) => [
    "",
    `${ruleName(rule)} (${rule})`,
    ...each.map((one) => line(one, paint))
  ])
  return `${[`${paint.bold("Verified")}  ${counts}`, ...lines].join("\n")}\n`
}
