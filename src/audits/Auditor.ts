import * as Effect from "effect/Effect"
import type { Device } from "./Device.ts"
import { failed, type Outcome, reported } from "./Outcome.ts"
import { PageSpeedInsights } from "./psi/PageSpeedInsights.ts"
import * as PsiClient from "./psi/PsiClient.ts"
import type { AuditRunFailed } from "./run/AuditRunFailed.ts"
import { Lighthouse } from "./run/Lighthouse.ts"
import * as LighthouseProcess from "./run/LighthouseProcess.ts"
import type { Auditing } from "./Source.ts"

/** What no page is to blame for: this machine has nothing to audit with. */
const isUnequipped = ({ failure: { code } }: AuditRunFailed) =>
  code === "browser_missing" || code === "lighthouse_missing"

/** Audits pages, by Lighthouse here or by PageSpeed Insights. */
export class Auditor extends Effect.Service<Auditor>()("audits/Auditor", {
  dependencies: [LighthouseProcess.layer, PsiClient.layer],
  effect: Effect.gen(function* () {
    const lighthouse = yield* Lighthouse
    const psi = yield* PageSpeedInsights

    const ask = (source: Auditing, url: URL, device: Device) =>
      source === "psi"
        ? psi.run(url, device)
        : Effect.map(lighthouse.run(url, device), (report) => ({ field: null, report }))

    /** Audits a page. A page that cannot be audited is an outcome too; only a machine without browser or Lighthouse is a failure. */
    const audit = Effect.fn("Auditor.audit")(function* (source: Auditing, page: string, device: Device) {
      const url = new URL(page)
      return yield* ask(source, url, device).pipe(
        Effect.map(reported),
        Effect.map((outcome): Outcome => ({ ...outcome, device: outcome.device ?? device })),
        Effect.catchIf(
          (error) => !isUnequipped(error),
          ({ failure }) => Effect.succeed(failed(url.href, device, failure))
        )
      )
    })

    return { audit }
  })
}) {}
