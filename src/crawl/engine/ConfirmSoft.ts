import * as Effect from "effect/Effect"
import { unhurried } from "../../foundation/schema/Steps.ts"
import { softNotFoundCandidates, suspicionOf } from "../analysis/SoftNotFoundCandidates.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { type Run, runOut } from "../run/Run.ts"
import type { Visit } from "../visit/Visit.ts"
import { visit } from "../visit/Visitor.ts"

/** Takes in the second look at a suspect: a page confirms or clears itself, any other answer is the URL's own from now on. */
const settle = (run: Run, url: string, again: Visit) => {
  if (again.facts !== null) {
    run.found.soft.set(url, suspicionOf(run, again))
    return
  }
  const record = run.frontier.find(url)
  if (record?.visit == null) return
  record.visit = { ...again, attempts: [...record.visit.attempts, ...again.attempts] }
  if (again.cutBy !== null) runOut(run, again.cutBy)
}

/** Fetches each suspected soft 404 once more; only what shows the signs twice is called one. */
export const confirmSoft = (run: Run): Effect.Effect<void, OutOfTime> =>
  Effect.flatMap(unhurried(softNotFoundCandidates(run)), (suspects) =>
    Effect.forEach(
      suspects.keys(),
      (url) =>
        Effect.map(visit(run, run.found.start, new URL(url), run.found.jar), (again) => settle(run, url, again.visit)),
      { concurrency: run.options.perHost ?? 6, discard: true }
    )
  )
