import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { healthStateOf, type Termination } from "../report/States.ts"
import type { Run } from "../run/Run.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"
import type { AnalysedSite } from "./AnalysedSite.ts"
import { analysedPage } from "./AnalysePage.ts"
import { clicksFrom } from "./Clicks.ts"
import { endless } from "./Endless.ts"
import { needsJavascript } from "./JavascriptShell.ts"
import { softNotFoundCandidates } from "./SoftNotFoundCandidates.ts"

/** A URL that was not requested only because of a limit. */
const cutOff = ({ fetchState, reason, record }: AnalysedPage): boolean =>
  fetchState === "not_fetched" && reason !== "robots_unreachable" && !record.trapped

/** Whether the start page and all other pages that were read are but a shell for scripts. */
const shellOf = (pages: ReadonlyArray<AnalysedPage>, { probe, start }: Run["found"]): string | null => {
  const read = pages.flatMap(({ reason, url, visit }) => {
    const facts = visit?.facts ?? null
    return facts === null || healthStateOf[reason] === "redirect" ? [] : [{ facts, isHome: url === start.href }]
  })
  const home = read.find(({ isHome }) => isHome)?.facts ?? null
  return needsJavascript(
    home,
    read.flatMap(({ facts, isHome }) => (isHome ? [] : [facts])),
    probe
  )
}

/** Cost of a verdict, in characters. */
const worth = 128

/** The verdicts on everything a run met; `interrupted` says that the deadline cut it off. */
export function* analyse(run: Run, interrupted: boolean): Steps<AnalysedSite> {
  const { found, frontier, options } = run
  const records = frontier.records()
  const clicks = yield* clicksFrom(records, (url) => frontier.find(url))
  for (const record of records) record.depth = clicks.get(record.url) ?? null
  const without = yield* endless(records)
  for (const { idle } of without) for (const record of idle) record.trapped = true
  const suspects = yield* softNotFoundCandidates(run)
  const pages = yield* mapped(records, worth, (record) => analysedPage(run, record, suspects))
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  const late = interrupted || found.outOfTime
  const cut = pages.some(cutOff) || frontier.unlisted() > 0
  const termination: Termination = late ? "max-duration" : cut ? "max-pages" : "complete"
  return {
    start: found.start,
    pages,
    find: (url) => byUrl.get(url),
    robots: run.robots.known(found.start),
    sitemap: found.sitemap,
    probe: found.probe,
    needsJavascript: shellOf(pages, found),
    termination,
    unlisted: frontier.unlisted(),
    traps: frontier.traps(),
    endless: without.map(({ text }) => text),
    checkDeadLinks: options.checkDeadLinks,
    isPart: options.only !== undefined,
    maxPages: options.maxPages,
    deadlineMillis: run.deadlineMillis,
    now: run.now
  }
}
