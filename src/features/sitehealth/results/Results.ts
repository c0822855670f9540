import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { diffOf } from "../../../crawl/diff/Diff.ts"
import type { CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { namedBase } from "../../../foundation/http/PublicUrl.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { Run, RunId } from "../Domain.ts"
import { doneByApi } from "../fixes/Done.ts"
import { fixDirectives } from "../fixes/FixDirectives.ts"
import { Runs } from "../Runs.ts"
import { batchOf, byUrl, type FindingFilters, ordered } from "./FindingLists.ts"
import { ResultsRepo } from "./ResultsRepo.ts"

const none = ({ status }: Run) =>
  new Conflict({
    message:
      status === "queued" || status === "running"
        ? `The run is ${status}: it has no result yet`
        : status === "completed" || status === "partial"
          ? `The run is ${status}: its result is no longer kept`
          : `The run is ${status}: it has no result`
  })

const inPart = new Conflict({
  message: "A run that verifies another saw only a part of the site: it cannot be compared"
})

const alone = new Conflict({ message: "The project has no earlier run with a result from the same start URL" })

/** The results of an account's runs. */
export class Results extends Effect.Service<Results>()("sitehealth/Results", {
  dependencies: [ResultsRepo.Default, Runs.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ResultsRepo
    const runs = yield* Runs
    const base = yield* namedBase

    /** The run, which has a result. */
    const having = Traced.fn("Results.having")(function* (account: AccountId, id: RunId) {
      const run = yield* runs.own(account, id)
      return run.value.result_available ? run : yield* none(run.value)
    })

    /** A run with its whole result. */
    const get = Traced.fn("Results.get")(function* (account: AccountId, id: RunId) {
      const run = yield* having(account, id)
      const { result } = yield* Effect.mapError(Effect.flatten(repo.result(run)), () => none(run.value))
      return { result, run }
    })

    /** URLs that the run met, in the order of its result. */
    const pages = Traced.fn("Results.pages")(function* (account: AccountId, id: RunId, batch: Batch) {
      return yield* repo.pages({ ...batch, run: yield* having(account, id) })
    })

    /** Findings, or the URLs that fail their rules, which pass the filters, in their order. */
    const findings = Traced.fn("Results.findings")(function* (
      account: AccountId,
      id: RunId,
      filters: FindingFilters,
      batch: Batch
    ) {
      const { rows, rule, severity, status } = filters
      const found = yield* repo.findings({ rule, run: yield* having(account, id), severity, status })
      const all = found.map(({ entry }) => entry)
      return rows === undefined ? batchOf(ordered(all, filters), batch) : batchOf(byUrl(all, filters), batch)
    })

    /** What to repair, by the failing findings of a run. */
    const fixes = (account: AccountId, id: RunId) =>
      Effect.map(get(account, id), ({ result, run }) => fixDirectives(result, doneByApi(base, run.value)))

    const fix = (account: AccountId, run: RunId, id: string) =>
      Effect.flatMap(fixes(account, run), (all) =>
        Effect.mapError(
          Arr.findFirst(all, (one) => one.id === id),
          () => NotFound.of("fix directive")
        )
      )

    /** The run that another one is compared with. */
    const other = Effect.fnUntraced(function* (account: AccountId, id: RunId) {
      const { result, run } = yield* get(account, id)
      return run.value.request.verify === null ? { id, result } : yield* inPart
    })

    const compared = Effect.fnUntraced(function* (
      { result, run }: Effect.Effect.Success<ReturnType<typeof get>>,
      before: Effect.Effect<{ readonly id: RunId; readonly result: CrawlResult }, Conflict | NotFound>
    ) {
      if (run.value.request.verify !== null) return yield* inPart
      const { id, result: earlier } = yield* before
      return { run: run.value.id, against: id, ...diffOf(earlier, result) }
    })

    const newestBefore = (id: RunId) => Effect.mapError(Effect.flatten(repo.earlier(id)), () => alone)

    /** What changed between a run and another of the account, without one the newest earlier run from the same start. */
    const diff = Traced.fn("Results.diff")(function* (account: AccountId, id: RunId, against: RunId | undefined) {
      const later = yield* get(account, id)
      return yield* compared(later, against === undefined ? newestBefore(id) : other(account, against))
    })

    /** A run with its whole result, and what changed since the newest earlier run from the same start, where there is one to compare with. */
    const report = Traced.fn("Results.report")(function* (account: AccountId, id: RunId) {
      const later = yield* get(account, id)
      return { diff: yield* Effect.option(compared(later, newestBefore(id))), result: later.result }
    })

    return { diff, findings, fix, fixes, get, having, pages, report }
  })
}) {}
