import type * as Deferred from "effect/Deferred"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { GateShut } from "../politeness/HostGate.ts"
import type { Visit } from "../visit/Visit.ts"

/** A URL whose visit is under way. */
export interface PendingVisit {
  readonly record: UrlRecord
  readonly visited: Deferred.Deferred<Visit, GateShut>
}
