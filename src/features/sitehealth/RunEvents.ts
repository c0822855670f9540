import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../crawl/Crawl.ts"
import { outcomeOf } from "../../crawl/report/CrawlOutcome.ts"
import { auditCompleted, auditFailed, type Changes } from "../audits/Events.ts"
import { Events } from "../events/Events.ts"
import type { RunError } from "./Domain.ts"
import type { Ended } from "./QueueRepo.ts"

const subject = ({ id, project, url }: Ended) => ({
  subject: "site_health_run" as const,
  id,
  url,
  project_id: project
})

/** Publishes how a run ended: a site health run is a crawl, so its end is an audit event. */
export class RunEvents extends Effect.Service<RunEvents>()("sitehealth/RunEvents", {
  dependencies: [Events.Default],
  effect: Effect.map(Events, ({ publish }) => ({
    finished: (ended: Ended, result: CrawlResult, changes: Changes | null) =>
      publish(
        ended.account,
        auditCompleted,
        { ...subject(ended), outcome: { ...outcomeOf(result), changes } },
        { occurrence: `site_health_run/${ended.id}` }
      ),
    failed: (ended: Ended, error: RunError) =>
      publish(
        ended.account,
        auditFailed,
        { ...subject(ended), outcome: { status: "failed", error } },
        { occurrence: `site_health_run/${ended.id}` }
      )
  }))
}) {}
