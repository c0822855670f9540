import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { healthStateOf, type Termination } from "../report/States.ts"
import type { Run } from "../run/Run.ts"
import { writtenGlobs } from "../visit/Scope.ts"
import { agentAccess } from "./AgentAccess.ts"
import { type AnalysedPage, isLeftOut } from "./AnalysedPage.ts"
import type { AnalysedSite } from "./AnalysedSite.ts"
import { analysedPage } from "./AnalysePage.ts"
import { clicksFrom } from "./Clicks.ts"
import { endless } from "./Endless.ts"
import { needsJavascript } from "./JavascriptShell.ts"
import { softNotFoundCandidates } from "./SoftNotFoundCandidates.ts"
import { trapCounts } from "./TrapCounts.ts"
import { leaveVariants, withVariants } from "./Variants.ts"

/** A URL that was not requested only because of a limit. */
const cutOff = (page: AnalysedPage): boolean =>
  page.fetchState === "not_fetched" && page.reason !== "robots_unreachable" && !isLeftOut(page)

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
  const without = yield* endless(records, run.now)
  for (const { idle } of without) for (const record of idle) record.trapped = true
  const suspects = yield* softNotFoundCandidates(run)
  const pages = yield* withVariants(yield* mapped(records, worth, (record) => analysedPage(run, record, suspects)))
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  yield* leaveVariants(pages, (url) => byUrl.get(url))
  const late = interrupted || found.outOfTime
  const cut = pages.some(cutOff) || frontier.unlisted() > 0
  const termination: Termination = late ? "max-duration" : cut ? "max-pages" : "complete"
  return {
    start: found.start,
    pages,
    find: (url) => byUrl.get(url),
    robots: run.robots.known(found.start),
    agents: yield* agentAccess(run, pages),
    sitemap: found.sitemap,
    probe: found.probe,
    needsJavascript: shellOf(pages, found),
    termination,
    unlisted: frontier.unlisted(),
    traps: yield* trapCounts(records, frontier.beyond()),
    endless: without.flatMap(({ isSeen, text }) => (isSeen ? [text] : [])),
    mayBeEndless: without.flatMap(({ isSeen, text }) => (isSeen ? [] : [text])),
    checkDeadLinks: options.checkDeadLinks,
    checkExternalLinks: options.checkExternalLinks === true,
    parts: found.parts,
    externalLinks: found.externalLinks,
    isPart: options.only !== undefined,
    globs: writtenGlobs(options),
    maxPages: options.maxPages,
    deadlineMillis: run.deadlineMillis,
    now: run.now
  }
}
