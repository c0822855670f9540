import * as Effect from "effect/Effect"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import { type AuditRunFailed, runFailed } from "./AuditRunFailed.ts"

const refused = ({ reason }: OutboundError): AuditRunFailed => {
  if (reason === "blocked_url" || reason === "blocked_address")
    return runFailed("address_refused", "The page is at an address that this installation does not visit.")
  return reason === "dns"
    ? runFailed("dns_failure", "The host name of the page could not be resolved.")
    : runFailed("page_unreachable", "The page could not be loaded.")
}

/** Checks a page's address before a browser is started for it. The guard proxy checks every connection, but cannot say why it refuses one. */
export const vetPage = Traced.fn("Audits.vetPage")(function* (url: URL) {
  const outbound = yield* Outbound
  yield* Effect.mapError(outbound.vet(url), refused)
})

/** Checks every address of a report's page: a report about a forbidden redirect target must not get out. */
export const vetReport = (report: LighthouseReport): Effect.Effect<void, AuditRunFailed, Outbound> =>
  Effect.forEach(new Set(report.addresses), (address) => vetPage(new URL(address)), { discard: true })
