import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { lighthouseKey } from "../Category.ts"
import type { Device } from "../Device.ts"
import { maxReportBytes, parseReport } from "../report/ParseReport.ts"
import { readPsi } from "../report/ReadPsi.ts"
import { runFailed } from "../run/AuditRunFailed.ts"
import { AuditTimeout } from "../run/Settings.ts"
import { PageSpeedInsights } from "./PageSpeedInsights.ts"
import { psiFailure } from "./PsiFailure.ts"
import { PsiKey, PsiUrl } from "./Settings.ts"

const source = "PageSpeed Insights"

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const base = yield* PsiUrl
  const key = yield* PsiKey
  const timeout = yield* AuditTimeout

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
        method: "GET",
        headers: { accept: "application/json" },
        deadline: timeout,
        idleTimeout: timeout,
        keepBytes: maxReportBytes,
        maxBytes: maxReportBytes,
        decode: true
      })
      .pipe(Effect.mapError(({ reason }) => runFailed("source_unavailable", `${source} did not answer (${reason}).`)))
    if (answer.status !== 200) return yield* psiFailure(answer.status, answer.body)
    if (answer.truncated) return yield* runFailed("source_unavailable", `${source} sent an answer that is too large.`)
    const read = parseReport(answer.body, source).pipe(Either.flatMap((json) => readPsi(json, source)))
    return yield* Either.mapLeft(read, (error) => runFailed("source_unavailable", error.message))
  })
  return PageSpeedInsights.of({ run })
})

/** PageSpeed Insights v5 over the guarded HTTP client. */
export const layer = Layer.effect(PageSpeedInsights, make)
