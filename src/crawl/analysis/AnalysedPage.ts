import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { RobotsLine } from "../report/MeasuredPage.ts"
import { type FetchState, type HealthReason, type IndexabilityState, isOpen } from "../report/States.ts"
import type { Visit } from "../visit/Visit.ts"
import type { RedirectChain } from "./RedirectChain.ts"
import type { Canonical } from "./Verdict.ts"

/** One URL with its final verdict. */
export interface AnalysedPage {
  readonly url: string
  readonly record: UrlRecord
  readonly visit: Visit | null
  readonly fetchState: FetchState
  readonly indexability: IndexabilityState
  /** The first reason in the order of verdicts; its health state follows from it. */
  readonly reason: HealthReason
  /** Reasons that hold as well. */
  readonly also: ReadonlyArray<HealthReason>
  readonly robotsLine: RobotsLine | null
  readonly canonical: Canonical
  readonly chain: RedirectChain
  readonly note: string | null
}

/** Whether the run sent a request for the URL. */
export const wasAsked = ({ visit }: AnalysedPage): boolean => visit !== null && visit.attempts.length > 0

/** Whether the URL stands outside of what the run says of the whole site: it was not asked, and is an address that acts, left out by the options, one more parameter set, or leads on without end. */
export const isLeftOut = (page: AnalysedPage): boolean => page.record.trapped && !wasAsked(page)

/** Whether it is open what the URL would be, so that claims about the whole site are too. */
export const leavesOpen = (page: AnalysedPage): boolean => isOpen(page.reason) && !isLeftOut(page)

/** Whether the page names another as its canonical. */
export const isCanonicalised = ({ also, reason }: AnalysedPage): boolean =>
  [reason, ...also].some((each) => each === "canonical_elsewhere" || each === "canonical_variant")

/** Whether the URL answers with an error, confirmed. */
export const isDead = ({ reason }: AnalysedPage): boolean => reason === "http_4xx" || reason === "http_5xx"
