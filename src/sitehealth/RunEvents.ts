import * as Effect from "effect/Effect"
import type { CrawlResult } from "../crawl/Crawl.ts"
import type { RunError } from "./Domain.ts"
import type { Ended } from "./QueueRepo.ts"

/** Tells the webhooks how a run ended: a site health run is a crawl, so its end is an audit event. */
export class RunEvents extends Effect.Service<RunEvents>()("sitehealth/RunEvents", {
  sync: () => ({
    finished: (_ended: Ended, _result: CrawlResult) => Effect.void,
    failed: (_ended: Ended, _error: RunError) => Effect.void
  })
}) {}
