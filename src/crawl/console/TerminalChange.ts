import { plural } from "../../foundation/text/Words.ts"
import type { CrawlDiff, FindingUnit } from "../diff/CrawlDiff.ts"
import { shade } from "./TerminalFindings.ts"
import { beside, type Paint, paintOf } from "./Text.ts"
import { ruleName } from "./Wording.ts"

type Section = ReadonlyArray<string>

const unitLines = ({ rule, severity, url }: FindingUnit, paint: Paint): Section => {
  const [first = "", ...rest] = beside(`  ${severity.padEnd(9)}${ruleName(rule)}`, url, 11)
  return [first.replace(severity, shade(paint, severity)), ...rest]
}

const shownUnits = 20

const unitList = (title: string, units: ReadonlyArray<FindingUnit>, paint: Paint): Section =>
  units.length === 0
    ? []
    : [
        `${title}:`,
        ...units.slice(0, shownUnits).flatMap((unit) => unitLines(unit, paint)),
        ...(units.length > shownUnits ? [`  and ${units.length - shownUnits} more`] : [])
      ]

/** What changed between two runs: counts, and the new and the fixed by name. */
export const changeSection = (title: string, diff: CrawlDiff, paint: Paint): Section => {
  const { dead_links, findings, pages, score } = diff
  const counts = `${findings.new.length} new, ${findings.fixed.length} fixed, ${findings.persisting.length} as before, ${findings.not_comparable.length} not comparable`
  const others = [
    `dead links: ${dead_links.new.length} new, ${dead_links.fixed.length} fixed`,
    ...(score === null ? [] : [`score ${score.before} to ${score.after}`]),
    `${plural(pages.added.length, "page")} added, ${pages.removed.length} removed, ${pages.changed.length} changed`
  ]
  return [
    `${paint.bold(title)}  ${counts}`,
    `  ${others.join("; ")}`,
    ...unitList("New", findings.new, paint),
    ...unitList("Fixed", findings.fixed, paint)
  ]
}

/** What changed between two reports, as text for a terminal. */
export const renderChange = (diff: CrawlDiff, color: boolean): string =>
  `${changeSection("Change", diff, paintOf(color)).join("\n")}\n`
