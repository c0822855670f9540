import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Redaction from "../../../foundation/secrets/Redaction.ts"
import { type Device, lighthouseKey } from "../Domain.ts"
import { at, text } from "../report/Json.ts"
import { maxReportBytes, parseReport } from "../report/ParseReport.ts"
import { type PsiReport, readPsi } from "../report/ReadPsi.ts"
import type { ReportUnreadable } from "../report/ReportUnreadable.ts"
import { failureOfCode } from "../report/RuntimeError.ts"
import { AuditRunFailed, runFailed } from "../run/AuditRunFailed.ts"
import { AuditTimeout, PsiKey, PsiUrl } from "../Settings.ts"

/** Audits by Google: a Lighthouse report and, where there is any, field data of real users. */
export class PageSpeedInsights extends Context.Tag("audits/psi/PageSpeedInsights")<
  PageSpeedInsights,
  { readonly run: (url: URL, device: Device) => Effect.Effect<PsiReport, AuditRunFailed> }
>() {}

const source = "PageSpeed Insights"

const reasons = new Map([
  [400, "PageSpeed Insights refused the request: check the address and FINDABLE_PSI_KEY."],
  [403, "PageSpeed Insights refused the key in FINDABLE_PSI_KEY."],
  [429, "The PageSpeed Insights quota is used up; try later or set FINDABLE_PSI_KEY."]
])

/** The failure behind a status other than 200; Google reports the page's own failures as "Lighthouse returned error: CODE". */
const psiFailure = (status: number, body: Either.Either<unknown, ReportUnreadable>): AuditRunFailed => {
  const json = Either.getOrNull(body)
  const message = text(at(json, "error", "message")) ?? ""
  const code = /^Lighthouse returned error: ([A-Z][A-Z0-9_]{0,63})\b/.exec(message)?.[1]
  if (code !== undefined) return new AuditRunFailed({ failure: failureOfCode(code, message) })
  return runFailed("source_unavailable", reasons.get(status) ?? `${source} answered with status ${status}.`)
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
    // The reason alone is passed on: an error of the client may quote the address, which holds the key.
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
      .pipe(Effect.mapError(({ reason }) => runFailed("source_unavailable", `${source} did not answer (${reason}).`)))
    const json = parseReport(answer.body, source, clean)
    if (answer.status !== 200) return yield* psiFailure(answer.status, json)
    if (answer.truncated) return yield* runFailed("source_unavailable", `${source} sent an answer that is too large.`)
    const read = Either.flatMap(json, (report) => readPsi(report, source))
    return yield* Either.mapLeft(read, (error) => runFailed("source_unavailable", error.message))
  })
  return PageSpeedInsights.of({ run })
})

/** PageSpeed Insights v5 over the guarded HTTP client. */
export const layer = Layer.effect(PageSpeedInsights, make)
