import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Device } from "../Domain.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import type { AuditRunFailed } from "./AuditRunFailed.ts"

/** Produces a Lighthouse report of a page, in a process of its own that ends with the effect. */
export class Lighthouse extends Context.Tag("audits/run/Lighthouse")<
  Lighthouse,
  { readonly run: (url: URL, device: Device) => Effect.Effect<LighthouseReport, AuditRunFailed> }
>() {}
