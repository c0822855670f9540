import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../../crawl/report/CrawlResult.ts"
import type { RunId } from "../../../sitehealth/Domain.ts"
import { Runs } from "../../../sitehealth/Runs.ts"
import { Results } from "../../../sitehealth/results/Results.ts"
import { Start } from "../../../sitehealth/Start.ts"
import { Verify } from "../../../sitehealth/Verify.ts"
import type { Claim } from "../QueueRepo.ts"
import { again, looksOver, made, type Turn, unseen } from "./Turn.ts"

/** Between two looks at a run under way. */
const pause = "2 seconds"

/** Until a run is started that the account's quotas did not allow; it is no look that was missed. */
const patience = "5 minutes"

/** Whether a merged change is on the site: by a run that verifies its finding, else by a run of the changed page that reads it. */
export class Verification extends Effect.Service<Verification>()("interventions/turns/Verification", {
  dependencies: [Results.Default, Runs.Default, Start.Default, Verify.Default],
  effect: Effect.gen(function* () {
    const results = yield* Results
    const runs = yield* Runs
    const starts = yield* Start
    const { verify } = yield* Verify

    /** Why a run does not show that the change is on the site; undefined when it does. */
    const lacks = Effect.fnUntraced(function* ({ account, finding, url }: Claim, id: RunId) {
      const { result } = yield* results.get(account, id)
      if (finding === null) {
        const { pages }: CrawlResult = result
        const isRead = pages.some((page) => page.fetch_state === "fetched" && page.http_status === 200)
        return isRead ? undefined : `The run did not read ${url}`
      }
      const found = result.verification?.find(({ rule, url }) => rule === finding.rule && url === finding.url)
      if (found === undefined) return "The run that verifies the finding has no verdict on it"
      const detail = found.detail === "" ? "" : `: ${found.detail}`
      return found.verdict === "fixed" ? undefined : `The run says ${found.verdict}${detail}`
    })

    const judged = (claim: Claim, run: RunId) =>
      lacks(claim, run).pipe(
        Effect.map((error) =>
          error === undefined
            ? made(claim, { status: "deployed", verifiedBy: run, verifyRun: null })
            : unseen(claim, error)
        ),
        // A run without a result, or one that was deleted, shows nothing.
        Effect.catchAll(({ message }) => Effect.succeed(unseen(claim, `The run that was to verify it: ${message}`)))
      )

    /** One turn of a change that is merged: waits for the run that was started, or has one started. */
    const turn = Effect.fnUntraced(function* (claim: Claim) {
      const { account, verifyRun } = claim
      if (verifyRun === null) return made(claim, { error: claim.error, starts: true })
      const run = yield* Effect.option(runs.get(account, verifyRun))
      return run._tag === "Some" && run.value.finished_at === null
        ? yield* again(claim, pause, { error: claim.error })
        : yield* judged(claim, verifyRun)
    })

    const begun = ({ account, finding, project, url }: Claim) =>
      finding === null
        ? starts.start(account, project, { check_dead_links: false, max_pages: 1, url }, undefined)
        : verify(account, finding.run, { rules: [finding.rule] }, undefined)

    /** Starts the run, in the transaction of the caller; it counts against the account's quotas. */
    const start = (claim: Claim): Effect.Effect<Turn> =>
      Effect.matchEffect(begun(claim), {
        onFailure: (refusal) =>
          refusal._tag === "ApiError" && refusal.code === "quota_exceeded"
            ? again(claim, patience, { error: refusal.message })
            : Effect.succeed(made(claim, { error: refusal.message, status: "not_verified" })),
        onSuccess: ({ run }) =>
          Effect.flatMap(DateTime.now, (now) =>
            again(claim, pause, { error: claim.error, verifications: looksOver(claim, now), verifyRun: run.id })
          )
      })

    return { start, turn }
  })
}) {}
