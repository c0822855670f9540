import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned } from "../accounts/Owned.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { RunId, RunStatus } from "./Domain.ts"
import { RunsRepo } from "./RunsRepo.ts"

const missing = NotFound.of("run")

/** Reading, cancelling and deleting the runs of an account. */
export class Runs extends Effect.Service<Runs>()("sitehealth/Runs", {
  dependencies: [Projects.Default, RunsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* RunsRepo

    /** The run with the proof that the account owns it. */
    const own = Owned.by(repo.find, "run")

    const get = Traced.fn("Runs.get")(function* (account: AccountId, id: RunId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The run with its result: null when it has none, absent while the run is not finished. */
    const getWithResult = Traced.fn("Runs.getWithResult")(function* (account: AccountId, id: RunId) {
      const run = yield* Effect.mapError(Effect.flatten(repo.findWithResult({ account, id })), () => missing)
      if (run.finished_at !== null) return run
      const { result: _, ...unfinished } = run
      return unfinished
    })

    /** The newest finished run that has a result. */
    const latest = Traced.fn("Runs.latest")(function* (account: AccountId, project: ProjectId) {
      const owned = yield* projects.own(account, project)
      return Option.match(yield* repo.latest({ project: owned }), {
        onNone: () => ({ has_data: false, result: null, run: null }),
        onSome: ({ result, ...run }) => ({ has_data: true, result: result ?? null, run })
      })
    })

    /** Ends a run that is not final; its worker notices with its next heartbeat. */
    const cancel = Traced.fn("Runs.cancel")(function* (account: AccountId, id: RunId) {
      const cancelled = yield* repo.cancel({ account, id })
      if (Option.isSome(cancelled)) return cancelled.value
      const { status } = yield* get(account, id)
      return yield* new Conflict({ message: `The run is ${status}, which is final` })
    })

    /** Deletes a final run that no verification in progress refers to. */
    const remove = Traced.fn("Runs.remove")(function* (account: AccountId, id: RunId) {
      const { status, finished_at } = yield* Effect.mapError(Effect.flatten(repo.hold({ account, id })), () => missing)
      if (finished_at === null) return yield* new Conflict({ message: `The run is ${status}: cancel it first` })
      if (Option.isSome(yield* repo.verifying(id)))
        return yield* new Conflict({ message: "A verification of the run is in progress: cancel it first" })
      yield* repo.remove(id)
    }, repo.transaction)

    /** The project's runs, in all states or one, newest first, after a position. */
    const list = Traced.fn("Runs.list")(function* (
      account: AccountId,
      project: ProjectId,
      status: RunStatus | undefined,
      batch: Batch
    ) {
      const owned = yield* projects.own(account, project)
      return yield* repo.list({ ...batch, project: owned, status })
    })

    return { cancel, get, getWithResult, latest, list, own, remove }
  })
}) {}
