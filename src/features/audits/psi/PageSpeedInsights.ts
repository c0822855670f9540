import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Device } from "../Domain.ts"
import type { PsiReport } from "../report/ReadPsi.ts"
import type { AuditRunFailed } from "../run/AuditRunFailed.ts"

/** Audits by Google: a Lighthouse report and, where there is any, field data of real users. */
export class PageSpeedInsights extends Context.Tag("audits/psi/PageSpeedInsights")<
  PageSpeedInsights,
  { readonly run: (url: URL, device: Device) => Effect.Effect<PsiReport, AuditRunFailed> }
>() {}
