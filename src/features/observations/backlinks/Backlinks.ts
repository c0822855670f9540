import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Events } from "../../events/Events.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { OwnersRepo } from "../../projects/OwnersRepo.ts"
import { backlinkLost } from "./Events.ts"
import type { ReferringDomain } from "./ReferringDomains.ts"
import { BacklinksRepo } from "./Repo.ts"

/** The lowest authority of a domain whose loss is published. */
const highAuthority = 60

/** Snapshots of the domains that refer to a site. */
export class Backlinks extends Effect.Service<Backlinks>()("backlinks/Backlinks", {
  dependencies: [BacklinksRepo.Default, Events.Default, OwnersRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const repo = yield* BacklinksRepo

    /** Records a snapshot, newer than all before it, and publishes `backlink.lost` for each domain of high authority that it no longer holds. */
    const record = Traced.fn("Backlinks.record")(function* (
      project: ProjectId,
      takenAt: DateTime.Utc,
      domains: ReadonlyArray<ReferringDomain>
    ) {
      const account = yield* owners.hold(project)
      const newest = yield* repo.newest(project)
      if (Option.isSome(newest) && DateTime.lessThanOrEqualTo(takenAt, newest.value.takenAt)) {
        return yield* new Refused({
          message: `The newest snapshot is of ${DateTime.formatIso(newest.value.takenAt)}: only a newer one can follow`
        })
      }
      yield* repo.insert({ domains, project, takenAt })
      const lost = yield* repo.lost({ authority: highAuthority, project, takenAt })
      yield* Effect.forEach(lost, ({ authority, domain, lastSeenAt }) =>
        events.publish(
          account,
          backlinkLost,
          { project_id: project, domain, authority, last_seen_at: lastSeenAt, missing_since: takenAt },
          { occurrence: `${project}/${domain}/${DateTime.formatIso(takenAt)}` }
        )
      )
      return { domains: domains.length, lost: lost.map(({ domain }) => domain) }
    }, owners.transaction)

    return { record }
  })
}) {}
