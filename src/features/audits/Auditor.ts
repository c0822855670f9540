import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Redaction from "../../foundation/secrets/Redaction.ts"
import { medianRun, spreadOf } from "./Assessment.ts"
import { failureOutcome, type Outcome, reportOutcome } from "./Audits.ts"
import { type Auditing, type Device, lighthouseKey } from "./Domain.ts"
import { at, failureOfCode, type ReportUnreadable, text } from "./report/LighthouseReport.ts"
import { maxReportBytes, type PsiReport, parseReport, readPsi } from "./report/ReadPsi.ts"
import * as LighthouseProcess from "./run/Lighthouse.ts"

import { AuditTimeout, PsiKey, PsiUrl } from "./Settings.ts"

/** Audits by Google: a Lighthouse report and, if available, field data of real users. */
export class PageSpeedInsights extends Context.Tag("audits/PageSpeedInsights")<
  PageSpeedInsights,
  { readonly run: (url: URL, device: Device) => Effect.Effect<PsiReport, LighthouseProcess.AuditRunFailed> }
>() {}

const source = "PageSpeed Insights"

const reasons = new Map([
  [400, "PageSpeed Insights rejected the request: check the URL and FINDABLE_PSI_KEY."],
  [403, "PageSpeed Insights rejected the API key in FINDABLE_PSI_KEY."],
  [429, "The PageSpeed Insights quota is used up: try again tomorrow, or set FINDABLE_PSI_KEY."]
])

/** The failure for a status other than 200; Google reports the page's own failures as "Lighthouse returned error: CODE". */
const psiFailure = (
  status: number,
  body: Either.Either<unknown, ReportUnreadable>
): LighthouseProcess.AuditRunFailed => {
  const json = Either.getOrNull(body)
  const message = text(at(json, "error", "message")) ?? ""
  const code = /^Lighthouse returned error: ([A-Z][A-Z0-9_]{0,63})\b/.exec(message)?.[1]
  if (code !== undefined) return new LighthouseProcess.AuditRunFailed({ failure: failureOfCode(code, message) })
  return LighthouseProcess.runFailed(
    "source_unavailable",
    reasons.get(status) ?? `${source} returned status ${status}.`
  )
}

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const base = yield* PsiUrl
  const key = yield* PsiKey
  const timeout = yield* AuditTimeout
  const { json: clean } = Redaction.of(Option.toArray(key), "[key]")

  const address = (page: URL, device: Device): URL => {
    const url = new URL(base)
    url.searchParams.set("url", page.href)
    url.searchParams.set("strategy", device)
    url.searchParams.set("locale", "en")
    for (const category of Object.values(lighthouseKey)) url.searchParams.append("category", category)
    if (Option.isSome(key)) url.searchParams.set("key", Redacted.value(key.value))
    return url
  }

  const run = Traced.fn("PageSpeedInsights.run")(function* (page: URL, device: Device) {
    // Only the reason is passed on, because a client error may quote the URL with the key.
    const answer = yield* outbound
      .exchange({
        url: address(page, device),
        isSetting: true,
        method: "GET",
        headers: { accept: "application/json" },
        deadline: timeout,
        idleTimeout: timeout,
        keepBytes: maxReportBytes,
        maxBytes: maxReportBytes,
        decode: true
      })
      .pipe(
        Effect.mapError(({ reason }) =>
          LighthouseProcess.runFailed("source_unavailable", `${source} did not respond (${reason}).`)
        )
      )
    const json = parseReport(answer.body, source, clean)
    if (answer.status !== 200) return yield* psiFailure(answer.status, json)
    if (answer.truncated)
      return yield* LighthouseProcess.runFailed("source_unavailable", `${source} sent a response that is too large.`)
    const read = Either.flatMap(json, (report) => readPsi(report, source))
    return yield* Either.mapLeft(read, (error) => LighthouseProcess.runFailed("source_unavailable", error.message))
  })
  return PageSpeedInsights.of({ run })
})

/** PageSpeed Insights v5 over the guarded HTTP client. */
export const layer = Layer.effect(PageSpeedInsights, make)

/** The outcome of several runs: the median of the scored ones, or the first failure without any. */
const outcomeOf = (runs: Arr.NonEmptyReadonlyArray<PsiReport>): Outcome => {
  const scored = runs.filter((run) => Either.isRight(reportOutcome(run).verdict))
  return Arr.isNonEmptyReadonlyArray(scored) && runs.length > 1
    ? { ...reportOutcome(medianRun(scored)), spread: spreadOf(scored.map(({ report }) => report)) }
    : reportOutcome(runs[0])
}

/** Whether this machine, rather than the page, caused the failure: it has no browser or no Lighthouse. */
const isUnequipped = ({ failure: { code } }: LighthouseProcess.AuditRunFailed) =>
  code === "browser_missing" || code === "lighthouse_missing"

/** Audits pages, with Lighthouse on this machine or PageSpeed Insights. */
export class Auditor extends Effect.Service<Auditor>()("audits/Auditor", {
  dependencies: [LighthouseProcess.layer, layer],
  effect: Effect.gen(function* () {
    const lighthouse = yield* LighthouseProcess.Lighthouse
    const psi = yield* PageSpeedInsights

    const runOnce = (source: Auditing, url: URL, device: Device) =>
      source === "psi"
        ? psi.run(url, device)
        : Effect.map(lighthouse.run(url, device), (report) => ({ field: null, report }))

    /** Runs a page's audit `runs` times in sequence; failed runs are dropped as long as one succeeds. */
    const runAll = (source: Auditing, url: URL, device: Device, runs: number) =>
      Effect.gen(function* () {
        const first = yield* Effect.either(runOnce(source, url, device))
        if (Either.isLeft(first) && isUnequipped(first.left)) return yield* first.left
        const others = yield* Effect.replicateEffect(Effect.either(runOnce(source, url, device)), runs - 1)
        const reports = Arr.getRights([first, ...others])
        if (Arr.isNonEmptyReadonlyArray(reports)) return reports
        return yield* Effect.map(first, Arr.of)
      })

    /**
     * Audits a page: the outcome of several runs is their median. A page that cannot be audited is an outcome too; only a machine without browser or
     * Lighthouse is a failure.
     */
    const audit = Traced.fn("Auditor.audit")(function* (source: Auditing, page: string, device: Device, runs = 1) {
      const url = new URL(page)
      return yield* runAll(source, url, device, runs).pipe(
        Effect.map(outcomeOf),
        Effect.map((outcome): Outcome => ({ ...outcome, device: outcome.device ?? device })),
        Effect.catchIf(
          (error) => !isUnequipped(error),
          ({ failure }) => Effect.succeed(failureOutcome(url.href, device, failure))
        )
      )
    })

    return { audit }
  })
}) {}
